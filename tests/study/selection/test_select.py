"""Choosing what people judge: the page's story, seeds, groups, and a sentence for every bad input."""

from typing import Any

import numpy as np
import pytest

import detectable as dt
from detectable.core.errors import DataError, InputError
from detectable.study.selection.pool import lengths_of_lines
from detectable.study.selection.select import select, select_more
from detectable.study.selection.selection import Selection
from tests.gold_select import gold, wmt23


def toy(systems: int = 2, documents: int = 40, seed: int = 1) -> dt.Scores:
    rng = np.random.default_rng(seed)
    names = [f"d{d}" for d in range(documents) for _ in range(1 + d % 3)]
    return dt.Scores.build(
        {f"s{s}": rng.normal(size=len(names)) for s in range(systems)},
        items=[f"i{k}" for k in range(len(names))],
        documents=names,
        metric="comet",
    )


def judge(failed: int = 150, passed: int = 850) -> dict[str, dict[str, float]]:
    return {"chatbot": {str(i): float(i >= failed) for i in range(failed + passed)}}


def people(scores: dt.Scores, items: tuple[str, ...], **options: Any) -> dt.Judgments:
    rng = np.random.default_rng(5)
    place = {item: i for i, item in enumerate(scores.items)}
    documents = scores.documents or ()
    rows = [(name, item) for name in scores.systems for item in items]
    return dt.Judgments.build(
        {
            "system": [name for name, _ in rows],
            "item": [item for _, item in rows],
            "document": [documents[place[item]] for _, item in rows],
            "score": rng.uniform(0, 100, len(rows)).tolist(),
        },
        **options,
    )


@pytest.mark.golden
@pytest.mark.parametrize("language", ["en-de", "he-en", "zh-en"])
@pytest.mark.parametrize("metric", ["metricx23qe", "chrf"])
def test_two_steps_are_those_of_the_page(language: str, metric: str) -> None:
    data = wmt23(language, metric)
    case = gold()["story"].get(f"{language} {metric}")
    if case is None:
        assert (language, metric) in (("he-en", "chrf"), ("zh-en", "chrf"))
        return
    n = round(0.3 * len(data.items))
    first = select(data.scores(), n_items=n, lengths=data.length, steps=2, rng=1)
    assert (first.n_units_drawn, first.n_drawn) == tuple(case["first"].values())
    more = select_more(first, data.judgments(first.drawn))
    guard = more.guard
    assert guard is not None
    assert guard.ratio == pytest.approx(case["guard"]["ratio"], abs=1e-8)
    assert guard.standard_error == pytest.approx(case["guard"]["standard_error"], abs=1e-8)
    assert (more.by == "metric") == case["guard"]["choose"]
    assert more.n_units_drawn - first.n_units_drawn == case["second"]["documents"]
    # 0.3 of the lines of zh-en is no whole number of them.
    if n == 0.3 * len(data.items):
        assert more.n_drawn - first.n_drawn == case["second"]["items"]
        assert more.cost == pytest.approx(case["cost_share"], abs=1e-10)
    weights = more.drawn_weight
    assert weights.min() == pytest.approx(case["weight_min"], rel=1e-3)
    assert weights.max() == pytest.approx(case["weight_max"], rel=1e-3)
    if not case["guard"]["choose"]:
        assert np.ptp(weights) == 0.0


@pytest.mark.golden
def test_one_draw_is_that_of_the_page() -> None:
    data, case = wmt23("en-de"), gold()["wmt23"]["rows"]["en-de"]
    chosen = select(data.scores(), n_items=138, lengths=data.length, by="metric", rng=1)
    assert chosen.documents[:5] == tuple(case["first_chosen"])
    assert (chosen.n_units_drawn, chosen.n_drawn) == (
        case["chosen_documents"],
        case["chosen_items"],
    )
    assert chosen.probability.sum() == pytest.approx(case["probability_sum"], abs=1e-8)
    assert chosen.weight.tolist() == pytest.approx((1.0 / chosen.probability).tolist())


