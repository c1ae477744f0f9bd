"""Many systems on many tasks: ranks that hold together, and who may be best in each task."""

import math

import numpy as np
import pytest
from click.testing import CliRunner

import detectable as dt
from detectable.cli import main
from detectable.data.scores.scores import Scores
from detectable.report.shown.comparison import verdict
from detectable.report.shown.ordered import leaders
from detectable.study.comparison.result import Comparison


def board(
    rng: np.random.Generator, skill: list[float], *, tasks: int, items: int, own: float = 0.0
) -> Scores:
    """Draw right and wrong answers: questions differ in difficulty, systems in skill (log-odds)."""
    n = tasks * items
    hard = rng.normal(0.0, 1.0, n)
    rows = {}
    for place, level in enumerate(skill):
        by_task = np.repeat(rng.normal(0.0, own, tasks), items)
        chance = 1.0 / (1.0 + np.exp(-(0.8 + level + by_task - hard)))
        rows[f"m{place}"] = (rng.random(n) < chance).astype(float)
    names = [f"t{i:02d}" for i in range(tasks) for _ in range(items)]
    return Scores.build(rows, tasks=names, items=[f"q{i}" for i in range(n)])


def compared(scores: Scores, **more: object) -> Comparison:
    return dt.compare(scores, rng=1, n_examples=0, **more)  # type: ignore[arg-type]


SKILL = [0.0, 0.0, 0.0, -0.6, -2.0]


def test_ranks_are_those_of_the_significant_pairs() -> None:
    found = compared(board(np.random.default_rng(3), SKILL, tasks=12, items=60))
    assert found.standings is not None
    ranks = {row.system: (row.rank_low, row.rank_high) for row in found.standings.systems}
    for name in ranks:
        above = sum(
            (pair.verdict, pair.system) == ("worse", name)
            or (pair.verdict, pair.baseline) == ("better", name)
            for pair in found.pairs
        )
        below = sum(
            (pair.verdict, pair.system) == ("better", name)
            or (pair.verdict, pair.baseline) == ("worse", name)
            for pair in found.pairs
        )
        assert ranks[name] == (1 + above, 5 - below)
    assert ranks["m4"] == (5, 5)
    assert ranks["m3"] == (4, 4)
    assert [row.rank_low for row in found.standings.systems] == [1, 1, 1, 4, 5]
    scores = [row.score for row in found.standings.systems]
    assert scores == sorted(scores, reverse=True)
    assert scores[0] == pytest.approx(max(row.score for row in found.systems))


def test_the_leaders_of_a_task_are_those_that_nobody_beats() -> None:
    rng = np.random.default_rng(4)
    scores = board(rng, [0.0, 0.0, -3.0], tasks=4, items=200)
    found = compared(scores)
    assert found.standings is not None
    assert [row.task for row in found.standings.tasks] == ["t00", "t01", "t02", "t03"]
    for row in found.standings.tasks:
        assert set(row.leaders) == {"m0", "m1"}
        assert row.best == row.leaders[0]
        means = {
            name: float(scores.of_task(row.task).systems[name].mean()) for name in ("m0", "m1")
        }
        assert row.score == pytest.approx(max(means.values()))
        assert row.n_segments == 200
    lower = compared(
        Scores.build(
            {name: 1.0 - table for name, table in scores.systems.items()},
            tasks=scores.tasks,
            items=scores.items,
            metric="latency",
        )
    )
    assert lower.standings is not None
    assert all(set(row.leaders) == {"m0", "m1"} for row in lower.standings.tasks)


def test_they_are_there_for_all_pairs_of_three_systems_on_tasks_only() -> None:
    scores = board(np.random.default_rng(5), [0.0, 0.0, 0.0], tasks=3, items=30)
    assert compared(scores, baseline="m0").standings is None
    assert compared(scores, tasks="pooled").standings is None
    two = Scores.build(
        {name: scores.systems[name] for name in ("m0", "m1")}, tasks=scores.tasks
    )
    assert compared(two).standings is None
    assert "standings" not in compared(two).to_dict()


def test_what_is_shown() -> None:
    found = compared(board(np.random.default_rng(3), SKILL, tasks=12, items=60))
    shown = verdict(found)
    assert shown.headline.startswith("accuracy: any of 3 of 5 systems may be best: ")
    assert shown.detail[0].startswith("In the mean over 12 tasks, which weigh alike, 7 of 10")
    (table,) = leaders(found)
    assert table.title == "Who may be best in each task"
    assert "Holm over all 120 tests" in table.note
    alone = compared(
        board(np.random.default_rng(3), [0.0, -1.5, -1.5, -1.5], tasks=6, items=100)
    )
    assert verdict(alone).headline == "accuracy: m0 is best, better than all 3 others."
    assert verdict(alone).detail[1].startswith("Shown to be best in single tasks: m0 in ")


def test_the_command_line_has_both_tables(tmp_path_factory: pytest.TempPathFactory) -> None:
    path = tmp_path_factory.mktemp("board") / "s.csv"
    scores = board(np.random.default_rng(3), SKILL, tasks=6, items=40)
    rows = ["system,task,item,score"]
    rows += [
        f"{name},{task},{item},{value:g}"
        for name, table in scores.systems.items()
        for task, item, value in zip(scores.tasks or (), scores.items, table[0], strict=True)
    ]
    path.write_text("\n".join(rows))
    leaders = path.with_name("leaders.csv")
    done = CliRunner().invoke(
        main, ["compare", "--scores", str(path), "--csv", f"leaders:{leaders}"]
    )
    assert done.exit_code == 0, done.output
    assert "ranks  system" in done.stdout
    assert leaders.read_text().splitlines()[0] == (
        "metric,task,n_segments,best,score,n_leaders,leaders"
    )


@pytest.mark.slow
@pytest.mark.parametrize("own", [0.0, 0.3])
def test_the_chance_of_any_false_rank_or_leader_is_alpha(own: float) -> None:
    """300 boards of 6 systems (4 equal) on 8 tasks of 40 questions.

    Without effects of tasks the four are equal everywhere: no rank of theirs may exclude a place that
    a tie allows, and none may be missing among the leaders of any task. With effects (own), questions
    are fixed, and the mean over these tasks differs truly; then only the sure losers are looked at.
    """
    rng, runs = np.random.default_rng(31), 300
    false_rank = false_leader = 0
    for _ in range(runs):
        skill = [0.0] * 4 + [-0.8, -1.5]
        found = compared(board(rng, skill, tasks=8, items=40, own=own))
        assert found.standings is not None
        ranks = {row.system: row for row in found.standings.systems}
        if own:
            false_rank += ranks["m0"].rank_low > 4 or ranks["m5"].rank_high < 6
        else:
            false_rank += (
                any(
                    ranks[f"m{i}"].rank_low > 1 or ranks[f"m{i}"].rank_high < 4
                    for i in range(4)
                )
                or ranks["m5"].rank_high < 6
            )
            false_leader += any(
                not {"m0", "m1", "m2", "m3"} <= set(row.leaders)
                for row in found.standings.tasks
            )
    limit = 0.05 + 3.0 * math.sqrt(0.05 * 0.95 / runs)
    assert false_rank / runs <= limit
    assert false_leader / runs <= limit
