"""Fields and forms of the planner: a number or a word each, with all that a page needs to know of it."""

import math
from collections.abc import Callable, Mapping
from dataclasses import dataclass, field, replace
from functools import cache
from typing import TYPE_CHECKING, Any, Literal, TypeAlias

from detectable.core.errors import InputError
from detectable.core.options import Shared, declared
from detectable.core.wording import plain_digits
from detectable.sequential.families import DEFAULT_FAMILY, FAMILIES

if TYPE_CHECKING:
    from detectable.planning.scenario import Scenario

Value: TypeAlias = float | int | str
Values: TypeAlias = Mapping[str, Value]


@dataclass(frozen=True, slots=True)
class Field:
    """One field.

    Attributes
    ----------
    name : str
        The argument of the library that it fills, and its name among the values.
    key : str
        Its short name in an address.
    label, help : str
        For people; the help says what a number means.
    default : number or str
        Where nothing was chosen.
    option : str
        On the command line; empty where it is no option by itself.
    within : (float, float)
        The range that may be given; outside it, the library or the server would take too long.
    slides : tuple of float, optional
        The ends of the slider, where it is shorter than the range.
    step : float
        Of the slider.
    whole : bool
        Whether only whole numbers make sense.
    log : bool
        Whether the slider moves by factors.
    words : tuple of (str, str)
        For a choice: each word, and what it means. Then the field has no numbers.
    when : tuple of (str, tuple of str), optional
        The field is there only while another has one of these words.
    """

    name: str
    key: str
    label: str
    default: Value
    within: tuple[float, float] = (-math.inf, math.inf)
    slides: tuple[float, float] | None = None
    step: float = 0.01
    option: str = ""
    help: str = ""
    whole: bool = False
    log: bool = False
    words: tuple[tuple[str, str], ...] = ()
    when: tuple[str, tuple[str, ...]] | None = None

    @property
    def kind(self) -> Literal["choice", "whole", "number"]:
        """What it takes."""
        return "choice" if self.words else "whole" if self.whole else "number"

    @property
    def slider(self) -> tuple[float, float]:
        """The ends of the slider."""
        return self.slides or self.within

    def is_there(self, values: Values) -> bool:
        """Say whether the field plays a part, as the others are."""
        return self.when is None or str(values[self.when[0]]) in self.when[1]

    def read(self, text: str) -> Value:
        """Return the value that a text stands for.

        Examples
        --------
        >>> Field("sd", "sd", "Spread", 20.0, (0.0, 50.0)).read("12.5")
        12.5
        """
        if self.words:
            known = [word for word, _ in self.words]
            if text not in known:
                raise InputError(
                    f"`{self.name}` must be one of {', '.join(known)}; got {text[:40]!r}."
                )
            return text
        number, (low, high) = self._number(text), self.within
        if not low <= number <= high:
            raise InputError(
                f"`{self.name}` must lie between {low:,g} and {high:,g} here; got "
                f"{text[:40]!r}."
            )
        return int(number) if self.whole else number

    def _number(self, text: str) -> float:
        try:
            number = float(plain_digits(text.replace("\u2212", "-")))
        except ValueError:
            number = math.nan
        if not math.isfinite(number) or (self.whole and number != int(number)):
            what = "a whole number" if self.whole else "a number"
            raise InputError(f"`{self.name}` must be {what}; got {text[:40]!r}.")
        return number

    def write(self, value: Value) -> str:
        """Return the shortest text that reads back as the value.

        Examples
        --------
        >>> Field("n", "n", "Items", 10, whole=True).write(400), Field("e", "e", "Effect", 1.0).write(2.0)
        ('400', '2')
        """
        if isinstance(value, str):
            return value
        return str(int(value)) if value == int(value) and abs(value) < 1e15 else repr(value)


# --- The form of one scenario: its fields, and what they build ---

PilotKind = Literal["scores", "judgments", "corpus"]


@dataclass(frozen=True, slots=True)
class Call:
    """A scenario as it is written: the name of its class and what it is given.

    From the one description come the scenario itself and the line of Python that makes it.
    """

    name: str
    settings: Mapping[str, Any]
    inner: "Call | None" = None  # the scenario that a margin is put around

    def build(self) -> "Scenario":
        """Return the scenario."""
        from detectable.planning import scenarios

        given = () if self.inner is None else (self.inner.build(),)
        made: Scenario = getattr(scenarios, self.name)(*given, **self.settings)
        return made

    def python(self) -> str:
        """Return the expression that makes it.

        Examples
        --------
        >>> Call("RankSum", {"levels": 5}).python()
        'dt.scenarios.RankSum(levels=5)'
        """
        parts = [] if self.inner is None else [self.inner.python()]
        parts += [f"{name}={value!r}" for name, value in self.settings.items()]
        return f"dt.scenarios.{self.name}({', '.join(parts)})"


