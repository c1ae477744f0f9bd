"""What a comparison says: each verdict, what could have been seen, on what it rests."""

import math
from collections.abc import Iterator
from typing import TYPE_CHECKING

from detectable.core.verdict import (
    could_have_seen,
    in_numbers,
    in_words,
    margin_could_have_been,
    would_make_differ,
)
from detectable.core.wording import (
    capital,
    count,
    decimals,
    listing,
    number,
    p_statement,
    p_value,
)
from detectable.core.wording import interval as in_brackets
from detectable.inference.few_units import (
    cannot_reject,
    choose_test,
    few_differ,
    smallest_p,
    too_few_draws,
    too_few_to_swap,
)
from detectable.report import blocks
from detectable.study.comparison.result import Comparison, Influential, PairComparison

if TYPE_CHECKING:
    from detectable.study.archive.meaning import Meaning
    from detectable.study.comparison.parts import TaskRows


def say_comparison(result: Comparison) -> str:
    """Say every verdict in one sentence each, and what they do not cover."""
    said = [
        sentence
        for pair in result.pairs
        for sentence in (pair_sentence(result, pair), meaning_sentence(result, pair))
        if sentence
    ]
    said += [sentence for sentence in (design(result), scope(result)) if sentence]
    said += [hangs_on(result, found) for found in result.influential if found.decides]
    return "\n".join(said)


def pair_sentence(result: Comparison, pair: PairComparison) -> str:
    """Say one verdict in words first, numbers after."""
    digits = result.digits(pair.metric)
    numbers = in_numbers(
        pair.difference,
        pair.interval,
        p=pair.p_of_verdict,
        scale=result.label(pair.metric),
        digits=digits,
        alpha=result.alpha,
    )
    return f"{_words(result, pair)}: {_evidence(result, pair, numbers)}"


def meaning_sentence(result: Comparison, pair: PairComparison) -> str:
    """Say whether people would notice such a difference, or that it is not known; else nothing."""
    known = result.meaning_of(pair)
    if known is None:
        return ""
    found = known.meaning
    if found is None:
        # Imported where it is needed: most comparisons have nothing to refuse.
        from detectable.study.archive.meaning import is_learned, not_shipped, unknown_beyond

        label = result.label(pair.metric)
        if known.reason == "limit" and known.limit == known.limit:
            return unknown_beyond(label, pair.difference, known.limit)
        texts = "sacrebleu" in result.about(pair.metric) or not is_learned(label)
        return "" if texts or known.reason != "metric" else not_shipped(label, pair.difference)
    share = agreed(found)
    if pair.verdict != "undecided":
        if found.worth:
            return f"{capital(share)}."
        return f"Real on this test set, and small: {share}; a coin gets 50%."
    if found.worth:
        return f"If it is real, it matters: {share}. This test set is too small to tell."
    return f"Even if it is real, it is small: {share}; a coin gets 50%."


def agreed(found: "Meaning") -> str:
    """Say how often people agreed, without a capital and a full stop."""
    low, high = (f"{100 * end:.0f}" for end in (found.interval.low, found.interval.high))
    return (
        "people agreed with a difference of this size in "
        f"{found.agreement:.0%} of past comparisons [{low}, {high}]"
    )


def headline(result: Comparison, pair: PairComparison) -> str:
    """Say one verdict in one short sentence."""
    words = _words(result, pair)
    if pair.verdict == "undecided":  # else it begins with a name, which stays as it is
        words = capital(words)
    shown = number(pair.difference, digits=result.digits(pair.metric), sign=True)
    return f"{words}: {shown} {result.label(pair.metric)}."


def evidence(result: Comparison, pair: PairComparison) -> str:
    """Say what a headline leaves out: interval, p-value, runs, and what could be seen."""
    shown = in_brackets(pair.interval, digits=result.digits(pair.metric), sign=True)
    p = pair.p_of_verdict
    stated = "" if math.isnan(p) else f", {p_statement(p)}"
    return _evidence(result, pair, f"{pair.interval_level:.0%} interval {shown}{stated}")


def _words(result: Comparison, pair: PairComparison) -> str:
    margin = result.margin.get(pair.metric)
    return in_words(
        pair.verdict,
        pair.system,
        pair.baseline,
        claim=pair.claim,
        margin=None if margin is None else number(margin, digits=decimals(margin)),
    )


