"""Files of annotation tools that others published, with the numbers that were checked by hand."""

import json
from pathlib import Path

import pytest

from detectable.data.human.judgments import Judgments
from detectable.data.human.read_judgments import read_judgments
from detectable.data.texts.wmt_test_sets import read_sgm
from detectable.metrics.bleu import Bleu
from detectable.study.ranking.rank_systems import rank_systems
from tests.data.sample_files import SAMPLES, fails, write
from tests.helpers import reference_data


def test_logs_of_pearmut() -> None:
    folder = reference_data("data", "real", "pearmut")
    demo = read_judgments(folder / "annotation_demo_esa.jsonl")
    assert (demo.n_judgments, demo.system.n_levels, demo.column("rater").n_levels) == (6, 2, 2)
    of = demo.where(system="GPT-4")
    assert of.where(rater="alice").score.tolist() == [85.0, 88.0]
    assert of.where(rater="bob").score.tolist() == [93.0]
    stream = read_judgments(folder / "example_singlestream_first4.jsonl")
    assert stream.where(system="DLUT_GTCOM").score.tolist() == [87.0, 85.0, 89.0, 90.0, 90.0]
    assert stream.where(system="ONLINE-W").score.tolist() == [35.0, 33.0]
    assert stream.notes == ("5 judgments left out: items of the tutorial (welcome).",)


def test_a_campaign_of_shipdata() -> None:
    pytest.importorskip("fastexcel")
    judgments = read_judgments(reference_data("data", "real", "shipdata"))
    means = {"f58a58b40dc235087d2bba4378c14734": (442, 46.8394),
             "f8bde876dc3bb32c3e302cd80efeeedc": (440, 64.5205)}  # fmt: skip
    assert judgments.column("rater").n_levels == 5
    for system, (n, mean) in means.items():
        own = judgments.where(system=system)
        assert own.n_judgments == n
        assert own.score.mean() == pytest.approx(mean, abs=5e-5)
    assert judgments.notes[0].startswith("2 judgments on lines that not all systems have")


def test_label_studio_without_a_system() -> None:
    path = reference_data("data", "real", "label-studio", "classification_mixed.json")
    with fails("line 1: this task does not name its system", "--column system=NAME"):
        read_judgments(path)


def test_test_sets_in_sgm() -> None:
    folder = reference_data("data", "real", "sgm")
    files = {
        "doc": folder / "newstest2019.Microsoft-WMT19-document-level.6808.en-de.sgm",
        "sent": folder / "newstest2019.Microsoft-WMT19-sentence-level.6785.en-de.sgm",
        "both": folder / "newstest2019.Microsoft-WMT19-sentence_document.6974.en-de.sgm",
    }
    corpus = read_sgm(
        list(files.items()),
        [folder / "newstest2019-ende-ref.de.sgm"],
        sources=folder / "newstest2019-ende-src.en.sgm",
    )
    assert (corpus.n_segments, len(set(corpus.documents or ()))) == (43, 3)
    assert set(corpus.original_languages or ()) == {"en"}
    bleu = Bleu()
    scores = dict(
        zip(files, bleu.score(bleu.statistics(corpus).sum(axis=1)).tolist(), strict=True)
    )
    assert scores["sent"] - scores["doc"] == pytest.approx(2.04, abs=0.005)


# --- Files of WMT as they are really published: Direct Assessment, and scores of all languages ---

FOLDER = SAMPLES / "judgments"


def _rows(judgments: Judgments, *roles: str) -> list[tuple[object, ...]]:
    whole = judgments.to_columns()
    return list(zip(*(whole[role] for role in roles), strict=True))


