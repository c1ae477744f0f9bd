"""Campaigns of Pearmut, of Appraise and of ours as texts to judge."""

import json
from pathlib import Path
from typing import Any

import pytest

from detectable.core.errors import DataError
from detectable.data.campaign_files.read_campaign_file import read_campaign_file
from detectable.data.campaign_files.texts import CampaignTexts, TrainingText
from detectable.data.texts.corpus import Corpus
from detectable.report.shown.appraise import appraise_batches
from detectable.report.shown.tasks import tasks_csv
from detectable.study.tasks.make_tasks import make_tasks


def item(name: str | None, *systems: str, **more: Any) -> dict[str, Any]:
    made = {"src": f"Quelle {name}", "tgt": {one: f"{one} of {name}" for one in systems}}
    return {**made, **({} if name is None else {"item_id": name}), **more}


def read(folder: Path, value: Any, **more: Any) -> CampaignTexts:
    path = folder / "campaign.json"
    path.write_text(value if isinstance(value, str) else json.dumps(value))
    return read_campaign_file(path, **more)


def test_the_tasks_of_pearmut_are_put_together(tmp_path: Path) -> None:
    found = read(
        tmp_path,
        {
            "info": {"assignment": "task-based", "protocol": "ESA", "instructions": "<b>x</b>"},
            "campaign_id": "c",
            "data": [
                [[item("s1", "A", ref="r1"), item("s2", "A")], [item("s3", "A")]],
                [[item("s1", "B"), item("s2", "B")], [item("s3", "B")], [item("s3", "A")]],
            ],
        },
    )
    assert found.items == ("s1", "s2", "s3")
    corpus = found.corpus
    assert list(corpus.systems) == ["A", "B"]
    assert corpus.output("B") == ("B of s1", "B of s2", "B of s3")
    assert corpus.sources == ("Quelle s1", "Quelle s2", "Quelle s3")
    assert corpus.documents == ("s1", "s1", "s3")
    assert corpus.references == (("r1", "", ""),)
    assert found.notes == (
        "1 text of several tasks taken once.",
        "The file asks for the protocol ESA; what is asked here is what --protocol says.",
        "The instructions of the file are HTML, and left out.",
    )


def test_one_stream_of_documents_and_names_of_wmt(tmp_path: Path) -> None:
    names = [f"cs-de_#_news_#_article.{i // 2}_#_{i % 2}" for i in range(4)]
    data = [[item(names[0], "A", "B"), item(names[1], "A", "B")], [item(names[2], "A", "B")]]
    found = read(tmp_path, {"data": [*data, [item(names[3], "A", "B", doc_id="own")]]})
    assert found.corpus.documents == (
        "news_#_article.0",
        "news_#_article.0",
        "news_#_article.1",
        "own",
    )
    nameless = read(tmp_path, {"data": [[item(None, "A"), item(None, "A")], [item(None, "A")]]})
    assert nameless.items == ("1:1", "1:2", "2:1")
    assert nameless.corpus.documents == ("1:1", "1:1", "2:1")


def test_tutorial_and_checks_become_training_texts(tmp_path: Path) -> None:
    rule = {"warning": "It is fine.", "score": [70, 80]}
    found = read(
        tmp_path,
        {
            "data_welcome": [
                [item("w", "A", validation={"A": [rule]}, ref="r")],
                [{"text": "How old?", "form": "number"}],
            ],
            "data": [
                [item("s1", "A", "B")],
                [item("check", "B", validation={"B": {"score": "high"}})],
            ],
            "data_random": [[item("x", "A")]],
        },
    )
    assert found.items == ("s1",)
    assert found.training == (
        TrainingText(text="B of check", source="Quelle check"),
        TrainingText(
            text="A of w",
            source="Quelle w",
            reference="r",
            low=70,
            high=80,
            hint="It is fine.",
        ),
        TrainingText(text="A of x", source="Quelle x"),
    )
    assert found.notes == (
        "3 texts of the tutorial and of attention checks: for training, and never counted.",
    )


