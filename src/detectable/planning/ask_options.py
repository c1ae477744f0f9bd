"""What the four questions to a scenario may be given by name."""

from typing import TYPE_CHECKING, TypedDict

from detectable.core.progress import Progress
from detectable.core.types import Seed

if TYPE_CHECKING:
    from concurrent.futures import Executor


class AskOptions(TypedDict, total=False):
    """What every question may be given by name.

    Attributes
    ----------
    alpha : float
        Chance of a false alarm that is accepted (default .05).
    simulate : bool
        Simulate also where an exact or closed form exists, as a check of it.
    n_trials : int
        Simulated evaluations (default 10,000).
    rng : Generator, int or None
        None draws a fresh seed and records it in the signature.
    n_jobs : int
        Processes for the simulation; the answer does not depend on it.
    executor : concurrent.futures.Executor, optional
        Anything else to run the blocks of the simulation on.
    progress : callable
        Told what is being done.
    drawn : int, optional
        At how many points the power around the answer is computed for its picture, if fewer than
        the scenario has time for; 0: at none. With it, nothing is said of the other way to collect
        the same judgments. For programs that ask at every move of a slider.
    """

    alpha: float
    simulate: bool
    n_trials: int
    rng: Seed
    n_jobs: int
    executor: "Executor | None"
    progress: Progress
    drawn: int | None
