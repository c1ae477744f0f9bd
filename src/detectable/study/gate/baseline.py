"""The baseline of a gate: what the system in use scored on every question, and its file."""

import datetime
import json
import os
import warnings
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field, replace
from typing import Any, NamedTuple, cast, get_args

import numpy as np

from detectable.core import check
from detectable.core.check import LARGEST_SCORE
from detectable.core.errors import DataError, DetectableWarning, InputError
from detectable.core.result import Result, Signature
from detectable.core.types import FloatArray
from detectable.core.wording import count, listing
from detectable.data.files.content import read_bytes
from detectable.data.files.inputs import unnoted_inputs
from detectable.data.files.place import FilePath, quote
from detectable.data.files.read_json import read_json
from detectable.data.files.table import TableSource, check_given
from detectable.data.scores.direction import direction_of_name
from detectable.data.scores.read_scores import scores_of
from detectable.data.scores.scores import Scores
from detectable.data.scores.suite import read_suite
from detectable.inference.margin_score import MarginKind
from detectable.study.gate.matching import (
    Tally,
    TaskTally,
    dataset_hash,
    refuse_unknown_direction,
    scores_hash,
    tally,
    the_system,
)
from detectable.study.gate.result import GateRow


def refuse_of_files(data: object, **options: object) -> None:
    """Refuse options that say how files are read, where there is no file."""
    for name, value in options.items():
        if value and isinstance(data, Scores | Baseline | list | tuple | Iterator):
            raise InputError(
                f"`{name}` says how files are read, and these scores are read already. Drop it."
            )


def tables_of(
    scores: Scores | Iterable[Scores] | TableSource,
    name: str,
    metrics: Sequence[str] = (),
    **options: Any,
) -> list[Scores]:
    """Return the scores of one metric or of several: as they are, or read from a file or frame.

    Parameters
    ----------
    name : str
        What the scores are called in messages.
    metrics, options
        By what a file or frame is read, as `read_suite` takes them.
    """
    wanted = f"`{name}` must be scores"
    if isinstance(scores, list | tuple | Iterator):
        return [scores_of(one, wanted) for one in scores]
    if isinstance(scores, Scores):
        return [scores]
    check_given(scores, wanted)
    found = read_suite(scores, metrics, **options)
    for note in dict.fromkeys(note for one in found for note in one.notes):
        warnings.warn(note, DetectableWarning, stacklevel=3)
    return list(found)


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
        scores: Scores | Iterable[Scores] | TableSource,
        system: str | None = None,
        *,
        commit: str = "",
        created: str = "",
        lower_is_better: Sequence[str] = (),
        higher_is_better: Sequence[str] = (),
    ) -> "Baseline":
        """Return a baseline of the scores of one system, by one metric or several.

        Examples
        --------
        >>> scores = Scores.build({"A": [0, 1, 1], "B": [1, 1, 1]})
        >>> Baseline.of(scores, "A").describe()
        'A: accuracy on 3 questions'
        """
        tables = tables_of(scores, "scores")
        if not tables:
            raise InputError("`scores` must hold the scores of a system; got none.")
        name = the_system(tables[0], system)
        said = {
            "lower_is_better": _names(lower_is_better),
            "higher_is_better": _names(higher_is_better),
        }
        tallies = tuple(tally(one, name, **said) for one in tables)
        names = [one.metric for one in tallies]
        if len(set(names)) < len(names):
            raise InputError(f"every metric must be given once; got {listing(names)}.")
        known = {one.casefold() for one in names}
        for option, given in said.items():
            for one in given:
                if one.casefold() not in known:
                    raise InputError(
                        f"`{option}` must name the metrics, {listing(names)}; got {one!r}."
                    )
        return cls(system=name, tallies=tallies, commit=commit, created=created)

    @property
    def metrics(self) -> tuple[str, ...]:
        """Names of the metrics."""
        return tuple(one.metric for one in self.tallies)

    @property
    def tasks(self) -> dict[str, int]:
        """The tasks of all metrics, each with the number of its questions."""
        return {
            task.task: len(task.items)
            for one in reversed(self.tallies)
            for task in reversed(one.tasks)
        }

    @property
    def sha256(self) -> str:
        """The hash of the system and all its scores; attempts do not count."""
        return scores_hash(self.system, self.tallies)

    def describe(self) -> str:
        """Say whose scores these are, and of what."""
        known = self.tasks
        tasks = [] if len(known) == 1 else [f"{len(known)} tasks"]
        where = " of ".join([count(sum(known.values()), "question"), *tasks])
        return f"{self.system}: {listing(list(self.metrics))} on {where}"


def _names(given: Sequence[str]) -> Sequence[str]:
    return (given,) if isinstance(given, str) else given


# --- Baselines as files of a repository: readable, with small differences between versions ---
#
# Keys are sorted and every question has a line of its own in every list, so that ``git diff`` shows
# which scores changed. Sums and numbers of samples say all that a gate needs of a question; those of
# 0/1 scores are whole. A thousand questions take less than 25 kB.

