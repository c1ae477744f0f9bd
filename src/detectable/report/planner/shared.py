"""The fields that every scenario shares: error rate, power, price, looks and margin."""

from collections.abc import Mapping
from functools import cache

from detectable.core.options import Shared
from detectable.report.planner.field import Call, Field, Values
from detectable.sequential.families import DEFAULT_FAMILY, FAMILIES

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
