"""What WMT writes into names: of files the language pair, of segments also the document."""

import re
from pathlib import PurePath

from detectable.data.files.place import FilePath

_PAIR = re.compile(r"(?:^|[._-])([a-z]{2,3})-?([a-z]{2,3})(?=[._-]|$)")
_CAMPAIGN = re.compile(r"(?:^|[._-])((?:wmt|newstest|generalmt|ted)\d{2,4})(?=[._-]|$)")
_DOMAIN = re.compile(r"test-[a-z]{2,3}-([a-z]+)_.+")  # of WMT24: test-en-news_guardian.7
SEPARATOR = "_#_"  # of the parts of a WMT25 name
# Words of file names that look like two languages.
_WORDS = frozenset(
    ("test", "news", "data", "good", "stnd", "redup", "mqm", "avg", "seg", "wave")
)


def names_from_file(path: FilePath) -> tuple[dict[str, str], list[str]]:
    """Return ``language`` and ``campaign`` as the name of a file has them, and a note.

    Examples
    --------
    >>> names_from_file("data/wmt21_ruen_da.parquet")[0]
    {'language': 'ru-en', 'campaign': 'wmt21'}
    >>> names_from_file("judgments.csv")
    ({}, [])
    """
    stem = PurePath(path).name.split(".")[0].lower()
    found = {}
    pairs = [m for m in _PAIR.finditer(stem) if m.group().strip("._-") not in _WORDS]
    pairs = [m for m in pairs if len(m.group(1)) == len(m.group(2))]
    if len(pairs) == 1:
        found["language"] = f"{pairs[0].group(1)}-{pairs[0].group(2)}"
    campaign = _CAMPAIGN.search(stem)
    if campaign:
        found["campaign"] = campaign.group(1)
    listed = " and ".join(f"{role} {name!r}" for role, name in found.items())
    return found, [f"From the name of the file: {listed}."] if found else []


def domain_in_document(name: str) -> str | None:
    """Return the domain that WMT24 writes into the names of documents.

    Examples
    --------
    >>> domain_in_document("test-en-news_guardian.12"), domain_in_document("guardian.12")
    ('news', None)
    """
    found = _DOMAIN.fullmatch(name)
    return None if found is None else found.group(1)


def names_in_segment(name: str) -> dict[str, str]:
    """Return what a WMT25 name of a document or segment holds.

    Examples
    --------
    >>> names_in_segment("en-cs_#_news_#_article.7_#_3")
    {'language': 'en-cs', 'domain': 'news', 'document': 'article.7', 'item': '3'}
    """
    parts = name.split(SEPARATOR)
    if len(parts) in (3, 4):
        return dict(zip(("language", "domain", "document", "item"), parts, strict=False))
    return {"document": name}
