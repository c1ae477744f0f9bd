"""What a gate says besides its rows: few groups, and how to repeat it."""

from dataclasses import replace

from detectable.data.scores.scores import Scores
from detectable.study.gate.gate import few_notes, gate, gate_signature
from tests.report.results import gate_row
from tests.study.gate.data import answers, sampled


def test_rows_with_few_groups_are_named_with_their_metric_where_there_are_several() -> None:
    few = gate_row("code", n_clusters=12)
    fewer = gate_row("math", n_clusters=29)
    many = gate_row("reading", n_clusters=30)
    start = "Fewer than 30 independent groups of questions"
    assert few_notes([few, many], 1) == [
        f"{start} (code: 12 groups): error rates are rough there."
    ]
    assert few_notes([few, fewer, many], 2) == [
        f"{start} (code/accuracy, math/accuracy: 12 groups at least): error rates are rough there."
    ]
    assert few_notes([many], 1) == []


def _settings(**changes: object) -> dict[str, object]:
    scores = sampled(30, 2, tasks=("a", "b"))
    found = gate(scores, "old", **{"margin": 0.1, **changes})  # type: ignore[arg-type]
    return dict(found.signature.settings)


def test_the_signature_says_rule_margin_and_size() -> None:
    found = gate(sampled(30, 2, tasks=("a", "b")), "old", margin=0.1)
    assert _settings() == {
        "metrics": "accuracy",
        "rule": "non-inferiority",
        "margin": "0.1",
        "alpha": 0.05,
        "n": 60,
        "groups": 60,
        "k": "2",
        "baseline": found.baseline_sha256[:12],
    }
    assert "margin" not in _settings(rule="superiority", margin=None)


def test_margins_that_differ_are_all_in_the_signature() -> None:
    one = answers(100, 2, 2, metric="match")
    other = Scores.build(dict(one.systems), metric="exact")
    for margins, said in (((0.1, 0.2), "0.1,0.2"), ((0.1, 0.1), "0.1")):
        given = dict(zip(("match", "exact"), margins, strict=True))
        settings = gate([one, other], "old", margin=given).signature.settings
        assert (settings["metrics"], settings["margin"]) == ("match,exact", said)
        assert settings["n"] == 100  # of the first metric, not of both


def test_numbers_of_samples_that_differ_are_a_range() -> None:
    row = gate_row(samples_new=3.504)
    rows = [row, replace(row, task="code", samples_new=4.0)]
    made = gate_signature("ab" * 32, rows, {}, rule="superiority", alpha=0.05, seed=None)
    assert made.settings["k"] == "3.5-4"
    assert made.settings["baseline"] == "abababababab"
