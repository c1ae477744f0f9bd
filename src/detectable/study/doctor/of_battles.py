"""What battles hold and can answer."""

from collections.abc import Iterator, Sequence

from detectable.core.errors import DetectableError
from detectable.core.progress import Progress
from detectable.core.wording import count, listing
from detectable.data.battles.battles import Battles
from detectable.data.battles.languages import pooled_languages
from detectable.study.arena.arena import arena
from detectable.study.doctor.detects import SEED, of_arena, quietly
from detectable.study.doctor.examination import Fact, Question
from detectable.study.doctor.examined import Asking, Examined

ORDER = "Which systems are preferred?"
NEXT = "How many more votes would separate two systems?"
STOP = "May we stop voting now?"


def of_battles(
    data: str, battles: Battles, paths: Sequence[str], progress: Progress
) -> Examined:
    """Examine battles; `paths` name them on the command line."""
    asking = Asking(data)
    return Examined(
        facts=tuple(_facts(battles, asking)),
        questions=tuple(_questions(battles, asking, paths, progress)),
        suspicions=(*battles.notes, *pooled_languages(battles)),
    )


def _facts(battles: Battles, asking: Asking) -> Iterator[Fact]:
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


def _questions(
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
