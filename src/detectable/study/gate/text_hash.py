"""A short hash of a question, to notice that its text changed."""

import hashlib

_LENGTH = 16  # hexadecimal digits: among a million questions two are alike with chance 3e-8


def text_hash(text: str) -> str:
    """Return a hash of a text; of none, none.

    Examples
    --------
    >>> text_hash("What is 6 x 7?"), text_hash("")
    ('c38a56bdbe9b1516', '')
    """
    if not text:
        return ""
    return hashlib.sha256(text.encode("utf-8", "surrogatepass")).hexdigest()[:_LENGTH]
