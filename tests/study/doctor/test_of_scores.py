"""Which margin scores could pass."""

import math
import shlex
from dataclasses import replace
from pathlib import Path
from typing import Any

import numpy as np
import polars as pl
import pytest

import detectable as dt
from detectable.data.files.table import read_table
from detectable.data.texts.corpus import Corpus
from detectable.report.shown.doctor import could_see
from detectable.study.comparison.result import Comparison
from detectable.study.doctor.examination import Detectable, Question
from detectable.study.doctor.of_data import BETTER_TEXTS as BETTER
from detectable.study.doctor.of_data import (
    JUDGE,
    TRANSLATED,
    _rounded_up,
    of_comparison,
    of_texts,
)
from detectable.study.doctor.of_data import MORE_TEXTS as MORE
from detectable.study.doctor.of_data import RUNS_OF_TEXTS as RUNS
from detectable.study.doctor.recognise import metric_columns, recognise
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


# --- Which questions texts can answer: by their systems, runs, documents and original languages ---

LINES = [f"line {i} of {i % 5} words" for i in range(12)]
OTHER = [f"line {i} of some {i % 5} words" for i in range(12)]


def _asked(systems: dict[str, Any], **more: Any) -> dict[str, Question]:
    corpus = Corpus.build(systems, LINES, **more)
    found = of_texts("t", corpus, ["--corpus", "t"], lambda *_: None)
    return {one.question: one for one in found.questions}


def test_one_system_cannot_be_compared_nor_have_other_runs() -> None:
    found = _asked({"a": OTHER})
    assert not found[BETTER].possible
    assert found[BETTER].why == "There is one system. Give the output of another."
    assert RUNS not in found
    assert found[JUDGE].command == "detectable tasks --corpus t"


def test_two_systems_are_paired_on_their_segments() -> None:
    found = _asked({"a": OTHER, "b": LINES})
    assert found[BETTER].possible
    assert found[BETTER].why == "Paired on 12 segments."
    assert [one.metric for one in found[BETTER].detects] == ["BLEU", "chrF"]


@pytest.mark.parametrize(
    ("runs", "possible", "why"),
    [
        ((1, 1), False, "There is one run of a, b."),
        ((2, 1), False, "There is one run of b."),
        ((2, 2), True, "Every system has several runs."),
    ],
)
def test_other_runs_take_two_of_every_system(
    runs: tuple[int, int], possible: bool, why: str
) -> None:
    systems = {"a": [OTHER, LINES][: runs[0]], "b": [LINES, OTHER][: runs[1]]}
    found = _asked(systems)[RUNS]
    assert (found.possible, found.why) == (possible, why)
    assert found.command == ("detectable compare --corpus t" if possible else "")


@pytest.mark.parametrize(
    ("documents", "possible", "why"),
    [
        (None, False, "Documents are not named; --documents names them."),
        (2, False, "It takes three documents or more; found: 2."),
        (3, True, "3 documents are named."),
    ],
)
def test_more_documents_take_three(documents: int | None, possible: bool, why: str) -> None:
    named = None if documents is None else [f"d{i % documents}" for i in range(12)]
    found = _asked({"a": OTHER, "b": LINES}, documents=named)[MORE]
    assert (found.possible, found.why) == (possible, why)


def test_original_languages_are_asked_about_where_they_are_named() -> None:
    systems = {"a": OTHER, "b": LINES}
    assert _asked(systems)[TRANSLATED].why == "Original languages are not named."
    named = _asked(systems, original_languages=["de", "en"] * 6)[TRANSLATED]
    assert named.why.startswith("First written in de (6), en (6). The file does not say what")
    told = _asked(systems, original_languages=["de", "en"] * 6, language_pair="de-en")
    assert told[TRANSLATED].possible
    assert "50% reverse-created" in told[TRANSLATED].why
    forward = _asked(systems, original_languages=["de"] * 12, language_pair="de-en")
    assert forward[TRANSLATED].why.endswith("translated de-en: all of it is forward.")


