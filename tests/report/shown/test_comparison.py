"""What a comparison shows, against one made by hand."""

import math
from dataclasses import replace
from functools import cache

import numpy as np
import pytest

from detectable.core.choices import Claim
from detectable.core.interval import Interval
from detectable.data.scores.scores import Scores
from detectable.report.blocks import DATA_ONLY, Chart, Table
from detectable.report.blocks_of import blocks_of
from detectable.report.shown.comparison import pairs, systems
from detectable.report.shown.comparison_pictures import (
    all_pairs,
    differences,
    drawn_runs,
    single_runs,
)
from detectable.study.comparison.compare import compare
from detectable.study.comparison.result import Comparison
from tests.report import results
from tests.report.charts.drawn import JAPANESE, LONG, check_readable
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


# --- What the pictures of a comparison say, against results made by hand ---


def of(result: Comparison) -> dict[str, Chart]:
    found = [
        *differences(result),
        *all_pairs(result),
        *single_runs(result),
        *drawn_runs(result),
    ]
    return {chart.id: chart for chart in found}


def values(spec: dict[str, object], field: str) -> list[list[object]]:
    """The values of a field, layer by layer."""
    layers = spec["layer"]
    assert isinstance(layers, list)
    rows = [layer["data"]["values"] for layer in layers]
    return [[row[field] for row in found] for found in rows if found and field in found[0]]


def sided(*ends: tuple[float, float]) -> Comparison:
    """A comparison whose intervals are given; the verdicts follow from them."""
    words = ["▲" if low > 0 else "▼" if high < 0 else "○" for low, high in ends]
    made = results.many_pairs("".join(words))
    pairs = tuple(
        replace(
            pair,
            difference=(low + high) / 2,
            interval=Interval(low, high, 0.95),
            interval_alone=Interval(low + 0.1, high - 0.1, 0.95),
        )
        for pair, (low, high) in zip(made.pairs, ends, strict=True)
    )
    return replace(made, pairs=pairs)


def test_rows_are_ordered_best_first_and_keep_their_numbers() -> None:
    result = sided((-2, -1), (1, 2), (-1, 1.5))
    drawn = of(result)["differences"].make(720)
    assert values(drawn, "value")[0] == [1.5, 0.25, -1.5]
    texts = values(drawn, "text")[-1]
    assert texts == [
        "+1.50  [+1.00, +2.00]",
        "+0.25  [−1.00, +1.50]",
        "−1.50  [−2.00, −1.00]",
    ]
    assert values(of(result)["differences"].make(342), "text")[-1] == [
        "+1.50",
        "+0.25",
        "−1.50",
    ]


def test_lower_is_better_turns_order_and_axis() -> None:
    result = sided((-2, -1), (1, 2))
    about = {**result.metrics[0], "higher_is_better": False}
    drawn = of(replace(result, metrics=(about,)))["differences"].make(720)
    assert values(drawn, "value")[0] == [-1.5, 1.5]
    assert drawn["layer"][0]["encoding"]["x"]["scale"]["reverse"] is True


def test_a_bar_shows_what_is_usually_missed_and_none_where_nothing_could_be_found() -> None:
    result = sided((1, 2), (-1, 1.5))
    first, second = result.pairs
    drawn = of(replace(result, pairs=(first, replace(second, mde=float("nan")))))
    bars = drawn["differences"].make(720)["layer"][0]["data"]["values"]
    assert bars == [{"row": 0, "low": -1.0, "high": 1.0}]
    assert "Grey bar" in drawn["differences"].caption
    margin = replace(result, claim="equivalent", margin={"bleu": 0.5})
    chart = of(margin)["differences"]
    assert chart.make(720)["layer"][0]["data"]["values"] == []
    assert "Grey bar" not in chart.caption
    assert "Dotted: the margin." in chart.caption


@pytest.mark.parametrize(
    ("claim", "higher", "lines"),
    [
        ("equivalent", True, [-0.5, 0.5]),
        ("non-inferior", True, [-0.5]),
        ("non-inferior", False, [0.5]),
    ],
)
def test_margins_are_dotted(claim: Claim, higher: bool, lines: list[float]) -> None:
    result = sided((1, 2), (-1, 1.5))
    about = {**result.metrics[0], "higher_is_better": higher}
    result = replace(result, claim=claim, margin={"bleu": 0.5}, metrics=(about,))
    layers = of(result)["differences"].make(720)["layer"]
    dotted = [one["encoding"]["x"]["datum"] for one in layers if "strokeDash" in one["mark"]]
    assert dotted == lines


def test_a_far_system_stands_at_the_edge() -> None:
    result = sided((1, 2), (0.5, 3), (-1, 1), (-2, 1), (-90, -80))
    layers = of(result)["differences"].make(720)["layer"]
    arrows = [one for one in layers if one["mark"].get("fontWeight") == "bold"]
    assert [one["data"]["values"][0]["text"] for one in arrows] == ["← −85.00"]
    assert arrows[0]["encoding"]["x"] == {"value": 0}
    assert values({"layer": layers}, "value")[0] == [1.75, 1.5, 0.0, -0.5]


