"""Every error and warning this package raises.

DetectableError
    InputError         an argument is outside its domain    (also a ValueError)
        UnsaidError    what only people know was not said
    DataError          a file or table cannot be used       (also a ValueError)
        BusyError      another process has it in hand now
    MissingExtraError  an optional dependency is absent     (also an ImportError)
    ConvergenceError   an iterative method found no answer  (also a RuntimeError)
    WorkerError        workers were killed or do not answer (also a RuntimeError)
    RefusedError       a rater's request that may not be done, with a code
DetectableWarning
    SuspiciousDataWarning   the data look unlike what the method expects
    CompatibilityWarning    a named compatible mode repeats a known weakness
    SlowWarning             the answer is right, but the fast way to it is not installed
"""


class DetectableError(Exception):
    """Base of every error we raise on purpose."""

    exit_code = 1  # of a command that ends with it


class InputError(DetectableError, ValueError):
    """An argument is outside its domain."""


class UnsaidError(InputError):
    """What only people know, and data cannot tell, was not said: to a command, wrong usage."""

    exit_code = 2


class DataError(DetectableError, ValueError):
    """A file or table cannot be used as it is."""


class BusyError(DataError):
    """Another process has a file in hand; a moment later it may be free."""


class MissingExtraError(DetectableError, ImportError):
    """An optional dependency is absent."""


class ConvergenceError(DetectableError, RuntimeError):
    """An iterative method did not find its answer."""


class WorkerError(DetectableError, RuntimeError):
    """Workers were killed again and again, cannot be reached, or cannot do the work."""


class RefusedError(DetectableError):
    """A request of a rater or an organiser that may not be done; `code` says why in one word."""

    def __init__(self, code: str, message: str) -> None:
        super().__init__(message)
        self.code = code


class DetectableWarning(UserWarning):
    """Base of every warning we issue."""


class SuspiciousDataWarning(DetectableWarning):
    """The data can be used, but look unlike what the method expects."""


class CompatibilityWarning(DetectableWarning):
    """A compatible mode was asked for, and repeats a known weakness of its model."""


class SlowWarning(DetectableWarning):
    """The answer is right, but the fast way to it is not installed."""
