"""What a ranking shows, with its pictures."""

import math
from collections.abc import Iterator
from functools import partial
from operator import attrgetter

from detectable.core.wording import count, number
from detectable.report.blocks import (
    DATA_ONLY,
    LONG,
    Block,
    Chart,
    Column,
    Mark,
    Matrix,
    Repeat,
    Table,
    Text,
    Verdict,
    notes,
    table,
)
from detectable.report.charts.matrix import Cell
from detectable.report.charts.matrix import matrix as pairs_matrix
from detectable.report.charts.ranking import Ranked, ranking
from detectable.report.methods.ranking import cluster_rule, methods
from detectable.report.shown.matrix import (
    FEW_SYSTEMS,
    MOST_SYSTEMS,
    cells_of,
    matrix_caption,
    verdicts_of,
)
from detectable.report.shown.ordered import (
    MOST,
    each,
    interval_label,
    mde_label,
    p_label,
    ranks_of,
    who_beats_whom,
    who_is_first,
)
from detectable.report.shown.paper_tables import findings, ranking_test
from detectable.report.shown.paper_tables import pairs_of_a_ranking as pair_numbers
from detectable.study.ranking.ranking import Ranking

_FEW = 3  # names in a headline


def show_ranking(result: Ranking) -> Iterator[Block]:
    """Show who is on top, what could not be told apart, the ranking, and every pair."""
    yield verdict(result)
    yield from scores(result)
    yield from _limits(result)
    yield systems(result)
    yield findings(result, other_score=_other_score(result))
    yield from all_pairs(result)
    if len(result.systems) > FEW_SYSTEMS:
        yield matrix(result)
    yield pairs(result)
    yield _checks(result)
    yield from notes(result.notes)
    yield methods(result)
    yield Repeat(str(result.signature))


def verdict(result: Ranking) -> Verdict:
    """Return the sentences of the summary, the top first; many names go below the headline."""
    first, *others = result.sentences()
    elsewhere = (result.reason, _wmt(result), result.design(), *result.hinges())
    detail = [text for text in others if text not in elsewhere]
    if len(result.clusters[0]) > _FEW:
        first, _, names = first.partition(": ")
        on_top = [f"On top: {names}"] if len(result.clusters) > 1 else []
        first, detail = f"{first}.", [*on_top, *detail]
    if any(_limits(result)):  # these say what could have been seen
        detail = [result.apart(seen=False) if x == result.apart() else x for x in detail]
    return Verdict("info", first, tuple(detail))


def _wmt(result: Ranking) -> str:
    return result.wmt.sentence(result.n_significant)


def _limits(result: Ranking) -> Iterator[Text]:
    undecided = [pair for pair in result.pairs if pair.verdict == "undecided"]
    if undecided and result.claim != "better":
        return
    mdes = sorted(pair.mde for pair in undecided if not math.isnan(pair.mde))
    if not mdes:
        return
    low, high = (number(x, digits=result.digits) for x in (mdes[0], mdes[-1]))
    span = low if low == high else f"{low} to {high}"
    which = count(len(undecided), "undecided pair")
    yield Text(
        "limits",
        "What these judgments could have shown",
        f"For {which} a true difference of {span} {result.scale} "
        f"is found with {result.power:.0%} power. Smaller ones are usually missed. Same cluster "
        "does not mean equally good.",
    )


def systems(result: Ranking) -> Table:
    """Return the ranking, with a rule between clusters."""
    with_z = any(row.mean_z == row.mean_z for row in result.systems)
    other_score = _other_score(result)
    columns = (
        Column("cluster", "cluster", "count", short="cl."),
        Column("ranks", "ranks", "text", of=ranks_of),
        Column("system", "system", "name"),
        Column("score", "score", digits=result.digits) if other_score else None,
        Column("mean_raw", "mean raw", short="raw", keep=3 if result.scale == "z" else 1),
        Column("mean_z", "mean z", digits=3, short="z", keep=1 if result.scale == "z" else 3)
        if with_z
        else None,
        Column(
            "interval", f"{1 - result.alpha:.0%} interval", "interval", digits=result.digits
        ),
        Column("n", "items", "count", keep=2, help="distinct items: what the score rests on"),
        Column("N", "judgments", "count", keep=4, help="of these items, repeats included"),
    )
    order = [row.cluster for row in result.systems]
    breaks = [i for i in range(1, len(order)) if order[i] != order[i - 1]]
    caption = f"Ranking, with the {1 - result.alpha:.0%} interval of every system alone."
    return table("systems", "Ranking", columns, result.systems, breaks=breaks, caption=caption)


def _other_score(result: Ranking) -> bool:
    """Say whether the score is neither the raw mean nor mean z (domains, a mixed model)."""
    plain = [row.mean_z if result.scale == "z" else row.mean_raw for row in result.systems]
    return any(
        abs(row.score - mean) > 1e-9 for row, mean in zip(result.systems, plain, strict=True)
    )


def matrix(result: Ranking) -> Matrix:
    """Return a verdict for every two systems, in the order of the ranking."""
    names = [row.system for row in result.systems]
    title = f"All pairs: {result.n_significant:,} of {len(result.pairs):,} told apart"
    return Matrix(
        "matrix",
        title,
        tuple(names),
        verdicts_of(names, ((p.better, p.worse, p.verdict) for p in result.pairs)),
        numbers=pair_numbers(result, names),
        beside=_beside(result),
    )


