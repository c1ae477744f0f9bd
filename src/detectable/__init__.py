"""Compare language systems, and know what the comparison could have detected.

>>> import detectable as dt
>>> result = dt.compare(dt.example_corpus(), "bleu", baseline="baseline", rng=1)
>>> result.pairs[0].verdict
'better'
"""

from importlib import import_module
from typing import TYPE_CHECKING, Any

from detectable.core.version import VERSION as __version__

if TYPE_CHECKING:
    from detectable.core.errors import (
        CompatibilityWarning,
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
    from detectable.study.compare import (
        compare,
    )
    from detectable.study.comparison import (
        Comparison,
        PairComparison,
        SystemScore,
    )


_WHERE = {
    "Comparison": "detectable.study.comparison",
    "CompatibilityWarning": "detectable.core.errors",
    "Corpus": "detectable.data.corpus",
    "DataError": "detectable.core.errors",
    "DetectableError": "detectable.core.errors",
    "DetectableWarning": "detectable.core.errors",
    "InputError": "detectable.core.errors",
    "Loaded": "detectable.data.loaded",
    "MissingExtraError": "detectable.core.errors",
    "PairComparison": "detectable.study.comparison",
    "ScoreMetric": "detectable.metrics.base",
    "Scores": "detectable.data.scores",
    "SuspiciousDataWarning": "detectable.core.errors",
    "SystemScore": "detectable.study.comparison",
    "TextMetric": "detectable.metrics.base",
    "compare": "detectable.study.compare",
    "example_corpus": "detectable.data.example_corpus",
    "metric": "detectable.metrics.registry",
    "read_corpus": "detectable.data.read_corpus",
    "read_corpus_file": "detectable.data.read_corpus_file",
    "read_scores": "detectable.data.read_scores",
}
__all__ = [
    "Comparison",
    "CompatibilityWarning",
    "Corpus",
    "DataError",
    "DetectableError",
    "DetectableWarning",
    "InputError",
    "Loaded",
    "MissingExtraError",
    "PairComparison",
    "ScoreMetric",
    "Scores",
    "SuspiciousDataWarning",
    "SystemScore",
    "TextMetric",
    "__version__",
    "compare",
    "example_corpus",
    "metric",
    "read_corpus",
    "read_corpus_file",
    "read_scores",
]


def __getattr__(name: str) -> Any:
    """Import a public name on first use, so that ``detectable --help`` stays fast."""
    if name not in _WHERE:
        message = f"module 'detectable' has no attribute {name!r}"
        raise AttributeError(message)
    return getattr(import_module(_WHERE[name]), name)


def __dir__() -> list[str]:
    return sorted([*globals(), *__all__])
