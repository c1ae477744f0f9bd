"""What a control variates shows, against one made by hand."""

from dataclasses import replace

from detectable.report.blocks import Repeat, Text, Verdict
from detectable.report.blocks_of import blocks_of
from tests.report import results
from tests.report.show.shown import block_of, columns, csv_lines, rows, shown, table_of


def test_blocks_in_order() -> None:
    assert shown(results.control_variates()) == ["Verdict", "pairs", "means", "Text", "Repeat"]


def test_verdict() -> None:
    assert block_of(results.control_variates(), "Verdict") == Verdict(
        status="info",
        headline="With COMET the same precision takes 19% fewer judgments (correlation 0.45 within systems, data efficiency 1.25).",
        detail=(
            "new is better than old: +2.25 [+0.50, +4.00], p = .0220 (without the metric +2.00, p = .1000).",
        ),
    )


def test_the_table_of_pairs() -> None:
    table = table_of(results.control_variates(), "pairs")
    assert (table.title, table.breaks, table.folded) == ("Differences", (), False)
    assert columns(table) == [
        "system: system, name",
        "baseline: against, name",
        "estimate: difference / diff., number",
        "interval: 95% interval, interval",
        "p_value: p, p, keep 9",
        "p_adjusted: p corrected / p corr., p",
        "standard_error: SE, number, keep 3",
        "plain_standard_error: SE plain, number, keep 4",
        "saved: saved, share, keep 2",
        "n_items: items, count, keep 5",
        "paired: items shared, text, keep 6",
        "verdict: verdict, verdict",
    ]
    assert rows(table) == [
        "new | old | +2.25 | [+0.50, +4.00] | .0110 | .0220 | 0.90 | 1.00 | 19% | 110 | yes | ▲ better",
    ]
    assert csv_lines(table) == [
        "system,baseline,estimate,interval_low,interval_high,p_value,p_adjusted,standard_error,plain_standard_error,saved,n_items,paired,verdict",
        "new,old,2.25,0.5,4.0,0.011,0.022,0.9,1.0,0.18999999999999995,110,yes,better",
    ]


def test_the_table_of_means() -> None:
    table = table_of(results.control_variates(), "means")
    assert (table.title, table.breaks, table.folded) == ("Means", (), False)
    assert columns(table) == [
        "system: system, name",
        "mean: mean, number",
        "interval: 95% interval, interval",
        "standard_error: SE, number, keep 2",
        "plain_mean: plain mean, number, keep 3",
        "plain_standard_error: SE plain, number, keep 3",
        "slope: λ, number, keep 5",
        "correlation: correlation / corr., number, keep 4",
        "n_items: items, count, keep 4",
        "n_pool: pool, count, keep 5",
    ]
    assert rows(table) == [
        "new | 70.50 | [68.00, 73.00] | 1.25 | 71.50 | 1.50 | 0.62 | 0.45 | 120 | 2,000",
    ]
    assert csv_lines(table) == [
        "system,mean,interval_low,interval_high,standard_error,plain_mean,plain_standard_error,slope,correlation,n_items,n_pool",
        "new,70.5,68.0,73.0,1.25,71.5,1.5,0.625,0.45,120,2000",
    ]


def test_note() -> None:
    assert Text(
        role="note", title="Notes", text="", points=(("plain", "The pool has 2,000 items."),)
    ) in blocks_of(results.control_variates())


def test_repeat() -> None:
    assert block_of(results.control_variates(), "Repeat") == Repeat(
        signature="toy|n:3|seed:7|detectable:0.0", command=""
    )


def test_one_system_has_no_differences() -> None:
    assert shown(results.control_variates(pairs=())) == [
        *("Verdict", "means", "Text", "Repeat"),
    ]


def test_pairs_on_different_items_say_so_and_many_are_folded() -> None:
    one = results.control_variates().pairs[0]
    made = results.control_variates(pairs=(replace(one, paired=False),) * 13)
    table = table_of(made, "pairs")
    assert table.column("paired") == ("no",) * 13
    assert table.folded
    assert not table_of(results.control_variates(pairs=(one,) * 12), "pairs").folded
    verdict = block_of(made, "Verdict")
    assert isinstance(verdict, Verdict)
    assert len(verdict.detail) == 12
