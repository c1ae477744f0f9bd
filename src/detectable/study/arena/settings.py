"""What was asked of an arena."""

from dataclasses import dataclass

import numpy as np

from detectable.core import check
from detectable.core.choices import Penalty, SideEffect, TieRule, VoteCluster, VoteWeights
from detectable.core.errors import InputError

_FEWEST = 100  # draws from which a covariance can be had


@dataclass(frozen=True, slots=True, kw_only=True)
class ArenaSettings:
    """Checked settings, and the generator of random numbers."""

    ties: TieRule
    cluster: VoteCluster
    side: SideEffect
    covariates: tuple[str, ...]
    weights: VoteWeights
    penalty: Penalty
    bootstrap: int
    cap_voter: float | None
    effect: float
    between: tuple[str, str] | None
    alpha: float
    power: float
    rng: np.random.Generator

    def __post_init__(self) -> None:
        check.literal(self.ties, TieRule, "ties")
        check.literal(self.cluster, VoteCluster, "cluster")
        check.literal(self.side, SideEffect, "side")
        check.literal(self.weights, VoteWeights, "weights")
        check.literal(self.penalty, Penalty, "penalty")
        check.positive_int(self.bootstrap, "bootstrap", minimum=0, maximum=100_000)
        if self.cap_voter is not None:
            check.positive(self.cap_voter, "cap_voter")
        check.positive(self.effect, "effect")
        check.probability(self.alpha, "alpha")
        check.probability(self.power, "power")
        if self.between is not None and len(set(self.between)) != 2:
            raise InputError(
                f"`between` must name two systems; got {', '.join(self.between) or 'none'}."
            )
        if self.firth and self.ties in ("davidson", "rao-kupper"):
            raise InputError(
                f"penalty='firth' does not go with ties='{self.ties}'. Choose ties='half' or "
                "ties='drop'."
            )
        if self.firth and self.bootstrap:
            raise InputError("`bootstrap` does not go with penalty='firth'. Leave one out.")
        if 0 < self.bootstrap < _FEWEST:
            raise InputError(
                f"`bootstrap` must be 0 or at least {_FEWEST} draws; got {self.bootstrap}. Fewer "
                "say little about a covariance."
            )

    @property
    def firth(self) -> bool:
        """Whether Firth's penalty was asked for."""
        return self.penalty == "firth"
