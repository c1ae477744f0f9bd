"""Files with a score a line: of one system, of mt-metrics-eval, and of published averages."""

import os
from collections.abc import Iterable, Mapping, Sequence
from pathlib import Path

import numpy as np

from detectable.core.errors import DataError
from detectable.core.wording import count, listing
from detectable.data.files.content import FileContent
from detectable.data.files.inputs import names_in
from detectable.data.files.lines import read_lines
from detectable.data.files.numbers import parse_score
from detectable.data.files.place import FilePath, place, quote
from detectable.data.files.table import is_spaced, read_spaced
from detectable.data.names import Runs, file_stem, name_systems, system_files
from detectable.data.reader import ScoreReader
from detectable.data.scores.cells import Cell, assemble, check_counts, number_cells
from detectable.data.scores.direction import name_from_files
from detectable.data.scores.sample_log import choose
from detectable.data.scores.score_folder import first_lines, is_score
from detectable.data.scores.scores import Scores
from detectable.data.texts.read_corpus_file import mtme_documents


def read_score_lines(
    files: FilePath | Mapping[str, Runs],
    *,
    metric: str | None = None,
    systems: Sequence[str] | None = None,
) -> Scores:
    """Read one score per line, such as ``sacrebleu -sl -b`` prints; an empty line is missing.

    Parameters
    ----------
    files : path, or mapping of str to path or paths
        The file of every system, or the files of its runs; a single path is one system, named
        after the file.
    metric : str, optional
        What the numbers measure; by default what all names of files say (``A.ter.txt``).
    systems : sequence of str, optional
        Which systems to take.
    """
    named = files if isinstance(files, Mapping) else name_systems([files])
    cells: list[Cell] = []
    counts: list[tuple[str, int]] = []
    for system, paths in system_files(named).items():
        for run, path in enumerate(paths, start=1):
            scores = [
                parse_score(line, path, number)
                for number, line in enumerate(read_lines(path), start=1)
            ]
            counts.append((str(path), len(scores)))
            cells += number_cells(scores, system, path, run=run)
    check_counts(counts)
    found = name_from_files(path for path, _ in counts)
    return assemble(cells, metric=metric or found, systems=systems)


def recognise(content: FileContent) -> bool:
    """Tell by lines that are numbers and nothing else."""
    lines = first_lines(content)
    return bool(lines) and all(map(is_score, lines))


SCORES = ScoreReader(
    name="lines",
    about="one number per line, one file per system",
    recognise=recognise,
    read=read_score_lines,
    order=70,
)


# --- Segment scores of mt-metrics-eval, the data of the WMT metrics tasks ---

_SEGMENTS = ".seg.score"


def read_mtme_scores(
    folder: FilePath, language_pair: str, metric: str, *, systems: Sequence[str] | None = None
) -> Scores:
    """Read the segment scores of a metric, or of human raters, with their documents.

    Parameters
    ----------
    folder : path
        The folder of the test set.
    language_pair : str
        Such as ``en-de``.
    metric : str
        The metric with the references that it used, such as ``COMET-22-refA``, or the kind
        of human score, such as ``mqm``.
    systems : sequence of str, optional
        Which systems to take.
    """
    root = Path(folder)
    path = _score_file(root, language_pair, metric)
    blocks = _read_blocks(path)
    rows = mtme_documents(root, language_pair, len(next(iter(blocks.values()))))
    documents = None if rows is None else [name for _, name in rows]
    return _gather(path, blocks, metric, systems, documents)


def read_seg_score(
    path: FilePath, *, metric: str | None = None, systems: Sequence[str] | None = None
) -> Scores:
    """Read one ``.seg.score`` file: a block of lines ``system score`` for every system.

    ``None`` is a missing score. A system without any score is left out, which the notes say:
    files of human scores list systems that nobody rated. Items are numbered from 1.
    """
    return _gather(path, _read_blocks(path), metric or file_stem(path), systems, None)


def _read_blocks(path: FilePath) -> dict[str, list[float]]:
    blocks: dict[str, list[float]] = {}
    for system, score in _score_lines(path):
        blocks.setdefault(system, []).append(score)
    check_counts([(f"{path}, system {name!r}", len(block)) for name, block in blocks.items()])
    return blocks


