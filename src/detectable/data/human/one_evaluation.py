"""Judgments of one evaluation: one campaign in one language pair."""

from detectable.core.errors import DataError
from detectable.core.wording import listing
from detectable.data.factor import Factor
from detectable.data.human.judgments import Judgments


def one_evaluation(
    judgments: Judgments, *, campaign: str | None = None, language: str | None = None
) -> Judgments:
    """Return the judgments of one campaign in one language pair; several need a choice.

    Examples
    --------
    >>> table = {"system": ["A", "A"], "item": [1, 1], "score": [60, 70], "language": ["de", "fr"]}
    >>> one_evaluation(Judgments.build(table), language="fr").score.tolist()
    [70.0]
    """
    wanted = {"campaign": campaign, "language": language}
    chosen = {role: name for role, name in wanted.items() if name is not None}
    kept = judgments.where(**chosen) if chosen else judgments
    for role in wanted:
        column: Factor | None = getattr(kept, role)
        if column is not None and column.n_levels > 1:
            raise DataError(several(judgments.path, role, column.levels))
    return kept


def several(path: str, role: str, levels: tuple[str, ...]) -> str:
    """Say that scores of different evaluations cannot be analysed together."""
    plural = {"campaign": "campaigns", "language": "language pairs"}[role]
    return (
        f"{path or 'the data'}: {len(levels)} {plural}: {listing(list(levels), most=20)}. Scores of "
        f"different ones are not comparable; choose one with --{role} ({role}=…)."
    )
