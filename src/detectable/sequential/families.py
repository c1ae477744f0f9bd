r"""Families of boundaries: a row each, from which all that is said and offered about them derives.

To add a family, add a row to `FAMILIES`. A family that spends gives the error :math:`f(a, t)` of one
side that is used up by the share t of the information; its boundary follows look by look,
whenever looks come. A classical family gives its boundary at the planned looks.

Nothing heavy is imported here: the command line reads the table to know its options.
"""

import math
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, TypeAlias

from detectable.core import choices
from detectable.core.errors import InputError
from detectable.core.options import alpha, check_settings, option

if TYPE_CHECKING:
    from detectable.sequential.boundaries import Inside

Spent: TypeAlias = Callable[[float, float, float], float]  # of level, t in (0, 1), parameter
Boundary: TypeAlias = (
    "Callable[[Sequence[float], float, int, Inside, float], tuple[float, ...]]"
)
# … of information, alpha, sided, inside, parameter


@dataclass(frozen=True, slots=True)
class Parameter:
    """The parameter of a family.

    Attributes
    ----------
    name, letter : str
        In arguments, options and files; and in formulas.
    default : float
        Where none is given.
    check : callable
        Takes a value and the name, and raises where the value is impossible.
    """

    name: str
    letter: str
    default: float
    check: Callable[[float, str], object]


@dataclass(frozen=True, slots=True, kw_only=True)
class FamilyRow:
    """All there is to know about a family.

    Attributes
    ----------
    name, title : str
        As it is typed, and for people.
    spent : callable or None
        A spending function :math:`f(a, t)`. Families that have one may look at any time, and may
        spend the miss rate.
    boundary : callable or None
        The rule of a classical family instead.
    parameter : Parameter or None
        What the formula takes beyond that; without one it is given nan.
    one_look : bool
        Whether it looks at the end only.
    reference, cite : str
        Where it was published, and its key in the bibliography; empty for none.
    """

    name: str
    title: str
    spent: Spent | None = None
    boundary: "Boundary | None" = None
    parameter: Parameter | None = None
    one_look: bool = False
    reference: str
    cite: str = ""

    @property
    def spends(self) -> bool:
        """Whether it spends the error as information comes in, and so may look at any time."""
        return self.spent is not None


def _between(low: float, high: float, hint: str) -> Callable[[float, str], None]:
    def check(value: float, name: str) -> None:
        if not low <= value <= high:
            raise InputError(
                f"`{name}` must lie between {low:g} and {high:g}; got {value!r}. {hint}"
            )

    return check


def _positive(value: float, name: str) -> None:
    from detectable.core import check

    check.positive(value, name)


def _like_obrien_fleming(level: float, t: float, _: float) -> float:
    from detectable.kernels.distributions import normal_below, normal_quantile

    return 2.0 * normal_below(normal_quantile(0.5 * level) / math.sqrt(t))


def _exponential(level: float, t: float, gamma: float) -> float:
    if abs(gamma) < 1e-12:
        return level * t
    return level * math.expm1(-gamma * t) / math.expm1(-gamma)


def _power_of_time(
    information: Sequence[float], alpha: float, sided: int, inside: "Inside", delta: float
) -> tuple[float, ...]:
    from detectable.sequential.boundaries import wang_tsiatis_boundary

    return wang_tsiatis_boundary(information, alpha, delta=delta, sided=sided, inside=inside)


def _constant(
    information: Sequence[float], alpha: float, sided: int, inside: "Inside", _: float
) -> tuple[float, ...]:
    return _power_of_time(information, alpha, sided, inside, 0.5)


def _falling(
    information: Sequence[float], alpha: float, sided: int, inside: "Inside", _: float
) -> tuple[float, ...]:
    return _power_of_time(information, alpha, sided, inside, 0.0)


def _strict_before_the_last(
    information: Sequence[float], alpha: float, sided: int, inside: "Inside", z: float
) -> tuple[float, ...]:
    from detectable.sequential.boundaries import haybittle_peto_boundary

    return haybittle_peto_boundary(information, alpha, interim_z=z, sided=sided, inside=inside)


