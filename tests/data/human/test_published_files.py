"""Files of annotation tools that others published, with the numbers that were checked by hand."""

import pytest

from detectable.data.human.read_judgments import read_judgments
from detectable.data.texts.wmt_test_sets import read_sgm
from detectable.metrics.bleu import Bleu
from tests.data.sample_files import fails
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
