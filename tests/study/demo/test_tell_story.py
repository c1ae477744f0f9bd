"""The demo tells what was planted, and its commands say the same as the story."""

import json
import shlex
import tempfile
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest
from click.testing import CliRunner

from detectable.cli import main
from detectable.data.example.bundled import example_campaign, write_campaign
from detectable.study.comparison.result import Comparison
from detectable.study.demo.story import DemoStory
from detectable.study.demo.tell_story import COMMANDS, tell_story
from detectable.study.monitoring.conclusion import Conclusion
from detectable.study.monitoring.plan import Plan
from detectable.study.monitoring.plan_history import PlanHistory
from detectable.study.ranking.ranking import Ranking
from detectable.study.raters.quality_result import QualityControl
from detectable.study.reliability.result import Reliability
from detectable.study.translationese.result import Translationese

TRUTH = example_campaign().truth
VERDICTS = {"aspen": "better", "cedar": "undecided", "dogwood": "undecided", "elm": "worse"}
_PASSING = {"signature", "fingerprint", "created", "time", "path", "notes"}


def result_of(story: DemoStory, kind: type[Any]) -> Any:
    return next(one for one in story.results if isinstance(one, kind))


def test_the_steps_of_an_evaluation_in_their_order(story: DemoStory) -> None:
    kinds = (
        *(Plan, PlanHistory, QualityControl, Ranking, Comparison),
        *(Reliability, Translationese, Conclusion),
    )
    assert [type(one) for one in story.results] == list(kinds)
    assert len(story.chapters) == len(kinds)
    assert [one.commands for one in story.chapters] == list(COMMANDS.values())


def test_every_step_agrees_with_what_was_planted(story: DemoStory) -> None:
    assert [one.title for one in story.chapters if not one.agrees] == []
    assert story.n_agreeing == 8


def test_verdicts_are_those_that_the_design_can_show(story: DemoStory) -> None:
    concluded = result_of(story, Conclusion)
    assert {pair.system: pair.verdict for pair in concluded.pairs} == VERDICTS
    compared = result_of(story, Comparison)
    for metric in ("bleu", "chrf", "gauge"):
        found = {p.system: p.verdict for p in compared.pairs if p.metric == metric}
        assert found == VERDICTS
    assert compared.runs == "random"
    ranking = result_of(story, Ranking)
    assert [set(group) for group in ranking.clusters] == [
        {"aspen"},
        {"birch", "cedar", "dogwood"},
        {"elm"},
    ]


def test_intervals_hold_what_was_planted(story: DemoStory) -> None:
    pairs = [
        *((p.better, p.worse, p.interval) for p in result_of(story, Ranking).pairs),
        *((p.system, p.baseline, p.interval) for p in result_of(story, Conclusion).pairs),
    ]
    assert len(pairs) == 14
    for first, second, interval in pairs:
        assert interval.low < TRUTH.difference(first, second) < interval.high
    effects = [e for e in result_of(story, Translationese).effects if e.measure == "raw"]
    assert len(effects) == 5
    for effect in effects:
        assert 0.0 < effect.interval.low < TRUTH.reverse < effect.interval.high


def test_what_was_planted_too_fine_is_undecided_and_said_to_be_so(story: DemoStory) -> None:
    pair = result_of(story, Ranking).pair("dogwood", "birch")
    assert (pair.verdict, pair.mde > TRUTH.finest) == ("undecided", True)
    assert story.chapters[3].found.endswith(
        f"The +1.0 of dogwood − birch is undecided, as it should be: only {pair.mde:.1f} or more "
        "is found reliably."
    )


