"""MQM as its authors add it up: errors of the source, undecided ones, and raw penalties."""

from collections import Counter
from pathlib import Path

import pytest

from detectable.core.errors import InputError
from detectable.data.formats.mqm import Noted, score_of_spans
from detectable.data.human.read_judgments import read_judgments
from detectable.study.ranking.rank_systems import rank_systems
from tests.data.sample_files import SAMPLES
from tests.helpers import reference_data

SAMPLE = SAMPLES / "judgments" / "mqm_newstest2020_ende.tsv"


def _official(path: Path) -> dict[tuple[str, str], float]:
    """Return the published average of every (system, segment)."""
    rows = [line.split() for line in path.read_text().splitlines()[1:] if line.strip()]
    return {(row[0], row[2]): float(row[1]) for row in rows}


@pytest.mark.golden
@pytest.mark.parametrize(
    ("folder", "file"),
    [("data/real", "mqm_ted_ende.tsv"), ("data/more/real", "mqm_ted_zhen.tsv")],
)
def test_averages_of_segments_are_those_that_google_publishes(folder: str, file: str) -> None:
    place = reference_data(*folder.split("/"), "google-mqm")
    official = _official(place / "avg_seg_scores.tsv")
    judgments = read_judgments(place / file)
    sums: dict[tuple[str, str], list[float]] = {}
    labels = zip(judgments.system.labels(), judgments.item.labels(), strict=True)
    for key, score in zip(labels, judgments.score.tolist(), strict=True):
        sums.setdefault(key, []).append(score)
    shared = sums.keys() & official.keys()
    assert len(shared) > 1800
    for key in shared:
        assert sum(sums[key]) / len(sums[key]) == pytest.approx(official[key], abs=1e-5), key


@pytest.mark.golden
def test_a_published_campaign_is_ranked_by_raw_penalties() -> None:
    path = reference_data("data", "real", "google-mqm", "mqm_ted_ende.tsv")
    judgments = read_judgments(path)
    assert "2,356 rows of errors added up per rater and segment." in judgments.notes
    assert (judgments.n_judgments, judgments.system.n_levels) == (1960, 14)
    assert (judgments.item.n_levels, judgments.column("rater").n_levels) == (140, 4)
    ranking = rank_systems(judgments, unit="item", n_resamples=99, rng=1)
    scores = {row.system: row.score for row in ranking.systems}
    assert ranking.scale == "points"
    assert "penalty points (MQM, raw as it is published)" in ranking.reason
    for system, mean in {
        "Facebook-AI": -1.322857,
        "HuaweiTSC": -2.431429,
        "Nemo": -2.359286,
        "Online-W": -1.435714,
    }.items():
        assert scores[system] == pytest.approx(mean, abs=5e-7)
    assert list(scores) == sorted(scores, key=lambda name: -scores[name])


def test_z_can_still_be_asked_for() -> None:
    path = reference_data("data", "real", "google-mqm", "mqm_ted_ende.tsv")
    ranking = rank_systems(
        read_judgments(path), standardise="z", unit="item", n_resamples=99, rng=1
    )
    assert ranking.scale == "z"


def test_errors_of_the_source_cost_what_is_asked() -> None:
    counted = read_judgments(SAMPLE, source_errors="count")
    free = read_judgments(SAMPLE, source_errors="ignore")
    assert counted.score.tolist() == pytest.approx([-5.1, 0, -1, -25, -5, -5])
    assert free.score.tolist() == pytest.approx([-5.1, 0, -1, -25, 0, -5])
    assert free.notes[-1] == (
        "1 error of the source counted 0 as asked, unlike in the published averages."
    )


def test_source_errors_belong_to_mqm() -> None:
    table = SAMPLES / "judgments" / "table.csv"
    with pytest.raises(
        InputError, match="`source_errors` does not apply to the format 'table'"
    ):
        read_judgments(table, source_errors="count")
    with pytest.raises(InputError, match="`source_errors` must be one of count, ignore"):
        read_judgments(SAMPLE, source_errors="twice")  # type: ignore[arg-type]


def test_undecided_severities_are_counted_and_not_refused() -> None:
    path = reference_data("data", "real", "appraise-mqm", "mqm_undecided.csv")
    judgments = read_judgments(path)
    assert judgments.n_judgments == 122
    by_hand = 43 * 5 + 62 * 1 + 2 * 0.1  # major, minor, minor of punctuation
    assert judgments.score.sum() == pytest.approx(-by_hand, abs=1e-9)
    assert "1 error of undecided severity counted 0." in judgments.notes


def test_spans_count_what_is_to_be_told() -> None:
    seen: Counter[Noted] = Counter()
    spans = [
        {"severity": "undecided", "category": "Style"},
        {"severity": "Minor", "error_type": ["Source error"]},
        {"severity": "critical"},
    ]
    assert score_of_spans(spans, seen) == -6.0
    assert seen == {"undecided": 1, "source": 1, "critical": 1}
    assert score_of_spans(spans, Counter(), "ignore") == -5.0
    assert score_of_spans([{"severity": "bad"}], Counter()) == "'bad'"
