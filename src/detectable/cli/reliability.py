"""``detectable reliability``: how many documents or segments an evaluation needs."""

from typing import TYPE_CHECKING, Any

import click

from detectable.cli import inputs, judgment_options, options
from detectable.cli.command import command, note
from detectable.cli.inputs import metric_options, parse_metrics
from detectable.core.choices import JudgmentRole, ScoreRole, words
from detectable.study.settings import ReliabilitySettings

if TYPE_CHECKING:
    from detectable.core.types import Progress
    from detectable.data.human.judgments import Judgments
    from detectable.data.scores.scores import Scores
    from detectable.data.texts.corpus import Corpus
    from detectable.study.reliability.result import Reliability

HUMAN = "human"


@command(
    charts=(
        "documents",
        "stability",
        "scores-METRIC",
        "interval-METRIC",
        "spread-METRIC",
        "tangents-METRIC",
        "orders-METRIC",
    )
)
@inputs.corpus_scores_or_judgments
@click.option(
    "--judgments",
    multiple=True,
    metavar="[NAME=]FILE",
    help="Human judgments; several scales by name: adequacy=a.csv (repeatable).",
)
@click.option(
    "--score-column",
    "score_columns",
    multiple=True,
    metavar="NAME=COLUMN",
    help="Which column holds the scores of judgments of that name (repeatable).",
)
@judgment_options.beside_inputs
@click.option("--campaign", help="Which campaign, where the judgments are of several.")
@metric_options
@click.option(
    "--half-width",
    multiple=True,
    callback=inputs.numbers,
    help="Documents for an interval of ± this: 0.5, or bleu=0.5 (repeatable; default: 2 %).",
)
@click.option(
    "--effect",
    multiple=True,
    callback=inputs.numbers,
    help="Documents for this paired difference: 0.5, or bleu=0.5 (repeatable; default: 2 %).",
)
@options.of(ReliabilitySettings)
@options.seed
@options.jobs
def reliability(
    given: inputs.Inputs,
    *,
    judgments: tuple[str, ...],
    score_columns: tuple[str, ...],
    metrics: tuple[str, ...],
    tokenize: str | None,
    lowercase: bool,
    progress: "Progress",
    **settings: Any,
) -> "Reliability":
    """How many documents do you need?

    Say what the documents at hand can tell, and how many more a closer look takes.

    Takes outputs, tables of segment scores and human judgments, alone or together; all of them
    with documents.

    \b
    Examples:
        detectable reliability --refs ref.txt --documents docs.txt \\
            --system a=a.txt --system b=b.txt
        detectable reliability --judgments da.csv --half-width 2 --effect 3
        detectable reliability --corpus wmt.xml --metric bleu --judgments da.csv \\
            --effect bleu=0.5
        detectable reliability --corpus wmt.xml --scores comet=c.csv \\
            --judgments da.csv
        detectable reliability --corpus wmt.xml --order random \\
            --chart orders-bleu:fig7.svg
    """  # noqa: D301 (click reads the character \\b as “leave these lines as they are”)
    from detectable.study.reliability.reliability import reliability as run

    chosen = parse_metrics(metrics, tokenize=tokenize, lowercase=lowercase)
    reading = _reading(given, settings, judged=bool(judgments))
    judged = _load(judgments, score_columns, reading)
    # One option for all: where texts or scores are chosen by it, judgments may not name theirs.
    by_language = [one for one in (judged or {}).values() if one.language is not None]
    chooses = given.corpus is not None or bool(given.scores)
    if judged and (by_language or not chooses):
        settings["language"] = given.language_pair
    if judged and not chooses:
        given = given._replace(language_pair=None)
    data, beside = _texts_or_scores(given, judged=bool(judged))
    for loaded in (data, *beside):
        note(*(() if loaded is None else loaded.notes))
    return run(
        data,
        chosen,
        scores={str(scores.metric): scores for scores in beside},
        judgments=judged,
        progress=progress,
        **settings,
    )


def _reading(given: inputs.Inputs, settings: dict[str, Any], *, judged: bool) -> dict[str, Any]:
    """Take out of the settings how judgments are read, and refuse it where there are none."""
    columns = {r: name for r, name in given.columns.items() if r in words(JudgmentRole)}
    found = judgment_options.reading_beside(settings, judged=judged)
    if judged:
        found |= {"direction": given.direction, "language_pair": given.language_pair}
    if settings["campaign"] and not judged:
        raise click.UsageError("--campaign has no effect without --judgments. Drop it.")
    return {**found, "columns": columns}


def _load(
    files: tuple[str, ...], score_columns: tuple[str, ...], reading: dict[str, Any]
) -> "dict[str, Judgments] | None":
    named = {}
    for text in files:
        name, equals, path = text.partition("=")
        if not equals:
            name, path = HUMAN, text
        if name in named:
            raise click.UsageError(
                f"two --judgments are called {name!r}. Name them: adequacy=FILE, fluency=FILE."
            )
        named[name] = path
    columns = {}
    for text in score_columns:
        name, equals, column = text.partition("=")
        if not equals or name not in named:
            raise click.UsageError(
                f"--score-column takes NAME=COLUMN with NAME of --judgments; got {text!r}."
            )
        columns[name] = column
    loaded = {}
    for name, path in named.items():
        own = {"score": columns[name]} if name in columns else {}
        with_score = {**reading, "columns": {**reading["columns"], **own}}
        loaded[name] = judgment_options.load(path, **with_score)
    return loaded or None


def _texts_or_scores(
    given: inputs.Inputs, *, judged: bool
) -> "tuple[Corpus | Scores | None, list[Scores]]":
    """Read texts or scores, and scores beside texts, or nothing where judgments are given.

    `judged` says that judgments are given; `columns` then are theirs as well, and there may
    be nothing else.
    """
    columns = {r: name for r, name in given.columns.items() if r in words(ScoreRole)}
    for role in given.columns:
        if role not in columns and not judged:
            raise click.UsageError(f"--column {role}=… is for judgments. Drop it.")
    own = given._replace(columns=columns if given.scores or not judged else {})
    if given.corpus is not None or given.references or given.scores:
        return own.load_with_beside()
    if not judged:
        raise click.UsageError("give --refs and --system, --corpus, --scores or --judgments.")
    own.unused(
        "judgments",
        systems="--system",
        sources="--sources",
        documents="--documents",
        language_pair="--language",
        metric="--score-name",
        filter="--score-filter",
        errors="--errors",
        pool="--pool",
    )
    return None, []
