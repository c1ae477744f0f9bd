"""Plain files of scores, one number per line and one file per system and run."""

from collections.abc import Mapping, Sequence

from detectable.data.files.content import FileContent
from detectable.data.files.lines import read_lines
from detectable.data.files.numbers import parse_score
from detectable.data.files.place import FilePath
from detectable.data.names import Runs, name_systems, system_files
from detectable.data.scores.cells import Cell, assemble, check_counts, number_cells
from detectable.data.scores.direction import name_from_files
from detectable.data.scores.score_folder import first_lines, is_score
from detectable.data.scores.score_formats import ScoreReader
from detectable.data.scores.scores import Scores


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


# --- One number per line, one file per system ---


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
