"""What the agreement of raters shows."""

from collections.abc import Iterator
from functools import partial

from detectable.core.wording import count, interval, number
from detectable.report import blocks
from detectable.report.charts.agreement import MOST, NAMED, PairAgreement, pair_agreement
from detectable.report.shown.variance_components import left_out_in_turn, sources_of_interval
from detectable.study.precision.rater_agreement import (
    RELIABLE,
    TENTATIVE,
    RaterAgreement,
    RaterPair,
    SpanAgreement,
)


def show_rater_agreement(found: RaterAgreement) -> Iterator[blocks.Block]:
    """Show how far raters agree, and every two of them with enough translations in common."""
    yield verdict(found)
    yield chart(found)
    yield _limits(found)
    yield measures(found)
    if found.pairs:
        yield pairs(found)
    if found.spans is not None:
        yield marked(found, found.spans)
        if len(found.spans.pairs) > 1:
            yield marked_pairs(found.spans)
    yield from blocks.notes(found.notes)
    yield _methods(found)


def verdict(found: RaterAgreement) -> blocks.Verdict:
    """Return alpha in words and numbers, and what it rests on."""
    head = f"Raters agree {grade(found)}: {_alpha(found)}."
    rests = (
        f"From {count(found.n_translations, 'translation')} judged by two or more of "
        f"{count(found.n_raters, 'rater')}, scores compared as {found.level}."
    )
    more = () if found.spans is None else (_marked_said(found.spans),)
    return blocks.Verdict("info", head, (rests, _pairs_agree(found), *more))


def _alpha(found: RaterAgreement) -> str:
    ends = "" if found.interval is None else f" {interval(found.interval)}"
    return f"Krippendorff's α = {number(found.krippendorff)}{ends}"


def chart(found: RaterAgreement) -> blocks.Chart:
    """Return alpha and the pairs on one scale."""
    known = tuple(pair for pair in found.pairs if pair.pearson == pair.pearson)
    drawn = tuple(
        PairAgreement(
            f"{pair.rater} – {pair.other}",
            pair.n_translations,
            pair.pearson,
            pair.spearman,
            found.by_chance(pair),
        )
        for pair in known[:MOST]
    )
    title = _title(found, known)
    return blocks.Chart(
        "agreement",
        title,
        _caption(found, known),
        f"{title}. {_told(found, known)}",
        partial(
            pair_agreement,
            found.krippendorff,
            found.interval,
            drawn,
            marks=(TENTATIVE, RELIABLE),
        ),
        "pairs" if found.pairs else "agreement",
        key=True,
    )


def _title(found: RaterAgreement, known: tuple[RaterPair, ...]) -> str:
    said = _alpha(found)
    if not known:
        return said
    if len(known) == 1:
        return f"{said}; two raters correlate at {number(known[0].pearson)}"
    low, high = (number(f(pair.pearson for pair in known)) for f in (min, max))
    return f"{said}; {len(known):,} pairs of raters correlate at {low} to {high}"


def _outside(found: RaterAgreement, known: tuple[RaterPair, ...]) -> tuple[int, int]:
    """Return how many pairs chance does not explain, of how many of which it is known."""
    ranges = ((pair.pearson, found.by_chance(pair)) for pair in known)
    outside = [pearson not in by_chance for pearson, by_chance in ranges if by_chance]
    return sum(outside), len(outside)


def _caption(found: RaterAgreement, known: tuple[RaterPair, ...]) -> str:
    parts = []
    if found.interval is not None:
        parts.append(f"Line: {1 - found.alpha:.0%} interval.")
    parts.append(
        f"Dotted: {TENTATIVE:g} for tentative conclusions, {RELIABLE:g} for reliable ones."
    )
    if any(found.by_chance(pair) is not None for pair in known):
        parts.append(
            f"Grey: where chance would put {1 - found.alpha:.0%} of the pairs if all agreed alike, "
            "translations taken as independent."
        )
    if len(known) > NAMED:
        parts.append("A dot is a pair of raters.")
    if len(known) > MOST:
        parts.append(f"The {MOST:,} pairs with the most translations in common are drawn.")
    return " ".join(parts)


