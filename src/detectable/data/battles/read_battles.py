"""Battles from files of any known format, or from a table in memory."""

from collections.abc import Mapping, Sequence
from typing import Any

from detectable.core import check
from detectable.core.errors import DataError
from detectable.core.registry import LAST
from detectable.data.battles.battle_formats import BattleReader, battle_readers
from detectable.data.battles.battle_table import battles_of, refuse_columns
from detectable.data.battles.battles import Battles, join_battles
from detectable.data.files.content import FileContent
from detectable.data.files.table import is_path, read_table


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
    check.one_of(format, ("auto", *battle_readers().names()), "format")
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
    reader = _reader(content, format, columns)
    if reader.is_table:
        return reader.read(content, columns=columns, covariates=covariates)
    refuse_columns(columns, covariates, reader.name)
    return reader.read(content)


def is_battles(content: FileContent) -> bool:
    """Return whether a file is of a known format of battles, and not just any table."""
    return any(
        reader.recognise(content)
        for reader in battle_readers().in_order()
        if reader.order < LAST
    )


def _reader(
    content: FileContent, format: str, columns: Mapping[str, str] | None
) -> BattleReader:
    """Return the reader of a file; who names columns has a table, whatever it looks like."""
    registry = battle_readers()
    if format != "auto" or columns:
        return registry.get("table" if format == "auto" else format)
    if not (content.is_folder or content.is_parquet or content.first_line):
        raise DataError(f"{content}: the file is empty. Give a file with battles.")
    for reader in registry.in_order():
        if reader.recognise(content):
            return reader
    raise DataError(f"{content}: this is a folder. Name the files in it.")
