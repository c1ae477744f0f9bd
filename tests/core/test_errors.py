"""Errors and warnings: each can be caught as ours, and as what Python calls it."""

import pytest

from detectable.core import errors


@pytest.mark.parametrize(
    ("ours", "pythons"),
    [
        (errors.InputError, ValueError),
        (errors.DataError, ValueError),
        (errors.MissingExtraError, ImportError),
        (errors.ConvergenceError, RuntimeError),
    ],
    ids=lambda kind: kind.__name__,
)
def test_an_error_is_ours_and_pythons(ours: type[Exception], pythons: type[Exception]) -> None:
    assert issubclass(ours, errors.DetectableError)
    assert issubclass(ours, pythons)


@pytest.mark.parametrize(
    "kind",
    [errors.SuspiciousDataWarning, errors.CompatibilityWarning],
    ids=lambda k: k.__name__,
)
def test_warnings_are_ours_and_shown_by_default(kind: type[Warning]) -> None:
    assert issubclass(kind, errors.DetectableWarning)
    assert issubclass(kind, UserWarning)


def test_the_list_at_the_top_is_whole() -> None:
    kinds = [name for name, value in vars(errors).items() if isinstance(value, type)]
    assert [name for name in kinds if name not in str(errors.__doc__)] == []
