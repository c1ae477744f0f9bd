"""``--metric bleu:tokenize=intl,lowercase=yes``: names and settings of metrics as people type them."""

import dataclasses
from collections.abc import Callable
from typing import TYPE_CHECKING, Any, TypeVar

import click

if TYPE_CHECKING:
    from detectable.metrics.base import Metric

T = TypeVar("T")

_OPTIONS = (
    click.option(
        "--metric",
        "metrics",
        multiple=True,
        help="Metric, or metric:setting=value,… (repeatable).",
    ),
    click.option(
        "--tokenize", help="Tokeniser of all metrics that tokenise: 13a, intl, zh, none, …"
    ),
    click.option("--lowercase", is_flag=True, help="Ignore case in all metrics that can."),
)
_TRUTH = {"yes": True, "true": True, "on": True, "no": False, "false": False, "off": False}


def metric_options(command: Callable[..., T]) -> Callable[..., T]:
    """Add ``metrics``, ``tokenize`` and ``lowercase`` to a command, for `parse_metrics`."""
    for option in reversed(_OPTIONS):
        command = option(command)
    return command


def parse_metrics(
    specifications: tuple[str, ...], *, tokenize: str | None, lowercase: bool
) -> "tuple[Metric, ...] | None":
    """Return metric objects, or None where the user left the choice to us.

    `tokenize` and `lowercase` hold for every metric that has such a setting, unless the
    metric's own specification says otherwise.
    """
    shared: dict[str, Any] = {} if tokenize is None else {"tokenize": tokenize}
    shared |= {"lowercase": True} if lowercase else {}
    if not specifications and not shared:
        return None
    from detectable.metrics.registry import USUAL

    used: set[str] = set()
    metrics = tuple(_metric(text, shared, used) for text in specifications or USUAL)
    for name in shared:
        if name not in used:
            raise click.UsageError(
                f"--{name} has no effect: none of the metrics has that setting."
            )
    return metrics


def _metric(text: str, shared: dict[str, Any], used: set[str]) -> "Metric":
    from detectable.metrics.registry import METRICS, metric, settings_in

    name, _, rest = text.partition(":")
    name, own = settings_in(name)
    kinds = {f.name: f.type for f in dataclasses.fields(METRICS.get(name))}  # type: ignore[arg-type]
    settings = {key: value for key, value in shared.items() if key in kinds}
    used.update(settings)
    for part in filter(None, rest.split(",")):
        key, equals, value = part.partition("=")
        if not equals:
            raise click.UsageError(
                f"--metric {text}: write settings as key=value, not {part!r}."
            )
        settings[key] = _value(text, str(kinds.get(key, "")), value)
    for key in own:
        if key in settings:
            raise click.UsageError(
                f"--metric {text}: the name says {key} already. Drop {key}=…."
            )
    return metric(name, **settings, **own)


def _value(text: str, kind: str, value: str) -> Any:
    """Turn the typed text into what the setting holds, going by its annotation."""
    if "bool" in kind:
        if value.lower() not in _TRUTH:
            raise click.UsageError(f"--metric {text}: {value!r} must be yes or no.")
        return _TRUTH[value.lower()]
    for word, convert in (("int", int), ("float", float)):
        if word in kind:
            try:
                return convert(value)
            except ValueError:
                raise click.UsageError(
                    f"--metric {text}: {value!r} must be a number."
                ) from None
    return value
