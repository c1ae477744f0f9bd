"""Random orders: every one a permutation, and what is left is what was not taken."""

import numpy as np
import pytest

from detectable.core.execute import Engine
from detectable.core.types import silent
from detectable.inference.prefixes import prefix_errors
from detectable.study.reliability.curves import random_orders
from detectable.study.reliability.measures import gather
from tests.study.reliability.data import clustered


def test_shapes_first_and_rest() -> None:
    scores = clustered(6, 3, systems=2)
    measured = gather(scores, None, {}, {}, campaign=None, language=None, progress=silent)
    (source,) = measured.sources
    told: list[tuple[str, int, int | None]] = []
    engine = Engine.start(1, n_jobs=1, executor=None, progress=lambda *step: told.append(step))
    found = random_orders(source, 60, engine, np.random.default_rng(2))
    assert ("random orders of documents", 3, 3) in told  # blocks of 25 are part of the answer
    assert found.at.tolist() == [1, 2, 3, 4, 5, 6]
    assert len(found.scores) == len(found.rest) == 1
    assert found.scores[0].shape == found.rest[0].shape == (60, 6, 2)
    assert found.sd.shape == (1, 2, 60, 6)
    means = np.array([table[0].reshape(6, 3).mean(axis=1) for table in scores.systems.values()])
    whole = means.mean(axis=1)
    # Documents are of one size: the whole is the weighted mean of what was taken and the rest.
    k = found.at[:-1, None]
    assert (found.scores[0][:, :-1] * k + found.rest[0][:, :-1] * (6 - k)) / 6 == pytest.approx(
        np.broadcast_to(whole, (60, 5, 2))
    )
    assert np.isnan(found.rest[0][:, -1]).all()
    firsts = np.abs(found.scores[0][:, 0, None, 0] - means[0]).argmin(axis=1)
    assert np.bincount(firsts, minlength=6).min() > 0  # every document comes first sometimes
    every = np.arange(1, 7)
    for s in range(2):
        last = prefix_errors(source, 0, s, np.arange(6)[None], every).sd_segment[0, -1]
        assert found.sd[0, s, :, -1] == pytest.approx(last)
        assert len(np.unique(found.sd[0, s, :, 0].round(9))) == 6
