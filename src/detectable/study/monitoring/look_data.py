"""Whatever holds the data of a plan, as judgments of the planned systems."""

from dataclasses import replace
from typing import Any

import numpy as np

from detectable.core.choices import UnitName
from detectable.core.errors import DataError
from detectable.core.wording import listing
from detectable.data.factor import cross
from detectable.data.human.judgments import Judgments
from detectable.data.human.ordinary import ordinary
from detectable.data.human.preferences import read_preferences
from detectable.data.human.read_judgments import read_judgments
from detectable.data.scores.scores import Scores
from detectable.study.monitoring.frozen_plan import Plan
from detectable.study.monitoring.plan_options import PREFERENCES, WITH_DOCUMENTS


def planned_judgments(plan: Plan, data: Any) -> Judgments:
    """Return the judgments of the planned systems, ordinary items and repeats, checked."""
    return own_output(with_controls(plan, data))


def own_output(judgments: Judgments) -> Judgments:
    """Leave out degraded copies and references, and say so in a note."""
    kept, notes = ordinary(judgments)
    return replace(kept, notes=(*kept.notes, *notes))


def with_controls(plan: Plan, data: Any) -> Judgments:
    """Return all judgments of the planned systems, degraded copies among them, checked.

    Parameters
    ----------
    data : Judgments, Scores, path, mapping, data frame or function
        Judgments; segment scores of a metric, which count as one rater; or, for a plan by
        preference, a table with the column ``winner`` (see `read_preferences`). A function is
        given the plan and returns any of these.

    Notes
    -----
    Several campaigns are allowed, since judgments come in one after the other. Several language
    pairs are not, also where no item name occurs in two of them: a plan has one question, and
    the test of it takes all differences to be of one population, at every look.
    """
    if callable(data):
        data = data(plan)
    if isinstance(data, Scores):
        judgments = _from_scores(data, plan)
    elif isinstance(data, Judgments):
        judgments = data
    elif plan.test in PREFERENCES:
        judgments = read_preferences(data, plan.systems)
    else:
        judgments = read_judgments(data, scale=plan.scale)
    _check_scale(plan, judgments)
    missing = [name for name in plan.systems if name not in judgments.system.levels]
    if missing:
        raise DataError(
            f"{judgments.path or 'the data'}: no judgment of the planned {listing(missing)}; found "
            f"{listing(list(judgments.system.levels), most=10)}."
        )
    levels = [judgments.system.levels.index(name) for name in plan.systems]
    planned = judgments.take(np.isin(judgments.system.codes, levels))
    _check_one_language(planned)
    return _items_in_documents(planned)


def chosen_unit(plan: Plan, judgments: Judgments) -> UnitName:
    """Return what is independent: as planned, or documents where the data name them."""
    if plan.unit != "auto":
        return plan.unit
    known = plan.test in WITH_DOCUMENTS and judgments.document is not None
    return "document" if known else "item"


def _items_in_documents(judgments: Judgments) -> Judgments:
    """Name every item by document and item.

    Judgments do so only once an item name occurs in two documents. Between two looks an item
    would then change its name, and seem to be another one.
    """
    if judgments.document is None:
        return judgments
    labels = zip(judgments.document.labels(), judgments.item.labels(), strict=True)
    if all(item.startswith(f"{document}:") for document, item in labels):
        return judgments
    return replace(judgments, item=cross("item", judgments.document, judgments.item))


def _check_one_language(judgments: Judgments) -> None:
    language = judgments.language
    if language is not None and language.n_levels > 1:
        raise DataError(
            f"{judgments.path or 'the data'}: {language.n_levels} language pairs: "
            f"{listing(list(language.levels), most=20)}. A plan is about one, and scores of "
            "different ones are not comparable. Give the judgments of one, and write a plan for "
            "each of the others."
        )


def _check_scale(plan: Plan, judgments: Judgments) -> None:
    if plan.test in PREFERENCES:
        return
    low, high = plan.scale
    if plan.test == "proportions":
        _check_binary(judgments)
    outside = np.flatnonzero((judgments.score < low) | (judgments.score > high))
    if outside.size:
        row = int(outside[0])
        raise DataError(
            f"{judgments.place(row, 'score')}: the score {judgments.score[row]:g} lies outside the "
            f"planned scale {low:g} to {high:g}. Correct it; the scale of a plan is fixed."
        )


def _check_binary(judgments: Judgments) -> None:
    other = np.flatnonzero((judgments.score != 0.0) & (judgments.score != 1.0))
    if other.size:
        row = int(other[0])
        raise DataError(
            f"{judgments.place(row, 'score')}: expected 0 or 1 for the planned test of "
            f"proportions, found {judgments.score[row]:g}. Plan rank-sum or two-means for scores."
        )


def _from_scores(scores: Scores, plan: Plan) -> Judgments:
    """Return segment scores as judgments by one rater; runs of a system are repeats.

    So are samples of an item: the mean is taken of as many as there are.
    """
    columns: dict[str, list[Any]] = {"system": [], "item": [], "score": []}
    documents: list[str] = []
    for name, table in scores.of_one_task().systems.items():
        for run in table:
            known = np.flatnonzero(np.isfinite(run))
            columns["system"] += [name] * known.size
            columns["item"] += [scores.items[i] for i in known]
            columns["score"] += run[known].tolist()
            if scores.documents is not None:
                documents += [scores.documents[i] for i in known]
    if documents:
        columns["document"] = documents
    return Judgments.build(columns, scale=plan.scale)
