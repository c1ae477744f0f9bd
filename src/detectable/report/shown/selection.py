"""What a choice of items to judge shows, and the sheet of these items for people to fill in."""

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from functools import partial
from typing import Any

import numpy as np

from detectable.core.wording import begun, capital, count, number
from detectable.data.files.table import TableSource
from detectable.data.human.judgment_table import SCALE_COLUMNS
from detectable.data.human.judgments import Judgments
from detectable.data.human.read_judgments import judgments_of
from detectable.data.human.scale import SCALE
from detectable.report import blocks
from detectable.report.charts.marks import Part, shares
from detectable.report.render.csv import to_csv
from detectable.study.metric_pool import pool_columns
from detectable.study.selection.returned import earlier_draws
from detectable.study.selection.selection import Selection

# What was measured on WMT23 (docs/select.md).
_USELESS, _LINES, _DOCUMENTS = "6%", "75%", "42%"


def show_selection(found: Selection) -> Iterator[blocks.Block]:
    """Show how many items were chosen and why so, what each stands for, and what this can save."""
    headline, *detail = _sentences(found)
    yield blocks.Verdict("info", headline, tuple(detail))
    yield blocks.Text("limits", "What choosing can save", _limits(found))
    if found.groups:
        yield _picture(_parts_of_groups(found), "groups", "label")
        yield _groups(found)
    else:
        if found.is_unequal and found.n_units >= len(_FIFTHS):
            fifths = _fifths(found)
            yield _picture(fifths, "fifths", "draw")
            yield _table_of_fifths(found, fifths)
        yield _batches(found)
    yield from blocks.notes((*found.notes, *earlier_draws(found.earlier)))
    yield blocks.Methods(_methods(found), ("sarndal-etal-1992",))


def say_selection(found: Selection) -> str:
    """Say how many items were chosen, and why so."""
    return "\n".join(_sentences(found))


def _sentences(found: Selection) -> list[str]:
    if found.groups:
        return _of_groups(found)
    if found.waits:
        return [_first(found), f"{_unknown(found)} Have these judged, then draw the others."]
    return [_drawn(found), *_why(found)]


# --- All failures and some passes ---


def _of_groups(found: Selection) -> list[str]:
    parts = [
        f"all {one.n_pool:,} with score {one.score:g}"
        if one.n_drawn == one.n_pool
        else f"{one.n_drawn:,} of the {one.n_pool:,} with score {one.score:g}, at random"
        for one in found.groups
    ]
    *others, last = parts
    listed = f"{', '.join(others)}, and {last}" if others else last
    stands = [
        f"An item with score {one.score:g} stands for {_weight(one.n_pool / one.n_drawn)}."
        for one in found.groups
        if one.n_drawn < one.n_pool
    ]
    used = "The sheet holds this weight, and `control-variates` uses it."
    return [
        f"{found.n_drawn:,} of {count(found.n_pool, 'item')} to label: {listed}.",
        " ".join([*stands, used] if stands else ["All are labelled, so none has a weight."]),
    ]


def _groups(found: Selection) -> blocks.Table:
    columns = (
        blocks.Column("score", "score", "text", of=lambda one: f"{one.score:g}"),
        blocks.Column("n_pool", "in the pool", "count"),
        blocks.Column("n_drawn", "to label", "count"),
        blocks.Column("weight", "stands for", of=lambda one: one.n_pool / one.n_drawn),
    )
    return blocks.table("groups", "Items by score", columns, found.groups)


# --- Documents, or items, in one batch or two ---


def _first(found: Selection) -> str:
    third = f"the first third of what {_budget(found)} take"
    return f"{_at_random(found.n_drawn, found)}, {third}{_to_read(found)}."


def _at_random(n: int, found: Selection) -> str:
    if found.unit == "document":
        return f"{_lines(n, found)} drawn at random: {_units(found)}"
    return f"{_units(found)} drawn at random"


def _budget(found: Selection) -> str:
    return _lines(found.n_items or 0, found)


def _to_read(found: Selection) -> str:
    return " to read" if found.cost_by == "time" else ""


def _lines(n: int, found: Selection) -> str:
    return count(n, "line" if found.unit == "document" else "item")


