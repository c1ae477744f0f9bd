"""``detectable power bleu`` and its like."""

from typing import TYPE_CHECKING, Any

import click

from detectable.cli.scenario import ScenarioCommand

if TYPE_CHECKING:
    from detectable.planning.scenario import Scenario


def _build(
    *,
    references: tuple[str, ...],
    system_output: str | None,
    baseline_output: str | None,
    metric: str,
    **settings: float | None,
) -> "Scenario":
    """Take the parameters as given, or fit them to two outputs."""
    from detectable.planning.bleu import Bleu

    given: dict[str, Any] = {k: value for k, value in settings.items() if value is not None}
    if not (references or system_output or baseline_output):
        return Bleu(**given)  # what is not given is the average of card2020, Table 3
    if not (references and system_output and baseline_output):
        raise click.UsageError("give --refs, --system-output and --baseline-output together.")
    if given:
        raise click.UsageError("--p0 and --b0 are fitted to the outputs; drop them.")
    return _fitted(references, system_output, baseline_output, metric)


def _fitted(references: tuple[str, ...], ours: str, theirs: str, metric: str) -> "Scenario":
    from detectable.cli.metric_option import parse_metrics
    from detectable.data.texts.read_corpus import read_corpus
    from detectable.planning.bleu import Bleu

    corpus = read_corpus({"system": ours, "baseline": theirs}, list(references))
    chosen: Any = parse_metrics((metric,), tokenize=None, lowercase=False)
    fitted = Bleu.fit(corpus, chosen[0], system="system", baseline="baseline", rng=0)
    if fitted.report is not None:
        click.echo(f"Fitted: {fitted.report.summary()}", err=True)
    return fitted


SCENARIO = ScenarioCommand(
    name="bleu",
    help="A corpus metric of two systems on the same segments; approximate randomization.",
    effect="True difference, in points of the metric.",
    size="Segments of the test set.",
    options=(
        click.option(
            "--p0", type=float, help="Share of segments whose swap changes nothing (.13)."
        ),
        click.option("--b0", type=float, help="Spread of the other swaps, times n (25.8)."),
        click.option(
            "--refs",
            "references",
            multiple=True,
            help="Fit p0 and b0: references (repeatable).",
        ),
        click.option("--system-output", help="Fit p0 and b0: one system."),
        click.option("--baseline-output", help="Fit p0 and b0: the other."),
        click.option(
            "--metric",
            default="bleu",
            show_default=True,
            help="Fit p0 and b0: metric, or metric:setting=value,…",
        ),
    ),
    build=_build,
    example="--n 2000 --effect 1 --p0 .13 --b0 25.8",
)
