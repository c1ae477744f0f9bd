"""Agreement of a judge, against sklearn, irrCAC and krippendorff in gold/evals.json."""

import math

import numpy as np
import pytest
from scipy.stats import t

from detectable.core.errors import DataError, InputError
from detectable.data.human.judgments import Judgments
from detectable.inference.agreement import chance_agreement
from detectable.report.shown.judges import favoured
from detectable.study.precision.judge_agreement import judge_agreement
from tests.gold_evals import evals
from tests.study.precision.judge_file import judge, labels


@pytest.mark.golden
def test_published_agreement() -> None:
    found = judge_agreement(labels(), judge("judge01"))
    row = found.systems[0]
    assert row.share == pytest.approx(evals("agree.A.percent"))
    assert row.kappa == pytest.approx(evals("agree.A.kappa"), rel=1e-6)
    assert row.ac1 == pytest.approx(evals("agree.A.gwet_ac1"), abs=5e-5)
    assert row.ac1_error == pytest.approx(evals("agree.A.gwet_se"), abs=5e-6)
    assert row.krippendorff == pytest.approx(evals("agree.A.alpha"), rel=1e-6)
    assert row.table == (109, 28, 11, 52)
    assert not row.misleading
    assert row.bias == pytest.approx(0.085)
    same = judge_agreement(labels(), judge(), threshold=0.5)
    assert same.systems == found.systems
    assert "0.5" in str(same.signature)


@pytest.mark.golden
def test_the_paradox() -> None:
    human = np.repeat([1.0, 0.0, 1.0], [118, 5, 2])
    said = np.repeat([1.0, 1.0, 0.0], [118, 5, 2])
    found = chance_agreement(said, human)
    assert found.kappa == pytest.approx(evals("agree.paradox.kappa"), rel=1e-6)
    assert found.ac1 == pytest.approx(evals("agree.paradox.ac1"), abs=5e-6)
    items = [str(i) for i in range(125)]
    people = {"system": ["A"] * 125, "item": items, "score": human}
    table = Judgments.build(people, scale=(0, 1))
    [row] = judge_agreement(table, {"A": dict(zip(items, said, strict=True))}).systems
    assert row.misleading
    assert row.table == (118, 5, 2, 0)


def drawn(favour: float, seed: int = 3) -> tuple[Judgments, dict[str, dict[str, float]]]:
    rng = np.random.default_rng(seed)
    items = [str(i) for i in range(80)]
    human = {s: (rng.random(80) < 0.6).astype(float) for s in ("A", "B")}
    judge = {s: h.copy() for s, h in human.items()}
    turned = rng.random(80) < favour
    judge["A"][turned] = 1.0
    rows = [(s, i, h) for s in human for i, h in zip(items, human[s], strict=True)]
    system, item, score = map(list, zip(*rows, strict=True))
    table = Judgments.build({"system": system, "item": item, "score": score}, scale=(0, 1))
    return table, {s: dict(zip(items, v.tolist(), strict=True)) for s, v in judge.items()}


def test_a_judge_that_favours_a_system_is_named() -> None:
    found = judge_agreement(*drawn(0.5))
    [pair] = found.pairs
    assert pair.verdict == "higher"
    assert 0.0 not in pair.interval
    assert favoured(found).startswith("The judge favours A over B by")
    assert found.systems[1].bias == 0.0
    fair = judge_agreement(*drawn(0.0))
    assert fair.pairs[0].verdict == "undecided"
    assert favoured(fair).startswith("Not shown that the judge favours a system")


def test_scores_on_another_scale_have_no_categories() -> None:
    table, answers = drawn(0.2)
    scores = {s: {i: v * 0.7 + 0.01 * int(i) for i, v in a.items()} for s, a in answers.items()}
    found = judge_agreement(table, scores)
    assert math.isnan(found.systems[0].kappa)
    assert found.systems[0].table is None
    assert any("--threshold" in note for note in found.notes)


