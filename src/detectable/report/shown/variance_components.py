"""What a decomposition of variance shows."""

import math
from collections.abc import Iterator
from functools import partial

from detectable.core.interval import Interval
from detectable.core.wording import count, interval, number
from detectable.report import blocks
from detectable.report.charts.raters import Split, variance_shares
from detectable.study.precision.rater_agreement import RaterAgreement
from detectable.study.precision.variance_components import QualityShare, VarianceComponents

_BY_DIFFERENCE, _BY_COVARIANCE = "1 − noise/total", "covariance/total"
_NO_PART = "No part of the variance of one judgment can be told to be quality"
_POOLED = {
    "within-system": "within systems",
    "all": "of all systems together",
    "mean-of-systems": "averaged over systems",
}


def show_variance_components(found: VarianceComponents) -> Iterator[blocks.Block]:
    """Show which share is noise, both estimators, and what more raters per item would buy."""
    yield verdict(found)
    yield chart(found)
    yield _limits(found)
    yield variances(found)
    yield shares(found)
    yield advice(found)
    yield from efficiencies(found)
    yield from blocks.notes(found.notes)
    yield _methods(found)


def verdict(found: VarianceComponents) -> blocks.Verdict:
    """Return the share of quality, and what follows for the next evaluation."""
    share = found.by_difference
    head = (
        f"{_share(share)} of the variance of one judgment is quality; the rest is noise between "
        "raters."
    )
    if share.untruncated < 0.0:
        head = f"{_NO_PART}: the estimate is below zero."
    elif disagree(found):
        head = (
            f"{_share(share)} or {_share(found.by_covariance)} of the variance of one judgment is "
            "quality: two estimators disagree."
        )
        return blocks.Verdict("warning", head, tuple(_behind(found)))
    return blocks.Verdict("info", head, tuple(_behind(found)))


def disagree(found: VarianceComponents) -> bool:
    """Say whether the intervals of the two estimates have nothing in common."""
    one, other = found.by_difference.interval, found.by_covariance.interval
    if one is None or other is None:
        return False
    return one.low > other.high or other.low > one.high


def _share(share: QualityShare, digits: int = 0) -> str:
    said = f"{number(100.0 * share.value, digits=digits)}%"
    return f"{said} {_ends(share.interval, digits)}" if share.interval is not None else said


def _ends(found: Interval, digits: int) -> str:
    low, high = (number(100.0 * end, digits=digits) for end in (found.low, found.high))
    return f"[{low}, {high}]"


def chart(found: VarianceComponents) -> blocks.Chart:
    """Return the shares of the variance of one judgment, by both estimators."""
    within = math.nan
    if found.intra is not None and found.total.value > 0.0:
        within = found.intra.value / found.total.value
    splits = tuple(
        Split(name, share.value, share.interval, within, share.untruncated < 0.0)
        for name, share in (
            (_BY_DIFFERENCE, found.by_difference),
            (_BY_COVARIANCE, found.by_covariance),
        )
    )
    first, second = splits
    title = f"Quality is {first.text()} of the variance of one judgment"
    if first.negative:
        title = _NO_PART
    elif disagree(found):
        title = f"Quality is {first.text()} or {second.text()} of the variance: two estimators disagree"
    level = f"{1 - found.alpha:.0%}"
    caption = (
        f"Line and numbers: share of quality with its {level} interval, by two estimators."
    )
    if found.intra is not None:
        caption += " Rater against self: the same rater, asked again."
    alt = f"{title}. By the covariance of two raters it is {second.text()}."
    if found.intra is not None:
        alt += f" The same rater, asked again, accounts for {within:.0%}."
    return blocks.Chart(
        "shares", title, caption, alt, partial(variance_shares, splits), "shares", key=True
    )


def _limits(found: VarianceComponents) -> blocks.Text:
    """Say how far the share is known, and whether the two estimators agree."""
    share, other = found.by_difference, found.by_covariance
    said = []
    if share.interval is not None:
        low, high = (
            number(100.0 * end, digits=0) for end in (share.interval.low, share.interval.high)
        )
        said.append(
            f"With {count(found.n_clusters, found.unit)} and {count(found.n_repeated, 'translation')} "
            f"judged by two raters or more, any share from {low}% to {high}% fits the data."
        )
    said.append(
        f"The covariance of two raters says {_share(other)}; the two differ where the translations "
        "with several raters are unlike the others."
    )
    return blocks.Text("limits", "What could not be told", " ".join(said))


def variances(found: VarianceComponents) -> blocks.Table:
    """Return the variances with their intervals."""
    parts = [("total, of a judgment", found.total), ("noise between raters", found.noise)]
    if found.intra is not None:
        parts.append(("the same rater, asked again", found.intra))
    columns = (
        blocks.Column("part", "variance", "name", of=lambda part: part[0]),
        blocks.Column("estimate", "estimate", of=lambda part: part[1].value),
        blocks.Column("sd", "SD", of=lambda part: part[1].value ** 0.5),
        blocks.Column("interval", _level(found), "interval", of=lambda part: part[1].interval),
    )
    return blocks.table("variances", "Where the spread comes from", columns, parts)


