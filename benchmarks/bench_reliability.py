"""Scores on the first 1, 2, … documents: 15 systems, 7 metrics, 60 documents, 1,500 resamples."""

from functools import partial

import numpy as np

from benchmarks.timing import HEADER, cpu, line
from detectable.core.execute import Engine
from detectable.core.types import FloatArray, silent
from detectable.inference.prefixes import Documents, prefix_bootstrap, prefix_errors
from detectable.inference.sample import Sample
from detectable.metrics.registry import metric

SYSTEMS, DOCUMENTS, SIZE, RESAMPLES = 15, 60, 33, 1_500
SLICE = 60  # resamples of the loop that are timed, at some numbers of documents
EVERY = 12  # of which numbers of documents


def made_up(rng: np.random.Generator) -> Documents:
    """Return statistics of seven metrics that look like those of real outputs."""
    n = DOCUMENTS * SIZE
    shape = (SYSTEMS, n)
    length = rng.integers(8, 40, shape).astype(float)
    reference = np.maximum(4.0, length + rng.integers(-3, 4, shape))
    quality = np.clip(rng.normal(0.6, 0.1, shape), 0.2, 0.95)

    def matches(orders: int, total: FloatArray) -> list[FloatArray]:
        return [np.floor((total - k) * quality ** (1 + k / 2)) for k in range(orders)]

    totals = [length - k for k in range(6)]
    words = matches(4, length)
    tables = {
        "bleu": [length, reference, *words, *totals[:4]],
        "nist": [*(m * (4.0 / (k + 1)) for k, m in enumerate(matches(5, length))),
                 *totals[:5], reference + 0.5],
        "mwer": [np.floor(reference * (1 - quality)), reference],
        "mper": [np.floor(reference * (1 - quality) * 0.8), reference],
        "gtm": [words[0], length, reference],
        "chrf": [x for k in range(6) for x in (
            5 * length - k, 5 * reference - k, np.floor((5 * length - k) * quality ** (1 + k / 4)))],
        "mean": [100 * quality, np.ones(shape)],
    }  # fmt: skip
    systems = tuple(f"s{i}" for i in range(SYSTEMS))
    samples = tuple(
        Sample(metric(name), systems, (1,) * SYSTEMS, np.stack(columns, axis=-1))
        for name, columns in tables.items()
    )
    codes = np.repeat(np.arange(DOCUMENTS), SIZE)
    return Documents.build(samples, codes, tuple(f"d{i}" for i in range(DOCUMENTS)))


def by_loop(documents: Documents, at: range, resamples: int) -> FloatArray:
    """Return the spread of one score after the other: a loop over everything, as in the paper."""
    rng = np.random.default_rng(1)
    spread = np.zeros((len(at), SYSTEMS, len(documents.samples)))
    for i, k in enumerate(at):
        n = int(documents.starts[k])
        for m, sample in enumerate(documents.samples):
            for s in range(SYSTEMS):
                table = sample.statistics[s, :n]
                scores = np.empty(resamples)
                for r in range(resamples):
                    chosen = rng.integers(0, n, n)
                    scores[r] = sample.metric.score(table[chosen].sum(axis=0))
                spread[i, s, m] = scores.std(ddof=1)
    return spread


def by_delta(documents: Documents) -> FloatArray:
    given, every = np.arange(DOCUMENTS)[None], np.arange(1, DOCUMENTS + 1)
    return np.array(
        [
            [prefix_errors(documents, m, s, given, every).sd_segment[0] for s in range(SYSTEMS)]
            for m in range(len(documents.samples))
        ]
    )


def main() -> None:
    documents = made_up(np.random.default_rng(7))
    engine = Engine.start(1, n_jobs=1, executor=None, progress=silent)

    def draw(method: str) -> FloatArray:
        return prefix_bootstrap(
            documents,
            method=method,  # type: ignore[arg-type]
            n_resamples=RESAMPLES,
            engine=engine,
            rng=np.random.default_rng(3),
        ).sd

    at = range(EVERY // 2, DOCUMENTS + 1, EVERY)  # 6, 18, …: the mean cost of all
    small, _ = cpu(lambda: by_loop(documents, at, SLICE))
    scale = DOCUMENTS / len(at) * RESAMPLES / SLICE
    loop = small * scale
    draw("exact")  # compiles
    print(
        f"\nreliability: {SYSTEMS} systems x {len(documents.samples)} metrics, {DOCUMENTS} documents "
        f"of {SIZE} segments, {RESAMPLES} resamples"
    )
    print(f"the loop was timed on {len(at)} of {DOCUMENTS} numbers of documents x {SLICE} of")
    print(f"{RESAMPLES} resamples ({small:.1f} s) and scaled by {scale:,.0f}")
    print(HEADER)
    note = "loop timed on a slice and scaled"
    found = {}
    for method, target in (("exact", 300), ("poisson", None)):
        ours, found[method] = cpu(partial(draw, method), repeats=3)
        print(
            line(f"document curve, {method}", loop, ours, target, note, against="Python loop")
        )
    ours, delta = cpu(lambda: by_delta(documents), repeats=3)
    print(line("document curve, formula", loop, ours, 5_000, note, against="Python loop"))
    for method, spread in found.items():
        apart = np.abs(spread / np.moveaxis(delta, -1, 0).swapaxes(1, 2) - 1.0)[1:]
        print(f"  {method}: {apart.mean():.1%} from delta on average (noise of 1,500: 1.5%)")


if __name__ == "__main__":
    main()
