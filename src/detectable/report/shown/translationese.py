"""What a study of forward against reverse data shows."""

from collections.abc import Callable, Iterator, Sequence
from dataclasses import replace
from typing import Any

from detectable.core.wording import count, decimals, number
from detectable.report import blocks
from detectable.report.shown.translationese_words import (
    advice,
    agreement_sentences,
    change_sentences,
    effect_sentence,
    parity_sentences,
    replication_sentences,
    sentences_about,
)
from detectable.study.translationese.halves import Part
from detectable.study.translationese.result import (
    HalfConclusion,
    Parity,
    Replicated,
    Translationese,
)


def show_translationese(result: Translationese) -> Iterator[blocks.Block]:
    """Show the advice, the split, what reverse data do to scores, and to conclusions."""
    # One measure is enough to lead with: the tables have all of them.
    first, *others = result.measures
    head, *cost = advice(result)
    changes = change_sentences(result, first) if first in result.judged_measures else []
    said = (*cost, effect_sentence(result, first), *changes, *parity_sentences(result, first))
    yield blocks.Verdict("info", head, said)
    yield blocks.Pictures("translationese_pictures:both_halves", result)
    yield from _limits(result)
    yield parts(result)
    yield effects(result)
    yield blocks.Pictures("translationese_pictures:shifts", result)
    yield blocks.Pictures("translationese_pictures:changes", result)
    yield from _about_pairs(result)
    if result.agreement:
        yield agreement(result)
    if result.replicated:
        yield replicated(result)
    if result.parity:
        yield parity(result)
    yield _checks(result, others)
    yield from blocks.notes(result.notes)
    yield _methods(result)


def _limits(result: Translationese) -> Iterator[blocks.Text]:
    """Yield what each half could have shown, and how far the correlations are known."""
    said = []
    for measure in result.judged_measures[:1]:
        digits, label = result.digits[measure], result.label(measure)
        found = [
            f"{number(row.mde, digits=digits)} on {_data(row.half)}"
            for row in result.conclusions
            if row.measure == measure and row.mde == row.mde
        ]
        if found:
            said.append(
                f"The typical difference of two systems in {label} that is found with "
                f"{result.power:.0%} power: {', '.join(found)}."
            )
    said += agreement_sentences(result, result.measures[0])
    if said:
        yield blocks.Text("limits", "What each half could have shown", " ".join(said))


def _data(half: str) -> str:
    return half if half == "both" else f"{half} data"


def _about_pairs(result: Translationese) -> Iterator[blocks.Table]:
    if result.pairs:
        yield conclusions(result)
        yield pairs(result)
        yield pair_shifts(result)


def parts(result: Translationese) -> blocks.Table:
    """Return how much was written in which language."""
    columns = (
        blocks.Column("data", "data", "name"),
        blocks.Column("direction", "direction", "name"),
        blocks.Column(
            "languages", "first written in", "text", of=lambda row: ", ".join(row.languages)
        ),
        blocks.Column("n_documents", "documents", "count"),
        blocks.Column("n_segments", "segments", "count", help="distinct segments: n"),
        blocks.Column("n_judgments", "judgments", "count", keep=2, help="of these segments: N"),
    )
    title = f"The test set ({result.language_pair}) by original language"
    data = [part.data for part in result.parts]
    return blocks.table("parts", title, columns, result.parts, breaks=block_starts(data))


def effects(result: Translationese) -> blocks.Table:
    """Return the scores of every system on both halves, and their difference."""
    digits = digits_of(result)
    level = f"{1 - result.alpha:.0%} interval"
    columns = (
        blocks.Column("measure", "measure", "name"),
        blocks.Column("system", "system", "name"),
        blocks.Column("forward", "forward", digits=digits, keep=2),
        blocks.Column(
            "forward_interval",
            "forward interval",
            "interval",
            digits=digits,
            keep=blocks.DATA_ONLY,
        ),
        blocks.Column("reverse", "reverse", digits=digits, keep=2),
        blocks.Column(
            "reverse_interval",
            "reverse interval",
            "interval",
            digits=digits,
            keep=blocks.DATA_ONLY,
        ),
        blocks.Column(
            "difference", "reverse − forward", digits=digits, sign=True, short="rev − fwd"
        ),
        blocks.Column("interval", level, "interval", digits=digits, sign=True),
        blocks.Column("standard_error", "SE", digits=digits, keep=blocks.DATA_ONLY),
        blocks.Column("df", "df", digits=1, keep=blocks.DATA_ONLY),
        blocks.Column("p_value", "p alone", "p", keep=blocks.DATA_ONLY),
        blocks.Column(
            "p_adjusted", "p corrected", "p", short="p corr.", keep=3, help="Holm, over systems"
        ),
        blocks.Column("n_forward", "n forward", "count", keep=4),
        blocks.Column("n_reverse", "n reverse", "count", keep=4),
    )
    rows = sorted(
        result.effects, key=lambda row: (result.measures.index(row.measure), -row.difference)
    )
    return blocks.table(
        "effects",
        "What reverse-created data add to each system",
        columns,
        rows,
        breaks=block_starts([row.measure for row in rows]),
        note="Documents are independent in both halves; each interval is of one system alone.",
    )


