"""What a comparison says about samples of an item: the rows of two tables."""

from dataclasses import dataclass


@dataclass(frozen=True, slots=True, kw_only=True)
class SystemSamples:
    """The samples of one system.

    Attributes
    ----------
    score : float
        The mean over items of the mean of their samples; items weigh alike.
    n_samples : int
        In all; `fewest` and `most` of an item.
    missing_share : float
        Of samples that should be there.
    standard_error, standard_error_clusters, standard_error_these : float
        Of the score: for other items like these, for other documents (with C/(C − 1)), for other
        samples of these very items.
    standard_error_rows : float
        What counting every sample as an item would say.
    variance_items, variance_samples : float
        Between items, and between samples of an item.
    """

    system: str
    score: float
    n_items: int
    n_samples: int
    fewest: int
    most: int
    missing_share: float
    n_clusters: int | None
    standard_error: float
    standard_error_clusters: float
    standard_error_these: float
    standard_error_rows: float
    variance_items: float
    variance_samples: float


@dataclass(frozen=True, slots=True, kw_only=True)
class PairSamples:
    """One pair under one mean.

    Attributes
    ----------
    variance_differences : float
        Of true differences between items: ω², without the noise of sampling.
    mde_many_samples : float
        The floor: what endless samples of these items would find; only more items lower it.
    """

    metric: str
    system: str
    baseline: str
    variance_differences: float
    mde_many_samples: float


@dataclass(frozen=True, slots=True, kw_only=True)
class Sampled:
    """What a comparison says about samples."""

    systems: tuple[SystemSamples, ...]
    pairs: tuple[PairSamples, ...]
