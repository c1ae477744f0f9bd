"""Every number of gold/evals.json about metrics, and Kocmi et al.'s accuracies."""

import functools

import numpy as np
import pytest

from detectable.core.types import FloatArray
from detectable.study.meta.meta import meta
from detectable.study.meta.result import Meta
from detectable.study.meta.statistics import SegmentLevel, SystemLevel
from detectable.study.meta.table import meta_table
from tests.gold_evals import evals
from tests.helpers import reference_data
from tests.study.meta.ted_file import metrics, ted

pytestmark = pytest.mark.golden
NAMES = {"pairwise_accuracy": "pairwise-accuracy", "spa_normal": "spa", "acc23_eps0": "acc23",
         "acc_eq": "acc-eq"}  # fmt: skip


@functools.cache
def arrays() -> tuple[FloatArray, dict[str, FloatArray]]:
    table = meta_table(ted("mqm"), metrics())
    return table.human, dict(table.metrics)


@pytest.mark.parametrize(
    "key",
    [
        "meta.chrf.sys.pearson",
        "meta.chrf.sys.spearman",
        "meta.chrf.sys.kendall",
        "meta.chrf.sys.pairwise_accuracy",
        "meta.chrf.seg.pearson.none",
        "meta.chrf.seg.kendall.none",
        "meta.chrf.seg.pearson.item",
        "meta.chrf.seg.kendall.item",
        "meta.chrf.seg.pearson.sys",
        "meta.chrf.seg.pearson.item_zero",
        "meta.chrf.seg.acc23_eps0.item",
        "meta.chrf.seg.acc_eq.item",
        "meta.bleu.sys.pearson",
        "meta.bleu.sys.pairwise_accuracy",
        "meta.bleu.seg.pearson.none",
        "meta.bleu.seg.kendall.none",
        "meta.bleu.seg.pearson.item",
        "meta.bleu.seg.kendall.item",
        "meta.bleu.seg.pearson.sys",
        "meta.bleu.seg.kendall.sys",
        "meta.bleu.seg.pearson.item_zero",
        "meta.bleu.seg.acc23_eps0.item",
        "meta.bleu.seg.acc_eq.item",
        "meta.length.sys.pearson",
        "meta.length.sys.spearman",
        "meta.length.sys.kendall",
        "meta.length.sys.pairwise_accuracy",
        "meta.length.seg.pearson.none",
        "meta.length.seg.kendall.none",
        "meta.length.seg.kendall.item",
        "meta.length.seg.pearson.sys",
        "meta.length.seg.kendall.sys",
        "meta.length.seg.pearson.item_zero",
        "meta.length.seg.acc23_eps0.item",
        "meta.length.seg.acc_eq.item",
        "meta.length.seg.spearman.item",
        "meta.chrf.sys.spa_normal",
        "meta.bleu.sys.spa_normal",
        "meta.length.sys.spa_normal",
    ],
)
def test_every_value_of_systems_and_segments(key: str) -> None:
    human, tables = arrays()
    _, metric, level, statistic, *average = key.split(".")
    statistic = NAMES.get(statistic, statistic)
    made: SystemLevel | SegmentLevel
    if level == "sys":
        made = SystemLevel(human, tables[metric], statistic)  # type: ignore[arg-type]
    else:
        by, _, zero = average[0].partition("_")
        undefined = "zero" if zero else "skip"
        made = SegmentLevel(human, tables[metric], statistic, by, undefined)  # type: ignore[arg-type]
    [got] = made.values(np.ones((1, human.shape[1])))
    assert got == pytest.approx(evals(key), rel=1e-6)


def test_thresholds_ranges_and_the_floor_of_a_constant_metric() -> None:
    human, tables = arrays()
    assert list(human.shape) == evals("meta.shape")
    ones = np.ones((1, human.shape[1]))
    for name, value_and_threshold, largest in (
        ("chrf", "meta.chrf.seg.acc_eq.own", "meta.chrf.range_within_item"),
        ("bleu", "meta.bleu.seg.acc_eq.own", "meta.bleu.range_within_item"),
        ("length", "meta.length.seg.acc_eq.own", "meta.length.range_within_item"),
    ):
        level = SegmentLevel(human, tables[name], "acc-eq")
        assert level.calibration.best() == pytest.approx(evals(value_and_threshold), rel=1e-6)
        within = float(np.ptp(tables[name], axis=0).max())
        assert within == pytest.approx(evals(largest), rel=1e-6)
        floor = evals("meta.constant.seg.acc_eq.item")
        assert level.floors(ones)[0] == pytest.approx(floor, rel=1e-6)
    constant = SegmentLevel(human, np.zeros_like(human), "acc-eq")
    assert constant.calibration.best() == pytest.approx((evals("meta.human_ties_share"), 0.0))
    for name, key in (
        ("chrf", "meta.chrf.seg.acc_eq.item.eps"),
        ("bleu", "meta.bleu.seg.acc_eq.item.eps"),
    ):
        threshold = SegmentLevel(human, tables[name], "acc-eq").calibration.best()[1]
        assert threshold == pytest.approx(evals(key), rel=1e-6)


