"""Scores beside texts must have been computed from these texts."""

import json
from pathlib import Path
from typing import Any

import pytest

from detectable.core.errors import DataError
from detectable.data.formats import comet, metricx
from detectable.data.scores.scored_texts import ScoredText, check_scored_texts
from detectable.data.texts.corpus import Corpus
from detectable.study.comparison.compare import compare
from detectable.study.comparison.remarks import suspicions

SOURCES = ["eins", "zwei", "drei", "vier"]
REFERENCE = ["the one", "the two", "the three", "the four"]
A, B = (
    ["one  here", "two", "three", "four is"],
    ["a one", "a two", "a three", "a four"],
)
SECOND = ["1 here", "2 here", "3 here", "4 here"]
CORPUS = Corpus.build({"A": A, "B": B}, [REFERENCE, SECOND], sources=SOURCES)


def rows(outputs: list[str], **changes: list[str]) -> list[dict[str, Any]]:
    lines = {"src": SOURCES, "mt": outputs, "ref": REFERENCE, **changes}
    return [
        {**dict(zip(lines, texts, strict=True)), "COMET": i / 7}
        for i, texts in enumerate(zip(*lines.values(), strict=True))
    ]


def read(folder: Path, content: object) -> Any:
    path = folder / "comet.json"
    path.write_text(json.dumps(content))
    return comet.read_comet(path)


def test_scores_of_these_texts_are_taken_whatever_their_white_space(tmp_path: Path) -> None:
    scores = read(tmp_path, {"A": rows(["one here", *A[1:]]), "B": rows(B)})
    assert compare(CORPUS, [scores], rng=1).n_segments == 4
    no_texts = [{"COMET": row["COMET"]} for row in rows(A)]
    assert (
        compare(CORPUS, [read(tmp_path, {"A": no_texts, "B": rows(B)})], rng=1).n_segments == 4
    )


def test_outputs_of_another_system_are_refused_with_the_line_and_the_system(
    tmp_path: Path,
) -> None:
    scores = read(tmp_path, {"A": rows(B), "B": rows(B)})
    with pytest.raises(
        DataError,
        match=r"comet.json\), line 1: the output of system 'A' that was scored is 'a one', the texts "
        r"have 'one  here'; 4 of 4 lines differ\. They are the outputs of system 'B'\. Score",
    ):
        compare(CORPUS, [scores], rng=1)
    assert suspicions(scores, ()) == [
        "systems 'A' and 'B' have identical scores: is one a copy?"
    ]


def test_the_same_outputs_under_two_names_are_said(tmp_path: Path) -> None:
    other = [{**row, "COMET": 0.5} for row in rows(B)]
    scores = read(tmp_path, {"A": rows(B), "B": other})
    assert suspicions(scores, ()) == ["systems 'A' and 'B' were scored on the same outputs."]


@pytest.mark.parametrize(
    ("key", "what"), [("ref", "the reference"), ("src", "the source"), ("mt", "the output")]
)
def test_one_line_that_differs_is_named(tmp_path: Path, key: str, what: str) -> None:
    lines = {"ref": REFERENCE, "src": SOURCES, "mt": B}[key]
    changed = [*lines[:2], "something else", lines[3]]
    content = {"A": rows(A), "B": rows(B)}
    if key == "mt":
        content["B"] = rows(B, mt=changed)
    else:  # of all systems, as otherwise the reader refuses it
        content = {"A": rows(A, **{key: changed}), "B": rows(B, **{key: changed})}
    with pytest.raises(
        DataError, match=rf"line 3: {what}.* is 'something else'.*; 1 of 4 lines"
    ):
        compare(CORPUS, [read(tmp_path, content)], rng=1)


def test_any_reference_of_a_segment_will_do() -> None:
    scored = ScoredText("x.json", references=[REFERENCE[0], SECOND[1], None, SECOND[3]])
    check_scored_texts({"A": (scored,)}, CORPUS, "comet")


def test_systems_scored_on_different_references_are_refused(tmp_path: Path) -> None:
    with pytest.raises(
        DataError, match=r"segment 2 of 'B' has the reference 'x', that of 'A' is 'the two'"
    ):
        read(
            tmp_path,
            {"A": rows(A), "B": rows(B, ref=[REFERENCE[0], "x", *REFERENCE[2:]])},
        )


def test_the_files_of_comet_compare_and_metricx_hold_texts_too(tmp_path: Path) -> None:
    content = {
        "source": SOURCES,
        "reference": REFERENCE,
        "translations": [
            {"name": "A", "mt": B, "scores": [0, 1, 2, 3]},
            {"name": "B", "mt": B, "scores": [1, 1, 2, 3]},
        ],
    }
    with pytest.raises(DataError, match="They are the outputs of system 'B'"):
        compare(CORPUS, [read(tmp_path, content)], rng=1)
    content["translations"][0]["mt"] = B[:3]  # type: ignore[index]
    with pytest.raises(DataError, match=r"3 texts beside 4 scores"):
        read(tmp_path, content)
    files = {}
    for name, texts in (("A", A), ("B", A)):
        files[name] = tmp_path / f"{name}.jsonl"
        lines = [
            {
                "source": s,
                "reference": r,
                "hypothesis": h,
                "prediction": 1.5 + len(h) * len(name),
            }
            for s, r, h in zip(SOURCES, REFERENCE, texts, strict=True)
        ]
        files[name].write_text("\n".join(map(json.dumps, lines)) + "\n")
    with pytest.raises(DataError, match=r"output of system 'B'.*outputs of system 'A'"):
        compare(CORPUS, [metricx.read(files)], rng=1)


def test_items_that_are_left_out_take_their_texts_along(tmp_path: Path) -> None:
    scores = read(tmp_path, {"A": rows(A), "B": rows(B)}).take([2, 0])
    assert scores.texts["B"][0].outputs == ("a three", "a one")
