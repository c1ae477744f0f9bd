"""A format that was named wrongly: every reader on every sample answers, or says what is wrong."""

from collections.abc import Callable
from functools import partial
from pathlib import Path

import pytest

from detectable.core.errors import DetectableError, InputError
from detectable.data.human.read_judgments import read_judgments
from detectable.data.reader import judgment_readers, score_readers
from detectable.data.scores.read_scores import read_scores

SAMPLES = Path(__file__).parent / "samples"
FILES = sorted(path for path in SAMPLES.rglob("*") if path.is_file())


def refusal(read: Callable[[], object]) -> DetectableError | None:
    """Return why nothing was read; any other error is a fault, and fails the test."""
    try:
        read()
    except DetectableError as error:
        return error
    return None


@pytest.mark.parametrize("format", judgment_readers().names())
def test_judgments(format: str) -> None:
    said = {path: refusal(partial(read_judgments, path, format=format)) for path in FILES}
    for path, error in said.items():
        assert error is None or isinstance(error, InputError) or path.name in str(error)
    # Folders and spreadsheets, which their own tests make.
    assert format in ("shipdata", "blind-sheets") or None in said.values()


@pytest.mark.parametrize("format", score_readers().names())
def test_scores(format: str) -> None:
    for path in FILES:
        error = refusal(partial(read_scores, path, format=format))
        assert error is None or len(str(error)) > 20


@pytest.mark.slow
@pytest.mark.parametrize("format", score_readers().names())
def test_scores_of_two_systems(format: str) -> None:
    for path in FILES:
        error = refusal(partial(read_scores, {"A": path, "B": path}, format=format))
        assert error is None or len(str(error)) > 20
