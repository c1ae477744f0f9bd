"""Every test of a ranking rejects a true null as often as it says, on scores as people give them.

``python -m tests.study.ranking.test_rank_calibration FOLDER`` prints the table of docs/rank.md; FOLDER
holds the reference data.
"""

import math
import sys
import warnings
from collections.abc import Callable, Iterator, Sequence
from dataclasses import replace
from pathlib import Path
from typing import Any

import numpy as np
import polars as pl
import pytest

from detectable.core.errors import DetectableWarning
from detectable.core.types import FloatArray
from detectable.data.factor import Factor
from detectable.data.human.judgments import Judgments
from detectable.study.ranking.rank_systems import rank_systems
from tests.helpers import reference_data

TRIALS = 2000
DOCUMENTS, SEGMENTS = 24, 8
Draw = Callable[[np.random.Generator], Judgments]

# What is measured: the options, and whether the claimed rate is expected to hold when sentences
# of a document belong together.
TESTS: dict[str, tuple[dict[str, Any], bool]] = {
    "auto": ({}, True),
    "permutation, items": ({"test": "permutation", "unit": "item"}, False),
    "signed-rank": ({"test": "signed-rank"}, True),
    "signed-rank, items": ({"test": "signed-rank", "unit": "item"}, False),
    "stouffer": ({"test": "stouffer"}, True),
    "rank-sum": ({"test": "rank-sum"}, True),
    "rank-sum, items": ({"test": "rank-sum", "unit": "item"}, False),
    "rank-sum-matched": ({"test": "rank-sum-matched"}, True),
    "preset wmt21": ({"preset": "wmt21"}, False),
}


def histogram(folder: Path) -> FloatArray:
    """Return the pooled distribution of scores 0 to 100 in ShipData."""
    hist = np.load(folder / "data" / "shipdata" / "shipdata_hist.npz")
    name = next(key for key in hist.files if hist[key].ndim == 2 and hist[key].shape[1] == 101)
    total = hist[name].sum(axis=0)
    shares: FloatArray = np.cumsum(total) / total.sum()
    return shares


def simulated(
    shares: FloatArray, *, icc: float, raters: int, crossed: bool, apart: bool = False
) -> Draw:
    """Return a maker of judgments of two systems that do not differ.

    Parameters
    ----------
    icc : float
        Correlation of the differences between the systems within a document.
    crossed : bool
        The same rater judges a segment of both systems; else another rater judges each
        document of each system.
    apart : bool
        The systems were judged on different documents.
    """
    from scipy.special import ndtr

    shape = (2, DOCUMENTS, SEGMENTS)
    system, document, segment = (axis.ravel() for axis in np.indices(shape))

    place = document + DOCUMENTS * system if apart else document
    template = Judgments.build(
        {
            "system": system,
            "item": place * SEGMENTS + segment,
            "document": place,
            "domain": document % 2,
            "score": np.zeros(system.size),
        }
    )
    names = tuple(str(rater) for rater in range(raters))

    def draw(rng: np.random.Generator) -> Judgments:
        who = rng.integers(raters, size=(1 if crossed else 2, DOCUMENTS))
        rater = np.broadcast_to(who, (2, DOCUMENTS))[system, document]
        severity = rng.normal(0, np.sqrt(0.24), raters)[rater]
        hardness = rng.normal(0, np.sqrt(0.3), (DOCUMENTS, SEGMENTS))[document, segment]
        liking = rng.normal(0, np.sqrt(0.46 * icc), shape[:2])[system, document]
        noise = rng.normal(0, np.sqrt(0.46 * (1 - icc)), system.size)
        score = np.searchsorted(shares, ndtr(severity + hardness + liking + noise))
        given = Factor(name="rater", levels=names, codes=rater).take(np.arange(rater.size))
        return replace(template, rater=given, score=np.minimum(score, 100).astype(np.float64))

    return draw


def swapped(path: Path, names: tuple[str, str]) -> Draw:
    """Return a maker of real judgments of two systems, swapped at random within documents."""
    table = pl.read_parquet(path).filter(pl.col("system_id").cast(str).is_in(names))
    document = table["doc"].cast(str).to_numpy()
    codes = np.unique(document, return_inverse=True)[1]
    second = table["system_id"].cast(str).to_numpy() == names[1]
    template = Judgments.build(
        {
            "system": second,
            "item": table["sid"].to_numpy(),
            "document": document,
            "domain": codes % 2,
            "rater": table["worker"].cast(str).to_numpy(),
            "task": table["hit"].cast(str).to_numpy(),
            "kind": table["type"].cast(str).to_numpy(),
            "score": table["raw"].to_numpy(),
        }
    )

    def draw(rng: np.random.Generator) -> Judgments:
        turned = rng.random(codes.max() + 1) < 0.5
        given = (second ^ turned[codes]).astype(np.int64)
        return replace(template, system=Factor(name="system", levels=names, codes=given))

    return draw


def swapped_items(folder: Path, campaign: int) -> Draw:
    """Return a maker of real judgments of ShipData, systems swapped at random within segments."""
    table = (
        pl.scan_parquet(folder / "data" / "shipdata" / "shipdata_judgments.parquet")
        .filter(pl.col("campaign") == campaign)
        .group_by("system", "user", "segment_id", maintain_order=True)
        .agg(pl.col("score").mean())
        .collect()
    )
    second = table["system"].to_numpy() == table["system"].max()
    codes = np.unique(table["segment_id"].to_numpy(), return_inverse=True)[1]
    template = Judgments.build(
        {
            "system": second,
            "item": codes,
            "domain": codes % 2,
            "rater": table["user"].to_numpy(),
            "score": table["score"].to_numpy(),
        }
    )

    def draw(rng: np.random.Generator) -> Judgments:
        turned = rng.random(codes.max() + 1) < 0.5
        given = (second ^ turned[codes]).astype(np.int64)
        return replace(template, system=Factor(name="system", levels=("a", "b"), codes=given))

    return draw


