"""Plain text files, line by line, into a corpus."""

import dataclasses
from collections.abc import Sequence

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

    Raises
    ------
    DataError
        If a file cannot be read, or if the files differ in their number of lines.
    """
    runs = {
        name: [(path, _lines(path)) for path in files]
        for name, files in system_files(systems).items()
    }
    streams = [(path, _lines(path)) for path in references]
    if not streams:
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
    names, domains = (None, None)
    if documents is not None and document_lines is not None:
        names, domains = split_documents(documents, document_lines)
    corpus = Corpus.build(
        {name: [lines for _, lines in pairs] for name, pairs in runs.items()},
        [lines for _, lines in streams],
        sources=source_lines,
        documents=names,
        domains=domains,
        original_languages=None if language_lines is None else _labels(language_lines),
    )
    files = {name: tuple(str(path) for path, _ in pairs) for name, pairs in runs.items()}
    return dataclasses.replace(corpus, files=files)


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
