"""Results of RewardBench: how often a reward model prefers the better answer."""

import math
from collections.abc import Mapping, Sequence
from typing import Any

from detectable.core.errors import DataError
from detectable.core.wording import count, listing
from detectable.data.files.content import FileContent
from detectable.data.files.numbers import parse_score
from detectable.data.files.place import FilePath, place, quote
from detectable.data.files.read_json import read_json, read_json_lines
from detectable.data.names import Runs, file_stem, system_files
from detectable.data.reader import ScoreReader
from detectable.data.scores.cells import assemble
from detectable.data.scores.sample_log import SampleLog, log_cells, number_samples
from detectable.data.scores.scores import Scores

_PAIR = frozenset(("chosen", "rejected"))
_SUMMARIES = (
    frozenset(("model", "model_type", "chat_template")),  # eval-set/MODEL.json
    frozenset(("accuracy", "num_prompts", "extra_results")),  # MODEL.json of the command
)


def recognise(content: FileContent) -> bool:
    """Tell by columns of results and subsets, by lines of two rewards, or by a summary."""
    entry = content.first_object
    return (
        _has_columns(entry) or _is_pair(entry) or any(entry.keys() >= of for of in _SUMMARIES)
    )


def read(
    files: FilePath | Mapping[str, Runs],
    *,
    metric: str | None = None,
    systems: Sequence[str] | None = None,
) -> Scores:
    """Read ``eval-set-scores/MODEL.json`` of RewardBench, or ``MODEL_all.jsonl``.

    The score of a pair is 1 where the chosen answer has the higher reward, and 0 where it has
    not or both are equal; in the second version of RewardBench it is what ``results`` says (best of
    four, shared where several are best). A task is a subset: the same number is another pair in
    each of them. Lines of ``MODEL_all.jsonl`` have no names and are matched by their position.

    Parameters
    ----------
    files : path, or mapping of str to path or paths
        The file or files of every reward model.
    metric : str, optional
        A name for what the numbers measure; ``accuracy`` by default.
    systems : sequence of str, optional
        Which systems to take.
    """
    logs: dict[str, list[SampleLog]] = {}
    notes: list[str] = []
    named = system_files(files) if isinstance(files, Mapping) else {"": (files,)}
    for name, paths in named.items():
        for path in paths:
            system, found = _read(path)
            logs.setdefault(name or system, []).extend(found)
    cells, joined = log_cells(logs)
    subsets = dict.fromkeys(log.task for of in logs.values() for log in of)
    if len(subsets) > 1:
        notes.append(
            "Subsets are tasks. The total of RewardBench is the mean of its sections, which are "
            f"groups of subsets: neither the mean of these {len(subsets):,} nor that of all pairs."
        )
    if "ties" in {subset.casefold() for subset in subsets}:
        notes.append(
            "The subset of ties has a score of its own in RewardBench 2, which is not the mean of "
            "its results; here it is."
        )
    return assemble(
        cells, metric=metric or "accuracy", systems=systems, notes=(*notes, *joined)
    )


def _has_columns(entry: Mapping[str, Any]) -> bool:
    return isinstance(entry.get("subset"), list) and (
        isinstance(entry.get("results"), list) or isinstance(entry.get("scores_chosen"), list)
    )


def _is_pair(entry: Mapping[str, Any]) -> bool:
    """Say whether these are two rewards; texts are what a reward model is trained with."""
    return entry.keys() == _PAIR and all(isinstance(v, int | float) for v in entry.values())


def _read(path: FilePath) -> tuple[str, list[SampleLog]]:
    first = FileContent.of(path).first_object
    if not _has_columns(first) and first.keys() >= _PAIR:
        rows = [
            (str(number), _preferred(path, line, row), line)
            for number, (line, row) in enumerate(read_json_lines(path), start=1)
        ]
        return file_stem(path).removesuffix("_all"), [
            SampleLog(path, "pairs", number_samples(rows))
        ]
    content = read_json(path)
    if not isinstance(content, dict) or not _has_columns(content):
        raise DataError(
            f"{path}: this is a summary of RewardBench and holds no results of single pairs. Give "
            "the file of the model in eval-set-scores, or run rewardbench with --save_all and give "
            "MODEL_all.jsonl."
        )
    by_subset: dict[str, list[tuple[str, float, int | None]]] = {}
    for subset, item, score in _rows(path, content):
        by_subset.setdefault(subset, []).append((item, score, None))
    system = content.get("model")
    found = [SampleLog(path, of, number_samples(rows)) for of, rows in by_subset.items()]
    return str(system or file_stem(path)), found


def _rows(path: FilePath, content: Mapping[str, Any]) -> list[tuple[str, str, float]]:
    """Return subset, item and score of every pair."""
    names = ["subset", "id"]
    names += ["results"] if "results" in content else ["scores_chosen", "scores_rejected"]
    columns = [content.get(name) for name in names]
    sizes = {
        name: len(of) for name, of in zip(names, columns, strict=True) if isinstance(of, list)
    }
    if len(sizes) < len(names) or len(set(sizes.values())) > 1:
        lacking = [name for name in names if name not in sizes]
        found = listing(
            [f"{name} has {count(n, 'entry', 'entries')}" for name, n in sizes.items()]
        )
        raise DataError(
            f"{path}: the columns of RewardBench must be lists of the same length; {found}"
            + (f", and {lacking[0]!r} is no list." if lacking else ".")
        )
    rows = []
    for number, (subset, item, *values) in enumerate(zip(*columns, strict=True), start=1):
        if len(values) == 1:
            score = parse_score(values[0], f"{path}, pair {number}, results")
        else:
            pair = dict(zip(("chosen", "rejected"), values, strict=True))
            score = _preferred(path, None, pair, f", pair {number}")
        rows.append((str(subset), str(item), score))
    return rows


def _preferred(
    path: FilePath, line: int | None, row: Mapping[str, Any], more: str = ""
) -> float:
    """Return 1 where the chosen answer has the higher reward, NaN where one is missing."""
    if not row.keys() >= _PAIR:
        raise DataError(
            f"{place(path, line)}: expected the rewards 'chosen' and 'rejected', found "
            f"{quote(sorted(row))}."
        )
    chosen, rejected = (
        parse_score(row[name], f"{path}{more}", line, name, truth=False)
        for name in ("chosen", "rejected")
    )
    if math.isnan(chosen) or math.isnan(rejected):
        return float("nan")
    return float(chosen > rejected)


SCORES = ScoreReader(
    name="rewardbench",
    about="results of RewardBench by pair, one file per reward model",
    recognise=recognise,
    read=read,
    order=39,
)
