"""MQM as its authors add it up: errors of the source, undecided ones, and raw penalties."""

import json
from collections import Counter
from pathlib import Path

import polars as pl
import pytest

from detectable.core.errors import InputError
from detectable.data.files.content import FileContent
from detectable.data.formats.mqm import Noted, recognise, score_of_spans
from detectable.data.human.read_judgments import read_judgments
from detectable.study.ranking.rank_systems import rank_systems
from tests.data.sample_files import SAMPLES, fails, write
from tests.helpers import reference_data

SAMPLE = SAMPLES / "judgments" / "mqm_newstest2020_ende.tsv"


def _official(path: Path) -> dict[tuple[str, str], float]:
    """Return the published average of every (system, segment)."""
    rows = [line.split() for line in path.read_text().splitlines()[1:] if line.strip()]
    return {(row[0], row[2]): float(row[1]) for row in rows}


@pytest.mark.golden
@pytest.mark.parametrize(
    ("folder", "file"),
    [("data/real", "mqm_ted_ende.tsv"), ("data/more/real", "mqm_ted_zhen.tsv")],
)
def test_averages_of_segments_are_those_that_google_publishes(folder: str, file: str) -> None:
    place = reference_data(*folder.split("/"), "google-mqm")
    official = _official(place / "avg_seg_scores.tsv")
    judgments = read_judgments(place / file)
    sums: dict[tuple[str, str], list[float]] = {}
    labels = zip(judgments.system.labels(), judgments.item.labels(), strict=True)
    for key, score in zip(labels, judgments.score.tolist(), strict=True):
        sums.setdefault(key, []).append(score)
    shared = sums.keys() & official.keys()
    assert len(shared) > 1800
    for key in shared:
        assert sum(sums[key]) / len(sums[key]) == pytest.approx(official[key], abs=1e-5), key


@pytest.mark.golden
def test_a_published_campaign_is_ranked_by_raw_penalties() -> None:
    path = reference_data("data", "real", "google-mqm", "mqm_ted_ende.tsv")
    judgments = read_judgments(path)
    assert "2,356 rows of errors added up per rater and segment." in judgments.notes
    assert (judgments.n_judgments, judgments.system.n_levels) == (1960, 14)
    assert (judgments.item.n_levels, judgments.column("rater").n_levels) == (140, 4)
    ranking = rank_systems(judgments, unit="item", n_resamples=99, rng=1)
    scores = {row.system: row.score for row in ranking.systems}
    assert ranking.scale == "points"
    assert "penalty points (MQM, raw as it is published)" in ranking.reason
    for system, mean in {
        "Facebook-AI": -1.322857,
        "HuaweiTSC": -2.431429,
        "Nemo": -2.359286,
        "Online-W": -1.435714,
    }.items():
        assert scores[system] == pytest.approx(mean, abs=5e-7)
    assert list(scores) == sorted(scores, key=lambda name: -scores[name])


def test_z_can_still_be_asked_for() -> None:
    path = reference_data("data", "real", "google-mqm", "mqm_ted_ende.tsv")
    ranking = rank_systems(
        read_judgments(path), standardise="z", unit="item", n_resamples=99, rng=1
    )
    assert ranking.scale == "z"


def test_errors_of_the_source_cost_what_is_asked() -> None:
    counted = read_judgments(SAMPLE, source_errors="count")
    free = read_judgments(SAMPLE, source_errors="ignore")
    assert counted.score.tolist() == pytest.approx([-5.1, 0, -1, -25, -5, -5])
    assert free.score.tolist() == pytest.approx([-5.1, 0, -1, -25, 0, -5])
    assert free.notes[-1] == (
        "1 error of the source counted 0 as asked, unlike in the published averages."
    )


def test_source_errors_belong_to_mqm() -> None:
    table = SAMPLES / "judgments" / "table.csv"
    with pytest.raises(
        InputError, match="`source_errors` does not apply to the format 'table'"
    ):
        read_judgments(table, source_errors="count")
    with pytest.raises(InputError, match="`source_errors` must be one of count, ignore"):
        read_judgments(SAMPLE, source_errors="twice")  # type: ignore[arg-type]


