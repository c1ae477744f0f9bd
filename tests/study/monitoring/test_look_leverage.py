"""Decisions of a look that hang on one document or one rater."""

import math
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from detectable.contrasts.claim import WithoutRater
from detectable.sequential.e_process import EProcess
from detectable.sequential.look_statistic import paired_mean, preference, signed_rank
from detectable.study.monitoring.conclude import conclude
from detectable.study.monitoring.look import look
from detectable.study.monitoring.look_tests import DOCUMENT_BETS
from tests.study.monitoring.plan_tables import Table, joined, judged, new_plan

PER_DOCUMENT = 10


def uneven(n_documents: int = 12, small: float = 0.9, large: float = 14.0) -> Any:
    """Return differences by document: a little in all, much in the third."""
    rng = np.random.default_rng(3)
    noise = rng.normal(0.0, 4.0, n_documents * PER_DOCUMENT)
    effects = np.full(n_documents, small)
    effects[2] = large
    return noise + np.repeat(effects, PER_DOCUMENT)


def in_documents(d: Any) -> Any:
    return np.arange(len(d)) // PER_DOCUMENT


def z_of(sentence: str) -> float:
    """Return the statistic in a sentence."""
    return float(sentence.split("z = ")[1].split(",")[0].replace("−", "-"))


def test_the_document_that_makes_a_verdict_is_named(tmp_path: Path) -> None:
    d = uneven()
    frozen = new_plan(tmp_path, d.size, looks=1, family="pocock", test="signed-rank")
    made = look(frozen, judged(d, per_document=PER_DOCUMENT))
    rest = d[in_documents(d) != 2]
    assert signed_rank(d).z > 1.96 > signed_rank(rest).z  # the test of the test
    assert made.decision == "stop: better"
    (said,) = made.influential
    assert said.startswith(
        "Without document d2 (8% of the comparisons) new − old would be undecided at look 1 ("
    )
    assert z_of(said) == pytest.approx(signed_rank(rest).z, abs=5e-4)
    assert said in made.notes
    assert said in conclude(frozen).notes


def test_means_are_tested_again_in_their_clusters(tmp_path: Path) -> None:
    effects = [0.5, 3.5, 1.8, 1.8, 0.4, -1.0, 1.2, 1.1]
    d = np.repeat(effects, PER_DOCUMENT) + np.tile(np.linspace(-1.0, 1.0, PER_DOCUMENT), 8)
    frozen = new_plan(tmp_path, d.size, looks=1, family="pocock")
    made = look(frozen, judged(d, per_document=PER_DOCUMENT))
    rest = in_documents(d) != 1  # without which the mean moves most
    after = paired_mean(d[rest], in_documents(d)[rest])
    assert made.pairs[0].z == pytest.approx(2.0518, abs=1e-4)
    assert made.influential == (
        "Without document d1 (12% of the comparisons) new − old would be undecided at look 1 "
        f"({after.estimate:+.2f}; z = {after.z:+.3f}, boundary ±1.960).",
    )


def test_nothing_is_said_where_all_documents_agree(tmp_path: Path) -> None:
    d = uneven(small=5.0, large=5.0)
    frozen = new_plan(tmp_path, d.size, looks=1, family="pocock")
    made = look(frozen, judged(d, per_document=PER_DOCUMENT))
    assert made.decision == "stop: better"
    assert made.influential == ()


def test_nothing_is_said_of_what_is_undecided(tmp_path: Path) -> None:
    d = uneven(small=0.0, large=3.0)
    frozen = new_plan(tmp_path, d.size, looks=1, family="pocock")
    made = look(frozen, judged(d, per_document=PER_DOCUMENT))
    assert made.decision == "stop: undecided"
    assert made.influential == ()


def test_of_two_documents_none_can_be_left_out(tmp_path: Path) -> None:
    d = np.tile([4.9, 5.1, 5.0, 5.2], 5)
    frozen = new_plan(tmp_path, d.size, looks=1, family="pocock", test="signed-rank")
    assert look(frozen, judged(d, per_document=10)).influential == ()


