"""``detectable power accuracy``, ``preference``, ``samples``, ``bleu``, ``arena`` and their like."""

from typing import TYPE_CHECKING, Any

import click

from detectable.cli import options
from detectable.cli.command import note
from detectable.cli.scenario import (
    DOCUMENT_OPTIONS,
    ScenarioCommand,
    plainly,
    with_documents,
)
from detectable.core.wording import for_terminal
from detectable.planning.options import (
    AccuracyOptions,
    ArenaOptions,
    BleuOptions,
    PreferenceOptions,
    SamplesOptions,
)

if TYPE_CHECKING:
    from detectable.planning.accuracy import Accuracy
    from detectable.planning.bleu import Bleu
    from detectable.planning.samples import Samples
    from detectable.planning.scenario import Scenario


def _build(
    *,
    system_scores: str | None,
    baseline_scores: str | None,
    unpaired: bool,
    margin: float | None,
    claim: str | None,
    per_document: float | None,
    icc: float | None,
    unit: str,
    **settings: Any,
) -> "Scenario":
    """Choose between paired, unpaired and margin, and build it."""
    if unpaired:
        others = (system_scores, baseline_scores, margin, per_document, icc)
        return _unpaired(settings, any(one is not None for one in others) or unit != "auto")
    pilot = system_scores is not None
    found = _paired(system_scores, baseline_scores, settings, unit)
    accuracy = with_documents(found, per_document=per_document, icc=icc, unit=unit, pilot=pilot)
    if margin is None:
        if claim is not None:
            raise click.UsageError("--claim has no effect without --margin.")
        return accuracy
    if accuracy.documents is not None:
        raise click.UsageError(
            "--margin is planned in items that stand alone, and here they come in documents. "
            f"{'Add --unit item' if pilot else 'Drop --per-document and --icc'} to plan them so."
        )
    from detectable.planning.margins import AccuracyMargin

    return AccuracyMargin(accuracy, margin, claim or "non-inferior")  # type: ignore[arg-type]


def _paired(
    system: str | None, baseline: str | None, settings: dict[str, Any], unit: str
) -> "Accuracy":
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

    table = read_scores({"system": system, "baseline": baseline}).complete()
    if table.repeats == "samples":
        raise click.UsageError(
            "the scores hold several samples of an item, so that an item is not right or wrong. "
            "Plan with the scenario samples."
        )
    from detectable.planning.documents import chosen_documents

    return Accuracy.from_predictions(
        table.systems["system"][0],
        table.systems["baseline"][0],
        documents=chosen_documents(table.documents, unit),  # type: ignore[arg-type]
        method=settings["method"],
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
        options.of(AccuracyOptions, "agreement", "prior"),
        click.option(
            "--system-scores", help="Validation items of one system, 0 or 1 each (any format)."
        ),
        click.option("--baseline-scores", help="The same items of the baseline."),
        options.of(AccuracyOptions, "method"),
        click.option("--unpaired", is_flag=True, help="Each system has items of its own."),
        click.option("--margin", type=float, help="Difference that does not matter."),
        options.margin_claim,
        *DOCUMENT_OPTIONS,
    ),
    build=_build,
    counts_documents=True,
    example="--n 500 --agreement .975 --effect .02",
    ranges=("agreement", "baseline_accuracy", "prior"),
)


# --- ``detectable power preference`` and its like ---


PREFERENCE = ScenarioCommand(
    name="preference",
    help="Which of two outputs is better, with or without ties; exact sign test.",
    effect="Chance to win a decided comparison; .5 is no preference.",
    size="Comparisons, ties included.",
    options=(options.of(PreferenceOptions),),
    build=plainly("rank_sum:Preference"),
    example="--n 100 --effect .65",
    ranges=("ties",),
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
    per_document: float | None,
    icc: float | None,
    unit: str,
    **settings: Any,
) -> "Scenario":

    made = _samples(
        scores, system, baseline, n_samples, baseline_n_samples, {**settings, "unit": unit}
    )
    return with_documents(
        made, per_document=per_document, icc=icc, unit=unit, pilot=scores is not None
    )


def _samples(
    scores: str | None,
    system: str | None,
    baseline: str | None,
    n_samples: int | None,
    baseline_n_samples: int | None,
    settings: dict[str, Any],
) -> "Samples":
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
        settings.pop("unit")
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
    return Samples.from_scores(loaded, system, baseline, n_samples=n_samples, **settings)