@pytest.mark.golden
def test_an_earlier_campaign_is_evidence() -> None:
    data = wmt23("he-en")
    every = data.judgments(np.arange(len(data.items)))
    [row] = [
        row
        for row in gold()["guard_whole_campaign"]
        if (row["metric"], row["language"], row["unit"]) == ("metricx23qe", "he-en", "document")
    ]
    chosen = select(data.scores(), n_items=200, lengths=data.length, judged=every)
    assert chosen.guard is not None
    assert chosen.by == "metric"
    assert chosen.guard.ratio == pytest.approx(row["ratio"], abs=1e-8)
    # The metric of an earlier campaign, whose lengths nobody gave.
    other = select(
        toy(),
        n_items=20,
        judged=every,
        judged_metric=data.scores(),
    )
    assert other.guard is not None
    assert other.guard.ratio == pytest.approx(row["without_lengths"]["ratio"], abs=1e-8)


def test_without_evidence_the_draw_is_random() -> None:
    scores = toy()
    chosen = select(scores, n_items=20)
    assert (chosen.by, chosen.is_unequal) == ("random", False)
    weights = chosen.weight
    assert weights.tolist() == pytest.approx([scores.n_items / 20] * weights.size)
    assert "Nothing has shown yet that comet tells where systems differ." in chosen.summary()


def test_the_seed_comes_from_the_question() -> None:
    scores = toy()
    one = select(scores, n_items=20, by="metric")
    assert one.items == select(scores, n_items=20, by="metric").items
    assert one.signature.seed == select(scores, n_items=20, by="metric").signature.seed
    assert one.seed.bit_length() <= 128
    assert not one.seed_by_hand
    assert select(scores, n_items=21, by="metric").signature.seed != one.signature.seed
    assert select(toy(seed=2), n_items=20, by="metric").seed != one.seed
    by_hand = select(scores, n_items=20, by="metric", rng=7)
    assert (by_hand.seed, by_hand.seed_by_hand) == (7, True)


def test_documents_are_drawn_whole_and_floor_holds() -> None:
    scores = toy()
    chosen = select(scores, n_items=30, by="metric")
    of = dict(zip(scores.items, scores.documents or (), strict=True))
    for item in scores.items:
        assert (item in chosen.items) == (of[item] in chosen.documents)
    assert chosen.probability.min() >= 0.5 * 30 / scores.n_items - 1e-12
    lower = select(scores, n_items=30, by="metric", floor=0.9)
    assert np.ptp(lower.probability) < np.ptp(chosen.probability)


def test_worse_items_are_drawn_more_often() -> None:
    level = np.linspace(0.0, 1.0, 60)
    good = dt.Scores.build({"A": level, "B": level}, metric="comet")
    chosen = select(good, n_items=20, by="metric")
    assert chosen.probability[0] > chosen.probability[-1]
    bad = dt.Scores.build({"A": 100 * level, "B": 100 * level}, metric="ter")
    assert select(bad, n_items=20, by="metric").probability[0] < chosen.probability[0]
    turned = select(good, n_items=20, by="metric", higher_is_better=False)
    assert turned.probability[0] < turned.probability[-1]


def test_long_items_cost_more() -> None:
    scores = dt.Scores.build({"A": np.zeros(30) + np.arange(30) % 2}, metric="comet")
    lengths = [10.0] * 15 + [100.0] * 15
    timed = select(scores, n_items=10, by="random", lengths=lengths)
    assert timed.cost_by == "time"
    assert timed.unit_cost[0] < 1.0 < timed.unit_cost[-1]
    plain = select(scores, n_items=10, by="random", lengths=lengths, cost="items")
    assert (plain.cost_by, set(plain.unit_cost.tolist())) == ("items", {1.0})
    by_name = select(
        scores,
        n_items=10,
        by="random",
        lengths=dict(zip(scores.items, lengths, strict=True)),
    )
    assert by_name.unit_cost.tolist() == timed.unit_cost.tolist()


