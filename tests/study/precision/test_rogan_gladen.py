"""Rogan and Gladen's correction: gold/evals.json, coverage, and where it is refused."""

import numpy as np
import pytest

from detectable.core.errors import DataError
from detectable.data.human.judgments import Judgments
from detectable.inference.agreement import JudgedShare
from detectable.study.precision.control_variates import control_variates
from detectable.study.precision.rogan_gladen import rogan_gladen
from tests.gold_evals import evals
from tests.gold_repairs import repairs
from tests.study.precision.judge_file import judge, labels


@pytest.mark.golden
def test_published_numbers() -> None:
    sizes = {"n_pool": 5000, "n_right": 140, "n_wrong": 60}
    found = JudgedShare(0.69, 0.9, 0.8, **sizes)
    assert found.share == pytest.approx(evals("rg.theta"))
    error = found.standard_error
    assert error == pytest.approx(evals("rg.se"), rel=1e-6)
    assert JudgedShare(0.15, 0.9, 0.8, **sizes).share == pytest.approx(
        evals("rg.bound"), rel=1e-6
    )
    # J = .1: the same shares of labels, a judge that hardly tells right from wrong.
    weak = JudgedShare(0.52, 0.6, 0.5, **sizes).standard_error
    assert weak == pytest.approx(evals("rg.se_weak"), rel=1e-6)
    rho = 0.7 * 0.3 * (0.9 + 0.8 - 1) / np.sqrt(0.7 * 0.3 * 0.69 * 0.31)
    assert rho == pytest.approx(evals("rg.rho_judge"), rel=1e-6)
    general = 0.7 * 0.3 / 200 * (1 - rho**2) / rho**2 + 0.69 * 0.31 / (5000 * 0.7**2)
    assert np.sqrt(general) == pytest.approx(evals("rg.var_formula_check"), abs=5e-6)
    alone = np.sqrt(0.7 * 0.3 / 200)
    assert alone == pytest.approx(evals("rg.human_only_se"), rel=1e-6)
    ppi = alone * np.sqrt((1 - rho**2) + rho**2 * 200 / 5000)
    assert ppi == pytest.approx(evals("rg.ppi_se"), rel=1e-6)
    assert ppi < alone < error


@pytest.mark.golden
def test_the_judge_of_the_reference_data() -> None:
    answers, human = judge("judge01"), labels()
    there = list(human.item.levels)
    labelled = {s: {i: answers[s][i] for i in there} for s in answers}
    here = {s: {f"other {i}": v for i, v in a.items()} for s, a in answers.items()}
    row = rogan_gladen(human, labelled, here).systems[0]
    want = evals("rg.A.se_sp_theta_SE")
    got = row.sensitivity, row.specificity, row.share, row.standard_error
    assert got == pytest.approx(want, abs=1e-5)
    assert row.interval.low < row.share < row.interval.high
    # Labels of the data set itself are control variates' work, which do better.
    with pytest.raises(
        DataError, match=r"200 items of the labelled data set are items of this"
    ):
        rogan_gladen(human, labelled, answers)
    better = control_variates(human, judge=answers).systems[0]
    assert better.standard_error < row.standard_error


def data_set(
    rng: np.random.Generator,
    *,
    theta: float = 0.7,
    se: float = 0.9,
    sp: float = 0.8,
    n: int = 200,
) -> tuple[Judgments, dict[str, dict[str, float]], dict[str, dict[str, float]]]:
    def answers(truth: np.ndarray) -> np.ndarray:
        right = np.where(truth == 1, rng.random(truth.size) < se, rng.random(truth.size) >= sp)
        return right.astype(float)

    human = (rng.random(n) < 0.6).astype(float)
    pool = (rng.random(1000) < theta).astype(float)
    items = [f"l{i}" for i in range(n)]
    table = Judgments.build({"system": ["A"] * n, "item": items, "score": human}, scale=(0, 1))
    there = {"A": dict(zip(items, answers(human).tolist(), strict=True))}
    return table, there, {"A": {f"p{i}": x for i, x in enumerate(answers(pool).tolist())}}


def test_the_row_says_what_it_rests_on() -> None:
    human, there, here = data_set(np.random.default_rng(1))
    [row] = rogan_gladen(human, there, here).systems
    right = int(human.score.sum())
    assert (row.n_pool, row.n_right, row.n_wrong) == (1000, right, 200 - right)
    found = JudgedShare(
        row.judged_share, row.sensitivity, row.specificity, 1000, right, 200 - right
    )
    assert (row.share, row.untruncated) == (found.share, found.share)
    assert row.interval == found.interval(0.95)
    [wide] = rogan_gladen(human, there, here, alpha=0.01).systems
    assert wide.interval == found.interval(0.99)