def rates(
    draw: Draw, tests: Sequence[dict[str, Any]], *, trials: int = TRIALS, seed: int = 7
) -> list[float]:
    """Return how often each test calls one of two equal systems better; all see the same data."""
    found = np.zeros(len(tests))
    for rng in np.random.default_rng(seed).spawn(trials):
        judgments = draw(rng)
        for k, options in enumerate(tests):
            with warnings.catch_warnings():
                warnings.simplefilter("ignore", DetectableWarning)
                ranking = rank_systems(judgments, rng=rng, n_resamples=999, **options)
            found[k] += ranking.pairs[0].verdict != "undecided"
    return [float(share) for share in found / trials]


def rate(draw: Draw, options: dict[str, Any], *, trials: int) -> float:
    """Return how often one test calls one of two equal systems better."""
    return rates(draw, [options], trials=trials)[0]


def designs(folder: Path) -> Iterator[tuple[str, Draw]]:
    """Yield what is measured: simulated documents and raters, and real documents swapped."""
    shares = histogram(folder)
    for icc, raters in ((0.0, 30), (0.15, 5), (0.15, 30)):
        yield (
            f"one rater for both, {raters} raters, ICC {icc:g}",
            simulated(shares, icc=icc, raters=raters, crossed=True),
        )
    yield (
        "other raters for each, 30 raters, ICC .15",
        simulated(shares, icc=0.15, raters=30, crossed=False),
    )
    yield (
        "WMT21 is-en documents swapped",
        swapped(
            folder / "data" / "wmt" / "wmt21_isen_da.parquet", ("NiuTrans.7", "HuaweiTSC.9")
        ),
    )
    yield "ShipData 276 segments swapped", swapped_items(folder, 276)


def within(measured: float, trials: int) -> bool:
    """Say whether a measured rate is at most .05, up to four standard errors and a half point."""
    return bool(measured <= 0.055 + 4 * np.sqrt(0.05 * 0.95 / trials))


@pytest.mark.slow
@pytest.mark.parametrize("name", [name for name, (_, holds) in TESTS.items() if holds])
def test_documents_are_tested_at_the_claimed_rate(name: str) -> None:
    shares = histogram(reference_data())
    draw = simulated(shares, icc=0.15, raters=30, crossed=True)
    assert within(rate(draw, TESTS[name][0], trials=1000), 1000)


@pytest.mark.slow
def test_other_raters_for_each_system_are_tested_at_the_claimed_rate() -> None:
    shares = histogram(reference_data())
    draw = simulated(shares, icc=0.05, raters=30, crossed=False)
    assert within(rate(draw, {}, trials=1000), 1000)


@pytest.mark.slow
def test_systems_on_different_documents_are_tested_at_the_claimed_rate() -> None:
    shares = histogram(reference_data())
    draw = simulated(shares, icc=0.15, raters=30, crossed=False, apart=True)
    assert within(rate(draw, {}, trials=1000), 1000)


@pytest.mark.slow
def test_real_documents_swapped_are_tested_at_the_claimed_rate() -> None:
    path = reference_data("data", "wmt", "wmt21_isen_da.parquet")
    draw = swapped(path, ("NiuTrans.7", "HuaweiTSC.9"))
    assert within(rate(draw, {}, trials=1000), 1000)


@pytest.mark.slow
def test_the_rule_of_wmt_does_not_hold_its_level_on_documents() -> None:
    path = reference_data("data", "wmt", "wmt21_isen_da.parquet")
    draw = swapped(path, ("NiuTrans.7", "HuaweiTSC.9"))
    assert rate(draw, {"preset": "wmt21"}, trials=400) > 0.10


@pytest.mark.slow
def test_skewed_losses_in_domains_at_the_margin_seldom_pass() -> None:
    """By t this fails: exponential losses of 30 items in 5 domains pass far more often."""
    rng, trials, n = np.random.default_rng(8), 300, 30
    item = np.tile(np.arange(n), 2)
    given = {"system": np.repeat(["A", "B"], n), "item": item, "domain": item // 6}
    passed = 0
    for _ in range(trials):
        better = rng.normal(60.0, 5.0, n)
        score = np.concatenate([better, better - rng.exponential(3.0, n)])
        found = rank_systems(
            Judgments.build({**given, "score": score}),
            claim="non-inferior",
            margin=3.0,
            average="domains",
            rng=1,
        )
        passed += found.pairs[0].verdict == "non-inferior"
    assert passed / trials <= 0.05 + 2 * math.sqrt(0.05 * 0.95 / trials)


def main(folder: Path, trials: int = TRIALS) -> None:
    """Print the table."""
    options = [chosen for chosen, _ in TESTS.values()]
    for title, draw in designs(folder):
        for name, found in zip(TESTS, rates(draw, options, trials=trials), strict=True):
            sys.stdout.write(f"{title} | {name} | {found:.4f}\n")
            sys.stdout.flush()


if __name__ == "__main__":
    main(Path(sys.argv[1]), int(sys.argv[2]) if len(sys.argv) > 2 else TRIALS)
