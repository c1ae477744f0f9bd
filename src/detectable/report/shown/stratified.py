"""What a choice of items by bins shows, what their labels say, and the sheet to fill in."""

from collections.abc import Iterator
from functools import partial

from detectable.core.errors import InputError
from detectable.core.interval import Interval
from detectable.core.rng import resolve
from detectable.core.wording import count, number
from detectable.data.scores.scores import Scores
from detectable.report import blocks
from detectable.report.charts.forest import TwoWays, two_ways
from detectable.report.render.csv import to_csv
from detectable.study.precision.stratified import (
    Stratification,
    StratifiedMean,
    StratifiedMeans,
)

_MOST = 24  # rows of a picture


def show_stratified_means(found: StratifiedMeans) -> Iterator[blocks.Block]:
    """Show means and differences, against those of a simple sample."""
    rows = found.pairs or found.systems
    saved = sum(1.0 - (row.standard_error / row.simple_standard_error) ** 2 for row in rows)
    share = saved / len(rows)
    worth = (
        f"The bins saved {share:.0%} of the judgments."
        if share >= 0.005
        else "The bins saved nothing."
    )
    yield blocks.Verdict("info", worth, tuple(_sentence(row) for row in rows[:3]))
    if len(rows) <= _MOST:
        yield _chart(found, rows, share)
    text = (
        "These intervals are of each row alone: for a verdict on several differences a correction is "
        "needed."
    )
    yield blocks.Text("limits", "What this does not say", text)
    if found.pairs:
        yield _table(found, "pairs", "Differences", found.pairs)
    yield _table(found, "means", "Means", found.systems)
    yield from blocks.notes(found.notes)
    where = (
        "texts like those of the pool" if found.target == "domain" else "the items of the pool"
    )
    paragraph = (
        f"Means over {where} were estimated from a sample stratified by an automatic metric, with "
        f"intervals at level {1 - found.alpha:.0%}. {worth}"
    )
    yield blocks.Methods(paragraph)


def _name(row: StratifiedMean) -> str:
    return row.system if row.baseline is None else f"{row.system} − {row.baseline}"


def _number(row: StratifiedMean, value: float) -> str:
    return number(value, sign=row.baseline is not None)


def _sentence(row: StratifiedMean) -> str:
    low, high = (_number(row, end) for end in (row.interval.low, row.interval.high))
    items = count(row.n_items, "item")
    return f"{_name(row)}: {_number(row, row.estimate)} [{low}, {high}] from {items}."


def _chart(
    found: StratifiedMeans, rows: tuple[StratifiedMean, ...], share: float
) -> blocks.Chart:
    made = tuple(
        TwoWays(
            _name(row),
            (row.estimate, _simple(row)),
            (row.estimate, row.interval),
            "",
            _number(row, row.estimate),
        )
        for row in sorted(rows, key=lambda row: -row.estimate)
    )
    title = (
        f"Bins of the metric narrow the intervals by {1 - (1 - share) ** 0.5:.0%}"
        if share >= 0.005
        else "Bins of the metric do not narrow the intervals"
    )
    caption = (
        f"Above, hollow: had the same items been drawn at random; below, filled: by bins. Lines: "
        f"{1 - found.alpha:.0%} intervals."
    )
    told = " ".join(_sentence(row) for row in rows[: blocks.LONG])
    axis = "difference" if found.pairs else "mean score"
    draw = partial(two_ways, made, title=axis, difference=bool(found.pairs))
    twin = "pairs" if found.pairs else "means"
    return blocks.Chart("intervals", title, caption, f"{title}. {told}", draw, twin, key=True)


def _simple(row: StratifiedMean) -> Interval:
    """Return the interval had the same items been drawn at random."""
    wider = row.simple_standard_error / row.standard_error
    low, high = (
        row.estimate + wider * (end - row.estimate)
        for end in (row.interval.low, row.interval.high)
    )
    return Interval(low, high, row.interval.level)


