"""What about the data should make one look twice, and that it is not lost."""

import warnings
from typing import Any

import numpy as np
import pytest

from detectable.core.errors import SuspiciousDataWarning
from detectable.data.scores.scores import Scores
from detectable.data.texts.corpus import Corpus
from detectable.metrics.bleu import Bleu
from detectable.metrics.chrf import Chrf
from detectable.study.comparison.compare import compare
from detectable.study.comparison.remarks import suspicions

NAN = float("nan")


def _of(tables: dict[str, Any], **more: Any) -> list[str]:
    return suspicions(Scores.build(tables, **more), ())


def test_ordinary_scores_raise_no_suspicion() -> None:
    assert _of({"A": [1.0, 2.0], "B": [1.0, 2.5]}) == []


def test_copies_are_named() -> None:
    found = _of({"A": [1.0, 2.0], "B": [1.0, 2.5], "C": [1.0, 2.0], "D": [1.0, 2.5]})
    assert found == [
        "systems 'A' and 'C' have identical scores: is one a copy?",
        "systems 'B' and 'D' have identical scores: is one a copy?",
    ]


def test_copies_with_gaps_are_copies_still() -> None:
    found = _of({"A": [1.0, NAN, 3.0], "B": [1.0, NAN, 3.0]})
    assert found[0] == "systems 'A' and 'B' have identical scores: is one a copy?"


def test_other_gaps_are_no_copies() -> None:
    found = _of({"A": [1.0, NAN, 3.0], "B": [1.0, 2.0, 3.0]})
    assert not any("identical" in message for message in found)


def test_one_run_is_no_copy_of_two() -> None:
    found = _of({"A": [[1.0, 2.0]], "B": [[1.0, 2.0], [1.0, 2.0]]})
    assert found == ["systems have different numbers of runs: {'A': 1, 'B': 2}."]


@pytest.mark.parametrize(
    ("gaps", "words"),
    [
        ([3], "1 item of 8 left out, because some system has no score there: i3."),
        ([1, 5], "2 items of 8 left out, because some system has no score there: i1, i5."),
        (
            [0, 1, 2, 3, 4, 5],
            "6 items of 8 left out, because some system has no score there: "
            "i0, i1, i2, i3, i4 and 1 more.",
        ),
    ],
    ids=["one", "two", "many"],
)
def test_items_without_a_score_are_counted_and_named(gaps: list[int], words: str) -> None:
    values = np.arange(8.0)
    holes = values + 1.0
    holes[gaps] = np.nan
    found = _of({"A": values, "B": holes}, items=[f"i{i}" for i in range(8)])
    assert found == [words]


def test_everything_is_said_at_once() -> None:
    found = _of({"A": [1.0, NAN], "B": [1.0, NAN], "C": [[1.0, 2.0], [2.0, 2.0]]})
    assert [message.split()[0] for message in found] == ["systems", "1", "systems"]


def test_every_suspicion_is_a_warning_and_a_note() -> None:
    tables = {"A": [1.0, NAN, 2.0], "B": [1.0, 3.0, 2.0], "C": [1.0, 3.0, 2.0]}
    scores = Scores.build(tables, metric="comet")
    with warnings.catch_warnings(record=True) as caught:
        warnings.simplefilter("always")
        result = compare(scores, n_resamples=9, rng=1)
    said = tuple(str(w.message) for w in caught)
    assert {w.category for w in caught} == {SuspiciousDataWarning}
    assert result.notes == said == tuple(suspicions(scores, ()))


def test_a_warning_points_at_the_line_of_the_caller() -> None:
    scores = Scores.build({"A": [1.0, 2.0], "B": [1.0, 2.0]})
    with pytest.warns(SuspiciousDataWarning) as caught:
        compare(scores, n_resamples=9, rng=1)
    assert caught[0].filename == __file__


# Texts: tokenised text is suspicious only where the metric cuts words itself


def _tokenised() -> Corpus:
    lines = [f"Line {i} , of the text , ends here ." for i in range(120)]
    other = [f"Row {i} , of a text , ends there ." for i in range(120)]
    refs = [f"This line {i}, of the text, ends right here." for i in range(120)]
    return Corpus.build({"A": lines, "B": other}, refs)


@pytest.mark.parametrize(
    ("metrics", "said"),
    [((Bleu(),), True), ((Bleu(tokenize="none"),), False), ((Chrf(),), False),
     ((Chrf(), Bleu()), True)],
    ids=["bleu", "bleu without tokeniser", "chrf", "both"],
)  # fmt: skip
def test_tokenised_text_matters_to_metrics_that_tokenise(metrics: Any, said: bool) -> None:
    found = suspicions(_tokenised(), metrics)
    assert any("tokenised" in message for message in found) is said


def test_the_same_of_three_texts_or_more_is_said_once() -> None:
    def corpus(n: int) -> Corpus:
        lines = ("Well , yes .", "No , thanks .", "Fine , then .")
        systems = {f"s{i}": (tuple(f"{line} {i} ." for line in lines),) for i in range(n)}
        return Corpus(
            references=(("Well, yes.", "No, thanks.", "Fine, then."),), systems=systems
        )

    two = suspicions(corpus(2), (Bleu(),))
    assert [text.partition(" looks")[0] for text in two] == ["system 's0'", "system 's1'"]
    (one,) = suspicions(corpus(4), (Bleu(),))
    assert one.startswith("system 's0' looks tokenised")
    assert one.endswith("The same holds for 3 more texts.")
