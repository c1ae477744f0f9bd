"""ShipData: what of the gain is pairing, and the headlines that say so."""

from pathlib import Path

import pytest

from replications.wei2022.archive import load
from replications.wei2022.like_for_like import two_way, unpaired
from replications.wei2022.paired import judgments
from tests.helpers import reference_data

ROOT = Path(__file__).parents[2]
RANKS, PAIRED, BY_RATER, MIXED = 1544, 2064, 1769, 1650  # comparisons that are decided
ONE_LOOK, DEFAULT = 445, 337  # judgments, paired, that equal 1,200 with ranks


def _more(decided: float) -> str:
    return f"{100 * (decided / RANKS - 1):.0f} %"


def _text(name: str) -> str:
    return " ".join((ROOT / name).read_text(encoding="utf-8").split())


@pytest.mark.golden
def test_the_unpaired_t_test_decides_more_than_ranks_and_needs_fewer() -> None:
    found = unpaired(load(reference_data("data", "shipdata")))
    assert found["unpaired t, significant"].value == 1670
    needs = found["unpaired t, needs for the power of 1200 with ranks"].value
    assert needs is not None
    assert needs == pytest.approx(958.0, abs=0.5)
    for page in ("README.md", "docs/what-would-it-save.md"):
        said = _text(page)
        assert f"{100 * (1 - DEFAULT / needs):.0f} %" in said, page
        steps = (1200 - needs, needs - ONE_LOOK, ONE_LOOK - DEFAULT)
        parts = [f"{step / 12:.0f}" for step in steps]
        assert (
            "{} of the 72 points come from means instead of ranks, {} from pairing and {}".format(
                *parts
            )
            in said
        ), page
    for page in ("README.md", "docs/pairing.md"):
        assert f"{_more(1670)[:-2]} of the 34" in _text(page), page


@pytest.mark.golden
def test_texts_and_raters_both_random() -> None:
    found = two_way(judgments(reference_data("data", "shipdata")).cells().matched())
    assert found["two-way clusters, significant"].value == 1627
    assert found["two-way clusters, never below one way, significant"].value == 1498


def test_the_headline_says_whose_opinion_it_is() -> None:
    for page in ("README.md", "docs/pairing.md"):
        said = _text(page)
        [sentence] = [part for part in said.split(". ") if f"{_more(PAIRED)} more" in part]
        assert "these raters" in sentence, page
        assert _more(BY_RATER) in sentence, page
        assert _more(MIXED) in sentence, page