SAMPLES = ScenarioCommand(
    name="samples",
    help="Two systems answer the same questions several times each; paired test of means.",
    effect="True difference of the mean scores.",
    size="Questions.",
    options=(
        options.of(SamplesOptions, "question_variance", "sample_cost"),
        click.option("--scores", help="Pilot with several samples, instead of variances."),
        click.option("--system", help="In the pilot."),
        click.option("--baseline", help="In the pilot."),
        options.of(SamplesOptions, "method"),
        *DOCUMENT_OPTIONS,
    ),
    build=_build_samples,
    counts_documents=True,
    example="--n 130 --effect .075 --question-variance .0193 \\\n        --sample-variance .147 --samples 4",
)


# --- ``detectable power bleu`` and its like ---


def _build_bleu(  # noqa: PLR0913 (options)
    *,
    references: tuple[str, ...],
    corpus: str | None = None,
    system_output: str | None,
    baseline_output: str | None,
    metric: str,
    documents: str | None = None,
    per_document: float | None = None,
    icc: float | None = None,
    unit: str = "auto",
    **settings: float | None,
) -> "Scenario":
    """Take the parameters as given, or fit them to two outputs."""
    from detectable.planning.bleu import Bleu

    given: dict[str, Any] = {k: value for k, value in settings.items() if value is not None}
    known = {"per_document": per_document, "icc": icc, "unit": unit}
    if not (references or corpus or system_output or baseline_output):
        if documents is not None:
            raise click.UsageError(
                "--document-file names the documents of --system-output. Drop it."
            )
        # What is not given is the average of card2020, Table 3.
        return with_documents(Bleu(**given), pilot=False, **known)  # type: ignore[arg-type]
    if references and corpus:
        raise click.UsageError("give --refs or --corpus, not both.")
    if not ((references or corpus) and system_output and baseline_output):
        raise click.UsageError(
            "give --refs (or --corpus), --system-output and --baseline-output together."
        )
    if given:
        raise click.UsageError("--p0 and --b0 are fitted to the outputs; drop them.")
    if corpus and documents is not None:
        raise click.UsageError("--docs has no effect with --corpus, which names its documents.")
    outputs = system_output, baseline_output
    fitted = _fitted(references, corpus, outputs, metric, documents, unit)
    return with_documents(fitted, pilot=True, **known)  # type: ignore[arg-type]


def _fitted(
    references: tuple[str, ...],
    corpus: str | None,
    outputs: tuple[str, str],
    metric: str,
    documents: str | None,
    unit: Any,
) -> "Bleu":
    from detectable.cli.inputs import parse_metrics
    from detectable.data.texts.read_corpus import read_corpus
    from detectable.data.texts.read_corpus_file import read_corpus_file
    from detectable.planning.bleu import Bleu

    names = outputs if corpus else ("system", "baseline")
    texts = (
        read_corpus_file(corpus)
        if corpus
        else read_corpus(
            dict(zip(names, outputs, strict=True)), list(references), documents=documents
        )
    )
    chosen: Any = parse_metrics((metric,), tokenize=None, lowercase=False)
    fitted = Bleu.fit(texts, chosen[0], system=names[0], baseline=names[1], unit=unit, rng=0)
    if fitted.report is not None:
        click.echo(for_terminal(f"Fitted: {fitted.report.summary()}"), err=True)
    return fitted


BLEU = ScenarioCommand(
    name="bleu",
    help="A corpus metric of two systems on the same segments; approximate randomization.",
    effect="True difference, in points of the metric.",
    size="Segments of the test set.",
    options=(
        options.of(BleuOptions),
        click.option(
            "--refs",
            "references",
            multiple=True,
            help="Fit p0 and b0: references (repeatable).",
        ),
        click.option(
            "--corpus",
            help="Fit p0 and b0: table, WMT XML or mt-metrics-eval folder with texts.",
        ),
        click.option(
            "--system-output", help="Fit p0 and b0: one system, a file or its name in --corpus."
        ),
        click.option("--baseline-output", help="Fit p0 and b0: the other."),
        click.option(
            "--metric",
            default="bleu",
            show_default=True,
            help="Fit p0 and b0: metric, or metric:setting=value,…",
        ),
        click.option(
            "--docs",
            "documents",
            help="Fit p0 and b0: the document of each segment, a line each.",
        ),
        *DOCUMENT_OPTIONS,
    ),
    build=_build_bleu,
    counts_documents=True,
    example="--n 2000 --effect 1 --p0 .13 --b0 25.8",
    ranges=("p0", "b0"),
)


# --- ``detectable power arena`` and its like ---


ARENA = ScenarioCommand(
    name="arena",
    help="Votes on two systems at a time, among several; Bradley and Terry's model.",
    effect="Gap between two systems in points of Elo; 0 is no gap.",
    size="Votes in all, ties included.",
    options=(options.of(ArenaOptions),),
    build=plainly("arena:Arena"),
    example="--n 10000 --effect 10",
)
