#!/usr/bin/env bash
# Installs what a cut needs and this machine lacks: a C linker and the compilers and interpreters
# that solutions are judged with. Debian and Ubuntu, as root or through sudo. Says what it does;
# does nothing where nothing is missing.
set -euo pipefail

missing=()
need() { # need COMMAND PACKAGE WHY
  if [ -x "$1" ] || command -v "$1" >/dev/null 2>&1; then return; fi
  echo "setup: $1 is missing; installing $2 ($3)"
  missing+=("$2")
}
need cc gcc "links the toolkit itself, and compiles C submissions"
need /usr/bin/python3 python3 "runs Python solutions and checkers"
need g++ g++ "compiles C++ solutions"
need javac default-jdk-headless "compiles Java solutions"
need java default-jre-headless "runs Java solutions"
need go golang-go "compiles Go solutions"
need ruby ruby "runs Ruby solutions"

if [ ${#missing[@]} -gt 0 ]; then
  as_root=()
  if [ "$(id -u)" -ne 0 ]; then
    command -v sudo >/dev/null 2>&1 || { echo "setup: not root and no sudo; run as root: apt-get install -y ${missing[*]}" >&2; exit 6; }
    as_root=(sudo)
  fi
  command -v apt-get >/dev/null 2>&1 || { echo "setup: no apt-get here; install these by hand: ${missing[*]}" >&2; exit 6; }
  "${as_root[@]}" apt-get update -qq
  DEBIAN_FRONTEND=noninteractive "${as_root[@]}" apt-get install -y -qq --no-install-recommends "${missing[@]}" >/dev/null
fi

if ! command -v cargo >/dev/null 2>&1; then
  if [ -x "$HOME/.cargo/bin/cargo" ]; then
    echo "setup: cargo is installed but not on the PATH; add it: . \"\$HOME/.cargo/env\"" >&2
  else
    echo "setup: Rust is missing (1.92 or newer). Install it from https://rustup.rs, then run this again" >&2
  fi
  exit 6
fi
