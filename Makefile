# Everything that is done with toysearch by hand. `make help` lists the targets.
# They need make, Python 3.11 or newer and, the first time, a network; PYTHON=… chooses another interpreter.

VENV = .venv
BIN = $(VENV)/bin
# What is installed, each as pyproject.toml was then: toysearch alone, and with the tools for its development.
ALONE = $(VENV)/installed.toml
WITH_TOOLS = $(VENV)/installed-with-tools.toml

NEW_ENOUGH = import sys; sys.exit(sys.version_info < (3, 11))
SYSTEM_PYTHON ?= /usr/bin/python3
# The first that runs and is new enough: a name on the path may be a shim with nothing behind it.
PYTHON ?= $(shell for python in python3.13 python3.12 python3.11 python3 python; do \
	$$python -c '$(NEW_ENOUGH)' 2>/dev/null && { echo $$python; break; }; done)

.DEFAULT_GOAL = help
.PHONY: help venv alone compiled python demo labs test test-core test-core-alone test-changed test-system test-all test-peers test-old-python \
	weight ways record mutate lint check bench bench-smoke wheel docs lite clean
.SILENT:

help: ## list the targets
	sed -n 's/^\([a-z-]*\):.*## /\1:/p' Makefile | while IFS=: read -r target what; do \
		printf '  make %-15s %s\n' "$$target" "$$what"; done

venv: ## install toysearch and all tools into .venv/ (again only when pyproject.toml has changed)
	cmp -s pyproject.toml $(WITH_TOOLS) && $(BIN)/python -c 'import toysearch' 2>/dev/null || { \
		$(MAKE) --no-print-directory python && \
		echo "installing toysearch and its tools into $(VENV)/: a minute or two, once" >&2 && \
		$(BIN)/python -m pip install --quiet --disable-pip-version-check --no-compile --editable '.[dev]' && \
		cp pyproject.toml $(ALONE) && cp pyproject.toml $(WITH_TOOLS); }
	$(MAKE) --no-print-directory compiled

compiled: # the loops whose sources have changed; without a C compiler numpy does their work
	$(BIN)/python setup.py -q build_ext --inplace || true

alone: # toysearch without tools, unless it is installed already and its loops are those of the sources
	cmp -s pyproject.toml $(ALONE) && $(BIN)/python -c 'import toysearch' 2>/dev/null && \
	$(BIN)/python build_backend/loops.py || { \
		$(MAKE) --no-print-directory python && \
		echo "installing toysearch into $(VENV)/: a minute, once" >&2 && \
		$(BIN)/python -m pip install --quiet --disable-pip-version-check --no-compile --editable . && \
		cp pyproject.toml $(ALONE); }

python: # an empty virtual environment, unless there is one
	[ -n "$(PYTHON)" ] || { echo "toysearch needs Python 3.11 or newer, and none was found on the path;" \
		"install one, or name it: make PYTHON=/path/to/python3" >&2; exit 1; }
	$(PYTHON) -c '$(NEW_ENOUGH)' || { echo "toysearch needs Python 3.11 or newer, and $(PYTHON) is not;" \
		"name another one: make PYTHON=/path/to/python3" >&2; exit 1; }
	$(PYTHON) -c 'import venv, ensurepip' 2>/dev/null || { \
		package=$$($(PYTHON) -c 'import sys; print("python%d.%d-venv" % sys.version_info[:2])'); \
		echo "$(PYTHON) cannot make virtual environments: its modules venv and ensurepip are missing;" \
		"on Debian and Ubuntu: sudo apt install $$package (or python3-venv)" >&2; exit 1; }
	$(BIN)/python -c '$(NEW_ENOUGH)' 2>/dev/null || { rm -rf $(VENV) && $(PYTHON) -m venv $(VENV); }

