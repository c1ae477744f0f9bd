"""Plain text files, line by line, and files of translation tools, into a corpus."""

import dataclasses
import os
from collections.abc import Sequence
from typing import Any, NamedTuple

from detectable.core.errors import DataError
from detectable.core.wording import count
from detectable.data.files.lines import LongLines, read_lines
from detectable.data.files.place import FilePath, place, quote
from detectable.data.names import SystemFiles, system_files
from detectable.data.texts.corpus import Corpus, Labels, Lines


def read_corpus(
    systems: SystemFiles,
    references: Sequence[FilePath],
    *,
    sources: FilePath | None = None,
    documents: FilePath | None = None,
    original_languages: FilePath | None = None,
    need_references: bool = True,
) -> Corpus:
    """Read outputs and references, one segment per line, into a corpus.

    An empty line is kept as an empty segment wherever it stands, in an output as in a
    reference, even where it is the only reference: this is what sacreBLEU does with the same
    files. `inspect_corpus` reports empty outputs, and segments whose references are all empty.

    Parameters
    ----------
    systems : mapping of str to path or paths
        For every system the file of its output, or the files of its runs. Pairs of a name and
        files serve as well; a name that appears twice is an error.
    references : sequence of paths
        One or more reference translations of the same segments.
    sources : path, optional
        The source text.
    documents : path, optional
        The document of each line: its name, or ``domain<TAB>document`` as in the ``.docs``
        files of mt-metrics-eval (further columns are not used).
    original_languages : path, optional
        The language in which each line was first written.
    need_references : bool
        Whether texts without a reference are refused. Where they are not, references are empty.

    Notes
    -----
    A file that ends in ``.xlf``, ``.xliff`` or ``.tmx`` holds pairs of texts: an output is its
    translations, and sources and documents that are not given are those of the first such output.

    Raises
    ------
    DataError
        If a file cannot be read, or if the files differ in their number of lines.
    """
    found = system_files(systems)
    pairs = _Pairs.of([path for files in found.values() for path in files])
    runs = {
        name: [(path, pairs.targets(path) or _lines(path)) for path in files]
        for name, files in found.items()
    }
    streams = [(path, _lines(path)) for path in references]
    if not streams and need_references:
        raise DataError("there is no reference. Give at least one reference file.")
    read = [*streams, *(pair for pairs in runs.values() for pair in pairs)]
    source_lines, document_lines, language_lines = (
        None if path is None else _lines(path)
        for path in (sources, documents, original_languages)
    )
    for path, lines in (
        (sources, source_lines),
        (documents, document_lines),
        (original_languages, language_lines),
    ):
        if path is not None and lines is not None:
            read.append((path, lines))
    _check_counts(read)
    n = len(read[0][1])
    source_lines = pairs.sources if source_lines is None else source_lines
    names, domains = (pairs.documents, None)
    if documents is not None and document_lines is not None:
        names, domains = split_documents(documents, document_lines)
    corpus = Corpus.build(
        {name: [lines for _, lines in pairs] for name, pairs in runs.items()},
        [lines for _, lines in streams] or [[""] * n],
        sources=source_lines,
        documents=names,
        domains=domains,
        original_languages=None if language_lines is None else _labels(language_lines),
    )
    files = {name: tuple(str(path) for path, _ in pairs) for name, pairs in runs.items()}
    return dataclasses.replace(corpus, files=files)


_PAIRED = (".xlf", ".xliff", ".tmx")


class _Unit(NamedTuple):
    """A text and its translation in a file of a translation tool."""

    source: str
    target: str
    document: str


class _Pairs:
    """The files of translation tools among the outputs, whose texts must be the same."""

    def __init__(self, read: dict[str, list[_Unit]]) -> None:
        self._read = read
        first = next(iter(read.items()), None)
        self.sources: Lines | None = None
        self.documents: Labels | None = None
        if first is None:
            return
        name, units = first
        self.sources = tuple(unit.source for unit in units)
        documents = tuple(unit.document for unit in units)
        self.documents = documents if all(documents) else None
        for other, more in read.items():
            for number, (one, two) in enumerate(zip(units, more, strict=False), start=1):
                if one.source != two.source:
                    raise DataError(
                        f"{other}: unit {number:,} translates {quote(two.source)}, and that of "
                        f"{name} {quote(one.source)}. Give files of the same texts in one order."
                    )

    @classmethod
    def of(cls, paths: Sequence[FilePath]) -> "_Pairs":
        """Read those of some files that hold pairs."""
        return cls({str(one): _units(one) for one in paths if _is_paired(one)})

    def targets(self, path: FilePath) -> Lines | None:
        """Return the translations of a file; None for one of plain text."""
        units = self._read.get(str(path))
        return None if units is None else tuple(unit.target for unit in units)


