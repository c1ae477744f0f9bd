"""Original languages of what was judged."""

import pytest

from detectable.core.errors import DataError
from detectable.data.human.description import with_origins
from detectable.data.human.judgments import Judgments
from detectable.data.human.read_judgments import read_judgments
from detectable.data.texts.languages import OriginalLanguages

TABLE = {"system": ["A", "B", "A"], "item": [12, 12, 7], "score": [60, 70, 80]}


def languages(judgments: Judgments) -> list[str]:
    return judgments.column("original_language").labels()


def test_by_line_with_the_documents_of_the_lines() -> None:
    origins = OriginalLanguages(languages=("zh", "en"), lines=("7", "12"), documents=("x", "y"))
    found = with_origins(Judgments.build(TABLE), origins)
    assert languages(found) == ["en", "en", "zh"]
    assert found.column("document").labels() == ["y", "y", "x"]
    assert found.score.tolist() == [60, 70, 80]


def test_documents_go_before_lines() -> None:
    judged = Judgments.build({**TABLE, "document": ["p", "p", "q"]})
    origins = OriginalLanguages(
        languages=("zh", "en", "de"), lines=("7", "12", "13"), documents=("p", "q", "r")
    )
    found = with_origins(judged, origins)
    assert languages(found) == ["zh", "zh", "en"]
    assert found.column("document").labels() == ["p", "p", "q"]


def test_lines_where_documents_have_other_names() -> None:
    judged = Judgments.build({**TABLE, "document": ["p", "p", "q"]})
    origins = OriginalLanguages(languages=("zh", "en"), lines=("7", "12"))
    found = with_origins(judged, origins)
    assert languages(found) == ["en", "en", "zh"]
    assert found.column("document").labels() == ["p", "p", "q"]


def test_the_same_documents_are_enough() -> None:
    judged = Judgments.build({**TABLE, "document": ["p", "p", "q"]})
    origins = OriginalLanguages(languages=("zh", "en"), lines=("7", "12"), documents=("p", "q"))
    assert languages(with_origins(judged, origins)) == ["zh", "zh", "en"]


def test_judgments_keep_their_own_documents() -> None:
    judged = Judgments.build({**TABLE, "document": ["p", "p", "q"]})
    origins = OriginalLanguages(languages=("zh", "en"), lines=("7", "12"), documents=("x", "y"))
    found = with_origins(judged, origins)
    assert languages(found) == ["en", "en", "zh"]
    assert found.column("document").labels() == ["p", "p", "q"]


def test_neither_knows_documents() -> None:
    origins = OriginalLanguages(languages=("zh", "en"), lines=("7", "12"))
    found = with_origins(Judgments.build(TABLE), origins)
    assert languages(found) == ["en", "en", "zh"]
    assert found.document is None


@pytest.mark.parametrize(("documents", "known"), [(["p", "p", "q"], None), (None, ("x", "y"))])
def test_documents_of_one_side_do_not_make_up_for_lines(
    documents: list[str] | None, known: tuple[str, ...] | None
) -> None:
    table = TABLE if documents is None else {**TABLE, "document": documents}
    origins = OriginalLanguages(languages=("zh", "en"), documents=known, path="o.txt")
    with pytest.raises(DataError, match="there is no line 12, 7, which was judged"):
        with_origins(Judgments.build(table), origins)


def test_lines_that_are_not_there() -> None:
    origins = OriginalLanguages(languages=("zh", "en"), path="o.txt")
    with pytest.raises(DataError) as failure:
        with_origins(Judgments.build(TABLE), origins)
    assert str(failure.value) == (
        "o.txt: there is no line 12, 7, which was judged. Name the items of the judgments by the "
        "line of the test set (from 1), or give documents to both."
    )


def test_documents_that_are_not_there() -> None:
    judged = Judgments.build({**TABLE, "document": ["p", "p", "q"]})
    origins = OriginalLanguages(languages=("zh",), documents=("p",), path="o.tsv")
    with pytest.raises(DataError, match="in which language q was written, which was judged"):
        with_origins(judged, origins)


@pytest.mark.parametrize("name", ["original_language", "origlang", "orig_lang"])
def test_a_column_of_the_table(name: str) -> None:
    judged = read_judgments({**TABLE, name: ["zh", "zh", None]})
    assert languages(judged) == ["zh", "zh", "unknown"]
    chosen = read_judgments(
        {**TABLE, "written": ["zh", "en", "NA"]}, columns={"original_language": "written"}
    )
    assert languages(chosen) == ["zh", "en", "unknown"]
    assert languages(judged.take(judged.score < 75)) == ["zh", "zh"]
