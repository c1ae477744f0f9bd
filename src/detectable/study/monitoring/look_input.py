"""What a look is given: judgments of the planned systems as differences or samples."""

from dataclasses import dataclass, replace
from typing import Any

import numpy as np
from numpy.typing import NDArray

from detectable.core.choices import UnitName
from detectable.core.errors import DataError
from detectable.core.types import FloatArray, IntArray
from detectable.core.wording import listing, scale_words
from detectable.data.factor import Factor, cross
from detectable.data.human.cells import Cells, PairedUnits, ordinary
from detectable.data.human.judgments import Judgments
from detectable.data.human.preferences import read_preferences
from detectable.data.human.read_judgments import read_judgments
from detectable.data.scores.scores import Scores
from detectable.study.monitoring.admission import Admission, DecidedWork, admit, decided_before
from detectable.study.monitoring.frozen_plan import Plan
from detectable.study.monitoring.ledger import LedgerState
from detectable.study.monitoring.planned import PREFERENCES, WEIGHED, WITH_DOCUMENTS
from detectable.study.monitoring.seen_rows import RowHashes, deleted, first_seen, hash_rows


@dataclass(frozen=True, slots=True, kw_only=True)
class LookInput:
    """The data of one look or of a conclusion.

    Attributes
    ----------
    judgments : Judgments
        What counts, without controls.
    hashes, seen
        Of its rows, and the look that saw each first.
    all_work : Judgments or None
        Admitted or not, where the plan admits.
    keyed : bool
        Whether the hashes were made with the key of a campaign.
    """

    judgments: Judgments
    hashes: RowHashes
    seen: NDArray[np.int64]
    admission: Admission | None
    all_work: Judgments | None
    keyed: bool


def look_input(state: LedgerState, data: Any, *, ending: bool) -> LookInput:
    """Read the data of a look, and leave out what the plan does not admit.

    Parameters
    ----------
    data
        As for `look`; or the work of a campaign, which has decided already.
    ending : bool
        Whether no more controls will come.
    """
    if callable(data):
        data = data(state.plan)
    if isinstance(data, DecidedWork):
        return _decided(state, data)
    require_no_key(state)
    read = with_controls(state.plan, data)
    rule = state.plan.admission
    if rule is None:
        return _input(state, own_output(read))
    admission = admit(rule, read, state.plan.systems, state.lines, ending=ending)
    made = _input(state, own_output(admission.admitted()))
    return replace(made, admission=admission, all_work=own_output(read))


def require_no_key(state: LedgerState) -> None:
    """Refuse a table where a campaign has looked: its rows cannot be told without the key."""
    if any(entry.get("keyed") for entry in state.entries):
        raise DataError(
            f"{state.plan.ledger_path}: these looks were run by a campaign, whose store has the "
            "key of their hashes. Go on with the campaign (`detectable campaign look`, "
            "`detectable campaign conclude`)."
        )


def _decided(state: LedgerState, work: DecidedWork) -> LookInput:
    if any(not entry.get("keyed") for entry in state.entries):
        raise DataError(
            f"{state.plan.ledger_path}: this plan was looked at with a table, not by a campaign. "
            "Go on with tables, or make a new plan for the campaign."
        )
    read = with_controls(state.plan, work.judgments)
    admission = None
    if state.plan.admission is not None:
        admission = decided_before(work, read, state.lines)
        admission.admitted()  # says that none is, rather than that there are no judgments
    made = _input(state, own_output(read.take(work.shown)), key=work.key)
    if admission is None:
        return made
    everything = own_output(with_controls(state.plan, work.all_work))
    return replace(made, admission=admission, all_work=everything)


def _input(state: LedgerState, judgments: Judgments, *, key: str = "") -> LookInput:
    hashes = hash_rows(judgments, key=key)
    return LookInput(
        judgments=judgments,
        hashes=hashes,
        seen=first_seen(judgments, hashes, state.entries, gone=deleted(state.lines, "rows")),
        admission=None,
        all_work=None,
        keyed=bool(key),
    )


