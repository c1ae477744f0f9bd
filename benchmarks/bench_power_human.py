"""Power for human evaluation: counts and mean squares against tests of simulated ratings."""

import shutil
import subprocess
import warnings
from dataclasses import replace

import numpy as np
from scipy import stats

import detectable as dt
from benchmarks.timing import HEADER, absent, cpu, line
from detectable.planning.likert import PRESETS
from detectable.planning.search import Work, simulate

SEED = 20
N = 600
TRIALS = 10_000
SCIPY_TRIALS = 300
FITS = 2

R_SCRIPT = """
suppressMessages({library(lme4); library(lmerTest)})
set.seed(20); n <- as.integer(commandArgs(TRUE)[1])
d <- expand.grid(worker = 1:3, item = 1:100, model = c(-1, 1))
start <- sum(proc.time()[1:2])
for (k in 1:n) {
  d$y <- .5 + .2 * d$model + rnorm(3, 0, .01)[d$worker] + rnorm(100, 0, .04)[d$item] +
    (rnorm(3, 0, .11)[d$worker] + rnorm(100, 0, .14)[d$item]) * d$model + rnorm(600, 0, .26)
  fit <- suppressMessages(lmer(y ~ model + (1 + model || worker) + (1 + model || item), d))
}
cat((sum(proc.time()[1:2]) - start) / n)
"""


def ratings_by_scipy(trials: int) -> float:
    """Return the power from one simulated evaluation and one mannwhitneyu at a time."""
    better, worse = (
        one.probabilities() for one in dt.scenarios.Ratings(mean=80, sd=20).model.systems(2)
    )
    scores = np.arange(101)
    rng = np.random.default_rng(SEED)
    hits = 0
    for _ in range(trials):
        a, b = rng.choice(scores, N, p=better), rng.choice(scores, N, p=worse)
        hits += stats.mannwhitneyu(a, b).pvalue <= 0.05
    return hits / trials


def ratings_table(seed: int) -> dict[str, np.ndarray]:
    """Return ratings of 3 raters and 100 items, of the setting card-high."""
    rng, spread = np.random.default_rng(seed), PRESETS["card-high"]
    rater, item, system = np.indices((3, 100, 2)).reshape(3, -1)
    x = 2.0 * system - 1.0
    y = 0.5 + 0.2 * x + rng.normal(0, spread.residual, x.size)
    y += rng.normal(0, spread.rater, 3)[rater] + rng.normal(0, spread.item, 100)[item]
    y += x * rng.normal(0, spread.rater_slope, 3)[rater]
    y += x * rng.normal(0, spread.item_slope, 100)[item]
    return {"y": y, "x": x, "rater": rater, "item": item, "all": np.ones(x.size)}


def likert_by_statsmodels(fits: int) -> None:
    """Fit simulated ratings one by one with MixedLM; it knows no degrees of freedom."""
    import pandas as pd
    from statsmodels.regression.mixed_linear_model import MixedLM

    parts = {
        "rater": "0 + C(rater)",
        "rater_slope": "0 + C(rater):x",
        "item": "0 + C(item)",
        "item_slope": "0 + C(item):x",
    }
    for seed in range(fits):
        frame = pd.DataFrame(ratings_table(seed))
        with warnings.catch_warnings():
            warnings.simplefilter("ignore")
            MixedLM.from_formula(
                "y ~ x", groups="all", re_formula="0", vc_formula=parts, data=frame
            ).fit(reml=True)


def likert_by_lmer(fits: int) -> float | None:
    """Return CPU seconds of one lmer fit, or None where R or lme4 does not run."""
    if shutil.which("Rscript") is None:
        return None
    done = subprocess.run(
        ["Rscript", "-e", R_SCRIPT, str(fits)], capture_output=True, text=True, check=False
    )
    return float(done.stdout) if done.returncode == 0 and done.stdout else None


def _ratings() -> None:
    plan = dt.scenarios.Ratings(mean=80, sd=20, test="rank-sum")

    def ours() -> float:
        rng, work = np.random.default_rng(SEED), Work(n_trials=TRIALS)
        return simulate(plan, N, 2.0, alpha=0.05, rng=rng, work=work).power

    ours()  # compiled before the clock starts
    seconds, power = cpu(ours, repeats=3)
    loop, peer = cpu(lambda: ratings_by_scipy(SCIPY_TRIALS))
    note = f"power {power:.3f}; {SCIPY_TRIALS} scipy tests timed ({peer:.3f})"
    # The same test of the same answers: within four standard errors of the shorter run.
    assert abs(power - peer) < 4 * (power * (1 - power) / SCIPY_TRIALS) ** 0.5
    loop *= TRIALS / SCIPY_TRIALS
    print(
        line(f"power for ratings, {TRIALS} trials", loop, seconds, 150, note, against="scipy")
    )
    quick = replace(plan, method="closed-form")
    closed, _ = cpu(lambda: dt.power(quick, n_items=N, effect=2), repeats=3)
    print(line("power for ratings, closed form", loop, closed, against="scipy"))


def _likert() -> None:
    peers: dict[str, float | None] = {"lmer": likert_by_lmer(10)}
    try:
        peers["statsmodels MixedLM"] = cpu(lambda: likert_by_statsmodels(FITS))[0] / FITS
    except ImportError:
        peers["statsmodels MixedLM"] = None
    for test in ("satterthwaite", "card"):
        plan = dt.scenarios.Likert(n_raters=3, preset="card-high", test=test)

        def ours(plan: dt.scenarios.Likert = plan) -> float:
            rng, work = np.random.default_rng(SEED), Work(n_trials=TRIALS)
            return simulate(plan, 100, 0.4, alpha=0.05, rng=rng, work=work).power

        seconds, power = cpu(ours, repeats=3)
        for name, peer in peers.items():
            label = f"Likert 3 x 100, {test}"
            if peer is None:
                print(absent(label, name, "not installed"))
                continue
            note = f"per fit, ours {TRIALS:,} at once by mean squares; power {power:.3f}"
            print(line(label, peer, seconds / TRIALS, 1000, note, against=name))


def main() -> None:
    print("\npower for human evaluation")
    print(HEADER)
    _ratings()
    _likert()


if __name__ == "__main__":
    main()
