"""Verdicts and clusters that hang on one document or one rater, against rankings without it."""

import time
from typing import Any

import numpy as np
import pytest

from detectable.data.human.judgments import Judgments
from detectable.data.human.read_judgments import read_judgments
from detectable.study.ranking.leverage import failed_raters
from detectable.study.ranking.rank_systems import rank_systems
from detectable.study.ranking.ranking import Ranking
from tests.helpers import reference_data
from tests.study.ranking.test_rank_systems import THREE, crossed, judged


def by_document(*differences: Any, names: str = "ab") -> dict[str, Any]:
    """Return systems of two segments per document; each beats the last by its differences."""
    columns: dict[str, list[Any]] = {"system": [], "item": [], "document": [], "score": []}
    for name, gains in zip(names, (*differences, np.zeros(len(differences[0]))), strict=True):
        for document, gain in enumerate(gains):
            for segment in (0, 1):
                columns["system"].append(name)
                columns["item"].append(2 * document + segment)
                columns["document"].append(f"d{document}")
                columns["score"].append(50.0 + gain + (1.0 if segment else -1.0))
    return {name: np.array(column) for name, column in columns.items()}


def without(columns: dict[str, Any], role: str, name: Any) -> Judgments:
    return judged(columns, columns[role] != name)


HINGED = [6.0, 3.0, -1.5, 2.0, -1.0, 3.5, 1.5, 2.5, -0.5, 1.0]


def test_the_document_that_decides_a_pair_is_named() -> None:
    columns = by_document(HINGED)
    ranking = rank_systems(judged(columns), alpha=0.1)
    assert ranking.pairs[0].verdict == "better"
    (found,) = [row for row in ranking.influential if row.better]
    assert (found.kind, found.name, found.better, found.worse) == ("document", "d0", "a", "b")
    assert found.share == pytest.approx(0.1)
    rest = np.array(HINGED[1:])
    signs = np.array(np.meshgrid(*[[-1, 1]] * 9)).reshape(9, -1)
    p = np.mean(np.abs(rest @ signs) >= abs(rest.sum()) - 1e-9)
    assert p > 0.1
    assert found.p_adjusted == pytest.approx(p)
    assert found.difference == pytest.approx(rest.mean())
    again = rank_systems(without(columns, "document", "d0"), alpha=0.1)
    assert found.p_adjusted == again.pairs[0].p_adjusted
    assert found.verdict == again.pairs[0].verdict == "undecided"
    said = f"Without document d0 (10% of the comparisons) a − b would be undecided (+{rest.mean():.2f}"
    assert said in ranking.summary()


def test_the_clusters_that_change_are_named() -> None:
    columns = by_document(np.array(HINGED) + 12.0, HINGED, names="tab")
    ranking = rank_systems(judged(columns), alpha=0.1)
    assert ranking.clusters == (("t",), ("a",), ("b",))
    lines = [row for row in ranking.influential if row.clusters]
    assert [(row.name, row.clusters) for row in lines] == [("d0", (("t",), ("a", "b")))]
    again = rank_systems(without(columns, "document", "d0"), alpha=0.1)
    assert lines[0].clusters == again.clusters
    named = {(row.better, row.worse): row for row in ranking.influential if row.better}
    assert named.keys() == {("a", "b")}
    assert named["a", "b"].p_adjusted == again.pair("a", "b").p_adjusted


def test_nothing_hangs_on_one_document_where_all_agree() -> None:
    columns = by_document([5.0, 6.0, 5.5, 4.0, 5.0, 6.5, 4.5, 5.0, 5.5, 6.0])
    assert rank_systems(judged(columns)).influential == ()


def test_nothing_to_lose_nothing_to_name() -> None:
    columns = by_document([40.0, -9.0, 3.0, -8.0, 2.0, 5.0, -6.0, 1.0])
    ranking = rank_systems(judged(columns))
    assert ranking.pairs[0].verdict == "undecided"
    assert ranking.influential == ()


def test_too_few_documents_are_not_blamed_on_one_of_them() -> None:
    # Six are too few for Holm over three pairs, whichever is left out of seven.
    columns = by_document(
        [5.0, 6.0, 5.5, 4.0, 5.0, 6.5, 4.5], [2.0, 3.0, 2.5, 2, 3, 2, 2.5], names="abc"
    )
    ranking = rank_systems(judged(columns), test="permutation", correction="holm")
    assert ranking.n_significant == 3
    assert ranking.influential == ()
    # By default the six that are left are tested by t, as a ranking of them would be.
    assert rank_systems(judged(columns)).influential == ()