_ROWS = (
    FamilyRow(
        name="hsd",
        title="Hwang-Shih-DeCani",
        spent=_exponential,  # a (1 − exp(−γ t)) / (1 − exp(−γ))
        parameter=Parameter(
            name="gamma",
            letter="γ",
            default=-4.0,
            # beyond 100 all is spent in one instant
            check=_between(
                -100.0, 100.0, "The usual values are -4 (few early stops) to 1 (many)."
            ),
        ),
        reference="Hwang, Shih and DeCani (1990), Statistics in Medicine 9(12), 1439–1445",
        cite="hwang-etal-1990",
    ),
    FamilyRow(
        # Not O'Brien and Fleming's design: three equal looks at .05 stop at 3.710, 2.511, 1.993,
        # and theirs at 3.471, 2.454, 2.004.
        name="ld-obf",
        title="Lan-DeMets (like O'Brien-Fleming)",
        spent=_like_obrien_fleming,  # 2 − 2 Φ(z(1 − a/2) / √t)
        reference="Lan and DeMets (1983), Biometrika 70(3), 659–663",
        cite="lan-demets-1983",
    ),
    FamilyRow(
        name="ld-pocock",
        title="Lan-DeMets (like Pocock)",
        spent=lambda level, t, _: level * math.log1p((math.e - 1.0) * t),
        reference="Lan and DeMets (1983), Biometrika 70(3), 659–663",
        cite="lan-demets-1983",
    ),
    FamilyRow(
        name="kim-demets",
        title="Kim-DeMets",
        spent=lambda level, t, rho: level * t**rho,
        parameter=Parameter(name="rho", letter="ρ", default=2.0, check=_positive),
        reference="Kim and DeMets (1987), Biometrika 74(1), 149–154",
        cite="kim-demets-1987",
    ),
    FamilyRow(
        name="pocock",
        title="Pocock",
        boundary=_constant,
        reference="Pocock (1977), Biometrika 64(2), 191–199",
        cite="pocock-1977",
    ),
    FamilyRow(
        name="obrien-fleming",
        title="O'Brien-Fleming",
        boundary=_falling,
        reference="O'Brien and Fleming (1979), Biometrics 35(3), 549–556",
        cite="obrien-fleming-1979",
    ),
    FamilyRow(
        name="wang-tsiatis",
        title="Wang-Tsiatis",
        boundary=_power_of_time,  # c (t / t_K)^(Δ − ½)
        parameter=Parameter(
            name="delta",
            letter="Δ",
            default=0.25,
            check=_between(-0.5, 1.0, "0 is O'Brien-Fleming, 0.5 is Pocock."),
        ),
        reference="Wang and Tsiatis (1987), Biometrics 43(1), 193–199",
        cite="wang-tsiatis-1987",
    ),
    FamilyRow(
        name="haybittle-peto",
        title="Haybittle-Peto",
        boundary=_strict_before_the_last,
        parameter=Parameter(name="interim_z", letter="z", default=3.0, check=_positive),
        reference="Haybittle (1971), British Journal of Radiology 44, 793–797",
        cite="haybittle-1971",
    ),
    FamilyRow(
        name="fixed",
        title="One look",
        boundary=_constant,
        one_look=True,
        reference="no interim look: the ordinary critical value",
    ),
)

FAMILIES: dict[str, FamilyRow] = {row.name: row for row in _ROWS}
DEFAULT_FAMILY = "hsd"
DEFAULT_BETA_FAMILY = "ld-obf"  # spends the miss rate late


