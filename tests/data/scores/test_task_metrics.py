"""A metric for each task: what they are called together, and what does not go together."""

from pathlib import Path

import pytest

from detectable.core.errors import DataError
from detectable.data.scores.read_score_table import read_score_table
from detectable.data.scores.task_metrics import metric_of_tasks
from detectable.study.comparison.compare import compare


def test_one_metric_of_all_tasks_keeps_its_name() -> None:
    assert metric_of_tasks([("a", "acc", [1.0]), ("b", "acc", [0.0])]) == ("acc", None, ())


def test_a_metric_for_each_task_is_named_with_its_tasks() -> None:
    scored = [
        ("arc", "acc", [0.0, 1.0]),
        ("mmlu", "acc", [1.0]),
        ("gsm8k", "exact_match", [1.0]),
    ]
    found = metric_of_tasks(scored)
    assert (found.name, found.lower_is_better) == ("acc, exact_match", False)
    assert found.notes == ("A metric for each task: acc (arc, mmlu), exact_match (gsm8k).",)
    losses = metric_of_tasks([("a", "val_loss", [0.3]), ("b", "perplexity", [0.9])])
    assert losses.lower_is_better is True
    unknown = metric_of_tasks([("a", "acc", [0.3]), ("b", "glow", [0.9])])
    assert unknown.lower_is_better is None


@pytest.mark.parametrize(
    ("scored", "said"),
    [
        ([("a", "acc", [1.0]), ("a", "f1", [1.0])], "different metrics: acc, f1. Choose one with"),
        ([("a", "acc", [1.0]), ("b", "val_loss", [1.0])], "higher is better for acc, lower for val_loss"),
        ([("a", "acc", [1.0]), ("b", "rouge", [0.4, 41.5])], "acc stays within 1 where rouge reaches 41.5"),
    ],
)  # fmt: skip
def test_metrics_that_do_not_go_together_are_refused(
    scored: list[tuple[str, str, list[float]]], said: str
) -> None:
    with pytest.raises(DataError, match=said):
        metric_of_tasks(scored)


def test_a_table_with_a_metric_for_each_task_is_compared_task_by_task(tmp_path: Path) -> None:
    rows = ["system,item,task,metric,score"]
    for task, metric in (("arc", "acc"), ("gsm8k", "exact_match")):
        rows += [
            f"{system},{task}-{i},{task},{metric},{int((i * 7 + k) % 10 < 5 + k)}"
            for k, system in enumerate("AB")
            for i in range(30)
        ]
    path = tmp_path / "tasks.csv"
    path.write_text("\n".join(rows), encoding="utf-8")
    loaded = read_score_table(path)
    assert loaded.metric == "acc, exact_match"
    assert "A metric for each task: acc (arc), exact_match (gsm8k)." in loaded.notes
    result = compare(loaded, baseline="A", rng=1)
    assert result.tasks is not None
    assert [row.task for row in result.tasks.rows] == ["arc", "gsm8k"]
    # With two metrics of a task there is still one to choose.
    path.write_text("\n".join([*rows, "A,arc-0,arc,f1,1"]), encoding="utf-8")
    with pytest.raises(DataError, match="Choose one with metric='acc'"):
        read_score_table(path)