def _told(found: RaterAgreement, known: tuple[RaterPair, ...]) -> str:
    if not known:
        return f"No two raters share {count(found.min_overlap, 'translation')}."
    outside, n = _outside(found, known)
    return (
        f"The mean correlation is {number(found.pearson)}; {outside:,} of "
        f"{count(n, 'pair')} {'lies' if outside == 1 else 'lie'} outside what chance allows if all agree alike."
    )


def _limits(found: RaterAgreement) -> blocks.Text:
    """Say which pairs have too little in common, and how far α is known."""
    said = []
    if found.interval is not None:
        said.append(
            f"With {count(found.n_clusters, found.unit)}, any α from {number(found.interval.low)} "
            f"to {number(found.interval.high)} fits the data."
        )
    if found.n_pairs_below:
        share = "shares" if found.n_pairs_below == 1 else "share"
        has = "has" if found.n_pairs_below == 1 else "have"
        said.append(
            f"{count(found.n_pairs_below, 'pair')} of raters {share} fewer than "
            f"{found.min_overlap} translations and {has} no correlation here."
        )
    small = [pair for pair in found.pairs if pair.n_translations < 30]
    if small:
        said.append(
            f"{len(small):,} of {count(len(found.pairs), 'pair')} {'rests' if len(small) == 1 else 'rest'} on fewer than 30 "
            "translations: who agrees with whom hangs on few of them."
        )
    return blocks.Text(
        "limits", "What could not be told", " ".join(said) or "Nothing was left open."
    )


def measures(found: RaterAgreement) -> blocks.Table:
    """Return alpha and the mean correlations."""
    rows = (
        ("Krippendorff's α", found.krippendorff, found.interval, found.n_translations),
        ("Pearson, mean of pairs", found.pearson, None, None),
        ("Spearman, mean of pairs", found.spearman, None, None),
    )
    columns = (
        blocks.Column("measure", "measure", "name", of=lambda row: row[0]),
        blocks.Column("value", "value", of=lambda row: row[1]),
        blocks.Column(
            "interval", f"{1 - found.alpha:.0%} interval", "interval", of=lambda row: row[2]
        ),
        blocks.Column("translations", "translations", "count", keep=3, of=lambda row: row[3]),
    )
    return blocks.table("agreement", "Agreement", columns, rows if found.pairs else rows[:1])


def pairs(found: RaterAgreement) -> blocks.Table:
    """Return a row for every two raters with enough in common."""
    columns = (
        blocks.Column("rater", "rater", "name"),
        blocks.Column("other", "other", "name"),
        blocks.Column("n_translations", "translations", "count", keep=2),
        blocks.Column("pearson", "Pearson"),
        blocks.Column(
            "by_chance",
            "by chance",
            "interval",
            keep=4,
            of=found.by_chance,
            help="where Pearson's correlation would lie if all pairs agreed alike",
        ),
        blocks.Column("spearman", "Spearman"),
        blocks.Column("mean_difference", "mean difference", sign=True, short="difference"),
    )
    folded = len(found.pairs) > blocks.LONG
    return blocks.table("pairs", "Pairs of raters", columns, found.pairs, folded=folded)


def marked(found: RaterAgreement, spans: SpanAgreement) -> blocks.Table:
    """Return how far raters mark the same errors."""
    rows = (
        ("F1 of letters", spans.f1, spans.f1_interval),
        ("F1, half for another severity", spans.f1_severity, None),
        ("γ", spans.gamma, spans.gamma_interval),
    )
    columns = (
        blocks.Column("measure", "measure", "name", of=lambda row: row[0]),
        blocks.Column("value", "value", of=lambda row: row[1]),
        blocks.Column(
            "interval", f"{1 - found.alpha:.0%} interval", "interval", of=lambda row: row[2]
        ),
    )
    title = (
        f"Marked errors: {count(spans.n_marks, 'mark')} in {count(spans.n_texts, 'text')} by two "
        "raters"
    )
    return blocks.table("spans", title, columns, rows)


