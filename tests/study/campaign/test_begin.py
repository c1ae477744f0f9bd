"""What the file of another campaign says besides its texts."""

import pytest

from detectable.data.campaign_files.texts import CampaignTexts, TrainingText
from detectable.data.texts.corpus import Corpus
from detectable.study.campaign.begin import languages_of, tried_first

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
