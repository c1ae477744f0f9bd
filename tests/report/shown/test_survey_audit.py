"""What the audit of a survey shows, against one made by hand."""

from typing import Any

import numpy as np
import pytest

from detectable.report.blocks import Chart, Methods, Text, Verdict
from tests.report import results
from tests.report.charts.drawn import check_readable
from tests.report.results import NAN
from tests.report.shown.shown import block_of, columns, rows, shown, table_of


def test_blocks_in_order() -> None:
    assert shown(results.survey_audit()) == [
        *("Verdict", "chart studies", "Text", "bands", "studies", "Text", "Methods", "Repeat")
    ]


def test_verdict() -> None:
    assert block_of(results.survey_audit(), "Verdict") == Verdict(
        status="info",
        headline="Larger studies report smaller effects: as if small ones were published only "
        "where they saw a large one.",
        detail=(
            "Of 7 studies Kendall's τ of n and effect is −0.125 (p = .0246); the median study has "
            "30 items.",
        ),
    )


def test_limits() -> None:
    assert block_of(results.survey_audit(), "Text") == Text(
        "limits",
        "What a study could have shown",
        "If the true effect is 0.062, a study of 20 items shows it with a power of 0.06, and a "
        "significant result is 4.8 times as large as the truth, assuming an SD of 0.5 of an item's "
        "difference.",
    )
    bands = (results.size_band(type_m=NAN),)
    said = block_of(results.survey_audit(bands=bands, noise=""), "Text")
    assert isinstance(said, Text)
    assert said.text == (
        "Nothing is known about the noise of a study, so that its power cannot be told."
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


def test_the_table_of_studies() -> None:
    table = table_of(results.survey_audit(), "studies")
    assert rows(table)[0] == "20 | −0.125"
    assert rows(table)[-1] == "850 | +0.188"
    assert not table.folded
    many = results.survey_audit(sizes=np.arange(1.0, 14.0), effects=np.zeros(13))
    assert table_of(many, "studies").folded


def _chart(**changes: Any) -> Chart:
    made = block_of(results.survey_audit(**changes), "chart studies")
    assert isinstance(made, Chart)
    return made


def test_the_chart_of_studies() -> None:
    chart = _chart()
    assert (chart.key, chart.twin) == (True, "studies")
    assert chart.title == "Of 7 studies, larger ones report smaller effects: τ = −0.125"
    assert chart.caption == (
        "A dot is a study. Green, dashed: the true effect that is assumed, 0.062. Orange: what a "
        "significant result of that size would show on average if it is true."
    )
    assert chart.alt == (
        f"{chart.title}. 6 studies of 20 items: median effect +0.235. 1 study of 700–1,000 items: "
        "median effect +0.235."
    )


@pytest.mark.parametrize(
    ("tau", "p_value", "said"),
    [
        (0.25, 0.01, ", larger ones report larger effects: τ = 0.250"),
        (
            -0.25,
            0.06,
            ", larger ones report neither larger nor smaller effects, as far as shown: τ = −0.250",
        ),
        (NAN, NAN, " size and effect cannot be compared"),
    ],
)
def test_titles_of_other_surveys(tau: float, p_value: float, said: str) -> None:
    assert _chart(tau=tau, p_value=p_value).title == f"Of 7 studies{said}"


def test_what_is_drawn_of_studies() -> None:
    _, assumed, curve, dots = _chart().make(720)["layer"]
    assert assumed["encoding"]["y"] == {"datum": 0.0625}
    assert curve["data"]["values"] == [
        {"n": 20.0, "effect": 0.0625 * 4.75},
        {"n": 850.0, "effect": 0.0625 * 1.25},
    ]
    assert dots["data"]["values"][0] == {"n": 20.0, "effect": 0.5}
    assert len(dots["data"]["values"]) == 7
    quiet = _chart(bands=(results.size_band(type_m=NAN),))
    assert quiet.caption == "A dot is a study."
    assert len(quiet.make(720)["layer"]) == 2


def test_of_very_many_studies_a_part_is_drawn() -> None:
    n = 1201
    chart = _chart(sizes=np.arange(1.0, n + 1.0), effects=np.linspace(-1.0, 1.0, n))
    assert chart.caption.startswith("A dot is a study; a part of them is drawn.")
    assert len(chart.make(720)["layer"][-1]["data"]["values"]) == 401
    check_readable(chart)


def test_methods() -> None:
    assert block_of(results.survey_audit(), "Methods") == Methods(
        "Size and effect of 7 studies were compared by Kendall's τ-b (Card et al., 2020): τ = −0.125, "
        "p = .0246 (two-sided). Power and the average exaggeration of significant results (Type-M "
        "error; Gelman and Carlin, 2014) are for a true effect of 0.062 at α = 0.05, assuming an SD "
        "of 0.5 of an item's difference.",
        ("card-etal-2020", "gelman-carlin-2014"),
    )
    plain = block_of(results.survey_audit(noise=""), "Methods")
    assert isinstance(plain, Methods)
    assert plain.cite == ("card-etal-2020",)
    assert plain.paragraph.endswith("(two-sided).")
