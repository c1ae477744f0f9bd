"""How an evaluation was planned, as a paper would say it."""

from collections.abc import Mapping
from typing import TYPE_CHECKING

from detectable.core.wording import capital, count, share_text, significant
from detectable.planning import result
from detectable.planning.scenario import Method
from detectable.report.blocks import Methods

if TYPE_CHECKING:
    from detectable.planning.cheapest import CheapestDesign

# What each scenario tests with, and whom to cite for its power besides card2020.
_TESTS: Mapping[str, tuple[str, tuple[str, ...]]] = {
    "Accuracy": ("McNemar's test of two accuracies on the same items", ()),
    "UnpairedAccuracy": ("a test of two accuracies on different items", ()),
    "AccuracyMargin": ("the score test of two accuracies against a margin", ()),
    "Bleu": ("approximate randomization of a corpus metric", ("riezler-maxwell-2005",)),
    "RankSum": ("the rank-sum test (Noether, 1987)", ("noether-1987",)),
    "Preference": ("the sign test of preferences", ()),
    "Likert": ("a mixed model with raters and items as random", ("judd-etal-2012",)),
    "Samples": ("the paired test of means of sampled answers (Miller, 2024)", ("miller-2024",)),
    "Pilot": ("the test to come on data drawn from a pilot", ()),
}
_RATINGS: Mapping[str, str] = {
    "two-means": "Welch's t-test of mean ratings",
    "rank-sum": "the rank-sum test of ratings",
    "paired-mean": "the paired t-test of mean ratings",
    "signed-rank": "the signed-rank test of ratings",
}
_HOW: Mapping[Method, str] = {
    "exact": "exactly",
    "closed-form": "in closed form",
    "simulated": "by simulation",
}


def _tested(settings: Mapping[str, str | int | float]) -> tuple[str, tuple[str, ...]]:
    """Return the test of a scenario in words, and its sources."""
    name = str(settings.get("scenario", ""))
    if name.startswith("Ratings"):
        test = _RATINGS.get(str(settings.get("test", "")), "a test of ratings")
        return test, ("wei-etal-2022",)
    return _TESTS.get(name, ("the test to come", ()))


def answer_methods(answer: result.PlanningAnswer) -> Methods:
    """Return a paragraph with test, level, method, the answer and its two errors."""
    test, sources = _tested(answer.signature.settings)
    sides = "one-sided" if answer.aim else "two-sided"
    if answer.signature.settings.get("alternative") == "observed-order":
        sides = "one-sided in the observed order"
    simulated = getattr(answer, "n_trials", None) or answer.signature.settings.get("trials")
    how = _HOW[answer.method]
    if answer.method == "simulated" and simulated:
        how = f"from {int(simulated):,} simulated evaluations"
    parts = [
        f"We planned with the power of {test} ({sides}, α = {answer.alpha:g}), computed {how} "
        "(Card et al., 2020).",
        _found(answer),
    ]
    cite = ["card-etal-2020", *sources]
    if not answer.aim and answer.attainable and answer.type_m == answer.type_m:
        wrong = share_text(answer.type_s).replace("<", "under ") if answer.type_s else "none"
        parts.append(
            f"Significant results are then expected to exaggerate it {answer.type_m:.2f} times, "
            f"and {wrong} of them to have the wrong sign (Gelman and Carlin, 2014)."
        )
        cite.append("gelman-carlin-2014")
    return Methods(" ".join(parts), tuple(dict.fromkeys(cite)))


def _found(answer: result.PlanningAnswer) -> str:
    effect = significant(answer.effect)
    aim = f"to show {answer.aim} if the true difference is {effect}"
    if not answer.attainable:
        return f"The power asked for cannot be attained ({answer.power:.0%} at most)."
    if isinstance(answer, result.SampleSize):
        who = result.units(int(answer.n_items or 0), answer.unit)
        target = f"{answer.target_power:.0%} power"
        return f"{who} give {target} {aim if answer.aim else f'for an effect of {effect}'}."
    who = result.units(int(getattr(answer, "n_items", 0)), answer.unit)
    if isinstance(answer, result.DetectableEffect):
        target = f"{answer.target_power:.0%} power"
        if answer.aim:
            return f"{who} give {target} {aim}."
        return f"The smallest effect that {who} find with {target} is {effect}."
    goal = aim if answer.aim else f"for an effect of {effect}"
    return f"{who} give {answer.power:.0%} power {goal}."


def curve_methods(curve: result.PowerCurve, *, assumptions: int = 1) -> Methods:
    """Return a paragraph with test, level, methods and the grid."""
    test, sources = _tested(curve.signature.settings)
    how = " or ".join(_HOW[method] for method in dict.fromkeys(p.method for p in curve.points))
    effects = f"{significant(min(curve.effect))} to {significant(max(curve.effect))}"
    sizes = f"{min(curve.n_items):,} to {result.units(max(curve.n_items), curve.unit)}"
    return Methods(
        f"Power of {test} (α = {curve.alpha:g}) was computed {how} for "
        f"{count(len(curve.n_items), 'size')} from {sizes} and "
        f"{count(len(curve.effect), 'effect')} from {effects}"
        f"{f' under {assumptions} assumptions' if assumptions > 1 else ''} (Card et al., 2020).",
        tuple(dict.fromkeys(("card-etal-2020", *sources))),
    )


def sizes_methods(found: result.SampleSizes) -> Methods:
    """Return a paragraph with test, target, and the effects."""
    test, sources = _tested(found.signature.settings)
    made = [one for group in found.groups for one in group.points if one is not None]
    how = " or ".join(_HOW[method] for method in dict.fromkeys(one.method for one in made))
    effects = ", ".join(significant(effect) for effect in found.effect)
    return Methods(
        f"The {result.plural(found.unit)} with which {test} has {found.target_power:.0%} power (α = "
        f"{found.alpha:g}) were computed {how} for effects of {effects} (Card et al., 2020).",
        tuple(dict.fromkeys(("card-etal-2020", *sources))),
    )


def cheapest_methods(found: "CheapestDesign") -> Methods:
    """Return a paragraph with prices, test, target and the design that was chosen."""
    test, sources = _tested(found.signature.settings)
    prices = [
        f"{found.signature.settings[key]:g} {article} {key}"
        for article, key in (("an", "item"), ("a", "judgment"), ("a", "rater"))
        if found.signature.settings.get(key)
    ]
    priced = f" At {', '.join(prices)}," if prices else ""
    goal = (
        f"{found.target_power:.0%} power for an effect of {significant(found.effect)} "
        f"(α = {found.alpha:g})"
    )
    if found.best is None:
        chosen = f"No design reaches {goal}."
    else:
        best = found.best
        chosen = (
            f"{priced} the cheapest of {count(len(found.options), 'design')} with {goal} has "
            f"{count(best.n_raters, 'rater')} and {count(best.n_items, 'item')} "
            f"({count(best.n_judgments, 'judgment')})."
        ).strip()
        chosen = capital(chosen)
    return Methods(
        f"The design was chosen by the power of {test} (Card et al., 2020). {chosen}",
        tuple(dict.fromkeys(("card-etal-2020", *sources))),
    )
