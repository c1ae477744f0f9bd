"""The demo tells what was planted, and its commands say the same as the story."""

import html
import json
import re
import shlex
import tempfile
from collections.abc import Callable
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest
from click.testing import CliRunner

from detectable.cli import main
from detectable.core.interval import Interval
from detectable.core.wording import number
from detectable.data.example.bundled import example_campaign, write_campaign
from detectable.report.blocks import Chart
from detectable.report.blocks_of import blocks_of
from detectable.study.comparison.result import Comparison
from detectable.study.demo import story as chapters
from detectable.study.demo.story import COMMANDS, DemoStory, tell_story
from detectable.study.monitoring.conclusion import Conclusion
from detectable.study.monitoring.plan import Plan
from detectable.study.monitoring.plan_history import PlanHistory
from detectable.study.ranking.ranking import Ranking
from detectable.study.raters.quality_control import QualityControl
from detectable.study.reliability.result import Reliability
from detectable.study.translationese.result import Translationese
from tests.report import results

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
        "can be detected."
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
    assert story.summary().startswith("All 8 steps found what was planted, or said that 40 ")
    first, *others = story.chapters
    missed = replace(story, chapters=(replace(first, agrees=False), *others))
    assert missed.summary().startswith("7 of 8 steps found")


def test_the_commands_for_a_shell(story: DemoStory) -> None:
    lines = story.commands().splitlines()
    assert lines[0] == "# Plan"
    assert [line for line in lines if line.startswith("detectable")] == [
        typed for commands in COMMANDS.values() for typed in commands
    ]


# --- A chapter says what its result says, also where that is not what was planted ---

TYPED = ("detectable it",)


def result_in_chapters(story: DemoStory, kind: type[Any]) -> Any:
    return next(one for one in story.results if isinstance(one, kind))


@pytest.mark.parametrize(
    ("planted", "verdict", "right"),
    [
        (6.0, "better", True),
        (6.0, "undecided", False),
        (6.0, "worse", False),
        (-8.0, "worse", True),
        (-8.0, "better", False),
        (1.0, "undecided", True),
        (-1.0, "undecided", True),
        (1.0, "better", True),
        (1.0, "worse", False),
        (0.0, "undecided", True),
        (0.0, "better", False),
        (0.0, "worse", False),
    ],
)
def test_when_a_verdict_is_right(planted: float, verdict: Any, right: bool) -> None:
    assert chapters.agrees(planted, verdict, 1.0) is right


def test_a_plan_that_can_show_everything_or_nothing_does_not_fit(story: DemoStory) -> None:
    made = result_in_chapters(story, Plan)
    fine = chapters.plan_chapter(made, TRUTH, TYPED)
    assert (fine.agrees, fine.commands) == (True, TYPED)
    assert "enough for aspen and elm, not for cedar and dogwood" in fine.found
    coarse = chapters.plan_chapter(replace(made, sd=90.0), TRUTH, TYPED)
    assert not coarse.agrees
    assert "enough for nobody, not for aspen, cedar, dogwood and elm" in coarse.found


def _look(number: int, saved: int, *pairs: tuple[str, Any, int]) -> Any:
    rows = tuple(
        replace(
            results.look().pairs[0],
            system=system,
            baseline="birch",
            decision=decision,
            n_clusters=documents,
        )
        for system, decision, documents in pairs
    )
    return replace(results.look(), look=number, saved=saved, pairs=rows)


def test_looks_name_who_ended_when() -> None:
    told = chapters.look_chapter(
        [
            _look(1, 0, ("aspen", "continue", 8), ("elm", "stop: worse", 8)),
            _look(2, 7, ("aspen", "stop: better", 16), ("cedar", "stop: futile", 16)),
            _look(3, 9, ("dogwood", "stop: undecided", 24)),
        ],
        TRUTH,
        TYPED,
    )
    assert told.found == (
        "elm worse at look 1 (8 documents); aspen better and cedar given up at look 2 (16); "
        "dogwood undecided at look 3 (24). 9 judgments saved."
    )
    assert told.planted == "aspen and elm are far from birch, the others within 1 point."
    assert told.agrees


@pytest.mark.parametrize(
    ("system", "decision"),
    [("aspen", "stop: futile"), ("elm", "stop: better"), ("cedar", "stop: worse")],
)
def test_a_look_that_goes_wrong_is_no_agreement(system: str, decision: str) -> None:
    told = chapters.look_chapter([_look(1, 0, (system, decision, 8))], TRUTH, TYPED)
    assert not told.agrees


def test_a_careless_rater_who_passes(story: DemoStory) -> None:
    checked = result_in_chapters(story, QualityControl)
    rows = tuple(
        replace(row, verdict="good") if row.rater == "r04" else row for row in checked.raters
    )
    ranking = result_in_chapters(story, Ranking)
    told = chapters.quality_chapter(
        replace(checked, raters=rows), TRUTH, TYPED, with_all=ranking, ranking=ranking
    )
    assert not told.agrees
    assert told.found.startswith("r10 and r15 fail. ")
    shown = f"{ranking.pair('aspen', 'birch').difference:+.1f}"
    assert (
        f"would be {shown} points from birch, without it {shown} (planted +6.0)" in told.found
    )


def _with_verdict(result: Any, verdict: str, is_meant: Callable[[Any], bool]) -> Any:
    pairs = [replace(p, verdict=verdict) if is_meant(p) else p for p in result.pairs]
    return replace(result, pairs=tuple(pairs))