@pytest.mark.slow
def test_equal_bias_is_called_unequal_at_the_stated_rate() -> None:
    rng, alarms = np.random.default_rng(9), 0
    for _ in range(1500):
        items = [str(i) for i in range(60)]
        rows, judge = [], {}
        for s in ("A", "B"):
            human = (rng.random(60) < 0.6).astype(float)
            turned = np.where(rng.random(60) < 0.2, 1.0, human)
            rows += [(s, i, h) for i, h in zip(items, human, strict=True)]
            judge[s] = dict(zip(items, turned.tolist(), strict=True))
        system, item, score = map(list, zip(*rows, strict=True))
        table = Judgments.build({"system": system, "item": item, "score": score}, scale=(0, 1))
        alarms += judge_agreement(table, judge).pairs[0].p_value <= 0.05
    assert alarms / 1500 == pytest.approx(0.05, abs=4 * (0.05 * 0.95 / 1500) ** 0.5)


def test_messages() -> None:
    table, answers = drawn(0.2)
    with pytest.raises(InputError, match="`threshold` must be a finite number"):
        judge_agreement(table, answers, threshold=math.nan)
    with pytest.raises(DataError, match="no system has 10 labels"):
        judge_agreement(table.take(np.arange(4)), answers)


def answers_of(
    human: dict[str, list[float]], said: dict[str, list[float]], **columns: list[str]
) -> tuple[Judgments, dict[str, dict[str, float]]]:
    """Return labels and a judge of items 0, 1, … for every system."""
    rows = [(s, str(i), x) for s, values in human.items() for i, x in enumerate(values)]
    system, item, score = map(list, zip(*rows, strict=True))
    table = {"system": system, "item": item, "score": score, **columns}
    judge = {s: {str(i): x for i, x in enumerate(values)} for s, values in said.items()}
    return Judgments.build(table, scale=(-9, 9)), judge


def test_one_system_is_scored_higher_or_lower_or_neither() -> None:
    human = [0.0, 1.0] * 10
    higher = [1.0 if i % 4 == 0 else h for i, h in enumerate(human)]
    for said, words in (
        (higher, "The judge scores A higher than people do."),
        (
            [0.0 if i % 4 == 1 else h for i, h in enumerate(human)],
            "The judge scores A lower than people do.",
        ),
        (
            human[1:] + human[:1],
            "The judge scores A neither shown higher nor lower than people do.",
        ),
    ):
        found = judge_agreement(*answers_of({"A": human}, {"A": said}))
        assert favoured(found) == words
        assert found.pairs == ()
    fine = [h + 0.0088 + 0.001 * (i % 3) for i, h in enumerate(human)]
    assert favoured(judge_agreement(*answers_of({"A": human}, {"A": fine}))) == (
        "The judge scores A higher than people do."
    )
    found = judge_agreement(*answers_of({"A": human}, {"A": higher}))
    assert found.summary() == (
        "The judge scores A higher than people do.\n"
        "A: bias +0.250 [+0.042, +0.458], correlation 0.58, 75.0% the same, κ 0.50, AC1 0.53 "
        "(20 labels)."
    )
    assert found.systems[0].table == (10, 5, 0, 5)


def test_the_favoured_system_may_be_either_of_two() -> None:
    human = [0.0, 1.0] * 10
    lifted = [1.0 if i % 4 == 0 else h for i, h in enumerate(human)]
    people = {"A": human, "B": human, "C": human}
    said = {"A": human, "B": lifted, "C": [1.0] * 20}
    found = judge_agreement(*answers_of(people, said))
    assert [(p.system, p.baseline, p.n_items) for p in found.pairs] == [
        ("A", "B", 20), ("A", "C", 20), ("B", "C", 20),
    ]  # fmt: skip
    assert [p.difference for p in found.pairs] == pytest.approx([-0.25, -0.5, -0.25])
    assert [p.verdict for p in found.pairs] == ["lower", "lower", "lower"]
    assert favoured(found).startswith("The judge favours C over A by 0.500 more than people do")
    # Holm: the smallest of three counts three times, the largest once.
    alone, together = (
        [getattr(p, key) for p in found.pairs] for key in ("p_value", "p_adjusted")
    )
    assert together[1] == pytest.approx(3 * alone[1])
    assert max(together) == pytest.approx(max(2 * sorted(alone)[1], max(alone)))


