"""What precedes a page: three lines at most, of its own document and its own system."""

from detectable.data.store.records import Page, Part, Segment
from detectable.study.campaign.make_campaign import LINES_BEFORE, Context


def part(name: str, document: str | None, *items: str) -> Part:
    return Part(
        name=name,
        document=document,
        segments=tuple(
            Segment(
                item=item,
                source=f"source {item}",
                reference=f"reference {item}",
                outputs={"new": f"new {item}", "old": f"old {item}"},
            )
            for item in items
        ),
    )


PARTS = [
    part("d (1 of 3)", "d", "1", "2"),
    part("d (2 of 3)", "d", "3", "4"),
    part("e", "e", "9"),
    part("d (3 of 3)", "d", "5"),
    part("s", None, "6"),
    part("t", None, "7"),
]


def page(name: str, system: str = "new", beside: str | None = None) -> Page:
    return Page(
        token="x",
        part=name,
        system=system,
        kind="system",
        lines=(),
        block=1,
        place=1,
        n_pages=1,
        beside=beside,
    )


def before(name: str) -> list[str]:
    return [line.item for line in Context(PARTS).of(page(name))]


def test_the_lines_before_are_three_at_most_and_of_the_same_document() -> None:
    assert LINES_BEFORE == 3
    assert before("d (1 of 3)") == []
    assert before("d (2 of 3)") == ["1", "2"]
    assert before("d (3 of 3)") == ["2", "3", "4"]  # two parts back, in their order
    assert before("e") == []  # another document
    assert before("s") == before("t") == []  # sentences that belong to none


def test_the_lines_before_are_of_the_same_system() -> None:
    (line, _) = Context(PARTS).of(page("d (2 of 3)", "old"))
    assert (line.source, line.reference, line.text) == ("source 1", "reference 1", "old 1")
    assert line.other is None
    (line, _) = Context(PARTS).of(page("d (2 of 3)", "old", beside="new"))
    assert (line.text, line.other) == ("old 1", "new 1")
