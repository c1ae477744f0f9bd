"""What a study of forward against reverse data shows."""

import math
from collections.abc import Callable, Iterator, Sequence
from dataclasses import replace
from typing import Any

from detectable.core.verdict import in_numbers
from detectable.core.wording import capital, count, decimals, listing, number, p_statement
from detectable.core.wording import interval as in_brackets
from detectable.report import blocks
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
    return blocks.contrasts(
        "effects",
        "What reverse-created data add to each system",
        columns,
        rows,
        folded=False,
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
        blocks.Column(
            "told_apart", "significant pairs", "text", of=_told_apart, short="signif."
        ),
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
    return blocks.contrasts(
        "parity",
        f"Human parity: not worse than {result.human} by more than {_margins(result)}",
        columns,
        rows,
        breaks=block_starts(keys),
        note="That no difference was found is not parity: look at power and segments needed.",
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
        note="“Forward could tell”: its detectable difference is no larger than the one on both.",
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


# --- What a study of translationese says: what reverse data do, and what leaving them out costs ---

_FEW = 2  # systems whose parity is told one by one


def say_translationese(result: Translationese) -> str:
    """Say what reverse data do, what changes without them, and what that costs."""
    said = [" ".join(advice(result))]
    said += [effect_sentence(result, measure) for measure in result.measures]
    for measure in result.measures:
        said += sentences_about(result, measure)
    return "\n".join(said + replication_sentences(result))


def sentences_about(result: Translationese, measure: str) -> list[str]:
    """Say what hangs on the direction under one measure: verdicts, agreement and parity."""
    found = change_sentences(result, measure) if measure in result.judged_measures else []
    return found + agreement_sentences(result, measure) + parity_sentences(result, measure)


def advice(result: Translationese) -> list[str]:
    """Recommend to leave reverse data out, then say what that costs."""
    said = []
    for data in dict.fromkeys(part.data for part in result.parts):
        reverse, forward = result.part(data, "reverse"), result.part(data, "forward")
        before = forward.n_segments + reverse.n_segments
        what = "judged segments" if data == "judgments" else "segments"
        said.append(
            f"{forward.n_segments:,} of {before:,} {what} remain ({forward.n_segments / before:.0%})"
        )
    text = f"Leave reverse-created data out: {'; '.join(said)}."
    return [text, *(cost for m in result.judged_measures[:1] if (cost := _cost(result, m)))]


def _cost(result: Translationese, measure: str) -> str:
    both, forward = (result.conclusion(measure, half) for half in ("both", "forward"))
    if math.isnan(both.mde) or math.isnan(forward.mde):
        return ""
    digits = result.digits[measure]
    return (
        f"The typical detectable difference goes from {number(both.mde, digits=digits)} to "
        f"{number(forward.mde, digits=digits)} in {result.label(measure)}."
    )


def effect_sentence(result: Translationese, measure: str) -> str:
    """Say by how much reverse data raise or lower the systems under a measure."""
    rows = [row for row in result.effects if row.measure == measure]
    digits = result.digits[measure]
    if len(rows) == 1:
        row = rows[0]
        numbers = in_numbers(
            row.difference, row.interval, p=row.p_value, scale=row.measure, digits=digits
        )
        return f"{row.system} on reverse − forward data: {numbers}."
    shown = sorted(rows, key=lambda row: row.difference)
    low, high = (
        number(row.difference, digits=digits, sign=True) for row in (shown[0], shown[-1])
    )
    up = sum(row.difference > 0.0 for row in rows)
    sure = sum(row.p_adjusted <= result.alpha for row in rows)
    return (
        f"In {result.label(measure)}, reverse − forward is {low} ({shown[0].system}) to {high} "
        f"({shown[-1].system}): {up} of {count(len(rows), 'system')} score higher on reverse data, "
        f"{sure} {'is' if sure == 1 else 'are'} significantly different (p ≤ {result.alpha:g}, Holm)."
    )


def change_sentences(result: Translationese, measure: str) -> list[str]:
    """Say which verdicts change without reverse data, and whether the half could tell."""
    rows = [row for row in result.pairs if row.measure == measure]
    changed = [row for row in rows if row.change != "same"]
    favoured = [row for row in rows if row.p_adjusted <= result.alpha]
    opposite = sum(row.opposite for row in rows)
    label = result.label(measure)
    found = []
    if not changed:
        found.append(
            f"In {label}, none of {count(len(rows), 'verdict')} changes without reverse data."
        )
    else:
        kinds = [
            f"{n:,} {word}"
            for kind, word in (
                ("turned", "turned round"),
                ("lost", "no longer decided"),
                ("gained", "newly decided"),
            )
            if (n := sum(row.change == kind for row in changed))
        ]
        said = (
            f"In {label}, {len(changed):,} of {count(len(rows), 'verdict')} "
            f"{'changes' if len(changed) == 1 else 'change'} without reverse data: "
            f"{', '.join(kinds)}."
        )
        lost = [row for row in changed if row.change == "lost"]
        weak = sum(not row.forward_had_power for row in lost)
        if lost:
            said = f"{said} {_could_tell_of_translationese_words(weak, len(lost))}"
        found.append(said)
    if favoured:
        pairs = [f"{row.first} against {row.second}" for row in favoured]
        found.append(
            f"Reverse data significantly favour one of the two in {count(len(favoured), 'pair')} "
            f"({listing(pairs, most=3)})."
        )
    else:
        shifts = sorted(row.relative_mde for row in rows)
        typical = number(shifts[len(shifts) // 2], digits=result.digits[measure])
        found.append(
            f"No pair is significantly favoured by reverse data; a shift of {typical} between two "
            f"systems would typically have been seen ({result.power:.0%} power). In {opposite:,} of "
            f"{count(len(rows), 'pair')} reverse data raise one system and lower the other."
        )
    return found


def agreement_sentences(result: Translationese, measure: str) -> list[str]:
    """Say how far the halves agree under a measure, beside random halves."""
    by = {row.coefficient: row for row in result.agreement if row.measure == measure}
    if not by:
        return []
    r = by["pearson"]
    return [
        f"The halves agree on {result.label(measure)} at r = {number(r.value)} "
        f"{in_brackets(r.interval)}, ρ = {number(by['spearman'].value)}, "
        f"τ = {number(by['kendall'].value)}; random halves of the same documents at r = "
        f"{number(r.random_halves)} ({p_statement(r.p_value)})."
    ]


def replication_sentences(result: Translationese) -> list[str]:
    """Say where taking N judgments for N segments would have found more."""
    found = []
    for half in dict.fromkeys(row.half for row in result.replicated):
        rows = [row for row in result.replicated if row.half == half]
        right = sum(row.p_segments <= result.alpha for row in rows)
        wrong = sum(row.p_judgments <= result.alpha for row in rows)
        if half == "both" or all(row.n == row.N for row in rows):
            continue
        found.append(
            f"n is not N: on the {half} half WMT's one-sided rank-sum calls {right:,} of "
            f"{count(len(rows), 'pair')} different on distinct segments, and {wrong:,} if every judgment "
            "is taken for a segment."
        )
    return found


def parity_sentences(result: Translationese, measure: str) -> list[str]:
    """Say of how many systems parity is shown on each half; of few, one by one."""
    found = []
    for half in ("forward", "reverse"):
        rows = [r for r in result.parity if (r.measure, r.half) == (measure, half)]
        if len(rows) <= _FEW:
            found += [parity_sentence(result, row) for row in rows]
        else:
            found.append(_many_parities(result, rows))
    return found


def _many_parities(result: Translationese, rows: list[Parity]) -> str:
    first, digits = rows[0], result.digits[rows[0].measure]
    where = f"{first.half.capitalize()} half, {result.label(first.measure)}"
    found = sorted(row.margin_found for row in rows)
    typical = number(found[len(found) // 2], digits=digits)
    if first.margin is None:
        return (
            f"{where}: no margin was given, so that parity with {first.human} cannot be claimed; "
            f"one of {typical} would typically be shown of equal systems ({result.power:.0%} power)."
        )
    shown = [row.system for row in rows if row.verdict == "non-inferior"]
    names = f" ({listing(shown)})" if shown else ""
    powers = sorted(row.power for row in rows)
    margin = number(first.margin, digits=max(digits, decimals(first.margin)))
    return (
        f"{where}: {len(shown):,} of {count(len(rows), 'system')} shown not to be worse than "
        f"{first.human} by more than {margin}{names}. Of equal systems it would be shown with "
        f"{powers[len(powers) // 2]:.0%} power; a margin of {typical} with {result.power:.0%}."
    )


def parity_sentence(result: Translationese, row: Parity) -> str:
    """Say whether a system is shown not to be worse than the human translation."""
    digits = result.digits[row.measure]
    numbers = in_numbers(
        row.difference,
        row.interval,
        p=row.p_adjusted,
        scale=result.label(row.measure),
        digits=digits,
    )
    where = f"{row.half.capitalize()} half ({count(row.n_segments, 'distinct segment')})"
    if row.margin is None:
        return (
            f"{where}: {row.system} − {row.human} {numbers}; a margin of "
            f"{number(row.margin_shown, digits=digits)} is shown, without one parity cannot be "
            "claimed."
        )
    margin = number(row.margin, digits=max(digits, decimals(row.margin)))
    if row.verdict == "non-inferior":
        said = f"{row.system} is not worse than {row.human} by more than {margin}"
    else:
        said = (
            f"not shown that {row.system} is not worse than {row.human} by more than {margin}"
        )
    needs = (
        ""
        if row.segments_needed is None
        else f"; {row.segments_needed:,} segments give {result.power:.0%}"
    )
    return (
        f"{where}: {said}: {numbers}. If they are equal, this half shows it with "
        f"{row.power:.0%} power{needs}."
    )


def _could_tell_of_translationese_words(weak: int, lost: int) -> str:
    """Say whether the forward half could have kept the verdicts that are lost without reverse data."""
    if weak == 0:
        return "The forward half could have detected the differences that both halves show."
    which = "" if weak == lost else f"For {weak:,} of the {lost:,} no longer decided, "
    said = (
        f"{which}the forward half is too small to tell: it could not have detected the "
        "difference that both halves show."
    )
    return capital(said)
