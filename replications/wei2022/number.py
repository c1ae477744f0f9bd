"""A number of the replication, and its Monte Carlo standard error."""

import math
from typing import NamedTuple


class Number(NamedTuple):
    """A value; simulated ones have an error. None stands for «there is none»."""

    value: float | None
    error: float = 0.0

    def near(self, other: float, tolerance: float, *, its_error: float = 0.0) -> bool:
        """Say whether another number is within the tolerance and four standard errors."""
        if self.value is None:
            return False
        slack = tolerance + 4.0 * math.hypot(self.error, its_error)
        return abs(self.value - other) <= slack
