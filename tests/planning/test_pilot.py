"""Pilot: drawing known data again must give the known power."""

import math
from typing import Any

import numpy as np
import pytest
from scipy import stats

import detectable as dt
from detectable.data.scores.scores import Scores
from tests.planning.scenarios import t_power
from tests.planning.test_likert import crossed


def normal_scores(seed: int, n: int, sd: float = 1.0) -> Any:
    values = np.random.default_rng(seed).normal(size=n)
    return sd * (values - values.mean()) / values.std()


def test_paired_scores_have_the_power_of_the_t_test() -> None:
    plan = dt.scenarios.Pilot.paired(normal_scores(1, 4000), np.zeros(4000))
    found = dt.power(plan, n_items=50, effect=0.4, n_trials=8000, rng=1)
    assert found.standard_error is not None
    assert found.power == pytest.approx(t_power(50, 0.4), abs=4 * found.standard_error)
    assert found.details["counted_unit"] == "item"


def test_unpaired_scores_have_the_power_of_welch() -> None:
    first, second = normal_scores(2, 1500), normal_scores(3, 1500)
    plan = dt.scenarios.Pilot.unpaired(first, second, test="two-means")
    found = dt.power(plan, n_items=60, effect=0.5, n_trials=4000, rng=1)
    from scipy import stats

    expected = stats.nct.sf(stats.t.ppf(0.975, 118), 118, 0.5 / (2 / 60) ** 0.5)
    assert found.standard_error is not None
    assert found.power == pytest.approx(expected, abs=4 * found.standard_error)


def test_ratings_drawn_again_have_the_power_of_their_model() -> None:
    """The pilot is the model's own distribution, planted by the same shift."""
    model = dt.scenarios.Ratings(mean=80, sd=20, second="shift", test="rank-sum")
    better, worse = (one.probabilities() for one in model.model.systems(3.0))
    sample = [
        np.repeat(np.arange(101.0), np.rint(p * 6000).astype(int)) for p in (better, worse)
    ]
    plan = dt.scenarios.Pilot.unpaired(sample[0], sample[1], plant="tilt", test="rank-sum")
    observed = float(sample[0].mean() - sample[1].mean())
    found = dt.power(plan, n_items=300, effect=observed, n_trials=4000, rng=2)
    expected = dt.power(model, n_items=300, effect=3.0, n_trials=8000, rng=3)
    assert found.standard_error is not None
    assert expected.standard_error is not None
    error = (found.standard_error**2 + expected.standard_error**2) ** 0.5
    assert found.power == pytest.approx(expected.power, abs=4 * error + 0.005)


def test_documents_count_as_one() -> None:
    rng = np.random.default_rng(4)
    documents = np.repeat(np.arange(300), 10)
    scores = rng.normal(size=3000) + rng.normal(size=300)[documents]
    names = [str(d) for d in documents]
    clustered = dt.scenarios.Pilot.paired(scores, np.zeros(3000), documents=names)
    single = dt.scenarios.Pilot.paired(scores, np.zeros(3000))
    found = dt.power(clustered, n_items=40, effect=0.4, n_trials=4000, rng=5)
    # Same number of judgments, taken as independent: far too optimistic.
    naive = dt.power(single, n_items=400, effect=0.4, n_trials=4000, rng=5)
    assert found.details["counted_unit"] == "document"
    assert found.power < naive.power - 0.2
    spread = float(scores.reshape(300, 10).mean(axis=1).std(ddof=1))
    limit = math.sqrt(299.0 / stats.chi2.ppf(0.4, 299.0))
    assert found.power == pytest.approx(t_power(40, 0.4 / (limit * spread)), abs=1e-6)


@pytest.mark.parametrize("plant", ["shift", "tilt"])
def test_the_level_is_held_without_an_effect(plant: Any) -> None:
    rng = np.random.default_rng(6)
    scores = rng.integers(0, 101, 800).astype(float)
    others = rng.integers(0, 101, 800).astype(float)
    for plan in (
        dt.scenarios.Pilot.paired(scores, others, plant=plant),
        dt.scenarios.Pilot.unpaired(scores, others, plant=plant, test="rank-sum"),
        dt.scenarios.Pilot.unpaired(scores, others, plant=plant, test="two-means"),
    ):
        data = plan.draw(150, 0.0, trials=4000, rng=np.random.default_rng(7))
        rejected = float((plan.analyse(data, alpha=0.05).p_values <= 0.05).mean())
        # A tilt leaves the shape of the two distributions as different as the pilot's were.
        assert rejected == pytest.approx(0.05, abs=4 * (0.05 * 0.95 / 4000) ** 0.5)


