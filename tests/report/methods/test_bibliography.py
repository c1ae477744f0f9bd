"""The bibliography that methods paragraphs cite from."""

import re
from importlib.resources import files
from pathlib import Path

import pytest

from detectable.core.errors import InputError
from detectable.core.version import VERSION
from detectable.report.blocks import Methods
from detectable.report.blocks_of import blocks_of
from detectable.report.methods.shared import OWN, bibtex
from detectable.report.render.block_values import block_values
from detectable.report.render.page import render_page
from tests.report import results

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


def test_our_own_entry_has_the_version_that_runs_and_the_authors_of_the_citation_file() -> None:
    citation = (Path(__file__).parents[3] / "CITATION.cff").read_text("utf-8")
    entry = bibtex([OWN])
    assert f"note = {{Version {VERSION}, Apache License 2.0}}" in entry
    for field in ("name", "version"):
        [stated] = re.findall(rf'^[ -]*{field}: "?([^"\n]+)"?$', citation, re.MULTILINE)
        assert stated in entry


def test_every_report_gives_our_own_entry() -> None:
    for result in (results.comparison(), results.mixed_fit(), results.meta()):
        assert "@misc{detectable," in render_page(blocks_of(result))
        [methods] = [block for block in blocks_of(result) if isinstance(block, Methods)]
        assert "@misc{detectable," in block_values((methods,))[0]["bibtex"]
