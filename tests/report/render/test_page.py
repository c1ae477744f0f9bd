"""The page: one file, nothing from elsewhere, everything escaped, readable by machines."""

import itertools
import re
from dataclasses import dataclass, field, replace
from html.parser import HTMLParser

import pytest

from detectable.core.version import VERSION
from detectable.report.blocks import (
    Block,
    Column,
    Examples,
    Matrix,
    Repeat,
    Table,
    Text,
    Verdict,
)
from detectable.report.blocks_of import blocks_of
from detectable.report.render import picture
from detectable.report.render.page import render_page
from tests.helpers import spread
from tests.report import results
from tests.report.results import RESULTS

VOID = {"meta", "br", "hr", "img", "input", "link"}
EVIL = "<b>x</b><script>alert('&')</script>"


@dataclass
class Element:
    tag: str
    attributes: dict[str, str]
    parent: "Element | None" = None
    children: "list[Element]" = field(default_factory=list)
    own: str = ""

    @property
    def text(self) -> str:
        """All text below, with single spaces."""
        return " ".join((self.own + " " + " ".join(c.text for c in self.children)).split())

    def all(self, tag: str, **attributes: str) -> "list[Element]":
        found = [] if self.tag != tag else [self]
        wanted = {key.rstrip("_"): value for key, value in attributes.items()}
        found = [e for e in found if wanted.items() <= e.attributes.items()]
        return found + [e for child in self.children for e in child.all(tag, **attributes)]

    def one(self, tag: str, **attributes: str) -> "Element":
        (found,) = self.all(tag, **attributes)
        return found

    def everything(self) -> "list[Element]":
        return [self, *(e for child in self.children for e in child.everything())]


class Tree(HTMLParser):
    """Reads a page into elements, refusing tags that are not closed in order."""

    def __init__(self) -> None:
        super().__init__()
        self.root = Element("root", {})
        self.here = self.root

    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        made = Element(tag, {key: value or "" for key, value in attrs}, self.here)
        assert len(made.attributes) == len(attrs)
        self.here.children.append(made)
        if tag not in VOID:
            self.here = made

    def handle_endtag(self, tag: str) -> None:
        assert self.here.tag == tag, f"{tag} closes {self.here.tag}"
        assert self.here.parent is not None
        self.here = self.here.parent

    def handle_data(self, data: str) -> None:
        self.here.own += data


def parsed(page: str) -> Element:
    tree = Tree()
    tree.feed(page)
    tree.close()
    assert tree.here is tree.root
    return tree.root


def page_of(*blocks: Block, title: str = "") -> Element:
    head, last = (
        Verdict("better", "B is better.", ("By far.",)),
        Repeat("the|signature", "typed"),
    )
    return parsed(render_page((head, *blocks, last), title=title))


SYSTEM, METRIC = Column("system", "system", "name"), Column("metric", "metric", "name")
SIZE = Column("size", "size of it", short="size", help="how much")
RARE = Column("rare", "rare", keep=3)
VERDICT = Column("verdict", "verdict", "verdict")


def table(n: int = 2, **changes: object) -> Table:
    words = ("better", "undecided", "worse", "higher")
    rows = tuple((f"s{i}", 1.5 * i, 2.5, words[i % 4]) for i in range(n))
    made = Table("t", "Sizes", (SYSTEM, SIZE, RARE, VERDICT), rows)
    return replace(made, **changes)  # type: ignore[arg-type]


@pytest.mark.parametrize("name", spread(sorted(RESULTS)))
def test_every_page(name: str) -> None:
    blocks = blocks_of(RESULTS[name], command="detectable it")
    text = render_page(blocks)
    root = parsed(text)
    assert text.startswith("<!doctype html>\n")
    assert text.endswith("</html>\n")
    check_it_keeps_to_itself(root)
    check_headings_come_in_order(root)
    check_headings_come_in_order(parsed(render_page(blocks, title="About it")))
    check_every_heading_of_a_table_has_a_scope(root)
    check_every_row_is_as_wide_as_the_head(root)
    check_every_cell_is_there(root, blocks)