def conclusions(result: Translationese) -> blocks.Table:
    """Return what each half concludes, with its own n and detectable difference."""
    digits = digits_of(result)
    columns = (
        blocks.Column("measure", "measure", "name"),
        blocks.Column("half", "half", "name"),
        blocks.Column("n_units", f"{result.unit}s", "count"),
        blocks.Column("n_segments", "segments (n)", "count", short="n"),
        blocks.Column("n_judgments", "judgments (N)", "count", short="N", keep=4),
        blocks.Column("told_apart", "told apart", "text", of=_told_apart),
        blocks.Column(
            "mde", "typical MDE", digits=digits, help="median over pairs of what would be found"
        ),
        blocks.Column("clusters", "groups, best first", "text", of=_clusters, keep=3),
    )
    rows = result.conclusions
    title = "What each half alone concludes"
    return blocks.table(
        "halves", title, columns, rows, breaks=block_starts([row.measure for row in rows])
    )


def _told_apart(row: HalfConclusion) -> str:
    return f"{row.told_apart} of {row.pairs}"


def _clusters(row: HalfConclusion) -> str:
    return " | ".join(", ".join(group) for group in row.clusters)


def agreement(result: Translationese) -> blocks.Table:
    """Return the correlations between the halves, beside those of random halves."""
    level = f"{1 - result.alpha:.0%} interval"
    columns = (
        blocks.Column("measure", "measure", "name"),
        blocks.Column("coefficient", "coefficient", "name"),
        blocks.Column("value", "forward, reverse", digits=3, short="value"),
        blocks.Column("interval", level, "interval"),
        blocks.Column(
            "random_halves", "random halves", digits=3, help="median of random splits"
        ),
        blocks.Column("random_interval", "their range", "interval", keep=3),
        blocks.Column("p_value", "p", "p", help="share of random splits that agree as little"),
        blocks.Column("n_systems", "systems", "count", keep=4),
    )
    rows = result.agreement
    return blocks.table(
        "agreement",
        "How far the halves score the systems alike",
        columns,
        rows,
        breaks=block_starts([row.measure for row in rows]),
        note=(
            "Intervals: what halves of this size show on average, of these systems on other documents. "
            "Random halves show how far noise alone lets two halves agree."
        ),
    )


def replicated(result: Translationese) -> blocks.Table:
    """Return the rank-sum test on n segments, and on N judgments as if they were segments."""
    columns = (
        blocks.Column("half", "half", "name"),
        blocks.Column("first", "higher", "name"),
        blocks.Column("second", "lower", "name"),
        blocks.Column("n", "n", "count", help="distinct segments"),
        blocks.Column("p_segments", "p on n segments", "p", short="p (n)"),
        blocks.Column("N", "N", "count", help="judgments of the two systems"),
        blocks.Column("p_judgments", "p on N judgments", "p", short="p (N)", help="wrong"),
    )
    rows: Sequence[Replicated] = result.replicated
    if result.human is not None:  # the pairs that the question is about come first
        rows = sorted(rows, key=lambda row: result.human not in (row.first, row.second))
    return blocks.table(
        "n-and-N",
        "n is not N: WMT's one-sided rank-sum, and the same with judgments taken for segments",
        columns,
        rows,
        note="The last column is wrong: judging a segment again does not make it another segment.",
        folded=len(rows) > blocks.LONG,
    )


