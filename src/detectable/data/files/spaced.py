"""Tables whose columns are separated by any white space, as WMT writes averages of segments."""

from detectable.core.errors import DataError
from detectable.data.files.content import FileContent
from detectable.data.files.place import place, quote
from detectable.data.files.table import Table

# Headers of files that are really published so; any other text with spaces is no table.
_HEADERS = (
    frozenset(("sys", "sid", "raw.scr")),  # ad-seg-scores-cs-en.csv
    frozenset(("sys", "sid", "z.scr")),
    frozenset(("system", "seg_id", "mqm_avg_score")),  # avg_seg_scores.tsv of Google
)


def is_spaced(content: FileContent) -> bool:
    """Tell by a header that is known, and that neither commas nor tabs separate alone."""
    if "," in content.first_line:
        return False
    names = {word.casefold() for word in content.first_line.split()}
    return any(names >= header for header in _HEADERS)


def read_spaced(content: FileContent) -> Table:
    """Return the table; every row must have as many words as the header.

    Examples
    --------
    >>> from pathlib import Path
    >>> from tempfile import TemporaryDirectory
    >>> with TemporaryDirectory() as folder:
    ...     path = Path(folder) / "s.csv"
    ...     _ = path.write_text("SYS SID RAW.SCR N " + chr(10) + "A 17 55.5 2" + chr(10))
    ...     read_spaced(FileContent(path)).cells("RAW.SCR")
    ['55.5']
    """
    header, *rows = content.lines
    names = header.split()
    twice = [name for name in names if names.count(name) > 1]
    if twice:
        raise DataError(
            f"{place(content, 1)}: the column name {quote(twice[0])} appears twice. Rename one."
        )
    columns: dict[str, list[str]] = {name: [] for name in names}
    lines = []
    for number, row in enumerate(rows, start=2):
        cells = row.split()
        if not cells:
            continue
        if len(cells) != len(names):
            raise DataError(
                f"{place(content, number)}: the header has {len(names)} columns, this row has "
                f"{len(cells)}, cut at spaces: {quote(row)}. Names must not hold spaces."
            )
        for name, cell in zip(names, cells, strict=True):
            columns[name].append(cell)
        lines.append(number)
    if not lines:
        raise DataError(f"{content}: the table has a header and no row. Give at least one row.")
    return Table(path=str(content), columns=columns, lines=lines)
