"""Test sets of WMT and NIST, XML since 2021 and SGM before, into a corpus."""

import os
import re
from collections import Counter
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field, replace
from xml.parsers import expat

from detectable.core.errors import DataError, DetectableError
from detectable.core.wording import count, listing
from detectable.data.files.content import read_bytes, read_text
from detectable.data.files.lines import read_lines
from detectable.data.files.place import FilePath, place
from detectable.data.names import SystemFiles, file_stem, system_files
from detectable.data.texts.corpus import UNKNOWN, Corpus

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
    collection, or begin the document name, with “testsuite”.
    """
    return next((label for label in labels if label and _SUITE.match(label)), None)


def build_corpus(
    documents: Iterable[WmtDocument],
    where: str,
    *,
    systems: Sequence[str] | None = None,
    references: Sequence[str] | None = None,
    language_pair: str | None = None,
) -> Corpus:
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
        language_pair=language_pair,
        reference_names=translators,
    )
    return replace(corpus, notes=tuple(_notes(where, everything, rows)))


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


# --- The XML test sets of WMT 2021 and later, into a corpus ---

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
) -> Corpus:
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
    spoken: dict[str, None] = {}
    for path in files:
        reader = _Reader(path, collections)
        for key, document in reader.read().items():
            _join(documents, key, document, path)
        left_out += reader.left_out
        spoken |= dict.fromkeys(filter(None, (reader.language_pair,)))
    where = ", ".join(os.fspath(path) for path in files)
    if not documents:
        raise DataError(
            f"{where}: no document is in the collections asked for. Found: "
            f"{listing(list(left_out), most=20)}."
        )
    loaded = build_corpus(
        documents.values(),
        where,
        systems=systems,
        references=references,
        language_pair=next(iter(spoken)) if len(spoken) == 1 else None,
    )
    note = (
        f"{where}: {count(left_out.total(), 'document')} of other collections left out as asked "
        f"({listing(list(left_out), most=20)})."
    )
    return replace(loaded, notes=((note,) if left_out else ()) + loaded.notes)


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
        self._sources: dict[str, None] = {}  # the languages of sources
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
        except DetectableError:
            raise
        except (LookupError, ValueError) as error:  # expat asks Python for codecs
            raise DataError(
                f"{place(self.path, 1)}: the encoding that the XML declaration names cannot be "
                "read. Save the file as UTF-8."
            ) from error
        if not self._documents and not self.left_out:
            raise DataError(f"{self.path}: there is no <doc> element. Is it a WMT test set?")
        return self._documents

    @property
    def language_pair(self) -> str | None:
        """The languages of sources and translations, if there is one of each."""
        if self._target is None or len(self._sources) != 1:
            return None
        return f"{next(iter(self._sources))}-{self._target}"

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
        language = attributes.get("lang")
        if tag == "src":
            if language is not None and document.suite is None:
                self._sources[language] = None
            return document.source
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


# --- The SGM test sets of WMT up to 2020 (and of NIST), into a corpus ---
#
# SGM looks like XML and is not: tags vary in case, and a bare ``&`` or ``<`` may stand in a text.

_TAG = re.compile(r"<(srcset|refset|tstset|doc|seg)\b([^>]*)>", re.IGNORECASE)
_END = re.compile(r"</seg\s*>", re.IGNORECASE)
_ATTRIBUTE = re.compile(r"([\w:-]+)\s*=\s*(?:\"([^\"]*)\"|'([^']*)'|([^\s\"'>]+))")
_SGM_ENTITY = re.compile(r"&(amp|lt|gt|quot|apos|#\d{1,7}|#[xX][0-9a-fA-F]{1,6});")
_NAMED = {"amp": "&", "lt": "<", "gt": ">", "quot": '"', "apos": "'"}


def read_sgm(
    systems: SystemFiles,
    references: Sequence[FilePath],
    *,
    sources: FilePath | None = None,
    language_pair: str | None = None,
) -> Corpus:
    """Read a test set from SGM: one file per system, references, and perhaps the source.

    Segments are matched by document and segment id, not by position. The five entities of XML
    and numbered ones are decoded, white space is cleaned as sacreBLEU cleans it; documents of
    test suites and segments without a reference are skipped and counted in the notes.

    Parameters
    ----------
    systems : mapping of str to path or paths
        The ``tstset`` file of every system. SGM has no runs: several files are an error. Or plain
        text, a line for each segment in the order of the source, else of the first reference.
    references : sequence of paths
        ``refset`` files; one file may hold several references, distinguished by ``sysid``.
    sources : path, optional
        The ``srcset`` file.
    language_pair : str, optional
        What the systems translate; needed where the files say that the source is in ``any``
        language, as WMT's do, and directions are asked for.
    """
    if not references:
        raise DataError("there is no reference. Give at least one refset file.")
    documents: dict[Key, WmtDocument] = {}
    spoken: dict[str, str] = {}
    if sources is not None:
        for (_, key), (attributes, segments) in read_set(sources, "srcset", spoken).items():
            _document(documents, key, attributes).source = segments
    taken: set[str] = set()
    for path in references:
        _add_references(documents, path, taken, spoken)
    where = ", ".join(map(str, references)) if sources is None else str(sources)
    # Plain text knows the segments by their order alone: that of the files so far.
    ordered = list(documents.values())
    runs: dict[str, list[str]] = {}  # what outputs are called until they are lined up
    for name, files in system_files(systems).items():
        plain = [not is_sgm(path) for path in files]
        if len(files) > 1 and not all(plain):
            raise DataError(
                f"system {name!r} has {len(files)} SGM files. Give one; convert runs to plain "
                "text to compare them."
            )
        runs[name] = (
            [name] if len(files) == 1 else [f"{name}#{i + 1}" for i in range(len(files))]
        )
        for run, path in zip(runs[name], files, strict=True):
            if plain[0]:
                _add_lines(ordered, run, path, where)
            else:
                _add_system(documents, run, path, spoken)
    pair = language_pair
    if pair is None and {"srclang", "trglang"} <= spoken.keys():
        pair = f"{spoken['srclang']}-{spoken['trglang']}"
    lined = build_corpus(documents.values(), where, language_pair=pair)
    return replace(
        lined,
        systems={
            name: tuple(run for one in of for run in lined.systems[one])
            for name, of in runs.items()
        },
    )


def is_sgm(path: FilePath) -> bool:
    """Return whether a file is SGM, by its name or by what it begins with."""
    if os.fspath(path).lower().split(".")[-1] in ("sgm", "sgml"):
        return True
    return bool(
        re.match(
            r"\s*<(?:!doctype|\?xml|srcset|refset|tstset|mteval|doc)\b",
            read_text(path)[:200],
            re.IGNORECASE,
        )
    )


def _add_lines(documents: Sequence[WmtDocument], name: str, path: FilePath, where: str) -> None:
    """Add an output in plain text, whose lines are the segments in their order."""
    order = [
        (document, segment)
        for document in documents
        for segment in document.source or next(iter(document.references.values()), {})
    ]
    lines = read_lines(path)
    if len(lines) != len(order):
        raise DataError(
            f"{path}: {count(len(lines), 'line')} for {count(len(order), 'segment')} of {where}. "
            "Plain text beside SGM files needs a line for each of their segments, in their order."
        )
    for (document, segment), line in zip(order, lines, strict=True):
        document.outputs.setdefault(name, {})[segment] = clean(line)


def _add_references(
    documents: dict[Key, WmtDocument], path: FilePath, taken: set[str], spoken: dict[str, str]
) -> None:
    """Add the references of one file; a name used by an earlier file gives way to the file's."""
    read = read_set(path, "refset", spoken)
    names: dict[str, str] = {}
    for system in dict.fromkeys(system for system, _ in read):
        name = system or "ref"
        names[system] = name if name not in taken else file_stem(path)
        if names[system] in taken:
            raise DataError(f"{path}: a second reference called {name!r}. Give each file once.")
        taken.add(names[system])
    for (system, key), (attributes, segments) in read.items():
        _document(documents, key, attributes).references[names[system]] = segments


def _add_system(
    documents: dict[Key, WmtDocument], name: str, path: FilePath, spoken: dict[str, str]
) -> None:
    read = read_set(path, "tstset", spoken)
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


def read_set(path: FilePath, kind: str | None, spoken: dict[str, str]) -> Read:
    """Return attributes and segments of every document of SGM, by system id and document.

    Languages of source and translation are added to `spoken`; ``any`` says nothing. The file is a
    `kind`, ``srcset`` or the like; None takes all.
    """
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
            for name in ("srclang", "trglang"):
                if attributes.get(name, "any").lower() not in ("any", ""):
                    spoken.setdefault(name, attributes[name])
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
    segments[name] = clean(_SGM_ENTITY.sub(_decode, file.text[match.end() : end.start()]))
    return end.end()


def _check_kind(path: FilePath, kind: str | None, kinds: set[str], read: Read) -> None:
    if not read:
        raise DataError(f"{path}: there is no <doc docid=…> element. Is it an SGM file?")
    if kinds and kind not in (*kinds, None):
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
