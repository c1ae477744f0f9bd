"""Ledger, checks and paragraphs of plans."""

from dataclasses import replace
from typing import Any

import pytest

from detectable.report.methods.bibliography import bibtex
from detectable.report.shown.monitoring_words import checks, ledger, methods, said_time
from tests.report import results
from tests.report.shown.shown import columns, rows


def test_the_ledger_in_order() -> None:
    table = ledger(results.watched())
    assert columns(table) == [
        "look: look, count",
        "time: time, text",
        "judgments: judgments, count",
        "new_judgments: new, count, keep 2",
        "decision: decision, text",
        "fingerprint: fingerprint, text, keep 3 (of this entry and all before it)",
    ]
    assert rows(table) == [
        "1 | 2026-01-03 03:04 UTC | 240 | 239 | continue | 1fedcba98765",
        "2 | 2026-01-04 03:04 UTC | 480 | 239 | continue | 2fedcba98765",
        "3 | 2026-01-05 03:04 UTC | 720 | 239 | continue | 3fedcba98765",
        "4 | 2026-01-06 03:04 UTC | 960 | 239 | stop: better | 4fedcba98765",
    ]


def test_times_as_people_write_them() -> None:
    assert said_time("2026-01-03T03:04:05+02:00") == "2026-01-03 03:04"
    assert said_time("yesterday") == "yesterday"


def points(**changes: Any) -> list[tuple[str, str]]:
    return list(checks(replace(results.watched(), **changes)).points)


def test_everything_went_as_planned() -> None:
    assert points() == [
        (
            "ok",
            "The plan was frozen on 2026-01-02 03:04 UTC, before the first look (2026-01-03 03:04 "
            "UTC). Its fingerprint: abc.",
        ),
        (
            "ok",
            "4 looks, each with the fingerprint of the one before: nothing was changed, removed or "
            "put in between. The last: 4fedcba98765.",
        ),
        (
            "plain",
            "The claims are about the raters who judge; with raters as units, or the mixed model, "
            "they are about raters like them.",
        ),
    ]


def test_what_did_not_go_as_planned_is_to_be_looked_at() -> None:
    history = results.watched()
    late = replace(history.plan, created="2026-01-03T03:04:06+00:00")
    assert points(plan=late)[0][0] == "look"
    assert "after the first look" in points(plan=late)[0][1]
    naive = replace(history.plan, created="2026-01-01T03:04:06")
    assert points(plan=naive)[0][0] == "ok"
    entries = (
        replace(history.entries[0], overruled=True),
        replace(history.entries[1], declared=True),
    )
    marked = [text for mark, text in points(entries=entries) if mark == "look"]
    assert [text.partition(".")[0] for text in marked] == [
        "Look 1 went on against the advice to give up",
        "Look 2 was declared the last",
    ]


def test_a_plan_that_nobody_looked_at() -> None:
    assert points(entries=())[0] == (
        "ok",
        "The plan was frozen on 2026-01-02 03:04 UTC, and nobody has looked yet. Its fingerprint: "
        "abc.",
    )
    assert points(entries=())[1][1].startswith("The claims will be about")
    items = replace(results.watched().plan, unit="item")
    assert points(plan=items)[-1] == (
        "plain",
        "Items count as independent, also those of one document.",
    )


@pytest.mark.parametrize(
    ("changes", "said", "cite"),
    [
        (
            {},
            "test whether new is better or worse than old by the mean difference within items, on up "
            "to 600 items. It allowed for 5 looks (planned at 20%, 40%, 60%, 80%, 100% of the "
            "maximum) with Hwang-Shih-DeCani (γ = −4) boundaries, two-sided, with an error rate of "
            "0.05 over all looks. Advice to give up came from predictive power and is not binding.",
            ("jennison-turnbull-2000", "lan-demets-1983", "hwang-etal-1990"),
        ),
        (
            {"systems": ("a", "b", "c"), "baseline": "c"},
            "test whether a, b are better or worse than c by the mean difference within items, on up "
            "to 600 items. It allowed for 5 looks (planned at 20%, 40%, 60%, 80%, 100% of the "
            "maximum) with Hwang-Shih-DeCani (γ = −4) boundaries, two-sided, with an error rate of "
            "0.05 over all looks. The 2 comparisons share the error rate by Holm's procedure for "
            "group-sequential tests. Advice to give up came from predictive power and is not "
            "binding.",
            (
                *("jennison-turnbull-2000", "lan-demets-1983", "hwang-etal-1990"),
                "maurer-bretz-2013",
            ),
        ),
        (
            {
                "claim": "equivalent",
                "margin": 2.0,
                "design": {"family": "fixed", "futility": "none"},
            },
            "test whether new is equivalent to old within ±2 by the mean difference within items, on "
            "up to 600 items. It allowed for one look, one-sided, at error rate 0.05.",
            ("jennison-turnbull-2000",),
        ),
    ],
)
def test_the_paragraph(changes: dict[str, Any], said: str, cite: tuple[str, ...]) -> None:
    plan = replace(results.watched((1.0,), "continue").plan, **changes)
    made = methods(plan)
    begin, _, rest = made.paragraph.partition(": to ")
    assert begin == "Before any judgment was seen, a plan was frozen (SHA-256 abc…)"
    assert rest == said
    assert made.cite == cite
    assert bibtex(made.cite)
    assert methods(plan, found="It ended.", cite=("holm-1979",)).paragraph.endswith(
        " It ended."
    )


def test_the_paragraph_of_bets() -> None:
    plan = replace(results.bet_on().plan, systems=("a", "b", "c"), baseline=None, n_max=None)
    made = methods(plan)
    assert made.paragraph.endswith(
        "to test whether of every two of 3 systems one is better or worse than the other by a betting "
        "e-process, without an end. The evidence could be looked at at any time; the error rate over "
        "all times is 0.05, over all 3 comparisons by e-Holm."
    )
    assert made.cite == (
        *(
            "ramdas-etal-2023",
            "waudby-smith-ramdas-2024",
            "waudby-smith-etal-2024",
            "holm-1979",
        ),
    )
