"""What must be said beside the numbers: what is in neither half, and what raters do to z."""

from detectable.core.wording import count, listing
from detectable.study.translationese.compare_halves import TextScores
from detectable.study.translationese.halves import Part
from detectable.study.translationese.human_scores import HumanScores

_FEW_SHARED = 0.8  # of the judgments by raters who saw both halves: below, z loses too much


def all_parts(people: HumanScores | None, texts: TextScores | None) -> tuple[Part, ...]:
    """Return the counts of every direction, of judgments first."""
    judged = () if people is None else people.split.parts(people.n_judgments.sum(axis=1))
    return (*judged, *(() if texts is None else texts.split.parts()))


def remarks(
    people: HumanScores | None, texts: TextScores | None, more: tuple[str, ...]
) -> tuple[str, ...]:
    """Say what belongs to neither half, what is not known, and what raters do to z."""
    found: list[str] = []
    for part in all_parts(people, texts):
        if part.direction in ("forward", "reverse"):
            continue
        what = "judged segment" if part.data == "judgments" else "segment"
        documents = (
            "" if part.n_documents is None else f" in {count(part.n_documents, 'document')}"
        )
        one = part.n_segments == 1
        why = f"{'was' if one else 'were'} first written in neither language ({listing(list(part.languages))})"
        if part.direction == "missing":
            why = (
                "does not say its original language"
                if one
                else "do not say their original language"
            )
        counts = "it counts" if one else "they count"
        found.append(
            f"{count(part.n_segments, what)}{documents} {why}: {counts} in neither half."
        )
    found += [
        f"Documents of the {known.split.kind} are not known: segments count as independent, which "
        "they rarely are. Intervals are too narrow then."
        for known in (people, texts)
        if known is not None and known.split.documents is None
    ]
    if people is not None and people.z is not None:
        shared = people.share_of_raters_in_both()
        if shared < _FEW_SHARED:
            found.append(
                f"Only {shared:.0%} of the judgments are by raters who judged in both halves. z takes "
                "out the level of the others, and with it their part of the difference between the "
                "halves: effects in z are too small. Go by raw scores."
            )
    return (*found, *more)
