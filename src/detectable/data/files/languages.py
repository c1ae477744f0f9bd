"""The language pair of each row of a table, and the rows of one of them."""

from dataclasses import replace

from detectable.core.errors import DataError, InputError
from detectable.core.wording import count, listing
from detectable.data.files.table import Table

LANGUAGE = ("language", "language_pair", "lp", "langs", "lang_pair", "langpair")
# Not «src» and «source»: in tables of texts these are the sentences.
_SOURCE = ("source_lang", "src_lang", "source_language", "sourcelang", "srclang")
_TARGET = (
    *("target_lang", "tgt_lang", "trg_lang", "target_language", "targetlang", "tgtlang"),
    "trglang",
)
PARTS = (*_SOURCE, *_TARGET)
CAMPAIGN = ("campaign", "campaign_id", "test_set", "testset", "set_id")


def with_language(table: Table) -> Table:
    """Return the table with a column ``language``, where source and target stand apart.

    Examples
    --------
    >>> table = Table(path="", columns={"source_lang": ["en"], "target_lang": ["cs"]})
    >>> with_language(table).columns["language"]
    ['en-cs']
    """
    parts = [found[0] for names in (_SOURCE, _TARGET) if (found := table.find(names))]
    if not parts or table.find(LANGUAGE):
        return table
    cells = zip(*(table.cells(name) for name in parts), strict=True)
    joined = ["-".join(str(part).strip() for part in row) for row in cells]
    return replace(table, columns={**table.columns, "language": joined})


def one_language(table: Table, wanted: str | None) -> tuple[Table, tuple[str, ...]]:
    """Return the rows of one language pair; several are refused unless one was chosen.

    Several campaigns or test sets are refused, too: scores of different ones are not comparable.

    Examples
    --------
    >>> table = Table(path="a.csv", columns={"lp": ["en-cs", "en-de"]}, lines=[2, 3])
    >>> cut, notes = one_language(table, "en-de")
    >>> cut.lines, notes
    ([3], ('a.csv: 1 row of other language pairs left out as asked.',))
    """
    cut, notes = chosen_language(table, wanted)
    column = several_languages(cut)
    if column is not None:
        found = list(dict.fromkeys(str(value).strip() for value in cut.cells(column)))
        raise _several(cut, column, found, "language pairs", "Choose one: --language-pair")
    return cut, notes


def chosen_language(table: Table, wanted: str | None) -> tuple[Table, tuple[str, ...]]:
    """Return the rows of one language pair where it was chosen, else all; one campaign only."""
    table = with_language(table)
    notes: tuple[str, ...] = ()
    column = next(iter(table.find(LANGUAGE)), None)
    if column is None and wanted is not None:
        raise InputError(
            f"`language_pair` must be left out: {table.subject} has no column of the language "
            f"pair. Found: {listing(list(table.columns), most=20)}."
        )
    if column is not None and wanted is not None:
        cells = [str(value).strip() for value in table.cells(column)]
        rows = [row for row, cell in enumerate(cells) if cell == wanted]
        if not rows:
            raise DataError(
                f"{table.subject}: column {column!r} holds no language pair {wanted!r}. "
                f"Found: {listing(list(dict.fromkeys(cells)), most=20)}."
            )
        if len(rows) < len(cells):
            left = count(len(cells) - len(rows), "row")
            notes = (f"{table.subject}: {left} of other language pairs left out as asked.",)
            table = table.take(rows)
    for column in table.find(CAMPAIGN):
        found = list(dict.fromkeys(str(value).strip() for value in table.cells(column)))
        if len(found) > 1:
            raise _several(table, column, found, "campaigns", "Give a table of one of them")
    return table, notes


def several_languages(table: Table) -> str | None:
    """Return the column of the language pair, where it holds more than one.

    Examples
    --------
    >>> several_languages(Table(path="", columns={"lp": ["en-cs", "en-de"]}))
    'lp'
    """
    column = next(iter(with_language(table).find(LANGUAGE)), None)
    if column is None:
        return None
    cells = with_language(table).cells(column)
    return column if len({str(value).strip() for value in cells}) > 1 else None


def _several(table: Table, column: str, found: list[str], what: str, remedy: str) -> DataError:
    return DataError(
        f"{table.subject}, column {column!r}: {len(found)} {what}: {listing(found, most=20)}. "
        f"Scores of different ones are not comparable. {remedy}."
    )
