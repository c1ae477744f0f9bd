"""Methods paragraphs say what was done, and every key that they cite has an entry."""

import re
from dataclasses import replace
from importlib.resources import files
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from sacrebleu.metrics.bleu import BLEU
from sacrebleu.metrics.chrf import CHRF
from sacrebleu.metrics.ter import TER

from detectable.core.errors import InputError
from detectable.core.version import VERSION
from detectable.data.scores.scores import Scores
from detectable.data.texts.corpus import Corpus
from detectable.metrics.bleu import Bleu
from detectable.report.blocks import Methods
from detectable.report.blocks_of import blocks_of
from detectable.report.methods.comparison import methods as of_comparison
from detectable.report.methods.ranking import methods as of_ranking
from detectable.report.methods.shared import OWN, bibtex
from detectable.report.render.block_values import block_values
from detectable.report.render.page import render_page
from detectable.study.comparison.compare import compare
from detectable.study.comparison.result import Comparison
from tests.report import results
from tests.report.results import RESULTS


@pytest.mark.parametrize("name", RESULTS)
def test_every_paragraph_is_whole_and_every_key_is_known(name: str) -> None:
    for block in blocks_of(RESULTS[name]):
        if isinstance(block, Methods):
            assert block.paragraph.endswith(".")
            assert "None" not in block.paragraph
            assert "nan" not in block.paragraph
            assert "  " not in block.paragraph
            entries = bibtex(block.cite)
            assert entries.count("\n@") + bool(entries) == len(set(block.cite))


REFERENCES: list[list[Any]] = [
    ["the cat sat on the mat.", "a dog barked at it."],
    ["a cat was sitting on the mat.", "some dog barked."],
    ["there was a cat on the mat.", None],
]


@pytest.mark.parametrize("n", [1, 2, 3])
def test_the_signature_of_sacrebleu_is_as_it_prints_it_with_its_number_of_references(
    n: int,
) -> None:
    outputs = ["the cat sat on a mat.", "a dog barked."]
    corpus = Corpus.build({"A": outputs, "B": [*outputs[:1], "a dog."]}, REFERENCES[:n])
    metrics = {"BLEU": BLEU(), "chrF": CHRF(), "chrF++": CHRF(word_order=2), "TER": TER()}
    for metric in metrics.values():
        metric.corpus_score(outputs, REFERENCES[:n])
    names = ["bleu", "chrf", "chrf++", "ter"]
    found = compare(corpus, metrics=names, n_resamples=99, rng=1)
    told = ", ".join(f"{metric.get_signature()} for {k}" for k, metric in metrics.items())
    assert f"sacreBLEU's signatures are {told} (Post, 2018)." in of_comparison(found).paragraph
    assert "post-2018" in of_comparison(found).cite
    assert told.count(f"nrefs:{n if n < 3 else 'var'}|") == 4


def test_settings_are_told_as_sacrebleu_tells_them() -> None:
    corpus = Corpus.build({"A": ["a b c d e"], "B": ["a b c"]}, ["a b c d f"])
    ours = Bleu(tokenize="intl", lowercase=True, smooth="floor")
    theirs = BLEU(tokenize="intl", lowercase=True, smooth_method="floor")
    theirs.corpus_score(["a b c d e"], [["a b c d f"]])
    assert ours.sacrebleu_signature(corpus) == str(theirs.get_signature())


def test_other_metrics_and_earlier_results_have_no_signature_of_sacrebleu() -> None:
    assert "signature" not in of_comparison(results.comparison()).paragraph
    systems = {"A": ["a b c d f", "e g"], "B": ["a b c", "e h"]}
    corpus = Corpus.build(systems, ["a b c d", "e f"])
    found = compare(corpus, metrics=["nist"], n_resamples=99, rng=1)
    assert "signature" not in of_comparison(found).paragraph


def test_entries_are_whole() -> None:
    entries = bibtex(["holm-1979", "koehn-2004", "holm-1979"])
    assert len(re.findall(r"^@\w+\{", entries, re.MULTILINE)) == 2
    assert entries.count("{") == entries.count("}")
    with pytest.raises(InputError, match="no entry 'nobody-1900'"):
        bibtex(["nobody-1900"])


def test_every_entry_of_the_bibliography_ends_where_the_next_begins() -> None:
    text = (files("detectable.report") / "templates" / "references.bib").read_text("utf-8")
    keys = re.findall(r"^@\w+\{([^,]+),", text, re.MULTILINE)
    assert len(keys) == len(set(keys)) == text.count("\n}")
    for key in keys:
        entry = bibtex([key])
        assert re.findall(r"^@\w+\{([^,]+),", entry, re.MULTILINE) == [key]
        assert entry.count("{") == entry.count("}")


def test_a_comparison_of_runs() -> None:
    made = of_comparison(results.comparison())
    assert made.paragraph == (
        "We compared new with old on BLEU, TER, over 1,240 segments in 40 documents, each system with 2 "
        "runs. Differences were tested by t with documents and runs as random, so that the claims "
        "are about other runs of these systems as well (after Clark et al., 2011). P-values were "
        "corrected for 2 tests by Holm's method (1979), at α = .05. The smallest true difference found "
        "with 80% power was 1.05 BLEU, 2.5 TER (Card et al., 2020). The analysis was made with "
        "detectable 0.0."
    )
    assert made.cite == ("clark-etal-2011", "holm-1979", "card-etal-2020")


