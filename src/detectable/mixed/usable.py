"""The judgments that a mixed model is fitted to: of one evaluation, without controls."""

import math
from collections.abc import Mapping
from dataclasses import replace
from typing import Any

import numpy as np

from detectable.core import check
from detectable.core.choices import MixedRepeats, Repeated
from detectable.core.errors import InputError
from detectable.core.wording import count
from detectable.data.factor import cross
from detectable.data.files.table import TableSource
from detectable.data.human.cells import ordinary
from detectable.data.human.judgments import Judgments, one_evaluation

ANY_SCALE = (-math.inf, math.inf)  # stars, penalties and z alike: a linear model has no bounds


def reading_options(
    *,
    scale: tuple[float, float] | None,
    repeated: Repeated | None,
    repeats: MixedRepeats = "mean",
) -> dict[str, Any]:
    """Return how judgments are read for a model, where the user left it open.

    Any score will do, and who keeps repeats need not say twice that there are some.
    """
    keeps = repeated is None and repeats == "keep"
    return {
        "scale": ANY_SCALE if scale is None else scale,
        "repeated": "mark" if keeps else repeated,
    }


def read_for_model(
    source: TableSource | Judgments,
    *,
    columns: Mapping[str, str] | None = None,
    scale: tuple[float, float] | None = None,
    repeated: Repeated | None = None,
    repeats: MixedRepeats = "mean",
) -> tuple[Judgments, tuple[str, ...]]:
    """Return judgments of any scale from whatever holds them, and the notes of the reader.

    Judgments that were read already are returned as they are, without notes: who read them had
    their notes. Options of reading are then refused, as they would have no effect.
    """
    from detectable.data.human.read_judgments import read_judgments

    if not isinstance(source, Judgments):
        options = reading_options(scale=scale, repeated=repeated, repeats=repeats)
        read = read_judgments(source, columns=columns, **options)
        return read, read.notes
    given = {"columns": columns, "scale": scale, "repeated": repeated}
    for name, value in given.items():
        if value is not None:
            raise InputError(
                f"`{name}` must be given to `read_judgments`; these judgments were read already. "
                "Leave it out here."
            )
    return source, ()


def usable_judgments(
    judgments: Judgments,
    *,
    campaign: str | None = None,
    language: str | None = None,
    repeats: MixedRepeats = "mean",
) -> tuple[Judgments, tuple[str, ...]]:
    """Return what a model can be fitted to, and notes of what was left out or averaged.

    One evaluation, ordinary kinds, and by default one score of a rater for an item of a system.
    Names are numbered as the rows that are left come along, so that rows which are left out
    change nothing, not even the order of the systems.
    """
    check.literal(repeats, MixedRepeats, "repeats")
    judgments.column("rater")  # says so if there are none
    chosen = one_evaluation(judgments, campaign=campaign, language=language)
    kept, left_out = ordinary(chosen)
    settled, repeated = _settle_repeats(kept, repeats)
    names: dict[str, Any] = {
        role: cross(role, column)
        for role in ("system", "rater", "item", "document")
        if (column := getattr(settled, role)) is not None
    }
    return replace(settled, **names), (*left_out, *repeated)


def _settle_repeats(
    judgments: Judgments, repeats: MixedRepeats
) -> tuple[Judgments, tuple[str, ...]]:
    """Average what one rater gave one item of a system, or keep it apart."""
    cells = judgments.cells()
    extra = judgments.n_judgments - cells.mean.size
    if not extra:
        return judgments, ()
    again = f"{count(extra, 'rating')} repeat an earlier one of the same rater, item and system"
    if repeats == "keep":
        return judgments, (f"{again}, and were kept as independent ratings.",)
    # What a rater thinks of an item does not become surer by being asked twice.
    in_file = np.argsort(cells.row)
    once = cells.judgments.take(cells.row[in_file])
    return replace(once, score=cells.mean[in_file]), (f"{again}, and were averaged with it.",)
