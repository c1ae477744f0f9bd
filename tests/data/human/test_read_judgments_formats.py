"""Every foreign format of judgments, on an invented sample."""

from pathlib import Path
from typing import Any

import numpy as np
import pytest

from detectable.core.errors import InputError
from detectable.data.files.content import FileContent
from detectable.data.human.judgments import Judgments
from detectable.data.human.read_judgments import read_judgments
from detectable.data.reader import find_judgment_reader as find_reader
from detectable.data.reader import judgment_readers
from tests.data.sample_files import SAMPLES, fails, write

FOLDER = SAMPLES / "judgments"
FILES = {
    "table.csv": "table",
    "table.jsonl": "table",
    "ad-csen-good-stnd.csv": "wmt-da",
    "ad-lven-good-stnd.csv": "wmt-da",
    "ad-good-raw.csv": "wmt-da",
    "crowdalone.csv": "wmt-da",
    "appraise_9.csv": "appraise",
    "appraise_11.csv": "appraise",
    "appraise_12.csv": "appraise",
    "appraise_mqm.csv": "appraise",
    "appraise_places.csv": "appraise",
    "appraise_split.csv": "appraise",
    "wmt25_segments.tsv": "wmt-mteval",
    "wmt24.jsonl": "esa",
    "wmt25.jsonl": "esa",
    "mqm_newstest2020_ende.tsv": "mqm",
    "pearmut.jsonl": "pearmut",
    "label_studio.json": "label-studio",
    "alpaca_eval.json": "alpaca-eval",
    "arena_hard.jsonl": "arena-hard",
    "mt_bench_single.jsonl": "mt-bench",
    "mt_bench_pair.jsonl": "mt-bench",
    "arena.csv": "arena",
    "hassan2018.csv": "hassan2018",
}


def columns(judgments: Judgments, *roles: str) -> list[tuple[Any, ...]]:
    whole = judgments.to_columns()
    return list(zip(*(whole[role] for role in roles), strict=True))


@pytest.mark.parametrize("name", FILES)
def test_the_format_is_recognised(name: str) -> None:
    assert find_reader(FileContent(FOLDER / name)).name == FILES[name]
    chosen = read_judgments(FOLDER / name, format=FILES[name])
    np.testing.assert_equal(chosen.to_columns(), read_judgments(FOLDER / name).to_columns())


def test_every_format_has_a_sample_or_a_test_of_its_own() -> None:
    assert {*FILES.values(), "shipdata", "blind-sheets"} == set(judgment_readers().names())


def test_z_scores_of_wmt() -> None:
    judgments = read_judgments(FOLDER / "ad-csen-good-stnd.csv")
    assert columns(judgments, "system", "item", "score", "rater", "document", "kind") == [
        ("A.1", "17", 0.5, "w1", "3", "system"),
        ("A.1", "17", -1.25, "w1", "3", "degraded"),
        ("B.2", "21", 0.25, "w1", "4", "system"),
        ("B.2", "21", 0.75, "w1", "4", "repeat"),
        ("B.2", "17", 1.5, "w2", "3", "reference"),
    ]
    assert judgments.language is not None
    assert judgments.language.levels == ("cs-en",)
    assert judgments.scale == (-np.inf, np.inf)
    assert judgments.seconds is not None
    assert judgments.seconds.tolist() == [100, 100, 100, 100, 300]
    assert "time of a whole HIT" in judgments.notes[0]


def test_raw_scores_of_crowd_alone() -> None:
    judgments = read_judgments(FOLDER / "crowdalone.csv")
    assert columns(judgments, "system", "item", "score", "kind", "task") == [
        ("A.1", "7", 89.0, "system", "H1"),
        ("A.1", "7", 20.0, "degraded", "H1"),
        ("B.2", "9", 70.0, "repeat", "H1"),
    ]
    assert judgments.scale == (0.0, 100.0)
    assert judgments.document is None  # rid numbers the rows here, not the documents


def test_nine_columns_of_appraise() -> None:
    judgments = read_judgments(FOLDER / "appraise_9.csv")
    assert columns(judgments, "rater", "system", "item", "kind", "score") == [
        ("cseng01", "A", "11", "system", 70.0),
        ("cseng01", "A", "11", "degraded", 20.0),
        ("cseng01", "B", "11", "repeat", 81.0),
        ("cseng02", "B", "12", "reference", 95.0),
    ]
    assert judgments.seconds is not None
    np.testing.assert_array_equal(judgments.seconds, [10.0, 4.0, np.nan, 5.0])
    assert judgments.notes == ("1 time left empty: the end lies before the start.",)


