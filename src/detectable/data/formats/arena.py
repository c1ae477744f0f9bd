"""Battles of an arena, or of any table with two systems and a winner per row."""

from collections.abc import Mapping, Sequence

from detectable.data.battles.battles import Battles
from detectable.data.battles.read_battles import ONE_HOT, battles_of
from detectable.data.files.content import FileContent
from detectable.data.files.table import read_table
from detectable.data.human.preferences import judgments_from
from detectable.data.reader import LAST, BattleReader

_MODELS = ("model_a", "model_b")


def recognise(content: FileContent) -> bool:
    """Tell by two models and a winner, or by a column for each outcome."""
    words = content.first_line.replace(",", "\t").split("\t")
    header = {word.strip().strip('"').casefold() for word in words}
    keys = content.first_object.keys() | content.parquet_columns | header
    return keys >= {*_MODELS, "winner"} or keys >= {*_MODELS, *ONE_HOT}


def read(
    content: FileContent,
    *,
    columns: Mapping[str, str] | None = None,
    covariates: Sequence[str] = (),
) -> Battles:
    """Read a table of battles: ``model_a, model_b, winner`` or a column for each outcome.

    A winner is ``model_a``, ``model_b``, ``tie``, or that both are bad, which counts as a tie. The
    model on the left is ``model_a``. Battles in which the names of the models were shown
    (``anony`` is false) are left out and counted.

    Parameters
    ----------
    content : FileContent
        CSV, TSV, JSON, JSON lines or Parquet.
    columns, covariates
        See `battles_of`.
    """
    table = read_table(content, several=True)
    return battles_of(table, columns=columns, covariates=covariates)


BATTLES = BattleReader(
    name="arena",
    about="battles of an arena: model_a, model_b, winner",
    recognise=recognise,
    read=read,
    order=83,
    is_table=True,
)


# --- Any table with two systems and a winner per row ---


def recognise_table(content: FileContent) -> bool:
    """Take what nobody else recognises, unless it is a folder."""
    return not content.is_folder


TABLE_OF_BATTLES = BattleReader(
    name="table",
    about="a table: a, b, winner (or outcome), and where known prompt, voter, weight",
    recognise=recognise_table,
    read=read,
    order=LAST,
    is_table=True,
)


# --- Battles of an arena, as preferences between two systems ---

JUDGMENTS = judgments_from(BATTLES)
