"""Freeze a plan into a file, and read it; how much differences vary is taken from a pilot.

Everything that could be chosen after seeing the data is chosen here, before, and frozen.
"""

import datetime
import math
import os
from collections.abc import Mapping, Sequence
from dataclasses import asdict, fields, replace
from pathlib import Path
from typing import Any

import numpy as np

from detectable.core import check
from detectable.core.choices import AdmissionRule, Claim, DesignPreset, JudgmentUnit, PlanTest
from detectable.core.errors import DataError, InputError
from detectable.core.options import asked
from detectable.core.result import Signature
from detectable.core.version import VERSION
from detectable.core.wording import listing
from detectable.core.write import refuse_existing, write_whole
from detectable.data.files.inputs import unnoted_inputs
from detectable.data.files.ledger_file import (
    begin,
    fingerprint,
    fits,
    left_entries,
    locked,
    withdraw,
)
from detectable.data.files.place import FilePath
from detectable.data.files.read_json import read_json
from detectable.data.files.table import is_path
from detectable.planning.documents import DocumentSpread
from detectable.study.monitoring import planned
from detectable.study.monitoring.admission import checked_admission
from detectable.study.monitoring.frozen_plan import Plan, judgments_per_item
from detectable.study.monitoring.ledger import LedgerState, Pair
from detectable.study.monitoring.look_context import LookContext
from detectable.study.monitoring.look_input import chosen_unit, planned_judgments
from detectable.study.settings import PlanSettings

__all__ = ["Plan", "plan", "read_plan"]

_TEST: PlanTest = "paired-mean"
_PAPER_TEST: PlanTest = "rank-sum"  # of wei2022
LIVE = "detectable_live_plan"  # what marks a plan of `detectable.live`
_FORMAT = 3  # of the plan file; from here on its ledger is made with it
_FORMATS = (1, 2, _FORMAT)  # that can be read
_NOT_IN_THE_FILE = {"signature", "path", "fingerprint", "has_ledger"}
_CLAIMS_OF_FORMAT_1 = {
    "difference": "better",
    "non-inferiority": "non-inferior",
    "equivalence": "equivalent",
}


