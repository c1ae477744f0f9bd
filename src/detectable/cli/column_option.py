"""``--column rater=annotator``: which column of a table is what."""

from collections.abc import Callable, Sequence
from typing import Any

import click

Chosen = dict[str, str]


def column_names(
    roles: Sequence[str],
) -> Callable[[click.Context, click.Parameter, tuple[str, ...]], Chosen]:
    """Return a reader of ``role=name``, given several times, for some roles."""

    def read(_: click.Context, parameter: click.Parameter, texts: tuple[str, ...]) -> Chosen:
        chosen = {}
        for text in texts:
            role, equals, name = text.partition("=")
            if not equals or role not in roles or not name:
                raise click.BadParameter(
                    f"takes role=name, with role one of {', '.join(roles)}; got {text!r}.",
                    param=parameter,
                )
            chosen[role] = name
        return chosen

    return read


def column_option(roles: Sequence[str], example: str) -> Callable[[Any], Any]:
    """Return the option ``--column`` of a table with some roles."""
    return click.option(
        "--column",
        "columns",
        multiple=True,
        metavar="ROLE=NAME",
        callback=column_names(roles),
        help=f"Which column is what, where its name is unusual: {example} (repeatable).",
    )
