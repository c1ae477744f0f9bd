"""A table of texts, one row per segment, into a corpus."""

import re
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import replace
from pathlib import Path
from typing import Any

from detectable.core.errors import DataError, InputError
from detectable.core.wording import count, listing
from detectable.core.write import refuse_existing, write_whole
from detectable.data.files.place import FilePath, missing_names, quote
from detectable.data.files.table import (
    CAMPAIGN,
    LANGUAGE,
    ORIGINAL_LANGUAGE,
    PARTS,
    Table,
    TableSource,
    check_roles,
    find_column,
    frame_bytes,
    one_language,
    pair_of,
    read_table,
)
from detectable.data.texts.corpus import Corpus

ROLES = {
    "source": ("src", "source"),
    "document": ("doc", "docid", "doc_id", "document", "document_id"),
    "domain": ("domain", "genre"),
    "original_language": ORIGINAL_LANGUAGE,
}
_INDEX = frozenset(("line", "seg", "seg_id", "segment", "segment_id", "id", "item", "",
                    "unnamed: 0", *LANGUAGE, *PARTS, *CAMPAIGN))  # fmt: skip
_REFERENCE = re.compile(r"ref(erence)?([:_-].+|[0-9a-z])?", re.IGNORECASE)
_OUTPUT = re.compile(r"(?:hyp|mt|sys|system|output):(.+)", re.IGNORECASE)
_LONG_SYSTEM = ("system", "model")
_LONG_TEXT = ("text", "output", "translation", "hyp", "mt")
_LONG_KEY = ("item", "seg_id", "segment_id", "segment", "seg", "line", "id")
_RUN = re.compile(r"(.+)#(\d+)")


def read_text_table(
    source: TableSource,
    *,
    systems: Sequence[str] | None = None,
    references: Sequence[str] | None = None,
    columns: Mapping[str, str] | None = None,
    language_pair: str | None = None,
    quoted: bool | None = None,
    need_references: bool = True,
) -> Corpus:
    """Read a CSV, TSV, JSON-lines or Parquet table with one row per segment into a corpus.

    The header tells the columns: ``src``, ``ref`` or ``ref:NAME``, ``doc``, ``domain``,
    ``origlang``, and the outputs as ``hyp:NAME`` with ``hyp:NAME#1``, ``hyp:NAME#2`` for runs.
    If no column begins with ``hyp:``, every column not named above is a system, except those
    that only count rows (``line``, ``seg``, ``id``). A null in a reference means that it does
    not cover the segment; an empty cell of a CSV or TSV file is an empty text. A long table, with
    a row for every output, has the columns ``system``, ``text`` and an id of the segment.

    Parameters
    ----------
    source : path, data frame, or mapping of str to sequence
        The table, in a file or in memory.
    systems, references : sequence of str, optional
        Which systems and references to take, by column or by the name after the colon.
    columns : mapping of str to str, optional
        Which column is the ``source``, ``document``, ``domain`` or ``original_language``.
    language_pair : str, optional
        Which one, where the table has a column of the language pair and holds several. Where it
        has none and says the original language, this is the pair.
    quoted : bool, optional
        As in `read_table`.
    need_references : bool
        Whether a table without a reference is refused. Where it is not, references are empty.
    """
    table, left_out = one_language(read_table(source, quoted=quoted), language_pair)
    table = _widened(table)
    chosen = dict(columns or {})
    check_roles(chosen, ROLES)
    roles = {role: find_column(table, role, names, chosen) for role, names in ROLES.items()}
    taken = {column for column in roles.values() if column is not None}
    known = _references(table, taken, needed=need_references or references is not None)
    refs = _choose(table, known, references, "reference")
    outputs = _choose_outputs(table, taken | set(refs), systems)
    original = roles.pop("source")
    labels = {role: _labels(table, column) for role, column in roles.items()}
    corpus = Corpus.build(
        {name: [_outputs(table, column) for column in runs] for name, runs in outputs.items()},
        [_texts(table, column) for column in refs] or [[""] * table.n_rows],
        sources=None if original is None else _sources(table, original),
        documents=labels["document"],
        domains=labels["domain"],
        original_languages=labels["original_language"],
        reference_names=[_short(column) for column in refs] or None,
    )
    used = taken | set(refs) | {column for runs in outputs.values() for column in runs}
    return replace(
        corpus,
        language_pair=pair_of(table, language_pair),
        notes=(*left_out, *_notes(table, used)),
    )