def shares(found: VarianceComponents) -> blocks.Table:
    """Return the share of quality by both estimators."""
    named = (
        (_BY_DIFFERENCE, found.by_difference),
        (_BY_COVARIANCE, found.by_covariance),
    )
    columns = (
        blocks.Column("estimator", "share of quality", "name", of=lambda one: one[0]),
        blocks.Column("share", "share", "share", digits=1, of=lambda one: one[1].value),
        blocks.Column(
            "interval",
            _level(found),
            "shares",
            digits=1,
            of=lambda one: one[1].interval,
        ),
        blocks.Column(
            "untruncated",
            "untruncated",
            "share",
            digits=1,
            keep=3,
            of=lambda one: one[1].untruncated,
        ),
        blocks.Column("gamma", "noise/quality", keep=2, of=lambda one: one[1].gamma),
    )
    return blocks.table("shares", "Quality", columns, named)


def advice(found: VarianceComponents) -> blocks.Table:
    """Return what the judgments of one system buy with more raters per item."""
    columns = (
        blocks.Column("n_raters", "raters per item", "count", short="raters"),
        blocks.Column("n_items", "items", "count"),
        blocks.Column("standard_error", "SE of a system's mean", digits=3, short="SE"),
        blocks.Column("relative_cost", "judgments for equal precision, ×", short="judgments ×"),
    )
    title = "The same number of judgments, spent differently"
    return blocks.table("advice", title, columns, found.advice)


def efficiencies(found: VarianceComponents) -> Iterator[blocks.Table]:
    """Yield what metrics would save, where their correlations were asked for."""
    if not found.efficiencies:
        return
    columns = (
        blocks.Column("correlation", "metric with quality, r"),
        blocks.Column("by_difference", _BY_DIFFERENCE),
        blocks.Column("by_covariance", _BY_COVARIANCE),
    )
    note = (
        "How many times as many judgments would be needed without the metric as control variate. r is "
        "with the true quality: with single judgments it is smaller, by noise."
    )
    yield blocks.table(
        "efficiency", "Data efficiency, ×", columns, found.efficiencies, note=note
    )


def _level(found: VarianceComponents) -> str:
    return f"{1 - found.alpha:.0%} interval"


def left_out_in_turn(found: VarianceComponents | RaterAgreement) -> str:
    """Say how an interval was made, also in results of versions that had the bootstrap."""
    units = count(found.n_clusters, found.unit)
    if not _left_out(found):
        return f"bootstrap over {units}"
    raters = count(found.n_raters, "rater")
    both = f"{units} and {raters}" if found.n_raters > 2 and found.unit != "rater" else units
    return f"jackknife over {both} (Efron and Stein, 1981)"


def sources_of_interval(
    found: VarianceComponents | RaterAgreement, given: Interval | None
) -> tuple[str, ...]:
    """Return whom to cite for an interval."""
    return ("efron-stein-1981",) if given is not None and _left_out(found) else ()


def _left_out(found: VarianceComponents | RaterAgreement) -> bool:
    """Whether units were left out in turn; a bootstrap said its resamples, R."""
    settings = found.signature.settings
    return "unit" in settings and "R" not in settings


def _methods(found: VarianceComponents) -> blocks.Methods:
    share, other = found.by_difference, found.by_covariance
    ends = (
        ""
        if share.interval is None
        else (
            f" ({1 - found.alpha:.0%} interval {_ends(share.interval, 1)}, {left_out_in_turn(found)})"
        )
    )
    said = (
        f"The variance of one judgment, {_POOLED[found.pooled]}, was split into quality of the "
        "translation and noise between raters (Wei et al., 2022), from "
        f"{count(found.n_judgments, 'judgment')} of {count(found.n_translations, 'translation')} by "
        f"{count(found.n_raters, 'rater')}, {found.n_repeated:,} of the translations by two raters or more. "
        f"Quality accounts for {100.0 * share.value:.1f}%{ends} by one minus noise over total, and "
        f"for {100.0 * other.value:.1f}% by the covariance of two raters."
    )
    if min(share.untruncated, other.untruncated) < 0.0:
        said += " Estimates below zero were set to zero."
    return blocks.Methods(said, ("wei-etal-2022", *sources_of_interval(found, share.interval)))


def say_variance_components(found: VarianceComponents) -> str:
    """Say which share is noise, and what follows for the next evaluation."""
    share, other = found.by_difference, found.by_covariance
    first = (
        f"{1.0 - share.value:.0%} of the variance of a judgment is noise between raters, "
        f"{share.value:.0%} {_range(share.interval)} is quality"
        f" ({other.value:.0%} {_range(other.interval)} by the covariance of two raters)."
    )
    return "\n".join([first, *_behind(found)])


def _behind(found: VarianceComponents) -> list[str]:
    """Return the variances behind the shares, and what follows for the next evaluation."""
    lines = [
        f"Total variance {number(found.total.value)}, noise {number(found.noise.value)}, from "
        f"{count(found.n_judgments, 'judgment')} of "
        f"{count(found.n_translations, 'translation')}, "
        f"{found.n_repeated:,} of them by two raters or more.",
    ]
    if found.intra is not None:
        lines.append(
            f"The same rater, asked again, varies by {number(found.intra.value)} "
            f"(correlation {number(found.intra_correlation)}, "
            f"{count(found.n_intra, 'repeat')})."
        )
    return [*lines, _recommendation(found)]


def _recommendation(found: VarianceComponents) -> str:
    """Say whether to ask for more raters per item or for more items."""
    two = next((row for row in found.advice if row.n_raters == 2), None)
    extra = "" if two is None else f" (two raters per item cost {two.relative_cost:.2f} times"
    extra += " the judgments for the same precision)" if extra else ""
    return (
        "For the mean of a system one judgment per item on more items is best, unless items "
        f"are scarce{extra}."
    )


def _range(found: Interval | None) -> str:
    if found is None:
        return ""
    return interval(Interval(100.0 * found.low, 100.0 * found.high, found.level), digits=0)
