"""What becomes of a drawn chart on its way to a page."""

import json
import re
from typing import Any

import pytest

from detectable.core.errors import InputError
from detectable.report.blocks import DATA_ONLY, Chart, Column, Table
from detectable.report.charts.marks import label
from detectable.report.charts.theme import COLOUR, spec
from detectable.report.render.picture import inline_svg, paper_width, render_picture
from detectable.report.render.text_table import arrange, constant

SAID = '+0.0886 of #0067a5, class="x" 1.23456'


def chart() -> Chart:
    def make(width: int) -> dict[str, Any]:
        return spec(
            width=width,
            height=100,
            layer=[label({"value": 10.123456}, {"value": 20}, SAID, colour="better")],
        )

    return Chart("said", "title", "caption.", "alt 1", make, "twin")


def test_what_is_written_in_a_chart_is_never_cut() -> None:
    pytest.importorskip("vl_convert")
    drawn = inline_svg(chart(), 400, name="wide")
    assert f">{SAID}<" in drawn.replace("&quot;", '"')


def test_coordinates_are_short_and_colours_are_those_of_the_page() -> None:
    pytest.importorskip("vl_convert")
    drawn = inline_svg(chart(), 400, name="wide")
    assert "10.12," in drawn
    assert "10.123" not in drawn
    assert 'fill="var(--better)"' in drawn
    assert COLOUR["better"] not in drawn.replace(SAID, "")


def lengths(drawn: str) -> dict[str, float]:
    """Return how long each text is said to be."""
    found = re.findall(r'<(?:text|tspan)[^>]*textLength="([\d.]+)"[^>]*>([^<]*)<', drawn)
    return {text: float(length) for length, text in found}


def texts(*said: str, **how: Any) -> Chart:
    def make(width: int) -> dict[str, Any]:
        words = [label({"value": 10}, {"value": 20}, text, **how) for text in said]
        return spec(width=width, height=100, layer=words)

    return Chart("said", "The title of it", "caption.", "alt 1", make, "twin")


def test_texts_are_as_wide_in_any_font_as_they_were_laid_out() -> None:
    pytest.importorskip("vl_convert")
    drawn = inline_svg(texts("Online-W  [+1.30]", "M"), 400, name="wide")
    assert lengths(drawn) == {"Online-W  [+1.30]": 90.4}  # one space, as SVG shows two
    assert 'lengthAdjust="spacingAndGlyphs"' in drawn


def test_bold_texts_are_wider() -> None:
    pytest.importorskip("vl_convert")
    drawn = inline_svg(texts("BLEU", fontWeight="bold"), 400, name="wide")
    assert lengths(drawn) == {"BLEU": 32.7}
    assert lengths(inline_svg(texts("BLEU"), 400, name="wide")) == {"BLEU": 31.3}


def test_a_text_whose_widths_are_not_known_keeps_its_own() -> None:
    pytest.importorskip("vl_convert")
    assert lengths(inline_svg(texts("日本語のシステム"), 400, name="wide")) == {}


def test_a_file_holds_the_lengths_of_its_title_too() -> None:
    pytest.importorskip("vl_convert")
    assert "The title of it" in lengths(str(render_picture(texts("one"), "svg")))


# --- In print: millimetres, and text of a paper's size ---


@pytest.mark.parametrize(("paper", "laid_out"), [(77.0, 342), (160.0, 711), (60.0, 342)])
def test_a_chart_is_laid_out_for_its_width_in_print(paper: float, laid_out: int) -> None:
    """A column is as wide as a phone in letters; below it letters become smaller, not fewer."""
    asked = []

    def make(width: int) -> dict[str, Any]:
        asked.append(width)
        return spec(width=width, height=100, layer=[])

    drawn = Chart("said", "title", "caption.", "alt 1", make, "twin")
    render_picture(drawn, "json", paper=paper)
    assert asked == [laid_out]


def test_a_picture_in_print_has_its_width_in_every_form() -> None:
    pytest.importorskip("vl_convert")
    svg = str(render_picture(texts("M"), "svg", paper=77.0))
    (wide, high) = re.findall(r' (?:width|height)="([\d.]+)mm"', svg)
    assert float(wide) == 77.0
    box = re.search(r'viewBox="0 0 ([\d.]+) ([\d.]+)"', svg)
    assert box is not None
    assert float(high) / 77.0 == pytest.approx(float(box[2]) / float(box[1]), rel=1e-4)
    pdf = bytes(render_picture(texts("M"), "pdf", paper=77.0))  # type: ignore[arg-type]
    (media,) = re.findall(rb"MediaBox *\[0 0 ([\d.]+) ([\d.]+)\]", pdf)
    assert float(media[0]) == pytest.approx(77.0 / 25.4 * 72.0, abs=0.01)
    assert float(media[1]) == pytest.approx(float(high) / 25.4 * 72.0, abs=0.01)
    png = bytes(render_picture(texts("M"), "png", paper=77.0))  # type: ignore[arg-type]
    dots = int.from_bytes(png[16:20], "big")
    assert abs(dots - 77.0 / 25.4 * 300.0) <= 1.0