def raters(effects: dict[str, float], *, n: int = 40, shared: bool = False) -> Table:
    """Return one part of the items per rater, or all items for all raters."""
    rng = np.random.default_rng(5)
    parts = []
    for k, (name, effect) in enumerate(effects.items()):
        first = 0 if shared else k * n
        parts.append(judged(rng.normal(effect, 4.0, n), rater=name, first=first))
    return joined(*parts)


@pytest.mark.parametrize("shared", [False, True])
def test_the_rater_who_makes_a_verdict_is_named(tmp_path: Path, *, shared: bool) -> None:
    table = raters({"ann": 0.2, "bob": 6.0, "cyd": 0.3, "dan": 0.1}, shared=shared)
    frozen = new_plan(tmp_path, 40 if shared else 160, looks=1, family="pocock")
    made = look(frozen, table)
    assert made.decision == "stop: better"
    (said,) = made.influential
    assert said.startswith(
        "Without rater bob (25% of the comparisons) new − old would be undecided"
    )
    by_rater = np.array(table["score"]).reshape(-1, 2) @ [1.0, -1.0]
    who = np.array(table["rater"])[::2]
    rest = by_rater[who != "bob"]
    expected = rest.reshape(3, 40).mean(axis=0) if shared else rest
    assert z_of(said) == pytest.approx(paired_mean(expected).z, abs=5e-4)


def test_raters_as_units_count_comparisons(tmp_path: Path) -> None:
    # Rater 6 judged five times as much as the others; to count items alike would be to miss it.
    sizes = [10] * 6 + [50]
    effects = [0.5, 1.4, 0.2, -0.9, 0.4, 0.6, 1.5]
    parts, first = [], 0
    for k, (n, effect) in enumerate(zip(sizes, effects, strict=True)):
        parts.append(judged(effect + np.linspace(-1.0, 1.0, n), rater=f"r{k}", first=first))
        first += n
    d, codes = np.repeat(effects, sizes), np.repeat(np.arange(7), sizes)
    d += np.concatenate([np.linspace(-1.0, 1.0, n) for n in sizes])
    frozen = new_plan(
        tmp_path, 110, looks=1, family="pocock", unit="rater", alpha=0.2, claim="better"
    )
    made = look(frozen, joined(*parts))
    moved = [abs(d[codes != k].mean() - d.mean()) for k in range(7)]
    assert int(np.argmax(moved)) == 6
    after = paired_mean(d[codes != 6], codes[codes != 6])
    assert made.decision == "stop: better"
    assert after.z < made.pairs[0].z_bound < made.pairs[0].z  # type: ignore[operator]
    (said,) = made.influential
    assert said.startswith("Without rater r6 (45% of the comparisons)")
    assert z_of(said) == pytest.approx(after.z, abs=5e-4)


def test_sign_flips_are_drawn_again(tmp_path: Path) -> None:
    effects = np.array([1.0, 1.0, 6.0, 0.5, 1.0, 0.5, 1.0, 1.0, -0.6, -0.5])
    spread = np.tile(np.linspace(-0.1, 0.1, PER_DOCUMENT), 10)
    for last, hangs in ((0.2, False), (-0.5, True)):
        effects[-1] = last
        folder = tmp_path / str(last)
        folder.mkdir()
        d = np.repeat(effects, PER_DOCUMENT) + spread
        frozen = new_plan(folder, d.size, looks=1, family="pocock", test="sign-flip")
        made = look(frozen, judged(d, per_document=PER_DOCUMENT))
        assert (flipped(effects) < 0.045, flipped(np.delete(effects, 2)) > 0.055) == (
            True,
            hangs,
        )
        assert made.decision == "stop: better"
        assert [said[:19] for said in made.influential] == ["Without document d2"] * hangs


def flipped(effects: Any) -> float:
    """Return the p-value over all patterns of signs."""
    signs = np.array(np.meshgrid(*[[1, -1]] * effects.size)).reshape(effects.size, -1)
    return float((np.abs(effects @ signs) >= abs(effects.sum()) - 1e-9).mean())


