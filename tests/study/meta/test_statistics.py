"""Statistics of systems and segments against scipy, and where they have no value."""

import numpy as np
import pytest
from scipy import stats

from detectable.core.choices import MetaStatistic, UndefinedGroups
from detectable.core.errors import DataError, InputError
from detectable.core.types import FloatArray
from detectable.data.human.judgments import Judgments
from detectable.data.scores.scores import Scores
from detectable.study.meta import statistics as pair_forms
from detectable.study.meta.settings import SYSTEM
from detectable.study.meta.statistics import (
    GroupSums,
    PairForms,
    PairPValues,
    SegmentLevel,
    SumSwaps,
    SystemLevel,
    SystemSums,
    means,
    pair_p_values,
    signs,
    weighted_mean,
)
from detectable.study.meta.table import meta_table

NAN = float("nan")


def tables(seed: int, systems: int = 6, segments: int = 7) -> tuple[FloatArray, FloatArray]:
    """Return scores in few steps, so that many are tied."""
    rng = np.random.default_rng(seed)
    human, metric = rng.integers(0, 4, (2, systems, segments)).astype(float)
    return human, metric


def scipy(statistic: str, first: FloatArray, second: FloatArray) -> float:
    if statistic == "pearson":
        return float(stats.pearsonr(first, second)[0])
    if statistic == "spearman":
        return float(stats.spearmanr(first, second)[0])
    variant = "b" if statistic == "kendall" else "c"
    return float(stats.kendalltau(first, second, variant=variant)[0])


@pytest.mark.parametrize("statistic", ["pearson", "spearman", "kendall", "kendall-c"])
@pytest.mark.parametrize("seed", range(4))
def test_systems_are_correlated_as_scipy_does(statistic: str, seed: int) -> None:
    # One score for all segments: means with ties.
    human, metric = (np.repeat(t[:, :1], 5, axis=1) for t in tables(seed))
    level = SystemLevel(human, metric, statistic)  # type: ignore[arg-type]
    [got] = level.values(np.ones((1, 5)))
    assert got == pytest.approx(scipy(statistic, human[:, 0], metric[:, 0]))


@pytest.mark.parametrize("statistic", ["pearson", "spearman", "kendall", "kendall-c"])
def test_segments_are_correlated_as_scipy_does(statistic: str) -> None:
    human, metric = tables(9)
    ones = np.ones((1, 7))

    def got(by: str) -> float:
        level = SegmentLevel(human, metric, statistic, by)  # type: ignore[arg-type]
        return float(level.values(ones)[0])

    assert got("none") == pytest.approx(scipy(statistic, human.ravel(), metric.ravel()))
    of_systems = [scipy(statistic, h, m) for h, m in zip(human, metric, strict=True)]
    assert got("sys") == pytest.approx(np.mean(of_systems))
    of_items = [scipy(statistic, h, m) for h, m in zip(human.T, metric.T, strict=True)]
    assert got("item") == pytest.approx(np.mean(of_items))


def test_systems_tie_where_their_means_are_equal() -> None:
    human = np.array([[1.0, 3.0], [2.0, 2.0], [3.0, 4.0]])  # means 2, 2 and 3.5
    metric = np.array([[1.0, 1.0], [1.0, 1.0], [0.0, 1.0]])
    ones = np.ones((1, 2))
    # A tie that both have agrees; both others are turned round.
    assert SystemLevel(human, metric, "pairwise-accuracy").values(ones) == pytest.approx(1 / 3)
    drawn = np.array([[1.0, 1.0, 0.0], [0.0, 0.0, 2.0]])
    level = SystemLevel(human, metric, "pairwise-accuracy")
    assert level.values(np.ones((2, 2)), drawn) == pytest.approx([1.0, NAN], nan_ok=True)
    assert level.floors(np.ones((2, 2))).tolist() == [0.5, 0.5]
    assert SystemLevel(human, metric, "kendall").floors(np.ones((2, 2))).tolist() == [0.0, 0.0]


def test_the_floor_of_soft_accuracy_is_half_for_every_p() -> None:
    human = np.array([[1.0, 1.0, 2.0, 3.0], [0.0, 1.0, 1.0, 1.0]])
    found = SystemLevel(human, human, "spa").floors(np.ones((1, 4)))
    p = stats.norm.sf((1 + 0 + 1 + 2) / np.sqrt(1 + 0 + 1 + 4))
    assert found == pytest.approx(1.0 - abs(p - 0.5))