def _units(found: Selection) -> str:
    """Say how many units the last batch has, of how many there were."""
    batch = found.batch_of == found.batch
    left = int((found.batch_of == 0).sum() + batch.sum())
    if found.unit == "document":
        return f"{count(int(batch.sum()), 'whole document')} of {left:,}"
    return f"{int(batch.sum()):,} of {count(left, 'item')}"


def _drawn(found: Selection) -> str:
    """Say what the last batch is, and how it was drawn."""
    n = int((found.batch_of[found.unit_of] == found.batch).sum())
    if found.by != "metric" or not found.is_unequal:
        return f"{_at_random(n, found)}, all with the same weight."
    kinds = ["hard", *(["disputed"] if len(found.systems) > 1 else [])]
    kinds = [*(["long"] if found.cost_by == "time" else []), *kinds]
    listed = f"{', '.join(kinds[:-1])} and {kinds[-1]}" if len(kinds) > 1 else kinds[0]
    if found.unit == "document":
        return f"{_lines(n, found)} chosen: {_units(found)}; {listed} ones more often."
    return f"{_units(found)} chosen, {listed} ones more often."


def _why(found: Selection) -> list[str]:
    """Say what the guard saw, and what an item stands for."""
    said = []
    guard, source = found.guard, "The first batch" if found.batch == 2 else "The judgments"
    if found.is_flat and found.by == "metric":
        said.append(
            f"{begun(found.metric)} says the same of all items, so all are drawn alike."
        )
    elif guard is not None and guard.is_shown:
        less = (
            f"{1.0 - guard.ratio:.0%} {'less reading' if found.cost_by == 'time' else 'less'}"
        )
        errors = f"(ratio {number(guard.ratio)}, standard error {number(guard.standard_error)})"
        verb = "says" if found.batch == 2 else "say"
        said.append(f"{source} {verb} that this takes {less} than a random draw {errors}.")
    elif guard is not None:
        verb = "does" if found.batch == 2 else "do"
        said.append(
            f"{source} {verb} not show that {found.metric} tells where systems differ: ratio "
            f"{number(guard.ratio)}, standard error {number(guard.standard_error)}, and 1 less a "
            "standard error was needed. Nothing is lost: `control-variates` uses the metric all the "
            "same."
        )
    elif found.by == "metric":
        said.append(_risk(found))
    elif found.asked == "auto":
        said.append(
            f"{_unknown(found)} `judged` of an earlier campaign, or two steps, would show it."
        )
    if found.is_unequal:
        weights = found.weight[found.batch_of > 0]
        sheet = " The sheet holds the first batch too, with its scores."
        said.append(
            f"Weights run from {_weight(weights.min())} to {_weight(weights.max())}."
            f"{sheet if found.batch == 2 else ''}"
        )
    elif found.batch == 2:
        said.append("The sheet holds the first batch too, with its scores.")
    return said


def _unknown(found: Selection) -> str:
    return f"Nothing has shown yet that {found.metric} tells where systems differ."


def _risk(found: Selection) -> str:
    """Say what a choice without evidence risks."""
    bound = ""
    if found.floor > 0.0:
        bound = f", and with a floor of {found.floor:g} never more than {1.0 / found.floor - 1.0:.0%}"
    return (
        f"{_unknown(found)} On WMT23 a useless metric cost up to {_USELESS} more variance than a random "
        f"draw, one that misleads up to {_LINES} for lines and {_DOCUMENTS} for documents{bound}."
    )


def _weight(value: float) -> str:
    """Return a weight with as many digits as it needs."""
    text = f"{value:.1f}"
    return text.removesuffix(".0")


@dataclass(frozen=True, slots=True)
class _Batch:
    batch: int
    by: str
    documents: int
    items: int
    low: float
    high: float


def _batches(found: Selection) -> blocks.Table:
    rows = []
    for batch in range(1, found.batch + 1):
        units = found.batch_of == batch
        weights = found.weight[units]
        last = batch == found.batch
        rows.append(
            _Batch(
                batch,
                "by the metric" if last and found.by == "metric" else "at random",
                int(units.sum()),
                int(units[found.unit_of].sum()),
                float(weights.min()),
                float(weights.max()),
            )
        )
    columns = (
        blocks.Column("batch", "batch", "count"),
        blocks.Column("by", "drawn", "text"),
        blocks.Column("documents", "documents", "count") if found.unit == "document" else None,
        blocks.Column("items", "lines" if found.unit == "document" else "items", "count"),
        blocks.Column("low", "smallest weight", short="weight from"),
        blocks.Column("high", "largest weight", short="to"),
    )
    return blocks.table("batches", "Batches", columns, tuple(rows))


