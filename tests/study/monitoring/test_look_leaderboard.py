"""Plans of several systems: Holm over the pairs, elimination, and their conclusion."""

from pathlib import Path

import numpy as np
import pytest

from detectable.sequential.design import design
from detectable.study.monitoring.conclude import conclude
from detectable.study.monitoring.look import look
from detectable.study.monitoring.plan import plan
from tests.study.monitoring.plan_tables import Table, files


def scores(shifts: dict[str, float], n: int, seed: int = 1, **more: int) -> Table:
    """Return one judgment per system and item, items beyond those of `more` left out."""
    rng = np.random.default_rng(seed)
    item = rng.normal(0.0, 8.0, 400)
    table: Table = {"system": [], "item": [], "score": []}
    for name, shift in shifts.items():
        noise = rng.normal(0.0, 5.0, 400)
        for i in range(more.get(name, n)):
            table["system"].append(name)
            table["item"].append(f"i{i}")
            table["score"].append(float(np.clip(50.0 + shift + item[i] + noise[i], 0, 100)))
    return table


def test_every_decision_raises_the_level_of_the_others(tmp_path: Path) -> None:
    frozen = plan(tmp_path / "p.json", systems=["A", "B", "C"], n_max=200, futility="none")
    found = look(frozen, scores({"A": 0.0, "B": 0.2, "C": 9.0}, 100))
    rows = {row.pair: row for row in found.pairs}
    assert rows["C", "A"].decision == rows["C", "B"].decision == "stop: better"
    assert rows["C", "A"].level == pytest.approx(0.05 / 3)
    assert rows["B", "A"].decision == "continue"
    assert rows["B", "A"].level == pytest.approx(0.05)  # two of three are decided
    bound = design("hsd").boundaries_for((0.5,)).z[0]
    assert rows["B", "A"].z_bound == pytest.approx(bound)
    assert found.still_needed == ("B", "A")
    assert found.saved == 100  # of C, which needs no more
    assert found.judgments_planned == 200


def test_systems_that_are_decided_need_no_more_judgments(tmp_path: Path) -> None:
    frozen = plan(tmp_path / "p.json", systems=["A", "B", "C"], n_max=200, futility="none")
    shifts = {"A": 0.0, "B": 0.2, "C": 9.0}
    look(frozen, scores(shifts, 100))
    found = look(frozen, scores(shifts, 150, C=100))
    assert [row.pair for row in found.pairs] == [("B", "A")]
    assert found.pairs[0].information == 0.75
    last = look(frozen, scores(shifts, 200, C=100))
    assert last.decision == "stop"
    assert last.final
    made = conclude(frozen)
    verdicts = {(p.system, p.baseline): p for p in made.pairs}
    assert verdicts["C", "A"].verdict == "better"
    assert verdicts["B", "A"].verdict == "undecided"
    assert verdicts["C", "A"].look == 1
    assert verdicts["B", "A"].look == 3
    assert verdicts["C", "A"].interval is not None
    assert verdicts["C", "A"].interval.level == pytest.approx(1 - 0.05 / 3)  # all together


def test_adjusted_p_values_agree_with_the_verdicts(tmp_path: Path) -> None:
    # The second decision is taken at .05/2: three times its p would be above .05.
    for seed in range(40):
        folder = tmp_path / str(seed)
        folder.mkdir()
        frozen = plan(
            folder / "p.json", systems=["A", "B", "C"], baseline="A", n_max=60, family="fixed"
        )
        look(frozen, scores({"A": 0.0, "B": 2.2, "C": 2.6}, 60, seed=seed))
        for pair in conclude(frozen).pairs:
            assert (pair.p_adjusted <= 0.05) == (pair.verdict in ("better", "worse"))
            assert pair.p_value <= pair.p_adjusted <= min(1.0, 2 * pair.p_value) + 1e-12


def test_pairs_without_new_items_wait(tmp_path: Path) -> None:
    frozen = plan(
        tmp_path / "p.json", systems=["A", "B", "C"], baseline="A", n_max=200, futility="none"
    )
    shifts = {"A": 0.0, "B": 0.2, "C": 0.1}
    look(frozen, scores(shifts, 60))
    found = look(frozen, scores(shifts, 100, C=60))
    assert [row.pair for row in found.pairs] == [("B", "A")]
    assert found.decision == "continue"
    third = look(frozen, scores(shifts, 140, C=120))
    rows = {row.pair: row for row in third.pairs}
    assert rows["C", "A"].information == 0.6
    expected = (
        design("hsd", alpha=0.025).boundaries_for((0.3, 0.6)).z[-1]
    )  # two looks, not three
    assert rows["C", "A"].z_bound == pytest.approx(expected)
    last = look(frozen, scores(shifts, 160, C=120), final=True)
    rows = {row.pair: row for row in last.pairs}
    assert rows["B", "A"].tested
    assert not rows["C", "A"].tested
    assert {row.decision for row in last.pairs} == {"stop: undecided"}
    assert {p.method for p in conclude(frozen).pairs} == {
        "repeated interval",
        "stagewise ordering, median unbiased",
    }


def test_pairs_that_were_given_up_can_be_taken_up_again(tmp_path: Path) -> None:
    frozen = plan(tmp_path / "p.json", systems=["A", "B", "C"], baseline="A", n_max=200)
    shifts = {"A": 0.0, "B": 0.0, "C": 9.0}
    found = look(frozen, scores(shifts, 120, seed=6))
    rows = {row.pair: row for row in found.pairs}
    assert rows["B", "A"].decision == "stop: futile"
    assert found.decision == "stop"
    assert not found.final
    more = look(frozen, scores(shifts, 160, seed=6, C=120), overrule_futility=True)
    assert more.overruled
    assert [row.pair for row in more.pairs] == [("B", "A")]
    assert more.pairs[0].level == pytest.approx(0.05)
    assert "overruled" in " ".join(_finish(frozen, shifts))


def _finish(frozen: object, shifts: dict[str, float]) -> tuple[str, ...]:
    look(frozen, scores(shifts, 200, seed=6, C=120), overrule_futility=True)  # type: ignore[arg-type]
    return conclude(frozen).notes  # type: ignore[arg-type]


def test_a_refused_leaderboard_look_writes_nothing(tmp_path: Path) -> None:
    frozen = plan(tmp_path / "p.json", systems=["A", "B", "C"], n_max=200)
    shifts = {"A": 0.0, "B": 0.2, "C": 0.1}
    look(frozen, scores(shifts, 60))
    before = files(tmp_path)
    from detectable.core.errors import DataError

    with pytest.raises(DataError, match="260 items, and the plan ends at 200"):
        look(frozen, scores(shifts, 260))
    assert files(tmp_path) == before
