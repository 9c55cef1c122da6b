# Everything starts here: `make` lists what there is. Paths are relative, so spaces in the clone's path do no harm.

PYTHON ?= python3
PORT ?= 8000
ARGS ?=
export VENV := .venv
RUN := $(VENV)/bin/python

# A system is eight processes, and each would compile all of it anew where Python is told to keep no bytecode.
unexport PYTHONDONTWRITEBYTECODE

.DEFAULT_GOAL := help
.PHONY: help play serve unit test system nightly screenshots lint lint-page api-document frozen settings constraints audit-dependencies sbom clean
.SUFFIXES:
MAKEFLAGS += --no-print-directory

help:
	@echo "make play    bots play every preset by every funding over HTTP, then everything is audited"
	@echo "make serve   the same system left running, on port $(PORT) (PORT=... chooses another)"
	@echo "make unit    tests of what needs no server: rules, fairness, deciders, the core, proofs"
	@echo "make test    all quick tests, on servers of their own, and one whole system (ARGS=... goes to pytest)"
	@echo "make system  whole systems from outside: the page in a browser, commands, clients, deployments, kills"
	@echo "make nightly what takes long, in two hours, and what fell short, in build/nightly/report.md; a night that was"
	@echo "             stopped goes on, and with AGAIN=1 begins anew. Its parts are targets, too (ARGS=... goes to them):"
	@echo "  random-order  the quick tests in random order, by SEED=..., and which lines they execute"
	@echo "  mutations     small faults in rules, wallet and permissions, which tests must notice; MUTATIONS=60"
	@echo "  every-case    a crash at every statement, every preset by every witness"
	@echo "  properties    Hypothesis, thousands of examples of each property"
	@echo "  browser       every screen, panel, preset and frame; Firefox"
	@echo "  chaos         kills and outages; CHAOS_SECONDS=... lengthens each"
	@echo "  runbook       each symptom of the runbook, its check and its command"
	@echo "  floods        of logins, half-open connections and long bodies"
	@echo "  restore-test  destroys a database under load and restores it from a backup"
	@echo "  cluster-test  hosts of a cluster die, freeze and are cut off; FAULTS=... how many, SEED=... which"
	@echo "  upgrade-test  replaces each process by the next release and back while players bet"
	@echo "  fuzz          requests made of the API's document, for five minutes (FUZZ_SECONDS=...), and the verifiers"
	@echo "                on files changed at random, for one (VERIFIER_FUZZ_SECONDS=...)"
	@echo "  others        other tests that take long"
	@echo "  bench         what it reaches, side by side with its peers"
	@echo "  newest-python make unit by the newest Python here"
	@echo "  soak          play with a fault now and then for ten minutes (HOURS=...), plotted in build/soak.png"
	@echo "make screenshots          pictures of the table page and the admin to look at, in build/screenshots"
	@echo "make lint    ruff, mypy, imports, missing migrations, words and documents; types of the page"
	@echo "make api-document         keeps the API's document and the events' schemas of a version that is published"
	@echo "make settings             writes what repeats the table of settings (casino/variables.py) in deploy"
	@echo "make constraints          pins every dependency with its hashes (ARGS=--upgrade for newer versions)"
	@echo "make audit-dependencies   looks up known vulnerabilities of what is pinned"
	@echo "make sbom                 lists what the image installs, as CycloneDX, in build/sbom.json"
	@echo "make clean   removes the environment and all data of this clone"
	@echo
	@echo "PYTHON=... chooses the interpreter that makes the environment (3.11 or newer), VENV=... its folder (.venv)."

play:
	@sh deploy/environment.sh "$(PYTHON)" embedded
	@exec $(RUN) manage.py play $(ARGS)

serve:
	@sh deploy/environment.sh "$(PYTHON)" embedded
	@exec $(RUN) manage.py up --port $(PORT) $(ARGS)

# What needs no server and no other program: rules, fairness, deciders, the core, proofs.
UNIT := tests/baccarat/domain tests/baccarat/proofs tests/casino/kernel tests/casino/crypto \
	tests/wallet/responsible_gaming/test_decider.py tests/wallet/ledger/test_entries.py \
	--ignore=tests/baccarat/proofs/test_php_verifier.py --ignore=tests/baccarat/proofs/test_verifiers_agree.py

