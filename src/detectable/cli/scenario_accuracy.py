"""``detectable power accuracy`` and its like."""

from typing import TYPE_CHECKING, Any

import click

from detectable.cli import options
from detectable.cli.scenario import ScenarioCommand
from detectable.core.choices import AccuracyMethod, Prior

if TYPE_CHECKING:
    from detectable.planning.accuracy import Accuracy
    from detectable.planning.scenario import Scenario


def _build(
    *,
    system_scores: str | None,
    baseline_scores: str | None,
    unpaired: bool,
    margin: float | None,
    claim: str | None,
    **settings: Any,
) -> "Scenario":
    """Choose between paired, unpaired and margin, and build it."""
    if unpaired:
        return _unpaired(settings, margin is not None or bool(system_scores or baseline_scores))
    accuracy = _paired(system_scores, baseline_scores, settings)
    if margin is None:
        if claim is not None:
            raise click.UsageError("--claim has no effect without --margin.")
        return accuracy
    from detectable.planning.margins import AccuracyMargin

    return AccuracyMargin(accuracy, margin, claim or "non-inferior")  # type: ignore[arg-type]


def _paired(system: str | None, baseline: str | None, settings: dict[str, Any]) -> "Accuracy":
    from detectable.planning.accuracy import Accuracy

    if system is None and baseline is None:
        return Accuracy(**settings)
    if system is None or baseline is None:
        raise click.UsageError("give --system-scores and --baseline-scores together.")
    if any(settings[name] is not None for name in ("agreement", "prior", "baseline_accuracy")):
        raise click.UsageError(
            "--system-scores say how often the systems agree; drop --agreement, --prior and "
            "--baseline-accuracy."
        )
    from detectable.data.scores.read_scores import read_scores

    table = read_scores({"system": system, "baseline": baseline}).table.complete()
    if table.repeats == "samples":
        raise click.UsageError(
            "the scores hold several samples of an item, so that an item is not right or wrong. "
            "Plan with the scenario samples."
        )
    return Accuracy.from_predictions(
        table.systems["system"][0], table.systems["baseline"][0], method=settings["method"]
    )


def _unpaired(settings: dict[str, Any], others: bool) -> "Scenario":  # noqa: FBT001 (of one call)
    from detectable.planning.unpaired_accuracy import UnpairedAccuracy

    if others or settings["agreement"] is not None or settings["prior"] is not None:
        raise click.UsageError("--unpaired takes --baseline-accuracy only.")
    if settings["baseline_accuracy"] is None:
        raise click.UsageError("--unpaired needs --baseline-accuracy.")
    return UnpairedAccuracy(settings["baseline_accuracy"])


SCENARIO = ScenarioCommand(
    name="accuracy",
    help="Two systems answer the same items, right or wrong; McNemar's exact test.",
    effect="True difference in accuracy, .02 for two points.",
    size="Items of the test set.",
    options=(
        click.option("--agreement", type=float, help="Share of items both get right or wrong."),
        click.option("--baseline-accuracy", type=float, help="Accuracy of the system to beat."),
        options.choice(
            "--prior",
            of=Prior,
            help="Where agreement is unknown: from other systems, or the middle of the possible.",
            optional=True,
        ),
        click.option(
            "--system-scores", help="Validation items of one system, 0 or 1 each (any format)."
        ),
        click.option("--baseline-scores", help="The same items of the baseline."),
        options.choice(
            "--method",
            of=AccuracyMethod,
            help="The exact test, or the formula of card2020, Table 2.",
        ),
        click.option("--unpaired", is_flag=True, help="Each system has items of its own."),
        click.option("--margin", type=float, help="Difference that does not matter."),
        options.margin_claim,
    ),
    build=_build,
    example="--n 500 --agreement .975 --effect .02",
)