def test_nine_labels_are_too_few_and_ten_are_not() -> None:
    human = {"A": [0.0, 1.0] * 5, "B": [0.0, 1.0, 1.0] * 3}
    found = judge_agreement(*answers_of(human, human))
    assert [row.system for row in found.systems] == ["A"]
    assert found.pairs == ()
    assert "Left out, fewer than 10 labels: B." in found.notes
    # Ten labels of each, of which nine are of the same items.
    table, judge = answers_of({"A": [0.0, 1.0] * 5, "B": [0.0, 1.0] * 10}, {"A": [], "B": []})
    judge = {s: {str(i): float(i % 2) for i in range(20)} for s in "AB"}
    del judge["B"]["0"]
    found = judge_agreement(table, judge)
    assert [row.n_items for row in found.systems] == [10, 19]
    assert found.pairs == ()


def test_a_threshold_counts_from_its_own_value_on() -> None:
    table, judge = answers_of({"A": [0.0, 1.0, 1.0] * 4}, {"A": [0.4, 0.5, 0.6] * 4})
    found = judge_agreement(table, judge, threshold=0.5)
    assert found.systems[0].table == (8, 0, 0, 4)
    assert (found.systems[0].share, found.systems[0].kappa) == (1.0, 1.0)
    assert (found.threshold, found.signature.settings["threshold"]) == (0.5, 0.5)
    assert "threshold" not in judge_agreement(table, judge).signature.settings


def test_a_common_answer_makes_kappa_misleading() -> None:
    for ones, misleading in ((18, False), (19, True)):
        human = [1.0] * ones + [0.0] * (20 - ones)
        [row] = judge_agreement(*answers_of({"A": human}, {"A": human})).systems
        assert row.misleading == misleading
    many = [float(i % 10) - 5 for i in range(20)]
    [row] = judge_agreement(*answers_of({"A": many}, {"A": many})).systems
    assert (row.share, row.table) == (1.0, None)  # ten different answers are categories
    more = [float(i % 11) - 5 for i in range(22)]
    [row] = judge_agreement(*answers_of({"A": more}, {"A": more})).systems
    assert math.isnan(row.share)
    [equal] = judge_agreement(*answers_of({"A": [1.0] * 12}, {"A": [1.0] * 12})).systems
    assert math.isnan(equal.krippendorff)


def test_documents_are_clusters_of_the_bias() -> None:
    human, said = [0.0] * 20, [1.0, 1.0, 0.0, 0.0] * 5
    documents = [f"d{i // 2}" for i in range(20)]
    alone = judge_agreement(*answers_of({"A": human}, {"A": said}))
    whole = judge_agreement(*answers_of({"A": human}, {"A": said}, document=documents))
    assert (alone.unit, whole.unit) == ("item", "document")
    assert whole.signature.settings == {"alpha": 0.05, "unit": "document"}
    # Two equal answers in every document: half as many independent ones.
    errors = [
        (row.interval.high - row.interval.low) / 2 / t.ppf(0.975, df)
        for row, df in ((alone.systems[0], 19), (whole.systems[0], 9))
    ]
    assert errors == pytest.approx(
        [np.std(said, ddof=1) / 20**0.5, np.std([1, 0] * 5, ddof=1) / 10**0.5]
    )
    wide = judge_agreement(*answers_of({"A": human}, {"A": said}), alpha=0.01)
    assert wide.systems[0].interval.level == 0.99