def test_a_ranking_that_misses_a_large_difference(story: DemoStory) -> None:
    ranking = _with_verdict(
        result_in_chapters(story, Ranking),
        "undecided",
        lambda p: {p.better, p.worse} == {"aspen", "elm"},
    )
    assert not chapters.rank_chapter(ranking, TRUTH, TYPED).agrees


def test_a_ranking_that_sees_what_is_not_there(story: DemoStory) -> None:
    ranking = _with_verdict(
        result_in_chapters(story, Ranking),
        "better",
        lambda p: {p.better, p.worse} == {"birch", "cedar"},
    )
    assert not chapters.rank_chapter(ranking, TRUTH, TYPED).agrees


def test_a_ranking_that_sees_the_finest_difference(story: DemoStory) -> None:
    ranking = _with_verdict(
        result_in_chapters(story, Ranking),
        "better",
        lambda p: {p.better, p.worse} == {"birch", "dogwood"},
    )
    told = chapters.rank_chapter(ranking, TRUTH, TYPED)
    assert told.agrees
    assert told.found.endswith("The +1.0 of dogwood − birch is found (better).")


def test_metrics_that_do_not_agree(story: DemoStory) -> None:
    compared = _with_verdict(
        result_in_chapters(story, Comparison),
        "undecided",
        lambda p: (p.metric, p.system) == ("gauge", "elm"),
    )
    told = chapters.compare_chapter(compared, TRUTH, TYPED)
    assert not told.agrees
    assert told.found.endswith("chrF and gauge do not agree.")


def test_a_comparison_that_decides_all_and_wrongly(story: DemoStory) -> None:
    told = chapters.compare_chapter(
        _with_verdict(result_in_chapters(story, Comparison), "better", lambda _: True),
        TRUTH,
        TYPED,
    )
    assert not told.agrees
    assert "undecided" not in told.found
    assert told.found.endswith("). chrF and gauge agree.")


def test_documents_that_share_nothing(story: DemoStory) -> None:
    found = result_in_chapters(story, Reliability)
    alone = tuple(replace(row, design_effect=0.9) for row in found.clustering)
    assert chapters.reliability_chapter(found, TRUTH, TYPED).agrees
    assert not chapters.reliability_chapter(
        replace(found, clustering=alone), TRUTH, TYPED
    ).agrees
    few = tuple(replace(row, documents=40) for row in found.documents_for)
    told = chapters.reliability_chapter(replace(found, documents_for=few), TRUTH, TYPED)
    assert (told.agrees, "needs 40 documents, not 40" in told.found) == (False, True)


def test_an_effect_of_origin_that_is_not_sure_or_not_the_planted_one(story: DemoStory) -> None:
    found = result_in_chapters(story, Translationese)
    first, *others = found.effects
    unsure = replace(found, effects=(replace(first, p_adjusted=0.06), *others))
    told = chapters.translationese_chapter(unsure, TRUTH, TYPED)
    assert (told.agrees, "significant for 4 of 5 systems" in told.found) == (False, True)
    elsewhere = replace(first, interval=Interval(8.1, 9.0, 0.95))
    off = replace(found, effects=(elsewhere, *others))
    assert not chapters.translationese_chapter(off, TRUTH, TYPED).agrees


def test_a_conclusion_whose_interval_misses_what_was_planted(story: DemoStory) -> None:
    made = result_in_chapters(story, Conclusion)
    first, *others = made.pairs
    for interval in (Interval(1.0, 5.9, 0.95), Interval(6.1, 9.0, 0.95), None):
        missed = replace(made, pairs=(replace(first, interval=interval), *others))
        told = chapters.conclusion_chapter(missed, TRUTH, TYPED)
        assert (told.agrees, "3 intervals hold what was planted" in told.found) == (False, True)
    wrong = _with_verdict(made, "undecided", lambda pair: pair.system == "elm")
    assert not chapters.conclusion_chapter(wrong, TRUTH, TYPED).agrees


# --- The picture of the README shows what the demo finds ---

ROOT = Path(__file__).parents[3]
PICTURE = ROOT / "docs" / "_static" / "planted.svg"


def test_the_picture_shows_what_the_demo_finds(story: DemoStory) -> None:
    (chart,) = (block for block in blocks_of(story) if isinstance(block, Chart))
    drawn = PICTURE.read_text(encoding="utf-8")
    texts = [html.unescape(text) for text in re.findall(r"<text[^>]*>([^<]+)</text>", drawn)]
    assert chart.title in texts
    layers = chart.make(720)["layer"]
    numbers = [row["text"] for one in layers for row in one["data"]["values"] if "text" in row]
    assert len(numbers) == len(story.differences)
    assert set(numbers) <= set(texts), (
        "detectable demo --chart docs/_static/planted.svg --force"
    )
    assert "(docs/_static/planted.svg)" in (ROOT / "README.md").read_text(encoding="utf-8")


def test_the_readme_says_in_words_what_its_picture_shows(story: DemoStory) -> None:
    read = (ROOT / "README.md").read_text(encoding="utf-8")
    (said,) = (line for line in read.splitlines() if line.startswith("> "))
    found = {row.system: row for row in story.differences}
    for name in ("aspen", "dogwood"):
        row = found[name]
        ends = ", ".join(
            number(end, digits=1, sign=True) for end in (row.interval.low, row.interval.high)
        )
        assert f"**{name} is {row.verdict}" in said
        assert f"{number(row.found, digits=1, sign=True)}" in said
        assert f"[{ends}]" in said
    assert f"only {found['dogwood'].mde:.1f} or more" in said