def _limits(found: Selection) -> str:
    """Say what was measured, and no more."""
    if found.groups:
        return (
            "A share over all items needs the weights: the plain mean of these labels is mostly about "
            "the group that was labelled whole."
        )
    most = "2 to 7% for whole documents, 5 to 13% for single lines"
    ignored = ""
    if found.is_unequal:
        ignored = (
            " Without the weights such a sample makes differences 1.2 to 1.3 times too large."
        )
    return (
        f"On WMT23, at equal reading time, choosing by MetricX-23-QE saved {most}, beyond what the metric "
        f"saves as a control variate; worse metrics saved less or nothing.{ignored}"
    )


def _methods(found: Selection) -> str:
    what = f"{found.n_drawn:,} of {_lines(found.n_pool, found)}"
    if found.groups:
        parts = ", ".join(
            f"{one.n_drawn:,} of {one.n_pool:,} with score {one.score:g}"
            for one in found.groups
        )
        return f"{what} were labelled: {parts}, at random within scores."
    how = f"{found.n_units_drawn:,} of {count(found.n_units, found.unit)}"
    if not found.is_unequal:
        return f"{what} were judged: {how}, drawn at random with equal probabilities."
    return (
        f"{what} were judged: {how}, drawn systematically in random order: {found.floor:.0%} of the "
        "probability was spread evenly, and the rest went with the rank, the spread over systems "
        f"and the length that {found.metric} and the texts showed; analyses weigh by its inverse."
    )


# --- Which part of the pool is drawn, from easy to hard, or by score ---

_FIFTHS = ("easiest fifth", "second fifth", "middle fifth", "fourth fifth", "hardest fifth")


@dataclass(frozen=True, slots=True)
class _Part:
    """Units of the pool, and how many of them are drawn."""

    name: str
    n_pool: int
    n_drawn: int

    @property
    def share(self) -> float:
        """The part that is drawn."""
        return self.n_drawn / self.n_pool


def _fifths(found: Selection) -> tuple[_Part, ...]:
    """Return units by their size measure, a fifth each."""
    order = np.argsort(found.size, kind="stable")
    drawn = found.batch_of > 0
    return tuple(
        _Part(name, units.size, int(drawn[units].sum()))
        for name, units in zip(_FIFTHS, np.array_split(order, len(_FIFTHS)), strict=True)
    )


def _parts_of_groups(found: Selection) -> tuple[_Part, ...]:
    return tuple(_Part(f"score {one.score:g}", one.n_pool, one.n_drawn) for one in found.groups)


def _picture(parts: tuple[_Part, ...], twin: str, verb: str) -> blocks.Chart:
    """Return a bar for each part of the pool."""
    first, last = parts[0], parts[-1]
    done = {"draw": "drawn", "label": "labelled"}[verb]
    title = f"{last.share:.0%} of the {last.name} {done}"
    if len(parts) > 1:
        title += f", and {first.share:.0%} of the {first.name}"
    title = title.replace("of the score", "of those with score")
    bars = tuple(
        Part(
            one.name,
            one.share,
            (f"{one.n_drawn:,} of {one.n_pool:,} {done}", f"{one.n_drawn:,} of {one.n_pool:,}"),
        )
        for one in parts
    )
    told = " ".join(
        f"{capital(one.name)}: {one.n_drawn:,} of {one.n_pool:,} {done}." for one in parts[:12]
    )
    caption = f"Bars: the share that is {done}."
    if twin == "fifths":
        caption += (
            " Parts by the size measure: rank, spread over systems, and length where known."
        )
    return blocks.Chart(
        "drawn",
        title,
        caption,
        f"{title}. {told}",
        partial(shares, bars, title=f"share {done}"),
        twin,
        key=True,
    )


