"""Power before data: exact and closed forms against simulations as people write them."""

from collections.abc import Callable

import numpy as np
from scipy import stats

import detectable as dt
from benchmarks.timing import HEADER, cpu, line, measured
from detectable.planning.search import Work, simulate

SEED = 2786345
SURFACE_LIMIT = 0.2  # CPU seconds for 20 x 20 points: a slider moves


def mcnemar_by_draws(n: int, agreement: float, effect: float, draws: int) -> float:
    """Return the power as accuracy.ipynb of card2020 finds it: one table, one test at a time."""
    rng = np.random.default_rng(SEED)
    win, loss = (1 - agreement + effect) / 2, (1 - agreement - effect) / 2
    hits = 0
    for _ in range(draws):
        counts = rng.multinomial(n, [win, loss, agreement])
        p = min(1.0, 2 * stats.binom.cdf(min(counts[0], counts[1]), counts[:2].sum(), 0.5))
        hits += p <= 0.05 and counts[0] > counts[1]
    return hits / draws


def mcnemar_by_scipy(n: int, agreement: float, effect: float) -> float:
    """Return the exact power from scipy's distributions, vectorised over losses."""
    decided = 1 - agreement
    share = (decided - effect) / (2 * decided)
    total = 0.0
    for m in range(n + 1):
        weight = stats.binom.pmf(m, n, decided)
        if weight < 1e-14:
            continue
        losses = np.arange(m // 2 + 1)
        significant = 2 * stats.binom.cdf(losses, m, 0.5) <= 0.05
        total += weight * stats.binom.pmf(losses, m, share)[significant].sum()
    return float(total)


def bleu_by_notebook(n: int, effect: float, trials: int, shuffles: int = 1000) -> float:
    """Return the power as BLEU.ipynb of card2020 finds it: one shuffle at a time."""
    rng = np.random.default_rng(SEED)
    mu, b = -2 * effect / (n * 0.87), 25.8 / n
    hits = 0
    for _ in range(trials):
        swaps = rng.laplace(mu, b, size=n) * rng.choice([0, 1], size=n, p=[0.13, 0.87])
        observed = -np.sum(swaps) / 2
        null = np.array(
            [
                np.sum(swaps * np.array(rng.random(n) > 0.5, dtype=float))
                for _ in range(shuffles)
            ]
        )
        upper, lower = np.percentile(null + observed, [97.5, 2.5])
        hits += (observed >= upper or observed <= lower) and observed > 0
    return hits / trials


def rank_sum_by_scipy(n: int, effect: float, trials: int) -> float:
    rng = np.random.default_rng(SEED)
    shift = 2**0.5 * stats.norm.ppf(effect)
    hits = 0
    for _ in range(trials):
        a, b = rng.normal(size=n), rng.normal(shift, 1, size=n)
        hits += stats.mannwhitneyu(b, a).pvalue <= 0.05
    return hits / trials


def scaled(work: Callable[[], float], times: float) -> float:
    """Return CPU seconds of a part of a long job, times what the whole job has more of."""
    seconds, _ = cpu(work)
    return seconds * times


def _accuracy() -> None:
    scenario = dt.scenarios.Accuracy(agreement=0.95)
    ask = {"n_items": 1000, "effect": 0.02}
    ours = cpu(lambda: [dt.power(scenario, **ask) for _ in range(100)], repeats=3)[0] / 100
    draws = scaled(lambda: mcnemar_by_draws(1000, 0.95, 0.02, 1000), 5)
    print(
        line(
            "power of McNemar's test",
            draws,
            ours,
            note="5,000 draws as in card2020, a fifth timed; ours is exact",
            against="Python loop",
        )
    )
    enumeration, _ = cpu(lambda: mcnemar_by_scipy(1000, 0.95, 0.02))
    print(line("power of McNemar's test, exact", enumeration, ours, against="scipy"))


def _bleu() -> None:
    scenario, trials = dt.scenarios.Bleu(), 500
    loop = scaled(lambda: bleu_by_notebook(2000, 1.0, 5), trials / 5)
    ours = (
        cpu(lambda: [dt.power(scenario, n_items=2000, effect=1.0) for _ in range(100)])[0] / 100
    )
    print(
        line(
            "power for BLEU, closed form",
            loop,
            ours,
            note="5 of 500 trials timed",
            against="notebook of card2020",
        )
    )
    batched, _ = cpu(
        lambda: simulate(
            scenario,
            2000,
            1.0,
            alpha=0.05,
            rng=np.random.default_rng(1),
            work=Work(n_trials=trials),
        )
    )
    print(line("power for BLEU, simulated", loop, batched, against="notebook of card2020"))


def _rank_sum() -> None:
    ask = {"n_items": 385, "effect": 0.44}
    loop = scaled(lambda: rank_sum_by_scipy(385, 0.44, 500), 20)
    closed = cpu(lambda: [dt.power(dt.scenarios.RankSum(), **ask) for _ in range(100)])[0] / 100
    print(
        line(
            "power of rank sums, closed form",
            loop,
            closed,
            note="500 of 10,000 tests timed",
            against="scipy",
        )
    )
    drawn, _ = cpu(lambda: dt.power(dt.scenarios.RankSum(), simulate=True, rng=1, **ask))
    print(line("power of rank sums, simulated", loop, drawn, against="scipy"))


def _surfaces() -> None:
    print(f"\n20 x 20 power surfaces (asked: under {SURFACE_LIMIT} s CPU)")
    sizes = np.linspace(100, 5000, 20).astype(int).tolist()
    shares = np.linspace(0.05, 1.0, 20)
    surfaces = (
        ("accuracy, exact", dt.scenarios.Accuracy(agreement=0.9), (0.1 * shares).tolist()),
        (
            "accuracy, prior glue",
            dt.scenarios.Accuracy(baseline_accuracy=0.85, prior="glue"),
            (0.09 * shares).tolist(),
        ),
        ("bleu", dt.scenarios.Bleu(), (3 * shares).tolist()),
        ("rank-sum", dt.scenarios.RankSum(), (0.5 + 0.2 * shares).tolist()),
        ("preference, exact", dt.scenarios.Preference(ties=0.2), (0.5 + 0.2 * shares).tolist()),
    )
    for name, scenario, effects in surfaces:
        ask = {"n_items": sizes, "effect": effects}
        seconds, _ = cpu(lambda s=scenario, a=ask: dt.power_curve(s, **a), repeats=3)
        note = f"(asked: {SURFACE_LIMIT} s)"
        print(measured(f"20 x 20 power surface, {name}", f"{seconds:.3f} s", note))


def main() -> None:
    print("\npower before data")
    print(HEADER)
    _accuracy()
    _bleu()
    _rank_sum()
    _surfaces()


if __name__ == "__main__":
    main()
