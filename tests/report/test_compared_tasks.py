"""What a comparison shows of its tasks and of the samples of its items."""

from functools import cache

import numpy as np
import pytest

from detectable.data.scores.scores import Scores
from detectable.report.blocks import Methods, Table
from detectable.report.blocks_of import blocks_of
from detectable.report.render.text import render_text
from detectable.study.comparison.compare import compare
from detectable.study.comparison.result import Comparison

NAN = float("nan")


@cache
def result(correction: str = "holm", weights: str = "macro") -> Comparison:
    rng = np.random.default_rng(1)
    chance = rng.beta(2, 2, 60)
    tables = {
        name: (rng.random((3, 60)) < np.clip(chance + shift, 0, 1)).astype(float)
        for name, shift in (("old", 0.0), ("new", 0.2))
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


def test_corrections_are_named() -> None:
    for correction, title in (("benjamini-hochberg", "p (BH)"), ("none", "p")):
        table = tables(result(correction))["tasks"]
        assert [c.title for c in table.columns if c.key == "p_adjusted"] == [title]
    assert "all tasks together" not in str(tables(result("none"))["tasks"].columns)


def test_weights_are_shown_where_they_differ() -> None:
    def kept(found: Comparison) -> int:
        return next(c.keep for c in tables(found)["tasks"].columns if c.key == "weight")

    assert kept(result(weights="items")) < kept(result())


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
    floor = found.samples.pairs[0].mde_many_samples
    assert f"no less than {floor:.4f} accuracy (new − old)" in table.note
    assert "only more items help" in table.note


def test_words_say_which_tasks_and_whom_to_cite() -> None:
    text = render_text(tuple(blocks_of(result())), width=100, everything=True)
    assert (
        "The mean of 2 tasks (each weighs the same), tested by t: a claim about these tasks."
        in " ".join(text.split())
    )
    methods = next(block for block in blocks_of(result()) if isinstance(block, Methods))
    assert "the mean of 2 to 3 sampled answers to each (Miller, 2024)" in methods.paragraph
    assert "fixed strata" in methods.paragraph
    assert "Tango" not in methods.paragraph  # score intervals are of pooled items
    assert {"miller-2024", "satterthwaite-1946"} <= set(methods.cite)


def test_a_table_fits_eighty_columns() -> None:
    text = render_text(tuple(blocks_of(result())), width=80)
    assert max(map(len, text.splitlines())) <= 80


def test_a_comparison_without_them_shows_neither() -> None:
    plain = compare(Scores.build({"A": [1, 0, 1, 1], "B": [0, 0, 1, 1]}), rng=1)
    assert {"tasks", "samples"}.isdisjoint(tables(plain))
    assert {"tasks", "samples"}.isdisjoint(plain.to_dict())
