""""""

from pathlib import Path
from typing import Any

import pytest
from sacrebleu.dataset.wmt_xml import WMTXMLDataset

from detectable.core.errors import DataError
from detectable.data.texts.wmt_test_sets import read_sgm, read_wmt_xml
from tests.data.sample_files import SAMPLES, fails, write
from tests.helpers import reference_data

SRC, REF, ONE = SAMPLES / "src.sgm", SAMPLES / "ref.sgm", SAMPLES / "one.sgm"


def test_the_sample_is_matched_by_document_and_segment() -> None:
    loaded = read_sgm({"one": ONE}, [REF], sources=SRC)
    corpus = loaded
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
    corpus = read_sgm({"one": ONE}, [REF])
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
    corpus = read_sgm({"A": out}, [first, second])
    assert corpus.reference_names == ("ref", "alt", "r2")
    assert corpus.references == (("a",), ("b",), ("c",))
    with fails("r2.sgm: a second reference called 'ref'. Give each file once."):
        read_sgm({"A": out}, [first, second, second])


def test_documents_of_one_name_are_told_apart_and_test_suites_skipped(tmp_path: Path) -> None:
    docs = [("x", "d", ["a"]), ("x", "d", ["b"]), ("x", "testsuite.1", ["c"])]
    ref = write(tmp_path, "r.sgm", sgm("refset", *docs))
    out = write(tmp_path, "A.sgm", sgm("tstset", *docs))
    loaded = read_sgm({"A": out}, [ref])
    assert loaded.output("A") == ("a", "b")
    assert "1 segment of 1 test suite skipped ('testsuite.1' 1)" in loaded.notes[0]


def test_numbered_entities_that_are_no_characters_stay(tmp_path: Path) -> None:
    text = "&#x41; &#66; &#xD800; &#1114112; &euro; &lt;"
    ref = write(tmp_path, "r.sgm", sgm("refset", ("x", "d", [text])))
    out = write(tmp_path, "A.sgm", sgm("tstset", ("x", "d", ["o"])))
    assert read_sgm({"A": out}, [ref]).references[0] == ("A B &#xD800; &#1114112; &euro; <",)


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


# --- test_read_wmt_xml ---

SAMPLE = SAMPLES / "wmt.xml"


def test_the_sample_is_read_and_what_is_skipped_is_counted() -> None:
    loaded = read_wmt_xml(SAMPLE)
    corpus = loaded
    assert corpus.documents == ("cats", "cats", "night")
    assert corpus.domains == ("news", "news", "speech")
    assert corpus.original_languages == ("de", "de", "en")
    assert corpus.sources == ("Die Katze schläft.", "Es regnet & regnet.", "Gute Nacht.")
    assert corpus.reference_names == ("A", "B")
    assert corpus.references[1] == ("A cat sleeps.", None, None)
    assert corpus.output("one") == ("The cat is asleep.", "It rains on.", "Good night!")
    assert loaded.notes == (
        f"{SAMPLE}: 2 segments of 1 test suite skipped ('TERMS' 2).",
        f"{SAMPLE}: 1 segment without a reference skipped.",
    )


def test_sacrebleu_reads_the_same_segments() -> None:
    with SAMPLE.open("rb") as file:
        unwrap: Any = WMTXMLDataset._unwrap_wmt21_or_later
        theirs = unwrap(file)
    corpus = read_wmt_xml(SAMPLE)
    clean = WMTXMLDataset._clean
    assert corpus.sources == tuple(map(clean, theirs["src"]))
    assert corpus.documents == tuple(theirs["docid"])
    assert corpus.original_languages == tuple(theirs["origlang"])
    assert corpus.domains == tuple(theirs["domain"])
    for name, stream in zip(("A", "B"), corpus.references, strict=True):
        assert tuple(text or "" for text in stream) == tuple(theirs[f"ref:{name}"])
    for name in corpus.systems:
        assert corpus.output(name) == tuple(map(clean, theirs[name]))


def test_systems_references_and_collections_can_be_chosen() -> None:
    loaded = read_wmt_xml(SAMPLE, systems=["two"], references=["B"], collections=["general"])
    assert loaded.systems == {"two": (("Cat sleeps.",),)}
    assert loaded.reference_names == ("B",)
    assert "1 document of other collections left out as asked ((none))." in loaded.notes[0]
    assert "3 segments without a reference skipped." in loaded.notes[1]
    for message, options in (
        ("there is no system 'x'. Found: one, two.", {"systems": ["x"]}),
        ("there is no reference 'C'. Found: A, B.", {"references": ["C"]}),
        ("no document is in the collections asked for. Found: general", {"collections": ["x"]}),
    ):
        with fails("wmt.xml: ", message):
            read_wmt_xml(SAMPLE, **options)


def document(content: str, name: str = "d", more: str = "") -> str:
    return f'<dataset id="x"><doc id="{name}" origlang="de"{more}>{content}</doc></dataset>'


