"""Formats of scores: which there are, in which order they are asked, and what is no format."""

from pathlib import Path
from typing import Any

import pytest

from detectable.core.errors import DataError, InputError
from detectable.core.registry import Registry
from detectable.data.files.content import FileContent
from detectable.data.scores import score_registry
from detectable.data.scores.score_registry import find_score_reader, score_readers_in_order


def test_all_readers_are_asked_in_their_order() -> None:
    found = score_readers_in_order()
    assert {"comet-text", "helm", "lines", "lm-eval", "table"} <= {one.name for one in found}
    places = [(one.order, one.name) for one in found]
    assert places == sorted(places)


@pytest.mark.parametrize(
    ("made", "said"),
    [
        (object(), "the format of scores 'odd' must be a ScoreReader of that name"),
        (
            score_readers_in_order()[0],
            "the format of scores 'odd' must be a ScoreReader of that",
        ),
        (None, r"the format of scores 'odd' cannot be loaded \(gone\)"),
    ],
    ids=["another thing", "another name", "broken"],
)
def test_a_package_that_adds_something_else(
    made: Any, said: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    def load() -> Any:
        if made is None:
            raise ImportError("gone")
        return made

    registry: Registry[Any] = Registry("format of scores", "detectable.scores")
    registry.register("odd", load)
    monkeypatch.setattr(score_registry, "score_readers", lambda: registry)
    with pytest.raises(InputError, match=said):
        score_readers_in_order()


def test_what_no_reader_knows(tmp_path: Path) -> None:
    path = tmp_path / "a.txt"
    path.write_text("")
    with pytest.raises(DataError, match="the file is empty"):
        find_score_reader(FileContent(path))
    path.write_text("some words\nand more\n")
    with pytest.raises(DataError, match=r"cannot be told\. Choose .*helm: per_instance_stats"):
        find_score_reader(FileContent(path))