def check_it_keeps_to_itself(root: Element) -> None:
    assert root.one("html").attributes == {"lang": "en"}
    policy = root.one("meta", **{"http-equiv": "Content-Security-Policy"})
    assert policy.attributes["content"] == "default-src 'none'; style-src 'unsafe-inline'"
    assert "width=device-width" in root.one("meta", name="viewport").attributes["content"]
    assert len(root.all("meta", charset="utf-8")) == 1
    for element in root.everything():
        assert element.tag not in ("script", "link", "img", "iframe", "object", "base")
        assert not {"src", "style"} & set(element.attributes)
        assert element.attributes.get("href", "#").startswith("#")
        assert not [key for key in element.attributes if key.startswith("on")]
    css = root.one("style").text
    assert "url(" not in css
    assert "@import" not in css
    assert len(root.all("style")) == 1


def check_headings_come_in_order(root: Element) -> None:
    levels = [int(e.tag[1]) for e in root.everything() if e.tag in ("h1", "h2", "h3", "h4")]
    assert levels[0] == 1
    assert levels.count(1) == 1
    assert all(after <= before + 1 for before, after in itertools.pairwise(levels))


def check_every_heading_of_a_table_has_a_scope(root: Element) -> None:
    for heading in root.all("th"):
        assert heading.attributes["scope"] in ("col", "row", "rowgroup")
        assert heading.text
    for one in root.all("table"):
        assert one.one("caption").text
        assert one.parent is not None
        assert (
            one.parent.attributes.items()
            >= {
                "class": "scroll",
                "tabindex": "0",
                "role": "region",
            }.items()
        )


def check_every_row_is_as_wide_as_the_head(root: Element) -> None:
    for one in root.all("table"):
        (head, *body) = one.all("tr")
        assert body
        for row in body:
            width = sum(int(cell.attributes.get("colspan", 1)) for cell in row.children)
            assert width == len(head.children)


def check_every_cell_is_there(root: Element, blocks: tuple[Block, ...]) -> None:
    captions = {one.one("caption").text.partition(" (")[0]: one for one in root.all("table")}
    for block in blocks:
        if isinstance(block, Table):
            one = captions[block.title.partition(" (")[0]]
            shown = one.text
            for texts in block.texts():
                for column, text in zip(block.columns, texts, strict=True):
                    if column.keep < 9:
                        assert text in shown


def test_the_verdict_comes_first_and_is_the_heading() -> None:
    root = page_of(Text("limits", "Limits", "Little."))
    main = root.one("main")
    assert main.children[0].tag == "nav"
    assert main.children[1].attributes["class"] == "verdict better"
    assert root.one("h1").attributes["class"] == "headline"
    assert root.one("h1").text == "B is better."
    assert root.one("title").text == "B is better."
    assert [e.text for e in root.all("p", class_="detail")] == ["By far."]


def test_a_title_stands_above_the_verdict() -> None:
    root = page_of(title="Demo & more")
    assert root.one("h1").text == "Demo & more"
    assert root.one("title").text == "Demo & more"
    assert [e.tag for e in root.one("main").children[:3]] == ["h1", "nav", "div"]
    assert root.one("p", class_="headline").text == "B is better."


def test_the_order_is_that_of_reading() -> None:
    root = page_of(
        Text("note", "Notes", points=(("plain", "Left out."),)),
        Text("checks", "Checks", points=(("look", "Mind."), ("ok", "Fine."))),
        Examples("To read", (("segment 1", (("source", "Hallo"),)),)),
        table(13, folded=True, title="Long"),
        table(),
        Text("limits", "Limits", "Little.", (("plain", "A point."),)),
    )
    assert [e.text for e in root.all("h2")] == [
        *("Limits", "Evidence", "Checks", "Notes", "To repeat this"),
    ]
    assert [e.text for e in root.all("caption")] == ["Sizes", "Long"]
    assert [e.text for e in root.all("summary")] == ["Long (13 rows)", "To read (1)"]
    assert [(e.attributes["class"], e.text) for e in root.all("li")] == [
        ("plain", "A point."),
        ("look", "Mind."),
        ("ok", "Fine."),
        ("plain", "Left out."),
    ]
    assert [e.text for e in root.all("pre")] == ["typed", "the|signature"]
    assert root.one("footer").text == f"Made with detectable {VERSION}."