def test_means_are_of_the_segments_that_a_system_has() -> None:
    scores = np.array([[1.0, NAN, 4.0], [2.0, 6.0, NAN]])
    rows = np.array([[1.0, 1.0, 1.0], [2.0, 0.0, 1.0], [0.0, 1.0, 0.0]])
    np.testing.assert_allclose(means(scores, rows), [[2.5, 4.0], [2.0, 2.0], [NAN, 6.0]])


def test_differences_by_rounding_are_none() -> None:
    near = np.array([0.1 + 0.2, 0.3, 0.3 + 1e-9])
    assert signs(near[None])[0].tolist() == [[0, 0, -1], [0, 0, -1], [1, 1, 0]]


def test_a_mean_of_groups_leaves_out_or_counts_as_0_what_has_no_value() -> None:
    found = np.array([[0.5, NAN, 0.1]])
    weights = np.array([[1.0, 2.0, 3.0], [0.0, 1.0, 0.0], [0.0, 0.0, 2.0]])
    np.testing.assert_allclose(weighted_mean(found, weights, "skip"), [0.2, NAN, 0.1])
    np.testing.assert_allclose(weighted_mean(found, weights, "zero"), [0.8 / 6, 0.0, 0.1])


@pytest.mark.parametrize(
    ("statistic", "by"), [("acc23", "item"), ("tau23", "item"), ("acc23", "sys")]
)
def test_the_floor_with_ties_is_the_better_of_silence_and_a_coin(
    statistic: str, by: str
) -> None:
    # Of three systems on two segments: one pair of three is tied on the first, all on the second.
    human = np.array([[1.0, 2.0], [1.0, 2.0], [0.0, 2.0]])
    level = SegmentLevel(human, human, statistic, by)  # type: ignore[arg-type]
    rows = np.array([[1.0, 0.0], [0.0, 1.0], [1.0, 1.0]])
    if by == "sys":
        [found] = level.floors(np.ones((1, 2)))
        assert found == 0.5  # no system ties its two segments
        return
    share = np.array([1 / 3, 1.0, 2 / 3])
    wanted = share if statistic == "acc23" else 2 * share - 1
    assert level.floors(rows) == pytest.approx(wanted)
    assert SegmentLevel(human, human, "pearson").floors(rows).tolist() == [0.0] * 3


def test_a_difference_up_to_the_threshold_is_a_tie() -> None:
    human = np.array([[1.0], [1.0], [2.0]])
    metric = np.array([[0.0], [0.5], [2.0]])
    values = {
        e: float(SegmentLevel(human, metric, "acc23", epsilon=e).values(np.ones((1, 1)))[0])
        for e in (0.0, 0.4, 0.5, 1.4, 1.5, 2.0)
    }
    assert values == pytest.approx(
        {0.0: 2 / 3, 0.4: 2 / 3, 0.5: 1.0, 1.4: 1.0, 1.5: 2 / 3, 2.0: 1 / 3}
    )


def test_too_many_scores_have_too_many_pairs(monkeypatch: pytest.MonkeyPatch) -> None:
    human, metric = tables(3)
    human[0, 0] = NAN
    monkeypatch.setattr(pair_forms, "_MOST", 41)
    assert PairForms.of(human, metric, "kendall").size.tolist() == [5, *[6] * 6]
    monkeypatch.setattr(pair_forms, "_MOST", 40)
    with pytest.raises(
        InputError, match=r"more than 40 scores; got 41, which have too many pairs"
    ):
        PairForms.of(human, metric, "kendall")


