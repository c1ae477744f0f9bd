"""What judgments and battles hold and can answer."""

from collections.abc import Iterator, Sequence

import numpy as np

from detectable.core.errors import DetectableError
from detectable.core.types import Progress
from detectable.core.wording import count, listing
from detectable.data.battles.battles import Battles, pooled_languages
from detectable.data.human.description import describe_judgments
from detectable.data.human.judgments import Judgments
from detectable.study.arena.arena import arena
from detectable.study.doctor.examination import Asking, Examined, Fact, Question
from detectable.study.doctor.of_scores import SEED, of_arena, of_ranking, quietly
from detectable.study.doctor.of_texts import of_origins
from detectable.study.origins import reverse_share
from detectable.study.ranking.rank_systems import rank_systems

RANK = "How do the systems rank?"
RATERS = "Can the raters be trusted?"
NOISE = "How much of the spread is noise between raters, and do they agree?"
OTHER_RATERS = "Would other raters and texts say the same?"
REPEAT = "Would a repeat of this evaluation keep its claims?"
MORE = "How many documents would show a smaller difference?"


def of_judgments(
    data: str, judgments: Judgments, words: Sequence[str], progress: Progress
) -> Examined:
    """Examine judgments; `words` names them on the command line."""
    asking = Asking(data)
    return Examined(
        facts=tuple(_facts(judgments, asking)),
        questions=tuple(_questions(judgments, asking, words, progress)),
        suspicions=judgments.notes,
    )


def _facts(judgments: Judgments, asking: Asking) -> Iterator[Fact]:
    found = describe_judgments(judgments)
    yield asking.fact("judgments", f"{found.judgments:,}")
    for role, n in found.levels.items():
        yield asking.fact(f"{role}s", f"{n:,}")
    kinds = [f"{n:,} {kind}" for kind, n in found.kinds.items() if n]
    yield asking.fact("kinds", ", ".join(kinds))
    low, high = found.scale
    yield asking.fact("scale", f"{low:g} to {high:g}")
    if judgments.rater is not None:
        yield asking.fact("outputs with two raters", f"{_overlap(judgments):,}")


def _questions(
    judgments: Judgments, asking: Asking, words: Sequence[str], progress: Progress
) -> Iterator[Question]:
    yield _rank(judgments, asking, words, progress)
    if judgments.is_kind("degraded").any() and judgments.rater is not None:
        copies = int(judgments.is_kind("degraded").sum())
        why = f"{count(copies, 'degraded copy', 'degraded copies')} to be told from originals."
        yield asking.can(RATERS, why, ["quality", *words])
    else:
        unnamed = judgments.rater is None
        why = "Raters are not named." if unnamed else "There are no degraded copies."
        yield asking.cannot(RATERS, why)
    yield from _of_raters(judgments, asking, words)
    yield _repeat(judgments, asking, words)
    if judgments.document is not None:
        n = judgments.document.n_levels
        needs = ["reliability", "--judgments", *words]
        yield (
            asking.can(MORE, f"{count(n, 'document')} are named.", needs)
            if n > 2
            else (asking.cannot(MORE, f"It takes three documents or more; found: {n}."))
        )
    if judgments.original_language is not None:
        typed = ["translationese", "--judgments", *words]
        yield from of_origins(reverse_share(judgments), asking, typed)


def _rank(
    judgments: Judgments, asking: Asking, words: Sequence[str], progress: Progress
) -> Question:
    if judgments.system.n_levels < 2:
        return asking.cannot(RANK, "There is one system. Add the judgments of another.")
    progress("what could be seen", 0, None)
    try:
        with quietly():
            found = rank_systems(judgments, rng=SEED)
    except DetectableError as error:
        return asking.cannot(RANK, str(error))
    why = f"{count(found.n_units, found.unit)}, matched by {found.matching}."
    return asking.can(RANK, why, ["rank", *words], of_ranking(found))


