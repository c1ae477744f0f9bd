"""Forward against reverse data where only the means of the systems on both are known, as papers print them."""

import math
from collections.abc import Iterator, Mapping, Sequence

import numpy as np

from detectable.core.errors import DataError
from detectable.core.interval import Interval
from detectable.core.result import Signature
from detectable.core.types import FloatArray
from detectable.core.wording import count, listing
from detectable.data.files.numbers import number_column
from detectable.data.files.place import Problems, is_missing
from detectable.data.files.table import Table, TableSource, find_column, read_table
from detectable.inference.correlation import kendall, pearson, spearman
from detectable.study.translationese.campaigns import CampaignHalves, TranslationeseCampaigns
from detectable.study.translationese.result import Coefficient, HalfAgreement, SystemEffect

NAMES: Mapping[str, Sequence[str]] = {
    "system": ("system", "model", "sys"),
    "forward": ("forward", "fwd", "org", "original"),
    "reverse": ("reverse", "rev", "trs", "translationese"),
    "campaign": ("campaign", "language_pair", "language", "lp", "pair", "competition"),
    "measure": ("measure", "metric"),
}
_UNKNOWN = Interval(math.nan, math.nan, 0.95)
_FEWEST = 3  # systems, from which on there is a correlation


def translationese_means(means: TableSource) -> TranslationeseCampaigns:
    """Compare forward with reverse data by published means of systems.

    A table of a paper has, of each system, the mean score on forward and on reverse data, and no
    segments. It shows what reverse data add to every system, how two systems change, and how far the
    halves order them alike: Figures 1 to 4 of Graham et al. (2020) [1]_. It has no errors, so nothing
    is tested.

    Parameters
    ----------
    means : path, mapping of str to sequence, or data frame
        With columns ``system``, ``forward`` and ``reverse``, and where there are several,
        ``campaign`` (or ``language_pair``) and ``measure``.

    References
    ----------
    .. [1] Graham, Haddow and Koehn (2020), "Statistical power and translationese in machine
       translation evaluation", EMNLP, 72–81.

    Examples
    --------
    >>> table = {"system": ["A", "B", "C"], "forward": [70, 65, 62], "reverse": [74, 70, 61]}
    >>> found = translationese_means(table)
    >>> found.rows[0].gains, round(found.rows[0].correlation("pearson"), 3)
    ((4.0, 5.0, -1.0), 0.935)
    """
    table = read_table(means)
    chosen = {role: find_column(table, role, names, {}) for role, names in NAMES.items()}
    for role, why in (
        ("system", "which system a row is about"),
        ("forward", "its mean on data first written in the source language"),
        ("reverse", "its mean on data first written in the target language"),
    ):
        if chosen[role] is None:
            raise table.missing(f"{role}, {why}")
    problems = Problems(table.path)
    forward, reverse = (
        number_column(table, str(chosen[half]), problems, must="a mean score")
        for half in ("forward", "reverse")
    )
    problems.stop()
    known = np.isfinite(forward) & np.isfinite(reverse)
    names = {role: _texts(table, chosen[role]) for role in ("system", "campaign", "measure")}
    groups: dict[tuple[str, str], list[int]] = {}
    for row in np.flatnonzero(known).tolist():
        groups.setdefault((names["measure"][row], names["campaign"][row]), []).append(row)
    if not groups:
        raise DataError(f"{table.subject}: no row has a mean on both halves.")
    rows = tuple(
        _row(table, names["system"], (forward, reverse), group, at)
        for group, at in groups.items()
    )
    measures = tuple(dict.fromkeys(row.measure for row in rows))
    left = int((~known).sum())
    return TranslationeseCampaigns(
        rows=rows,
        measures=measures,
        digits={measure: _digits(measure, rows) for measure in measures},
        left_out={},
        alpha=0.05,
        power=0.80,
        n_resamples=0,
        notes=(
            "Published means say nothing of their errors: nothing is tested, and a correlation of "
            "few systems is uncertain.",
            *(
                [f"{count(left, 'row')} without a mean on both halves left out."]
                if left
                else []
            ),
        ),
        signature=Signature(
            "translationese-means",
            {"campaigns": len({r.campaign for r in rows}), "measures": "+".join(measures)},
        ),
    )


def _texts(table: Table, column: str | None) -> list[str]:
    if column is None:
        return [""] * table.n_rows
    return ["" if is_missing(cell) else str(cell).strip() for cell in table.cells(column)]


def _row(
    table: Table,
    systems: Sequence[str],
    means: tuple[FloatArray, FloatArray],
    group: tuple[str, str],
    at: Sequence[int],
) -> CampaignHalves:
    measure, campaign = group[0] or "score", group[1] or "all"
    names = [systems[row] for row in at]
    twice = sorted({name for name in names if names.count(name) > 1})
    if twice:
        raise DataError(
            f"{table.subject}: {listing(twice)} stands twice in {campaign} ({measure}). Name "
            "campaigns and measures in columns `campaign` and `measure`."
        )
    scores = [(float(means[0][row]), float(means[1][row])) for row in at]
    return CampaignHalves(
        campaign=campaign,
        language_pair=campaign,
        measure=measure,
        n_forward=0,
        n_reverse=0,
        effects=tuple(
            _effect(measure, name, *pair) for name, pair in zip(names, scores, strict=True)
        ),
        pairs=(),
        agreement=tuple(_agreement(measure, np.array(scores).T)),
        means_only=True,
    )


def _effect(measure: str, system: str, forward: float, reverse: float) -> SystemEffect:
    return SystemEffect(
        measure=measure,
        system=system,
        difference=reverse - forward,
        interval=_UNKNOWN,
        p_value=math.nan,
        p_adjusted=math.nan,
        forward=forward,
        forward_interval=_UNKNOWN,
        reverse=reverse,
        reverse_interval=_UNKNOWN,
        n_forward=0,
        n_reverse=0,
    )


def _agreement(measure: str, scores: FloatArray) -> Iterator[HalfAgreement]:
    n = scores.shape[1]
    if n < _FEWEST:
        return
    found: dict[Coefficient, float] = {
        "pearson": float(pearson(*scores)),
        "spearman": float(spearman(*scores)),
        "kendall": float(kendall(*scores)),
    }
    for coefficient, value in found.items():
        yield HalfAgreement(
            measure=measure,
            coefficient=coefficient,
            value=value,
            interval=_UNKNOWN,
            random_halves=math.nan,
            random_interval=_UNKNOWN,
            p_value=math.nan,
            n_systems=n,
        )


def _digits(measure: str, rows: Sequence[CampaignHalves]) -> int:
    """Return how many decimals distinguish the gains: two significant ones of their median."""
    sizes = sorted(abs(gain) for row in rows if row.measure == measure for gain in row.gains)
    middle = sizes[len(sizes) // 2]
    return 2 if middle == 0.0 else min(max(1 - math.floor(math.log10(middle)), 0), 4)
