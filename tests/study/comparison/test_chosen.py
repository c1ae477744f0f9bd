"""How a comparison is tested follows from its design: few units, many pairs, runs."""

import json
import math
from typing import Any

import numpy as np
import pytest

from detectable.core.errors import InputError, SuspiciousDataWarning
from detectable.core.types import silent
from detectable.data.scores.scores import Scores
from detectable.study.comparison.compare import compare
from detectable.study.comparison.measure import choose_metrics, measure
from detectable.study.comparison.settings import Chosen, CompareSettings, choose
from tests.helpers import reference_data
from tests.study.comparison.tables import documents_of, noisy_scores, pair_of

QUICK: dict[str, Any] = {"rng": 1, "n_examples": 0}


def _chosen(
    n: int, n_pairs: int = 1, *, n_runs: int = 1, margins: bool = False, **options: Any
) -> Chosen:
    scores = noisy_scores(0.1, n=n, runs=n_runs)
    measured = measure(scores, choose_metrics(scores, "mean"), unit="auto", progress=silent)
    return choose(measured, n_pairs, CompareSettings(**options), margins=margins)


# Few units


def test_one_unit_is_refused_with_a_remedy() -> None:
    one = Scores.build({"A": [1.0], "B": [2.0]})
    with pytest.raises(InputError, match=r"at least two items that every system was scored"):
        compare(one, **QUICK)
    with pytest.raises(
        InputError, match=r"at least two documents; .*'d'.* Use `unit='segment'`"
    ):
        compare(noisy_scores(0.1, n=6, documents=["d"] * 6), **QUICK)
    # What is left of two segments where one has a gap is one segment.
    gap = Scores.build({"A": [1.0, np.nan], "B": [2.0, 3.0]})
    with (
        pytest.warns(SuspiciousDataWarning, match="1 item of 2 left out"),
        pytest.raises(InputError, match=r"scored on; got 1\."),
    ):
        compare(gap, **QUICK)


@pytest.mark.parametrize(
    ("n", "alpha", "test"),
    [
        *((n, 0.05, "t") for n in range(2, 7)),
        *((n, 0.05, "swap") for n in (7, 8, 15, 16, 100)),
        *((n, 0.01, "t") for n in (7, 9)),
        (10, 0.01, "swap"),
        (6, 0.1, "swap"),
        (5, 0.1, "t"),
    ],
)
def test_the_test_follows_the_number_of_units_and_alpha(
    n: int, alpha: float, test: str
) -> None:
    assert _chosen(n, alpha=alpha).test == test


def test_documents_are_counted_and_not_their_segments() -> None:
    scores = noisy_scores(0.1, n=60, documents=documents_of([10] * 6))
    result = compare(scores, baseline="A", **QUICK)
    assert (result.test, result.n_units, result.n_resamples) == ("t", 6, None)
    assert result.design().startswith(
        "6 documents: too few to swap (the smallest possible p is .031)"
    )
    seven = noisy_scores(0.1, n=70, documents=documents_of([10] * 7))
    result = compare(seven, baseline="A", **QUICK)
    assert (result.test, result.exact, result.n_resamples, result.design()) == (
        "swap",
        True,
        63,
        "",
    )


@pytest.mark.parametrize("n", [2, 3, 4, 5])
def test_a_swap_test_by_name_that_cannot_reject_says_so(n: int) -> None:
    """p is honest, the verdict undecided, and nothing is promised."""
    d = np.arange(1.0, n + 1.0)
    scores = Scores.build({"A": np.zeros(n), "B": d})
    result = compare(scores, baseline="A", test="randomization", **QUICK)
    pair = pair_of(result)
    assert pair.p_value == pair.attainable_p == 2.0 ** (1 - n)
    assert (pair.verdict, pair.units_needed) == ("undecided", 6)
    assert math.isnan(pair.mde)
    assert pair.interval.to_json() == [-math.inf, math.inf]
    assert result.to_dict()["pairs"][0]["interval"] == [None, None]
    assert result.sentence(pair).endswith("It needs at least 6.")


