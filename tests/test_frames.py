"""Every study takes its table, the file of it, or a frame of any library; nothing else."""

import re
from collections.abc import Callable
from dataclasses import fields
from inspect import getdoc, isfunction, signature
from pathlib import Path
from typing import Any

import numpy as np
import pandas as pd
import polars as pl
import pytest

import detectable as dt
from detectable.report.blocks import Table
from detectable.report.blocks_of import blocks_of
from tests.report.results import RESULTS

rng = np.random.default_rng(7)
N = 40
SCORES: dict[str, list[Any]] = {
    "item": [f"i{i}" for i in range(N)],
    "document": [f"d{i // 4}" for i in range(N)],
    "new": rng.normal(0.6, 0.2, N).round(3).tolist(),
    "old": rng.normal(0.5, 0.2, N).round(3).tolist(),
}
ROWS = [(s, i, r) for i in range(12) for s in ("A", "B") for r in ("r1", "r2", "r3")]
JUDGMENTS: dict[str, list[Any]] = {
    "system": [s for s, _, _ in ROWS],
    "item": [f"i{i}" for _, i, _ in ROWS],
    "rater": [r for _, _, r in ROWS],
    "score": [float(40 + 3 * i + 4 * (s == "B") + rng.integers(0, 9)) for s, i, _ in ROWS],
    "original_language": ["en" if i % 2 else "de" for _, i, _ in ROWS],
}
CONTROLS: dict[str, list[Any]] = {
    **{name: [*values, *values[:12]] for name, values in JUDGMENTS.items()},
    "kind": ["system"] * len(ROWS) + ["degraded"] * 12,
}
TEXTS: dict[str, list[Any]] = {
    "src": [f"quelle {i}" for i in range(N)],
    "ref": [f"the cat sat on mat {i} of the old house" for i in range(N)],
    "hyp:A": [f"the cat sat on mat {i} of an old house" for i in range(N)],
    "hyp:B": [f"a cat sat at the mat {i} of the house" for i in range(N)],
}

METRIC = dt.Scores.build(
    {"A": range(12), "B": range(1, 13)}, items=[f"i{i}" for i in range(12)]
)

Study = Callable[[Any], Any]
OF_SCORES: dict[str, Study] = {
    "compare": lambda data: dt.compare(data, baseline="old", rng=1),
    "gate": lambda data: dt.gate(
        data, "old", system="new", margin=0.1, higher_is_better=["score"]
    ),
    "gate several": lambda data: dt.gate(
        [data], "old", system="new", margin=0.1, higher_is_better=["score"]
    ),
    "reliability": lambda data: dt.reliability(data, effect=0.1, rng=1, n_resamples=50),
    "select": lambda data: dt.select(data, n_items=10, by="random"),
    "meta": lambda data: dt.meta(data, {"m": data}, rng=1),
}
OF_JUDGMENTS: dict[str, Study] = {
    "rank_systems": lambda data: dt.rank_systems(data, rng=1),
    "agreement": lambda data: dt.agreement(data, min_overlap=5),
    "variance_components": dt.variance_components,
    "campaign_pairs": dt.campaign_pairs,
    "translationese": lambda data: dt.translationese(data, language_pair="de-en", rng=1),
    "fit_mixed": dt.fit_mixed,
    "control_variates": lambda data: dt.control_variates(data, METRIC, quality_share=0.5),
}


def forms(columns: dict[str, list[Any]], path: Path) -> list[Any]:
    """Return a table as a file and in memory."""
    frame = pl.DataFrame(columns)
    frame.write_csv(path)
    return [path, str(path), frame, frame.lazy(), pd.DataFrame(columns), columns]


def answer(study: Study, data: Any) -> dict[str, Any]:
    found: dict[str, Any] = study(data).to_dict()
    return found


@pytest.mark.parametrize("name", OF_SCORES)
def test_studies_of_scores(name: str, tmp_path: Path) -> None:
    path = tmp_path / "table.csv"
    given = forms(SCORES, path)
    wanted = answer(OF_SCORES[name], dt.read_scores(path))
    for data in given:
        assert answer(OF_SCORES[name], data) == wanted


@pytest.mark.parametrize("name", [*OF_JUDGMENTS, "quality_control"])
def test_studies_of_judgments(name: str, tmp_path: Path) -> None:
    path = tmp_path / "judged.csv"
    study = OF_JUDGMENTS.get(name, dt.quality_control)
    given = forms(CONTROLS if name == "quality_control" else JUDGMENTS, path)
    wanted = answer(study, dt.read_judgments(path))
    for data in given:
        assert answer(study, data) == wanted


def test_texts(tmp_path: Path) -> None:
    path = tmp_path / "texts.csv"
    given = forms(TEXTS, path)
    corpus = dt.read_corpus_file(path)
    for data in given:
        assert dt.read_corpus_file(data).systems == corpus.systems
        assert dt.make_tasks(data, rng=1) == dt.make_tasks(corpus, rng=1)


