"""A table with scores by several metrics: which column is what people said."""

import shlex
from pathlib import Path

import pytest

import detectable as dt
from tests.study.doctor.test_doctor import asked


@pytest.mark.parametrize("name", ["human", "MQM", "esa", "da", "adequacy", "z", "raw", "rating", "judgment"])  # fmt: skip
def test_what_people_said_is_known_by_the_name_of_its_column(tmp_path: Path, name: str) -> None:
    rows = [f"s{s},t{i},{(i + s) % 4},{i * s % 7}" for s in range(2) for i in range(10)]
    path = tmp_path / "m.csv"
    path.write_text(f"system,segment,chrf,{name}\n" + "\n".join(rows) + "\n")
    told: list[object] = []
    found = asked(
        dt.doctor([path], progress=lambda *words: told.append(words)), "Which metric agrees"
    )
    words = shlex.split(found.command)
    assert words[3:] == ["--human", name, "--metric", "chrf"]
    assert told[-1] == ("what could be seen", 0, None)
