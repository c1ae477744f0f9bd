"""What a plan history shows, against one made by hand."""

import pytest

from detectable.report.blocks import Repeat, Verdict
from detectable.study.monitoring.plan_history import AdmissionRow, PlanHistory
from tests.report import results
from tests.report.show.shown import block_of, columns, csv_lines, rows, shown, table_of


def test_blocks_in_order() -> None:
    assert shown(results.watched()) == [
        *("Verdict", "chart path", "Text", "looks", "ledger", "Text", "Methods", "Repeat"),
    ]


def test_verdict() -> None:
    assert block_of(results.plan_history(), "Verdict") == Verdict(
        status="undecided",
        headline="2 looks so far; the last said «continue». At this trend it ends around look 3.",
        detail=(
            "Asked: Ship?",
            "Planned: new against old, better or worse, by paired-mean, up to 1,001 items, error rate 0.05.",
        ),
    )


@pytest.mark.parametrize(
    ("history", "status", "headline"),
    [
        (
            results.watched(),
            "better",
            "Stopped at look 4: better.",
        ),
        (
            results.watched((-2.0, -3.5), "stop: worse"),
            "worse",
            "Stopped at look 2: worse.",
        ),
        (
            results.watched((1.4, 2.0), "continue"),
            "undecided",
            "2 looks so far; the last said «continue». At this trend it ends around look 4.",
        ),
        (
            results.watched((1.0, 0.5, 0.2), "stop: futile"),
            "undecided",
            "Stopped at look 3: a decision has become unlikely.",
        ),
        (
            results.watched((1.0,) * 5, "stop: undecided"),
            "undecided",
            "Stopped at look 5: undecided at the end.",
        ),
        (results.bet_on(), "better", "Stopped at look 3: better."),
        (
            results.watched(last="stop", systems=("a", "b", "c"), baseline="c"),
            "info",
            "Stopped at look 4: every pair is settled.",
        ),
    ],
    ids=lambda value: value if isinstance(value, str) else "",
)
def test_the_headline_says_how_it_stands(
    history: PlanHistory, status: str, headline: str
) -> None:
    found = block_of(history, "Verdict")
    assert isinstance(found, Verdict)
    assert (found.status, found.headline) == (status, headline)


def test_the_table_of_looks() -> None:
    table = table_of(results.plan_history(), "looks")
    assert (table.title, table.breaks, table.folded) == ("Looks", (), False)
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
        "time: time, text, keep 9",
    ]
    assert rows(table) == [
        "1 | new | old | 60 | 1,240 | 0.4062 | +1.234 | [−0.25, +2.75] | z −1.500 | 2.750 | −1.50 | 2.75 | 0.12 | 0.01 | – | – | continue | 2026-01-02T03:04:05Z",
        "2 | new | old | 120 | 1,240 | 0.4062 | +1.234 | [−0.25, +2.75] | z −1.500 | – | −1.50 | ∞ | 0.12 | 0.01 | – | – | continue | 2026-01-03T03:04:05Z",
    ]
    assert csv_lines(table) == [
        "look,system,baseline,n_units,judgments,information,estimate,interval_low,interval_high,evidence,needed,z,z_bound,futility_bound,alpha_spent,e_value,e_needed,decision,time",
        "1,new,old,60,1240,0.40625,1.2345,-0.25,2.75,z −1.500,2.750,-1.5,2.75,0.125,0.006,,,continue,2026-01-02T03:04:05Z",
        "2,new,old,120,1240,0.40625,1.2345,-0.25,2.75,z −1.500,–,-1.5,inf,0.125,0.006,,,continue,2026-01-03T03:04:05Z",
    ]


def test_repeat() -> None:
    assert block_of(results.plan_history(), "Repeat") == Repeat(
        signature="toy|n:3|seed:7|detectable:0.0", command=""
    )


def test_a_plan_that_was_not_looked_at_has_no_table() -> None:
    made = results.plan_history(looks=(), n_looks=0, decision=None)
    assert shown(made) == [
        *("Verdict", "chart boundaries", "Text", "looks", "Text", "Methods", "Repeat"),
    ]
    found = block_of(made, "Verdict")
    assert isinstance(found, Verdict)
    assert found.headline == "Planned: 1,001 items at most, 2 looks; not looked at yet."


def test_admissions_are_listed_before_the_look_that_saw_them() -> None:
    rows = (
        AdmissionRow(
            look=1, rater="ann", outcome="admitted", n_pairs=4, n_judgments=40, p_value=0.01
        ),
        AdmissionRow(
            look=2, rater="cho", outcome="waiting", n_pairs=1, n_judgments=10, p_value=None
        ),
    )
    made = results.plan_history(admissions=rows)
    assert csv_lines(table_of(made, "admissions")) == [
        "look,rater,outcome,n_judgments,n_pairs,p_value",
        "1,ann,admitted,40,4,0.01",
        "2,cho,waiting,10,1,",
    ]
    assert "admissions" not in shown(results.plan_history())
