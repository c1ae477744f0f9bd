"""Settings of a scenario from the data of a pilot: read, fitted, and not kept."""

import warnings
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING

from detectable.core.errors import DataError, DetectableWarning
from detectable.report.planner.field import Form, Value

if TYPE_CHECKING:
    from detectable.data.scores.scores import Scores
    from detectable.planning.scenario import Scenario

_DIGITS = 6  # of a fitted number, so that an address stays short


@dataclass(frozen=True, slots=True)
class Fitted:
    """What a pilot says.

    Attributes
    ----------
    systems : tuple of str
        All systems in the file.
    settings : dict or None
        Values of fields; None where there are more than two systems, and two must be chosen.
    notes : tuple of str
        What a reader must know.
    """

    systems: tuple[str, ...]
    settings: dict[str, Value] | None
    notes: tuple[str, ...] = ()


def fit_pilot(form: Form, path: Path, *, pair: Sequence[str] = ()) -> Fitted:
    """Read a file and fit the settings of a form.

    Parameters
    ----------
    form : Form
        Of a scenario that takes a pilot.
    path : Path
        The file, in any format that the commands read.
    pair : sequence of str
        The system and its baseline; needed where the file has more than two.
    """
    if form.pilot is None:
        raise DataError(
            f"the scenario {form.name} takes no pilot here. Its settings are typed in; on the "
            "command line, `detectable power pilot` draws from any scores."
        )
    with warnings.catch_warnings(record=True) as said:
        warnings.simplefilter("always", DetectableWarning)
        found = _READERS[form.name](path, tuple(pair))
    notes = tuple(str(one.message) for one in said)
    settings = found.settings
    if settings is not None:
        settings = {
            name: float(f"{value:.{_DIGITS}g}") if isinstance(value, float) else value
            for name, value in settings.items()
        }
    return Fitted(found.systems, settings, (*found.notes, *notes))


def _two(systems: Sequence[str], pair: tuple[str, ...]) -> tuple[str, str] | None:
    """Return the system and its baseline, if it is clear which they are."""
    if not pair:
        return (systems[0], systems[1]) if len(systems) == 2 else None
    for name in pair:
        if name not in systems:
            raise DataError(f"the pilot has no system called {name!r}.")
    if len(pair) != 2 or pair[0] == pair[1]:
        raise DataError("two different systems must be chosen.")
    return pair[0], pair[1]


def _scores(path: Path) -> "tuple[Scores, tuple[str, ...], tuple[str, ...]]":
    from detectable.data.scores.read_scores import read_scores

    loaded = read_scores(path)
    return loaded, tuple(loaded.systems), loaded.notes


def _accuracy(path: Path, pair: tuple[str, ...]) -> Fitted:
    from detectable.planning.accuracy import Accuracy

    table, systems, notes = _scores(path)
    two = _two(systems, pair)
    if two is None:
        return Fitted(systems, None, notes)
    table = table.complete()
    if table.repeats == "samples":
        raise DataError(
            "the pilot holds several samples of an item, so that an item is not right or wrong. "
            "Plan with sampled answers."
        )
    fitted = Accuracy.from_predictions(
        *(table.systems[name][0] for name in two), documents=table.documents
    )
    agreement = float(fitted.agreement or 0.0)
    said = (*notes, *_documents(fitted))
    return Fitted(systems, {"known": "agreement", "agreement": agreement}, said)


def _samples(path: Path, pair: tuple[str, ...]) -> Fitted:
    from detectable.planning.samples import Samples

    table, systems, notes = _scores(path)
    two = _two(systems, pair)
    if two is None:
        return Fitted(systems, None, notes)
    fitted = Samples.from_scores(table, *two)
    variances = (fitted.sample_variance, fitted.baseline_sample_variance)
    both = [variance for variance in variances if variance is not None]
    settings: dict[str, Value] = {
        "question_variance": fitted.question_variance,
        "sample_variance": sum(both) / len(both),
        "n_samples": fitted.n_samples,
    }
    return Fitted(systems, settings, (*notes, *_documents(fitted)))


def _likert(path: Path, _: tuple[str, ...]) -> Fitted:
    """Fit the model of all systems in the file."""
    from detectable.planning.likert import Likert

    fitted = Likert.from_ratings(path)
    names = ("rater_sd", "rater_slope_sd", "item_sd", "item_slope_sd", "residual_sd")
    own: dict[str, Value] = {name: float(getattr(fitted, name)) for name in names}
    settings: dict[str, Value] = {"spread": "own", "n_raters": fitted.n_raters, **own}
    return Fitted((), settings, _documents(fitted))


def _bleu(path: Path, pair: tuple[str, ...]) -> Fitted:
    from detectable.data.texts.read_corpus_file import read_corpus_file
    from detectable.planning.bleu import Bleu

    loaded = read_corpus_file(path)
    corpus = loaded
    systems = tuple(corpus.systems)
    two = _two(systems, pair)
    if two is None:
        return Fitted(systems, None, loaded.notes)
    fitted = Bleu.fit(corpus, "bleu", system=two[0], baseline=two[1], rng=0)
    said = () if fitted.report is None else (fitted.report.summary(),)
    said = (*loaded.notes, *said, *_documents(fitted))
    return Fitted(systems, {"p0": fitted.p0, "b0": fitted.b0}, said)


def _documents(fitted: "Scenario") -> tuple[str, ...]:
    """Say that this page takes items for independent, where the pilot names their documents."""
    spread = getattr(fitted, "documents", None)
    if spread is None:
        return ()
    return (
        f"The pilot's items come in documents of {spread.size:.3g}: design effect "
        f"{spread.design_effect:.1f}. This page counts items as if each stood alone, and promises "
        f"too much for documents; `detectable sample-size` and `power` plan documents from the same "
        "file.",
    )


_READERS: dict[str, Callable[[Path, tuple[str, ...]], Fitted]] = {
    "accuracy": _accuracy,
    "samples": _samples,
    "likert": _likert,
    "bleu": _bleu,
}
