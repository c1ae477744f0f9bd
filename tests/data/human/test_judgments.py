""""""

from typing import Any

import numpy as np
import pytest

from detectable.core.errors import DataError, InputError
from detectable.data.factor import cross, factor
from detectable.data.human.columns import KINDS
from detectable.data.human.judgments import Judgments, one_evaluation


def _columns(**changes: Any) -> dict[str, Any]:
    columns: dict[str, Any] = {
        "system": ["A", "B", "A", "B"],
        "item": ["1", "1", "2", "2"],
        "rater": ["w", "w", "v", "v"],
        "score": [70, 80, 20, 30],
    }
    return {**columns, **changes}


def test_rows_keep_their_names_and_numbers() -> None:
    judgments = Judgments.build(_columns(kind=["TGT", "BAD", "REF", "CHK"]))
    assert judgments.system.labels() == ["A", "B", "A", "B"]
    assert [KINDS[code] for code in judgments.kind] == [
        "system",
        "degraded",
        "reference",
        "repeat",
    ]
    assert judgments.is_kind("system", "repeat").tolist() == [True, False, False, True]


def test_all_problems_come_in_one_message() -> None:
    columns = _columns(
        score=[70, "x", 101, 30], kind=["TGT", "odd", "TGT", "TGT"], rater=["w", "", "v", "v"]
    )
    with pytest.raises(DataError) as caught:
        Judgments.build(columns, path="j.csv", lines=[2, 3, 4, 5])
    message = str(caught.value)
    assert message.startswith("j.csv has 4 problems.")
    assert "j.csv, line 3, column 'score': the score must be a number, found 'x'" in message
    assert (
        "j.csv, line 4, column 'score': the score 101 lies outside the scale 0 to 100"
        in message
    )
    assert "j.csv, line 3, column 'rater': the rater is missing" in message
    assert "j.csv, line 3, column 'kind': unknown kind 'odd'" in message


def test_a_second_score_is_refused_or_marked() -> None:
    columns = _columns(system=["A", "A", "A", "B"], rater=["w"] * 4, item=["1", "1", "2", "2"])
    with pytest.raises(DataError, match="a second score by rater 'w' for system 'A', item '1'"):
        Judgments.build(columns)
    marked = Judgments.build(columns, repeated="mark")
    assert marked.is_kind("repeat").tolist() == [False, True, False, False]
    assert marked.notes == (
        "1 second score by one rater for one item of a system counted as repeats.",
    )


def test_a_second_wave_or_task_is_no_second_score() -> None:
    columns = _columns(system=["A"] * 4, item=["1"] * 4, rater=["w"] * 4)
    assert Judgments.build({**columns, "wave": [1, 2, 3, 4]}).n_judgments == 4
    assert Judgments.build({**columns, "task": ["a", "b", "c", "d"]}).n_judgments == 4


def test_items_of_the_same_name_in_two_documents_are_two_items() -> None:
    judgments = Judgments.build(
        _columns(item=["1", "1", "1", "1"], document=["d", "d", "e", "e"])
    )
    assert judgments.item.levels == ("d:1", "e:1")


def test_taking_rows_forgets_levels_that_are_gone() -> None:
    judgments = Judgments.build(_columns(), path="j.csv", lines=[2, 3, 4, 5])
    part = judgments.where(rater="v")
    assert part.item.levels == ("2",)
    assert part.place(0) == "j.csv, line 4"
    with pytest.raises(InputError, match="`rater` must be one of w, v; got 'u'"):
        judgments.where(rater="u")
    with pytest.raises(InputError, match="there is no domain"):
        judgments.where(domain="news")


def test_columns_come_back_as_they_were() -> None:
    columns = _columns(kind=["system", "degraded", "reference", "repeat"])
    back = Judgments.build(columns).to_columns()
    assert {role: back[role] for role in columns} == {
        **columns,
        "score": [70.0, 80.0, 20.0, 30.0],
    }


@pytest.mark.parametrize(
    ("columns", "message"),
    [
        ({"system": ["A"], "score": [1]}, "item is missing"),
        (_columns(colour=[1, 2, 3, 4]), "got 'colour'"),
        (_columns(score=[1]), "score has 1 row"),
    ],
)
def test_wrong_columns_are_refused(columns: dict[str, Any], message: str) -> None:
    with pytest.raises(InputError, match=message):
        Judgments.build(columns)


def test_combinations_are_numbered_by_first_appearance() -> None:
    combined = cross("cell", factor("a", [3, 1, 3]), factor("b", np.array([1, 1, 1])))
    assert combined.levels == ("3:1", "1:1")
    assert combined.codes.tolist() == [0, 1, 0]


# --- One campaign in one language pair ---


def judged(**names: Any) -> Judgments:
    columns = {"system": ["A", "B", "A"], "item": [1, 1, 2], "score": [10, 20, 30]}
    return Judgments.build({**columns, **names}, path="j.csv")


def test_one_is_taken_as_it_is() -> None:
    plain = judged()
    assert one_evaluation(plain) is plain
    named = judged(language=["de"] * 3, campaign=["c"] * 3)
    assert one_evaluation(named) is named


def test_several_need_a_choice() -> None:
    both = judged(language=["de", "de", "fr"], campaign=["c", "d", "d"])
    with pytest.raises(
        DataError, match=r"j\.csv: 2 campaigns: c, d\. Scores of different ones"
    ):
        one_evaluation(both, language="de")
    with pytest.raises(
        DataError, match=r"2 language pairs: de, fr\. .*--language \(language=…\)"
    ):
        one_evaluation(both, campaign="d")
    assert one_evaluation(both, campaign="c").score.tolist() == [10.0]
    assert one_evaluation(both, campaign="d", language="de").score.tolist() == [20.0]


def test_what_is_not_there_cannot_be_chosen() -> None:
    with pytest.raises(InputError, match=r"`language` must be one of de; got 'fr'"):
        one_evaluation(judged(language=["de"] * 3), language="fr")
    with pytest.raises(InputError, match="there is no campaign"):
        one_evaluation(judged(), campaign="c")


def test_tables_that_name_their_language_are_joined_as_they_are() -> None:
    one, two = (
        Judgments.build(
            {"system": ["A", "B"], "item": [1, 1], "score": [60, 70], "language": [pair] * 2},
            path=f"{pair}.csv",
            notes=["Both."],
        )
        for pair in ("cs-en", "ja-en")
    )
    both = Judgments.join([one, two])
    assert both.column("language").labels() == ["cs-en", "cs-en", "ja-en", "ja-en"]
    assert both.campaign is None
    assert both.notes == ("Both.",)
    assert Judgments.join([one]) is one


def test_tables_that_are_not_told_apart_become_campaigns() -> None:
    table = {"system": ["A"], "item": [1], "score": [60], "rater": ["w"]}
    both = Judgments.join([Judgments.build(table), Judgments.build(table)])
    assert both.column("campaign").levels == ("table 1", "table 2")
    assert both.is_kind("system").all()  # no second score by one rater
    with pytest.raises(InputError, match="`parts` must hold at least one table"):
        Judgments.join([])
