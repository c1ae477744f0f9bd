"""``detectable power samples`` and its like."""

from typing import TYPE_CHECKING, Any

import click

from detectable.cli import options
from detectable.cli.command import note
from detectable.cli.scenario import ScenarioCommand
from detectable.core.choices import SamplesMethod

if TYPE_CHECKING:
    from detectable.planning.scenario import Scenario

_VARIANCES = ("question_variance", "sample_variance", "baseline_sample_variance")


def _build(
    *,
    scores: str | None,
    system: str | None,
    baseline: str | None,
    n_samples: int | None,
    baseline_n_samples: int | None,
    **settings: Any,
) -> "Scenario":
    from detectable.planning.samples import Samples

    variances = {name: settings.pop(name) for name in _VARIANCES}
    if scores is None:
        if system is not None or baseline is not None:
            raise click.UsageError(
                "--system and --baseline name systems of --scores. Drop them."
            )
        if variances["question_variance"] is None or variances["sample_variance"] is None:
            raise click.UsageError(
                "give --question-variance and --sample-variance, or a pilot: --scores, --system "
                "and --baseline."
            )
        return Samples(
            **variances,
            n_samples=n_samples or 1,
            baseline_n_samples=baseline_n_samples,
            **settings,
        )
    if any(value is not None for value in variances.values()):
        raise click.UsageError(
            "--scores give the variances; drop --question-variance and its like."
        )
    if system is None or baseline is None:
        raise click.UsageError("--scores needs --system and --baseline.")
    if baseline_n_samples is not None:
        raise click.UsageError("--baseline-samples has no effect on --scores. Drop it.")
    from detectable.data.scores.read_scores import read_scores

    loaded = read_scores(scores, systems=[system, baseline])
    note(*loaded.notes)
    return Samples.from_scores(loaded.table, system, baseline, n_samples=n_samples, **settings)


SCENARIO = ScenarioCommand(
    name="samples",
    help="Two systems answer the same questions several times each; paired test of means.",
    effect="True difference of the mean scores.",
    size="Questions.",
    options=(
        click.option(
            "--question-variance", type=float, help="Of true differences between questions."
        ),
        click.option("--sample-variance", type=float, help="Of the answers to one question."),
        click.option(
            "--baseline-sample-variance",
            type=float,
            help="Of the baseline (default: the same).",
        ),
        click.option("--samples", "n_samples", type=int, help="Of each question (default: 1)."),
        click.option(
            "--baseline-samples",
            "baseline_n_samples",
            type=int,
            help="Of the baseline (default: as many).",
        ),
        click.option("--question-cost", type=float, help="Of one more question."),
        click.option("--sample-cost", type=float, help="Of one more sample of both systems."),
        click.option("--scores", help="Pilot with several samples, instead of variances."),
        click.option("--system", help="In the pilot."),
        click.option("--baseline", help="In the pilot."),
        options.choice("--method", of=SamplesMethod, help="Miller's formula, or noncentral t."),
    ),
    build=_build,
    example="--n 130 --effect .075 --question-variance .0193 --sample-variance .147 --samples 4",
)
