"""What evidence that may be watched at any time shows: bands, bets, wins and losses, many pairs."""

import math
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from functools import partial

import numpy as np

from detectable.core.wording import capital, count, interval, listing, number, p_statement
from detectable.report import blocks
from detectable.report.charts.anytime import Band, Evidence, Wealth, anytime
from detectable.sequential.bands import BettingBand, ConfidenceBand
from detectable.sequential.e_process import (
    EProcessTest,
    EvidencePath,
    OrderedPairs,
)
from detectable.sequential.many_pairs import PairDecision, PairDecisions, pair_name
from detectable.sequential.preference_process import PreferenceTest

# --- The picture and the table of what is watched value by value ---

_ROWS = 10  # of a table that follows a path
_LARGEST_SHOWN = math.log(1e6)  # above this an e-value is shown as a power of ten


@dataclass(frozen=True, slots=True)
class Watched:
    """A path that was watched: after each value where it stood.

    Attributes
    ----------
    means, lows, highs, logs : sequence of float
        The difference with its band, and the log e-values; empty where there are none.
    decided : int, optional
        After how many values the decision fell.
    unit : str
        What one value is.
    level : float
        Of the band.
    needed : float
        What E must reach.
    """

    n: int
    unit: str
    means: Sequence[float] = ()
    lows: Sequence[float] = ()
    highs: Sequence[float] = ()
    logs: Sequence[float] = ()
    decided: int | None = None
    verdict: str = "undecided"
    level: float = 0.95
    needed: float = 20.0

    @property
    def first(self) -> int:
        """How many values had come before the path begins."""
        return self.n - max(len(self.lows), len(self.logs))


def watched_chart(watched: Watched, *, title: str, caption: str, alt: str) -> blocks.Chart:
    """Return the band above the evidence, whichever there is."""
    return blocks.Chart(
        "path",
        title,
        caption,
        alt,
        partial(_draw, watched),
        "path",
        key=True,
    )


def _draw(watched: Watched, width: int) -> dict[str, object]:
    start = watched.first + 1
    decided = None if watched.decided is None else float(watched.decided)
    band = None
    if len(watched.lows):
        points = tuple(
            (float(start + i), *place)
            for i, place in enumerate(
                zip(_middle(watched), watched.lows, watched.highs, strict=True)
            )
        )
        note = f"band of {watched.level:.0%} that holds at all times"
        name = "Difference" if len(watched.means) else "Band around the difference"
        band = Band(name, points, note=note, decided=decided, colour=_colour(watched.verdict))
    evidence = None
    if len(watched.logs):
        line = Wealth("E", tuple((float(start + i), e) for i, e in enumerate(watched.logs)))
        threshold = f"decides: E ≥ {watched.needed:,.4g}"
        evidence = Evidence((line,), ((float(start), watched.needed),), threshold, decided)
    return anytime(band, evidence, unit=f"{watched.unit}s", width=width)


def _middle(watched: Watched) -> Sequence[float]:
    """Return the line within the band; without means the middle of the band."""
    if len(watched.means):
        return watched.means
    return [(low + high) / 2 for low, high in zip(watched.lows, watched.highs, strict=True)]


def _colour(verdict: str) -> str:
    return "worse" if verdict == "worse" else "better"


def decision_stands(watched: Watched) -> str:
    """Say where it was decided, and that this stays."""
    if watched.decided is None:
        return ""
    later = "The band may cover 0 again later" if len(watched.lows) else "E may fall later"
    return (
        f"Decided after {count(watched.decided, watched.unit)}. {later}; the decision stands."
    )


def path_table(watched: Watched) -> blocks.Table:
    """Return where the path stood after some values: ten of them, the decision and the end."""
    start = watched.first + 1
    length = watched.n - watched.first
    chosen = {start + round(k * (length - 1) / (_ROWS - 1)) for k in range(_ROWS)}
    if watched.decided is not None and watched.decided >= start:
        chosen.add(watched.decided)

    def at(values: Sequence[float]) -> "partial[float]":
        return partial(_at, values, start)

    columns = (
        blocks.Column("n", f"{watched.unit}s", "count", of=lambda n: n),
        blocks.Column("mean", "difference", sign=True, of=at(watched.means))
        if len(watched.means)
        else None,
        blocks.Column(
            "band",
            f"{watched.level:.0%} band",
            "interval",
            sign=True,
            of=lambda n: _interval(watched, n - start),
        )
        if len(watched.lows)
        else None,
        blocks.Column("e", "E", "text", of=lambda n: said_e(watched.logs[n - start]))
        if len(watched.logs)
        else None,
        blocks.Column(
            "decision",
            "decision",
            "text",
            of=lambda n: watched.verdict if n == watched.decided else "",
        )
        if watched.decided is not None
        else None,
    )
    return blocks.table("path", "The path", columns, sorted(chosen))


