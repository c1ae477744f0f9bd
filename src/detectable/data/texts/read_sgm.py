"""The SGM test sets of WMT up to 2020 (and of NIST), into a corpus.

SGM looks like XML and is not: tags vary in case, and a bare ``&`` or ``<`` may stand in a text.
"""

import re
from collections import Counter
from collections.abc import Mapping, Sequence
from dataclasses import dataclass

from detectable.core.errors import DataError
from detectable.core.wording import listing
from detectable.data.files.place import FilePath, place
from detectable.data.files.read_bytes import read_text
from detectable.data.loaded import Loaded
from detectable.data.name_systems import SystemFiles, file_stem, system_files
from detectable.data.texts.corpus import Corpus
from detectable.data.texts.wmt_document import (
    Segments,
    WmtDocument,
    build_corpus,
    clean,
    suite_name,
)

Key = tuple[str, int]  # document id, and which of the documents of this id
_TAG = re.compile(r"<(srcset|refset|tstset|doc|seg)\b([^>]*)>", re.IGNORECASE)
_END = re.compile(r"</seg\s*>", re.IGNORECASE)
_ATTRIBUTE = re.compile(r"([\w:-]+)\s*=\s*(?:\"([^\"]*)\"|'([^']*)'|([^\s\"'>]+))")
_ENTITY = re.compile(r"&(amp|lt|gt|quot|apos|#\d{1,7}|#[xX][0-9a-fA-F]{1,6});")
_NAMED = {"amp": "&", "lt": "<", "gt": ">", "quot": '"', "apos": "'"}


def read_sgm(
    systems: SystemFiles,
    references: Sequence[FilePath],
    *,
    sources: FilePath | None = None,
) -> Loaded[Corpus]:
    """Read a test set from SGM: one file per system, references, and perhaps the source.

    Segments are matched by document and segment id, not by position. The five entities of XML
    and numbered ones are decoded, white space is cleaned as sacreBLEU cleans it; documents of
    test suites and segments without a reference are skipped and counted in the notes.

    Parameters
    ----------
    systems : mapping of str to path
        The ``tstset`` file of every system. SGM has no runs: several files are an error.
    references : sequence of paths
        ``refset`` files; one file may hold several references, told apart by ``sysid``.
    sources : path, optional
        The ``srcset`` file.
    """
    if not references:
        raise DataError("there is no reference. Give at least one refset file.")
    documents: dict[Key, WmtDocument] = {}
    if sources is not None:
        for (_, key), (attributes, segments) in _read(sources, "srcset").items():
            _document(documents, key, attributes).source = segments
    taken: set[str] = set()
    for path in references:
        _add_references(documents, path, taken)
    for name, files in system_files(systems).items():
        if len(files) > 1:
            raise DataError(
                f"system {name!r} has {len(files)} SGM files. Give one; convert runs to plain "
                "text to compare them."
            )
        _add_system(documents, name, files[0])
    where = ", ".join(map(str, references)) if sources is None else str(sources)
    return build_corpus(documents.values(), where)


def _add_references(documents: dict[Key, WmtDocument], path: FilePath, taken: set[str]) -> None:
    """Add the references of one file; a name used by an earlier file gives way to the file's."""
    read = _read(path, "refset")
    names: dict[str, str] = {}
    for system in dict.fromkeys(system for system, _ in read):
        name = system or "ref"
        names[system] = name if name not in taken else file_stem(path)
        if names[system] in taken:
            raise DataError(f"{path}: a second reference called {name!r}. Give each file once.")
        taken.add(names[system])
    for (system, key), (attributes, segments) in read.items():
        _document(documents, key, attributes).references[names[system]] = segments


def _add_system(documents: dict[Key, WmtDocument], name: str, path: FilePath) -> None:
    read = _read(path, "tstset")
    inside = list(dict.fromkeys(system for system, _ in read))
    if len(inside) > 1:
        raise DataError(
            f"{path}: the file holds {len(inside)} systems ({listing(inside)}); expected one. "
            "Split it."
        )
    for (_, key), (attributes, segments) in read.items():
        _document(documents, key, attributes).outputs[name] = segments


