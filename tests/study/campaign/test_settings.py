"""What the file of another campaign says besides its texts."""

import json
from collections.abc import Iterator
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest

from detectable.core.errors import DataError, InputError
from detectable.data.campaign_files.texts import CampaignTexts, TrainingText
from detectable.data.store.admissions import finished_at
from detectable.data.store.open_store import open_store
from detectable.data.store.records import Answer, Decision, NewPage, Page
from detectable.data.store.store import Store
from detectable.data.texts.corpus import Corpus
from detectable.study.campaign.begin import (
    begin_campaign,
    languages_of,
    preview_campaign,
    tried_first,
)
from detectable.study.campaign.looks import forecast
from detectable.study.campaign.make_campaign import make_campaign
from detectable.study.campaign.settings import CATEGORIES, CampaignSettings

CORPUS = Corpus.build({"a": ["x"], "b": ["y"]}, ["z"])


def texts(n: int) -> CampaignTexts:
    tried = tuple(TrainingText(text=f"text {i}") for i in range(n))
    return CampaignTexts(corpus=CORPUS, training=tried)


@pytest.mark.parametrize(
    ("n", "protocol", "kept", "said"),
    [
        (0, "pairwise", 0, ()),
        (3, "pairwise", 0, ("Training texts are left out: pairs have none.",)),
        (0, "da", 0, ()),
        (20, "da", 20, ()),
        (21, "esa", 20, ("Of the training texts the first 20 are taken.",)),
    ],
)
def test_the_first_twenty_texts_are_tried(
    n: int, protocol: str, kept: int, said: tuple[str, ...]
) -> None:
    found, notes = tried_first(texts(n), protocol)
    assert found == texts(n).training[:kept]
    assert notes == said


def test_a_language_that_was_given_stays() -> None:
    known = CampaignTexts(corpus=CORPUS, languages=("de", "en"))
    assert languages_of(known, "und", "und") == ("de", "en")
    assert languages_of(known, "de-AT", "und") == ("de-AT", "en")
    assert languages_of(texts(0), "und", "he") == ("und", "he")


# --- What belongs to which protocol ---

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
        ({"panel": "prolific"}, "`panel` prolific needs `completion_code` or `return_url`"),
        ({"panel": "elsewhere"}, "`panel` must be"),
        ({"participant": "id"}, "`participant` must be letters.*stands with the panel generic"),
        (
            {"panel": "generic", "participant": "a b", "completion_code": "x"},
            "`participant` must be letters",
        ),
        ({"code_for": "admitted"}, "`code_for` admitted needs `consent`"),
        ({"most_blocks": 0}, "`most_blocks` must be a whole number"),
        ({"screen_out_url": "ftp://x"}, "`screen_out_url` must be an address"),
        ({"screen_out_url": "javascript:alert(1)"}, "`screen_out_url` must be an address"),
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


# --- What a campaign will be, and when its next look comes ---

N = 40
LINES = [f"The committee number {i} met on day {i * 3} near the old harbour." for i in range(N)]


def corpus(*, documents: bool = False) -> Corpus:
    return Corpus.build(
        {"a": LINES, "b": [f"{one} So." for one in LINES]},
        LINES,
        sources=LINES,
        documents=[f"d{i // 4}" for i in range(N)] if documents else None,
    )


def arrange(rater: str, block: int, parts: object, needed: object) -> list[NewPage]:
    del rater, block
    return [NewPage(part=p, system=s, kind="system") for s in needed for p in parts]  # type: ignore[attr-defined]


def judge(store: Store, rater: str, at: float, seconds: float = 30.0) -> None:
    """Judge one piece of work, which is done at a time."""
    for step in range(2):
        page = store.next_page(f"ship/{rater}", arrange, now=at - 1.0)
        assert isinstance(page, Page)
        answers = [Answer(score=50.0)]
        store.save(
            f"ship/{rater}", page.token, key=f"{step}", answers=answers, seconds=seconds, now=at
        )


@pytest.fixture
def store(tmp_path: Path) -> Iterator[Store]:
    made = open_store(tmp_path, new=True)
    begin_campaign(made, corpus(), "ship", rng=1, block=1, overlap=0.0)
    made.add_raters("ship", 2)
    made.turn("ship", "open")
    yield made
    made.close()


def test_the_pace_and_the_time_of_the_next_look(store: Store) -> None:
    start = 1_000_000.0
    early = forecast(store, "ship", n_units=0, wanted=10, now=start)
    assert (early.works_per_hour, early.next_look) == (None, None)
    for step in range(5):
        judge(store, "r-01", start + 600.0 * step)
    now = start + 3000.0
    # Four more pieces of work in 50 minutes; each brought one line, and five are missing.
    found = forecast(store, "ship", n_units=5, wanted=10, now=now)
    assert found.works_per_hour == pytest.approx(4 * 3600 / 3000)
    assert found.next_look == pytest.approx(now + 5 * 3000 / 4)
    # If only one of five was admitted, it takes five times as long for each line.
    slow = forecast(store, "ship", n_units=1, wanted=2, now=now)
    assert slow.next_look == pytest.approx(now + 5 * 3000 / 4)
    assert forecast(store, "ship", n_units=0, wanted=2, now=now).next_look is None
    assert forecast(store, "ship", n_units=5, wanted=None, now=now).next_look is None
    assert forecast(store, "ship", n_units=9, wanted=4, now=now).next_look == now
    # Nobody has judged for a day: there is no pace any more.
    assert (
        forecast(store, "ship", n_units=5, wanted=10, now=now + 86_400).works_per_hour is None
    )


