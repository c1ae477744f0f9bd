"""Documents that Appraise splits over two tasks: which segment is which."""

import csv
from collections.abc import Iterator

import pytest

from detectable.data.formats.appraise import Shown, segments_in_documents
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
