"""What outputs with scores by several metrics hold and can answer."""

from collections.abc import Iterator, Sequence

from detectable.core.errors import DetectableError
from detectable.core.progress import Progress
from detectable.core.wording import count, listing
from detectable.data.files.table import read_table
from detectable.data.scores.read_scores import read_scores
from detectable.study.comparison.compare import compare
from detectable.study.doctor.detects import SEED, of_comparison, quietly
from detectable.study.doctor.examination import Question
from detectable.study.doctor.examined import Asking, Examined
from detectable.study.doctor.of_scores import BETTER
from detectable.study.doctor.recognise import metric_columns

AGREES = "Which metric agrees with people?"
# Columns that hold what people said.
_HUMAN = ("human", "mqm", "esa", "da", "adequacy", "z", "raw", "rating", "judgment")


def of_metrics(data: str, path: str, progress: Progress) -> Examined:
    """Examine a table with a row per output and a column per metric."""
    asking = Asking(data)
    names = metric_columns(read_table(path))
    human = [name for name in names if name.casefold() in _HUMAN]
    others = [name for name in names if name not in human]
    loaded = read_scores(path, columns={"score": (others or human)[0]})
    scores = loaded.table
    facts = (
        asking.fact("scores", f"{len(names)}: {listing(names, most=8)}"),
        asking.fact(
            "systems", f"{len(scores.systems)}: {listing(list(scores.systems), most=6)}"
        ),
        asking.fact("items", f"{scores.n_items:,}"),
    )
    questions = (
        _agrees(asking, path, human, others),
        *_better(asking, path, [*human, *others], progress),
    )
    return Examined(facts=facts, questions=questions, suspicions=loaded.notes)


def _agrees(asking: Asking, path: str, human: Sequence[str], others: Sequence[str]) -> Question:
    if len(human) != 1 or not others:
        named = f"{listing(list(human))} could be it" if human else "none is"
        why = (
            f"Which column is what people said? By their names, {named}. Say it: detectable meta "
            "FILE --human COLUMN --metric COLUMN …."
        )
        return asking.cannot(AGREES, why)
    words = ["meta", path, "--human", human[0]]
    words += [word for name in others for word in ("--metric", name)]
    why = f"{human[0]} is taken for what people said; {count(len(others), 'metric')} beside it."
    return asking.can(AGREES, why, words)


def _better(
    asking: Asking, path: str, names: Sequence[str], progress: Progress
) -> Iterator[Question]:
    """Ask about the systems by the first score; the others are asked alike."""
    progress("what could be seen", 0, None)
    name = names[0]
    try:
        scores = read_scores(path, columns={"score": name}).table
        with quietly():
            found = compare(scores, rng=SEED, n_examples=0)
    except DetectableError as error:
        yield asking.cannot(BETTER, str(error))
        return
    words = ["compare", "--scores", path, "--column", f"score={name}"]
    others = (
        f" By the others likewise: {listing(list(names[1:]), most=8)}." if names[1:] else ""
    )
    why = f"By {name}, on {count(found.n_units, found.unit_word)}.{others}"
    yield asking.can(BETTER, why, words, of_comparison(found))
