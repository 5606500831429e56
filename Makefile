# One virtual environment, a few verbs. Each target sets up what it needs, so any of them works in a clean clone.
PYTHON ?= python3
VENV := .venv
BIN := $(VENV)/bin
STAMP := $(VENV)/.ready
PAGE := src/handup/server/static/index.html

.PHONY: help setup demo tour page test lint types unit bench docs soak pictures claims clean
.DEFAULT_GOAL := help

help:  ## show the targets
	@grep -hE '^[a-z]+:.*##' $(MAKEFILE_LIST) | sed 's/:.*##/\t/' | expand -t 12

$(STAMP): pyproject.toml constraints.txt src/handup/__init__.py
	@$(PYTHON) -c 'import sys; sys.exit(sys.version_info < (3, 11))' || { echo "handup needs Python 3.11 or newer; run: make $(MAKECMDGOALS) PYTHON=python3.11" >&2; exit 2; }
	@$(PYTHON) -c 'import ensurepip, venv' 2>/dev/null || { echo "Python has no venv module here; on Debian run: apt-get install python3-venv" >&2; exit 2; }
	test -x $(BIN)/python || $(PYTHON) -m venv $(VENV)
	$(BIN)/python -m pip install --quiet --disable-pip-version-check -c constraints.txt -e '.[dev]'
	tools/system-packages
	touch $@

$(PAGE): web/package.json web/tsconfig.json web/vite.config.ts web/index.html $(shell find web/src web/public -type f) | $(STAMP)
	VENV=$(VENV) tools/build-page
	touch $@

setup: $(STAMP) $(PAGE)  ## make .venv with the handup command in it, and the page

demo: setup  ## a meal: the robot eats, a page opens, and you answer when it asks
	$(BIN)/handup meal --people page

tour: $(STAMP)  ## one stuck robot in the terminal, then what each method is worth: a report to open
	$(BIN)/python -m examples.stuck_robot
	$(BIN)/handup study run summary --quick

test: lint types page unit  ## lint, strict types, every test

page: $(PAGE)  ## build the page that people answer on, and check its types
	VENV=$(VENV) tools/build-page --check

lint: $(STAMP)
	$(BIN)/ruff check .
	$(BIN)/ruff format --check .

types: $(STAMP)
	$(BIN)/mypy

unit: $(STAMP) $(PAGE)
	tools/system-packages --must
	$(BIN)/python -m pytest -n auto

bench: $(STAMP) $(PAGE)  ## decision times beside textbook formulations; the gap to the optimum; durable events beside the bare disk
	$(BIN)/handup bench decisions
	$(BIN)/handup bench simulator
	$(BIN)/handup bench executive
	$(BIN)/python -m benchmarks.troubleshoot
	$(BIN)/python -m benchmarks.feeding
	$(BIN)/python -m benchmarks.meal
	$(BIN)/python -m benchmarks.journal
	$(BIN)/python -m benchmarks.memory
	$(BIN)/python -m benchmarks.executive
	$(BIN)/python -m benchmarks.desk_load
	$(BIN)/python -m benchmarks.page

docs: $(STAMP)  ## build the documentation into site/
	$(BIN)/mkdocs build --strict

soak: $(STAMP)  ## the property tests again, with fifty times the examples; hundreds of seeds of killed programs
	HYPOTHESIS_PROFILE=soak $(BIN)/python -m pytest -n auto -m "not slow"
	HANDUP_KILL_SEEDS=200 HANDUP_KILL_EVERY=1 $(BIN)/python -m pytest -n auto tests/kill
	HANDUP_MEAL_KILLS=100 $(BIN)/python -m pytest -n 1 tests/cli/test_meal_page.py

pictures: setup  ## draw the pictures that the README and the docs show
	$(BIN)/python -m examples.pictures
	$(BIN)/python -m examples.plates
	$(BIN)/python -m examples.pictures_of_the_page

claims: $(STAMP)  ## run every study in full, and write the docs' claim pages from them (about ten minutes)
	$(BIN)/handup study run all
	$(BIN)/python -m examples.claim_pages studies

clean:  ## remove what the other targets made
	rm -rf $(VENV) web/node_modules $(dir $(PAGE)) site build dist .mypy_cache .ruff_cache .pytest_cache .hypothesis
