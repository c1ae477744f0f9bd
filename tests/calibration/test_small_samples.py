"""One row of every table about small samples, with 500 data sets; and the peers' formulas."""

import numpy as np
import pytest

from detectable.core.types import FloatArray, IntArray
from tests.calibration import peers


@pytest.fixture
def documents() -> tuple[FloatArray, FloatArray, IntArray]:
    """Return scores of two systems on the items of five documents of different sizes."""
    rng = np.random.default_rng(4)
    clusters = np.repeat(np.arange(5), [3, 1, 8, 2, 5])
    theirs = rng.normal(size=clusters.size)
    return theirs + rng.normal(0.3, 1.0, clusters.size), theirs, clusters


def test_formulas_of_peers_are_those_of_their_tools(
    documents: tuple[FloatArray, FloatArray, IntArray],
) -> None:
    from scipy import stats
    from statsmodels.regression.linear_model import OLS
    from statsmodels.stats.contingency_tables import mcnemar

    ours, theirs, clusters = documents
    apart = ours - theirs
    fitted = OLS(apart, np.ones(apart.size)).fit(
        cov_type="cluster", cov_kwds={"groups": clusters}
    )
    ranks = stats.wilcoxon(apart, method="asymptotic").pvalue
    sums = [
        stats.mannwhitneyu(ours, theirs, alternative=side, method="asymptotic").pvalue
        for side in ("greater", "less")
    ]
    assert peers.t_p(apart) == pytest.approx(stats.ttest_1samp(apart, 0.0).pvalue)
    assert peers.cluster_robust_p(apart, clusters) == pytest.approx(fitted.pvalues[0])
    assert peers.signed_rank_p(apart) == pytest.approx(ranks)
    assert peers.rank_sum_p(ours, theirs) == pytest.approx(min(sums))
    for fixed, broken in ((0, 5), (7, 2), (3, 3), (0, 0)):
        table = [[10, fixed], [broken, 20]]
        assert peers.mcnemar_p(fixed, broken) == pytest.approx(
            mcnemar(table, exact=True).pvalue
        )


def test_sacrebleus_bootstrap_rejects_twice_as_often_as_it_says() -> None:
    rng = np.random.default_rng(1)
    found = [peers.sacrebleu_bootstrap_p(rng.normal(size=60), 199, rng) for _ in range(2000)]
    # 2Φ(−(1.645 + √(2/π))/…) has no closed form here; docs/calibration.md measured .110 to .113.
    assert np.mean(np.array(found) <= 0.05) == pytest.approx(0.112, abs=3 * 0.0071)
