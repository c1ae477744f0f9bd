"""Memory and time of a large comparison: a million segments, five systems, 1,000 resamples."""

import resource
import subprocess
import sys

import numpy as np

SEGMENTS, SYSTEMS, RESAMPLES = 1_000_000, 5, 1_000


def large() -> None:
    from detectable.inference.randomization import randomization_test
    from detectable.inference.sample import Sample
    from detectable.metrics.registry import metric

    rng = np.random.default_rng(1)
    statistics = rng.integers(1, 40, (SYSTEMS, SEGMENTS, 10)).astype(np.float64)
    statistics[..., 2:6] = np.minimum(statistics[..., 2:6], statistics[..., 6:10])
    sample = Sample(metric("bleu"), tuple("ABCDE"), (1,) * SYSTEMS, statistics)
    pairs = tuple((i, 0) for i in range(1, SYSTEMS))
    test = randomization_test((sample,), pairs, n_resamples=RESAMPLES, rng=1)
    peak = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss / 1024**2
    used = resource.getrusage(resource.RUSAGE_SELF).ru_utime
    print(
        f"{SEGMENTS:,} segments x {SYSTEMS} systems x {RESAMPLES:,} swaps: "
        f"{peak:.2f} GB at most (asked: 4), {used:.0f} s CPU, {test.summary()}"
    )


def main() -> None:
    print("\nmemory", flush=True)
    # In a process of its own: the peak is that of the comparison, not of earlier benchmarks.
    subprocess.run([sys.executable, "-m", "benchmarks.bench_memory", "large"], check=True)


if __name__ == "__main__":
    large() if sys.argv[1:] == ["large"] else main()
