# Everything starts here: `make` lists what there is. Paths are relative, so spaces in the clone's path do no harm.

PYTHON ?= python3
PORT ?= 8000
ARGS ?=
VENV := .venv
RUN := $(VENV)/bin/python

# A system is eight processes, and each would compile all of it anew where Python is told to keep no bytecode.
unexport PYTHONDONTWRITEBYTECODE

.DEFAULT_GOAL := help
.PHONY: help play serve test screenshots chaos lint lint-page api-document bench constraints audit-dependencies sbom fuzz clean
.SUFFIXES:
MAKEFLAGS += --no-print-directory

help:
	@echo "make play    bots play every preset over HTTP, then everything is audited"
	@echo "make serve   the same system left running, on port $(PORT) (PORT=... chooses another)"
	@echo "make test    the whole test suite (ARGS=... goes to pytest)"
	@echo "make screenshots          pictures of the table page to look at, in build/screenshots"
	@echo "make lint    ruff, mypy, direction of imports, missing migrations; types of the page"
	@echo "make bench   what it reaches, side by side with its peers"
	@echo "make api-document         keeps the API's document of a version that is published"
	@echo "make constraints          pins every dependency with its hashes (ARGS=--upgrade for newer versions)"
	@echo "make audit-dependencies   looks up known vulnerabilities of what is pinned"
	@echo "make sbom                 lists what the image installs, as CycloneDX, in build/sbom.json"
	@echo "make chaos   kills and outages of a minute each; CHAOS_SECONDS=... for others"
	@echo "make fuzz    requests made of the API's document, for ten minutes (FUZZ_SECONDS=...)"
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
SYSTEMS := tests/browser tests/clients tests/deploy tests/casino/devstack tests/bench tests/fuzz

test:
	@sh deploy/environment.sh "$(PYTHON)" embedded test bench
ifdef ARGS
	@exec $(RUN) -m pytest -n 3 $(ARGS)
else
	@failed=0; \
	echo "Unit, property, concurrency, crash and API tests:"; \
	$(RUN) -m pytest -n 3 --whole-contract $(SYSTEMS:%=--ignore=%) || failed=$$?; \
	test $$failed != 2 || exit 2; \
	echo "Whole systems from outside: the page in a browser, commands, deployments, measuring:"; \
	$(RUN) -m pytest -n 3 $(SYSTEMS) || failed=$$?; \
	exit $$failed
endif

screenshots:
	@sh deploy/environment.sh "$(PYTHON)" embedded test
	@exec $(RUN) -m tests.browser.screenshots

chaos:
	@sh deploy/environment.sh "$(PYTHON)" embedded test
	@CHAOS_SECONDS=$${CHAOS_SECONDS:-60} exec $(RUN) -m pytest -s tests/chaos $(ARGS)

lint:
	@sh deploy/environment.sh "$(PYTHON)" embedded test lint
	@$(RUN) -m ruff check .
	@$(RUN) -m ruff format --check .
	@$(RUN) -m mypy casino wallet baccarat manage.py
	@$(VENV)/bin/lint-imports
	@$(RUN) manage.py makemigrations --check --dry-run
	@if command -v npm >/dev/null; then $(MAKE) lint-page; else echo "Without node the page's modules are not checked."; fi

# The API's document by Spectral and Redocly; the page's modules against it, and ESLint.
NODE := npm --prefix tests/node --silent

lint-page: tests/node/node_modules
	@mkdir -p build
	@$(RUN) manage.py spectacular --format openapi-json --file build/api.json
	@$(RUN) manage.py asyncapi --file build/asyncapi.json
	@$(NODE) run asyncapi
	@$(NODE) run types >/dev/null
	@$(NODE) run check
	@$(NODE) run lint
	@$(NODE) run document

# The document of a version that is published, with which later ones are compared.
api-document:
	@sh deploy/environment.sh "$(PYTHON)" test
	@$(RUN) manage.py spectacular --format openapi-json | $(RUN) -m json.tool --compact --sort-keys --no-ensure-ascii \
		| gzip -n9 > deploy/docs/api.json.gz

tests/node/node_modules: tests/node/package.json
	@echo "Installing what checks the page's modules ..."
	@$(NODE) install --no-package-lock --no-audit --no-fund
	@touch $@

bench:
	@sh deploy/environment.sh "$(PYTHON)" embedded test bench
	@exec $(RUN) -m tests.bench $(ARGS)

constraints:
	@sh deploy/environment.sh "$(PYTHON)" supply
	@$(VENV)/bin/uv pip compile pyproject.toml --quiet --all-extras --universal --python-version 3.11 --generate-hashes \
		--no-emit-index-url --no-header --no-annotate --output-file constraints.txt $(ARGS) >/dev/null

audit-dependencies:
	@sh deploy/environment.sh "$(PYTHON)" supply
	@sh deploy/audit_dependencies.sh $(RUN) constraints.txt

sbom:
	@sh deploy/environment.sh "$(PYTHON)" supply
	@$(RUN) -m venv --clear build/runtime
	@sh deploy/install.sh build/runtime/bin/python
	@$(VENV)/bin/cyclonedx-py environment --pyproject pyproject.toml --output-reproducible --output-file build/sbom.json \
		build/runtime/bin/python

fuzz:
	@sh deploy/environment.sh "$(PYTHON)" embedded test
	@FUZZ_SECONDS=$${FUZZ_SECONDS:-600} $(RUN) -m pytest -s tests/fuzz $(ARGS)

clean:
	@if [ -x $(RUN) ]; then $(RUN) -m casino.devstack.clean; fi
	@rm -rf $(VENV) .casino build tests/node/node_modules *.egg-info .pytest_cache .mypy_cache .ruff_cache .hypothesis .import_linter_cache
