"""A comparison as tables: for the terminal, for LaTeX and for a spreadsheet."""

from detectable.core.wording import interval, number, p_value
from detectable.report.table import Column, Table, to_csv
from detectable.study.comparison.result import Comparison, Contrast, SystemScore

_PAIR_FIELDS = (
    "metric",
    "system",
    "baseline",
    "difference",
    "interval_low",
    "interval_high",
    "standard_error",
    "p_value",
    "p_adjusted",
    "p_equivalence",
    "mde",
    "units_needed",
    "runs_needed",
    "verdict",
)


def systems_table(result: Comparison) -> Table:
    """Return scores with intervals; runs and rank groups only where there are any."""
    several = any(len(row.runs) > 1 for row in result.systems)
    developed = any(row.s_dev == row.s_dev for row in result.systems)
    columns = [Column("metric", "left"), Column("system", "left"), Column("score")]
    columns.append(Column(f"{1 - result.alpha:.0%} interval"))
    columns.append(Column("s_sel"))
    columns += [Column("s_test"), Column("runs")] if several else []
    columns += [Column("s_dev")] if developed else []
    columns += [Column("group")] if result.groups else []
    rows = []
    for row in _by_metric(result):
        digits = result.digits(row.metric)
        cells = [result.label(row.metric), row.system, number(row.score, digits=digits)]
        cells.append(interval(row.interval, digits=digits))
        cells.append(number(row.s_sel, digits=digits))
        if several:
            runs = " ".join(number(x, digits=digits) for x in row.runs)
            cells += [number(row.s_test, digits=digits), runs]
        cells += [number(row.s_dev, digits=digits)] if developed else []
        cells += ["–" if row.group is None else str(row.group)] if result.groups else []
        rows.append(tuple(cells))
    return Table("Scores", tuple(columns), tuple(rows))


def _by_metric(result: Comparison) -> list[SystemScore]:
    order = [m["metric"] for m in result.metrics]
    return sorted(result.systems, key=lambda row: order.index(row.metric))


def pairs_table(result: Comparison) -> Table:
    """Return differences with verdicts; columns that would say the same in every row are left out."""
    baselines = {pair.baseline for pair in result.pairs}
    corrected = any(pair.p_value != pair.p_adjusted for pair in result.pairs)
    columns = [Column("metric", "left"), Column("system", "left")]
    columns += [Column("against", "left")] if len(baselines) > 1 else []
    columns += [Column("difference"), Column(f"{1 - result.alpha:.0%} interval"), Column("p")]
    columns += [Column("p corr.")] if corrected else []
    columns += [Column(f"MDE {result.power:.0%}"), Column("verdict", "left")]
    rows = []
    for pair in result.pairs:
        digits = result.digits(pair.metric)
        cells = [result.label(pair.metric), pair.system]
        cells += [pair.baseline] if len(baselines) > 1 else []
        cells.append(number(pair.difference, digits=digits, sign=True))
        cells.append(interval(pair.interval, digits=digits, sign=True))
        cells.append(p_value(pair.p_value))
        cells += [p_value(pair.p_adjusted)] if corrected else []
        cells += [number(pair.mde, digits=digits), pair.verdict]
        rows.append(tuple(cells))
    one = f"Differences to {next(iter(baselines))}"
    return Table(one if len(baselines) == 1 else "Differences", tuple(columns), tuple(rows))


def documents_table(result: Comparison) -> Table | None:
    """Return the documents that speak most for and against each system."""
    found = [c for c in result.contrasts if c.unit == "document"]
    if not found:
        return None
    several = len({(c.system, c.baseline) for c in found}) > 1
    columns = [Column("system", "left"), Column("against", "left")] if several else []
    columns += [Column("document", "left"), Column("part of the difference")]
    digits = result.digits(result.metrics[0]["metric"]) + 2
    rows = tuple(
        (
            *((c.system, c.baseline) if several else ()),
            c.name,
            number(c.contribution, digits=digits, sign=True),
        )
        for c in found
    )
    pair = "" if several else f" between {found[0].system} and {found[0].baseline}"
    return Table(f"Documents that differ most{pair}", tuple(columns), rows)


def segments_to_read(result: Comparison) -> list[tuple[str, list[tuple[str, str]]]]:
    """Return a heading and labelled lines for each segment worth reading."""
    return [
        (_heading(contrast, result), _lines(contrast))
        for contrast in result.contrasts
        if contrast.unit == "segment"
    ]


def _heading(contrast: Contrast, result: Comparison) -> str:
    metric = result.metrics[0]["metric"]
    part = number(contrast.contribution, digits=result.digits(metric) + 2, sign=True)
    return f"segment {contrast.name}: {part} {result.label(metric)} of {contrast.system} − {contrast.baseline}"


def _lines(contrast: Contrast) -> list[tuple[str, str]]:
    labelled = (
        ("source", contrast.source),
        ("reference", contrast.reference),
        (contrast.system, contrast.system_output),
        (contrast.baseline, contrast.baseline_output),
    )
    return [(label, text) for label, text in labelled if text is not None]


def comparison_csv(result: Comparison) -> str:
    """Return all pairs with full precision as CSV."""
    rows = [
        (
            pair.metric,
            pair.system,
            pair.baseline,
            pair.difference,
            pair.interval.low,
            pair.interval.high,
            pair.standard_error,
            pair.p_value,
            pair.p_adjusted,
            "" if pair.p_equivalence != pair.p_equivalence else pair.p_equivalence,
            pair.mde,
            pair.units_needed,
            pair.runs_needed,
            pair.verdict,
        )
        for pair in result.pairs
    ]
    return to_csv(_PAIR_FIELDS, rows)


def comparison_latex(result: Comparison) -> str:
    """Return both tables for a paper, with the signature as a comment."""
    tables = (systems_table(result), pairs_table(result))
    return f"% {result.signature}\n" + "\n".join(table.to_latex() for table in tables)
