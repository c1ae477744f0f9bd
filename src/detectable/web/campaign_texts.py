"""The texts of a new campaign, from files that were sent."""

from collections.abc import Iterator
from contextlib import contextmanager

from detectable.core.errors import DetectableError
from detectable.data.campaign_files.campaign_texts import CampaignTexts
from detectable.data.campaign_files.training_text import TrainingText, read_training
from detectable.data.loaded import Loaded
from detectable.data.texts.corpus import Corpus
from detectable.web.campaign_asked import Texts
from detectable.web.errors import Refused
from detectable.web.strings import text
from detectable.web.uploads import Upload, Uploads


def read_texts(asked: Texts, uploads: Uploads) -> CampaignTexts:
    """Return outputs and references, or say which file does not fit."""
    files = {id: uploads.get(id) for id in file_ids(asked)}
    whole = asked.corpus or asked.campaign
    if whole is not None and file_ids(asked) != [whole]:
        raise Refused(422, "not_understood", text("refused.two_ways"))
    with _named(list(files.values())):
        if asked.campaign is not None:
            from detectable.data.campaign_files.read_campaign_file import read_campaign_file

            return read_campaign_file(files[asked.campaign].path)
        found = _lines(asked, files) if whole is None else _table(files[whole])
        return CampaignTexts(corpus=found.table, notes=found.notes)


def read_tried(id: str, uploads: Uploads) -> tuple[TrainingText, ...]:
    """Return the training texts of a table that was sent."""
    file = uploads.get(id)
    with _named([file]):
        return read_training(file.path)


def file_ids(asked: Texts) -> list[str]:
    """Return all files that are asked for."""
    found = [one.file for one in asked.systems] + asked.references
    more = (asked.sources, asked.documents, asked.corpus, asked.campaign)
    return found + [one for one in more if one]


def _table(file: Upload) -> Loaded[Corpus]:
    from detectable.data.texts.read_corpus_file import read_corpus_file

    return read_corpus_file(file.path)


def _lines(asked: Texts, files: dict[str, Upload]) -> Loaded[Corpus]:
    from detectable.data.texts.read_corpus import read_corpus
    from detectable.data.texts.read_sgm import read_sgm

    if len(asked.systems) < 2 or not asked.references:
        raise Refused(422, "not_understood", text("refused.no_texts"))
    systems = [(one.name, [files[one.file].path]) for one in asked.systems]
    references = [files[id].path for id in asked.references]
    sources = None if asked.sources is None else files[asked.sources].path
    if references[0].suffix in (".sgm", ".sgml"):
        return read_sgm(systems, references, sources=sources)
    documents = None if asked.documents is None else files[asked.documents].path
    return Loaded(read_corpus(systems, references, sources=sources, documents=documents))


@contextmanager
def _named(files: list[Upload]) -> Iterator[None]:
    """Say what is wrong with the names that the organiser knows."""
    try:
        yield
    except DetectableError as error:
        said = str(error)
        for one in files:
            said = said.replace(str(one.path), one.name).replace(one.path.name, one.name)
        raise Refused(422, "unusable", said) from None
