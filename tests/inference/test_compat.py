"""Other tools' p-values, number for number."""

import json
from typing import Any

import numpy as np
import pytest

from detectable.core.errors import InputError
from detectable.inference.compat import multeval_p, sacrebleu_p
from detectable.inference.sample import Sample
from detectable.metrics.registry import metric
from tests.helpers import reference_data
from tests.samples import mean_sample

GOLD = "sacrebleu_2.6.0_wmt21_en-de_refA_baseline_Online-W_seed12345"
METRICS = {"bleu": "BLEU", "chrf": "chrF2", "ter": "TER"}


@pytest.fixture(scope="module")
def wmt21() -> tuple[Sample, ...]:
    with np.load(reference_data("data", "multeval", "wmt21_ende_refA_stats.npz")) as stored:
        names = tuple(str(name) for name in stored["systems"])
        return tuple(
            Sample(metric(m), names, (1,) * len(names), stored[m].astype(np.float64))
            for m in METRICS
        )


@pytest.fixture(scope="module")
def gold() -> dict[str, Any]:
    content: dict[str, Any] = json.loads(reference_data("gold", "multeval.json").read_text())
    return content


def test_scores_equal_sacrebleu(wmt21: tuple[Sample, ...], gold: dict[str, Any]) -> None:
    for sample, name in zip(wmt21, METRICS.values(), strict=True):
        for i, system in enumerate(sample.systems):
            assert sample.score(i) == pytest.approx(gold[GOLD][system][name]["score"], abs=1e-9)


@pytest.mark.golden
def test_all_57_randomization_p_values_are_identical(
    wmt21: tuple[Sample, ...], gold: dict[str, Any]
) -> None:
    pairs = tuple((i, 0) for i in range(1, 20))
    found = sacrebleu_p(wmt21, pairs, test="randomization", n_resamples=10_000, seed=12345)
    for p, (system, _) in enumerate(pairs):
        for m, name in enumerate(METRICS.values()):
            expected = gold[GOLD][wmt21[0].systems[system]][name]["p_ar_10000"]
            assert found.p_values[p, m] == expected


@pytest.mark.golden
def test_all_57_bootstrap_p_values_agree_to_the_printed_decimals(
    wmt21: tuple[Sample, ...], gold: dict[str, Any]
) -> None:
    pairs = tuple((i, 0) for i in range(1, 20))
    found = sacrebleu_p(wmt21, pairs, test="bootstrap", n_resamples=1000, seed=12345)
    for p, (system, _) in enumerate(pairs):
        for m, name in enumerate(METRICS.values()):
            expected = gold[GOLD][wmt21[0].systems[system]][name]["p_bs_1000"]
            assert round(found.p_values[p, m], 4) == round(expected, 4)


@pytest.mark.parametrize("test", ["randomization", "bootstrap"])
def test_batches_do_not_change_sacrebleus_numbers(
    test: Any, monkeypatch: pytest.MonkeyPatch
) -> None:
    rng = np.random.default_rng(1)
    sample = mean_sample(rng.integers(0, 9, 45), rng.integers(0, 9, 45))
    whole = sacrebleu_p((sample,), ((0, 1),), test=test, n_resamples=500, seed=7)
    monkeypatch.setattr("detectable.inference.compat._CELLS", 64 * 45)
    split = sacrebleu_p((sample,), ((0, 1),), test=test, n_resamples=500, seed=7)
    assert whole.p_values == split.p_values


def test_both_tools_call_a_copy_significant() -> None:
    scores = np.arange(30.0)
    sample = mean_sample(scores, scores)
    multeval = multeval_p((sample,), ((0, 1),), n_resamples=999, rng=1)
    sacrebleu = sacrebleu_p((sample,), ((0, 1),), test="randomization", n_resamples=999, seed=1)
    assert multeval.p_values[0, 0] == sacrebleu.p_values[0, 0] == 1 / 1000


def test_copied_runs_shrink_multevals_p() -> None:
    rng = np.random.default_rng(3)
    a, b = rng.normal(size=200), rng.normal(0.12, 1.0, 200)
    once = multeval_p((mean_sample(a, b),), ((0, 1),), n_resamples=2000, rng=1)
    thrice = mean_sample(np.tile(a, (3, 1)), np.tile(b, (3, 1)))
    copied = multeval_p((thrice,), ((0, 1),), n_resamples=2000, rng=1)
    assert copied.p_values[0, 0] < 0.6 * once.p_values[0, 0]


