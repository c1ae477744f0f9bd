"""Strengths on the scale of Elo."""

import math

ELO = 400.0 / math.log(10.0)  # points of Elo for one of log-odds
_CENTRE = 1000.0


def elo(strength: float) -> float:
    """Return a strength on the scale of Elo, with the mean of all at 1000.

    No system is the anchor: its error would become that of all others.

    Examples
    --------
    >>> round(elo(0.0)), round(elo(0.442942), 1)
    (1000, 1076.9)
    """
    return _CENTRE + ELO * strength
