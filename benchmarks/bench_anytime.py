"""Monitoring: a million judgments, against the same definitions in numpy and plain Python."""

import math

import numpy as np

from benchmarks.timing import HEADER, absent, cpu, line, measured
from detectable.core.types import FloatArray
from detectable.live import Rule, Stop
from detectable.sequential.bands import betting_band, confidence_sequence
from detectable.sequential.e_process import BETS, EProcess, e_process
from detectable.sequential.preference_process import preference_process

SEED = 5
N = 1_000_000
LIMIT = 1.0  # CPU seconds for a million judgments
PART = 20_000  # what the slow peers are timed on


def by_python(x: FloatArray) -> float:
    """Return the log e-value by one product per stake, judgment by judgment."""
    up, down = [0.0] * len(BETS), [0.0] * len(BETS)
    log_e = 0.0
    for value in x.tolist():
        for j, bet in enumerate(BETS):
            up[j] += math.log1p(bet * value)
            down[j] += math.log1p(-bet * value)
        top = max(*up, *down)
        total = sum(math.exp(w - top) for w in up) + sum(math.exp(w - top) for w in down)
        log_e = top + math.log(total / (2 * len(BETS)))
    return log_e


def by_numpy(x: FloatArray) -> float:
    """Return the same from whole arrays: the shortest way to write it."""
    steps = np.concatenate([np.log1p(np.outer(x, BETS)), np.log1p(-np.outer(x, BETS))], axis=1)
    wealth = np.cumsum(steps, axis=0)
    top = wealth.max(axis=1)
    path = top + np.log(np.exp(wealth - top[:, None]).mean(axis=1))
    return float(path[-1])


def _ville(x: FloatArray) -> None:
    try:
        import ville
    except ImportError:
        print(absent("e-process, other bets", "ville", "not installed"))
        return
    test = ville.BettingTest(0.0, bounds=(-1.0, 1.0))
    peer, _ = cpu(lambda: test.update(x))
    ours, _ = cpu(lambda: e_process(100.0 * x))
    print(line("e-process, other bets", peer, ours, against="ville"))
    band = ville.AsymptoticCS(t_opt=N / 2, min_samples=50)
    peer, _ = cpu(lambda: band.update(x))
    ours, _ = cpu(lambda: confidence_sequence(x, n_planned=N))
    print(line("asymptotic band", peer, ours, against="ville"))


def _live(rng: np.random.Generator) -> None:
    """Time an evaluation that may stop after every sample, against an e-process of as many."""
    n = 2000
    old = (rng.random(n) < 0.7).astype(float)
    new = np.where(rng.random(n) < 0.9, old, 1.0 - old)
    known = dict(enumerate(old.tolist()))

    def stop() -> None:
        made = Stop(Rule(margin=0.01), baseline=known)
        for question in made.order(range(n)):
            made.add(question, float(new[question]))

    def bets() -> None:
        process = EProcess(bounds=(0.0, 1.0))
        for value in (new - old).tolist():
            process.update(value)

    stop()  # the boundaries are made once
    peer, ours = cpu(bets)[0], cpu(stop)[0]
    print(line(f"live stop, {n:,} samples", peer, ours, against="e-process, one by one"))
    print(f"live stop under twice the e-process: {'ok' if ours < 2.0 * peer else 'TOO SLOW'}")


def main() -> None:
    rng = np.random.default_rng(SEED)
    x = rng.integers(-100, 101, size=N) / 100
    part = x[:PART]
    e_process(part), confidence_sequence(part, n_planned=N), betting_band(part)  # compile
    print(f"\nmonitoring, {N:,} judgments")
    print(HEADER)
    ours, found = cpu(lambda: e_process(100.0 * x), repeats=3)
    plain, log_e = cpu(lambda: by_python(part))
    assert abs(log_e - e_process(100.0 * part).log_e) < 1e-8
    note = f"{PART:,} timed"
    print(
        line(
            f"e-process, {N:,} judgments",
            plain * N / PART,
            ours,
            note=note,
            against="Python loop",
        )
    )
    whole, log_e = cpu(lambda: by_numpy(x))
    assert abs(log_e - found.log_e) < 1e-6
    print(
        line("e-process, whole arrays", whole, ours, note="1.6 GB of memory", against="numpy")
    )
    _ville(x)
    process = EProcess()
    seconds, _ = cpu(lambda: [process.update(v) for v in (100.0 * part).tolist()])
    print(f"{'e-process, one judgment at a time':42} {1e6 * seconds / PART:9.1f} µs each")
    for name, work in (
        ("asymptotic band", lambda: confidence_sequence(x, n_planned=N)),
        ("preference", lambda: preference_process(np.sign(x))),
        ("exact band by betting", lambda: betting_band(100.0 * x)),
    ):
        print(measured(f"{name}, {N:,} judgments", f"{cpu(work)[0]:.3f} s"))
    _live(rng)
    print(f"e-process under {LIMIT:g} s: {'ok' if ours < LIMIT else 'TOO SLOW'}")


if __name__ == "__main__":
    main()
