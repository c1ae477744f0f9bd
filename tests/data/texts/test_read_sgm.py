from pathlib import Path

import pytest

from detectable.core.errors import DataError
from detectable.data.texts.wmt_test_sets import read_sgm
from tests.data.sample_files import SAMPLES, fails, write

SRC, REF, ONE = SAMPLES / "src.sgm", SAMPLES / "ref.sgm", SAMPLES / "one.sgm"


def test_the_sample_is_matched_by_document_and_segment() -> None:
    loaded = read_sgm({"one": ONE}, [REF], sources=SRC)
    corpus = loaded.table
    assert loaded.notes == ()
    assert corpus.documents == ("cats", "cats", "night")
    assert corpus.original_languages == ("de", "de", "en")
    assert corpus.domains == ("news", "news", "speech")
    assert corpus.reference_names == ("ref",)
    assert corpus.sources == (
        "Die Katze schläft.",
        "Es regnet & regnet < 3 Tage.",
        "Gute Nacht.",
    )
    assert corpus.references == (
        ("The cat sleeps.", "It rains & rains < 3 days.", "Good night."),
    )
    assert corpus.output("one") == ("The cat is asleep.", "It rains &quot; on.", "Good night!")


def test_without_source_the_references_give_the_order() -> None:
    corpus = read_sgm({"one": ONE}, [REF]).table
    assert corpus.documents == ("night", "cats", "cats")
    assert corpus.sources is None


def sgm(kind: str, *docs: tuple[str, str, list[str]]) -> str:
    body = "".join(
        f'<doc sysid="{system}" docid="{name}">'
        + "".join(f'<seg id="{i}">{text}</seg>' for i, text in enumerate(texts, start=1))
        + "</doc>\n"
        for system, name, texts in docs
    )
    return f"<{kind}>\n{body}</{kind}>\n"


def test_references_have_names_of_their_own(tmp_path: Path) -> None:
    first = write(tmp_path, "r1.sgm", sgm("refset", ("ref", "d", ["a"]), ("alt", "d", ["b"])))
    second = write(tmp_path, "r2.sgm", sgm("refset", ("ref", "d", ["c"])))
    out = write(tmp_path, "A.sgm", sgm("tstset", ("x", "d", ["o"])))
    corpus = read_sgm({"A": out}, [first, second]).table
    assert corpus.reference_names == ("ref", "alt", "r2")
    assert corpus.references == (("a",), ("b",), ("c",))
    with fails("r2.sgm: a second reference called 'ref'. Give each file once."):
        read_sgm({"A": out}, [first, second, second])


def test_documents_of_one_name_are_told_apart_and_test_suites_skipped(tmp_path: Path) -> None:
    docs = [("x", "d", ["a"]), ("x", "d", ["b"]), ("x", "testsuite.1", ["c"])]
    ref = write(tmp_path, "r.sgm", sgm("refset", *docs))
    out = write(tmp_path, "A.sgm", sgm("tstset", *docs))
    loaded = read_sgm({"A": out}, [ref])
    assert loaded.table.output("A") == ("a", "b")
    assert "1 segment of 1 test suite skipped ('testsuite.1' 1)" in loaded.notes[0]


def test_numbered_entities_that_are_no_characters_stay(tmp_path: Path) -> None:
    text = "&#x41; &#66; &#xD800; &#1114112; &euro; &lt;"
    ref = write(tmp_path, "r.sgm", sgm("refset", ("x", "d", [text])))
    out = write(tmp_path, "A.sgm", sgm("tstset", ("x", "d", ["o"])))
    assert read_sgm({"A": out}, [ref]).table.references[0] == (
        "A B &#xD800; &#1114112; &euro; <",
    )


@pytest.mark.parametrize(
    ("content", "parts"),
    [
        (sgm("refset", ("x", "d", ["a"])), ("expected a tstset, found a refset. Was it given",)),
        ("hello\n", ("there is no <doc docid=…> element. Is it an SGM file?",)),
        ("<tstset>\n<doc>\n", ("A.sgm, line 2: the tag has no 'docid'. Add it.",)),
        ('<tstset>\n<doc docid="d">\n<seg>x</seg>\n', ("A.sgm, line 3: the tag has no 'id'.",)),
        ('<tstset>\n<doc docid="d">\n<seg id="1">x\n', ("line 3: segment '1' has no </seg>.",)),
        ('<tstset>\n<seg id="1">x</seg>\n', ("line 2: segment '1' stands outside of a document.",)),
        ('<doc docid="d">\n<seg id="1">x</seg>\n<seg id="1">y</seg>', ("line 3: segment '1' appears",)),
        (sgm("tstset", ("x", "d", ["a"]), ("y", "d", ["b"])),
         ("the file holds 2 systems (x, y); expected one. Split it.",)),
    ],
)  # fmt: skip
def test_a_broken_file_is_named(tmp_path: Path, content: str, parts: tuple[str, ...]) -> None:
    with fails("A.sgm", *parts):
        read_sgm({"A": write(tmp_path, "A.sgm", content)}, [REF])


def test_a_missing_document_names_system_and_document(tmp_path: Path) -> None:
    short = write(tmp_path, "A.sgm", sgm("tstset", ("x", "cats", ["a", "b"])))
    with fails("system 'A' lacks 1 of 1 segment of document 'night' (first: segment '1')"):
        read_sgm({"A": short}, [REF])


def test_runs_and_missing_references_are_refused() -> None:
    with pytest.raises(DataError, match=r"system 'one' has 2 SGM files\. Give one"):
        read_sgm({"one": [ONE, ONE]}, [REF])
    with pytest.raises(DataError, match=r"there is no reference\. Give at least one refset"):
        read_sgm({"one": ONE}, [])
