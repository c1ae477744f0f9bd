"""Tables of ratings for tests, and the likelihood written down directly, as an oracle."""

from typing import Any

import numpy as np

from detectable.core.types import FloatArray
from detectable.data.human.read_judgments import read_judgments
from detectable.mixed.design import Design, build_design
from detectable.mixed.identify import ANY_SCALE, usable_judgments


def table(
    raters: int = 5,
    items: int = 20,
    systems: int = 2,
    *,
    seed: int = 1,
    keep: float = 1.0,
    documents: int = 0,
    by_document: float = 0.0,
    effect: float = 0.5,
) -> dict[str, list[Any]]:
    """Return simulated ratings; with `keep` below one, cells are missing at random."""
    rng = np.random.default_rng(seed)
    rater, item, system = (a.ravel() for a in np.indices((raters, items, systems)))
    kept = rng.random(rater.size) < keep
    rater, item, system = rater[kept], item[kept], system[kept]
    score = effect * system + rng.normal(size=raters)[rater] + rng.normal(size=items)[item]
    score += 0.5 * rng.normal(size=(raters, systems))[rater, system]
    score += 0.4 * rng.normal(size=(items, systems))[item, system]
    if documents:
        score += rng.normal(size=documents)[item % documents]
    if by_document:  # what a document thinks of a system, as an SD
        score += by_document * rng.normal(size=(documents, systems))[item % documents, system]
    score += rng.normal(size=rater.size)
    made = {
        "score": score.tolist(),
        "system": [f"s{s}" for s in system],
        "rater": [f"r{r}" for r in rater],
        "item": [f"i{i}" for i in item],
    }
    if documents:
        made["document"] = [f"d{i % documents}" for i in item]
    return made


def design(
    ratings: dict[str, list[Any]], *, repeats: Any = "mean", **settings: Any
) -> tuple[Design, FloatArray]:
    """Return the coded design and the response of a table."""
    read = read_judgments(ratings, scale=ANY_SCALE, repeated="mark")
    usable, _ = usable_judgments(read, repeats=repeats)
    return build_design(usable, **settings), usable.score


def relative_covariance(made: Design, rho: FloatArray) -> FloatArray:
    """Return V, the covariance of the ratings divided by the residual variance."""
    rows = made.fixed_rows()[made.system]
    v = np.eye(made.n)
    for term, value in zip(made.terms, rho, strict=True):
        codes = made.factors[term.factor].codes
        regressors = rows[:, :1] if term.kind == "intercept" else rows[:, 1:]
        same = codes[:, None] == codes
        v += value * same * (regressors @ regressors.T)
    return v


def direct_deviance(made: Design, y: FloatArray, rho: FloatArray, *, reml: bool) -> float:
    """Return the profiled criterion from the n × n covariance matrix."""
    v, x = relative_covariance(made, rho), made.fixed_rows()[made.system]
    inverse = np.linalg.inv(v)
    information = x.T @ inverse @ x
    residual = y - x @ np.linalg.solve(information, x.T @ inverse @ y)
    n = made.n - (made.p if reml else 0)
    value = np.linalg.slogdet(v)[1]
    value += np.linalg.slogdet(information)[1] if reml else 0.0
    sigma2 = residual @ inverse @ residual / n
    return float(value + n * (1.0 + np.log(2.0 * np.pi * sigma2)))


def identified(made: Design) -> bool:
    """Say whether the spreads differ: their matrices, written down, are independent."""
    x = made.fixed_rows()[made.system]
    project = np.eye(made.n) - x @ np.linalg.pinv(x)
    base = np.eye(made.n)
    parts = [project @ base @ project]
    parts += [
        project @ (relative_covariance(made, unit) - base) @ project
        for unit in np.eye(len(made.terms))
    ]
    rows = np.array([part.ravel() / np.linalg.norm(part) for part in parts])
    return bool(np.linalg.matrix_rank(rows, tol=1e-9) == len(rows))
