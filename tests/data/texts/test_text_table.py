""""""

from pathlib import Path

import pytest

from detectable.core.errors import DataError, InputError
from detectable.data.texts.corpus import Corpus
from detectable.data.texts.text_table import ENDINGS, read_text_table, write_text_table
from tests.data.sample_files import SAMPLES, fails, write
from tests.helpers import reference_data


def test_the_sample_is_read_and_unused_columns_are_noted() -> None:
    loaded = read_text_table(SAMPLES / "texts.tsv")
    corpus = loaded
    assert list(corpus.systems) == ["one", "two"]
    assert corpus.reference_names == ("A", "B")
    assert corpus.references[1] == ("A cat sleeps.", "It is raining.", "Night.")
    assert corpus.sources is not None
    assert corpus.sources[0] == 'Die Katze "schläft.'
    assert corpus.documents == ("cats", "cats", "night")
    assert loaded.notes == (f"{SAMPLES / 'texts.tsv'}: 1 column not used: origin.",)


def test_systems_references_and_roles_can_be_chosen() -> None:
    loaded = read_text_table(
        SAMPLES / "texts.tsv",
        systems=["hyp:two", "one"],
        references=["B"],
        columns={"document": "origin"},
    )
    assert list(loaded.systems) == ["two", "one"]
    assert loaded.reference_names == ("B",)
    assert loaded.documents == ("x", "y", "z")
    assert "2 columns not used: doc, ref:A." in loaded.notes[0]


def test_without_marked_outputs_every_other_column_is_a_system(tmp_path: Path) -> None:
    path = write(tmp_path, "x.csv", "id,source,reference,X,Y#2,Y#1\n1,s,r,x,b,a\n")
    corpus = read_text_table(path)
    assert corpus.systems == {"X": (("x",),), "Y": (("a",), ("b",))}
    assert corpus.references == (("r",),)


def test_a_null_reference_is_uncovered_and_an_empty_one_is_empty(tmp_path: Path) -> None:
    path = write(
        tmp_path, "x.jsonl", '{"ref:A": null, "ref:B": "", "S": "\\u2028", "doc": 7}\n'
    )
    corpus = read_text_table(path)
    assert corpus.references == ((None,), ("",))
    assert corpus.output("S") == ("\u2028",)
    assert corpus.documents == ("7",)


@pytest.mark.parametrize(
    ("row", "parts"),
    [
        ('{"ref": "r", "S": null}', ("line 1, column 'S': the output is missing. Write an empty",)),
        ('{"ref": "r", "S": 3}', ("line 1, column 'S': expected a text, found 3.",)),
        ('{"ref": "r", "S": "\\ud800"}', ("line 1", "half a character (a surrogate)")),
        ('{"ref": "r", "S": "s", "doc": null}', ("column 'doc': the value is missing.",)),
        ('{"S": "s"}', ("there is no reference column. Name it 'ref' or 'ref:NAME'.", "Found: S")),
        ('{"ref": "r"}', ("there is no column with outputs. Name it 'hyp:NAME'.", "Found: ref")),
        ('{"ref": "r", "S": "s", "S#2": "s"}', ("columns 'S' and 'S#2' are both system 'S'",
                                                "Call its runs S#1, S#2 and so on.")),
    ],
)  # fmt: skip
def test_a_bad_cell_is_named(tmp_path: Path, row: str, parts: tuple[str, ...]) -> None:
    with fails("x.jsonl", *parts):
        read_text_table(write(tmp_path, "x.jsonl", row + "\n"))


def test_unknown_choices_are_answered_with_what_there_is() -> None:
    path = SAMPLES / "texts.tsv"
    with pytest.raises(DataError, match=r"there is no system 'x'\. Found: one, two\."):
        read_text_table(path, systems=["x"])
    with pytest.raises(DataError, match=r"there is no reference 'C'\. Found: ref:A, ref:B\."):
        read_text_table(path, references=["C"])
    with pytest.raises(
        DataError, match=r"there is no column 'x' for the document\. Found: line"
    ):
        read_text_table(path, columns={"document": "x"})
    with pytest.raises(InputError, match=r"`columns` must choose source, .*; got 'color'"):
        read_text_table(path, columns={"color": "x"})


@pytest.mark.golden
def test_the_texts_of_wmt21_are_read() -> None:
    import polars as pl

    path = reference_data("data", "wmt", "wmt21_ruen_texts.parquet")
    loaded = read_text_table(path)
    corpus, frame = loaded, pl.read_parquet(path)
    assert loaded.notes == ()
    assert (corpus.n_segments, len(corpus.systems)) == (1000, 10)
    assert corpus.reference_names == ("B", "A")
    for name in corpus.systems:
        assert corpus.output(name) == tuple(frame[f"hyp:{name}"])
    assert corpus.references == (tuple(frame["ref:B"]), tuple(frame["ref:A"]))
    assert corpus.sources == tuple(frame["src"])
    assert corpus.documents == tuple(frame["doc"])
    assert corpus.original_languages == tuple(frame["origlang"])


# --- Texts into a table that is read again ---

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


# --- Long tables, and tables without a reference ---

LONG = {
    "system": ["new", "new", "old", "old"],
    "id": ["1", "2", "2", "1"],
    "src": ["eins", "zwei", "zwei", "eins"],
    "text": ["one", "two", "too", "won"],
}


def test_a_long_table_is_one_row_for_every_output() -> None:
    found = read_text_table(LONG, need_references=False)
    assert found.output("new") == ("one", "two")
    assert found.output("old") == ("won", "too")
    assert found.sources == ("eins", "zwei")
    assert found.references == (("", ""),)
    with pytest.raises(DataError, match="there is no reference column"):
        read_text_table(LONG)


@pytest.mark.parametrize(
    ("ids", "says"),
    [
        (["1", "1", "2", "1"], "new has two texts for '1'"),
        (["1", "2", "2", "3"], "new has no text for '3'|old has no text for '1'"),
    ],
)
def test_a_long_table_with_a_hole_is_refused(ids: list[str], says: str) -> None:
    with pytest.raises(DataError, match=says):
        read_text_table({**LONG, "id": ids}, need_references=False)
