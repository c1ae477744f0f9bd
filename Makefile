# Every target makes its own virtual environment first, so each works on a fresh machine. The demo
# needs what users need; everything else also what developers do.
PYTHON ?= python3
# Tests start hundreds of processes: where compiled files are not kept, each would compile anew.
unexport PYTHONDONTWRITEBYTECODE
BIN := .venv/bin
USABLE := .venv/.usable
READY := .venv/.ready
NATIVE := src/detectable/kernels/native

.PHONY: demo dist docs test test-slow calibration replications check check-native bench format clean

demo: $(USABLE)
	$(BIN)/detectable demo --output demo.html --force

# The site, without network: open docs/_build/html/index.html
docs: $(READY)
	$(BIN)/python -m pip install --quiet --group docs
	$(BIN)/python scripts/make_screenshots.py docs/_static/made
	$(BIN)/sphinx-build --quiet --fail-on-warning --keep-going -b html -c docs -d docs/_build/doctrees . docs/_build/html
	$(BIN)/python scripts/check_site.py docs/_build/html

# What sends signals runs afterwards, one at a time: on a busy machine it would wait for its turn.
test: $(READY)
	$(BIN)/pytest -n auto --dist worksteal -m "not slow and not alone"
	$(BIN)/pytest -m "alone and not slow" $$(grep -rl "mark\.alone" tests --include="*.py")

# Calibrations, and every property with all its examples.
test-slow: $(READY)
	$(BIN)/pytest -n auto --dist worksteal -m "slow or hypothesis" --hypothesis-profile thorough

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

# The tests of the kernels with AddressSanitizer and UBSan, no block left behind and every allocation
# failing in turn. Needs gcc or clang on Linux; says so elsewhere.
check-native: $(READY)
	$(BIN)/python scripts/check_native.py

# Wheel and source archive, the same bytes for the same commit; the bill of materials of what they install
# (CycloneDX); and the quick tests against the installed wheel.
dist: export SOURCE_DATE_EPOCH ?= $(shell git log -1 --format=%ct 2> /dev/null || echo 315532800)
dist: $(READY)
	rm -rf dist
	$(BIN)/python -m pip install --quiet build
	$(BIN)/python -m build --outdir dist . > /dev/null
	$(PYTHON) -m venv dist/venv
	dist/venv/bin/python -m pip install --quiet --upgrade "pip>=25.1"
	dist/venv/bin/python -m pip install --quiet dist/*.whl --group dev
	dist/venv/bin/python scripts/make_notices.py --sbom dist/detectable.cdx.json
	dist/venv/bin/python -c "import detectable; assert 'site-packages' in detectable.__file__"
	dist/venv/bin/pytest -n auto tests/core tests/inference tests/data tests/report tests/test_newcomer.py
	dist/venv/bin/detectable --version

bench: $(READY)
	$(BIN)/python -m benchmarks

format: $(READY)
	$(BIN)/ruff format .
	$(BIN)/ruff check --fix .

clean:
	rm -rf .venv .mypy_cache .pytest_cache .ruff_cache .hypothesis demo.html docs/_build docs/_static/made docs/api replications/_build

# A changed C source is compiled again by the editable install.
$(USABLE): pyproject.toml hatch_build.py $(wildcard $(NATIVE)/*.c $(NATIVE)/*.h)
	$(PYTHON) -m venv .venv
	$(BIN)/python -m pip install --quiet --upgrade "pip>=25.1"
	$(BIN)/python -m pip install --quiet --editable ".[charts]"
	touch $(USABLE)

$(READY): $(USABLE)
	$(BIN)/python -m pip install --quiet --group dev
	touch $(READY)