def test_runs_say_what_single_runs_would_have_shown() -> None:
    chart = of(results.comparison())["runs"]
    at = {row.system: row for row in results.comparison().systems if row.metric == "bleu"}
    single = [a - b for a in at["new"].runs for b in at["old"].runs]
    assert f"from {min(single):+.2f} to {max(single):+.2f} BLEU for new − old" in (
        chart.title.replace("−0", "-0").replace("−1", "-1")
    )
    drawn = chart.make(720)["hconcat"][1]["layer"][-1]["data"]["values"]
    assert [row["score"] for row in drawn] == single
    assert "about other runs of these systems" in chart.caption
    fixed = of(replace(results.comparison(), runs="fixed"))["runs"]
    assert "about these runs" in fixed.caption


def test_all_pairs_are_in_the_triangle_whichever_way_they_were_tested() -> None:
    chart = of(results.all_pairs())["matrix-bleu"]
    assert chart.title == "3 of 6 pairs differ significantly in BLEU"
    upper = chart.make(720)["layer"][0]["data"]["values"]
    at = {(cell["row"], cell["column"]): (cell["kind"], cell["text"]) for cell in upper}
    assert at == {
        (0, 1): ("undecided", "1.25"),
        (0, 2): ("undecided", "1.25"),
        (0, 3): ("better", "1.25"),
        (1, 2): ("undecided", "1.25"),
        (1, 3): ("better", "−1.25"),  # tested as d against b: worse, +1.25
        (2, 3): ("better", "1.25"),
    }


@pytest.mark.parametrize("name", [LONG, JAPANESE])
def test_long_names_are_cut_and_covered_by_nothing(name: str) -> None:
    result = results.many_pairs("▲▲▼▼▼○", ("bleu", "ter", "chrf"))
    names = {f"sys-{i}": f"{name}-{i}" for i in range(1, 7)} | {"old": f"{name}-old"}
    result = replace(
        result,
        pairs=tuple(
            replace(p, system=names[p.system], baseline=names[p.baseline]) for p in result.pairs
        ),
        systems=tuple(replace(row, system=names[row.system]) for row in result.systems),
    )
    for chart in of(result).values():
        check_readable(chart)


def of_many_runs(runs: int, *, drawn: tuple[int, ...] = ()) -> Comparison:
    """Two systems of so many runs, the second better by 1.5."""
    rng = np.random.default_rng(4)
    item = rng.normal(0, 2, 60)
    table = {
        name: 40 + gain + item + rng.normal(0, 1, (runs, 1)) + rng.normal(0, 1, (runs, 60))
        for name, gain in ((LONG, 0.0), ("hierarchical", 1.5))
    }
    return compare(
        Scores.build(table),
        baseline=LONG,
        runs_drawn=drawn,
        n_resamples=99,
        n_examples=0,
        rng=1,
    )


def test_many_runs_are_counted() -> None:
    chart = of(of_many_runs(60))["runs"]
    scores, pairs = chart.make(720)["hconcat"]
    bars = [layer["data"]["values"] for layer in scores["layer"][:2]]
    assert [sum(bar["n"] for bar in found) for found in bars] == [60, 60]
    assert scores["layer"][0]["mark"]["opacity"] < 1.0  # the overlap is seen
    points = [row for layer in pairs["layer"] for row in layer["data"]["values"]]
    assert len(points) < 20  # not 3,600 rings
    assert "60 runs from" in chart.alt
    assert "figure 1 of Clark et al. (2011)" in chart.caption
    check_readable(chart)
    few = of(of_many_runs(20))["runs"].make(720)["hconcat"][0]
    assert few["title"]["subtitle"] == "○ a run; line: their mean"


def test_differences_of_fewer_runs_are_counted_on_one_axis() -> None:
    result = of_many_runs(30, drawn=(1, 5))
    chart = of(result)["drawn-mean"]
    one, five = [row for row in result.drawn_runs if row.which == "random"]
    ends = [f"{end:+.4f}".replace("-", "−") for end in (*one.differences, *five.differences)]
    assert chart.title == (
        f"With one run of each, mean of hierarchical − {LONG} is between {ends[0]} and {ends[1]} in 95% of "
        f"draws; with 5 between {ends[2]} and {ends[3]}"
    )
    panels = chart.make(720)["vconcat"]
    for made, row in zip(panels, (one, five), strict=True):
        bars = made["layer"][0]["data"]["values"]
        assert sum(bar["share"] for bar in bars) == pytest.approx(1.0)
        other = sum(bar["share"] for bar in bars if not bar["same"])
        assert other == pytest.approx(row.opposite, abs=1e-9)
        assert made["layer"][2]["encoding"]["x"] == {"datum": result.pairs[0].difference}
    assert panels[0]["title"]["text"] == ["One run of each"]
    check_readable(chart)


def test_all_runs_have_one_difference() -> None:
    result = of_many_runs(3, drawn=(1, 3))
    whole = f"{result.pairs[0].difference:+.4f}".replace("-", "−")
    assert of(result)["drawn-mean"].title.endswith(f"; with 3 always {whole}")


def test_nothing_was_drawn_where_nobody_asked() -> None:
    assert "drawn-mean" not in of(of_many_runs(3))