def test_eleven_columns_of_appraise() -> None:
    judgments = read_judgments(FOLDER / "appraise_11.csv")
    assert columns(judgments, "system", "item", "document", "kind", "score") == [
        ("A", "1", "news.1", "system", 70.0),
        ("A", "1", "news.1", "degraded", 10.0),
        ("B", "3", "news.2#1-10", "system", 64.0),
        ("A", "5", "news.4", "system", 90.0),
        ("B", "5", "news.4", "system", 90.0),
    ]
    assert judgments.notes == (
        "1 judgment left out: unchanged items of degraded documents (#bad).",
        "1 judgment left out: copies of documents (#dup).",
        "1 judgment left out: incomplete documents (#incomplete).",
        "1 judgment left out: systems of a tutorial.",
        "2 judgments left out: exact copies of another row.",
        "2 rows added: outputs that systems share (A+B) count for each.",
        "1 rating of whole documents kept apart; `level` document ranks by them.",
    )
    assert judgments.of_documents is not None
    assert columns(judgments.of_documents, "system", "item", "score") == [("A", "news.1", 75.0)]


def test_twelve_columns_of_appraise_with_scores_and_without() -> None:
    scored = read_judgments(FOLDER / "appraise_12.csv")
    assert scored.score.tolist() == [88, 99]
    assert scored.scale == (0.0, 100.0)
    errors = read_judgments(FOLDER / "appraise_mqm.csv")
    assert errors.score.tolist() == pytest.approx([-5.1, 0, -1])
    assert errors.scale == (-np.inf, 0.0)
    assert "computed from the error spans" in errors.notes[-1]


def test_items_of_appraise_that_are_places_in_a_task() -> None:
    judgments = read_judgments(FOLDER / "appraise_places.csv")
    assert columns(judgments, "rater", "system", "item", "kind", "score") == [
        ("engde01", "wmt23.A", "news.1:1", "system", 0.0),
        ("engde01", "wmt23.A", "news.1:2", "system", -25.0),
        ("engde01", "wmt23.A", "news.1:1", "degraded", -5.0),
        ("engde01", "wmt23.A", "news.1:2", "degraded", -0.1),
        ("engde02", "wmt23.B", "news.1:1", "system", -1.0),
        ("engde02", "wmt23.B", "news.1:2", "system", 0.0),
        ("engde02", "wmt23.A", "news.2:1", "system", -5.0),
    ]
    assert judgments.notes[0] == "1 judgment left out: systems of a tutorial."
    assert "segments were counted within each document" in judgments.notes[1]


@pytest.mark.parametrize(
    ("spans", "message"),
    [
        (
            '"[{""severity"": ""awful"", ""error_type"": [""Style""]}]"',
            "unknown severity 'awful'",
        ),
        ("oops", "no JSON list"),
        ('"{""severity"": ""minor""}"', "no JSON list"),
    ],
)
def test_spans_of_appraise_that_cannot_be_read(
    tmp_path: Path, spans: str, message: str
) -> None:
    row = f"u,A,1,TGT,eng,deu,0,d,False,{spans},1,2\n"
    with fails("a.csv, line 1", message):
        read_judgments(write(tmp_path, "a.csv", row))


def test_rows_of_appraise_of_another_length(tmp_path: Path) -> None:
    row = "u,A,1,TGT,eng,deu,70,1,2\n"
    with fails("a.csv, line 2", "this row has 4 columns, the first row has 9"):
        read_judgments(write(tmp_path, "a.csv", row + "u,A,1,TGT\n"))
    with fails("9, 11 or 12 columns", "The whole line is one column, 'u;A;1"):
        read_judgments(write(tmp_path, "b.csv", "u;A;1;TGT\n"), format="appraise")


def test_wmt24() -> None:
    judgments = read_judgments(FOLDER / "wmt24.jsonl")
    roles = ("system", "item", "score", "rater", "document", "domain", "language")
    assert columns(judgments, *roles) == [
        ("A", "3", 91.0, "x1", "news_1", "news", "en-cs"),
        ("B", "3", 40.5, "x1", "news_1", "news", "en-cs"),
    ]
    assert judgments.notes == ("1 judgment left out: items without a score.",)