def test_lines_of_sources_are_matched_by_order_or_number() -> None:
    scores = dt.Scores.build({"A": [1.0, 2.0]}, items=["x", "y"])
    assert lengths_of_lines(["ab", "a"], scores) == {"x": 2.0, "y": 1.0}
    with pytest.raises(InputError, match="a line for each of the 2 items"):
        lengths_of_lines(["a"] * 5, scores)


def test_a_constant_metric_draws_all_alike_and_says_so() -> None:
    scores = dt.Scores.build({"A": [0.5] * 20, "B": [0.5] * 20}, metric="comet")
    chosen = select(scores, n_items=8, by="metric")
    assert chosen.is_flat
    assert not chosen.is_unequal
    assert "comet says the same of all items, so all are drawn alike." in chosen.summary()


def test_items_without_a_score_are_left_out_and_counted() -> None:
    scores = dt.Scores.build({"A": [1, 2, 3, float("nan"), 5, 6]}, metric="comet")
    chosen = select(scores, n_items=3, by="random", lengths=[1, 2, 3, 4, 5, 6])
    assert chosen.n_pool == 5
    assert "1 item left out, without a score for every system: 4." in chosen.notes


# --- All failures and some passes ---


def test_all_failures_and_some_passes() -> None:
    chosen = select(judge(), take={0: "all", "1": "20%"})
    assert [(one.n_pool, one.n_drawn) for one in chosen.groups] == [(150, 150), (850, 170)]
    assert sorted(set(chosen.drawn_weight.tolist())) == [1.0, 5.0]
    assert chosen.summary() == (
        "320 of 1,000 items to label: all 150 with score 0, and 170 of the 850 with score 1, at "
        "random.\nAn item with score 1 stands for 5. The sheet holds this weight, and "
        "`control-variates` uses it."
    )
    again = select(judge(), take={0: "all", 1: 170})
    assert again.items == chosen.items  # the same question
    other = select(judge(), take={0: "all", 1: 171})
    assert set(other.items) - set(chosen.items)


@pytest.mark.parametrize(
    ("take", "said"),
    [
        ({0: "all", 1: "0.1%"}, "at least 2 items of every score; got 1 item of the score 1"),
        ({0: 1, 1: "all"}, r"got 1 item of the score 0. Scores are 0 \(150\), 1 \(850\)"),
        ({0: "all", 2: "all"}, r"must name scores that occur; got 2. Scores are 0 \(150\)"),
        ({"x": "all"}, "must name scores that occur; got 'x'"),
        ({0: "all", "0.0": "20%"}, "names the score 0 twice"),
        ({0: "all"}, "must say how many of every score; 1 is missing"),
        ({0: "all", 1: "some"}, "must be all, a share like 20%, or a number"),
        ({0: "all", 1: 851}, "or a number up to that of the group; got 851"),
    ],
)
def test_groups_that_cannot_be_taken_are_named_with_their_counts(
    take: dict[Any, Any], said: str
) -> None:
    with pytest.raises(InputError, match=said):
        select(judge(), take=take)


def test_groups_are_of_one_system_in_one_step() -> None:
    with pytest.raises(InputError, match="goes by the scores of one system; got s0, s1"):
        select(toy(), take={0: "all"})
    with pytest.raises(InputError, match="drop `by` and `steps`"):
        select(judge(), take={0: "all", 1: "all"}, by="random")
    with pytest.raises(InputError, match="give one of `n_items` and `take`"):
        select(judge())


# --- What is refused ---