_KIND = "detectable-baseline/"
_VERSION = 1
_REPAIR = "Take it from version control again, or make a new one with --accept."
_MANY = 1e6  # samples of a question, at most
_FURTHER = "further"  # metrics after the first


def is_baseline_file(path: FilePath) -> bool:
    """Say whether a file calls itself a baseline; a folder never does."""
    from detectable.data.files.inputs import is_folder

    return not is_folder(path) and _KIND.encode() in read_bytes(path)


def written_baseline(baseline: Baseline) -> str:
    """Return the text of a baseline file."""
    first, *others = baseline.tallies
    content: dict[str, Any] = {
        "format": f"{_KIND}{_VERSION}",
        "created": baseline.created,
        "commit": baseline.commit,
        "system": baseline.system,
        **_written_tally(first),
        "dataset_sha256": dataset_hash(first.keys()),
        "attempts": {name: list(tried) for name, tried in baseline.attempts.items()},
        "signature": str(
            Signature(
                "baseline",
                {
                    "metrics": ",".join(baseline.metrics),
                    "n": first.n_items,
                    "sha256": baseline.sha256[:12],
                },
            )
        ),
    }
    if others:
        content[_FURTHER] = [_written_tally(one) for one in others]
    return _lines(content) + "\n"


def _written_tally(tally: Tally) -> dict[str, Any]:
    return {
        "metric": {
            "name": tally.metric,
            "higher_is_better": tally.higher_is_better,
            **({"told": True} if tally.told else {}),
            "zero_one": tally.zero_one,
            **({"kinds": dict(tally.kinds)} if tally.kinds else {}),
        },
        "tasks": {
            task.task: _written_task(task, zero_one=tally.zero_one) for task in tally.tasks
        },
    }


def _written_task(task: TaskTally, *, zero_one: bool) -> dict[str, Any]:
    order = sorted(range(len(task.items)), key=task.items.__getitem__)

    def ordered(values: Sequence[Any]) -> list[Any]:
        return [values[i] for i in order]

    number = int if zero_one else float
    found: dict[str, Any] = {
        "items": ordered(task.items),
        "sum": [number(value) for value in ordered(task.sums.tolist())],
        "k": ordered(task.samples.tolist()),
    }
    if not zero_one:
        found["sum_of_squares"] = ordered(task.squares.tolist())
    if task.clusters is not None:
        found["cluster"] = ordered(task.clusters)
    if task.questions is not None:
        found["question"] = ordered(task.questions)
    return found


def _lines(value: Any) -> str:
    """Return JSON with sorted keys and a line for each entry, without indents."""
    if isinstance(value, dict) and value:
        parts = [f"{_lines(key)}: {_lines(value[key])}" for key in sorted(value)]
        return "{\n" + ",\n".join(parts) + "\n}"
    if isinstance(value, list) and value:
        return "[\n" + ",\n".join(map(_lines, value)) + "\n]"
    return json.dumps(value, ensure_ascii=False)


def read_baseline(path: FilePath) -> Baseline:
    """Read a baseline from the file that `write_baseline` or ``gate --accept`` wrote."""
    content = read_json(path)
    if not isinstance(content, dict) or not str(content.get("format", "")).startswith(_KIND):
        raise DataError(
            f"{path}: this is no baseline file, which says 'format': '{_KIND}{_VERSION}'. Make one "
            "with --accept."
        )
    return _Reader(path).read(content)