def plan(  # noqa: PLR0913 (all that must be fixed before the data)
    path: FilePath,
    *,
    systems: Sequence[str],
    n_max: int | None = None,
    baseline: str | None = None,
    question: str = "",
    test: PlanTest | None = None,
    preset: DesignPreset | None = None,
    unit: JudgmentUnit = "auto",
    scale: tuple[float, float] | None = None,
    claim: Claim = "better",
    margin: float | None = None,
    alpha: float = 0.05,
    seed: int = 0,
    sd: float | None = None,
    agreement: float | None = None,
    baseline_accuracy: float | None = None,
    pilot: Any = None,
    effect: float | None = None,
    cost_per_judgment: float | None = None,
    budget: float | None = None,
    admission: AdmissionRule | Mapping[str, Any] | None = None,
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
    baseline : str, optional
        Compare all others with this one; by default all pairs.
    question : str
        What it is for, in your words.
    n_max : int, optional
        Items judged for both systems (for each system, if the test is unpaired) at which it ends
        at the latest. Only the anytime-valid tests do without. It can follow from `budget`.
    test : {'paired-mean', 'signed-rank', 'sign-flip', 'rank-sum', 'two-means', 'proportions', 'mixed', 'preference', 'e-process', 'e-preference'}, optional
        ``paired-mean`` (default), ``signed-rank``, ``sign-flip`` (exact), ``rank-sum`` (default of
        the preset), ``two-means`` and ``proportions`` (unpaired), ``mixed``, ``preference``,
        ``e-process``, ``e-preference``.
    preset : {'paper'}, optional
        Of Wei, Kocmi and Federmann (2022), section 7: three looks with Pocock's bounds, giving up
        where p > .5, by ``rank-sum`` unless `test` says otherwise.
    unit : {'auto', 'item', 'document', 'rater'}
        What is independent. ``'auto'``: documents where the data name them, else items.
    scale : (float, float)
        Lowest and highest possible score: 0 to 100, for ``proportions`` 0 to 1 by default. One end
        may be infinite: MQM has (-inf, 0). A mean of differences needs no bounds; ``e-process``
        needs both.
    claim : {'better', 'non-inferior', 'equivalent'}
        What is to be shown of a system against its baseline. ``'better'`` is two-sided, so that
        it can also turn out worse, unless ``sided=1``. ``'non-inferior'`` (not worse by more than
        the margin) is one-sided, ``'equivalent'`` (within the margin) both one-sided tests.
    margin : float, optional
        Of ``'non-inferior'`` and ``'equivalent'``, in points of the scale.
    alpha : float
        Error level of the whole evaluation, over all looks.
    seed : int
        Of everything random, so that a look can be repeated.
    sd : float, optional
        Standard deviation of the difference of two outputs that are compared (of one item; for
        unpaired tests of two items), with which power and detectable effect are stated. By
        default a fifth of the scale, three tenths for unpaired tests; on a scale from 0 to 1 that
        of right and wrong answers, which agree only by chance. A scale with one end counts as 25
        points, the heaviest error of MQM. It decides nothing.
    agreement, baseline_accuracy : float, optional
        Instead of `sd`, on a scale from 0 to 1: the share of items that both systems answer
        right or both wrong; or the share that the baseline answers right, if they agree only by
        chance.
    pilot : optional
        Instead of `sd`: judgments of the same systems that show it, as for `look`. They are no
        part of the evaluation.
    effect : float, optional
        A true difference to state the power for; by default the detectable effect is stated, and
        with a margin the power if nothing differs.
    cost_per_judgment, budget : float, optional
        Price of one judgment, in any currency; and what may be spent. With a budget, `n_max` must
        fit, or follows from it.
    admission : str or mapping, optional
        By which rule the work of raters counts: ``'degraded-paired-t'`` (copies below their
        originals, one-sided t-test, as in WMT) or ``'symmetric'`` (below the mean of all systems of
        their item; needed for ``sign-flip``). A mapping also sets ``alpha`` (.05), ``pairs`` (10
        copies decide), ``few`` (``'refuse'`` or ``'admit'`` what has fewer at the end) and
        ``against`` (``'original'``, or ``'neighbours'`` for tasks of documents, where a degraded
        line must fall further than the lines beside it in the same copy).
    **design
        ``family`` and its parameter, ``looks``, ``at``, ``sided``, ``futility``, ``power`` of
        `detectable.design`. Default: Hwang-Shih-DeCani spending with
        γ = −4, which allows any number of looks at any time.
    """
    if isinstance(systems, str):
        raise InputError(f"`systems` must be two or more names; got the one text {systems!r}.")
    names = tuple(str(name) for name in systems)
    if preset is not None:
        design = planned.preset_design(preset, test, design)
    how: PlanTest = test or (_TEST if preset is None else _PAPER_TEST)
    if budget is not None:
        per_item = judgments_per_item(how, len(names))
        n_max = planned.affordable(budget, cost_per_judgment, per_item, n_max)
    low, high = scale or ((0.0, 1.0) if how == "proportions" else (0.0, 100.0))
    settings = asdict(asked(PlanSettings, locals()))
    del settings["preset"]  # the design has it in full
    made = _checked(
        **settings
        | {
            "systems": names,
            "baseline": planned.checked_baseline(names, baseline),
            "test": how,
            "scale": (float(low), float(high)),
            "margin": None if margin is None else float(margin),
            "design": planned.frozen_design(how, design, alpha),
            "seed": seed,
            "created": datetime.datetime.now(datetime.UTC).isoformat(timespec="seconds"),
            "admission": checked_admission(admission, how),
        }
    )
    if pilot is not None:
        if sd is not None:
            raise InputError("`sd` and `pilot` both say how much differences vary. Give one.")
        for name, value in (("agreement", agreement), ("baseline_accuracy", baseline_accuracy)):
            if value is not None:
                raise InputError(
                    f"`{name}` and `pilot` both say how much differences vary. Give one."
                )
        made = replace(made, **pilot_spread(made, pilot))
    content = _content(made)
    stamp = fingerprint(content)
    text = _json({**content, "fingerprint": stamp})
    birth = {"event": "plan", "plan": stamp, "file": Path(path).name, "time": made.created}
    write_frozen(Path(path), text, birth)
    with unnoted_inputs():
        return read_plan(path)


def write_frozen(target: Path, text: str, birth: Mapping[str, Any]) -> None:
    """Write the plan and the first line of its ledger, both or none.

    The ledger comes first: a plan without one is a copy, and is refused. A ledger with this line
    alone and no plan is what a kill leaves, and the next plan of this name replaces it.
    """
    refuse_existing(target)
    ledger = planned.beside(target, ".ledger.jsonl")
    with locked(ledger):
        refuse_existing(target)
        _require_free(ledger)
        begin(ledger, birth)
        try:
            write_whole(target, text, new=True)
        except BaseException:
            if not os.path.lexists(
                target
            ):  # Ctrl-C may come when the plan has its name already
                withdraw(ledger)
            raise


def _require_free(ledger: Path) -> None:
    """Refuse the name of a ledger that holds looks, or whose plan is still there."""
    left = left_entries(ledger)
    if left is None or any(entry.get("event") != "plan" for entry in left):
        raise DataError(
            f"{ledger}: a plan of this name has been looked at already. Choose another name."
        )
    for entry in left:
        owner = ledger.with_name(str(entry["file"]))
        if os.path.lexists(owner):  # ship.json and ship.plan would share it
            raise DataError(f"{ledger} belongs to {owner}. Choose another name.")


class LivePlanError(DataError):
    """A plan that is of `detectable.live`."""


def read_plan(path: FilePath) -> Plan:
    """Read a plan file, refusing one that was changed after it was frozen."""
    if not is_path(path):
        raise InputError(f"`plan` must be a plan or its file; got {type(path).__name__}.")
    content = read_json(path)
    if not isinstance(content, dict) or "detectable_plan" not in content:
        if isinstance(content, dict) and LIVE in content:
            raise LivePlanError(
                f"{path}: this is the plan of a live evaluation, and takes logs of a harness."
            )
        raise DataError(f"{path}: this is no plan. Make one with `detectable plan new`.")
    stamp = content.pop("fingerprint", None)
    if not isinstance(stamp, str) or not fits(content, stamp):
        raise DataError(
            f"{path}: the plan was changed after it was frozen: its content does not fit its "
            "fingerprint. Put back the file as it was made; a new question needs a new plan."
        )
    if content["detectable_plan"] not in _FORMATS:
        raise DataError(
            f"{path}: a plan of format {content['detectable_plan']}; this version reads "
            f"{listing(list(map(str, _FORMATS)))}. Use the version that made it "
            f"({content.get('version')})."
        )
    if content["detectable_plan"] == 1:
        content["claim"] = _CLAIMS_OF_FORMAT_1[content["claim"]]
    names = {part.name for part in fields(Plan)} - _NOT_IN_THE_FILE
    values = {key: value for key, value in content.items() if key in names}
    try:
        values["systems"] = tuple(values["systems"])
        values["scale"] = planned.scale_of_json(values["scale"])
        return _checked(
            **values,
            path=str(path),
            fingerprint=stamp,
            has_ledger=content["detectable_plan"] == _FORMAT,
        )
    except (KeyError, TypeError, AttributeError) as error:  # made by hand, fingerprint and all
        raise DataError(f"{path}: this is no whole plan ({error}).") from error


def _checked(**values: Any) -> Plan:
    """Return the plan, or say which of its parts do not go together."""
    low, high = values["scale"]
    if not (low < high and (math.isfinite(low) or math.isfinite(high))):
        raise InputError(f"`scale` must go from low to high; got {low:g} to {high:g}.")
    if values["test"] == "e-process" and not math.isfinite(high - low):
        raise InputError(
            "`scale` must have two ends for the test e-process, since a bet must cover the largest "
            f"loss; got {low:g} to {high:g}. Give both ends, or choose paired-mean, which needs none."
        )
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
    if values["test"] in planned.PREFERENCES and len(values["systems"]) != 2:
        raise InputError(
            f"`systems` must be two for the test {values['test']!r}; got "
            f"{listing(list(values['systems']))}."
        )
    planned.check_end(values["test"], values["n_max"], values["design"])
    check.positive_int(values["seed"], "seed", minimum=0, maximum=None)
    planned.check_unit(values["test"], values["unit"])
    planned.check_assumed(values)
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
        if part.name not in _NOT_IN_THE_FILE
    }
    # What nobody chose is not in the file: its default may become another one.
    values = {
        name: value
        for name, value in values.items()
        if name not in planned.ASSUMED or value is not None
    }
    values["scale"] = planned.scale_to_json(values["scale"])
    return {"detectable_plan": _FORMAT, "version": VERSION, **values}


def _json(content: Mapping[str, Any]) -> str:
    import json

    return json.dumps(content, indent=2, ensure_ascii=False) + "\n"


# --- How much differences vary, as a pilot shows it ---

# A detectable effect is in points, also that of ranks.
_AS_MEANS: dict[PlanTest, PlanTest] = {
    "signed-rank": "paired-mean",
    "sign-flip": "paired-mean",
    "rank-sum": "two-means",
    "proportions": "two-means",
}


def pilot_spread(plan: Plan, data: Any) -> dict[str, Any]:
    """Return the standard deviation that a pilot shows, on the scale of means, and its documents.

    It is the standard error of the planned comparison times the root of the items, so that what
    documents or raters share is counted in; with documents as `planning.documents` has it, like
    every other plan from a pilot. Of several pairs the largest.
    """
    as_means = replace(plan, test=_AS_MEANS.get(plan.test, plan.test))
    judgments = planned_judgments(as_means, data)
    context = LookContext(
        plan=as_means,
        state=LedgerState(
            plan=as_means, entries=(), lines=(), history=dict.fromkeys(plan.pairs, ())
        ),
        judgments=judgments,
        seen=np.zeros(judgments.n_judgments, dtype=np.int64),
        unit=chosen_unit(as_means, judgments),
        final=False,
    )
    if context.unit == "document" and as_means.test in planned.WITH_DOCUMENTS:
        spreads = [_documents(context, pair) for pair in plan.pairs]
        spread = max(spreads, key=lambda one: one.variance * one.size)
        return {"sd": math.sqrt(spread.variance * spread.size), "documents": asdict(spread)}
    found = [context.statistic(pair)[0] for pair in plan.pairs]
    widest = max(one.standard_error * math.sqrt(one.n_units) for one in found)
    if not (math.isfinite(widest) and widest > 0.0):
        raise DataError(
            f"{judgments.path or 'the pilot'}: its differences do not vary, so it says nothing "
            "about the spread of others. Give `sd` instead."
        )
    return {"sd": widest}


def _documents(context: LookContext, pair: Pair) -> DocumentSpread:
    units = context.units(pair)
    if units.clusters is None or units.differences.size < 2:
        raise DataError(
            f"{pair[0]} and {pair[1]} were compared on {units.differences.size} items in the "
            "pilot; two in different documents are the least."
        )
    return DocumentSpread.of_pilot(units.differences, units.clusters.codes)