def _table(
    found: StratifiedMeans, id: str, title: str, rows: tuple[StratifiedMean, ...]
) -> blocks.Table:
    signed = id == "pairs"
    columns = (
        blocks.Column("system", "system", "name"),
        blocks.Column("baseline", "against", "name") if signed else None,
        blocks.Column("estimate", "difference" if signed else "mean", sign=signed),
        blocks.Column("interval", f"{1 - found.alpha:.0%} interval", "interval", sign=signed),
        blocks.Column("standard_error", "SE", keep=2),
        blocks.Column(
            "simple_standard_error", "SE of a simple sample", short="SE simple", keep=3
        ),
        blocks.Column("n_items", "items", "count", keep=4),
    )
    return blocks.table(id, title, columns, rows, folded=len(rows) > blocks.LONG)


# --- What a choice of items by bins of a metric shows ---


def show_stratification(found: Stratification) -> Iterator[blocks.Block]:
    """Show how many items were chosen, from which bins."""
    bins = count(len(found.strata), "bin")
    chosen = f"{count(len(found.items), 'item')} of {found.n_pool:,} chosen from {bins}"
    detail = f"The bins hold {found.captured:.0%} of the metric's variance."
    yield blocks.Verdict("info", f"{chosen}.", (detail,))
    text = (
        "The variance of a mean human score falls by about that share times the squared correlation "
        "of metric and judgments; with a useless metric nothing is lost."
    )
    yield blocks.Text("limits", "What this can save", text)
    columns = (
        blocks.Column("low", "from", digits=3),
        blocks.Column("high", "to", digits=3),
        blocks.Column("n_pool", "in the pool", "count"),
        blocks.Column("n_chosen", "chosen", "count"),
    )
    folded = len(found.strata) > blocks.LONG
    yield blocks.table("strata", "Bins of the metric", columns, found.strata, folded=folded)
    yield from blocks.notes(found.notes)
    paragraph = (
        f"{chosen} of an automatic metric, in proportion to their sizes, so that the judged "
        f"items resemble the pool; the bins hold {found.captured:.0%} of the metric's variance."
    )
    yield blocks.Methods(paragraph)


# --- A sheet of items to be labelled, for people to fill in ---

_HEADER = ("system", "item", "document", "score")


def label_sheet(chosen: Stratification, scores: Scores) -> str:
    """Return CSV text with a row per chosen item and system, and an empty score to fill in.

    Rows stand in an order drawn from the seed of the choice, so that no rater sees the bins. Filled
    in, the sheet is a table of judgments.

    Examples
    --------
    >>> from detectable.study.precision.stratified import stratify
    >>> scores = Scores.build({"A": [0.1, 0.5, 0.7, 0.9]}, items=["a", "b", "c", "d"])
    >>> sheet = label_sheet(stratify(scores, 2, bins=1, rng=1), scores)
    >>> sheet.splitlines()[0], len(sheet.splitlines())
    ('system,item,score', 3)
    """
    place = {item: i for i, item in enumerate(scores.items)}
    absent = [item for item in chosen.items if item not in place]
    if absent:
        raise InputError(f"`scores` must hold all chosen items; {absent[0]!r} is not there.")
    rows = [
        (system, item, "" if scores.documents is None else scores.documents[place[item]], "")
        for item in chosen.items
        for system in scores.systems
    ]
    seed = chosen.signature.seed
    rng, _ = resolve(int(seed) if seed is not None and seed.isdecimal() else 0)
    order = rng.permutation(len(rows)).tolist()
    keep = [i for i, name in enumerate(_HEADER) if name != "document" or scores.documents]
    return to_csv([_HEADER[i] for i in keep], ([rows[r][i] for i in keep] for r in order))


def say_stratification(found: Stratification) -> str:
    """Say how many items were drawn from how many bins."""
    return (
        f"{count(len(found.items), 'item')} of {found.n_pool:,} chosen, in proportion from "
        f"{count(len(found.strata), 'bin')} that hold {found.captured:.0%} of the metric's "
        "variance."
    )


def say_stratified_means(found: StratifiedMeans) -> str:
    """Say every difference, or the mean of a single system."""
    return "\n".join(map(_sentence, found.pairs or found.systems))
