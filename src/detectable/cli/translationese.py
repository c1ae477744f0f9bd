"""``detectable translationese``: forward against reverse test data."""

from dataclasses import replace
from typing import TYPE_CHECKING, Any

import click

from detectable.cli import inputs, judgment_options, options
from detectable.cli.command import command, note
from detectable.cli.inputs import metric_options, parse_metrics
from detectable.core.choices import HalvesStandardise
from detectable.study.comparison.options import CompareSettings
from detectable.study.ranking.settings import RankSettings

if TYPE_CHECKING:
    from detectable.core.types import Progress
    from detectable.data.human.judgments import Judgments
    from detectable.data.texts.corpus import Corpus
    from detectable.study.translationese.result import Translationese


@command(unfold=options.pairs, charts=("halves", "shifts"))
@inputs.texts
@click.option(
    "--judgments", "judged", help="File of human judgments, instead of texts or beside them."
)
@judgment_options.judgment_options
@options.language(
    "language_pair", help="What the systems translate: zh-en (default: what the judgments say)."
)
@click.option(
    "--original-languages",
    help="Table with line, doc, origlang; or one code per line (sacrebleu --echo origlang).",
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
@options.show_pairs
@options.of(RankSettings, "alpha", "power")
@options.seed
@options.jobs
def translationese(
    given: inputs.Inputs,
    *,
    judged: str | None,
    metrics: tuple[str, ...],
    tokenize: str | None,
    lowercase: bool,
    progress: "Progress",
    **settings: Any,
) -> "Translationese":
    """Split a test set by original language, and compare forward with reverse data.

    Takes texts, human judgments, or both. Reverse data were first written in the target language;
    their source is a translation. The original language stands in WMT XML and SGM files, in the
    column origlang of tables, or in a file of its own (--original-languages).

    \b
    Examples:
        detectable translationese --corpus newstest.xml --language zh-en --seed 1
        detectable translationese --judgments da.csv --language zh-en --pairs
        detectable translationese --judgments da.csv --original-languages origlang.tsv \\
            --language zh-en --human Reference-HT --margin 3
    """  # noqa: D301 (click reads the character \\b as «leave these lines as they are»)
    from detectable.study.translationese.translationese import translationese as run

    reading = judgment_options.reading(settings)
    corpus, people = _texts(given, settings), _judgments(judged, reading)
    if corpus is None and people is None:
        raise click.UsageError("give --judgments; or texts: --corpus, or --refs and --system.")
    chosen = _metrics(corpus, metrics, tokenize, lowercase=lowercase)
    return run(corpus, chosen, judgments=people, progress=progress, **settings)


def _texts(given: inputs.Inputs, settings: dict[str, Any]) -> "Corpus | None":
    from detectable.data.files.folder import is_folder

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
        given = replace(given, language_pair=settings["language_pair"])
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
