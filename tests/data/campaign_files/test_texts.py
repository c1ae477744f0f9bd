"""Tables of texts to try a page on."""

from pathlib import Path

import pytest

from detectable.core.errors import DataError
from detectable.data.campaign_files.texts import TrainingText, read_training


def read(folder: Path, text: str) -> tuple[TrainingText, ...]:
    path = folder / "training.csv"
    path.write_text(text)
    return read_training(path)


def test_only_the_text_is_needed(tmp_path: Path) -> None:
    assert read(tmp_path, "text\nGood.\n") == (TrainingText(text="Good."),)
    given = "text,source,reference,low,high,hint\nGood.,Gut.,Fine.,70,80,Well\nBad.,,,,,\n"
    assert read(tmp_path, given) == (
        TrainingText(
            text="Good.", source="Gut.", reference="Fine.", low=70.0, high=80.0, hint="Well"
        ),
        TrainingText(text="Bad."),
    )


@pytest.mark.parametrize(
    ("given", "why"),
    [
        ("texts\nx\n", "'text'"),
        (
            "text,low,high\nx,80,70\n",
            r"line 2.*two numbers in order, or none; got 80.0 and 70.0",
        ),
        ("text,low\nx,80\n", "two numbers in order"),
        ("text,low,high\nx,1,inf\n", "two numbers in order"),
        ("text,low,high\nx,1,many\n", r"line 2.*expected a number, found 'many'"),
        ("text,low,high\nx,1,1_0\n", r"line 2.*expected a number, found '1_0'"),
        ("text,source\n,x\n", "without words"),
    ],
)
def test_bad_tables_are_refused_in_one_sentence(tmp_path: Path, given: str, why: str) -> None:
    with pytest.raises(DataError, match=why) as error:
        read(tmp_path, given)
    assert "training.csv" in str(error.value)