def parity(result: Translationese) -> blocks.Table:
    """Return whether systems are not worse than the human translation."""
    digits = digits_of(result)
    columns = (
        blocks.Column("measure", "measure", "name"),
        blocks.Column("half", "half", "name"),
        blocks.Column("system", "system", "name"),
        blocks.Column("n_segments", "segments", "count"),
        blocks.Column("n_units", f"{result.unit}s", "count", keep=blocks.DATA_ONLY),
        blocks.Column("difference", "− human", digits=digits, sign=True),
        blocks.Column(
            "interval", f"{1 - 2 * result.alpha:.0%} interval", "interval", digits=digits
        ),
        blocks.Column("standard_error", "SE", digits=digits, keep=blocks.DATA_ONLY),
        blocks.Column("df", "df", digits=1, keep=blocks.DATA_ONLY),
        blocks.Column("margin", "margin", digits=digits, keep=blocks.DATA_ONLY),
        blocks.Column("p_value", "p alone", "p", keep=blocks.DATA_ONLY),
        blocks.Column("p_adjusted", "p", "p"),
        blocks.Column("verdict", "verdict", "verdict", of=_verdict),
        blocks.Column(
            "power", "power", "share", digits=0, keep=2, help="if the two are equally good"
        ),
        blocks.Column("segments_needed", "segments needed", "count", short="needed"),
        blocks.Column("margin_shown", "margin shown", digits=digits, keep=4),
        blocks.Column("margin_found", "margin with power", digits=digits, keep=5),
    )
    rows = result.parity
    keys = [f"{row.measure} {row.half}" for row in rows]
    return blocks.table(
        "parity",
        f"Human parity: not worse than {result.human} by more than {_margins(result)}",
        columns,
        rows,
        breaks=block_starts(keys),
        note="That no difference was found is not parity: look at power and segments needed.",
        folded=len(rows) > blocks.LONG,
    )


def _margins(result: Translationese) -> str:
    """Return the margins; with their measures where there are several."""
    asked = list(dict.fromkeys(row.measure for row in result.parity))
    said = [
        number(margin, digits=max(result.digits[measure], decimals(margin)))
        + (f" in {result.label(measure)}" if len(asked) > 1 else "")
        for measure in asked
        if (margin := result.margin.get(measure)) is not None
    ]
    return ", ".join(said) or "a margin"


def _verdict(row: Parity) -> str:
    return "no margin" if row.verdict is None else row.verdict


def _checks(result: Translationese, others: Sequence[str]) -> blocks.Text:
    points: list[tuple[blocks.Mark, str]] = [("look", s) for s in replication_sentences(result)]
    for measure in others:
        points.append(("plain", effect_sentence(result, measure)))
        points += [("plain", s) for s in sentences_about(result, measure)]
    points += [
        (
            "plain",
            "Reverse and forward documents also differ in topic, outlet and time. The difference is "
            "between these two halves; that it comes from translation is an interpretation.",
        ),
        ("plain", "The claims are about these systems, these runs and these raters."),
    ]
    return blocks.Text("checks", "Assumptions and checks", points=tuple(points))


def _methods(result: Translationese) -> blocks.Methods:
    """Return what a paper says of the split and of the tests."""
    data = result.parts[0].data
    forward, reverse = (result.part(data, direction) for direction in ("forward", "reverse"))
    measure = result.measures[0]
    rows = [row for row in result.effects if row.measure == measure]
    sure = sum(row.p_adjusted <= result.alpha for row in rows)
    said = (
        f"The test set ({result.language_pair}) was split by original language (Graham et al., 2020): "
        f"{_size(forward)} forward, {_size(reverse)} reverse. "
        f"The {result.label(measure)} of {count(len(rows), 'system')} on the two halves were compared "
        f"with {result.unit}s as units (t test with cluster-robust errors, corrected over systems by "
        f"Holm's method); {sure} {'differs' if sure == 1 else 'differ'} at α = {result.alpha:g}."
    )
    if measure in result.judged_measures:
        both, alone = (result.conclusion(measure, half) for half in ("both", "forward"))
        digits = result.digits[measure]
        said += (
            f" The typical difference that is found with {result.power:.0%} power is "
            f"{number(alone.mde, digits=digits)} on forward data and {number(both.mde, digits=digits)} "
            "on both halves."
        )
    return blocks.Methods(said, ("graham-etal-2020", "holm-1979"))


def _size(part: Part) -> str:
    segments = count(part.n_segments, "segment")
    if part.n_documents is None:
        return segments
    return f"{segments} in {count(part.n_documents, 'document')}"


# --- The pairs of a study of forward against reverse data: what is shown of each ---


