"""Procedures on archives: published numbers, common draws, and error rates."""

import functools
import math
from dataclasses import dataclass
from types import SimpleNamespace

import numpy as np
import pytest
from scipy import stats

from detectable.core.errors import InputError
from detectable.data.human.score_histograms import read_score_histograms
from detectable.kernels.paths import mean_paths
from detectable.kernels.resample import seed_words
from detectable.sequential.design import design
from detectable.study.archive.comparison_archive import ComparisonArchive
from detectable.study.archive.procedure_savings import ProcedureSavings
from detectable.study.archive.procedures import (
    Procedure,
    simulate_procedures,
    stopping_procedure,
)
from replications.wei2022.archive import load, paired
from tests.helpers import reference_data

FIXED, INTERIM, FUTILITY = (
    Procedure.fixed(),
    Procedure.interim(),
    Procedure.interim(futility=True),
)


def archive(pairs: int = 6) -> ComparisonArchive:
    """Return scores from 0 to 10 with differences from none to large."""
    rng = np.random.default_rng(1)
    means = np.linspace(7.0, 5.8, pairs)
    return ComparisonArchive.from_samples(
        [
            (
                np.clip(rng.normal(7, 2, 400), 0, 10).round(),
                np.clip(rng.normal(m, 2, 400), 0, 10).round(),
            )
            for m in means
        ]
    )


def paired_archive() -> ComparisonArchive:
    rng = np.random.default_rng(2)
    return ComparisonArchive.from_differences(
        [rng.normal(m, 3, 300).round() for m in (0.0, 0.3, 0.6)]
    )


def run(
    tables: ComparisonArchive, *procedures: Procedure, repeats: int = 40
) -> ProcedureSavings:
    return simulate_procedures(
        tables, procedures, [120, 240, 360, 480], n_repeats=repeats, step=20, rng=3
    )


@pytest.mark.golden
def test_the_bounds_are_those_of_the_literature() -> None:
    # Pocock (1977): three looks at a nominal .0221. Jennison and Turnbull (2000), table 2.1.
    assert INTERIM.z[0] == pytest.approx(2.289, abs=5e-4)
    assert INTERIM.type_one_error() == pytest.approx(0.050103, abs=5e-7)
    assert FUTILITY.futility == pytest.approx((0.67449, 0.67449, 0.0), abs=5e-6)
    # Armitage, McPherson and Rowe (1969), table 2: repeated tests at 5 %.
    for looks, expected in ((2, 0.083), (3, 0.107), (5, 0.142), (10, 0.193)):
        assert Procedure.uncorrected(looks).type_one_error() == pytest.approx(
            expected, abs=5e-4
        )


def test_a_design_becomes_a_procedure() -> None:
    design = SimpleNamespace(
        information=[0.5, 1.0], z=[None, 1.96], futility=[None, None], sided=2
    )
    made = Procedure.from_design(design, name="late")
    assert made == Procedure("late", (0.5, 1.0), (math.inf, 1.96), (0.0, 0.0))
    design.futility = (0.3, None)
    assert Procedure.from_design(design, name="x").futility == (0.3, 0.0)
    design.sided = 1
    with pytest.raises(InputError, match="two-sided"):
        Procedure.from_design(design, name="x")


def test_a_real_design_keeps_its_level_and_its_futility() -> None:
    plan = design("obrien-fleming", looks=4)
    made = Procedure.from_design(plan, name="obf")
    assert made.type_one_error() == pytest.approx(0.05, abs=1e-6)
    assert made.futility == tuple(bound or 0.0 for bound in plan.futility)
    assert max(made.futility) > 0.0


