"""What a look shows, against one made by hand."""

import math
from typing import Any

import pytest

from detectable.report.blocks import Repeat, Text, Verdict
from detectable.report.blocks_of import blocks_of
from detectable.study.monitoring.look import Look
from tests.report import results
from tests.report.charts.drawn import JAPANESE, LONG, check
from tests.report.shown.shown import block_of, columns, csv_lines, rows, shown, table_of


def test_blocks_in_order() -> None:
    assert shown(results.look()) == ["Verdict", "Text", "pairs", "Text", "Repeat"]
    assert shown(results.RESULTS["look"]) == [
        *(
            "Verdict",
            "chart path",
            "Text",
            "pairs",
            "ledger",
            "Text",
            "Text",
            "Methods",
            "Repeat",
        ),
    ]


def test_verdict() -> None:
    assert block_of(results.look(), "Verdict") == Verdict(
        status="undecided",
        headline="Look 2: go on.",
        detail=(
            "1,240 judgments so far.",
            "Undecided between new and old so far: +1.23 (mean difference) [−0.25, +2.75] at all looks together; z = −1.500, boundary ±2.750.",
            "third is better than old: +1.23 (mean difference) [+0.25, +∞] at all looks together; E = 25.1, 20 needed.",
        ),
    )


def test_the_table_of_pairs() -> None:
    table = table_of(results.look(), "pairs")
    assert (table.title, table.breaks, table.folded) == ("Pairs", (), False)
    assert columns(table) == [
        "look: look, count",
        "system: system, name",
        "baseline: against, name",
        "n_units: n, count, keep 2",
        "judgments: judgments, count, keep 9",
        "information: information, number, keep 9",
        "estimate: difference / diff., signed number",
        "interval: repeated interval, signed interval, keep 3",
        "evidence: evidence, text",
        "needed: needed, text, keep 2",
        "z: z, number, keep 9",
        "z_bound: z bound, number, keep 9",
        "futility_bound: futility bound, number, keep 9",
        "alpha_spent: alpha spent, number, keep 9",
        "e_value: e value, number, keep 9",
        "e_needed: e needed, number, keep 9",
        "decision: decision, text",
    ]
    assert rows(table) == [
        "2 | new | old | 120 | 1,240 | 0.4062 | +1.234 | [−0.25, +2.75] | z −1.500 | 2.750 | −1.50 | 2.75 | 0.12 | 0.01 | – | – | continue",
        "2 | third | old | 120 | 1,240 | 0.4062 | +1.234 | [+0.25, +∞] | E 25.1 | 20 | – | – | 0.12 | 0.01 | 25.12 | 20.00 | stop: better",
    ]
    assert csv_lines(table) == [
        "look,system,baseline,n_units,judgments,information,estimate,interval_low,interval_high,evidence,needed,z,z_bound,futility_bound,alpha_spent,e_value,e_needed,decision",
        "2,new,old,120,1240,0.40625,1.2345,-0.25,2.75,z −1.500,2.750,-1.5,2.75,0.125,0.006,,,continue",
        "2,third,old,120,1240,0.40625,1.2345,0.25,inf,E 25.1,20,,,0.125,0.006,25.125,20.0,stop: better",
    ]


def test_note() -> None:
    assert Text(
        role="note", title="Notes", text="", points=(("plain", "3 judgments left out."),)
    ) in blocks_of(results.look())


def test_repeat() -> None:
    assert block_of(results.look(), "Repeat") == Repeat(
        signature="toy|n:3|seed:7|detectable:0.0", command=""
    )


@pytest.mark.parametrize(
    ("decision", "status"),
    [
        ("continue", "undecided"),
        ("stop: futile", "undecided"),
        ("stop: undecided", "undecided"),
        ("stop: better", "better"),
        ("stop: worse", "worse"),
        ("stop: equivalent", "equivalent"),
        ("stop: non-inferior", "equivalent"),
        ("stop", "info"),
    ],
)
def test_the_status_goes_with_the_decision(decision: str, status: str) -> None:
    found = block_of(results.look(decision=decision, saved=None), "Verdict")
    assert isinstance(found, Verdict)
    assert found.status == status


def test_twelve_pairs_are_said_and_all_stand_in_the_table() -> None:
    many = tuple(results.pair_look(system=f"s{i}") for i in range(20))
    found = block_of(results.look(pairs=many), "Verdict")
    assert isinstance(found, Verdict)
    assert len(found.detail) == 13
    assert len(table_of(results.look(pairs=many), "pairs").rows) == 20


def test_evidence_that_does_not_exist_is_a_dash() -> None:
    bare = results.pair_look(z=None, z_bound=None)
    far = results.pair_look(z=1.5, z_bound=math.inf)
    table = table_of(results.look(pairs=(bare, far)), "pairs")
    assert table.column("evidence") == ("–", "z +1.500")
    assert table.column("needed") == ("–", "–")


def texts(look: Look, role: str) -> Text:
    return next(b for b in blocks_of(look) if isinstance(b, Text) and b.role == role)


def test_what_is_still_missing() -> None:
    assert texts(results.look(), "limits").text == (
        "new against old: z = −1.50, and ±2.75 would have decided. 1,160 judgments are still planned, "
        "about 800 of them expected at this trend. Still to be judged: new, old."
    )
    bets = results.pair_look(z=None, z_bound=None, e_value=3.5, e_needed=20.0)
    one = results.pair_look(sided=1)
    none = results.pair_look(z_bound=math.inf)
    made = results.look(pairs=(bets, one, none), judgments_planned=None)
    assert texts(made, "limits").text == (
        "new against old: E = 3.5, and 20 decides. new against old: z = −1.50, and +2.75 would have "
        "decided. new against old: z = −1.50, and no boundary yet would have decided."
    )


def test_an_undecided_end_is_no_tie() -> None:
    made = results.look(decision="stop: undecided", pairs=(results.pair_look(),))
    assert texts(made, "limits").text == (
        "Undecided is not equal: anything from −0.25 to +2.75 fits the data."
    )
    told = results.look(
        decision="stop: better", pairs=(results.pair_look(decision="stop: better"),)
    )
    assert not any(isinstance(b, Text) and b.role == "limits" for b in blocks_of(told))


@pytest.mark.parametrize(
    ("zs", "last", "headline"),
    [
        ((1.4, 2.0), "continue", "Look 2: go on. At this trend it ends around look 4."),
        ((1.4, 2.6), "continue", "Look 2: go on. At this trend it ends around look 3."),
        ((0.1,), "continue", "Look 2: go on. At this trend it ends around look 3."),
        ((-1.4, -2.6), "continue", "Look 2: go on. At this trend it ends around look 3."),
        ((2.0, 3.3), "stop: better", "Look 2: stop, better; 480 planned judgments not needed."),
    ],
)
def test_the_headline_says_where_the_trend_leads(
    zs: tuple[float, ...], last: Any, headline: str
) -> None:
    made = results.look(decision=last, saved=480, history=results.watched(zs, last))
    found = block_of(made, "Verdict")
    assert isinstance(found, Verdict)
    assert found.headline == headline


def test_long_and_japanese_names_can_be_read() -> None:
    for names in ((LONG, JAPANESE), (LONG, LONG[::-1], JAPANESE)):
        history = results.watched((1.4, 2.0), "continue", systems=names, baseline=names[-1])
        check(blocks_of(results.look(history=history)))
