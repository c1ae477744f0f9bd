"""Texts to be judged or to try a page on, gathered from the file of another campaign."""

import math
from collections.abc import Sequence
from dataclasses import dataclass, field

from detectable.core.errors import DataError, InputError
from detectable.core.wording import count, is_harmful, listing, plain_digits
from detectable.data.files.place import FilePath, is_missing, quote
from detectable.data.files.table import Table, read_table
from detectable.data.texts.corpus import Corpus

_TEXTS = ("text", "source", "reference", "hint")


@dataclass(frozen=True, slots=True, kw_only=True)
class TrainingText:
    """A text to try the page on.

    `low` and `high` are the scores that are expected of it, and `hint` is said after the answer.
    """

    text: str
    source: str | None = None
    reference: str | None = None
    low: float | None = None
    high: float | None = None
    hint: str = ""

    def __post_init__(self) -> None:
        if not self.text.strip():
            raise InputError("`text` must not be empty; got a training text without words.")
        ends = [end for end in (self.low, self.high) if end is not None]
        if len(ends) == 1 or not all(map(math.isfinite, ends)) or ends != sorted(ends):
            raise InputError(
                f"`low` and `high` must be two numbers in order, or none; got {self.low} and "
                f"{self.high}."
            )


def read_training(path: FilePath) -> tuple[TrainingText, ...]:
    """Read a table with the columns ``text``, and ``source, reference, low, high, hint`` if known."""
    table = read_table(path)
    if "text" not in table.columns:
        raise table.missing("a column 'text'")
    made = []
    for row in range(table.n_rows):
        cells = {name: _cell(table, row, name) for name in _TEXTS}
        try:
            made.append(
                TrainingText(
                    text=cells["text"] or "",
                    source=cells["source"],
                    reference=cells["reference"],
                    low=_number(table, row, "low"),
                    high=_number(table, row, "high"),
                    hint=cells["hint"] or "",
                )
            )
        except InputError as error:
            raise DataError(f"{table.place(row)}: {error}") from error
    return tuple(made)


def _cell(table: Table, row: int, name: str) -> str | None:
    if name not in table.columns:
        return None
    value = table.cells(name)[row]
    return None if is_missing(value) else str(value)


def _number(table: Table, row: int, name: str) -> float | None:
    text = _cell(table, row, name)
    try:
        return None if text is None else float(plain_digits(text))
    except ValueError:
        raise DataError(
            f"{table.place(row, name)}: expected a number, found {quote(text)}."
        ) from None


# --- Texts to be judged, gathered from the file of another campaign, with what else it says ---


@dataclass(frozen=True, slots=True, kw_only=True)
class CampaignTexts:
    """What a campaign can be made of.

    Attributes
    ----------
    corpus : Corpus
        The outputs. Where there are no references, theirs are empty.
    items : tuple of str or None
        The name of every segment; None where it is its line.
    training : tuple of TrainingText
        What raters try first.
    languages : (str, str) or None
        Tags of the source and the target language, where the file says them.
    notes : tuple of str
        What was left out, and what the file asks for besides.
    """

    corpus: Corpus
    items: tuple[str, ...] | None = None
    training: tuple[TrainingText, ...] = ()
    languages: tuple[str, str] | None = None
    notes: tuple[str, ...] = ()


@dataclass(slots=True)
class _Segment:
    document: str | None
    source: str | None
    reference: str | None
    outputs: dict[str, str] = field(default_factory=dict)


class Gathered:
    """Segments as they come, in the order of their first appearance.

    The same text may come again, since several raters judge it; another text under the same name
    is a mistake.
    """

    def __init__(self, path: str) -> None:
        self._path = path
        self._segments: dict[str, _Segment] = {}
        self.n_again = 0

    def add(
        self,
        item: str,
        system: str,
        text: str,
        *,
        document: str | None,
        source: str | None,
        reference: str | None = None,
    ) -> None:
        """Add what one system made of a segment."""
        for what, name in (("item", item), ("system", system), ("document", document)):
            if name is not None:
                self._refuse_unreadable(what, name)
        found = self._segments.setdefault(item, _Segment(document, source, reference))
        if (found.document, found.source) != (document, source):
            what = "document" if found.document != document else "source"
            raise DataError(
                f"{self._path}: the item {item!r} has two different {what}s. Give every segment "
                "a name of its own."
            )
        found.reference = found.reference or reference
        if found.outputs.setdefault(system, text) != text:
            raise DataError(
                f"{self._path}: the item {item!r} has two different texts of {system!r}. Remove "
                "one, or give every segment a name of its own."
            )

    def again(self) -> None:
        """Count a text that came before."""
        self.n_again += 1

    def add_reference(self, item: str, text: str) -> None:
        """Add the reference of a segment that is known."""
        if item in self._segments:
            self._segments[item].reference = self._segments[item].reference or text

    def has(self, item: str, system: str) -> bool:
        """Say whether a system's text of a segment has come before."""
        return item in self._segments and system in self._segments[item].outputs

    def _refuse_unreadable(self, what: str, name: str) -> None:
        if not name.strip() or any(is_harmful(c) for c in name):
            raise DataError(
                f"{self._path}: the {what} {name!r} has a name that is empty or holds a line break "
                "or another character that nobody can read. Rename it."
            )

    def corpus(self, systems: Sequence[str] | None) -> Corpus:
        """Return the texts of the chosen systems, or say where one is missing."""
        segments = self._segments
        known = list(dict.fromkeys(name for one in segments.values() for name in one.outputs))
        chosen = known if systems is None else list(systems)
        unknown = [name for name in chosen if name not in known]
        if unknown:
            raise DataError(
                f"{self._path}: there is no text of {unknown[0]!r}; it has "
                f"{listing(known, most=10) or 'none'}."
            )
        if not segments:
            raise DataError(f"{self._path}: there is no text to judge in the file.")
        for system in chosen:
            missing = [item for item, one in segments.items() if system not in one.outputs]
            if missing:
                raise DataError(
                    f"{self._path}: {count(len(missing), 'item')} without a text of {system!r} "
                    f"({listing(missing, most=3)}). A campaign shows all systems on all items: "
                    "add the texts, or choose the systems that have all of them."
                )
        lines = list(segments.values())
        documents = [one.document for one in lines]
        return Corpus.build(
            {name: [one.outputs[name] for one in lines] for name in chosen},
            [one.reference or "" for one in lines],
            sources=(
                None
                if all(one.source is None for one in lines)
                else [s.source or "" for s in lines]
            ),
            documents=(
                None if None in documents else [name for name in documents if name is not None]
            ),
        )

    @property
    def items(self) -> tuple[str, ...]:
        """The names of all segments in order."""
        return tuple(self._segments)

    def notes(self) -> tuple[str, ...]:
        """Say how many texts came more than once."""
        if not self.n_again:
            return ()
        return (f"{count(self.n_again, 'text')} of several tasks taken once.",)
