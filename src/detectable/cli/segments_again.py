"""Read the data of a kept result again, for the segments that a page shows.

The words of the file are parsed as the command parses them, and never run. Data are read only
where every file has the SHA-256 that was noted: segments of other data would be no evidence.
"""

import contextlib
from collections.abc import Callable, Mapping
from typing import TYPE_CHECKING, Any

import click

from detectable.cli.rerun import NotRepeatable, parsed_again
from detectable.core.errors import DetectableError

if TYPE_CHECKING:
    from detectable.data.files.place import FilePath
    from detectable.report.explore.segments import Segments
    from detectable.report.saved.saved_result import SavedResult


def segments_again(saved: "SavedResult", folder: "FilePath") -> "Segments | None":
    """Return the segments behind a result; None for a kind of result that is about none.

    Parameters
    ----------
    folder : path
        Where its command was typed.

    Raises
    ------
    NotRepeatable
        If they cannot be had: there is no command, or the data are not those that were read.
    """
    from detectable.report.saved.check_inputs import check_inputs

    command, read = _READERS.get(type(saved.result).__name__, ("", None))
    if read is None:
        return None
    names, given = parsed_again(saved.command)
    if names != [command]:
        raise NotRepeatable(f"only those of `detectable {command}` can be read again")
    for file in check_inputs(saved.inputs, folder):
        if file.state == "missing":
            raise NotRepeatable(
                f"{file.path} is missing. Say where the command was typed (--folder)"
            )
        if file.state == "changed":
            raise NotRepeatable(f"{file.path} is another file now")
    with contextlib.chdir(folder):
        try:
            return read(given, saved.result)
        except (DetectableError, click.ClickException) as error:
            raise NotRepeatable(f"the data cannot be read: {error}") from error


def _compared(given: Mapping[str, Any], result: Any) -> "Segments":
    from dataclasses import fields

    from detectable.cli.inputs import Inputs
    from detectable.cli.metric_option import parse_metrics
    from detectable.metrics.registry import USUAL
    from detectable.report.explore.segments import compared_segments
    from detectable.study.comparison.measure import choose_metrics

    inputs = Inputs(**{field.name: given[field.name] for field in fields(Inputs)})
    chosen: Any = parse_metrics(
        given["metrics"], tokenize=given["tokenize"], lowercase=given["lowercase"]
    )
    data = inputs.load(beside=True).table
    beside = [scores.table for scores in inputs.load_beside()]
    if beside:
        chosen = (*(chosen or USUAL), *beside)
    metrics = choose_metrics(data, chosen, given["lower_is_better"])
    return compared_segments(data, metrics, result, languages=inputs.language_pair or "")


def _ranked(given: Mapping[str, Any], _: Any) -> "Segments":
    from detectable.cli import judgment_options
    from detectable.data.human.one_evaluation import one_evaluation
    from detectable.report.explore.segments import ranked_segments
    from detectable.study.ranking.segment_scores import read_segment_scores, segment_scores

    which = {"campaign": given["campaign"], "language": given["language"]}
    if given["segment_scores"]:
        return ranked_segments(read_segment_scores(given["judgments"], **which))
    reading = judgment_options.reading(dict(given))
    judgments = judgment_options.load(given["judgments"], **reading)
    cells = one_evaluation(judgments, **which).cells()
    return ranked_segments(segment_scores(cells, None))


# By kind of result: the command that gives it from segments, and how these are read.
_READERS: dict[str, tuple[str, Callable[[Mapping[str, Any], Any], "Segments"]]] = {
    "Comparison": ("compare", _compared),
    "Ranking": ("rank", _ranked),
}