def test_fixed_power_is_what_a_plain_simulation_gives() -> None:
    tables = archive(2)
    found = simulate_procedures(tables, [FIXED], [200], n_repeats=2000, step=200, rng=4)
    rng = np.random.default_rng(5)
    assert tables.second is not None
    rates = []
    for one, other in zip(tables.first, tables.second, strict=True):
        a = rng.choice(np.repeat(tables.values, one), (2000, 100))
        b = rng.choice(np.repeat(tables.values, other), (2000, 100))
        rates.append(
            (stats.mannwhitneyu(a, b, axis=1, method="asymptotic").pvalue <= 0.05).mean()
        )
    error = math.sqrt(sum(r * (1 - r) for r in rates) / 2000) / 2
    row = found.row("fixed", 200)
    assert row.power == pytest.approx(
        np.mean(rates), abs=4 * math.hypot(error, row.power_error)
    )
    assert row.power_error == pytest.approx(error, rel=0.6)  # of 20 batches
    assert row.judgments == 200.0


def test_the_paired_test_is_students_at_every_look() -> None:
    tables = paired_archive()
    found = simulate_procedures(tables, [INTERIM], [24], n_repeats=20, step=8, rng=6)
    hits = 0
    for block in np.random.default_rng(6).spawn(20):
        state = seed_words(block)
        for counts in tables.first:
            t = mean_paths(counts, tables.values, 1, 3, 4, state)[0]
            n = np.array([4, 8, 12])
            student = t * np.sqrt((n - 1) / (n - t * t))  # T² = n t² / (n − 1 + t²)
            p = 2.0 * stats.t.sf(np.abs(student), n - 1)
            hits += bool((p <= 0.0221).any())
    assert found.row("interim", 24).power == pytest.approx(hits / 60, abs=1e-12)


def test_procedures_differ_as_they_must_on_common_draws() -> None:
    found = run(archive(), FIXED, INTERIM, FUTILITY, Procedure.uncorrected())
    for budget in found.budgets:
        fixed, interim, futility, naive = (found.row(p, budget) for p in found.procedures)
        # Path by path: more reasons to stop never cost more, nor find more.
        assert futility.judgments <= interim.judgments <= fixed.judgments
        assert futility.power <= interim.power
        assert naive.power >= fixed.power


def test_the_answer_does_not_depend_on_the_number_of_processes() -> None:
    tables = archive(2)
    alone, two = (
        simulate_procedures(
            tables, [FIXED, FUTILITY], [60, 120], n_repeats=45, step=20, rng=7, n_jobs=jobs
        )
        for jobs in (1, 2)
    )
    assert alone == two
    assert alone.tallies.repeats.sum() == 45


def test_an_unseeded_run_can_be_repeated_from_its_signature() -> None:
    first = simulate_procedures(archive(1), [FIXED], [60], n_repeats=5, step=20)
    again = simulate_procedures(
        archive(1), [FIXED], [60], n_repeats=5, step=20, rng=int(first.signature.seed or 0)
    )
    assert first == again


def test_a_budget_of_its_own_saves_nothing() -> None:
    # The same test under another name needs what the fixed test needs.
    found = run(archive(), FIXED, Procedure.fixed(name="twin"))
    for budget in found.budgets:
        assert found.saving("twin", budget).judgments == pytest.approx(budget, abs=1e-9)
        assert found.saving("twin", budget).judgments_error == pytest.approx(0.0, abs=1e-9)
        assert found.needed("twin", found.row("fixed", budget)).saving == pytest.approx(0.0)


def test_a_power_out_of_reach_has_no_saving() -> None:
    found = run(archive(), FIXED, Procedure("never", (1.0,), (50.0,)))
    one = found.saving("never", 480)
    assert (one.judgments, one.saving) == (None, None)
    assert found.to_dict()["savings"][-1]["judgments"] is None
    assert "with 480 judgments" in found.summary()


def test_a_saturated_power_is_reached_where_it_is_first_reached() -> None:
    apart = ComparisonArchive.from_histograms([0, 1], [[1, 9]], [[9, 1]])
    found = run(apart, FIXED, INTERIM)
    assert found.row("fixed", 120).power == 1.0
    assert found.saving("interim", 480).judgments == found.row("interim", 120).judgments