def _beside(result: Ranking) -> Table:
    """Return what is said of every system beside its pairs."""
    by = "z" if result.scale == "z" else "raw"
    columns = (
        Column("cluster", "cluster", "count", short="cl.", keep=2),
        Column("ranks", "ranks", "text", of=ranks_of),
        Column("system", "system", "name"),
        Column("score", "score" if _other_score(result) else by, digits=result.digits),
    )
    return table("systems", "Ranking", columns, result.systems)


def pairs(result: Ranking) -> Table:
    """Return every pair with its verdict."""
    corrected = result.correction != "none" and len(result.pairs) > 1
    beyond = any(pair.verdict in ("inferior", "superior") for pair in result.pairs)
    claimed = result.margin is not None and (result.claim == "better" or beyond)
    digits = result.digits
    columns = (
        Column("better", "higher", "name"),
        Column("worse", "lower", "name"),
        Column("difference", "difference", digits=digits, short="diff."),
        Column(
            "interval",
            interval_label(result, corrected=corrected),
            "interval",
            digits=digits,
            short=interval_label(result, corrected=False),
        ),
        Column("interval_level", "interval level", digits=2, keep=DATA_ONLY),
        Column("interval_alone", "interval alone", "interval", digits=digits, keep=DATA_ONLY),
        Column("standard_error", "SE", digits=digits, keep=DATA_ONLY),
        Column("probability", "P(higher)", digits=2, keep=DATA_ONLY),
        Column("p_value", "p alone", "p", keep=DATA_ONLY),
        Column(
            "p_adjusted",
            p_label(result.correction, corrected=corrected),
            "p",
            keep=DATA_ONLY if claimed else 1,
            help="for the number of pairs; the verdict goes by it" if corrected else "",
        ),
        Column("p_equivalence", "p equivalence", "p", keep=DATA_ONLY),
        Column(
            "p",
            p_label(result.correction, corrected=corrected),
            "p",
            of=attrgetter("p_of_verdict"),
            keep=1,
            help="of what the verdict says",
        )
        if claimed
        else None,
        Column("attainable_p", "smallest p", "p", keep=DATA_ONLY),
        Column(
            "mde",
            mde_label(result),
            digits=digits,
            keep=3,
        ),
        Column("units_needed", "units needed", "count", keep=DATA_ONLY),
        Column("verdict", "verdict", "verdict"),
        Column("n", "units", "count", keep=DATA_ONLY),
        Column("n_clusters", "clusters", "count", keep=DATA_ONLY),
    )
    interval = interval_label(result, corrected=corrected)
    return table(
        "pairs",
        f"Pairs (differences in {result.scale})",
        columns,
        result.pairs,
        folded=len(result.pairs) > LONG,
        caption=f"Differences in {result.scale}, {interval} ({ranking_test(result)}).",
    )


def _checks(result: Ranking) -> Text:
    points: list[tuple[Mark, str]] = [("plain", result.reason)]
    points += [("look", text) for text in (result.design(), *result.hinges()) if text]
    if result.preset != "wmt21" and result.claim == "better":
        points.append(("look", _wmt(result)))
    return Text("checks", "Assumptions and checks", points=tuple(points))


# --- The pictures of a ranking ---


def scores(result: Ranking) -> Iterator[Chart]:
    """Yield the systems with rank ranges and clusters."""
    if len(result.systems) > MOST:
        return
    rows = tuple(
        Ranked(row.system, row.score, row.interval, ranks_of(row), row.cluster)
        for row in result.systems
    )
    title = who_is_first(result.systems, len(result.clusters) - 1)
    told = each(result.systems, lambda row: number(row.score, digits=result.digits))
    yield Chart(
        "ranking",
        title,
        f"Score with {1 - result.alpha:.0%} interval. Ranks: all that the tests of pairs leave "
        f"open. {cluster_rule(result)}",
        f"{title}. {told}",
        partial(_ranking, rows, result.scale, result.digits),
        "systems",
        key=True,
    )


def all_pairs(result: Ranking) -> Iterator[Chart]:
    """Yield every two systems at a glance."""
    names = tuple(row.system for row in result.systems)
    if not FEW_SYSTEMS < len(names) <= MOST_SYSTEMS or result.claim != "better":
        return
    cells = cells_of(
        names,
        (
            (pair.better, pair.worse, pair.difference, pair.p_adjusted, pair.verdict)
            for pair in result.pairs
        ),
    )
    title = f"{result.n_significant:,} of {count(len(result.pairs), 'pair')} told apart"
    yield Chart(
        "matrix",
        title,
        matrix_caption(
            result.scale, [cell.verdict for cell in cells.values()], result.correction
        ),
        f"{title}. {who_beats_whom(result.systems, result.pairs)}",
        partial(_matrix, names, cells),
        "pairs",
    )


def _ranking(
    rows: tuple[Ranked, ...], scale: str, digits: int, width: int
) -> dict[str, object]:
    return ranking(rows, scale, digits=digits, width=width)


def _matrix(
    names: tuple[str, ...], cells: dict[tuple[int, int], Cell], width: int
) -> dict[str, object]:
    return pairs_matrix(names, cells, digits=2, width=width)
