"""Rankings of the halves from human judgments."""

import warnings
from collections.abc import Mapping
from dataclasses import dataclass, replace

import numpy as np

from detectable.core.errors import DataError, DetectableWarning, InputError
from detectable.core.execute import Engine
from detectable.data.human.judgments import Judgments
from detectable.study.ranking.prepare import Prepared, prepare
from detectable.study.ranking.rank_systems import rank_prepared
from detectable.study.ranking.ranking import Ranking
from detectable.study.ranking.settings import RankSettings
from detectable.study.ranking.standardise import Standardised
from detectable.study.translationese.directions import DIRECTIONS
from detectable.study.translationese.halves import HALVES, HalfName
from detectable.study.translationese.human_scores import HumanScores
from detectable.study.translationese.replicated import replicated
from detectable.study.translationese.rows import Replicated


@dataclass(frozen=True, slots=True)
class RankedHalves:
    """A ranking of each half and of both, and what N in place of n would have said."""

    rankings: Mapping[HalfName, Ranking]
    replicated: tuple[Replicated, ...]


def rank_halves(human: HumanScores, settings: RankSettings, engine: Engine) -> RankedHalves:
    """Rank the systems on each half, and on both together.

    Raters keep the z that they have over all their judgments: standardised within a half, they
    would lose the difference between the halves. The scale is that of all judgments, so that
    halves can be compared; the test is what each half allows.
    """
    fixed = replace(settings, standardise="z" if human.scale == "z" else "none")
    by_judgment = replace(fixed, level="judgment", test="rank-sum", unit="auto")
    rankings: dict[HalfName, Ranking] = {}
    rows: list[Replicated] = []
    for half in HALVES:
        data, z = _part(human, half)
        try:
            prepared = prepare(data, fixed, standardised=z)
            judged = prepare(data, by_judgment, standardised=z)
            rankings[half] = _ranked(prepared, fixed, engine, aloud=half == "both")
        except (DataError, InputError) as error:
            where = "both halves" if half == "both" else f"the {half} half"
            # A ranking calls segments items.
            said = str(error).replace("unit='item'", "unit='segment'")
            raise type(error)(f"{where}: {said}") from error
        rows += replicated(half, prepared, judged)
    return RankedHalves(rankings, tuple(rows))


def _ranked(
    prepared: Prepared, settings: RankSettings, engine: Engine, *, aloud: bool
) -> Ranking:
    """Rank one half; what is odd about the data is said once, of both halves together."""
    with warnings.catch_warnings():
        if not aloud:
            warnings.simplefilter("ignore", DetectableWarning)
        return rank_prepared(prepared, settings, engine)


def _part(human: HumanScores, half: HalfName) -> tuple[Judgments, Standardised | None]:
    """Return the judgments of a half with their z, checks for careless raters included."""
    names = ("forward", "reverse") if half == "both" else (half,)
    rows = np.isin(human.direction, [DIRECTIONS.index(name) for name in names])
    z = human.z
    if z is not None:
        z = replace(z, values=z.values[rows], notes=())
    return human.judgments.take(rows), z