def test_wmt25_has_two_waves() -> None:
    judgments = read_judgments(FOLDER / "wmt25.jsonl")
    assert columns(judgments, "system", "item", "wave", "rater", "score", "domain") == [
        ("A", "d1:1", "1", "x1", 90.0, "news"),
        ("A", "d1:1", "2", "x2", 80.0, "news"),
        ("B", "d1:1", "1", "x1", 30.0, "news"),
        ("A", "d1:2", "1", "x1", 70.0, "news"),
        ("A", "d1:2", "2", "x2", 60.0, "news"),
        ("A", "d2:1", "1", "x3", 100.0, "chat"),
        ("A", "d2:1", "2", "x1", 99.0, "chat"),
    ]
    assert judgments.seconds is not None
    assert judgments.seconds[:2].tolist() == [4.5, 2.0]
    assert judgments.notes == (
        "1 judgment left out: items without a score.",
        "1 segment without any judgment.",
    )


def test_mqm_adds_up_errors_per_rater() -> None:
    judgments = read_judgments(FOLDER / "mqm_newstest2020_ende.tsv")
    assert columns(judgments, "system", "item", "rater") == [
        ("A", "1", "rater1"),
        ("A", "1", "rater2"),
        ("A", "2", "rater1"),
        ("B", "1", "rater1"),
        ("B", "2", "rater1"),
        ("B", "2", "rater2"),
    ]
    assert judgments.score.tolist() == pytest.approx([-5.1, 0, -1, -25, -5, -5])
    assert judgments.scale == (-np.inf, 0.0)
    assert judgments.notes == (
        "7 rows of errors added up per rater and segment.",
        "From the name of the file: language 'en-de' and campaign 'newstest2020'.",
        "1 critical error counted as major.",
        "1 error of the source counted by severity, as in the published averages "
        "(source_errors='ignore' makes it 0).",
    )
    assert judgments.place(2) == f"{FOLDER / 'mqm_newstest2020_ende.tsv'}, line 5"


def test_an_unknown_severity_of_mqm(tmp_path: Path) -> None:
    text = (FOLDER / "mqm_newstest2020_ende.tsv").read_text().replace("Critical", "Dreadful")
    with fails("line 8, column 'severity'", "unknown severity 'Dreadful' (1 row in all)"):
        read_judgments(write(tmp_path, "mqm.tsv", text))


def test_pearmut() -> None:
    judgments = read_judgments(FOLDER / "pearmut.jsonl")
    assert columns(judgments, "system", "item", "rater", "score", "seconds") == [
        ("A", "s1", "calm-fox", 11.0, 2.0),
        ("B", "s1", "calm-fox", 21.0, 2.0),
        ("B", "s2", "calm-fox", 41.0, 2.0),
    ]
    assert judgments.notes == (
        "1 judgment left out: items of the tutorial (welcome).",
        "1 judgment left out: attention checks.",
        "1 judgment left out: items without a score.",
        "2 documents annotated again or reset: the last annotation counts.",
    )


def test_pearmut_with_errors_and_no_scores(tmp_path: Path) -> None:
    line = (
        '{"user_id": "u", "item_i": 0, "item": [{"item_id": "en-cs_#_news_#_d_#_0"}], "annotation":'
        ' [{"A": {"score": null, "error_spans": [{"severity": "major"}]}}]}'
    )
    judgments = read_judgments(write(tmp_path, "p.jsonl", line))
    roles = ("system", "item", "document", "domain", "language", "score")
    assert columns(judgments, *roles) == [("A", "0", "d", "news", "en-cs", -5.0)]


def test_label_studio() -> None:
    judgments = read_judgments(FOLDER / "label_studio.json", scale=(1, 5))
    assert columns(judgments, "system", "item", "rater", "score", "domain", "seconds") == [
        ("A", "s1", "7", 4.0, "news", 4.5),
        ("B", "s1", "8", 5.0, "news", 2.0),
    ]
    assert judgments.notes == (
        "1 judgment left out: cancelled annotations.",
        "1 judgment left out: annotations without 'quality'.",
    )
    assert judgments.place(1).endswith("label_studio.json, line 9")


def test_label_studio_without_a_system(tmp_path: Path) -> None:
    text = (FOLDER / "label_studio.json").read_text().replace('"system"', '"engine_name"')
    path = write(tmp_path, "l.json", text)
    with fails("does not name its system", "'engine_name'", "--column system=NAME"):
        read_judgments(path)
    named = read_judgments(path, columns={"system": "engine_name"})
    assert named.system.levels == ("A", "B")


def test_label_studio_with_two_numbers(tmp_path: Path) -> None:
    text = (FOLDER / "label_studio.json").read_text()
    text = text.replace(
        '"remark", "to_name": "text", "type": "textarea"', '"b", "type": "number"'
    )
    path = write(tmp_path, "l.json", text)
    with fails("several controls hold numbers: quality, b", "--column score=quality"):
        read_judgments(path)
    assert read_judgments(path, columns={"score": "quality"}).n_judgments == 2


