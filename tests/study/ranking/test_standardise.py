"""Scores without the severity of raters."""

import numpy as np
import pytest

from detectable.core.errors import InputError
from detectable.data.human.judgments import Judgments
from detectable.study.ranking.item_scores import severity_removed, z_scores


def judged(**columns: object) -> Judgments:
    n = len(columns["score"])  # type: ignore[arg-type]
    defaults = {"system": ["A", "B"] * (n // 2), "item": list(range(n)), "rater": ["w"] * n}
    return Judgments.build({**defaults, **columns})


def test_mean_and_spread_are_of_all_that_a_rater_judged() -> None:
    scores = [50.0, 60.0, 90.0, 10.0]
    table = judged(score=scores, kind=["system", "system", "reference", "degraded"])
    expected = (np.array(scores) - np.mean(scores)) / np.std(scores, ddof=1)
    assert z_scores(table).values == pytest.approx(expected, rel=1e-14)


def test_ordinary_items_only() -> None:
    table = judged(score=[50.0, 60.0, 90.0, 10.0], kind=["system", "repeat", "REF", "BAD"])
    z = z_scores(table, over="ordinary").values
    assert z[:2] == pytest.approx([-(0.5**0.5), 0.5**0.5])
    assert z[2] == pytest.approx((90 - 55) / 50**0.5)


def test_a_rater_is_standardised_in_each_language_pair() -> None:
    table = judged(score=[10.0, 20.0, 80.0, 90.0], language=["a-b", "a-b", "c-d", "c-d"])
    assert z_scores(table).values == pytest.approx([-(0.5**0.5), 0.5**0.5] * 2)


def test_raters_without_spread_are_named_and_counted() -> None:
    table = judged(
        score=[50.0, 60.0, 33.1, 33.1, 33.1, 70.0],
        rater=["w", "w", "flat", "flat", "flat", "once"],
    )
    found = z_scores(table)
    assert found.dropped == ("flat", "once")
    assert np.isnan(found.values).tolist() == [False, False, True, True, True, True]
    assert "2 raters" in found.notes[0]
    assert "flat, once (4 judgments, left out of z, kept in the raw means)" in found.notes[0]


def test_without_raters_there_is_no_z() -> None:
    table = Judgments.build({"system": ["A", "B"], "item": [1, 1], "score": [1, 2]})
    with pytest.raises(InputError, match="there is no rater"):
        z_scores(table)


def test_a_mixed_model_takes_out_severity_but_keeps_the_scale() -> None:
    rng = np.random.default_rng(3)
    rater, item, system = (axis.ravel() for axis in np.indices((6, 20, 2)))
    severity = np.array([-20.0, -10.0, 0.0, 0.0, 10.0, 20.0])
    score = 50 + 5 * system + severity[rater] + rng.normal(0, 3, rater.size)
    table = Judgments.build({"system": system, "item": item, "rater": rater, "score": score})
    adjusted = severity_removed(table).values
    by_rater = [adjusted[rater == r].mean() for r in range(6)]
    assert np.ptp(by_rater) < 1.0  # it was 40
    assert adjusted.mean() == pytest.approx(score.mean(), abs=0.01)


def test_an_unknown_base_is_refused() -> None:
    with pytest.raises(InputError, match=r"`over` must be one of .*; got 'systems'"):
        z_scores(judged(score=[1.0, 2.0]), over="systems")  # type: ignore[arg-type]


def test_one_rater_without_z_is_named_in_the_singular() -> None:
    table = judged(score=[50.0, 60.0, 70.0], rater=["w", "w", "once"], system=["A", "B", "A"])
    assert z_scores(table).notes == (
        "1 rater gave one judgment or one score throughout and has no z: once (1 judgment, left "
        "out of z, kept in the raw means).",
    )
    assert z_scores(judged(score=[50.0, 60.0])).notes == ()


def test_a_rater_who_judged_controls_only_has_no_z_of_ordinary_items() -> None:
    table = judged(
        score=[50.0, 60.0, 90.0, 10.0],
        rater=["w", "w", "v", "v"],
        kind=["system", "system", "reference", "degraded"],
    )
    assert z_scores(table, over="ordinary").dropped == ("v",)
    assert z_scores(table).dropped == ()


@pytest.mark.parametrize(
    ("low", "apart", "flat"), [(30.0, 1e-11, True), (30.0, 1e-10, False), (0.0, 5e-13, True)]
)
def test_a_spread_of_rounding_is_none(low: float, apart: float, *, flat: bool) -> None:
    table = judged(score=[low, low + apart, 50.0, 60.0], rater=["v", "v", "w", "w"])
    assert z_scores(table).dropped == (("v",) if flat else ())


def test_the_mixed_model_looks_at_systems_only() -> None:
    rater, item, system = (axis.ravel() for axis in np.indices((4, 12, 2)))
    score = 50.0 + np.array([-9.0, -3.0, 3.0, 9.0])[rater]
    score = score + np.random.default_rng(1).normal(0, 2, rater.size)
    columns = {"system": system, "item": item, "rater": rater, "score": score}
    plain = severity_removed(Judgments.build({**columns, "kind": ["system"] * rater.size}))
    # Controls of one rater are far off, which must not move anybody's severity.
    controls = {"system": [0] * 5, "item": range(5), "rater": [0] * 5, "score": [0.0] * 5}
    both = {name: [*columns[name], *controls[name]] for name in columns}
    kinds = ["system"] * rater.size + ["degraded"] * 5
    found = severity_removed(Judgments.build({**both, "kind": kinds}))
    assert found.values[: rater.size] == pytest.approx(plain.values, rel=1e-9)
    severity = score[rater == 0] - plain.values[rater == 0]
    assert found.values[rater.size :] == pytest.approx(-severity[:5], rel=1e-6)