def test_work_that_was_refused_still_made_the_pace(store: Store) -> None:
    for step in range(3):
        judge(store, "r-01", 1000.0 + step)
    works = {(row.work, row.epoch) for row in store.rows("ship")}
    refused = Decision(rater="r-01", works=tuple(sorted(works)), admitted=False)
    store.decide("ship", lambda *_, **__: [refused], most_failed=9)
    assert finished_at(store, "ship", 0.0) == [1000.0, 1001.0, 1002.0]
    assert finished_at(store, "ship", 1001.0) == [1001.0, 1002.0]
    assert finished_at(store, "other", 0.0) == []
    judge(store, "r-02", 2000.0)  # the same work again, by somebody else
    assert finished_at(store, "ship", 0.0) == [1000.0, 1001.0, 1002.0, 2000.0]


def test_a_preview_counts_what_raters_will_judge() -> None:
    new, _ = make_campaign(corpus(), "ship", CampaignSettings(block=10, controls=0.3), rng=1)
    found = preview_campaign(new, pairs=10)
    # A block: 20 pages and 9 controls, of which every third is degraded.
    assert found.copies_per_block == 3.0
    assert (found.n_lines, found.n_works) == (40, 44)
    assert found.n_pages == found.n_judgments == round(44 * 2 + 9 * 4.4)
    assert (found.blocks_to_decide, found.most_raters) == (4, 1)
    assert preview_campaign(new, pairs=3).most_raters == 4
    assert (found.effect, found.sd) == (20.0, 20.0)
    # The power of the one-sided paired t test with 10 pairs and one standard deviation (R:
    # power.t.test(10, 1, 1, type = "paired", alternative = "one.sided")$power).
    assert found.power == pytest.approx(0.897517, abs=1e-6)
    assert preview_campaign(new, pairs=10, effect=0.0).power == pytest.approx(0.05)


def test_a_preview_of_documents_counts_their_lines() -> None:
    settings = CampaignSettings(block=4, controls=0.12, overlap=0.0)
    new, _ = make_campaign(corpus(documents=True), "ship", settings, rng=1)
    found = preview_campaign(new, pairs=10)
    assert (found.n_works, found.n_lines) == (10, 40)
    assert found.copies_per_block == 2.0  # of the four lines of one document
    assert (found.blocks_to_decide, found.most_raters) == (5, 0)
    # Compared with the lines beside them (R: power.t.test(10, 1, sqrt(2), …)$power).
    assert found.power == pytest.approx(0.662376, abs=1e-6)
    assert found.n_judgments == round(80 + 4 * 2.5)


def test_without_controls_nothing_can_be_decided() -> None:
    new, _ = make_campaign(corpus(), "ship", CampaignSettings(controls=0.0), rng=1)
    found = preview_campaign(new)
    assert (found.copies_per_block, found.blocks_to_decide, found.most_raters) == (
        0.0,
        None,
        None,
    )


def test_pairs_side_by_side_are_one_page_of_both_systems() -> None:
    made, _ = make_campaign(
        corpus(),
        "ship",
        CampaignSettings(protocol="pairwise", controls=0.0, overlap=0.0),
        rng=1,
    )
    found = preview_campaign(made)
    assert (found.n_pages, found.n_judgments) == (N, N)
    assert (found.copies_per_block, found.blocks_to_decide) == (0.0, None)
    checked, _ = make_campaign(
        corpus(),
        "ship",
        CampaignSettings(protocol="pairwise", controls=0.3, overlap=0.0),
        rng=1,
    )
    assert preview_campaign(checked).n_pages > N


@pytest.mark.parametrize(
    "tag", ["en", "pt-BR", "zh-Hant-TW", "sl-rozaj", "de-1996", "und", "yue", "en-x-own"]
)
def test_a_language_is_a_tag_of_bcp_47(tag: str) -> None:
    assert CampaignSettings(source_language=tag).source_language == tag


@pytest.mark.parametrize("tag", ["english", "en_US", "e", "en-", "de-Deutsch-land!", "12"])
def test_what_is_no_tag_is_refused(tag: str) -> None:
    with pytest.raises(InputError, match=r"language tag \(BCP 47\) such as en or pt-BR"):
        CampaignSettings(target_language=tag)


def test_a_language_that_nobody_said_is_unknown() -> None:
    assert CampaignSettings(source_language="").source_language == "und"


def test_the_end_of_a_panel_follows_from_its_code() -> None:
    one = CampaignSettings(panel="prolific", completion_code="C7 &1")
    assert one.end_address == "https://app.prolific.com/submissions/complete?cc=C7%20%261"
    assert one.named_by == "PROLIFIC_PID"
    own = replace(one, return_url="https://here.org/end")
    assert own.end_address == "https://here.org/end"
    other = CampaignSettings(panel="generic", completion_code="C7")
    assert (other.named_by, other.end_address) == ("participant", "")
    assert CampaignSettings().named_by == "browser"
