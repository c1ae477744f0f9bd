"""The judgments that a mixed model is fitted to: of one evaluation, without controls."""

import math
from collections.abc import Mapping, Sequence
from dataclasses import replace
from typing import Any

import numpy as np

from detectable.core import check
from detectable.core.choices import MixedRepeats, Repeated
from detectable.core.errors import DataError, InputError
from detectable.core.types import FloatArray, IntArray
from detectable.core.wording import count
from detectable.data.factor import Factor, cross
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
    judgments.refuse_weights("a mixed model", "`rank`")
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
    # Repeats by one rater are not independent, so they are averaged.
    in_file = np.argsort(cells.row)
    once = cells.judgments.take(cells.row[in_file])
    return replace(once, score=cells.mean[in_file]), (f"{again}, and were averaged with it.",)


# --- Designs in which effects or spreads are one and the same, and the sentence that names them ---


def check_factors(system: Factor, factors: Mapping[str, Factor]) -> None:
    """Refuse a factor with one level, or one that is aliased with another or the residual."""
    n = system.codes.size
    for role, factor in factors.items():
        if len(factor.levels) < 2:
            raise DataError(
                f"all {count(n, 'rating')} are of one {role}, {factor.levels[0]!r}. A spread "
                f"needs at least two {role}s: with one, results hold for that {role} alone."
            )
        if len(factor.levels) == n:
            raise DataError(
                f"each {role} has one rating only ({n:,} {role}s, {count(n, 'rating')}): the "
                f"{role} intercept is aliased with the residual. "
                f"Collect several ratings per {role}, or compare means without a mixed model."
            )
        if _extra_rank(factor.codes, system.codes) == 0:
            raise DataError(
                f"the {role} intercept is aliased with the systems: each {role} belongs to one "
                f"system, and there are as many {role}s as systems ({len(system.levels)}). "
                f"Let every {role} meet several systems, or add {role}s."
            )
    roles = list(factors)
    for index, role in enumerate(roles):
        for other in roles[:index]:
            if same_cut(factors[role].codes, factors[other].codes):
                raise DataError(
                    f"the {role} intercept is aliased with the {other} intercept: every {other} "
                    f"has its own {role} ({len(factors[role].levels):,} of each). "
                    f"Leave one of the two out, or let them cross."
                )


def check_nesting(item: Factor, document: Factor) -> None:
    """Refuse items that do not repeat within documents, where documents explain them."""
    pairs = np.unique(item.codes * len(document.levels) + document.codes)
    if pairs.size != len(
        item.levels
    ):  # unreachable through Judgments.build, which renames items
        raise DataError(
            f"items must lie within documents; {count(pairs.size - len(item.levels), 'item')} "
            "belong to several. Name items by document and number."
        )


def _extra_rank(codes: IntArray, given: IntArray) -> int:
    """Return the rank that the indicators of `codes` add to those of `given`.

    Two sets of indicators share one dimension per connected component of the graph that joins
    the levels that occur together.
    """
    from scipy.sparse import coo_array
    from scipy.sparse.csgraph import connected_components

    n_levels, n_given = int(codes.max()) + 1, int(given.max()) + 1
    size = n_levels + n_given
    edges = coo_array((np.ones(codes.size), (codes, given + n_levels)), shape=(size, size))
    components, _ = connected_components(edges, directed=False)
    return n_levels - int(components)


def same_cut(a: IntArray, b: IntArray) -> bool:
    """Say whether two factors cut the ratings in the same way."""
    levels = int(a.max()) + 1
    if levels != int(b.max()) + 1:
        return False
    return bool(np.unique(a * levels + b).size == levels)


# --- Whether a design identifies all its spreads ---

_FLAT = 1e-9  # an eigenvalue below this, of a matrix with unit diagonal, is rounding


def told_apart(rows: FloatArray, terms: Sequence[tuple[Factor, bool]]) -> bool:
    r"""Say whether the spreads are identified, whatever the ratings are.

    With :math:`M = I - X(X'X)^{-1}X'`, restricted likelihood knows the spreads by the matrices
    :math:`M Z_t Z_t' M` and, for the residual, :math:`M`. It identifies them if none of these
    is a sum of multiples of the others, which is to say if their inner products

    .. math:: |Z_t'MZ_u|^2, \qquad \mathrm{tr}(Z_t'MZ_t), \qquad n - p

    form a matrix of full rank [1]_.

    Parameters
    ----------
    rows : array of shape (n, p)
        The fixed effects of each rating, the constant first.
    terms : sequence of (Factor, bool)
        What has a spread: intercepts of a factor, or its slopes (True).

    References
    ----------
    .. [1] Rao and Kleffe (1988), Estimation of Variance Components and Applications, chapter 4.

    Examples
    --------
    >>> from detectable.data.factor import factor
    >>> rows, item = np.ones((4, 1)), factor("item", ["a", "a", "b", "b"])
    >>> told_apart(rows, [(item, False)]), told_apart(rows, [(item, False), (item, False)])
    (True, False)
    """
    n, p = rows.shape
    inverse = np.linalg.inv(rows.T @ rows)
    effects = [
        _effects(factor, rows[:, 1:] if slope else rows[:, :1]) for factor, slope in terms
    ]
    shared = [z.T @ rows for z in effects]  # Z'X
    m = len(effects)
    inner = np.empty((m + 1, m + 1))
    inner[m, m] = n - p
    for t, (z, own) in enumerate(zip(effects, shared, strict=True)):
        inner[t, m] = inner[m, t] = z.power(2).sum() - np.sum(own @ inverse * own)
        for u in range(t + 1):
            both, theirs = z.T @ effects[u], shared[u]
            across = np.sum((both @ theirs @ inverse) * own)
            squares = (inverse @ (own.T @ own)) @ (inverse @ (theirs.T @ theirs))
            inner[t, u] = inner[u, t] = both.power(2).sum() - 2.0 * across + np.trace(squares)
    size = np.sqrt(np.diagonal(inner))
    if size.min() < _FLAT * size.max():  # a factor that the fixed effects explain
        return False
    return bool(np.linalg.eigvalsh(inner / size / size[:, None])[0] > _FLAT)


def _effects(factor: Factor, regressors: FloatArray) -> Any:
    """Return the regressors of a term as a sparse matrix, one column per effect."""
    from scipy.sparse import csr_array

    n, width = regressors.shape
    columns = factor.codes[:, None] * width + np.arange(width)
    starts = np.arange(n + 1) * width
    shape = (n, width * factor.n_levels)
    return csr_array((regressors.ravel(), columns.ravel(), starts), shape=shape)