@pytest.mark.golden
@pytest.mark.parametrize("judged", [0.05, 0.18, 0.22])
def test_a_share_beyond_the_limits_is_cut_and_given(judged: float) -> None:
    want = repairs(f"rogan-gladen/judged {judged}")
    called = round(judged * want["pool"])
    data = counted((27, 3), (6, 24), (called, want["pool"] - called), system="o")
    found = JudgedShare(judged, want["se"], want["sp"], 500, 30, 30)
    uncut = found.interval(0.95)
    assert (uncut.low, uncut.high) == pytest.approx(want["uncut95"], abs=1e-6)
    if want["refused"]:
        with pytest.raises(
            DataError, match=r"by more than chance \(95% interval of the share -?0"
        ):
            rogan_gladen(*data)
        return
    [row] = rogan_gladen(*data).systems
    assert row.untruncated == pytest.approx(want["untruncated"], abs=1e-6)
    assert row.share == pytest.approx(want["share"], abs=1e-6)
    assert (row.interval.low, row.interval.high) == pytest.approx(want["interval95"], abs=1e-6)
    assert row.cut == (want["untruncated"] < 0)


@pytest.mark.golden
def test_what_was_cut_is_said() -> None:
    said = rogan_gladen(*counted((27, 3), (6, 24), (90, 410), system="o")).summary()
    assert said.startswith(
        "o: 0.000 [0.000, 0.136] (uncorrected by the limits: −0.029). The judge says 0.180.\n"
    )


# Labels, share here; at most refused, and the mean share (repairs.md, 20,000 sets).
NEAR_THE_ENDS = ((60, 0.02), (60, 0.05), (60, 0.1), (200, 0.05), (60, 0.95))


@pytest.mark.slow
@pytest.mark.parametrize(("labelled", "share"), NEAR_THE_ENDS)
def test_good_data_near_the_ends_are_kept_and_covered(labelled: int, share: float) -> None:
    rng, sets, refused, held = np.random.default_rng([6, labelled]), 1000, 0, 0
    for _ in range(sets):
        right = int(rng.binomial(labelled, 0.5))
        yes, no = int(rng.binomial(right, 0.9)), int(rng.binomial(labelled - right, 0.2))
        called = int(rng.binomial(500, share * 0.9 + (1 - share) * 0.2))
        here = (called, 500 - called)
        try:
            [row] = rogan_gladen(
                *counted((yes, right - yes), (no, labelled - right - no), here)
            ).systems
        except DataError:
            refused += 1
            continue
        held += share in row.interval
    assert refused / sets <= 0.004 + 3 * (0.004 / sets) ** 0.5
    assert held / sets >= 0.95 - 2 * (0.05 * 0.95 / sets) ** 0.5


@pytest.mark.slow
def test_the_interval_covers_where_the_judge_errs_alike() -> None:
    rng, held = np.random.default_rng(2), 0
    for _ in range(1500):
        found = rogan_gladen(*data_set(rng))
        held += 0.7 in found.systems[0].interval
    assert held / 1500 == pytest.approx(0.95, abs=4 * (0.05 * 0.95 / 1500) ** 0.5)


def test_where_it_is_refused() -> None:
    rng = np.random.default_rng(3)
    with pytest.raises(
        DataError, match=r"not shown to be better than a coin .* interval −?-?0\."
    ):
        rogan_gladen(*data_set(rng, se=0.5, sp=0.52))
    human, there, here = data_set(rng)
    with pytest.raises(DataError, match=r"the judge calls .* right, outside of"):
        rogan_gladen(human, there, {"A": dict.fromkeys(here["A"], 0.0)})
    with pytest.raises(DataError, match=r"must be 0 or 1 .* got 0\.5"):
        rogan_gladen(human, there, {"A": dict.fromkeys(here["A"], 0.5)})
    with pytest.raises(DataError, match="no system of this data set has labels"):
        rogan_gladen(human, there, {"B": here["A"]})
    right = human.take(human.score == 1.0)
    with pytest.raises(DataError, match="5 labels of either kind are needed"):
        rogan_gladen(right, there, here)


