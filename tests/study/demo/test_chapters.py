"""A chapter says what its result says, also where that is not what was planted."""

from collections.abc import Callable
from dataclasses import replace
from typing import Any

import pytest

from detectable.core.interval import Interval
from detectable.data.example.bundled import example_campaign
from detectable.study.comparison.result import Comparison
from detectable.study.demo import tell_story as chapters
from detectable.study.demo.story import DemoStory
from detectable.study.monitoring.conclusion import Conclusion
from detectable.study.monitoring.plan import Plan
from detectable.study.ranking.ranking import Ranking
from detectable.study.raters.quality_result import QualityControl
from detectable.study.reliability.result import Reliability
from detectable.study.translationese.result import Translationese
from tests.report import results

TRUTH = example_campaign().truth
TYPED = ("detectable it",)


def result_of(story: DemoStory, kind: type[Any]) -> Any:
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
    made = result_of(story, Plan)
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
    checked = result_of(story, QualityControl)
    rows = tuple(
        replace(row, verdict="good") if row.rater == "r04" else row for row in checked.raters
    )
    ranking = result_of(story, Ranking)
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
        result_of(story, Ranking),
        "undecided",
        lambda p: {p.better, p.worse} == {"aspen", "elm"},
    )
    assert not chapters.rank_chapter(ranking, TRUTH, TYPED).agrees


def test_a_ranking_that_sees_what_is_not_there(story: DemoStory) -> None:
    ranking = _with_verdict(
        result_of(story, Ranking), "better", lambda p: {p.better, p.worse} == {"birch", "cedar"}
    )
    assert not chapters.rank_chapter(ranking, TRUTH, TYPED).agrees


def test_a_ranking_that_sees_the_finest_difference(story: DemoStory) -> None:
    ranking = _with_verdict(
        result_of(story, Ranking),
        "better",
        lambda p: {p.better, p.worse} == {"birch", "dogwood"},
    )
    told = chapters.rank_chapter(ranking, TRUTH, TYPED)
    assert told.agrees
    assert told.found.endswith("The +1.0 of dogwood − birch is found (better).")


def test_metrics_that_do_not_agree(story: DemoStory) -> None:
    compared = _with_verdict(
        result_of(story, Comparison),
        "undecided",
        lambda p: (p.metric, p.system) == ("gauge", "elm"),
    )
    told = chapters.compare_chapter(compared, TRUTH, TYPED)
    assert not told.agrees
    assert told.found.endswith("chrF and gauge do not agree.")


def test_a_comparison_that_decides_all_and_wrongly(story: DemoStory) -> None:
    told = chapters.compare_chapter(
        _with_verdict(result_of(story, Comparison), "better", lambda _: True), TRUTH, TYPED
    )
    assert not told.agrees
    assert "undecided" not in told.found
    assert told.found.endswith("). chrF and gauge agree.")


def test_documents_that_share_nothing(story: DemoStory) -> None:
    found = result_of(story, Reliability)
    alone = tuple(replace(row, design_effect=0.9) for row in found.clustering)
    assert chapters.reliability_chapter(found, TRUTH, TYPED).agrees
    assert not chapters.reliability_chapter(
        replace(found, clustering=alone), TRUTH, TYPED
    ).agrees
    few = tuple(replace(row, documents=40) for row in found.documents_for)
    told = chapters.reliability_chapter(replace(found, documents_for=few), TRUTH, TYPED)
    assert (told.agrees, "takes 40 documents, not 40" in told.found) == (False, True)


def test_an_effect_of_origin_that_is_not_sure_or_not_the_planted_one(story: DemoStory) -> None:
    found = result_of(story, Translationese)
    first, *others = found.effects
    unsure = replace(found, effects=(replace(first, p_adjusted=0.06), *others))
    told = chapters.translationese_chapter(unsure, TRUTH, TYPED)
    assert (told.agrees, "surely for 4 of 5 systems" in told.found) == (False, True)
    elsewhere = replace(first, interval=Interval(8.1, 9.0, 0.95))
    off = replace(found, effects=(elsewhere, *others))
    assert not chapters.translationese_chapter(off, TRUTH, TYPED).agrees


def test_a_conclusion_whose_interval_misses_what_was_planted(story: DemoStory) -> None:
    made = result_of(story, Conclusion)
    first, *others = made.pairs
    for interval in (Interval(1.0, 5.9, 0.95), Interval(6.1, 9.0, 0.95), None):
        missed = replace(made, pairs=(replace(first, interval=interval), *others))
        told = chapters.conclusion_chapter(missed, TRUTH, TYPED)
        assert (told.agrees, "3 intervals hold what was planted" in told.found) == (False, True)
    wrong = _with_verdict(made, "undecided", lambda pair: pair.system == "elm")
    assert not chapters.conclusion_chapter(wrong, TRUTH, TYPED).agrees
