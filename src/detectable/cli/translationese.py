"""``detectable translationese``: forward against reverse test data."""

from dataclasses import replace
from pathlib import Path
from typing import TYPE_CHECKING, Any

import click
from click.core import ParameterSource

from detectable.cli import inputs, judgment_options, options
from detectable.cli.command import Output, command, note, refuse_existing
from detectable.cli.inputs import metric_options, parse_metrics
from detectable.cli.output_options import Unrepeated
from detectable.core.choices import CampaignsBy, HalvesStandardise
from detectable.study.comparison.options import CompareSettings
from detectable.study.ranking.settings import RankSettings

if TYPE_CHECKING:
    from detectable.core.types import Progress
    from detectable.data.human.judgments import Judgments
    from detectable.data.texts.corpus import Corpus
    from detectable.study.translationese.campaigns import (
        TranslationeseBattles,
        TranslationeseCampaigns,
    )
    from detectable.study.translationese.result import Translationese


@command(
    unfold=options.pairs,
    charts=("halves", "shifts", "changes", "gains-METRIC", "agreement-METRIC", "preferences"),
)
@inputs.texts
@click.option(
    "--judgments", "judged", help="File of human judgments, instead of texts or beside them."
)
@click.option(
    "--battles",
    multiple=True,
    metavar="FILE",
    help="Battles of two systems each, with the original language: who is preferred on each half.",
)
@click.option(
    "--means",
    metavar="FILE",
    help="Table of published means: system, forward, reverse; campaign and measure where several.",
)
@options.choice(
    "--by",
    of=CampaignsBy,
    optional=True,
    help="Each language pair (and campaign) of the data on its own, side by side.",
)
@judgment_options.judgment_options
@options.language(
    "language_pair", help="What the systems translate: zh-en (default: what the judgments say)."
)
@click.option(
    "--original-languages",
    help="Table with line, doc, origlang; SGM; or one code per line (sacrebleu --echo origlang).",
)
@click.option("--human", help="The system that is the human translation: asks for parity.")
@click.option(
    "--margin",
    multiple=True,
    callback=inputs.numbers,
    help="With --human: differences below this do not matter: 3, or z=0.1 (repeatable).",
)
@metric_options
@click.option("--campaign", help="Which campaign, where the judgments hold several.")
@options.choice(
    "--standardise",
    of=HalvesStandardise,
    help="Of the rankings; effects are given raw and as z.",
)
@options.of(CompareSettings, "unit")
@options.of(RankSettings, "correction", "cluster_rule")
@click.option(
    "--resamples",
    "n_resamples",
    type=int,
    help="Sign patterns, swaps and random halves (default: as in rank and compare; 1,999 halves).",
)
@click.option(
    "--keep",
    cls=Unrepeated,
    type=click.Path(path_type=Path, dir_okay=False),
    metavar="FILE",
    help="Write the forward half, for other commands: .tsv, .csv, .jsonl or .parquet.",
)
@options.show_pairs
@options.of(RankSettings, "alpha", "power")
@options.seed
@options.jobs
def translationese(  # noqa: PLR0913 (options)
    given: inputs.Inputs,
    *,
    judged: str | None,
    battles: tuple[str, ...],
    means: str | None,
    by: "CampaignsBy | None",
    keep: Path | None,
    metrics: tuple[str, ...],
    tokenize: str | None,
    lowercase: bool,
    output: Output,
    progress: "Progress",
    **settings: Any,
) -> "Translationese | TranslationeseBattles | TranslationeseCampaigns":
    """Forward against reverse-created test data.

    Split a test set by original language, and compare forward with reverse data.

    Takes texts, human judgments, or both; or battles; or published means. Reverse data were first written in the target language;
    their source is a translation. The original language stands in WMT XML and SGM files, in the
    column origlang of tables, or in a file of its own (--original-languages).

    \b
    Examples:
        detectable translationese --corpus newstest.xml --language zh-en --seed 1
        detectable translationese --judgments da.csv --language zh-en --pairs
        detectable translationese --corpus newstest.xml --language zh-en \\
            --keep forward.tsv
        detectable translationese --judgments wmt18.csv --by language-pair
        detectable translationese --battles battles.csv --language zh-en
        detectable translationese --means table2.csv --chart changes:figure3.svg
        detectable translationese --judgments da.csv \\
            --original-languages origlang.tsv \\
            --language zh-en --human Reference-HT --margin 3
    """  # noqa: D301 (click reads the character \\b as “leave these lines as they are”)
    from detectable.study.translationese.translationese import translationese as run

    if keep is not None:
        refuse_existing([keep], force=output.force)
    reading = judgment_options.reading(settings)
    if means is not None:
        others = (given.given, judged, battles, by, keep, metrics, tokenize, lowercase)
        return _of_means(means, others, reading, settings)
    if battles:
        return _of_battles(battles, (given.given, judged, by, keep), reading, settings)
    if by is not None:
        if keep is not None:
            raise click.UsageError("--keep writes one test set; it has no effect with --by.")
        chosen = parse_metrics(metrics, tokenize=tokenize, lowercase=lowercase)
        return _of_campaigns(given, judged, chosen, reading, progress, settings)
    corpus, people = _texts(given, settings), _judgments(judged, reading)
    if corpus is None and people is None:
        raise click.UsageError(
            "give --judgments or --battles; or texts: --corpus, or --refs and --system."
        )
    chosen = _metrics(corpus, metrics, tokenize, lowercase=lowercase)
    found = run(corpus, chosen, judgments=people, progress=progress, **settings)
    if keep is not None:
        _keep(keep, corpus, people, found.language_pair, settings, output)
    return found


