"""Plan, monitor, test and report evaluations that can detect what you care about."""

from importlib import import_module
from typing import TYPE_CHECKING, Any

from detectable.core.version import VERSION as __version__

if TYPE_CHECKING:
    from detectable.core.errors import DetectableError, DetectableWarning
    from detectable.data.corpus import Corpus
    from detectable.data.scores import Scores
    from detectable.metrics.base import ScoreMetric, TextMetric
    from detectable.metrics.registry import metric


_WHERE = {
    "Corpus": "detectable.data.corpus",
    "DetectableError": "detectable.core.errors",
    "DetectableWarning": "detectable.core.errors",
    "ScoreMetric": "detectable.metrics.base",
    "Scores": "detectable.data.scores",
    "TextMetric": "detectable.metrics.base",
    "metric": "detectable.metrics.registry",
}
__all__ = [
    "Corpus",
    "DetectableError",
    "DetectableWarning",
    "ScoreMetric",
    "Scores",
    "TextMetric",
    "__version__",
    "metric",
]


def __getattr__(name: str) -> Any:
    """Import a public name on first use, so that ``detectable --help`` stays fast."""
    if name not in _WHERE:
        message = f"module 'detectable' has no attribute {name!r}"
        raise AttributeError(message)
    return getattr(import_module(_WHERE[name]), name)


def __dir__() -> list[str]:
    return sorted([*globals(), *__all__])