SRC_OF_READ_WMT_XML = (
    '<src lang="de"><p><seg id="1">eins</seg>\n<seg id="2">zwei</seg></p></src>'
)
REF_OF_READ_WMT_XML = '<ref lang="en"><p><seg id="1">one</seg><seg id="2">two</seg></p></ref>'
HYP = '<hyp system="A"><p><seg id="1">1</seg><seg id="2">2</seg></p></hyp>'


def test_source_and_outputs_may_be_in_separate_files(tmp_path: Path) -> None:
    base = write(tmp_path, "ref.xml", document(SRC_OF_READ_WMT_XML + REF_OF_READ_WMT_XML))
    one = write(tmp_path, "A.xml", document(SRC_OF_READ_WMT_XML + HYP))
    two = write(tmp_path, "B.xml", document(HYP.replace('"A"', '"B"')))
    corpus = read_wmt_xml([base, one, two])
    assert corpus.systems == {"A": (("1", "2"),), "B": (("1", "2"),)}
    assert corpus.reference_names == ("ref",)
    with fails("A.xml: document 'd' has system 'A' a second time. Give each file once."):
        read_wmt_xml([base, one, one])
    other = write(
        tmp_path, "C.xml", document(SRC_OF_READ_WMT_XML.replace("zwei", "drei") + HYP)
    )
    with fails("C.xml: the source of document 'd' differs from that in an earlier file."):
        read_wmt_xml([base, other])


def test_test_suites_are_known_by_attribute_collection_and_name(tmp_path: Path) -> None:
    body = SRC_OF_READ_WMT_XML + REF_OF_READ_WMT_XML + HYP
    docs = (
        f'<doc id="d">{body}</doc><doc id="testsuite-1">{body}</doc>'
        f'<doc id="e" testsuite="">{body}</doc>'
        f'<collection id="TestSuites"><doc id="f">{body}</doc></collection>'
    )
    loaded = read_wmt_xml(write(tmp_path, "x.xml", f"<dataset>{docs}</dataset>"))
    assert loaded.documents == ("d", "d")
    assert (
        "6 segments of 3 test suites skipped ('testsuite-1' 2, 'unnamed' 2, 'TestSuites' 2)"
        in (loaded.notes[0])
    )
    assert loaded.domains is None


def test_segments_are_sorted_by_number_and_extra_ones_are_counted(tmp_path: Path) -> None:
    src = '<src><p><seg id="10">zehn</seg><seg id="9">neun</seg></p></src>'
    ref = '<ref><p><seg id="9">nine</seg><seg id="10">ten</seg><seg id="11">?</seg></p></ref>'
    hyp = '<hyp system="A"><p><seg id="10">10</seg><seg id="9">9</seg></p></hyp>'
    loaded = read_wmt_xml(write(tmp_path, "x.xml", document(src + ref + hyp)))
    assert loaded.output("A") == ("9", "10")
    assert "1 translation of segments that the source" in loaded.notes[0]


@pytest.mark.parametrize(
    ("content", "parts"),
    [
        (document(SRC_OF_READ_WMT_XML + REF_OF_READ_WMT_XML + HYP).replace('<seg id="2">2</seg>', ""),
         ("system 'A' lacks 1 of 2 segments of document 'd' (first: segment '2').",
          "Choose systems that are complete with systems=[…]; here these are: none.")),
        (document(SRC_OF_READ_WMT_XML + REF_OF_READ_WMT_XML), ("there is no system. Give also the file that holds the systems.",)),
        (document(SRC_OF_READ_WMT_XML + HYP), ("there is no reference. Give also",)),
        (document(SRC_OF_READ_WMT_XML + REF_OF_READ_WMT_XML + HYP + HYP), ("line 2: document 'd' has <hyp> 'A' twice.",)),
        (document(SRC_OF_READ_WMT_XML + REF_OF_READ_WMT_XML + HYP.replace(' system="A"', "")), ("<hyp> has no attribute 'system'",)),
        (document(SRC_OF_READ_WMT_XML.replace('"2"', '"1"') + REF_OF_READ_WMT_XML), ("line 2: segment '1' appears twice.",)),
        (document(SRC_OF_READ_WMT_XML)[:-15], ("line 2, position", "this is not XML", "Is it cut short, or SGM?")),
        ('<?xml version="1.0" encoding="tf-8"?><dataset/>', ("line 1: the encoding that the XML declaration names", "UTF-8")),
        ('<?xml version="1.0" encoding="shift_jis"?><dataset/>', ("line 1: the encoding that the XML declaration names",)),
        ("<dataset/>", ("there is no <doc> element. Is it a WMT test set?",)),
        ('<dataset><doc origlang="de"/></dataset>', ("line 1: <doc> has no attribute 'id'.",)),
        (f"<dataset><doc id='d'>{REF_OF_READ_WMT_XML + HYP}</doc><doc id='e'>{SRC_OF_READ_WMT_XML + REF_OF_READ_WMT_XML + HYP}</doc></dataset>",
         ("document 'd' has no source, others have one.",)),
        (document(SRC_OF_READ_WMT_XML + "<ref><p><seg id='1'></seg></p></ref>" + HYP),
         ("no segment has a reference. Choose other references.",)),
    ],
)  # fmt: skip
def test_a_broken_file_is_named_of_read_wmt_xml(
    tmp_path: Path, content: str, parts: tuple[str, ...]
) -> None:
    with fails("x.xml", *parts):
        read_wmt_xml(write(tmp_path, "x.xml", content))


