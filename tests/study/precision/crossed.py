"""Judgments with known variances."""

from typing import Any

import numpy as np

from detectable.data.human.judgments import Judgments

EVERYTHING = (-1e6, 1e6)


def crossed(
    rng: np.random.Generator,
    *,
    items: int = 200,
    raters: int = 40,
    per_item: int = 2,
    quality: float = 25.0,
    noise: float = 75.0,
    repeated_share: float = 1.0,
    documents: int | None = None,
    systems: tuple[str, ...] = ("A",),
) -> Judgments:
    """Return scores 50 + quality of the item + noise; a share of items has several raters."""
    columns: dict[str, list[Any]] = {"system": [], "item": [], "rater": [], "score": []}
    if documents is not None:
        columns["document"] = []
    for number, system in enumerate(systems):
        k = np.where(rng.random(items) < repeated_share, per_item, 1)
        item = np.repeat(np.arange(items), k)
        offset = np.concatenate([np.arange(n) for n in k])
        rater = (rng.integers(raters, size=items)[item] + offset) % raters
        score = 50.0 + 5.0 * number + rng.normal(0, quality**0.5, items)[item]
        score += rng.normal(0, noise**0.5, item.size)
        columns["system"] += [system] * item.size
        columns["item"] += item.tolist()
        columns["rater"] += rater.tolist()
        columns["score"] += score.tolist()
        if documents is not None:
            columns["document"] += (item % documents).tolist()
    return Judgments.build(columns, scale=EVERYTHING)