def test_a_baseline_and_judgments_are_written_from_a_frame(tmp_path: Path) -> None:
    frame = pl.DataFrame(SCORES)
    made = dt.accept_baseline(
        frame, tmp_path / "b.json", system="old", higher_is_better=["score"]
    )
    assert made.system == "old"
    dt.write_judgments(pl.DataFrame(JUDGMENTS), tmp_path / "j.csv")
    assert dt.read_judgments(tmp_path / "j.csv").n_judgments == len(ROWS)


def test_what_reading_leaves_out_is_a_warning() -> None:
    gaps = {**SCORES, "new": [None, *SCORES["new"][1:]]}
    with (
        pytest.warns(dt.DetectableWarning, match="'new': 1 of 40 items without a score"),
        pytest.warns(dt.DetectableWarning, match="1 item of 40 left out"),
    ):
        dt.compare(pl.DataFrame(gaps), baseline="old", rng=1)


NO_TABLE: dict[str, tuple[Study, str]] = {
    "compare": (dt.compare, "`data` must be scores, texts, a file or a frame"),
    "gate": (
        lambda data: dt.gate(data, "old", margin=0.1),
        "`new` must be scores, a file or a ",
    ),
    "reliability": (dt.reliability, "`data` must be scores, texts, a file or a frame"),
    "make_tasks": (dt.make_tasks, "`corpus` must be texts, a file or a frame"),
    "rank_systems": (dt.rank_systems, "`judgments` must be judgments, a file or a frame"),
    "translationese": (dt.translationese, "`data` must be judgments, a file or a frame"),
    "write_judgments": (
        lambda data: dt.write_judgments(data, "x.csv"),
        "`judgments` must be judgments, a file or a frame",
    ),
    "look": (lambda data: dt.look(data, []), "`plan` must be a plan or its file"),
    "doctor": (dt.doctor, "`files` must be paths"),
    "read_scores": (dt.read_scores, "`source` must be a file, a mapping of columns or a data"),
    "read_judgments": (dt.read_judgments, "`source` must be a file, a mapping of columns or"),
    "read_corpus_file": (dt.read_corpus_file, "`source` must be a file, a mapping of columns"),
}


@pytest.mark.parametrize("name", NO_TABLE)
def test_anything_else_is_one_sentence(name: str) -> None:
    study, said = NO_TABLE[name]
    with pytest.raises(dt.InputError, match=said) as error:
        study(5)
    assert "got int" in str(error.value)


