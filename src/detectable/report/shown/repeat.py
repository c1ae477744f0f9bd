"""What a repeat of a ranking would keep, and what a safer one takes, with its pictures."""

from collections.abc import Iterator

from detectable.core.wording import capital, count, number
from detectable.report import blocks
from detectable.study.ranking.repeat import Repeat, RepeatedClaim

_WEAKEST = 12  # claims that one picture shows
_NEW = {
    "both": "other raters on other {}s",
    "raters": "other raters on these {}s",
    "documents": "these raters on other {}s",
    "pool": "these raters, dealt anew to these {}s",
}
# Where one rater judged each document, what is new of a document is not told from what stays.
_TOLD_AS = {"raters": "both", "pool": "documents"}


def show_repeat(result: Repeat) -> Iterator[blocks.Block]:
    """Show what a repeat would keep, claim by claim, and what a safer one would take."""
    first, *rest = sentences(result)
    yield blocks.Verdict("info", first, tuple(rest))
    yield from _numbers(result, folded=False)
    yield from blocks.notes(result.notes)


def say_repeat(result: Repeat) -> str:
    """Say how many claims a repeat would keep, and what a safer one would take."""
    return "\n".join(sentences(result))


def would_replicate(result: Repeat) -> Iterator[blocks.Block]:
    """Show the same as a part of a ranking."""
    text = " ".join(sentences(result))
    yield blocks.Text("limits", "Would it replicate?", text)
    yield from _numbers(result, folded=True)


def _numbers(result: Repeat, *, folded: bool) -> Iterator[blocks.Block]:
    if not result.claims:
        return
    yield blocks.Pictures("repeat:pictures", result)
    columns = (
        blocks.Column("better", "claimed better", "name"),
        blocks.Column("worse", "claimed worse", "name"),
        blocks.Column("kept", "kept", "share", digits=1),
        blocks.Column(
            "significant_again",
            "significant again",
            "share",
            digits=1,
            keep=blocks.DATA_ONLY,
        ),
    )
    title = "Claims, and in how many repeats they keep their order"
    yield blocks.table("kept", title, columns, _weakest_first(result), folded=folded)
    if result.plan:
        columns = (
            blocks.Column("n_raters", "raters each", "count"),
            blocks.Column(
                "same_rater",
                "raters",
                "text",
                of=lambda row: "for all systems" if row.same_rater else "of each system",
            ),
            blocks.Column("n_documents", f"{result.unit}s", "count"),
            blocks.Column("all_kept", "all kept", "share", digits=1),
        )
        title = "Chance that a repeat keeps all claims, by its size"
        yield blocks.table("repeat-plan", title, columns, result.plan, folded=True)


def _weakest_first(result: Repeat) -> list[RepeatedClaim]:
    return sorted(result.claims, key=lambda claim: claim.kept)


def sentences(result: Repeat) -> list[str]:
    """Say what is kept, which claim is weakest, what other repeats keep, and what a safer one takes."""
    if not result.claims:
        return ["No pair differs significantly, so there is no claim to repeat."]
    kind = (
        result.repeat
        if result.raters_identified
        else _TOLD_AS.get(result.repeat, result.repeat)
    )
    n, new = len(result.claims), _NEW[kind].format(result.unit)
    share = _in_cases(result.all_kept)
    said = []
    if result.raters_identified:
        each = number(result.n_raters, digits=0 if result.n_raters % 1 == 0 else 1)
        raters = "rater" if result.n_raters == 1 else "raters"
        size = f"{count(result.n_documents, result.unit)}, {each} {raters} each"
        lost = "" if n == 1 else f"; on average {_lost(result.expected_lost)} would turn round"
        said.append(
            f"A repeat with {new} ({size}) would keep {_claims(n)} in {share} of cases{lost}."
        )
    else:
        said.append(f"A repeat with {new} would keep {_claims(n)} in {share} of cases.")
        said.append(
            f"On these {result.unit}s it would be more, and how much is not known: with one rater "
            f"per {result.unit}, raters and {result.unit}s are confounded. Have a tenth of the "
            f"{result.unit}s judged twice."
        )
    if n > 1 and result.raters_identified:
        weak = _weakest_first(result)[0]
        said.append(
            f"Weakest: {weak.better} above {weak.worse}, kept in {_in_cases(weak.kept)}."
        )
    others = [
        f"{_NEW[other].format(result.unit)}{f' would keep {_them(n)}' * (not i)} in {_in_cases(found)}"
        for i, (other, found) in enumerate(_others_of(result, kind))
    ]
    if others:
        said.append(f"{capital(', '.join(others))}.")
    return [*said, *_safer(result, kind)]


def _others_of(result: Repeat, kind: str) -> list[tuple[str, float]]:
    """Return the other kinds that are worth a sentence; they are of the size of this study."""
    order = ("both", "raters", "documents")
    known = result.other_kinds
    found = [(one, known[one]) for one in order if one in known and one != kind]
    return found if _as_here(result) else []


def _as_here(result: Repeat) -> bool:
    """Say whether the repeat has the size of this study."""
    asked = result.signature.settings
    return asked.get("documents") == asked.get("raters") == "same"


