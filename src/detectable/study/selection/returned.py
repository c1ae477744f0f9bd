"""What came back of what was drawn: the record beside a sheet, and whether hard documents are missing."""

from dataclasses import dataclass
from pathlib import Path

import numpy as np

from detectable.core.errors import DataError
from detectable.core.types import IntArray
from detectable.core.wording import count, listing, p_statement
from detectable.data.human.judgments import Judgments
from detectable.inference.classic_tests import rank_sum
from detectable.study.metric_pool import pool_columns
from detectable.study.selection.selection import Selection, records_in

_WARN = 0.01  # of the test that those missing are not like the others
_SAME = 1e-6  # of a weight: more digits may be lost on the way through a spreadsheet


@dataclass(frozen=True, slots=True)
class Drawn:
    """How judged items were drawn, as far as it is known.

    Attributes
    ----------
    selection : Selection or None
        The record beside the sheet.
    notes : tuple of str
        That weights are used, how many units came back, and whether those missing are harder.
    """

    selection: Selection | None
    notes: tuple[str, ...]


def how_drawn(judgments: Judgments) -> Drawn:
    """Return how judged items were drawn; what does not fit the record beside them is refused.

    The record is looked for in the folder of the judgments, where these have sampling weights.
    """
    if judgments.sampling_weight is None:
        return Drawn(None, ())
    found = _record(judgments)
    how = "with unequal probabilities" if judgments.weighs_unequally else "at random"
    used = "weights are used" if judgments.weighs_unequally else "all weigh alike"
    if found is None:
        unit = "Items" if judgments.document is None else "Documents"
        return Drawn(None, (f"{unit} were drawn {how}; {used}.",))
    name, selection, places = found
    unit = selection.unit
    back = np.unique(selection.unit_of[places])
    drawn = np.flatnonzero(selection.batch_of > 0)
    here = (
        f"{back.size:,} of {count(drawn.size, unit)} {'are' if drawn.size > 1 else 'is'} here"
    )
    said = f"{unit.capitalize()}s were drawn {how} ({name}); {used}, and {here}."
    notes = (said, *_missing(selection, drawn, back), *earlier_draws(selection.earlier))
    return Drawn(selection, notes)


def _record(judgments: Judgments) -> tuple[str, Selection, IntArray] | None:
    """Return the record that these judgments belong to, and where their items stand in its pool."""
    if not judgments.path:
        return None
    folder = Path(judgments.path).parent
    if not folder.is_dir():
        return None
    wrong: DataError | None = None
    # Of two batches, the record that has least beside what is here.
    for path, selection in sorted(records_in(folder).items(), key=lambda one: one[1].n_drawn):
        try:
            places = pool_columns(judgments, selection.pool_items, selection.documents_of_pool)
        except DataError:  # no item of this pool
            continue
        error = _unfitting(judgments, path, selection, places)
        if error is None:
            return path.name, selection, places
        wrong = error
    if wrong is not None:
        raise wrong
    return None


def _unfitting(
    judgments: Judgments, path: Path, selection: Selection, places: IntArray
) -> DataError | None:
    """Return what judgments and record do not agree about."""
    drawn = np.zeros(len(selection.pool_items), dtype=bool)
    drawn[selection.drawn] = True
    levels = judgments.item.levels
    other = [
        level
        for level, place in zip(levels, places.tolist(), strict=True)
        if place < 0 or not drawn[place]
    ]
    if other:
        return DataError(
            f"{judgments.path}: {count(len(other), 'item')} {'was' if len(other) == 1 else 'were'} not "
            f"drawn by {path.name}: {listing(other)}. Leave out what nobody drew: its chance of being "
            "judged is not known."
        )
    given = np.asarray(judgments.sampling_weight, dtype=np.float64)
    expected = selection.weight[selection.unit_of[places[judgments.item.codes]]]
    changed = np.flatnonzero(np.abs(given / expected - 1.0) > _SAME)
    if changed.size:
        row = int(changed[0])
        return DataError(
            f"{judgments.place(row, 'sampling_weight')}: the weight is {given[row]:.6g}, and "
            f"{path.name} says {expected[row]:.6g}. Put back the weights as they were drawn."
        )
    return None


def _missing(selection: Selection, drawn: IntArray, back: IntArray) -> tuple[str, ...]:
    """Say that the units that did not come back are other ones, by the rank sum of their sizes."""
    gone = np.setdiff1d(drawn, back)
    if not gone.size or not back.size:
        return ()
    found = rank_sum(selection.size[gone], selection.size[back])
    if not found.p_two_sided < _WARN:
        return ()
    kind = "harder" if found.effect > 0.0 else "easier"
    return (
        f"The {count(gone.size, selection.unit)} that did not come back {'is' if gone.size == 1 else 'are'} "
        f"{kind} than the others by the metric ({p_statement(found.p_two_sided)}): weights do not repair "
        "that. Have them judged, too.",
    )


def earlier_draws(n: int) -> tuple[str, ...]:
    """Say how often the same pool was drawn from before."""
    if not n:
        return ()
    verb = "was one other draw" if n == 1 else f"were {n:,} others"
    return (
        f"Before this draw there {verb} from the same pool: who draws again and keeps the best has no "
        "valid interval.",
    )