def _gather(
    path: FilePath,
    blocks: Mapping[str, Sequence[float]],
    metric: str,
    systems: Sequence[str] | None,
    documents: Sequence[str] | None,
) -> Scores:
    unrated = [name for name, block in blocks.items() if np.isnan(block).all()]
    note = (
        f"{path}: {count(len(unrated), 'system')} without any score left out: "
        f"{listing(unrated, most=20)}."
    )
    cells: list[Cell] = []
    for name, block in blocks.items():
        if name not in unrated:
            cells += number_cells(block, name, path, documents=documents)
    return assemble(cells, metric=metric, systems=systems, notes=(note,) if unrated else ())


def _score_lines(path: FilePath) -> Iterable[tuple[str, float]]:
    for number, line in enumerate(read_lines(path), start=1):
        fields = line.split(None, 2)
        if len(fields) != 2:
            raise DataError(
                f"{place(path, number)}: expected a system and a score, found {quote(line)}. "
                "A segment score file has two columns."
            )
        yield fields[0], parse_score(fields[1], path, number, truth=False)


def _score_file(root: Path, language_pair: str, metric: str) -> Path:
    folders = {
        root / "metric-scores" / language_pair: "",
        root / "human-scores": f"{language_pair}.",
    }
    for folder, prefix in folders.items():
        path = folder / f"{prefix}{metric}{_SEGMENTS}"
        if os.path.isfile(path):
            return path
    known = sorted(
        name.removeprefix(prefix).removesuffix(_SEGMENTS)
        for folder, prefix in folders.items()
        for name in names_in(folder)
        if name.startswith(prefix) and name.endswith(_SEGMENTS)
    )
    coarse = [
        name
        for folder, prefix in folders.items()
        for name in names_in(folder)
        if name.startswith(f"{prefix}{metric}.") and name.endswith(".score")
    ]
    only = f" It is scored by {coarse[0].split('.')[-2]} only." if coarse else ""
    raise DataError(
        f"{root}: there are no segment scores of {metric!r} for {language_pair}.{only} "
        f"Found: {listing(known, most=20) or 'none'}."
    )


def recognise_of_seg_score(content: FileContent) -> bool:
    """Tell by lines of a system and a score."""
    fields = [line.split(None, 2) for line in first_lines(content)]
    return bool(fields) and all(len(of) == 2 and is_score(of[1]) for of in fields)


SEG_SCORES = ScoreReader(
    name="seg-score",
    about="lines “system score” of mt-metrics-eval",
    recognise=recognise_of_seg_score,
    read=read_seg_score,
    order=75,
    names_systems=True,
)


# --- Averages of segments as WMT and Google publish them: systems below each other, with spaces ---

_SYSTEM = ("system", "sys")
_ITEM = ("seg_id", "sid")
_SCORES = ("mqm_avg_score", "raw.scr", "z.scr")


def read(
    path: FilePath, *, metric: str | None = None, systems: Sequence[str] | None = None
) -> Scores:
    """Read ``ad-seg-scores-*.csv`` of WMT or ``avg_seg_scores.tsv`` of Google.

    Parameters
    ----------
    path : path
        The file, which names its systems.
    metric : str, optional
        Which column of scores to take; needed where there are several (raw and z).
    systems : sequence of str, optional
        Which systems to take.
    """
    table = read_spaced(FileContent.of(path))
    chosen = choose(str(path), "metric", table.find(_SCORES), metric)
    for what, names in (("system", _SYSTEM), ("segment", _ITEM)):
        if not table.find(names):  # only where the format was named
            raise table.missing(f"the {what}")
    rows = zip(
        table.cells(table.find(_SYSTEM)[0]),
        table.cells(table.find(_ITEM)[0]),
        table.cells(chosen),
        table.lines or (),
        strict=True,
    )
    cells = [
        Cell(
            name,
            "1",
            segment,
            parse_score(score, path, line, chosen, truth=False),
            str(path),
            line,
        )
        for name, segment, score, line in rows
    ]
    return assemble(cells, metric=chosen, systems=systems)


SEGMENT_SCORES = ScoreReader(
    name="segment-scores",
    about="averages of segments: ad-seg-scores-*.csv of WMT, avg_seg_scores.tsv of Google",
    recognise=is_spaced,
    read=read,
    order=45,
    names_systems=True,
)
