"""What a study of translationese says: what reverse data do, and what leaving them out costs."""

import math

from detectable.core.verdict import in_numbers
from detectable.core.wording import capital, count, decimals, listing, number, p_statement
from detectable.core.wording import interval as in_brackets
from detectable.study.translationese.result import Parity, Translationese

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
            said = f"{said} {_could_tell(weak, len(lost))}"
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
            f"n is not N: on the {half} half WMT's one-sided rank-sum tells {right:,} of "
            f"{count(len(rows), 'pair')} apart on distinct segments, and {wrong:,} if every judgment "
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


def _could_tell(weak: int, lost: int) -> str:
    """Say whether the forward half could have kept the verdicts that are lost without reverse data."""
    if weak == 0:
        return "The forward half could have detected the differences that both halves show."
    which = "" if weak == lost else f"For {weak:,} of the {lost:,} no longer decided, "
    said = (
        f"{which}the forward half is too small to tell: it could not have detected the "
        "difference that both halves show."
    )
    return capital(said)