def test_subsets_together_are_the_whole() -> None:
    found = run(archive(), FIXED, FUTILITY)
    small, large = found.subset(below=0.5), found.subset(at_least=0.5)
    total = small.n_comparisons * small.row("fixed", 480).power
    total += large.n_comparisons * large.row("fixed", 480).power
    assert total / 6 == pytest.approx(found.row("fixed", 480).power)
    assert "observed differences of at least 0.5" in large.summary()
    with pytest.raises(InputError, match="must leave a comparison"):
        found.subset(at_least=100)


def test_the_summary_warns_of_optimism_and_of_peeking() -> None:
    text = run(archive(), FIXED, FUTILITY, Procedure.uncorrected()).summary()
    assert "the powers are optimistic" in text
    assert "'3 uncorrected looks' is no rival" in text
    assert text.startswith("'interim-futility' saves")


def test_looks_between_steps_are_taken_at_the_next() -> None:
    many = Procedure("many", tuple(k / 24 for k in range(1, 25)), (3.0,) * 23 + (2.0,))
    found = simulate_procedures(archive(1), [many], [120, 480], n_repeats=5, step=20, rng=1)
    assert found.notes[0] == (
        "Looks of 'many' that fall into the same step of 20 judgments were merged at budgets "
        "of 120."
    )
    assert "no fixed test" in found.notes[1]


@dataclass(frozen=True)
class Bad:
    arguments: dict[str, object]
    message: str


@pytest.mark.parametrize(
    "case",
    [
        Bad({"step": 25}, "`step` must be even"),
        Bad({"budgets": [130]}, "`budgets` must be multiples of the step"),
        Bad({"n_repeats": 1}, "`n_repeats` must be a whole number ≥ 2"),
        Bad({"procedures": [FIXED, FIXED]}, "`procedures` must have different names"),
    ],
    ids=lambda case: case.message,
)
def test_messages_name_the_argument(case: Bad) -> None:
    arguments = {"procedures": [FIXED], "budgets": [120], "step": 20, "n_repeats": 5}
    with pytest.raises(InputError, match=case.message):
        simulate_procedures(archive(1), **(arguments | case.arguments))  # type: ignore[arg-type]


def test_procedures_and_archives_are_checked() -> None:
    with pytest.raises(InputError, match="one entry per look"):
        Procedure("x", (0.5, 1.0), (2.0,))
    with pytest.raises(InputError, match="ascend from above 0 to 1"):
        Procedure("x", (0.5, 0.9), (2.0, 2.0))
    with pytest.raises(InputError, match="`second` must have the shape"):
        ComparisonArchive.from_histograms([0, 1], [[1, 1]], [[1, 1], [2, 0]])
    with pytest.raises(InputError, match="whole numbers"):
        ComparisonArchive.from_histograms([0, 1], [[0.5, 0.5]], [[1, 1]])
    with pytest.raises(InputError, match="row 1 has none"):
        ComparisonArchive.from_difference_histograms([0, 1], [[1, 1], [0, 0]])
    with pytest.raises(InputError, match="finite"):
        ComparisonArchive.from_differences([[1.0, math.nan]])


def test_a_null_archive_has_no_differences() -> None:
    assert archive().null().differences.tolist() == [0.0] * 6
    null = paired_archive().null()
    assert null.differences == pytest.approx(np.zeros(3), abs=1e-12)
    assert (null.first.sum(axis=1) == 600).all()


@pytest.mark.parametrize("tables", [archive(), paired_archive()], ids=["rank", "paired"])
def test_shrinking_multiplies_the_differences(tables: ComparisonArchive) -> None:
    factors = np.linspace(0.0, 1.0, len(tables))
    shrunk = tables.shrunk(factors)
    assert shrunk.differences == pytest.approx(factors * tables.differences, abs=0.01)
    assert shrunk.paired == tables.paired
    if tables.paired:  # a change of sign leaves the squares
        before, after = (
            one.first @ one.values**2 / one.first.sum(axis=1) for one in (tables, shrunk)
        )
        assert after == pytest.approx(before, rel=0.01)
    with pytest.raises(InputError, match="`factors` must hold"):
        tables.shrunk(factors + 0.5)


# --- How often procedures find a difference where there is none, on real and made-up scores ---

