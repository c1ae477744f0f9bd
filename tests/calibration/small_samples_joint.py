"""Max-T over pairs that share their swaps: exact, or only nearly so?

Shared swaps are exact for any false alarm if the *vector* of a unit's differences is as likely as
its mirror image. Each pair alone has that property as soon as outputs change places by chance; the
vector has it only if the systems' scores of a unit lie symmetrically about their mean. Here are
both cases, and what could also be to blame: the number of swaps, and a scale that is estimated from
the swaps themselves.
"""

import itertools
from dataclasses import dataclass

import numpy as np

from detectable.core.types import FloatArray
from detectable.inference.multiplicity import max_t
from detectable.inference.randomization import randomization_test, swap_parts
from detectable.inference.swaps import SwapRequest
from tests.calibration.effort import ALPHA, RESAMPLES, Effort, Rates
from tests.calibration.nulls import Texts, en_de, permute_outputs

N_SYSTEMS = 5
PAIRS = tuple((b, a) for a, b in itertools.combinations(range(N_SYSTEMS), 2))
MAX_T, ALONE = "max-T, all 10 pairs", "one pair alone"
SYMMETRIC, SKEWED = "symmetric", "one of five stands out"


def of_corpus_metrics(effort: Effort) -> Rates:
    """Five systems, outputs permuted: the chance of any false alarm by shared swaps."""
    texts = en_de()
    hits = effort.repeat(_of_texts, texts, "max-T of corpus metrics")
    columns = (*texts.labels, "all three")
    title = "Five systems, outputs permuted: chance of any false alarm (WMT21 en-de)"
    return Rates(title, (MAX_T, ALONE), columns, hits.mean(axis=0), effort.trials)


def _of_texts(texts: Texts, rng: np.random.Generator) -> FloatArray:
    five = permute_outputs(texts.random_outputs(N_SYSTEMS, rng), rng)
    samples = five.samples(*(1,) * N_SYSTEMS)
    parts = [swap_parts(sample, PAIRS) for sample in samples]
    scale = np.array([[part.scale for part in row] for row in zip(*parts, strict=True)])
    columns = np.arange(scale.size).reshape(scale.shape)
    families = (*(columns[:, m] for m in range(len(samples))), columns.ravel())
    request = SwapRequest(alpha=ALPHA, families=families, scale=scale)
    swaps = randomization_test(
        samples, PAIRS, request=request, n_resamples=RESAMPLES, rng=rng
    ).swaps
    # The most extreme pair of each family comes first.
    together = [(steps[0] + 1.0) / (RESAMPLES + 1.0) for steps in swaps.counted.stepped]
    alone = [*swaps.p_values()[columns[0]], np.nan]  # the first pair under each metric
    return _rejected(np.array([together, alone]))


def _rejected(p_values: FloatArray) -> FloatArray:
    return np.where(np.isnan(p_values), np.nan, p_values <= ALPHA)


@dataclass(frozen=True, slots=True)
class Variant:
    """Means of five systems over units, scores permuted within each unit."""

    shape: str
    n_units: int
    n_resamples: int
    estimated: bool = False  # the scale: from the swaps, or fixed before them

    @property
    def label(self) -> str:
        scale = ", scale from the swaps" if self.estimated else ""
        return f"{self.n_units} units, {self.n_resamples} swaps{scale}"


VARIANTS = (
    (10, 511, False),
    (20, 999, False),
    (1000, 999, False),
    (1000, 999, True),
    (1000, 99, False),
)


def of_means(effort: Effort) -> Rates:
    """The same for means, with symmetric and with lopsided scores."""
    shapes = (SYMMETRIC, SKEWED)
    cells = [[Variant(shape, *v) for v in VARIANTS] for shape in shapes]
    shares = np.array(
        [
            [effort.repeat(_of_means, v, f"max-T of means, {v}").mean(axis=0) for v in row]
            for row in cells
        ]
    )[..., 0]
    title = "Five systems, scores permuted: chance of any false alarm by max-T (means)"
    return Rates(title, shapes, tuple(v.label for v in cells[0]), shares, effort.trials)


def _of_means(variant: Variant, rng: np.random.Generator) -> FloatArray:
    shape = (variant.n_units, N_SYSTEMS)
    values = rng.normal(size=shape)
    if variant.shape == SKEWED:  # one system fails where the others agree, whichever it is
        values = 0.1 * values
        values[np.arange(variant.n_units), rng.integers(N_SYSTEMS, size=variant.n_units)] -= (
            rng.exponential(size=variant.n_units)
        )
    system, baseline = np.array(PAIRS).T
    apart = values[:, system] - values[:, baseline]
    signs = rng.integers(2, size=(variant.n_resamples, variant.n_units)) * 2.0 - 1.0
    null = signs @ apart
    observed = apart.sum(axis=0)
    if variant.estimated:
        return np.array([float(max_t(observed, null).min() <= ALPHA)])
    scale = np.sqrt(np.square(apart).sum(axis=0))
    largest = (np.abs(null) / scale).max(axis=1)
    own = float((np.abs(observed) / scale).max())
    p = (int((largest >= own * (1.0 - 1e-10)).sum()) + 1.0) / (variant.n_resamples + 1.0)
    return np.array([float(p <= ALPHA)])
