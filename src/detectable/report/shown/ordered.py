"""What rankings, arenas and comparisons say alike: systems in an order, and pairs with claims."""

from collections import Counter
from collections.abc import Callable, Iterable, Iterator, Sequence
from operator import attrgetter
from typing import TYPE_CHECKING, Protocol, TypeVar

from detectable.core.verdict import opposite
from detectable.core.wording import count, listing, pointed
from detectable.report.blocks import DATA_ONLY, Column, Table, table
from detectable.report.methods.ranking import TESTS

if TYPE_CHECKING:
    from detectable.contrasts.contrast import Contrast
    from detectable.study.comparison.result import Comparison
    from detectable.study.ranking.ranking import Ranking

MOST = 40  # systems that one picture shows
_TOLD = 12  # systems that an alternative text names


class Placed(Protocol):
    """A system with the ranks that it may have."""

    @property
    def system(self) -> str:
        """Its name."""

    @property
    def rank_low(self) -> int:
        """The best of them."""

    @property
    def rank_high(self) -> int:
        """The worst of them."""


Row = TypeVar("Row", bound=Placed)


def ranks_of(row: Placed) -> str:
    """Return the ranks that a system may have."""
    if row.rank_low == row.rank_high:
        return str(row.rank_low)
    return f"{row.rank_low}–{row.rank_high}"


def who_is_first(rows: Sequence[Placed], n_lines: int) -> str:
    """Say who could be first, and how many clusters there are."""
    first = [row.system for row in rows if row.rank_low == 1]
    drawn = f"{n_lines + 1:,} clusters" if n_lines else "all in one cluster"
    if len(first) == 1:
        return f"Only {first[0]} can be first; {drawn}"
    return f"{len(first)} of {count(len(rows), 'system')} could be first; {drawn}"


def each(rows: Sequence[Row], score: Callable[[Row], str]) -> str:
    """Tell the score and the ranks of every system, of the first twelve where there are more."""
    told = [f"{row.system}: {score(row)}, ranks {ranks_of(row)}." for row in rows[:_TOLD]]
    if len(rows) > _TOLD:
        told.append(f"And {len(rows) - _TOLD} more in the table.")
    return " ".join(told)


def who_beats_whom(rows: Sequence[Placed], pairs: Sequence["Contrast"]) -> str:
    """Tell how many others every system beats."""
    beaten = dict.fromkeys((row.system for row in rows), 0)
    for pair in pairs:
        if pair.verdict in ("better", "worse"):
            beaten[pair.system if pair.verdict == "better" else pair.baseline] += 1
    told = [f"{name} beats {n}" for name, n in beaten.items() if n]
    return f"{listing(told, most=_TOLD)}." if told else "No system beats another."


# --- How a table of pairs names its intervals and its p-values, in comparisons and rankings alike ---

CORRECTIONS = {"max-t": "max-T", "holm": "Holm"}


def p_label(correction: str, *, corrected: bool) -> str:
    """Head the one p-value of a table with the correction that it has."""
    return f"p ({CORRECTIONS[correction]})" if corrected else "p"


def p_columns(
    correction: str, *, corrected: bool, claimed: bool, tests: str
) -> tuple[Column, Column | None]:
    """Return the corrected p-value, and beside a claim that of what the verdict says."""
    label = p_label(correction, corrected=corrected)
    said = "of what the verdict says"
    return (
        Column(
            "p_adjusted",
            label,
            "p",
            keep=DATA_ONLY if claimed else 1,
            help=f"for the number of {tests}; the verdict goes by it" if corrected else "",
        ),
        Column("p", label, "p", of=attrgetter("p_of_verdict"), help=said) if claimed else None,
    )


def interval_label(result: "Comparison | Ranking", *, corrected: bool) -> str:
    """Say at which level the intervals are, and whether for all pairs together."""
    wide, narrow = f"{1 - result.alpha:.0%}", f"{1 - 2 * result.alpha:.0%}"
    together = ", all pairs together" if corrected else ""
    if result.claim != "better":
        return f"{narrow} interval{together}"
    if any(pair.verdict == "equivalent" for pair in result.pairs):
        return f"{wide} interval ({narrow} where equivalent){together}"
    return f"{wide} interval{together}"


def mde_label(result: "Comparison | Ranking") -> str:
    """Name what would have been found: a difference, or a margin that equal systems keep."""
    return f"{'MDE' if result.claim == 'better' else 'margin'} {result.power:.0%}"


# --- Every two systems at a glance, and how to read it, in comparisons, rankings and arenas alike ---

MOST_SYSTEMS = 24  # whose pairs one picture shows
FEW_SYSTEMS = 3  # whose pairs need neither picture nor matrix


def verdicts_of(
    names: Sequence[str], pairs: Iterable["Contrast"]
) -> tuple[tuple[str | None, ...], ...]:
    """Return a row for every system: what is said of it against each, None where nothing is."""
    said: dict[tuple[str, str], str] = {}
    for pair in pairs:
        if pair.verdict is not None:
            said[pair.system, pair.baseline] = pair.verdict
            said[pair.baseline, pair.system] = opposite(pair.verdict)
    return tuple(tuple(said.get((a, b)) for b in names) for a in names)


# --- How to read a matrix of pairs, in comparisons and rankings alike ---