def _at(values: Sequence[float], start: int, n: int) -> float:
    return float(values[n - start])


def _interval(watched: Watched, place: int) -> tuple[float, float] | None:
    low, high = float(watched.lows[place]), float(watched.highs[place])
    return None if math.isinf(low) and math.isinf(high) else (low, high)


def said_e(log_e: float) -> str:
    """Return an e-value as text: ``12.3`` or ``10^8.2``.

    Examples
    --------
    >>> said_e(0.0), said_e(30.0)
    ('1', '10^13.0')
    """
    if log_e > _LARGEST_SHOWN:
        return f"10^{log_e / math.log(10.0):.1f}"
    return f"{math.exp(log_e):.3g}"


def standing(verdict: str, decided: int | None, n: int, unit: str) -> str:
    """Say the verdict and when it fell, in one sentence."""
    return f"{capital(_stood(verdict, decided, n, unit))}."


def _stood(verdict: str, decided: int | None, n: int, unit: str) -> str:
    if decided is None:
        return f"undecided after {count(n, unit)}"
    return f"{verdict}, decided at {unit} {decided:,} of {n:,}"


def said(value: float) -> str:
    """Return a difference with its sign."""
    return number(value, sign=True)


# --- What an exact band shows ---


def show_betting_band(band: BettingBand) -> Iterator[blocks.Block]:
    """Show the band now and over time."""
    without = 0.0 not in band.interval
    level, shown = f"{1 - band.alpha:.0%}", interval(band.interval, sign=True)
    zero = "leaves 0 out" if without else "covers 0"
    numbers = f"Mean difference {said(band.estimate)}, {level} band {shown}."
    headline = f"The exact band {zero} after {count(band.n, 'judgment')}."
    yield blocks.Verdict(_status(band), headline, (numbers,))
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
    yield blocks.Text("limits", "What this band does not say", text)
    if len(band.low):
        yield path_table(watched)
    yield from blocks.notes(band.notes)
    low, high = band.bounds
    paragraph = (
        f"The mean difference of scores between {low:g} and {high:g} was estimated with an exact "
        f"confidence sequence by betting at level {level}, valid at all times together. {numbers}"
    )
    yield blocks.Methods(paragraph, ("waudby-smith-ramdas-2024",))


def _left_zero(band: BettingBand) -> int | None:
    """Return after how many judgments the band left 0 out, which it then does for good."""
    outside = np.flatnonzero((band.low > 0.0) | (band.high < 0.0))
    return band.n - len(band.low) + int(outside[0]) + 1 if outside.size else None


def _status(band: BettingBand) -> blocks.Status:
    if band.interval.low > 0.0:
        return "better"
    return "worse" if band.interval.high < 0.0 else "undecided"


# --- What a band around a running mean shows ---


def show_confidence_band(band: ConfidenceBand) -> Iterator[blocks.Block]:
    """Show the verdict, the band over time, and what it does not say."""
    headline = standing(band.verdict, band.decided_at, band.n, band.unit)
    yield blocks.Verdict(blocks.status_of(band.verdict), headline, (_numbers(band),))
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
    yield from blocks.notes(band.notes)
    yield _methods(band)


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


def _limits(band: ConfidenceBand) -> blocks.Text:
    text = (
        f"No band is given before {count(band.burn_in, band.unit)}. It holds for large samples, and "
        f"is narrowest near {count(round(band.tightest_at), band.unit)}, which must be chosen before "
        "the data. After an early stop the mean is too far from zero on average."
    )
    if band.decided_at is None and band.interval is not None:
        low, high = said(band.interval.low), said(band.interval.high)
        text = f"Undecided is not equal: anything from {low} to {high} fits the data. {text}"
    return blocks.Text("limits", "What this band does not say", text)


def _methods(band: ConfidenceBand) -> blocks.Methods:
    paragraph = (
        f"The mean difference was watched with an asymptotic confidence sequence at level "
        f"{1 - band.alpha:.0%} (burn-in {band.burn_in:,}, narrowest near {band.tightest_at:,.0f} "
        f"{band.unit}s), which is valid at all times together. {_numbers(band)}"
    )
    return blocks.Methods(paragraph, ("waudby-smith-etal-2024",))


# --- What the bets on a difference show ---


def show_e_process_test(test: EProcessTest) -> Iterator[blocks.Block]:
    """Show the verdict, the evidence over time, and what it does not say."""
    headline = standing(test.verdict, test.decided_at, test.n, "judgment")
    detail = (f"{evidence(test)}, mean difference {said(test.estimate)}.",)
    yield blocks.Verdict(blocks.status_of(test.verdict), headline, detail)
    watched = watched_evidence(test)
    if watched is not None:
        yield chart(test, watched)
    yield limits()
    if watched is not None:
        yield path_table(watched)
    yield from blocks.notes(test.notes)
    low, high = test.bounds
    paragraph = (
        f"The difference of scores between {low:g} and {high:g} was tested with a betting e-process "
        f"with error rate {test.alpha:g} over all times, exact for any distribution. {detail[0]}"
    )
    yield blocks.Methods(paragraph, ("waudby-smith-ramdas-2024", "ramdas-etal-2023"))