def test_who_names_columns_has_a_table(tmp_path: Path) -> None:
    text = "HITId,WorkerId,model,sentence,sid,sys_id,points\nH1,w,A,s1,1,x,70\n"
    path = write(tmp_path, "j.csv", text)
    chosen = {"system": "model", "item": "sentence", "score": "points"}
    judgments = read_judgments(path, columns=chosen)
    roles = ("system", "item", "score", "rater", "task")
    assert columns(judgments, *roles) == [("A", "s1", 70.0, "w", "H1")]


def test_options_that_do_not_apply() -> None:
    with pytest.raises(InputError, match="does not apply to the format 'esa'"):
        read_judgments(FOLDER / "wmt24.jsonl", format="esa", columns={"score": "esa_score"})
    with pytest.raises(InputError, match="must be a path for the format 'mqm'"):
        read_judgments({"system": ["A"]}, format="mqm")
    with pytest.raises(
        InputError, match="`format` must be one of auto, alpaca-eval, appraise, arena"
    ):
        read_judgments(FOLDER / "wmt24.jsonl", format="csv")
    with pytest.raises(InputError, match="`scale` must be"):
        read_judgments(FOLDER / "table.csv", scale=(5, 1))


def test_the_release_of_hassan_2018() -> None:
    judgments = read_judgments(FOLDER / "hassan2018.csv")
    roles = ("system", "item", "score", "rater", "kind", "language", "seconds")
    assert columns(judgments, *roles[:-1]) == [
        ("Combo-6", "12", 85, "zhoeng1a01", "system", "zh-en"),
        ("Combo-5", "12", 85, "zhoeng1a01", "system", "zh-en"),
        ("Reference-HT", "12", 70, "zhoeng1a01", "system", "zh-en"),
        ("Reference-HT", "12", 74, "zhoeng1a01", "repeat", "zh-en"),
        ("Combo-6", "700", 41, "zhoeng1a02", "system", "zh-en"),
    ]
    assert judgments.seconds is not None
    np.testing.assert_equal(judgments.seconds, [7.5, 7.5, 7.25, np.nan, 3.0])
    assert judgments.document is None
    assert judgments.notes == ()


def test_the_folder_of_hassan_2018_is_read_by_its_combined_campaign(tmp_path: Path) -> None:
    inside = tmp_path / "Evaluations"
    inside.mkdir()
    rows = (FOLDER / "hassan2018.csv").read_text()
    stem = "Translator-HumanParityData"
    (inside / f"{stem}-Meta1-Subset1.csv").write_text(
        "who,system,id,type,Score,start,end\n" + rows
    )
    (inside / f"{stem}-EvalRound1a-Subset1.csv").write_text(rows[:60])
    judgments = read_judgments(tmp_path)
    assert judgments.n_judgments == 5
    assert judgments.lines is not None
    assert list(judgments.lines) == [2, 3, 4, 5, 6]
    [note] = judgments.notes
    assert note == f"1 other file of the release not read: {stem}-EvalRound1a-Subset1.csv."
    (inside / f"{stem}-Meta1-Subset1.csv").unlink()
    with fails(
        str(tmp_path), "one file of the campaign Meta-1", "found Translator-Human", "Name the"
    ):
        read_judgments(tmp_path)


@pytest.mark.parametrize(
    ("row", "message"),
    [
        ("u,A,1,TGT,50,1", "line 2: this row has 6 columns, the release has 7."),
        ("u,A,1,BAD,50,1,2", "line 2: the type must be TGT or CHK; found 'BAD'."),
        ("u,A,1,TGT,500,1,2", "500"),
        (
            'u,A,1,"TGT,50,1,2',
            "line 2: a quotation mark opens a cell in this row, and none closes",
        ),
    ],
)
def test_rows_that_hassan_2018_does_not_have(tmp_path: Path, row: str, message: str) -> None:
    path = write(tmp_path, "h.csv", f"u,A,1,TGT,50,1,2\n{row}\n\n")
    with fails(str(path), message):
        read_judgments(path)


def test_a_judgment_may_take_no_time(tmp_path: Path) -> None:
    path = write(tmp_path, "h.csv", "u,A,1,TGT,50,1,1\nu,A,2,TGT,50,2,1.995\n")
    seconds = read_judgments(path).seconds
    assert seconds is not None
    np.testing.assert_equal(seconds, [0.0, np.nan])  # none ends before it began
