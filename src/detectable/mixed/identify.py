"""Designs in which two effects are one and the same, and the sentence that names them."""

from collections.abc import Mapping

import numpy as np

from detectable.core.errors import DataError
from detectable.core.types import IntArray
from detectable.core.wording import count
from detectable.data.factor import Factor


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
