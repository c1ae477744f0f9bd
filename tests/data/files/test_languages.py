"""Rows of several language pairs are kept apart or refused, in every table."""

from pathlib import Path

import pytest

from detectable.core.errors import DataError, InputError
from detectable.data.files.table import Table, one_language, with_language
from detectable.data.human.read_judgments import read_judgments
from detectable.data.scores.read_score_table import read_score_table
from detectable.data.texts.read_text_table import read_text_table
from detectable.study.ranking.item_scores import read_segment_scores
from detectable.study.ranking.rank_systems import rank_systems
from tests.data.sample_files import fails, write

LONG = "system,item,score,source_lang,target_lang\n" + "".join(
    f"{system},{item},{score + (50 if lang == 'de' else 0)},en,{lang}\n"
    for lang in ("cs", "de")
    for system, scores in (("A", (1, 2, 3)), ("B", (2, 4, 4)))
    for item, score in enumerate(scores, start=10 if lang == "cs" else 20)
)


def test_two_target_languages_are_not_ranked_as_one(tmp_path: Path) -> None:
    judgments = read_judgments(write(tmp_path, "j.csv", LONG))
    assert judgments.column("language").levels == ("en-cs", "en-de")
    with fails("j.csv: 2 language pairs: en-cs, en-de", "--language (language=…)"):
        rank_systems(judgments)
    chosen = rank_systems(judgments, language="en-de", rng=1)
    assert {row.n for row in chosen.systems} == {3}
    assert {row.mean_raw for row in chosen.systems} == {52.0, 50 + 10 / 3}


def test_segment_scores_of_two_languages(tmp_path: Path) -> None:
    path = write(tmp_path, "s.csv", LONG)
    with fails("s.csv: 2 language pairs: en-cs, en-de"):
        read_segment_scores(path)
    assert read_segment_scores(path, language="en-cs").items == ("10", "11", "12")


def test_long_scores_of_two_languages(tmp_path: Path) -> None:
    path = write(tmp_path, "scores.csv", LONG)
    both = read_score_table(path).table  # each is a task
    assert both.task_names == ("en-cs", "en-de")
    assert both.of_task("en-de").systems["B"].tolist() == [[52.0, 54.0, 54.0]]
    loaded = read_score_table(path, language_pair="en-de")
    assert loaded.table.items == ("20", "21", "22")
    assert loaded.table.systems["B"].tolist() == [[52.0, 54.0, 54.0]]
    assert loaded.notes == (f"{path}: 6 rows of other language pairs left out as asked.",)
    with fails("holds no language pair 'en-fr'. Found: en-cs, en-de"):
        read_score_table(path, language_pair="en-fr")


def test_an_error_below_the_chosen_rows_names_its_line_in_the_file(tmp_path: Path) -> None:
    path = write(tmp_path, "s.csv", LONG.replace("A,20,51", "A,20,much"))
    with fails("s.csv, line 8, column 'score': expected a score, found 'much'"):
        read_score_table(path, language_pair="en-de")


def test_wide_scores_and_texts_of_two_languages(tmp_path: Path) -> None:
    wide = write(tmp_path, "w.csv", "item,lp,A,B\n1,en-cs,1,2\n2,en-de,3,4\n")
    with fails("w.csv, column 'lp': 2 language pairs"):
        read_score_table(wide)
    assert read_score_table(wide, language_pair="en-de").table.systems["A"].tolist() == [[3.0]]
    texts = write(tmp_path, "t.tsv", "lp\tref\tA\nen-cs\tano\tano\nen-de\tja\tjein\n")
    with fails("t.tsv, column 'lp': 2 language pairs"):
        read_text_table(texts)
    corpus = read_text_table(texts, language_pair="en-de").table
    assert list(corpus.systems) == ["A"]  # the language is no system
    assert corpus.n_segments == 1


def test_two_campaigns_are_refused(tmp_path: Path) -> None:
    path = write(tmp_path, "c.csv", "system,item,score,campaign\nA,1,2,x\nA,2,2,y\n")
    with fails("c.csv, column 'campaign': 2 campaigns: x, y", "Give a table of one of them"):
        read_score_table(path)


def test_a_language_pair_that_the_table_does_not_name(tmp_path: Path) -> None:
    path = write(tmp_path, "c.csv", "system,item,score\nA,1,2\n")
    with pytest.raises(InputError, match=r"`language_pair` must be left out: .* has no column"):
        read_score_table(path, language_pair="en-de")


def _table(**columns: list[str]) -> Table:
    rows = len(next(iter(columns.values())))
    return Table(path="t.csv", columns=dict(columns), lines=list(range(2, rows + 2)))


@pytest.mark.parametrize(
    "name", ["language", "language_pair", "lp", "langs", "lang_pair", "langpair"]
)
def test_names_of_the_language_pair(name: str) -> None:
    assert one_language(_table(**{name: ["a", "b"]}), "b")[0].cells(name) == ["b"]


@pytest.mark.parametrize(
    ("source", "target"),
    [
        ("source_lang", "target_lang"),
        ("src_lang", "tgt_lang"),
        ("source_language", "target_language"),
        ("sourcelang", "targetlang"),
        ("srclang", "tgtlang"),
        ("srclang", "trglang"),
        ("srclang", "trg_lang"),
    ],
)
def test_names_of_its_halves(source: str, target: str) -> None:
    table = with_language(_table(**{source: ["en ", "en"], target: ["cs", "de"]}))
    assert table.cells("language") == ["en-cs", "en-de"]
    alone = with_language(_table(**{target: ["cs"]}))
    assert alone.cells("language") == ["cs"]


@pytest.mark.parametrize("name", ["campaign", "campaign_id", "test_set", "testset", "set_id"])
def test_names_of_the_campaign(name: str) -> None:
    with pytest.raises(DataError, match=f"t.csv, column '{name}': 2 campaigns: x, y"):
        one_language(_table(**{name: ["x", "y"]}), None)


def test_one_language_and_one_campaign_are_taken_without_a_word() -> None:
    table = _table(lp=["en-de", " en-de"], campaign=["c", "c "])
    for wanted in (None, "en-de"):
        kept, notes = one_language(table, wanted)
        assert kept.columns == table.columns
        assert notes == ()
    # A column of its own says more than two halves.
    both = with_language(_table(lp=["en-de"], source_lang=["x"]))
    assert set(both.columns) == {"lp", "source_lang"}
