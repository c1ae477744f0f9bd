"""From a corpus to the work of a campaign."""

from dataclasses import replace
from pathlib import Path

import pytest

from detectable.core.errors import DataError, InputError
from detectable.data.store.open_store import open_store
from detectable.data.texts.corpus import Corpus
from detectable.study.campaign.begin import begin_campaign
from detectable.study.campaign.make_campaign import make_campaign
from detectable.study.campaign.settings import CampaignSettings, checked_name

LINES = [f"line {i} of the text" for i in range(40)]
DOCUMENTS = [f"doc-{i // 4}" for i in range(40)]


def corpus(**more: object) -> Corpus:
    systems = {"new": LINES, "old": LINES}
    return Corpus.build(systems, LINES, **{"sources": LINES, "documents": DOCUMENTS, **more})  # type: ignore[arg-type]


def test_all_documents_come_once_and_some_twice_later() -> None:
    made, notes = make_campaign(corpus(), "ship", CampaignSettings(overlap=0.2), rng=1)
    assert notes == ()
    first = [name for name, wave in made.works if wave == 1]
    second = [name for name, wave in made.works if wave == 2]
    assert sorted(first) == sorted(set(DOCUMENTS))
    assert first != sorted(first)
    assert len(second) == 2
    places = {work: place for place, work in enumerate(made.works)}
    for name in second:
        between = made.works[places[name, 1] : places[name, 2]]
        ahead = [work for work in made.works[places[name, 1] :] if work[1] == 1]
        assert sum(wave == 1 for _, wave in between) == min(16, len(ahead))
    assert [one.item for one in made.parts[0].segments] == ["1", "2", "3", "4"]
    assert made.settings["degrade"] == "word"
    assert (made.block, made.lease) == (4, 2700.0)


def test_a_second_wave_follows_four_blocks_later() -> None:
    """One sentence at a time: before the second wave of the first come the four after it."""
    settings = CampaignSettings(overlap=1.0, block=1)
    made, _ = make_campaign(corpus(documents=None), "a", settings, rng=1)
    order = [name for name, wave in made.works if wave == 1]
    assert made.works[:6] == [
        *((name, 1) for name in order[:5]),
        (order[0], 2),
    ]


def test_the_ends_of_shares_are_possible() -> None:
    for value in (0.0, 0.5):
        assert CampaignSettings(controls=value).controls == value
    for value in (0.0, 1.0):
        assert CampaignSettings(overlap=value).overlap == value


def test_a_page_of_one_line_is_a_sentence_of_its_document() -> None:
    settings = CampaignSettings(page_lines=1, overlap=0.0)
    made, notes = make_campaign(corpus(), "a", settings, rng=1)
    assert len(made.parts) == 40
    assert {len(part.segments) for part in made.parts} == {1}
    assert {part.document for part in made.parts} == set(DOCUMENTS)
    assert made.parts[1].name == "doc-0 (2 of 4)"
    assert notes[0].startswith("10 documents longer than 1 line or 6,000 characters")
    order = [name for name, _ in made.works]
    assert order[1] == order[0].replace("(1 of 4)", "(2 of 4)")  # one after the other
    made, _ = make_campaign(corpus(), "a", CampaignSettings(page_lines=3), rng=1)
    assert {len(part.segments) for part in made.parts} == {2}


def test_sentences_come_in_blocks_of_ten(tmp_path: Path) -> None:
    store = open_store(tmp_path, new=True)
    for name, n, usual in (("two", 2, (4, 0.12)), ("one", 1, (10, 0.3))):
        begin_campaign(store, corpus(), name, rng=1, page_lines=n)
        kept = store.campaign(name).settings
        assert (kept["block"], kept["controls"]) == usual
    store.close()


def test_the_seed_decides_the_order() -> None:
    settings = CampaignSettings()
    one, again = (make_campaign(corpus(), "a", settings, rng=3)[0] for _ in range(2))
    assert one == again
    assert one.works != make_campaign(corpus(), "a", settings, rng=4)[0].works


