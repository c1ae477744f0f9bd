"""Documents of a WMT test set, as XML and SGM files hold them, into a corpus."""

import re
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field

from detectable.core.errors import DataError
from detectable.core.wording import count, listing
from detectable.data.loaded import Loaded
from detectable.data.texts.corpus import Corpus
from detectable.data.texts.language_code import UNKNOWN

Segments = dict[str, str]  # text by segment id
_SPACE = re.compile(r"\s+")
_SUITE = re.compile(r"test[-_ ]?suite", re.IGNORECASE)


@dataclass(slots=True, kw_only=True)
class WmtDocument:
    """One document: its source, its references by translator, its outputs by system."""

    id: str
    original_language: str | None = None
    domain: str | None = None
    suite: str | None = None  # the test suite that it belongs to
    source: Segments = field(default_factory=dict)
    references: dict[str, Segments] = field(default_factory=dict)
    outputs: dict[str, Segments] = field(default_factory=dict)


@dataclass(slots=True)
class _Rows:
    """Columns of a corpus under construction, and what was left out of it."""

    references: dict[str, list[str | None]]
    systems: dict[str, list[str]]
    with_sources: bool = False
    sources: list[str] = field(default_factory=list)
    of: list[WmtDocument] = field(default_factory=list)
    uncovered: int = 0
    superfluous: int = 0


def clean(text: str) -> str:
    """Return a text on one line, as sacreBLEU does: outer space off, inner space single."""
    return _SPACE.sub(" ", text.strip())


def suite_name(*labels: str | None) -> str | None:
    """Return the first label that names a test suite.

    WMT marks test suites by an attribute of the document; some releases gather them in a
    collection, or begin the document name, with «testsuite».
    """
    return next((label for label in labels if label and _SUITE.match(label)), None)


def build_corpus(
    documents: Iterable[WmtDocument],
    where: str,
    *,
    systems: Sequence[str] | None = None,
    references: Sequence[str] | None = None,
) -> Loaded[Corpus]:
    """Line up the segments of all documents, skipping and counting test suites.

    A segment without any reference is skipped and counted, as in sacreBLEU; where one of
    several references lacks it, that reference is None there. A system that lacks a segment
    is an error.
    """
    everything = list(documents)
    kept = [document for document in everything if document.suite is None]
    translators = _choose(where, "reference", [d.references for d in kept], references)
    names = _choose(where, "system", [d.outputs for d in kept], systems)
    rows = _Rows({name: [] for name in translators}, {name: [] for name in names})
    rows.with_sources = any(document.source for document in kept)
    for document in kept:
        _add(rows, document, where)
    if not rows.of:
        raise DataError(f"{where}: no segment has a reference. Choose other references.")
    domains = [document.domain for document in rows.of]
    languages = [document.original_language for document in rows.of]
    corpus = Corpus.build(
        {name: [lines] for name, lines in rows.systems.items()},
        list(rows.references.values()),
        sources=rows.sources or None,
        documents=[document.id for document in rows.of],
        domains=[domain or "unknown" for domain in domains] if any(domains) else None,
        original_languages=[lang or UNKNOWN for lang in languages] if any(languages) else None,
        reference_names=translators,
    )
    return Loaded(corpus, tuple(_notes(where, everything, rows)))


def _choose(
    where: str, noun: str, found: Sequence[Mapping[str, Segments]], names: Sequence[str] | None
) -> list[str]:
    present = list(dict.fromkeys(name for by_name in found for name in by_name))
    if not present:
        raise DataError(
            f"{where}: there is no {noun}. Give also the file that holds the {noun}s."
        )
    for name in names or ():
        if name not in present:
            raise DataError(f"{where}: there is no {noun} {name!r}. Found: {listing(present)}.")
    return present if names is None else list(names)


def _add(rows: _Rows, document: WmtDocument, where: str) -> None:
    first = next((document.references[n] for n in rows.references if n in document.references),
                 {})  # fmt: skip
    order = _in_order(document.source or first)
    covered = []
    for segment in order:
        texts = {
            name: document.references.get(name, {}).get(segment) for name in rows.references
        }
        if not any(texts.values()):
            rows.uncovered += 1
            continue
        covered.append(segment)
        for name, text in texts.items():
            rows.references[name].append(text or None)
    _check_complete(rows, document, covered, where)
    for name, lines in rows.systems.items():
        outputs = document.outputs.get(name, {})
        lines += [outputs[segment] for segment in covered]
        rows.superfluous += len(outputs.keys() - set(order))
    for name in rows.references:
        rows.superfluous += len(document.references.get(name, {}).keys() - set(order))
    if rows.with_sources:
        if covered and not document.source:
            raise DataError(
                f"{where}: document {document.id!r} has no source, others have one. Add it."
            )
        rows.sources += [document.source[segment] for segment in covered]
    rows.of += [document] * len(covered)


def _in_order(segments: Iterable[str]) -> list[str]:
    ids = list(segments)
    return sorted(ids, key=int) if all(i.isdecimal() for i in ids) else ids


def _check_complete(
    rows: _Rows, document: WmtDocument, segments: Sequence[str], where: str
) -> None:
    if not segments:
        return
    lacking = {
        name: [segment for segment in segments if segment not in document.outputs.get(name, {})]
        for name in rows.systems
    }
    complete = [name for name, missing in lacking.items() if not missing]
    for name, missing in lacking.items():
        if missing:
            raise DataError(
                f"{where}: system {name!r} lacks {len(missing):,} of "
                f"{count(len(segments), 'segment')} of document {document.id!r} (first: segment "
                f"{missing[0]!r}). Choose systems that are complete with systems=[…]; here "
                f"these are: {listing(complete, most=20) or 'none'}."
            )


def _notes(where: str, documents: Sequence[WmtDocument], rows: _Rows) -> Iterable[str]:
    suites: dict[str, int] = {}
    for document in documents:
        if document.suite is not None:
            size = len(document.source) or max(
                map(len, document.references.values()), default=0
            )
            suites[document.suite] = suites.get(document.suite, 0) + size
    if suites:
        listed = listing([f"{name!r} {size:,}" for name, size in suites.items()], most=20)
        yield (
            f"{where}: {count(sum(suites.values()), 'segment')} of "
            f"{count(len(suites), 'test suite')} skipped ({listed})."
        )
    if rows.uncovered:
        yield f"{where}: {count(rows.uncovered, 'segment')} without a reference skipped."
    if rows.superfluous:
        yield (
            f"{where}: {count(rows.superfluous, 'translation')} of segments that the source (or, "
            "without source, the first reference) does not have skipped."
        )
