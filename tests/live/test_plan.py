"""Plans against logs: what they say, what they hold, and what they refuse."""

import json
import math
from pathlib import Path
from typing import Any

import pytest
from click.testing import CliRunner

from detectable.cli import main
from detectable.core.errors import DataError, InputError
from detectable.live import LivePlan, Stop, plan_live, read_live_plan
from detectable.study.monitoring.plan import read_plan
from tests.helpers import reference_data

MARGINS = {"match": 0.1, "includes": 0.1}


def _logs(*parts: str) -> Path:
    return reference_data("data", "live_logs", *parts)


def _plan(folder: Path, name: str = "ship.json", **more: Any) -> LivePlan:
    settings: dict[str, Any] = {"margin": MARGINS, "seed": 7, **more}
    return plan_live(folder / name, _logs("inspect", "old"), **settings)


def test_a_plan_says_what_will_run_and_when_it_stops(tmp_path: Path) -> None:
    said = _plan(tmp_path).summary().split("\n")
    assert said == [
        "Planned: new against mockllm/model on 2 tasks, not worse by the margin, up to 170 questions "
        "(220 samples, 0.53 USD at what old cost).",
        "arith: match, margin 0.1, 120 questions. lookup: includes, margin 0.1, 50 questions × 2.",
        "A pass of a task is tested at α = .05, a fail at .025, at every twentieth of its samples from "
        "30 on, in the order of seed 7. Errors count 0.",
    ]


def test_it_is_frozen_and_read_again(tmp_path: Path) -> None:
    made = _plan(tmp_path)
    assert read_live_plan(made.path) == made
    assert [one.baseline_score for one in made.tasks] == pytest.approx([0.775, 0.82])
    assert [one.cost for one in made.tasks] == pytest.approx([0.002438875, 0.00240045])
    assert [one.tokens for one in made.tasks] == pytest.approx([194.358333, 191.63])
    assert [line["event"] for line in made.ledger_lines()] == ["plan"]
    text = Path(made.path).read_text(encoding="utf-8")
    Path(made.path).write_text(text.replace('"seed": 7', '"seed": 8'), encoding="utf-8")
    with pytest.raises(DataError, match="the plan was changed after it was frozen"):
        read_live_plan(made.path)


def test_tasks_share_the_level_of_a_fail_and_tries_halve_both(tmp_path: Path) -> None:
    rule = _plan(tmp_path).rule("arith")
    assert (rule.alpha, rule.alpha_fail) == (0.05, 0.025)
    second = _plan(tmp_path, "again.json", attempt=2).rule("arith")
    assert (second.alpha, second.alpha_fail) == (0.0125, 0.00625)


def test_the_forecast_of_a_task(tmp_path: Path) -> None:
    """If nothing changed 0/1 answers at agreement .9 and margin .1 need about three fifths of 120."""
    made = _plan(tmp_path)
    arith, lookup = (made.forecast(one) for one in made.tasks)
    assert arith is not None
    assert lookup is not None
    assert (arith.samples, lookup.samples) == (120, 100)
    assert arith.cost == pytest.approx(120 * 0.002438875)
    assert 0.5 < arith.share_unchanged < arith.share_lost < 0.7
    assert math.isnan(lookup.share_unchanged)  # how noisy a question is, nobody knows yet


def test_a_budget_cuts_all_tasks_alike(tmp_path: Path) -> None:
    made = _plan(tmp_path, budget=0.25)
    assert [one.questions for one in made.tasks] == [56, 23]
    spent = sum(float(one.samples or 0) * one.cost for one in made.tasks)
    assert spent <= 0.25
    with pytest.raises(InputError, match="`budget` must pay for two questions"):
        _plan(tmp_path, "poor.json", budget=0.001)


def test_prices_stand_in_for_costs(tmp_path: Path) -> None:
    told = _plan(tmp_path, price=(3.0, 15.0))
    assert [one.cost for one in told.tasks] == pytest.approx(
        [0.002438875, 0.00240045], rel=2e-3
    )
    with pytest.raises(InputError, match=r"`budget` needs the costs of samples"):
        plan_live(
            tmp_path / "b.json",
            _logs("lm_eval", "old"),
            margin={"acc": 0.1, "exact_match": 0.1},
            higher_is_better=("exact_match",),
            budget=5.0,
        )


def test_a_task_with_several_scorers_must_name_one(tmp_path: Path) -> None:
    with pytest.raises(DataError, match=r"arith has 2 scorers: match, closeness\. Say which"):
        _plan(tmp_path, margin=0.1)
    named = _plan(
        tmp_path, margin=0.1, metric={"arith": "closeness"}, higher_is_better=["closeness"]
    )
    assert [one.metric for one in named.tasks] == ["closeness", "includes"]
    with pytest.raises(DataError, match="lookup has no margin: it is scored by includes"):
        _plan(tmp_path, "b.json", margin={"match": 0.1})
    one = _plan(tmp_path, "c.json", margin={"arith": 0.1, "match": 0.1}, tasks=["arith"])
    assert [task.task for task in one.tasks] == ["arith"]
    with pytest.raises(
        InputError, match="`margin` must name tasks or the scorers that decide; got nosuch"
    ):
        _plan(tmp_path, "d.json", margin={**MARGINS, "nosuch": 0.1})


def test_what_cannot_be_planned(tmp_path: Path) -> None:
    with pytest.raises(InputError, match="`against` must be logs of the system in use"):
        plan_live(tmp_path / "a.json")
    with pytest.raises(InputError, match="Which way does closeness go"):
        _plan(tmp_path, margin={"closeness": 0.1, "includes": 0.1})
    with pytest.raises(
        InputError, match="`margin` of arith must be below the length of its scale"
    ):
        _plan(tmp_path, margin={"match": 1.5, "includes": 0.1})
    with pytest.raises(InputError, match="`half_width` and `margin` ask for different ends"):
        _plan(tmp_path, half_width=0.1)
    with pytest.raises(InputError, match=r"`tasks` must be of .*; got nosuch"):
        _plan(tmp_path, tasks=["nosuch"])


