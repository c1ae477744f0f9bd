# Every target makes its own virtual environment first, so each works on a fresh machine.
PYTHON ?= python3
BIN := .venv/bin
READY := .venv/.ready

.PHONY: demo test test-slow calibration replications check bench format clean

demo: $(READY)
	$(BIN)/detectable demo --output demo.html --force

test: $(READY)
	$(BIN)/pytest -n auto

test-slow: $(READY)
	$(BIN)/pytest -n auto -m slow

# Hours; needs DETECTABLE_REFERENCE_DATA. One section: make calibration ONLY="--only families"
calibration: $(READY)
	$(BIN)/python scripts/make_calibration.py $(ONLY)

# Five papers, their numbers and figures, into replications/_build. Minutes; needs DETECTABLE_REFERENCE_DATA.
replications: $(READY)
	$(BIN)/python -m replications $(ONLY)

check: $(READY)
	$(BIN)/ruff format --check .
	$(BIN)/ruff check .
	$(BIN)/lint-imports --no-logo
	$(BIN)/mypy

bench: $(READY)
	$(BIN)/python -m benchmarks

format: $(READY)
	$(BIN)/ruff format .
	$(BIN)/ruff check --fix .

clean:
	rm -rf .venv .mypy_cache .pytest_cache .ruff_cache .hypothesis demo.html replications/_build

$(READY): pyproject.toml
	$(PYTHON) -m venv .venv
	$(BIN)/python -m pip install --quiet --upgrade "pip>=25.1"
	$(BIN)/python -m pip install --quiet --editable . --group dev
	touch $(READY)