def test_without_evidence_there_is_no_heading_for_it() -> None:
    assert [e.text for e in page_of().all("h2")] == ["To repeat this"]
    only = page_of(Examples("To read", (("segment 1", ()),)))
    assert [e.text for e in only.all("h2")] == ["Evidence", "To repeat this"]


def test_without_a_command_only_the_signature_is_given() -> None:
    root = parsed(render_page((Verdict("info", "A."), Repeat("sig"))))
    assert [e.text for e in root.all("pre")] == ["sig"]


def test_everything_is_escaped() -> None:
    evil = Column("evil", EVIL, "name", short=EVIL, help=EVIL)
    words = Column("words", EVIL, "text")
    text = render_page(
        (
            Verdict("info", EVIL, (EVIL,)),
            Text("limits", EVIL, EVIL, (("plain", EVIL),)),
            Text("checks", EVIL, EVIL, (("look", EVIL),)),
            Text("note", EVIL, EVIL, (("plain", EVIL),)),
            Table("t", EVIL, (evil, words, VERDICT), ((EVIL, EVIL, EVIL),), note=EVIL),
            Table("u", EVIL, (evil, words), ((EVIL, EVIL), ("b", EVIL)), (1,), folded=True),
            Matrix("m", EVIL, (EVIL, "b"), ((None, "better"), ("worse", None)), EVIL),
            Examples(EVIL, ((EVIL, ((EVIL, EVIL),)),)),
            Repeat(EVIL, EVIL),
        ),
        title=EVIL,
    )
    assert "<b>" not in text
    assert "<script" not in text
    root = parsed(text)
    assert root.one("h1").text == EVIL
    assert EVIL in root.one("table", class_="matrix").text
    assert root.one("dd").text == EVIL
    assert {e.attributes["title"] for e in root.all("th") if "title" in e.attributes} == {
        EVIL,
        "b",
    }


def test_a_ranking_of_systems_with_markup_for_names() -> None:
    text = render_page(blocks_of(results.long_ranking(4, name="<b>{}</b>")))
    assert "<b>" not in text
    assert "&lt;b&gt;1&lt;/b&gt;" in text


def test_heads_of_columns() -> None:
    heads = page_of(table()).one("thead").all("th")
    assert [e.attributes["class"] for e in heads] == ["left", "", "", "left"]
    assert heads[1].attributes["title"] == "how much"
    assert [(e.attributes["class"], e.text) for e in heads[1].children] == [
        ("full", "size of it"),
        ("short", "size"),
    ]
    assert (heads[0].text, heads[0].children) == ("system", [])
    assert "title" not in heads[0].attributes


LONG_NAME = "a-system-with-a-name-that-takes-most-of-a-phone"


@pytest.mark.parametrize(("keep", "classes"), [(1, ""), (2, "optional"), (8, "optional")])
def test_columns_that_a_phone_has_no_room_for_are_hidden_there(keep: int, classes: str) -> None:
    column = Column("n", "what there is no room for", keep=keep)
    root = page_of(Table("t", "T", (SYSTEM, column), ((LONG_NAME, 1), ("b", 2))))
    assert root.one("thead").all("th")[1].attributes["class"] == classes
    assert [e.attributes["class"] for e in root.all("td")] == [classes] * 2
    notes = [e.text for e in root.all("p", class_="note phone")]
    assert notes == (["Not shown at this width: what there is no room for."] if classes else [])


def test_columns_for_spreadsheets_are_on_no_page() -> None:
    hidden = page_of(Table("t", "T", (SYSTEM, Column("n", "n", keep=9)), (("a", 1), ("b", 2))))
    assert len(hidden.one("thead").all("th")) == 1


