"""``detectable power accuracy``, ``preference``, ``samples``, ``bleu``, ``arena`` and their like."""

from typing import TYPE_CHECKING, Any

import click

from detectable.cli import options
from detectable.cli.command import note
from detectable.cli.scenario import ScenarioCommand
from detectable.core.choices import (
    AccuracyMethod,
    ArenaFamily,
    ArenaPairing,
    Prior,
    SamplesMethod,
)

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
    from detectable.planning.accuracy import UnpairedAccuracy

    if others or settings["agreement"] is not None or settings["prior"] is not None:
        raise click.UsageError("--unpaired takes --baseline-accuracy only.")
    if settings["baseline_accuracy"] is None:
        raise click.UsageError("--unpaired needs --baseline-accuracy.")
    return UnpairedAccuracy(settings["baseline_accuracy"])


ACCURACY = ScenarioCommand(
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


# --- ``detectable power preference`` and its like ---


def _build_preference(**settings: Any) -> "Scenario":
    from detectable.planning.preference import Preference

    return Preference(**settings)


PREFERENCE = ScenarioCommand(
    name="preference",
    help="Which of two outputs is better, with or without ties; exact sign test.",
    effect="Chance to win a decided comparison; .5 is no preference.",
    size="Comparisons, ties included.",
    options=(
        click.option(
            "--ties", default=0.0, show_default=True, help="Expected share of ties, dropped."
        ),
    ),
    build=_build_preference,
    example="--n 100 --effect .65",
)


# --- ``detectable power samples`` and its like ---

_VARIANCES = ("question_variance", "sample_variance", "baseline_sample_variance")


def _build_samples(
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


SAMPLES = ScenarioCommand(
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
    build=_build_samples,
    example="--n 130 --effect .075 --question-variance .0193 --sample-variance .147 --samples 4",
)


# --- ``detectable power bleu`` and its like ---


def _build_bleu(
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
    from detectable.cli.inputs import parse_metrics
    from detectable.data.texts.read_corpus import read_corpus
    from detectable.planning.bleu import Bleu

    corpus = read_corpus({"system": ours, "baseline": theirs}, list(references))
    chosen: Any = parse_metrics((metric,), tokenize=None, lowercase=False)
    fitted = Bleu.fit(corpus, chosen[0], system="system", baseline="baseline", rng=0)
    if fitted.report is not None:
        click.echo(f"Fitted: {fitted.report.summary()}", err=True)
    return fitted


BLEU = ScenarioCommand(
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
    build=_build_bleu,
    example="--n 2000 --effect 1 --p0 .13 --b0 25.8",
)


# --- ``detectable power arena`` and its like ---


def _build_arena(**settings: Any) -> "Scenario":
    from detectable.planning.arena import Arena

    return Arena(**settings)


ARENA = ScenarioCommand(
    name="arena",
    help="Votes on two systems at a time, among several; Bradley and Terry's model.",
    effect="Gap between two systems in points of Elo; 0 is no gap.",
    size="Votes in all, ties included.",
    options=(
        click.option("--systems", default=2, show_default=True, help="Systems in the arena."),
        options.choice(
            "--pairing",
            of=ArenaPairing,
            help="All votes on the two systems, or equally many on all pairs.",
        ),
        click.option("--ties", default=0.0, show_default=True, help="Expected share of ties."),
        click.option(
            "--design-effect",
            default=1.0,
            show_default=True,
            help="Variance beside that of independent votes; detectable arena measures it.",
        ),
        options.choice(
            "--family", of=ArenaFamily, help="Test the gap by itself, or with all pairs."
        ),
    ),
    build=_build_arena,
    example="--n 10000 --effect 10",
)
