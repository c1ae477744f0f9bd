"""The form of one scenario: its fields, and what they build."""

from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any, Literal

from detectable.report.planner.field import Field, Value, Values

if TYPE_CHECKING:
    from detectable.planning.scenario import Scenario

PilotKind = Literal["scores", "judgments", "corpus"]


@dataclass(frozen=True, slots=True)
class Call:
    """A scenario as it is written: the name of its class and what it is given.

    From the one description come the scenario itself and the line of Python that makes it.
    """

    name: str
    settings: Mapping[str, Any]
    inner: "Call | None" = None  # the scenario that a margin is put around

    def build(self) -> "Scenario":
        """Return the scenario."""
        from detectable.planning import scenarios

        given = () if self.inner is None else (self.inner.build(),)
        made: Scenario = getattr(scenarios, self.name)(*given, **self.settings)
        return made

    def python(self) -> str:
        """Return the expression that makes it.

        Examples
        --------
        >>> Call("RankSum", {"levels": 5}).python()
        'dt.scenarios.RankSum(levels=5)'
        """
        parts = [] if self.inner is None else [self.inner.python()]
        parts += [f"{name}={value!r}" for name, value in self.settings.items()]
        return f"dt.scenarios.{self.name}({', '.join(parts)})"


@dataclass(frozen=True, slots=True, kw_only=True)
class Form:
    """All that the planner knows of a scenario.

    Attributes
    ----------
    name : str
        As the command line calls it.
    title, says : str
        For people: its name, and in a sentence what is judged and tested.
    fields : tuple of Field
        Its own settings; size, effect and what all scenarios share come after them.
    size, effect : Field
        The two that are moved most.
    call : callable
        Takes the values and says which scenario they make.
    words : callable
        Takes the values and returns what the command line needs beyond the options of the fields.
    noun : str
        What is paid for: a judgment, a vote, an item.
    paid : callable
        Takes the values and a size, and says how many of them that is.
    slow : callable
        Takes the values: whether the searches for a size and an effect are too slow for every move
        of a slider.
    sided : callable
        Takes the values: 1 or 2 sides for designs with looks; 0 where there are no such designs.
    plan : callable or None
        Takes the values and returns what a frozen plan is given; None where looks do not know it.
    pilot : str or None
        What kind of pilot data says its settings.
    """

    name: str
    title: str
    says: str
    fields: tuple[Field, ...]
    size: Field
    effect: Field
    call: Callable[[Values], Call]
    noun: str
    paid: Callable[[Values, int], int]
    words: Callable[[Values], tuple[str, ...]] = lambda _: ()
    slow: Callable[[Values], bool] = lambda _: False
    sided: Callable[[Values], int] = lambda _: 2
    plan: Callable[[Values], dict[str, Any]] | None = None
    pilot: PilotKind | None = None
    defaults: Mapping[str, Value] = field(default_factory=dict)  # of shared fields
