"""What an exact band around a mean difference shows."""

from collections.abc import Iterator

import numpy as np

from detectable.core.wording import count, interval
from detectable.report.blocks import Block, Methods, Repeat, Status, Text, Verdict, notes
from detectable.report.figures.anytime import Watched, path_table, said, watched_chart
from detectable.sequential.e_process_interval import BettingBand


def show(band: BettingBand) -> Iterator[Block]:
    """Show the band now and over time."""
    without = 0.0 not in band.interval
    level, shown = f"{1 - band.alpha:.0%}", interval(band.interval, sign=True)
    zero = "leaves 0 out" if without else "covers 0"
    numbers = f"Mean difference {said(band.estimate)}, {level} band {shown}."
    headline = f"The exact band {zero} after {count(band.n, 'judgment')}."
    yield Verdict(_status(band), headline, (numbers,))
    watched = Watched(
        band.n,
        "judgment",
        lows=band.low.tolist(),
        highs=band.high.tolist(),
        decided=_left_zero(band),
        verdict=_status(band),
        level=1 - band.alpha,
    )
    if len(band.low):
        title = f"What the bets have not refuted: {said(band.interval.low)} to {said(band.interval.high)}"
        caption = (
            f"Band: the {level} of differences that the bets have not refuted so far, for all times "
            "together; it never widens. Line: its middle."
        )
        yield watched_chart(watched, title=title, caption=caption, alt=f"{title}. {numbers}")
    text = (
        "The band is for a difference that stays the same. After an early stop the mean is too far "
        f"from zero on average. Both ends are rounded outwards to {band.step:g}."
    )
    yield Text("limits", "What this band does not say", text)
    if len(band.low):
        yield path_table(watched)
    yield from notes(band.notes)
    low, high = band.bounds
    paragraph = (
        f"The mean difference of scores between {low:g} and {high:g} was estimated with an exact "
        f"confidence sequence by betting at level {level}, valid at all times together. {numbers}"
    )
    yield Methods(paragraph, ("waudby-smith-ramdas-2024",))
    yield Repeat(str(band.signature))


def _left_zero(band: BettingBand) -> int | None:
    """Return after how many judgments the band left 0 out, which it then does for good."""
    outside = np.flatnonzero((band.low > 0.0) | (band.high < 0.0))
    return band.n - len(band.low) + int(outside[0]) + 1 if outside.size else None


def _status(band: BettingBand) -> Status:
    if band.interval.low > 0.0:
        return "better"
    return "worse" if band.interval.high < 0.0 else "undecided"
