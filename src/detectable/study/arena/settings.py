"""What was asked of an arena."""

from dataclasses import dataclass
from typing import TYPE_CHECKING

from detectable.core.choices import Penalty, SideEffect, TieRule, VoteCluster, VoteWeights
from detectable.core.errors import InputError
from detectable.core.options import alpha, check_settings, option, power

if TYPE_CHECKING:
    import numpy as np

_FEWEST = 100  # draws from which a covariance can be had


@dataclass(frozen=True, slots=True, kw_only=True)
class ArenaSettings:
    """Checked settings, and the generator of random numbers."""

    ties: TieRule = option("half", "A tie is half a win, modelled, or dropped.")
    cluster: VoteCluster = option(
        "auto", "What is independent; auto: prompts and voters, where they repeat."
    )
    side: SideEffect = option("auto", "Estimate the effect of the first place; auto: if known.")
    covariates: tuple[str, ...] = option(
        (),
        "What else may sway voters: columns NAME_a and NAME_b (repeatable).",
        flag="--covariate",
        metavar="NAME",
    )
    weights: VoteWeights = option("votes", "Every vote counts alike, or every pair of systems.")
    penalty: Penalty = option("none", "firth: finite strengths for unbeaten systems.")
    cap_voter: float | None = option(
        None,
        "No voter counts more than K times the median voter.",
        metavar="K",
        kind="positive",
    )
    bootstrap: int = option(
        0,
        "Draws of the Bayesian bootstrap for standard errors; 0: sandwich.",
        least=0,
        most=100_000,
    )
    effect: float = option(
        20.0, "A gap in points of Elo, for the votes needed.", kind="positive"
    )
    between: tuple[str, str] | None = None
    alpha: float = alpha()
    power: float = power()
    rng: "np.random.Generator"

    def __post_init__(self) -> None:
        check_settings(self)
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
