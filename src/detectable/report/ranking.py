"""A ranking as tables: for the terminal, for LaTeX and for a spreadsheet."""

from detectable.core.wording import interval, number, p_value
from detectable.report.table import Column, Table, to_csv
from detectable.study.ranking.ranking import RankedSystem, Ranking

_PAIR_FIELDS = (
    "better",
    "worse",
    "difference",
    "interval_low",
    "interval_high",
    "standard_error",
    "probability",
    "p_value",
    "p_adjusted",
    "p_equivalence",
    "mde",
    "verdict",
    "n",
    "n_clusters",
)


def systems_table(result: Ranking) -> Table:
    """Return the ranking, with an empty row between clusters."""
    with_z = any(row.mean_z == row.mean_z for row in result.systems)
    other_score = _other_score(result)
    columns = [Column("cluster"), Column("ranks"), Column("system", "left")]
    columns += [Column("score")] if other_score else []
    columns += [Column("raw"), *([Column("z")] if with_z else [])]
    columns += [Column(f"{1 - result.alpha:.0%} interval"), Column("n"), Column("N")]
    rows: list[tuple[str, ...]] = []
    for row in result.systems:
        if rows and row.cluster != result.systems[len(_filled(rows)) - 1].cluster:
            rows.append(("",) * len(columns))
        rows.append(_system_cells(row, result, other_score=other_score, with_z=with_z))
    return Table("Ranking", tuple(columns), tuple(rows))


def _filled(rows: list[tuple[str, ...]]) -> list[tuple[str, ...]]:
    return [row for row in rows if any(row)]


def _other_score(result: Ranking) -> bool:
    """Say whether the score is neither the raw mean nor mean z (domains, a mixed model)."""
    plain = [row.mean_z if result.scale == "z" else row.mean_raw for row in result.systems]
    return any(
        abs(row.score - mean) > 1e-9 for row, mean in zip(result.systems, plain, strict=True)
    )


def _system_cells(
    row: RankedSystem, result: Ranking, *, other_score: bool, with_z: bool
) -> tuple[str, ...]:
    ranks = (
        str(row.rank_low)
        if row.rank_low == row.rank_high
        else f"{row.rank_low}–{row.rank_high}"
    )
    return (
        str(row.cluster),
        ranks,
        row.system,
        *([number(row.score, digits=result.digits)] if other_score else []),
        number(row.mean_raw, digits=2),
        *([number(row.mean_z, digits=3)] if with_z else []),
        interval(row.interval, digits=result.digits),
        f"{row.n:,}",
        f"{row.N:,}",
    )


def pairs_table(result: Ranking) -> Table:
    """Return every pair with its verdict, narrow enough for a terminal; the CSV has the rest."""
    corrected = any(pair.p_value != pair.p_adjusted for pair in result.pairs)
    columns = (
        Column("higher", "left"),
        Column("lower", "left"),
        Column("diff."),
        Column(f"{1 - result.alpha:.0%} interval"),
        Column("p corr." if corrected else "p"),
        Column(f"MDE {result.power:.0%}"),
        Column("verdict"),
    )
    rows = tuple(
        (
            pair.better,
            pair.worse,
            number(pair.difference, digits=result.digits),
            interval(pair.interval, digits=result.digits),
            p_value(pair.p_adjusted),
            number(pair.mde, digits=result.digits),
            pair.verdict,
        )
        for pair in result.pairs
    )
    return Table(f"Pairs (differences in {result.scale})", columns, rows)


def ranking_csv(result: Ranking) -> str:
    """Return all pairs with full precision as CSV."""
    rows = [
        (
            pair.better,
            pair.worse,
            pair.difference,
            pair.interval.low,
            pair.interval.high,
            pair.standard_error,
            pair.probability,
            pair.p_value,
            pair.p_adjusted,
            "" if pair.p_equivalence != pair.p_equivalence else pair.p_equivalence,
            pair.mde,
            pair.verdict,
            pair.n,
            pair.n_clusters,
        )
        for pair in result.pairs
    ]
    return to_csv(_PAIR_FIELDS, rows)


def ranking_latex(result: Ranking) -> str:
    """Return both tables for a paper, with the signature as a comment."""
    tables = (systems_table(result), pairs_table(result))
    return f"% {result.signature}\n" + "\n".join(table.to_latex() for table in tables)
