"""The XML test sets of WMT 2021 and later, into a corpus."""

import os
import re
from collections import Counter
from collections.abc import Sequence
from xml.parsers import expat

from detectable.core.errors import DataError
from detectable.core.wording import count, listing
from detectable.data.files.place import FilePath, place
from detectable.data.files.read_bytes import read_bytes
from detectable.data.loaded import Loaded
from detectable.data.texts.corpus import Corpus
from detectable.data.texts.wmt_document import (
    Segments,
    WmtDocument,
    build_corpus,
    clean,
    suite_name,
)

# What XML leaves out of a text without a word if the file names a DTD that is not read. A CDATA
# section or a comment holds no entities.
_ENTITY = re.compile(
    rb"<!\[CDATA\[.*?\]\]>|<!--.*?-->|&(?!#|(?:amp|lt|gt|quot|apos);)([^\s\0;&<>\"']+);",
    re.DOTALL,
)
Key = tuple[str, int]  # document id, and which of the documents of this id


def read_wmt_xml(
    paths: FilePath | Sequence[FilePath],
    *,
    systems: Sequence[str] | None = None,
    references: Sequence[str] | None = None,
    collections: Sequence[str] | None = None,
) -> Loaded[Corpus]:
    """Read a WMT test set with its references and system outputs from XML.

    Documents of test suites are skipped, and so are segments without any reference; the notes
    count both. White space is cleaned as sacreBLEU cleans it. Entity declarations are refused,
    and so are entities that nothing declares, and translations into several languages.

    Parameters
    ----------
    paths : path or sequence of paths
        One file with everything, as WMT releases them; or several that are joined by document,
        such as the source with its references and one file per system (``wmt-wrap``).
    systems : sequence of str, optional
        Which systems to take. By default all, and then each must have every segment.
    references : sequence of str, optional
        Which translators to take, in this order; a reference without translator is ``ref``.
    collections : sequence of str, optional
        Which ``<collection>`` elements to read. By default all.
    """
    files = [paths] if isinstance(paths, str | os.PathLike) else list(paths)
    if not files:
        raise DataError("there is no XML file to read. Give at least one.")
    documents: dict[Key, WmtDocument] = {}
    left_out: Counter[str] = Counter()
    for path in files:
        reader = _Reader(path, collections)
        for key, document in reader.read().items():
            _join(documents, key, document, path)
        left_out += reader.left_out
    where = ", ".join(os.fspath(path) for path in files)
    if not documents:
        raise DataError(
            f"{where}: no document is in the collections asked for. Found: "
            f"{listing(list(left_out), most=20)}."
        )
    loaded = build_corpus(documents.values(), where, systems=systems, references=references)
    note = (
        f"{where}: {count(left_out.total(), 'document')} of other collections left out as asked "
        f"({listing(list(left_out), most=20)})."
    )
    return Loaded(loaded.table, ((note,) if left_out else ()) + loaded.notes)


def _join(
    documents: dict[Key, WmtDocument], key: Key, new: WmtDocument, path: FilePath
) -> None:
    old = documents.setdefault(key, new)
    if old is new:
        return
    if old.source and new.source and old.source != new.source:
        raise DataError(
            f"{path}: the source of document {new.id!r} differs from that in an earlier file. "
            "Are the files of the same test set?"
        )
    for noun, mine, theirs in (
        ("system", old.outputs, new.outputs),
        ("reference", old.references, new.references),
    ):
        for name, segments in theirs.items():
            if name in mine:
                raise DataError(
                    f"{path}: document {new.id!r} has {noun} {name!r} a second time. Give each "
                    "file once."
                )
            mine[name] = segments
    old.source = old.source or new.source