def test_the_column_score_of_a_standardised_file_holds_z() -> None:
    judgments = read_judgments(FOLDER / "ad-lven-good-stnd.csv")
    assert _rows(judgments, "system", "item", "score", "kind", "task", "language") == [
        ("TartuNLP.1", "17", 0.5, "system", "1", "lv-en"),
        ("TartuNLP.1", "17", -1.25, "degraded", "1", "lv-en"),
        ("TAL-SJTU.3", "17", 0.25, "system", "1", "lv-en"),
        ("TAL-SJTU.3", "17", 0.75, "repeat", "1", "lv-en"),
    ]
    assert judgments.scale == (-float("inf"), float("inf"))
    assert judgments.notes[0] == "Column 'score' holds z-scores."


def test_rows_cut_by_tabs_and_spaces_with_quoted_systems() -> None:
    judgments = read_judgments(FOLDER / "ad-good-raw.csv")
    assert _rows(judgments, "system", "item", "score", "rater", "task", "language") == [
        ("A.1", "17", 55.0, "w1", "H1", "is-en"),  # hit is NA, so HITId names the task
        ("B.2", "17", 71.0, "w1", "H1", "is-en"),
        ("A.1", "18", 0.0, "w2", "H2", "is-en"),
    ]
    assert judgments.scale == (0.0, 100.0)
    assert judgments.document is None  # rid is NA


HEADER = "HITId WorkerId Input.src Input.trg Input.item hit sys_id rid type sid score time\n"


def _one(score: str) -> str:
    return HEADER + f"H\tw\tlv\ten\tad\t1\tA.1\t7\tSYSTEM\t17\t{score}\t400\n"


@pytest.mark.parametrize(
    ("name", "score", "is_z"),
    [
        ("ad-x-good-stnd.csv", "0.5", True),
        ("ad-x-good-raw.csv", "55", False),
        ("scores.csv", "-0.25", True),
        ("scores.csv", "55", False),
        ("scores.csv", "55.5", False),
    ],
)
def test_how_z_is_told_from_raw(tmp_path: Path, name: str, score: str, *, is_z: bool) -> None:
    judgments = read_judgments(write(tmp_path, name, _one(score)))
    assert (judgments.scale[0] < 0.0) == is_z


def test_scores_that_could_be_both_are_refused(tmp_path: Path) -> None:
    path = write(tmp_path, "scores.csv", _one("0.5"))
    with fails(
        "scores.csv, column 'score': neither the name of the file (stnd, raw)", "--scale"
    ):
        read_judgments(path)
    assert read_judgments(path, scale=(-9.0, 9.0)).score.tolist() == [0.5]


def test_a_raw_file_with_negative_scores_is_refused(tmp_path: Path) -> None:
    with fails(
        "ad-good-raw.csv, line 2, column 'score': the score", "lies outside the scale 0 to 100"
    ):
        read_judgments(write(tmp_path, "ad-good-raw.csv", _one("-1")))


def test_a_row_of_another_length_cut_by_spaces(tmp_path: Path) -> None:
    path = write(tmp_path, "ad-good-raw.csv", _one("50") + 'H2\tw lv en ad "A.1"\t5\n')
    with fails("ad-good-raw.csv, line 3"):
        read_judgments(path)
    quoted = _one("50").replace("A.1", '"A.1"') + "H2\tw lv en\n"
    with fails("line 3: the header has 12 columns, this row has 4, cut at tabs and spaces"):
        read_judgments(write(tmp_path, "ad-good-raw.csv", quoted))


def test_languages_of_wmt25_are_kept_apart() -> None:
    judgments = read_judgments(FOLDER / "wmt25_segments.tsv")
    assert judgments.n_judgments == 9
    assert judgments.notes == ("1 judgment left out: segments without a score (NaN).",)
    assert judgments.column("language").levels == ("en-cs_CZ", "en-ja_JP")
    with fails("2 language pairs: en-cs_CZ, en-ja_JP", "choose one with --language"):
        rank_systems(judgments)
    czech = judgments.where(language="en-cs_CZ")
    assert czech.where(system="A").score.mean() == pytest.approx(68.75)
    assert czech.item.n_levels == 4  # segments are counted anew in every document
    assert czech.column("domain").levels == ("news", "chat")
    assert czech.column("campaign").levels == ("official",)


