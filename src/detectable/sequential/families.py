"""The families of designs by name, and the boundary that each of them draws."""

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Literal, TypeAlias, cast, get_args

from detectable.core import check
from detectable.core.errors import InputError
from detectable.sequential.boundaries import (
    Inside,
    haybittle_peto_boundary,
    spending_boundary,
    wang_tsiatis_boundary,
)
from detectable.sequential.spending import Spending, SpendingFamily

FamilyName: TypeAlias = Literal[
    "fixed",
    "pocock",
    "obrien-fleming",
    "wang-tsiatis",
    "haybittle-peto",
    "ld-obf",
    "ld-pocock",
    "hsd",
    "kim-demets",
]

# What each family's parameter is called, and what it is where none is given.
PARAMETERS: dict[str, tuple[str, float]] = {
    "hsd": ("gamma", -4.0),
    "kim-demets": ("rho", 2.0),
    "wang-tsiatis": ("delta", 0.25),
    "haybittle-peto": ("interim_z", 3.0),
}
_LETTERS = {"hsd": "γ", "kim-demets": "ρ", "wang-tsiatis": "Δ", "haybittle-peto": "z"}
_TITLES = {
    "fixed": "One look",
    "pocock": "Pocock",
    "obrien-fleming": "O'Brien-Fleming",
    "wang-tsiatis": "Wang-Tsiatis",
    "haybittle-peto": "Haybittle-Peto",
    "ld-obf": "Lan-DeMets (like O'Brien-Fleming)",
    "ld-pocock": "Lan-DeMets (like Pocock)",
    "hsd": "Hwang-Shih-DeCani",
    "kim-demets": "Kim-DeMets",
}


@dataclass(frozen=True, slots=True)
class Family:
    """A family and its parameter, if it has one.

    Classical families (Pocock, O'Brien-Fleming, Wang-Tsiatis, Haybittle-Peto) are made for
    looks at planned times. Spending families (``ld-obf``, ``ld-pocock``, ``hsd``,
    ``kim-demets``) draw their boundary look by look, whenever looks come.
    """

    name: FamilyName
    parameter: float | None = None

    def __post_init__(self) -> None:
        check.literal(self.name, FamilyName, "family")
        if self.name == "wang-tsiatis" and not -0.5 <= (self.parameter or 0.0) <= 1.0:
            raise InputError(
                f"`delta` must lie between -0.5 and 1; got {self.parameter!r}. "
                "0 is O'Brien-Fleming, 0.5 is Pocock."
            )
        if self.name == "haybittle-peto":
            check.positive(3.0 if self.parameter is None else self.parameter, "interim_z")
        _ = self.spending  # checks its parameter

    @property
    def spending(self) -> Spending | None:
        """The spending function, or None for a classical family."""
        if self.name not in get_args(SpendingFamily):
            return None
        return Spending(cast(SpendingFamily, self.name), self.parameter)

    def cumulative(
        self, information: Sequence[float], level: float, *, final: bool = False
    ) -> list[float]:
        """Return the error of one side spent up to every look; all of it at a final one."""
        spending = self.spending
        if spending is None:
            raise InputError(
                f"`family` must be a spending family here; got {self.name!r}. "
                "Use ld-pocock, ld-obf or hsd."
            )
        spent = [spending.spent(level, t) for t in information]
        if final:
            spent[-1] = level
        return spent

    def boundary(
        self,
        information: Sequence[float],
        alpha: float,
        *,
        sided: int,
        inside: Inside = (),
        final: bool = False,
    ) -> tuple[float, ...]:
        """Return the upper boundary at every look.

        Parameters
        ----------
        information : sequence of float
            Times of the looks; for a classical family, all planned ones.
        alpha : float
            Error of the whole test.
        sided : {1, 2}
            Sides of the test.
        inside : sequence, optional
            Binding stops for futility.
        final : bool
            The last look is declared the last, and spends all that is left.
        """
        if self.spending is not None:
            spent = self.cumulative(information, alpha / sided, final=final)
            return spending_boundary(information, spent, sided=sided, inside=inside)
        if self.name == "haybittle-peto":
            strict = 3.0 if self.parameter is None else self.parameter
            return haybittle_peto_boundary(
                information, alpha, interim_z=strict, sided=sided, inside=inside
            )
        delta = {"pocock": 0.5, "fixed": 0.5, "obrien-fleming": 0.0}.get(self.name)
        if delta is None:
            delta = 0.25 if self.parameter is None else self.parameter
        return wang_tsiatis_boundary(
            information, alpha, delta=delta, sided=sided, inside=inside
        )

    def describe(self) -> str:
        """Return the name for people, with the parameter."""
        title = _TITLES[self.name]
        if self.parameter is None or self.name not in _LETTERS:
            return title
        return f"{title} ({_LETTERS[self.name]} = {self.parameter:g})".replace("= -", "= −")
