"""A plan: what will be asked, of which systems, by which test, and when to stop.

Everything that could be chosen after seeing the data is chosen here, before, and frozen.
"""

import datetime
import functools
import math
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field, fields
from pathlib import Path
from typing import Any

from detectable.core import check
from detectable.core.choices import Claim, JudgmentUnit, PlanTest
from detectable.core.errors import DataError, InputError
from detectable.core.result import Result, Signature
from detectable.core.version import VERSION
from detectable.core.wording import listing
from detectable.core.write import write_whole
from detectable.data.files.ledger_file import fingerprint, was_written
from detectable.data.files.place import FilePath
from detectable.data.files.read_json import read_json
from detectable.sequential.design import design as make_design
from detectable.sequential.design_result import Design
from detectable.sequential.families import family_row
from detectable.study.monitoring.plan_options import (
    ANYTIME,
    PREFERENCES,
    UNPAIRED,
    WITH_DOCUMENTS,
    check_end,
    check_unit,
    checked_baseline,
    frozen_design,
)

_FORMAT = 2  # of the plan file
_FORMATS = (1, _FORMAT)  # that can be read
_CLAIMS_OF_FORMAT_1 = {
    "difference": "better",
    "non-inferiority": "non-inferior",
    "equivalence": "equivalent",
}


@dataclass(frozen=True, slots=True, kw_only=True)
class Plan(Result):
    """A frozen plan. Make it with `plan`, read it with `read_plan`.

    Attributes
    ----------
    question : str
        What the evaluation is for, in the user's words.
    systems : tuple of str
        Who is compared.
    baseline : str or None
        All others are compared with it; None compares all pairs.
    test, unit
        How one look turns judgments into a statistic, and what counts as independent.
    scale : (float, float)
        Lowest and highest possible score.
    claim, margin
        What is to be shown; the margin of «non-inferior» or «equivalent», in points.
    n_max : int or None
        Items (of each system, for unpaired tests) at which it ends at the latest; None without
        an end, which only anytime-valid tests allow.
    alpha : float
        Chance of a false alarm over all looks and all pairs.
    design : mapping
        The arguments of `detectable.design`; empty for anytime-valid tests.
    seed : int
        Of everything random.
    """

    question: str
    systems: tuple[str, ...]
    baseline: str | None
    test: PlanTest
    unit: JudgmentUnit
    scale: tuple[float, float]
    claim: Claim
    margin: float | None
    n_max: int | None
    alpha: float
    design: Mapping[str, Any]
    seed: int
    created: str
    path: str = field(default="", compare=False)
    fingerprint: str = ""

    @property
    def pairs(self) -> tuple[tuple[str, str], ...]:
        """The comparisons, (system, baseline)."""
        if self.baseline is not None:
            return tuple(
                (name, self.baseline) for name in self.systems if name != self.baseline
            )
        return tuple(
            (system, other)
            for i, other in enumerate(self.systems)
            for system in self.systems[i + 1 :]
        )

    @property
    def anytime(self) -> bool:
        """Whether looks may come at any time, without an end."""
        return self.test in ANYTIME

    @property
    def sided(self) -> int:
        """Sides of the test."""
        return int(self.design.get("sided", 2))

    @property
    def ledger_path(self) -> Path:
        """The ledger, beside the plan."""
        return Path(self.path).with_suffix(".ledger.jsonl")

    @property
    def conclusion_path(self) -> Path:
        """The conclusion, beside the plan."""
        return Path(self.path).with_suffix(".conclusion.json")

    def planned_units(self) -> tuple[int, ...] | None:
        """Return the numbers of units at which a classical family may look; None for any."""
        if self.n_max is None or self.anytime:
            return None
        if family_row(self.design["family"]).spends:
            return None
        return tuple(round(t * self.n_max) for t in self.planned_shares())

    def planned_shares(self) -> tuple[float, ...]:
        """Return the planned looks as shares of the maximum."""
        return self.design_at(self.alpha).information

    def share(self, n_units: int) -> float:
        """Return which share of the maximum so many units are.

        At a planned look of a classical family it is the planned share exactly: a third of 100
        items are 33, and the boundary is that for a third.
        """
        allowed = self.planned_units()
        if allowed is not None and n_units in allowed:
            return float(self.planned_shares()[allowed.index(n_units)])
        return n_units / float(self.n_max or n_units)

    def design_at(
        self, alpha: float, *, sided: int | None = None, futility: str | None = None
    ) -> Design:
        """Return the design at a level; a family of pairs tests each at its own."""
        arguments = dict(self.design)
        if sided is not None:
            arguments["sided"] = sided
        if futility is not None:
            arguments["futility"] = futility
        frozen = {k: tuple(v) if isinstance(v, list) else v for k, v in arguments.items()}
        return _design(alpha, tuple(sorted(frozen.items())))

    def summary(self) -> str:
        """Say what was planned."""
        who = (
            f"{listing([s for s in self.systems if s != self.baseline])} against {self.baseline}"
            if self.baseline is not None
            else f"all pairs of {listing(list(self.systems))}"
        )
        end = (
            "without an end" if self.n_max is None else f"up to {self.n_max:,} {self.unit_name}"
        )
        planned = (
            f"Planned: {who}, {self.aim()}, by {self.test}, {end}, error rate {self.alpha:g}."
        )
        return "\n".join(filter(None, (planned, self.scope(), self.independence())))

    def aim(self) -> str:
        """Say what is to be shown, without a verb: ``not worse by more than 0.5``."""
        if self.claim == "better":
            return "better or worse" if self.sided == 2 else "better"
        if self.claim == "equivalent":
            return f"equivalent within ±{self.margin:g}"
        return f"not worse by more than {self.margin:g}"

    def scope(self) -> str:
        """Say about which raters the claims will be."""
        if self.test == "mixed" or self.unit == "rater":
            return "The claims will be about raters like those who judge."
        return (
            "The claims will be about the raters who judge; unit='rater' or test='mixed' is about "
            "raters like them."
        )

    def independence(self) -> str:
        """Say that items count one by one, where they do whatever documents they come from."""
        if self.test == "mixed" or (self.unit != "item" and self.test in WITH_DOCUMENTS):
            return ""
        if self.unit == "item" or self.test in PREFERENCES:
            return "Items count as independent, also those of one document."
        return (
            "Items count as independent; where they come from documents, plan paired-mean, "
            "sign-flip or e-process."
        )

    @property
    def unit_name(self) -> str:
        """What `n_max` counts."""
        return "items per system" if self.test in UNPAIRED else "items"


