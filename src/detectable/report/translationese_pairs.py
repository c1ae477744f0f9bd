"""The pairs of a study of forward against reverse data: what is shown of each."""

from collections.abc import Callable, Sequence
from dataclasses import replace
from typing import Any

from detectable.report.blocks import DATA_ONLY, LONG, Column, Table, table
from detectable.study.translationese.result import Translationese


def pairs(result: Translationese) -> Table:
    """Return every pair: differences and verdicts on both halves, and what changes."""
    digits = digits_of(result)
    columns = (
        Column("measure", "measure", "name"),
        Column("first", "higher", "name"),
        Column("second", "lower", "name"),
        Column("forward", "forward", digits=digits, sign=True),
        Column("verdict_forward", "forward verdict", "verdict", short="verdict"),
        Column("mde_forward", "forward MDE", digits=digits, keep=DATA_ONLY),
        Column("reverse", "reverse", digits=digits, sign=True, keep=2),
        Column("verdict_reverse", "reverse verdict", "verdict", keep=3, short="verdict"),
        Column("mde_reverse", "reverse MDE", digits=digits, keep=DATA_ONLY),
        Column("both", "both", digits=digits, sign=True, keep=DATA_ONLY),
        Column("verdict_both", "verdict on both", "verdict", short="both"),
        Column("mde_both", "MDE on both", digits=digits, keep=DATA_ONLY),
        Column("change", "without reverse", "text", help="what becomes of the verdict on both"),
        Column("forward_had_power", "forward could tell", "text", keep=4, of=_could_tell),
        Column("effect_first", "effect on higher", digits=digits, sign=True, keep=DATA_ONLY),
        Column("effect_second", "effect on lower", digits=digits, sign=True, keep=DATA_ONLY),
        Column("opposite", "opposite signs", "text", keep=DATA_ONLY),
        *(replace(column, keep=DATA_ONLY) for column in _shift(result)),
    )
    rows = result.pairs
    return table(
        "pairs",
        "Pairs: what becomes of the verdicts without reverse data",
        columns,
        rows,
        breaks=block_starts([row.measure for row in rows]),
        note="«Forward could tell»: its detectable difference is no larger than the one on both.",
        folded=len(rows) > LONG,
    )


def pair_shifts(result: Translationese) -> Table:
    """Return every pair: how far its difference depends on the direction."""
    digits = digits_of(result)
    columns = (
        Column("measure", "measure", "name"),
        Column("first", "higher", "name"),
        Column("second", "lower", "name"),
        *_shift(result),
        Column("mde_forward", "MDE forward", digits=digits, keep=4),
        Column("mde_reverse", "MDE reverse", digits=digits, keep=4),
    )
    rows = result.pairs
    return table(
        "pair-shifts",
        "Pairs: does the difference depend on the direction",
        columns,
        rows,
        breaks=block_starts([row.measure for row in rows]),
        note="MDE: of this shift; forward and reverse: of the difference on that half alone.",
        folded=len(rows) > LONG,
    )


def _shift(result: Translationese) -> tuple[Column, ...]:
    """Return the columns of reverse − forward, and how well it is known."""
    digits = digits_of(result)
    level = f"{1 - result.alpha:.0%} interval"
    return (
        Column("relative", "reverse − forward", digits=digits, sign=True, short="rev − fwd"),
        Column("interval", level, "interval", digits=digits, sign=True, keep=2),
        Column("standard_error", "SE", digits=digits, keep=DATA_ONLY),
        Column("df", "df", digits=1, keep=DATA_ONLY),
        Column("p_value", "p alone", "p", keep=DATA_ONLY),
        Column("p_adjusted", "p corrected", "p", short="p corr."),
        Column("relative_mde", "MDE", digits=digits, keep=3),
    )


def _could_tell(row: Any) -> str:
    return "yes" if row.forward_had_power else "no"


def digits_of(result: Translationese) -> Callable[[Any], int]:
    """Return how many decimals the numbers of a row have: those of its measure."""
    return lambda row: result.digits[row.measure]


def block_starts(keys: Sequence[str]) -> list[int]:
    """Return the rows at which something else begins."""
    return [i for i in range(1, len(keys)) if keys[i] != keys[i - 1]]
