"""Accept scores as the new baseline, and count the tries of one candidate against it."""

import datetime
import os
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field, replace
from typing import NamedTuple, cast

from detectable.core import check
from detectable.core.errors import DataError, InputError
from detectable.core.result import Result, Signature
from detectable.data.files.inputs import unnoted_inputs
from detectable.data.files.place import FilePath
from detectable.data.files.table import TableSource
from detectable.data.scores.scores import Scores
from detectable.inference.margin_score import MarginKind
from detectable.study.gate.baseline import (
    Baseline,
    is_baseline_file,
    read_baseline,
    written_baseline,
)
from detectable.study.gate.matching import refuse_unknown_direction
from detectable.study.gate.result import GateRow


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
        Questions and tasks, whatever metric they have.
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


def accept_baseline(
    new: Scores | Iterable[Scores] | TableSource,
    path: FilePath,
    *,
    system: str | None = None,
    commit: str = "",
    lower_is_better: Sequence[str] = (),
    higher_is_better: Sequence[str] = (),
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
    lower_is_better, higher_is_better : sequence of str
        Metrics where lower, and where higher is better, if their names do not tell. The file keeps
        it for all later gates.
    overwrite : bool
        Also replace a file that is no baseline, or one that cannot be read.
    """
    from detectable.core.write import write_whole

    created = datetime.datetime.now(datetime.UTC).isoformat(timespec="seconds")
    baseline = Baseline.of(
        new,
        system,
        commit=commit,
        created=created,
        lower_is_better=lower_is_better,
        higher_is_better=higher_is_better,
    )
    refuse_unknown_direction([one.metric for one in baseline.tallies if one.is_guess])
    replaced = _replaced(path, overwrite=overwrite)
    write_whole(path, written_baseline(baseline), new=replaced is None)
    tasks = baseline.tasks
    n = sum(tasks.values())
    return AcceptedBaseline(
        path=os.fspath(path),
        system=baseline.system,
        metrics=baseline.metrics,
        n_items=n,
        n_tasks=len(tasks),
        sha256=baseline.sha256,
        replaced=replaced or "",
        signature=Signature("accept-baseline", {"n": n, "sha256": baseline.sha256[:12]}),
    )


def with_kinds(baseline: Baseline, rows: Iterable[GateRow]) -> Baseline:
    """Return the baseline with the kinds of scores that a gate found and it did not know.

    The baseline itself where it knew all of them.

    A kind must not change between gates of one baseline: the candidate would choose its test.
    Scores of 0 and 1 are always two-valued.
    """
    found: dict[str, dict[str, MarginKind]] = {}
    for row in rows:
        if not row.kind or row.slice or row.relative:
            continue  # of a mean of tasks, of a part of one, and of shares there is none to keep
        found.setdefault(row.metric.casefold(), {})[row.task] = cast("MarginKind", row.kind)
    tallies = []
    for one in baseline.tallies:
        kinds = {**found.get(one.metric.casefold(), {}), **one.kinds}
        known = one.zero_one or kinds == dict(one.kinds)
        tallies.append(one if known else replace(one, kinds=kinds))
    same = all(a is b for a, b in zip(tallies, baseline.tallies, strict=True))
    return baseline if same else replace(baseline, tallies=tuple(tallies))


def rewrite_baseline(path: FilePath, baseline: Baseline) -> None:
    """Write a baseline file again, with what was counted or found since."""
    from detectable.core.write import write_whole

    write_whole(path, written_baseline(baseline))


def _replaced(path: FilePath, *, overwrite: bool) -> str | None:
    """Say what the file holds that is to be replaced; None where there is none."""
    if not os.path.lexists(path):
        return None
    from detectable.core.write import refuse_special

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


# --- Tries of one candidate against one baseline: rerunning until it is green is testing many times ---
#
# Three tries at .05 are one at .14. Whoever wants to be allowed to try again says so beforehand, and
# then the j-th try is tested at :math:`\alpha 2^{-j}`, which adds up to α over any number of tries.
# The same scores are the same try, however often they are gated.

_MOST = 10  # tries: α is then below a thousandth of itself


class Attempt(NamedTuple):
    """Which try this is, and all tries so far with this one."""

    number: int
    tried: dict[str, tuple[str, ...]]


def level(alpha: float, attempt: int | None) -> float:
    """Return the level at which a try is tested; α itself where tries are not counted.

    Examples
    --------
    >>> level(0.05, None), level(0.05, 1), level(0.05, 3)
    (0.05, 0.025, 0.00625)
    """
    if attempt is None:
        return alpha
    if check.positive_int(attempt, "attempt") > _MOST:
        raise InputError(
            f"`attempt` must be at most {_MOST}; got {attempt}. Accept or drop the candidate."
        )
    return alpha * 0.5**attempt


def counted(
    tried: Mapping[str, tuple[str, ...]], candidate: str, scores_sha256: str
) -> Attempt:
    """Return the number of a try, which is new unless these scores were tried before.

    Examples
    --------
    >>> first = counted({}, "B", "aa")
    >>> first.number, counted(first.tried, "B", "bb").number, counted(first.tried, "B", "aa").number
    (1, 2, 1)
    """
    known = tried.get(candidate, ())
    if scores_sha256 in known:
        return Attempt(known.index(scores_sha256) + 1, dict(tried))
    return Attempt(len(known) + 1, {**tried, candidate: (*known, scores_sha256)})