def _document(
    documents: dict[Key, WmtDocument], key: Key, attributes: Mapping[str, str]
) -> WmtDocument:
    document = documents.setdefault(key, WmtDocument(id=key[0]))
    document.original_language = document.original_language or attributes.get("origlang")
    document.domain = document.domain or attributes.get("genre")
    if document.suite is None:
        marked = (attributes["testsuite"] or "unnamed") if "testsuite" in attributes else None
        document.suite = marked or suite_name(key[0])
    return document


Read = dict[tuple[str, Key], tuple[dict[str, str], Segments]]


@dataclass(frozen=True, slots=True)
class _File:
    """A text and its path; a line is counted only when a message needs it."""

    path: FilePath
    text: str

    def error(self, offset: int, message: str) -> DataError:
        return DataError(
            f"{place(self.path, self.text.count(chr(10), 0, offset) + 1)}: {message}"
        )

    def need(self, attributes: Mapping[str, str], name: str, offset: int) -> str:
        if not attributes.get(name):
            raise self.error(offset, f"the tag has no {name!r}. Add it.")
        return attributes[name]


def _read(path: FilePath, kind: str) -> Read:
    """Return attributes and segments of every document, by system id and document."""
    file = _File(path, read_text(path))
    read: Read = {}
    outer: dict[str, str] = {}
    seen: Counter[tuple[str, str]] = Counter()
    segments: Segments | None = None
    at, kinds = 0, set()
    while match := _TAG.search(file.text, at):
        at, tag = match.end(), match[1].lower()
        attributes = _attributes(match[2])
        if tag == "doc":
            name = file.need(attributes, "docid", match.start())
            system = _system(attributes) or _system(outer)
            seen[system, name] += 1
            segments = {}
            read[system, (name, seen[system, name])] = (attributes, segments)
        elif tag == "seg":
            at = _segment(file, match, attributes, segments)
        else:
            kinds.add(tag)
            outer = attributes
    _check_kind(path, kind, kinds, read)
    return read


def _segment(
    file: _File, match: re.Match[str], attributes: Mapping[str, str], segments: Segments | None
) -> int:
    """Add one segment; return the position behind it."""
    start = match.start()
    name = file.need(attributes, "id", start)
    if segments is None:
        raise file.error(start, f"segment {name!r} stands outside of a document.")
    if name in segments:
        raise file.error(start, f"segment {name!r} appears twice in its document.")
    end = _END.search(file.text, match.end())
    if end is None:
        raise file.error(start, f"segment {name!r} has no </seg>. Is the file cut short?")
    segments[name] = clean(_ENTITY.sub(_decode, file.text[match.end() : end.start()]))
    return end.end()


def _check_kind(path: FilePath, kind: str, kinds: set[str], read: Read) -> None:
    if not read:
        raise DataError(f"{path}: there is no <doc docid=…> element. Is it an SGM file?")
    if kinds and kind not in kinds:
        raise DataError(
            f"{path}: expected a {kind}, found a {listing(sorted(kinds))}. Was it given in the "
            "wrong place?"
        )


def _attributes(text: str) -> dict[str, str]:
    return {
        match[1].lower(): match[2] or match[3] or match[4] or ""
        for match in _ATTRIBUTE.finditer(text)
    }


def _system(attributes: Mapping[str, str]) -> str:
    return attributes.get("sysid") or attributes.get("refid") or ""


def _decode(match: re.Match[str]) -> str:
    name = match[1]
    if not name.startswith("#"):
        return _NAMED[name]
    code = int(name[2:], 16) if name[1] in "xX" else int(name[1:])
    valid = 0 < code < 0x110000 and not 0xD800 <= code < 0xE000
    return chr(code) if valid else match[0]
