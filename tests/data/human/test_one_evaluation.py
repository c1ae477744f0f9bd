"""One campaign in one language pair."""

from typing import Any

import pytest

from detectable.core.errors import DataError, InputError
from detectable.data.human.judgments import Judgments, one_evaluation


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