@pytest.mark.parametrize(
    ("options", "said"),
    [
        ({"n_items": 500}, "must be at most 79, the lines of the pool; got 500"),
        ({"n_items": 1}, "must draw at least 2 documents"),
        ({"n_items": 20, "cost": "time"}, "`cost='time'` needs `lengths`"),
        ({"n_items": 20, "lengths": [1.0]}, "one number for each of the 79 items; got 1"),
        ({"n_items": 20, "lengths": {"i0": 1.0}}, "must hold every item; 78 items are missing"),
        ({"n_items": 20, "lengths": [-1.0] * 79}, "must be 0 or more"),
        ({"n_items": 20, "steps": 2}, "needs a first batch of at least 8 documents"),
        ({"n_items": 79, "steps": 2}, "leaves nothing to choose"),
        ({"n_items": 60, "steps": 2, "by": "metric"}, "drop by='metric'"),
        ({"n_items": 20, "judged_metric": {}}, "`judged_metric` goes with `judged`"),
        ({"n_items": 20, "rng": np.random.default_rng(1)}, "must be a whole number or None"),
    ],
)
def test_what_cannot_be_chosen_is_refused(options: dict[str, Any], said: str) -> None:
    with pytest.raises(InputError, match=said):
        select(toy(), **options)


def test_an_unknown_direction_is_asked_for() -> None:
    scores = dt.Scores.build({"A": np.arange(30.0)}, metric="glow")
    with pytest.raises(InputError, match="which way does glow go"):
        select(scores, n_items=10, by="metric")
    assert select(scores, n_items=10).by == "random"  # which needs no direction


def test_judgments_that_are_the_metric_are_no_evidence() -> None:
    scores = toy()
    copied = dt.Judgments.build(
        {
            "system": [name for name in scores.systems for _ in scores.items],
            "item": [*scores.items] * 2,
            "document": [*(scores.documents or ())] * 2,
            "score": np.concatenate([table[0] for table in scores.systems.values()]),
        },
        scale=(-np.inf, np.inf),
    )
    with pytest.raises(DataError, match="are those of the metric by which items are chosen"):
        select(scores, n_items=20, judged=copied)


def test_judged_goes_with_auto_in_one_step() -> None:
    scores = toy()
    judged = people(scores, scores.items)
    with pytest.raises(InputError, match="it has no effect with by='metric'"):
        select(scores, n_items=20, judged=judged, by="metric")
    few = people(scores, scores.items[:6])
    with pytest.raises(DataError, match="at least 8 documents judged for all systems"):
        select(scores, n_items=20, judged=few)


def first_of(documents: int = 40) -> tuple[dt.Scores, Selection]:
    scores = toy(documents=documents)
    return scores, select(scores, n_items=60, steps=2)


def test_the_second_batch_needs_the_first_and_nothing_else() -> None:
    scores, first = first_of()
    assert first.waits
    judged = people(scores, first.items)
    more = select_more(first, judged)
    assert set(first.items) < set(more.items)
    assert more.continues == first.fingerprint
    with pytest.raises(InputError, match="all of it is drawn already"):
        select_more(more, judged)
    other = next(item for item in scores.items if item not in first.items)
    with pytest.raises(DataError, match=f"1 items? were not drawn: {other}"):
        select_more(first, people(scores, (*first.items, other)))
    with pytest.raises(DataError, match=r"at least 8 whole documents .*; got \d"):
        select_more(first, people(scores, first.items[:8]))


def test_documents_that_were_not_judged_whole_are_counted() -> None:
    scores, first = first_of()
    gone = first.documents[-1]
    of = dict(zip(scores.items, scores.documents or (), strict=True))
    kept = tuple(item for item in first.items if of[item] != gone)
    more = select_more(first, people(scores, kept))
    n = first.n_units_drawn
    said = f"1 of {n} documents of the first batch were not judged for all systems."
    assert said in more.notes


def test_a_system_without_a_metric_is_refused() -> None:
    scores, first = first_of()
    judged = people(scores, first.items)
    extra = judged.to_columns()
    extra = {
        role: [*values, "new" if role == "system" else values[0]]
        for role, values in extra.items()
    }
    with pytest.raises(DataError, match="new has no scores there"):
        select_more(first, dt.Judgments.build(extra))
