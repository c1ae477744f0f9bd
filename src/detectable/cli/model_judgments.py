"""How human judgments are read for a mixed model, as options shared by commands."""

from collections.abc import Callable
from typing import TYPE_CHECKING, Any

import click

from detectable.cli import judgment_options
from detectable.cli.command import note

if TYPE_CHECKING:
    from detectable.core.choices import MixedRepeats
    from detectable.data.human.judgments import Judgments

_CHOSEN = (
    click.option("--campaign", help="Which campaign, where FILE holds several."),
    click.option("--language", help="Which language pair, where FILE holds several."),
)


def model_judgment_options(command: Callable[..., Any]) -> Callable[..., Any]:
    """Add how to read judgments, and ``campaign`` and ``language``."""
    for option in reversed(_CHOSEN):
        command = option(command)
    return judgment_options.judgment_options(command)


def load(
    path: Any, reading: dict[str, Any], *, repeats: "MixedRepeats" = "mean"
) -> "Judgments":
    """Read judgments of any scale, and say on stderr what the reader left out or changed."""
    from detectable.mixed.usable import reading_options

    options = reading_options(
        scale=reading["scale"], repeated=reading["repeated"], repeats=repeats
    )
    return judgment_options.load(path, **{**reading, **options})


def load_ordinary(path: Any, settings: dict[str, Any]) -> "Judgments":
    """Read judgments of one evaluation without its controls, and say what was left out.

    What these options hold is taken out of `settings`.
    """
    from detectable.data.human.one_evaluation import one_evaluation
    from detectable.data.human.ordinary import ordinary

    chosen = {name: settings.pop(name) for name in ("campaign", "language")}
    read = load(path, judgment_options.reading(settings))
    kept, notes = ordinary(one_evaluation(read, **chosen))
    note(*notes)
    return kept


def refuse(settings: dict[str, Any], because: str) -> None:
    """Take these options out of `settings`, and refuse those that were given."""
    given = judgment_options.reading(settings)
    given |= {name: settings.pop(name) for name in ("campaign", "language")}
    judgment_options.refuse(given, because)
