"""May a judge stand in for raters: the alternative annotator test of Calderon et al. (2025).

The oracle below follows the paper, output by output, with SciPy's t test and a loop for the procedure of
Benjamini and Yekutieli. Ours equals it where outputs are independent: one system, no documents.
"""

import math
from collections.abc import Mapping
from typing import Any

import numpy as np
import polars as pl
import pytest
from click.testing import CliRunner
from scipy.stats import ttest_1samp

from detectable.cli import main
from detectable.core.errors import DataError, InputError
from detectable.data.human.judgments import Judgments
from detectable.study.precision.judge_agreement import AltTest, judge_agreement
from tests.helpers import reference_data

Answers = Mapping[str, Mapping[str, float]]


def oracle(
    people: Answers, judge: Mapping[str, float], epsilon: float, *, same: bool, q: float = 0.05
) -> tuple[float, float, dict[str, float]]:
    """Return winning rate, advantage probability and p-values, as the paper defines them."""

    def closeness(answer: float, others: list[float]) -> float:
        if same:
            return float(np.mean([answer == other for other in others]))
        return -float(np.sqrt(np.mean([(answer - other) ** 2 for other in others])))

    p_values, advantages = {}, []
    for rater, own in people.items():
        wins, losses = [], []
        for item, answer in own.items():
            others = [
                row[item] for name, row in people.items() if name != rater and item in row
            ]
            if not others or item not in judge:
                continue
            ours, theirs = closeness(judge[item], others), closeness(answer, others)
            wins.append(float(ours >= theirs))
            losses.append(float(theirs >= ours))
        if len(wins) < 30:
            continue
        differences = np.array(losses) - np.array(wins)
        p_values[rater] = float(ttest_1samp(differences, epsilon, alternative="less").pvalue)
        advantages.append(np.mean(wins))
    ordered = sorted(p_values.values())
    m = len(ordered)
    harmonic = sum(1.0 / k for k in range(1, m + 1))
    below = [k for k in range(1, m + 1) if ordered[k - 1] <= k / m * q / harmonic]
    return (max(below) if below else 0) / m, float(np.mean(advantages)), p_values


def asked(people: Answers, judge: Mapping[str, float], epsilon: float, **more: Any) -> AltTest:
    rows = [(r, item, score) for r, own in people.items() for item, score in own.items()]
    table = {
        "system": ["A"] * len(rows),
        "rater": [row[0] for row in rows],
        "item": [row[1] for row in rows],
        "score": [row[2] for row in rows],
        **more,
    }
    values = [row[2] for row in rows]
    scale = (min(values) - 1.0, max(values) + 1.0)
    made = Judgments.build(table, scale=scale)
    found = judge_agreement(made, {"A": dict(judge)}, epsilon=epsilon).replaces
    assert found is not None
    return found


def labels(
    rng: np.random.Generator, n: int, raters: int, *, noise: float, judge: float, kinds: int = 3
) -> tuple[dict[str, dict[str, float]], dict[str, float]]:
    """Draw categories: every rater, and the judge, errs at random in a share of the outputs."""
    truth = rng.integers(0, kinds, n)

    def answers(share: float) -> dict[str, float]:
        wrong = rng.random(n) < share
        drawn = np.where(wrong, rng.integers(0, kinds, n), truth)
        return {f"q{i}": float(value) for i, value in enumerate(drawn)}

    return {f"r{k}": answers(noise) for k in range(raters)}, answers(judge)


@pytest.mark.parametrize("epsilon", [0.0, 0.1, 0.15, 0.2])
@pytest.mark.parametrize("same", [True, False])
@pytest.mark.parametrize("seed", [1, 2, 3])
def test_it_is_the_paper_s_test_where_outputs_are_independent(
    epsilon: float, same: bool, seed: int
) -> None:
    rng = np.random.default_rng(seed)
    people, judge = labels(rng, 80, 5, noise=0.3, judge=0.2)
    people["r4"] = dict(list(people["r4"].items())[:45])  # not everybody rates everything
    if not same:
        people = {r: {i: v + rng.normal() for i, v in own.items()} for r, own in people.items()}
        judge = {i: v + 0.7 * rng.normal() for i, v in judge.items()}
    rate, advantage, p = oracle(people, judge, epsilon, same=same)
    found = asked(people, judge, epsilon)
    assert found.closeness == ("same" if same else "rmse")
    assert found.winning_rate == pytest.approx(rate)
    assert found.advantage == pytest.approx(advantage)
    assert {row.rater: row.p_value for row in found.raters} == pytest.approx(p, rel=1e-9)
    assert found.passed is (rate >= 0.5)
    assert found.unit == "output"