def _of_raters(
    judgments: Judgments, asking: Asking, words: Sequence[str]
) -> Iterator[Question]:
    if judgments.rater is None:
        yield asking.cannot(NOISE, "Raters are not named.")
        yield asking.cannot(OTHER_RATERS, "Raters are not named.")
        return
    shared = _overlap(judgments)
    if shared:
        were = "was" if shared == 1 else "were"
        why = f"{count(shared, 'output')} {were} judged by two raters or more."
        yield asking.can(NOISE, why, ["variance", *words])
    else:
        yield asking.cannot(NOISE, "No output was judged by two raters. Plan an overlap.")
    n = judgments.rater.n_levels
    if n > 2:
        why = f"{count(n, 'rater')}, taken as a sample of raters."
        yield asking.can(OTHER_RATERS, why, ["mixed", *words])
    else:
        yield asking.cannot(OTHER_RATERS, f"{count(n, 'rater')} cannot stand for others.")


def _repeat(judgments: Judgments, asking: Asking, words: Sequence[str]) -> Question:
    if judgments.rater is None:
        return asking.cannot(REPEAT, "Raters are not named.")
    if judgments.system.n_levels < 2:
        return asking.cannot(REPEAT, "There is one system. Add the judgments of another.")
    texts = judgments.item if judgments.document is None else judgments.document
    unit = "item" if judgments.document is None else "document"
    pairs = np.unique(np.stack([texts.codes, judgments.rater.codes]), axis=1)
    shared = int((np.unique(pairs[0], return_counts=True)[1] > 1).sum())
    why = f"{count(shared, unit)} of {texts.n_levels:,} have two raters or more."
    if not shared:
        why = f"One rater for each {unit}: other raters are not told from other {unit}s."
    return asking.can(REPEAT, why, ["rank", *words, "--repeat", "both"])


def _overlap(judgments: Judgments) -> int:
    """Return how many outputs were judged by two raters or more."""
    if judgments.rater is None:
        return 0
    rows = judgments.is_kind("system")
    cells = np.stack(
        [judgments.system.codes[rows], judgments.item.codes[rows], judgments.rater.codes[rows]]
    )
    distinct = np.unique(cells, axis=1)
    _, raters = np.unique(distinct[:2], axis=1, return_counts=True)
    return int((raters > 1).sum())


# --- What battles hold and can answer ---

ORDER = "Which systems are preferred?"
NEXT = "How many more votes would separate two systems?"
STOP = "May we stop voting now?"


def of_battles(
    data: str, battles: Battles, paths: Sequence[str], progress: Progress
) -> Examined:
    """Examine battles; `paths` name them on the command line."""
    asking = Asking(data)
    return Examined(
        facts=tuple(_battle_facts(battles, asking)),
        questions=tuple(_battle_questions(battles, asking, paths, progress)),
        suspicions=(*battles.notes, *pooled_languages(battles)),
    )


def _battle_facts(battles: Battles, asking: Asking) -> Iterator[Fact]:
    names = list(battles.systems)
    yield asking.fact("systems", f"{len(names)}: {listing(names, most=6)}")
    yield asking.fact("battles", f"{battles.n:,}")
    yield asking.fact("ties", f"{int((battles.outcome == 0.5).sum()):,}")
    for what, factor in (("prompts", battles.prompt), ("voters", battles.voter)):
        yield asking.fact(what, "not named" if factor is None else f"{factor.n_levels:,}")
    if "language" in battles.names:
        languages = [name for name in battles.names["language"].levels if name]
        yield asking.fact("languages", f"{len(languages)}: {listing(languages, most=6)}")
    yield asking.fact("order of the two", "known" if battles.sided else "not known")


def _battle_questions(
    battles: Battles, asking: Asking, paths: Sequence[str], progress: Progress
) -> Iterator[Question]:
    progress("what could be seen", 0, None)
    try:
        with quietly():
            found = arena(battles, rng=SEED)
    except DetectableError as error:
        yield asking.cannot(ORDER, str(error))
        return
    kinds = [count(n, kind) for kind, n in found.clusters.items()]
    why = f"Independent: {listing(kinds)}." if kinds else "Votes are taken as independent."
    yield asking.can(ORDER, why, ["arena", *paths], of_arena(found))
    yield asking.can(NEXT, "For 10 points of Elo, say.", ["arena", *paths, "--effect", "10"])
    yield asking.cannot(STOP, "A plan is made before the votes: detectable plan new.")
