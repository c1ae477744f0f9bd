"""Compare language systems, and know what the comparison could have detected.

>>> import detectable as dt
>>> result = dt.compare(dt.example_corpus(), "bleu", baseline="baseline", rng=1)
>>> result.pairs[0].verdict
'better'
"""

import sys
from importlib import import_module
from types import ModuleType
from typing import TYPE_CHECKING, Any

from detectable.core.version import VERSION as __version__

if TYPE_CHECKING:
    from detectable.core.errors import (
        CompatibilityWarning,
        ConvergenceError,
        DataError,
        DetectableError,
        DetectableWarning,
        InputError,
        MissingExtraError,
        SuspiciousDataWarning,
    )
    from detectable.data.corpus import (
        Corpus,
    )
    from detectable.data.example_corpus import (
        example_corpus,
    )
    from detectable.data.loaded import (
        Loaded,
    )
    from detectable.data.read_corpus import (
        read_corpus,
    )
    from detectable.data.read_corpus_file import (
        read_corpus_file,
    )
    from detectable.data.read_scores import (
        read_scores,
    )
    from detectable.data.scores import (
        Scores,
    )
    from detectable.metrics.base import (
        ScoreMetric,
        TextMetric,
    )
    from detectable.metrics.registry import (
        metric,
    )
    from detectable.mixed.component import (
        ComponentTest,
        component_test,
    )
    from detectable.mixed.fit import (
        fit_mixed,
    )
    from detectable.mixed.predictions import (
        EffectPredictions,
        predict_effects,
    )
    from detectable.mixed.result import (
        MixedFit,
    )
    from detectable.mixed.simulate import (
        Simulation,
        simulate,
    )
    from detectable.power.accuracy import (
        Accuracy,
    )
    from detectable.power.accuracy_margin import (
        AccuracyMargin,
    )
    from detectable.power.ask import (
        mde,
        power,
        power_curve,
        sample_size,
    )
    from detectable.power.bleu import (
        Bleu,
    )
    from detectable.power.cheapest import (
        CheapestDesign,
        Costs,
        cheapest,
    )
    from detectable.power.likert import (
        Likert,
    )
    from detectable.power.pilot import (
        Pilot,
    )
    from detectable.power.preference import (
        Preference,
    )
    from detectable.power.rank_sum import (
        RankSum,
    )
    from detectable.power.ratings import (
        Ratings,
    )
    from detectable.power.ratings_margin import (
        RatingsMargin,
    )
    from detectable.power.result import (
        DetectableEffect,
        PowerCurve,
        PowerEstimate,
        SampleSize,
    )
    from detectable.power.scenario import (
        Closed,
        EffectRange,
        Scenario,
        Trials,
    )
    from detectable.power.swap_effects import (
        SwapFit,
    )
    from detectable.power.unpaired_accuracy import (
        UnpairedAccuracy,
    )
    from detectable.study.compare import (
        compare,
    )
    from detectable.study.comparison import (
        Comparison,
        PairComparison,
        SystemScore,
    )


