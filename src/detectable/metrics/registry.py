"""All metrics by name. Other packages add theirs through the entry point ``detectable.metrics``."""

import dataclasses
import re
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
    "f1": "detectable.metrics.labels:F1",
    "mcc": "detectable.metrics.labels:Mcc",
    "mean": "detectable.metrics.mean:Mean",
    "mean-error": "detectable.metrics.mean:MeanError",
    "accuracy": "detectable.metrics.mean:Accuracy",
    "pass@k": "detectable.metrics.passing:PassAny",
    "pass^k": "detectable.metrics.passing:PassAll",
}
_PASSING = re.compile(r"(pass[@^])([1-9]\d*)")  # pass@3 is pass@k with k=3


METRICS.register_all(_BUILT_IN)


def metric(name: str, **settings: Any) -> Metric:
    """Return the metric called `name` with the given settings.

    Parameters
    ----------
    name : str
        Such as ``bleu``, ``chrf++``, ``mean``, ``pass@3``; in other packages, as they register it.
    **settings
        Fields of the metric, such as ``tokenize="zh"`` of BLEU.

    Examples
    --------
    >>> metric("accuracy").higher_is_better
    True
    >>> metric("pass@3")
    PassAny(k=3)
    """
    name, own = settings_in(name)
    settings = {**own, **settings}
    kind = METRICS.get(name)
    if name in ("pass@k", "pass^k") and "k" not in settings:
        raise InputError(f"metric {name!r} needs a number: {name[:-1]}3, say.")
    known = [f.name for f in dataclasses.fields(kind) if f.init]  # type: ignore[arg-type]
    for key in settings:
        if key not in known:
            raise InputError(
                f"metric {name!r} has no setting {key!r}; it has {', '.join(known) or 'none'}."
            )
    return kind(**settings)


def settings_in(name: str) -> tuple[str, dict[str, Any]]:
    """Return the registered name, and the settings that stand in the name.

    Examples
    --------
    >>> settings_in("pass^5"), settings_in("bleu")
    (('pass^k', {'k': 5}), ('bleu', {}))
    """
    found = _PASSING.fullmatch(name)
    return (f"{found[1]}k", {"k": int(found[2])}) if found else (name, {})