def _widened(table: Table) -> Table:
    """Return a long table, of a row for every output, with a row for every segment."""
    system, text, key = (table.find(names) for names in (_LONG_SYSTEM, _LONG_TEXT, _LONG_KEY))
    if not (system and text and key) or any(_OUTPUT.fullmatch(c) for c in table.columns):
        return table
    names, ids = (list(map(str, table.cells(one[0]))) for one in (system, key))
    first: dict[str, int] = {}
    rows: dict[str, dict[str, int]] = {}
    for row, (name, id) in enumerate(zip(names, ids, strict=True)):
        first.setdefault(id, row)
        if id in rows.setdefault(name, {}):
            raise DataError(
                f"{table.place(row)}: {name} has two texts for {quote(id)}. Keep one of them."
            )
        rows[name][id] = row
    for name, own in rows.items():
        missing = next((id for id in first if id not in own), None)
        if missing is not None:
            raise DataError(
                f"{table.subject}: {name} has no text for {quote(missing)}, which others have. "
                "Give one for every segment and system."
            )
    texts = table.cells(text[0])
    rest = [c for c in table.columns if c not in (system[0], text[0], key[0])]
    columns = {
        c: (cells := table.cells(c)) and [cells[row] for row in first.values()] for c in rest
    }
    outputs = {f"hyp:{name}": [texts[own[id]] for id in first] for name, own in rows.items()}
    return Table(path=table.path, columns={**columns, **outputs})


def _references(table: Table, taken: Iterable[str], *, needed: bool) -> list[str]:
    found = [c for c in table.columns if _REFERENCE.fullmatch(c.strip()) and c not in taken]
    if not found and needed:
        raise DataError(
            f"{table.subject}: there is no reference column. Name it 'ref' or 'ref:NAME'. "
            f"Found: {listing(list(table.columns), most=20)}."
        )
    return found


def _short(column: str) -> str:
    return column.split(":", 1)[1] if ":" in column else column


def _choose(
    table: Table, found: Sequence[str], names: Sequence[str] | None, noun: str
) -> list[str]:
    if names is None:
        return list(found)
    short = {_short(column): column for column in found}
    for name in names:
        if name not in found and name not in short:
            raise DataError(
                f"{table.subject}: there is no {noun} {name!r}. Found: {listing(list(found))}."
            )
    return [name if name in found else short[name] for name in names]


def _choose_outputs(
    table: Table, taken: set[str], systems: Sequence[str] | None
) -> dict[str, list[str]]:
    marked = [c for c in table.columns if _OUTPUT.fullmatch(c.strip()) and c not in taken]
    plain = [
        column
        for column in table.columns
        if column not in taken
        and column.strip().casefold() not in _INDEX
        and not _REFERENCE.fullmatch(column.strip())
    ]
    found = group_runs(table, marked or plain, short=_short)
    if not found:
        raise DataError(
            f"{table.subject}: there is no column with outputs. Name it 'hyp:NAME'. "
            f"Found: {listing(list(table.columns), most=20)}."
        )
    if systems is None:
        return found
    by_column = {column: name for name, runs in found.items() for column in runs}
    names = [name if name in found else by_column.get(name, name) for name in systems]
    _choose(table, list(found), names, "system")
    return {name: found[name] for name in names}


def group_runs(
    table: Table, columns: Iterable[str], *, short: Callable[[str], str] = str
) -> dict[str, list[str]]:
    """Return the columns of each system: ``NAME``, or its runs ``NAME#1``, ``NAME#2``."""
    runs: dict[str, dict[int, str]] = {}
    for column in columns:
        name = short(column.strip())
        match = _RUN.fullmatch(name)
        system, run = (match[1], int(match[2])) if match else (name, 0)
        of = runs.setdefault(system, {})
        if run in of or (of and (run == 0) != (0 in of)):
            other = next(iter(of.values()))
            raise DataError(
                f"{table.subject}: columns {other!r} and {column!r} are both system {system!r}. "
                f"Call its runs {system}#1, {system}#2 and so on."
            )
        of[run] = column
    return {system: [of[run] for run in sorted(of)] for system, of in runs.items()}


def _texts(table: Table, column: str) -> list[str | None]:
    return [
        None if value is None else _text(table, row, column, value)
        for row, value in enumerate(table.cells(column))
    ]


