"""What a scenario tells the command line: its options, and how to build it from them."""

import itertools
from collections.abc import Callable
from dataclasses import replace
from typing import TYPE_CHECKING, Any, NamedTuple, TypeVar

import click

from detectable.cli import options
from detectable.core.choices import PilotUnit
from detectable.core.registry import at
from detectable.core.wording import plain_digits

if TYPE_CHECKING:
    from detectable.planning.scenario import Scenario

    _Choice = click.Choice[str]
    _Kind = click.ParamType[Any]
else:  # older versions of click know no `Choice[str]`
    _Choice = click.Choice
    _Kind = click.ParamType


class ScenarioCommand(NamedTuple):
    """One scenario under ``power``, ``mde``, ``sample-size`` and ``power-curve``.

    To add a scenario, make one of these in ``cli/scenario_<name>.py``; ``cli/power.py`` finds it
    by the name of the file (``scenario_rank_sum.py`` is ``rank-sum``).

    Attributes
    ----------
    name : str
        What the user types.
    help : str
        One or two sentences: the process, the test.
    effect : str
        What ``--effect`` means, for its help.
    size : str
        What the size means, for its help.
    options : tuple
        Decorators made by ``click.option``, for the settings of the scenario.
    build : callable
        Turns the values of `options` into a scenario; imports what it needs when called.
    size_names : tuple of str
        The option that gives the size.
    counts_documents : bool
        Whether its items may come in documents, so that ``--documents`` gives the size as well.
    example : str
        Options of a ``detectable power`` that works.
    """

    name: str
    help: str
    effect: str
    size: str
    options: tuple[Callable[[Any], Any], ...]
    build: Callable[..., "Scenario"]
    example: str
    size_names: tuple[str, ...] = ("--n",)
    counts_documents: bool = False  # whether its items may come in documents
    ranges: tuple[str, ...] = ()  # settings of which ``power-curve`` takes several


def plainly(place: str) -> Callable[..., "Scenario"]:
    """Return what builds a scenario of `planning` from its settings alone."""

    def build(**settings: Any) -> "Scenario":
        made: Scenario = at(f"detectable.planning.{place}")(**settings)
        return made

    return build


class Several(_Kind):
    """Several values of an option, with commas between."""

    def __init__(self, one: _Kind) -> None:
        self.one = one
        self.name = one.name

    def convert(
        self, value: Any, param: click.Parameter | None, ctx: click.Context | None
    ) -> tuple[Any, ...]:
        """Return the values, each as the option takes one."""
        parts = [part for part in str(value).split(",") if part]
        return tuple(self.one.convert(part, param, ctx) for part in parts)

    def get_metavar(self, *given: Any, **named: Any) -> str:
        """Return what stands for one value in help, and that there may be more."""
        own = self.one.get_metavar(*given, **named) or self.name.upper()
        return f"{own}[,…]"


def ranged(made: click.Command, scenario: ScenarioCommand) -> click.Command:
    """Let the options that a scenario names take several values: with commas, or given again."""
    for option in made.params:
        if isinstance(option, click.Option) and option.name in scenario.ranges:
            option.type = Several(option.type)
            option.multiple = True
            if isinstance(option.default, str | int | float):
                option.default = (str(option.default),)
    return made


def assumptions(given: dict[str, Any], scenario: ScenarioCommand) -> dict[str, dict[str, Any]]:
    """Take what may range out of what was given; return every combination, named by what differs.

    Of settings of which one value was given the names say nothing.
    """
    flat = {
        name: [value for group in given.pop(name) or () for value in group]
        for name in scenario.ranges
    }
    varied = [name for name, values in flat.items() if len(values) > 1]
    found = {}
    for values in itertools.product(*(one or [None] for one in flat.values())):
        chosen = dict(zip(flat, values, strict=True))
        said = (_spoken(name, chosen[name]) for name in varied)
        found[", ".join(said)] = chosen
    return found


# Where the name of a setting and its value do not say it.
_SPOKEN = {
    "n_raters": "{} raters",
    "p0": "P0 = {}",
    "b0": "b0 = {}",
    "preset": "{}",
    "prior": "prior {}",
    "ties": "{} ties",
}


def _spoken(name: str, value: Any) -> str:
    said = f"{value:g}" if isinstance(value, float) else str(value)
    return _SPOKEN.get(name, f"{name.replace('_', ' ')} {{}}").format(said)


def numbers(
    _: click.Context, parameter: click.Parameter, texts: tuple[str, ...]
) -> tuple[float, ...]:
    """Read ``0.1,0.2`` given once or several times."""
    parts = [part for text in texts for part in text.split(",") if part]
    try:
        return tuple(float(plain_digits(part)) for part in parts)
    except ValueError:
        raise click.BadParameter(
            f"takes numbers with commas between; got {','.join(parts)!r}.", param=parameter
        ) from None


# --- Items that come in documents ---

Made = TypeVar("Made", bound="Scenario")

# What is known of documents: from the pilot, or assumed.
DOCUMENT_OPTIONS = (
    click.option(
        "--per-document",
        type=float,
        help="Items of a document, where no pilot names documents.",
    ),
    click.option(
        "--icc",
        type=float,
        help="How much items of a document resemble each other, 0 to 1, with --per-document.",
    ),
    options.choice(
        "--unit",
        of=PilotUnit,
        help="What is planned; auto: documents where the pilot names them, else items.",
    ),
)
DOCUMENT_SIZE = click.option(
    "--documents",
    "n_documents",
    type=int,
    help="Documents, in place of the items, where they are known.",
)


def with_documents(
    made: Made, *, per_document: float | None, icc: float | None, unit: str, pilot: bool
) -> Made:
    """Return a scenario with documents of the size and likeness that were typed."""
    if not pilot and unit != "auto":
        raise click.UsageError("--unit has no effect without a pilot. Drop it.")
    if per_document is None and icc is None:
        return made
    if per_document is None or icc is None:
        raise click.UsageError("--per-document and --icc go together.")
    if made.documents is not None:  # type: ignore[attr-defined]  # scenarios that count documents
        raise click.UsageError(
            "the pilot names documents, which say how they differ; drop --per-document and --icc, "
            "or add --unit item."
        )
    from detectable.planning.documents import AssumedDocuments

    return replace(made, documents=AssumedDocuments(per_document, icc))  # type: ignore[type-var]


def in_units(
    built: Any, sizes: Any, n_documents: int | None, *, counts_units: bool
) -> int | tuple[int, ...]:
    """Return the size in the unit of a scenario: ``--documents``, or the documents of ``--n`` items.

    Parameters
    ----------
    counts_units : bool
        Whether ``--n`` counts documents where they are planned, as the pilot's does.
    """
    known = getattr(built, "documents", None)
    drawn = getattr(getattr(built, "units", None), "name", "") == "document"
    several = isinstance(sizes, tuple)
    if n_documents is not None:
        if sizes:
            raise click.UsageError(
                "--documents takes the place of the items. Drop one of them."
            )
        if known is None and not drawn:
            raise click.UsageError(
                "--documents has no effect where items stand alone: give a pilot that names "
                "documents, or --per-document and --icc."
            )
        return n_documents
    if not sizes:
        raise click.UsageError(
            "say how many items there are, or --documents how many documents."
        )
    if known is None or counts_units:
        return sizes  # type: ignore[no-any-return]
    each = getattr(known, "size", None) or known.per_document
    found = tuple(max(2, round(n / each)) for n in (sizes if several else (sizes,)))
    return found if several else found[0]
