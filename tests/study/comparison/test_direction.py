"""Given scores where lower is better, in a comparison."""

from pathlib import Path

import pytest

from detectable.core.errors import InputError
from detectable.data.scores.read_scores import read_scores
from detectable.data.scores.scores import Scores
from detectable.data.texts.corpus import Corpus
from detectable.study.comparison.compare import compare
from detectable.study.comparison.result import Comparison

LOW = [1.0, 2.0, 1.5, 2.5, 1.0, 0.5, 2.0, 1.0, 1.5, 0.5]
HIGH = [value + 3.0 + i / 10 for i, value in enumerate(LOW)]


def _compare(metric: str | None, sign: float = 1.0, **options: object) -> Comparison:
    tables = {"low": [sign * x for x in LOW], "high": [sign * x for x in HIGH]}
    scores = Scores.build(tables, metric=metric)
    return compare(scores, baseline="low", rng=1, **options)  # type: ignore[arg-type]


@pytest.mark.parametrize(
    ("metric", "sign", "verdict", "note"),
    [
        ("metricx", 1, "worse", "metricx: lower is better."),
        ("ter", 1, "worse", "ter: lower is better."),
        ("mqm", -1, "worse", "mqm: written with a minus, so higher is better."),
        ("comet", 1, "better", None),
        (None, 1, "better", "score: higher is taken to be better, as the scores have no name. If lower "
         "is better, say so (--lower-is-better score, lower_is_better=['score'])."),
        ("glow", 1, "better", "glow: higher is taken to be better, as the name does not tell. If "
         "lower is better, say so (--lower-is-better glow, lower_is_better=['glow'])."),
    ],
)  # fmt: skip
def test_the_name_tells_who_is_better(
    metric: str | None, sign: float, verdict: str, note: str | None
) -> None:
    result = _compare(metric, sign)
    assert [pair.verdict for pair in result.pairs] == [verdict]
    assert [said for said in result.notes if "higher is" in said or "lower is" in said] == (
        [] if note is None else [note]
    )


def test_the_direction_can_be_set() -> None:
    assert _compare("glow", lower_is_better=["Glow"]).pairs[0].verdict == "worse"
    assert _compare(None, lower_is_better=["score"]).notes[0] == "score: lower is better."
    told = _compare("ter", metrics="mean")
    assert told.pairs[0].verdict == "better"
    assert not any("better" in note for note in told.notes)


def test_a_direction_that_contradicts_or_is_about_nothing() -> None:
    with pytest.raises(InputError, match="must name the scores, 'glow'; got 'glitter'"):
        _compare("glow", lower_is_better=["glitter"])
    with pytest.raises(InputError, match="both say the direction of given scores"):
        _compare("glow", metrics="mean", lower_is_better=["glow"])
    corpus = Corpus.build({"A": [["a b"]], "B": [["a c"]]}, [["a b"]])
    with pytest.raises(InputError, match="metrics of texts know their direction"):
        compare(corpus, lower_is_better=["bleu"])


def test_files_without_a_name_get_one_note(tmp_path: Path) -> None:
    for name, values in (("low", LOW), ("high", HIGH)):
        (tmp_path / f"{name}.txt").write_text("".join(f"{value}\n" for value in values))
    rows = [f"{i},{low},{high}\n" for i, (low, high) in enumerate(zip(LOW, HIGH, strict=True))]
    (tmp_path / "table.csv").write_text("".join(["item,low,high\n", *rows]))
    lines = {name: tmp_path / f"{name}.txt" for name in ("low", "high")}
    for source in (lines, tmp_path / "table.csv"):
        scores = read_scores(source).table
        found = compare(scores, baseline="low", rng=1, n_resamples=9)
        said = [note for note in found.notes if note.startswith("score: higher is taken to be")]
        assert len(said) == 1
        named = compare(scores, baseline="low", rng=1, n_resamples=9, metrics="mean")
        assert not any("higher is taken" in note for note in named.notes)


def test_right_and_wrong_need_no_name() -> None:
    scores = Scores.build({"A": [0.0, 1.0, 1.0, 0.0], "B": [1.0, 1.0, 1.0, 0.0]})
    assert not any("better" in note for note in compare(scores, rng=1, n_resamples=9).notes)
