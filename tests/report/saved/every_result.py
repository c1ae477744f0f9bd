"""A result of every kind: those that are shown made by hand, the others by the library."""

import warnings
from collections.abc import Callable
from functools import cache
from pathlib import Path
from typing import Any

import numpy as np

import detectable as dt
from detectable.core.errors import DetectableWarning
from detectable.core.result import Result
from detectable.data.human.judgments import Judgments
from detectable.inference.randomization import randomization_test
from detectable.inference.swaps import SwapRequest
from detectable.mixed.result import MixedFit
from detectable.mixed.simulate import example_ratings
from detectable.planning.swap_effects import fit_swaps
from detectable.sequential.e_process import pair_in_order
from detectable.study.archive.campaign_pairs import swap_calibration
from tests.report import live_results, results
from tests.samples import mean_sample

_DATA = Path(__file__).parents[2] / "frozen" / "data"


def _numbers(n: int, seed: int = 1) -> Any:
    return np.random.default_rng(seed).normal(0.3, 1.0, n)


@cache
def fit() -> MixedFit:
    return dt.fit_mixed(example_ratings())


def _archive() -> Judgments:
    rng = np.random.default_rng(5)
    rows: dict[str, list[Any]] = {"campaign": [], "system": [], "item": [], "score": []}
    for campaign in ("one", "two"):
        for item in range(40):
            for system in "ABC":
                score = float(np.clip(rng.normal(60, 10), 0, 100))
                for name, value in zip(rows, (campaign, system, item, score), strict=True):
                    rows[name].append(value)
    return Judgments.build(rows)


def _pool() -> Any:
    return dt.Scores.build(
        {"A": _numbers(300), "B": _numbers(300, 2)}, items=[f"i{i}" for i in range(300)]
    )


def _campaigns() -> Result:
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", DetectableWarning)  # of ratings of whole documents
        path = f"{_DATA}/language_pairs.csv"
        return dt.translationese_campaigns(path, n_resamples=200, rng=1)


def _randomization() -> Result:
    request = SwapRequest(families=(np.array([0]),), keep_null=True)
    sample = mean_sample(_numbers(40), np.zeros(40))
    return randomization_test((sample,), ((0, 1),), n_resamples=400, request=request, rng=1)


def _curve() -> Result:
    rng = np.random.default_rng(6)
    campaign = np.repeat(np.arange(70), 3)
    metric = rng.normal(0.0, 3.0, campaign.size).round(3)
    human = (0.7 * metric + rng.normal(0.0, 2.0, campaign.size)).round(3)
    table = {"campaign": campaign, "system": np.tile(np.arange(3), 70), "human": human}
    return dt.fit_meaning({**table, "comet": metric}, metric="comet", n_resamples=40, rng=1)


def _permutation() -> Result:
    table = np.stack([_numbers(30), _numbers(30, 2)], axis=1)
    table[:, 1] = np.nan  # a pair that was never observed: nan in most of its arrays
    return dt.paired_permutation(table, margin=0.5, n_resamples=500, rng=1)


LIBRARY: dict[str, Callable[[], Result]] = {
    "BettingBand": lambda: dt.betting_band(_numbers(300).clip(-1, 1), bounds=(-1, 1)),
    "CampaignPairs": lambda: dt.campaign_pairs(_archive()),
    "ComponentTest": lambda: dt.component_test(
        fit(), "rater intercept", method="bootstrap", n_resamples=300, rng=1
    ),
    "ConfidenceBand": lambda: dt.confidence_sequence(_numbers(500), n_planned=500),
    "DetectableEffect": results.detectable_effect,
    "EProcessTest": lambda: dt.e_process(_numbers(300).clip(-1, 1), bounds=(-1, 1)),
    "EffectPredictions": results.effect_predictions,
    "LiveConclusion": live_results.live_conclusion,
    "LiveHistory": live_results.live_history,
    "LiveLook": live_results.live_look,
    "LivePlan": live_results.live_plan,
    "MarginTest": lambda: dt.margin_test(_numbers(40), _numbers(40, 2), margin=0.5),
    "Meaning": lambda: dt.meaning("bleu", 1.0),
    "MeaningCurve": _curve,
    "ObservedMde": lambda: dt.observed_mde([0.1, 0.5, 2.0, 3.0], [False, False, True, True]),
    "OrderedPairs": lambda: pair_in_order([50, 60, 70], [40, 65]),
    "PairDecisions": lambda: dt.e_holm({("a", "b"): (1e4, 0.0), ("a", "c"): (2.0, 0.5)}),
    "PairedPermutation": _permutation,
    "PreferenceTest": lambda: dt.preference_process([1, -1, 0, 1] * 90),
    "Randomization": _randomization,
    "SampleSize": results.sample_size,
    "Simulation": lambda: dt.simulate(fit(), effect=5.0, n_simulations=300, rng=1),
    "Selection": lambda: dt.select(_pool(), n_items=40, by="metric", higher_is_better=True),
    "Subsample": live_results.subsample,
    "SwapCalibration": lambda: swap_calibration(_archive(), n_swaps=2, rng=1),
    "SwapFit": lambda: fit_swaps(
        dt.example_corpus(), "bleu", system="contender", baseline="baseline", rng=1
    ),
    "TranslationeseBattles": lambda: dt.translationese_battles(
        f"{_DATA}/origin_battles.csv", language_pair="zh-en", rng=1
    ),
    "TranslationeseCampaigns": _campaigns,
}
SHOWN = {type(made).__name__: made for made in results.RESULTS.values()}
NAMES = sorted({*LIBRARY, *SHOWN})


@cache
def one(kind: str) -> Result:
    """Return a result of a kind."""
    return SHOWN[kind] if kind in SHOWN else LIBRARY[kind]()


# Results that differ in form from those above.
OTHERS: dict[str, Callable[[], Result]] = {
    "several metrics": lambda: results.many_pairs(metrics=("bleu", "ter")),
    "all pairs": results.all_pairs,
    "long ranking": results.long_ranking,
    "results in a result": lambda: results.translationese(
        rankings={"forward": results.ranking(), "reverse": results.long_ranking()},
        comparisons={"both": results.comparison()},
    ),
    "results of any kind in a result": lambda: results.demo_story(
        results=(results.ranking(), results.design(), fit(), results.procedure_savings())
    ),
    "a real fit": fit,
    "a real design": lambda: dt.design(looks=4, sided=1, futility="beta-spending"),
    "a short path": lambda: dt.e_process(_numbers(20).clip(-1, 1), bounds=(-1, 1)),
    # Names that look like a number that is none, or like one of our marks.
    "odd names": lambda: results.comparison(
        n_runs={"nan": 1, "$array": 2, "日本語": 3},
        metrics=({"metric": "inf", "limit": float("inf"), "systems": ("a", ["b"])},),
    ),
}