ALPHA = 0.05
REPEATS = 1000
FAMILIES = ("pocock", "obrien-fleming", "hsd")


def procedures(looks: int) -> list[Procedure]:
    designs = [design(family, looks=looks, futility="none") for family in FAMILIES]
    return [
        *(Procedure.from_design(one, name=one.family) for one in designs),
        Procedure.uncorrected(looks),
    ]


def rates(tables: ComparisonArchive, looks: int, n: int, repeats: int) -> dict[str, float]:
    """Return the error rate of every procedure with `n` judgments per system and look."""
    found = simulate_procedures(
        tables.null(),
        procedures(looks),
        [2 * n * looks],
        n_repeats=repeats,
        step=2 * n,
        rng=1000 * looks + n,
    )
    return {row.procedure: row.power for row in found.rows}


def error(rate: float, paths: int) -> float:
    return math.sqrt(rate * (1.0 - rate) / paths)


def made_up(kind: str) -> ComparisonArchive:
    """Return ratings with a spike at 100, or skewed differences of which a third are zero."""
    rng = np.random.default_rng(3)
    scores = np.clip(100.0 - rng.gamma(0.5, 30.0, (4, 500)), 0, 100).round()
    if kind == "rank":
        return ComparisonArchive.from_samples([(row, row) for row in scores])
    return ComparisonArchive.from_differences(
        [np.where(rng.random(500) < 0.3, 0.0, row - 85.0) for row in scores]
    )


@pytest.mark.parametrize("kind", ["rank", "paired"])
@pytest.mark.parametrize("looks", [3, 10])
def test_made_up_scores_without_a_difference(kind: str, looks: int) -> None:
    paths = 4 * 3000
    found = rates(made_up(kind), looks, 100, 3000)
    for family in FAMILIES:
        assert found[family] == pytest.approx(ALPHA, abs=4 * error(ALPHA, paths))
    naive = Procedure.uncorrected(looks)
    expected = naive.type_one_error()
    assert found[naive.name] == pytest.approx(expected, abs=4 * error(expected, paths))


@functools.cache
def ship_data(kind: str) -> ComparisonArchive:
    """Return every hundredth comparison of ShipData."""
    folder = reference_data("data", "shipdata")
    data = load(folder)
    archive = data.scores() if kind == "rank" else paired(folder, data)
    second = None if archive.second is None else archive.second[::100]
    return ComparisonArchive(values=archive.values, first=archive.first[::100], second=second)


@pytest.mark.slow
@pytest.mark.parametrize("kind", ["rank", "paired"])
@pytest.mark.parametrize("looks", [3, 5, 10, 20, 40])
@pytest.mark.parametrize("n", [10, 25, 50, 100, 200, 600])
def test_real_scores_without_a_difference(kind: str, looks: int, n: int) -> None:
    tables = ship_data(kind)
    paths = len(tables) * REPEATS
    found = rates(tables, looks, n, REPEATS)
    for family in FAMILIES:
        assert found[family] <= ALPHA + 4 * error(ALPHA, paths)
        if n == 600:  # Small samples of scores with many ties and zeros err less often.
            assert found[family] >= ALPHA - 4 * error(ALPHA, paths)
    naive = Procedure.uncorrected(looks)
    assert found[naive.name] > 1.3 * ALPHA
    if n == 600:
        expected = naive.type_one_error()
        assert found[naive.name] == pytest.approx(expected, abs=4 * error(expected, paths))


# --- Sizes of differences, equal cost, procedures by name ---


def test_rows_of_sizes_together_are_the_whole() -> None:
    found = run(archive(), FIXED, FUTILITY)
    budget = found.sizes[0].budget
    for name in found.procedures:
        rows = [row for row in found.sizes if row.procedure == name]
        assert sum(row.comparisons for row in rows) == 6
        whole = found.row(name, budget)
        for what in ("power", "judgments"):
            mean = sum(row.comparisons * getattr(row, what) for row in rows) / 6
            assert mean == pytest.approx(getattr(whole, what))
        parts = {(row.low > 0, row.high is None): row for row in found.parts
                 if (row.procedure, row.budget) == (name, budget)}  # fmt: skip
        assert parts[False, True].power == pytest.approx(whole.power)
        assert parts[True, True].comparisons + parts[False, False].comparisons == 6
    assert found.large == pytest.approx(np.median(np.abs(found.tallies.differences)))


