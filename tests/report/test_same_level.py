"""Every number that stands near a verdict is at the level of the verdict, on real judgments."""

from collections.abc import Sequence

import polars as pl
import pytest

from detectable.core.choices import PairCorrection
from detectable.core.interval import Interval
from detectable.data.human.judgments import Judgments
from detectable.report.blocks import DATA_ONLY, Table
from detectable.report.blocks_of import blocks_of
from detectable.study.ranking.rank_systems import rank_systems
from detectable.study.ranking.ranking import RankedPair, Ranking
from tests.helpers import reference_data

pytestmark = pytest.mark.golden


def direct_assessment() -> Judgments:
    table = pl.read_parquet(reference_data("data", "wmt", "wmt22_jaen_da.parquet"))
    names = {
        "system": "system",
        "rater": "worker",
        "task": "hit",
        "kind": "type",
        "document": "doc",
    }
    columns = {role: table[name].cast(str) for role, name in names.items()}
    return Judgments.build({**columns, "item": table["sid"], "score": table["raw"]})


def error_spans() -> Judgments:
    table = pl.read_parquet(reference_data("data", "wmt", "wmt24_esa_engjpn_waves2-3.parquet"))
    table = table.with_columns(pl.col("doc").cast(str)).filter(
        pl.col("type") == "TGT", ~pl.col("doc").str.contains("#")
    )
    kept = table.unique(["item", "system"], keep="last", maintain_order=True)
    names = {"system": "system", "rater": "user", "document": "doc", "domain": "domain"}
    columns = {role: kept[name].cast(str) for role, name in names.items()}
    return Judgments.build({**columns, "item": kept["item"], "score": kept["score"]})


def disagreeing(pairs: Sequence[RankedPair], intervals: Sequence[Interval]) -> int:
    """Count pairs whose interval says otherwise than the corrected p-value."""
    return sum(
        (interval.low > 0.0 or interval.high < 0.0) != (pair.p_adjusted <= 0.05)
        for pair, interval in zip(pairs, intervals, strict=True)
    )


@pytest.fixture(scope="module")
def rankings() -> dict[tuple[str, str], Ranking]:
    corrections: tuple[PairCorrection, ...] = ("max-t", "holm")
    made = {"ja-en": direct_assessment(), "en-ja": error_spans()}
    return {
        (name, correction): rank_systems(judgments, rng=1, correction=correction)
        for name, judgments in made.items()
        for correction in corrections
    }


@pytest.mark.parametrize(("name", "n", "alone"), [("ja-en", 91, 5), ("en-ja", 78, 15)])
@pytest.mark.parametrize("correction", ["max-t", "holm"])
def test_joint_intervals_and_corrected_p_values_say_the_same(
    name: str, n: int, alone: int, correction: str, rankings: dict[tuple[str, str], Ranking]
) -> None:
    pairs = rankings[name, correction].pairs
    assert len(pairs) == n
    assert disagreeing(pairs, [pair.interval for pair in pairs]) == 0
    # The intervals of the pairs alone are what people stumbled over: the test can fail.
    assert disagreeing(pairs, [pair.interval_alone for pair in pairs]) == alone


def test_the_table_shows_one_p_value_and_the_joint_interval(
    rankings: dict[tuple[str, str], Ranking],
) -> None:
    for (_, correction), result in rankings.items():
        table = next(b for b in blocks_of(result) if isinstance(b, Table) and b.id == "pairs")
        shown = [column for column in table.columns if column.keep < DATA_ONLY]
        named = {"max-t": "p (max-T)", "holm": "p (Holm)"}[correction]
        assert [column.title for column in shown if column.kind == "p"] == [named]
        assert [column.title for column in shown if column.kind == "interval"] == [
            "95% interval, all pairs together"
        ]
        only = {column.key for column in table.columns} - {column.key for column in shown}
        assert {"p_value", "interval_alone"} <= only
