from pathlib import Path

import pytest
from sacrebleu.metrics.chrf import CHRF

from detectable.data.files.lines import read_lines
from detectable.data.formats.sacrebleu import read_sacrebleu
from detectable.data.formats.score_lines import read_score_lines
from tests.data.sample_files import SAMPLES, fails, write

A, B = SAMPLES / "sacrebleu_A.txt", SAMPLES / "sacrebleu_B.txt"


def computed(name: str) -> list[float]:
    """Return what sacreBLEU gives when it is called rather than printed."""
    outputs, references = (read_lines(SAMPLES / "text" / f) for f in (f"{name}.txt", "ref.txt"))
    return [
        CHRF().sentence_score(hyp, [ref]).score
        for hyp, ref in zip(outputs, references, strict=True)
    ]


def test_printed_scores_are_those_of_sacrebleu_up_to_rounding() -> None:
    loaded = read_sacrebleu({"A": A, "B": B})
    assert loaded.metric == "chrF2"
    for name in "AB":
        assert loaded.systems[name][0] == pytest.approx(computed(name), abs=0.051)
    assert loaded.notes == (
        "the scores are rounded to 1 decimal. Print more with sacrebleu -w 6.",
    )


def test_bare_scores_are_read_line_by_line() -> None:
    loaded = read_score_lines(SAMPLES / "lines_A.txt", metric="chrF2")
    assert loaded.systems["lines_A"][0] == pytest.approx(computed("A"), abs=1e-4)
    assert (loaded.metric, loaded.notes) == ("chrF2", ())


def test_runs_and_missing_lines(tmp_path: Path) -> None:
    one, two = write(tmp_path, "1", "1\n\n3\n"), write(tmp_path, "2", "1\n2\n3\n")
    loaded = read_score_lines({"A": [one, two]})
    assert loaded.systems["A"].shape == (2, 3)
    assert loaded.notes == ("system 'A', run 1: 1 of 3 items without a score, first '2'.",)
    short = write(tmp_path, "3", "1\n")
    with fails("1 has 3 scores", "3 has 1 score. Score the same segments for every system."):
        read_score_lines({"A": one, "B": short})
    with fails("x, line 2: expected a score, found 'two'"):
        read_score_lines(write(tmp_path, "x", "1\ntwo\n"))


def test_scores_of_whole_test_sets_are_refused_with_the_remedy() -> None:
    with fails("sacrebleu_corpus.json: this sacreBLEU file holds scores of whole test sets, none",
               "sacrebleu --sentence-level -w 6, one file per system"):  # fmt: skip
        read_sacrebleu({"A": SAMPLES / "sacrebleu_corpus.json"})


def test_different_settings_cannot_be_compared(tmp_path: Path) -> None:
    other = write(tmp_path, "B.txt", A.read_text().replace("case:mixed", "case:lc"))
    with fails("sacrebleu_A.txt and ", "B.txt were scored differently: chrF2|nrefs:1|case:mixed",
               "against chrF2|nrefs:1|case:lc", "Score both in the same way."):  # fmt: skip
        read_sacrebleu({"A": A, "B": other})
    mixed = write(tmp_path, "x.txt", A.read_text() + other.read_text())
    with fails("x.txt, line 4: the signature differs from that of line 1."):
        read_sacrebleu(mixed)


def test_other_lines_are_named(tmp_path: Path) -> None:
    path = write(tmp_path, "x.txt", A.read_text() + "sacreBLEU: done\n")
    with fails("x.txt, line 4: expected “metric|signature = score”, found 'sacreBLEU: done'."):
        read_sacrebleu(path)