def test_every_system_stands_beside_the_baseline(story: DemoStory) -> None:
    ranking = result_of(story, Ranking)
    assert [row.system for row in story.differences] == ["aspen", "dogwood", "cedar", "elm"]
    for row in story.differences:
        pair = ranking.pair(row.system, "birch")
        sign = 1.0 if pair.better == row.system else -1.0
        ends = sorted((sign * pair.interval.low, sign * pair.interval.high))
        alone = sorted((sign * pair.interval_alone.low, sign * pair.interval_alone.high))
        assert (row.found, row.mde) == (sign * pair.difference, pair.mde)
        assert [row.interval.low, row.interval.high] == ends
        assert [row.interval_alone.low, row.interval_alone.high] == alone
        assert (row.planted, row.baseline) == (TRUTH.difference(row.system), "birch")
        assert (row.verdict, row.holds) == (VERDICTS[row.system], True)


def test_every_planted_truth_is_told(story: DemoStory) -> None:
    planted = " ".join(one.planted for one in story.chapters)
    for words in (
        "aspen +6, dogwood +1, cedar 0 and elm −8 points",
        "r04, r10 and r15 of 16 raters",
        "aspen 68, dogwood 63, birch 62, cedar 62 and elm 54 points",
        "3 runs of each differ by chance",
        "segments of a document are hard or easy together",
        "translated back, which adds 8 points",
    ):
        assert words in planted


def test_looks_come_as_documents_arrive_and_save_judgments(story: DemoStory) -> None:
    history = result_of(story, PlanHistory)
    assert history.n_looks == 5
    first = [row.pair for row in history.looks if row.look == 1]
    assert {pair.n_clusters for pair in first} == {8}
    assert result_of(story, Conclusion).saved > 0
    assert f"{result_of(story, Conclusion).saved} judgments saved" in story.chapters[1].found


def test_plan_and_ledger_are_gone_unless_a_folder_is_given(
    story: DemoStory, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(tempfile, "tempdir", str(tmp_path))
    assert tell_story() == story
    assert list(tmp_path.iterdir()) == []
    assert tell_story(tmp_path) == story
    names = ("plan.json", "plan.ledger.jsonl", "plan.conclusion.json")
    assert all((tmp_path / name).exists() for name in names)
    assert result_of(story, Plan).path == "plan.json"  # as the commands have it
    assert result_of(story, PlanHistory).plan.path == "plan.json"


def test_the_commands_say_what_the_story_says(
    story: DemoStory, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    write_campaign(tmp_path)
    monkeypatch.chdir(tmp_path)
    looks = result_of(story, PlanHistory)
    for chapter, result in zip(story.chapters, story.results, strict=True):
        said: dict[str, Any] = {}
        for typed in chapter.commands:
            program, *words = shlex.split(typed)
            assert program == "detectable"
            out = CliRunner().invoke(main, [*words, "--json"])
            assert out.exit_code == 0, out.output
            said = json.loads(out.stdout)
        if result is looks:
            again = CliRunner().invoke(main, ["plan", "show", "plan.json", "--json"])
            said = json.loads(again.stdout)
        assert _lasting(said) == _lasting(json.loads(json.dumps(result.to_dict())))


def _lasting(value: Any) -> Any:
    """Return what two runs share: no clocks and paths, and numbers but for their last bits."""
    if isinstance(value, float):
        return float(f"{value:.9g}")
    if isinstance(value, dict):
        return {key: _lasting(item) for key, item in value.items() if key not in _PASSING}
    return [_lasting(item) for item in value] if isinstance(value, list) else value


def test_a_step_that_misses_is_counted(story: DemoStory) -> None:
    assert story.headline().startswith("All 8 steps found what was planted, or said that 40 ")
    first, *others = story.chapters
    missed = replace(story, chapters=(replace(first, agrees=False), *others))
    assert missed.headline().startswith("7 of 8 steps found")
    assert missed.summary().splitlines()[0] == missed.headline()


def test_the_commands_for_a_shell(story: DemoStory) -> None:
    lines = story.commands().splitlines()
    assert lines[0] == "# Plan"
    assert [line for line in lines if line.startswith("detectable")] == [
        typed for commands in COMMANDS.values() for typed in commands
    ]
