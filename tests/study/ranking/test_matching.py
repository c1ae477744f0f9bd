"""Whether pairs of systems are matched by rater, by item or not at all."""

import numpy as np
import pytest

from detectable.data.human.judgments import Judgments
from detectable.study.ranking.rank_systems import rank_systems


class TestHalfIsEnough:
    """From which share of matched items on pairs are matched, seen from outside."""

    @staticmethod
    def judged_by(n: int, same: int) -> Judgments:
        """Return n items of two systems, `same` of them judged for both by one rater."""
        rng = np.random.default_rng(3)
        rows = []
        for item in range(n):
            other = "ann" if item < same else "bob"
            quality = rng.normal(60.0, 10.0)
            rows += [("a", item, "ann", quality), ("b", item, other, quality + rng.normal())]
        names = ("system", "item", "rater", "score")
        return Judgments.build(dict(zip(names, zip(*rows, strict=True), strict=True)))

    @staticmethod
    def sharing(n: int, shared: int) -> Judgments:
        """Return n items of each of two systems, `shared` of them of both; raters unknown."""
        rng = np.random.default_rng(4)
        items = [*range(n), *range(n - shared, 2 * n - shared)]
        table = {"system": ["a"] * n + ["b"] * n, "item": items}
        return Judgments.build({**table, "score": rng.normal(60.0, 10.0, 2 * n)})

    @pytest.mark.parametrize(
        ("same", "matching", "share"),
        [(11, "rater", "55%"), (10, "rater", "50%"), (9, "item", "45%")],
    )
    def test_raters(self, same: int, matching: str, share: str) -> None:
        ranking = rank_systems(self.judged_by(20, same), rng=1)
        assert ranking.matching == matching
        assert share in ranking.reason
        assert ranking.pairs[0].n == (same if matching == "rater" else 20)

    @pytest.mark.parametrize(
        ("shared", "matching", "test"),
        [(11, "item", "permutation"), (10, "item", "permutation"), (9, "none", "rank-sum")],
    )
    def test_items(self, shared: int, matching: str, test: str) -> None:
        ranking = rank_systems(self.sharing(20, shared), rng=1)
        assert (ranking.matching, ranking.test) == (matching, test)
        assert ranking.pairs[0].n == (shared if matching == "item" else 40)
