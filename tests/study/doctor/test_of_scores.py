"""Which margin scores could pass."""

import math
import shlex
from dataclasses import replace
from pathlib import Path

import numpy as np
import pytest

import detectable as dt
from detectable.study.comparison.result import Comparison
from detectable.study.doctor.of_scores import _rounded_up, of_comparison
from tests.study.doctor.test_doctor import asked


def test_a_task_of_two_questions_leaves_no_margin(tmp_path: Path) -> None:
    """Its share could differ by all there is; the other task alone could pass a margin."""
    rows = [
        f"{system},{'a' if i < 60 else 'b'},q{i},{i % k % 2 if i < 60 else 1}"
        for system, k in (("new", 2), ("old", 3))
        for i in range(62)
    ]
    path = tmp_path / "s.csv"
    for kept, possible in ((rows, False), ([row for row in rows if ",a," in row], True)):
        path.write_text("system,task,item,score\n" + "\n".join(kept) + "\n")
        found = asked(dt.doctor([path]), "May the new system replace")
        assert found.possible is possible
        why = "No loss of any size could be ruled out with so few units."
        assert (found.why == why) is not possible


@pytest.mark.parametrize(
    ("value", "shown"), [(0.1, "0.1"), (0.101, "0.11"), (0.0991, "0.1"), (12.3, "13"), (0.25, "0.25")]
)  # fmt: skip
def test_margins_are_rounded_up(value: float, shown: str) -> None:
    assert _rounded_up(value) == shown


# --- What tests would find, said of all pairs together ---


def _compared(*mdes: float, shares: bool = False) -> Comparison:
    """Compare three systems, and state these differences as those that would be found."""
    rng = np.random.default_rng(1)
    table = {name: rng.normal(0, 1, 40) for name in "abc"}
    if shares:
        table = {name: (values > 0.0).astype(float) for name, values in table.items()}
    found = dt.compare(dt.Scores.build(table), rng=0)
    assert len(found.pairs) == len(mdes)
    pairs = [replace(pair, mde=mde) for pair, mde in zip(found.pairs, mdes, strict=True)]
    return replace(found, pairs=tuple(pairs))


def test_half_of_the_pairs_are_not_most() -> None:
    nan = math.nan
    [most] = of_comparison(_compared(0.2, 0.1, nan))
    assert (most.smallest, most.largest) == (0.1, 0.2)
    assert most.median == pytest.approx(0.15)
    [few] = of_comparison(_compared(0.2, nan, nan))
    assert few.smallest == 0.2
    assert math.isnan(few.median)
    assert math.isnan(few.largest)
    [none] = of_comparison(_compared(nan, nan, nan))
    assert math.isnan(none.smallest)


def test_two_pairs_of_which_one_finds_nothing_state_no_middle() -> None:
    found = _compared(0.2, math.nan, 0.3)
    [half] = of_comparison(replace(found, pairs=found.pairs[:2]))
    assert math.isnan(half.median)


@pytest.mark.parametrize(("mde", "known"), [(0.99, True), (1.0, False)])
def test_a_share_differs_by_less_than_one(mde: float, known: bool) -> None:
    [seen] = of_comparison(_compared(mde, mde, mde, shares=True))
    assert seen.metric == "accuracy"
    assert math.isnan(seen.median) is not known
    [other] = of_comparison(_compared(mde, mde, mde))
    assert other.median == mde


# --- A table with scores by several metrics: which column is what people said ---


@pytest.mark.parametrize("name", ["human", "MQM", "esa", "da", "adequacy", "z", "raw", "rating", "judgment"])  # fmt: skip
def test_what_people_said_is_known_by_the_name_of_its_column(tmp_path: Path, name: str) -> None:
    rows = [f"s{s},t{i},{(i + s) % 4},{i * s % 7}" for s in range(2) for i in range(10)]
    path = tmp_path / "m.csv"
    path.write_text(f"system,segment,chrf,{name}\n" + "\n".join(rows) + "\n")
    told: list[object] = []
    found = asked(
        dt.doctor([path], progress=lambda *words: told.append(words)), "Which metric agrees"
    )
    words = shlex.split(found.command)
    assert words[3:] == ["--human", name, "--metric", "chrf"]
    assert told[-1] == ("what could be seen", 0, None)