def test_systems_can_be_chosen(tmp_path: Path) -> None:
    data = {"data": [[item("s1", "A", "B", "C")], [item("s2", "A", "B")]]}
    assert list(read(tmp_path, data, systems=["B", "A"]).corpus.systems) == ["B", "A"]
    with pytest.raises(DataError, match="there is no text of 'X'; it has A, B"):
        read(tmp_path, data, systems=["X"])


@pytest.mark.parametrize(
    ("data", "why"),
    [
        ([[item("s1", "A", "B")], [item("s2", "A")]], r"1 item without a text of 'B' \(s2\)"),
        ([[item("s1", "A"), item("s1", "A")]], "'s1' stands twice in one document"),
        (
            [[item("s1", "A")], [item("s1", "A", tgt={"A": "other"})]],
            "'s1' has two different texts of 'A'",
        ),
        (
            [[item("s1", "A")], [item("s1", "B", src="other")]],
            "'s1' has two different sources",
        ),
        (
            [[item("s1", "A")], [item("s0", "B"), item("s1", "B")]],
            "'s1' has two different documents",
        ),
        ([[item("s1", "A\nB")]], r"the system 'A\\nB' has a name"),
        ([[item("s\u202e1", "A")]], "the item .* has a name"),
        ([[item("s1", " ")]], "the system ' ' has a name that is empty"),
        ([[item("s1", "A", doc_id="a\rb")]], "the document .* has a name"),
        ([[item("s1")]], r"'s1' has no texts by model \(tgt\)"),
        ([[item("s1", "A", tgt=["x"])]], r"'s1' has no texts by model \(tgt\)"),
        ([[item("s1", "A", tgt={"A": 3})]], "the text of 'A' in 's1' is no text"),
        ([[item("s1", "A", src=["x"])]], "'src' must be text"),
        ("texts", "expected lists of documents"),
        ([3], "expected lists of documents"),
        ([[item("s1", "A"), 3]], "expected lists of documents"),
        ([], "there is no text to judge"),
    ],
)
def test_bad_campaigns_are_refused_in_one_sentence(tmp_path: Path, data: Any, why: str) -> None:
    with pytest.raises(DataError, match=why) as error:
        read(tmp_path, {"data": data})
    assert str(error.value).startswith(str(tmp_path / "campaign.json"))
    assert "\n" not in str(error.value)


def test_files_that_are_no_campaigns_are_refused(tmp_path: Path) -> None:
    for text in ('{"a": 1}', "[]", "[1]", "x,y\n1,2\n", "text"):
        with pytest.raises(DataError, match="this is no campaign that can be read"):
            read(tmp_path, text)
    with pytest.raises(DataError, match="no JSON"):
        read(tmp_path, '{"data": []} {"data": []}')


# -- Appraise


def batch(*items: dict[str, Any], source: str = "deu") -> dict[str, Any]:
    return {"items": list(items), "task": {"sourceLanguage": source, "targetLanguage": "eng"}}


def shown(system: str, text: str, **more: Any) -> dict[str, Any]:
    return {
        "itemID": 1,
        "itemType": "TGT",
        "sourceText": "Quelle",
        "targetID": system,
        "targetText": text,
        **more,
    }


def test_batches_of_documents(tmp_path: Path) -> None:
    whole = {"isCompleteDocument": True, "documentID": "d"}
    found = read(
        tmp_path,
        [
            batch(
                shown("A", "a1", itemID=7, documentID="d"),
                shown("A", "a2", itemID=8, documentID="d"),
                shown("A", "a1 a2", itemID=9, **whole),
                shown("A", "bad", itemID=10, itemType="BAD", documentID="d#bad"),
                shown("A", "a1", itemID=11, documentID="d#dup"),
                shown("tutorial", "t", itemID=12, documentID="t"),
            ),
            batch(
                shown("B", "b1", documentID="d"),
                shown("B", "b2", documentID="d"),
                shown("ref", "r1", itemType="REF", documentID="d"),
                shown("ref", "r2", itemType="REF", documentID="d"),
            ),
            batch(shown("B", "b1", documentID="d"), shown("B", "b2", documentID="d")),
        ],
    )
    assert found.items == ("d:1", "d:2")
    assert found.corpus.output("A") == ("a1", "a2")
    assert found.corpus.output("B") == ("b1", "b2")
    assert found.corpus.references == (("r1", "r2"),)
    assert found.corpus.documents == ("d", "d")
    assert found.languages == ("deu", "eng")
    assert found.notes == (
        "2 texts of several tasks taken once.",
        "1 text left out: items that ask for a whole document.",
        "1 text left out: degraded copies and repeats.",
        "1 text left out: copies of documents (#dup).",
        "1 text left out: systems of a tutorial.",
    )


