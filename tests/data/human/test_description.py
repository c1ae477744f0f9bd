"""What a table of judgments holds, in numbers and in words."""

import math

import pytest

from detectable.core.errors import DataError
from detectable.data.human.description import describe_judgments, with_origins
from detectable.data.human.judgments import Judgments
from detectable.data.human.read_judgments import read_judgments
from detectable.data.texts.languages import OriginalLanguages


def judgments() -> Judgments:
    return Judgments.build(
        {
            "system": ["A", "B", "A", "A"],
            "item": [1, 1, 2, 2],
            "rater": ["v", "v", "w", "w"],
            "kind": ["system", "system", "system", "degraded"],
            "score": [70, 80, 60, 20],
        }
    )


def test_counts_of_rows_kinds_and_levels() -> None:
    found = describe_judgments(judgments(), "out.csv")
    assert found.judgments == 4
    assert found.kinds == {"system": 3, "repeat": 0, "degraded": 1, "reference": 0}
    assert found.levels == {"system": 2, "item": 2, "rater": 2}
    assert found.scale == (0.0, 100.0)
    assert found.output == "out.csv"
    assert found.notes == judgments().notes
    assert str(found.signature).startswith("judgments|n:4|")


def test_words() -> None:
    assert describe_judgments(judgments(), "out.csv").summary().splitlines() == [
        "out.csv holds 4 judgments.",
        "There: 2 systems, 2 items, 2 raters.",
        "Kinds: 3 system, 1 degraded.",
        "Scale: 0 to 100.",
    ]
    assert describe_judgments(judgments()).summary().startswith("The table holds 4 judgments.")


@pytest.mark.parametrize(
    ("scale", "said"),
    [
        ((0.0, math.inf), "Scale: 0 to no upper bound."),
        ((-math.inf, 2.5), "Scale: no lower bound to 2.5."),
        ((-25.0, 0.0), "Scale: -25 to 0."),
    ],
)
def test_a_scale_without_an_end_says_so(scale: tuple[float, float], said: str) -> None:
    from tests.report.results import judgment_description

    assert judgment_description(scale=scale).summary().splitlines()[-1] == said


def test_where_the_scores_of_each_kind_lie() -> None:
    table = Judgments.build(
        {
            "system": ["A"] * 6,
            "item": [1, 2, 3, 4, 1, 2],
            "rater": ["w"] * 6,
            "kind": ["system"] * 4 + ["degraded"] * 2,
            "score": [0, 40, 60, 100, 10, 30],
        }
    )
    first, second = describe_judgments(table).scores
    assert (first.kind, first.n, first.quartiles) == (
        "system",
        4,
        (0.0, 30.0, 50.0, 70.0, 100.0),
    )
    assert first.at_ends == 0.5
    assert (second.kind, second.quartiles[2], second.at_ends) == ("degraded", 20.0, 0.0)
    assert "scores" not in describe_judgments(table).to_dict()
    free = Judgments.build(
        {"system": ["A", "B"], "item": [1, 1], "score": [1, 2]}, scale=(-math.inf, math.inf)
    )
    assert math.isnan(describe_judgments(free).scores[0].at_ends)


# --- Original languages of what was judged ---

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
