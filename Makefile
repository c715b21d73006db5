# Two commands do everything on a machine with Python ≥ 3.11 and git: `make demo` and `make test`.
PYTHON ?= python3
VENV   := .venv
BIN    := $(VENV)/bin
# One more than there are cores: tests of the console wait as much as they work.
JOBS   ?= $(shell $(PYTHON) -c 'import os; print(1 + (os.cpu_count() or 1))')

.PHONY: demo test lint check bench eval soak screenshots gallery docs lock clean

# Installing once per lock file: the stamp is newer than what it was made from.
$(VENV)/.runtime: locks/runtime.txt pyproject.toml
	@$(PYTHON) -c 'import sys; sys.exit(sys.version_info < (3, 11) and "memdeck needs Python 3.11 or newer; try make PYTHON=python3.12")'
	@test -x $(BIN)/python || $(PYTHON) -m venv $(VENV)
	$(BIN)/python -m pip install --quiet --disable-pip-version-check --require-hashes -r locks/runtime.txt
	@touch $@

$(VENV)/.dev: locks/dev.txt $(VENV)/.runtime
	$(BIN)/python -m pip install --quiet --disable-pip-version-check --require-hashes -r locks/dev.txt
	$(BIN)/python -m pip install --quiet --disable-pip-version-check --no-deps --no-build-isolation --editable .
	@touch $@ $(VENV)/.memdeck

$(VENV)/.memdeck: $(VENV)/.runtime
	$(BIN)/python -m pip install --quiet --disable-pip-version-check --no-deps --editable .
	@touch $@

demo: $(VENV)/.memdeck
	$(BIN)/memdeck demo

test: $(VENV)/.dev
	$(BIN)/python -m pytest -n $(JOBS) -m "not soak"

lint: $(VENV)/.dev
	$(BIN)/ruff check .
	$(BIN)/ruff format --check .
	$(BIN)/mypy
	$(BIN)/lint-imports

check: lint test

bench: $(VENV)/.dev
	$(BIN)/python -m tests.benchmarks.bench

eval: $(VENV)/.dev
	$(BIN)/python -m tests.benchmarks.evaluate

soak: $(VENV)/.dev
	$(BIN)/python -m pytest -n $(JOBS) -m soak --timeout=3600 --hypothesis-profile=fresh

screenshots: $(VENV)/.dev
	$(BIN)/python -m screenshots.make

# Some of it alone: make gallery SCENES="'tree*' confirm --sizes 80x24"
gallery: $(VENV)/.dev
	$(BIN)/python -m tests.gallery $(SCENES)

docs: $(VENV)/.dev
	$(BIN)/python -m docs.make

# Pins everything anew; needs `uv` from the package index.
lock: $(VENV)/.dev
	$(BIN)/python -m pip install --quiet uv
	$(BIN)/uv pip compile pyproject.toml --universal --python-version 3.11 --generate-hashes --no-header \
	  --no-annotate --no-emit-index-url --no-emit-find-links --upgrade -o locks/runtime.txt
	$(BIN)/uv pip compile pyproject.toml --extra dev --universal --python-version 3.11 --generate-hashes --no-header \
	  --no-annotate --no-emit-index-url --no-emit-find-links -c locks/runtime.txt -o locks/dev.txt

clean:
	rm -rf $(VENV) dist build .mypy_cache .ruff_cache .pytest_cache .hypothesis
