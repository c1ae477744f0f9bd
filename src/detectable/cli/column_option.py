"""``--column rater=annotator``: which column of a table of judgments is what."""

import click

_ROLES = ("response", "system", "rater", "item")


def column_names(
    _: click.Context, parameter: click.Parameter, texts: tuple[str, ...]
) -> dict[str, str]:
    """Read ``role=name`` given several times."""
    chosen = {}
    for text in texts:
        role, equals, name = text.partition("=")
        if not equals or role not in _ROLES or not name:
            raise click.BadParameter(
                f"takes role=name, with role one of {', '.join(_ROLES)}; got {text!r}.",
                param=parameter,
            )
        chosen[role] = name
    return chosen
