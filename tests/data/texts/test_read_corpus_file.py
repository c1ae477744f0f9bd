"""One file or folder that holds everything."""

from pathlib import Path

import pytest

from detectable.core.errors import DataError
from detectable.data.texts.read_corpus_file import read_corpus_file


def test_a_table_is_told_by_its_name(tmp_path: Path) -> None:
    path = tmp_path / "texts.tsv"
    path.write_text("ref\thyp:A\thyp:B\nx y\tx\ty\n")
    corpus = read_corpus_file(path, systems=["B"]).table
    assert dict(corpus.systems) == {"B": (("y",),)}


def _folder(root: Path, *pairs: str) -> Path:
    for pair in pairs:
        for name in ("sources", "references", f"system-outputs/{pair}"):
            (root / name).mkdir(parents=True, exist_ok=True)
        (root / "sources" / f"{pair}.txt").write_text("s\n")
        (root / "references" / f"{pair}.refA.txt").write_text("r\n")
        (root / "system-outputs" / pair / "A.txt").write_text("a\n")
    return root


def test_the_only_language_pair_of_a_folder_need_not_be_named(tmp_path: Path) -> None:
    corpus = read_corpus_file(_folder(tmp_path, "en-de")).table
    assert corpus.references == (("r",),)


def test_of_several_language_pairs_one_must_be_named(tmp_path: Path) -> None:
    _folder(tmp_path, "en-de", "en-cs")
    with pytest.raises(
        DataError, match=r"holds 2 language pairs \(en-cs, en-de\)\. Choose one"
    ):
        read_corpus_file(tmp_path)
    assert read_corpus_file(tmp_path, language_pair="en-cs").table.n_segments == 1


def test_a_folder_of_something_else_is_refused(tmp_path: Path) -> None:
    with pytest.raises(DataError, match="is not an mt-metrics-eval folder"):
        read_corpus_file(tmp_path)


@pytest.mark.parametrize("name", ["out.docx", "output", "out.txt.gz"])
def test_an_unknown_ending_lists_what_is_known(name: str) -> None:
    with pytest.raises(DataError, match=r"cannot tell the format.*\.tsv.*\.xml"):
        read_corpus_file(name)
