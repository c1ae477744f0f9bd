"""Codes of languages: one short form for all that people write."""

from dataclasses import replace
from pathlib import Path

import polars as pl
import pytest

from detectable.core.errors import DataError, InputError
from detectable.data.texts.corpus import Corpus
from detectable.data.texts.languages import (
    _SHORT,
    LanguagePair,
    OriginalLanguages,
    language_code,
    language_pair,
    languages_of,
    read_original_languages,
    with_original_languages,
)
from tests.helpers import reference_data


@pytest.mark.parametrize(
    ("written", "short"),
    [
        *(("zh", "zh"), ("zho", "zh"), ("chi", "zh"), ("cmn", "zh"), ("ZH-Hant-TW", "zh")),
        *(("en-US", "en"), ("en_GB", "en"), ("eng", "en"), (" EN ", "en")),
        *(("cs", "cs"), ("ces", "cs"), ("cze", "cs"), ("ger", "de"), ("deu", "de")),
        *(("ice", "is"), ("isl", "is"), ("fre", "fr"), ("per", "fa"), ("slo", "sk")),
        *(("liv", "liv"), ("sah", "sah"), ("hsb", "hsb")),
        *(("un", "un"), ("und", "un"), ("mul", "un"), ("any", "un"), ("und-Latn", "un")),
    ],
)
def test_short_forms(written: str, short: str) -> None:
    assert language_code(written) == short


def test_the_table_of_codes_has_no_slip() -> None:
    shorts = set(_SHORT.values())
    assert len(shorts) == 185
    assert {len(short) for short in shorts} == {2}
    assert all(_SHORT[short] == short for short in shorts)
    assert {len(code) for code in _SHORT} == {2, 3}
    assert len(_SHORT) == 185 + 217


@pytest.mark.parametrize("written", ["xx", "Chinese", "z", "zh1", "", "qq-DE", "en us"])
def test_codes_that_nobody_knows(written: str) -> None:
    with pytest.raises(InputError) as failure:
        language_code(written)
    assert f"got {written!r}, which is none that is known" in str(failure.value)


def test_pairs() -> None:
    assert language_pair("zh-en") == LanguagePair("zh", "en")
    assert language_pair("en_US-zh_CN") == LanguagePair("en", "zh")
    assert language_pair("rus → sah") == LanguagePair("ru", "sah")
    assert str(language_pair("ger:fre")) == "de-fr"


@pytest.mark.parametrize("written", ["zh", "zh-en-de", "en-US-zh", ""])
def test_pairs_that_are_none(written: str) -> None:
    with pytest.raises(InputError, match="`language_pair` must name the source and the target"):
        language_pair(written)


@pytest.mark.parametrize("written", ["en-eng", "un-en", "de-und"])
def test_pairs_of_one_language(written: str) -> None:
    with pytest.raises(InputError, match="`language_pair` must name two different languages"):
        language_pair(written)


# --- Original languages from a sidecar, and what fits a corpus ---

LINES = ["a b", "c d", "e f"]
CORPUS = Corpus.build({"A": LINES}, LINES)
NAMED = replace(CORPUS, documents=("x", "x", "y"))


def test_a_tsv_with_a_header(tmp_path: Path) -> None:
    path = tmp_path / "o.tsv"
    path.write_text("line\tdoc\toriglang\n1\tx\tzh\n2\tx\tzh\n3\ty\t\n")
    found = read_original_languages(path)
    assert found.lines == ("1", "2", "3")
    assert found.documents == ("x", "x", "y")
    assert found.languages == ("zh", "zh", "unknown")
    assert found.by_document() == {"x": "zh", "y": "unknown"}
    assert found.subject == str(path)


@pytest.mark.parametrize("text", ["zh\nzh\nen\n", "zh\nzh\nen", "zho\nzho\nen-US\n"])
def test_one_code_per_line_as_sacrebleu_writes_it(tmp_path: Path, text: str) -> None:
    path = tmp_path / "o.txt"
    path.write_text(text)
    found = read_original_languages(path)
    assert (found.lines, found.documents) == (None, None)
    assert found.languages == tuple(text.split())
    assert found.by_line() == {"1": 0, "2": 1, "3": 2}


