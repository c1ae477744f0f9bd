""""""

import tempfile
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from detectable.core.errors import DataError
from detectable.data.names import Runs, file_stem, name_systems
from detectable.data.texts.corpus import Corpus
from detectable.data.texts.read_corpus import read_corpus
from tests.data.sample_files import SAMPLES, fails, write

TEXT = SAMPLES / "text"


def test_the_sample_is_read_with_its_sidecars() -> None:
    files: dict[str, Runs] = {"A": TEXT / "A.txt", "B": [TEXT / "B.txt", TEXT / "A.txt"]}
    corpus = read_corpus(
        files,
        [TEXT / "ref.txt", TEXT / "B.txt"],
        sources=TEXT / "src.txt",
        documents=TEXT / "docs.tsv",
        original_languages=TEXT / "origlang.txt",
    )
    assert corpus.n_segments == 3
    assert corpus.outputs == (("A", 0), ("B", 0), ("B", 1))
    assert corpus.output("B", 1)[2] == "Good night!"
    assert corpus.references[1][0] == "A cat sleeps."
    assert corpus.sources is not None
    assert corpus.sources[0] == "Die Katze schläft."
    assert corpus.documents == ("cats", "cats", "night")
    assert corpus.domains == ("news", "news", "speech")
    assert corpus.original_languages == ("de", "de", "en")


def test_documents_may_be_names_alone(tmp_path: Path) -> None:
    names = write(tmp_path, "docs", "a b\na b\nc\n")
    corpus = read_corpus({"A": TEXT / "A.txt"}, [TEXT / "ref.txt"], documents=names)
    assert (corpus.documents, corpus.domains) == (("a b", "a b", "c"), None)


@given(st.lists(st.sampled_from(["", " ", "a\u2028b", "x\x85", "ok"]), min_size=1, max_size=6))
def test_segment_i_is_line_i_of_every_file(lines: list[str]) -> None:
    with tempfile.TemporaryDirectory() as folder:
        content = "".join(line + "\n" for line in lines)
        numbers = "".join(f"{i}\n" for i in range(len(lines)))
        out, ref = write(Path(folder), "o", numbers), write(Path(folder), "r", content)
        corpus = read_corpus({"A": out}, [ref])
    assert corpus.output("A") == tuple(map(str, range(len(lines))))
    assert corpus.references == (tuple(lines),)  # an empty line stays an empty reference


def test_every_file_is_named_with_its_count_if_they_differ(tmp_path: Path) -> None:
    long = write(tmp_path, "long.txt", "1\n2\n3\nfourth\n")
    with fails(
        "ref.txt has 3 lines", "A.txt has 3 lines", "long.txt has 4 lines", "src.txt has 3",
        "Line 4 of ", "long.txt, 'fourth', has no partner in ", "ref.txt. Look there, or before",
    ):  # fmt: skip
        read_corpus(
            {"A": TEXT / "A.txt", "B": long}, [TEXT / "ref.txt"], sources=TEXT / "src.txt"
        )


def test_a_short_sidecar_is_found(tmp_path: Path) -> None:
    short = write(tmp_path, "docs", "a\n")
    with fails("docs has 1 line.", "Line 2 of", "ref.txt, 'It rains, again.', has no partner"):
        read_corpus({"A": TEXT / "A.txt"}, [TEXT / "ref.txt"], documents=short)


def test_a_system_name_given_twice_is_an_error() -> None:
    pairs = [("A", TEXT / "A.txt"), ("A", TEXT / "B.txt")]
    with pytest.raises(DataError, match=r"system name 'A' is used twice\. Give each system"):
        read_corpus(pairs, [TEXT / "ref.txt"])


def test_what_is_not_given_is_asked_for() -> None:
    with pytest.raises(DataError, match=r"there is no reference\. Give at least one"):
        read_corpus({"A": TEXT / "A.txt"}, [])
    with pytest.raises(DataError, match=r"there is no system to evaluate\. Give at least one"):
        read_corpus({}, [TEXT / "ref.txt"])
    with pytest.raises(DataError, match=r"system 'A' has no file\. Give at least one"):
        read_corpus({"A": []}, [TEXT / "ref.txt"])
    with pytest.raises(DataError, match=r"a system has no name; its file is 'A\.txt'\."):
        read_corpus({" ": "A.txt"}, [TEXT / "ref.txt"])


@pytest.mark.parametrize(
    ("content", "message"),
    [
        ("news\ta\nb\nnews\tc\n", "docs, line 2: expected domain<TAB>document as in line 1"),
        ("a\nnews\tb\nc\n", "docs, line 2: expected one document name as in line 1, found"),
        ("a\n\nc\n", "docs, line 2: the document name is empty. Name a document"),
        ("news\ta\nnews\t \nnews\tc\n", "docs, line 2: the document name is empty."),
    ],
)
def test_a_bad_document_line_is_named(tmp_path: Path, content: str, message: str) -> None:
    with fails(message):
        read_corpus(
            {"A": TEXT / "A.txt"},
            [TEXT / "ref.txt"],
            documents=write(tmp_path, "docs", content),
        )


