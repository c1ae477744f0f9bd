"""Fits against lme4 and lmerTest, and what must not change them."""

import csv
import json
import re
import shutil
import subprocess
from collections.abc import Callable
from dataclasses import replace
from pathlib import Path
from typing import Any

import numpy as np
import polars as pl
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

import detectable as dt
from detectable.core.errors import ConvergenceError, DataError, InputError
from detectable.core.result import Result
from detectable.data.human.read_judgments import read_judgments
from detectable.inference.standard_errors import median_unbiased
from detectable.mixed.fit import fit_mixed
from detectable.mixed.identify import ANY_SCALE
from detectable.mixed.model import prepare, solve
from detectable.mixed.result import MixedFit
from detectable.mixed.simulate import example_ratings
from tests.helpers import reference_data
from tests.mixed.tables import design, direct_deviance, relative_covariance, table

N_GOLD = 20
CARD = {"score": "resp", "system": "model", "rater": "worker", "item": "item"}


def gold_source(name: str) -> tuple[Any, dict[str, str]]:
    """Return the data of a gold fit and its columns, as the reference page describes them."""
    columns = dict(CARD)
    if name == "ext/uber_long.csv":
        frame = pl.read_csv(reference_data("data", "card", "pplm_ratings_long.csv.gz"))
        frame = frame.filter(pl.col("model").is_in(["B", "BCR"]))
        model = frame["model"].replace_strict({"B": -1, "BCR": 1}, return_dtype=pl.Int64)
        return frame.with_columns(model), columns
    if name == "likert_long.csv":
        return reference_data("data", "card", name), {
            **columns,
            "rater": "Link",
            "item": "Metric",
        }
    ending = ".gz" if name == "sim_10x500.csv" else ""
    return reference_data("data", "card", name + ending), columns


@pytest.mark.golden
@pytest.mark.parametrize("number", range(N_GOLD))
def test_gold_fits_of_lme4(number: int) -> None:
    gold = json.loads(reference_data("gold", "card.json").read_text())["lmer"]
    assert len(gold) == N_GOLD
    case = gold[number]
    source, columns = gold_source(case["data"])
    slopes = [
        role
        for role, name in (("rater", "worker"), ("item", "item"))
        if f"(1 + model || {name})" in case["formula"]
    ]
    fit = fit_mixed(
        source,
        columns=columns,
        numeric_system=True,
        slopes=slopes or "none",
        reml=case["REML"],
        repeats="keep",
    )
    model = case["coef"]["model"]
    assert fit.n_ratings == case["n"]
    assert fit.criterion <= case["crit"] + 1e-6
    assert fit.estimate == pytest.approx(model["Estimate"], abs=1e-5)
    assert fit.standard_error == pytest.approx(model["Std. Error"], abs=1e-5, rel=1e-4)
    assert fit.df == pytest.approx(model["df"], rel=0.01)
    assert fit.log_likelihood == pytest.approx(case["logLik"], abs=1e-5)
    names = {"worker": "rater", "item": "item", "Residual": "residual"}
    kinds = {"(Intercept)": " intercept", "model": " slope", "": ""}
    for key, variance in case["vc"].items():
        group, _, kind = key.partition(".")
        found = fit.component(names[group] + kinds[kind]).variance
        assert found == pytest.approx(variance, abs=1e-4)
    assert fit.singular == case["singular"]


@pytest.mark.golden
def test_the_data_of_the_issue() -> None:
    path = reference_data("data", "card", "sim_3x100_2.csv")
    fit = fit_mixed(path, columns=CARD, numeric_system=True)
    assert fit.standard_error == pytest.approx(0.0547435, abs=1e-5)
    assert fit.df == pytest.approx(2.304, abs=0.01)
    assert fit.criterion == pytest.approx(212.471286, abs=1e-5)
    assert fit.method == "closed form"
    ml = fit_mixed(path, columns=CARD, numeric_system=True, reml=False)
    assert ml.criterion == pytest.approx(202.117089, abs=1e-5)