def test_tests_of_a_comparison() -> None:
    fixed = replace(results.all_pairs(), test="swap", n_resamples=9999, exact=False)
    made = of_comparison(fixed)
    assert made.paragraph.startswith("We compared all pairs of 4 systems on ")
    assert "swapping whole documents (9,999 random swaps;" in made.paragraph
    assert "for 6 tests by the step-down max-T method" in made.paragraph
    exact = of_comparison(replace(fixed, exact=True, n_resamples=128, correction="none"))
    assert "(all 128 swaps;" in exact.paragraph
    assert "Tests were made at α = .05, without correction." in exact.paragraph
    assert "westfall-young-1993" not in exact.cite
    assert of_comparison(replace(fixed, test="bootstrap")).cite[0] == "koehn-2004"
    by_t = of_comparison(replace(fixed, test="t"))
    assert "by paired t over documents." in by_t.paragraph
    margin = of_comparison(replace(fixed, claim="non-inferior"))
    assert "not worse by more than the margin was tested" in margin.paragraph
    assert "smallest true difference" not in margin.paragraph


def right_or_wrong(**options: Any) -> Comparison:
    rng = np.random.default_rng(0)
    old = rng.integers(0, 2, 200)
    new = np.where(rng.random(200) < 0.1, 1 - old, old)
    return compare(Scores.build({"old": [old], "new": [new]}), baseline="old", rng=1, **options)


def test_scores_of_0_and_1_have_the_tests_and_intervals_of_shares() -> None:
    better = of_comparison(right_or_wrong())
    assert "McNemar's exact test (1947) of the items" in better.paragraph
    assert " Intervals are score intervals (Tango, 1998). " in better.paragraph
    assert better.cite.count("tango-1998") == 1
    asked = of_comparison(right_or_wrong(interval="delta"))
    assert "Tango" not in asked.paragraph
    assert "tango-1998" not in asked.cite
    margin = of_comparison(right_or_wrong(claim="non-inferior", margin=0.1))
    assert (
        "margin was tested by the score test of two shares (Tango, 1998)." in margin.paragraph
    )
    assert "swapping" not in margin.paragraph
    assert margin.cite == ("tango-1998",)
    # Where swaps were asked for, the margin of accuracy is still that of shares.
    answers = right_or_wrong(claim="non-inferior", margin=0.1, correction="holm")
    assert (answers.test, len(answers.pairs)) == ("score", 1)
    beside = replace(
        answers,
        test="swap",
        n_resamples=9999,
        family="systems-and-metrics",
        pairs=(replace(answers.pairs[0], measure="bleu"), *answers.pairs),
        metrics=(
            {"metric": "bleu", "label": "BLEU"},
            {"metric": "accuracy", "label": "accuracy"},
        ),
    )
    assert (
        " For accuracy it is the score test (Tango, 1998). " in of_comparison(beside).paragraph
    )
    assert "swapping" in of_comparison(beside).paragraph
    assert "corrected for 2 tests by Holm" in of_comparison(beside).paragraph


def dense(**options: Any) -> Comparison:
    rng = np.random.default_rng(4)
    old = rng.normal(size=60)
    scores = Scores.build({"old": old, "new": old + rng.normal(0.1, 1.0, 60)}, metric="comet")
    return compare(scores, baseline="old", **options)


@pytest.mark.parametrize("claim", ["non-inferior", "equivalent"])
def test_a_claim_about_a_margin_names_the_test_that_decided_it(claim: Any) -> None:
    found = dense(claim=claim, margin=0.3, rng=1)
    assert (found.test, found.n_resamples, found.exact) == ("score", None, False)
    assert "test:score|" in str(found.signature)
    assert "R:" not in str(found.signature)
    assert found.signature.seed is None
    assert dense(claim=claim, margin=0.3, rng=2) == found  # nothing is drawn
    made = of_comparison(found)
    assert " was tested by " in made.paragraph or "one-sided tests by " in made.paragraph
    assert "by the score statistic, whose variance" in made.paragraph
    assert "swap" not in made.paragraph
    assert made.cite == ("tango-1998", "owen-2001")
    asked = of_comparison(dense(claim=claim, margin=0.3, rng=1, test="randomization"))
    assert "swapping whole items" in asked.paragraph
    assert "score statistic" not in asked.paragraph


def test_equivalence_beside_a_difference_names_both_tests() -> None:
    found = dense(margin=0.3, rng=1)
    assert "|test:swap|margin-test:score|" in str(found.signature)
    made = of_comparison(found)
    assert "swapping whole items" in made.paragraph
    assert "That they lie within the margin was tested by the score statistic" in made.paragraph
    assert "margin-test" not in str(dense(rng=1).signature)
    assert "margin-test" not in str(dense(margin=0.3, rng=1, test="t").signature)


def test_the_bootstrap_tests_no_margin() -> None:
    with pytest.raises(InputError, match=r"`test='bootstrap'` does not go with `claim="):
        dense(claim="non-inferior", margin=0.3, test="bootstrap")


def test_a_ranking() -> None:
    made = of_ranking(results.ranking())
    assert made.paragraph == (
        "We ranked 3 systems from 3,720 judgments, on their own scale. Pairs were tested by sign "
        "flips of matched differences (9,999 sign patterns). P-values were corrected for 3 pairs by "
        "the step-down max-T method (Westfall and Young, 1993), at α = .05. A line between clusters "
        "is drawn where every system above it beats every one below it. The smallest true "
        "difference found with 80% power was 4.25–4.50 points (Card et al., 2020)."
    )
    assert made.cite == ("phipson-smyth-2010", "westfall-young-1993", "card-etal-2020")
    other = of_ranking(
        results.ranking(scale="z", unit="document", test="rank-sum", correction="none")
    )
    assert "standardised by rater (z)" in other.paragraph
    assert "by Wilcoxon's rank-sum test, with documents as units." in other.paragraph
    assert "Tests were made at α = .05, without correction." in other.paragraph


# --- The bibliography that methods paragraphs cite from ---

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
