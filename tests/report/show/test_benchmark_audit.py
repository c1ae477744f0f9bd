"""What the audit of a benchmark shows, against one made by hand."""

from detectable.report.blocks import Verdict
from tests.report import results
from tests.report.show.shown import block_of, columns, csv_lines, rows, shown, table_of


def test_blocks_in_order() -> None:
    made = results.benchmark_audit()
    assert shown(made) == ["Verdict", "tasks", "look-back", "Text", "Repeat"]
    alone = results.benchmark_audit(look_back=(), notes=())
    assert shown(alone) == ["Verdict", "tasks", "Repeat"]


def test_verdict() -> None:
    assert block_of(results.benchmark_audit(), "Verdict") == Verdict(
        status="warning",
        headline="1 of 2 tasks can no longer show the improvement that is typically claimed: small.",
        detail=(
            "1 more cannot show the smaller one that is to be expected next: large. Of 14 past "
            "claims 50.0% had at least 80% power for the gain to be expected (50.0% were "
            "underpowered), 37.5% would have been significant, 25.0% were both. Agreement of two "
            "systems: prior glue, the default (80% power, α = 0.05).",
        ),
    )
    fine = results.benchmark_audit(tasks=(results.task_audit(support="yes"),))
    verdict = block_of(fine, "Verdict")
    assert isinstance(verdict, Verdict)
    assert verdict.status == "info"


def test_the_table_of_tasks() -> None:
    table = table_of(results.benchmark_audit(), "tasks")
    assert columns(table) == [
        "task: task, name",
        "n_items: items, count",
        "best: best, number",
        "mde: MDE, number",
        "mde_normal: MDE, normal, number, keep 3",
        "n_claims: claims, count, keep 2",
        "mean_improvement: mean claim / mean, number",
        "predicted_improvement: next, number",
        "support: can show it / shows, text",
    ]
    assert rows(table) == [
        "small | 277 | 91.8 | none | 5.25 | 4 | 1.75 | −0.25 | no",
        "large | 40,430 | 87.5 | 0.38 | 0.35 | 10 | 1.25 | 0.22 | not the next",
    ]
    assert csv_lines(table)[1].startswith("small,277,91.75,,5.25,4,1.75")


def test_the_table_of_past_claims() -> None:
    table = table_of(results.benchmark_audit(), "look-back")
    assert columns(table)[1:4] == [
        "n_claims: claims, count",
        "powered: powered, share",
        "underpowered: underpowered / under, share",
    ]
    assert rows(table) == [
        "exact | 14 | 50.0% | 50.0% | 37.5% | 25.0% | 12.5%",
        "normal | 14 | 50.0% | 50.0% | 62.5% | 25.0% | 12.5%",
    ]
