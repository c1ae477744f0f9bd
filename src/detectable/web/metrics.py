"""Counts of requests, in the text form that Prometheus reads."""

from bisect import bisect_left
from collections import Counter

_BUCKETS = (0.005, 0.01, 0.025, 0.05, 0.1, 0.3, 1.0, 5.0)  # seconds
MEDIA = "text/plain; version=0.0.4; charset=utf-8"


class Metrics:
    """What one server has answered so far."""

    def __init__(self) -> None:
        self._answers: Counter[tuple[str, str, int]] = Counter()
        self._within: Counter[tuple[str, int]] = Counter()  # route, place of the bucket
        self._seconds: Counter[str] = Counter()
        self._looks: Counter[str] = Counter()

    def add(self, method: str, route: str, status: int, seconds: float) -> None:
        """Count one answer."""
        self._answers[method, route, status] += 1
        self._within[route, bisect_left(_BUCKETS, seconds)] += 1
        self._seconds[route] += seconds  # type: ignore[assignment]

    def looked(self, decision: str) -> None:
        """Count a look that ran by itself."""
        self._looks["continue" if decision == "continue" else "stop"] += 1

    def text(self) -> str:
        """Return all counts.

        Examples
        --------
        >>> counts = Metrics()
        >>> counts.add("GET", "/plan", 200, 0.02)
        >>> counts.text().splitlines()[1]
        'detectable_requests_total{method="GET",route="/plan",status="200"} 1'
        """
        lines = ["# TYPE detectable_requests_total counter"]
        lines += [
            f'detectable_requests_total{{method="{method}",route="{route}",status="{status}"}} {n}'
            for (method, route, status), n in sorted(self._answers.items())
        ]
        if self._looks:
            lines.append("# TYPE detectable_looks_total counter")
        lines += [
            f'detectable_looks_total{{decision="{decision}"}} {n}'
            for decision, n in sorted(self._looks.items())
        ]
        lines.append("# TYPE detectable_request_seconds histogram")
        for route in sorted(self._seconds):
            lines += self._histogram(route)
        return "\n".join(lines) + "\n"

    def _histogram(self, route: str) -> list[str]:
        name, so_far, lines = "detectable_request_seconds", 0, []
        for place, edge in enumerate((*map(str, _BUCKETS), "+Inf")):
            so_far += self._within[route, place]
            lines.append(f'{name}_bucket{{route="{route}",le="{edge}"}} {so_far}')
        lines.append(f'{name}_sum{{route="{route}"}} {self._seconds[route]:.6f}')
        lines.append(f'{name}_count{{route="{route}"}} {so_far}')
        return lines
