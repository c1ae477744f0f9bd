"""Which spreads a design can tell apart, against their matrices written down."""

from dataclasses import replace

import numpy as np
import pytest

from detectable.data.factor import Factor, factor
from detectable.mixed.design import Design, contrast_coding
from detectable.mixed.identify import told_apart
from tests.mixed.tables import identified

ROLES = ("rater", "item", "document")


def drawn(rng: np.random.Generator) -> Design:
    """Return a small random design, often too small."""
    n, k = int(rng.integers(8, 30)), int(rng.integers(2, 4))
    codes = {role: rng.integers(rng.integers(2, 5), size=n) for role in ROLES}
    if rng.random() < 0.3:  # a factor that is another one by other names
        codes["document"] = codes["item"]
    some = tuple(role for role in ROLES if rng.random() < 0.3)
    system = factor("system", np.append(np.arange(k), rng.integers(k, size=n - k)))
    return Design(
        systems=system.levels,
        coding=contrast_coding(k),
        numeric=False,
        system=system.codes,
        factors={role: factor(role, values) for role, values in codes.items()},
        slopes=some,
    )


def asked(made: Design) -> bool:
    rows = made.fixed_rows()[made.system]
    return told_apart(
        rows, [(made.factors[term.factor], term.kind == "slope") for term in made.terms]
    )


def test_as_the_matrices_themselves_say() -> None:
    rng = np.random.default_rng(3)
    found = []
    for _ in range(200):
        made = drawn(rng)
        found.append(asked(made))
        assert found[-1] == identified(made), made
    assert 30 < sum(found) < 170  # both answers are tried


def test_the_scale_of_the_regressors_does_not_matter() -> None:
    made = drawn(np.random.default_rng(8))
    assert asked(made)
    assert asked(replace(made, coding=1e4 * made.coding))


@pytest.mark.filterwarnings("error")
def test_what_the_fixed_effects_explain_has_no_spread() -> None:
    rows = np.array([[1.0, -1.0], [1.0, 1.0]] * 4)
    system = Factor(name="rater", levels=("a", "b"), codes=np.array([0, 1] * 4))
    item = factor("item", [0, 0, 1, 1, 2, 2, 3, 3])
    assert told_apart(rows, [(item, False)])
    assert not told_apart(rows, [(item, False), (system, False)])
