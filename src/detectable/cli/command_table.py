"""Every command: its name, where it is defined, and what help says of it; each is imported when called."""

from collections.abc import Callable, Iterator, Mapping, MutableMapping
from importlib import import_module
from typing import NamedTuple

import click


class Entry(NamedTuple):
    """Where a command is defined, and its first sentence, so that help need not import it."""

    place: str  # below detectable.cli, as module:attribute
    summary: str  # the first sentence of the command's own help; a test compares them


# In the order of an evaluation's life, and so shown by --help.
COMMANDS = {
    "demo": Entry(
        "demo:demo",
        "Take a bundled campaign from plan to conclusion, and write a page to open.",
    ),
    "doctor": Entry(
        "demo:doctor", "Say what files hold, what they can answer, and what to type next."
    ),
    "compare": Entry(
        "compare:compare",
        "Compare systems from their outputs, or from tables of segment scores.",
    ),
    "score": Entry("score:score", "Say what one system scores on every task, with intervals."),
    "gate": Entry(
        "gate:gate",
        "Say whether NEW may take the place of the baseline: pass, fail or inconclusive.",
    ),
    "reliability": Entry(
        "reliability:reliability",
        "Say what the documents at hand can tell, and how many more a closer look takes.",
    ),
    "power": Entry("power:power", "Say how likely an evaluation is to show a true effect."),
    "mde": Entry("power:mde", "Say the smallest effect that an evaluation can detect."),
    "sample-size": Entry(
        "power:sample_size", "Say how many items are needed to show an effect."
    ),
    "power-curve": Entry(
        "power:power_curve",
        "Say the power for several sizes and effects, as a table, and under several assumptions.",
    ),
    "cheapest": Entry(
        "cheapest:cheapest",
        "Say the cheapest design that reaches a power: raters, items, judgments.",
    ),
    "tasks": Entry(
        "tasks:tasks", "Make annotation tasks with controls from the outputs of systems."
    ),
    "campaign": Entry(
        "campaign:campaign",
        "Collect judgments: texts, raters with links, progress, and the data.",
    ),
    "import": Entry(
        "tasks:import_judgments",
        "Convert human judgments in SOURCE to a table, OUTPUT.",
    ),
    "quality": Entry(
        "noise:quality",
        "Test from JUDGMENTS whether each rater scores degraded copies below their originals.",
    ),
    "rank": Entry(
        "rank:rank",
        "Rank systems from human judgments in FILE, into clusters that can be told apart.",
    ),
    "arena": Entry(
        "rank:arena",
        "Rank systems from the battles in FILES: strengths, ranks that hold together, every pair.",
    ),
    "mixed": Entry(
        "rank:mixed",
        "Compare systems from human judgments in FILE, with raters and items as samples.",
    ),
    "variance": Entry(
        "noise:variance",
        "Split the variance of JUDGMENTS into quality and noise between raters.",
    ),
    "agreement": Entry(
        "noise:agreement",
        "Measure from JUDGMENTS how far raters agree: Krippendorff's alpha and correlations.",
    ),
    "control-variates": Entry(
        "judges:control_variates",
        "Estimate means and differences from JUDGMENTS, corrected by METRIC_SCORES.",
    ),
    "stratify": Entry(
        "judges:stratify",
        "Choose what people label next: at random within bins of the judge's scores in SCORES.",
    ),
    "labels": Entry(
        "judges:labels",
        "Say how many items people must label beside a judge that scores all of them.",
    ),
    "meta": Entry(
        "meta:meta",
        "Say which metric agrees with the human scores in FILE, and which agrees more.",
    ),
    "translationese": Entry(
        "translationese:translationese",
        "Split a test set by original language, and compare forward with reverse data.",
    ),
    "design": Entry(
        "design:design", "Plan interim looks that keep the chance of a false alarm."
    ),
    "savings": Entry(
        "audit:savings",
        "Replay past JUDGMENTS under stopping procedures, and say what they would have saved.",
    ),
    "plan": Entry("plan:plan", "Freeze what will be asked and when to stop, before the data."),
    "look": Entry(
        "plan:look",
        "Look at DATA, all judgments so far, under PLAN, and decide whether to stop.",
    ),
    "conclude": Entry(
        "plan:conclude",
        "Give the verdict of PLAN, with p-values and intervals that know of all looks.",
    ),
    "subsample": Entry(
        "plan:subsample",
        "Draw the questions of LOGS in a random order that is the same on every machine.",
    ),
    "audit": Entry("audit:audit", "Say what past evaluations could detect."),
    "report": Entry("report:report", "Show results that --out kept, one or several together."),
    "serve": Entry(
        "serve:serve", "Plan evaluations, collect judgments and read results in a browser."
    ),
    "verify": Entry(
        "verify:verify",
        "Compute a kept result again, from its data and its command, and compare.",
    ),
    "release": Entry(
        "verify:release",
        "Put a result and the data it rests on into DIR, to give to others.",
    ),
}


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
