"""Mixed models against statsmodels, and against lmer where R has it: the same data, one run."""

import csv
import resource
import shutil
import subprocess
import sys
import tempfile
import warnings
from pathlib import Path
from typing import Any

import numpy as np

from benchmarks.timing import HEADER, absent, cpu, line, measured
from detectable.mixed.fit import fit_mixed
from detectable.mixed.general import minimise
from detectable.mixed.model import prepare
from detectable.mixed.simulate import simulate

SETTINGS: dict[str, Any] = {"numeric_system": True, "repeats": "keep"}
LMER = """
suppressMessages(library(lmerTest))
d <- read.csv("{path}"); d$rater <- factor(d$rater); d$item <- factor(d$item)
f <- function() summary(lmer(score ~ system + (1 + system || rater) + (1 + system || item), d))
s <- f(); best <- Inf
for (i in 1:{repeats}) {{ t <- system.time(f()); best <- min(best, t[["user.self"]] + t[["sys.self"]]) }}
m <- lmer(score ~ system + (1 + system || rater) + (1 + system || item), d)
cat(sprintf("%.6f %.10f\\n", best, REMLcrit(m)))
y <- simulate(m, 20, seed = 1); t <- system.time(for (i in 1:20) refit(m, y[[i]]))
cat((t[["user.self"]] + t[["sys.self"]]) / 20, "\\n")
"""


def table(raters: int, items: int, *, ratings: int | None = None) -> dict[str, list[Any]]:
    """Return a full table of simulated ratings, or `ratings` of its cells with repeats."""
    rng = np.random.default_rng(48)
    rater, item, system = (a.ravel() for a in np.indices((raters, items, 2)))
    if ratings is not None:
        kept = rng.integers(rater.size, size=ratings)
        rater, item, system = rater[kept], item[kept], system[kept]
    x = 2.0 * system - 1.0
    score = 0.5 + 0.05 * rng.normal(size=raters)[rater] + 0.05 * rng.normal(size=items)[item]
    score += x * (
        0.1 + 0.11 * rng.normal(size=raters)[rater] + 0.14 * rng.normal(size=items)[item]
    )
    score += 0.26 * rng.normal(size=rater.size)
    return {
        "score": score.tolist(),
        "system": x.astype(int).tolist(),
        "rater": rater.tolist(),
        "item": item.tolist(),
    }


def by_statsmodels(data: dict[str, list[Any]]) -> float:
    """Return the restricted criterion: crossed effects as variance components of one group."""
    import pandas as pd
    import statsmodels.formula.api as smf

    frame = pd.DataFrame(data).assign(one=1)
    parts = {
        "rater": "0 + C(rater)",
        "item": "0 + C(item)",
        "rater_slope": "0 + C(rater):system",
        "item_slope": "0 + C(item):system",
    }
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        fit = smf.mixedlm(
            "score ~ system", frame, groups="one", vc_formula=parts, re_formula="0"
        ).fit(reml=True)
    return -2.0 * float(fit.llf)


def by_lmer(data: dict[str, list[Any]], repeats: int) -> tuple[float, float, float] | None:
    """Return CPU seconds of a fit with its summary, of a refit, and the criterion."""
    if shutil.which("Rscript") is None:
        return None
    with tempfile.TemporaryDirectory() as folder:
        path = Path(folder) / "ratings.csv"
        with path.open("w", newline="") as out:
            writer = csv.writer(out)
            writer.writerow(data)
            writer.writerows(zip(*data.values(), strict=True))
        script = LMER.format(path=path, repeats=repeats)
        done = subprocess.run(
            ["Rscript", "-e", script], capture_output=True, text=True, check=False
        )
    if done.returncode:
        return None
    (time, criterion), (refit,) = (row.split() for row in done.stdout.splitlines())
    return float(time), float(refit), float(criterion)


def general(data: dict[str, list[Any]]) -> float:
    """Return the criterion by the general method, also where a closed form exists."""
    fit = fit_mixed(data, **SETTINGS)
    return minimise(fit.model.blocks_for(fit.model.response), reml=True)[1].value