def test_systems_are_named_after_their_files() -> None:
    assert file_stem("x/newstest.hyps.online-B") == "newstest.hyps.online-B"
    assert file_stem(".txt") == ".txt"
    assert list(name_systems(["a/A.en.txt", Path("b/B.TXT.gz")])) == ["A.en", "B"]
    with pytest.raises(DataError, match=r"a/A\.txt and b/A\.txt would both be called 'A'"):
        name_systems(["a/A.txt", "b/A.txt"])


def test_reference_names_must_fit_and_survive_a_selection() -> None:
    corpus = Corpus.build(
        {"A": ["a", "b"]}, [["a", "b"], ["c", "d"]], reference_names=["X", "Y"]
    )
    assert corpus.select([1]).reference_names == ("X", "Y")
    with pytest.raises(
        DataError, match=r"`reference_names` must name each of the 1 reference;"
    ):
        Corpus.build({"A": ["a"]}, ["a"], reference_names=["X", "Y"])


# --- test_corpus ---


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


# --- Outputs without a reference, and files of translation tools ---

XLIFF = """<?xml version="1.0"?>
<xliff version="1.2">
<file original="one.html" source-language="en" target-language="de" datatype="plaintext"><body>
<trans-unit id="1"><source>Hello <g id="1">world</g></source><target>{0} Welt</target></trans-unit>
<trans-unit id="2"><source>Two</source></trans-unit>
</body></file>
<file original="two.html" source-language="en" target-language="de" datatype="plaintext"><body>
<trans-unit id="1"><source>Three</source><target>Drei</target></trans-unit>
</body></file></xliff>
"""
TMX = """<?xml version="1.0"?><tmx version="1.4"><header srclang="en" adminlang="en"
 datatype="plaintext" segtype="sentence" o-tmf="x" creationtool="x" creationtoolversion="1"/>
<body><tu><tuv xml:lang="en"><seg>Hello</seg></tuv><tuv xml:lang="de"><seg>{0}</seg></tuv></tu>
</body></tmx>
"""


def test_references_may_be_missing_where_they_are_not_needed(tmp_path: Path) -> None:
    for name in "ab":
        (tmp_path / name).write_text("x\ny\n")
    systems = [(name, [tmp_path / name]) for name in "ab"]
    corpus = read_corpus(systems, [], need_references=False)
    assert corpus.references == (("", ""),)
    with pytest.raises(DataError, match="there is no reference"):
        read_corpus(systems, [])


@pytest.mark.parametrize("ending", [".xlf", ".XLIFF"])
def test_xliff_has_outputs_sources_and_documents(ending: str, tmp_path: Path) -> None:
    pytest.importorskip("translate")
    for name, word in (("new", "Hallo"), ("old", "Guten Tag")):
        (tmp_path / f"{name}{ending}").write_text(XLIFF.format(word))
    systems = [(name, [tmp_path / f"{name}{ending}"]) for name in ("new", "old")]
    found = read_corpus(systems, [], need_references=False)
    assert found.output("new") == ("Hallo Welt", "", "Drei")
    assert found.output("old")[0] == "Guten Tag Welt"
    assert found.sources == ("Hello world", "Two", "Three")
    assert found.documents == ("one.html", "one.html", "two.html")


def test_tmx_has_outputs_and_sources(tmp_path: Path) -> None:
    pytest.importorskip("translate")
    for name in ("new", "old"):
        (tmp_path / f"{name}.tmx").write_text(TMX.format(name))
    systems = [(name, [tmp_path / f"{name}.tmx"]) for name in ("new", "old")]
    found = read_corpus(systems, [], need_references=False)
    assert (found.output("old"), found.sources, found.documents) == (("old",), ("Hello",), None)


@pytest.mark.parametrize(
    ("content", "says"),
    [
        ("no markup", "is no XLIFF or TMX file"),
        ('<?xml version="1.0"?><html/>', "no XLIFF or TMX file|no unit to translate"),
        (
            '<!DOCTYPE x [<!ENTITY a SYSTEM "/etc/passwd">]>' + XLIFF.partition("?>")[2],
            "declares entities, which are not read",
        ),
    ],
)
def test_a_file_that_is_no_xliff_is_refused(content: str, says: str, tmp_path: Path) -> None:
    pytest.importorskip("translate")
    (tmp_path / "new.xlf").write_text(content)
    with pytest.raises(DataError, match=says):
        read_corpus([("new", [tmp_path / "new.xlf"])], [], need_references=False)


def test_xliff_files_of_other_texts_do_not_fit(tmp_path: Path) -> None:
    pytest.importorskip("translate")
    (tmp_path / "new.xlf").write_text(XLIFF.format("Hallo"))
    (tmp_path / "old.xlf").write_text(XLIFF.format("Hallo").replace("Three", "Four"))
    systems = [(name, [tmp_path / f"{name}.xlf"]) for name in ("new", "old")]
    with pytest.raises(DataError, match=r"unit 3 translates 'Four', and that of .*'Three'"):
        read_corpus(systems, [], need_references=False)
