"""A group-sequential design as tables."""

import math

from detectable.core.wording import number, p_value
from detectable.report.table import Column, Table
from detectable.sequential.design_result import Design
from detectable.sequential.operating import OperatingPoint


def looks_table(design: Design) -> Table:
    """Return one row per look: when, the boundary, what is spent, when to give up.

    Examples
    --------
    >>> from detectable.sequential.design import design
    >>> looks_table(design("pocock", looks=2, futility="none")).rows[0]
    ('1', '50.0%', '2.178', '.0294', '.0294')
    """
    counted, gives_up = (
        design.items is not None,
        any(bound is not None for bound in design.futility),
    )
    columns = [Column("look"), Column("share")]
    columns += [Column("items")] * counted
    z = "|z| ≥" if design.sided == 2 else "z ≥"
    columns += [Column(z), Column("nominal p"), Column("α spent")]
    columns += [Column("futile: |z| <" if design.sided == 2 else "futile: z <")] * gives_up
    return Table("Looks", tuple(columns), tuple(_look_rows(design, gives_up=gives_up)))


def _look_rows(design: Design, *, gives_up: bool) -> list[tuple[str, ...]]:
    rows = []
    for look, share in enumerate(design.information):
        row = [str(look + 1), f"{share:.1%}"]
        if design.items is not None:
            row.append(f"{design.items[look]:,}")
        z = design.z[look]
        row.append("never" if math.isinf(z) else number(z, digits=3))
        row.append("–" if math.isinf(z) else p_value(design.nominal_p[look]))
        row.append(p_value(design.alpha_spent[look]))
        if gives_up:
            bound = design.futility[look]
            row.append(number(bound, digits=3))
        rows.append(tuple(row))
    return rows


def samples_table(design: Design) -> Table:
    """Return one row per drift: power and the expected sample, in items if known.

    Examples
    --------
    >>> from detectable.sequential.design import design
    >>> samples_table(design("pocock", looks=3, drifts=[3.24], futility="none")).rows
    (('0.93', '3.240', '.853', '66.6%'),)
    """
    advised = any(point.with_futility is not None for point in design.characteristics)
    what = "items" if design.n_max is not None else "of maximum"
    columns = [Column("effect / planned"), Column("drift"), Column("power"), Column(what)]
    if advised:
        columns += [Column("power, futility obeyed"), Column(what)]
    rows = []
    for point in design.characteristics:
        row = [f"{point.drift / design.drift:.2f}", f"{point.drift:.3f}", *_pair(design, point)]
        if point.with_futility is not None:
            row += _pair(design, point.with_futility)
        rows.append(tuple(row))
    return Table("Power and expected sample", tuple(columns), tuple(rows))


def _pair(design: Design, point: OperatingPoint) -> list[str]:
    power = f"{point.power_any_sign if point.drift == 0.0 else point.power:.3f}".lstrip("0")
    share = point.expected_n
    sample = f"{share:.1%}" if design.n_max is None else f"{share * design.n_max:,.0f}"
    return [power or "0", sample]
