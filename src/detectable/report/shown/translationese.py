"""What a study of forward against reverse data shows."""

from collections.abc import Callable, Iterator, Sequence
from dataclasses import replace
from typing import Any

from detectable.core.wording import count, decimals, number
from detectable.report.blocks import (
    DATA_ONLY,
    LONG,
    Block,
    Column,
    Mark,
    Methods,
    Pictures,
    Repeat,
    Table,
    Text,
    Verdict,
    notes,
    table,
)
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


def show_translationese(result: Translationese) -> Iterator[Block]:
    """Show the advice, the split, what reverse data do to scores, and to conclusions."""
    # One measure is enough to lead with: the tables have all of them.
    first, *others = result.measures
    head, *cost = advice(result)
    changes = change_sentences(result, first) if first in result.judged_measures else []
    said = (*cost, effect_sentence(result, first), *changes, *parity_sentences(result, first))
    yield Verdict("info", head, said)
    yield Pictures("translationese_pictures:both_halves", result)
    yield from _limits(result)
    yield parts(result)
    yield effects(result)
    yield Pictures("translationese_pictures:shifts", result)
    yield from _about_pairs(result)
    if result.agreement:
        yield agreement(result)
    if result.replicated:
        yield replicated(result)
    if result.parity:
        yield parity(result)
    yield _checks(result, others)
    yield from notes(result.notes)
    yield _methods(result)
    yield Repeat(str(result.signature))


def _limits(result: Translationese) -> Iterator[Text]:
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
        yield Text("limits", "What each half could have shown", " ".join(said))


def _data(half: str) -> str:
    return half if half == "both" else f"{half} data"


def _about_pairs(result: Translationese) -> Iterator[Table]:
    if result.pairs:
        yield conclusions(result)
        yield pairs(result)
        yield pair_shifts(result)


def parts(result: Translationese) -> Table:
    """Return how much was written in which language."""
    columns = (
        Column("data", "data", "name"),
        Column("direction", "direction", "name"),
        Column(
            "languages", "first written in", "text", of=lambda row: ", ".join(row.languages)
        ),
        Column("n_documents", "documents", "count"),
        Column("n_segments", "segments", "count", help="distinct segments: n"),
        Column("n_judgments", "judgments", "count", keep=2, help="of these segments: N"),
    )
    title = f"The test set ({result.language_pair}) by original language"
    data = [part.data for part in result.parts]
    return table("parts", title, columns, result.parts, breaks=block_starts(data))


def effects(result: Translationese) -> Table:
    """Return the scores of every system on both halves, and their difference."""
    digits = digits_of(result)
    level = f"{1 - result.alpha:.0%} interval"
    columns = (
        Column("measure", "measure", "name"),
        Column("system", "system", "name"),
        Column("forward", "forward", digits=digits, keep=2),
        Column(
            "forward_interval", "forward interval", "interval", digits=digits, keep=DATA_ONLY
        ),
        Column("reverse", "reverse", digits=digits, keep=2),
        Column(
            "reverse_interval", "reverse interval", "interval", digits=digits, keep=DATA_ONLY
        ),
        Column("difference", "reverse − forward", digits=digits, sign=True, short="rev − fwd"),
        Column("interval", level, "interval", digits=digits, sign=True),
        Column("standard_error", "SE", digits=digits, keep=DATA_ONLY),
        Column("df", "df", digits=1, keep=DATA_ONLY),
        Column("p_value", "p alone", "p", keep=DATA_ONLY),
        Column(
            "p_adjusted", "p corrected", "p", short="p corr.", keep=3, help="Holm, over systems"
        ),
        Column("n_forward", "n forward", "count", keep=4),
        Column("n_reverse", "n reverse", "count", keep=4),
    )
    rows = sorted(
        result.effects, key=lambda row: (result.measures.index(row.measure), -row.difference)
    )
    return table(
        "effects",
        "What reverse-created data add to each system",
        columns,
        rows,
        breaks=block_starts([row.measure for row in rows]),
        note="Documents are independent in both halves; each interval is of one system alone.",
    )


