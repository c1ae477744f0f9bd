"""A comparison as tables and as a page."""

import csv
import io
from html.parser import HTMLParser

import pytest

from detectable.data.texts.corpus import Corpus
from detectable.data.texts.example_corpus import example_corpus
from detectable.report.comparison import (
    comparison_csv,
    comparison_latex,
    documents_table,
    pairs_table,
    segments_to_read,
    systems_table,
)
from detectable.report.page import comparison_page
from detectable.report.table import Column, Table
from detectable.study.comparison.compare import compare
from detectable.study.comparison.result import Comparison


@pytest.fixture(scope="module")
def result() -> Comparison:
    return compare(
        example_corpus(), ("bleu", "chrf"), baseline="baseline", rng=1, n_resamples=500
    )


def test_the_tables_hold_what_the_result_holds(result: Comparison) -> None:
    pairs, systems = pairs_table(result), systems_table(result)
    assert [column.title for column in pairs.columns] == [
        "metric",
        "system",
        "difference",
        "95% interval",
        "p",
        "MDE 80%",
        "verdict",
    ]
    assert [row[0] for row in systems.rows] == ["bleu", "bleu", "chrf", "chrf"]
    assert pairs.rows[0][-1] == result.pairs[0].verdict
    assert all(len(row) == len(systems.columns) for row in systems.rows)


def test_columns_appear_when_they_say_something(result: Comparison) -> None:
    corpus = example_corpus()
    one = Corpus.build(
        {name: runs[0] for name, runs in corpus.systems.items()}
        | {"third": corpus.systems["baseline"][1]},
        [str(line) for line in corpus.references[0]],
    )
    plain = compare(one, "bleu", rng=1, n_resamples=500)
    titles = [column.title for column in pairs_table(plain).columns]
    assert "against" in titles
    assert "p corr." in titles
    assert "group" in [column.title for column in systems_table(plain).columns]
    assert "s_test" not in [column.title for column in systems_table(plain).columns]
    assert documents_table(plain) is None


def test_csv_has_full_precision(result: Comparison) -> None:
    rows = list(csv.DictReader(io.StringIO(comparison_csv(result))))
    assert float(rows[0]["difference"]) == result.pairs[0].difference
    assert rows[0]["verdict"] == result.pairs[0].verdict
    assert rows[0]["p_equivalence"] == ""


def test_latex_escapes_and_carries_the_signature(result: Comparison) -> None:
    text = comparison_latex(result)
    assert text.startswith(f"% {result.signature}\n")
    assert r"95\% interval" in text
    assert text.count(r"\begin{tabular}") == text.count(r"\end{tabular}") == 2
    odd = Table("t", (Column("a_b & c"),), (("50% of {x}~^\\",),)).to_latex()
    assert r"a\_b \& c \\" in odd
    assert r"50\% of \{x\}\textasciitilde{}\textasciicircum{}\textbackslash{} \\" in odd


def test_segments_to_read_show_both_systems(result: Comparison) -> None:
    heading, lines = segments_to_read(result)[0]
    assert heading.startswith("segment ")
    assert [label for label, _ in lines] == ["reference", "contender", "baseline"]


class _Tags(HTMLParser):
    def __init__(self) -> None:
        super().__init__()
        self.addresses: list[str] = []
        self.text: list[str] = []

    def handle_starttag(self, _: str, attrs: list[tuple[str, str | None]]) -> None:
        self.addresses += [str(value) for name, value in attrs if name in ("src", "href")]

    def handle_data(self, data: str) -> None:
        self.text.append(data)


def test_the_page_says_the_verdict_and_needs_nothing_from_outside(result: Comparison) -> None:
    page = comparison_page(result)
    parser = _Tags()
    parser.feed(page)
    text = " ".join(" ".join(parser.text).split())
    assert parser.addresses == []
    assert "http" not in page
    assert result.summary().splitlines()[0] in text
    assert str(result.signature) in text


def test_the_page_escapes_what_systems_wrote() -> None:
    corpus = Corpus.build(
        {"<b>A</b>": ["<script>alert(1)</script> x y z", "a b c"], "B": ["d e f h", "a b c e"]},
        ["d e f g", "a b c d"],
    )
    page = comparison_page(compare(corpus, "chrf", rng=1, n_resamples=99))
    assert "<script>" not in page
    assert "<b>A</b>" not in page
    assert "&lt;script&gt;" in page