def test_methods_of_wmt25_are_campaigns_of_their_own(tmp_path: Path) -> None:
    text = (
        (FOLDER / "wmt25_segments.tsv")
        .read_text()
        .replace("ja_JP\tofficial\tA\tnews\tESA\t10", "ja_JP\tofficial\tA\tnews\tMQM\t-3")
    )
    judgments = read_judgments(write(tmp_path, "s.tsv", text))
    assert judgments.column("campaign").levels == ("official.ESA", "official.MQM")
    assert judgments.score.min() == -3.0


def test_the_scale_of_wmt25_follows_the_method_unless_it_is_given(tmp_path: Path) -> None:
    text = (FOLDER / "wmt25_segments.tsv").read_text()
    esa = write(tmp_path, "esa.tsv", text)
    assert read_judgments(esa).scale == (0.0, 100.0)
    assert read_judgments(esa, scale=(0.0, 90.0)).scale == (0.0, 90.0)
    mqm = write(tmp_path, "mqm.tsv", text.replace("\tESA\t", "\tMQM\t-").replace("-NaN", "NaN"))
    assert read_judgments(mqm).scale == (-float("inf"), float("inf"))
    assert read_judgments(mqm, scale=(-90.0, 0.0)).scale == (-90.0, 0.0)


def test_systems_may_stand_under_their_plain_name(tmp_path: Path) -> None:
    path = write(tmp_path, "ad-good-raw.csv", _one("50").replace("sys_id", "system"))
    judgments = read_judgments(path, format="wmt-da")
    assert judgments.column("system").levels == ("A.1",)


def test_the_domain_is_in_wmt24s_names_of_documents(tmp_path: Path) -> None:
    rows = []
    for domain in ("news", "social"):
        for d in range(3):
            for item in range(1, 5):
                for system, score in (("A", 70), ("B", 60 - item)):
                    number = {"news": 0, "social": 100}[domain] + 10 * d + item
                    document = f"test-en-{domain}_x.{d}"
                    spans = json.dumps([])
                    rows.append(f"u{d},{system},{number},TGT,eng,ces,{score + d},{document},"
                                f"False,{spans},1.0,2.0")  # fmt: skip
    judgments = read_judgments(write(tmp_path, "wmt24.csv", "\n".join(rows)))
    assert judgments.column("domain").levels == ("news", "social")
    with pytest.warns(UserWarning, match="preset wmt24"):
        ranking = rank_systems(judgments, preset="wmt24")
    assert [row.system for row in ranking.systems] == ["A", "B"]
    other = [rows[0].replace("test-en-news_", ""), *rows[1:]]
    assert read_judgments(write(tmp_path, "o.csv", "\n".join(other))).domain is None


SHEET = "task,rater,position,block,kind,system,item,text,of_position,score,seconds\n"


def test_a_half_filled_task_sheet(tmp_path: Path) -> None:
    rows = (
        "t,r,1,1,system,A,1,one,,70,3\nt,r,2,1,system,B,1,two,,,\nt,r,3,1,system,A,2,x,,55,\n"
    )
    judgments = read_judgments(write(tmp_path, "tasks.csv", SHEET + rows))
    assert judgments.score.tolist() == [70.0, 55.0]
    assert "1 text of the task sheet not judged yet, left out." in judgments.notes
    assert judgments.place(1).endswith("tasks.csv, line 4")
    with fails("tasks.csv, column 'score': nothing is judged yet"):
        read_judgments(write(tmp_path, "tasks.csv", SHEET + "t,r,1,1,system,A,1,one,,,\n"))
    plain = "system,item,score\nA,1,70\nB,1,\n"
    with fails("line 3, column 'score': the score must be a number"):
        read_judgments(write(tmp_path, "table.csv", plain))
