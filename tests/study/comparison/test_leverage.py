"""One unit that makes a verdict: named where it does, and only there."""

import itertools
from typing import Any

import numpy as np
import pytest
from scipy import stats

from detectable.core.types import FloatArray
from detectable.data.scores.scores import Scores
from detectable.inference.multiplicity import holm
from detectable.inference.shares import PairedShares
from detectable.report.shown.comparison_words import hangs_on
from detectable.study.comparison.compare import compare
from detectable.study.comparison.result import Comparison, Influential
from tests.study.comparison.tables import documents_of

QUICK: dict[str, Any] = {"rng": 1, "n_examples": 0}


def _pair(differences: FloatArray, size: int = 2, **options: Any) -> Comparison:
    """Compare B with A, whose documents of equal size differ by these amounts."""
    base = np.random.default_rng(9).normal(size=differences.size * size)
    documents = documents_of([size] * differences.size)
    tables = {"A": base, "B": base + np.repeat(differences, size)}
    return compare(Scores.build(tables, documents=documents), **QUICK, **options)


def _swap_p(d: FloatArray) -> float:
    """Return the exact p-value of all sign patterns."""
    sums = [abs(np.dot(signs, d)) for signs in itertools.product((1, -1), repeat=d.size)]
    return float(np.mean(np.array(sums) >= abs(d.sum()) - 1e-9))


HANGS = np.array([-0.1, 0.7, 0.3, 0.7, 1.1, -0.4, 0.8, 2.9])


def test_a_verdict_that_hangs_on_one_document_says_so() -> None:
    result = _pair(HANGS)
    assert result.pairs[0].verdict == "better"
    [found] = result.influential
    rest = HANGS[:-1]
    assert _swap_p(HANGS) <= 0.05 < _swap_p(rest)
    assert (found.name, found.unit, found.decides) == ("d7", "document", True)
    assert found.difference == pytest.approx(rest.mean())
    assert found.p_adjusted == pytest.approx(_swap_p(rest))
    assert (
        result.summary()
        .splitlines()[-1]
        .startswith(
            f"Without document d7 the difference B − A in mean would be undecided (+{rest.mean():.4f}"
        )
    )


def test_a_verdict_that_stands_names_nothing() -> None:
    result = _pair(np.array([1.0, 1.2, 0.8, 0.9, 1.1, 1.05, 0.9, 1.6]))
    assert (result.pairs[0].verdict, result.influential) == ("better", ())


def test_the_rest_is_tested_by_t_where_the_whole_was() -> None:
    d = np.array([0.9, 0.3, 1.0, 0.2, 1.7])
    result = _pair(d)
    assert (result.test, result.pairs[0].verdict) == ("t", "better")
    [found] = result.influential
    assert found.name == "d4"
    assert found.p_adjusted == pytest.approx(stats.ttest_1samp(d[:4], 0.0).pvalue, rel=1e-6)
    assert found.p_adjusted > 0.05


def test_several_pairs_are_corrected_as_in_the_test_itself() -> None:
    rng = np.random.default_rng(3)
    d = np.stack([HANGS, 2.0 * HANGS, rng.normal(size=8)], axis=1)
    base = rng.normal(size=8)
    tables = {"A": base, **{name: base + d[:, i] for i, name in enumerate("BCD")}}
    documents = documents_of([1] * 8)
    scores = Scores.build(tables, documents=documents)
    result = compare(scores, baseline="A", correction="none", **QUICK)
    named = {found.system: found for found in result.influential if found.decides}
    assert set(named) == {"B", "C"}
    for i, name in enumerate("BC"):
        assert named[name].p_adjusted == pytest.approx(_swap_p(np.delete(d[:, i], 7)))
    # At a level at which Holm decides them too, what is left is corrected for three tests.
    options: dict[str, Any] = {"baseline": "A", "correction": "holm", "alpha": 0.15, **QUICK}
    corrected = compare(scores, **options)
    assert [pair.verdict for pair in corrected.pairs[:2]] == ["better", "better"]
    left = {found.system: found.p_adjusted for found in corrected.influential if found.decides}
    third = _swap_p(np.delete(d[:, 2], int(np.argmax(np.abs(d[:, 2] - d[:, 2].mean())))))
    wanted = holm(np.array([_swap_p(HANGS[:-1]), _swap_p(HANGS[:-1]), third]))
    assert left == pytest.approx({"B": wanted[0], "C": wanted[1]})


# Undecided


