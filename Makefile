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
# Kernels and servers come and go: what each of them imports is compiled once, whatever the shell says.
unexport PYTHONDONTWRITEBYTECODE
# What was asked for, also where a target makes others.
export GOALS ?= $(MAKECMDGOALS)

.PHONY: app test lint style types units journeys notebooks browser bench bench-limits bench-compare bench-ui bench-visitors bench-journeys fuzz dist dist-check docs lite recordings study studies studies-quick clean help

help:                ## list the targets
	@grep -E '^[a-z-]+: .*##|^[a-z-]+:  *##' $(MAKEFILE_LIST) | sed 's/:.*##/\t/'

$(READY): pyproject.toml
	@$(PYTHON) -c 'import sys; sys.exit(sys.version_info < (3, 11))' \
	  || { echo "cclab needs Python 3.11 or newer; say which with: make PYTHON=python3.12 $(GOALS)"; exit 1; }
	test -x $(BIN)/python || $(PYTHON) -m venv $(VENV)
	$(BIN)/python -m pip install --quiet --disable-pip-version-check --no-compile -e ".[lab,images,medical,study,dask,test,dev]"
	@touch $@

app: $(READY)        ## open the gallery of dashboards in the browser
	$(BIN)/cclab app

lint: style types    ## style, types, import rule

style: $(READY)
	$(BIN)/ruff check .
	$(BIN)/ruff format --check .

types: $(READY)
	$(BIN)/mypy
	$(BIN)/lint-imports

# Three on two cores: there is always one that waits for a server, a kernel or a browser.
PROCESSES ?= 3
# The journeys of a file build on each other's steps, so a file stays with one process.
JOURNEYS := $(BIN)/python -m pytest -n $(PROCESSES) --dist loadfile --no-loadscope-reorder -m browser tests/browser tests/lite

test:                ## lint, then every test, those in a real browser last
	@$(MAKE) --no-print-directory --jobs 2 $(READY) system-chromium
	@$(MAKE) --no-print-directory style chromium
	@$(MAKE) --no-print-directory --jobs 2 types units
	@$(MAKE) --no-print-directory journeys

units: $(READY)
	$(BIN)/python -m pytest -n $(PROCESSES) --dist loadgroup -m "not browser" $(ARGS)

journeys: chromium
	$(JOURNEYS) $(ARGS) || $(BIN)/python tests/browser/again.py

browser: chromium    ## only the journeys in a real browser
	$(JOURNEYS) $(ARGS)

.PHONY: chromium system-chromium
chromium: $(READY)
	@$(BIN)/python tests/browser/chromium.py

# Beside the packages of Python: it needs none of them.
system-chromium:
	@$(PYTHON) tests/browser/chromium.py --system

notebooks: $(READY)  ## run every teaching notebook
	$(BIN)/python -m pytest -p nbmake --nbmake --nbmake-timeout=300 -n 2 notebooks

bench: $(READY)      ## every solver beside an iteration of Lloyd's, and other libraries, in one table; kept in results/bench.json
	$(BIN)/python -m benchmarks.table --peers $(ARGS)

bench-limits: $(READY)  ## speed and memory beside their limits, as ratios of two things run side by side
	$(BIN)/python -m benchmarks $(ARGS)

bench-compare: $(READY)  ## two commits, in turns: make bench-compare A=v0.1.0 B=HEAD ARGS="links fcm"
	$(BIN)/python -m benchmarks.commits $(A) $(B) $(ARGS)

bench-ui: chromium   ## frame rates and memory in a real browser
	$(BIN)/python -m benchmarks.ui
	$(BIN)/python -m benchmarks.ui_painter

bench-visitors: chromium  ## twenty visitors at once with real browsers: what they wait for, and that nothing is lost
	$(BIN)/python -m benchmarks.visitors

bench-journeys: chromium  ## 30,000 cells and a million places, opened, looked at, clustered and exported in a real browser
	$(BIN)/python -m benchmarks.journeys

fuzz: $(READY)       ## nasty problems, files and kills, with their counts: make fuzz ARGS="solvers --count 20"
	$(BIN)/python -m tests.fuzz $(ARGS)

dist: docs           ## the wheel, with the documents, and the sdist
	rm -rf dist/*.whl dist/*.tar.gz cclab/server/site && cp -r docs/_build/html cclab/server/site
	find cclab/server/site -name '*.map' -delete
	$(BIN)/python -m pip install --quiet --disable-pip-version-check build
	$(BIN)/python -m build
	rm -rf cclab/server/site

dist-check: dist     ## the wheel in an empty environment: its version, a fit, the gallery
	rm -rf build/installed && $(PYTHON) -m venv build/installed
	build/installed/bin/pip install --quiet --disable-pip-version-check "$$(ls dist/*.whl)[lab]"
	cd build && installed/bin/cclab --version \
	  && installed/bin/python -c "import cclab; cclab.FCM(3).fit(cclab.load_dataset('iris').X)" \
	  && installed/bin/python ../tests/installed.py

docs: $(READY)       ## the site, with warnings as errors: docs/_build/html/index.html
	$(BIN)/python -m pip install --quiet --disable-pip-version-check -e ".[docs]"
	$(BIN)/sphinx-build --fail-on-warning --keep-going --quiet -d docs/_build/doctrees docs docs/_build/html

lite: $(READY)       ## notebooks and dashboards that run in the browser alone: dist/lite
	$(BIN)/python docs/lite.py

recordings: chromium  ## pictures and moving pictures of the real pages, for the documents
	$(BIN)/python docs/recordings.py $(ARGS)

study: $(READY)      ## a paper's table: make study NAME=...
	$(BIN)/cclab study $(NAME)

studies-quick: $(READY)  ## all papers, one trial of each cell, some minutes at most: results/quick.md
	$(BIN)/cclab results --trials 1 --minutes 20 --limit 20 --out results/quick --page results/quick.md $(ARGS)

studies: $(READY)    ## all papers with as many trials as they have, and their page, docs/results.md: make studies ARGS="--minutes 60"
	$(BIN)/cclab results --page docs/results.md $(ARGS)

clean:               ## remove what make has made
	rm -rf $(VENV) build dist docs/_build docs/api docs/notebooks .pytest_cache .mypy_cache .ruff_cache .import_linter_cache