def test_two_units_have_one_degree_of_freedom() -> None:
    pair = pair_of(compare(Scores.build({"A": [1.0, 2.0], "B": [2.0, 5.0]}), **QUICK))
    assert (pair.difference, pair.df) == (2.0, 1.0)
    assert pair.standard_error == pytest.approx(1.0)
    # Student's t with one degree of freedom is Cauchy: p = 1 − 2 atan(2)/π.
    assert pair.p_value == pytest.approx(1.0 - 2.0 * math.atan(2.0) / math.pi, rel=1e-9)


# All swaps, or drawn ones


@pytest.mark.parametrize(("n", "exact"), [(7, True), (15, True), (16, False)])
def test_up_to_fifteen_units_all_swaps_are_counted(n: int, exact: bool) -> None:
    scores = noisy_scores(0.3, 0.1, n=n)
    first, second = (compare(scores, rng=seed, n_examples=0) for seed in (1, 2))
    assert (first.exact, first.n_resamples) == (exact, 2 ** (n - 1) - 1 if exact else 9_999)
    same = [p.p_value for p in first.pairs] == [p.p_value for p in second.pairs]
    assert same is exact
    if exact:
        patterns = [pair.p_value * 2 ** (n - 1) for pair in first.pairs]
        assert patterns == [round(x) for x in patterns]


# How many swaps


def _gold_resamples() -> list[dict[str, Any]]:
    path = reference_data("gold", "small_samples.json")
    rows: list[dict[str, Any]] = json.loads(path.read_text(encoding="utf-8"))["resamples"][
        "rows"
    ]
    return rows


@pytest.mark.golden
def test_holm_asks_for_as_many_swaps_as_its_strictest_level_needs() -> None:
    for row in _gold_resamples():
        assert _chosen(50, row["pairs"], correction="holm").n_resamples == row["R_holm"]
        assert _chosen(50, row["pairs"]).n_resamples == 9_999  # max-T


@pytest.mark.golden
def test_too_few_swaps_for_holm_are_refused() -> None:
    for row in _gold_resamples():
        pairs, fewest = row["pairs"], row["smallest_possible_R"]
        enough = _chosen(50, pairs, correction="holm", n_resamples=fewest)
        assert enough.n_resamples == fewest
        if pairs == 1:
            continue
        message = f"must be at least {fewest:,} for Holm's correction over {pairs:,} tests"
        with pytest.raises(InputError, match=message):
            _chosen(50, pairs, correction="holm", n_resamples=fewest - 1)


def test_what_needs_no_swaps_is_not_refused_for_want_of_them() -> None:
    assert _chosen(5, 10, n_resamples=9).test == "t"
    assert _chosen(12, 10, correction="holm", n_resamples=9).n_patterns == 2047
    assert _chosen(50, 10, n_resamples=19).n_resamples == 19  # max-T


def test_equivalence_beside_max_t_is_corrected_by_holm_and_asks_for_its_swaps() -> None:
    # One-sided p-values are half as large, so half as many swaps as for differences will do.
    assert _chosen(50, 528, margins=True).n_resamples == 263_999
    assert _chosen(50, 1, margins=True).n_resamples == 9_999
    assert _chosen(50, 528, margins=True, n_resamples=99).n_resamples == 99


def test_no_more_than_two_million_swaps_are_drawn_unasked() -> None:
    assert _chosen(80, 3, correction="holm", alpha=1e-9).n_resamples == 2_000_000
    assert _chosen(80, 3, correction="holm", alpha=1e-3, n_resamples=3_000_000).n_resamples == (
        3_000_000
    )


# Bootstrap


@pytest.mark.parametrize(
    ("options", "named"),
    [
        ({"test": "bootstrap"}, "`test='bootstrap'`"),
        ({"interval": "bca"}, "`interval='bca'`"),
        ({"interval": "percentile", "test": "t"}, "`interval='percentile'`"),
        ({"interval": "basic", "compat": "multeval"}, "`interval='basic'`"),
    ],
    ids=str,
)
def test_below_twenty_units_nothing_is_resampled(options: dict[str, Any], named: str) -> None:
    with pytest.raises(InputError, match=rf"{named} resamples items, and 19 items are too"):
        _chosen(19, **options)
    assert _chosen(20, **options).n_units == 20