def test_batches_of_pairs(tmp_path: Path) -> None:
    targets = [{"targetID": one, "targetText": f"text {one}"} for one in "AB"]
    given = {"itemID": 3, "itemType": "TGT", "segmentText": "Quelle", "targets": targets}
    found = read(tmp_path, [batch(given)])
    assert found.items == ("3",)
    assert found.corpus.output("B") == ("text B",)
    assert found.corpus.sources == ("Quelle",)
    assert found.corpus.documents is None


@pytest.mark.parametrize(
    ("batches", "why"),
    [
        ([batch(shown("A", "x")), {"items": 3, "task": {}}], "batch 2 has no list of items"),
        ([batch(shown("A", "x"), 3)], "an item of batch 1 is no object"),  # type: ignore[arg-type]
        ([batch({"itemType": "TGT", "targetID": "A"})], "batch 1 has no targetText"),
        ([batch(shown("A", "x"), shown("A", "y"))], "'1' has two different texts of 'A'"),
        ([batch(shown("A", "x"), shown("B", "y", itemID=2))], "without a text of 'A'"),
        (
            [batch(shown("A", "x")), batch(shown("A", "x"), source="fra")],
            "several languages",
        ),
        ([batch(shown("A\n", "x"))], "has a name"),
    ],
)
def test_bad_batches_are_refused_in_one_sentence(
    tmp_path: Path, batches: Any, why: str
) -> None:
    with pytest.raises(DataError, match=why) as error:
        read(tmp_path, batches)
    assert "\n" not in str(error.value)


# -- ours


def corpus_of(documents: bool) -> Corpus:
    lines = [f"the line number {i} is about the fox and the dog" for i in range(12)]
    return Corpus.build(
        {name: [f"{one}, says {name}" for one in lines] for name in ("new", "old")},
        lines,
        sources=[f"Quelle {i}" for i in range(12)],
        documents=[f"d{i // 3}" for i in range(12)] if documents else None,
    )


@pytest.mark.parametrize("kind", ["segment", "document"])
@pytest.mark.parametrize("form", ["tasks", "batches"])
def test_tasks_of_ours_are_read_back(tmp_path: Path, kind: Any, form: str) -> None:
    corpus = corpus_of(kind == "document")
    tasks = make_tasks(corpus, kind=kind, raters=2, rng=1)
    path = tmp_path / ("tasks.csv" if form == "tasks" else "batches.json")
    path.write_text(
        tasks_csv(tasks)
        if form == "tasks"
        else appraise_batches(tasks, source_language="deu", target_language="eng")
    )
    found = read_campaign_file(path)
    order = sorted(range(12), key=lambda row: found.corpus.sources[row])  # type: ignore[index]
    ours = sorted(range(12), key=lambda row: corpus.sources[row])  # type: ignore[index]
    for system in ("new", "old"):
        texts = [found.corpus.output(system)[row] for row in order]
        assert texts == [corpus.output(system)[row] for row in ours]
    if kind == "document":
        assert set(found.corpus.documents or ()) == {f"d{i}" for i in range(4)}
    assert any("left out" in note for note in found.notes)


def test_a_task_table_without_a_column_is_refused(tmp_path: Path) -> None:
    path = tmp_path / "t.csv"
    path.write_text("system,item,kind,text,of_position\nA,1,system,x,\nA,1,system,y,\n")
    with pytest.raises(DataError, match="'1' has two different texts of 'A'"):
        read_campaign_file(path)