@pytest.mark.parametrize("statistic", ["kendall", "kendall-c", "acc23", "tau23"])
def test_pairs_are_compared_a_few_segments_at_a_time(
    statistic: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    human, metric = tables(4)
    human[:, 2] = NAN  # a segment without scores
    weights = np.random.default_rng(1).integers(0, 3, (5, 7)).astype(float)
    whole = PairForms.of(human, metric, statistic).value(weights)  # type: ignore[arg-type]
    monkeypatch.setattr(pair_forms, "_PAIR_CELLS", 500)
    parts = PairForms.of(human, metric, statistic).value(weights)  # type: ignore[arg-type]
    np.testing.assert_array_equal(whole, parts)


def test_pairs_that_are_all_tied_have_no_value() -> None:
    flat, other = np.ones((2, 3)), np.arange(6.0).reshape(2, 3)
    for statistic in ("kendall", "kendall-c"):
        found = PairForms.of(flat, other, statistic).value(np.ones((1, 3)))
        assert np.isnan(found).all()
    assert PairForms.of(flat, other, "acc23").value(np.ones((1, 3))).tolist() == [0.0]
    assert PairForms.of(flat, other, "tau23").value(np.ones((1, 3))).tolist() == [-1.0]


@pytest.mark.parametrize("statistic", ["pearson", "spearman", "kendall", "kendall-c"])
@pytest.mark.parametrize("score", [0.0, 0.1])
def test_systems_that_all_score_the_same_have_no_order(statistic: str, score: float) -> None:
    human, metric = tables(2)
    flat = np.full(human.shape, score)
    for first, second in ((human, flat), (flat, metric)):
        level = SystemLevel(first, second, statistic)  # type: ignore[arg-type]
        assert np.isnan(level.values(np.ones((1, 7)))).all()


# --- Human scores and metrics side by side: what is matched, turned round, averaged and left out ---

PEOPLE = Scores.build({"A": [5, 3, 4], "B": [2, 1, 3]}, items=["x", "y", "z"])


def comet(**options: object) -> Scores:
    scores = {"A": [0.9, 0.5, 0.7], "B": [0.4, 0.2, 0.6]}
    return Scores.build(scores, **{"items": ["x", "y", "z"], **options})  # type: ignore[arg-type]


def test_runs_and_samples_are_averaged_over_those_that_are_there() -> None:
    people = Scores.build(
        {"A": [[4.0, 2.0, 5.0], [6.0, NAN, NAN]], "B": [[1.0, 1.0, NAN], [1.0, 3.0, 2.0]]},
        items=["x", "y", "z"],
        repeats="samples",
    )
    found = meta_table(people, {"comet": comet()})
    assert found.human.tolist() == [[5, 2, 5], [1, 2, 2]]
    assert found.metrics["comet"].tolist() == [[0.9, 0.5, 0.7], [0.4, 0.2, 0.6]]


def test_an_output_counts_where_all_have_scored_it() -> None:
    people = Scores.build({"A": [5, NAN, 4], "B": [2, 1, 3]}, items=["x", "y", "z"])
    bleu = Scores.build({"A": [1, 2, NAN], "B": [3, 4, NAN]}, items=["x", "y", "z"])
    found = meta_table(people, {"comet": comet(), "bleu": bleu})
    assert found.segments == ("x", "y")
    np.testing.assert_equal(found.human, [[5, NAN], [2, 1]])
    np.testing.assert_equal(found.metrics["comet"], [[0.9, NAN], [0.4, 0.2]])
    assert found.n_outputs == 3
    assert found.notes == (
        "2 of 5 judged outputs left out, without a score by every metric: bleu lacks 2.",
    )


def test_metrics_of_other_outputs_leave_nothing() -> None:
    ter = Scores.build({"A": [1.0, NAN, NAN], "B": [2.0, NAN, NAN]}, items=["x", "y", "z"])
    bleu = Scores.build({"A": [NAN, 1.0, 1.0], "B": [NAN, 2.0, 2.0]}, items=["x", "y", "z"])
    with pytest.raises(DataError, match="no output has a human score and a score by every"):
        meta_table(PEOPLE, {"ter": ter, "bleu": bleu})


def test_documents_are_those_of_people_or_else_of_a_metric() -> None:
    assert meta_table(PEOPLE, {"comet": comet()}).documents is None
    assert meta_table(PEOPLE, {"comet": comet()}).n_documents is None
    by_metric = comet(documents=["d", "d", "e"])
    found = meta_table(PEOPLE, {"bleu": comet(), "comet": by_metric})
    assert found.documents is not None
    assert found.documents.tolist() == [0, 0, 1]
    assert found.n_documents == 2
    own = Scores.build(dict(PEOPLE.systems), items=["x", "y", "z"], documents=["p", "q", "r"])
    assert meta_table(own, {"comet": by_metric}).n_documents == 3
    # A segment that a metric lacks is left out, and its document with it.
    part = Scores.build({"A": [1, 2], "B": [2, 1]}, items=["x", "y"], documents=["d", "e"])
    assert meta_table(PEOPLE, {"bleu": part}).n_documents == 2


def test_segments_are_matched_by_document_and_name_on_either_side() -> None:
    people = Scores.build(
        {"A": [5, 3, 4, 1], "B": [2, 1, 3, 2]},
        items=["1", "2", "1", "2"],
        documents=["d", "d", "e", "e"],
    )
    joined = Scores.build(
        {"A": [40, 10, 30, 50], "B": [30, 20, 10, 20]}, items=["e:1", "e:2", "d:2", "d:1"]
    )
    found = meta_table(people, {"comet": joined})
    assert found.metrics["comet"].tolist() == [[50, 30, 40, 10], [20, 10, 30, 20]]


def test_positions_count_from_0_or_from_1_where_both_merely_count() -> None:
    people = Scores.build({"A": [5, 3], "B": [2, 1]}, items=["1", "2"])
    zero = Scores.build({"A": [0.9, 0.5], "B": [0.4, 0.2]}, items=["0", "1"])
    assert meta_table(people, {"comet": zero}).metrics["comet"].tolist() == [
        [0.9, 0.5],
        [0.4, 0.2],
    ]
    # Of another length, the names are names: only segment 1 is of both.
    longer = Scores.build({"A": [1, 2, 3], "B": [4, 5, 6]}, items=["0", "1", "2"])
    assert meta_table(people, {"comet": longer}).metrics["comet"].tolist() == [[2, 3], [5, 6]]


def test_directions_come_from_names_readers_and_signs() -> None:
    def notes(name: str, **options: object) -> tuple[str, ...]:
        return meta_table(PEOPLE, {name: comet(**options)}).notes

    assert notes("comet") == ()
    assert notes("ter") == ("ter: lower is better, so it was negated.",)
    assert notes("mine", metric="TER") == ("mine: lower is better, so it was negated.",)
    assert notes("mine", lower_is_better=True) == ("mine: lower is better, so it was negated.",)
    assert notes("mine", lower_is_better=False) == ()
    assert notes("mine")[0].startswith("mine: higher is taken to be better")
    minus = Scores.build({"A": [-1, -2, -3], "B": [-4, -2, -9]}, items=["x", "y", "z"])
    found = meta_table(PEOPLE, {"ter": minus})
    assert found.notes == ("ter: written with a minus, so higher is better.",)
    assert (found.turned, found.metrics["ter"].tolist()[0]) == ((), [-1, -2, -3])


def test_people_can_be_turned_round_as_well() -> None:
    found = meta_table(PEOPLE, {"comet": comet()}, lower_is_better=["human"])
    assert found.human.tolist() == [[-5, -3, -4], [-2, -1, -3]]
    assert found.turned == ()
    assert found.notes == ("human: lower is better, so it was negated.",)
    errors = Scores.build(dict(PEOPLE.systems), items=["x", "y", "z"], metric="mqm")
    assert meta_table(errors, {"comet": comet()}).human[0, 0] == -5


def test_judgments_keep_their_documents() -> None:
    rows = [
        (s, i, d, v) for s, v in (("A", 60), ("B", 40)) for i, d in (("x", "p"), ("y", "q"))
    ]
    system, item, document, score = map(list, zip(*rows, strict=True))
    people = Judgments.build(
        {"system": system, "item": item, "document": document, "score": score}
    )
    found = meta_table(people, {"comet": comet()})
    assert found.human.tolist() == [[60, 60], [40, 40]]
    assert found.documents is not None
    assert found.documents.tolist() == [0, 1]


def test_systems_that_some_did_not_score_are_named() -> None:
    more = Scores.build({**comet().systems, "C": [1, 1, 1]}, items=["x", "y", "z"])
    found = meta_table(PEOPLE, {"comet": more})
    assert found.systems == ("A", "B")
    assert found.notes == ("1 system left out, not scored by all: C.",)
    lone = Scores.build({"A": [1, 2, 3], "ref": [1, 2, 3]}, items=["x", "y", "z"])
    with pytest.raises(DataError, match=r"got 1 system \(A\)\."):
        meta_table(lone, {"comet": lone})


@pytest.mark.parametrize("name", ["ref", "refA", "reference-B", "Human-A.0", "humans", "REF.2"])
def test_names_of_references(name: str) -> None:
    table = Scores.build(
        {**PEOPLE.systems, name: [5, 5, 5], "Reformer": [4, 4, 4]}, items=["x", "y", "z"]
    )
    found = meta_table(table, {"comet": table})
    assert found.references == (name,)
    assert found.systems == ("A", "B", "Reformer")
    assert found.notes[0] == (
        f"Left out, as a reference is no system: {name} (--keep-references keeps it)."
    )


# --- Sums that all pairs of metrics share, against metrics whose scores are really exchanged ---


def exchanged(
    metrics: list[FloatArray], pair: tuple[int, int], taken: FloatArray
) -> list[FloatArray]:
    """Return two metrics, (…, segments), that have exchanged their scores of some segments."""
    one, other = (metrics[k] for k in pair)
    return [np.where(taken > 0, b, a) for a, b in ((one, other), (other, one))]


PAIRS = ((0, 1), (0, 2), (2, 1))


@pytest.mark.parametrize("missing", [False, True])
@pytest.mark.parametrize("statistic", SYSTEM)
def test_sums_of_systems_are_those_of_exchanged_scores(
    statistic: MetaStatistic, missing: bool
) -> None:
    rng = np.random.default_rng(8)
    human, *metrics = rng.normal(0, 1, (4, 6, 9)) + np.arange(6)[:, None] / 3
    if missing:
        for scores in (human, *metrics):
            scores[2, 4:6] = NAN
            scores[5, 0] = NAN
    taken = rng.integers(0, 2, (30, 9)).astype(float)
    swaps = SumSwaps(SystemSums.of(human, statistic), tuple(metrics), PAIRS)
    found = swaps.swapped(taken)
    for row, rows in enumerate(taken):
        for k, pair in enumerate(PAIRS):
            one, other = (
                float(SystemLevel(human, metric, statistic).values(np.ones((1, 9)))[0])
                for metric in exchanged(metrics, pair, rows)
            )
            assert found[row, k] == pytest.approx(one - other, abs=1e-12)


@pytest.mark.parametrize("undefined", ["skip", "zero"])
def test_sums_of_groups_are_those_of_exchanged_values(undefined: UndefinedGroups) -> None:
    rng = np.random.default_rng(9)
    metrics = list(rng.normal(0, 1, (3, 12)))
    metrics[0][3] = metrics[1][[3, 7]] = NAN
    taken = rng.integers(0, 2, (40, 12)).astype(float)
    found = SumSwaps(GroupSums(undefined), tuple(metrics), PAIRS).swapped(taken)
    for row, rows in enumerate(taken):
        for k, pair in enumerate(PAIRS):
            one, other = (
                float(weighted_mean(values[None], np.ones((1, 12)), undefined)[0])
                for values in exchanged(metrics, pair, rows)
            )
            assert found[row, k] == pytest.approx(one - other, abs=1e-12)


def test_a_pair_of_systems_that_a_swap_leaves_equal_is_a_coin() -> None:
    """Their only difference is swapped away: the sum of squares is 0, but for rounding."""
    human = np.array([[3.0, 1.0, 2.0], [1.0, 2.0, 2.0]])
    one = np.array([[0.1, 0.7, 0.4], [0.1, 0.4, 0.4]])
    other = np.array([[0.6, 0.3, 0.2], [0.1, 0.3, 0.9]])
    swaps = SumSwaps(SystemSums.of(human, "spa"), (one, other), ((0, 1),))
    p = pair_p_values(human, np.ones((1, 3)))[0, 0]
    rest = exchanged([one, other], (0, 1), np.array([0.0, 1.0, 0.0]))[1]
    left = pair_p_values(rest, np.ones((1, 3)))[0, 0]
    expected = (1.0 - abs(p - 0.5)) - (1.0 - abs(p - left))
    found = swaps.swapped(np.array([[0.0, 1.0, 0.0]]))
    assert found[0, 0] == pytest.approx(expected, abs=1e-7)


def test_p_values_of_people_are_those_of_the_weights_that_were_asked_for() -> None:
    human = np.array([[3.0, 1.0, 2.0], [1.0, 2.0, 2.5], [0.0, 2.0, 1.0]])
    people = PairPValues(human)
    for items in (np.ones((2, 3)), np.array([[0.0, 2.0, 1.0]]), np.ones((2, 3))):
        np.testing.assert_array_equal(people.of(items), pair_p_values(human, items))
        np.testing.assert_array_equal(people.of(items), pair_p_values(human, items))
