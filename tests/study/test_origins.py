"""How much is reverse-created, and what is concluded without it."""

from dataclasses import replace

import numpy as np
import pytest

from detectable.data.human.judgments import Judgments
from detectable.data.scores.read_score_table import read_score_table
from detectable.data.scores.scores import Scores
from detectable.data.texts.corpus import Corpus
from detectable.report.shown.reverse_created import reverse_sentences
from detectable.study.comparison.compare import compare
from detectable.study.gate.gate import gate
from detectable.study.origins import reverse_share
from detectable.study.ranking.rank_systems import rank_systems
from detectable.study.reliability.reliability import reliability
from detectable.study.reverse_share import ReverseShare
from detectable.study.tasks.make_tasks import make_tasks

N = 120


def scores() -> Scores:
    """Return a system that is better on the reverse half alone, and by much."""
    rng = np.random.default_rng(2)
    old = rng.normal(0.5, 0.1, N)
    new = old + rng.normal(0, 0.05, N) + np.where(np.arange(N) < N // 2, 0.0, 0.08)
    written = ["zh"] * (N // 2) + ["en"] * (N // 2)
    table = {"item": list(range(N)), "old": old, "new": new, "origlang": written}
    return read_score_table(table, language_pair="zh-en")


def test_a_comparison_says_what_hangs_on_reverse_data() -> None:
    found = compare(scores(), baseline="old", rng=1)
    share = found.reverse
    assert share is not None
    assert (share.n, share.n_forward, share.n_reverse, share.n_verdicts) == (120, 60, 60, 1)
    assert [(one.what, one.before, one.after) for one in share.changes] == [
        ("new against old", "better", "undecided")
    ]
    # It is what a comparison of the forward items alone says.
    part = scores().take(range(N // 2))
    assert compare(part, baseline="old", rng=1).pairs[0].verdict == "undecided"
    said = " ".join(reverse_sentences(share))
    assert "60 of 120 segments (50%) are reverse-created: first written in en" in said
    assert "1 of 1 verdict changes: new against old (" in said
    assert compare(part, rng=1).reverse is not None
    assert compare(Scores.build({"a": [0, 1], "b": [1, 1]}), rng=1).reverse is None


def test_a_ranking_and_a_gate_say_it_too() -> None:
    table = scores()
    rows = {
        "system": ["old"] * N + ["new"] * N,
        "item": [*range(N)] * 2,
        "score": [*(100 * table.systems["old"][0]), *(100 * table.systems["new"][0])],
        "original_language": ["zh"] * (N // 2)
        + ["en"] * (N // 2)
        + ["zh"] * (N // 2)
        + ["en"] * (N // 2),
        "language": ["zh-en"] * (2 * N),
    }
    ranking = rank_systems(Judgments.build(rows, scale=(-100.0, 200.0)), rng=1)
    assert ranking.reverse is not None
    assert [one.after for one in ranking.reverse.changes] == ["undecided"]
    found = gate(table, "old", system="new", rule="superiority", higher_is_better=["score"])
    assert found.outcome == "pass"
    assert found.reverse is not None
    assert [(one.what, one.before, one.after) for one in found.reverse.changes] == [
        ("the gate", "pass", "inconclusive")
    ]


def texts() -> Corpus:
    lines = [f"this is line {i} of the text about {i % 7} things" for i in range(70)]
    return Corpus.build(
        {"A": lines, "B": [line.replace("text", "story") for line in lines]},
        lines,
        documents=[f"d{i // 5}" for i in range(70)],
        original_languages=["zh" if i // 5 % 2 else "en" for i in range(70)],
        language_pair="zh-en",
    )


def test_tasks_and_reliability_say_what_it_costs() -> None:
    tasks = make_tasks(texts(), rng=1)
    assert tasks.reverse is not None
    [outputs] = tasks.reverse.numbers
    assert (outputs.before, outputs.after) == (140, 70)
    found = reliability(texts(), "chrf", orders=100, n_resamples=100, rng=1)
    assert found.reverse is not None
    numbers = {one.what: one for one in found.reverse.numbers}
    # Half of the documents give a wider interval.
    assert numbers["half-width"].after > numbers["half-width"].before > 0.0


@pytest.mark.parametrize(
    ("languages", "pair", "said"),
    [
        (["zh", "zh"], "zh-en", "None of 2 segments is reverse-created, first written in en."),
        (["en", "en"], "zh-en", "They say little about translating from zh."),
        (["zh", "en"], None, "Name the language pair (--language zh-en)"),
    ],
)
def test_one_direction_alone_and_an_unknown_pair(
    languages: list[str], pair: str | None, said: str
) -> None:
    corpus = Corpus.build({"A": ["a", "b"]}, ["a", "b"], original_languages=languages)
    share = reverse_share(replace(corpus, language_pair=pair))
    assert share is not None
    assert said in " ".join(reverse_sentences(share))


def test_a_half_that_cannot_be_analysed_is_said() -> None:
    share = ReverseShare(
        language_pair="zh-en",
        item="segment",
        languages={"zh": 1, "en": 3},
        n=4,
        n_forward=1,
        n_reverse=3,
        problem="there is one document.",
    )
    said = reverse_sentences(share)
    assert said[-1] == "Without them nothing can be concluded: there is one document."