@pytest.mark.parametrize("made", [dict, pl.DataFrame])
def test_the_doctor_examines_a_frame_as_the_file_that_it_would_be(
    made: Any, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(tmp_path)
    pl.DataFrame(SCORES).write_csv("table.csv")
    told = dt.doctor(made(SCORES))
    filed = dt.doctor("table.csv")
    assert told.next_command == filed.next_command == "detectable compare --scores table.csv"
    assert (told.questions, told.facts, told.files) == (
        filed.questions,
        filed.facts,
        filed.files,
    )
    assert any("Save it as table.csv" in note for note in told.notes)
    with pytest.raises(dt.DataError) as error:
        dt.doctor(
            made({"bot": ["a", "b"] * 9, "nr": [i // 2 for i in range(18)], "mark": [0, 1] * 9})
        )
    assert str(error.value) == (
        "table.csv: a table with columns of other names. Say which they are: "
        "--column system=bot --column item=nr --column score=mark"
    )


def test_a_format_of_files_is_not_for_frames() -> None:
    with pytest.raises(dt.InputError, match="`format` must be table for a table in memory"):
        dt.read_scores(pl.DataFrame(SCORES), format="comet")


def test_a_place_in_a_frame_is_a_row() -> None:
    with pytest.raises(
        dt.DataError, match=r"^row 1 \(from 0\), column 'new': expected a score"
    ):
        dt.read_scores({"item": ["a", "b"], "new": [1.0, "x"]})
    with pytest.raises(dt.DataError, match=r"^the table: there is no system 'q'\. Found: new"):
        dt.read_scores({"item": ["a", "b"], "new": [1.0, 2.0]}, systems=["q"])


def test_tables_are_one_short_line() -> None:
    corpus = dt.example_corpus()
    assert repr(corpus) == "<Corpus: 2 systems, 240 segments, 1 reference>"
    assert repr(dt.read_scores(SCORES)) == "<Scores: 2 systems, 40 items>"
    runs = dt.Scores.build({"A": [[1.0, 2.0], [2.0, 3.0]]}, metric="COMET")
    assert repr(runs) == "<Scores in COMET: 1 system, 2 items, 2 runs>"
    judged = dt.read_judgments(JUDGMENTS)
    assert repr(judged) == "<Judgments: 72 judgments, 2 systems, 12 items, 3 raters>"
    battles = dt.read_battles({"model_a": ["x"], "model_b": ["y"], "winner": ["model_a"]})
    assert repr(battles) == "<Battles: 1 battle, 2 systems>"
    pilot = dt.scenarios.Pilot.unpaired([1.0, 2.0, 4.0], [2.0, 3.0, 5.0])
    assert repr(pilot) == "<Pilot: 3 items, unpaired>"


def test_results_are_one_short_line_and_frames() -> None:
    found = dt.compare(pl.DataFrame(SCORES), baseline="old", rng=1)
    assert repr(found).startswith("<Comparison: undecided between new and old: ")
    assert re.fullmatch(
        r"<PairComparison: new against old, \w+: [+-]\S+ \[\S+, \S+\], p = \S+, undecided>",
        repr(found.pairs[0]),
    )
    frame = found.to_frame("pairs")
    assert frame["system"].to_list() == ["new"]
    assert frame["difference"].to_list() == [found.pairs[0].difference]
    low, high = frame["interval_low"][0], frame["interval_high"][0]
    assert (low, high) == (found.pairs[0].interval.low, found.pairs[0].interval.high)
    assert found.to_frame().columns == found.to_frame(None).columns
    with pytest.raises(dt.InputError, match=r"there is no table 'x' in this result\. It has "):
        found.to_frame("x")
    other = found.to_frame("pairs", backend="pandas")
    assert isinstance(other, pd.DataFrame)
    assert other["difference"].tolist() == frame["difference"].to_list()
    with pytest.raises(dt.InputError, match="`backend` must be one of polars, pandas; got 'R'"):
        found.to_frame(backend="R")  # type: ignore[arg-type]


@pytest.mark.parametrize("name", sorted(RESULTS))
def test_every_result_is_one_short_line_and_a_frame(name: str) -> None:
    result = RESULTS[name]
    assert repr(result).startswith(f"<{type(result).__name__}: ")
    assert len(repr(result)) <= 300
    assert "\n" not in repr(result)
    if any(isinstance(block, Table) for block in blocks_of(result)):
        assert isinstance(result.to_frame(), pl.DataFrame)
    # What it holds in rows is read one by one.
    held = (getattr(result, part.name) for part in fields(result) if part.repr)
    rows = [row for one in held if isinstance(one, tuple) for row in one]
    assert all(len(repr(row)) <= 1000 for row in rows)


def test_tables_are_one_short_line_however_large() -> None:
    long = {f"a-system-with-a-long-name-{i}": np.arange(3.0) for i in range(500)}
    assert len(repr(dt.Scores.build(long))) <= 300


def test_readers_return_the_table_itself() -> None:
    scores = dt.read_scores({**SCORES, "new": [None, *SCORES["new"][1:]]})
    assert scores.notes == ("system 'new': 1 of 40 items without a score, first 'i0'.",)
    with pytest.warns(DeprecationWarning, match=r"leave out `\.table`"):
        assert scores.table is scores
    corpus = dt.example_corpus()
    with pytest.warns(DeprecationWarning, match=r"leave out `\.table`"):
        assert corpus.table is corpus


D = np.random.default_rng(3).uniform(-20.0, 40.0, 30)
OF_VECTORS: dict[str, Callable[[Callable[[Any], Any]], Any]] = {
    "e_process": lambda form: dt.e_process(form(D)),
    "betting_band": lambda form: dt.betting_band(form(D)),
    "confidence_sequence": lambda form: dt.confidence_sequence(form(D), n_planned=60),
    "margin_test": lambda form: dt.margin_test(form(D), form(-D[::-1]), margin=5.0),
    "observed_mde": lambda form: dt.observed_mde(form(D), form(D > 5.0)),
    "paired_permutation": lambda form: dt.paired_permutation(form(D), form(D[::-1]), rng=1),
    "preference_process": lambda form: dt.preference_process(form(np.sign(D))),
    "preferences in words": lambda form: dt.preference_process(
        form(np.where(D > 0.0, "win", "loss"))
    ),
}
FORMS: tuple[Callable[[Any], Any], ...] = (
    lambda values: values.tolist(),
    pl.Series,
    pd.Series,
    lambda values: pd.Series(values, index=range(100, 100 + len(values))),  # as after a filter
)


@pytest.mark.parametrize("name", OF_VECTORS)
def test_a_series_is_a_vector(name: str) -> None:
    wanted = OF_VECTORS[name](lambda values: values).to_dict()
    assert [OF_VECTORS[name](form).to_dict() for form in FORMS] == [wanted] * len(FORMS)


@pytest.mark.parametrize("name", ["e_process", "betting_band"])
def test_a_frame_is_no_vector(name: str) -> None:
    with pytest.raises(
        dt.InputError, match=r"must be a vector of at least 1 numbers; got shape"
    ):
        getattr(dt, name)(pl.DataFrame({"d": D}))


@pytest.mark.parametrize("name", [name for name in dt.__all__ if isfunction(getattr(dt, name))])
def test_help_shows_a_signature_that_people_can_read(name: str) -> None:
    function = getattr(dt, name)
    said = str(signature(function))
    assert "numpy._typing" not in said
    assert " at 0x" not in said
    assert getdoc(function)
    assert ("Parameters\n---" in str(getdoc(function))) or len(
        signature(function).parameters
    ) < 2
