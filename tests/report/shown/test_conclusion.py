"""What a conclusion shows, against one made by hand."""

import math
from typing import Any

import pytest

from detectable.core.interval import Interval
from detectable.report.blocks import Chart, Methods, Repeat, Text, Verdict
from detectable.report.blocks_of import blocks_of
from detectable.report.methods.bibliography import bibtex
from detectable.study.monitoring.conclusion import Conclusion
from tests.report import results
from tests.report.charts.drawn import JAPANESE, LONG, check
from tests.report.shown.shown import block_of, columns, csv_lines, rows, shown, table_of


def test_blocks_in_order() -> None:
    assert shown(results.conclusion()) == [
        *("Verdict", "Text", "pairs", "chart estimates", "Text", "Repeat"),
    ]
    assert shown(results.RESULTS["conclusion"]) == [
        *("Verdict", "chart path", "Text", "pairs", "chart estimates", "looks", "ledger"),
        *("Text", "Text", "Methods", "Repeat"),
    ]


def test_verdict() -> None:
    assert block_of(results.conclusion(), "Verdict") == Verdict(
        status="info",
        headline="1 of 2 pairs is decided after 3 looks; 480 planned judgments saved.",
        detail=(
            "Asked: Ship?",
            "Better against old: new.",
            "Undecided against old: third.",
            "3 looks, 2,720 judgments.",
        ),
    )


def single(**changes: Any) -> Conclusion:
    pair = {name: changes.pop(name) for name in list(changes) if name in PAIR}
    return results.conclusion(pairs=(results.concluded(**pair),), **changes)


PAIR = {
    "verdict",
    "reason",
    "p_value",
    "p_adjusted",
    "estimate",
    "naive_estimate",
    "interval",
    "method",
}


