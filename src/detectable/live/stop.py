"""Stop an evaluation when it is decided, in any loop."""

import math
from collections.abc import Callable, Iterable, Mapping
from typing import Any, TypeVar

import numpy as np

from detectable.core.errors import DataError, InputError
from detectable.core.result import to_json
from detectable.core.version import VERSION
from detectable.data.files.place import FilePath
from detectable.live.order import order_hash, subsample
from detectable.live.plan import LivePlan, LiveTask, read_live_plan
from detectable.live.rule import CONTINUE, Prefixes, PrefixLook, Rule

T = TypeVar("T")

_SHARED = 0.9  # of the questions that the baseline must have


class Stop:
    """Decide on prefixes of a schedule, while the answers come in.

    Parameters
    ----------
    plan : path, LivePlan or Rule
        What was fixed before the first answer. With a plan every look goes into its ledger; a rule
        keeps none, and is for trying.
    task : str, optional
        Which task of the plan it is; not needed where the plan has one.
    baseline : path, or mapping of str to float, optional
        The logs of the system in use, or its mean score of every question. Not for `add_pair`, and
        not for one system.

    Examples
    --------
    >>> stop = Stop(Rule(margin=0.1, seed=7), baseline=dict.fromkeys(range(200), 1.0))
    >>> for question in stop.order(range(200)):
    ...     if stop.add(question, 1.0):
    ...         break
    >>> stop.decision, len(stop.looks)
    ('stop: pass', 6)
    """

    def __init__(
        self,
        plan: "FilePath | LivePlan | Rule",
        *,
        task: str | None = None,
        baseline: "FilePath | Mapping[Any, float] | None" = None,
    ) -> None:
        self.plan: LivePlan | None = None
        self.planned: LiveTask | None = None
        if isinstance(plan, Rule):
            self.rule = plan
            self.task = task or ""
        else:
            self.plan = plan if isinstance(plan, LivePlan) else read_live_plan(plan)
            self.planned = self.plan.task(task)
            self.task = task if task is not None else self.planned.task
            self.rule = self.plan.rule(self.task)
        self._baseline = self._scores_of(baseline)
        self.decision = CONTINUE
        self.looks: list[PrefixLook] = []
        self.cap = ""  # which cap ended it
        self._prefixes: Prefixes | None = None
        self._items: dict[str, int] = {}
        self._left_out: frozenset[str] = frozenset()
        self._listeners: list[Callable[[PrefixLook], None]] = []
        self.random = True

    def _scores_of(self, baseline: Any) -> dict[str, float] | None:
        if baseline is None:
            return None  # of two systems that run together, or of one
        if isinstance(baseline, Mapping):
            return {str(item): float(score) for item, score in baseline.items()}
        if self.plan is None:
            raise InputError(
                "`baseline` must be a mapping of question to score beside a rule; a path goes with "
                "a plan."
            )
        log = self.plan.baseline_log(self.task, baseline)
        return self.plan.baseline_scores(self.task, log)

    # --- The schedule ---

    def order(self, questions: Iterable[T], n: int | None = None) -> list[T]:
        """Return the questions in the random order of the plan, and begin with them.

        Parameters
        ----------
        n : int, optional
            Only so many; by default as many as the plan says.
        """
        known = list(questions)
        most = self.planned.questions if self.planned is not None else None
        chosen = subsample(
            known,
            seed=self.rule.seed,
            task=self.task,
            n=most if n is None else n,
        )
        self.start(chosen)
        return chosen

    def start(self, questions: Iterable[object], *, epochs: int = 1, eval_id: str = "") -> None:
        """Begin with questions in the order in which they will run.

        Parameters
        ----------
        epochs : int
            Samples of every question: all questions once, then all twice.
        eval_id : str
            By which the log of this run is known again.
        """
        listed = [str(item) for item in questions]
        old: np.ndarray[Any, np.dtype[np.float64]] | None = None
        if self._baseline is not None:
            known = [item for item in listed if item in self._baseline]
            if len(known) < _SHARED * len(listed):
                raise DataError(
                    f"the baseline has {len(known)} of {len(listed)} questions; 90 % must be in "
                    "both. Plan against a log of the same questions."
                )
            self._left_out = frozenset(listed) - frozenset(known)
            listed = known
            old = np.array([self._baseline[item] for item in listed])
        elif self.rule.half_width is None:
            old = np.full(len(listed), math.nan)  # told by `add_pair`
        self.random = listed == subsample(listed, seed=self.rule.seed, task=self.task)
        self._items = {item: place for place, item in enumerate(listed)}
        if len(self._items) < len(listed):
            raise DataError("every question must be named once.")
        self.epochs = epochs
        self._prefixes = Prefixes(self.rule, old, n_questions=len(listed), n_epochs=epochs)
        if self.plan is not None:
            self.plan.begin(
                self.task, eval_id, order=order_hash(listed), n=len(listed), epochs=epochs
            )
            self._eval_id = eval_id

    def __bool__(self) -> bool:
        """Whether it has stopped: ``if stop: break``."""
        return self.decision != CONTINUE

    # --- Answers ---

    def add(self, question: object, score: float | None, *, epoch: int = 1) -> bool:
        """Take a score, or None for an error that will not be tried again; say whether it stops.

        A sample that is told again replaces what was there, and no look that has passed is repeated.
        """
        prefixes, place = self._place(question, epoch)
        if place is None:
            return bool(self)
        value = prefixes.error() if score is None else prefixes.checked(score)
        prefixes.take(place, epoch - 1, value)
        return self._looked()

    def add_pair(
        self, question: object, *, new: float | None, old: float | None, epoch: int = 1
    ) -> bool:
        """Take the scores of two systems that run together."""
        if self._baseline is not None:
            raise InputError("`old` is known from the baseline. Use `add`.")
        prefixes, place = self._place(question, epoch)
        if place is None:
            return bool(self)
        if prefixes.n_epochs > 1:
            raise InputError("pairs are taken one answer of each question. Use one epoch.")
        a, b = (
            prefixes.error() if score is None else prefixes.checked(score)
            for score in (new, old)
        )
        prefixes.take(place, 0, a, old=b)
        return self._looked()

    def end(self, cap: str = "") -> bool:
        """Declare this the last look, for a reason outside of the scores: all so far, without gaps.

        Parameters
        ----------
        cap : str
            What ended it, such as ``max_tokens``.
        """
        if self:
            return True
        prefixes = self._begun()
        self.cap = cap
        n = prefixes.finished()
        if n < 2:
            self.decision = "stop: inconclusive"
            return True
        self._kept(prefixes.end(n))
        return True

    def stop_with(self, task: str) -> None:
        """End without a decision of its own, because another task failed."""
        if not self:
            self.decision = f"stop: with {task}"

    def _begun(self) -> Prefixes:
        if self._prefixes is None:
            raise InputError(
                "`start` must come first: the order decides which are the first questions. Use "
                "`for question in stop.order(questions)`."
            )
        return self._prefixes

    def _place(self, question: object, epoch: int) -> tuple[Prefixes, int | None]:
        prefixes, name = self._begun(), str(question)
        if name in self._left_out:
            return prefixes, None
        if name not in self._items or not 1 <= epoch <= prefixes.n_epochs:
            raise DataError(f"there is no question {name!r}, epoch {epoch}, in the schedule.")
        return prefixes, self._items[name]

    def _looked(self) -> bool:
        if not self:
            for look in self._begun().test():
                self._kept(look)
        return bool(self)

    def _kept(self, look: PrefixLook) -> None:
        self.looks.append(look)
        self.decision = look.decision
        if self.plan is not None:
            self.plan.note_look(self.task, self._eval_id, len(self.looks), look, cap=self.cap)

    def record(self) -> dict[str, Any]:
        """Return what goes into the log of a harness: enough for an honest conclusion."""
        rule, prefixes = self.rule, self._begun()
        found = {
            "detectable": VERSION,
            "rule": rule,
            "task": self.task,
            "questions_planned": len(self._items),
            "epochs_planned": prefixes.n_epochs,
            "samples_planned": prefixes.total,
            "random_order": self.random,
            "decision": self.decision,
            "cap": self.cap,
            "looks": self.looks,
        }
        if self.plan is not None:
            found |= {"plan": self.plan.fingerprint, "plan_file": self.plan.path}
        made: dict[str, Any] = to_json(found)
        return made