demo: alone ## install toysearch alone, then run the cat/dog/parrot example, searches and an evaluation
	set -e; for arguments in 'demo' 'search companions "removing a tick" -k 5' \
		'eval companions --model bm25 --model cosine:idf=smooth' \
		'eval companions --query-fields keywords --model bm25'; do \
		printf '\n$$ toysearch %s\n\n' "$$arguments"; \
		eval "$(BIN)/toysearch $$arguments"; \
	done

labs: venv ## build the labs' notebooks: notebooks/ for students, notebooks/teacher/ with the solutions
	$(BIN)/python notebooks/build.py

# The tests start Python hundreds of times: what it has compiled is kept, whatever the shell says of that.
test test-core test-core-alone test-all test-system test-peers: export PYTHONDONTWRITEBYTECODE =
PYTEST = $(BIN)/python -m pytest -n auto
CORE = analysis index query retrieval models evaluation

test: venv ## each rule once, the examples of the documentation included: a minute or two
	$(PYTEST) --dist worksteal -m "not exhaustive and not system"

test-core: venv ## the engine: its rules, its oracles, its properties and its sessions; under a minute
	$(PYTEST) --dist worksteal -m "not exhaustive and not system" tests/golden tests/oracles tests/properties \
		$(addprefix tests/unit/,$(CORE)) $(addprefix toysearch/,$(CORE))

test-core-alone: venv ## the core in a copy without the rings and the compiled loops: the same index bytes, its quick tests
	$(BIN)/python tests/core_alone.py

test-changed: venv ## the tests of what was changed since the last commit, or since BASE=…
	$(BIN)/python tests/changed.py $(BASE) | xargs -r $(PYTEST) --dist worksteal -m "not exhaustive"

# They wait for half of their time: one more than there are cores work side by side.
test-system: export PYTEST_XDIST_AUTO_NUM_WORKERS = $(shell echo $$(( $$(getconf _NPROCESSORS_ONLN) + 1 )))
test-system: venv ## what takes longer: processes, browsers, sandboxes, a fresh environment; with a network
	$(PYTEST) --dist loadgroup -m "system and not exhaustive"

test-all: venv docs lite test-peers test-old-python ## what those leave out: every student, format, notebook and extra; by hand
	$(MAKE) --no-print-directory lint SYSTEMS="linux darwin win32"
	TOYSEARCH_TESTS=all TOYSEARCH_SITE=$(CURDIR)/$(VENV)/docs $(PYTEST) --dist worksteal -m "exhaustive or longer" tests

test-peers: venv # the oracles whose packages are large: ranx (as Python, for it compiles itself for minutes), PISA, data frames
	$(BIN)/python -m pip install --quiet --disable-pip-version-check --editable '.[oracles]'
	timeout 240 $(BIN)/python -m pip install --quiet --disable-pip-version-check 'pyterrier-pisa>=0.4,<1' || \
		echo "the wheel of PISA cannot be had here: its test is left out"
	NUMBA_DISABLE_JIT=1 $(BIN)/python -m pytest tests/oracles/test_ranx.py tests/oracles/test_fusion.py \
		tests/oracles/test_pisa.py tests/unit/files/test_triples.py