def _is_paired(path: FilePath) -> bool:
    return os.fspath(path).lower().endswith(_PAIRED)


def _units(path: FilePath) -> list[_Unit]:
    """Return the units of XLIFF or TMX, read by the Translate Toolkit."""
    try:
        from translate.storage import factory
    except ImportError as error:
        raise DataError(
            f"{path}: XLIFF and TMX need the Translate Toolkit: pip install 'detectable[xliff]'."
        ) from error
    try:
        with open(path, "rb") as file:
            content = file.read()
    except OSError as error:
        raise DataError(f"{path} cannot be read ({error.strerror}).") from error
    if b"<!ENTITY" in content:  # what an entity stands for may be another file, or without end
        raise DataError(f"{path}: the file declares entities, which are not read. Remove them.")
    try:
        units = [one for one in factory.getobject(os.fspath(path)).units if not one.isheader()]
        found = [_unit(one) for one in units if one.istranslatable()]
    except Exception as error:
        raise DataError(f"{path} is no XLIFF or TMX file: {error}.") from error
    if not found:
        raise DataError(f"{path}: there is no unit to translate in it.")
    return found


def _unit(one: Any) -> _Unit:
    """Return a unit; the file that an XLIFF unit belongs to stands before its id."""
    id = one.getid() or ""
    document, apart, _ = id.partition("\x04")
    return _Unit(str(one.source), str(one.target or ""), document if apart else "")


def _lines(path: FilePath) -> Lines:
    """Return the lines of a file; those of a large one are read when they are asked for."""
    return LongLines.of(path) or read_lines(path)  # what is empty is refused there


def _labels(lines: Lines) -> Labels:
    """Return labels, of which there are few, each held once."""
    known: dict[str, str] = {}
    return tuple(known.setdefault(line, line) for line in lines)


def split_documents(path: FilePath, lines: Lines) -> tuple[Labels, Labels | None]:
    """Return the document and, from two columns, the domain of every line of a sidecar file."""
    tabbed = "\t" in lines[0]
    names: list[str] = []
    domains: list[str] = []
    known: dict[str, str] = {}  # one string for all lines of a document
    for number, line in enumerate(lines, start=1):
        row = line.split("\t", 2)
        if (len(row) > 1) != tabbed:
            raise DataError(
                f"{place(path, number)}: expected {'domain<TAB>document' if tabbed else 'one'}"
                f"{'' if tabbed else ' document name'} as in line 1, found "
                f"{quote(line)}. Use one form in the whole file."
            )
        name = row[1 if tabbed else 0]
        if not name.strip():
            raise DataError(
                f"{place(path, number)}: the document name is empty. Name a document in "
                "every line."
            )
        names.append(known.setdefault(name, name))
        if tabbed:
            domains.append(known.setdefault(row[0], row[0]))
    return tuple(names), tuple(domains) if tabbed else None


def _check_counts(read: Sequence[tuple[FilePath, Lines]]) -> None:
    """Raise one error that names every file with its count, and where the lines part."""
    counts = [len(lines) for _, lines in read]
    shortest, longest = min(counts), max(counts)
    if shortest == longest:
        return
    listed = ", ".join(f"{path} has {count(len(lines), 'line')}" for path, lines in read)
    longer, lines = read[counts.index(longest)]
    shorter = read[counts.index(shortest)][0]
    raise DataError(
        f"all files must have the same number of lines: {listed}. "
        f"Line {shortest + 1:,} of {longer}, {quote(lines[shortest])}, has no partner in "
        f"{shorter}. Look there, or before, for a line that was lost, split or added."
    )