def test_soft_accuracy_by_permutation() -> None:
    human, tables = arrays()
    for name, permuted, normal in (
        ("chrf", "meta.chrf.sys.spa_1000", "meta.chrf.sys.spa_normal"),
        ("bleu", "meta.bleu.sys.spa_1000", "meta.bleu.sys.spa_normal"),
        ("length", "meta.length.sys.spa_1000", "meta.length.sys.spa_normal"),
    ):
        got = SystemLevel(human, tables[name], "spa").permuted(20_000, np.random.default_rng(1))
        # 78 pairs, two p-values each, whose errors partly cancel: ours has a standard error below
        # .0005; theirs, of 1,000 draws in single precision, one below .002.
        assert got == pytest.approx(evals(permuted), abs=0.008)
        assert got == pytest.approx(evals(normal), abs=0.004)
    got = SystemLevel(human, tables["chrf"], "spa").permuted(20_000, np.random.default_rng(2))
    assert got == pytest.approx(evals("meta.chrf.sys.spa_20000"), abs=0.002)


@functools.cache
def between(unit: str) -> Meta:
    two = {name: ted(name) for name in ("chrf", "bleu")}
    return meta(
        ted("mqm"), two, level="segment", statistic="pearson", average_by="none",
        unit=unit, rng=4,  # type: ignore[arg-type]
    )  # fmt: skip


def test_swaps_of_segments_documents_and_cells() -> None:
    [by_segment], [by_document] = between("segment").pairs, between("document").pairs
    assert (by_segment.metric, by_segment.other) == ("bleu", "chrf")
    assert by_segment.difference == pytest.approx(0.015207, abs=1e-6)
    error = 4 * (2 * 0.25 * 0.75 / 2000) ** 0.5  # two Monte Carlo p-values of 2,000 swaps
    assert by_segment.p_value == pytest.approx(evals("meta.perm.segment.p"), abs=error)
    # 16 patterns of 5 documents, counted: theirs drew 2,000 of them.
    assert by_document.p_value == 7 / 16
    assert by_document.p_value == pytest.approx(evals("meta.perm.document.p"), abs=error)
    assert between("document").n_documents == evals("meta.n_documents")
    few = 4 * (2 * 0.025 * 0.975 / 2000) ** 0.5
    assert by_segment.p_cells == pytest.approx(evals("meta.perm.cell.p"), abs=few)
    one_sided = (
        1.0 - evals("meta.permboth.pearson.p"),
        1.0 - evals("meta.permboth.pearson.p_mtme"),
    )
    assert by_segment.p_cells / 2 == pytest.approx(np.mean(one_sided), abs=few)
    assert by_segment.p_williams / 2 == pytest.approx(0.0270, abs=5e-5)


def test_averages_of_mt_metrics_eval() -> None:
    human = np.array([[1.0, 2, 3], [4, 5, 6]])
    metric = np.array([[2.0, 1, 4], [3, 3, 7]])
    for key, want in evals("mtme.averages").items():
        name, by = key.split(".")
        got = SegmentLevel(human, metric, name.lower(), by).values(np.ones((1, 3)))[0]
        assert got == pytest.approx(want, abs=1e-6), key
    # stats_test.py of mt-metrics-eval: tau-c .556, .611, 1.
    for by, want in (("none", 0.556), ("sys", 0.611), ("item", 1.0)):
        got = SegmentLevel(human, metric, "kendall-c", by).values(np.ones((1, 3)))[0]  # type: ignore[arg-type]
        assert got == pytest.approx(want, abs=5e-4)


# Kocmi et al. (2021), table 2, all systems: per cent.
KOCMI = {
    "COMET": 83.4, "COMET_src": 83.2, "Prism_ref": 80.6, "BLEURT_default": 80.0, "ESIM": 78.7,
    "BERT_SCORE": 78.3, "TER": 75.6, "chrF": 75.6, "CharacTER": 74.9, "BLEU": 74.6,
    "Prism_src": 73.4, "EED": 68.8,
}  # fmt: skip
COLUMNS = {
    "COMET": "sys_COMET", "COMET_src": "sys_COMET_src", "Prism_ref": "sys_Prism_ref",
    "BLEURT_default": "sys_BLEURT_default", "BLEURT_large": "sys_BLEURT_large",
    "ESIM": "sys_ESIM_", "BERT_SCORE": "sys_BERT_SCORE", "TER": "sys_SacreBLEU_ter_neg",
    "chrF": "sys_SacreBLEU_chrf", "CharacTER": "sys_CharacTER_neg", "BLEU": "sys_SacreBLEU_bleu",
    "Prism_src": "sys_Prism_src", "EED": "sys_ExtendedEditDist_neg",
}  # fmt: skip


def test_accuracies_of_kocmi_2021() -> None:
    import polars as pl

    folder = reference_data("data", "shipdata")
    systems = pl.read_parquet(folder / "shipdata_systems.parquet")
    judged = pl.read_parquet(folder / "shipdata_judgments.parquet")
    valid = judged.filter(pl.col("valid_line"))
    means = valid.group_by("campaign", "system").agg(pl.col("score").mean().alias("human"))
    complete = systems.drop_nulls(list(COLUMNS.values())).join(means, on=["campaign", "system"])
    right, pairs = dict.fromkeys(COLUMNS, 0.0), 0
    for campaign in complete.partition_by("campaign"):
        if campaign.height < 2:
            continue
        human = campaign["human"].to_numpy()[:, None]
        n = campaign.height * (campaign.height - 1) // 2
        pairs += n
        for name, column in COLUMNS.items():
            metric = campaign[column].to_numpy()[:, None]
            level = SystemLevel(human, metric, "pairwise-accuracy")
            right[name] += n * level.values(np.ones((1, 1)))[0]
    assert pairs == 3347
    for name, want in evals("ship.accuracy_valid_rows").items():
        assert 100 * right[name] / pairs == pytest.approx(want, abs=0.006), name
    for name, want in KOCMI.items():
        assert abs(100 * right[name] / pairs - want) <= evals("kocmi.table2_within") + 0.006, (
            name
        )