SGM = """<srcset setid="newstest2018" srclang="any">
<doc sysid="ref" docid="a.1" genre="news" origlang="tr">
<p>
<seg id="1">bir</seg>
<seg id="2">iki</seg>
</p></doc>
<doc sysid="ref" docid="b.2" genre="news" {origin}><p><seg id="1">uc</seg></p></doc>
</srcset>
"""


def test_sgm_says_it_of_each_document(tmp_path: Path) -> None:
    path = tmp_path / "newstest2018-tren-src.tr.sgm"
    path.write_text(SGM.format(origin='origlang="en"'))
    found = read_original_languages(path)
    assert found.languages == ("tr", "tr", "en")
    assert found.by_line() == {"1": 0, "2": 1, "3": 2}
    assert found.by_document() == {"a.1": "tr", "b.2": "en"}
    path.write_text(SGM.format(origin=""))
    assert read_original_languages(path).languages == ("tr", "tr", "unknown")


def test_several_references_in_sgm_are_the_same_lines(tmp_path: Path) -> None:
    one = SGM.format(origin='origlang="en"').replace("srcset", "refset")
    path = tmp_path / "ref.sgm"
    path.write_text(
        one.replace("</refset>", "") + one.split("\n", 1)[1].replace('ref"', 'alt"')
    )
    assert read_original_languages(path).languages == ("tr", "tr", "en")


def test_sgm_that_does_not_say_it(tmp_path: Path) -> None:
    path = tmp_path / "src.sgm"
    path.write_text(SGM.format(origin="").replace(' origlang="tr"', ""))
    with pytest.raises(DataError, match="no document has the attribute 'origlang'"):
        read_original_languages(path)
    path.write_text("<srcset></srcset>\n")
    with pytest.raises(DataError, match="there is no <doc docid=…> element"):
        read_original_languages(path)


@pytest.mark.golden
def test_sgm_of_wmt19_is_forward_throughout() -> None:
    path = reference_data("data", "real", "sgm", "newstest2019-ende-src.en.sgm")
    found = read_original_languages(path)
    assert (len(found.languages), set(found.languages)) == (43, {"en"})
    assert len(set(found.documents or ())) == 3


def test_codes_that_begin_with_an_unknown_one(tmp_path: Path) -> None:
    path = tmp_path / "o.txt"
    path.write_text("unknown\nen\n")
    assert read_original_languages(path).languages == ("unknown", "en")


def test_a_column_named_like_a_code_is_a_header(tmp_path: Path) -> None:
    path = tmp_path / "o.csv"
    path.write_text("doc,origlang\nx,zh\n")
    assert read_original_languages(path).documents == ("x",)
    path = tmp_path / "o.tsv"
    path.write_text("sid\torig_lang\n7\tzh\n")
    assert read_original_languages(path).lines == ("7",)


@pytest.mark.parametrize("line", ["line", "line_id", "item", "segment", "seg_id", "sid"])
@pytest.mark.parametrize("document", ["document", "doc", "docid", "doc_id", "document_id"])
@pytest.mark.parametrize("language", ["origlang", "orig_lang", "original_language"])
def test_what_columns_may_be_called(line: str, document: str, language: str) -> None:
    found = read_original_languages({line: [7], document: ["x"], language: ["zh"]})
    assert (found.lines, found.documents, found.languages) == (("7",), ("x",), ("zh",))


def test_the_test_set_of_2017() -> None:
    path = reference_data("data", "wmt", "newstest2017_zhen_origlang.parquet")
    found = read_original_languages(path)
    table = pl.read_parquet(path)
    assert len(found.languages) == table.height == 2001
    by_document = found.by_document()
    assert sum(language == "zh" for language in by_document.values()) == 123
    assert sum(language == "en" for language in by_document.values()) == 46


def test_what_is_read_stays_as_it_is() -> None:
    found = OriginalLanguages(languages=("zh",))
    assert read_original_languages(found) is found
    assert found.subject == "the original languages"


