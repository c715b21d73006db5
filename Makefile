# Two commands do everything on a machine with Python ≥ 3.11 and git: `make demo` and `make test`.
PYTHON ?= python3
VENV   := .venv
BIN    := $(VENV)/bin
# One more than there are cores: tests of the console wait as much as they work. A worker takes whole stretches of the
# tests (worksteal), so that what a module makes for its tests is made once.
JOBS   ?= $(shell $(PYTHON) -c 'import os; print(1 + (os.cpu_count() or 1))')

# Bytecode is kept, whatever the machine says: the tests start hundreds of processes, and each would compile all anew.
export PYTHONDONTWRITEBYTECODE :=

.PHONY: demo test test-engine test-core test-textual coverage lint check bench eval soak mutate size screenshots gallery pages docs dist lock clean

# All that is installed is named with its hash in `locks/`, the build backend of memdeck itself included.
PIP    := $(BIN)/python -m pip install --quiet --disable-pip-version-check
LOCKED := $(PIP) --require-hashes -r
SITE_LOCKED := build/site-env/bin/python -m pip install --quiet --disable-pip-version-check --require-hashes -r

# Installing once per lock file: the stamp is newer than what it was made from.
$(VENV)/.runtime: locks/runtime.txt pyproject.toml
	@$(PYTHON) -c 'import sys; sys.exit(sys.version_info < (3, 11) and "memdeck needs Python 3.11 or newer; try make PYTHON=python3.12")'
	@test -x $(BIN)/python || echo "· making a Python environment in $(VENV)"
	@test -x $(BIN)/python || $(PYTHON) -m venv $(VENV)
	@echo "· installing what memdeck runs on, by hash (locks/runtime.txt); this takes a minute or two"
	@$(LOCKED) locks/runtime.txt
	@touch $@

$(VENV)/.dev: locks/dev.txt $(VENV)/.runtime
	@echo "· installing what its tests and checks run on, by hash (locks/dev.txt)"
	@$(LOCKED) locks/dev.txt
	@echo "· installing memdeck itself from this folder"
	@$(PIP) --no-deps --no-build-isolation --editable .
	@touch $@ $(VENV)/.memdeck

$(VENV)/.memdeck: locks/build.txt $(VENV)/.runtime
	@echo "· installing what builds memdeck, by hash (locks/build.txt)"
	@$(LOCKED) locks/build.txt
	@echo "· installing memdeck itself from this folder"
	@$(PIP) --no-deps --no-build-isolation --editable .
	@touch $@

demo: $(VENV)/.memdeck
	@echo "· making the demonstration and opening the console on it ($(BIN)/memdeck demo)"
	@$(BIN)/memdeck demo

test: $(VENV)/.dev
	$(BIN)/python -m pytest -n $(JOBS) --dist worksteal -m "not soak"

# What needs no screen.
test-engine: $(VENV)/.dev
	$(BIN)/python -m pytest -n $(JOBS) --dist worksteal -m "not soak" tests/engine

# Tests of the engine in a tree without the folder of the extras.
test-core: $(VENV)/.dev
	$(BIN)/python -m tests.core_alone -n $(JOBS) --dist worksteal

# The console's tests with Textual's own painting, as with a Textual that the toolkit room does not know.
test-textual: $(VENV)/.dev
	MEMDECK_PAINTING=textual $(BIN)/python -m pytest -n $(JOBS) --dist worksteal -m "not soak" tests/tui

# Branches that the tests of one folder reach, or of all: make coverage TESTS=tests/tui
TESTS ?= tests
coverage: $(VENV)/.dev
	$(BIN)/python -m coverage erase
	$(BIN)/python -m coverage run -m pytest -n 0 -m "not soak and not pty and not wheel" $(TESTS)
	$(BIN)/python -m coverage report

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

# Some of it alone: make soak SOAK="--command undo --points 500"
soak: $(VENV)/.dev
	$(BIN)/python -m tests.soak $(SOAK)
	$(BIN)/python -m pytest -n $(JOBS) -m "soak or sampled or hypothesis" --timeout=3600 --hypothesis-profile=fresh

# Small faults in the rooms that must be right. It goes on where it was stopped: make mutate MUTATE="--seed 2 --jobs 4"
mutate: $(VENV)/.dev
	$(BIN)/python -m tests.mutation $(MUTATE)

size: $(VENV)/.dev
	$(BIN)/python -m tests.size

screenshots: $(VENV)/.dev
	$(BIN)/python -m screenshots.make

# Some of it alone: make gallery SCENES="'tree*' confirm --sizes 80x24"
gallery: $(VENV)/.dev
	$(BIN)/python -m tests.gallery $(SCENES)

# Pages that follow from the program.
pages: $(VENV)/.dev
	$(BIN)/python -m docs.make

# What makes the site has an environment of its own.
build/site-env/.docs: locks/docs.txt
	@test -x build/site-env/bin/python || $(PYTHON) -m venv build/site-env
	@echo "· installing what makes the site, by hash (locks/docs.txt)"
	@$(SITE_LOCKED) locks/docs.txt
	@touch $@

# The site, to be read from a disk or put on a server: build/site/index.html
docs: pages build/site-env/.docs
	NO_MKDOCS_2_WARNING=1 build/site-env/bin/python -m mkdocs build --strict --quiet

# Wheel, sdist, their hashes and the list of what is in them, made twice and compared: dist/
dist: $(VENV)/.dev
	$(BIN)/python -m release.make

# Pins everything anew; needs `uv` from the package index.
lock: $(VENV)/.dev
	$(BIN)/python -m pip install --quiet uv
	$(BIN)/uv pip compile pyproject.toml --universal --python-version 3.11 --generate-hashes --no-header \
	  --no-annotate --no-emit-index-url --no-emit-find-links --upgrade -o locks/runtime.txt
	$(BIN)/uv pip compile pyproject.toml --extra dev --universal --python-version 3.11 --generate-hashes --no-header \
	  --no-annotate --no-emit-index-url --no-emit-find-links -c locks/runtime.txt -o locks/dev.txt
	printf 'mkdocs-material\n' | $(BIN)/uv pip compile - --universal --python-version 3.11 --generate-hashes --no-header \
	  --no-annotate --no-emit-index-url --no-emit-find-links -o locks/docs.txt
	printf 'hatchling==1.33.0\neditables\n' | $(BIN)/uv pip compile - --universal --python-version 3.11 --generate-hashes \
	  --no-header --no-annotate --no-emit-index-url --no-emit-find-links -c locks/dev.txt -o locks/build.txt

clean:
	rm -rf $(VENV) dist build .mypy_cache .ruff_cache .pytest_cache .hypothesis .coverage