def counted(
    right: tuple[int, int], wrong: tuple[int, int], here: tuple[int, int], system: str = "A"
) -> tuple[Judgments, dict[str, dict[str, float]], dict[str, dict[str, float]]]:
    """Return labels with as many answers of the judge (yes, no) on right, wrong and here."""
    human = np.repeat([1.0, 0.0], [sum(right), sum(wrong)])
    said = np.repeat([1.0, 0.0, 1.0, 0.0], [*right, *wrong])
    items = [f"l{i}" for i in range(human.size)]
    table = {"system": [system] * human.size, "item": items, "score": human}
    there = dict(zip(items, said.tolist(), strict=True))
    answers = np.repeat([1.0, 0.0], here).tolist()
    pool = {f"p{i}": x for i, x in enumerate(answers)}
    return Judgments.build(table, scale=(0, 1)), {system: there}, {system: pool}


def test_a_share_by_hand() -> None:
    human, there, here = counted((90, 10), (8, 32), (60, 40))
    found = rogan_gladen(human, there, here)
    [row] = found.systems
    assert (row.sensitivity, row.specificity, row.judged_share) == pytest.approx(
        (0.9, 0.8, 0.6)
    )
    assert row.share == pytest.approx((0.6 + 0.8 - 1) / 0.7)
    assert (row.n_right, row.n_wrong, row.n_pool) == (100, 40, 100)
    assert row.interval.level == 0.95
    share = 0.4 / 0.7
    variance = (
        0.6 * 0.4 / 100 + (1 - share) ** 2 * 0.8 * 0.2 / 40 + share**2 * 0.9 * 0.1 / 100
    ) / 0.7**2
    assert row.standard_error == pytest.approx(variance**0.5)
    assert found.summary().splitlines()[0].startswith("A: 0.571 [0.")
    assert found.summary().splitlines()[0].endswith("] (the judge says 0.600).")
    assert found.summary().splitlines()[1] == (
        "This assumes that the judge errs here as often as on the labelled data set."
    )
    assert (found.alpha, found.signature.settings) == (0.05, {"alpha": 0.05})
    assert found.notes == ()


def test_systems_without_labels_are_named() -> None:
    human, there, here = counted((90, 10), (8, 32), (60, 40))
    found = rogan_gladen(human, there, {**here, "B": here["A"]})
    assert [row.system for row in found.systems] == ["A"]
    assert found.notes == ("Left out, without labels: B.",)


def test_items_without_an_answer_are_left_out() -> None:
    human, there, here = counted((90, 10), (8, 32), (60, 40))
    there["A"]["l0"] = float("nan")
    here["A"]["p0"] = float("nan")
    [row] = rogan_gladen(human, there, here).systems
    assert (row.n_right, row.n_pool) == (99, 99)
    assert (row.sensitivity, row.judged_share) == pytest.approx((89 / 99, 59 / 99))


def test_the_limits_of_what_is_taken() -> None:
    # Five labels of either kind are enough, four are not.
    [row] = rogan_gladen(*counted((30, 0), (0, 5), (60, 40))).systems
    assert row.n_wrong == 5
    assert row.share == pytest.approx(0.6)
    for right, wrong in (((30, 0), (0, 4)), ((4, 0), (0, 30))):
        with pytest.raises(DataError, match=f"got {right[0]} right and {wrong[1]} wrong"):
            rogan_gladen(*counted(right, wrong, (60, 40)))
    # As many as its errors allow; one more or less, which chance allows; far beyond.
    for called, share, untruncated in ((90, 1.0, 1.0), (91, 1.0, 71 / 70), (19, 0.0, -1 / 70)):
        [row] = rogan_gladen(*counted((90, 10), (20, 80), (called, 100 - called))).systems
        assert (row.share, row.untruncated) == pytest.approx((share, untruncated))
        assert 0.0 <= row.interval.low < row.interval.high <= 1.0
    for here in ((100, 0), (4, 96)):
        with pytest.raises(DataError, match=r"right, outside of 0\.200 to 0\.900"):
            rogan_gladen(*counted((90, 10), (20, 80), here))
    human, there, here_ = counted((90, 10), (8, 32), (60, 40))
    half = {"A": {**dict.fromkeys(there["A"], 0.5), "l0": 1.0, "l1": 0.0}}
    with pytest.raises(DataError, match=r"A: the judge's answers must be 0 or 1 .* got 0\.5\."):
        rogan_gladen(human, half, here_)
    table = {"system": ["A"] * 140, "item": list(there["A"]), "score": [0.25] * 140}
    with pytest.raises(DataError, match=r"A: the labels must be 0 or 1 .* got 0\.25\."):
        rogan_gladen(Judgments.build(table, scale=(0, 1)), there, here_)
