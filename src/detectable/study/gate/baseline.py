"""The baseline of a gate: what the system in use scored on every question."""

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field

from detectable.core.errors import InputError
from detectable.core.wording import count, listing
from detectable.data.scores.scores import Scores
from detectable.study.gate.scores_hash import scores_hash
from detectable.study.gate.tally import Tally, tally, the_system


@dataclass(frozen=True, slots=True, kw_only=True)
class Baseline:
    """Item scores of the system that new ones are held against.

    Attributes
    ----------
    system : str
        Its name.
    tallies : tuple of Tally
        One per metric.
    created : str
        When it was accepted, as an ISO date and time; empty where it is not from a file.
    commit : str
        Of the code that it belongs to; may be empty.
    attempts : mapping of str to tuple of str
        For every candidate the hashes of the scores that were tried against this baseline.
    """

    system: str
    tallies: tuple[Tally, ...] = field(repr=False)
    created: str = ""
    commit: str = ""
    attempts: Mapping[str, tuple[str, ...]] = field(default_factory=dict)

    @classmethod
    def of(
        cls,
        scores: Scores | Iterable[Scores],
        system: str | None = None,
        *,
        commit: str = "",
        created: str = "",
        lower_is_better: Sequence[str] = (),
    ) -> "Baseline":
        """Return a baseline of the scores of one system, by one metric or several.

        Examples
        --------
        >>> scores = Scores.build({"A": [0, 1, 1], "B": [1, 1, 1]})
        >>> Baseline.of(scores, "A").describe()
        'A: accuracy on 3 questions'
        """
        tables = [scores] if isinstance(scores, Scores) else list(scores)
        if not tables:
            raise InputError("`scores` must hold the scores of a system; got none.")
        name = the_system(tables[0], system)
        tallies = tuple(tally(one, name, lower_is_better=lower_is_better) for one in tables)
        names = [one.metric for one in tallies]
        if len(set(names)) < len(names):
            raise InputError(f"every metric must be given once; got {listing(names)}.")
        known = {one.casefold() for one in names}
        for given in lower_is_better:
            if given.casefold() not in known:
                raise InputError(
                    f"`lower_is_better` must name the metrics, {listing(names)}; got {given!r}."
                )
        return cls(system=name, tallies=tallies, commit=commit, created=created)

    @property
    def metrics(self) -> tuple[str, ...]:
        """Names of the metrics."""
        return tuple(one.metric for one in self.tallies)

    @property
    def sha256(self) -> str:
        """The hash of the system and all its scores; attempts do not count."""
        return scores_hash(self.system, self.tallies)

    def describe(self) -> str:
        """Say whose scores these are, and of what."""
        first = self.tallies[0]
        tasks = [] if len(first.tasks) == 1 else [f"{len(first.tasks)} tasks"]
        where = " of ".join([count(first.n_items, "question"), *tasks])
        return f"{self.system}: {listing(list(self.metrics))} on {where}"