# --- Whatever holds the data of a plan, as judgments of the planned systems ---


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
    pairs are not, even where no item name occurs in two of them: a plan has one question, and
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
    if plan.test not in WEIGHED:
        planned.refuse_weights(f"a plan by {plan.test}", "paired-mean or sign-flip")
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
            f"planned {scale_words(low, high)}. Correct it; the scale of a plan is fixed."
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


# --- Judgments of two systems as what one look compares: differences or samples ---


@dataclass(frozen=True, slots=True, kw_only=True)
class LookUnits:
    """Differences system − baseline on what both were judged on."""

    paired: PairedUnits
    n_judgments: int  # rows behind them
    unmatched: int  # rows of the two systems that have no partner

    @property
    def names(self) -> tuple[str, ...]:
        """What each difference is called: its item, or its item and rater."""
        return self.paired.names()

    @property
    def differences(self) -> FloatArray:
        """The differences, by item."""
        return self.paired.d

    @property
    def weights(self) -> FloatArray | None:
        """What each difference stands for, where items weigh unequally."""
        return self.paired.weight

    @property
    def clusters(self) -> Factor | None:
        """The document or rater of each difference, if they are the clusters."""
        return None if self.paired.unit == "item" else self.paired.cluster_factor()

    def are_ends_of(self, scale: tuple[float, float]) -> bool:
        """Say whether all scores are the lowest or the highest possible one: wrong or right."""
        return bool(np.isin([self.paired.first, self.paired.second], scale).all())

    def bets(self) -> "Bets":
        """Return what an anytime-valid test bets on: items, or documents with their means.

        A document counts with the mean difference of its items, not with their sum. The mean of
        differences within the bounds lies within the same bounds. A sum does so only after division
        by the largest number of items that a document can have, which nobody knows before the data
        and which would make almost every bet a timid one. The price: documents count alike, so the
        null hypothesis is that the expected mean difference *of a document* is 0. Over items
        that is the same wherever length has nothing to do with the difference.
        """
        clusters = self.clusters
        if clusters is None:
            ones = np.ones(self.differences.size, dtype=np.int64)
            return Bets(names=self.names, values=self.differences, n_items=ones)
        sizes = np.bincount(clusters.codes, minlength=len(clusters.levels))
        sums = np.bincount(clusters.codes, weights=self.differences)
        # Rounding may carry a mean of equal differences beyond the largest of them.
        low, high = float(self.differences.min()), float(self.differences.max())
        means: FloatArray = np.clip(sums / sizes, low, high)
        return Bets(names=clusters.levels, values=means, n_items=sizes)


@dataclass(frozen=True, slots=True, kw_only=True)
class Bets:
    """What can be bet on, one bet each."""

    names: tuple[str, ...]
    values: FloatArray
    n_items: IntArray  # behind each value


def planned_cells(judgments: Judgments) -> Cells:
    """Return the cells of a look.

    The judgments of a plan may come in several campaigns, one after the other: an item is then
    known by its name, as in the ledger.
    """
    return judgments.cells(across_campaigns=True)


def look_units(cells: Cells, system: str, baseline: str, *, unit: UnitName) -> LookUnits:
    """Return the differences of two systems, within raters where raters are known.

    A plan by preference has one difference per item too: above 0 a win, below a loss. Several
    raters of an item make one comparison, which goes to the majority: raters agree more often
    than coins do, so to count each of them would overstate the evidence.
    """
    matched = cells.matched([(system, baseline)])
    if not matched.item.size:
        raise DataError(
            f"{cells.judgments.path or 'the judgments'}: no rater judged {system!r} and "
            f"{baseline!r} on the same item, so nothing is paired. Give both systems of an item "
            "to one rater, or plan an unpaired test (rank-sum, two-means)."
        )
    return LookUnits(
        paired=matched.units(unit),
        n_judgments=int(matched.n_judgments[0]),
        unmatched=int(matched.unmatched[0]),
    )


def two_samples(cells: Cells, system: str, baseline: str) -> tuple[FloatArray, FloatArray]:
    """Return the scores of two systems, all judgments of an item averaged first."""
    means = cells.table()
    samples = [means[:, cells.systems.index(name)] for name in (system, baseline)]
    first, second = (sample[np.isfinite(sample)] for sample in samples)
    return first, second
