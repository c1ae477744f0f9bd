"""Scores of instances that HELM writes."""

import re
from collections import Counter
from collections.abc import Mapping
from pathlib import Path
from typing import Any

from detectable.core.errors import DataError
from detectable.core.wording import count, listing
from detectable.data.files.content import FileContent
from detectable.data.files.inputs import DEEP, files_below
from detectable.data.files.numbers import parse_score
from detectable.data.files.place import FilePath, quote
from detectable.data.files.read_json import read_json
from detectable.data.names import file_stem, value_name
from detectable.data.reader import Found, ScoreReader
from detectable.data.scores import sample_log

_FILE = "per_instance_stats.json"
_MODEL = re.compile(r"[,:_-]*model[=_]([^,]*?)(?=,|__|$)")  # in the name of a run


def recognise(content: FileContent) -> bool:
    """Tell by instances with statistics."""
    return {"instance_id", "stats"} <= content.first_object.keys()


def find(folder: Path) -> Found:
    """Return the runs in a folder by model.

    No run has a date, so that several runs of a model on one task are different systems: they are
    named after the suites that they lie in, or after their own folders where a suite holds both.
    """
    runs = [(path, *_about(path)) for path in files_below(folder, f"*{_FILE}", levels=DEEP)]
    suites = Counter((model, task, path.parent.parent) for path, model, task in runs)
    several = {model for (model, _), n in Counter(run[1:] for run in runs).items() if n > 1}
    mixed = {model for (model, _, _), n in suites.items() if n > 1}
    found: dict[str, list[Path]] = {}
    for path, model, _ in runs:
        name = model
        if model in several:
            place = path.with_suffix("") if model in mixed else path.parent.parent
            name = f"{model} ({place.relative_to(folder).as_posix()})"
        found.setdefault(name, []).append(path)
    return Found(found)


def _about(path: FilePath) -> tuple[str, str]:
    """Return model and task of a run."""
    spec = Path(path).parent / "run_spec.json"
    content = read_json(spec) if spec.is_file() else {}
    about: Mapping[str, Any] = content if isinstance(content, dict) else {}
    stem = file_stem(path).removesuffix(file_stem(_FILE)).strip("_")
    name = str(about.get("name") or stem or Path(path).absolute().parent.name)
    adapter = about.get("adapter_spec")
    model = adapter.get("model") if isinstance(adapter, dict) else None
    named = _MODEL.search(name)
    task = _MODEL.sub("", name) or name
    return str(model or (named[1] if named else name)), task


def _questions(path: FilePath) -> dict[str, str]:
    """Return the text of every instance, where the file beside holds them."""
    state = Path(path).parent / "scenario_state.json"
    content = read_json(state) if state.is_file() else {}
    listed = content.get("request_states") if isinstance(content, dict) else None
    found: dict[str, str] = {}
    for one in listed if isinstance(listed, list) else []:
        instance = one.get("instance") if isinstance(one, dict) else None
        if isinstance(instance, dict) and not instance.get("perturbation"):
            found[str(instance.get("id"))] = value_name(instance.get("input"))
    return found


def _read(
    path: FilePath, metric: str | None, questions: sample_log.Questions
) -> sample_log.ReadLog:
    """Read ``per_instance_stats.json`` of HELM, one file (or run folder) per system and task.

    The score is the mean of the statistic called `metric`. Perturbed instances are other items,
    and are left out and counted. Train trials are samples. An instance must be the same question in
    all files, where ``scenario_state.json`` tells. Task and model are those of
    ``run_spec.json`` beside the file, else of its name.
    """
    rows = read_json(path)
    if not isinstance(rows, list) or not rows:
        raise DataError(f"{path}: the file holds no instances of HELM.")
    stats = [_stats(path, number, row) for number, row in enumerate(rows, start=1)]
    names = list(dict.fromkeys(name for of in stats for name, _ in of))
    chosen = sample_log.choose(str(path), "metric", names, metric)
    model, task = _about(path)
    texts = _questions(path)
    perturbed = 0
    splits: Counter[str] = Counter()
    samples = []
    for number, (row, of) in enumerate(zip(rows, stats, strict=True), start=1):
        if row.get("perturbation"):
            perturbed += 1
            continue
        for (name, split), mean in of.items():
            if name == chosen:
                item = str(row["instance_id"])
                splits[split] += 1
                sample_log.check_question(questions, (task, item), texts.get(item), str(path))
                samples.append(
                    sample_log.Sample(
                        item,
                        row.get("train_trial_index", 0) + 1,
                        parse_score(mean, f"{path}, instance {number}, {chosen}", truth=False),
                        question=texts.get(item),
                    )
                )
    notes = [f"{path}: {count(perturbed, 'perturbed instance')} left out."] if perturbed else []
    if len(splits) > 1:
        listed = listing([f"{split} {n:,}" for split, n in splits.items()])
        notes.append(f"{path}: instances of {len(splits)} splits count alike: {listed}.")
    return sample_log.ReadLog(chosen, {model: sample_log.SampleLog(path, task, samples)}, notes)


def _stats(path: FilePath, number: int, row: Any) -> dict[tuple[str, str], Any]:
    """Return the means of an instance by name and split, those of perturbations left out."""
    listed = row.get("stats") if isinstance(row, dict) and "instance_id" in row else None
    if not isinstance(listed, list) or not isinstance(row.get("train_trial_index", 0), int):
        raise DataError(
            f"{path}: instance {number} has no stats, or no whole number of its trial: {quote(row)}."
        )
    found: dict[tuple[str, str], Any] = {}
    for stat in listed:
        name = stat.get("name") if isinstance(stat, dict) else None
        if not isinstance(name, dict) or "name" not in name:
            raise DataError(
                f"{path}: a statistic of instance {number} has no name: {quote(stat)}."
            )
        if not name.get("perturbation"):
            found[str(name["name"]), str(name.get("split"))] = stat.get("mean")
    return found


SCORES = ScoreReader(
    name="helm",
    about="per_instance_stats.json of HELM, files or run folders",
    recognise=recognise,
    read=sample_log.reads(_read, same_questions=True),
    order=32,
    find=find,
)
