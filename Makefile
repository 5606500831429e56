# One virtual environment, a few verbs. Each target sets up what it needs, so any of them works in a clean clone.
PYTHON ?= python3
VENV := .venv
BIN := $(VENV)/bin
STAMP := $(VENV)/.ready
PAGE := src/handup/server/static/index.html
# Half of the time of the tests is waiting for other processes: two workers a core keep the machine busy.
WORKERS ?= $(shell echo $$((2 * $$(nproc 2>/dev/null || echo 2))))
# Stores are written through to the disk: in memory, where two gigabytes of it are free, that takes no time.
MEMORY := $(shell test "$$(df -P -k /dev/shm 2>/dev/null | awk 'END {print $$4}')" -ge 2000000 2>/dev/null && echo /dev/shm)
# Processes that tests start find the package compiled.
PYTEST := PYTHONDONTWRITEBYTECODE= $(MEMORY:%=TMPDIR=%) $(BIN)/python -m pytest -n $(WORKERS) --dist worksteal

.PHONY: help setup demo tour page wire test test-fast lint types unit bench docs soak pictures claims clean
.DEFAULT_GOAL := help

help:  ## show the targets
	@grep -hE '^[a-z-]+:.*##' $(MAKEFILE_LIST) | sed 's/:.*##/\t/' | expand -t 12

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

test: setup  ## lint, strict types, every test: what CI runs
	@$(MAKE) --no-print-directory -j 2 lint page types unit

page: $(PAGE)  ## build the page that people answer on, and check it: types, lint, tests
	$(BIN)/python -m tools.page_types --check
	VENV=$(VENV) tools/build-page --check

wire: $(STAMP)  ## write the page's types (web/src/wire.ts) from the server's OpenAPI document
	$(BIN)/python -m tools.page_types

lint: $(STAMP)
	$(BIN)/ruff check .
	$(BIN)/ruff format --check .

types: $(STAMP)
	$(BIN)/mypy

unit: $(STAMP) $(PAGE)
	tools/system-packages --must
	$(PYTEST)

# Rooms whose tests need neither a browser nor a server nor a simulated world.
FAST := $(addprefix tests/,confidence core desk executive intent journal memory people policy recover what when whom test_house.py test_promises.py)

test-fast: $(STAMP)  ## lint and the tests of the pure rooms, in less than two minutes: no browser, no server
	@$(MAKE) --no-print-directory lint
	$(PYTEST) -m "not soak and not postgres" $(FAST)

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

# Three published cells hang on the last bit of a sum, and BLAS adds up in another order on each kind of processor:
# where this one can, it adds as the one did on which they were published.
SUMS := $(shell grep -qs avx512f /proc/cpuinfo && echo OPENBLAS_CORETYPE=SkylakeX)
# Parts of `make soak`, each at most an hour on two cores.
PARTS := properties kill rooms meals page studies studies-meals studies-reaching-1 studies-reaching-2
PART ?=

soak: setup  ## more examples, seeds and kills, in parts of at most an hour: make soak PART=kill (without PART: all)
	@$(if $(filter-out $(PARTS),$(PART)),echo "PART must be one of: $(PARTS); got $(PART)" >&2; exit 2)
	@for part in $(or $(PART),$(PARTS)); do $(MAKE) --no-print-directory soak-$$part || exit; done

soak-properties:
	HYPOTHESIS_PROFILE=soak $(PYTEST) -m "hypothesis and not soak"

soak-kill:
	HANDUP_KILL_SEEDS=200 HANDUP_KILL_EVERY=1 $(PYTEST) -m "soak or not soak" tests/kill

soak-rooms:
	$(PYTEST) -m soak $(filter-out $(addprefix tests/,__pycache__ kill cli client server page examples lab),$(wildcard tests/*))

soak-meals:
	HANDUP_MEAL_KILLS=100 $(PYTEST) -n 0 tests/cli/test_meal_page.py -k killed_again_and_again
	$(PYTEST) -m soak tests/cli

soak-page:
	$(PYTEST) -m soak tests/client tests/examples tests/page tests/server

soak-studies:
	$(SUMS) $(PYTEST) -m soak tests/lab -k "not (every_row and (meal or reaching))"

soak-studies-meals:
	$(PYTEST) -m soak tests/lab/published -k "every_row and meal"

soak-studies-reaching-1:
	$(PYTEST) -m soak tests/lab/published -k "reaching-0 or reaching-1"

soak-studies-reaching-2:
	$(PYTEST) -m soak tests/lab/published -k "reaching-2 or reaching-3"

pictures: setup  ## draw the pictures that the README and the docs show
	$(BIN)/python -m examples.pictures
	$(BIN)/python -m examples.plates
	$(BIN)/python -m examples.plate_film
	$(BIN)/python -m examples.pictures_of_the_page

claims: $(STAMP)  ## run every study in full, and write the docs' claim pages from them (about ten minutes)
	$(BIN)/handup study run all
	$(BIN)/python -m examples.claim_pages studies

clean:  ## remove what the other targets made
	rm -rf $(VENV) web/node_modules $(dir $(PAGE)) site build dist .mypy_cache .ruff_cache .pytest_cache .hypothesis
