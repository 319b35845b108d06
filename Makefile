# Every target sets up all that it needs; `make app` and `make test` are the two to remember.
PYTHON ?= python3
VENV   := .venv
BIN    := $(VENV)/bin
READY  := $(VENV)/.ready

# The papers' data sets, where someone keeps them beside the project.
CCLAB_DATA ?= $(abspath $(wildcard ../shared/data))
export CCLAB_DATA
# One thread a process: the test runner and the studies run several processes.
export OMP_NUM_THREADS ?= 1

.PHONY: app test lint notebooks browser bench bench-ui bench-visitors study clean help

help:                ## list the targets
	@grep -E '^[a-z-]+: .*##|^[a-z-]+:  *##' $(MAKEFILE_LIST) | sed 's/:.*##/\t/'

$(READY): pyproject.toml
	@$(PYTHON) -c 'import sys; sys.exit(sys.version_info < (3, 11))' \
	  || { echo "cclab needs Python 3.11 or newer; say which with: make PYTHON=python3.12 $(MAKECMDGOALS)"; exit 1; }
	test -x $(BIN)/python || $(PYTHON) -m venv $(VENV)
	$(BIN)/python -m pip install --quiet --disable-pip-version-check -e ".[lab,images,study,test,dev]"
	@touch $@

app: $(READY)        ## open the gallery of dashboards in the browser
	$(BIN)/cclab app

lint: $(READY)       ## style, types, import rule
	$(BIN)/ruff check .
	$(BIN)/ruff format --check .
	$(BIN)/mypy
	$(BIN)/lint-imports

# Journeys build on each other's steps, so they run one after the other.
test: lint chromium  ## lint, then every test, those in a real browser last
	$(BIN)/python -m pytest -n 2 -m "not browser" $(ARGS)
	$(BIN)/python -m pytest -m browser $(ARGS)

browser: chromium    ## only the journeys in a real browser
	$(BIN)/python -m pytest -m browser $(ARGS)

.PHONY: chromium
chromium: $(READY)
	@$(BIN)/python tests/browser/chromium.py

notebooks: $(READY)  ## run every teaching notebook
	$(BIN)/python -m pytest --nbmake --nbmake-timeout=300 -n 2 notebooks

bench: $(READY)      ## speed and memory, as ratios of two things run side by side
	$(BIN)/python -m benchmarks

bench-ui: chromium   ## frame rates and memory in a real browser
	$(BIN)/python -m benchmarks.ui
	$(BIN)/python -m benchmarks.ui_painter

bench-visitors: chromium  ## ten visitors at once with real browsers: what they wait for, and that nothing is lost
	$(BIN)/python -m benchmarks.visitors

study: $(READY)      ## a paper's table: make study NAME=...
	$(BIN)/cclab study $(NAME)

clean:               ## remove what make has made
	rm -rf $(VENV) build dist .pytest_cache .mypy_cache .ruff_cache .import_linter_cache