def _evidence(result: Comparison, pair: PairComparison, numbers: str) -> str:
    digits = result.digits(pair.metric)
    if pair.these_runs is not None and pair.new_runs is not None:
        numbers = f"{numbers}{_both_runs(result, pair, digits)}"
    unequal = pair.claim == "better" and pair.p_adjusted <= result.alpha
    if pair.verdict == "equivalent" and unequal:
        numbers = f"{numbers} (and not equal: {p_statement(pair.p_adjusted)})"
    said = [f"{numbers}."]
    if pair.these_runs is not None and pair.new_runs is not None:
        said.append(_other_runs(result, pair))
    said.append(_could(result, pair))
    return " ".join(part for part in said if part)


def _both_runs(result: Comparison, pair: PairComparison, digits: int) -> str:
    other = pair.these_runs if result.runs == "random" else pair.new_runs
    if other is None or pair.claim != "better":
        return " for new runs" if result.runs == "random" else " for these runs"
    own, name = ("new", "these") if result.runs == "random" else ("these", "new")
    shown = in_brackets(other.interval, digits=digits, sign=True)
    return f" for {own} runs; {name} runs {shown}, {p_statement(other.p_adjusted)}"


def _other_runs(result: Comparison, pair: PairComparison) -> str:
    """Say where the runs at hand differ although the systems may not."""
    if pair.claim != "better" or pair.these_runs is None or pair.new_runs is None:
        return ""
    ahead = pair.these_runs.p_adjusted <= result.alpha < pair.new_runs.p_adjusted
    if not ahead:
        return ""
    higher = result.about(pair.metric)["higher_is_better"]
    leads = (pair.difference > 0.0) == (higher is not False)
    runs = count(result.n_runs[pair.system], "run")
    return (
        f"These {runs} of {pair.system} are {'ahead' if leads else 'behind'}, other runs might "
        "not be."
    )


def _could(result: Comparison, pair: PairComparison) -> str:
    """Say what this evaluation would have found, and what the named effect needs."""
    digits = result.digits(pair.metric)
    needs = needed(result, pair)
    if pair.verdict != "undecided":
        return _sentence(needs)
    if pair.attainable_p > result.alpha and pair.mde == pair.mde:
        few = few_differ(
            pair.n_differing or 0, result.n_units, result.unit_word, pair.attainable_p
        )
        more = would_make_differ(pair.mde, result.unit_word, power=result.power, digits=digits)
        return " ".join(part for part in (few, more, _sentence(needs)) if part)
    if pair.attainable_p > result.alpha and pair.n_differing != 0:
        return _cannot(result, pair)
    if pair.standard_error == 0.0:
        return f"The difference is the same in every {result.unit_word}: there is no spread to test."
    if math.isnan(pair.mde):
        # The largest statistic of all pairs may reach as far as so few units can: see max-T.
        what = "difference" if pair.claim == "better" else "margin"
        return (
            f"No {what} of any size could have been shown with "
            f"{count(result.n_units, result.unit_word)}."
        )
    if pair.claim != "better":
        return margin_could_have_been(pair.mde, power=result.power, digits=digits)
    return could_have_seen(pair.mde, power=result.power, digits=digits, needs=needs)


def _cannot(result: Comparison, pair: PairComparison) -> str:
    """Say that the test can reject nothing: for want of units, or of swaps."""
    drawn = None if result.exact else result.n_resamples
    tests = float(result.family_size) if result.correction == "holm" else 1.0
    # On one side of a margin no unit is a tie, and older files know of none.
    if pair.claim != "better" or pair.n_differing is None:
        tests = pair.attainable_p / smallest_p(result.n_units, drawn)
    if result.test in ("swap", "mcnemar") and tests * smallest_p(result.n_units) > result.alpha:
        return cannot_reject(
            result.n_units,
            result.unit_word,
            result.alpha / tests,
            alpha=result.alpha,
            pairs=result.family_size,
        )
    return too_few_draws(
        result.n_resamples or 0,
        "swap" if result.test == "swap" else "resample",
        alpha=result.alpha,
        smallest=pair.attainable_p,
    )


def needed(result: Comparison, pair: PairComparison) -> str:
    """Say how much data would show the difference that the user named."""
    effect = result.effect.get(pair.metric)
    if effect is None:
        return ""
    wanted = number(effect, digits=max(decimals(effect), result.digits(pair.metric)))
    parts = [count(pair.units_needed, result.unit_word)] if pair.units_needed else []
    parts += [count(pair.runs_needed, "run")] if pair.runs_needed else []
    if not parts:
        return "" if result.runs == "fixed" else f"{wanted} needs a larger test set"
    return f"{wanted} needs about {' and '.join(parts)}"


