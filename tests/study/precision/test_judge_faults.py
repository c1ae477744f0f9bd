"""Where and when a judge errs: repeats, drift on an anchor set, slices, lengths."""

import json
import math
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from click.testing import CliRunner, Result
from scipy.stats import linregress, ttest_1samp, ttest_ind
from scipy.stats import t as student

from detectable.cli import main
from detectable.core.errors import DataError, InputError
from detectable.data.human.judgments import Judgments
from detectable.data.scores.scores import Scores
from detectable.study.precision.judge_agreement import JudgeAgreement, judge_agreement
from detectable.study.precision.judge_faults import LengthError, SliceError


def run(*words: object) -> Result:
    return CliRunner().invoke(main, [str(word) for word in words])


def people_of(human: np.ndarray, systems: tuple[str, ...] = ("A",)) -> Judgments:
    n = human.shape[-1]
    table = np.atleast_2d(human)
    rows = {
        "system": [name for name in systems for _ in range(n)],
        "item": [f"q{i}" for _ in systems for i in range(n)],
        "score": table.ravel().tolist(),
    }
    return Judgments.build(rows, scale=(-50.0, 50.0))


def judged(judge: np.ndarray, systems: tuple[str, ...] = ("A",), **more: Any) -> dict[str, Any]:
    """Return the judge's table, in memory."""
    n = judge.shape[-1]
    return {
        "system": [name for name in systems for _ in range(n)],
        "item": [f"q{i}" for _ in systems for i in range(n)],
        "score": np.atleast_2d(judge).ravel().tolist(),
        **{key: list(values) for key, values in more.items()},
    }


def drawn(seed: int, n: int = 60) -> tuple[np.ndarray, np.ndarray, np.random.Generator]:
    rng = np.random.default_rng(seed)
    human = rng.normal(size=n)
    return human, human + rng.normal(0.0, 0.5, n), rng


def test_a_slice_is_held_against_all_others() -> None:
    human, judge, _ = drawn(1)
    lang = ["de"] * 20 + ["en"] * 20 + ["ja"] * 20
    judge[:20] += 0.8
    found = judge_agreement(people_of(human), judged(judge, lang=lang), by="lang")
    assert found.slices is not None
    errors = judge - human
    for row, name in zip(found.slices, ("de", "en", "ja"), strict=True):
        inside = np.array(lang) == name
        assert row.system == name
        assert row.error == pytest.approx(errors[inside].mean())
        assert row.difference == pytest.approx(errors[inside].mean() - errors[~inside].mean())
        welch = ttest_ind(errors[inside], errors[~inside], equal_var=False)
        # Welch's statistic, read with the degrees of freedom of the smaller side.
        assert row.p_value == pytest.approx(2.0 * student.sf(abs(welch.statistic), 19))
    assert found.slices[0].p_adjusted < 0.001
    assert "On de the judge scores higher than on all others, by 0.736" in found.summary()


def test_the_slope_is_that_of_least_squares_within_systems() -> None:
    rng = np.random.default_rng(2)
    human = rng.normal(size=(2, 80))
    words = rng.integers(5, 60, (2, 80)) + np.array([[0], [40]])
    judge = human + 0.02 * words + rng.normal(0.0, 0.3, (2, 80))
    texts = [" ".join(["word"] * int(n)) for n in words.ravel()]
    table = judged(judge, ("A", "B"), output=texts)
    found = judge_agreement(people_of(human, ("A", "B")), table, length="output").length
    assert found is not None
    x = (words - words.mean(axis=1, keepdims=True)).ravel()
    e = judge - human
    oracle = linregress(x, (e - e.mean(axis=1, keepdims=True)).ravel())
    assert (found.unit, found.per) == ("words", 100.0)
    assert found.slope == pytest.approx(100.0 * oracle.slope)
    half = (found.interval.high - found.interval.low) / 2.0
    assert half == pytest.approx(100.0 * 1.98 * oracle.stderr, rel=0.15)
    assert found.longer > found.shorter
    # The same from lengths as numbers, for every ten of them: their spread.
    numbers = judged(judge, ("A", "B"), tokens=words.ravel().tolist())
    again = judge_agreement(people_of(human, ("A", "B")), numbers, length="tokens").length
    assert again is not None
    assert again.slope / again.per == pytest.approx(found.slope / found.per)


def test_a_system_with_long_outputs_is_no_judge_that_favours_length() -> None:
    rng = np.random.default_rng(3)
    human = rng.normal(size=(2, 60))
    words = np.vstack([rng.integers(5, 20, 60), rng.integers(80, 95, 60)])
    judge = human + np.array([[0.0], [1.0]]) + rng.normal(0.0, 0.3, (2, 60))  # favours B
    table = judged(judge, ("A", "B"), words=words.ravel().tolist())
    found = judge_agreement(people_of(human, ("A", "B")), table, length="words").length
    assert found is not None
    assert 0.0 in found.interval


def test_repeats_say_how_often_the_judge_says_the_same() -> None:
    human = np.array([0.0, 1.0] * 10)
    scores = Scores.build(
        {"A": np.vstack([human, human, np.r_[1.0 - human[:4], human[4:]]])},
        items=[f"q{i}" for i in range(20)],
    )
    found = judge_agreement(people_of(human), scores).repeats
    assert found is not None
    (row,) = found
    # Four of 20 outputs: one of three pairs the same.
    assert row.share_same == pytest.approx((16 + 4 / 3) / 20)
    assert (row.n_items, row.n_scores) == (20, 60)
    assert row.spread == pytest.approx(math.sqrt(4 / 20 * (1 / 3)))
    assert 0.0 < row.noise < 1.0
    assert judge_agreement(people_of(human), judged(human)).repeats is None


