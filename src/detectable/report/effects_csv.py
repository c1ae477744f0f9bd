"""Predicted effects of raters and items as a spreadsheet."""

from collections.abc import Iterable
from typing import Any

from detectable.mixed.predictions import EffectPredictions
from detectable.report.render.csv import to_csv

HEADER = ("factor", "level", "system", "effect", "standard_error", "n_ratings")


def effects_csv(predictions: Iterable[EffectPredictions]) -> str:
    """Return all predicted effects, one row per level, and one per system where it matters."""
    rows: list[tuple[Any, ...]] = []
    for one in predictions:
        for row in one.effects:
            rows.append(
                (one.factor, row.level, "", row.effect, row.standard_error, row.n_ratings)
            )
            rows += [
                (one.factor, row.level, name, value, row.by_system_errors[name], row.n_ratings)
                for name, value in row.by_system.items()
            ]
    return to_csv(HEADER, rows)