def test_entities_are_refused(tmp_path: Path) -> None:
    bomb = '<!DOCTYPE x [<!ENTITY lol "lol">]>\n' + document(SRC_OF_READ_WMT_XML)
    spy = '<!DOCTYPE x [\n<!ENTITY e SYSTEM "file:///etc/passwd">]>\n' + document("&e;")
    with fails("x.xml, line 1: the file declares the entity 'lol'", "Remove the declaration."):
        read_wmt_xml(write(tmp_path, "x.xml", bomb))
    with fails("x.xml, line 2: the file declares the entity 'e'"):
        read_wmt_xml(write(tmp_path, "x.xml", spy))


def test_no_file_is_an_error() -> None:
    with pytest.raises(DataError, match=r"there is no XML file to read\. Give at least one"):
        read_wmt_xml([])


DOCTYPE = '<!DOCTYPE dataset SYSTEM "wmt.dtd">\n'


@pytest.mark.parametrize("encoding", ["utf-8", "utf-16"])
def test_an_entity_that_nothing_defines_is_not_dropped(tmp_path: Path, encoding: str) -> None:
    source = SRC_OF_READ_WMT_XML.replace("zwei", "caf&eacute;")
    text = f'<?xml version="1.0" encoding="{encoding}"?>{DOCTYPE}{document(source + REF_OF_READ_WMT_XML + HYP)}'
    with fails("x.xml, line 3: the entity &eacute; is not defined", "its number (&#233;)"):
        read_wmt_xml(write(tmp_path, "x.xml", text.encode(encoding)))


def test_an_undefined_entity_in_an_attribute_is_not_dropped(tmp_path: Path) -> None:
    text = DOCTYPE + document(
        SRC_OF_READ_WMT_XML + REF_OF_READ_WMT_XML + HYP.replace('"A"', '"S&uuml;d"')
    )
    with fails("x.xml, line 3: the entity &uuml; is not defined"):
        read_wmt_xml(write(tmp_path, "x.xml", text))


def test_a_doctype_alone_does_no_harm(tmp_path: Path) -> None:
    source = SRC_OF_READ_WMT_XML.replace(
        "zwei", "2 &amp; &#233; <![CDATA[&eacute;]]><!-- &uuml; -->"
    )
    text = DOCTYPE + document(source + REF_OF_READ_WMT_XML + HYP)
    corpus = read_wmt_xml(write(tmp_path, "x.xml", text))
    assert corpus.sources == ("eins", "2 & é &eacute;")


def test_translations_into_two_languages_are_refused(tmp_path: Path) -> None:
    other = HYP.replace("system=", 'lang="fr" system=')
    with fails(
        "x.xml, line 3: <hyp> is in 'fr', those before it in 'en'.", "one language pair"
    ):
        read_wmt_xml(
            write(
                tmp_path,
                "x.xml",
                document(f"{SRC_OF_READ_WMT_XML}{REF_OF_READ_WMT_XML}\n{other}"),
            )
        )


def test_the_example_of_appraise() -> None:
    path = reference_data("data", "real", "wmt-xml", "newstest2021.de-fr.example.xml")
    corpus = read_wmt_xml(path)
    assert len(set(corpus.documents or ())) == 15
    assert len(corpus.systems) == 4


# Outputs in plain text beside SGM


def test_plain_text_goes_with_sgm_references(tmp_path: Path) -> None:
    source, reference = SAMPLES / "src.sgm", SAMPLES / "ref.sgm"
    whole = read_sgm({"one": SAMPLES / "one.sgm"}, [reference], sources=source)
    (tmp_path / "one.txt").write_text("\n".join(whole.output("one")) + "\n", encoding="utf-8")
    (tmp_path / "two.txt").write_text("a\nb\nc\n", encoding="utf-8")
    systems: dict[str, Any] = {"one": tmp_path / "one.txt"}
    systems["runs"] = [tmp_path / "one.txt", tmp_path / "two.txt"]
    found = read_sgm(
        systems,
        [reference],
        sources=source,
        language_pair="de-en",
    )
    assert found.output("one") == whole.output("one")
    assert found.systems["runs"] == (whole.output("one"), ("a", "b", "c"))
    assert found.original_languages == whole.original_languages
    # The files say «any» of the source, as WMT's do.
    assert (whole.language_pair, found.language_pair) == (None, "de-en")
    (tmp_path / "short.txt").write_text("a\nb\n", encoding="utf-8")
    with pytest.raises(DataError, match=r"short\.txt: 2 lines for 3 segments of .*src\.sgm"):
        read_sgm({"one": tmp_path / "short.txt"}, [reference], sources=source)


def test_files_say_what_is_translated() -> None:
    assert read_wmt_xml(SAMPLES / "wmt.xml").language_pair == "de-en"
