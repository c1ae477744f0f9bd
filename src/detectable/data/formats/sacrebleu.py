"""Segment scores printed by sacreBLEU, one file per system and run."""

import re
from collections.abc import Mapping, Sequence
from dataclasses import dataclass

from detectable.core.errors import DataError
from detectable.core.wording import count
from detectable.data.files.content import FileContent
from detectable.data.files.lines import read_lines
from detectable.data.files.place import FilePath, place, quote
from detectable.data.names import Runs, name_systems, system_files
from detectable.data.reader import ScoreReader
from detectable.data.scores.cells import Cell, assemble, check_counts, number_cells
from detectable.data.scores.score_folder import first_lines
from detectable.data.scores.scores import Scores

# “BLEU|nrefs:1|case:mixed|… = 51.2 100.0/80.0/…”: metric, signature, score, details.
SENTENCE = re.compile(r"([^|\s]+)\|(\S+) = (-?[0-9]+(?:\.([0-9]+))?)(?:\s.*)?")
_FEW_DIGITS = 3


@dataclass(frozen=True, slots=True)
class _Output:
    metric: str
    signature: str
    scores: tuple[float, ...]
    digits: int


def read_sacrebleu(
    files: FilePath | Mapping[str, Runs],
    *,
    metric: str | None = None,
    systems: Sequence[str] | None = None,
) -> Scores:
    """Read what ``sacrebleu --sentence-level`` prints for each system.

    All files must carry the same signature: scores made with different settings cannot be
    compared. Other sacreBLEU output holds scores of whole test sets only, and is refused.

    Parameters
    ----------
    files : path, or mapping of str to path or paths
        The printed file of every system, or of its runs; a single path is one system.
    metric : str, optional
        A name for what the numbers measure; by default sacreBLEU's, such as ``chrF2``.
    systems : sequence of str, optional
        Which systems to take.
    """
    named = files if isinstance(files, Mapping) else name_systems([files])
    cells: list[Cell] = []
    read: list[tuple[str, _Output]] = []
    for system, paths in system_files(named).items():
        for run, path in enumerate(paths, start=1):
            output = _read(path)
            read.append((str(path), output))
            cells += number_cells(output.scores, system, path, run=run)
    _check_signatures(read)
    check_counts([(path, len(output.scores)) for path, output in read])
    first = read[0][1]
    digits = max(output.digits for _, output in read)
    note = (
        f"the scores are rounded to {count(digits, 'decimal')}. Print more with sacrebleu -w 6."
    )
    notes = (note,) if digits < _FEW_DIGITS else ()
    return assemble(cells, metric=metric or first.metric, systems=systems, notes=notes)


def _read(path: FilePath) -> _Output:
    lines = read_lines(path)
    if lines[0].lstrip().startswith(("{", "[")):
        raise DataError(
            f"{path}: this sacreBLEU file holds scores of whole test sets, none of segments. "
            "Print segment scores with sacrebleu --sentence-level -w 6, one file per system, "
            "or compare the texts themselves."
        )
    settings: dict[tuple[str, str], int] = {}
    scores: list[float] = []
    digits = 0
    for number, line in enumerate(lines, start=1):
        match = SENTENCE.fullmatch(line.strip())
        if match is None:
            raise DataError(
                f"{place(path, number)}: expected “metric|signature = score”, found "
                f"{quote(line)}. Print it with sacrebleu --sentence-level."
            )
        settings.setdefault((match[1], match[2]), number)
        scores.append(float(match[3]))
        digits = max(digits, len(match[4] or ""))
    if len(settings) > 1:
        number = list(settings.values())[1]
        raise DataError(
            f"{place(path, number)}: the signature differs from that of line 1. Keep one "
            "metric and one setting per file."
        )
    (metric, signature), = settings  # fmt: skip
    return _Output(metric, signature, tuple(scores), digits)


def _check_signatures(read: Sequence[tuple[str, _Output]]) -> None:
    path, first = read[0]
    for other, output in read:
        mine, theirs = (f"{o.metric}|{o.signature}" for o in (first, output))
        if mine != theirs:
            raise DataError(
                f"{path} and {other} were scored differently: {mine} against {theirs}. Score "
                "both in the same way."
            )


# --- What sacreBLEU prints ---


def recognise(content: FileContent) -> bool:
    """Tell by “metric|signature = score”; its JSON, which has no segments, is refused later."""
    lines = first_lines(content)
    if lines:
        return all(SENTENCE.fullmatch(line) for line in lines)
    entry = content.first_object
    listed = content.first_line.startswith("[")
    return "signature" in entry or (listed and "system" in entry and "score" not in entry)


SCORES = ScoreReader(
    name="sacrebleu",
    about="what sacrebleu --sentence-level prints, one file per system",
    recognise=recognise,
    read=read_sacrebleu,
    order=60,
)