def evidence(test: EProcessTest | PreferenceTest) -> str:
    """Say the evidence now, what decides, and the p-value of the largest so far."""
    return (
        f"E = {said_e(test.log_e)} now ({1 / test.alpha:,.4g} needed), {p_statement(test.p_value)} at "
        "any time"
    )


def watched_evidence(test: EProcessTest | PreferenceTest) -> Watched | None:
    """Return the path of a test, if it was kept."""
    path: EvidencePath | None = test.path
    if path is None or not len(path.log_e):
        return None
    return Watched(
        test.n,
        "judgment",
        logs=path.log_e.tolist(),
        decided=test.decided_at,
        verdict=test.verdict,
        needed=1.0 / test.alpha,
    )


def chart(test: EProcessTest | PreferenceTest, watched: Watched) -> blocks.Chart:
    """Return the evidence against what decides."""
    needed = f"{watched.needed:,.4g}"
    if test.decided_at is None:
        title = f"E has reached {said_e(test.log_peak)} of the {needed} that decide"
    else:
        fallen = "; it has fallen since" if test.log_e < math.log(watched.needed) else ""
        title = f"E reached {needed} at judgment {test.decided_at:,}: {test.verdict}{fallen}"
    caption = (
        "E is the wealth of a gambler in a game that is fair without a difference: it then reaches "
        f"the dashed line in at most {test.alpha:.0%} of evaluations, ever. "
        f"{decision_stands(watched)}"
    )
    alt = f"{title}. {evidence(test)}, after {count(test.n, 'judgment')}."
    return watched_chart(watched, title=title, caption=caption.rstrip(), alt=alt)


def limits() -> blocks.Text:
    """Say what a small E does not mean."""
    text = (
        "A small E says that nothing was shown, not that the systems are equal: parity needs a "
        "margin. The estimate after an early stop is too far from zero on average."
    )
    return blocks.Text("limits", "What this test does not say", text)


# --- What scores that were matched in the order of arrival show ---


def show_ordered_pairs(pairs: OrderedPairs) -> Iterator[blocks.Block]:
    """Show how many pairs there are, and what waits for a partner."""
    yield blocks.Verdict("info", f"{_in_order(pairs)}.")
    columns = (
        blocks.Column("what", "scores", "name", of=lambda row: row[0]),
        blocks.Column("n", "number", "count", of=lambda row: row[1]),
    )
    rows = (
        ("matched", pairs.n_pairs),
        ("of the first system, waiting", pairs.n_left_a),
        ("of the second system, waiting", pairs.n_left_b),
    )
    yield blocks.table("pairs", "Pairs", columns, rows)
    yield from blocks.notes(pairs.notes)


# --- What many pairs that are watched at once show ---


def show_pair_decisions(found: PairDecisions) -> Iterator[blocks.Block]:
    """Show which pairs are decided, and the evidence for both directions."""
    n = len(found.decided)
    verb = "is" if n == 1 else "are"
    headline = f"{n:,} of {count(len(found.decisions), 'pair')} {verb} decided."
    what = (
        "of any wrong claim" if found.method == "e-Holm" else "expected share of wrong claims"
    )
    rate = (
        f"By {found.method}: chance {what}"
        if found.method == "e-Holm"
        else f"By {found.method}: {what}"
    )
    needed = ""
    if found.needed is not None:
        needed = f" The next direction is decided at E = {found.needed:,.4g}."
    yield blocks.Verdict("info", headline, (f"{rate} at most {found.alpha:g}.{needed}",))
    text = "A pair that is not decided is not equal: a small E says that nothing was shown."
    yield blocks.Text("limits", "What this does not say", text)
    columns = (
        blocks.Column("pair", "pair", "name", of=_name),
        blocks.Column("verdict", "verdict", "verdict"),
        blocks.Column("p_value", "p corrected", "p", short="p corr."),
        blocks.Column(
            "e_better", "E for better", "text", keep=2, of=lambda d: f"{d.e_better:.3g}"
        ),
        blocks.Column(
            "e_worse", "E for worse", "text", keep=2, of=lambda d: f"{d.e_worse:.3g}"
        ),
    )
    folded = len(found.decisions) > blocks.LONG
    yield blocks.table("pairs", "Pairs", columns, found.decisions, folded=folded)
    yield from blocks.notes(found.notes)
    paragraph = (
        f"{count(len(found.decisions), 'pair')} were decided from their e-values by {found.method} at "
        f"{found.alpha:g}, valid under any dependence: {n:,} of them in a direction."
    )
    cite = (
        ("holm-1979", "ramdas-etal-2023") if found.method == "e-Holm" else ("wang-ramdas-2022",)
    )
    yield blocks.Methods(paragraph, cite)