R_SCRIPT = """
suppressMessages(library(lmerTest))
d <- read.csv("{path}")
for (f in c("rater", "item", "document", "system")) d[[f]] <- factor(d[[f]])
m <- lmer({formula}, d, REML = {reml},
          control = lmerControl(optimizer = "bobyqa", optCtrl = list(rhoend = 1e-9)))
v <- as.data.frame(VarCorr(m))
cat(sprintf("%.12g\\n", if ({reml}) REMLcrit(m) else deviance(m, REML = FALSE)))
cat(paste(sprintf("%.12g", coef(summary(m))["x1", 1:4]), collapse = " "), "\\n")
cat(paste(v$grp, v$var1, sprintf("%.12g", v$vcov)), sep = "\\n")
"""


def by_lmer(path: Path, formula: str, reml: bool) -> list[list[str]]:
    if shutil.which("Rscript") is None:
        pytest.skip("Rscript is not installed: no lme4 to compare with")
    script = R_SCRIPT.format(path=path, formula=formula, reml="TRUE" if reml else "FALSE")
    done = subprocess.run(
        ["Rscript", "-e", script], capture_output=True, text=True, check=False
    )
    if "there is no package" in done.stderr:
        pytest.skip("R has no lme4 or lmerTest: nothing to compare with")
    assert done.returncode == 0, done.stderr
    return [line.split() for line in done.stdout.splitlines()]


def write(path: Path, ratings: dict[str, list[Any]]) -> None:
    """Write the table with the coded regressors next to it."""
    made, _ = design(ratings)
    rows = made.coding[made.system]
    names = [*ratings, *(f"x{j + 1}" for j in range(rows.shape[1]))]
    with path.open("w", newline="") as out:
        writer = csv.writer(out)
        writer.writerow(names)
        for values, row in zip(zip(*ratings.values(), strict=True), rows, strict=True):
            writer.writerow([*values, *(repr(float(x)) for x in row)])


@pytest.mark.golden
@pytest.mark.parametrize("reml", [True, False])
def test_a_fresh_unbalanced_design_in_lmer(tmp_path: Path, reml: bool) -> None:
    seed = int(np.random.default_rng().integers(100_000))  # fresh each time, and shown
    ratings = table(8, 40, keep=0.6, seed=seed, documents=6)
    write(tmp_path / "r.csv", ratings)
    formula = (
        "score ~ x1 + (1 + x1 || rater) + (1 + x1 || item) + (1 | document)"
        " + (1 | document:system)"
    )
    criterion, fixed, *variances = by_lmer(tmp_path / "r.csv", formula, reml)
    fit = fit_mixed(ratings, reml=reml)
    assert fit.criterion <= float(criterion[0]) + 1e-6, seed
    if fit.criterion < float(criterion[0]) - 1e-4:
        pytest.skip(f"lmer stopped above the minimum on seed {seed}: nothing to compare with")
    estimate, error, df, t = (float(x) for x in fixed)
    # lmer's coefficient is half the difference between ±1.
    assert fit.estimate / 2 == pytest.approx(estimate, abs=1e-5), seed
    assert fit.standard_error / 2 == pytest.approx(error, abs=1e-5, rel=1e-4), seed
    assert fit.df == pytest.approx(df, rel=0.01), seed
    assert fit.t == pytest.approx(t, rel=1e-3), seed
    for group, kind, value in variances:
        # lme4 names the second term of a group «item.1», and an interaction «document.system».
        role = re.sub(r"\.\d+$", "", group).replace(".", ":")
        alone = role in ("Residual", "document:system")
        name = role.lower() if alone else f"{role} intercept"
        name = f"{role} slope" if kind == "x1" else name
        assert fit.component(name).variance == pytest.approx(float(value), abs=1e-4), seed


