"""Human scores and metrics side by side: what is matched, turned round, averaged and left out."""

import numpy as np
import pytest

from detectable.core.errors import DataError
from detectable.data.human.judgments import Judgments
from detectable.data.scores.scores import Scores
from detectable.study.meta.table import meta_table

NAN = float("nan")
PEOPLE = Scores.build({"A": [5, 3, 4], "B": [2, 1, 3]}, items=["x", "y", "z"])


def comet(**options: object) -> Scores:
    scores = {"A": [0.9, 0.5, 0.7], "B": [0.4, 0.2, 0.6]}
    return Scores.build(scores, **{"items": ["x", "y", "z"], **options})  # type: ignore[arg-type]


def test_runs_and_samples_are_averaged_over_those_that_are_there() -> None:
    people = Scores.build(
        {"A": [[4.0, 2.0, 5.0], [6.0, NAN, NAN]], "B": [[1.0, 1.0, NAN], [1.0, 3.0, 2.0]]},
        items=["x", "y", "z"],
        repeats="samples",
    )
    found = meta_table(people, {"comet": comet()})
    assert found.human.tolist() == [[5, 2, 5], [1, 2, 2]]
    assert found.metrics["comet"].tolist() == [[0.9, 0.5, 0.7], [0.4, 0.2, 0.6]]


def test_an_output_counts_where_all_have_scored_it() -> None:
    people = Scores.build({"A": [5, NAN, 4], "B": [2, 1, 3]}, items=["x", "y", "z"])
    bleu = Scores.build({"A": [1, 2, NAN], "B": [3, 4, NAN]}, items=["x", "y", "z"])
    found = meta_table(people, {"comet": comet(), "bleu": bleu})
    assert found.segments == ("x", "y")
    np.testing.assert_equal(found.human, [[5, NAN], [2, 1]])
    np.testing.assert_equal(found.metrics["comet"], [[0.9, NAN], [0.4, 0.2]])
    assert found.n_outputs == 3
    assert found.notes == (
        "2 of 5 judged outputs left out, without a score by every metric: bleu lacks 2.",
    )


def test_metrics_of_other_outputs_leave_nothing() -> None:
    ter = Scores.build({"A": [1.0, NAN, NAN], "B": [2.0, NAN, NAN]}, items=["x", "y", "z"])
    bleu = Scores.build({"A": [NAN, 1.0, 1.0], "B": [NAN, 2.0, 2.0]}, items=["x", "y", "z"])
    with pytest.raises(DataError, match="no output has a human score and a score by every"):
        meta_table(PEOPLE, {"ter": ter, "bleu": bleu})


def test_documents_are_those_of_people_or_else_of_a_metric() -> None:
    assert meta_table(PEOPLE, {"comet": comet()}).documents is None
    assert meta_table(PEOPLE, {"comet": comet()}).n_documents is None
    by_metric = comet(documents=["d", "d", "e"])
    found = meta_table(PEOPLE, {"bleu": comet(), "comet": by_metric})
    assert found.documents is not None
    assert found.documents.tolist() == [0, 0, 1]
    assert found.n_documents == 2
    own = Scores.build(dict(PEOPLE.systems), items=["x", "y", "z"], documents=["p", "q", "r"])
    assert meta_table(own, {"comet": by_metric}).n_documents == 3
    # A segment that a metric lacks is left out, and its document with it.
    part = Scores.build({"A": [1, 2], "B": [2, 1]}, items=["x", "y"], documents=["d", "e"])
    assert meta_table(PEOPLE, {"bleu": part}).n_documents == 2


def test_segments_are_matched_by_document_and_name_on_either_side() -> None:
    people = Scores.build(
        {"A": [5, 3, 4, 1], "B": [2, 1, 3, 2]},
        items=["1", "2", "1", "2"],
        documents=["d", "d", "e", "e"],
    )
    joined = Scores.build(
        {"A": [40, 10, 30, 50], "B": [30, 20, 10, 20]}, items=["e:1", "e:2", "d:2", "d:1"]
    )
    found = meta_table(people, {"comet": joined})
    assert found.metrics["comet"].tolist() == [[50, 30, 40, 10], [20, 10, 30, 20]]