@functools.lru_cache(maxsize=256)  # one look asks for the same design again and again
def _design(alpha: float, arguments: tuple[tuple[str, Any], ...]) -> Design:
    return make_design(alpha=alpha, **dict(arguments))


def plan(  # noqa: PLR0913 (all that must be fixed before the data)
    path: FilePath,
    *,
    systems: Sequence[str],
    n_max: int | None = None,
    baseline: str | None = None,
    question: str = "",
    test: PlanTest = "paired-mean",
    unit: JudgmentUnit = "auto",
    scale: tuple[float, float] | None = None,
    claim: Claim = "better",
    margin: float | None = None,
    alpha: float = 0.05,
    seed: int = 0,
    **design: Any,
) -> Plan:
    """Freeze a plan into a file that is readable, hashed and never overwritten.

    Parameters
    ----------
    path : path
        The plan file to make; its ledger will stand beside it.
    systems : sequence of str
        Two or more. With two, the first is compared with the second unless `baseline` says
        otherwise.
    n_max : int
        Items judged for both systems (for each system, if the test is unpaired) at which it ends
        at the latest. Only the anytime-valid tests do without.
    test : str
        ``paired-mean`` (default), ``signed-rank``, ``sign-flip`` (exact), ``rank-sum``,
        ``two-means`` and ``proportions`` (unpaired), ``mixed``, ``preference``, ``e-process``,
        ``e-preference``.
    unit : {'auto', 'item', 'document', 'rater'}
        What is independent. ``'auto'``: documents where the data name them, else items.
    scale : (float, float)
        Lowest and highest possible score: 0 to 100, for ``proportions`` 0 to 1 by default.
    claim : {'better', 'non-inferior', 'equivalent'}
        What is to be shown of a system against its baseline. ``'better'`` is two-sided, so that
        it can also turn out worse, unless ``sided=1``. ``'non-inferior'`` (not worse by more than
        the margin) is one-sided, ``'equivalent'`` (within the margin) both one-sided tests.
    margin : float
        Of ``'non-inferior'`` and ``'equivalent'``, in points of the scale.
    seed : int
        Of everything random, so that a look can be repeated.
    **design
        ``family`` and its parameter, ``looks``, ``at``, ``sided``, ``futility``, ``power`` of
        `detectable.design`. Default: Hwang-Shih-DeCani spending with
        γ = −4, which allows any number of looks at any time.
    """
    if isinstance(systems, str):
        raise InputError(f"`systems` must be two or more names; got the one text {systems!r}.")
    names = tuple(str(name) for name in systems)
    low, high = scale or ((0.0, 1.0) if test == "proportions" else (0.0, 100.0))
    made = _checked(
        question=question,
        systems=names,
        baseline=checked_baseline(names, baseline),
        test=check.literal(test, PlanTest, "test"),
        unit=check.literal(unit, JudgmentUnit, "unit"),
        scale=(float(low), float(high)),
        claim=check.literal(claim, Claim, "claim"),
        margin=None if margin is None else float(margin),
        n_max=n_max,
        alpha=check.probability(alpha, "alpha"),
        design=frozen_design(test, design, alpha),
        seed=seed,
        created=datetime.datetime.now(datetime.UTC).isoformat(timespec="seconds"),
    )
    content = _content(made)
    stamp = fingerprint(content)
    text = _json({**content, "fingerprint": stamp})
    target = Path(path)
    if was_written(target.with_suffix(".ledger.jsonl")):
        raise DataError(
            f"{target.with_suffix('.ledger.jsonl')}: a plan of this name has been looked at "
            "already. Choose another name."
        )
    write_whole(target, text, new=True)
    return read_plan(target)


