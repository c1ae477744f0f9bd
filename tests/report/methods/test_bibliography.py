"""The bibliography that methods paragraphs cite from."""

import re
from importlib.resources import files

import pytest

from detectable.core.errors import InputError
from detectable.report.methods.shared import bibtex

TEXT = (files("detectable.report") / "templates" / "references.bib").read_text("utf-8")
KEYS = re.findall(r"^@\w+\{([^,]+),", TEXT, re.MULTILINE)


def test_keys_are_there_once() -> None:
    assert len(set(KEYS)) == len(KEYS) > 10


@pytest.mark.parametrize("key", KEYS)
def test_every_entry_is_whole(key: str) -> None:
    entry = bibtex([key])
    assert entry.count("{") == entry.count("}")
    assert entry.count("@") == 1
    assert {"author", "title", "year"} <= set(re.findall(r"^  (\w+) = \{", entry, re.MULTILINE))


def test_an_unknown_key_is_refused() -> None:
    with pytest.raises(InputError, match="the bibliography has no entry 'nobody-1900'"):
        bibtex(["holm-1979", "nobody-1900"])


def test_a_key_that_is_cited_twice_is_given_once() -> None:
    assert bibtex(["holm-1979", "post-2018", "holm-1979"]) == bibtex(["holm-1979", "post-2018"])