def test_no_heading_is_broken_at_a_hyphen() -> None:
    column = Column("p", "p (max-T)", "p")
    root = page_of(Table("t", "T", (SYSTEM, column), (("a", 0.1), ("b", 0.2))))
    assert root.one("thead").all("th")[1].text == "p (max-\u2060T)"


def test_cells_of_rows() -> None:
    first, second = page_of(table()).one("tbody").all("tr")
    assert [(e.tag, e.text) for e in first.children] == [
        ("th", "s0"),
        ("td", "0.00"),
        ("td", "2.50"),
        ("td", "▲ better"),
    ]
    assert first.children[0].attributes == {"scope": "row", "class": "left"}
    assert first.one("span").attributes == {"class": "said better"}
    assert second.one("span").attributes == {"class": "said undecided"}


def test_a_first_column_of_numbers_heads_no_row() -> None:
    numbers = Table("t", "T", (Column("n", "n", "count"), SYSTEM), ((1, "a"), (2, "b")))
    assert [e.tag for e in page_of(numbers).one("tbody").all("tr")[0].children] == ["td", "td"]


def test_sentences_may_be_broken_and_words_may_not() -> None:
    for text, classes in (("x" * 30, "left"), ("x" * 31, "left wrap"), (None, "left")):
        words = Table("t", "T", (SYSTEM, Column("w", "w", "text")), (("a", text), ("b", "y")))
        assert page_of(words).all("td")[1].attributes["class"] == classes
    names = Table("t", "T", (SYSTEM, SIZE), (("x" * 40, 1.0), ("b", 2.0)))
    assert page_of(names).all("th", scope="row")[0].attributes["class"] == "left"


def test_breaks_are_rules_and_names_of_blocks_are_rows_of_their_own() -> None:
    ruled = page_of(table(3, breaks=(2,))).one("tbody").all("tr")
    assert [e.attributes.get("class") for e in ruled] == [None, None, "break"]
    rows = (("BLEU", "a", 1.0), ("BLEU", "b", 2.0), ("TER", "a", 3.0))
    grouped = (
        page_of(Table("t", "T", (METRIC, SYSTEM, SIZE), rows, (2,))).one("tbody").all("tr")
    )
    assert [e.attributes.get("class") for e in grouped] == ["group", None, None, "group", None]
    heading = grouped[3].one("th")
    assert heading.text == "TER"
    assert heading.attributes == {"scope": "rowgroup", "class": "left", "colspan": "2"}
    assert [e.text for e in grouped[1].children] == ["a", "1.00"]


def test_names_that_all_rows_share_stand_in_the_caption() -> None:
    rows = (("BLEU", "a", 1.0), ("BLEU", "b", 2.0))
    root = page_of(Table("t", "Scores", (METRIC, SYSTEM, SIZE), rows))
    assert root.one("caption").text == "Scores (metric BLEU)"
    assert [e.text for e in root.one("thead").all("th")] == ["system", "size of it size"]
    assert root.one("div", class_="scroll").attributes["aria-label"] == "Scores"


def test_notes_stand_below_tables_and_matrices() -> None:
    assert page_of(table(note="Mind this.")).one("p", class_="note").text == "Mind this."
    assert page_of(table()).all("p", class_="note") == []
    matrix = Matrix("m", "M", ("a",), ((None,),), "As of today.")
    assert page_of(matrix).one("p", class_="note").text == (
        "▲ row better than column, ▼ worse, ◆ equivalent, · undecided. As of today."
    )


def test_long_tables_are_folded() -> None:
    root = page_of(table(1234, folded=True), table(3, title="Short"))
    details = root.one("details")
    assert details.one("summary").text == "Sizes (1,234 rows)"
    assert "open" not in details.attributes