def large() -> None:
    """Fit 100,000 ratings; in a process of its own, so that the peak is that of the fit."""
    rng = np.random.default_rng(1)
    item, system = np.repeat(np.arange(5000), 20), np.tile(np.arange(20), 5000)
    rater = rng.integers(200, size=item.size)
    score = 0.5 * rng.normal(size=200)[rater] + 0.7 * rng.normal(size=5000)[item]
    score += 0.3 * rng.normal(size=(200, 20))[rater, system] + rng.normal(size=item.size)
    data = {"score": score, "system": system, "rater": rater, "item": item}
    fit = fit_mixed(data, baseline="0")
    used = resource.getrusage(resource.RUSAGE_SELF)
    print(
        f"200 raters x 5,000 items x 20 systems, {fit.n_ratings:,} ratings: "
        f"{used.ru_maxrss / 1024**2:.2f} GB at most (asked: 2), {used.ru_utime:.0f} s CPU"
    )


def documents(n: int, segments: int, systems: int, raters: int) -> dict[str, Any]:
    """Return a full table of ratings of documents, each of which may favour a system."""
    rng = np.random.default_rng(3)
    rater, item, system = (a.ravel() for a in np.indices((raters, n * segments, systems)))
    document = item // segments
    score = 0.5 * rng.normal(size=raters)[rater] + 0.7 * rng.normal(size=n * segments)[item]
    score += 0.3 * rng.normal(size=(n, systems))[document, system] + rng.normal(size=item.size)
    return {
        "score": score,
        "system": system,
        "rater": rater,
        "item": item,
        "document": document,
    }


def main() -> None:
    print("\nmixed models: y ~ system + (1 + system || rater) + (1 + system || item), REML")
    print(HEADER)
    cases = (
        ("3 x 100", table(3, 100), 10.0),
        ("10 x 500", table(10, 500), 10.0),
        ("48 x 61, 511 ratings", table(48, 61, ratings=511), 1.0),
    )
    for name, data, target in cases:
        fit_mixed(data, **SETTINGS)  # compile once: first use is not measured
        ours, fit = cpu(lambda data=data: fit_mixed(data, **SETTINGS), repeats=5)
        always, _ = cpu(lambda data=data: general(data), repeats=3)
        lmer = by_lmer(data, 3)
        if lmer is None:
            print(
                absent(
                    f"mixed fit, {name}", "lmer", "R with lme4 and lmerTest is not installed"
                )
            )
        else:
            ahead = lmer[2] - fit.criterion
            note = f"{fit.method}, criterion {ahead:+.0e} above ours"
            print(line(f"mixed fit, {name}", lmer[0], ours, target, note, against="lmer"))
            if fit.model.layout is not None:
                what = f"mixed fit, {name}, general method"
                print(line(what, lmer[0], always, target, against="lmer"))
            many, _ = cpu(lambda fit=fit: simulate(fit, n_simulations=1000, rng=1))
            what, note = f"1,000 mixed refits, {name}", "20 of lmer's timed"
            print(line(what, 1000 * lmer[1], many, note=note, against="lmer"))
        if name == "3 x 100":
            peer, value = cpu(lambda data=data: by_statsmodels(data))
            same = f"criterion {value - fit.criterion:+.0e} above ours"
            print(line(f"mixed fit, {name}", peer, ours, 100, same, against="statsmodels"))
            what = f"mixed fit, {name}, general method"
            print(line(what, peer, always, 100, against="statsmodels"))
        prepared, _ = cpu(
            lambda fit=fit: prepare(fit.model.design, fit.model.response).blocks, repeats=3
        )
        note = "of the general method, once per design"
        print(measured(f"set-up, {name}", f"{prepared:.3f} s", note))

    data = documents(20, 10, 4, 10)
    fit_mixed(data)
    with_documents, fit = cpu(lambda: fit_mixed(data), repeats=5)
    what = f"mixed fit with document:system, {fit.n_ratings:,} ratings"
    print(
        measured(what, f"{with_documents:.3f} s", "20 documents x 10 x 4 systems x 10 raters")
    )


if __name__ == "__main__":
    large() if sys.argv[1:] == ["large"] else main()