def test_positions_count_from_0_or_from_1_where_both_merely_count() -> None:
    people = Scores.build({"A": [5, 3], "B": [2, 1]}, items=["1", "2"])
    zero = Scores.build({"A": [0.9, 0.5], "B": [0.4, 0.2]}, items=["0", "1"])
    assert meta_table(people, {"comet": zero}).metrics["comet"].tolist() == [
        [0.9, 0.5],
        [0.4, 0.2],
    ]
    # Of another length, the names are names: only segment 1 is of both.
    longer = Scores.build({"A": [1, 2, 3], "B": [4, 5, 6]}, items=["0", "1", "2"])
    assert meta_table(people, {"comet": longer}).metrics["comet"].tolist() == [[2, 3], [5, 6]]


def test_directions_come_from_names_readers_and_signs() -> None:
    def notes(name: str, **options: object) -> tuple[str, ...]:
        return meta_table(PEOPLE, {name: comet(**options)}).notes

    assert notes("comet") == ()
    assert notes("ter") == ("ter: lower is better, so it was negated.",)
    assert notes("mine", metric="TER") == ("mine: lower is better, so it was negated.",)
    assert notes("mine", lower_is_better=True) == ("mine: lower is better, so it was negated.",)
    assert notes("mine", lower_is_better=False) == ()
    assert notes("mine")[0].startswith("mine: higher is taken to be better")
    minus = Scores.build({"A": [-1, -2, -3], "B": [-4, -2, -9]}, items=["x", "y", "z"])
    found = meta_table(PEOPLE, {"ter": minus})
    assert found.notes == ("ter: written with a minus, so higher is better.",)
    assert (found.turned, found.metrics["ter"].tolist()[0]) == ((), [-1, -2, -3])


def test_people_can_be_turned_round_as_well() -> None:
    found = meta_table(PEOPLE, {"comet": comet()}, lower_is_better=["human"])
    assert found.human.tolist() == [[-5, -3, -4], [-2, -1, -3]]
    assert found.turned == ()
    assert found.notes == ("human: lower is better, so it was negated.",)
    errors = Scores.build(dict(PEOPLE.systems), items=["x", "y", "z"], metric="mqm")
    assert meta_table(errors, {"comet": comet()}).human[0, 0] == -5


def test_judgments_keep_their_documents() -> None:
    rows = [
        (s, i, d, v) for s, v in (("A", 60), ("B", 40)) for i, d in (("x", "p"), ("y", "q"))
    ]
    system, item, document, score = map(list, zip(*rows, strict=True))
    people = Judgments.build(
        {"system": system, "item": item, "document": document, "score": score}
    )
    found = meta_table(people, {"comet": comet()})
    assert found.human.tolist() == [[60, 60], [40, 40]]
    assert found.documents is not None
    assert found.documents.tolist() == [0, 1]


def test_systems_that_some_did_not_score_are_named() -> None:
    more = Scores.build({**comet().systems, "C": [1, 1, 1]}, items=["x", "y", "z"])
    found = meta_table(PEOPLE, {"comet": more})
    assert found.systems == ("A", "B")
    assert found.notes == ("1 system left out, not scored by all: C.",)
    lone = Scores.build({"A": [1, 2, 3], "ref": [1, 2, 3]}, items=["x", "y", "z"])
    with pytest.raises(DataError, match=r"got 1 system \(A\)\."):
        meta_table(lone, {"comet": lone})


@pytest.mark.parametrize("name", ["ref", "refA", "reference-B", "Human-A.0", "humans", "REF.2"])
def test_names_of_references(name: str) -> None:
    table = Scores.build(
        {**PEOPLE.systems, name: [5, 5, 5], "Reformer": [4, 4, 4]}, items=["x", "y", "z"]
    )
    found = meta_table(table, {"comet": table})
    assert found.references == (name,)
    assert found.systems == ("A", "B", "Reformer")
    assert found.notes[0] == (
        f"Left out, as a reference is no system: {name} (--keep-references keeps it)."
    )
