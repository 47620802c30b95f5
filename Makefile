# Needs Python 3.11 or later and nothing else: the first target that is asked for makes .venv.
PYTHON ?= python3
VENV   := .venv
BIN    := $(VENV)/bin
HAND   := KQ4.A73.QJ85.T62

.PHONY: demo test lint bench strength calibration advice reports reports-check clean

demo: $(VENV)/installed
	$(BIN)/tricklab bid israeli-whist $(HAND) --calls "pass pass 5H pass pass pass pass" --bids 3
	$(BIN)/tricklab zero israeli-whist

test: $(VENV)/installed
	$(BIN)/pytest --numprocesses auto --dist worksteal
	NUMBA_DISABLE_JIT=1 $(BIN)/pytest --numprocesses auto --dist worksteal tests/kernels

lint: $(VENV)/installed
	$(BIN)/ruff check .
	$(BIN)/mypy

bench: $(VENV)/installed
	$(BIN)/pip install --quiet --disable-pip-version-check --constraint constraints.txt --editable '.[openspiel]'
	$(BIN)/python scripts/bench.py

strength: $(VENV)/installed
	$(BIN)/python scripts/strength.py --write reports/strength

calibration: $(VENV)/installed
	$(BIN)/python scripts/calibration.py --write reports/calibration

advice: $(VENV)/installed
	$(BIN)/python scripts/advice.py --write reports/advice

reports: $(VENV)/installed
	$(BIN)/python scripts/make_reports.py

reports-check: $(VENV)/installed
	$(BIN)/python scripts/make_reports.py --check

clean:
	rm -rf $(VENV) .mypy_cache .pytest_cache .ruff_cache .hypothesis

$(VENV)/installed: pyproject.toml constraints.txt
	$(PYTHON) -m venv $(VENV)
	$(BIN)/pip install --quiet --disable-pip-version-check --constraint constraints.txt --editable '.[dev]'
	touch $@