def _keep(
    path: Path,
    corpus: "Corpus | None",
    people: "Judgments | None",
    pair: str,
    settings: dict[str, Any],
    output: Output,
) -> None:
    """Write the forward half of the texts, else of the judgments."""
    from detectable.data.directions import keep_direction
    from detectable.data.human.judgments import one_evaluation
    from detectable.data.human.write_judgments import write_judgments
    from detectable.data.texts.text_table import write_text_table
    from detectable.study.translationese.translationese import with_languages

    texts, judged = with_languages(corpus, people, settings["original_languages"])
    if texts is not None:
        kept = keep_direction(replace(texts, language_pair=pair), "forward")
        write_text_table(kept, path, overwrite=output.force)
        note(*kept.notes[len(texts.notes) :])
    elif judged is not None:
        one = one_evaluation(judged, campaign=settings["campaign"])
        forward = keep_direction(one, "forward", language_pair=pair)
        write_judgments(forward, path, overwrite=output.force)
        note(*forward.notes[len(judged.notes) :])
    click.echo(f"Written: {path}", err=True)


_OF_HALVES = (  # what has no effect where the answer is about battles, or about several campaigns
    *("human", "margin", "original_languages", "campaign"),
)


def _refuse(settings: dict[str, Any], where: str, names: tuple[str, ...]) -> None:
    for name in names:
        if settings.get(name):
            option = name.replace("_", "-")
            raise click.UsageError(f"--{option} has no effect {where}. Drop it.")


def _of_means(
    means: str, others: tuple[Any, ...], reading: dict[str, Any], settings: dict[str, Any]
) -> "TranslationeseCampaigns":
    from detectable.study.translationese.campaigns import translationese_means

    if any(others):
        raise click.UsageError(
            "--means goes alone: without texts, --metric, --judgments, --battles, --by and --keep."
        )
    judgment_options.refuse(reading, "published means have no such form")
    context = click.get_current_context()
    for parameter in context.command.params:
        name = parameter.name or ""
        asked = context.get_parameter_source(name) is ParameterSource.COMMANDLINE
        if name in settings and asked:
            raise click.UsageError(f"{parameter.opts[0]} has no effect on --means. Drop it.")
    return translationese_means(means)


def _of_battles(
    battles: tuple[str, ...],
    others: tuple[Any, ...],
    reading: dict[str, Any],
    settings: dict[str, Any],
) -> "TranslationeseBattles":
    from detectable.study.translationese.campaigns import translationese_battles

    if any(others):
        raise click.UsageError(
            "--battles go alone: without texts, --judgments, --by and --keep."
        )
    judgment_options.refuse(
        reading, "battles have no such form", ("scale", "repeated", "source_errors")
    )
    _refuse(settings, "on --battles", _OF_HALVES)
    return translationese_battles(
        battles[0] if len(battles) == 1 else list(battles),
        language_pair=settings["language_pair"],
        format=reading["format"],
        columns=reading["columns"] or None,
        alpha=settings["alpha"],
        power=settings["power"],
        rng=settings["rng"],
    )


def _of_campaigns(
    given: inputs.Inputs,
    judged: str | None,
    metrics: Any,
    reading: dict[str, Any],
    progress: "Progress",
    settings: dict[str, Any],
) -> "TranslationeseCampaigns":
    from detectable.study.translationese.campaigns import (
        by_evaluation,
        translationese_campaigns,
    )

    _refuse(settings, "with --by", (*_OF_HALVES, "language_pair"))
    settings = {
        name: one
        for name, one in settings.items()
        if name not in (*_OF_HALVES, "language_pair")
    }
    if (judged is None) == (given.corpus is None):
        raise click.UsageError(
            "--by takes --judgments, or --corpus with several language pairs; one of them."
        )
    campaigns: dict[str, Any] = {}
    if judged is not None:
        campaigns |= dict(by_evaluation(judgment_options.load(judged, **reading)))
    else:
        judgment_options.refuse(reading, "there are no judgments")
        from detectable.data.texts.read_corpus_file import pairs_of_file

        for pair in pairs_of_file(str(given.corpus)):
            campaigns[pair] = given._replace(language_pair=pair).load_texts()
    return translationese_campaigns(campaigns, metrics, progress=progress, **settings)


def _texts(given: inputs.Inputs, settings: dict[str, Any]) -> "Corpus | None":
    from detectable.data.files.inputs import is_folder

    if not given.given:
        for name in ("sources", "documents"):
            if getattr(given, name):
                raise click.UsageError(f"--{name} has no effect without texts. Drop it.")
        return None
    sgm = given.references[:1] and given.references[0].endswith((".sgm", ".sgml"))
    if given.sources and given.corpus is None and not sgm:
        raise click.UsageError(
            "--sources has no effect on plain text; of SGM files it says origlang. Drop it."
        )
    if given.corpus is not None and is_folder(given.corpus):  # may hold several pairs
        given = given._replace(language_pair=settings["language_pair"])
    loaded = given.load_texts()
    note(*loaded.notes)
    return loaded


def _judgments(path: str | None, reading: dict[str, Any]) -> "Judgments | None":
    if path is None:
        judgment_options.refuse(reading, "there are no judgments")
        return None
    return judgment_options.load(path, **reading)


def _metrics(
    corpus: "Corpus | None", metrics: tuple[str, ...], tokenize: str | None, *, lowercase: bool
) -> Any:
    if corpus is None:
        if metrics or tokenize or lowercase:
            raise click.UsageError(
                "--metric, --tokenize and --lowercase have no effect without texts. Drop them."
            )
        return None
    return parse_metrics(metrics, tokenize=tokenize, lowercase=lowercase)