def test_drift_is_a_paired_test_on_all_outputs_of_both_times() -> None:
    human, judge, rng = drawn(4)
    then = judge - 0.3 + rng.normal(0.0, 0.2, 60)
    found = judge_agreement(people_of(human), judged(judge), earlier=judged(then))
    assert found.drift is not None
    (row,) = found.drift
    oracle = ttest_1samp(judge - then, 0.0)
    assert row.difference == pytest.approx((judge - then).mean())
    assert row.p_value == pytest.approx(oracle.pvalue)
    assert (row.n_items, row.baseline) == (60, "earlier")
    assert "The judge has drifted: it scores the same outputs of A higher than earlier" in (
        found.summary()
    )
    same = judge_agreement(people_of(human), judged(judge), earlier=judged(judge))
    assert "No evidence that the judge has drifted." in same.summary()
    # The outputs of the anchor set need no labels.
    some = Judgments.build(
        {"system": ["A"] * 15, "item": [f"q{i}" for i in range(15)], "score": human[:15]},
        scale=(-50.0, 50.0),
    )
    wide = judge_agreement(some, judged(judge), earlier=judged(then)).drift
    assert wide is not None
    assert wide[0].n_items == 60


@pytest.mark.parametrize(
    ("more", "said"),
    [
        ({"by": "lang"}, "there is no column 'lang' for `by`. Found: system, item, score"),
        ({"length": "out"}, "there is no column 'out' for `length`"),
        ({"by": "item"}, "no value of item has 10 labels, with as many elsewhere"),
        ({"length": "same"}, "same must differ between outputs, and 20 labels must have it"),
        (
            {"earlier": {"system": ["B"] * 2, "item": ["q0", "q1"], "score": [1, 0]}},
            "no system has 10 outputs that the judge scored both now and earlier",
        ),
    ],
)
def test_what_is_refused(more: dict[str, Any], said: str) -> None:
    human, judge, _ = drawn(5)
    table = judged(judge, same=[7] * 60) if "same" in more.values() else judged(judge)
    with pytest.raises(DataError) as caught:
        judge_agreement(people_of(human), table, **more)
    assert said in str(caught.value)


def test_scores_without_a_table_have_no_columns() -> None:
    human, judge, _ = drawn(6)
    named = {"A": {f"q{i}": float(v) for i, v in enumerate(judge)}}
    with pytest.raises(InputError, match="`by` names a column of the judge's table"):
        judge_agreement(people_of(human), named, by="lang")


def test_on_the_command_line(tmp_path: Path) -> None:
    human, judge, rng = drawn(7, 80)
    lines = ["system,item,score"]
    (tmp_path / "people.csv").write_text(
        "\n".join([*lines, *(f"A,q{i},{v:.4f}" for i, v in enumerate(human)), ""])
    )
    head = "item,score,lang,output"
    for name, shift in (("now", 0.0), ("then", -0.5)):
        rows = [
            f"q{i},{v + shift:.4f},{'de' if i % 2 else 'en'},{'word ' * int(rng.integers(3, 40))}"
            for i, v in enumerate(judge)
        ]
        folder = tmp_path / name
        folder.mkdir()
        (folder / "A.csv").write_text("\n".join([head, *rows, ""]))
    people = (tmp_path / "people.csv", "--scale", "-50:50")
    words = ("agreement", *people, "--judge", tmp_path / "now" / "A.csv")
    told = ("--by", "lang", "--length", "output", "--earlier", tmp_path / "then" / "A.csv")
    said = run(*words, *told)
    assert said.exit_code == 0, said.output
    for title in (
        "Where does the judge err?",
        "Does the judge favour long outputs?",
        "drifted",
    ):
        assert title in said.stdout
    found = json.loads(run(*words, *told, "--json").stdout)
    assert [row["slice" if "slice" in row else "system"] for row in found["slices"]] == [
        "en",
        "de",
    ]
    assert found["drift"][0]["difference"] == pytest.approx(0.5, abs=1e-4)
    refused = run("agreement", *people, "--by", "lang")
    assert "--by has no effect without --judge. Drop it." in refused.stderr


def found_by(seed: int, *, clustered: bool) -> JudgeAgreement:
    rng = np.random.default_rng(seed)
    documents = np.repeat(np.arange(20), 6)
    n = documents.size
    shared = rng.normal(size=20)[documents] if clustered else 0.0
    human = rng.normal(size=n)
    judge = human + shared + rng.normal(size=n)
    lang = np.array(["de", "en", "ja"])[rng.integers(0, 3, 20)][documents]
    words = rng.integers(5, 60, 20)[documents] + rng.integers(0, 5, n)
    table = judged(judge, lang=lang.tolist(), words=words.tolist())
    table["document"] = [f"d{d}" for d in documents]
    return judge_agreement(people_of(human), table, by="lang", length="words")


@pytest.mark.slow
@pytest.mark.parametrize("clustered", [False, True])
def test_a_fair_judge_is_rarely_blamed(clustered: bool) -> None:
    """Of 400 judges with errors alike everywhere .05 may be blamed: slices together, and length."""
    sims = 400
    slices = lengths = 0
    for seed in range(sims):
        found = found_by(seed, clustered=clustered)
        of: tuple[SliceError, ...] = found.slices or ()
        slices += any(row.p_adjusted <= 0.05 for row in of)
        length = found.length
        assert isinstance(length, LengthError)
        lengths += 0.0 not in length.interval
    error = math.sqrt(0.05 * 0.95 / sims)
    assert slices / sims <= 0.05 + 3.0 * error
    assert lengths / sims <= 0.05 + 3.0 * error
