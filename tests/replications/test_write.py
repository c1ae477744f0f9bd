"""Pages as files: Markdown, HTML, a picture per figure, and an index that links them."""

from pathlib import Path

import pytest

from replications.write import markdown, write_index, write_page
from tests.replications.pages import page

pytest.importorskip("vl_convert")


def test_a_page_is_written_in_both_forms_with_its_pictures(tmp_path: Path) -> None:
    write_page(page(), tmp_path)
    own = tmp_path / "nobody1999"
    assert {path.name for path in own.iterdir()} == {"index.md", "index.html", "figure-3.svg"}
    picture = (own / "figure-3.svg").read_text(encoding="utf-8")
    assert "80% power is reached at 0.644" in picture
    html = (own / "index.html").read_text(encoding="utf-8")
    assert html.count("<svg") == 2  # two widths
    assert "1 of 2 numbers printed in the paper come out;" in html


def test_markdown_holds_the_tables_and_names_the_pictures() -> None:
    said = markdown(page(problem="moved"))
    assert "](figure-3.svg)" in said
    assert (
        "| far \\| off | section 2 | 0.9 | 0.1 | 0.05 | differs | its data are not public |"
        in said
    )
    assert "## 80% power is reached at 0.644 with 100 comparisons\n" in said
    assert "\n\nThe paper's Figure 3 showed power. Lines: comparisons." in said
    assert "- Not drawn, Figure 1: there are no data in it." in said
    assert "- not as listed: moved" in said
    assert "Numbers of figure 3" not in said  # the page has them


def test_the_index_links_every_paper(tmp_path: Path) -> None:
    pages = [page(), page(paper="somebody2001")]
    write_index(pages, {"nobody1999": 3.4, "somebody2001": 61.0}, tmp_path)
    said = (tmp_path / "index.md").read_text(encoding="utf-8")
    html = (tmp_path / "index.html").read_text(encoding="utf-8")
    row = "| [nobody1999](nobody1999/index.md): Nobody (1999), On nothing. | 1 of 2 | 1 of 1 | 1 of 2 | 1 | 3 s |"
    assert row in said
    assert "| paper | printed in the paper | the authors' code and data |" in said
    assert "(somebody2001/index.md)" in said
    assert "| 61 s |" in said
    assert "  - not drawn, Figure 1: there are no data in it." in said
    assert 'href="somebody2001/index.html"' in html
    assert "<td>1 of 2</td><td>1 of 1</td><td>1 of 2</td><td>1</td><td>3 s</td>" in html
    assert "Drawn from nothing. Not drawn, Figure 1: there are no data in it." in html
