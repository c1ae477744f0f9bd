"""Plain text files, line by line, into a corpus."""

import dataclasses
from collections.abc import Sequence

from detectable.core.errors import DataError
from detectable.core.wording import count
from detectable.data.files.place import FilePath, place, quote
from detectable.data.files.read_lines import read_lines
from detectable.data.name_systems import SystemFiles, system_files
from detectable.data.texts.corpus import Corpus

Lines = tuple[str, ...]


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
        name: [(path, read_lines(path)) for path in files]
        for name, files in system_files(systems).items()
    }
    streams = [(path, read_lines(path)) for path in references]
    if not streams:
        raise DataError("there is no reference. Give at least one reference file.")
    read = [*streams, *(pair for pairs in runs.values() for pair in pairs)]
    source_lines, document_lines, language_lines = (
        None if path is None else read_lines(path)
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
        original_languages=language_lines,
    )
    files = {name: tuple(str(path) for path, _ in pairs) for name, pairs in runs.items()}
    return dataclasses.replace(corpus, files=files)


def split_documents(path: FilePath, lines: Lines) -> tuple[Lines, Lines | None]:
    """Return the document and, from two columns, the domain of every line of a sidecar file."""
    rows = [line.split("\t") for line in lines]
    tabbed = len(rows[0]) > 1
    for number, row in enumerate(rows, start=1):
        if (len(row) > 1) != tabbed:
            raise DataError(
                f"{place(path, number)}: expected {'domain<TAB>document' if tabbed else 'one'}"
                f"{'' if tabbed else ' document name'} as in line 1, found "
                f"{quote(lines[number - 1])}. Use one form in the whole file."
            )
        if not row[1 if tabbed else 0].strip():
            raise DataError(
                f"{place(path, number)}: the document name is empty. Name a document in "
                "every line."
            )
    if not tabbed:
        return tuple(row[0] for row in rows), None
    return tuple(row[1] for row in rows), tuple(row[0] for row in rows)


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
