"""All metrics by name. Other packages add theirs through the entry point ``detectable.metrics``."""

import dataclasses
from collections.abc import Callable
from importlib import import_module
from typing import Any

from detectable.core.errors import InputError
from detectable.core.registry import Registry
from detectable.metrics.base import Metric

METRICS: Registry[type[Metric]] = Registry("metric", "detectable.metrics")
USUAL = ("bleu", "chrf")  # of texts, where nobody names any

_BUILT_IN = {
    "bleu": "detectable.metrics.bleu:Bleu",
    "chrf": "detectable.metrics.chrf:Chrf",
    "chrf++": "detectable.metrics.chrf:ChrfPlusPlus",
    "ter": "detectable.metrics.ter:Ter",
    "nist": "detectable.metrics.nist:Nist",
    "mwer": "detectable.metrics.wer:WordErrorRate",
    "mper": "detectable.metrics.wer:PositionIndependentErrorRate",
    "gtm": "detectable.metrics.gtm:Gtm",
    "meteor": "detectable.metrics.meteor:Meteor",
    "length": "detectable.metrics.length:Length",
    "mean": "detectable.metrics.mean:Mean",
    "mean-error": "detectable.metrics.mean:MeanError",
    "accuracy": "detectable.metrics.mean:Accuracy",
}


def _loader(target: str) -> Callable[[], type[Metric]]:
    module, name = target.split(":")

    def load() -> type[Metric]:
        found: type[Metric] = getattr(import_module(module), name)
        return found

    return load


for _name, _target in _BUILT_IN.items():
    METRICS.register(_name, _loader(_target))


def metric(name: str, **settings: Any) -> Metric:
    """Return the metric called `name` with the given settings.

    Examples
    --------
    >>> metric("accuracy").higher_is_better
    True
    """
    kind = METRICS.get(name)
    known = [f.name for f in dataclasses.fields(kind) if f.init]  # type: ignore[arg-type]
    for key in settings:
        if key not in known:
            raise InputError(
                f"metric {name!r} has no setting {key!r}; it has {', '.join(known) or 'none'}."
            )
    return kind(**settings)
