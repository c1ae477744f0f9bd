import pytest

from detectable.core.errors import DataError
from detectable.data.texts.corpus import Corpus
from tests.data.sample_files import fails


def test_flat_lists_are_one_run_and_one_reference() -> None:
    corpus = Corpus.build({"A": ["a", "b"], "B": [["c", "d"], ["e", "f"]]}, ["r", "s"])
    assert corpus.references == (("r", "s"),)
    assert corpus.outputs == (("A", 0), ("B", 0), ("B", 1))


def test_a_selection_keeps_every_field_in_the_order_asked_for() -> None:
    corpus = Corpus.build(
        {"A": ["a", "b", "c"]},
        [["r", None, "t"], ["u", "v", None]],
        sources=["1", "2", "3"],
        documents=["d", "d", "e"],
        domains=["x", "x", "y"],
        original_languages=["de", "de", "en"],
    )
    cut = corpus.select([2, 0])
    assert cut.output("A") == ("c", "a")
    assert cut.references == (("t", "r"), (None, "u"))
    assert (cut.sources, cut.documents) == (("3", "1"), ("e", "d"))
    assert (cut.domains, cut.original_languages) == (("y", "x"), ("en", "de"))


def test_every_stream_of_another_length_is_named() -> None:
    with fails("all streams must have the 2 lines of the first reference; reference 2 has 1 line, "
               "system 'A' run 1 has 3 lines, the source has 1 line."):  # fmt: skip
        Corpus.build({"A": ["a", "b", "c"]}, [["r", "s"], ["t"]], sources=["x"])


def test_what_cannot_be_a_corpus_is_refused() -> None:
    with pytest.raises(DataError, match=r"the references hold no segment"):
        Corpus.build({"A": []}, [])
    with pytest.raises(DataError, match=r"there is no system to evaluate"):
        Corpus.build({}, ["a"])
    with pytest.raises(DataError, match=r"segment 2 has no reference at all"):
        Corpus.build({"A": ["a", "b"]}, [["r", None]])
    with pytest.raises(DataError, match=r"expected a list of lines, got one string"):
        Corpus.build({"A": "abc"}, ["r"])