def test_sentences_are_parts_where_no_documents_are_known() -> None:
    made, _ = make_campaign(corpus(documents=None), "a", CampaignSettings(overlap=0.0), rng=1)
    assert len(made.parts) == 40
    assert made.parts[0].document is None
    assert made.parts[2].segments[0].item == "3"


def test_long_documents_are_cut_by_lines_and_by_letters() -> None:
    long = Corpus.build(
        {"new": ["x"] * 70, "old": ["x"] * 70},
        ["x"] * 70,
        sources=["x"] * 70,
        documents=["d"] * 70,
    )
    made, notes = make_campaign(long, "a", CampaignSettings(overlap=0.5), rng=1)
    assert [len(part.segments) for part in made.parts] == [24, 23, 23]
    assert [part.name for part in made.parts] == [f"d ({i} of 3)" for i in (1, 2, 3)]
    assert {part.document for part in made.parts} == {"d"}
    assert "1 document longer than 30 lines or 6,000 characters cut into parts (d)" in notes[0]
    assert len(made.works) == 6  # all parts of a document are judged twice, or none
    wide = Corpus.build(
        {"new": ["y" * 2500] * 4, "old": ["x"] * 4},
        ["x"] * 4,
        sources=["x"] * 4,
        documents=["d"] * 4,
    )
    made, _ = make_campaign(wide, "a", CampaignSettings(), rng=1)
    assert [len(part.segments) for part in made.parts] == [2, 2]


def test_a_sample_is_of_whole_documents() -> None:
    made, notes = make_campaign(corpus(), "a", CampaignSettings(overlap=0.0), n_items=10, rng=1)
    assert len(made.parts) == 3
    assert "12 of 40 lines were drawn" in notes[0]


@pytest.mark.parametrize(
    ("change", "message"),
    [
        ({"controls": 0.6}, "`controls` must lie between 0 and 0.5"),
        ({"overlap": 1.5}, "`overlap` must lie between 0 and 1"),
        ({"block": 0}, "`block` must be"),
        ({"lease_minutes": 0.0}, "`lease_minutes` must be"),
        ({"source_language": "e n"}, "`source_language` must be a language tag"),
        ({"protocol": "guess"}, "`protocol` must be"),
        ({"mode": "none"}, "`mode` must be"),
    ],
)
def test_impossible_settings_are_named(change: dict[str, object], message: str) -> None:
    with pytest.raises(InputError, match=message):
        replace(CampaignSettings(), **change)  # type: ignore[arg-type]


def test_what_cannot_be_a_campaign_is_refused() -> None:
    with pytest.raises(InputError, match="`systems` must be two at least; got 1"):
        make_campaign(corpus(), "a", CampaignSettings(), systems=["new"])
    with pytest.raises(
        InputError, match='`mode` must be "reference" for texts without sources'
    ):
        make_campaign(corpus(sources=None), "a", CampaignSettings())
    make_campaign(corpus(sources=None), "a", CampaignSettings(mode="reference"))
    broken = ["doc\nx"] * 40
    with pytest.raises(DataError, match="with a line break"):
        make_campaign(corpus(documents=broken), "a", CampaignSettings())
    for name in ("Ship", "a b", "", "-a", "a" * 61, "a/b"):
        with pytest.raises(InputError, match="`name` must be made of small letters"):
            checked_name(name)
    assert checked_name("ship-2026") == "ship-2026"


def test_settings_come_back_from_the_store() -> None:
    settings = CampaignSettings(target_language="he", overlap=0.2)
    assert CampaignSettings.from_json(settings.to_json()) == settings
    with pytest.raises(DataError, match=r"does not know \(colour\)"):
        CampaignSettings.from_json({**settings.to_json(), "colour": "red"})
    assert settings.scale == (0.0, 100.0)