def hangs_on(result: Comparison, found: Influential) -> str:
    """Say what would be said without one unit."""
    digits = result.digits(found.metric)
    shown = number(found.difference, digits=digits, sign=True)
    who = f"{found.system} − {found.baseline}"
    what = result.item_word if found.unit == "segment" else found.unit
    without = f"Without {what} {found.name} the difference {who} in"
    if found.decides:
        return (
            f"{without} {result.label(found.metric)} would be undecided ({shown}, "
            f"{p_statement(found.p_adjusted)})."
        )
    return f"{without} {result.label(found.metric)} would be {shown}."


def design(result: Comparison) -> str:
    """Say which test so few units were given, where it was not the usual one."""
    asked = choose_test(result.n_units, result.alpha) != "t"  # although it could be swapped
    if result.test != "t" or result.runs == "random" or asked or result.tasks is not None:
        return ""
    df = sorted(pair.df for pair in result.pairs)[len(result.pairs) // 2]
    return too_few_to_swap(result.n_units, result.unit_word, result.alpha, df)


def scope(result: Comparison) -> str:
    """Say what one run of a system cannot show, and which tasks are spoken of."""
    said = [] if result.tasks is None else [_about_tasks(result.tasks, result.test)]
    if result.samples is not None:
        said.append("One run per system: this says nothing about other training seeds.")
    elif all(n == 1 for n in result.n_runs.values()):
        said.append("One run per system: this says nothing about other seeds.")
    return " ".join(said)


def disagreements(result: Comparison) -> list[str]:
    """Name the pairs on which two metrics give opposite verdicts."""
    return [
        f"{result.label(a.metrics[0])} and {result.label(a.metrics[1])} disagree on {listing(list(a.conflicts))}"
        for a in result.agreement
        if a.conflicts
    ]


def naive_remarks(result: Comparison) -> list[str]:
    """Say where segments taken as independent would have given another verdict."""
    return [
        f"With {pair.naive.method}, {result.label(pair.metric)} of {pair.system} against {pair.baseline} "
        f"would have had {p_statement(pair.naive.p_value)} instead of "
        f"{p_statement(pair.p_value)}{_before_correction(result, pair)}."
        for pair in result.pairs
        if pair.naive is not None
        and pair.claim == "better"
        and (pair.naive.p_value <= result.alpha) != (pair.p_value <= result.alpha)
    ]


def _before_correction(result: Comparison, pair: PairComparison) -> str:
    """Say that a p-value is not yet the one of the table, where it is not."""
    if result.family_size == 1 or p_value(pair.p_value) == p_value(pair.p_adjusted):
        return ""
    tests = count(result.family_size, "test")
    return f", both before the correction for {tests} ({p_statement(pair.p_adjusted)} after it)"


def _about_tasks(tasks: "TaskRows", test: str) -> str:
    """Say what the weighted mean is about, and by which test."""
    how = {
        "macro": "each weighs the same",
        "items": "each weighs by its items",
        "given": "with the weights given",
    }[tasks.weighting]
    about = "other tasks like these" if tasks.kind == "random" else "these tasks"
    by = "by t" if test == "t" else "by the score rule of margins"
    return f"The mean of {len(tasks.names)} tasks ({how}), tested {by}: a claim about {about}."


def _sentence(words: str) -> str:
    return f"{capital(words)}." if words else ""


def meant(result: Comparison) -> Iterator[blocks.Table]:
    """Yield how often people agreed with differences like those of the pairs."""
    rows = [one for one in result.meanings if one.meaning is not None]
    if not rows:
        return
    columns = (
        blocks.Column("metric", "metric", "name", of=lambda row: result.label(row.metric)),
        blocks.Column("system", "system", "name"),
        blocks.Column("baseline", "against", "name"),
        blocks.Column(
            "agreement", "people agreed", "share", of=lambda row: row.meaning.agreement
        ),
        blocks.Column(
            "interval", "95% interval", "shares", of=lambda row: row.meaning.interval, digits=0
        ),
        blocks.Column(
            "noise_free",
            "without noise",
            "share",
            of=lambda row: row.meaning.noise_free,
            keep=2,
        ),
    )
    archives = dict.fromkeys(row.meaning.archive for row in rows if row.meaning is not None)
    yield blocks.table(
        "meaning",
        "Past comparisons in which people agreed with such a difference",
        columns,
        rows,
        note=f"{', '.join(archives)}.",
        folded=True,
    )
