"""Details that lighteval saves."""

import re
from collections.abc import Mapping
from pathlib import Path
from typing import Any

from detectable.core.errors import DataError
from detectable.core.wording import count
from detectable.data.files.content import FileContent
from detectable.data.files.inputs import DEEP, files_below
from detectable.data.files.numbers import parse_score
from detectable.data.files.parquet import parquet_frame
from detectable.data.files.place import FilePath, place
from detectable.data.names import file_stem, value_name
from detectable.data.reader import Found, ScoreReader
from detectable.data.scores import sample_log

_COLUMNS = frozenset(("doc", "metric"))
_NAME = re.compile(r"details_(.+)_(\d{4}-\d\d-\d\dT[\d.:-]+)")


def recognise(content: FileContent) -> bool:
    """Tell by the columns of documents and metrics in a Parquet file."""
    return content.parquet_columns >= _COLUMNS


def find(folder: Path) -> Found:
    """Return the newest details of every task, by model (``details/MODEL/DATE/details_*``)."""
    dated: dict[tuple[str, str], list[tuple[str, Path]]] = {}
    for path in files_below(folder, "details_*.parquet", levels=DEEP):
        named = _NAME.fullmatch(file_stem(path))
        if named is not None:
            dated.setdefault((_model(path), named[1]), []).append((named[2], path))
    found: dict[str, list[Path]] = {}
    older = 0
    for (model, _), logs in dated.items():
        found.setdefault(model, []).append(max(logs)[1])
        older += len(logs) - 1
    note = f"{folder}: {count(older, 'older file')} of the same tasks left out."
    return Found(found, [note] if older else [])


def _model(path: FilePath) -> str:
    """Return the model: the part of the path between “details” and the date."""
    parts = Path(path).absolute().parent.parts
    if "details" in parts:
        inner = parts[len(parts) - parts[::-1].index("details") : -1]
        if inner:
            return "/".join(inner)
    return parts[-1]


def _read(path: FilePath, metric: str | None) -> sample_log.ReadLog:
    """Read ``details_TASK_DATE.parquet`` of lighteval, one file (or folder) per system and task.

    An item is ``doc.id``, else the text of ``doc.query``.
    """
    content = FileContent.of(path)
    frame = parquet_frame(content, content.data)
    rows = list(frame.select("doc", "metric").iter_rows(named=True))
    wrong = next(
        (i for i, row in enumerate(rows) if not all(isinstance(v, dict) for v in row.values())),
        None,
    )
    if wrong is not None or not rows:
        raise DataError(
            f"{place(path, (wrong or 0) + 1)}: the columns 'doc' and 'metric' must hold named "
            "values, as lighteval saves them today; older versions wrote texts. Run it again."
        )
    names = list(dict.fromkeys(name for row in rows for name in row["metric"]))
    chosen = sample_log.choose(str(path), "metric", names, metric)
    scored = [
        (
            _item(row["doc"]),
            parse_score(row["metric"].get(chosen), path, number, chosen),
            number,
        )
        for number, row in enumerate(rows, start=1)
    ]
    named = _NAME.fullmatch(file_stem(path))
    task = named[1] if named else file_stem(path)
    return sample_log.ReadLog(
        chosen,
        {_model(path): sample_log.SampleLog(path, task, sample_log.number_samples(scored))},
    )


def _item(document: Mapping[str, Any]) -> str:
    name = document.get("id")
    return value_name(document.get("query")) if name in (None, "") else str(name)


SCORES = ScoreReader(
    name="lighteval",
    about="details_*.parquet of lighteval, files or folders",
    recognise=recognise,
    read=sample_log.reads(_read),
    order=33,
    find=find,
)