def read_plan(path: FilePath) -> Plan:
    """Read a plan file, refusing one that was changed after it was frozen."""
    content = read_json(path)
    if not isinstance(content, dict) or "detectable_plan" not in content:
        raise DataError(f"{path}: this is no plan. Make one with `detectable plan new`.")
    stamp = content.pop("fingerprint", None)
    if stamp != fingerprint(content):
        raise DataError(
            f"{path}: the plan was changed after it was frozen: its content does not fit its "
            "fingerprint. Put back the file as it was made; a new question needs a new plan."
        )
    if content["detectable_plan"] not in _FORMATS:
        raise DataError(
            f"{path}: a plan of format {content['detectable_plan']}; this version reads "
            f"{' and '.join(map(str, _FORMATS))}. Use the version that made it "
            f"({content.get('version')})."
        )
    if content["detectable_plan"] == 1:
        content["claim"] = _CLAIMS_OF_FORMAT_1[content["claim"]]
    names = {part.name for part in fields(Plan)}
    values = {key: value for key, value in content.items() if key in names}
    values["systems"] = tuple(values["systems"])
    values["scale"] = tuple(values["scale"])
    return _checked(**values, path=str(path), fingerprint=stamp)


def _checked(**values: Any) -> Plan:
    """Return the plan, or say which of its parts do not go together."""
    low, high = values["scale"]
    if not (math.isfinite(low) and math.isfinite(high) and low < high):
        raise InputError(f"`scale` must go from low to high; got {low:g} to {high:g}.")
    if values["test"] == "proportions" and (low, high) != (0.0, 1.0):
        raise InputError(
            f"`scale` must be 0 to 1 for the test of proportions; got {low:g} to {high:g}."
        )
    claim, margin = values["claim"], values["margin"]
    if (claim == "better") != (margin is None):
        raise InputError(
            "`margin` goes with `claim` non-inferior or equivalent, and these need one; got "
            f"claim {claim!r} and margin {margin!r}."
        )
    if margin is not None:
        check.positive(margin, "margin")
        if values["test"] not in ("paired-mean", "two-means", "mixed"):
            raise InputError(
                "`margin` is in points of the scale, so `test` must be paired-mean, two-means or "
                f"mixed; got {values['test']!r}."
            )
    if values["test"] in PREFERENCES and len(values["systems"]) != 2:
        raise InputError(
            f"`systems` must be two for the test {values['test']!r}; got "
            f"{listing(list(values['systems']))}."
        )
    check_end(values["test"], values["n_max"], values["design"])
    check.positive_int(values["seed"], "seed", minimum=0)
    check_unit(values["test"], values["unit"])
    settings = {"test": values["test"], "alpha": values["alpha"], "n_max": values["n_max"] or 0}
    made = Plan(**values, signature=Signature("plan", settings, str(values["seed"])))
    if not made.anytime:
        made.design_at(made.alpha)  # raises if the design is impossible
        _check_room(made)
    return made


def _check_room(made: Plan) -> None:
    """Refuse a classical family whose looks fall on the same unit, or before the first one."""
    looks = made.planned_units() or ()
    if len({0, *looks}) <= len(looks):
        raise InputError(
            f"`n_max` must leave a unit or more between two of the {len(looks)} looks of "
            f"{made.design['family']}; got {made.n_max}. Plan more units, or fewer looks."
        )


def _content(made: Plan) -> dict[str, Any]:
    values = {
        part.name: getattr(made, part.name)
        for part in fields(made)
        if part.name not in ("signature", "path", "fingerprint")
    }
    return {"detectable_plan": _FORMAT, "version": VERSION, **values}


def _json(content: Mapping[str, Any]) -> str:
    import json

    return json.dumps(content, indent=2, ensure_ascii=False) + "\n"