def conclusions(result: Translationese) -> Table:
    """Return what each half concludes, with its own n and detectable difference."""
    digits = digits_of(result)
    columns = (
        Column("measure", "measure", "name"),
        Column("half", "half", "name"),
        Column("n_units", f"{result.unit}s", "count"),
        Column("n_segments", "segments (n)", "count", short="n"),
        Column("n_judgments", "judgments (N)", "count", short="N", keep=4),
        Column("told_apart", "told apart", "text", of=_told_apart),
        Column(
            "mde", "typical MDE", digits=digits, help="median over pairs of what would be found"
        ),
        Column("clusters", "groups, best first", "text", of=_clusters, keep=3),
    )
    rows = result.conclusions
    title = "What each half alone concludes"
    return table(
        "halves", title, columns, rows, breaks=block_starts([row.measure for row in rows])
    )


def _told_apart(row: HalfConclusion) -> str:
    return f"{row.told_apart} of {row.pairs}"


def _clusters(row: HalfConclusion) -> str:
    return " | ".join(", ".join(group) for group in row.clusters)


def agreement(result: Translationese) -> Table:
    """Return the correlations between the halves, beside those of random halves."""
    level = f"{1 - result.alpha:.0%} interval"
    columns = (
        Column("measure", "measure", "name"),
        Column("coefficient", "coefficient", "name"),
        Column("value", "forward, reverse", digits=3, short="value"),
        Column("interval", level, "interval"),
        Column("random_halves", "random halves", digits=3, help="median of random splits"),
        Column("random_interval", "their range", "interval", keep=3),
        Column("p_value", "p", "p", help="share of random splits that agree as little"),
        Column("n_systems", "systems", "count", keep=4),
    )
    rows = result.agreement
    return table(
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


def replicated(result: Translationese) -> Table:
    """Return the rank-sum test on n segments, and on N judgments as if they were segments."""
    columns = (
        Column("half", "half", "name"),
        Column("first", "higher", "name"),
        Column("second", "lower", "name"),
        Column("n", "n", "count", help="distinct segments"),
        Column("p_segments", "p on n segments", "p", short="p (n)"),
        Column("N", "N", "count", help="judgments of the two systems"),
        Column("p_judgments", "p on N judgments", "p", short="p (N)", help="wrong"),
    )
    rows: Sequence[Replicated] = result.replicated
    if result.human is not None:  # the pairs that the question is about come first
        rows = sorted(rows, key=lambda row: result.human not in (row.first, row.second))
    return table(
        "n-and-N",
        "n is not N: WMT's one-sided rank-sum, and the same with judgments taken for segments",
        columns,
        rows,
        note="The last column is wrong: judging a segment again does not make it another segment.",
        folded=len(rows) > LONG,
    )


def parity(result: Translationese) -> Table:
    """Return whether systems are not worse than the human translation."""
    digits = digits_of(result)
    columns = (
        Column("measure", "measure", "name"),
        Column("half", "half", "name"),
        Column("system", "system", "name"),
        Column("n_segments", "segments", "count"),
        Column("n_units", f"{result.unit}s", "count", keep=DATA_ONLY),
        Column("difference", "− human", digits=digits, sign=True),
        Column("interval", f"{1 - 2 * result.alpha:.0%} interval", "interval", digits=digits),
        Column("standard_error", "SE", digits=digits, keep=DATA_ONLY),
        Column("df", "df", digits=1, keep=DATA_ONLY),
        Column("margin", "margin", digits=digits, keep=DATA_ONLY),
        Column("p_value", "p alone", "p", keep=DATA_ONLY),
        Column("p_adjusted", "p", "p"),
        Column("verdict", "verdict", "verdict", of=_verdict),
        Column("power", "power", "share", digits=0, keep=2, help="if the two are equally good"),
        Column("segments_needed", "segments needed", "count", short="needed"),
        Column("margin_shown", "margin shown", digits=digits, keep=4),
        Column("margin_found", "margin with power", digits=digits, keep=5),
    )
    rows = result.parity
    keys = [f"{row.measure} {row.half}" for row in rows]
    return table(
        "parity",
        f"Human parity: not worse than {result.human} by more than {_margins(result)}",
        columns,
        rows,
        breaks=block_starts(keys),
        note="That no difference was found is not parity: look at power and segments needed.",
        folded=len(rows) > LONG,
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


def _checks(result: Translationese, others: Sequence[str]) -> Text:
    points: list[tuple[Mark, str]] = [("look", s) for s in replication_sentences(result)]
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
    return Text("checks", "Assumptions and checks", points=tuple(points))


def _methods(result: Translationese) -> Methods:
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
    return Methods(said, ("graham-etal-2020", "holm-1979"))


def _size(part: Part) -> str:
    segments = count(part.n_segments, "segment")
    if part.n_documents is None:
        return segments
    return f"{segments} in {count(part.n_documents, 'document')}"


# --- The pairs of a study of forward against reverse data: what is shown of each ---


def pairs(result: Translationese) -> Table:
    """Return every pair: differences and verdicts on both halves, and what changes."""
    digits = digits_of(result)
    columns = (
        Column("measure", "measure", "name"),
        Column("first", "higher", "name"),
        Column("second", "lower", "name"),
        Column("forward", "forward", digits=digits, sign=True),
        Column("verdict_forward", "forward verdict", "verdict", short="verdict"),
        Column("mde_forward", "forward MDE", digits=digits, keep=DATA_ONLY),
        Column("reverse", "reverse", digits=digits, sign=True, keep=2),
        Column("verdict_reverse", "reverse verdict", "verdict", keep=3, short="verdict"),
        Column("mde_reverse", "reverse MDE", digits=digits, keep=DATA_ONLY),
        Column("both", "both", digits=digits, sign=True, keep=DATA_ONLY),
        Column("verdict_both", "verdict on both", "verdict", short="both"),
        Column("mde_both", "MDE on both", digits=digits, keep=DATA_ONLY),
        Column("change", "without reverse", "text", help="what becomes of the verdict on both"),
        Column("forward_had_power", "forward could tell", "text", keep=4, of=_could_tell),
        Column("effect_first", "effect on higher", digits=digits, sign=True, keep=DATA_ONLY),
        Column("effect_second", "effect on lower", digits=digits, sign=True, keep=DATA_ONLY),
        Column("opposite", "opposite signs", "text", keep=DATA_ONLY),
        *(replace(column, keep=DATA_ONLY) for column in _shift(result)),
    )
    rows = result.pairs
    return table(
        "pairs",
        "Pairs: what becomes of the verdicts without reverse data",
        columns,
        rows,
        breaks=block_starts([row.measure for row in rows]),
        note="«Forward could tell»: its detectable difference is no larger than the one on both.",
        folded=len(rows) > LONG,
    )


def pair_shifts(result: Translationese) -> Table:
    """Return every pair: how far its difference depends on the direction."""
    digits = digits_of(result)
    columns = (
        Column("measure", "measure", "name"),
        Column("first", "higher", "name"),
        Column("second", "lower", "name"),
        *_shift(result),
        Column("mde_forward", "MDE forward", digits=digits, keep=4),
        Column("mde_reverse", "MDE reverse", digits=digits, keep=4),
    )
    rows = result.pairs
    return table(
        "pair-shifts",
        "Pairs: does the difference depend on the direction",
        columns,
        rows,
        breaks=block_starts([row.measure for row in rows]),
        note="MDE: of this shift; forward and reverse: of the difference on that half alone.",
        folded=len(rows) > LONG,
    )


def _shift(result: Translationese) -> tuple[Column, ...]:
    """Return the columns of reverse − forward, and how well it is known."""
    digits = digits_of(result)
    level = f"{1 - result.alpha:.0%} interval"
    return (
        Column("relative", "reverse − forward", digits=digits, sign=True, short="rev − fwd"),
        Column("interval", level, "interval", digits=digits, sign=True, keep=2),
        Column("standard_error", "SE", digits=digits, keep=DATA_ONLY),
        Column("df", "df", digits=1, keep=DATA_ONLY),
        Column("p_value", "p alone", "p", keep=DATA_ONLY),
        Column("p_adjusted", "p corrected", "p", short="p corr."),
        Column("relative_mde", "MDE", digits=digits, keep=3),
    )


def _could_tell(row: Any) -> str:
    return "yes" if row.forward_had_power else "no"


def digits_of(result: Translationese) -> Callable[[Any], int]:
    """Return how many decimals the numbers of a row have: those of its measure."""
    return lambda row: result.digits[row.measure]


def block_starts(keys: Sequence[str]) -> list[int]:
    """Return the rows at which something else begins."""
    return [i for i in range(1, len(keys)) if keys[i] != keys[i - 1]]
