"""What a comparison shows, against one made by hand."""

import math
from dataclasses import replace
from functools import cache

import numpy as np
import pytest

from detectable.data.scores.scores import Scores
from detectable.report.blocks import (
    DATA_ONLY,
    Table,
)
from detectable.report.blocks_of import blocks_of
from detectable.report.shown.comparison import pairs, systems
from detectable.study.comparison.compare import compare
from detectable.study.comparison.result import Comparison
from tests.report import results
from tests.report.shown.shown import shown


def test_three_pairs_need_no_matrix() -> None:
    made = results.all_pairs()
    few = replace(made, pairs=made.pairs[:3])
    assert "matrix-bleu" not in shown(few)
    assert "matrix-bleu" in shown(replace(made, pairs=made.pairs[:4]))


def test_one_metric_or_few_pairs_need_no_table_of_verdicts() -> None:
    assert "verdicts" not in shown(results.many_pairs("▲▼○◆"))
    assert "verdicts" not in shown(results.comparison())
    assert "verdicts" in shown(results.many_pairs("▲▼", ("bleu", "ter")))  # four pairs


def test_long_tables_are_folded_unless_they_are_the_answer() -> None:
    assert not pairs(results.many_pairs("▲" * 24)).folded
    assert pairs(results.many_pairs("▲" * 25)).folded
    grouped = {"bleu": (("old",),)}
    assert not pairs(replace(results.many_pairs("▲" * 12), groups=grouped)).folded
    assert pairs(replace(results.many_pairs("▲" * 13), groups=grouped)).folded
    assert not systems(results.many_pairs("▲" * 11)).folded  # 12 with the baseline
    assert systems(results.many_pairs("▲" * 12)).folded


def test_the_p_that_decides_is_shown() -> None:
    """One p per pair: the corrected one, or with a margin that of what the verdict says."""
    plain = replace(results.comparison(), margin={})
    keep = {c.key: c.keep for c in pairs(plain).columns}
    assert (keep["p_value"], keep["p_adjusted"], keep["p_equivalence"]) == (
        DATA_ONLY,
        1,
        DATA_ONLY,
    )
    assert "p" not in keep
    with_margin = results.many_pairs("▲◆○")
    table = pairs(with_margin)
    keep = {c.key: c.keep for c in table.columns}
    assert (keep["p"], keep["p_adjusted"], keep["p_equivalence"]) == (1, DATA_ONLY, DATA_ONLY)
    assert table.column("p") == (0.01, 0.2468, 0.03)


# --- What a comparison shows of its tasks and of the samples of its items ---

NAN = float("nan")


@cache
def result(correction: str = "holm", weights: str = "macro", *, own: float = 0.0) -> Comparison:
    rng = np.random.default_rng(1)
    chance = rng.beta(2, 2, 60)
    lead = np.where(np.arange(60) % 4 < 2, 0.2 + own, 0.2 - own)  # by document
    tables = {
        name: (rng.random((3, 60)) < np.clip(chance + shift, 0, 1)).astype(float)
        for name, shift in (("old", 0.0), ("new", lead))
    }
    for table in tables.values():
        table[2, :3] = NAN
    scores = Scores.build(
        tables,
        tasks=["math"] * 40 + ["code"] * 20,
        documents=[f"d{i // 2}" for i in range(60)],
        repeats="samples",
    )
    return compare(scores, baseline="old", rng=1, task_correction=correction, weights=weights)  # type: ignore[arg-type]


def tables(found: Comparison) -> dict[str, Table]:
    return {block.id: block for block in blocks_of(found) if isinstance(block, Table)}


def test_every_task_has_a_row() -> None:
    found = result()
    assert found.tasks is not None
    table = tables(found)["tasks"]
    shown = dict(
        zip(
            [column.key for column in table.columns],
            zip(*table.texts(), strict=True),
            strict=True,
        )
    )
    assert shown["task"] == ("math", "code")
    assert shown["n_segments"] == ("40", "20")
    for key, row_key in (
        ("difference", "difference"),
        ("score", "score"),
        ("baseline_score", "baseline_score"),
    ):
        numbers = [getattr(row, row_key) for row in found.tasks.rows]
        assert [float(text.replace("−", "-")) for text in shown[key]] == pytest.approx(
            numbers, abs=5e-5
        )
    assert [column.title for column in table.columns if column.key == "p_adjusted"] == [
        "p (Holm)"
    ]
    titles = [column.title for column in table.columns]
    assert "95% interval, all tasks together" in titles


def test_the_noise_of_samples_and_the_floor() -> None:
    found = result()
    assert found.samples is not None
    table = tables(found)["samples"]
    shown = dict(
        zip(
            [column.key for column in table.columns],
            zip(*table.texts(), strict=True),
            strict=True,
        )
    )
    assert shown["system"] == ("old", "new")
    assert shown["n_samples"] == ("177", "177")
    assert shown["missing"] == ("1.7", "1.7")
    errors = [row.standard_error_these for row in found.samples.systems]
    assert [float(text) for text in shown["standard_error_these"]] == pytest.approx(
        errors, abs=5e-5
    )
    # The systems differ by the same chance in every item: what is seen is noise of sampling.
    assert math.isnan(found.samples.pairs[0].mde_many_samples)
    assert "noise of sampling explains all" in table.note


def test_the_floor_where_items_differ_by_themselves() -> None:
    found = result(own=0.5)
    assert found.samples is not None
    table = tables(found)["samples"]
    floor = found.samples.pairs[0].mde_many_samples
    assert f"no less than {floor:.4f} accuracy (new − old)" in table.note
    assert "only more items help" in table.note


def test_a_comparison_without_them_shows_neither() -> None:
    plain = compare(Scores.build({"A": [1, 0, 1, 1], "B": [0, 0, 1, 1]}), rng=1)
    assert {"tasks", "samples"}.isdisjoint(tables(plain))
    assert {"tasks", "samples"}.isdisjoint(plain.to_dict())


def test_mcnemar_shows_what_it_counts() -> None:
    """57 against 37 of 1,000 items: the exact p is .04945 (twice the binomial tail)."""
    answers = [(1, 0)] * 57 + [(0, 1)] * 37 + [(1, 1)] * 700 + [(0, 0)] * 206
    table = {"new": [a for a, _ in answers], "old": [b for _, b in answers]}
    found = compare(Scores.build(table), baseline="old")
    [pair] = found.pairs
    assert pair.p_value == pytest.approx(0.0494500653, abs=1e-9)
    [shown] = [one for one in blocks_of(found) if getattr(one, "id", "") == "answers"]
    assert shown.texts() == [("new", "old", "700", "57", "37", "206")]  # type: ignore[union-attr]
    means = compare(Scores.build({n: [0.5 * x for x in c] for n, c in table.items()}))
    assert not [one for one in blocks_of(means) if getattr(one, "id", "") == "answers"]
