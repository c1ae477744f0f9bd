"""A setting is declared once: what stands in signatures and docstrings is what was declared."""

import concurrent.futures
import dataclasses
import importlib
import inspect
import pkgutil
import textwrap
import typing
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import numpy as np
import pytest

import detectable
import detectable as dt
from detectable.core import choices
from detectable.core.choices import Runs
from detectable.core.errors import InputError
from detectable.core.options import Shared, asked, check_settings, declared, option
from detectable.data.scores.scores import Scores
from detectable.study.archive.meaning import MeaningCurve
from detectable.study.campaign.settings import CampaignSettings
from detectable.study.comparison.compare import compare
from detectable.study.comparison.options import CompareSettings
from detectable.study.ranking.settings import RepeatSettings
from detectable.web.settings import Settings as ServerSettings
from scripts.make_signatures import SETTINGS, differences, pairs, rewritten


@pytest.mark.parametrize("pair", tuple(pairs()), ids=lambda pair: str(pair[0].__name__))
def test_the_source_says_what_was_declared(pair: tuple[Any, type]) -> None:
    assert [str(found) for found in differences(*pair)] == []


def test_every_class_that_declares_settings_is_compared() -> None:
    """Save what many take, and what no public function takes: campaigns, servers, `Ranking.repeat`."""
    modules = [
        importlib.import_module(module.name)
        for module in pkgutil.walk_packages(detectable.__path__, "detectable.")
        if module.name.endswith((".settings", ".options"))
    ]
    found = {
        kind
        for module in modules
        for kind in vars(module).values()
        if inspect.isclass(kind) and dataclasses.is_dataclass(kind) and declared(kind)
    }
    compared = {one for _, settings in pairs() for one in settings.__mro__}
    assert found - compared == {CampaignSettings, RepeatSettings, ServerSettings, Shared}
    assert sorted(SETTINGS) == list(SETTINGS)


@dataclass(frozen=True, slots=True, kw_only=True)
class TossSettings:
    """How to toss."""

    runs: Runs = option("auto", "Which.")
    n_coins: int = option(2, "How many.", flag="--coins", most=9)
    bias: float | None = option(None, "Of a coin.", kind="probability")
    names: tuple[str, ...] = option((), "Of coins.", flag="--name")

    def __post_init__(self) -> None:
        check_settings(self)


def toss(
    *,
    runs: str = "auto",
    n_coins: int = 3,
    bias: float | None = None,
    names: Sequence[str] = (),
) -> TossSettings:
    """Toss coins.

    Parameters
    ----------
    runs : {'auto', 'fixed'}
        Which runs.
    n_coins : int
        How many.
    bias, names : float, optional
        Of coins.

    Examples
    --------
    >>> toss(n_coins=2).runs
    'auto'
    """
    return asked(TossSettings, locals())


def test_a_difference_is_said_and_written() -> None:
    found = list(differences(toss, TossSettings))
    assert [(one.name, one.what) for one in found] == [
        ("runs", "head"),
        ("runs", "type"),
        ("n_coins", "default"),
        ("names", "head"),
    ]
    assert str(found[2]) == (
        "toss: the default of `n_coins` is 3 in the source, and 2 as declared. Run python "
        "scripts/make_signatures.py."
    )
    source = textwrap.dedent(
        """
        def toss(
            runs: Runs = "auto",
            n_coins: int = 3,
        ):
            runs : {'auto', 'fixed'}
            n_coins : int
        """
    )
    for one in found[:3]:
        source = rewritten(source, one)
    assert "    n_coins: int = 2,\n" in source
    assert "    runs : {'auto', 'random', 'fixed'}\n" in source


def test_what_was_declared_is_checked() -> None:
    found = toss(n_coins=np.int64(9), names=["a"], bias=0.5)  # type: ignore[arg-type]
    assert (found.n_coins, type(found.n_coins)) == (9, int)
    assert type(toss(n_coins=4.0).n_coins) is int  # type: ignore[arg-type]
    with pytest.raises(
        InputError, match=r"^`runs` must be one of auto, random, fixed; got 'x'"
    ):
        toss(runs="x")
    with pytest.raises(InputError, match=r"^`n_coins` must be at most 9; got 10"):
        toss(n_coins=10)
    with pytest.raises(
        InputError, match=r"^`bias` must lie strictly between 0 and 1; got 1\.0"
    ):
        toss(bias=1.0)


def test_the_script_that_is_named_exists() -> None:
    root = Path(__file__).parents[2]
    assert "scripts/make_signatures.py" in (inspect.getdoc(detectable.core.options) or "")
    assert (root / "scripts" / "make_signatures.py").exists()


# --- The words that options take: lower case, no doubles, and the default first ---

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
    names = {
        "Executor": concurrent.futures.Executor,
        "Scores": Scores,
        "TableSource": Any,
        "MeaningCurve": MeaningCurve,
    }
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
