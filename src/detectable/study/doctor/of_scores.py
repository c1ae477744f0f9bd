"""What scores of systems on items hold and can answer."""

import math
from collections import Counter
from collections.abc import Iterator, Sequence

from detectable.core.errors import DetectableError
from detectable.core.progress import Progress
from detectable.core.wording import count, listing
from detectable.data.loaded import Loaded
from detectable.data.scores.direction import direction_of
from detectable.data.scores.scores import Scores
from detectable.study.comparison.compare import compare
from detectable.study.comparison.direction import default_metric, name_of
from detectable.study.comparison.result import Comparison
from detectable.study.comparison.suspicions import suspicions
from detectable.study.doctor.detects import SEED, of_comparison, quietly
from detectable.study.doctor.examination import Fact, Question
from detectable.study.doctor.examined import Asking, Examined
from detectable.study.gate.gate import gate

BETTER = "Is one system better than another?"
KEEPS = "May the new system replace the old one, if a small loss does not matter?"
RUNS = "Would other runs of these systems say the same?"
MORE = "How many documents would show a smaller difference?"
_HOPELESS = "No loss of any size could be ruled out with so few units."


def of_scores(
    data: str, loaded: Loaded[Scores], words: Sequence[str], progress: Progress
) -> Examined:
    """Examine scores.

    Parameters
    ----------
    data : str
        What to call them.
    loaded : Loaded
        The scores, and what their reader said.
    words : sequence of str
        The options that name them on the command line.
    """
    scores, asking = loaded.table, Asking(data)
    return Examined(
        facts=tuple(_facts(scores, asking)),
        questions=tuple(_questions(scores, asking, words, progress)),
        suspicions=(
            *loaded.notes,
            *suspicions(scores, ()),
            *_direction(scores),
        ),
    )


def _facts(scores: Scores, asking: Asking) -> Iterator[Fact]:
    yield asking.fact("score", f"{name_of(scores)} ({_way(scores)})")
    yield asking.fact("systems", _named(list(scores.systems)))
    yield asking.fact("items", f"{scores.n_items:,}")
    counts = Counter(n for name in scores.systems for n in scores.n_samples(name).tolist())
    if scores.repeats == "samples":
        shown = f"{min(counts)} to {max(counts)}" if len(counts) > 1 else f"{max(counts)}"
        yield asking.fact("samples of an item", shown)
    else:
        runs = sorted({scores.n_runs(name) for name in scores.systems})
        yield asking.fact("runs of a system", " to ".join(map(str, (runs[0], *runs[1:][-1:]))))
    for what, labels in (("tasks", scores.tasks), ("documents", scores.documents)):
        if labels is not None:
            yield asking.fact(what, _named(list(dict.fromkeys(labels)), most=4))
    missing = len(scores.incomplete())
    if missing:
        yield asking.fact("items without a score of some system", f"{missing:,}")


def _questions(
    scores: Scores, asking: Asking, words: Sequence[str], progress: Progress
) -> Iterator[Question]:
    if len(scores.systems) < 2:
        only = next(iter(scores.systems))
        yield asking.cannot(BETTER, f"There is one system, {only}. Give the scores of another.")
        return
    progress("what could be seen", 0, None)
    try:
        with quietly():
            found = compare(scores, rng=SEED, n_examples=0)
    except DetectableError as error:
        yield asking.cannot(BETTER, str(error))
        return
    units = count(found.n_units, found.unit_word)
    if found.n_units < scores.n_items:
        units += f" of {count(scores.n_items, 'item')}"
    yield asking.can(BETTER, f"Paired on {units}.", ["compare", *words], of_comparison(found))
    yield _keeps(scores, found, asking, words)
    yield _runs(scores, asking, words)
    if scores.documents is not None:
        yield _more(scores, asking, words)


def _more(scores: Scores, asking: Asking, words: Sequence[str]) -> Question:
    n, tasks = len(set(scores.documents or ())), len(scores.task_names)
    if n < 3:
        return asking.cannot(MORE, f"It takes three documents or more; found: {n}.")
    if tasks > 1:
        return asking.cannot(MORE, f"There are {count(tasks, 'task')}; it takes one alone.")
    return asking.can(MORE, f"{count(n, 'document')} are named.", ["reliability", *words])


def _keeps(scores: Scores, found: Comparison, asking: Asking, words: Sequence[str]) -> Question:
    """State the margin that a gate could pass, the first system being the old one."""
    old, new, *_ = scores.systems
    spread = [one.largest for one in of_comparison(found) if not math.isnan(one.median)]
    if not spread:
        return asking.cannot(KEEPS, _HOPELESS)
    whole = scores.complete()
    try:
        with quietly():
            tried = gate(whole, whole, system=new, baseline_system=old, margin=spread[0])
    except DetectableError as error:
        return asking.cannot(KEEPS, str(error))
    margin = max(row.margin_passable for row in tried.rows)
    if not margin < math.inf or (found.metrics[0]["metric"] == "accuracy" and margin >= 1.0):
        return asking.cannot(KEEPS, _HOPELESS)
    shown = _rounded_up(margin)
    tasks = f" in each of {count(len(tried.rows), 'task')}" if len(tried.rows) > 1 else ""
    why = (
        f"Losses of {shown}{tasks} could be ruled out 4 times in 5 if nothing changed (one-sided, "
        f"α = {tried.alpha:g}). Choose the margin by what matters, before you look."
    )
    return asking.can(KEEPS, why, ["gate", *_of_gate(words, old, new), "--margin", shown])


def _of_gate(words: Sequence[str], old: str, new: str) -> list[str]:
    """Return how a gate names scores that `compare` takes as ``--scores``."""
    pairs = list(zip(words[::2], words[1::2], strict=True))  # options with a value each
    files = [value for option, value in pairs if option == "--scores"]
    others = [word for pair in pairs if pair[0] != "--scores" for word in pair]
    if len(files) == 1:
        return [*files, "--system", new, "--baseline", old, *others]
    by_name = dict(file.split("=", 1) for file in files)
    return [f"{new}={by_name[new]}", "--baseline", by_name[old], *others]


def _rounded_up(value: float) -> str:
    """Return two digits that are not below the value, as they are typed."""
    step = 10.0 ** (math.floor(math.log10(value)) - 1)
    return f"{math.ceil(value / step - 1e-9) * step:.12g}"


def _runs(scores: Scores, asking: Asking, words: Sequence[str]) -> Question:
    if scores.repeats == "samples":
        return asking.cannot(
            RUNS, "Samples of an item are no runs: they share the system that gave them."
        )
    single = [name for name in scores.systems if scores.n_runs(name) < 2]
    if single:
        return asking.cannot(RUNS, f"There is one run of {listing(single)}.")
    return asking.can(RUNS, "Every system has several runs.", ["compare", *words])


def _way(scores: Scores) -> str:
    if default_metric(scores) == "accuracy":
        return "right or wrong: higher is better"
    return {"lower": "lower is better", "higher": "higher is better"}.get(
        direction_of(scores), "direction not known: taken as higher is better"
    )


def _direction(scores: Scores) -> Iterator[str]:
    if direction_of(scores) == "unknown" and default_metric(scores) != "accuracy":
        yield (
            f"Whether higher {name_of(scores)} is better, its name does not tell. If not, add "
            f"--lower-is-better {name_of(scores)}."
        )


def _named(names: list[str], *, most: int = 6) -> str:
    return f"{len(names):,}: {listing(names, most=most)}"