@pytest.mark.golden
@pytest.mark.parametrize(
    ("system", "rate_of_oracle", "advantage_of_oracle"),
    [("GPT4-5shot", 0.2, 0.514), ("NLLB_Greedy", 0.2, 0.467)],
)
def test_metricx_beside_raters_of_mqm(
    system: str, rate_of_oracle: float, advantage_of_oracle: float
) -> None:
    """Raters of WMT 2023 who judged the same segments three times over; one system at a time."""
    folder = ("data", "choose")
    judged = pl.read_parquet(reference_data(*folder, "replicate_mqm_three_raters.parquet"))
    scored = pl.read_parquet(reference_data(*folder, "wmt23_mqm_metrics.parquet"))
    judged = judged.filter((pl.col("language_pair") == "zh-en") & (pl.col("system") == system))
    scored = scored.filter(
        (pl.col("language") == "zh-en") & (pl.col("system").cast(pl.String) == system)
    )
    people: dict[str, dict[str, float]] = {}
    for rater, item, score in judged.select("rater", "item", "score").iter_rows():
        people.setdefault(rater, {})[item] = score
    judge = {
        str(item): float(score)
        for item, score in scored.select("item", "metricx23qe").iter_rows()
    }
    rate, advantage, p = oracle(people, judge, 0.2, same=False)
    found = asked(people, judge, 0.2)
    assert (found.winning_rate, found.advantage) == pytest.approx((rate, advantage))
    assert {row.rater: row.p_value for row in found.raters} == pytest.approx(p, rel=1e-7)
    assert (round(rate, 3), round(advantage, 3)) == (rate_of_oracle, advantage_of_oracle)


def test_documents_are_clusters() -> None:
    rng = np.random.default_rng(9)
    people, judge = labels(rng, 120, 3, noise=0.3, judge=0.25)
    documents = [f"d{i // 6}" for _ in people for i in range(120)]
    alone = asked(people, judge, 0.15)
    grouped = asked(people, judge, 0.15, document=documents)
    assert (grouped.unit, {row.n_units for row in grouped.raters}) == ("document", {20})
    assert grouped.advantage == alone.advantage
    assert [row.p_value for row in grouped.raters] != [row.p_value for row in alone.raters]


def test_a_judge_that_is_never_farther_has_no_error_and_still_a_p_value() -> None:
    people = {f"r{k}": {f"q{i}": float(i % 2) for i in range(40)} for k in range(3)}
    found = asked(people, {f"q{i}": float(i % 2) for i in range(40)}, 0.1)
    assert [row.p_value for row in found.raters] == pytest.approx([0.9**40] * 3)
    assert (found.winning_rate, found.advantage) == (1.0, 1.0)
    wrong = asked(people, {f"q{i}": float((i + 1) % 2) for i in range(40)}, 0.1)
    assert [row.p_value for row in wrong.raters] == [1.0] * 3
    assert (wrong.winning_rate, wrong.advantage) == (0.0, 0.0)


def test_what_is_refused_and_who_is_not_left_out() -> None:
    rng = np.random.default_rng(2)
    people, judge = labels(rng, 60, 3, noise=0.2, judge=0.2)
    few = {**people, "r2": dict(list(people["r2"].items())[:10])}
    found = asked(few, judge, 0.1)
    assert [row.rater for row in found.raters] == ["r0", "r1"]
    with pytest.raises(InputError, match="`epsilon` must be a share from 0 on and below 1"):
        asked(people, judge, 1.0)
    with pytest.raises(DataError, match="no rater has 30 outputs that another rater"):
        asked({"r0": people["r0"]}, judge, 0.1)
    plain = Judgments.build(
        {"system": ["A"] * 60, "item": [f"q{i}" for i in range(60)], "score": [0, 1] * 30},
        scale=(0, 2),
    )
    with pytest.raises(InputError, match="these judgments do not name theirs"):
        judge_agreement(plain, {"A": judge}, epsilon=0.1)


def test_what_is_shown(tmp_path_factory: pytest.TempPathFactory) -> None:
    rng = np.random.default_rng(5)
    people, judge = labels(rng, 100, 4, noise=0.35, judge=0.1)
    folder = tmp_path_factory.mktemp("alt")
    rows = ["system,item,rater,score"]
    rows += [f"A,{item},{r},{v:g}" for r, own in people.items() for item, v in own.items()]
    (folder / "people.csv").write_text("\n".join(rows))
    rows = ["system,item,score", *(f"A,{item},{v:g}" for item, v in judge.items())]
    (folder / "judge.csv").write_text("\n".join(rows))
    given = [str(folder / "people.csv"), "--judge", str(folder / "judge.csv"), "--scale", "0:2"]
    done = CliRunner().invoke(main, ["agreement", *given, "--epsilon", "0.15"])
    assert done.exit_code == 0, done.output
    said = " ".join(done.stdout.split())
    assert (
        "The judge may stand in for raters: it represents the others as well as 4 of 4" in said
    )
    assert "May the judge stand in for a rater?" in done.stdout
    without = CliRunner().invoke(main, ["agreement", *given])
    assert "stand in" not in without.stdout
    refused = CliRunner().invoke(main, ["agreement", given[0], "--epsilon", "0.1"])
    assert (refused.exit_code, "no effect without --judge" in refused.stderr) == (2, True)


@pytest.mark.slow
def test_false_discoveries_where_the_judge_is_worse_by_epsilon() -> None:
    """200 data sets of 100 outputs, three raters; the judge's error is such that ε is just reached.

    Then every rejection is false, and the rate of false discoveries is the chance of any.
    """
    epsilon, noise = 0.15, 0.3
    rng = np.random.default_rng(1)
    people, worse = labels(rng, 60_000, 3, noise=noise, judge=0.585)
    large = asked(people, worse, epsilon)
    gap = float(np.mean([row.rater_itself - row.judge for row in large.raters]))
    assert gap == pytest.approx(epsilon, abs=0.01)
    runs = 200
    wrong = sum(
        asked(*labels(rng, 100, 3, noise=noise, judge=0.585), epsilon).winning_rate > 0.0
        for _ in range(runs)
    )
    assert wrong / runs <= 0.05 + 3.0 * math.sqrt(0.05 * 0.95 / runs)