def _safer(result: Repeat, kind: str) -> list[str]:
    """Say what a repeat takes that keeps all claims with the chance asked for; nothing where unknown."""
    said = _needs(result, kind)
    return [f"{said}."] if said else []


def _needs(result: Repeat, kind: str) -> str:
    n, keep = len(result.claims), f"{100 * result.keep:g}%"
    if result.limit < result.keep:
        sure = f"{100 * result.limit:.1f}% sure"
        why = f"the claims themselves are only {sure} together"
        if n == 1:
            why = f"the claim itself is only {sure}"
        return f"No repeat, however large, keeps {_them(n)} in {keep}: {why}"
    unit = result.unit
    if kind in ("raters", "pool"):
        if result.needed:
            each = count(result.needed[0].n_raters, "rater")
            return f"For {keep} a repeat on these {unit}s needs {each} each"
        if kind == "pool":
            return f"These raters on these {unit}s are too few to keep {_them(n)} in {keep}"
        return f"For {keep} a repeat on these {unit}s needs more than 20 raters each"
    some = [one for one in result.needed if one.n_documents is not None]
    if not some:
        return f"For {keep} a repeat needs more than 1,000 {unit}s" if result.needed else ""
    first, *rest = some
    sizes = [
        f"{count(first.n_documents or 0, unit)} with {count(first.n_raters, 'rater')} each",
        *(f"{one.n_documents:,} with {one.n_raters}" for one in rest),
    ]
    listed = sizes[0] if not rest else f"{', '.join(sizes[:-1])}, or {sizes[-1]}"
    if len(sizes) == 2:
        listed = " or ".join(sizes)
    who = f"each rater judging all systems of {_a(unit)}"
    if result.own_raters:
        who = f"with other raters for each system of {_a(unit)}"
    return f"For {keep} a repeat needs {listed}, {who}"


def _a(unit: str) -> str:
    return f"an {unit}" if unit == "item" else f"a {unit}"


def _claims(n: int) -> str:
    return {1: "the claim", 2: "both claims"}.get(n, f"all {n:,} claims")


def _them(n: int) -> str:
    return {1: "it", 2: "both"}.get(n, f"all {n:,}")


def _lost(expected: float) -> str:
    return f"{expected:,.1f} of them" if expected >= 0.05 else "fewer than 0.1 of them"


def _in_cases(share: float) -> str:
    """Return a chance as a whole percentage; what is nearly sure is not called sure."""
    if share >= 0.995:
        return "more than 99%"
    return "less than 1%" if share < 0.005 else f"{share:.0%}"


def _briefly(share: float) -> str:
    return _in_cases(share).replace("more than ", ">").replace("less than ", "<")


def pictures(result: Repeat) -> Iterator[blocks.Chart]:
    """Yield the weakest claims, and what all of them need."""
    from detectable.report.charts.ranking import KeptLine, kept_by_size, kept_claims

    claims = _weakest_first(result)[:_WEAKEST]
    weak = claims[0]
    title = (
        f"Weakest: {weak.better} above {weak.worse}, kept in {_in_cases(weak.kept)} of repeats"
    )
    which = ""
    if len(result.claims) > _WEAKEST:
        which = f" The {_WEAKEST} weakest of {len(result.claims):,}."
    rows = [(f"{one.better} > {one.worse}", one.kept, _briefly(one.kept)) for one in claims]
    told = " ".join(f"{name}: {text}." for name, _, text in rows)
    yield blocks.Chart(
        "repeat",
        title,
        f"Claims, the weakest on top, and the share of repeats that keep their order.{which}",
        f"{title}. {told}",
        lambda width: kept_claims(rows, width=width),
        "kept",
    )
    if not result.plan:
        return
    most = _most_documents(result)
    lines = []
    for same in (True, False):
        for each in sorted({one.n_raters for one in result.plan}):
            points = tuple(
                (one.n_documents, one.all_kept)
                for one in result.plan
                if one.n_raters == each and one.same_rater == same and one.n_documents <= most
            )
            if points:
                lines.append(KeptLine(each, same, points))
    title = _needs(result, result.repeat)
    who = (
        "one rater judges all systems of"
        if not result.own_raters
        else "each system has other raters in"
    )
    caption = (
        f"Colours and numbers: raters of each {result.unit}. Solid: {who} {_a(result.unit)}."
    )
    if any(not line.solid for line in lines):
        caption += f" Dashed, *: each system has other raters in {_a(result.unit)}."
    told = " ".join(
        f"{count(line.n_raters, 'rater')} each{'' if line.solid else ' of its own'}: "
        f"{_in_cases(line.points[-1][1])} with {line.points[-1][0]:,} {result.unit}s."
        for line in lines
    )
    yield blocks.Chart(
        "repeat-plan",
        title,
        caption,
        f"{title}. {told}",
        lambda width: kept_by_size(lines, result.unit, keep=result.keep, width=width),
        "repeat-plan",
    )


def _most_documents(result: Repeat) -> int:
    """Return where the axis ends: a little beyond what is needed."""
    sizes = [one.n_documents for one in result.needed if one.n_documents is not None]
    wanted = 2 * max([*sizes, result.n_documents, 50])
    known = sorted({one.n_documents for one in result.plan})
    return next((n for n in known if n >= wanted), known[-1])
