"""What reverse data add to the score of every system."""

import numpy as np

from detectable.inference.independent import independent_difference
from detectable.inference.multiplicity import holm
from detectable.study.pairs.analysis import t_p_value
from detectable.study.translationese.halved_sample import HalvedSample
from detectable.study.translationese.rows import SystemEffect


def system_effects(measure: HalvedSample, *, alpha: float) -> tuple[SystemEffect, ...]:
    """Return reverse − forward of every system, with an interval over documents.

    Documents of the two halves are different documents: their errors are independent. Each
    half has the cluster-robust error of its own score (CR2, influence values for metrics that
    are no means), and the two add up.
    """
    systems = range(len(measure.systems))
    forward = [measure.estimate("forward", s) for s in systems]
    reverse = [measure.estimate("reverse", s) for s in systems]
    found = [independent_difference(r, f) for r, f in zip(reverse, forward, strict=True)]
    p_values = np.array([t_p_value(cell) for cell in found])
    adjusted = holm(p_values)
    level = 1.0 - alpha
    return tuple(
        SystemEffect(
            measure=measure.name,
            system=measure.systems[s],
            forward=forward[s].value,
            forward_interval=forward[s].interval(level),
            reverse=reverse[s].value,
            reverse_interval=reverse[s].interval(level),
            difference=found[s].value,
            interval=found[s].interval(level),
            standard_error=found[s].standard_error,
            df=found[s].df,
            p_value=float(p_values[s]),
            p_adjusted=float(adjusted[s]),
            n_forward=measure.n_segments("forward", s),
            n_reverse=measure.n_segments("reverse", s),
        )
        for s in systems
    )