def test_an_undecided_sign_that_hangs_on_one_document_is_named() -> None:
    d = np.array([-0.5, -0.4, 0.3, -0.6, 0.2, -0.3, 0.1, 4.0])
    result = _pair(d)
    assert result.pairs[0].verdict == "undecided"
    [found] = result.influential
    assert (found.name, found.decides) == ("d7", False)
    assert found.difference == pytest.approx(d[:-1].mean())
    assert found.difference < 0.0 < d.mean()
    assert np.isnan(found.p_adjusted)
    assert hangs_on(result, found).endswith(f"would be −{abs(d[:-1].mean()):.4f}.")
    assert "Without" not in result.summary()  # in the checks of the report, not in the sentence


def test_an_undecided_difference_that_falls_to_half_is_named_and_no_other() -> None:
    falls = np.array([0.4, -0.3, 0.35, -0.2, 0.3, -0.25, 0.5, 3.0])
    [found] = _pair(falls).influential
    assert 0.0 < found.difference <= 0.5 * falls.mean()
    stays = np.array([1.0, -0.8, 1.2, -0.9, 1.1, 0.7, -0.6, 1.5])
    result = _pair(stays)
    assert (result.pairs[0].verdict, result.influential) == ("undecided", ())


def test_single_segments_of_undecided_pairs_are_not_worth_a_word() -> None:
    d = np.array([-0.5, -0.4, 0.3, -0.6, 0.2, -0.3, 0.1, 4.0])
    base = np.random.default_rng(9).normal(size=8)
    scores = Scores.build({"A": base, "B": base + d})
    assert compare(scores, **QUICK).influential == ()


def test_with_two_units_there_is_nothing_to_leave_out() -> None:
    assert _pair(np.array([1.0, -3.0])).influential == ()


# Margins


def test_equivalence_without_a_unit_is_tested_as_equivalence() -> None:
    """An equivalent pair has a large p of «no difference»: that says nothing of its verdict."""
    d = np.array([0.1, -0.1, 0.05, -0.12, 0.08, -0.02, 0.03, -0.06, 0.07, -0.04])
    sure = _pair(d, margin=1.0)
    assert (sure.pairs[0].verdict, sure.influential) == ("equivalent", ())
    assert sure.pairs[0].p_adjusted > 0.5


def _one_sided(d: FloatArray, margin: float) -> float:
    return _swap_p(d + margin) / 2


def test_a_claim_of_not_inferior_that_hangs_on_one_document_says_so() -> None:
    d = np.array([-0.5, -0.5, 0.2, 0.1, 0.2, -0.4, 0.3, 2.7])
    result = _pair(d, claim="non-inferior", margin=0.35, test="randomization")
    assert result.pairs[0].verdict == "non-inferior"
    assert result.pairs[0].p_value == pytest.approx(_one_sided(d, 0.35))
    [found] = result.influential
    assert (found.name, found.decides) == ("d7", True)
    assert found.p_adjusted == pytest.approx(_one_sided(d[:-1], 0.35))
    assert found.p_adjusted > 0.05


def test_right_and_wrong_answers_are_left_out_with_their_document() -> None:
    sizes = [6] * 10
    documents = documents_of(sizes)
    theirs, ours = np.ones(60), np.ones(60)
    theirs[:5] = (
        0.0  # the system answers five questions of the first document that the other missed
    )
    ours[[20, 33, 47]] = 0.0
    scores = Scores.build({"A": theirs, "B": ours}, documents=documents)
    cluster = np.repeat(np.arange(10), 6)
    whole = PairedShares.of_differences(ours - theirs, cluster)
    kept = cluster != 0
    rest = PairedShares.of_differences((ours - theirs)[kept], cluster[kept])
    for margin in (0.1, 0.15, 0.2, 0.25, 0.3):
        result = compare(scores, claim="non-inferior", margin=margin, baseline="A", **QUICK)
        decided = whole.p_above(-margin) <= 0.05
        assert (result.pairs[0].verdict == "non-inferior") is decided
        found = [one for one in result.influential if one.decides]
        assert bool(found) is (decided and rest.p_above(-margin) > 0.05)
        for one in found:
            assert one.name == "d0"
            assert one.p_adjusted == pytest.approx(rest.p_above(-margin))


def test_influential_units_become_plain_json() -> None:
    plain = _pair(HANGS).to_dict()["influential"]
    assert [(row["name"], row["decides"]) for row in plain] == [("d7", True)]
    assert set(plain[0]) == set(Influential.__dataclass_fields__)
