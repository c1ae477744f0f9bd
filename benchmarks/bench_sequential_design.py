"""Group-sequential designs: one recursion for all drifts against one per drift."""

import math
import shutil
import subprocess

import numpy as np
from scipy.optimize import brentq
from scipy.special import ndtr

from benchmarks.timing import HEADER, absent, cpu, line, measured
from detectable.sequential.boundaries import spending_boundary, surviving
from detectable.sequential.design import design
from detectable.sequential.families import Family
from detectable.sequential.stagewise import stagewise_inference

LOOKS = 40
LIMIT = 0.1  # CPU seconds asked for: the boundaries of 40 looks
MULTIPLES = (0.0, 0.5, 1.0, 1.5)


RPACT = """
suppressMessages(library(rpact))
f <- function() {
  d <- getDesignGroupSequential(kMax = 10, alpha = .025, beta = .1, sided = 1,
                                typeOfDesign = "asHSD", gammaA = -4)
  getDesignCharacteristics(d); d
}
d <- f(); t <- system.time(for (i in 1:3) f())
cat((t[["user.self"]] + t[["sys.self"]]) / 3, d$criticalValues)
"""


class Textbook:
    """The recursion as textbooks write it: Simpson's rule, the drift carried along."""

    def __init__(self, drift: float) -> None:
        self.drift, self.t = drift, 0.0
        self.z, self.mass = np.zeros(1), np.ones(1)

    def above(self, t: float, c: float) -> float:
        step = t - self.t
        mean = self.z * math.sqrt(self.t) + self.drift * step
        return float((ndtr((mean - c * math.sqrt(t)) / math.sqrt(step)) * self.mass).sum())

    def go_on(self, t: float, u: float) -> None:
        step, n = t - self.t, 401
        z = np.linspace(-u, u, n)
        weights = np.where(np.arange(n) % 2, 4.0, 2.0) * (z[1] - z[0]) / 3.0
        weights[[0, -1]] /= 2.0
        mean = self.z * math.sqrt(self.t) + self.drift * step
        distance = (z[:, None] * math.sqrt(t) - mean) / math.sqrt(step)
        kernel = np.exp(-0.5 * distance**2) * math.sqrt(t / step / (2.0 * math.pi))
        self.z, self.mass, self.t = z, kernel @ self.mass * weights, t


def textbook_design(looks: int) -> tuple[float, list[float]]:
    """Return the drift for 90 % power and expected samples, one recursion per drift."""
    times = [(k + 1) / looks for k in range(looks)]
    spent = [Family("hsd", -4.0).spent(0.025, t) for t in times]
    walk, upper, before = Textbook(0.0), list[float](), 0.0
    for t, total in zip(times, spent, strict=True):
        target = total - before
        upper.append(brentq(lambda c, t=t, a=target: walk.above(t, c) - a, -2, 10))
        walk.go_on(t, upper[-1])
        before = total

    def run(drift: float) -> tuple[float, float]:
        path, power, expected, left = Textbook(drift), 0.0, 0.0, 1.0
        for t, u in zip(times, upper, strict=True):
            up = path.above(t, u)
            path.go_on(t, u)
            alive = float(path.mass.sum())
            expected += t * ((left - alive) if t < 1.0 else left)
            power, left = power + up, alive
        return power, expected

    drift = brentq(lambda d: run(d)[0] - 0.9, 2.0, 6.0)
    return drift, [run(m * drift)[1] for m in MULTIPLES]


def boundaries() -> tuple[float, ...]:
    times = [(k + 1) / LOOKS for k in range(LOOKS)]
    spent = [Family("hsd", -4.0).spent(0.025, t) for t in times]
    return spending_boundary(times, spent, sided=2)


def whole_design() -> tuple[float, list[float]]:
    surviving.cache_clear()
    found = design(looks=LOOKS, futility="none")
    samples = found.expected_n
    return found.drift, [samples.h0, samples.half, samples.full, samples.one_and_half]


def by_rpact() -> tuple[float, list[float]] | None:
    """Return CPU seconds and boundaries of a design with ten looks, where R has rpact."""
    if shutil.which("Rscript") is None:
        return None
    done = subprocess.run(["Rscript", "-e", RPACT], capture_output=True, text=True, check=False)
    if done.returncode:
        return None
    seconds, *upper = map(float, done.stdout.split())
    return seconds, upper


def ten_looks() -> tuple[float, ...]:
    surviving.cache_clear()
    return design("hsd", looks=10, alpha=0.025, sided=1, gamma=-4.0, futility="none").z


def main() -> None:
    print(f"\ngroup-sequential designs (HSD, {LOOKS} looks)")
    print(HEADER)
    whole_design()  # scipy is imported
    peer, theirs = cpu(lambda: textbook_design(LOOKS))
    ours, mine = cpu(whole_design, repeats=5)
    assert np.allclose(theirs[1], mine[1], atol=1e-5)
    assert abs(theirs[0] - mine[0]) < 1e-5
    print(
        line(
            f"boundaries of {LOOKS} looks",
            peer,
            ours,
            note="with power and expected samples",
            against="Python loop",
        )
    )
    rpact = by_rpact()
    if rpact is None:
        print(absent("boundaries of 10 looks", "rpact", "R with rpact is not installed"))
    else:
        ours, upper = cpu(ten_looks, repeats=5)
        apart = max(abs(a - b) for a, b in zip(rpact[1], upper, strict=True))
        print(
            line(
                "boundaries of 10 looks",
                rpact[0],
                ours,
                note=f"{apart:.0e} apart",
                against="rpact",
            )
        )
    alone, _ = cpu(boundaries, repeats=5)
    print(measured("boundaries alone", f"{alone:.3f} s", f"(asked: {LIMIT} s)"))
    plan = design(looks=10)
    after, _ = cpu(
        lambda: stagewise_inference(plan.information, plan.z, plan.z_lower, 6, 2.9), repeats=5
    )
    print(measured("inference after stopping at look 6 of 10", f"{after:.3f} s"))


if __name__ == "__main__":
    main()