# --- What a doctor says in words, and what is kept of it ---


def _detectable(**changes: Any) -> Detectable:
    made: dict[str, Any] = {
        "metric": "BLEU",
        "smallest": 0.5,
        "median": 0.75,
        "largest": 1.0,
        "n_pairs": 3,
        "unit": "document",
        "n_units": 12,
        "test": "swap",
        "correction": "holm",
        "alpha": 0.05,
        "power": 0.8,
    }
    return Detectable(**made | changes)


@pytest.mark.parametrize(
    ("changes", "said"),
    [
        (
            {"n_pairs": 2},
            "0.75 (0.5 to 1 by pair) or more in BLEU (swap over 12 documents, α = 0.05, "
            "corrected for 2 pairs, 80% power)",
        ),
        (
            {"n_pairs": 2, "smallest": 0.75, "largest": 0.75},
            "0.75 or more in BLEU (swap over 12 documents, α = 0.05, corrected for 2 pairs, "
            "80% power)",
        ),
        (
            {"n_pairs": 1},
            "0.75 or more in BLEU (swap over 12 documents, α = 0.05, 80% power)",
        ),
        (
            {"median": math.nan, "n_pairs": 2, "n_units": 1},
            "no difference of any size in BLEU (swap over 1 document, α = 0.05, corrected for 2 "
            "pairs, 80% power)",
        ),
    ],
)
def test_a_difference_is_said_with_all_that_it_hangs_on(
    changes: dict[str, Any], said: str
) -> None:
    assert could_see(_detectable(**changes)) == said


def _scores(path: Path) -> Path:
    rows = [f"i{i},{i % 2},{i % 3 % 2}" for i in range(20)]
    path.write_text("\n".join(["item,new,old", *rows]) + "\n")
    return path


def test_what_is_kept_names_no_folder_of_the_machine(tmp_path: Path) -> None:
    (tmp_path / "odd.json").write_text('{"a": "x"}')
    found = dt.doctor([_scores(tmp_path / "s.csv"), tmp_path / "odd.json"])
    assert str(tmp_path) in found.next_command  # which can be typed here
    dt.save(found, tmp_path / "kept.json")
    text = (tmp_path / "kept.json").read_text()
    assert "s.csv" in text
    assert str(tmp_path) not in text


def test_it_says_what_is_going_on(tmp_path: Path) -> None:
    told: list[tuple[Any, ...]] = []
    path = _scores(tmp_path / "s.csv")
    dt.doctor([path], progress=lambda *words: told.append(words))
    assert told == [(f"reading {path}", 0, None), ("what could be seen", 0, None)]
    told.clear()
    votes = tmp_path / "votes.csv"
    votes.write_text("model_a,model_b,winner\n" + "x,y,model_a\ny,x,model_a\n" * 10)
    dt.doctor([votes], progress=lambda *words: told.append(words))
    assert told == [(f"reading {votes}", 0, None), ("what could be seen", 0, None)]


# --- What a table is, by its columns ---


def test_a_cell_that_is_missing_does_not_make_a_metric_a_text(tmp_path: Path) -> None:
    path = tmp_path / "m.parquet"
    columns = {
        "system": ["a", "a", "b", "b"],
        "segment": [1, 2, 1, 2],
        "chrf": [50.0, None, 60.0, 40.0],
        "comet": [0.5, 0.6, 0.7, 0.8],
        "words": [["x"], ["y"], ["x"], ["y"]],
    }
    pl.DataFrame(columns).write_parquet(path)
    assert metric_columns(read_table(path)) == ["chrf", "comet"]
    assert recognise(path).kind == "metrics"


def test_histograms_of_past_evaluations_are_no_log(tmp_path: Path) -> None:
    np.savez(tmp_path / "h.npz", all=[[1, 2], [0, 3]], campaign=["w", "w"], system=["A", "B"])
    found = recognise(tmp_path / "h.npz")
    assert found.kind == "unknown"
    assert f"audit them (detectable audit {tmp_path / 'h.npz'})" in found.about
