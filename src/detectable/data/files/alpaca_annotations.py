"""Annotations of AlpacaEval: an instruction, two systems, and which of them was preferred."""

from typing import Any, NamedTuple

from detectable.core.errors import DataError
from detectable.data.files.content import FileContent
from detectable.data.files.json_entries import json_entries
from detectable.data.files.missing import is_missing
from detectable.data.files.parse_score import parse_score
from detectable.data.files.place import place, quote
from detectable.data.files.short_name import value_name

KEYS = frozenset(("instruction", "generator_1", "generator_2", "preference"))
_DRAWS = (0.0, 1.5)  # both mean that neither is better


class Annotation(NamedTuple):
    """One comparison; `wins` is the probability that the second system is preferred."""

    line: int
    item: str
    first: str
    second: str
    wins: float | None
    annotator: str | None


def read_annotations(content: FileContent) -> list[Annotation]:
    """Return all annotations of a file; a preference that was not given has no `wins`.

    The preference goes from 1 (the first system) to 2 (the second); 0 and 1.5 are draws.
    """
    found = [_annotation(content, *entry) for entry in json_entries(content.text, content)]
    if not found:
        raise DataError(f"{content}: there is no annotation in the file.")
    return found


def _annotation(content: FileContent, line: int, entry: Any) -> Annotation:
    if not isinstance(entry, dict) or not entry.keys() >= KEYS:
        raise DataError(
            f"{place(content, line)}: expected an annotation of AlpacaEval with instruction, "
            f"generator_1, generator_2 and preference, found {quote(entry)}."
        )
    dataset = entry.get("dataset")
    named = (
        [entry.get("instruction")] if is_missing(dataset) else [dataset, entry["instruction"]]
    )
    judge = entry.get("annotator")
    return Annotation(
        line,
        value_name(named[0] if len(named) == 1 else ": ".join(map(str, named))),
        str(entry["generator_1"]),
        str(entry["generator_2"]),
        _wins(content, line, entry["preference"]),
        None if is_missing(judge) else str(judge),
    )


def _wins(content: FileContent, line: int, value: object) -> float | None:
    if is_missing(value):
        return None
    preference = parse_score(value, content, line, "preference")
    if preference in _DRAWS:
        return 0.5
    if not 1.0 <= preference <= 2.0:
        raise DataError(
            f"{place(content, line, 'preference')}: a preference goes from 1 to 2, or is 0 for a "
            f"draw; found {preference:g}."
        )
    return preference - 1.0