def test_seven_documents_less_one_are_tested_by_t() -> None:
    columns = by_document([9.0, 4.0, 1.0, 0.5, 3.0, 0.2, 2.0])
    ranking = rank_systems(judged(columns), alpha=0.05)
    again = rank_systems(without(columns, "document", "d0"))
    assert (ranking.test, again.test) == ("permutation", "t")
    for row in ranking.influential:
        assert row.p_adjusted == pytest.approx(again.pairs[0].p_adjusted)
    assert (again.pairs[0].verdict == "undecided") == bool(ranking.influential)


def rated(biased: float) -> dict[str, Any]:
    """Return two systems that four raters judge alike, but for what the first sees in `a`."""
    rng = np.random.default_rng(3)
    system, item, rater = (axis.ravel() for axis in np.indices((2, 24, 4)))
    score = 50.0 + rng.normal(0, 4.0, system.size) + biased * ((system == 0) & (rater == 0))
    return {
        "system": np.array(["a", "b"])[system],
        "item": item,
        "document": item // 2,
        "rater": np.array(["ann", "bob", "eve", "mal"])[rater],
        "score": score,
    }


def test_the_rater_who_decides_a_pair_is_named() -> None:
    columns = rated(12.0)
    ranking = rank_systems(judged(columns))
    assert (ranking.matching, ranking.pairs[0].verdict) == ("rater", "better")
    raters = [row for row in ranking.influential if row.kind == "rater" and row.better]
    assert [(row.name, row.share) for row in raters] == [("ann", 0.25)]
    again = rank_systems(without(columns, "rater", "ann"))
    rest = again.pair("a", "b")
    turned = 1.0 if rest.better == "a" else -1.0
    assert raters[0].difference == pytest.approx(turned * rest.difference)
    assert raters[0].p_adjusted == again.pair("a", "b").p_adjusted
    assert again.pair("a", "b").verdict == "undecided"


def test_no_rater_is_named_where_all_say_the_same() -> None:
    columns = rated(0.0)
    columns["score"] = columns["score"] + 6.0 * (columns["system"] == "a")
    ranking = rank_systems(judged(columns))
    assert ranking.pairs[0].verdict == "better"
    assert ranking.influential == ()


def test_an_equivalence_may_hang_on_one_document() -> None:
    columns = by_document([-6.0, 1.0, 1.2, 0.8, 1.1, 0.9, 1.0, 1.3, 0.9, 1.0, 1.1, 0.7])
    ranking = rank_systems(judged(columns), margin=3.0)
    again = rank_systems(without(columns, "document", "d0"), margin=3.0)
    before, after = ranking.pairs[0].verdict, again.pairs[0].verdict
    changed = [row.verdict for row in ranking.influential if row.better]
    assert changed == ([after] if before not in ("undecided", after) else [])


@pytest.mark.parametrize("average", ["items", "domains"])
def test_every_named_pair_is_what_a_ranking_without_it_says(average: Any) -> None:
    for seed in range(6):
        columns = crossed(THREE, spread=24.0, documents=9, segments=2, seed=seed)
        columns["domain"] = columns["document"] % 2
        ranking = rank_systems(judged(columns), average=average)
        for row in ranking.influential:
            role, name = (
                ("document", int(row.name))
                if row.kind == "document"
                else ("rater", int(row.name))
            )
            again: Ranking = rank_systems(without(columns, role, name), average=average)
            if row.clusters:
                if [s.system for s in again.systems] == [s.system for s in ranking.systems]:
                    assert again.clusters == row.clusters
            else:
                pair = again.pair(row.better, row.worse)
                assert row.p_adjusted == pytest.approx(pair.p_adjusted)


