"""The fields that every scenario shares: error rate, power, price, looks and margin."""

from collections.abc import Mapping
from functools import cache

from detectable.report.planner.field import Call, Field, Values
from detectable.sequential.families import DEFAULT_FAMILY, FAMILIES

ALPHA = Field(
    name="alpha",
    key="a",
    label="False alarms accepted (α)",
    help="Chance to find a difference where there is none.",
    default=0.05,
    option="--alpha",
    low=0.0001,
    high=0.5,
    slides=(0.001, 0.2),
    step=0.001,
)
POWER = Field(
    name="power",
    key="p",
    label="Power wanted",
    help="How often a true effect should be found.",
    default=0.8,
    option="--power",
    low=0.1,
    high=0.999,
    slides=(0.5, 0.99),
    step=0.01,
)
_LOOKS = Field(
    name="looks",
    key="k",
    label="Looks at the data",
    help="1 is one test at the end; more may stop early.",
    default=1,
    option="--looks",
    low=1,
    high=20,
    step=1,
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
        name="price",
        key="c",
        label=f"Price of one {noun}",
        help="In any currency; 0 leaves the cost out.",
        default=0.0,
        low=0.0,
        high=1_000_000.0,
        slides=(0.0, 5.0),
        step=0.05,
    )
    family = Field(
        name="family",
        key="f",
        label="Boundaries",
        help="How the chance of a false alarm is shared among the looks.",
        default=DEFAULT_FAMILY,
        option="--family",
        words=tuple((row.name, row.title) for row in FAMILIES.values() if not row.one_look),
    )
    return (POWER, ALPHA, price, _LOOKS, family)


# --- What is to be shown: that there is a difference, or that none of them matters ---

_WITH = ("non-inferior", "equivalent")


def claim_field(when: tuple[str, tuple[str, ...]] | None = None) -> Field:
    """Return the field that says what is to be shown."""
    return Field(
        name="claim",
        key="w",
        label="What is to be shown",
        default="better",
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
        name="margin",
        key="m",
        label="Margin",
        help=help,
        default=default,
        option="--margin",
        low=step / 100,
        high=high,
        slides=(step, high),
        step=step,
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
