"""Agreement of a judge, against sklearn, irrCAC and krippendorff in gold/evals.json."""

import math

import numpy as np
import pytest

from detectable.core.errors import DataError, InputError
from detectable.data.human.judgments import Judgments
from detectable.inference.chance_agreement import chance_agreement
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
    assert found.headline().startswith("The judge favours A over B by")
    assert found.systems[1].bias == 0.0
    fair = judge_agreement(*drawn(0.0))
    assert fair.pairs[0].verdict == "undecided"
    assert fair.headline().startswith("Not shown that the judge favours a system")


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
