"""Documents that Appraise splits over two tasks: which segment is which."""

import csv
from collections.abc import Iterator
from pathlib import Path

import pytest

from detectable.data.formats.appraise import Shown, segments_in_documents
from detectable.data.human.columns import KINDS
from detectable.data.human.judgments import Judgments
from detectable.data.human.read_judgments import read_judgments
from tests.data.sample_files import SAMPLES
from tests.helpers import reference_data


def _ordinary(judgments: Judgments) -> set[tuple[str, str, str, float]]:
    """Return rater, system, document:segment and score of every ordinary judgment."""
    kept = judgments.take(judgments.is_kind("system"))
    factors = [kept.column(role) for role in ("rater", "system", "document", "item")]
    rater, system, document, item = ([f.levels[c] for c in f.codes] for f in factors)
    names = [i if ":" in i else f"{d}:{i}" for d, i in zip(document, item, strict=True)]
    return set(zip(rater, system, names, kept.score.tolist(), strict=True))


def test_the_segments_of_a_published_campaign() -> None:
    folder = reference_data("data", "real", "appraise-esa")
    with (folder / "truth_esa_split_documents.csv").open() as file:
        truth = {
            (
                row["user"],
                row["system"],
                f"{row['document']}:{row['true_segment']}",
                float(row["score"]),
            )
            for row in csv.DictReader(file)
        }
    judgments = read_judgments(folder / "esa_split_documents.csv")
    assert _ordinary(judgments) == truth
    assert "7 documents of one system split over two tasks put together." in judgments.notes
    ordinary = judgments.take(judgments.is_kind("system"))
    assert (ordinary.n_judgments, ordinary.system.n_levels) == (988, 13)
    assert judgments.take(judgments.is_kind("degraded")).n_judgments == 119
    left_out = 4 + 12 + 7  # copies of documents, tutorial, rows that stand twice
    assert judgments.n_judgments == 1134 - left_out
    for system in ordinary.system.levels:
        assert ordinary.where(system=system).item.n_levels == 76
    split = [
        item.rpartition(":")[2]
        for item in ordinary.where(system="wmt23.ONLINE-W").item.labels()
        if item.startswith("manlycoffee.110351250115060992:")
    ]
    assert sorted(split, key=int) == [str(number) for number in range(1, 11)]
    means = {
        "AIRC": 68.0789,
        "GPT4-5shot": 94.8947,
        "Lan-BridgeMT": 82.8684,
        "NLLB_Greedy": 72.2763,
    }
    for system, mean in means.items():
        own = ordinary.where(system=f"wmt23.{system}")
        assert own.score.mean() == pytest.approx(mean, abs=5e-5)


def test_parts_are_joined_or_left_out() -> None:
    judgments = read_judgments(SAMPLES / "judgments" / "appraise_split.csv")
    by_system: dict[str, dict[str, float]] = {}
    for _, system, item, score in _ordinary(judgments):
        by_system.setdefault(system, {})[item.rpartition(":")[2]] = score
    parts = by_system.pop("wmt.C")  # users 0115 and 0111: paired with nothing
    assert not parts.keys() & {"1", "2", "3", "4", "5"}
    assert {name: parts[name] for name in ("engdeu0115#71", "engdeu0111#33")} == {
        "engdeu0115#71": 61,
        "engdeu0111#33": 65,
    }
    assert by_system == {
        "wmt.A": {"1": 41, "2": 42, "3": 43, "4": 44, "5": 45},  # users 0109 and 010a
        "wmt.B": {"1": 51, "2": 52, "3": 53, "4": 54, "5": 55},
        "wmt.D": {"1": 71, "2": 72, "4": 74, "5": 75},  # a gap is no shift
    }
    bad = judgments.take(judgments.is_kind("degraded"))
    assert dict(zip(bad.item.labels(), bad.score.tolist(), strict=True)) == {"3": 3, "4": 4}
    assert judgments.notes == (
        "1 judgment left out: unchanged items of degraded documents (#bad).",
        "Items are numbered by their place in a task: segments were counted within each document.",
        "1 document of one system split over two tasks put together.",
        "5 judgments of parts of documents (split over tasks, or not finished) whose place in the "
        "document cannot be told: they are paired with nothing.",
    )


def test_a_degraded_copy_of_a_part_is_paired_with_the_part() -> None:
    items = [*_shown("w01", "other", 90, 5), *_shown("u01", "mine", 10, 2)]
    copy = Shown("u01", "mine", "doc", "bad1")
    items += [(copy, "40"), (copy, "41")]
    segments = segments_in_documents(items)
    assert segments is not None
    assert segments.unplaced == {Shown("u01", "mine", "doc"), copy}
    assert segments.names[copy, "41"] == segments.names[Shown("u01", "mine", "doc"), "11"]
    items += [(copy, "42")]
    segments = segments_in_documents(items)
    assert segments is not None
    assert segments.names[copy, "41"] == "u01#41"  # longer than the part: a copy of what?


def _shown(user: str, system: str, first: int, n: int) -> Iterator[tuple[Shown, str]]:
    for place in range(first, first + n):
        yield Shown(user, system, "doc"), str(place)


@pytest.mark.parametrize(
    ("users", "lengths", "expected"),
    [
        (("u01", "u02"), (2, 3), "1"),
        (("u02", "u01"), (2, 3), "4"),  # the second half of the document was listed first
        (("u0f", "u10"), (2, 3), "1"),  # users are counted in hexadecimal digits
        (("u01", "u03"), (2, 3), None),
        (("u01", "v02"), (2, 3), None),
        (("u01", "u02"), (2, 2), None),  # together shorter than the document elsewhere
        (("u01", "u02", "u03"), (2, 3, 2), None),  # u02 fits behind u01 and before u03
        (("u-1", "u-2"), (5, 3), "1"),  # the first is whole
    ],
)
def test_when_two_parts_belong_together(
    users: tuple[str, ...], lengths: tuple[int, ...], expected: str | None
) -> None:
    items = list(_shown("w01", "other", 90, 5))
    for number, (user, length) in enumerate(zip(users, lengths, strict=True)):
        items += _shown(user, "mine", 10 * (number + 1), length)
    segments = segments_in_documents(items)
    assert segments is not None
    mine = Shown(users[0], "mine", "doc")
    assert segments.names[mine, "10"] == (f"{users[0]}#10" if expected is None else expected)
    assert (mine in segments.unplaced) == (expected is None)
    assert segments.names[Shown("w01", "other", "doc"), "94"] == "5"


# --- Exports of Appraise: which column is what ---

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