def test_a_part_saves_what_its_subset_does() -> None:
    found = run(archive(), FIXED, FUTILITY).by_size(0.5)
    for row in found.parts:
        if row.low > 0.0 and row.procedure != "fixed":
            part = found.subset(at_least=0.5)
            assert row.saving == pytest.approx(part.saving(row.procedure, row.budget).saving)
            assert row.power == pytest.approx(part.row(row.procedure, row.budget).power)


def test_equal_cost_is_the_first_within_a_tenth() -> None:
    found = run(archive(), FIXED, FUTILITY)
    cost = found.same_cost()
    assert cost is not None
    assert cost.judgments == found.row(cost.procedure, cost.budget).judgments
    assert cost.judgments == pytest.approx(cost.fixed, rel=0.12)
    power, spent = found.each(cost.procedure, cost.budget)
    assert power.mean() == pytest.approx(found.row(cost.procedure, cost.budget).power)
    assert spent.mean() == pytest.approx(cost.judgments)
    assert run(archive(), FIXED).same_cost() is None
    assert run(archive(), FUTILITY).same_cost() is None


def test_sizes_that_no_difference_has_are_refused() -> None:
    found = run(archive(2), FIXED)
    with pytest.raises(InputError, match="`at_least` must be 0 or more and less than `below`"):
        found.subset(at_least=2.0, below=1.0)
    with pytest.raises(InputError, match="`large` must be"):
        found.by_size(0.0)


def test_procedures_have_the_names_that_are_typed() -> None:
    assert stopping_procedure("interim-futility") == FUTILITY
    assert stopping_procedure("interim") == INTERIM
    strict = stopping_procedure("interim", alpha=0.01)  # Pocock's constant of other levels
    assert strict.z[0] == pytest.approx(
        design("pocock", looks=3, alpha=0.01, futility="none").z[0]
    )
    assert stopping_procedure("uncorrected", looks=5).looks == 5
    with pytest.raises(InputError, match="`name` must be one of fixed, pocock"):
        stopping_procedure("never")  # type: ignore[arg-type]


@pytest.mark.golden
def test_the_paper_on_its_own_data() -> None:
    """Powers and judgments of another program; 200 repetitions there, 100 here."""
    stored = read_score_histograms(reference_data("data", "shipdata", "shipdata_hist.npz"))
    tables = ComparisonArchive.from_score_histograms(stored)
    assert len(tables) == 4004
    found = simulate_procedures(
        tables, [FIXED, INTERIM, FUTILITY], [1200, 2300, 3600], n_repeats=100, step=100, rng=1
    )
    known = {"fixed": (0.451, 1200), "interim": (0.427, 948), "interim-futility": (0.408, 673)}
    for name, (power, spent) in known.items():
        row = found.row(name, 1200)
        assert row.power == pytest.approx(
            power, abs=0.0005 + 4 * math.hypot(0.0004, row.power_error)
        )
        assert row.judgments == pytest.approx(
            spent, abs=0.5 + 4 * math.hypot(1.0, row.judgments_error)
        )
    cost = found.same_cost()
    assert cost is not None
    assert (cost.fixed, cost.procedure, cost.budget) == (1200, "interim-futility", 2300)
    spent_by = {
        (row.low, row.high): row.judgments
        for row in found.sizes
        if row.procedure == "interim-futility"
    }
    # 897, 393 and 318 comparisons; a path varies by some 300 judgments, so 1.5, 2 and 0.2 each way.
    assert spent_by[0.0, 0.5] == pytest.approx(714, abs=8)
    assert spent_by[2.0, 3.0] == pytest.approx(764, abs=12)
    assert spent_by[10.0, None] == pytest.approx(404, abs=1)
