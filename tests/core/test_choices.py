"""The words that options take: lower case, no doubles, and the default first."""

import concurrent.futures
import dataclasses
import inspect
import typing
from typing import Any

import pytest

import detectable as dt
from detectable.core import choices
from detectable.data.scores.scores import Scores
from detectable.study.comparison.compare import compare
from detectable.study.comparison.options import CompareSettings

LISTS: dict[str, Any] = {
    name: kind
    for name, kind in vars(choices).items()
    if typing.get_origin(kind) is typing.Literal
}


@pytest.mark.parametrize("name", LISTS)
def test_a_list_of_words_has_no_doubles_and_no_capitals(name: str) -> None:
    words = choices.words(LISTS[name])
    assert words
    assert len(set(words)) == len(words)
    assert all(word == word.lower() and " " not in word for word in words)


def _defaults_of(function: Any) -> list[tuple[str, Any, Any]]:
    # These are imported for checkers of types alone.
    names = {"Executor": concurrent.futures.Executor, "Scores": Scores, "TableSource": Any}
    hints = typing.get_type_hints(function, localns=names)
    found = inspect.signature(function).parameters.values()
    return [(p.name, hints[p.name], p.default) for p in found if p.name in hints]


@pytest.mark.parametrize(
    "function",
    [compare, dt.rank_systems, dt.variance_components, dt.quality_control, dt.make_tasks],
    ids=lambda function: function.__name__,
)
def test_the_first_word_is_the_default_of_a_function(function: Any) -> None:
    checked = 0
    for name, kind, default in _defaults_of(function):
        if typing.get_origin(kind) is typing.Literal and default is not inspect.Parameter.empty:
            assert default == choices.words(kind)[0], name
            checked += 1
    assert checked


def test_the_first_word_is_the_default_of_the_settings() -> None:
    hints = typing.get_type_hints(CompareSettings)
    for field in dataclasses.fields(CompareSettings):
        if typing.get_origin(hints[field.name]) is typing.Literal:
            assert field.default == choices.words(hints[field.name])[0]