_WHERE = {
    "Accuracy": "detectable.power.accuracy",
    "AccuracyMargin": "detectable.power.accuracy_margin",
    "Bleu": "detectable.power.bleu",
    "CheapestDesign": "detectable.power.cheapest",
    "Closed": "detectable.power.scenario",
    "Comparison": "detectable.study.comparison",
    "CompatibilityWarning": "detectable.core.errors",
    "ComponentTest": "detectable.mixed.component",
    "ConvergenceError": "detectable.core.errors",
    "Corpus": "detectable.data.corpus",
    "Costs": "detectable.power.cheapest",
    "DataError": "detectable.core.errors",
    "DetectableEffect": "detectable.power.result",
    "DetectableError": "detectable.core.errors",
    "DetectableWarning": "detectable.core.errors",
    "EffectPredictions": "detectable.mixed.predictions",
    "EffectRange": "detectable.power.scenario",
    "InputError": "detectable.core.errors",
    "Likert": "detectable.power.likert",
    "Loaded": "detectable.data.loaded",
    "MissingExtraError": "detectable.core.errors",
    "MixedFit": "detectable.mixed.result",
    "PairComparison": "detectable.study.comparison",
    "Pilot": "detectable.power.pilot",
    "PowerCurve": "detectable.power.result",
    "PowerEstimate": "detectable.power.result",
    "Preference": "detectable.power.preference",
    "RankSum": "detectable.power.rank_sum",
    "Ratings": "detectable.power.ratings",
    "RatingsMargin": "detectable.power.ratings_margin",
    "SampleSize": "detectable.power.result",
    "Scenario": "detectable.power.scenario",
    "ScoreMetric": "detectable.metrics.base",
    "Scores": "detectable.data.scores",
    "Simulation": "detectable.mixed.simulate",
    "SuspiciousDataWarning": "detectable.core.errors",
    "SwapFit": "detectable.power.swap_effects",
    "SystemScore": "detectable.study.comparison",
    "TextMetric": "detectable.metrics.base",
    "Trials": "detectable.power.scenario",
    "UnpairedAccuracy": "detectable.power.unpaired_accuracy",
    "cheapest": "detectable.power.cheapest",
    "compare": "detectable.study.compare",
    "component_test": "detectable.mixed.component",
    "example_corpus": "detectable.data.example_corpus",
    "fit_mixed": "detectable.mixed.fit",
    "mde": "detectable.power.ask",
    "metric": "detectable.metrics.registry",
    "power": "detectable.power.ask",
    "power_curve": "detectable.power.ask",
    "predict_effects": "detectable.mixed.predictions",
    "read_corpus": "detectable.data.read_corpus",
    "read_corpus_file": "detectable.data.read_corpus_file",
    "read_scores": "detectable.data.read_scores",
    "sample_size": "detectable.power.ask",
    "simulate": "detectable.mixed.simulate",
}
__all__ = [
    "Accuracy",
    "AccuracyMargin",
    "Bleu",
    "CheapestDesign",
    "Closed",
    "Comparison",
    "CompatibilityWarning",
    "ComponentTest",
    "ConvergenceError",
    "Corpus",
    "Costs",
    "DataError",
    "DetectableEffect",
    "DetectableError",
    "DetectableWarning",
    "EffectPredictions",
    "EffectRange",
    "InputError",
    "Likert",
    "Loaded",
    "MissingExtraError",
    "MixedFit",
    "PairComparison",
    "Pilot",
    "PowerCurve",
    "PowerEstimate",
    "Preference",
    "RankSum",
    "Ratings",
    "RatingsMargin",
    "SampleSize",
    "Scenario",
    "ScoreMetric",
    "Scores",
    "Simulation",
    "SuspiciousDataWarning",
    "SwapFit",
    "SystemScore",
    "TextMetric",
    "Trials",
    "UnpairedAccuracy",
    "__version__",
    "cheapest",
    "compare",
    "component_test",
    "example_corpus",
    "fit_mixed",
    "mde",
    "metric",
    "power",
    "power_curve",
    "predict_effects",
    "read_corpus",
    "read_corpus_file",
    "read_scores",
    "sample_size",
    "simulate",
]


def __getattr__(name: str) -> Any:
    """Import a public name on first use, so that ``detectable --help`` stays fast."""
    if name not in _WHERE:
        message = f"module 'detectable' has no attribute {name!r}"
        raise AttributeError(message)
    return getattr(import_module(_WHERE[name]), name)


def __dir__() -> list[str]:
    return sorted([*globals(), *__all__])


class _Package(ModuleType):
    """The package as a module whose `power` is the function, although a layer has that name.

    Whoever imports the layer `detectable.power` (the import system, pytest) binds its name here.
    That would replace the function by a module, depending on what was imported before. The layer
    needs no such name: ``from detectable.power.accuracy import Accuracy`` does without.
    """

    @property
    def power(self) -> Any:
        """The function, as for the other public names."""
        return __getattr__("power")

    @power.setter
    def power(self, layer: ModuleType) -> None:
        if getattr(layer, "__name__", "") != "detectable.power":
            message = "`detectable.power` is a function of the package and cannot be replaced."
            raise AttributeError(message)


sys.modules[__name__].__class__ = _Package