@pytest.mark.golden
def test_three_systems_in_lmer(tmp_path: Path) -> None:
    ratings = table(7, 25, 3, keep=0.7, seed=12, documents=4)
    write(tmp_path / "r.csv", ratings)
    formula = (
        "score ~ x1 + x2 + (1 | rater) + (1 | rater:system) + (1 | item) + (1 | item:system)"
        " + (1 | document) + (1 | document:system)"
    )
    criterion, fixed, *variances = by_lmer(tmp_path / "r.csv", formula, True)
    fit = fit_mixed(ratings)
    assert fit.criterion == pytest.approx(float(criterion[0]), abs=1e-5)
    assert fit.solution.coefficients[1] == pytest.approx(float(fixed[0]), abs=1e-5)
    assert fit.solution.satterthwaite(np.array([0.0, 1.0, 0.0])) == pytest.approx(
        float(fixed[2]), rel=0.01
    )
    found = {group: float(value) for group, _, value in variances}
    for role in ("rater", "item"):
        # Independent cells of variance v are slopes of v / 2 and add v / 3 to the intercepts.
        cells = found[f"{role}:system"]
        slope, intercept = fit.component(f"{role} slope"), fit.component(f"{role} intercept")
        assert slope.variance == pytest.approx(cells / 2, abs=1e-4)
        assert intercept.variance == pytest.approx(found[role] + cells / 3, abs=1e-4)
    assert fit.component("document intercept").variance == pytest.approx(
        found["document"], abs=1e-4
    )
    assert fit.component("document:system").variance == pytest.approx(
        found["document:system"], abs=1e-4
    )


