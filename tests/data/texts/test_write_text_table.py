"""Texts into a table that is read again."""

from pathlib import Path

import pytest

from detectable.core.errors import DataError, InputError
from detectable.data.texts.corpus import Corpus
from detectable.data.texts.text_table import ENDINGS, read_text_table, write_text_table

CORPUS = Corpus.build(
    {"A": [['say "hi"', "b"], ["c, d", "e"]], "B": ["f", "g"]},
    [["r", "s"], ["t", "u"]],
    sources=["o", "p"],
    documents=["x", "y"],
    original_languages=["zh", "en"],
    language_pair="zh-en",
    reference_names=["one", "two"],
)


@pytest.mark.parametrize("ending", ENDINGS)
def test_it_comes_back(ending: str, tmp_path: Path) -> None:
    path = tmp_path / f"texts{ending}"
    write_text_table(CORPUS, path)
    found = read_text_table(path)
    for name in ("systems", "references", "sources", "documents", "original_languages"):
        assert getattr(found, name) == getattr(CORPUS, name), name
    assert (found.language_pair, found.reference_names) == ("zh-en", ("one", "two"))
    with pytest.raises(DataError, match="exists already"):
        write_text_table(CORPUS, path)


def test_what_a_file_cannot_hold_is_refused(tmp_path: Path) -> None:
    torn = Corpus.build({"A": ["a\tb"]}, ["a"])
    with pytest.raises(DataError, match="holds a tab or a line break"):
        write_text_table(torn, tmp_path / "t.tsv")
    write_text_table(torn, tmp_path / "t.csv")
    with pytest.raises(InputError, match="must end in"):
        write_text_table(torn, tmp_path / "t.txt")
