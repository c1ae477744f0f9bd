"""What alternative texts and titles say of systems in an order."""

from dataclasses import dataclass

from detectable.contrasts.contrast import NO_INTERVAL, Contrast
from detectable.core.verdict import Verdict
from detectable.report.shown.ordered import each, ranks_of, who_beats_whom, who_is_first


@dataclass(frozen=True)
class Row:
    system: str
    rank_low: int
    rank_high: int


def pair(system: str, baseline: str, verdict: Verdict) -> Contrast:
    return Contrast(
        system=system,
        baseline=baseline,
        difference=1.0,
        interval=NO_INTERVAL,
        p_value=0.1,
        p_adjusted=0.1,
        verdict=verdict,
    )


def test_ranks_are_one_number_or_two() -> None:
    assert [ranks_of(Row("a", 2, 2)), ranks_of(Row("a", 1, 3))] == ["2", "1–3"]


def test_the_title_names_who_is_alone_on_top_and_counts_who_is_not() -> None:
    rows = [Row("a", 1, 2), Row("b", 1, 2), Row("c", 3, 3)]
    assert who_is_first(rows, 1) == "2 of 3 systems could be first; 1 line can be drawn"
    assert who_is_first(rows[1:], 0) == "Only b can be first; no line can be drawn"


def test_twelve_systems_are_told_and_the_others_counted() -> None:
    rows = [Row(f"s{i}", i, i) for i in range(1, 14)]
    told = each(rows[:12], lambda row: f"{row.rank_low}.5")
    assert told.startswith("s1: 1.5, ranks 1. s2: ")
    assert told.endswith("s12: 12.5, ranks 12.")
    told = each(rows, lambda row: f"{row.rank_low}.5")
    assert told.endswith("s12: 12.5, ranks 12. And 1 more in the table.")


def test_a_system_that_ranks_lower_may_still_win_a_pair() -> None:
    rows = [Row("a", 1, 2), Row("b", 1, 2), Row("c", 3, 3)]
    pairs = [pair("a", "c", "better"), pair("a", "b", "worse"), pair("b", "c", "better")]
    assert who_beats_whom(rows, pairs) == "a beats 1, b beats 2."
    assert who_beats_whom(rows, [pair("a", "c", "undecided")]) == "No system beats another."