def _table_of_fifths(found: Selection, parts: tuple[_Part, ...]) -> blocks.Table:
    columns = (
        blocks.Column("name", "part of the pool", "name"),
        blocks.Column("n_pool", f"{found.unit}s", "count"),
        blocks.Column("n_drawn", "drawn", "count"),
        blocks.Column("share", "share drawn", "share", digits=0),
    )
    return blocks.table("fifths", "From easy to hard", columns, parts)


# --- A sheet of items to be judged, for people to fill in ---

_SHEET = ("system", "item", "document", "score", "sampling_weight")


def label_sheet(chosen: Selection, *, judged: Judgments | TableSource | None = None) -> str:
    """Return CSV text with a row per drawn item and system, and an empty score to fill in.

    Documents stand in a random order that follows from the seed, their lines in the order of the
    pool, and the systems of a line at random. Filled in, the sheet is a table of judgments, whose
    column ``sampling_weight`` every analysis takes into account or refuses.

    Parameters
    ----------
    chosen : Selection
        From `select`.
    judged : Judgments, optional
        The first batch with its scores, which the sheet of the second then holds, too.

    Examples
    --------
    >>> from detectable.study.selection.select import select
    >>> chosen = select({"A": {"a": 0.1, "b": 0.5, "c": 0.7, "d": 0.9}}, n_items=2, by="random")
    >>> sheet = label_sheet(chosen)
    >>> sheet.splitlines()[0], len(sheet.splitlines())
    ('system,item,score,sampling_weight', 3)
    """
    header = list(_SHEET)
    before: list[Sequence[Any]] = []
    if not chosen.pool_documents:
        header.remove("document")
    if judged is not None:
        header, before = _judged_rows(chosen, judgments_of(judged, "judged"), header)
    # A scale holds for all rows.
    fixed = {name: before[0][header.index(name)] for name in SCALE_COLUMNS if name in header}
    new = 2 if judged is not None else chosen.batch
    rng = np.random.default_rng([chosen.seed, new])
    rows = [
        [fixed.get(name, _cell(chosen, name, system, i)) for name in header]
        for i, system in _order(chosen, rng, new if judged is not None else None)
    ]
    return to_csv(header, [*before, *rows])


def _order(
    chosen: Selection, rng: np.random.Generator, batch: int | None
) -> Iterator[tuple[int, str]]:
    """Give items and systems in the order of the sheet, of one batch or of all."""
    units = chosen.batch_of > 0 if batch is None else chosen.batch_of == batch
    items = np.flatnonzero(units[chosen.unit_of])
    if chosen.unit != "document":
        n = len(chosen.systems)
        for row in rng.permutation(items.size * n).tolist():
            yield int(items[row // n]), chosen.systems[row % n]
        return
    of_unit = chosen.unit_of[items]
    for unit in rng.permutation(np.unique(of_unit)).tolist():
        for item in items[of_unit == unit].tolist():
            for s in rng.permutation(len(chosen.systems)).tolist():
                yield item, chosen.systems[s]


def _cell(chosen: Selection, name: str, system: str, item: int) -> Any:
    if name == "sampling_weight":
        return float(chosen.weight[chosen.unit_of[item]])
    known = {"system": system, "item": chosen.pool_items[item]}
    if chosen.pool_documents:
        known["document"] = chosen.pool_documents[item]
    return known.get(name, "")


def _judged_rows(
    chosen: Selection, judged: Judgments, header: list[str]
) -> tuple[list[str], list[Sequence[Any]]]:
    """Return the columns of the judgments beside those of a sheet, and their rows."""
    columns = judged.to_columns()
    if not judged.kind.any():
        del columns["kind"]
    places = pool_columns(judged, chosen.pool_items, chosen.documents_of_pool)
    item = places[judged.item.codes]
    columns["item"] = [chosen.pool_items[i] for i in item]
    if chosen.pool_documents:
        columns["document"] = [chosen.pool_documents[i] for i in item]
    columns["sampling_weight"] = chosen.weight[chosen.unit_of[item]].tolist()
    if judged.scale != SCALE:
        ends = (end if np.isfinite(end) else "" for end in judged.scale)
        columns |= {
            name: [end] * judged.n_judgments
            for name, end in zip(SCALE_COLUMNS, ends, strict=True)
        }
    names = [*header, *(name for name in columns if name not in header)]
    return names, [list(row) for row in zip(*(columns[name] for name in names), strict=True)]
