"""What a band around a running mean shows."""

from collections.abc import Iterator

from detectable.core.wording import count, interval
from detectable.report.blocks import Block, Methods, Repeat, Text, Verdict, notes, status_of
from detectable.report.figures.anytime import (
    Watched,
    decision_stands,
    path_table,
    said,
    standing,
    watched_chart,
)
from detectable.sequential.confidence_sequence import ConfidenceBand


def show(band: ConfidenceBand) -> Iterator[Block]:
    """Show the verdict, the band over time, and what it does not say."""
    headline = standing(band.verdict, band.decided_at, band.n, band.unit)
    yield Verdict(status_of(band.verdict), headline, (_numbers(band),))
    watched = _watched(band)
    if watched is not None:
        title = _title(band)
        caption = (
            f"Line: the mean difference so far; band: {watched.level:.0%}, for all times together "
            f"and large samples. {decision_stands(watched)}".rstrip()
        )
        yield watched_chart(
            watched, title=title, caption=caption, alt=f"{title}. {_numbers(band)}"
        )
    yield _limits(band)
    if watched is not None:
        yield path_table(watched)
    yield from notes(band.notes)
    yield _methods(band)
    yield Repeat(str(band.signature))


def _numbers(band: ConfidenceBand) -> str:
    if band.interval is None:
        return (
            f"Mean difference {said(band.estimate)}, no band yet."
            if band.n
            else "No values yet."
        )
    shown = interval(band.interval, sign=True)
    return f"Mean difference {said(band.estimate)}, {1 - band.alpha:.0%} band {shown}."


def _watched(band: ConfidenceBand) -> Watched | None:
    if band.mean is None or band.low is None or band.high is None or not len(band.mean):
        return None
    return Watched(
        band.n,
        band.unit,
        band.mean.tolist(),
        band.low.tolist(),
        band.high.tolist(),
        decided=band.decided_at,
        verdict=band.verdict,
        level=1.0 - band.alpha,
    )


def _title(band: ConfidenceBand) -> str:
    if band.decided_at is None:
        return f"The band still covers 0 after {count(band.n, band.unit)}"
    moved = "rose above" if band.verdict == "better" else "fell below"
    covers = band.interval is not None and 0.0 in band.interval
    today = "; today's covers it again" if covers else ""
    return f"The band {moved} 0 at {band.unit} {band.decided_at:,}{today}"


def _limits(band: ConfidenceBand) -> Text:
    text = (
        f"No band is given before {count(band.burn_in, band.unit)}. It holds for large samples, and "
        f"is narrowest near {count(round(band.tightest_at), band.unit)}, which must be chosen before "
        "the data. After an early stop the mean is too far from zero on average."
    )
    if band.decided_at is None and band.interval is not None:
        low, high = said(band.interval.low), said(band.interval.high)
        text = f"Undecided is not equal: anything from {low} to {high} fits the data. {text}"
    return Text("limits", "What this band does not say", text)


def _methods(band: ConfidenceBand) -> Methods:
    paragraph = (
        f"The mean difference was watched with an asymptotic confidence sequence at level "
        f"{1 - band.alpha:.0%} (burn-in {band.burn_in:,}, narrowest near {band.tightest_at:,.0f} "
        f"{band.unit}s), which is valid at all times together. {_numbers(band)}"
    )
    return Methods(paragraph, ("waudby-smith-etal-2024",))
