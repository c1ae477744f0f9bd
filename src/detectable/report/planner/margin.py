"""What is to be shown: that there is a difference, or that none of them matters."""

from collections.abc import Mapping

from detectable.report.planner.field import Field, Values
from detectable.report.planner.form import Call

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