# The release that the system ships may have another `re`; a copy is tested, as installing it would remove compiled loops.
test-old-python: venv
	OLD=$(VENV)/old-python; \
	$(SYSTEM_PYTHON) -c '$(NEW_ENOUGH)' 2>/dev/null || { echo "$(SYSTEM_PYTHON) is not Python 3.11 or newer: left out"; exit 0; }; \
	rm -rf $$OLD && $(SYSTEM_PYTHON) -m venv --without-pip $$OLD && mkdir $$OLD/copy && \
	cp -r toysearch tests build_backend corpora README.md LICENSE pyproject.toml setup.py $$OLD/copy && \
	rm -f $$OLD/copy/toysearch/compiled/*.so && \
	TOYSEARCH_BUILD=plain $(BIN)/python -m pip --python $$OLD/bin/python install --quiet --disable-pip-version-check \
		--editable $$OLD/copy 'pytest>=8.2,<9.2' 'hypothesis>=6.100,<7' && \
	cd $$OLD/copy && TOYSEARCH_BUILD=plain ../bin/python -m pytest -m "not exhaustive" \
		tests/unit/query tests/unit/analysis tests/unit/base/test_regular_expression*.py tests/properties/test_queries.py

weight: venv ## how many tokens each folder has, beside its ceiling
	$(BIN)/python tools/weight.py

ways: venv ## how many files and functions an everyday call enters, on plain numpy
	TOYSEARCH_PATH=plain $(BIN)/python tests/trace.py

record: venv ## what some thousand calls answer, in .venv/record.jsonl; two of them: tools/record.py compare BEFORE AFTER
	$(BIN)/python tools/record.py $(VENV)/record.jsonl

mutate: venv ## which of 300 faults the quick tests see, in .venv/mutants.jsonl; two of them: tools/mutate.py compare BEFORE AFTER
	$(BIN)/python tools/mutate.py $(VENV)/mutants.jsonl

SYSTEMS = $(shell $(BIN)/python -c 'import sys; print(sys.platform)')
lint: venv ## style, types (as on this system, or SYSTEMS="linux darwin win32"), and imports one way
	$(BIN)/ruff check --quiet .
	$(BIN)/ruff format --quiet --check . || { $(BIN)/ruff format --check . >&2; exit 1; }
	printf '%s\n' $(SYSTEMS) | xargs -P 3 -I SYSTEM \
		$(BIN)/mypy --no-error-summary --platform SYSTEM --cache-dir .mypy_cache/SYSTEM
	$(BIN)/lint-imports > $(VENV)/lint-imports.log || { cat $(VENV)/lint-imports.log; exit 1; }
	$(BIN)/python tests/circles.py

check: lint test test-system ## lint, then test, then test-system

bench: venv ## toysearch and its peers, asked for the first time: some two hours, writes benchmarks/RESULTS.md
	$(BIN)/python benchmarks/run.py

bench-smoke: venv ## the same at a small size: half a minute, printed
	$(BIN)/python benchmarks/run.py --smoke --cache $(VENV)/benchmarks

wheel: venv ## a wheel in dist/, and which systems it runs on
	rm -rf $(VENV)/wheel && mkdir -p dist
	TOYSEARCH_BUILD=compiled $(BIN)/python -m build --wheel --outdir $(VENV)/wheel . > $(VENV)/wheel.log 2>&1 \
		|| { cat $(VENV)/wheel.log >&2; exit 1; }
	if [ "$$(uname)" = Linux ]; then \
		$(BIN)/auditwheel show $(VENV)/wheel/*.whl && \
		PATH="$(BIN):$$PATH" $(BIN)/auditwheel repair -w dist $(VENV)/wheel/*.whl; \
	else mv $(VENV)/wheel/*.whl dist/; fi

docs: venv ## the site of the documentation, in .venv/docs/: half a minute; with a network the first time
	$(BIN)/python -c 'import sphinx, furo, myst_parser, latex2mathml' 2>/dev/null || \
		$(BIN)/python -m pip install --quiet --disable-pip-version-check --no-compile --editable '.[docs]'
	$(BIN)/python docs/site/build.py

lite: venv ## a folder to publish, .venv/lite/: the labs and toysearch in a browser; with a network the first time
	$(BIN)/python -c 'import jupyterlite_core, jupyterlite_pyodide_kernel' 2>/dev/null || \
		$(BIN)/python -m pip install --quiet --disable-pip-version-check --editable '.[lite]'
	$(BIN)/python docs/browser/make_lite.py

clean: ## remove the virtual environment and what tools leave behind
	rm -rf $(VENV) build dist toysearch/compiled/*.so toysearch/compiled/*.pyd .pytest_cache .mypy_cache .ruff_cache .import_linter_cache .hypothesis
	find . -name __pycache__ -type d -prune -exec rm -rf {} +
