"""Battles from files of any known format, or from a table in memory."""

from collections.abc import Mapping, Sequence
from typing import Any

from detectable.core.errors import DataError
from detectable.data.battles.battle_formats import BattleReader, battle_readers
from detectable.data.battles.battle_table import battles_of, refuse_columns
from detectable.data.battles.battles import Battles, join_battles
from detectable.data.files.content import FileContent
from detectable.data.files.table import is_path, read_table
from detectable.data.reader import TABLE


def read_battles(
    source: Any,
    *,
    format: str = "auto",
    columns: Mapping[str, str] | None = None,
    covariates: Sequence[str] = (),
) -> Battles:
    """Read battles: who was compared with whom, and who won.

    Parameters
    ----------
    source : path, paths, mapping of str to sequence, data frame, or Battles
        Files of an arena, AlpacaEval, Arena-Hard or MT-bench, or any table with two systems and
        a winner; a table in memory. Several files are joined. Battles are returned as they are.
    format : str
        ``arena``, ``alpaca-eval``, ``arena-hard``, ``mt-bench``, ``table``; ``auto`` looks into
        the file.
    columns : mapping of role to column, optional
        Of a table, which column is what: ``a``, ``b``, ``winner``, ``prompt``, ``voter``,
        ``weight``, ``language``.
    covariates : sequence of str
        Of a table, what may sway voters: ``length`` is the columns ``length_a`` and ``length_b``.

    Examples
    --------
    >>> table = {"a": ["x", "y"], "b": ["y", "x"], "winner": ["a", "tie"]}
    >>> read_battles(table).outcome.tolist()
    [1.0, 0.5]
    """
    if isinstance(source, Battles):
        return source
    named = battle_readers().named(format)
    if isinstance(source, list | tuple):
        if not source:
            raise DataError("there is no file of battles. Name at least one.")
        parts = [
            read_battles(one, format=format, columns=columns, covariates=covariates)
            for one in source
        ]
        return join_battles(parts)
    if not is_path(source):
        return battles_of(read_table(source), columns=columns, covariates=covariates)
    content = FileContent.of(source)
    reader = named or _reader(content, columns)
    if reader.is_table:
        return reader.read(content, columns=columns, covariates=covariates)
    refuse_columns(columns, covariates, reader.name)
    return reader.read(content)


def is_battles(content: FileContent) -> bool:
    """Return whether a file is of a known format of battles, and not just any table."""
    return battle_readers().find(content, any_table=False) is not None


def _reader(content: FileContent, columns: Mapping[str, str] | None) -> BattleReader:
    """Return the reader of a file; who names columns has a table, whatever it looks like."""
    readers = battle_readers()
    if columns:
        return readers.get(TABLE)
    readers.refuse_empty(content)
    found = readers.find(content, any_table=not content.is_zip)
    if found is None:
        what = "ZIP archive. Unpack it, and name" if content.is_zip else "folder. Name"
        raise DataError(f"{content}: this is a {what} the files in it.")
    return found
