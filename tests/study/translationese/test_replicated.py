"""n is not N: the rank-sum test on segments and on judgments, against scipy."""

import numpy as np
import pytest
from scipy.stats import mannwhitneyu

import detectable as dt
from detectable.study.ranking.prepare import prepare
from detectable.study.ranking.settings import RankSettings
from detectable.study.translationese.conclusions import replicated


def test_segments_and_judgments_by_scipy() -> None:
    """Three systems; each segment is judged twice, some not at all."""
    rng = np.random.default_rng(5)
    system, item, again = (axis.ravel() for axis in np.indices((3, 10, 2)))
    score = np.array([50, 62, 55])[system] + rng.normal(0, 8, system.size).round(1)
    kept = ~((system == 0) & (item >= 8)) & ~((system == 1) & (item == 9))
    names = np.array(["low", "high", "middle"])
    table = {
        "system": names[system][kept],
        "item": item[kept],
        "rater": np.array(["ann", "bob"])[again][kept],
        "score": score.clip(0, 100)[kept],
    }
    judgments = dt.Judgments.build(table)
    plain = RankSettings(standardise="none", test="rank-sum")
    by_judgment = RankSettings(standardise="none", test="rank-sum", level="judgment")
    found = replicated("reverse", prepare(judgments, plain), prepare(judgments, by_judgment))
    assert [(row.half, row.first, row.second) for row in found] == [
        ("reverse", "high", "middle"),
        ("reverse", "high", "low"),
        ("reverse", "middle", "low"),
    ]
    # Distinct segments of either system, and judgments of the two together.
    assert [(row.n, row.N) for row in found] == [(10, 38), (9, 34), (10, 36)]
    for row in found:
        first, second = (
            {
                int(i): score[kept & (names[system] == name) & (item == i)]
                for i in range(10)
                if (kept & (names[system] == name) & (item == i)).any()
            }
            for name in (row.first, row.second)
        )
        means = [[float(x.mean()) for x in part.values()] for part in (first, second)]
        every = [np.concatenate(list(part.values())) for part in (first, second)]
        for p, values in ((row.p_segments, means), (row.p_judgments, every)):
            want = mannwhitneyu(*values, alternative="greater", method="asymptotic").pvalue
            assert p == pytest.approx(want)