def test_power_rises_with_size_and_effect_and_mirrors() -> None:
    plan = dt.scenarios.Pilot.paired(normal_scores(8, 500), np.zeros(500))
    curve = dt.power_curve(plan, n_items=[20, 80], effect=[0.3, 0.6], n_trials=2000, rng=1)
    assert curve.at(20, 0.3).power < curve.at(80, 0.3).power < curve.at(80, 0.6).power
    down = dt.power(plan, n_items=80, effect=-0.3, n_trials=4000, rng=1)
    assert down.standard_error is not None
    assert down.power == pytest.approx(curve.at(80, 0.3).power, abs=8 * down.standard_error)


def test_searches_work_on_a_pilot() -> None:
    plan = dt.scenarios.Pilot.paired(normal_scores(9, 1000), np.zeros(1000))
    size = dt.sample_size(plan, effect=0.3, n_trials=2000, rng=1)
    assert size.n_items == pytest.approx(90, abs=8)  # (1.96 + .84)² / .3² plus two
    effect = dt.mde(plan, n_items=90, n_trials=2000, rng=1)
    assert effect.effect == pytest.approx(0.3, abs=0.015)


def test_crossed_judgments_draw_raters_and_items() -> None:
    table = crossed(10, 30, 60)
    plan = dt.scenarios.Pilot.judgments(table, "new", "old", n_raters=8)
    found = dt.power(plan, n_items=30, effect=0.4, n_trials=2000, rng=1)
    model = dt.power(
        dt.scenarios.Likert.from_ratings(table, n_raters=8), n_items=30, effect=0.4
    )
    assert found.power == pytest.approx(model.power, abs=0.08)
    assert found.type_m >= 1.0


def test_judgments_with_gaps_are_fitted_one_by_one() -> None:
    table = crossed(11, 10, 20)
    kept = np.random.default_rng(1).random(400) > 0.1
    some = {name: np.asarray(column)[kept] for name, column in table.items()}
    plan = dt.scenarios.Pilot.judgments(some, "new", "old", n_raters=6)
    found = dt.power(plan, n_items=12, effect=0.6, n_trials=48, rng=1)
    whole = dt.power(
        dt.scenarios.Pilot.judgments(table, "new", "old", n_raters=6),
        n_items=12,
        effect=0.6,
        rng=1,
    )
    assert found.standard_error is not None
    assert found.power == pytest.approx(whole.power, abs=4 * found.standard_error)


def test_judgments_of_controls_are_left_out_and_repeats_averaged() -> None:
    table = {name: list(column) for name, column in crossed(18, 5, 9).items()}
    kinds = ["system"] * 90
    wanted = dt.scenarios.Pilot.judgments(table, "new", "old")
    more = {name: [*column, column[0], column[1]] for name, column in table.items()}
    more["score"][-2:] = [-90.0, table["score"][1] + 1.0]
    more["kind"] = [*kinds, "degraded", "repeat"]
    found = dt.scenarios.Pilot.judgments(more, "new", "old")
    table["score"][1] += 0.5
    moved = dt.scenarios.Pilot.judgments(table, "new", "old")
    assert found.units.observed == pytest.approx(moved.units.observed, rel=1e-12)
    assert found.units.observed != pytest.approx(wanted.units.observed, rel=1e-4)
    named = {**table, "stars": table["score"]}
    del named["score"]
    again = dt.scenarios.Pilot.judgments(named, "new", "old", columns={"score": "stars"})
    assert again.units.observed == moved.units.observed
    one = {name: column[:18] for name, column in table.items()}
    with pytest.raises(dt.DataError, match="at least 2 raters and 2 items; got 1 and 9"):
        dt.scenarios.Pilot.judgments(one, "new", "old")


def test_second_scores_in_a_pilot_are_refused_unless_marked() -> None:
    table = {name: [*column, column[1]] for name, column in crossed(18, 5, 9).items()}
    with pytest.raises(dt.DataError, match=r"a second score by rater '0' for system 'new'"):
        dt.scenarios.Pilot.judgments(table, "new", "old")
    marked = dt.scenarios.Pilot.judgments(table, "new", "old", repeated="mark")
    assert marked.units.observed == pytest.approx(
        dt.scenarios.Pilot.judgments(crossed(18, 5, 9), "new", "old").units.observed
    )