def test_sacrebleu_knows_one_run_only() -> None:
    with pytest.raises(InputError, match="knows one run per system; got several"):
        sacrebleu_p(
            (mean_sample(np.ones((2, 5)), np.ones(5)),),
            ((0, 1),),
            test="bootstrap",
            n_resamples=9,
            seed=1,
        )


def test_multeval_needs_equal_numbers_of_runs() -> None:
    with pytest.raises(InputError, match=r"same number of runs.*\{'S0': 2, 'S1': 1\}"):
        multeval_p((mean_sample(np.ones((2, 5)), np.ones(5)),), ((0, 1),), n_resamples=9, rng=1)


A, B = np.array([3.0, 1.0, 4.0, 1.0, 5.0, 9.0]), np.array([2.0, 6.0, 5.0, 3.0, 5.0, 8.0])


def by_sacrebleus_own_loop(test: str, n_resamples: int, seed: int) -> float:
    """Return the p-value as significance.py of sacreBLEU 2.6 goes about it, line by line."""
    rng = np.random.default_rng(seed)
    observed = abs(B.mean() - A.mean())
    if test == "randomization":
        swap = rng.integers(2, size=(n_resamples, 6), dtype=bool)
        drawn = [abs(np.where(s, A, B).mean() - np.where(s, B, A).mean()) for s in swap]
    else:
        picks = rng.choice(6, size=(n_resamples, 6), replace=True)
        spread = np.array([abs(A[i].mean() - B[i].mean()) for i in picks])
        drawn = list(spread - spread.mean())
    beyond = sum(bool(d > observed + 1e-12) for d in drawn)
    return (beyond + 1) / (n_resamples + 1)


@pytest.mark.parametrize("test", ["randomization", "bootstrap"])
@pytest.mark.parametrize("n_resamples", [39, 200])
def test_sacrebleus_rule_on_six_segments(test: Any, n_resamples: int) -> None:
    found = sacrebleu_p(
        (mean_sample(A, B),), ((0, 1),), test=test, n_resamples=n_resamples, seed=7
    )
    assert found.p_values.tolist() == [[by_sacrebleus_own_loop(test, n_resamples, 7)]]
    assert found.seed == "7"


def test_every_rule_that_may_be_asked_for_has_its_warning() -> None:
    from detectable.inference.compat import WARNINGS

    assert set(WARNINGS) == {"multeval", "sacrebleu-randomization", "sacrebleu-bootstrap"}
    assert all(text.startswith("compat='") for text in WARNINGS.values())


@pytest.mark.parametrize("n_resamples", [39, 4_000])
def test_multevals_swaps_are_drawn_however_few_the_sentences(n_resamples: int) -> None:
    found = multeval_p((mean_sample(A, B),), ((0, 1), (1, 0)), n_resamples=n_resamples, rng=7)
    signs = np.array([1 - 2 * ((code >> np.arange(6)) & 1) for code in range(64)])
    share = np.mean(np.abs(signs @ (A - B)) > abs((A - B).sum()))  # strictly: ties do not count
    beyond = found.p_values[:, 0] * (n_resamples + 1) - 1
    assert beyond == pytest.approx(np.rint(beyond))
    error = 4 * (share * (1 - share) / n_resamples) ** 0.5
    assert beyond / n_resamples == pytest.approx(share, abs=error)
    assert found.p_values[0, 0] == found.p_values[1, 0]
    assert found.p_values.shape == (2, 1)
    assert found.seed == "7"


def test_multevals_metrics_keep_their_columns() -> None:
    one, other = mean_sample(A, B), mean_sample(A + np.arange(6), B)
    both = multeval_p((one, other), ((0, 1), (1, 0)), n_resamples=99, rng=1).p_values
    for column, sample in enumerate((one, other)):
        alone = multeval_p((sample,), ((0, 1), (1, 0)), n_resamples=99, rng=1).p_values
        assert both[:, column].tolist() == alone[:, 0].tolist()
    assert both[0, 0] != both[0, 1]
