# Everything starts here: `make` lists what there is. Paths are relative, so spaces in the clone's path do no harm.

PYTHON ?= python3
PORT ?= 8000
ARGS ?=
VENV := .venv
RUN := $(VENV)/bin/python

# A system is eight processes, and each would compile all of it anew where Python is told to keep no bytecode.
unexport PYTHONDONTWRITEBYTECODE

.DEFAULT_GOAL := help
.PHONY: help play serve test screenshots chaos soak cluster-test restore-test upgrade-test lint lint-page api-document bench constraints audit-dependencies sbom fuzz clean
.SUFFIXES:
MAKEFLAGS += --no-print-directory

help:
	@echo "make play    bots play every preset by every funding over HTTP, then everything is audited"
	@echo "make serve   the same system left running, on port $(PORT) (PORT=... chooses another)"
	@echo "make test    the whole test suite (ARGS=... goes to pytest)"
	@echo "make screenshots          pictures of the table page and the admin to look at, in build/screenshots"
	@echo "make lint    ruff, mypy, direction of imports, missing migrations; types of the page"
	@echo "make bench   what it reaches, side by side with its peers"
	@echo "make api-document         keeps the API's document and the events' schemas of a version that is published"
	@echo "make constraints          pins every dependency with its hashes (ARGS=--upgrade for newer versions)"
	@echo "make audit-dependencies   looks up known vulnerabilities of what is pinned"
	@echo "make sbom                 lists what the image installs, as CycloneDX, in build/sbom.json"
	@echo "make chaos   kills and outages of a minute each; CHAOS_SECONDS=... for others"
	@echo "make soak    play with a fault now and then for HOURS=1, and plots of what must not grow, in build/soak.png"
	@echo "make restore-test         destroys a database under load and restores it from a backup"
	@echo "make upgrade-test         replaces each process by the next release and back while players bet"
	@echo "make cluster-test         hosts of a cluster die, freeze and are cut off; FAULTS=... how many, SEED=... which"
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

# What the service consists of; and beside it whole systems as one sees them from outside: pages, commands, deployments.
# Either mostly waits for other processes, so that together they take half the time on two cores. A test that fails
# there runs again without neighbours, and its first failure stays in the output.
SYSTEMS := tests/browser tests/clients tests/deploy tests/casino/devstack tests/bench tests/fuzz

test:
	@sh deploy/environment.sh "$(PYTHON)" embedded test tracing bench
ifdef ARGS
	@exec $(RUN) -m pytest -n 3 $(ARGS)
else
	@mkdir -p build
	@rm -rf build/tests; failed=; \
	$(RUN) -m pytest -n 2 -o cache_dir=build/tests/systems $(SYSTEMS) >build/systems.txt 2>&1 & systems=$$!; \
	echo "Unit, property, concurrency, crash and API tests (beside them whole systems, in build/systems.txt):"; \
	$(RUN) -m pytest -n 3 -o cache_dir=build/tests/service --whole-contract --ignore=tests/cluster --ignore=tests/nightly/upgrade $(SYSTEMS:%=--ignore=%) || failed="$$failed service"; \
	wait $$systems || failed="$$failed systems"; \
	echo "Whole systems from outside: the page in a browser, commands, deployments, measuring:"; \
	cat build/systems.txt; \
	for part in $$failed; do \
		echo "What failed of $$part once more, with the machine to itself:"; \
		$(RUN) -m pytest -o cache_dir=build/tests/$$part --last-failed --last-failed-no-failures none --exitfirst || exit 1; \
	done
endif

screenshots:
	@sh deploy/environment.sh "$(PYTHON)" embedded test
	@$(RUN) -m tests.browser.screenshots
	@$(RUN) -m tests.browser.desk_screenshots

chaos:
	@sh deploy/environment.sh "$(PYTHON)" embedded test
	@CHAOS_SECONDS=$${CHAOS_SECONDS:-60} exec $(RUN) -m pytest -s tests/chaos $(ARGS)

# One that fails is not repeated, as slow tests are: it would take hours again.
soak:
	@sh deploy/environment.sh "$(PYTHON)" embedded test
	@HOURS=$${HOURS:-1} exec $(RUN) -m pytest -s tests/chaos/test_soak.py --only-rerun nothing $(ARGS)

restore-test:
	@sh deploy/environment.sh "$(PYTHON)" embedded test
	@exec $(RUN) -m pytest -s tests/chaos/test_backup.py $(ARGS)

upgrade-test:
	@sh deploy/environment.sh "$(PYTHON)" embedded test
	@exec $(RUN) -m pytest -s tests/nightly/upgrade $(ARGS)

cluster-test:
	@sh deploy/environment.sh "$(PYTHON)" embedded test
	@FAULTS=$${FAULTS-15} exec $(RUN) -m pytest -s -rs tests/cluster $(ARGS)

lint:
	@sh deploy/environment.sh "$(PYTHON)" embedded test tracing lint
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

# The document and the schemas of events of a version that is published, with which later ones are compared.
api-document:
	@sh deploy/environment.sh "$(PYTHON)" test
	@$(RUN) manage.py spectacular --format openapi-json | $(RUN) -m json.tool --compact --sort-keys --no-ensure-ascii \
		| gzip -n9 > deploy/docs/api.json.gz
	@DJANGO_SETTINGS_MODULE=casino.settings $(RUN) -m tests.nightly.upgrade.event_schemas | gzip -n9 > deploy/docs/events.json.gz

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