def test_a_corpus_takes_languages_by_line_and_documents_too() -> None:
    origins = OriginalLanguages(
        languages=("en", "zh", "zh"), lines=("3", "1", "2"), documents=("y", "x", "x")
    )
    found = with_original_languages(CORPUS, origins)
    assert found.original_languages == ("zh", "zh", "en")
    assert found.documents == ("x", "x", "y")


def test_a_corpus_keeps_its_own_documents() -> None:
    origins = OriginalLanguages(languages=("zh", "zh", "en"), documents=("p", "p", "q"))
    found = with_original_languages(
        replace(CORPUS, documents=("a", "a", "b")), origins=replace(origins, documents=None)
    )
    assert found.documents == ("a", "a", "b")
    assert found.original_languages == ("zh", "zh", "en")


def test_a_row_per_document_goes_by_name() -> None:
    origins = OriginalLanguages(languages=("en", "zh", "de"), documents=("y", "x", "z"))
    assert with_original_languages(NAMED, origins).original_languages == ("zh", "zh", "en")
    assert origins.by_line() == {}


def test_what_a_corpus_knows() -> None:
    assert languages_of(CORPUS) is None
    known = replace(NAMED, original_languages=("zh", "zh", "en"))
    origins = languages_of(known)
    assert origins is not None
    assert origins.by_document() == {"x": "zh", "y": "en"}
    assert origins.by_line() == {"1": 0, "2": 1, "3": 2}


@pytest.mark.parametrize(
    ("origins", "corpus", "message"),
    [
        (
            OriginalLanguages(languages=("zh", "en"), path="o.txt"),
            CORPUS,
            "o.txt: there must be a language for each of 3 lines of the corpus; got 2 lines; line 3 "
            "is not among them. Give one row for each line, counted from 1.",
        ),
        (
            OriginalLanguages(languages=("zh", "en"), path="o.txt"),
            NAMED,
            "o.txt: there must be a language for each of 3 lines of the corpus; got 2 lines; line 3 ",
        ),
        (
            OriginalLanguages(languages=("zh", "en"), documents=("x", "y"), path="o.tsv"),
            CORPUS,
            "o.tsv: there must be a language for each of 3 lines of the corpus; got 0 lines; line 1 ",
        ),
        (
            OriginalLanguages(languages=("zh", "en", "en", "en"), path="o.txt"),
            CORPUS,
            "o.txt: there must be a language for each of 3 lines of the corpus; got 4 lines. Give",
        ),
        (
            OriginalLanguages(languages=("zh",), documents=("x",), path="o.tsv"),
            NAMED,
            "o.tsv: 1 document of the corpus not found: y. Add them.",
        ),
        (
            OriginalLanguages(languages=("zh", "en"), documents=("x", "x"), path="o.tsv"),
            NAMED,
            "o.tsv: document 'x' has segments first written in zh and in en; a document was written "
            "in one language. Correct it, or name its parts differently.",
        ),
    ],
)
def test_sidecars_that_do_not_fit(
    origins: OriginalLanguages, corpus: Corpus, message: str
) -> None:
    with pytest.raises(DataError) as failure:
        with_original_languages(corpus, origins)
    assert message in str(failure.value)


@pytest.mark.parametrize(
    ("text", "message"),
    [
        ("line\tdoc\n1\tx\n", "there is no column for the original language (origlang)"),
        ("doc\nx\n", "there is no column for the original language (origlang)"),
        ("line\toriglang\n\tzh\n", "the line is missing. Fill it in, or drop the row."),
        ("line\toriglang\n1\tzh\n1\ten\n", "line 1 occurs twice. Give one row for each line."),
    ],
)
def test_tables_that_cannot_be_read(tmp_path: Path, text: str, message: str) -> None:
    path = tmp_path / "o.tsv"
    path.write_text(text)
    with pytest.raises(DataError) as failure:
        read_original_languages(path)
    assert message in str(failure.value)
    assert str(path) in str(failure.value)