def test_preferences_name_raters(tmp_path: Path) -> None:
    winners = ["new", "old"] * 10 + ["new"] * 20 + ["new", "old"] * 10
    table: Table = {
        "item": list(range(60)),
        "winner": winners,
        "rater": ["ann"] * 20 + ["bob"] * 20 + ["cyd"] * 20,
    }
    made = look(new_plan(tmp_path, 60, looks=1, family="pocock", test="preference"), table)
    assert made.pairs[0].z == preference(40, 20).z > 1.96
    (said,) = made.influential
    assert said.startswith("Without rater bob (33% of the comparisons) new − old")
    assert z_of(said) == 0.0


def test_a_margin_can_hang_on_a_document(tmp_path: Path) -> None:
    effects = [-1.5, -0.8, -0.1, -1.1, -0.1, 0.1, 0.0, -0.6, 0.7, 1.1]
    d = np.repeat(effects, PER_DOCUMENT) + np.tile(np.linspace(-0.5, 0.5, PER_DOCUMENT), 10)
    # The interval reaches to −0.953, and to −1.074 without the last document.
    for margin, hangs in ((0.94, None), (0.96, True), (1.07, True), (1.08, False)):
        folder = tmp_path / str(margin)
        folder.mkdir()
        frozen = new_plan(
            folder, d.size, looks=1, family="pocock", claim="equivalent", margin=margin
        )
        made = look(frozen, judged(d, per_document=PER_DOCUMENT))
        assert (made.decision == "stop: equivalent") == (hangs is not None)
        assert [said[:19] for said in made.influential] == ["Without document d9"] * bool(hangs)


def in_bets(n_documents: int, others: float) -> Table:
    """Return documents that all say the same, and the fifth, which says much more."""
    means = np.full(n_documents, others)
    means[4] = 80.0
    spread = np.tile([-4.0, 0.0, 4.0], n_documents)
    return judged(np.repeat(means, 3) + spread, per_document=3)


def test_bets_are_made_again_from_the_first_look(tmp_path: Path) -> None:
    # Documents that all say the same have the same largest E in any order.
    process = EProcess(bounds=(0.0, 100.0), alpha=0.05, bets=DOCUMENT_BETS)
    process.update_many(np.full(20, 25.0))
    expected = math.exp(process.result().log_peak)
    assert expected == pytest.approx(13.1, abs=0.05)
    frozen = new_plan(tmp_path, None, test="e-process", unit="document")
    assert look(frozen, in_bets(10, 25.0)).decision == "continue"
    made = look(frozen, in_bets(21, 25.0))
    assert made.decision == "stop: better"
    assert made.pairs[0].e_value == pytest.approx(21.5, abs=0.05)
    (said,) = made.influential
    assert said == (
        "Without document d4 (5% of the comparisons) new − old would be undecided at look 2 "
        f"(+25.00; E = {expected:.3g}, 20 needed)."
    )
    assert said in conclude(frozen).notes


def test_bets_that_all_documents_win_hang_on_none(tmp_path: Path) -> None:
    frozen = new_plan(tmp_path, None, test="e-process", unit="document")
    made = look(frozen, in_bets(26, 25.0))
    assert made.decision == "stop: better"
    assert made.influential == ()


def test_other_pairs_keep_their_bets(tmp_path: Path) -> None:
    frozen = new_plan(
        tmp_path,
        None,
        test="e-process",
        unit="document",
        systems=["new", "mid", "old"],
        baseline="old",
    )
    table = in_bets(26, 25.0)
    middle = [i for i, name in enumerate(table["system"]) if name == "old"]
    mid = {name: [values[i] for i in middle] for name, values in table.items()}
    mid["system"] = ["mid"] * len(middle)
    made = look(frozen, joined(table, mid))
    decided = {row.pair: row.decision for row in made.pairs}
    assert decided == {("new", "old"): "stop: better", ("mid", "old"): "continue"}
    (said,) = made.influential
    assert said.startswith("Without document d4 (4% of the comparisons) new − old would be")
    assert said.endswith("undecided at look 1 (+25.00; E = 66.3, 80 needed).")


