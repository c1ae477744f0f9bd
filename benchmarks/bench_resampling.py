"""Resampling alone: statistics are given, only the tests are timed."""

from functools import partial
from typing import Any

import numpy as np

from benchmarks.bench_compare import RESAMPLES, SEED, sacrebleu_metrics
from benchmarks.texts import texts
from benchmarks.timing import HEADER, cpu, line
from detectable.inference.bootstrap import bootstrap
from detectable.inference.compat import sacrebleu_p
from detectable.inference.randomization import randomization_test
from detectable.inference.sample import Sample
from detectable.metrics.registry import metric

NAMES = ("bleu", "chrf", "ter")


def by_sacrebleu(
    stored: dict[str, dict[str, Any]], systems: list[str], kind: str, n: int
) -> Any:
    """Run sacreBLEU's own test on stored statistics: extraction is replaced by a look-up."""
    from sacrebleu.significance import PairedTest

    metrics = sacrebleu_metrics(NAMES)
    for key, one in metrics.items():
        one._extract_corpus_statistics = partial(_look_up, stored[key])
        one.num_refs = 1  # its signature wants to know
    units = len(next(iter(stored["BLEU"].values())))
    named = [(name, [name] * units) for name in systems]
    return PairedTest(named, metrics, None, test_type=kind, n_samples=n)()


def _look_up(stored: dict[str, Any], hypotheses: list[str], _: Any) -> Any:
    return stored[hypotheses[0]]


def by_loop(sample: Sample, pairs: tuple[tuple[int, int], ...], n: int) -> np.ndarray:
    """Return p-values from one Python step per shuffle, as most tools compute them."""
    rng = np.random.default_rng(SEED)
    tables = sample.pooled()
    counts = np.zeros(len(pairs))
    score = sample.metric.score
    for _ in range(n):
        taken = rng.integers(2, size=sample.n_units, dtype=bool)[:, None]
        for p, (a, b) in enumerate(pairs):
            first = np.where(taken, tables[a], tables[b]).sum(axis=0)
            second = np.where(taken, tables[b], tables[a]).sum(axis=0)
            observed = abs(score(tables[a].sum(axis=0)) - score(tables[b].sum(axis=0)))
            counts[p] += abs(score(first) - score(second)) >= observed
    return (counts + 1) / (n + 1)


def main() -> None:
    label, corpus = texts()
    systems = list(corpus.systems)
    samples = tuple(
        Sample(metric(n), tuple(systems), (1,) * len(systems), metric(n).statistics(corpus))
        for n in NAMES
    )
    # The types that sacreBLEU itself extracts: counts are int, TER's mean length is float.
    kinds = {"BLEU": np.int64, "chrF2": np.int64, "TER": np.float64}
    stored = {
        key: dict(zip(systems, sample.statistics.astype(kind).tolist(), strict=True))
        for (key, kind), sample in zip(kinds.items(), samples, strict=True)
    }
    pairs = tuple((i, 0) for i in range(1, len(systems)))
    print(f"\nresampling alone: {label}, 3 comparisons x 3 metrics")
    print(HEADER)
    compat = partial(sacrebleu_p, samples, pairs, seed=SEED)
    ours, _ = cpu(lambda: compat(test="randomization", n_resamples=RESAMPLES), repeats=5)
    peer, _ = cpu(lambda: by_sacrebleu(stored, systems, "ar", RESAMPLES))
    print(line("swaps alone, 3 metrics", peer, ours, 60, "same numbers", against="sacreBLEU"))
    ours, _ = cpu(lambda: randomization_test(samples, pairs, rng=1), repeats=5)
    print(line("swaps alone, our test", peer, ours, 60, against="sacreBLEU"))
    ours, _ = cpu(lambda: compat(test="bootstrap", n_resamples=1000), repeats=5)
    peer, _ = cpu(lambda: by_sacrebleu(stored, systems, "bs", 1000))
    print(
        line("bootstrap alone, 3 metrics", peer, ours, 60, "same numbers", against="sacreBLEU")
    )
    ours, _ = cpu(lambda: bootstrap(samples, n_resamples=1000, rng=1), repeats=5)
    print(line("bootstrap alone, our test", peer, ours, 60, against="sacreBLEU"))
    one = samples[:1]
    ours, _ = cpu(lambda: randomization_test(one, pairs, n_resamples=1000, rng=1), repeats=5)
    peer, _ = cpu(lambda: by_loop(samples[0], pairs, 1000))
    print(line("1,000 shuffles of BLEU", peer, ours, against="Python loop"))


if __name__ == "__main__":
    main()