def test_scores_of_a_table_with_runs_and_documents() -> None:
    rng = np.random.default_rng(12)
    scores = Scores.build(
        {"new": rng.normal(size=(3, 60)), "old": rng.normal(size=(1, 60))},
        documents=[str(i // 6) for i in range(60)],
    )
    plan = dt.scenarios.Pilot.from_scores(scores, "new", "old")
    assert (
        dt.power(plan, n_items=20, effect=0.5, n_trials=200, rng=1).details["pilot_size"] == 10
    )
    by_item = dt.scenarios.Pilot.from_scores(scores, "new", "old", unit="item")
    assert (
        dt.power(by_item, n_items=20, effect=0.5, n_trials=200, rng=1).details["pilot_size"]
        == 60
    )
    with pytest.raises(dt.InputError, match="there is no system 'other' in the scores"):
        dt.scenarios.Pilot.from_scores(scores, "other", "old")


def test_the_observed_difference_taken_as_true_is_called_optimistic() -> None:
    rng = np.random.default_rng(13)
    scores = rng.normal(0.5, 1.0, 100)
    plan = dt.scenarios.Pilot.paired(scores, np.zeros(100))
    observed = dt.power(
        plan, n_items=100, effect=round(float(scores.mean()), 3), n_trials=200, rng=1
    )
    assert any("optimistic" in note for note in observed.notes)
    own = dt.power(plan, n_items=100, effect=0.2, n_trials=200, rng=1)
    assert own.notes == ()


def test_a_small_pilot_says_so() -> None:
    plan = dt.scenarios.Pilot.paired(normal_scores(14, 12), np.zeros(12))
    found = dt.power(plan, n_items=50, effect=0.5, n_trials=200, rng=1)
    assert any("12 items" in note for note in found.notes)
    few = dt.scenarios.Pilot.judgments(crossed(15, 4, 40), "new", "old")
    notes = dt.power(few, n_items=20, effect=0.5, n_trials=100, rng=1).notes
    assert any("4 raters" in note and "25%" in note for note in notes)


def test_a_seed_repeats_the_answer_on_any_number_of_processes() -> None:
    plan = dt.scenarios.Pilot.paired(normal_scores(16, 300), np.zeros(300))
    one = dt.power(plan, n_items=100, effect=0.2, n_trials=3000, rng=1)
    two = dt.power(plan, n_items=100, effect=0.2, n_trials=3000, rng=1, n_jobs=2)
    assert one.power == two.power


def test_impossible_pilots_are_refused() -> None:
    with pytest.raises(dt.InputError, match="must hold the same items; got 3 and 2"):
        dt.scenarios.Pilot.paired([1, 2, 3], [1, 2])
    with pytest.raises(dt.DataError, match="all units of the pilot are equal"):
        dt.scenarios.Pilot.paired([1, 2, 3], [0, 1, 2])
    with pytest.raises(
        dt.InputError, match=r"`documents` must name each of the 3 items; got 2"
    ):
        dt.scenarios.Pilot.paired([1, 2, 3], [1, 2, 5], documents=["a", "b"])
    with pytest.raises(dt.DataError, match="one document says nothing"):
        dt.scenarios.Pilot.paired([1, 2, 3], [1, 2, 5], documents=["a"] * 3)
    with pytest.raises(dt.InputError, match="must be 'two-means' with documents"):
        dt.scenarios.Pilot.unpaired(
            [1, 2],
            [1, 3],
            documents=["a", "b"],
            baseline_documents=["a", "b"],
            test="rank-sum",
        )
    with pytest.raises(dt.InputError, match="must be given together"):
        dt.scenarios.Pilot.unpaired([1, 2], [1, 3], documents=["a", "b"])
    with pytest.raises(dt.InputError, match=r"`plant` must be one of shift, tilt"):
        dt.scenarios.Pilot.paired([1, 2, 3], [1, 2, 5], plant="move")  # type: ignore[arg-type]
    tilt = dt.scenarios.Pilot.paired([0, 1, 1, 0, 1.0], [0, 1, 0, 1, 1.0], plant="tilt")
    with pytest.raises(dt.InputError, match="cannot leave the range"):
        dt.power(tilt, n_items=10, effect=2.0)
    with pytest.raises(dt.InputError, match="there is no system 'best' in the judgments"):
        dt.scenarios.Pilot.judgments(crossed(17, 3, 4), "best", "old")


def test_documents_as_units_must_be_known() -> None:
    scores = Scores.build({"new": [3.0, 4.0, 5.0], "old": [1.0, 2.0, 2.0]})
    with pytest.raises(dt.InputError, match="`unit='document'` needs to know the document"):
        dt.scenarios.Pilot.from_scores(scores, "new", "old", unit="document")
    with pytest.raises(dt.InputError, match="`unit` must be one of auto, item, document"):
        dt.scenarios.Pilot.from_scores(scores, "new", "old", unit="rater")  # type: ignore[arg-type]
