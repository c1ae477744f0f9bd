"""``detectable arena``: strengths and ranks of systems from battles."""

from typing import TYPE_CHECKING, Any

import click

from detectable.cli import options
from detectable.cli.column_option import column_option
from detectable.cli.command import command
from detectable.cli.lazy_choice import LazyChoice
from detectable.core import choices

if TYPE_CHECKING:
    from detectable.study.arena.result import Arena


def _formats() -> tuple[str, ...]:
    from detectable.data.battles.battle_registry import battle_readers

    return battle_readers().names()


def _two_names(
    _: click.Context, parameter: click.Parameter, text: str | None
) -> tuple[str, str] | None:
    if text is None:
        return None
    names = [name.strip() for name in text.split(",")]
    if len(names) != 2 or not all(names):
        raise click.BadParameter(f"takes two systems, A,B; got {text!r}.", param=parameter)
    return names[0], names[1]


@command(unfold=options.pairs)
@click.argument("battles", metavar="FILES", nargs=-1, required=True)
@click.option(
    "--format",
    type=LazyChoice(_formats, always=("auto",)),
    default="auto",
    show_default=True,
    help="Of the battles; see docs/arena.md.",
)
@column_option(choices.words(choices.BattleRole), "prompt=question")
@click.option(
    "--language", metavar="NAME", help="Take the battles in this language (default: all)."
)
@options.choice("--ties", of=choices.TieRule, help="A tie is half a win, modelled, or dropped.")
@options.choice(
    "--cluster",
    of=choices.VoteCluster,
    help="What is independent; auto: prompts and voters, where they repeat.",
)
@options.choice(
    "--side",
    of=choices.SideEffect,
    help="Estimate the effect of the first place; auto: if known.",
)
@click.option(
    "--covariate",
    "covariates",
    multiple=True,
    metavar="NAME",
    help="What else may sway voters: columns NAME_a and NAME_b (repeatable).",
)
@options.choice(
    "--weights",
    of=choices.VoteWeights,
    help="Every vote counts alike, or every pair of systems.",
)
@options.choice(
    "--penalty", of=choices.Penalty, help="firth: finite strengths for unbeaten systems."
)
@click.option(
    "--bootstrap",
    default=0,
    show_default=True,
    help="Draws of the Bayesian bootstrap for standard errors; 0: sandwich.",
)
@click.option(
    "--effect",
    default=20.0,
    show_default=True,
    help="A gap in points of Elo, for the votes needed.",
)
@click.option(
    "--between",
    metavar="A,B",
    callback=_two_names,
    help="Two systems that the next vote is to separate (default: the two strongest).",
)
@options.show_pairs
@options.alpha
@options.power
@options.seed
def arena(battles: tuple[str, ...], *, columns: dict[str, str], **settings: Any) -> "Arena":
    """Rank systems from the battles in FILES: strengths, ranks that hold together, every pair.

    FILES have one row per battle: two systems and a winner, and where known the prompt, the voter
    and covariates (CSV, TSV, JSON lines, Parquet); or what an arena, AlpacaEval, Arena-Hard or
    MT-bench wrote. Several files are joined.

    \b
    Examples:
        detectable arena battles.csv --seed 1
        detectable arena battles.csv --covariate length --ties davidson --pairs
    """  # noqa: D301 (click reads the character \\b as «leave these lines as they are»)
    from detectable.study.arena.arena import arena as rank

    source = battles[0] if len(battles) == 1 else list(battles)
    return rank(source, columns=columns or None, **settings)
