"""What each half says about the order of the systems, with its own n and detectable difference."""

from collections.abc import Mapping

from detectable.study.translationese.conclusions import Concluded
from detectable.study.translationese.halved_sample import HalvedSample
from detectable.study.translationese.halves import HALVES, HalfName
from detectable.study.translationese.human_scores import HumanScores
from detectable.study.translationese.rows import HalfConclusion


def half_conclusions(
    measure: HalvedSample, halves: Mapping[HalfName, Concluded], people: HumanScores | None
) -> list[HalfConclusion]:
    """Return what each half, and both together, conclude under a measure, with its own n."""
    rows = []
    for half in HALVES:
        judged = None
        if people is not None and measure.name in ("raw", "z"):
            judged = int(people.n_judgments[people.split.rows(half)].sum())
        found = halves[half]
        rows.append(
            HalfConclusion(
                measure=measure.name,
                half=half,
                clusters=found.clusters,
                told_apart=found.told_apart,
                pairs=len(found.pairs),
                mde=found.median_mde,
                n_units=measure.halves[half].n_units,
                n_segments=len(measure.known[half]),
                n_judgments=judged,
            )
        )
    return rows
