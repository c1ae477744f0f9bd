"""Every command: its name, where it is defined, and what help says of it; each is imported when called."""

from collections.abc import Callable, Iterator, Mapping, MutableMapping
from importlib import import_module
from typing import NamedTuple

import click


class Entry(NamedTuple):
    """Where a command is defined, and its first sentence, so that help need not import it."""

    place: str  # below detectable.cli, as module:attribute
    summary: str  # begins the command's own help, in less than 50 letters; a test compares them


# In the order of an evaluation's life, and so shown by --help; no summary is ever cut.
GROUPS = {
    "Start": {
        "demo": Entry("demo:demo", "See everything work on bundled data."),
        "doctor": Entry("demo:doctor", "What is in these files, and what to type next."),
        "skill": Entry("agents:skill", "One page of usage for agents and pipelines."),
        "mcp": Entry("agents:mcp", "Serve tools for agents on one folder."),
    },
    "Before the data": {
        "power": Entry("power:power", "How likely are you to show a true effect?"),
        "mde": Entry("power:mde", "Smallest difference you could detect."),
        "sample-size": Entry("power:sample_size", "How many items show an effect?"),
        "power-curve": Entry("power:power_curve", "Power by size, effect and assumption."),
        "cheapest": Entry("cheapest:cheapest", "Cheapest raters and items that reach a power."),
        "reliability": Entry("reliability:reliability", "How many documents do you need?"),
        "audit": Entry("audit:audit", "What could past evaluations detect?"),
    },
    "Collect": {
        "tasks": Entry("tasks:tasks", "Annotation tasks with quality controls."),
        "select": Entry("select:select", "Choose what people judge, with valid weights."),
        "stratify": Entry("select:stratify", "Now `select --by random`; goes with a release."),
        "campaign": Entry("campaign:campaign", "Collect judgments in the browser."),
        "import": Entry("tasks:import_judgments", "Convert human judgments to one table."),
        "serve": Entry("demo:serve", "Planner, explorer and campaigns in a browser."),
    },
    "From outputs": {
        "compare": Entry("compare:compare", "Is B better than A, from outputs or scores?"),
        "score": Entry("score:score", "What does one system score, with intervals?"),
        "gate": Entry("gate:gate", "Pass, fail or inconclusive, for CI."),
        "meaning": Entry("meta:meaning", "Would people notice a difference of this size?"),
        "meta": Entry("meta:meta", "Which metric agrees with people?"),
        "translationese": Entry(
            "translationese:translationese", "Forward against reverse-created test data."
        ),
    },
    "From people": {
        "quality": Entry("noise:quality", "Which raters notice degraded copies?"),
        "rank": Entry("rank:rank", "Clusters of systems from human scores."),
        "arena": Entry("rank:arena", "Ranks of systems from battles."),
        "mixed": Entry("rank:mixed", "Systems, with raters and items as samples."),
        "variance": Entry("noise:variance", "How much of the variance is noise?"),
        "agreement": Entry("noise:agreement", "How far do raters agree?"),
        "control-variates": Entry(
            "judges:control_variates", "Human means, made more precise by a metric."
        ),
        "labels": Entry("judges:labels", "How many human labels beside a judge?"),
    },
    "Peek and stop": {
        "design": Entry("design:design", "Interim looks that keep the error rate."),
        "plan": Entry("plan:plan", "Freeze the question and looks before the data."),
        "look": Entry("plan:look", "Look at the data so far: go on or stop?"),
        "conclude": Entry("plan:conclude", "Verdict, p and interval over all looks."),
        "subsample": Entry("plan:subsample", "The same random questions for every model."),
        "savings": Entry("audit:savings", "What would stopping early have saved?"),
    },
    "Results": {
        "report": Entry("report:report", "Pages from saved results."),
        "verify": Entry("verify:verify", "Compute a saved result again and compare."),
        "release": Entry("verify:release", "A folder of data and result to publish."),
    },
}
COMMANDS = {name: entry for group in GROUPS.values() for name, entry in group.items()}

# Commands that read files and compute, and do nothing else: no store, no server, no plan or ledger.
# What they gave is verified by typing them again.
COMPUTE = frozenset(
    {
        *("doctor", "compare", "gate", "score", "reliability", "power", "mde", "sample-size"),
        *("power-curve", "cheapest", "tasks", "quality", "rank", "arena", "mixed", "variance"),
        *(
            "agreement",
            "control-variates",
            "select",
            "stratify",
            "labels",
            "meta",
            "translationese",
        ),
        *("design", "savings", "audit", "plan show"),
    }
)


# --- Commands that are imported when they are called, so that each loads only its own module ---


class LazyCommands(MutableMapping[str, click.Command]):
    """The commands of a group, each made at its first use.

    Parameters
    ----------
    makers : mapping of str to callable
        What makes the command of a name, in the order in which help lists them.

    Examples
    --------
    >>> commands = LazyCommands({"quiet": lambda: click.Command("quiet")})
    >>> list(commands), commands["quiet"].name
    (['quiet'], 'quiet')
    """

    def __init__(self, makers: Mapping[str, Callable[[], click.Command]]) -> None:
        self._makers = dict(makers)
        self._made: dict[str, click.Command] = {}

    def __getitem__(self, name: str) -> click.Command:
        """Return a command; make it if this is its first use."""
        if name not in self._made:
            self._made[name] = self._makers[name]()
        return self._made[name]

    def __setitem__(self, name: str, command: click.Command) -> None:
        """Add a command that is there already."""
        self._makers[name] = lambda: command
        self._made[name] = command

    def __delitem__(self, name: str) -> None:
        """Take a command out."""
        del self._makers[name]
        self._made.pop(name, None)

    def __contains__(self, name: object) -> bool:
        """Say whether there is such a command, without making it."""
        return name in self._makers

    def __iter__(self) -> Iterator[str]:
        """Go through the names; nothing is made."""
        return iter(self._makers)

    def __len__(self) -> int:
        """Return how many commands there are."""
        return len(self._makers)


def imported(module: str, attribute: str) -> Callable[[], click.Command]:
    """Return what imports a command from the module that defines it."""

    def make() -> click.Command:
        command: click.Command = getattr(import_module(module), attribute)
        return command

    return make


class Whole(click.Group):
    """A group whose help says the first sentence of every command, and cuts none."""

    def format_commands(self, ctx: click.Context, formatter: click.HelpFormatter) -> None:
        """List the commands; what is longer than its line goes on below it."""
        with formatter.section("Commands"):
            formatter.write_dl(
                [
                    (name, command.get_short_help_str(1000))
                    for name in self.list_commands(ctx)
                    if (command := self.get_command(ctx, name)) is not None
                ]
            )
