"""In which direction a test set was made, and one direction alone."""

from typing import Any

import numpy as np
import pytest

from detectable.core.errors import DataError, InputError
from detectable.data.battles.read_battles import read_battles
from detectable.data.directions import (
    DIRECTIONS,
    choose_pair,
    directions,
    keep_direction,
    same_lines,
)
from detectable.data.human.judgments import Judgments, one_evaluation
from detectable.data.scores.read_score_table import read_score_table
from detectable.data.scores.scores import Scores
from detectable.data.texts.corpus import Corpus
from detectable.data.texts.languages import LanguagePair
from detectable.data.texts.text_table import read_text_table

ZH_EN = LanguagePair("zh", "en")


def test_directions() -> None:
    written = ["zh", "zho", "en-US", "eng", "de", "un", "unknown", "zh"]
    found = [DIRECTIONS[code] for code in directions(written, ZH_EN)]
    assert found == [
        *("forward", "forward", "reverse", "reverse", "other", "other", "missing", "forward")
    ]
    turned = [DIRECTIONS[code] for code in directions(["zh", "en"], LanguagePair("en", "zh"))]
    assert turned == ["reverse", "forward"]


def test_a_code_that_nobody_knows_is_named() -> None:
    with pytest.raises(InputError, match="got 'Chinese', which is none that is known"):
        directions(["zh", "Chinese"], ZH_EN)


def test_the_pair_is_asked_for_or_named_by_the_data() -> None:
    assert choose_pair("en-zh", ["zh-en"]) == LanguagePair("en", "zh")
    assert choose_pair(None, ["zho-eng"]) == ZH_EN
    with pytest.raises(InputError, match=r"forward and reverse cannot be told\. Give it"):
        choose_pair(None, [])
    with pytest.raises(InputError, match=r"the data name zh-en, de-en\. Give"):
        choose_pair(None, ["zh-en", "de-en"])


WRITTEN = ["zh", "en", "de", "zh"]


def texts(**more: object) -> Corpus:
    lines = list("abcd")
    return Corpus.build({"A": lines}, lines, original_languages=WRITTEN, **more)  # type: ignore[arg-type]


def test_one_direction_of_texts() -> None:
    kept = keep_direction(texts(language_pair="zh-en"))
    assert kept.output("A") == ("a", "d")
    assert kept.notes == ("2 of 4 segments left out: only forward ones (zh) are kept.",)
    assert keep_direction(texts(), "reverse", language_pair="zho-eng").output("A") == ("b",)
    whole = texts()
    assert keep_direction(whole, "all") is whole
    assert keep_direction(kept) is kept  # nothing more to leave out


def test_one_direction_of_scores_wide_and_long() -> None:
    wide = {"item": [1, 2, 3, 4], "A": [1, 2, 3, 4], "origlang": ["zh", "en", None, "zh"]}
    found = read_score_table(wide, language_pair="zh-en")
    assert found.original_languages == ("zh", "en", "unknown", "zh")
    assert keep_direction(found).systems["A"].tolist() == [[1.0, 4.0]]
    rows = [(s, i, w) for s in "AB" for i, w in enumerate(WRITTEN)]
    long: dict[str, Any] = {
        "system": [s for s, _, _ in rows],
        "item": [i for _, i, _ in rows],
        "score": list(range(8)),
        "origlang": [w for _, _, w in rows],
        "lp": ["zh-en"] * 8,
    }
    kept = keep_direction(read_score_table(long))
    assert kept.items == ("0", "3")
    assert kept.systems["B"].tolist() == [[4.0, 7.0]]
    torn = {**long, "origlang": ["zh", *long["origlang"][1:4], "en", *long["origlang"][5:]]}
    with pytest.raises(
        DataError, match="item '0' was first written in en here, and in zh before"
    ):
        read_score_table(torn)


def test_one_direction_of_judgments_in_several_language_pairs() -> None:
    table = {"system": ["A"] * 4, "item": [1, 2, 3, 4], "score": [1, 2, 3, 4]}
    data = Judgments.build(
        {**table, "original_language": ["zh", "en", "zh", "en"],
         "language": ["zh-en", "zh-en", "en-zh", "en-zh"]}
    )  # fmt: skip
    assert keep_direction(data).score.tolist() == [1.0, 4.0]
    assert keep_direction(data, "reverse").score.tolist() == [2.0, 3.0]
    single = Judgments.build({**table, "original_language": WRITTEN})
    with pytest.raises(InputError, match="must say from which language"):
        keep_direction(single)
    assert keep_direction(single, language_pair="zh-en").score.tolist() == [1.0, 4.0]
    # Data that name no pair take the one that is said for it.
    assert one_evaluation(single, language="zh-en").column("language").levels == ("zh-en",)


def test_one_direction_of_battles() -> None:
    table = {
        "a": ["x"] * 4,
        "b": ["y"] * 4,
        "winner": ["a", "b", "a", "tie"],
        "origlang": WRITTEN,
    }
    kept = keep_direction(read_battles(table), language_pair="zh-en")
    assert kept.outcome.tolist() == [1.0, 0.5]
    assert kept.notes == ("2 of 4 battles left out: only forward ones (zh) are kept.",)


def test_scores_beside_texts_follow_their_lines() -> None:
    corpus = texts(language_pair="zh-en")
    beside = Scores.build({"A": [1, 2, 3, 4]})
    kept = same_lines(beside, corpus, np.array([True, False, False, True]))
    assert kept.items == ("1", "2")
    assert kept.systems["A"].tolist() == [[1.0, 4.0]]


def test_what_cannot_be_told_is_said() -> None:
    lines = list("abcd")
    with pytest.raises(InputError, match="the texts do not say in which language segments"):
        keep_direction(Corpus.build({"A": lines}, lines), language_pair="zh-en")
    with pytest.raises(
        DataError, match=r"none is forward, first written in fr \(found: de, en, zh"
    ):
        keep_direction(texts(), language_pair="fr-en")


def test_a_table_without_a_pair_takes_it_from_who_asks() -> None:
    table = {
        "src": ["a", "b"],
        "ref": ["a", "b"],
        "hyp:A": ["a", "b"],
        "origlang": ["zh", "en"],
    }
    assert read_text_table(table, language_pair="zh-en").language_pair == "zh-en"
    assert read_text_table({**table, "lp": ["zh-en", "zh-en"]}).language_pair == "zh-en"
    del table["origlang"]
    with pytest.raises(InputError, match="has no column of the language"):
        read_text_table(table, language_pair="zh-en")
