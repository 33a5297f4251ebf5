# make demo   serve the demo's help centre (DOCS=folder for one's own, PORT= another port)
# make test   install what the tests need and run them all
# make lint   ruff and mypy, as CI runs them
# make bench  the benchmarks, on this machine
# DATASETTE='datasette>=1.0a41' takes Datasette's 1.0 line; without it pip takes the newest stable.

PYTHON ?= python3
VENV ?= .venv
DATASETTE ?= datasette
PORT ?= 8001
DOCS ?=
BIN = $(VENV)/bin

.PHONY: demo test lint bench clean

demo: $(VENV)/installed
	$(BIN)/python scripts/demo.py --port $(PORT) $(if $(DOCS),--docs "$(DOCS)")

test: $(VENV)/installed-test
	$(BIN)/python -m pytest $(PYTEST_ARGS)

lint: $(VENV)/installed-test
	$(BIN)/ruff check .
	$(BIN)/ruff format --check .
	$(BIN)/mypy

bench: $(VENV)/installed-test
	$(BIN)/python -m benchmarks

clean:
	rm -rf $(VENV) demo.db demo.db-* documents.db documents.db-* build dist *.egg-info

$(VENV)/bin/python:
	$(PYTHON) -m venv $(VENV)

$(VENV)/installed: $(VENV)/bin/python setup.py
	$(BIN)/pip install --quiet --disable-pip-version-check "$(DATASETTE)" -e .
	touch $@

$(VENV)/installed-test: $(VENV)/bin/python setup.py
	$(BIN)/pip install --quiet --disable-pip-version-check "$(DATASETTE)" -e '.[test]'
	touch $@
