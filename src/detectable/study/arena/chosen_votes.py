"""The votes that count, under a rule for ties and for weights."""

from dataclasses import dataclass

import numpy as np

from detectable.core.choices import TieRule, VoteWeights
from detectable.core.errors import DataError
from detectable.core.types import FloatArray, IntArray
from detectable.core.wording import count
from detectable.data.battles.battles import TIE, Battles
from detectable.inference.battles.design import Votes, plain_votes
from detectable.inference.battles.models import Davidson, HalfTies, Model, RaoKupper

MODELS: dict[str, type[Model]] = {"davidson": Davidson, "rao-kupper": RaoKupper}


@dataclass(frozen=True, slots=True)
class ChosenVotes:
    """Votes without further effects, the battles that they are, and the model of ties."""

    battles: Battles
    votes: Votes
    model: Model
    notes: tuple[str, ...]


def chosen_votes(battles: Battles, ties: TieRule, weights: VoteWeights) -> ChosenVotes:
    """Return the votes that a rule for ties keeps, with their weights."""
    where = battles.path or "the battles"
    tied = battles.outcome == TIE
    notes: list[str] = []
    if tied.all():
        raise DataError(f"{where}: every battle is a tie, so that nothing tells systems apart.")
    if ties in MODELS:
        _refuse_shares(battles, ties)
        if not tied.any():
            raise DataError(
                f"{where}: there is no tie, so that a model of ties has nothing to fit. Choose "
                "ties='half'."
            )
    if ties == "drop" and tied.any():
        before = battles.systems
        battles = battles.take(~tied)
        notes.append(f"{count(int(tied.sum()), 'tie')} left out.")
        gone = [name for name in before if name not in battles.systems]
        if gone:
            raise DataError(
                f"{where}: without ties nothing is left of {', '.join(gone)}. Choose ties='half'."
            )
    weight = battles.weights
    if weights == "pairs":
        pair = pair_codes(battles)
        total = np.bincount(pair, weight)
        weight = weight / total[pair]
        weight = weight * (battles.n / weight.sum())
    votes = plain_votes(len(battles.systems), battles.a, battles.b, battles.outcome, weight)
    model = MODELS[ties]() if ties in MODELS else HalfTies()
    return ChosenVotes(battles, votes, model, tuple(notes))


def pair_codes(battles: Battles) -> IntArray:
    """Return the number of the two systems of each battle, whatever their order."""
    k = len(battles.systems)
    return np.asarray(np.minimum(battles.a, battles.b) * k + np.maximum(battles.a, battles.b))


def standardised(values: FloatArray) -> tuple[FloatArray, float]:
    """Return a covariate in standard deviations, which leaves its zero where it is."""
    scale = float(values.std(ddof=1))
    return values / scale, scale


def _refuse_shares(battles: Battles, ties: str) -> None:
    other = np.flatnonzero(~np.isin(battles.outcome, (0.0, TIE, 1.0)))
    if other.size:
        row = int(other[0])
        raise DataError(
            f"{battles.place(row)}: the outcome {battles.outcome[row]:g} is neither a win nor a tie, "
            f"as ties='{ties}' needs. Choose ties='half'."
        )