def test_earlier_decisions_are_remembered(tmp_path: Path) -> None:
    frozen = new_plan(
        tmp_path,
        240,
        looks=2,
        family="pocock",
        test="signed-rank",
        systems=["new", "mid", "old"],
        baseline="old",
        futility="none",
    )
    d = uneven(small=1.2)
    more = np.concatenate([d, d])
    mid = np.tile([-1.0, 1.0], d.size)

    def table(n: int) -> Table:
        first = judged(more[:n], per_document=PER_DOCUMENT)
        rows = [i for i, name in enumerate(first["system"]) if name == "old"]
        other = {name: [values[i] for i in rows] for name, values in first.items()}
        other["system"] = ["mid"] * n
        other["score"] = [score + x for score, x in zip(other["score"], mid[:n], strict=True)]
        return joined(first, other)

    made = look(frozen, table(120))
    assert made.pairs[0].decision == "stop: better"
    (said,) = made.influential
    assert said.startswith(
        "Without document d2 (8% of the comparisons) new − old would be undecided"
    )
    assert look(frozen, table(240)).influential == ()
    assert said in conclude(frozen).notes
    assert said in conclude(frozen, table(240), force=True).notes


def test_leaving_out_a_rater_keeps_what_others_said_of_the_item() -> None:
    item = np.array([0, 0, 1, 2, 2, 2])
    difference = np.array([1.0, 3.0, 5.0, 1.0, 2.0, 6.0])
    left = WithoutRater.of(item, difference, 4)
    assert left.mean.tolist() == [2.0, 5.0, 3.0, 0.0]
    assert left.judged.tolist() == [2, 1, 3, 0]
    assert left.change.tolist() == [1.0, -1.0, -5.0, 1.0, 0.5, -1.5]
    assert left.alone.tolist() == [False, False, True, False, False, False]


def test_a_document_that_hides_a_verdict_is_not_named(tmp_path: Path) -> None:
    d = uneven(small=2.0, large=-30.0)
    assert paired_mean(d, in_documents(d)).z < 1.0  # the test of the test
    rest = in_documents(d) != 2
    assert paired_mean(d[rest], in_documents(d)[rest]).z > 3.0
    frozen = new_plan(tmp_path, d.size, looks=1, family="pocock")
    made = look(frozen, judged(d, per_document=PER_DOCUMENT))
    assert made.decision == "stop: undecided"
    assert made.influential == ()


@pytest.mark.parametrize("test", ["rank-sum", "two-means"])
def test_nothing_is_said_where_items_are_not_paired(tmp_path: Path, test: Any) -> None:
    d = uneven(small=0.4, large=30.0)
    frozen = new_plan(tmp_path, d.size, looks=1, family="pocock", test=test, claim="better")
    made = look(frozen, judged(d, per_document=PER_DOCUMENT, spread=False))
    assert made.decision == "stop: better"
    assert made.influential == ()


def test_items_of_other_pairs_do_not_count(tmp_path: Path) -> None:
    # Its mean is 0.85: d6 lies 1.75 below and d1 1.35 above. Were as many items without a
    # difference counted, the mean would be half as large and d1 would be farther from it.
    effects = [0.8, 2.2, 0.9, 0.2, 1.0, 1.7, -0.9, 0.9]
    d = np.repeat(effects, PER_DOCUMENT) + np.tile(np.linspace(-1.0, 1.0, PER_DOCUMENT), 8)
    frozen = new_plan(
        tmp_path,
        80,
        looks=1,
        family="pocock",
        systems=["new", "mid", "old"],
        baseline="old",
        alpha=0.1,
    )
    others = np.tile([-1.0, 1.0], 40)
    table = joined(
        judged(d, per_document=PER_DOCUMENT),
        judged(others, systems=("mid", "old"), per_document=PER_DOCUMENT, first=80),
    )
    made = look(frozen, table)
    first = made.pairs[0]
    assert first.z == pytest.approx(paired_mean(d, in_documents(d)).z)
    assert first.verdict == "better"
    without = {k: in_documents(d) != k for k in (1, 6)}
    after = {k: paired_mean(d[at], in_documents(d)[at]).z for k, at in without.items()}
    assert after[6] > first.z > first.z_bound > after[1]  # type: ignore[operator]
    assert made.influential == ()