def _outputs(table: Table, column: str) -> list[str]:
    values = table.cells(column)
    for row, value in enumerate(values):
        if value is None:
            raise DataError(
                f"{table.place(row, column)}: the output is missing. Write an empty text if "
                "the system gave nothing, or leave the system out with systems=[…]."
            )
    return [_text(table, row, column, value) for row, value in enumerate(values)]


def _text(table: Table, row: int, column: str, value: object) -> str:
    if not isinstance(value, str):
        raise DataError(
            f"{table.place(row, column)}: expected a text, found {quote(value)}. Choose the "
            "columns with systems=[…] and references=[…]."
        )
    try:
        value.encode()
    except UnicodeEncodeError as error:
        raise DataError(
            f"{table.place(row, column)}: {quote(value)} holds half a character (a surrogate), "
            "which no file can store. Repair the text."
        ) from error
    return value


def _sources(table: Table, column: str) -> list[str]:
    values = table.cells(column)
    if None in values:
        where = table.place(values.index(None), column)
        raise DataError(f"{where}: the value is missing. Fill it in.")
    return [str(value) for value in values]


def _labels(table: Table, column: str | None) -> list[str] | None:
    if column is None:
        return None
    labels = [str(value) for value in table.cells(column)]
    missing = missing_names(labels)
    if missing:
        where = table.place(missing[0], column)
        raise DataError(f"{where}: the value is missing. Fill it in.")
    return labels


def _notes(table: Table, used: set[str]) -> tuple[str, ...]:
    rest = [
        column
        for column in table.columns
        if column not in used and column.strip().casefold() not in _INDEX
    ]
    if not rest:
        return ()
    return (
        f"{table.subject}: {count(len(rest), 'column')} not used: {listing(rest, most=20)}.",
    )


# --- Texts into a table that `read_text_table` reads: one row per segment, with all that is known of it ---

ENDINGS = (".tsv", ".csv", ".jsonl", ".parquet")
_REMEDY = "Choose another name, or allow overwriting."


def write_text_table(corpus: Corpus, path: FilePath, *, overwrite: bool = False) -> None:
    """Write texts as TSV, CSV, JSON lines or Parquet; every command that takes texts reads it.

    Columns are ``line``, ``doc``, ``domain``, ``origlang``, ``lp``, ``src``, ``ref:NAME`` and
    ``hyp:NAME`` (``hyp:NAME#1``, ``hyp:NAME#2`` for runs), as far as they are known.

    Parameters
    ----------
    corpus : Corpus
        What to write.
    path : path
        The file; its ending chooses the format.
    overwrite : bool
        Whether a file that exists may be replaced.
    """
    import polars as pl

    target = Path(path)
    ending = target.suffix.lower()
    if ending not in ENDINGS:
        raise InputError(f"`path` must end in {', '.join(ENDINGS)}; got {str(path)!r}.")
    if not overwrite:
        refuse_existing(target, remedy=_REMEDY)
    columns = _columns(corpus)
    if ending == ".tsv":
        _refuse_breaks(columns)
    written = frame_bytes(pl.DataFrame(columns), ending)
    write_whole(target, [written], new=not overwrite, remedy=_REMEDY)


def _columns(corpus: Corpus) -> dict[str, list[Any]]:
    n = corpus.n_segments
    columns: dict[str, list[Any]] = {"line": list(range(1, n + 1))}
    for name, values in (
        ("doc", corpus.documents),
        ("domain", corpus.domains),
        ("origlang", corpus.original_languages),
        ("lp", None if corpus.language_pair is None else [corpus.language_pair] * n),
        ("src", corpus.sources),
    ):
        if values is not None:
            columns[name] = list(values)
    names = corpus.reference_names or [str(i + 1) for i in range(len(corpus.references))]
    for name, stream in zip(names, corpus.references, strict=True):
        columns[f"ref:{name.removeprefix('ref:')}"] = list(stream)
    for name, runs in corpus.systems.items():
        for run, lines in enumerate(runs, start=1):
            columns[f"hyp:{name}" + (f"#{run}" if len(runs) > 1 else "")] = list(lines)
    return columns


def _refuse_breaks(columns: dict[str, list[Any]]) -> None:
    """Refuse texts that would be cut in two when the file is read."""
    for name, values in columns.items():
        for row, value in enumerate(values, start=1):
            if isinstance(value, str) and any(mark in value for mark in "\t\n\r"):
                raise DataError(
                    f"column {name}, row {row:,}: {quote(value)} holds a tab or a line "
                    "break, which a .tsv file cannot hold. Write .csv, .jsonl or .parquet."
                )
