"""What the file of another campaign says besides its texts, and what becomes of it here."""

from detectable.data.campaign_files.campaign_texts import CampaignTexts
from detectable.data.campaign_files.training_text import TrainingText
from detectable.study.campaign.settings import MOST_TRAINING, NO_LANGUAGE


def tried_first(
    texts: CampaignTexts, protocol: str
) -> tuple[tuple[TrainingText, ...], tuple[str, ...]]:
    """Return the texts to try that a file brings, and a note where some are left out."""
    found = texts.training
    if protocol == "pairwise" and found:
        return (), ("Training texts are left out: pairs have none.",)
    if len(found) > MOST_TRAINING:
        note = f"Of the training texts the first {MOST_TRAINING} are taken."
        return found[:MOST_TRAINING], (note,)
    return found, ()


def languages_of(texts: CampaignTexts, source: str, target: str) -> tuple[str, str]:
    """Return the languages that were given; where none was, that of the file.

    Examples
    --------
    >>> from detectable.data.texts.corpus import Corpus
    >>> corpus = Corpus.build({"a": ["x"]}, ["x"])
    >>> texts = CampaignTexts(corpus=corpus, languages=("de", "en"))
    >>> languages_of(texts, "und", "en-GB")
    ('de', 'en-GB')
    """
    known = texts.languages or (NO_LANGUAGE, NO_LANGUAGE)
    given = (source, target)
    first, second = (
        one if said == NO_LANGUAGE else said for said, one in zip(given, known, strict=True)
    )
    return first, second