unit:
	@sh deploy/environment.sh "$(PYTHON)" embedded test
	@exec $(RUN) -m pytest -n 0 --without-servers $(UNIT) $(ARGS)

test:
	@sh deploy/environment.sh "$(PYTHON)" embedded test
ifdef ARGS
	@exec $(RUN) -m pytest -n 3 $(ARGS)
else
	@mkdir -p build
	@exec $(RUN) -m pytest -n 3 --dist worksteal --whole-contract --junitxml build/test.xml
endif

# One whole system, seen from outside: pages, commands, clients, deployments, kills. What fails runs once more, and says so.
system: $(if $(shell command -v npm),tests/node/node_modules)
	@sh deploy/environment.sh "$(PYTHON)" embedded test system tracing
	@mkdir -p build
	@exec $(RUN) -m pytest -n 2 --no-loadscope-reorder --reruns 1 --junitxml build/system.xml $(or $(ARGS),tests/system)

# What takes long, in the order of tests/nightly/parts.py, each a target of its own.
PARTS := random-order mutations every-case properties browser chaos runbook floods restore-test cluster-test \
	upgrade-test fuzz others bench newest-python soak
.PHONY: $(PARTS)

nightly browser: $(if $(shell command -v npm),tests/node/node_modules)

nightly:
	@sh deploy/environment.sh "$(PYTHON)" embedded test system tracing nightly
	@exec $(RUN) -m tests.nightly $(if $(AGAIN),--again)

mutations: build/nightly/coverage
build/nightly/coverage:
	@$(MAKE) random-order ARGS=

$(PARTS):
	@sh deploy/environment.sh "$(PYTHON)" embedded test system tracing nightly
	@exec $(RUN) -m tests.nightly $@ $(ARGS)

screenshots:
	@sh deploy/environment.sh "$(PYTHON)" embedded test system
	@$(RUN) -m tests.nightly.browser.screenshots
	@$(RUN) -m tests.nightly.browser.desk_screenshots

lint:
	@sh deploy/environment.sh "$(PYTHON)" embedded test tracing lint
	@$(RUN) -m ruff check .
	@$(RUN) -m ruff format --check .
	@$(RUN) -m mypy casino wallet baccarat manage.py
	@$(VENV)/bin/lint-imports
	@$(RUN) manage.py makemigrations --check --dry-run
	@$(RUN) -m pytest -n 0 -q tests/lint
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

# The frozen lines (tests/README.md), where something is meant to change them.
frozen:
	@FREEZE=1 $(MAKE) test ARGS="tests/casino/staff/test_roles.py tests/baccarat/proofs/test_verifying.py \
		tests/baccarat/audit/test_kinds_of_tampering.py tests/stories/test_frozen_events.py \
		tests/system/deploy/test_prometheus.py tests/casino/events/test_schema.py"

tests/node/node_modules: tests/node/package.json
	@echo "Installing what checks the page's modules ..."
	@$(NODE) install --no-package-lock --no-audit --no-fund
	@touch $@

settings:
	@sh deploy/environment.sh "$(PYTHON)" embedded
	@$(RUN) deploy/variables.py

constraints:
	@sh deploy/environment.sh "$(PYTHON)" supply
	@$(VENV)/bin/uv pip compile pyproject.toml --quiet --all-extras --universal --python-version 3.11 --generate-hashes \
		--no-emit-index-url --no-header --no-annotate --output-file constraints.txt $(ARGS) >/dev/null

audit-dependencies:
	@sh deploy/environment.sh "$(PYTHON)" supply
	@sh deploy/audit_dependencies.sh $(RUN) constraints.txt

sbom:
	@sh deploy/environment.sh "$(PYTHON)" supply
	@$(RUN) -m venv --clear --without-pip build/runtime
	@$(RUN) deploy/install.py build/runtime/bin/python
	@$(VENV)/bin/cyclonedx-py environment --pyproject pyproject.toml --output-reproducible --output-file build/sbom.json \
		build/runtime/bin/python

clean:
	@if [ -x $(RUN) ]; then $(RUN) -m casino.devstack.clean; fi
	@rm -rf $(VENV) .casino build tests/node/node_modules *.egg-info .pytest_cache .mypy_cache .ruff_cache .hypothesis .import_linter_cache
