"""Gates, comparisons and the doctor on logs whose runs were stopped early."""

import math
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest

import detectable as dt
from detectable.core.errors import DataError
from detectable.data.scores.scores import Scores, StoppedLog
from detectable.study.gate.stopped import StoppedRun
from tests.helpers import reference_data


def _scores(folder: str, task: str, metric: str) -> Scores:
    path = next(reference_data("data", "live_logs", "inspect", folder).glob(f"*_{task}_*"))
    return dt.read_scores({folder: path}, metric=metric)


def _gate(folder: str, task: str, metric: str, **more: Any) -> Any:
    new, old = (_scores(name, task, metric) for name in (folder, "old"))
    return dt.gate(new, old, **{"margin": {metric: 0.1}, **more})


@pytest.mark.parametrize("folder", ["early", "early_errors"])
@pytest.mark.parametrize(("task", "metric"), [("arith", "match"), ("lookup", "includes")])
def test_a_log_that_our_plan_stopped_has_a_row_over_all_looks(
    folder: str, task: str, metric: str
) -> None:
    found = _gate(folder, task, metric)
    row = found.rows[0]
    assert (found.outcome, found.exit_code) == ("fail", 3)
    assert row.interval.high < 0.0
    assert row.p_worse <= 0.025  # two tasks shared α
    plan = "3674ea11" if task == "arith" else "be570d18"
    assert (
        f"{task} was stopped by plan {plan}; its row holds over all its looks." in found.notes
    )


def test_the_adjusted_p_is_that_of_the_ordering_by_look() -> None:
    """Stopped at its first look: p is that of the plain statistic with all 32 questions."""
    row = _gate("early", "arith", "match").rows[0]
    wins, losses = 0, 11  # of 32
    assert row.difference == pytest.approx((wins - losses) / 32)
    z = math.sqrt(losses)
    assert row.p_worse == pytest.approx(0.5 * math.erfc(z / math.sqrt(2.0)), rel=1e-6)


def test_errors_count_as_the_plan_says() -> None:
    """3 samples ended in an error: 0, where a whole gate would leave them out."""
    assert _gate("early_errors", "arith", "match").rows[0].n_items == 76
    notes = " ".join(_scores("early_errors", "arith", "match").notes)
    assert "3 samples ended in an error and count 0." in notes


def test_another_margin_or_metric_has_limits_for_any_reason_to_stop() -> None:
    planned = _gate("early", "lookup", "includes").rows[0]
    other = _gate("early", "lookup", "includes", margin={"includes": 0.3}).rows[0]
    assert planned.p_worse == other.p_worse  # zero was looked at either way
    beside = _gate("early", "arith", "closeness", higher_is_better=["closeness"],
                   margin={"closeness": 0.1}).rows[0]  # fmt: skip
    plain = dt.gate(
        replace(_scores("early", "arith", "closeness"), stopped=()),
        _scores("old", "arith", "closeness"),
        margin=0.1,
        higher_is_better=["closeness"],
        allow_different_items=True,
    ).rows[0]
    assert beside.p_worse > plain.p_worse
    assert beside.interval.low < plain.interval.low < plain.interval.high < beside.interval.high


# --- Stopped by somebody else ---


def _other() -> Scores:
    scores = _scores("early", "arith", "match")
    log = replace(scores.stopped[0], manager="optstop", record={"rounds": 3})
    return replace(scores, stopped=(log,))


def test_a_log_that_somebody_else_stopped_is_refused() -> None:
    with pytest.raises(DataError, match=r"stopped early by 'optstop' after 32 of 120 samples"):
        dt.gate(
            _other(), _scores("old", "arith", "match"), margin=0.1, allow_different_items=True
        )
    with pytest.raises(dt.InputError, match="every row is only watched"):
        dt.gate(
            _other(),
            _scores("old", "arith", "match"),
            margin=0.1,
            allow_different_items=True,
            allow_early_stop=True,
        )


def test_a_damaged_record_is_said() -> None:
    log = _scores("early", "arith", "match").stopped[0]
    rule = {key: value for key, value in log.record["rule"].items() if key != "alpha"}
    with pytest.raises(DataError, match="what its plan wrote into the log is damaged"):
        StoppedRun.of(replace(log, record={**log.record, "rule": rule}))


def test_a_plan_that_looked_at_nothing_adjusts_nothing() -> None:
    log = _scores("early", "arith", "match").stopped[0]
    assert StoppedRun.of(replace(log, record={**log.record, "looks": []})) is None


def test_a_run_that_nobody_stopped_is_an_ordinary_log() -> None:
    log = StoppedLog(
        path="x.eval", task="t", eval_id="", manager="optstop", logged=9, skipped=0, record={}
    )
    assert not log.is_ours
    assert str(log) == "t ran whole under 'optstop': 9 samples of 9 logged (100%)."
    assert _scores("new", "arith", "match").stopped == ()


# --- Compare and doctor ---


@pytest.mark.filterwarnings("ignore::detectable.core.errors.SuspiciousDataWarning")
def test_compare_refuses_what_was_stopped_unless_told(tmp_path: Path) -> None:
    base = reference_data("data", "live_logs", "inspect")
    files = {name: next((base / name).glob("*_arith_*")) for name in ("early", "old")}
    scores = dt.read_scores(files, metric="match")
    with pytest.raises(DataError, match=r"Conclude its plan .*`allow_early_stop=True`"):
        dt.compare(scores, rng=1)
    found = dt.compare(scores, rng=1, allow_early_stop=True)
    assert any("was stopped early by plan 3674ea11" in note for note in found.notes)


def test_the_doctor_names_manager_share_and_plan() -> None:
    base = reference_data("data", "live_logs", "inspect")
    found = dt.doctor([str(next((base / "early").glob("*_arith_*")))])
    said = " ".join(found.suspicions)
    assert "arith was stopped early by plan 3674ea11: 32 samples of 120 logged (27%)." in said
