"""The two fields that every scenario asks in its own words: how much, and how large a difference."""

from detectable.report.planner.field import Field


def size_field(
    *,
    label: str,
    default: int,
    low: int,
    high: int,
    slides: tuple[int, int],
    help: str = "",
    option: str = "--n",
) -> Field:
    """Return the field of the size, whose slider moves by factors."""
    return Field(
        name="n_items",
        key="n",
        label=label,
        help=help,
        default=default,
        option=option,
        low=low,
        high=high,
        slides=slides,
        whole=True,
        log=True,
    )


def effect_field(
    *,
    label: str,
    default: float,
    low: float,
    high: float,
    slides: tuple[float, float],
    step: float,
    help: str = "",
) -> Field:
    """Return the field of the true difference, on the scale of the scenario."""
    return Field(
        name="effect",
        key="e",
        label=label,
        help=help,
        default=default,
        option="--effect",
        low=low,
        high=high,
        slides=slides,
        step=step,
    )
