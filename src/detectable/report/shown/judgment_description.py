"""What a description of judgments shows."""

import math
from collections.abc import Iterator
from functools import partial

from detectable.core.wording import count, decimals
from detectable.data.human.description import JudgmentDescription, ScoreSpread
from detectable.report import blocks
from detectable.report.charts.runs import Spread, spreads

NAMES = {
    "system": "systems' output",
    "repeat": "repeats",
    "degraded": "degraded copies",
    "reference": "references",
}
_MOST_DECIMALS = 4  # of a score, in a table


def show_judgment_description(found: JudgmentDescription) -> Iterator[blocks.Block]:
    """Show how many judgments of what, and where their scores lie."""
    first, *others = _sentences(found)
    yield blocks.Verdict("info", first, tuple(others))
    if found.scores:
        yield chart(found)
    rows = [
        *(("number of", role, n) for role, n in found.levels.items()),
        *(("judgments of kind", kind, n) for kind, n in found.kinds.items()),
    ]
    columns = (
        blocks.Column("what", "what", "name", of=lambda row: row[0]),
        blocks.Column("name", "name", "name", of=lambda row: row[1]),
        blocks.Column("n", "n", "count", of=lambda row: row[2]),
    )
    yield blocks.table("counts", "Counts", columns, rows, breaks=[len(found.levels)])
    if found.scores:
        yield scores(found)
    yield from blocks.notes(found.notes)
    yield _methods(found)


def chart(found: JudgmentDescription) -> blocks.Chart:
    """Return a box of scores for every kind of judgment."""
    drawn = tuple(
        Spread(NAMES[one.kind], one.quartiles, f"{one.quartiles[2]:g}") for one in found.scores
    )
    title = _title(found)
    told = " ".join(
        f"{NAMES[one.kind].capitalize()}: {count(one.n, 'judgment')}, half of them from "
        f"{one.quartiles[1]:g} to {one.quartiles[3]:g}, median {one.quartiles[2]:g}."
        for one in found.scores
    )
    caption = "Box: the middle half; tick and number: the median; line: from lowest to highest."
    return blocks.Chart(
        "scores",
        title,
        caption,
        f"{title}. {told}",
        partial(spreads, drawn, title="score"),
        "scores",
        key=True,
    )


def _title(found: JudgmentDescription) -> str:
    first, *others = found.scores
    ends = f" ({first.at_ends:.0%} at an end of the scale)" if first.at_ends >= 0.05 else ""
    said = f"The median score of {NAMES[first.kind]} is {first.quartiles[2]:g}{ends}"
    degraded = [one for one in others if one.kind == "degraded"]
    return said + "".join(f", of {NAMES[one.kind]} {one.quartiles[2]:g}" for one in degraded)


def scores(found: JudgmentDescription) -> blocks.Table:
    """Return where the scores of each kind lie."""
    columns = (
        blocks.Column("kind", "judgments of", "name", of=lambda one: NAMES[one.kind]),
        blocks.Column("n", "n", "count"),
        *(
            blocks.Column(
                key,
                title,
                digits=partial(_decimals, place),
                keep=keep,
                of=partial(_quartile, place),
            )
            for place, (key, title, keep) in enumerate(
                (
                    ("lowest", "lowest", 2),
                    ("lower_quartile", "lower quartile", 3),
                    ("median", "median", 1),
                    ("upper_quartile", "upper quartile", 3),
                    ("highest", "highest", 2),
                )
            )
        ),
        blocks.Column("at_ends", "at an end", "share", digits=1, keep=4),
    )
    return blocks.table("scores", "Scores", columns, found.scores)


def _quartile(place: int, one: ScoreSpread) -> float:
    return one.quartiles[place]


def _decimals(place: int, one: ScoreSpread) -> int:
    return min(decimals(one.quartiles[place]), _MOST_DECIMALS)


def _methods(found: JudgmentDescription) -> blocks.Methods:
    levels = ", ".join(count(n, role) for role, n in found.levels.items())
    low, high = found.scale
    scale = f" on a scale from {low:g} to {high:g}" if math.isfinite(high - low) else ""
    said = f"The data hold {count(found.judgments, 'judgment')}{scale} ({levels})."
    checks = found.kinds.get("degraded", 0) + found.kinds.get("reference", 0)
    if checks:
        said += f" {checks:,} of them are controls: degraded copies or references."
    return blocks.Methods(said)


def say_judgment_description(found: JudgmentDescription) -> str:
    """Say how many judgments there are, of whom and of what kind."""
    return "\n".join(_sentences(found))


def _sentences(found: JudgmentDescription) -> list[str]:
    levels = ", ".join(count(n, role) for role, n in found.levels.items())
    kinds = ", ".join(f"{n:,} {kind}" for kind, n in found.kinds.items() if n)
    ends = [
        f"no {word} bound" if abs(end) == float("inf") else f"{end:g}"
        for word, end in zip(("lower", "upper"), found.scale, strict=True)
    ]
    return [
        f"{found.output or 'The table'} holds {count(found.judgments, 'judgment')}.",
        f"There: {levels}.",
        f"Kinds: {kinds}.",
        f"Scale: {' to '.join(ends)}.",
    ]
