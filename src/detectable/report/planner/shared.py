"""The fields that every scenario shares: error rate, power, price and looks."""

from functools import cache

from detectable.report.planner.field import Field
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
