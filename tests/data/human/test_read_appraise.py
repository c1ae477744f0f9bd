"""Exports of Appraise: which column is what."""

from pathlib import Path

import pytest

from detectable.data.human.columns import KINDS
from detectable.data.human.read_judgments import read_judgments

TIMES = "1600000000.0,1600000010.0"


def _read(tmp_path: Path, *rows: str) -> list[tuple[str, ...]]:
    """Return rater, system, item, language and kind of every judgment."""
    path = tmp_path / "export.csv"
    path.write_text("\n".join(rows) + "\n")
    table = read_judgments(path, format="appraise")
    factors = [table.column(role) for role in ("rater", "system", "item", "language")]
    names = [[factor.levels[code] for code in factor.codes] for factor in factors]
    kinds = [KINDS[code] for code in table.kind]
    return list(zip(*names, kinds, strict=True))


@pytest.mark.parametrize(
    "tail",
    [TIMES, f"news.1,False,{TIMES}", f"news.1,False,[],{TIMES}"],
    ids=["9 columns", "11 columns", "12 columns"],
)
def test_source_and_target_language_are_not_confused(tmp_path: Path, tail: str) -> None:
    rows = [
        f"user1,A,1,TGT,ces,eng,70,{tail}",
        f"user1,A,2,TGT,eng,deu,60,{tail}",
    ]
    assert _read(tmp_path, *rows) == [
        ("user1", "A", "1", "ces-eng", "system"),
        ("user1", "A", "2", "eng-deu", "system"),
    ]


@pytest.mark.parametrize(
    ("typed", "kind"),
    [("TGT", "system"), ("BAD", "degraded"), ("REF", "reference"), ("CHK", "repeat")],
)
def test_the_type_of_an_item_is_its_kind(tmp_path: Path, typed: str, kind: str) -> None:
    rows = [f"u,A,1,TGT,ces,eng,70,{TIMES}", f"u,A,2,{typed},ces,eng,50,{TIMES}"]
    assert _read(tmp_path, *rows)[1] == ("u", "A", "2", "ces-eng", kind)


def test_the_time_of_a_judgment_is_from_its_start_to_its_end(tmp_path: Path) -> None:
    path = tmp_path / "export.csv"
    path.write_text("u,A,1,TGT,ces,eng,70,100.0,112.5\nu,A,2,TGT,ces,eng,80,200.0,201.0\n")
    table = read_judgments(path, format="appraise")
    assert table.seconds is not None
    assert table.seconds.tolist() == [12.5, 1.0]
    assert table.score.tolist() == [70.0, 80.0]


@pytest.mark.parametrize("first", ["TGT", "BAD", "REF", "CHK"])
@pytest.mark.parametrize("mark", [",", "\t"])
def test_an_export_is_recognised_by_any_type_in_its_first_row(
    tmp_path: Path, first: str, mark: str
) -> None:
    rows = [f"u,A,1,{first},ces,eng,70,{TIMES}", f"u,A,2,TGT,ces,eng,50,{TIMES}"]
    path = tmp_path / "export.csv"
    path.write_text("\n".join(row.replace(",", mark) for row in rows) + "\n")
    judgments = read_judgments(path)  # no format is named
    assert judgments.score.tolist() == [70, 50]
    assert judgments.column("language").levels == ("ces-eng",)


def test_a_tab_inside_a_name_parts_nothing(tmp_path: Path) -> None:
    judged = _read(tmp_path, f"u,A\tB,1,TGT,ces,eng,70,{TIMES}")
    assert judged == [("u", "A\tB", "1", "ces-eng", "system")]


def test_only_the_longer_exports_name_documents_and_only_the_longest_spans(
    tmp_path: Path,
) -> None:
    path = tmp_path / "export.csv"
    path.write_text(f"u,A,1,TGT,ces,eng,70,{TIMES}\nu,A,2,TGT,ces,eng,60,{TIMES}\n")
    assert read_judgments(path, format="appraise").document is None
    # Scores of 0 in 11 columns are scores; the column of times behind them holds no spans.
    path.write_text(f"u,A,1,TGT,ces,eng,0,news.1,False,{TIMES}\n")
    judgments = read_judgments(path, format="appraise")
    assert judgments.column("document").levels == ("news.1",)
    assert judgments.score.tolist() == [0]
    assert not [note for note in judgments.notes if "MQM" in note]


MARKED = '"[{""start_i"": 3, ""end_i"": 9, ""severity"": ""major"", ""error_type"": null}]"'
NAMED = MARKED.replace("null", '[""Accuracy"", ""Omission""]')


def _zeros(tmp_path: Path, *spans: str) -> tuple[list[float], str]:
    """Return the scores and the last note of an export whose scores are all 0."""
    path = tmp_path / "zeros.csv"
    rows = (
        f"u,A,{i},TGT,ces,eng,0,news.{i},False,{one},{TIMES}\n" for i, one in enumerate(spans)
    )
    path.write_text("".join(rows))
    judgments = read_judgments(path, format="appraise")
    return judgments.score.tolist(), ("", *judgments.notes)[-1]


def test_a_category_of_an_error_tells_mqm_from_esa_where_all_scores_are_0(
    tmp_path: Path,
) -> None:
    scores, note = _zeros(tmp_path, MARKED, "[]")
    assert scores == [0, 0]
    assert note == (
        "All scores are 0 although errors are marked. They have no category, so this is ESA, and "
        "the scores stay as they are."
    )
    scores, note = _zeros(tmp_path, MARKED, "[]", NAMED)
    assert scores == [-5, 0, -5]
    assert note == "All scores are 0: they were computed from the error spans (MQM)."
    assert _zeros(tmp_path, "[]", "") == ([0, 0], "")


def test_a_score_above_0_makes_it_esa_without_a_word(tmp_path: Path) -> None:
    path = tmp_path / "export.csv"
    path.write_text(
        f"u,A,1,TGT,ces,eng,0,news.1,False,{NAMED},{TIMES}\n"
        f"u,A,2,TGT,ces,eng,1,news.1,False,{NAMED},{TIMES}\n"
    )
    judgments = read_judgments(path, format="appraise")
    assert judgments.score.tolist() == [0, 1]
    assert not [note for note in judgments.notes if "All scores" in note]
