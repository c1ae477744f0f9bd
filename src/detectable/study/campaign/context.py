"""What precedes a page in its document, which raters read and do not judge."""

from collections.abc import Iterable

from detectable.data.store.records import Line, Page, Part, Segment

LINES_BEFORE = 3


class Context:
    """The lines before every part of a document that was cut.

    They are those of the system whose page it is, also where the page is a control: a rater reads
    one translation, and nothing tells a copy from its original.

    Parameters
    ----------
    parts : iterable of Part
        All texts of a campaign; the parts of a document in their order.
    """

    def __init__(self, parts: Iterable[Part]) -> None:
        self._before: dict[str, tuple[Segment, ...]] = {}
        so_far: dict[str, tuple[Segment, ...]] = {}
        for part in parts:
            if part.document is None:
                continue
            before = so_far.get(part.document, ())
            self._before[part.name] = before
            so_far[part.document] = (*before, *part.segments)[-LINES_BEFORE:]

    def of(self, page: Page) -> tuple[Line, ...]:
        """Return the lines before a page, at most three, the nearest last."""
        return tuple(
            Line(
                item=one.item,
                source=one.source,
                reference=one.reference,
                text=one.outputs[page.system],
                other=None if page.beside is None else one.outputs[page.beside],
            )
            for one in self._before.get(page.part, ())
        )