class _Reader:
    """Reads one file; every complaint names it."""

    def __init__(self, path: FilePath) -> None:
        self._path = path

    def read(self, content: Mapping[str, Any]) -> Baseline:
        version = str(content["format"]).removeprefix(_KIND)
        if not version.isdecimal() or int(version) < 1:
            raise self._damaged(f"its format is {quote(content['format'])}")
        if int(version) > _VERSION:
            raise DataError(
                f"{self._path}: the baseline is of a newer format ({version}) than this version "
                f"of detectable knows ({_VERSION}). Update detectable."
            )
        further = content.get(_FURTHER, [])
        if not isinstance(further, list):
            raise self._damaged(f"{_FURTHER!r} is no list")
        tallies = tuple(self._tally(one) for one in (content, *further))
        if content.get("dataset_sha256") != dataset_hash(tallies[0].keys()):
            raise self._damaged("its questions are not those of its dataset_sha256")
        return Baseline(
            system=self._text(content, "system"),
            created=self._text(content, "created"),
            commit=self._text(content, "commit"),
            tallies=tallies,
            attempts=self._attempts(content.get("attempts", {})),
        )

    def _tally(self, content: Any) -> Tally:
        metric = self._object(content, "metric")
        tasks = self._object(content, "tasks")
        higher, zero_one = metric.get("higher_is_better"), metric.get("zero_one")
        if type(higher) is not bool or type(zero_one) is not bool:
            raise self._damaged("'metric' must say 'higher_is_better' and 'zero_one'")
        if not tasks:
            raise self._without_items("any task")
        name = self._text(metric, "name")
        told = metric.get("told") is True
        return Tally(
            metric=name,
            higher_is_better=higher,
            zero_one=zero_one,
            told=told,
            # Earlier versions took what they did not know as higher is better, and did not say so.
            is_guess=higher and not told and direction_of_name(name) == "unknown",
            kinds=self._kinds(metric.get("kinds", {})),
            tasks=tuple(self._task(name, of, zero_one) for name, of in tasks.items()),
        )

    def _kinds(self, found: Any) -> dict[str, MarginKind]:
        known = get_args(MarginKind)
        if not isinstance(found, dict) or not all(one in known for one in found.values()):
            raise self._damaged(f"'kinds' must be {listing(list(known))} by task")
        return dict(found)

    def _task(self, name: str, content: Any, zero_one: bool) -> TaskTally:  # noqa: FBT001
        if not isinstance(content, dict) or not content.get("items"):
            raise self._without_items(f"task {name!r}")
        items = self._texts(content, "items", name, None)
        n = len(items)
        if len(set(items)) < n:
            raise self._damaged(f"task {name!r} names a question twice")
        samples = self._numbers(content, "k", name, n)
        if not (samples == np.rint(samples)).all() or samples.min() < 1.0:
            raise self._damaged(f"'k' of task {name!r} must be whole numbers from 1 on")
        sums = self._numbers(content, "sum", name, n)
        whole = (
            (sums == np.rint(sums)).all() and (sums >= 0.0).all() and (sums <= samples).all()
        )
        if zero_one and not whole:
            raise self._damaged(
                f"'sum' of task {name!r} must be whole numbers from 0 to 'k', as scores are 0 or 1"
            )
        squares = sums if zero_one else self._numbers(content, "sum_of_squares", name, n)
        return TaskTally(
            task=name,
            items=items,
            sums=sums,
            squares=squares,
            samples=samples.astype(np.int64),
            clusters=self._optional(content, "cluster", name, n),
            questions=self._optional(content, "question", name, n),
        )

    def _optional(
        self, content: Mapping[str, Any], key: str, task: str, n: int
    ) -> tuple[str, ...] | None:
        return self._texts(content, key, task, n) if key in content else None

    def _texts(
        self, content: Mapping[str, Any], key: str, task: str, n: int | None
    ) -> tuple[str, ...]:
        values = content[key]
        if not isinstance(values, list) or not all(type(one) is str for one in values):
            raise self._damaged(f"{key!r} of task {task!r} is no list of names")
        if n is not None and len(values) != n:
            raise self._damaged(
                f"task {task!r} has {n:,} items, and {len(values):,} of {key!r}"
            )
        return tuple(values)

    def _numbers(self, content: Mapping[str, Any], key: str, task: str, n: int) -> FloatArray:
        values = content.get(key)
        if not isinstance(values, list) or len(values) != n:
            found = f"{len(values):,}" if isinstance(values, list) else "none"
            raise self._damaged(f"task {task!r} has {n:,} items, and {found} of {key!r}")
        if not all(type(one) in (int, float) for one in values):
            raise self._damaged(f"{key!r} of task {task!r} must be numbers")
        # Of scores that can be squared; an integer of hundreds of digits is no double.
        largest = _MANY * LARGEST_SCORE ** (2 if key == "sum_of_squares" else 1)
        if not all(abs(one) <= largest for one in values):
            raise self._damaged(f"{key!r} of task {task!r} must be finite")
        return np.array(values, dtype=np.float64)

    def _object(self, content: Any, key: str) -> dict[str, Any]:
        found = content.get(key) if isinstance(content, dict) else None
        if not isinstance(found, dict):
            raise self._damaged(f"it has no {key!r}")
        return found

    def _text(self, content: Mapping[str, Any], key: str) -> str:
        found = content.get(key)
        if not isinstance(found, str):
            raise self._damaged(f"{key!r} is no text")
        return found

    def _attempts(self, found: Any) -> dict[str, tuple[str, ...]]:
        if not isinstance(found, dict) or not all(
            isinstance(tried, list) and all(type(one) is str for one in tried)
            for tried in found.values()
        ):
            raise self._damaged("'attempts' must list hashes by candidate")
        return {name: tuple(tried) for name, tried in found.items()}

    def _without_items(self, what: str) -> DataError:
        return DataError(
            f"{self._path}: the baseline has no items of {what}. A mean alone cannot be paired, "
            "and would need more than twice the questions: make a baseline of item scores with "
            "--accept."
        )

    def _damaged(self, why: str) -> DataError:
        return DataError(f"{self._path}: the baseline is damaged: {why}. {_REPAIR}")


# --- Accept scores as the new baseline, and count the tries of one candidate against it ---


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
