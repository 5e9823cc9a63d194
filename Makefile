# Needs Python 3.11+ with venv, and make; the rest is pinned and installed here. `make check` is what CI runs.

PYTHON ?= python3
BIN := .venv/bin
export PATH := $(CURDIR)/$(BIN):$(CURDIR)/node_modules/.bin:$(PATH)
export PIP_DISABLE_PIP_VERSION_CHECK := 1

.PHONY: setup demo test soak bench check format lint types synth lock clean

setup: .venv/installed node_modules/installed
	@:

.venv/installed: requirements.txt pyproject.toml
	@echo "Setting up Python in .venv (a minute, the first time)"
	@$(PYTHON) -c 'import sys; sys.exit(sys.version_info < (3, 11) and "Python 3.11 or newer is needed; try: make setup PYTHON=python3.13")'
	@test -x $(BIN)/python || $(PYTHON) -m venv .venv
	@$(BIN)/python -m pip install -qq --require-hashes --requirement requirements.txt
	@$(BIN)/python -m pip install -qq --no-deps --no-build-isolation --editable .
	@touch $@

node_modules/installed: package-lock.json | .venv/installed
	@echo "Setting up the CDK's command line"
	@npm ci --silent
	@touch $@

demo: setup
	@rewards demo

test: setup
	@pytest --quiet --numprocesses=auto --dist=loadgroup

# Every crash point of every story, the large state spaces, thousands of interleavings, each right: one and a half hours of two cores.
# Then, when the machine has nothing else to do, thousands of orders on the embedded cloud, with kills and a stop in between.
soak: setup
	@SOAK=true pytest --quiet --numprocesses=auto --dist=loadgroup tests/faults tests/interleaved tests/protocol tests/infra/test_rights_are_needed.py
	@SOAK=true pytest --quiet tests/embedded/test_load_with_kills.py

# Some 25 minutes of a machine that does nothing else; writes docs/performance.md.
bench: setup
	@python -m bench

check: format lint types test synth

format: setup
	@ruff format --check --quiet .

lint: setup
	@ruff check --quiet .

types: setup
	@mypy

synth: setup
	@cdk synth --quiet
	@cfn-lint --ignore-checks W3005 -- cdk.out/*.template.json  # W3005: the CDK says twice what depends on what

lock:
	@uv pip compile --quiet --universal --python-version 3.11 --generate-hashes --custom-compile-command "make lock" \
	    requirements.in --output-file requirements.txt
	@uv pip compile --quiet --universal --python-version 3.11 --generate-hashes --custom-compile-command "make lock" \
	    functions/requirements.in --constraint requirements.txt --output-file functions/requirements.txt
	@uv pip compile --quiet --universal --python-version 3.11 --generate-hashes --custom-compile-command "make lock" \
	    bench/requirements.in --output-file bench/requirements.txt

clean:
	rm -rf .venv node_modules cdk.out .cache .pytest_cache .mypy_cache .ruff_cache .hypothesis
