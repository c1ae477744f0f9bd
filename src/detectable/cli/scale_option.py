"""``--scale LOW:HIGH``: the lowest and the highest possible score."""

import click


def read_scale(
    _: click.Context, parameter: click.Parameter, text: str | None
) -> tuple[float, float] | None:
    """Read ``0:100``; either end may be left out, where there is no bound."""
    if text is None:
        return None
    low, colon, high = text.partition(":")
    try:
        ends = float(low or "-inf"), float(high or "inf")
    except ValueError:
        ends = (0.0, 0.0)
    if not colon or not ends[0] < ends[1]:
        raise click.BadParameter(
            f"takes LOW:HIGH, for example 0:100 or :0; got {text!r}.", param=parameter
        )
    return ends
