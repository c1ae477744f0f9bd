"""What a result says of reverse-created data: how much there is, and what leaving it out would change."""

from collections.abc import Iterator
from typing import TYPE_CHECKING

from detectable.core.wording import count, listing, number
from detectable.report import blocks

if TYPE_CHECKING:
    from detectable.study.reverse_share import ReverseShare

_CHANGES = 4  # verdicts that are told one by one


def reverse_sentences(share: "ReverseShare", *, digits: int = 2) -> list[str]:
    """Say how much of a test set is reverse-created, and what leaving it out would change."""
    if share.language_pair is None:
        written = listing(
            [f"{name} ({n:,})" for name, n in share.languages.items()], most=_CHANGES
        )
        return [
            f"The {share.item}s were first written in {written}. Name the language pair "
            "(--language zh-en): then it is told which are reverse-created, and what they change."
        ]
    from detectable.data.texts.languages import language_pair

    source, target = language_pair(share.language_pair)
    items = count(share.n, share.item)
    if not share.n_reverse:
        return [f"None of {items} is reverse-created, first written in {target}."]
    said = (
        f"{share.n_reverse:,} of {items} ({share.n_reverse / share.n:.0%}) "
        f"{'is' if share.n_reverse == 1 else 'are'} reverse-created: first written in {target}, the "
        "language translated into."
    )
    if not share.n_forward:
        return [said, f"They say little about translating from {source}."]
    if share.problem:
        return [said, f"Without them nothing can be concluded: {share.problem}"]
    return [said, *_without(share, digits), "Leave them out: --direction forward."]


def _without(share: "ReverseShare", digits: int) -> list[str]:
    """Say which verdicts and numbers are others without the reverse-created part."""
    found = []
    if share.n_verdicts:
        n = len(share.changes)
        head = (
            f"Without them {n or 'none'} of {count(share.n_verdicts, 'verdict')} "
            f"{'changes' if n < 2 else 'change'}"
        )
        told = [
            f"{one.what}{f' ({one.measure})' if one.measure else ''} from {one.before} to {one.after}"
            for one in share.changes[:_CHANGES]
        ]
        more = f", and {n - _CHANGES} more" if n > _CHANGES else ""
        found.append(f"{head}{': ' if told else ''}{', '.join(told)}{more}.")
    if share.numbers:
        told = [
            f"{_NUMBERS.get(one.what, one.what)}{f' in {one.measure}' if one.measure else ''} "
            f"{_plain(one.before, digits)} → {_plain(one.after, digits)}"
            for one in share.numbers
        ]
        found.append(f"Without them: {'; '.join(told)}.")
    return found


# What the documents at hand give; see `DocumentsFor.now`.
_NUMBERS = {
    "half-width": "half-width of an interval",
    "effect": "detectable difference",
    "tau": "τ of half of the documents",
    "outputs": "outputs to be judged",
}


def _plain(value: float, digits: int) -> str:
    return (
        f"{value:,.0f}"
        if value == int(value or 0) and abs(value) > 1
        else number(value, digits=digits)
    )


def reverse_created(share: "ReverseShare | None") -> Iterator[blocks.Text]:
    """Yield how much of the data is reverse-created, where the original languages are known."""
    if share is None:
        return
    points: tuple[tuple[blocks.Mark, str], ...] = tuple(
        ("look" if share.n_reverse and k == 0 else "plain", said)
        for k, said in enumerate(reverse_sentences(share))
    )
    yield blocks.Text("limits", "In which direction the test set was made", points=points)
