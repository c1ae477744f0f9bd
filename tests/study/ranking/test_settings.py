"""Every choice of a ranking is checked, and choices that contradict each other are refused."""

from typing import Any

import pytest

from detectable.core.errors import InputError
from detectable.study.ranking.settings import RankSettings, with_preset

WORDS = (
    "preset",
    "standardise",
    "over",
    "test",
    "unit",
    "level",
    "correction",
    "cluster_rule",
    "average",
    "claim",
)


@pytest.mark.parametrize("option", WORDS)
@pytest.mark.parametrize("word", ["best", ""])
def test_unknown_words_are_refused_by_name(option: str, word: Any) -> None:
    with pytest.raises(InputError, match=f"`{option}` must be one of .*; got '{word}'"):
        RankSettings(**{option: word})


@pytest.mark.parametrize(
    ("option", "value"),
    [
        ("alpha", 0.0),
        ("alpha", 1.0),
        ("power", 0.0),
        ("power", 80.0),
        ("n_resamples", 0),
        ("n_resamples", 99.5),
        ("margin", 0.0),
        ("margin", -1.0),
    ],
)
def test_numbers_out_of_range_are_refused_by_name(option: str, value: Any) -> None:
    with pytest.raises(InputError, match=f"`{option}` must (be|lie)"):
        RankSettings(**{option: value})


@pytest.mark.parametrize(
    ("choices", "message"),
    [
        ({"level": "judgment", "test": "signed-rank"}, "goes with the rank-sum test only"),
        ({"level": "judgment", "unit": "document"}, "whole documents. Choose one"),
        ({"test": "mixed", "standardise": "z"}, "drop `standardise='z'`"),
        ({"test": "mixed", "standardise": "mixed"}, "drop `standardise='mixed'`"),
        ({"test": "stouffer", "average": "items"}, "drop `average='items'`"),
        ({"test": "stouffer-unsigned", "average": "items"}, "drop `average='items'`"),
        ({"claim": "non-inferior"}, "`claim='non-inferior'` needs a margin.* Give `margin`"),
        ({"claim": "equivalent"}, "`claim='equivalent'` needs a margin"),
        (
            {"claim": "equivalent", "margin": 1.0, "preset": "wmt21"},
            "a preset tests for a diff",
        ),
        (
            {"claim": "non-inferior", "margin": 1.0, "alpha": 0.5},
            "alpha below .5: it is one-sid",
        ),
    ],
)
def test_contradictions(choices: dict[str, Any], message: str) -> None:
    with pytest.raises(InputError, match=message):
        RankSettings(**choices)


@pytest.mark.parametrize(
    "choices",
    [
        {"level": "judgment"},
        {"level": "judgment", "test": "rank-sum", "unit": "item"},
        {"test": "mixed"},
        {"test": "mixed", "standardise": "none"},
        {"test": "stouffer"},
        {"test": "permutation", "average": "items"},
        {"margin": 0.01, "alpha": 0.001, "n_resamples": 1},
        {"claim": "non-inferior", "margin": 1.0, "alpha": 0.49},
        {"claim": "equivalent", "margin": 1.0, "correction": "holm"},
        {"correction": "max-t", "test": "permutation"},
    ],
)
def test_what_goes_together(choices: dict[str, Any]) -> None:
    made = RankSettings(**choices)
    assert all(getattr(made, name) == value for name, value in choices.items())


def test_intervals_have_the_level_of_the_tests() -> None:
    assert RankSettings(alpha=0.1).level_of_intervals == 0.9


@pytest.mark.parametrize(
    ("preset", "test", "rule", "one_sided", "zeros"),
    [
        ("wmt21", "rank-sum", "wmt-last", True, "pratt"),
        ("wmt24", "stouffer-unsigned", "all-pairs", False, "drop"),
        ("wmt25", "signed-rank", "rank-ranges", True, "drop"),
    ],
)
def test_a_preset_is_what_wmt_did(
    preset: Any, test: str, rule: str, zeros: str, *, one_sided: bool
) -> None:
    made = with_preset(RankSettings(preset=preset), {})
    assert (made.test, made.cluster_rule, made.one_sided) == (test, rule, one_sided)
    assert (made.unit, made.level, made.correction) == ("item", "item", "none")
    assert (made.zeros, made.continuity) == (zeros, preset == "wmt21")
    assert made.waves_as_items == (preset == "wmt25")
    assert not made.within_raters
    assert made.standardise == ("z" if preset == "wmt21" else "none")
    assert made.average == ("domains" if preset == "wmt24" else "items")


def test_without_a_preset_nothing_changes() -> None:
    asked = RankSettings(test="rank-sum")
    assert with_preset(asked, {"test": "rank-sum"}) is asked
