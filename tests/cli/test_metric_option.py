"""``--metric bleu:tokenize=intl,lowercase=yes``: names and settings as people type them."""

import re
from typing import Any

import click
import pytest

from detectable.cli.inputs import parse_metrics
from detectable.core.errors import InputError
from detectable.metrics.bleu import Bleu
from detectable.metrics.chrf import Chrf
from detectable.metrics.gtm import Gtm
from detectable.metrics.ter import Ter


def _parse(*texts: str, tokenize: str | None = None, lowercase: bool = False) -> Any:
    return parse_metrics(texts, tokenize=tokenize, lowercase=lowercase)


def test_no_choice_is_left_to_the_library() -> None:
    assert _parse() is None


@pytest.mark.parametrize(
    ("text", "metric"),
    [
        ("bleu", Bleu()),
        ("bleu:", Bleu()),
        ("bleu:tokenize=char", Bleu(tokenize="char")),
        ("bleu:max_order=2", Bleu(max_order=2)),
        ("bleu:smooth=floor,smooth_value=0.2", Bleu(smooth="floor", smooth_value=0.2)),
        ("bleu:effective_order=yes,", Bleu(effective_order=True)),
        ("chrf:beta=3,whitespace=on", Chrf(beta=3, whitespace=True)),
        ("gtm:exponent=2", Gtm(exponent=2.0)),
    ],
    ids=str,
)
def test_settings_become_what_the_metric_holds(text: str, metric: Any) -> None:
    assert _parse(text) == (metric,)


@pytest.mark.parametrize(
    ("word", "value"),
    [
        ("yes", True),
        ("true", True),
        ("on", True),
        ("YES", True),
        ("no", False),
        ("false", False),
        ("off", False),
        ("Off", False),
    ],
)
def test_words_for_yes_and_no(word: str, value: bool) -> None:
    [found] = _parse(f"bleu:lowercase={word}")
    assert found.lowercase is value


def test_a_fraction_stays_one() -> None:
    [found] = _parse("bleu:smooth=floor,smooth_value=1")
    assert (found.smooth_value, type(found.smooth_value)) == (1.0, float)


@pytest.mark.parametrize(
    ("text", "message"),
    [
        (
            "bleu:tokenize",
            "--metric bleu:tokenize: write settings as key=value, not 'tokenize'.",
        ),
        ("bleu:lowercase=maybe", "--metric bleu:lowercase=maybe: 'maybe' must be yes or no."),
        ("bleu:max_order=two", "--metric bleu:max_order=two: 'two' must be a number."),
        ("bleu:max_order=2.5", "'2.5' must be a number."),
        ("gtm:exponent=x", "'x' must be a number."),
    ],
    ids=str,
)
def test_settings_that_cannot_be_read(text: str, message: str) -> None:
    with pytest.raises(click.UsageError, match=re.escape(message)):
        _parse(text)


@pytest.mark.parametrize(
    ("text", "message"),
    [
        ("bleu:beta=2", "metric 'bleu' has no setting 'beta'; it has tokenize"),
        ("blue", "no metric named 'blue'. Did you mean 'bleu'"),
        ("bleu:tokenize=13b", "13b"),
    ],
    ids=str,
)
def test_settings_that_do_not_exist(text: str, message: str) -> None:
    with pytest.raises(InputError, match=re.escape(message)):
        _parse(text)


# Settings for all metrics


def test_a_shared_setting_alone_asks_for_the_usual_metrics() -> None:
    assert _parse(tokenize="char") == (Bleu(tokenize="char"), Chrf())
    assert _parse(lowercase=True) == (Bleu(lowercase=True), Chrf(lowercase=True))


def test_a_shared_setting_reaches_the_metrics_that_have_it() -> None:
    found = _parse("chrf", "bleu:max_order=2", tokenize="char", lowercase=True)
    assert found == (Chrf(lowercase=True), Bleu(tokenize="char", lowercase=True, max_order=2))


def test_a_metrics_own_setting_goes_first() -> None:
    found = _parse("bleu:tokenize=intl,lowercase=no", "ter", tokenize="char", lowercase=True)
    assert found[0] == Bleu(tokenize="intl", lowercase=False)
    assert isinstance(found[1], Ter)


def test_a_shared_setting_that_no_metric_has_is_refused() -> None:
    wanted = "--tokenize has no effect: none of the metrics has that setting."
    with pytest.raises(click.UsageError, match=re.escape(wanted)):
        _parse("chrf", tokenize="char")


def test_one_metric_with_the_setting_is_enough() -> None:
    assert _parse("chrf", "bleu", tokenize="char")[1] == Bleu(tokenize="char")
