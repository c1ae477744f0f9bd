"""Accept scores as the new baseline: written when somebody says so, never by itself."""

import datetime
import os
from collections.abc import Iterable, Sequence
from dataclasses import dataclass, field

from detectable.core.errors import DataError
from detectable.core.result import Result, Signature
from detectable.core.wording import count, listing
from detectable.core.write import refuse_special, write_whole
from detectable.data.files.inputs import unnoted_inputs
from detectable.data.files.place import FilePath
from detectable.data.scores.scores import Scores
from detectable.study.gate.baseline import Baseline
from detectable.study.gate.baseline_file import (
    is_baseline_file,
    read_baseline,
    written_baseline,
)


@dataclass(frozen=True, slots=True, kw_only=True)
class AcceptedBaseline(Result):
    """A baseline that was written.

    Attributes
    ----------
    path : str
        The file.
    system : str
        Whose scores it holds.
    metrics : tuple of str
        What they measure.
    n_items, n_tasks : int
        Questions and tasks of the first metric.
    sha256 : str
        Of the scores.
    replaced : str
        What the file held before, in words; empty if it is new.
    """

    path: str = field(metadata={"path": True})
    system: str
    metrics: tuple[str, ...]
    n_items: int
    n_tasks: int
    sha256: str
    replaced: str = ""
    notes: tuple[str, ...] = ()

    def summary(self) -> str:
        """Say what was accepted, and what it takes the place of."""
        tasks = f" of {count(self.n_tasks, 'task')}" if self.n_tasks > 1 else ""
        said = (
            f"Accepted as the baseline: {self.system}, {listing(list(self.metrics))} on "
            f"{count(self.n_items, 'question')}{tasks}."
        )
        return f"{said} It replaces {self.replaced}." if self.replaced else said


def accept_baseline(
    new: Scores | Iterable[Scores],
    path: FilePath,
    *,
    system: str | None = None,
    commit: str = "",
    lower_is_better: Sequence[str] = (),
    overwrite: bool = False,
) -> AcceptedBaseline:
    """Write the item scores of a system as the baseline that later ones are gated against.

    A baseline that is there is replaced, whatever it scored: one that is replaced only by better
    ones becomes the luckiest of all. Any other file is refused.

    Parameters
    ----------
    new : Scores, or several of them
        One per metric.
    path : path
        The baseline file.
    system : str, optional
        Which system is meant, where scores hold several.
    commit : str
        Of the code that the scores belong to, for those who read the file.
    lower_is_better : sequence of str
        Metrics where lower is better, if their names do not tell.
    overwrite : bool
        Also replace a file that is no baseline, or one that cannot be read.
    """
    created = datetime.datetime.now(datetime.UTC).isoformat(timespec="seconds")
    baseline = Baseline.of(
        new, system, commit=commit, created=created, lower_is_better=lower_is_better
    )
    replaced = _replaced(path, overwrite=overwrite)
    write_whole(path, written_baseline(baseline), new=replaced is None)
    first = baseline.tallies[0]
    return AcceptedBaseline(
        path=os.fspath(path),
        system=baseline.system,
        metrics=baseline.metrics,
        n_items=first.n_items,
        n_tasks=len(first.tasks),
        sha256=baseline.sha256,
        replaced=replaced or "",
        signature=Signature(
            "accept-baseline", {"n": first.n_items, "sha256": baseline.sha256[:12]}
        ),
    )


def write_attempts(path: FilePath, baseline: Baseline) -> None:
    """Write a baseline file again, with the tries that were counted."""
    write_whole(path, written_baseline(baseline))


def _replaced(path: FilePath, *, overwrite: bool) -> str | None:
    """Say what the file holds that is to be replaced; None where there is none."""
    if not os.path.lexists(path):
        return None
    refuse_special(path)
    with unnoted_inputs():
        try:
            if not is_baseline_file(path):
                raise DataError(
                    f"{os.fspath(path)} is no baseline file, so it is not replaced. Choose another "
                    "name, or allow overwriting."
                )
            old = read_baseline(path)
        except DataError:
            if overwrite:
                return f"{os.fspath(path)} as it was"
            raise
    when = f" of {old.created}" if old.created else ""
    return f"{old.describe()}{when}"
