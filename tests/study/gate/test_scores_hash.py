"""Hashes that stand in baseline files: they must be the same with every version."""

import hashlib

from detectable.study.gate.matching import Tally, dataset_hash, scores_hash
from tests.study.gate.data import tally_of


def _sha256(text: str) -> str:
    return hashlib.sha256(text.encode()).hexdigest()


def test_questions_are_hashed_in_order_as_they_are_written() -> None:
    expected = _sha256('[["code","q1"],["math","Größe"],["math","q1"]]')
    assert dataset_hash([("math", "q1"), ("math", "Größe"), ("code", "q1")]) == expected


def test_scores_are_hashed_with_metric_direction_and_samples() -> None:
    tasks = (tally_of("math", [1.0, 3.0], [2, 4], squares=tally_of("", [1, 9], [1, 1]).sums),)
    one = Tally(metric="exact", higher_is_better=True, zero_one=False, tasks=tasks)
    rows = '[["math","q0",1.0,1.0,2],["math","q1",3.0,9.0,4]]'
    assert scores_hash("A", [one]) == _sha256(f'["A",[["exact",true,{rows}]]]')