@pytest.mark.slow
def test_thirty_systems_and_a_hundred_raters_take_seconds() -> None:
    rng = np.random.default_rng(1)
    system, document, segment, turn = (a.ravel() for a in np.indices((30, 40, 5, 3)))
    item = document * 5 + segment
    who = rng.permuted(np.tile(np.arange(100), (200, 1)), axis=1)[:, :3]
    score = 60 + 0.2 * system + rng.normal(0, 3, (30, 40))[system, document]
    table = Judgments.build(
        {
            "system": system,
            "item": item,
            "document": document,
            "rater": who[item, turn],
            "score": np.clip(score + rng.normal(0, 10, system.size), 0, 100),
        }
    )
    start = time.process_time()
    rank_systems(table, rng=1)
    assert time.process_time() - start < 30.0


# --- Raters who fail their check: the ranking keeps them, counts them, and says what they decide ---


def _campaign(*, careless_prefer: str) -> Judgments:
    """Return two careful raters who see little difference, and one careless who sees one."""
    rng = np.random.default_rng(4)
    rows: list[dict[str, Any]] = []
    for rater, careless in (("ann", False), ("bob", False), ("eve", True)):
        for item in range(40):
            for system in ("A", "B"):
                noise = float(rng.normal(0, 3))
                liked = careless and system == careless_prefer
                rows.append(
                    {"rater": rater, "item": item, "system": system, "kind": "system",
                     "score": 50 + noise + (12 if liked else 0)}
                )  # fmt: skip
                fall = float(rng.normal(0, 3)) if careless else 20
                rows.append({**rows[-1], "kind": "degraded", "score": rows[-1]["score"] - fall})
    return Judgments.build({key: [row[key] for row in rows] for key in rows[0]})


def test_a_verdict_that_rests_on_a_careless_rater_is_named() -> None:
    judgments = _campaign(careless_prefer="A")
    judgments_of_eve = judgments.where(rater="eve")
    assert judgments_of_eve.n_judgments == 160
    ranking = rank_systems(judgments, rng=1, n_resamples=999)
    assert ranking.pairs[0].verdict == "better"
    assert sum(row.N for row in ranking.systems) == 240  # nobody is dropped unasked
    assert ranking.notes[-1].startswith("The verdict depends on 1 of 3 raters who failed the")
    assert "A against B: with them better, without them undecided." in ranking.notes[-1]


def test_without_failures_or_controls_nothing_is_said() -> None:
    judgments = _campaign(careless_prefer="A")
    plain = judgments.take(judgments.is_kind("system"))
    assert failed_raters(plain) == ()
    assert not any(
        "failed" in note for note in rank_systems(plain, rng=1, n_resamples=99).notes
    )
    careful = judgments.take(judgments.column("rater").codes < 2)
    assert failed_raters(careful) == ()


@pytest.mark.filterwarnings("ignore::UserWarning")
@pytest.mark.parametrize("preset", [None, "wmt21"])
def test_ukrainian_to_english_of_wmt22(preset: Any) -> None:
    judgments = read_judgments(reference_data("data", "more", "wmt", "wmt22_uken_da.parquet"))
    assert len(failed_raters(judgments)) == 64
    ranking = rank_systems(judgments, preset=preset, rng=1, n_resamples=199)
    said = [note for note in ranking.notes if "64 of 144 raters who failed the check" in note]
    assert len(said) == 1
    assert "without them" in said[0]


def test_scores_that_are_all_the_same_are_a_tie() -> None:
    table = {
        "system": ["A", "B"] * 20,
        "item": [i // 2 for i in range(40)],
        "rater": ["r"] * 40,
        "score": [50] * 40,
    }
    ranking = rank_systems(Judgments.build(table), rng=1, n_resamples=99)
    assert ranking.pairs[0].verdict == "undecided"
    assert all(np.isnan(row.mean_z) for row in ranking.systems)  # no spread, no z
    assert ranking.wmt.n_significant == 0


def test_among_very_many_pairs_nobody_is_left_out(monkeypatch: pytest.MonkeyPatch) -> None:
    said = "Documents and raters that a verdict hangs on are looked for among at most"
    columns = by_document(HINGED)
    table = judged(columns)
    assert rank_systems(table, alpha=0.1).influential
    monkeypatch.setattr("detectable.study.ranking.leverage.MOST_FOLLOWED", 0)
    monkeypatch.setattr("detectable.study.ranking.rank_systems.MOST_FOLLOWED", 0)
    found = rank_systems(table, alpha=0.1)
    assert found.influential == ()
    assert any(note.startswith(said) for note in found.notes)
