"""What a comparison was made of, on one line that repeats it."""

from detectable.core.result import Signature
from detectable.study.comparison.question import Question


def signature_of(question: Question, seed: str) -> Signature:
    """Return metrics, unit, test, runs, samples, tasks, correction and levels."""
    measured, settings, chosen = question.measured, question.settings, question.chosen
    metrics = "+".join(f"{s.metric.name}[{s.metric.signature()}]" for s in measured.units)
    test: str = settings.compat_test if settings.compat else chosen.test
    these_runs: dict[str, str] = {}
    correction: str = chosen.correction
    if chosen.runs == "random":  # the verdict is by t; the runs at hand are tested beside it
        test, these_runs, correction = "t-two-way", {"these-runs": test}, chosen.stepwise
    resampled: dict[str, str | int | float] = {}
    if chosen.test != "t":
        resampled = {"R": "all" if chosen.exact else chosen.n_resamples}
    facts: dict[str, str | int | float] = {
        "metrics": metrics,
        "systems": len(measured.systems),
        "unit": measured.unit,
        "n": measured.units[0].n_units,
        "claim": settings.claim,
        "test": test,
        **these_runs,
        **resampled,
        "runs": chosen.runs,
        **_designs(question),
        **({"run-variance": "pooled"} if settings.run_variance == "pooled" else {}),
        "interval": settings.interval,
        "correction": correction,
        "family": settings.family,
        "alpha": settings.alpha,
        "power": settings.power,
    }
    return Signature("compare", facts, seed)


def _designs(question: Question) -> dict[str, str | int | float]:
    """Return how many samples an item has, and how tasks are taken together."""
    found: dict[str, str | int | float] = {}
    measured, settings = question.measured, question.settings
    if measured.n_samples is not None:
        low, high = int(measured.n_samples.min()), int(measured.n_samples.max())
        found["samples"] = low if low == high else f"{low}-{high}"
    if measured.tasks is not None:
        given = settings.weights
        found["tasks"] = f"{len(measured.tasks.strata.names)} {settings.tasks}"
        found["weights"] = given if isinstance(given, str) else "given"
        found["task-correction"] = settings.task_correction
    return found