@dataclass(frozen=True, slots=True)
class Family:
    """A family of `FAMILIES`, with a value of its parameter if it has one.

    Examples
    --------
    >>> round(Family("ld-obf").spent(0.025, 0.5), 6)
    0.001525
    """

    name: str
    parameter: float | None = None  # by default that of the table

    def __post_init__(self) -> None:
        own = family_row(self.name).parameter
        if self.parameter is None:
            return
        if own is None:
            raise InputError(
                f"`parameter` must not be given for the family {self.name}, which has none; got "
                f"{self.parameter!r}."
            )
        own.check(self.parameter, own.name)

    @property
    def spends(self) -> bool:
        """Whether it may look at any time."""
        return FAMILIES[self.name].spends

    def spent(self, level: float, t: float) -> float:
        """Return the error of one side spent up to the share `t`; all of `level` from 1 on."""
        formula = FAMILIES[self.name].spent
        if formula is None:
            raise InputError(
                f"`family` must be a spending family here; got {self.name!r}. "
                f"Use {spending_families()}."
            )
        if t >= 1.0:
            return level
        return 0.0 if t <= 0.0 else formula(level, t, self._value)

    def cumulative(
        self, information: Sequence[float], level: float, *, final: bool = False
    ) -> list[float]:
        """Return the error of one side spent up to every look; all of it at a final one."""
        spent = [self.spent(level, t) for t in information]
        if final:
            spent[-1] = level
        return spent

    def boundary(
        self,
        information: Sequence[float],
        alpha: float,
        *,
        sided: int,
        inside: "Inside" = (),
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
            Sides of the test. A two-sided test spends f(α/2, t) on each side.
        inside : sequence, optional
            Binding stops for futility.
        final : bool
            The last look is declared the last, and spends all that is left.
        """
        from detectable.sequential.boundaries import spending_boundary

        rule = FAMILIES[self.name].boundary
        if rule is not None:
            return rule(information, alpha, sided, inside, self._value)
        spent = self.cumulative(information, alpha / sided, final=final)
        return spending_boundary(information, spent, sided=sided, inside=inside)

    def describe(self) -> str:
        """Return the name for people, with the parameter."""
        row = FAMILIES[self.name]
        if self.parameter is None or row.parameter is None:
            return row.title
        shown = f"{row.title} ({row.parameter.letter} = {self.parameter:g})"
        return shown.replace("= -", "= −")

    @property
    def _value(self) -> float:
        own = FAMILIES[self.name].parameter
        if own is None:
            return math.nan
        return own.default if self.parameter is None else self.parameter


def family_row(name: str) -> FamilyRow:
    """Return the row of a family, or say which there are."""
    row = FAMILIES.get(name)
    if row is None:
        raise InputError(f"`family` must be one of {', '.join(FAMILIES)}; got {name!r}.")
    return row


def chosen_family(name: str | None, given: dict[str, float | None]) -> Family:
    """Return a family with its parameter, refusing the parameters of others.

    Parameters
    ----------
    name : str or None
        None is the default family.
    given : dict
        Values by name of the parameter; None where the parameter is not given.
    """
    row = family_row(name or DEFAULT_FAMILY)
    for word, value in given.items():
        owners = parameter_owners().get(word)
        if owners is None:
            raise InputError(
                f"`{word}` must be a parameter of a family, {_either(tuple(parameter_owners()))}; "
                "there is no such option."
            )
        if value is not None and row not in owners:
            raise InputError(
                f"`{word}` belongs to the family {_either([owner.name for owner in owners])}; got "
                f"it with {row.name}. Leave it out, or choose that family."
            )
    if row.parameter is None:
        return Family(row.name)
    value = given.get(row.parameter.name)
    return Family(row.name, row.parameter.default if value is None else value)


def parameter_owners() -> dict[str, tuple[FamilyRow, ...]]:
    """Return the names of all parameters, and the families that take each.

    Examples
    --------
    >>> list(parameter_owners())
    ['gamma', 'rho', 'delta', 'interim_z']
    """
    owners: dict[str, tuple[FamilyRow, ...]] = {}
    for row in FAMILIES.values():
        if row.parameter is not None:
            owners[row.parameter.name] = (*owners.get(row.parameter.name, ()), row)
    return owners


def spending_names() -> tuple[str, ...]:
    """Return the names of the families that may look at any time."""
    return tuple(row.name for row in FAMILIES.values() if row.spends)


def spending_families() -> str:
    """Return these names for a sentence: a, b or c."""
    return _either(spending_names())


def _either(names: Sequence[str]) -> str:
    *most, last = names
    return f"{', '.join(most)} or {last}" if most else last


# --- What a design is asked, beside its family and when it gives up ---


@dataclass(frozen=True, slots=True, kw_only=True)
class DesignSettings:
    """How often is looked, at which level and on how many items; see `design`."""

    looks: int | None = option(None, "Equally spaced looks (default 10).")
    alpha: float = alpha()
    sided: int = option(2, "Sides of the test, 1 or 2.")
    power: float = option(0.8, "Power that is planned for.", kind="probability")
    binding: bool = option(False, "Let the boundaries count on stops for futility.")
    preset: choices.DesignPreset | None = option(
        None, "paper: Pocock, 3 looks, give up where p > .5 (Wei et al. 2022)."
    )
    n_max: int | None = option(None, "Most items per system, to state samples in items.")

    def __post_init__(self) -> None:
        if self.sided not in (1, 2):
            raise InputError(f"`sided` must be 1 or 2; got {self.sided!r}.")
        check_settings(self)
        if self.power <= self.alpha:
            raise InputError(
                f"`power` must be above alpha, {self.alpha:g}; got {self.power:g}."
            )
