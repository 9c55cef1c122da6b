# Everything starts here: `make` lists what there is. Paths are relative, so spaces in the clone's path do no harm.

PYTHON ?= python3
PORT ?= 8000
ARGS ?=
VENV := .venv
RUN := $(VENV)/bin/python

# A system is eight processes, and each would compile all of it anew where Python is told to keep no bytecode.
unexport PYTHONDONTWRITEBYTECODE

.DEFAULT_GOAL := help
.PHONY: help play serve test lint bench clean
.SUFFIXES:
MAKEFLAGS += --no-print-directory

help:
	@echo "make play    bots play every preset over HTTP, then everything is audited"
	@echo "make serve   the same system left running, on port $(PORT) (PORT=... chooses another)"
	@echo "make test    the whole test suite (ARGS=... goes to pytest)"
	@echo "make lint    ruff, mypy, direction of imports, missing migrations"
	@echo "make bench   what it reaches, side by side with its peers"
	@echo "make clean   removes the environment and all data of this clone"
	@echo
	@echo "PYTHON=... chooses the interpreter that makes the environment (3.11 or newer)."

play:
	@sh deploy/environment.sh "$(PYTHON)" embedded
	@exec $(RUN) manage.py play $(ARGS)

serve:
	@sh deploy/environment.sh "$(PYTHON)" embedded
	@exec $(RUN) manage.py up --port $(PORT) $(ARGS)

# What the service consists of, and then whole systems as one sees them from outside: pages, commands, deployments.
SYSTEMS := tests/browser tests/deploy tests/casino/devstack tests/bench

test:
	@sh deploy/environment.sh "$(PYTHON)" embedded test
ifdef ARGS
	@exec $(RUN) -m pytest -n 3 $(ARGS)
else
	@failed=0; \
	echo "Unit, property, concurrency, crash and API tests:"; \
	$(RUN) -m pytest -n 3 $(SYSTEMS:%=--ignore=%) || failed=$$?; \
	test $$failed != 2 || exit 2; \
	echo "Whole systems from outside: the page in a browser, commands, deployments, measuring:"; \
	$(RUN) -m pytest -n 3 $(SYSTEMS) || failed=$$?; \
	exit $$failed
endif

lint:
	@sh deploy/environment.sh "$(PYTHON)" test lint
	@$(RUN) -m ruff check .
	@$(RUN) -m ruff format --check .
	@$(RUN) -m mypy casino wallet baccarat manage.py
	@$(VENV)/bin/lint-imports
	@$(RUN) manage.py makemigrations --check --dry-run

bench:
	@sh deploy/environment.sh "$(PYTHON)" embedded bench
	@exec $(RUN) -m tests.bench $(ARGS)

clean:
	@if [ -x $(RUN) ]; then $(RUN) -m casino.devstack.clean; fi
	@rm -rf $(VENV) .casino build *.egg-info .pytest_cache .mypy_cache .ruff_cache .hypothesis .import_linter_cache