@pytest.mark.parametrize("reml", [True, False])
def test_fresh_judgments_with_controls_against_the_likelihood_written_down(reml: bool) -> None:
    seed = int(np.random.default_rng().integers(100_000))  # fresh each time, and shown
    ratings = table(6, 24, 3, keep=0.7, seed=seed, documents=4)
    n, rng = len(ratings["score"]), np.random.default_rng(seed)
    copied = [*range(n), *rng.integers(n, size=n // 4).tolist()]
    whole = {name: [column[row] for row in copied] for name, column in ratings.items()}
    whole["score"][n:] = [score - 100.0 for score in whole["score"][n:]]
    whole["kind"] = ["system"] * n + ["degraded"] * (n // 4)
    order = rng.permutation(len(copied))
    controls = {name: [column[row] for row in order] for name, column in whole.items()}
    fit = fit_mixed(controls, reml=reml, baseline="s0")
    made, y = design(ratings)
    rho = fit.solution.rho
    assert (fit.n_ratings, len(rho)) == (n, 6), seed
    at_fit = direct_deviance(made, y, rho, reml=reml)
    assert fit.criterion == pytest.approx(at_fit, abs=1e-6), seed
    for t in range(6):  # and it is the lowest around
        for factor in (0.9, 1.1):
            near = rho.copy()
            near[t] = near[t] * factor if rho[t] else 0.01 * factor
            assert direct_deviance(made, y, near, reml=reml) > at_fit - 1e-7, seed
    inverse = np.linalg.inv(relative_covariance(made, rho))
    x = np.eye(3)[made.system]
    information = x.T @ inverse @ x
    means = np.linalg.solve(information, x.T @ inverse @ y)
    covariance = fit.solution.sigma2 * np.linalg.inv(information)
    by_name = dict(zip(made.systems, range(3), strict=True))
    for row in fit.contrasts:
        c = np.zeros(3)
        c[by_name[row.system]], c[by_name["s0"]] = 1.0, -1.0
        assert row.estimate == pytest.approx(c @ means, abs=1e-7), seed
        assert row.standard_error == pytest.approx(np.sqrt(c @ covariance @ c), rel=1e-7), seed


def shifted(ratings: dict[str, list[Any]], scale: float, shift: float) -> dict[str, list[Any]]:
    return ratings | {"score": [scale * y + shift for y in ratings["score"]]}


@settings(max_examples=15, deadline=None)
@given(
    seed=st.integers(0, 1000),
    keep=st.sampled_from([0.7, 1.0]),
    shift=st.floats(-1e3, 1e3),
    scale=st.floats(0.01, 100.0),
)
def test_a_constant_moves_the_means_only_and_a_factor_scales(
    seed: int, keep: float, shift: float, scale: float
) -> None:
    ratings = table(4, 10, 3, seed=seed, keep=keep)
    fit = fit_mixed(ratings)
    moved = fit_mixed(shifted(ratings, scale, shift))
    for a, b in zip(fit.contrasts, moved.contrasts, strict=True):
        assert b.estimate == pytest.approx(scale * a.estimate, rel=1e-4, abs=1e-5 * scale)
        assert b.standard_error == pytest.approx(scale * a.standard_error, rel=1e-4)
        assert b.p_value == pytest.approx(a.p_value, rel=1e-3, abs=1e-6)
    for old, new in zip(fit.systems, moved.systems, strict=True):
        assert new.mean == pytest.approx(scale * old.mean + shift, rel=1e-4, abs=1e-4 * scale)
    for was, now in zip(fit.components, moved.components, strict=True):
        assert now.share == pytest.approx(was.share, abs=1e-4)


@settings(max_examples=15, deadline=None)
@given(seed=st.integers(0, 1000), keep=st.sampled_from([0.7, 1.0]))
def test_names_and_the_order_of_rows_do_not_matter(seed: int, keep: float) -> None:
    ratings = table(4, 10, 3, seed=seed, keep=keep)
    rng = np.random.default_rng(seed)
    names = rng.permutation(100)
    order = rng.permutation(len(ratings["score"]))
    other = {
        "score": ratings["score"],
        "system": ratings["system"],
        "rater": [f"person {names[int(r[1:])]}" for r in ratings["rater"]],
        "item": [f"text {names[int(i[1:])]}" for i in ratings["item"]],
    }
    shuffled = {name: [column[i] for i in order] for name, column in other.items()}
    fit = fit_mixed(ratings, baseline="s0")
    again = fit_mixed(shuffled, baseline="s0")
    assert again.criterion == pytest.approx(fit.criterion, abs=1e-7)
    by_name = {row.system: row for row in again.contrasts}
    for row in fit.contrasts:
        assert by_name[row.system].estimate == pytest.approx(row.estimate, abs=1e-5)
        assert by_name[row.system].df == pytest.approx(row.df, rel=1e-3)


def test_all_pairs_or_differences_to_a_baseline() -> None:
    ratings = table(5, 12, 3, keep=0.8, seed=6)
    every = fit_mixed(ratings)
    assert [(row.system, row.baseline) for row in every.contrasts] == [
        ("s1", "s0"),
        ("s2", "s0"),
        ("s2", "s1"),
    ]
    some = fit_mixed(ratings, baseline="s1")
    assert [(row.system, row.baseline) for row in some.contrasts] == [
        ("s0", "s1"),
        ("s2", "s1"),
    ]
    assert some.contrasts[1].estimate == every.contrasts[2].estimate
    assert some.contrasts[0].estimate == pytest.approx(-every.contrasts[0].estimate)
    means = {row.system: row.mean for row in every.systems}
    assert every.contrasts[0].estimate == pytest.approx(means["s1"] - means["s0"])
    assert all(row.p_adjusted >= row.p_value for row in every.contrasts)
    assert np.isnan(every.estimate)
    assert every.interval is None
    assert "estimate" not in every.to_dict()


def two() -> MixedFit:
    return fit_mixed(table(6, 15, keep=0.9))


def test_a_result_says_what_it_is() -> None:
    fit = two()
    said = fit.to_dict()
    wanted = {"estimate", "standard_error", "df", "t", "p_value", "interval", "criterion"}
    assert wanted <= said.keys()
    assert not {"model", "solution"} & said.keys()
    assert said["groups"] == {"rater": 6, "item": 15}
    assert sum(c.share for c in fit.components) == pytest.approx(1.0)
    assert fit.residuals.minimum < fit.residuals.median < fit.residuals.maximum
    assert fit.alpha == 0.05
    left = fit.model.residuals(fit.solution, fit.model.response) / fit.component("residual").sd
    quartiles = (
        fit.residuals.first_quartile,
        fit.residuals.median,
        fit.residuals.third_quartile,
    )
    assert quartiles == pytest.approx(np.quantile(left, [0.25, 0.5, 0.75]))
    assert "SDs: rater intercept" in fit.summary()
    assert str(fit.signature).startswith("mixed|criterion:reml|n:")
    with pytest.raises(InputError, match="there is no component 'judge'"):
        fit.component("judge")


def test_undecided_says_what_could_have_been_seen() -> None:
    quiet = fit_mixed(table(6, 30, effect=0.0, seed=2))
    assert quiet.summary().startswith("undecided between s1 and s0")
    assert "or more (80% power)" in quiet.summary()
    loud = fit_mixed(table(6, 30, effect=9.0))
    assert loud.summary().startswith("s1 is rated above s0")


def test_the_detectable_effect_has_the_stated_power() -> None:
    from scipy import stats

    row = two().contrasts[0]
    # Stated from an error that was estimated, which is made median-unbiased first.
    error = median_unbiased(row.standard_error, row.df)
    shift = row.detectable(alpha=0.05, power=0.8) / error
    critical = stats.t.ppf(0.975, row.df)
    assert stats.nct.sf(critical, row.df, shift) == pytest.approx(0.8, abs=1e-6)


def test_a_spread_that_is_not_there_is_zero_and_said() -> None:
    ratings = table(5, 12, seed=3)
    rng = np.random.default_rng(3)
    ratings["score"] = rng.normal(size=len(ratings["score"])).tolist()
    fit = fit_mixed(ratings)
    assert fit.singular
    assert "At zero:" in fit.summary()


def test_three_raters_come_with_a_note() -> None:
    assert "with 3 raters" in fit_mixed(table(3, 10)).notes[0]
    assert fit_mixed(table(5, 10)).notes == ()


def test_spreads_that_the_data_cannot_tell_apart_are_named() -> None:
    ratings = table(4, 20)
    own = [
        int(i[1:]) % 4 == int(r[1:])
        for i, r in zip(ratings["item"], ratings["rater"], strict=True)
    ]
    few = {name: [v for v, k in zip(c, own, strict=True) if k] for name, c in ratings.items()}
    made, y = design(few)
    # Each item has one rating per system: its slope and intercept together are the residual.
    forced = replace(made, slopes=("rater", "item"))
    with pytest.raises(ConvergenceError, match=r"leave no residual.*Use slopes='none'"):
        solve(prepare(forced, y), y, reml=True)
    # Documents that are items.
    made, y = design(ratings)
    forced = replace(made, factors={**made.factors, "document": made.factors["item"]})
    wanted = r"cannot separate these spreads.*: item intercept, document intercept\."
    with pytest.raises(ConvergenceError, match=wanted):
        solve(prepare(forced, y), y, reml=True)


def test_threads_do_not_change_a_large_fit(monkeypatch: pytest.MonkeyPatch) -> None:
    few = two()
    monkeypatch.setattr("detectable.mixed.model._SMALL", 0)
    assert two().criterion == pytest.approx(few.criterion, abs=1e-9)


def test_a_number_is_summed_up_per_unit() -> None:
    ratings = table(6, 30, effect=9.0)
    ratings["system"] = [int(s[1:]) for s in ratings["system"]]
    fit = fit_mixed(ratings, numeric_system=True)
    assert fit.summary().startswith("the rating changes with the system, per unit: +")


def test_notes_come_from_the_reader_the_choice_of_rows_and_the_design() -> None:
    ratings = table(3, 10)
    twice = {name: [*column, column[0], column[0]] for name, column in ratings.items()}
    kind = ["system"] * 61 + ["degraded"]
    fit = fit_mixed({**twice, "kind": kind}, repeated="mark", slopes="none")
    starts = (
        "1 second score",
        "1 judgment left out, not of systems' own output",
        "1 rating repeat",
        "no random slopes",
    )
    assert [note.startswith(start) for note, start in zip(fit.notes, starts, strict=False)] == [
        True
    ] * 4
    assert fit.notes[4].startswith("with 3 raters")
    read = read_judgments({**twice, "kind": kind}, scale=ANY_SCALE, repeated="mark")
    assert fit_mixed(read, slopes="none").notes == fit.notes[1:]


def test_one_of_several_languages() -> None:
    ratings = table(5, 10)
    both = {name: [*column, *column] for name, column in ratings.items()}
    both["language"] = ["cs"] * 100 + ["de"] * 100
    both["campaign"] = ["c"] * 200
    with pytest.raises(DataError, match="2 language pairs: cs, de"):
        fit_mixed(both)
    assert fit_mixed(both, language="de", campaign="c") == fit_mixed(ratings)
    with pytest.raises(InputError, match="`campaign` must be one of c; got 'd'"):
        fit_mixed(both, campaign="d")


def test_documents_are_left_out_on_request() -> None:
    ratings = table(5, 12, documents=3)
    bare = {name: column for name, column in ratings.items() if name != "document"}
    assert fit_mixed(ratings, unit="item") == fit_mixed(bare)
    assert fit_mixed(ratings).groups == {"rater": 5, "item": 12, "document": 3}


def test_messages() -> None:
    with pytest.raises(InputError, match=r"`baseline` 's9' has no rating\. Systems: s0, s1"):
        fit_mixed(table(), baseline="s9")
    numeric = table()
    numeric["system"] = [int(s[1:]) for s in numeric["system"]]
    with pytest.raises(InputError, match="`baseline` has no meaning with `numeric_system`"):
        fit_mixed(numeric, baseline="1", numeric_system=True)
    with pytest.raises(InputError, match="`alpha` must lie strictly"):
        fit_mixed(table(), alpha=95)


def test_too_few_steps_are_an_error_with_a_remedy(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("detectable.mixed.general._STEPS", 1)
    with pytest.raises(
        ConvergenceError, match=r"did not converge in 1 steps.*Use slopes='none'"
    ):
        fit_mixed(table(keep=0.8))
    monkeypatch.setattr("detectable.mixed.general._HALVINGS", 0)
    with pytest.raises(ConvergenceError, match=r"found no way down from rater intercept 0\.3"):
        fit_mixed(table(keep=0.8))


# --- Refits of mixed models go on where a killed run was ---


def _simulate(fit: MixedFit) -> Result:
    return dt.simulate(fit, n_simulations=120, rng=3)


def _component(fit: MixedFit) -> Result:
    return dt.component_test(fit, "rater intercept", method="bootstrap", n_resamples=120, rng=3)


@pytest.mark.parametrize("ask", [_simulate, _component])
def test_refits_are_taken_from_the_file(
    ask: Callable[[MixedFit], Result], tmp_path: Path
) -> None:
    kept = tmp_path / "refits"
    plain = ask(dt.fit_mixed(example_ratings()))
    for taken in (0, 2, 3):
        with dt.checkpoint(kept) as blocks:
            found = ask(dt.fit_mixed(example_ratings()))
        assert (blocks.taken, blocks.done) == (taken, 3 - taken)
        assert found.to_dict() == plain.to_dict()
        if not taken:
            kept.write_bytes(kept.read_bytes()[:-1])