def test_one_pair_is_said_with_its_look_and_what_was_saved() -> None:
    assert block_of(single(), "Verdict") == Verdict(
        status="better",
        headline="new is better than old, decided at look 3; 480 planned judgments saved.",
        detail=(
            "Asked: Ship?",
            "+1.23 (mean difference) [+0.50, +2.12], p = .0084 over all looks.",
            "3 looks, 2,720 judgments.",
        ),
    )
    priced = results.watched(cost_per_judgment=0.25)
    found = block_of(single(history=priced), "Verdict")
    assert isinstance(found, Verdict)
    assert found.headline.endswith("480 planned judgments saved (worth 120).")
    open_ = single(verdict="undecided", reason="no boundary was reached", saved=0, question="")
    assert block_of(open_, "Verdict") == Verdict(
        status="undecided",
        headline="Undecided between new and old after 3 looks.",
        detail=(
            "Undecided (no boundary was reached): +1.23 (mean difference) [+0.50, +2.12], "
            "p = .0084 over all looks.",
            "3 looks, 2,720 judgments.",
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
        "naive_estimate: plain estimate / plain, signed number, keep 4",
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


def test_many_pairs_are_named_by_their_verdict() -> None:
    many = tuple(results.concluded(system=f"s{i}") for i in range(20))
    found = block_of(results.conclusion(pairs=many), "Verdict")
    assert isinstance(found, Verdict)
    assert (
        found.headline
        == "20 of 20 pairs are decided after 3 looks; 480 planned judgments saved."
    )
    names = ", ".join(f"s{i}" for i in range(12))
    assert found.detail[1:] == (
        f"Better against old: {names} and 8 more.",
        "3 looks, 2,720 judgments.",
    )
    apart = (results.concluded(), results.concluded(baseline="third", verdict="worse"))
    found = block_of(results.conclusion(pairs=apart), "Verdict")
    assert isinstance(found, Verdict)
    assert found.detail[1:3] == ("Better: new − old.", "Worse: new − third.")


def test_the_status_is_that_of_all_pairs_or_none() -> None:
    pairs = (results.concluded(verdict="non-inferior"), results.concluded(verdict="worse"))
    for chosen, status in (
        (pairs, "info"),
        (pairs[:1], "equivalent"),
        (pairs[1:] * 2, "worse"),
    ):
        found = block_of(results.conclusion(pairs=chosen, margin=1.0), "Verdict")
        assert isinstance(found, Verdict)
        assert found.status == status


def texts(conclusion: Conclusion, role: str) -> str:
    found = [b for b in blocks_of(conclusion) if isinstance(b, Text) and b.role == role]
    return found[0].text if found else ""


def test_limits_say_which_estimate_to_report() -> None:
    assert texts(single(), "limits") == (
        "The plain estimate is +1.50. Whoever stops when it looks good stops on lucky days: it is "
        "too far from zero on average. The estimate to report is +1.23, which knows of the looks."
    )
    assert texts(results.conclusion(), "limits").endswith("(2 of 2 pairs moved).")
    assert texts(single(naive_estimate=1.2345), "limits") == (
        "After an early stop an estimate is too far from zero on average; the interval holds all the "
        "same."
    )
    tie = single(verdict="undecided", naive_estimate=1.2345, interval=Interval(-0.5, 2.0, 0.95))
    assert texts(tie, "limits") == (
        "Undecided between new and old is not a tie: anything from −0.50 to +2.00 fits the data."
    )
    planned = single(naive_estimate=1.2345, history=results.watched())
    assert "The plan was made to show a difference of 2.71 or more with 90% power" in texts(
        planned, "limits"
    )


def test_limits_say_which_interval_a_margin_rests_on() -> None:
    inside = Interval(-0.5, 1.5, 0.9)
    same = {"naive_estimate": 1.2345, "margin": 2.0, "interval": inside}
    assert texts(single(verdict="equivalent", **same), "limits") == (
        "Equivalent within ±2: the 90% interval [−0.50, +1.50] lies inside the margin (a test of "
        "equivalence with error rate 0.05 uses it)."
    )
    lower = {**same, "interval": Interval(-0.5, math.inf, 0.95)}
    assert texts(single(verdict="non-inferior", **lower), "limits") == (
        "Not worse by more than 2: the lower 95% limit −0.50 lies above −2."
    )


def test_the_picture_of_estimates_says_which_way_the_plain_ones_err() -> None:
    def titled(**changes: Any) -> str:
        found = block_of(single(**changes), "chart estimates")
        assert isinstance(found, Chart)
        return found.title

    assert titled() == "The plain estimate lies 0.27 farther from zero than the adjusted one"
    assert titled(naive_estimate=-1.5, estimate=-1.234) == titled()
    assert titled(naive_estimate=1.0).endswith("0.23 nearer to zero than the adjusted one")
    two = block_of(results.conclusion(), "chart estimates")
    assert isinstance(two, Chart)
    assert (
        two.title == "Plain estimates lie 0.27 farther from zero than adjusted ones on average"
    )
    assert two.alt.endswith("third − old: plain +1.500, adjusted +1.234.")
    assert "with its 95% interval" in two.caption
    assert not two.key
    assert "chart estimates" not in shown(single(naive_estimate=1.2345))


def test_columns_that_say_nothing_are_left_to_spreadsheets() -> None:
    found = columns(table_of(single(naive_estimate=1.2345, p_adjusted=math.nan), "pairs"))
    assert found[-3:] == [
        "naive_estimate: plain estimate / plain, signed number, keep 9",
        "p_value: p, p, keep 9",
        "p_adjusted: p over all looks / p, p, keep 9",
    ]


@pytest.mark.parametrize(
    ("method", "said", "key"),
    [
        (
            "stagewise ordering, median unbiased",
            "of the stagewise ordering",
            "tsiatis-etal-1984",
        ),
        ("repeated interval of the margin", "Repeated confidence", "jennison-turnbull-1989"),
    ],
)
def test_the_paragraph_says_how_the_numbers_were_made(method: str, said: str, key: str) -> None:
    made = block_of(single(method=method, history=results.watched()), "Methods")
    assert isinstance(made, Methods)
    assert "It took 3 looks and 2,720 judgments; 480 planned judgments were not needed." in (
        made.paragraph
    )
    assert said in made.paragraph
    assert key in made.cite
    assert made.paragraph.endswith(
        "new is better than old: +1.23 (mean difference) [+0.50, +2.12], p = .0084 over all looks."
    )
    bibtex(made.cite)


def test_bets_cite_bets() -> None:
    made = single(method="confidence sequence", history=results.bet_on())
    found = block_of(made, "Methods")
    assert isinstance(found, Methods)
    assert "p-values 1 / the largest E" in found.paragraph
    assert found.cite == (
        *("ramdas-etal-2023", "waudby-smith-ramdas-2024", "waudby-smith-etal-2024"),
    )


def test_long_and_japanese_names_can_be_read() -> None:
    names = (LONG, LONG[::-1], JAPANESE)
    pairs = tuple(results.concluded(system=name, baseline=JAPANESE) for name in names[:2])
    history = results.watched(systems=names, baseline=JAPANESE)
    check(blocks_of(results.conclusion(pairs=pairs, history=history)))
    check(blocks_of(results.conclusion(pairs=pairs[:1], history=results.bet_on())))
