"""What is bundled: a small test set with two systems, and a campaign whose truth is known."""

import gzip
import json
from collections.abc import Mapping
from dataclasses import dataclass
from importlib.resources import as_file, files
from pathlib import Path

import numpy as np

from detectable.core.check import positive_int
from detectable.core.errors import DataError
from detectable.core.write import refuse_existing, write_whole
from detectable.data.files.place import FilePath
from detectable.data.human.judgments import Judgments
from detectable.data.human.read_judgments import read_judgments
from detectable.data.scores.read_scores import read_scores
from detectable.data.scores.scores import Scores
from detectable.data.texts.corpus import Corpus
from detectable.data.texts.read_corpus import read_corpus
from detectable.data.texts.read_corpus_file import read_corpus_file

SYSTEMS = ("baseline", "contender")
RUNS = 3


def example_corpus() -> Corpus:
    """Return the bundled corpus: 240 segments in 40 documents (see scripts/make_example.py).

    Examples
    --------
    >>> corpus = example_corpus()
    >>> corpus.n_segments, corpus.n_runs("contender"), len(set(corpus.documents))
    (240, 3, 40)
    """
    with as_file(files("detectable.data.texts") / "example") as folder:
        return read_corpus(
            {
                name: [folder / f"{name}.run{run}.txt" for run in range(1, RUNS + 1)]
                for name in SYSTEMS
            },
            [folder / "reference.txt"],
            documents=folder / "documents.txt",
        )


# --- The bundled campaign: a whole evaluation in miniature, in which the truth is known ---

_FOLDER = "campaign"
_TABLES = ("corpus.tsv", "scores.tsv", "judgments.tsv")
_TRUTH = "truth.json"


@dataclass(frozen=True, slots=True, kw_only=True)
class PlantedTruth:
    """What is true of the bundled campaign, because it was made so.

    Attributes
    ----------
    quality : mapping of str to float
        Of every system, in points from 0 to 100, on documents first written in the source
        language.
    baseline : str
        The system in use, with which the others are compared.
    careless_raters : tuple of str
        Who click without reading.
    degraded : float
        How many points a degraded copy is worse than its original.
    reverse : float
        How many points every system gains where the source is a translation.
    document_sd : float
        Of what makes whole documents hard, in points; all systems share it.
    """

    language_pair: str
    baseline: str
    quality: Mapping[str, float]
    careless_raters: tuple[str, ...]
    degraded: float
    reverse: float
    document_sd: float

    def difference(self, system: str, baseline: str | None = None) -> float:
        """Return how many points a system is better than another, by default the baseline.

        Examples
        --------
        >>> example_campaign().truth.difference("aspen")
        6.0
        """
        return self.quality[system] - self.quality[baseline or self.baseline]

    @property
    def finest(self) -> float:
        """The smallest difference from the baseline that was planted, too small for the campaign."""
        found = (abs(self.difference(system)) for system in self.quality)
        return min(points for points in found if points)


@dataclass(frozen=True, slots=True, kw_only=True)
class ExampleCampaign:
    """An evaluation of five systems; what was planted in it stands in `truth`.

    Attributes
    ----------
    corpus : Corpus
        40 documents of 6 segments with source, reference, original language, and three runs of
        each system.
    judgments : Judgments
        Of the first run of each system, by 16 raters, with degraded copies and repeats. Documents
        came in five parts, `wave`.
    scores : Scores
        A metric, made to follow the quality of every run.
    n_looks : int
        Parts in which the judgments came.
    """

    corpus: Corpus
    judgments: Judgments
    scores: Scores
    truth: PlantedTruth
    n_looks: int

    def arrived(self, look: int) -> Judgments:
        """Return the judgments that were there at a look, from 1."""
        positive_int(look, "look", maximum=self.n_looks)
        waves = self.judgments.column("wave")
        there = np.array([int(level) <= look for level in waves.levels])
        return self.judgments.take(there[waves.codes])


def example_campaign() -> ExampleCampaign:
    """Return the bundled campaign, made by ``scripts/make_campaign.py``.

    Five systems, three runs each, 40 documents (half of them first written in English), 16 raters
    (three of them careless), a metric, and the truth behind all of it. `detectable demo` goes
    through it; ``detectable demo --keep FOLDER`` writes its files.

    Examples
    --------
    >>> campaign = example_campaign()
    >>> campaign.corpus.n_segments, campaign.judgments.n_judgments, campaign.truth.baseline
    (240, 3360, 'birch')
    """
    truth = json.loads(_bytes(_TRUTH))
    with as_file(files("detectable.data.example") / _FOLDER) as folder:
        return ExampleCampaign(
            corpus=read_corpus_file(folder / "corpus.tsv.gz"),
            judgments=read_judgments(folder / "judgments.tsv.gz"),
            scores=read_scores(folder / "scores.tsv.gz", metric=truth["metric"]["name"]),
            truth=PlantedTruth(
                language_pair=truth["language_pair"],
                baseline=truth["baseline"],
                quality=truth["quality"],
                careless_raters=tuple(truth["careless_raters"]),
                degraded=truth["degraded"],
                reverse=truth["reverse"],
                document_sd=truth["document_sd"],
            ),
            n_looks=truth["looks"],
        )


def campaign_files() -> dict[str, bytes]:
    """Return the files of the campaign, and the judgments that were there at every look."""
    made = {name: gzip.decompress(_bytes(f"{name}.gz")) for name in _TABLES}
    made[_TRUTH] = _bytes(_TRUTH)
    head, *rows = made["judgments.tsv"].splitlines(keepends=True)
    waves = [int(row.split(b"\t", 1)[0]) for row in rows]
    for look in range(1, max(waves) + 1):
        there = [row for row, wave in zip(rows, waves, strict=True) if wave <= look]
        made[f"so-far-{look}.tsv"] = b"".join([head, *there])
    return made


def write_campaign(folder: FilePath, *, overwrite: bool = False) -> tuple[Path, ...]:
    """Write the files of the campaign into a folder, which is made if need be.

    Parameters
    ----------
    folder : path
        Where to.
    overwrite : bool
        Whether files that exist may be replaced.
    """
    made = {Path(folder) / name: content for name, content in campaign_files().items()}
    if not overwrite:
        for path in made:  # all or none
            refuse_existing(path)
    try:
        Path(folder).mkdir(parents=True, exist_ok=True)
    except OSError as error:
        raise DataError(
            f"{folder} cannot be made: {error.strerror}. Name another folder."
        ) from error
    for path, content in made.items():
        write_whole(path, content, new=not overwrite)
    return tuple(made)


def _bytes(name: str) -> bytes:
    return (files("detectable.data.example") / _FOLDER / name).read_bytes()