class _Reader:
    """Follows the elements of one file."""

    def __init__(self, path: FilePath, collections: Sequence[str] | None) -> None:
        self.path = path
        self.left_out: Counter[str] = Counter()  # documents by collection
        self._chosen = None if collections is None else set(collections)
        self._collection: str | None = None
        self._documents: dict[Key, WmtDocument] = {}
        self._seen: Counter[str] = Counter()
        self._document: WmtDocument | None = None
        self._segments: Segments | None = None
        self._segment: str | None = None
        self._text: list[str] = []
        self._parser = expat.ParserCreate()
        self._parser.StartElementHandler = self._start
        self._parser.EndElementHandler = self._end
        self._parser.CharacterDataHandler = self._text.append
        self._parser.EntityDeclHandler = self._refuse
        self._parser.EndDoctypeDeclHandler = self._check_entities
        self._parser.SkippedEntityHandler = self._refuse_undefined
        self._target: str | None = None  # the language of translations
        self._data = b""

    def read(self) -> dict[Key, WmtDocument]:
        """Return the documents of the file, in order."""
        try:
            self._data = read_bytes(self.path)
            self._parser.Parse(self._data, True)
        except expat.ExpatError as error:
            raise DataError(
                f"{place(self.path, error.lineno)}, position {error.offset + 1}: this is not XML "
                f"({expat.ErrorString(error.code)}). Is it cut short, or SGM?"
            ) from error
        if not self._documents and not self.left_out:
            raise DataError(f"{self.path}: there is no <doc> element. Is it a WMT test set?")
        return self._documents

    def _here(self) -> str:
        return place(self.path, self._parser.CurrentLineNumber)

    def _refuse(self, name: str, *_: object) -> None:
        raise DataError(
            f"{self._here()}: the file declares the entity {name!r}, which can be used to read "
            "other files or to fill the memory. Remove the declaration."
        )

    def _check_entities(self, *_: object) -> None:
        """Look for entities in attributes, too, which the parser drops without telling."""
        for found in _ENTITY.finditer(self._data):
            if found.group(1):
                line = self._data.count(b"\n", 0, found.start()) + 1
                self._refuse_undefined(found.group(1).decode(errors="replace"), line=line)

    def _refuse_undefined(self, name: str, *_: object, line: int | None = None) -> None:
        where = self._here() if line is None else place(self.path, line)
        raise DataError(
            f"{where}: the entity &{name}; is not defined in the file, so its character would be "
            "lost. Write the character itself, or its number (&#233;)."
        )

    def _start(self, tag: str, attributes: dict[str, str]) -> None:
        if tag == "collection":
            self._collection = attributes.get("id")
        elif tag == "doc":
            self._start_document(attributes)
        elif self._document is not None and tag in ("src", "ref", "hyp"):
            self._segments = self._new_segments(self._document, tag, attributes)
        elif tag == "seg" and self._segments is not None:
            self._segment = self._need(attributes, "id", "seg")
            if self._segment in self._segments:
                raise DataError(f"{self._here()}: segment {self._segment!r} appears twice.")
            self._text.clear()

    def _end(self, tag: str) -> None:
        if tag == "collection":
            self._collection = None
        elif tag == "doc":
            self._document = None
        elif tag in ("src", "ref", "hyp"):
            self._segments = None
        elif tag == "seg" and self._segments is not None and self._segment is not None:
            self._segments[self._segment] = clean("".join(self._text))
            self._segment = None

    def _need(self, attributes: dict[str, str], name: str, tag: str) -> str:
        if name not in attributes:
            raise DataError(f"{self._here()}: <{tag}> has no attribute {name!r}. Add it.")
        return attributes[name]

    def _start_document(self, attributes: dict[str, str]) -> None:
        name = self._need(attributes, "id", "doc")
        if self._chosen is not None and self._collection not in self._chosen:
            self.left_out[self._collection or "(none)"] += 1
            return
        self._document = WmtDocument(
            id=name,
            original_language=attributes.get("origlang"),
            domain=attributes.get("domain"),
            suite=attributes.get("testsuite") or suite_name(self._collection, name),
        )
        if "testsuite" in attributes and not self._document.suite:
            self._document.suite = "unnamed"
        self._seen[name] += 1
        self._documents[name, self._seen[name]] = self._document

    def _new_segments(
        self, document: WmtDocument, tag: str, attributes: dict[str, str]
    ) -> Segments:
        if tag == "src":
            return document.source
        language = attributes.get("lang")
        if language is not None and document.suite is None:
            self._target = self._target or language
            if language != self._target:
                raise DataError(
                    f"{self._here()}: <{tag}> is in {language!r}, those before it in "
                    f"{self._target!r}. Scores of different languages are not comparable; give a "
                    "file of one language pair."
                )
        if tag == "ref":
            by_name, name = document.references, attributes.get("translator") or "ref"
        else:
            by_name, name = document.outputs, self._need(attributes, "system", "hyp")
        if name in by_name:
            raise DataError(
                f"{self._here()}: document {document.id!r} has <{tag}> {name!r} twice. "
                "Give them different names."
            )
        by_name[name] = {}
        return by_name[name]