@pytest.mark.parametrize(("folded", "most"), [(True, 500), (False, 40)])
def test_of_very_long_tables_the_first_rows_are_shown(folded: bool, most: int) -> None:
    root = page_of(table(most + 1234, folded=folded))
    assert len(root.one("tbody").all("tr")) == most
    assert root.one("p", class_="note").text == "1,234 more rows: --csv t:FILE"
    whole = page_of(table(most, folded=folded))
    assert len(whole.one("tbody").all("tr")) == most
    assert whole.all("p", class_="note") == []


def test_a_matrix() -> None:
    verdicts = (
        (None, "better", "undecided"),
        ("worse", None, None),
        ("undecided", "higher", None),
    )
    one = page_of(Matrix("m", "All pairs", ("a", "b", "c"), verdicts)).one("table")
    assert one.attributes == {"class": "matrix", "id": "m"}
    assert one.one("caption").text == "All pairs"
    head, *body = one.all("tr")
    assert [(e.tag, e.text) for e in head.children] == [
        *(("td", ""), ("th", "system"), ("th", "1"), ("th", "2"), ("th", "3")),
    ]
    assert head.children[2].attributes == {"scope": "col", "title": "a"}
    assert [[e.text for e in row.children] for row in body] == [
        ["1", "a", "", "▲", "·"],
        ["2", "b", "▼", "", ""],
        ["3", "c", "·", "▲", ""],
    ]
    assert body[0].all("span")[0].attributes == {"class": "said better", "title": "better"}
    assert body[2].all("span")[1].attributes == {"class": "said info", "title": "higher"}


def test_segments_say_their_own_direction() -> None:
    items = (("segment 1", (("source", "שלום"), ("old", "Hello."))),)
    root = page_of(Examples("To read", items))
    assert root.one("h3").text == "segment 1"
    assert [(e.attributes, e.text) for e in root.all("dd")] == [
        ({"dir": "auto"}, "שלום"),
        ({"dir": "auto"}, "Hello."),
    ]
    assert [e.text for e in root.all("dt")] == ["source", "old"]


def test_every_status_and_class_of_a_page_has_a_style() -> None:
    css = page_of().one("style").text
    for name in ("better", "worse", "equivalent", "undecided", "info", "warning"):
        assert f".{name}" in css
    for name in (
        "optional",
        "wrap",
        "left",
        "said",
        "matrix",
        "group",
        "break",
        "note",
        "scroll",
    ):
        assert f".{name}" in css
    assert "prefers-color-scheme: dark" in css
    assert "@media print" in css


def test_a_phone_without_room_shows_signs_and_says_what_they_mean() -> None:
    columns = (Column("name", "system", "name"), Column("said", "verdict", "verdict"))
    for length, signs in ((10, False), (60, True)):
        rows = (("n" * length, "better"), ("b", "undecided"))
        shown = page_of(Table("t", "T", columns, rows))
        words = [found.text for found in shown.all("span", class_="word")]
        assert words == (["verdict", "better", "undecided"] if signs else [])
        notes = [found.text for found in shown.all("p", class_="note phone")]
        assert notes == (["▲ better, ○ undecided."] if signs else [])
        assert [found.text for found in shown.all("span", class_="said undecided")] == [
            "○ undecided"
        ]


def test_one_folded_row_is_one_row() -> None:
    columns = (Column("name", "system", "name"),)
    shown = page_of(Table("t", "Tests", columns, (("a",),), folded=True))
    assert [found.text for found in shown.all("summary")] == ["Tests (1 row)"]


def test_pictures_drawn_by_several_processes_share_no_clip(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    # A process that draws and was started anew numbers its clips from 1 again.
    again = '<svg width="1" height="1"><clipPath id="clip1"/><g clip-path="url(#clip1)"/></svg>'
    monkeypatch.setattr(picture, "drawn", lambda *_: again.encode())
    page = render_page(blocks_of(RESULTS["comparison"]))
    pictures = re.findall(r"<svg\b.*?</svg>", page, re.DOTALL)
    assert len(pictures) > 1
    for number, svg in enumerate(pictures, 1):
        assert f' id="clip{number}"' in svg
        assert f"url(#clip{number})" in svg
