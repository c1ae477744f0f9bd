"""A format that was named wrongly: every reader on every sample answers, or says what is wrong."""

from pathlib import Path

import pytest

from detectable.core.errors import DetectableError, InputError
from detectable.data.human.read_judgments import read_judgments
from detectable.data.human.reader_registry import judgment_readers
from detectable.data.scores.read_scores import read_scores
from detectable.data.scores.score_registry import score_readers

SAMPLES = Path(__file__).parent / "samples"
FILES = sorted(path for path in SAMPLES.rglob("*") if path.is_file())


def _message(error: DetectableError) -> str:
    return str(error)


@pytest.mark.parametrize("format", judgment_readers().names())
def test_judgments(format: str) -> None:
    answers = 0
    for path in FILES:
        try:
            answers += read_judgments(path, format=format).n_judgments > 0
        except DetectableError as error:
            assert len(_message(error)) > 20, path
            assert isinstance(error, InputError) or path.name in _message(error), path
    assert answers or format == "shipdata"  # whose samples are spreadsheets, made by its tests


@pytest.mark.parametrize("format", score_readers().names())
def test_scores(format: str) -> None:
    for path in FILES:
        for source in (path, {"A": path, "B": path}):
            try:
                read_scores(source, format=format)
            except DetectableError as error:
                assert len(_message(error)) > 20, path
