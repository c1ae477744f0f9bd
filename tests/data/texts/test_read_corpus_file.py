"""One file or folder that holds everything."""

import shutil
from pathlib import Path

import numpy as np
import pytest

from detectable.core.errors import DataError
from detectable.data.formats.score_lines import read_mtme_scores, read_seg_score
from detectable.data.texts.read_corpus_file import read_corpus_file, read_mtme_corpus
from tests.data.sample_files import SAMPLES, fails, write


def test_a_table_is_told_by_its_name(tmp_path: Path) -> None:
    path = tmp_path / "texts.tsv"
    path.write_text("ref\thyp:A\thyp:B\nx y\tx\ty\n")
    corpus = read_corpus_file(path, systems=["B"])
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
    corpus = read_corpus_file(_folder(tmp_path, "en-de"))
    assert corpus.references == (("r",),)


def test_of_several_language_pairs_one_must_be_named(tmp_path: Path) -> None:
    _folder(tmp_path, "en-de", "en-cs")
    with pytest.raises(
        DataError, match=r"holds 2 language pairs \(en-cs, en-de\)\. Choose one"
    ):
        read_corpus_file(tmp_path)
    assert read_corpus_file(tmp_path, language_pair="en-cs").n_segments == 1


def test_a_folder_of_something_else_is_refused(tmp_path: Path) -> None:
    with pytest.raises(DataError, match="is not an mt-metrics-eval folder"):
        read_corpus_file(tmp_path)


@pytest.mark.parametrize("name", ["out.docx", "output", "out.txt.gz"])
def test_an_unknown_ending_lists_what_is_known(name: str) -> None:
    with pytest.raises(DataError, match=r"cannot tell the format.*\.tsv.*\.xml"):
        read_corpus_file(name)


# --- test_read_mtme ---

FOLDER = SAMPLES / "mtme"


def test_the_texts_of_a_language_pair_are_read_without_the_human_systems() -> None:
    loaded = read_mtme_corpus(FOLDER, "en-de")
    corpus = loaded
    assert list(corpus.systems) == ["one", "two"]
    assert corpus.reference_names == ("refA", "refB")
    assert corpus.documents == ("cats", "cats", "night")
    assert corpus.domains == ("news", "news", "speech")
    assert corpus.sources is not None
    assert loaded.notes == (
        f"{FOLDER}: 2 human translations left out of the systems: refA, refB.",
    )


def test_human_translations_can_be_asked_for() -> None:
    loaded = read_mtme_corpus(FOLDER, "en-de", systems=["refB", "one"], references=["refA"])
    assert list(loaded.systems) == ["refB", "one"]
    assert loaded.reference_names == ("refA",)
    assert loaded.notes == ()


def test_metric_scores_are_read_with_their_documents() -> None:
    loaded = read_mtme_scores(FOLDER, "en-de", "TOY-refA")
    scores = loaded
    assert scores.metric == "TOY-refA"
    assert scores.documents == ("cats", "cats", "night")
    assert scores.systems["one"].tolist() == [[0.5, 0.25, 1]]
    assert scores.systems["two"].tolist() == [[0, 0.125, -0.01]]
    assert loaded.notes == ()


def test_human_scores_are_read_with_their_gaps() -> None:
    path = FOLDER / "human-scores" / "en-de.mqm.seg.score"
    for loaded in (
        read_mtme_scores(FOLDER, "en-de", "mqm"),
        read_seg_score(path, metric="mqm"),
    ):
        nan = float("nan")
        np.testing.assert_array_equal(loaded.systems["one"], [[nan, -1, -5]])
        np.testing.assert_array_equal(loaded.systems["two"], [[0, -2, nan]])
        assert loaded.notes == (
            f"{path}: 1 system without any score left out: refA.",
            "system 'one': 1 of 3 items without a score, first '1'.",
            "system 'two': 1 of 3 items without a score, first '3'.",
        )


def test_unknown_names_are_answered_with_what_there_is() -> None:
    with fails("there are no segment scores of 'BLEU' for en-de. Found: TOY-refA, mqm."):
        read_mtme_scores(FOLDER, "en-de", "BLEU")
    with fails("of 'COARSE-refA' for en-de. It is scored by sys only. Found: TOY-refA, mqm."):
        read_mtme_scores(FOLDER, "en-de", "COARSE-refA")
    with fails("references: there is no file de-en.*.txt. Give the folder of a test set"):
        read_mtme_corpus(FOLDER, "de-en")
    with fails("there is no system 'x'. Found: one, refA, refB, two."):
        read_mtme_corpus(FOLDER, "en-de", systems=["x"])
    with fails("there is no reference 'refC'. Found: refA, refB."):
        read_mtme_corpus(FOLDER, "en-de", references=["refC"])


@pytest.mark.parametrize(
    ("content", "parts"),
    [
        ("A 1\nA x\n", ("x.seg.score, line 2: expected a score, found 'x'",)),
        ("A 1\n1\n", ("x.seg.score, line 2: expected a system and a score, found '1'.",)),
        ("A 1\nA 2\nB 1\n", ("all must have as many:", "system 'A' has 2 scores",
                             "system 'B' has 1 score. Score the same")),
    ],
)  # fmt: skip
def test_a_bad_line_is_named(tmp_path: Path, content: str, parts: tuple[str, ...]) -> None:
    with fails(*parts):
        read_seg_score(write(tmp_path, "x.seg.score", content))


def test_the_documents_must_fit(tmp_path: Path) -> None:
    folder = tmp_path / "set"
    shutil.copytree(FOLDER, folder)
    docs = folder / "documents" / "en-de.docs"
    docs.write_text("news a\n")
    with fails("en-de.docs: 1 line for 3 segments. The file must name the document of every"):
        read_mtme_corpus(folder, "en-de")
    docs.write_text("news a\nnews\nnews b\n")
    with fails("en-de.docs, line 2: expected a domain and a document, found 'news'."):
        read_mtme_scores(folder, "en-de", "mqm")
    docs.unlink()
    loaded = read_mtme_corpus(folder, "en-de")
    assert loaded.documents is None
    assert "there is no documents/en-de.docs; no documents known." in loaded.notes[1]
    assert read_mtme_scores(folder, "en-de", "mqm").documents is None