def _name(decision: PairDecision) -> str:
    pair = decision.pair
    return " − ".join(map(str, pair)) if isinstance(pair, tuple) else str(pair)


# --- What the evidence of wins and losses shows ---


def show_preference_test(test: PreferenceTest) -> Iterator[blocks.Block]:
    """Show the verdict, the evidence over time, and the counts behind it."""
    headline = standing(test.verdict, test.decided_at, test.n, "judgment")
    share = _share(test)
    yield blocks.Verdict(
        blocks.status_of(test.verdict), headline, (f"{evidence(test)}, {share}.",)
    )
    watched = watched_evidence(test)
    if watched is not None:
        yield chart(test, watched)
    yield limits()
    columns = (
        blocks.Column("outcome", "outcome", "name", of=lambda row: row[0]),
        blocks.Column("n", "judgments", "count", of=lambda row: row[1]),
    )
    counts = (("win", test.wins), ("loss", test.losses), ("tie", test.ties))
    yield blocks.table("outcomes", "Outcomes", columns, counts)
    if watched is not None:
        yield path_table(watched)
    yield from blocks.notes(test.notes)
    paragraph = (
        f"{count(test.n, 'preference')} were tested with an e-process of wins and losses with error "
        f"rate {test.alpha:g} over all times; {count(test.ties, 'tie')} were left out. "
        f"{evidence(test)}, {share}."
    )
    yield blocks.Methods(paragraph, ("ramdas-etal-2023",))


# --- The words ---


def say_betting_band(band: BettingBand) -> str:
    """Say the interval in one sentence."""
    zero = "without" if 0.0 not in band.interval else "with"
    text = (
        f"mean difference {said(band.estimate)}, {1.0 - band.alpha:.0%} band "
        f"{interval(band.interval, sign=True)} ({zero} 0), exact at any time, after "
        f"{count(band.n, 'judgment')}"
    )
    return "; ".join([text, *band.notes]) + "."


def say_confidence_band(band: ConfidenceBand) -> str:
    """Say the verdict and the band in one sentence."""
    known = "no band yet" if band.interval is None else interval(band.interval, sign=True)
    text = (
        f"{_stood(band.verdict, band.decided_at, band.n, band.unit)}: mean difference "
        f"{said(band.estimate)}, {1.0 - band.alpha:.0%} band {known}, at any time and for large "
        "samples"
    )
    return "; ".join([text, *band.notes]) + "."


def say_e_process_test(test: EProcessTest) -> str:
    """Say the verdict and the evidence in one sentence."""
    return _said_evidence(test, f"mean difference {said(test.estimate)}")


def say_preference_test(test: PreferenceTest) -> str:
    """Say the verdict, the evidence and what was estimated."""
    return _said_evidence(test, _share(test))


def _share(test: PreferenceTest) -> str:
    return f"{test.estimand} = {test.estimate:.3f} ({test.wins:,} to {test.losses:,})"


def _said_evidence(test: EProcessTest | PreferenceTest, estimate: str) -> str:
    text = (
        f"{_stood(test.verdict, test.decided_at, test.n, 'judgment')}: E = {said_e(test.log_e)} "
        f"({1.0 / test.alpha:.4g} needed), {p_statement(test.p_value)} at any time, {estimate}"
    )
    later = []
    if test.decided_at is not None and test.log_e < -math.log(test.alpha):
        later.append(
            f"the decision of judgment {test.decided_at:,} stands; E was {1.0 / test.alpha:.4g} or "
            "more then and has fallen since, so the difference may be small"
        )
    return "; ".join([text, *later, *test.notes]) + "."


def say_ordered_pairs(pairs: OrderedPairs) -> str:
    """Say how many pairs there are and how many scores are left over."""
    return "; ".join([_in_order(pairs), *pairs.notes])


def _in_order(pairs: OrderedPairs) -> str:
    return f"{count(pairs.n_pairs, 'pair')} in order of arrival"


def say_pair_decisions(found: PairDecisions) -> str:
    """Say how many pairs are decided, and which."""
    guarantee = "any wrong claim" if found.method == "e-Holm" else "share of wrong claims"
    head = (
        f"{len(found.decided)} of {count(len(found.decisions), 'pair')} decided "
        f"({found.method}, {guarantee} ≤ {found.alpha:g})"
    )
    if found.decided:
        names = [f"{pair_name(one.pair)} {one.verdict}" for one in found.decided]
        head += f": {listing(names, most=10)}"
    return "; ".join([head, *found.notes]) + "."