def test_a_rater_of_many_items_who_agrees_with_the_others_moves_nothing(tmp_path: Path) -> None:
    parts = {
        "ann": 0.6 + np.linspace(-4.0, 4.0, 60),
        "bob": 3.0 + np.linspace(-1.0, 1.0, 12),
        "cyd": -1.6 + np.linspace(-4.0, 4.0, 12),
    }
    starts = dict(zip(parts, (0, 60, 72), strict=True))
    frozen = new_plan(tmp_path, 84, looks=1, family="pocock")
    tables = [judged(d, rater=who, first=starts[who]) for who, d in parts.items()]
    made = look(frozen, joined(*tables))
    assert made.decision == "stop: better"
    rest = paired_mean(np.concatenate([parts["ann"], parts["cyd"]]))
    (said,) = made.influential
    assert said.startswith("Without rater bob (14% of the comparisons)")
    assert z_of(said) == pytest.approx(rest.z, abs=5e-4)


def test_raters_as_units_count_shared_items_once_for_each(tmp_path: Path) -> None:
    # Six raters judged the same items and the last one others. By items the last would move the
    # mean most, by comparisons the first does.
    effects = [3.0, 0.0, -0.1, -0.1, 1.8, -0.7, 2.4]
    spread = np.linspace(-1.0, 1.0, 20)
    parts = [
        judged(effect + spread, rater=f"r{k}", first=20 * (k == 6))
        for k, effect in enumerate(effects)
    ]
    frozen = new_plan(
        tmp_path, 140, looks=1, family="pocock", unit="rater", alpha=0.2, claim="better"
    )
    made = look(frozen, joined(*parts), final=True)
    assert made.decision == "stop: better"
    (said,) = made.influential
    assert said.startswith("Without rater r0 (14% of the comparisons)")
    codes = np.repeat(np.arange(1, 7), 20)
    rest = np.repeat(effects[1:], 20) + np.tile(spread, 6)
    assert z_of(said) == pytest.approx(paired_mean(rest, codes).z, abs=5e-4)


def test_one_vote_can_make_a_verdict(tmp_path: Path) -> None:
    most = ["new"] * 13 + ["old"] * 8  # of three raters each: together 39 to 24
    table: Table = {
        "item": list(range(64)),
        "winner": [*most * 3, "new"],
        "rater": ["ann"] * 21 + ["bob"] * 21 + ["cyd"] * 21 + ["zed"],
    }
    made = look(new_plan(tmp_path, 64, looks=1, family="pocock", test="preference"), table)
    assert preference(40, 24).z > 1.96 > preference(39, 24).z
    assert made.decision == "stop: better"
    (said,) = made.influential
    assert said.startswith("Without rater zed (2% of the comparisons)")


def test_documents_of_other_pairs_are_none_that_could_be_left_out(tmp_path: Path) -> None:
    d = np.concatenate([np.tile([-1.0, 1.1], 5), np.linspace(4.0, 5.0, 10)])
    assert signed_rank(d).z > 1.96 > signed_rank(d[:10]).z
    others = judged(np.tile([-1.0, 1.0], 20), systems=("mid", "old"), per_document=10)
    for systems, more in ((["new", "old"], None), (["new", "mid", "old"], others)):
        folder = tmp_path / str(len(systems))
        folder.mkdir()
        frozen = new_plan(
            folder,
            40 if more else 20,
            looks=1,
            family="ld-pocock",
            test="signed-rank",
            systems=systems,
            baseline="old",
            alpha=0.1 if more else 0.05,
        )
        first = judged(d, per_document=10, first=40)
        made = look(frozen, joined(more, first) if more else first, final=True)
        assert made.pairs[0].verdict == "better"
        assert made.influential == ()


def test_of_one_document_none_can_be_left_out(tmp_path: Path) -> None:
    d = np.linspace(1.0, 5.0, 20)
    frozen = new_plan(tmp_path, 20, looks=1, family="pocock", test="signed-rank")
    made = look(frozen, judged(d, per_document=20))
    assert made.decision == "stop: better"
    assert made.influential == ()
