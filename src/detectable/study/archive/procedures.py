"""Stopping procedures: when to look at the data, and what ends the evaluation."""

import itertools
import math
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Protocol

from detectable.core import check
from detectable.core.errors import InputError

PAPER_NOMINAL_P = 0.0221  # wei2022: Pocock (1977), three looks, two-sided .05; exactly .022052
PAPER_FUTILITY_P = 0.5


class LooksAndBounds(Protocol):
    """What `Procedure.from_design` reads: any design with looks, bounds and futility bounds."""

    @property
    def information(self) -> Sequence[float]:
        """Shares of the budget at which to look; the last is 1."""

    @property
    def z(self) -> Sequence[float | None]:
        """Bounds of the size of z at which to stop and reject."""

    @property
    def futility(self) -> Sequence[float | None] | None:
        """Bounds of the size of z below which to stop without a result."""


@dataclass(frozen=True, slots=True)
class Procedure:
    r"""A two-sided test that may stop early.

    After each share :math:`t_k` of the budget it looks at the statistic and stops with a finding
    if :math:`|z_k| \ge u_k`, without one if :math:`|z_k| < a_k`, and at the last look anyway.

    Parameters
    ----------
    name : str
        How results call it.
    information : tuple of float
        Shares of the budget, ascending; the last is 1.
    z : tuple of float
        The bounds :math:`u_k`; infinite where a look cannot reject.
    futility : tuple of float
        The bounds :math:`a_k`; 0 where a look does not give up. Empty means none at all.

    Examples
    --------
    >>> Procedure("O'Brien-Fleming", (1 / 3, 2 / 3, 1), (3.4711, 2.4544, 2.0040)).futility
    (0.0, 0.0, 0.0)
    >>> [round(z, 4) for z in Procedure.interim(futility=True).z]
    [2.2886, 2.2886, 2.2886]
    """

    name: str
    information: tuple[float, ...]
    z: tuple[float, ...]
    futility: tuple[float, ...] = ()

    def __post_init__(self) -> None:
        looks = len(self.information)
        if not self.futility:
            object.__setattr__(self, "futility", (0.0,) * looks)
        if not looks or not (len(self.z) == len(self.futility) == looks):
            raise InputError(
                "`information`, `z` and `futility` must have one entry per look; got "
                f"{looks}, {len(self.z)} and {len(self.futility)}."
            )
        shares = (0.0, *self.information)
        rising = all(a < b for a, b in itertools.pairwise(shares))
        if not rising or not math.isclose(self.information[-1], 1.0):
            raise InputError(
                "`information` must ascend from above 0 to 1, the whole budget; "
                f"got {self.information}."
            )
        if not all(bound > 0.0 for bound in self.z):
            raise InputError(f"`z` must hold bounds above 0; got {self.z}.")
        if not all(bound >= 0.0 for bound in self.futility):
            raise InputError(f"`futility` must hold bounds ≥ 0; got {self.futility}.")

    @property
    def looks(self) -> int:
        """How often it looks, the last time included."""
        return len(self.information)

    def type_one_error(self) -> float:
        """Return the chance to find a difference where there is none.

        By integration over normal statistics with the looks as planned. Futility is left out: it
        is not binding, so that nobody errs more often who goes on all the same.

        Examples
        --------
        >>> round(Procedure.uncorrected(3).type_one_error(), 4)
        0.1073
        """
        from detectable.sequential.boundaries import symmetric_stops
        from detectable.sequential.operating import type_one_error

        return type_one_error(symmetric_stops(self.information, self.z, sided=2))

    @classmethod
    def fixed(cls, alpha: float = 0.05, *, name: str = "fixed") -> "Procedure":
        """Look once, at the end."""
        return cls.equal_looks(1, nominal_p=alpha, name=name)

    @classmethod
    def equal_looks(
        cls, looks: int, *, nominal_p: float, futility_p: float | None = None, name: str
    ) -> "Procedure":
        """Look after equal steps, rejecting at the same nominal two-sided p each time.

        With `futility_p`, every look but the last gives up where p is above it.
        """
        from scipy.special import ndtri

        looks = check.positive_int(looks, "looks")
        bound = -float(ndtri(0.5 * check.probability(nominal_p, "nominal_p")))
        give_up = 0.0
        if futility_p is not None:
            give_up = -float(ndtri(0.5 * check.probability(futility_p, "futility_p")))
        return cls(
            name,
            tuple((k + 1) / looks for k in range(looks)),
            (bound,) * looks,
            (give_up,) * (looks - 1) + (0.0,),
        )

    @classmethod
    def interim(cls, *, futility: bool = False, name: str | None = None) -> "Procedure":
        """Return the interim tests of Wei, Kocmi and Federmann (2022), section 7.

        Three looks at p < .0221, Pocock's constant; with `futility` the first two give up where
        p > .5.
        """
        return cls.equal_looks(
            3,
            nominal_p=PAPER_NOMINAL_P,
            futility_p=PAPER_FUTILITY_P if futility else None,
            name=name or ("interim, futility" if futility else "interim"),
        )

    @classmethod
    def uncorrected(cls, looks: int = 3, alpha: float = 0.05) -> "Procedure":
        """Return what not to do: test at the full level at every look. For warnings only."""
        return cls.equal_looks(looks, nominal_p=alpha, name=f"{looks} uncorrected looks")

    @classmethod
    def from_design(cls, design: LooksAndBounds, *, name: str) -> "Procedure":
        """Take looks and bounds from a group-sequential design.

        A bound of None (no value) means that the look cannot reject; a futility bound of None, not
        a number or below 0 means that it never gives up.
        """
        if getattr(design, "sided", 2) != 2:
            raise InputError(
                "`design` must be two-sided, because differences of both signs are looked for; "
                "got a one-sided one."
            )
        given = design.futility
        looks = len(design.information)
        bounds = [None] * looks if given is None else list(given)
        return cls(
            name,
            tuple(float(t) for t in design.information),
            tuple(math.inf if u is None else float(u) for u in design.z),
            tuple(_futility(a) for a in bounds[:looks]) + (0.0,) * (looks - len(bounds)),
        )


def _futility(bound: float | None) -> float:
    return float(bound) if bound is not None and bound > 0.0 else 0.0
