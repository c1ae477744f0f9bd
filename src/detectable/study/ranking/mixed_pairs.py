"""A ranking from a mixed model: raters and items as samples of more raters and items."""

from dataclasses import dataclass

import numpy as np

from detectable.core.types import FloatArray
from detectable.data.human.judgments import Judgments
from detectable.inference.delta import Estimate
from detectable.study.ranking.settings import RankSettings


@dataclass(frozen=True, slots=True, kw_only=True)
class MixedAnswer:
    """Means and differences of a mixed model."""

    means: dict[str, Estimate]
    differences: dict[tuple[str, str], tuple[Estimate, float]]  # first − second, and p
    notes: tuple[str, ...]

    def difference(self, first: str, second: str) -> tuple[Estimate, float]:
        """Return the estimate of first − second, and its p-value."""
        if (first, second) in self.differences:
            return self.differences[first, second]
        found, p = self.differences[second, first]
        return Estimate(-found.value, found.standard_error, found.df), p


def fit_ranking(judgments: Judgments, settings: RankSettings) -> MixedAnswer:
    """Fit all ordinary judgments, repeats averaged; documents take part where they are known."""
    from detectable.mixed.fit import fit_mixed

    # A second score by the same rater is no second rating: they are averaged first.
    cells = judgments.cells()
    in_file = np.argsort(cells.row)
    once = cells.judgments.take(cells.row[in_file])
    columns: dict[str, FloatArray | list[str]] = {
        "score": cells.mean[in_file],
        "system": once.system.labels(),
        "rater": once.column("rater").labels(),
        "item": once.item.labels(),
    }
    with_documents = once.document is not None and settings.unit != "item"
    if once.document is not None and with_documents:
        columns["document"] = once.document.labels()
    fit = fit_mixed(
        columns,
        response="score",
        system="system",
        rater="rater",
        item="item",
        document="document" if with_documents else None,
        alpha=settings.alpha,
    )
    return MixedAnswer(
        means={
            row.system: Estimate(row.mean, row.standard_error, row.df) for row in fit.systems
        },
        differences={
            (row.system, str(row.baseline)): (
                Estimate(row.estimate, row.standard_error, row.df),
                row.p_value,
            )
            for row in fit.contrasts
        },
        notes=fit.notes,
    )


def p_values(answer: MixedAnswer, pairs: list[tuple[str, str]]) -> FloatArray:
    """Return the p-value of every pair."""
    return np.array([answer.difference(*pair)[1] for pair in pairs])
