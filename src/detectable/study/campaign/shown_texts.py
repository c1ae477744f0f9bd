"""What raters saw: the text behind every judgment, and what stood beside it."""

import hashlib
from collections.abc import Iterable

from detectable.data.store.records import JudgmentRow, Part, Segment


class ShownTexts:
    """The texts of a campaign by item; controls bring their own."""

    def __init__(self, parts: Iterable[Part]) -> None:
        self._segments = {(part.name, one.item): one for part in parts for one in part.segments}

    def segment(self, row: JudgmentRow) -> Segment:
        """Return the segment of a judgment."""
        return self._segments[row.part, row.line or row.item]

    def text(self, row: JudgmentRow) -> str:
        """Return the text that was judged."""
        return self.segment(row).outputs[row.system] if row.text is None else row.text

    def fingerprint(self, row: JudgmentRow) -> str:
        """Return a hash of the text that was judged, by which places in it can be trusted."""
        return hashlib.sha256(self.text(row).encode()).hexdigest()[:16]
