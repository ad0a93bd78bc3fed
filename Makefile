# Two commands matter to a newcomer: `make demo` and `make test`. Both set up what they need
# inside this folder (.uv, .venv); `make test` also needs Chromium and PostgreSQL (scripts/system-packages).

PYTHON ?= $(shell scripts/find-python)
UV := .uv/bin/uv
BIN := .venv/bin
# Of the demo; by default 8000 or the next free one.
PORT ?=

# Trust the system's certificates (needed behind a proxy that signs TLS) and stay with this Python.
export UV_SYSTEM_CERTS := 1
export UV_PYTHON_DOWNLOADS := never
export UV_LINK_MODE := copy
export VIRTUAL_ENV := $(CURDIR)/.venv
export PIP_DISABLE_PIP_VERSION_CHECK := 1
# Modules are compiled once, not again by each process, whatever the shell says (containers often set this).
export PYTHONDONTWRITEBYTECODE :=

.PHONY: help demo test setup docs docs-serve bench lint format release-check requirements system-packages clean

help:
	@echo "To use Steelyard:"
	@echo "  make demo           set up and run the demo campaign (ONCE=1: to the report, without a person)"
	@echo "  make setup          only set up: leaves .venv/bin/steelyard; then"
	@echo "                      export PATH=\"\$$PWD/.venv/bin:\$$PATH\" and steelyard --help"
	@echo "To work on it:"
	@echo "  make test           set up and run every check and test (TESTS=tests/stats: only these tests)"
	@echo "  make lint, format   only the checks of the code; let ruff put things right"
	@echo "  make docs           build the documentation site into site/ (docs-serve: and serve it, PORT=8000)"
	@echo "  make bench          the benchmarks of bench/"
	@echo "  make release-check  build it, install it in empty environments and try it (minutes)"
	@echo "  make requirements   pin all dependencies anew"
	@echo "  make clean          remove what setup made"
	@echo "Another Python: make setup PYTHON=/path/to/python3 (3.11 or newer). README.md goes on from here."

demo: setup
	@$(BIN)/steelyard demo $(if $(PORT),--port $(PORT)) $(if $(ONCE),--once)

setup: .venv/.server

test: .venv/.test system-packages
# Three processes for two cores, since some tests wait for servers and browsers; threads within each would only
# slow the others down.
	@OPENBLAS_NUM_THREADS=1 POLARS_MAX_THREADS=1 MAKE="$(MAKE)" \
		scripts/lint-and-test $(BIN)/pytest -n 3 --dist worksteal $(TESTS)
	@echo "All checks and tests passed."

lint: .venv/.test
	$(BIN)/ruff format --check .
	$(BIN)/ruff check .
	$(BIN)/mypy
	$(BIN)/lint-imports

format: .venv/.test
	$(BIN)/ruff format .
	$(BIN)/ruff check --fix .

docs: .venv/.docs
	@scripts/build-docs $(BIN)

# With every change of a page; http://localhost:8000 unless PORT says otherwise.
docs-serve: .venv/.docs
	@$(BIN)/zensical serve --dev-addr localhost:$(or $(PORT),8000)

bench: .venv/.test
	@for script in bench/*.py; do echo "== $$script"; $(BIN)/python $$script || exit 1; done

release-check: .venv/.test .venv/.docs
	@$(BIN)/python scripts/release_check.py

system-packages:
	@scripts/system-packages

$(UV): requirements/uv.txt
	@test -n "$(PYTHON)" || { echo "Steelyard needs Python 3.11 or newer: install it, or run: make PYTHON=/path/to/python3" >&2; exit 1; }
	@$(PYTHON) -m venv --clear .uv || { echo "Python's venv module is missing: install it (Debian: apt-get install python3-venv)" >&2; exit 1; }
	@.uv/bin/python -m pip install --quiet --require-hashes -r requirements/uv.txt
	@touch $(UV)

.venv/.created: $(UV)
	@$(UV) venv --quiet --clear --python .uv/bin/python .venv
	@touch $@

# The package itself is installed in place; its build tool is pinned with the rest.
.venv/.server: .venv/.created requirements/server.txt pyproject.toml
	@echo "Setting up .venv …"
	@$(UV) pip install --quiet --compile-bytecode --require-hashes -r requirements/server.txt
	@$(UV) pip install --quiet --no-deps --no-build-isolation --editable .
	@touch $@

.venv/.test: .venv/.server requirements/test.txt
	@echo "Setting up the test tools …"
	@$(UV) pip install --quiet --require-hashes -r requirements/test.txt
	@touch $@

.venv/.docs: .venv/.server requirements/docs.txt
	@$(UV) pip install --quiet --require-hashes -r requirements/docs.txt
	@touch $@

# Pin anew after a change of dependencies. Hashes, no addresses.
requirements: $(UV)
	@scripts/pin-requirements $(UV)

clean:
	rm -rf .venv .uv .cache site
