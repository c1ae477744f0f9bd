"""How much segments of a document resemble each other, for systems and for their differences."""

import itertools
import math

import numpy as np

from detectable.core.types import FloatArray
from detectable.inference.design_effect import DesignEffect, design_effect, segment_coverage
from detectable.study.reliability.measures import Measure
from detectable.study.reliability.result import Clustering


def clustering(one: Measure, *, level: float) -> Clustering:
    """Return design effect and intraclass correlation under one measure, medians over systems."""
    influence = [one.documents.influence(one.place, s) for s in range(len(one.systems))]
    of_segment = one.documents.of_segment
    alone = [design_effect(values, of_segment) for values in influence]
    pairs = list(itertools.combinations(range(len(alone)), 2))
    apart = [design_effect(influence[a] - influence[b], of_segment) for a, b in pairs]
    ratio = [
        pair.sd_document / math.hypot(alone[a].sd_document, alone[b].sd_document)
        for pair, (a, b) in zip(apart, pairs, strict=True)
        if alone[a].sd_document > 0.0 or alone[b].sd_document > 0.0
    ]
    typical = _known(alone, "design_effect")
    middle = _median(typical)
    iccs = _known(alone, "icc")
    n_segments = one.documents.n_segments
    return Clustering(
        metric=one.name,
        n_documents=one.documents.n_documents,
        n_segments=n_segments,
        icc=_median(iccs),
        icc_range=_range(iccs),
        design_effect=middle,
        design_effect_range=_range(typical),
        n_effective=n_segments / middle if middle > 0.0 else math.nan,
        too_narrow=math.sqrt(middle),
        coverage=segment_coverage(middle, level),
        difference_design_effect=_median(_known(apart, "design_effect")),
        pairing=_median(np.array(ratio)),
    )


def _known(found: list[DesignEffect], name: str) -> FloatArray:
    values = np.array([getattr(one, name) for one in found], dtype=np.float64)
    return values[~np.isnan(values)]


def _median(values: FloatArray) -> float:
    return float(np.median(values)) if values.size else math.nan


def _range(values: FloatArray) -> tuple[float, float]:
    return (float(values.min()), float(values.max())) if values.size else (math.nan, math.nan)