def test_undecided_severities_are_counted_and_not_refused() -> None:
    path = reference_data("data", "real", "appraise-mqm", "mqm_undecided.csv")
    judgments = read_judgments(path)
    assert judgments.n_judgments == 122
    by_hand = 43 * 5 + 62 * 1 + 2 * 0.1  # major, minor, minor of punctuation
    assert judgments.score.sum() == pytest.approx(-by_hand, abs=1e-9)
    assert "1 error of undecided severity counted 0." in judgments.notes


def test_spans_count_what_is_to_be_told() -> None:
    seen: Counter[Noted] = Counter()
    spans = [
        {"severity": "undecided", "category": "Style"},
        {"severity": "Minor", "error_type": ["Source error"]},
        {"severity": "critical"},
    ]
    assert score_of_spans(spans, seen) == -6.0
    assert seen == {"undecided": 1, "source": 1, "critical": 1}
    assert score_of_spans(spans, Counter(), "ignore") == -5.0
    assert score_of_spans([{"severity": "bad"}], Counter()) == "'bad'"


# --- MQM files: what is recognised, what is required, and which rows belong together ---

FULL = ("system", "seg_id", "rater", "category", "severity")


def _tsv(folder: Path, names: tuple[str, ...], *rows: tuple[str, ...]) -> Path:
    return write(folder, "e.tsv", "".join("\t".join(row) + "\n" for row in (names, *rows)))


def test_four_columns_tell_the_format(tmp_path: Path) -> None:
    four = ("system", "rater", "category", "severity")
    path = _tsv(tmp_path, four, ("A", "r", "Style", "Minor"))
    parquet = tmp_path / "e.parquet"
    pl.DataFrame({name: ["A"] for name in four}).write_parquet(parquet)
    assert recognise(FileContent(path))
    assert recognise(FileContent(parquet))
    with fails("the item of MQM"):
        read_judgments(path)
    for left in four:
        rest = tuple(name for name in four if name != left)
        assert not recognise(FileContent(_tsv(tmp_path, rest, ("A", "1", "70"))))


@pytest.mark.parametrize(
    ("left", "role"), [(name, {"seg_id": "item"}.get(name, name)) for name in FULL]
)
def test_a_column_that_is_missing_is_named(tmp_path: Path, left: str, role: str) -> None:
    rest = tuple(name for name in FULL if name != left)
    path = _tsv(tmp_path, rest, ("a", "b", "c", "d"))
    with fails(f"the {role} of MQM"):
        read_judgments(path, format="mqm")


def test_a_file_of_one_column_is_not_cut_by_the_right_mark(tmp_path: Path) -> None:
    path = write(tmp_path, "e.tsv", "|".join(FULL) + "\nA|1|r|Style|Minor\n")
    with fails("the whole line is one column", "This file seems to use vertical bars"):
        read_judgments(path, format="mqm")


def test_a_segment_number_counts_within_its_document(tmp_path: Path) -> None:
    rows = [("A", "1", "r", "Style", "Minor", doc) for doc in ("x", "y", "x")]
    found = read_judgments(_tsv(tmp_path, (*FULL, "doc"), *rows))
    assert found.score.tolist() == [-2.0, -1.0]
    assert found.column("document").labels() == ["x", "y"]
    assert found.lines is not None
    assert list(found.lines) == [2, 3]


def test_numbers_and_words_may_name_segments(tmp_path: Path) -> None:
    rows = [dict(zip(FULL, ("A", seg, "r", "Style", "Minor"), strict=True)) for seg in (1, "b")]
    path = write(tmp_path, "e.jsonl", "\n".join(map(json.dumps, rows)))
    assert read_judgments(path, format="mqm").item.labels() == ["1", "b"]


def test_unknown_severities_are_named_in_their_order(tmp_path: Path) -> None:
    odd = [f"odd{k}" for k in (5, 3, 9, 1, 7)]
    rows = [("A", "1", "r", "Style", severity) for severity in ("Minor", *odd, odd[0])]
    listed = ", ".join(repr(name) for name in odd)
    with fails("e.tsv, line 3, column 'severity': unknown severity", listed, "6 rows in all"):
        read_judgments(_tsv(tmp_path, FULL, *rows))
