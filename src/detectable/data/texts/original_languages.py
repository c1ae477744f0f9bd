"""In which language each line or document of a test set was first written: a sidecar file."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from typing import Any

from detectable.core.errors import DataError, InputError
from detectable.core.wording import count, listing
from detectable.data.files.content import FileContent
from detectable.data.files.missing import is_missing
from detectable.data.files.table import Table, TableSource, is_path, read_table
from detectable.data.texts.corpus import Corpus
from detectable.data.texts.language_code import UNKNOWN, language_code

_NAMES: Mapping[str, tuple[str, ...]] = {
    "line": ("line", "line_id", "item", "segment", "seg_id", "sid"),
    "document": ("document", "doc", "docid", "doc_id", "document_id"),
    "language": ("origlang", "orig_lang", "original_language"),
}


@dataclass(frozen=True, slots=True, kw_only=True)
class OriginalLanguages:
    """The language of each line; make it by `read_original_languages` or `languages_of`.

    Attributes
    ----------
    languages : tuple of str
        As written; ``unknown`` where nothing is written.
    lines, documents : tuple of str or None
        Which line, or document, each of them is about. Without either they are about the lines
        1, 2, … of a test set.
    path : str
        The file, for messages.
    """

    languages: tuple[str, ...]
    lines: tuple[str, ...] | None = None
    documents: tuple[str, ...] | None = None
    path: str = ""

    @property
    def subject(self) -> str:
        """What a message is about."""
        return self.path or "the original languages"

    def by_line(self) -> dict[str, int]:
        """Return the entry of each line by its name; without names lines are counted from 1."""
        if self.lines is None and self.documents is not None and not self._is_ordered:
            return {}
        names = self.lines or tuple(str(i) for i in range(1, len(self.languages) + 1))
        return {name: i for i, name in enumerate(names)}

    @property
    def _is_ordered(self) -> bool:
        """Whether there is an entry per line: documents come several times then."""
        return self.documents is None or len(set(self.documents)) < len(self.documents)

    def by_document(self) -> dict[str, str]:
        """Return the language of each document; a document with two of them is refused."""
        found: dict[str, str] = {}
        for document, language in zip(self.documents or (), self.languages, strict=False):
            if found.setdefault(document, language) != language:
                raise DataError(
                    split_document(self.subject, document, found[document], language)
                )
        return found


def split_document(where: str, document: str, first: str, second: str) -> str:
    """Say that a document seems to have been written in two languages."""
    return (
        f"{where}: document {document!r} has segments first written in {first} and in {second}; a "
        "document was written in one language. Correct it, or name its parts differently."
    )


def read_original_languages(source: TableSource) -> OriginalLanguages:
    """Read in which language each line was first written.

    A table with a header (TSV, CSV, JSON lines, Parquet, or in memory) has the column
    ``origlang`` and, where they are known, ``line`` (from 1) and ``doc``. A file without a
    header has one code per line, as ``sacrebleu -t wmt17 -l zh-en --echo origlang`` writes it.

    Examples
    --------
    >>> table = {"line": [1, 2, 3], "doc": ["a", "a", "b"], "origlang": ["zh", "zh", "en"]}
    >>> read_original_languages(table).by_document()
    {'a': 'zh', 'b': 'en'}
    """
    if isinstance(source, OriginalLanguages):
        return source
    if is_path(source):
        content = FileContent.of(source)
        if not content.is_parquet and _is_code(content.first_line):
            return OriginalLanguages(
                languages=tuple(_written(line) for line in content.lines), path=str(content)
            )
        source = content
    return _from_table(read_table(source))


def _is_code(line: str) -> bool:
    """Return whether a first line is a language code, and not a header."""
    try:
        language_code(line)
    except InputError:
        return line.strip().casefold() == UNKNOWN
    return line.strip().casefold() not in {name for names in _NAMES.values() for name in names}


def _written(cell: Any) -> str:
    return UNKNOWN if is_missing(cell) else str(cell).strip()


def _from_table(table: Table) -> OriginalLanguages:
    columns = {role: table.find(names)[:1] for role, names in _NAMES.items()}
    if not columns["language"]:
        raise table.missing("the original language (origlang)")

    def names(role: str) -> tuple[str, ...] | None:
        if not columns[role]:
            return None
        cells = table.cells(columns[role][0])
        for row, cell in enumerate(cells):
            if is_missing(cell):
                where = table.place(row, columns[role][0])
                raise DataError(f"{where}: the {role} is missing. Fill it in, or drop the row.")
        return tuple(str(cell).strip() for cell in cells)

    lines = names("line")
    if lines is not None and len(set(lines)) < len(lines):
        again = next(name for i, name in enumerate(lines) if name in lines[:i])
        raise DataError(
            f"{table.subject}: line {again} occurs twice. Give one row for each line."
        )
    return OriginalLanguages(
        languages=tuple(_written(cell) for cell in table.cells(columns["language"][0])),
        lines=lines,
        documents=names("document"),
        path=table.path,
    )


def languages_of(corpus: Corpus) -> OriginalLanguages | None:
    """Return what a corpus knows about its lines; None where it knows no language."""
    if corpus.original_languages is None:
        return None
    return OriginalLanguages(
        languages=corpus.original_languages, documents=corpus.documents, path="the corpus"
    )


def with_original_languages(corpus: Corpus, origins: OriginalLanguages) -> Corpus:
    """Return the corpus with the original language of each line, and documents if it had none.

    A sidecar with a row per document goes by the names of the documents, else by line.
    """
    documents = None if origins.documents is None else origins.by_document()
    own = corpus.documents
    if documents and own is not None and set(own) <= documents.keys():
        return replace(corpus, original_languages=tuple(documents[name] for name in own))
    place = origins.by_line()
    wanted = [str(i) for i in range(1, corpus.n_segments + 1)]
    if len(place) != corpus.n_segments or not place.keys() >= set(wanted):
        raise DataError(_no_partner(origins, wanted, place, own, documents))
    rows = [place[name] for name in wanted]
    found = replace(corpus, original_languages=tuple(origins.languages[row] for row in rows))
    if own is None and origins.documents is not None:
        return replace(found, documents=tuple(origins.documents[row] for row in rows))
    return found


def _no_partner(
    origins: OriginalLanguages,
    wanted: Sequence[str],
    place: Mapping[str, int],
    own: Sequence[str] | None,
    documents: Mapping[str, str] | None,
) -> str:
    if own is not None and documents:
        lacking = sorted(set(own) - documents.keys())
        return (
            f"{origins.subject}: {count(len(lacking), 'document')} of the corpus not found: "
            f"{listing(lacking)}. Add them."
        )
    lacking = [name for name in wanted if name not in place]
    more = f"; line {lacking[0]} is not among them" if lacking else ""
    return (
        f"{origins.subject}: there must be a language for each of {count(len(wanted), 'line')} of the "
        f"corpus; got {count(len(place), 'line')}{more}. Give one row for each line, counted from 1."
    )