def test_a_precise_plan_of_one_system(tmp_path: Path) -> None:
    made = plan_live(tmp_path / "p.json", half_width=0.08, metric="match", n_max=120, seed=7)
    stop = Stop(made)
    asked = 0
    for question in stop.order(range(500)):
        asked += 1
        if stop.add(question, float(question % 5 > 0)):
            break
    assert stop.decision == "stop: precise"
    assert asked < 120
    assert "until the interval is ±0.08" in made.summary()


def test_a_plan_is_used_for_one_run(tmp_path: Path) -> None:
    made = _plan(tmp_path)
    first = Stop(made, task="arith", baseline=_logs("inspect", "old"))
    first.order([f"arith-{i:04d}" for i in range(120)])
    again = Stop(made, task="arith", baseline=_logs("inspect", "old"))
    with pytest.raises(DataError, match=r"arith was run with this plan already .* --attempt 2"):
        again.order([f"arith-{i:04d}" for i in range(120)])


def test_another_baseline_is_refused(tmp_path: Path) -> None:
    made = _plan(tmp_path)
    with pytest.raises(DataError, match="the scores of arith are not those that"):
        Stop(made, task="arith", baseline=_logs("inspect", "new"))
    with pytest.raises(
        DataError,
        match=r"the plan has no task 'nosuch'\. Found: arith, lookup|arith and lookup",
    ):
        Stop(made, task="nosuch", baseline=_logs("inspect", "old"))


def test_every_look_is_in_the_ledger(tmp_path: Path) -> None:
    made = _plan(tmp_path)
    stop = Stop(made, task="arith", baseline=_logs("inspect", "old"))
    for question in stop.order([f"arith-{i:04d}" for i in range(120)]):
        if stop.add(question, 0.0):
            break
    lines = made.ledger_lines()
    assert [line["event"] for line in lines] == ["plan", "live", *["look"] * len(stop.looks)]
    assert lines[-1]["decision"] == stop.decision == "stop: fail"
    ledger = made.ledger_path
    ledger.write_text(
        ledger.read_text().replace('"decision": "stop: fail"', '"decision": "stop: pass"')
    )
    with pytest.raises(DataError, match="this entry was changed"):
        made.ledger_lines()


def test_the_other_kind_of_plan_is_told_apart(tmp_path: Path) -> None:
    made = _plan(tmp_path)
    with pytest.raises(DataError, match="this is the plan of a live evaluation"):
        read_plan(made.path)


# --- Typed ---


def _typed(*words: object) -> Any:
    return CliRunner().invoke(main, [str(word) for word in words])


def test_plan_new_against_logs(tmp_path: Path) -> None:
    path = tmp_path / "ship.json"
    margins = ("--margin", "match=0.10", "--margin", "includes=0.10")
    words = ("plan", "new", path, "--against", _logs("inspect", "old"), *margins, "--seed", "7")
    done = _typed(*words)
    assert done.exit_code == 0, done.output
    assert "Planned: new against mockllm/model on 2 tasks" in done.output
    again = _typed("plan", "show", path)
    assert "Not looked at yet." in again.output
    assert (
        json.loads(_typed(*words[:2], tmp_path / "b.json", *words[3:], "--json").output)[
            "forecast"
        ][0]["samples"]
        == 120
    )


def test_options_of_the_other_kind_of_plan_are_refused(tmp_path: Path) -> None:
    path, logs = tmp_path / "ship.json", _logs("inspect", "old")
    done = _typed("plan", "new", path, "--against", logs, "--margin", "0.1", "--systems", "a,b")
    assert (done.exit_code, "--systems is about judgments" in done.output) == (2, True)
    done = _typed("plan", "new", path, "--systems", "a,b", "--n-max", "60", "--max-tokens", "9")
    assert (done.exit_code, "--max-tokens has no effect without --against" in done.output) == (
        2,
        True,
    )
    done = _typed("plan", "new", path, "--n-max", "60")
    assert (done.exit_code, "Missing option '--systems'" in done.output) == (2, True)
    done = _typed("plan", "new", path, "--systems", "a,b", "--n-max", "60", "--margin", "x=1",
                  "--claim", "non-inferior")  # fmt: skip
    assert (done.exit_code, "one number without --against" in done.output) == (2, True)


def test_subsample_for_lm_eval_is_what_the_page_says() -> None:
    done = _typed(
        "subsample", _logs("lm_eval", "old"), "--n", "20", "--seed", "7", "--format", "lm-eval"
    )
    assert json.loads(done.stdout)["addmc"] == [
        42, 51, 56, 25, 50, 34, 47, 58, 23, 45, 9, 8, 10, 3, 59, 1, 38, 16, 11, 43,
    ]  # fmt: skip
    second = _typed("subsample", _logs("lm_eval", "old"), "--seed", "7", "--block", "2/3", "--task",
                    "addmc", "--format", "ids")  # fmt: skip
    assert len(second.stdout.split()) == 20
    grouped = _typed("subsample", _logs("inspect", "old"), "--by", "passage", "--n", "8", "--task",
                     "arith", "--format", "json")  # fmt: skip
    found = [int(item[-4:]) // 4 for item in json.loads(grouped.stdout)["arith"]]
    assert len(found) == 8
    assert len(set(found)) == 2
    wrong = _typed("subsample", _logs("inspect", "old"), "--by", "nosuch")
    assert "Found: lang, passage" in wrong.output.replace(" and ", ", ")