def pairs(result: Translationese) -> blocks.Table:
    """Return every pair: differences and verdicts on both halves, and what changes."""
    digits = digits_of(result)
    columns = (
        blocks.Column("measure", "measure", "name"),
        blocks.Column("first", "higher", "name"),
        blocks.Column("second", "lower", "name"),
        blocks.Column("forward", "forward", digits=digits, sign=True),
        blocks.Column("verdict_forward", "forward verdict", "verdict", short="verdict"),
        blocks.Column("mde_forward", "forward MDE", digits=digits, keep=blocks.DATA_ONLY),
        blocks.Column("reverse", "reverse", digits=digits, sign=True, keep=2),
        blocks.Column("verdict_reverse", "reverse verdict", "verdict", keep=3, short="verdict"),
        blocks.Column("mde_reverse", "reverse MDE", digits=digits, keep=blocks.DATA_ONLY),
        blocks.Column("both", "both", digits=digits, sign=True, keep=blocks.DATA_ONLY),
        blocks.Column("verdict_both", "verdict on both", "verdict", short="both"),
        blocks.Column("mde_both", "MDE on both", digits=digits, keep=blocks.DATA_ONLY),
        blocks.Column(
            "change", "without reverse", "text", help="what becomes of the verdict on both"
        ),
        blocks.Column(
            "forward_had_power", "forward could tell", "text", keep=4, of=_could_tell
        ),
        blocks.Column(
            "effect_first", "effect on higher", digits=digits, sign=True, keep=blocks.DATA_ONLY
        ),
        blocks.Column(
            "effect_second", "effect on lower", digits=digits, sign=True, keep=blocks.DATA_ONLY
        ),
        blocks.Column("opposite", "opposite signs", "text", keep=blocks.DATA_ONLY),
        *(replace(column, keep=blocks.DATA_ONLY) for column in _shift(result)),
    )
    rows = result.pairs
    return blocks.table(
        "pairs",
        "Pairs: what becomes of the verdicts without reverse data",
        columns,
        rows,
        breaks=block_starts([row.measure for row in rows]),
        note="«Forward could tell»: its detectable difference is no larger than the one on both.",
        folded=len(rows) > blocks.LONG,
    )


def pair_shifts(result: Translationese) -> blocks.Table:
    """Return every pair: how far its difference depends on the direction."""
    digits = digits_of(result)
    columns = (
        blocks.Column("measure", "measure", "name"),
        blocks.Column("first", "higher", "name"),
        blocks.Column("second", "lower", "name"),
        *_shift(result),
        blocks.Column("mde_forward", "MDE forward", digits=digits, keep=4),
        blocks.Column("mde_reverse", "MDE reverse", digits=digits, keep=4),
    )
    rows = result.pairs
    return blocks.table(
        "pair-shifts",
        "Pairs: does the difference depend on the direction",
        columns,
        rows,
        breaks=block_starts([row.measure for row in rows]),
        note="MDE: of this shift; forward and reverse: of the difference on that half alone.",
        folded=len(rows) > blocks.LONG,
    )


def _shift(result: Translationese) -> tuple[blocks.Column, ...]:
    """Return the columns of reverse − forward, and how well it is known."""
    digits = digits_of(result)
    level = f"{1 - result.alpha:.0%} interval"
    return (
        blocks.Column(
            "relative", "reverse − forward", digits=digits, sign=True, short="rev − fwd"
        ),
        blocks.Column("interval", level, "interval", digits=digits, sign=True, keep=2),
        blocks.Column("standard_error", "SE", digits=digits, keep=blocks.DATA_ONLY),
        blocks.Column("df", "df", digits=1, keep=blocks.DATA_ONLY),
        blocks.Column("p_value", "p alone", "p", keep=blocks.DATA_ONLY),
        blocks.Column("p_adjusted", "p corrected", "p", short="p corr."),
        blocks.Column("relative_mde", "MDE", digits=digits, keep=3),
    )


def _could_tell(row: Any) -> str:
    return "yes" if row.forward_had_power else "no"


def digits_of(result: Translationese) -> Callable[[Any], int]:
    """Return how many decimals the numbers of a row have: those of its measure."""
    return lambda row: result.digits[row.measure]


def block_starts(keys: Sequence[str]) -> list[int]:
    """Return the rows at which something else begins."""
    return [i for i in range(1, len(keys)) if keys[i] != keys[i - 1]]
