"""What a conclusion shows, against one made by hand."""

from detectable.report.blocks import Repeat, Text, Verdict
from detectable.report.blocks_of import blocks_of
from tests.report import results
from tests.report.show.shown import block_of, columns, csv_lines, rows, shown, table_of


def test_blocks_in_order() -> None:
    assert shown(results.conclusion()) == ["Verdict", "pairs", "Text", "Repeat"]


def test_verdict() -> None:
    assert block_of(results.conclusion(), "Verdict") == Verdict(
        status="better",
        headline="new is better than old: +1.23 (mean difference) [+0.50, +2.12], p = .0084 over all looks.",
        detail=(
            "undecided between third and old (futile): +1.23 (mean difference).",
            "3 looks, 2,720 judgments, 480 planned judgments saved.",
        ),
    )


def test_the_table_of_pairs() -> None:
    table = table_of(results.conclusion(), "pairs")
    assert (table.title, table.breaks, table.folded) == ("Conclusion", (), False)
    assert columns(table) == [
        "system: system, name",
        "baseline: against, name",
        "verdict: verdict, verdict",
        "reason: reason, text, keep 9",
        "look: look, count, keep 3",
        "n_units: n, count, keep 2",
        "estimate: difference / diff., signed number",
        "interval: interval, signed interval",
        "naive_estimate: plain estimate, signed number, keep 9",
        "p_value: p, p, keep 9",
        "p_adjusted: p over all looks / p, p",
    ]
    assert rows(table) == [
        "new | old | ▲ better | boundary | 3 | 1,360 | +1.234 | [+0.500, +2.125] | +1.500 | .0042 | .0084",
        "third | old | ○ undecided | futile | 2 | 900 | +1.234 | – | +1.500 | – | –",
    ]
    assert csv_lines(table) == [
        "system,baseline,verdict,reason,look,n_units,estimate,interval_low,interval_high,naive_estimate,p_value,p_adjusted",
        "new,old,better,boundary,3,1360,1.2345,0.5,2.125,1.5,0.0042,0.0084",
        "third,old,undecided,futile,2,900,1.2345,,,1.5,,",
    ]


def test_note() -> None:
    assert Text(
        role="note", title="Notes", text="", points=(("plain", "Overrun of 5 items."),)
    ) in blocks_of(results.conclusion())


def test_repeat() -> None:
    assert block_of(results.conclusion(), "Repeat") == Repeat(
        signature="toy|n:3|seed:7|detectable:0.0", command=""
    )


def test_what_the_looks_saved_is_said_however_many_pairs_there_are() -> None:
    many = tuple(results.concluded(system=f"s{i}") for i in range(20))
    found = block_of(results.conclusion(pairs=many), "Verdict")
    assert isinstance(found, Verdict)
    assert len(found.detail) == 13
    assert found.detail[-1] == "3 looks, 2,720 judgments, 480 planned judgments saved."
    assert found.detail[-2].startswith("s12 is better than old")


def test_the_status_is_that_of_the_first_pair() -> None:
    pairs = (results.concluded(verdict="non-inferior"), results.concluded(verdict="worse"))
    found = block_of(results.conclusion(pairs=pairs, margin=1.0), "Verdict")
    assert isinstance(found, Verdict)
    assert found.status == "equivalent"
