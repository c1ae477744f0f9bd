"""What a design with looks shows."""

import math
from collections.abc import Iterator
from typing import Any

from detectable.report.blocks import Block, Column, Repeat, Table, Verdict, notes, table
from detectable.sequential.design_result import Design
from detectable.sequential.operating import OperatingPoint


def show(design: Design) -> Iterator[Block]:
    """Show what it costs and saves, when it stops, and what it does at several effects."""
    binding = ", binding" if design.binding else ""
    yield Verdict("info", design.summary(), (f"Futility: {design.futility_rule}{binding}.",))
    yield looks(design)
    yield samples(design)
    yield from notes(design.notes)
    yield Repeat(str(design.signature))


def looks(design: Design) -> Table:
    """Return one row per look: when, the boundary, what is spent, when to give up.

    Examples
    --------
    >>> from detectable.sequential.design import design
    >>> looks(design("pocock", looks=2, futility="none")).texts()[0]
    ('1', '50.0%', '2.178', '.0294', '.0294')
    """
    gives_up = any(bound is not None for bound in design.futility)
    two = design.sided == 2

    def at(values: Any) -> Any:
        return lambda look: values[look]

    def reachable(values: Any) -> Any:
        return lambda look: math.nan if math.isinf(design.z[look]) else values[look]

    columns = (
        Column("look", "look", "count", of=lambda look: look + 1),
        Column("share", "share", "share", digits=1, of=at(design.information)),
        Column("items", "items", "count", of=at(design.items))
        if design.items is not None
        else None,
        Column("z", "|z| ≥" if two else "z ≥", digits=3, of=reachable(design.z)),
        Column("nominal_p", "nominal p", "p", keep=3, of=reachable(design.nominal_p)),
        Column("alpha_spent", "α spent", "p", of=at(design.alpha_spent)),
        Column(
            "futility",
            "futile: |z| <" if two else "futile: z <",
            digits=3,
            short="futile <",
            of=at(design.futility),
        )
        if gives_up
        else None,
    )
    unreachable = any(map(math.isinf, design.z))
    note = "A dash: no boundary can be reached at this look." if unreachable else ""
    return table("looks", "Looks", columns, range(len(design.information)), note=note)


def samples(design: Design) -> Table:
    """Return one row per drift: power and the expected sample, in items if known.

    Examples
    --------
    >>> from detectable.sequential.design import design
    >>> samples(design("pocock", looks=3, drifts=[3.24], futility="none")).texts()
    [('0.93', '3.240', '0.853', '66.6%')]
    """
    advised = any(point.with_futility is not None for point in design.characteristics)
    columns = [
        Column("effect", "effect / planned", of=lambda point: point.drift / design.drift),
        Column("drift", "drift", digits=3, keep=2),
        *_pair(design, "", ""),
    ]
    if advised:
        columns += _pair(design, "_obeyed", " if futility is obeyed")
    return table("samples", "Power and expected sample", columns, design.characteristics)


def _pair(design: Design, key: str, title: str) -> list[Column]:
    """Return the columns of power and sample, of futility ignored or obeyed."""

    def of(point: OperatingPoint) -> OperatingPoint:
        return point.with_futility or point if key else point

    def power(point: OperatingPoint) -> float:
        chosen = of(point)
        return chosen.power_any_sign if point.drift == 0.0 else chosen.power

    sample = (
        Column(
            f"share{key}",
            f"of maximum{title}",
            "share",
            digits=1,
            short="of maximum, obeyed" if key else "",
            of=lambda p: of(p).expected_n,
        )
        if design.n_max is None
        else Column(
            f"items{key}",
            f"items{title}",
            digits=0,
            short="items, obeyed" if key else "",
            of=lambda p: of(p).expected_n * float(design.n_max or 0),
        )
    )
    short = "power, obeyed" if key else ""
    return [Column(f"power{key}", f"power{title}", digits=3, short=short, of=power), sample]