def marked_pairs(spans: SpanAgreement) -> blocks.Table:
    """Return a row for every two raters who marked errors in the same texts."""
    columns = (
        blocks.Column("rater", "rater", "name"),
        blocks.Column("other", "other", "name"),
        blocks.Column("n_texts", "texts", "count", keep=2),
        blocks.Column("n_marks", "marks", "count", keep=3),
        blocks.Column("f1", "F1 of letters"),
        blocks.Column("gamma", "γ"),
    )
    folded = len(spans.pairs) > blocks.LONG
    title = "Marked errors by pairs of raters"
    return blocks.table("span-pairs", title, columns, spans.pairs, folded=folded)


def _marked_said(spans: SpanAgreement) -> str:
    ends = [
        "" if one is None else f" {interval(one)}"
        for one in (spans.f1_interval, spans.gamma_interval)
    ]
    said = (
        f"Of the errors that raters marked, F1 of letters is {number(spans.f1)}{ends[0]} and γ is "
        f"{number(spans.gamma)}{ends[1]}, from {count(spans.n_texts, 'text')} by two raters."
    )
    if spans.n_missing:
        said += f" {count(spans.n_missing, 'mark')} of something missing left out: they have no place."
    return said


def _methods(found: RaterAgreement) -> blocks.Methods:
    ends = (
        ""
        if found.interval is None
        else (
            f" ({1 - found.alpha:.0%} interval {interval(found.interval)}, {left_out_in_turn(found)})"
        )
    )
    said = (
        f"Agreement between raters was measured by Krippendorff's alpha with the {found.level} "
        f"metric (Krippendorff, 2011) on {count(found.n_judgments, 'judgment')} of "
        f"{count(found.n_translations, 'translation')} by two or more of "
        f"{count(found.n_raters, 'rater')}: α = {number(found.krippendorff)}{ends}."
    )
    if found.pairs:
        said += (
            f" Over {count(len(found.pairs), 'pair')} of raters with {found.min_overlap} or more "
            f"translations in common, Pearson's correlation was {number(found.pearson)} on average."
        )
    sources = ["krippendorff-2011", *sources_of_interval(found, found.interval)]
    if found.spans is not None:
        said += (
            f" Agreement on marked errors was measured on {count(found.spans.n_texts, 'text')} by two "
            f"raters: F1 of letters = {number(found.spans.f1)}, and γ = {number(found.spans.gamma)} "
            "(Mathet et al., 2015; weights of 1 for place and severity), where chance is what a "
            "rater marked in other texts."
        )
        sources.append("mathet-2015")
    return blocks.Methods(said, tuple(sources))


def grade(found: RaterAgreement) -> str:
    """Return a word for alpha, after Krippendorff's marks .667 and .8."""
    if found.krippendorff >= RELIABLE:
        return "well"
    if found.krippendorff >= TENTATIVE:
        return "enough for tentative conclusions"
    return "little" if found.krippendorff > 0.0 else "no better than chance"


def say_rater_agreement(found: RaterAgreement) -> str:
    """Say how far the raters agree, and on how much this rests."""
    first = (
        f"Raters agree {grade(found)}: Krippendorff's alpha {number(found.krippendorff)} "
        f"{interval(found.interval)} ({found.level}), from "
        f"{count(found.n_translations, 'translation')} judged by two or more of "
        f"{count(found.n_raters, 'rater')}."
    )
    said = [first, _pairs_agree(found)]
    return "\n".join([*said, *([] if found.spans is None else [_marked_said(found.spans)])])


def _pairs_agree(found: RaterAgreement) -> str:
    if not found.pairs:
        return (
            f"No two raters share {count(found.min_overlap, 'translation')}, so no correlations of "
            "pairs are given."
        )
    return (
        f"Two raters correlate at {number(found.pearson)} on average (ranks: "
        f"{number(found.spearman)}; {count(len(found.pairs), 'pair')} with "
        f"{found.min_overlap} or more translations in common)."
    )
