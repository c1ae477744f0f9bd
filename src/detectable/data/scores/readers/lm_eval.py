"""Sample logs of the lm-evaluation-harness, a file or a folder of them."""

import itertools
import re
from collections.abc import Mapping, Sequence
from pathlib import Path

from detectable.core.errors import DataError
from detectable.core.wording import count
from detectable.data.files.content import FileContent
from detectable.data.files.folder import DEEP, files_below
from detectable.data.files.place import FilePath
from detectable.data.loaded import Loaded
from detectable.data.name_systems import Runs, system_files
from detectable.data.scores.read_lm_eval import read_lm_eval
from detectable.data.scores.score_reader import Found, ScoreReader
from detectable.data.scores.scores import Scores

_SAMPLES = re.compile(r"samples_(.+?)(?:_(\d{4}-\d\d-\d\dT[\d.:-]+))?\.jsonl(\.\w+)?")
_ANSWERS = ("resps", "filtered_resps", "doc_hash")


def recognise(content: FileContent) -> bool:
    """Tell by the keys of a sample, or of a summary, which is refused when it is read."""
    entry = content.first_object
    sample = "doc_id" in entry and not entry.keys().isdisjoint(_ANSWERS)
    return sample or _is_summary(content)


def read(
    files: FilePath | Mapping[str, Runs],
    *,
    metric: str | None = None,
    filter: str | None = None,
    systems: Sequence[str] | None = None,
) -> Loaded[Scores]:
    """Read the samples of every system (see `read_lm_eval`), and refuse summaries."""
    named = system_files(files if isinstance(files, Mapping) else {"the log": files})
    for path in itertools.chain.from_iterable(named.values()):
        if _is_summary(FileContent.of(path)):
            raise DataError(
                f"{path}: this is a summary of the lm-evaluation-harness and holds no scores of "
                "single questions. Give its samples_*.jsonl, which lm_eval --log_samples writes "
                "beside it."
            )
    return read_lm_eval(files, metric=metric, filter=filter, systems=systems)


def find(folder: Path) -> Found:
    """Return the newest log of every task, by model: the harness makes a folder for each."""
    dated: dict[tuple[Path, str], list[tuple[str, Path]]] = {}
    for path in files_below(folder, "samples_*.jsonl*", levels=DEEP):
        named = _SAMPLES.fullmatch(path.name)
        if named is not None:
            dated.setdefault((path.parent, named[1]), []).append((named[2] or "", path))
    found: dict[str, list[Path]] = {}
    older = 0
    for (parent, _), logs in dated.items():
        found.setdefault(parent.absolute().name, []).append(max(logs)[1])
        older += len(logs) - 1
    notes = (
        [f"{folder}: {count(older, 'older log')} of the same tasks left out."] if older else []
    )
    if not found:
        summaries = files_below(folder, "results_*.json", levels=DEEP)
        if summaries and _is_summary(FileContent(summaries[0])):
            found = {folder.absolute().name: [summaries[0]]}  # refused with the reason
    return Found(found, notes)


def _is_summary(content: FileContent) -> bool:
    entry = content.first_object
    results = entry.get("results")
    return isinstance(results, dict) and not entry.keys().isdisjoint(("configs", "n-samples"))


READER = ScoreReader(
    name="lm-eval",
    about="samples_*.jsonl of the lm-evaluation-harness, files or folders",
    recognise=recognise,
    read=read,
    order=20,
    takes=("filter",),
    find=find,
)
