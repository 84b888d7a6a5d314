# make run   start the dashboard; make run PORT=8600 where 8501 is taken
# make test  everything that must hold before a change lands
# make shots photograph the main pages for the README
# make lint  the part of it that takes seconds: ruff and mypy
# All first bring .venv up to date (make setup), which costs nothing when the requirements have not changed.

PY := .venv/bin/python
PORT := 8501
.DEFAULT_GOAL := run
.PHONY: run test lint setup bench shots

setup:
	@scripts/setup

run: setup
	@$(PY) -m streamlit run app.py --server.port=$(PORT)

test: setup
	@scripts/test

lint: setup
	@scripts/test lint

bench: setup
	@$(PY) -m benchmarks

shots: setup
	@$(PY) scripts/shots