@pytest.mark.parametrize(("n", "noted"), [(20, True), (39, True), (40, False)])
def test_below_forty_units_resampling_is_noted(n: int, noted: bool) -> None:
    asked: list[dict[str, Any]] = [{"test": "bootstrap"}, {"interval": "bca"}]
    for options in asked:
        result = compare(noisy_scores(0.1, n=n), n_resamples=99, **options, **QUICK)
        assert (
            any(note.startswith(f"Resampling {n} items is rough") for note in result.notes)
            is noted
        )
    plain = compare(noisy_scores(0.1, n=n), n_resamples=99, **QUICK)
    assert not any("Resampling" in note for note in plain.notes)


# Correction


@pytest.mark.parametrize(
    ("options", "correction", "stepwise"),
    [
        ({}, "max-t", "holm"),
        ({"test": "bootstrap"}, "max-t", "holm"),
        ({"test": "t"}, "holm", "holm"),
        ({"compat": "multeval"}, "holm", "holm"),
        ({"correction": "holm"}, "holm", "holm"),
        ({"correction": "none"}, "none", "none"),
        ({"claim": "equivalent"}, "holm", "holm"),
        ({"claim": "non-inferior"}, "holm", "holm"),
    ],
    ids=str,
)
def test_max_t_wherever_there_is_a_joint_null(
    options: dict[str, Any], correction: str, stepwise: str
) -> None:
    chosen = _chosen(50, **options)
    assert (chosen.correction, chosen.stepwise) == (correction, stepwise)


@pytest.mark.parametrize(("n", "options"), [(5, {}), (50, {"test": "t"})])
def test_t_tests_have_no_max_t(n: int, options: dict[str, Any]) -> None:
    with pytest.raises(
        InputError, match=rf"needs swapped differences, and {n} items are tested by t"
    ):
        _chosen(n, correction="max-t", **options)


def test_margins_have_no_max_t() -> None:
    with pytest.raises(InputError, match=r"and a margin has none for `claim='equivalent'`"):
        _chosen(50, correction="max-t", claim="equivalent")


def test_a_family_may_span_metrics() -> None:
    assert _chosen(50, 6).family_size == 6
    scores = noisy_scores(0.1, 0.2, n=20)
    one, both = (
        compare(scores, ("mean", "mean-error"), family=family, correction="holm", **QUICK)
        for family in ("systems", "systems-and-metrics")
    )
    for narrow, wide in zip(one.pairs, both.pairs, strict=True):
        assert narrow.p_value <= narrow.p_adjusted <= wide.p_adjusted
        assert wide.mde > narrow.mde


# Runs


@pytest.mark.parametrize(
    ("options", "about"),
    [
        ({}, "random"),
        ({"runs": "random"}, "random"),
        ({"test": "t"}, "random"),
        ({"correction": "holm"}, "random"),
        ({"runs": "fixed"}, "fixed"),
        ({"test": "randomization"}, "fixed"),
        ({"interval": "bca"}, "fixed"),
        ({"correction": "max-t"}, "fixed"),
    ],
    ids=str,
)
def test_with_two_runs_each_the_verdict_is_about_the_systems(
    options: dict[str, Any], about: str
) -> None:
    assert _chosen(50, n_runs=2, **options).runs == about
    if options.get("runs") != "random":
        assert _chosen(50, n_runs=1, **options).runs == "fixed"


def test_one_system_with_one_run_makes_it_about_these_runs() -> None:
    rng = np.random.default_rng(1)
    scores = Scores.build({"A": rng.normal(size=(3, 20)), "B": rng.normal(size=(1, 20))})
    with pytest.warns(SuspiciousDataWarning, match="different numbers of runs"):
        result = compare(scores, **QUICK)
    assert result.runs == "fixed"
    assert pair_of(result).new_runs is not None
    assert (
        "B has one run: for new runs, the mean run variance of the others is assumed."
        in result.notes
    )