@dataclass(frozen=True, slots=True, kw_only=True)
class Form:
    """All that the planner knows of a scenario.

    Attributes
    ----------
    name : str
        As the command line calls it.
    title, says : str
        For people: its name, and in a sentence what is judged and tested.
    fields : tuple of Field
        Its own settings; size, effect and what all scenarios share come after them.
    size, effect : Field
        The two that are moved most.
    call : callable
        Takes the values and says which scenario they make.
    words : callable
        Takes the values and returns what the command line needs beyond the options of the fields.
    noun : str
        What is paid for: a judgment, a vote, an item.
    paid : callable
        Takes the values and a size, and says how many of them that is.
    slow : callable
        Takes the values: whether the searches for a size and an effect are too slow for every move
        of a slider.
    sided : callable
        Takes the values: 1 or 2 sides for designs with looks; 0 where there are no such designs.
    plan : callable or None
        Takes the values and returns what a frozen plan is given; None where looks do not know it.
    pilot : str or None
        What kind of pilot data says its settings.
    """

    name: str
    title: str
    says: str
    fields: tuple[Field, ...]
    size: Field
    effect: Field
    call: Callable[[Values], Call]
    noun: str
    paid: Callable[[Values, int], int]
    words: Callable[[Values], tuple[str, ...]] = lambda _: ()
    slow: Callable[[Values], bool] = lambda _: False
    sided: Callable[[Values], int] = lambda _: 2
    plan: Callable[[Values], dict[str, Any]] | None = None
    pilot: PilotKind | None = None
    defaults: Mapping[str, Value] = field(default_factory=dict)  # of shared fields


# --- Fields of settings that are declared elsewhere, and the two that every scenario has ---


def fields_of(settings: type, *names: str) -> tuple[Field, ...]:
    """Return the fields of the settings that a page asks for: all, or those that are named."""
    made = {
        one.name: Field(
            **{"name": one.name, **one.said.page}, option=one.flag, whole=one.kind is int
        )
        for one in declared(settings)
        if one.said.page is not None
    }
    return tuple(made[name] for name in names or made)


def size_field(
    label: str,
    default: int,
    within: tuple[int, int],
    slides: tuple[int, int],
    *,
    help: str = "",
    option: str = "--n",
) -> Field:
    """Return the field of the size, whose slider moves by factors."""
    field = Field("n_items", "n", label, default, within, slides, option=option, help=help)
    return replace(field, whole=True, log=True)


def effect_field(
    label: str,
    default: float,
    within: tuple[float, float],
    slides: tuple[float, float],
    step: float,
    *,
    help: str = "",
) -> Field:
    """Return the field of the true difference, on the scale of the scenario."""
    return Field("effect", "e", label, default, within, slides, step, "--effect", help)


# --- The fields that every scenario shares: error rate, power, price, looks and margin ---

_KNOWN = Shared()
ALPHA = Field(
    *("alpha", "a", "False alarms accepted (α)", _KNOWN.alpha),
    *((0.0001, 0.5), (0.001, 0.2), 0.001),
    option="--alpha",
    help="Chance to find a difference where there is none.",
)
POWER = Field(
    *("power", "p", "Power wanted", _KNOWN.power, (0.1, 0.999), (0.5, 0.99)),
    option="--power",
    help="How often a true effect should be found.",
)
_LOOKS = Field(
    *("looks", "k", "Looks at the data", 1, (1, 20), None, 1),
    option="--looks",
    help="1 is one test at the end; more may stop early.",
    whole=True,
)


@cache
def shared_fields(noun: str) -> tuple[Field, ...]:
    """Return the fields, in the order in which they stand.

    Parameters
    ----------
    noun : str
        What is paid for.
    """
    price = Field(
        *("price", "c", f"Price of one {noun}", 0.0, (0.0, 1_000_000.0), (0.0, 5.0), 0.05),
        help="In any currency; 0 leaves the cost out.",
    )
    family = Field(
        *("family", "f", "Boundaries", DEFAULT_FAMILY),
        option="--family",
        help="How the chance of a false alarm is shared among the looks.",
        words=tuple((row.name, row.title) for row in FAMILIES.values() if not row.one_look),
    )
    return (POWER, ALPHA, price, _LOOKS, family)


# --- What is to be shown: that there is a difference, or that none of them matters ---

_WITH = ("non-inferior", "equivalent")


def claim_field(when: tuple[str, tuple[str, ...]] | None = None) -> Field:
    """Return the field that says what is to be shown."""
    return Field(
        *("claim", "w", "What is to be shown", "better"),
        words=(
            ("better", "that the systems differ"),
            ("non-inferior", "that the first is not worse by the margin"),
            ("equivalent", "that they are equal within the margin"),
        ),
        when=when,
    )


def has_margin(values: Values) -> bool:
    """Say whether the claim needs a margin."""
    return values["claim"] in _WITH


def margin_field(default: float, high: float, step: float, help: str) -> Field:
    """Return the field of the margin."""
    return Field(
        *("margin", "m", "Margin", default, (step / 100, high), (step, high), step),
        option="--margin",
        help=help,
        when=("claim", _WITH),
    )


def with_margin(name: str, inner: Call, values: Values) -> Call:
    """Return the scenario, with a margin around it where the claim has one."""
    if not has_margin(values):
        return inner
    return Call(name, {"margin": values["margin"], "claim": values["claim"]}, inner)


def claim_words(values: Values) -> tuple[str, ...]:
    """Return the claim for the command line."""
    return ("--claim", str(values["claim"])) if has_margin(values) else ()


def sides(values: Values) -> int:
    """Return the sides of a test with looks: equivalence has two one-sided ones, and no design."""
    return {"better": 2, "non-inferior": 1, "equivalent": 0}[str(values["claim"])]


def claim_of_plan(values: Values) -> Mapping[str, object]:
    """Return what a plan is told of the claim."""
    if not has_margin(values):
        return {}
    return {"claim": values["claim"], "margin": values["margin"]}
