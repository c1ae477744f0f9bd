"""What belongs to which protocol."""

import json
from typing import Any

import pytest

from detectable.core.errors import DataError, InputError
from detectable.data.campaign_files.texts import TrainingText
from detectable.study.campaign.settings import CATEGORIES, CampaignSettings

LIKERT: dict[str, Any] = {"protocol": "likert", "criteria": ["adequacy", "fluency"]}


def test_settings_survive_a_store() -> None:
    for one in (
        CampaignSettings(),
        CampaignSettings(**LIKERT, steps=7, primary="fluency", pay="p", consent="c"),
        CampaignSettings(protocol="mqm", document_score=True),
        CampaignSettings(protocol="pairwise", strength=True),
        CampaignSettings(protocol="sqm", points=100, page_lines=1, page_language="ja"),
        CampaignSettings(protocol="esa", training=(TrainingText(text="x", low=1, high=2),)),
    ):
        assert CampaignSettings.from_json(json.loads(json.dumps(one.to_json()))) == one
    with pytest.raises(DataError, match="settings that this version does not know"):
        CampaignSettings.from_json({"newer": 1})


def test_a_protocol_fills_in_what_it_needs() -> None:
    likert = CampaignSettings(**LIKERT)
    assert (likert.primary, likert.steps, likert.scale) == ("adequacy", 5, (1.0, 5.0))
    assert CampaignSettings(**LIKERT, steps=7).scale == (1.0, 7.0)
    assert CampaignSettings(protocol="mqm").categories == CATEGORIES
    assert CampaignSettings(protocol="mqm").scale == (-float("inf"), 0.0)
    assert CampaignSettings(protocol="pairwise").scale == (0.0, 1.0)
    assert CampaignSettings(protocol="esa").scale == (0.0, 100.0)


def test_sqm_ends_at_6_or_100_and_names_four_scores() -> None:
    six, hundred = (CampaignSettings(protocol="sqm", points=n) for n in (None, 100))
    assert (six.points, six.scale, six.anchors) == (6, (0.0, 6.0), (0, 2, 4, 6))
    assert (hundred.scale, hundred.anchors) == ((0.0, 100.0), (0, 33, 66, 100))
    assert (CampaignSettings().points, CampaignSettings().anchors) == (None, ())
    # What a store kept before there was a choice.
    old = {**six.to_json()}
    for name in ("points", "page_lines", "page_language"):
        del old[name]
    assert CampaignSettings.from_json(old) == six


@pytest.mark.parametrize(
    ("given", "why"),
    [
        ({"criteria": ["a"]}, "`criteria` must be left out with the protocol da.*likert"),
        ({"primary": "a"}, "`primary` must be left out"),
        ({"steps": 5}, "`steps` must be left out"),
        ({"categories": ["a"], "protocol": "esa"}, "`categories` must be left out.*mqm"),
        ({"points": 100}, "`points` must be left out with the protocol da.*sqm"),
        ({"protocol": "sqm", "points": 10}, "`points` must be 6 or 100; got 10"),
        ({"page_lines": 0}, "`page_lines` must"),
        ({"page_lines": 31}, "`page_lines` must lie between 1 and 30; got 31"),
        ({"page_language": "tlh"}, "`page_language` must be"),
        ({"strength": True}, "`strength` must be left out.*pairwise"),
        ({"document_score": True, "protocol": "pairwise"}, "`document_score` must be left out"),
        ({"training": ({"text": "x"},), "protocol": "pairwise"}, "`training` must be left out"),
        ({"training": ({"text": "x"},) * 21}, "`training` must be 20 texts at most; got 21"),
        ({"protocol": "likert"}, "`criteria` must name what is rated"),
        ({**LIKERT, "primary": "style"}, "`primary` must be one of the criteria"),
        ({**LIKERT, "steps": 6}, "`steps` must be 5 or 7; got 6"),
        ({**LIKERT, "criteria": ["a", "a"]}, "`criteria` must differ"),
        ({**LIKERT, "criteria": ["a\nb"]}, "`criteria` must be words of 60 letters at most"),
        ({**LIKERT, "criteria": [" a"]}, "`criteria` must be words"),
        ({**LIKERT, "criteria": [""]}, "`criteria` must be words"),
        ({**LIKERT, "criteria": ["a" * 61]}, "`criteria` must be words"),
        ({**LIKERT, "criteria": [3]}, "`criteria` must be words"),
        ({"protocol": "mqm", "categories": ["x", "x"]}, "`categories` must differ"),
        ({"protocol": "rank"}, "`protocol`"),
    ],
)
def test_what_belongs_elsewhere_is_refused(given: dict[str, Any], why: str) -> None:
    with pytest.raises(InputError, match=why):
        CampaignSettings(**given)


def test_shares_have_ends() -> None:
    for name, high in (("controls", 0.5), ("overlap", 1.0)):
        for value in (0.0, high):
            CampaignSettings(**{name: value})  # type: ignore[arg-type]
        for value in (-0.01, high + 0.01):
            with pytest.raises(InputError, match=f"`{name}` must lie between 0 and"):
                CampaignSettings(**{name: value})  # type: ignore[arg-type]


def test_names_of_60_letters_are_taken() -> None:
    assert CampaignSettings(protocol="mqm", categories=("a" * 60,)).categories == ("a" * 60,)
    assert len(CampaignSettings(training=({"text": "x"},) * 20).training) == 20  # type: ignore[arg-type]
