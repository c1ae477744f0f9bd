"""Notes about the design: skewed documents, copied runs, two runs, pooled variance."""

from typing import Any

import numpy as np
import pytest

from detectable.core.errors import CompatibilityWarning, SuspiciousDataWarning
from detectable.data.scores.scores import Scores
from detectable.study.comparison.compare import compare
from tests.study.comparison.tables import documents_of, noisy_scores, pair_of

QUICK: dict[str, Any] = {"n_resamples": 99, "rng": 1, "n_examples": 0}
TWO = "Two runs say little about run noise"
POOLED = "One run variance for all systems: assumes equally stable systems."


def _notes(scores: Scores, **options: Any) -> tuple[str, ...]:
    return compare(scores, **QUICK, **options).notes


# Skewness


def _lopsided(n: int, *, documents: bool = True) -> Scores:
    d = np.exp(np.linspace(-2.0, 2.0, n) ** 3)
    base = np.random.default_rng(2).normal(size=n)
    labels = documents_of([1] * n) if documents else None
    return Scores.build({"A": base, "B": base + d}, documents=labels, metric="comet")


@pytest.mark.parametrize(("n", "noted"), [(8, True), (29, True), (30, False)])
def test_skewed_documents_are_noted_where_they_are_few(n: int, noted: bool) -> None:
    wanted = (
        f"Document differences are skewed for B − A (mean): with {n} documents a test at .05 errs "
        "in about 7 % of cases."
    )
    assert (wanted in _notes(_lopsided(n))) is noted


def test_a_claim_about_a_margin_suffers_more_from_skewness() -> None:
    notes = _notes(_lopsided(12), claim="non-inferior", margin=1.0)
    assert any(
        "a claim about a margin at .05 may err in 8 to 13 % of cases" in n for n in notes
    )


def test_items_are_called_items() -> None:
    assert _notes(_lopsided(12, documents=False))[0].startswith("Item differences are skewed")


def test_symmetric_differences_are_not_called_skewed() -> None:
    d = np.array([-3.0, -2.0, -1.0, 0.0, 1.0, 2.0, 3.0, 0.5])
    assert _notes(Scores.build({"A": np.zeros(8), "B": d}, metric="comet")) == ()


def test_the_border_of_skewness_is_one() -> None:
    """Twelve units: the third moment over the cube of the deviation, by hand."""
    for last, noted in ((3.6, False), (4.2, True)):
        d = np.array([-1.0, 1.0] * 5 + [0.0, last])
        centred = d - d.mean()
        skewness = (centred**3).mean() / centred.std() ** 3
        assert bool(skewness > 1.0) is noted
        scores = Scores.build({"A": np.zeros(12), "B": d}, metric="comet")
        assert bool(_notes(scores)) is noted


def test_many_skewed_pairs_are_counted() -> None:
    rng = np.random.default_rng(4)
    base = rng.normal(size=10)
    tables = {name: base + np.exp(2.0 * rng.normal(size=10)) for name in "ABCD"}
    [note] = [n for n in _notes(Scores.build(tables)) if "skewed" in n]
    assert " more" in note


# Runs


def test_copies_of_a_run_are_counted_once() -> None:
    rng = np.random.default_rng(1)
    one = rng.normal(size=30)
    several = rng.normal(size=(3, 30))
    scores = Scores.build({"A": np.tile(one, (3, 1)), "B": several})
    result = compare(scores, baseline="A", **QUICK)
    assert "The 3 runs of A are equal: counted once." in result.notes
    assert result.n_runs == {"A": 1, "B": 3}
    assert result.runs == "fixed"
    with pytest.warns(SuspiciousDataWarning, match="different numbers of runs"):
        single = compare(Scores.build({"A": one, "B": several}), baseline="A", **QUICK)
    assert pair_of(result).p_value == pair_of(single).p_value
    assert pair_of(result).new_runs == pair_of(single).new_runs


def test_copies_everywhere_are_single_runs() -> None:
    rng = np.random.default_rng(1)
    one, other = rng.normal(size=(2, 30))
    copied = Scores.build({"A": np.tile(one, (3, 1)), "B": np.tile(other, (3, 1))})
    result = compare(copied, **QUICK)
    plain = compare(Scores.build({"A": one, "B": other}), **QUICK)
    assert pair_of(result).p_value == pair_of(plain).p_value
    assert pair_of(result).these_runs is pair_of(result).new_runs is None
    assert result.scope().startswith("One run per system")


def test_runs_that_differ_anywhere_are_no_copies() -> None:
    table = np.tile(np.random.default_rng(1).normal(size=30), (2, 1))
    table[1, 17] += 0.5
    result = compare(Scores.build({"A": table, "B": 2.0 * table + 1.0}), **QUICK)
    assert result.n_runs == {"A": 2, "B": 2}
    assert not any("equal" in note for note in result.notes)


@pytest.mark.parametrize(("runs", "noted"), [(1, False), (2, True), (3, False)])
def test_two_runs_are_said_to_be_few(runs: int, noted: bool) -> None:
    notes = _notes(noisy_scores(0.1, runs=runs, run_sd=0.2))
    assert any(note.startswith(TWO) for note in notes) is noted


def test_another_tool_says_nothing_of_new_runs() -> None:
    with pytest.warns(CompatibilityWarning):
        notes = _notes(noisy_scores(0.1, runs=2, run_sd=0.2), compat="multeval")
    assert not any(note.startswith(TWO) for note in notes)


def test_a_pooled_run_variance_has_its_price_stated() -> None:
    scores = noisy_scores(0.1, runs=2, run_sd=0.2)
    assert not any(note.startswith(POOLED) for note in _notes(scores))
    notes = _notes(scores, run_variance="pooled")
    assert any(note.startswith(POOLED) for note in notes)
    assert not any(note.startswith(TWO) for note in notes)


def test_pooling_changes_the_claim_about_new_runs_only() -> None:
    scores = noisy_scores(0.3, 0.1, runs=2, run_sd=0.3)
    own, pooled = (compare(scores, run_variance=how, **QUICK) for how in ("own", "pooled"))
    for one, other in zip(own.pairs, pooled.pairs, strict=True):
        assert one.these_runs == other.these_runs
        assert one.new_runs != other.new_runs
