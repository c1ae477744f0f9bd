"""What evidence that may be watched at any time shows: bands, bets, wins and losses, many pairs."""

import math
from collections.abc import Iterator

import numpy as np

from detectable.core.wording import count, interval, p_statement
from detectable.report.blocks import (
    LONG,
    Block,
    Chart,
    Column,
    Methods,
    Repeat,
    Status,
    Text,
    Verdict,
    notes,
    status_of,
    table,
)
from detectable.report.shown.anytime_pictures import (
    Watched,
    decision_stands,
    path_table,
    said,
    said_e,
    standing,
    watched_chart,
)
from detectable.sequential.bands import BettingBand, ConfidenceBand
from detectable.sequential.e_process import EProcessTest, EvidencePath, OrderedPairs
from detectable.sequential.many_pairs import PairDecision, PairDecisions
from detectable.sequential.preference_process import PreferenceTest


def show_betting_band(band: BettingBand) -> Iterator[Block]:
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


# --- What a band around a running mean shows ---


def show_confidence_band(band: ConfidenceBand) -> Iterator[Block]:
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


# --- What the bets on a difference show ---


def show_e_process_test(test: EProcessTest) -> Iterator[Block]:
    """Show the verdict, the evidence over time, and what it does not say."""
    headline = standing(test.verdict, test.decided_at, test.n, "judgment")
    detail = (f"{evidence(test)}, mean difference {said(test.estimate)}.",)
    yield Verdict(status_of(test.verdict), headline, detail)
    watched = watched_evidence(test)
    if watched is not None:
        yield chart(test, watched)
    yield limits()
    if watched is not None:
        yield path_table(watched)
    yield from notes(test.notes)
    low, high = test.bounds
    paragraph = (
        f"The difference of scores between {low:g} and {high:g} was tested with a betting e-process "
        f"with error rate {test.alpha:g} over all times, exact for any distribution. {detail[0]}"
    )
    yield Methods(paragraph, ("waudby-smith-ramdas-2024", "ramdas-etal-2023"))
    yield Repeat(str(test.signature))


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


def chart(test: EProcessTest | PreferenceTest, watched: Watched) -> Chart:
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


def limits() -> Text:
    """Say what a small E does not mean."""
    text = (
        "A small E says that nothing was shown, not that the systems are equal: parity needs a "
        "margin. The estimate after an early stop is too far from zero on average."
    )
    return Text("limits", "What this test does not say", text)


# --- What scores that were matched in the order of arrival show ---


def show_ordered_pairs(pairs: OrderedPairs) -> Iterator[Block]:
    """Show how many pairs there are, and what waits for a partner."""
    yield Verdict("info", f"{count(pairs.n_pairs, 'pair')} in order of arrival.")
    columns = (
        Column("what", "scores", "name", of=lambda row: row[0]),
        Column("n", "number", "count", of=lambda row: row[1]),
    )
    rows = (
        ("matched", pairs.n_pairs),
        ("of the first system, waiting", pairs.n_left_a),
        ("of the second system, waiting", pairs.n_left_b),
    )
    yield table("pairs", "Pairs", columns, rows)
    yield from notes(pairs.notes)
    yield Repeat(str(pairs.signature))


# --- What many pairs that are watched at once show ---


def show_pair_decisions(found: PairDecisions) -> Iterator[Block]:
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
    yield Verdict("info", headline, (f"{rate} at most {found.alpha:g}.{needed}",))
    text = "A pair that is not decided is not equal: a small E says that nothing was shown."
    yield Text("limits", "What this does not say", text)
    columns = (
        Column("pair", "pair", "name", of=_name),
        Column("verdict", "verdict", "verdict"),
        Column("p_value", "p corrected", "p", short="p corr."),
        Column("e_better", "E for better", "text", keep=2, of=lambda d: f"{d.e_better:.3g}"),
        Column("e_worse", "E for worse", "text", keep=2, of=lambda d: f"{d.e_worse:.3g}"),
    )
    folded = len(found.decisions) > LONG
    yield table("pairs", "Pairs", columns, found.decisions, folded=folded)
    yield from notes(found.notes)
    paragraph = (
        f"{count(len(found.decisions), 'pair')} were decided from their e-values by {found.method} at "
        f"{found.alpha:g}, valid under any dependence: {n:,} of them in a direction."
    )
    cite = (
        ("holm-1979", "ramdas-etal-2023") if found.method == "e-Holm" else ("wang-ramdas-2022",)
    )
    yield Methods(paragraph, cite)
    yield Repeat(str(found.signature))


def _name(decision: PairDecision) -> str:
    pair = decision.pair
    return " − ".join(map(str, pair)) if isinstance(pair, tuple) else str(pair)


# --- What the evidence of wins and losses shows ---


def show_preference_test(test: PreferenceTest) -> Iterator[Block]:
    """Show the verdict, the evidence over time, and the counts behind it."""
    headline = standing(test.verdict, test.decided_at, test.n, "judgment")
    share = f"{test.estimand} = {test.estimate:.3f} ({test.wins:,} to {test.losses:,})"
    yield Verdict(status_of(test.verdict), headline, (f"{evidence(test)}, {share}.",))
    watched = watched_evidence(test)
    if watched is not None:
        yield chart(test, watched)
    yield limits()
    columns = (
        Column("outcome", "outcome", "name", of=lambda row: row[0]),
        Column("n", "judgments", "count", of=lambda row: row[1]),
    )
    counts = (("win", test.wins), ("loss", test.losses), ("tie", test.ties))
    yield table("outcomes", "Outcomes", columns, counts)
    if watched is not None:
        yield path_table(watched)
    yield from notes(test.notes)
    paragraph = (
        f"{count(test.n, 'preference')} were tested with an e-process of wins and losses with error "
        f"rate {test.alpha:g} over all times; {count(test.ties, 'tie')} were left out. "
        f"{evidence(test)}, {share}."
    )
    yield Methods(paragraph, ("ramdas-etal-2023",))
    yield Repeat(str(test.signature))