def test_a_picture_without_a_title_has_its_alternative_text_still() -> None:
    plain, titled = (
        json.loads(render_picture(texts("M"), "json", title=title)) for title in (False, True)
    )
    assert "title" not in plain
    assert titled["title"]["text"] == ["The title of it"]
    assert plain["description"] == titled["description"] == "alt 1"


def test_a_width_in_print_is_a_word_or_millimetres() -> None:
    assert (paper_width("column"), paper_width("text"), paper_width("60")) == (
        77.0,
        160.0,
        60.0,
    )
    for wrong in ("59.9", "401", "nan", "wide", ""):
        with pytest.raises(InputError, match="`width` must be column, text or 60 to 400 mill"):
            paper_width(wrong)
    with pytest.raises(
        InputError, match="`ending` must be one of svg, png, pdf, json; got 'gif"
    ):
        render_picture(texts("M"), "gif")


# --- Names that all rows share, and names of blocks, are said once ---

METRIC, SYSTEM = Column("metric", "metric", "name"), Column("system", "system", "name")
SCORE = Column("score", "score")


def made(rows: tuple[tuple[object, ...], ...], breaks: tuple[int, ...] = ()) -> Table:
    return Table("t", "Scores", (METRIC, SYSTEM, SCORE), rows, breaks)


def test_a_name_that_all_rows_share_goes_into_the_title() -> None:
    found = arrange(made((("BLEU", "a", 1.0), ("BLEU", "b", 2.0))))
    assert found.title == "Scores (metric BLEU)"
    assert found.columns == [SYSTEM, SCORE]
    assert found.group is None
    assert found.said == [SYSTEM, SCORE]


def test_several_names_go_together() -> None:
    found = arrange(made((("BLEU", "a", 1.0), ("BLEU", "a", 2.0))))
    assert found.title == "Scores (metric BLEU, system a)"
    assert found.columns == [SCORE]


def test_a_single_row_keeps_its_names() -> None:
    found = arrange(made((("BLEU", "a", 1.0),)))
    assert found.title == "Scores"
    assert found.columns == [METRIC, SYSTEM, SCORE]


def test_a_table_of_nothing_but_shared_names_stays_as_it_is() -> None:
    table = Table("t", "Names", (METRIC, SYSTEM), (("BLEU", "a"),) * 2)
    assert arrange(table).columns == [METRIC, SYSTEM]
    assert arrange(table).title == "Names"


def test_only_names_move_not_numbers_that_happen_to_agree() -> None:
    table = made((("BLEU", "a", 1.0), ("TER", "b", 1.0)))
    assert arrange(table).columns == [METRIC, SYSTEM, SCORE]
    assert not constant(table, SCORE)


def test_the_names_of_blocks_become_headings() -> None:
    rows = (("BLEU", "a", 1.0), ("BLEU", "b", 2.0), ("TER", "a", 3.0))
    found = arrange(made(rows, (2,)))
    assert found.group == METRIC
    assert found.columns == [SYSTEM, SCORE]
    assert found.said == [METRIC, SYSTEM, SCORE]


def test_names_that_change_within_a_block_stay_a_column() -> None:
    rows = (("BLEU", "a", 1.0), ("TER", "b", 2.0), ("TER", "a", 3.0))
    assert arrange(made(rows, (2,))).group is None
    assert arrange(made(rows, (1,))).group == METRIC


def test_without_blocks_there_are_no_headings() -> None:
    rows = (("BLEU", "a", 1.0), ("TER", "b", 2.0))
    assert arrange(made(rows)).group is None


def test_numbers_of_blocks_are_no_headings() -> None:
    table = Table("t", "T", (SCORE, SYSTEM), ((1, "a"), (2, "b")), (1,))
    assert arrange(table).group is None


def test_a_heading_leaves_a_column_below_it() -> None:
    table = Table("t", "T", (SYSTEM,), (("a",), ("b",)), (1,))
    assert arrange(table).group is None
    two = Table("t", "T", (SYSTEM, SCORE), (("a", 1), ("b", 2)), (1,))
    assert arrange(two).group == SYSTEM


def test_columns_for_spreadsheets_are_left_out() -> None:
    data = Column("se", "SE", keep=DATA_ONLY)
    shown = Column("p", "p", keep=DATA_ONLY - 1)
    table = Table("t", "T", (SYSTEM, data, shown), (("a", 1.0, 2.0), ("b", 1.0, 2.0)))
    assert arrange(table).columns == [SYSTEM, shown]
