"""What the audit of a survey shows, against one made by hand."""

from detectable.report.blocks import Verdict
from tests.report import results
from tests.report.show.shown import block_of, columns, rows, shown, table_of


def test_blocks_in_order() -> None:
    assert shown(results.survey_audit()) == ["Verdict", "bands", "Text", "Repeat"]


def test_verdict() -> None:
    assert block_of(results.survey_audit(), "Verdict") == Verdict(
        status="info",
        headline="Larger studies report smaller effects: as if small ones were published only "
        "where they saw a large one.",
        detail=(
            "Of 7 studies Kendall's τ of n and effect is −0.125 (p = .0246); the median study has "
            "30 items. If the true effect is 0.062, a study of 20 items shows it with a power of "
            "0.06, and a significant result is 4.8 times as large as the truth, assuming an SD of "
            "0.5 of an item's difference.",
        ),
    )


def test_the_table_of_bands() -> None:
    table = table_of(results.survey_audit(), "bands")
    assert columns(table) == [
        "items: items, text",
        "n_studies: studies, count",
        "n: median n / median, number, keep 3",
        "median_effect: median effect / effect, signed number",
        "effect_sd: spread, number",
        "share_positive: above 0, share, keep 2",
        "power: power, number",
        "type_m: Type-M, number",
        "type_s: Type-S, share, keep 2",
    ]
    assert rows(table) == [
        "20 | 6 | 20 | +0.235 | 0.250 | 75% | 0.06 | 4.8 | 12%",
        "700–1,000 | 1 | 850 | +0.235 | – | 75% | 0.06 | 1.2 | 12%",
    ]
    assert table.note.startswith("If the true effect is 0.062: power to see it")


def test_without_noise_nothing_is_said_about_power() -> None:
    table = table_of(results.survey_audit(noise=""), "bands")
    assert [column.key for column in table.columns][-1] == "share_positive"
    assert table.note == ""
