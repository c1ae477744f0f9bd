"""Layer live: stop an evaluation when it is decided, in any loop, in Inspect, or by blocks.

>>> from detectable.live import Stop, subsample
>>> subsample(["a", "b", "c"], seed=7, n=2)
['c', 'b']
"""

from importlib import import_module
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from detectable.live.conclusion import conclude_logs
    from detectable.live.inspect_stop import InspectStop
    from detectable.live.logs import look_at_logs
    from detectable.live.order import place, subsample
    from detectable.live.plan import LivePlan, plan_live, read_live_plan
    from detectable.live.rule import Rule
    from detectable.live.stop import Stop

# Each is imported on first use: a harness that imports one of them need not wait for the others.
_WHERE = {
    "InspectStop": "inspect_stop",
    "LivePlan": "plan",
    "Rule": "rule",
    "Stop": "stop",
    "conclude_logs": "conclusion",
    "look_at_logs": "logs",
    "place": "order",
    "plan_live": "plan",
    "read_live_plan": "plan",
    "subsample": "order",
}
__all__ = [
    "InspectStop",
    "LivePlan",
    "Rule",
    "Stop",
    "conclude_logs",
    "look_at_logs",
    "place",
    "plan_live",
    "read_live_plan",
    "subsample",
]


def __getattr__(name: str) -> Any:
    """Import a public name on first use."""
    if name not in _WHERE:
        message = f"module 'detectable.live' has no attribute {name!r}"
        raise AttributeError(message)
    return getattr(import_module(f"detectable.live.{_WHERE[name]}"), name)