def matrix_caption(
    scale: str, names: Sequence[str], pairs: Iterable["Contrast"], correction: str
) -> str:
    """Say what stands where, and what the signs mean that are there."""
    above = {said for i, row in enumerate(verdicts_of(names, pairs)) for said in row[i + 1 :]}
    p = "p" if correction == "none" else "corrected p"
    signs = [
        said
        for found, said in (
            ({"worse", "lower", "inferior"}, "▼: the column is ahead."),
            ({"equivalent", "non-inferior"}, "=: equivalent."),
        )
        if found & above
    ]
    return " ".join(
        [
            f"Above the diagonal: difference in {scale}, row − column, filled where something is "
            f"shown. Below it: {p}. Where it is narrow: ▲ the row is ahead, · undecided.",
            *signs,
            "Columns are numbered like rows.",
        ]
    )


# --- Many systems on many tasks ---


def who_may_be_best(result: "Comparison", metric: str) -> str:
    """Say whose ranks begin with the first."""
    rows = result.standings.systems if result.standings is not None else ()
    own = [row for row in rows if row.metric == metric]
    first = [row.system for row in own if row.rank_low == 1]
    if len(first) == 1:
        return f"{first[0]} is best, better than all {len(own) - 1} others."
    return f"any of {len(first)} of {len(own)} systems may be best: {listing(first, most=8)}."


def of_tasks(result: "Comparison") -> str:
    """Say of how many tasks a mean is, and whether they weigh alike."""
    n = 0 if result.tasks is None else len(result.tasks.names)
    alike = result.tasks is not None and result.tasks.weighting == "macro"
    return f"{count(n, 'task')}{', which weigh alike' if alike else ''}"


def best_in_tasks(result: "Comparison", metric: str) -> tuple[str, ...]:
    """Say in how many tasks one system is shown to be the best."""
    rows = result.standings.tasks if result.standings is not None else ()
    own = [row for row in rows if row.metric == metric]
    alone = Counter(row.leaders[0] for row in own if len(row.leaders) == 1)
    if not alone:
        return ("In no task a single system is shown to be best.",)
    told = [f"{name} in {n}" for name, n in alone.most_common()]
    return (f"Shown to be best in single tasks: {listing(told, most=8)} of {len(own)}.",)


def leaders(result: "Comparison") -> Iterator[Table]:
    """Yield who may be best in every task, where many systems were compared on several."""
    if result.standings is None:
        return
    rows = result.standings.tasks
    tests = (
        len(result.pairs)
        // len(result.metrics)
        * len(result.tasks.names if result.tasks else ())
    )
    columns = (
        Column("metric", "metric", "name", of=lambda row: result.label(row.metric)),
        Column("task", "task", "name"),
        Column("n_segments", f"{result.item_word}s", "count", keep=2),
        Column("best", "highest mean", "name"),
        Column("score", "score", digits=lambda row: result.digits(row.metric)),
        Column("n_leaders", "may be best", "count", of=lambda row: len(row.leaders)),
        Column("leaders", "who", "text", keep=DATA_ONLY, of=lambda row: ", ".join(row.leaders)),
    )
    yield table(
        "leaders",
        "Who may be best in each task",
        columns,
        rows,
        breaks=[i for i in range(1, len(rows)) if rows[i].metric != rows[i - 1].metric],
        note=f"May be best: systems not shown to be worse than another, Holm over all {tests:,} tests of a "
        "metric, so that the statement holds for all tasks at once.",
    )


# --- How a caption names the test of a result, its correction and its level ---

_BY_UNITS = {
    "swap": "paired approximate randomization",
    "mcnemar": "McNemar's exact test",
    "score": "score test of the margin",
    "t": "paired t test",
    "bootstrap": "paired bootstrap",
}


def comparison_test(result: "Comparison") -> str:
    """Say it for a comparison.

    The level is that of a pair's corrected p-value; a claim about a margin is tested one-sided.
    """
    units = count(result.n_units, result.unit_word)
    if result.runs == "random":
        test = f"two-way t test over {units} and the runs"
    elif result.test == "compat":
        test = f"{result.signature.settings.get('test', 'the test of another tool')}, {units}"
    else:
        exact = "exact " if result.exact and result.test == "swap" else ""
        test = f"{exact}{_BY_UNITS[result.test]} over {units}"
    together = "" if result.family == "systems-and-metrics" else " per metric"
    if len(result.metrics) == 1:
        together = ""
    return with_correction(test, result.correction, result.family_size, together, result.alpha)


def ranking_test(result: "Ranking") -> str:
    """Say it for a ranking."""
    unit = "judgments" if result.level == "judgment" else f"{result.unit}s"
    as_in = "" if result.preset is None else f" as in {result.preset.upper()}"
    test = f"{TESTS[result.test]} over {unit}{as_in}"
    return with_correction(test, result.correction, len(result.pairs), "", result.alpha)


def with_correction(test: str, correction: str, n: int, together: str, alpha: float) -> str:
    """Add the correction for `n` tests and the level to the name of a test."""
    level = f"α = {pointed(f'{alpha:g}')}"
    if n == 1:
        return f"{test}, {level}"
    if correction == "none":
        return f"{test}, not corrected for {count(n, 'test')}{together}, {level}"
    return f"{test}, {CORRECTIONS[correction]} for {count(n, 'pair')}{together}, {level}"
