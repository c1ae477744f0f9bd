"""What two raters judge is enough for agreement and components of variance, end to end."""

from pathlib import Path
from typing import Any

import numpy as np
import pytest

import detectable as dt
from detectable.core.errors import DataError
from detectable.data.human.judgments import Judgments
from detectable.report.shown.tasks import tasks_csv
from detectable.study.tasks.result import Tasks
from tests.study.tasks.texts import documents_corpus

KINDS = pytest.mark.parametrize("kind", ["segment", "document"])
_CONTROLS = {"system": 0.0, "repeat": 0.0, "degraded": -12.0, "reference": 8.0}


def _tasks(kind: Any, **more: Any) -> Tasks:
    options: dict[str, Any] = {"raters": 5, "overlap": 0.2, "rng": 3, **more}
    return dt.make_tasks(documents_corpus([6] * 50), kind=kind, **options)


def _scores(tasks: Tasks, *, quality: float, noise: float) -> list[float]:
    """Return a score for every row: the quality of the translation, and the rater's noise."""
    rng = np.random.default_rng(8)
    worth: dict[tuple[str, str], float] = {}
    scores = []
    for row in tasks.rows:
        text = worth.setdefault((row.system, row.item), quality * rng.standard_normal())
        scores.append(55 + text + noise * rng.standard_normal() + _CONTROLS[row.kind])
    return scores


def _judgments(tasks: Tasks, scores: list[float]) -> Judgments:
    roles = ("system", "item", "rater", "document", "task", "kind")
    columns: dict[str, Any] = {r: [getattr(row, r) for row in tasks.rows] for r in roles}
    return Judgments.build({**columns, "score": scores})


@KINDS
def test_variance_and_agreement_take_what_two_raters_judged(kind: str) -> None:
    made = _tasks(kind)
    assert (made.n_items, made.n_shared) == (300, 60)
    judged = _judgments(made, _scores(made, quality=6.0, noise=4.5))
    parts = dt.variance_components(judged, repeats="first")
    agree = dt.agreement(judged)
    # 120 translations judged by two: the noise variance has 120 degrees of freedom.
    assert agree.n_translations == 120
    assert abs(parts.noise.value / 20.25 - 1) < 4 * (2 / 120) ** 0.5
    true = 36 / (36 + 20.25)
    assert abs(agree.krippendorff - true) < 4 * (1 - true**2) / 120**0.5
    checked = dt.quality_control(judged)
    assert len(checked.good) == 5


@KINDS
def test_without_overlap_they_have_nothing_to_go_by(kind: str) -> None:
    made = _tasks(kind, overlap=0.0)
    assert made.n_shared == 0
    judged = _judgments(made, _scores(made, quality=6.0, noise=4.5))
    with pytest.raises(DataError, match=r"two raters|several raters|more than one rater"):
        dt.agreement(judged)
    with pytest.raises(DataError, match=r"two raters|several raters|more than one rater"):
        dt.variance_components(judged)


@KINDS
def test_whole_documents_are_judged_twice(kind: str) -> None:
    made = _tasks(kind, overlap=0.1)  # 30 lines are five documents
    raters: dict[str, set[str]] = {}
    documents: dict[str, str] = {}
    for row in made.rows:
        raters.setdefault(row.item, set()).add(row.rater)
        documents[row.item] = str(row.document)
    two = [item for item, who in raters.items() if len(who) == 2]
    assert {len(who) for who in raters.values()} == {1, 2}
    assert (len(two), made.n_shared) == (30, 30)
    assert len({documents[item] for item in two}) == 5
    if kind == "document":  # and the second rater is one and the same for a document
        pairs = {(documents[item], tuple(sorted(raters[item]))) for item in two}
        assert len(pairs) == 5


@KINDS
def test_which_documents_are_judged_twice_follows_the_seed(kind: str) -> None:
    def two(seed: int) -> frozenset[str]:
        raters: dict[str, set[str]] = {}
        for row in _tasks(kind, overlap=0.1, rng=seed).rows:
            raters.setdefault(row.item, set()).add(row.rater)
        return frozenset(item for item, who in raters.items() if len(who) == 2)

    assert two(1) == two(1)
    assert len({two(seed) for seed in range(5)}) == 5


@KINDS
def test_a_filled_in_sheet_gives_the_same(kind: str, tmp_path: Path) -> None:
    made = _tasks(kind)
    scores = _scores(made, quality=6.0, noise=4.5)
    head, *lines = tasks_csv(made).split("\r\n")[:-1]
    # Score and seconds are the last two columns, and empty.
    filled = [f"{line[:-1]}{s!r},5" for line, s in zip(lines, map(float, scores), strict=True)]
    path = tmp_path / "tasks.csv"
    path.write_text("\n".join([head, *filled]) + "\n", encoding="utf-8")
    read = dt.read_judgments(path)
    direct = _judgments(made, scores)
    first, second = (dt.agreement(one) for one in (read, direct))
    assert first.krippendorff == pytest.approx(second.krippendorff, rel=1e-12)
    assert first.n_translations == second.n_translations == 120
    ranked = dt.rank_systems(read, rng=1)
    assert len(ranked.systems) == 2


def test_pairs_are_compared_with_the_rater_who_judged_both() -> None:
    """A rater far more severe than the others does not move the difference of systems."""
    made = _tasks("segment")
    rng = np.random.default_rng(4)
    severity = {f"rater-{i}": 12.0 * i for i in range(1, 6)}
    scores = [
        10.0 + severity[row.rater] - 2.0 * (row.system == "S1") + rng.standard_normal()
        for row in made.rows
    ]
    fit = dt.rank_systems(_judgments(made, scores), unit="item", rng=1)
    [pair] = fit.pairs
    assert abs(abs(pair.difference) - 2.0) < 4 * (2 / 300) ** 0.5
