"""Tasks as Appraise reads them."""

import json
from typing import Any

import pytest

from detectable.core.errors import InputError
from detectable.data.formats.appraise import document_name
from detectable.data.texts.corpus import Corpus
from detectable.report.shown.appraise import appraise_batches, appraise_manifest, appraise_notes
from detectable.report.shown.tasks import raters
from detectable.study.tasks.make_tasks import make_tasks
from detectable.study.tasks.result import Tasks

PAIR = {"source_language": "ces", "target_language": "eng"}
SEGMENT = {"_block", "_item", "itemID", "itemType", "sourceID", "sourceText"}
SEGMENT |= {"targetID", "targetText"}
DOCUMENT = SEGMENT | {"documentID", "isCompleteDocument"}
DOCUMENT |= {"sourceContextLeft", "targetContextLeft"}
TASK = {"batchNo", "batchSize", "randomSeed", "requiredAnnotations"}
TASK |= {"sourceLanguage", "targetLanguage"}


def tasks(
    kind: Any, document: int = 8, *, sources: bool = True, n: int = 160, **more: Any
) -> Tasks:
    def lines(who: str) -> list[str]:
        return [f"{who} wrote a line number {i} , in full ." for i in range(n)]

    return make_tasks(
        Corpus.build(
            {"A": lines("a"), "B": lines("b")},
            lines("ref"),
            sources=lines("src") if sources else None,
            documents=[f"doc{i // document}" for i in range(n)],
        ),
        kind=kind,
        rng=4,
        **more,
    )


def test_segments() -> None:
    made = tasks("segment", n=175)
    batches = json.loads(appraise_batches(made, **PAIR))
    assert len(batches) == made.n_tasks
    for number, (batch, rows) in enumerate(
        zip(batches, made.by_task().values(), strict=True), start=1
    ):
        assert batch.keys() == {"items", "task"}
        assert batch["task"] == {
            "batchNo": number,
            "batchSize": 100,
            "randomSeed": 4,
            "requiredAnnotations": 1,
            "sourceLanguage": "ces",
            "targetLanguage": "eng",
        }
        types = [item["itemType"] for item in batch["items"]]
        numbers = {name: types.count(name) for name in ("TGT", "BAD", "CHK", "REF")}
        assert numbers == {"TGT": 70, "BAD": 10, "CHK": 10, "REF": 10}
        for place, (item, row) in enumerate(zip(batch["items"], rows, strict=True)):
            assert item.keys() == SEGMENT
            assert (item["_item"], item["_block"]) == (place, row.block - 1)
            assert (item["itemID"], item["targetID"]) == (int(row.item), row.system)
            assert (item["sourceText"], item["targetText"]) == (row.source, row.text)


def test_documents() -> None:
    made = tasks("document")
    for batch in json.loads(appraise_batches(made, **PAIR)):
        items = batch["items"]
        assert batch["task"]["batchSize"] == len(items)
        assert all(item.keys() == DOCUMENT for item in items)
        assert items[-1]["isCompleteDocument"]
        block: list[dict[str, Any]] = []
        for item in items:
            if not item["isCompleteDocument"]:
                left = " ".join(one["sourceText"] for one in block)
                assert item["sourceContextLeft"] == left
                block.append(item)
                continue
            assert {one["documentID"] for one in block} == {item["documentID"]}
            assert {one["targetID"] for one in block} == {item["targetID"]}
            assert item["targetText"].split("\n") == [one["targetText"] for one in block]
            is_copy = item["documentID"].endswith("#bad")
            assert is_copy == all(one["itemType"] != "TGT" for one in block)
            block = []


def test_names_of_documents_lead_a_reader_back() -> None:
    made = tasks("document", document=80)
    names = {
        (item["documentID"], item["itemType"])
        for batch in json.loads(appraise_batches(made, **PAIR))
        for item in batch["items"]
        if not item["isCompleteDocument"]
    }
    plain = {name for name, kind in names if kind == "TGT"}
    parts = ("1-14", "15-28", "29-41", "42-54", "55-67", "68-80")
    assert plain == {f"doc{d}#{part}" for d in (0, 1) for part in parts}
    assert {document_name(name, kind)[0] for name, kind in names if kind == "BAD"} <= plain


@pytest.mark.parametrize(("kind", "name"), [("segment", "Direct"), ("document", "Document")])
def test_the_manifest(kind: str, name: str) -> None:
    made = tasks(kind)
    manifest = json.loads(appraise_manifest(made, **PAIR, campaign="Trial"))
    assert manifest["TASK_TYPE"] == name
    assert manifest["REDUNDANCY"] == 1
    (row,) = manifest["TASKS_TO_ANNOTATORS"]
    assert row[:3] == ["ces", "eng", "uniform"]
    assert row[4] == made.n_tasks
    assert row[4] % row[3] == 0  # or Appraise refuses the map


def test_uneven_work_and_missing_sources_are_said() -> None:
    uneven = tasks("segment", raters=1, sources=False)
    notes = appraise_notes(uneven)
    assert "Each task is given to an annotator of its own" in notes[0]
    assert "the reference stands in its place" in notes[1]
    manifest = json.loads(appraise_manifest(uneven, **PAIR, campaign="Trial"))
    assert manifest["TASKS_TO_ANNOTATORS"][0][3:] == [5, 5]
    assert appraise_notes(tasks("segment")) == ()


def test_tasks_that_appraise_would_leave_out_are_said() -> None:
    """It imports batches of a hundred sentences and skips the others with a line in its log."""
    [note] = appraise_notes(tasks("segment", n=40))
    assert note.startswith(
        "Appraise takes tasks of 100 sentences only, and leaves out others: 2 tasks of 2 have "
        "fewer or more."
    )
    assert note.endswith("35 sentences in all systems make one.")
    assert appraise_notes(tasks("document", n=40)) == ()


def test_languages_have_three_letters() -> None:
    with pytest.raises(InputError, match="`target_language` must be a code of three letters"):
        appraise_batches(tasks("segment"), source_language="ces", target_language="en")


def test_the_work_of_raters() -> None:
    table = raters(tasks("segment", n=175))
    assert len(table.rows) == 5
    assert table.rows[0] == ("rater-1", 1, 100, 70, 10, 10, 10)
