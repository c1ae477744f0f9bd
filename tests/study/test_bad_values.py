"""One bad value for every checked option of the questions that people ask of judgments."""

import re
from pathlib import Path
from typing import Any

import numpy as np
import pytest

import detectable as dt
from detectable.core.errors import DataError, InputError
from detectable.study.precision.control_variate_result import (
    data_efficiency,
    observed_data_efficiency,
    within_system_correlation,
)
from detectable.study.precision.variance_components import allocations

NAN, INF = float("nan"), float("inf")
WHOLE = "must be a whole number ≥"
INSIDE = "must lie strictly between 0 and 1"
ABOVE = "must be a finite number above 0"
SEED = "`rng` must be a Generator, a whole number ≥ 0 or None; got -1"


def _judgments(*, n: int = 12, systems: str = "AB") -> dt.Judgments:
    """Return two raters' scores of all systems on all items, with degraded copies."""
    rng = np.random.default_rng(1)
    rows = [(s, i, r) for s in systems for i in range(n) for r in ("v", "w")]
    columns: dict[str, Any] = {
        "system": [s for s, _, _ in rows] * 2,
        "item": [i for _, i, _ in rows] * 2,
        "rater": [r for _, _, r in rows] * 2,
        "kind": ["system"] * len(rows) + ["degraded"] * len(rows),
        "score": [
            *rng.integers(50, 100, len(rows)).tolist(),
            *rng.integers(0, 50, len(rows)).tolist(),
        ],
    }
    return dt.Judgments.build(columns)


def _comet(*, n: int = 30, systems: str = "AB") -> dict[str, dict[str, float]]:
    rng = np.random.default_rng(2)
    return {s: {str(i): float(x) for i, x in enumerate(rng.normal(size=n))} for s in systems}


def _texts(**more: Any) -> dt.Corpus:
    lines = [f"this is line {i} of the text" for i in range(40)]
    return dt.Corpus.build({"A": lines, "B": lines[::-1]}, lines, **more)


# Ranking


@pytest.mark.parametrize(
    ("option", "value", "message"),
    [
        ("preset", "wmt20", "`preset` must be one of wmt21, wmt24, wmt25; got 'wmt20'"),
        ("standardise", "yes", "`standardise` must be one of auto, z, none, mixed; got 'yes'"),
        ("over", "some", "`over` must be one of all, ordinary; got 'some'"),
        ("test", "paired-t", "`test` must be one of auto, rank-sum"),
        ("unit", "rater", "`unit` must be one of auto, item, document; got 'rater'"),
        ("level", "segment", "`level` must be one of item, judgment, document; got 'segment'"),
        ("correction", "bh", "`correction` must be one of auto, max-t, holm, none; got 'bh'"),
        (
            "claim",
            "worse",
            "`claim` must be one of better, non-inferior, equivalent; got 'worse'",
        ),
        ("cluster_rule", "wmt", "`cluster_rule` must be one of all-pairs, wmt-last"),
        ("average", "raters", "`average` must be one of auto, items, domains; got 'raters'"),
        ("alpha", 0.0, f"`alpha` {INSIDE}; got 0.0"),
        ("power", 1.0, f"`power` {INSIDE}; got 1.0"),
        ("n_resamples", 0, f"`n_resamples` {WHOLE} 1; got 0"),
        ("margin", 0.0, f"`margin` {ABOVE}; got 0.0"),
        ("rng", -1, SEED),
    ],
)
def test_ranking_refuses(option: str, value: Any, message: str) -> None:
    with pytest.raises(InputError, match=re.escape(message)):
        dt.rank_systems(_judgments(), **{option: value})


@pytest.mark.parametrize(
    ("options", "message"),
    [
        ({"level": "judgment", "test": "permutation"}, "goes with the rank-sum test only"),
        ({"level": "judgment", "unit": "document"}, "counts every judgment as independent"),
        ({"test": "mixed", "standardise": "z"}, "drop `standardise='z'`"),
        ({"test": "stouffer", "average": "items"}, "drop `average='items'`"),
        ({"claim": "equivalent"}, "`claim='equivalent'` needs a margin"),
        (
            {"test": "t", "correction": "max-t"},
            "needs sign flips of differences, and this is a t",
        ),
        (
            {
                "claim": "non-inferior",
                "margin": 1.0,
                "test": "permutation",
                "correction": "max-t",
            },
            "a margin has none for `claim='non-inferior'`",
        ),
    ],
    ids=str,
)
def test_ranking_refuses_together(options: dict[str, Any], message: str) -> None:
    with pytest.raises(InputError, match=re.escape(message)):
        dt.rank_systems(_judgments(), **options)


# Plans with looks


@pytest.mark.parametrize(
    ("options", "message"),
    [
        ({"systems": "AB"}, "`systems` must be two or more names; got the one text 'AB'"),
        ({"systems": ["A"]}, "`systems` must be two or more different names; got ['A']"),
        ({"systems": ["A", "A"]}, "`systems` must be two or more different names"),
        ({"systems": ["A", ""]}, "`systems` must be two or more different names"),
        ({"baseline": "Z"}, "`baseline` must be one of A, B; got 'Z'"),
        ({"test": "t"}, "`test` must be one of paired-mean"),
        ({"unit": "line"}, "`unit` must be one of auto, item, document, rater; got 'line'"),
        (
            {"claim": "difference"},
            "`claim` must be one of better, non-inferior, equivalent",
        ),
        ({"alpha": 1.0}, f"`alpha` {INSIDE}; got 1.0"),
        ({"n_max": 1}, f"`n_max` {WHOLE} 2; got 1"),
        ({"n_max": None}, "`n_max` must say where the test 'paired-mean' ends at the latest"),
        ({"seed": -1}, f"`seed` {WHOLE} 0; got -1"),
        ({"scale": (5, 5)}, "`scale` must go from low to high; got 5 to 5"),
        ({"scale": (0, INF), "test": "e-process"}, "got 0 to inf. Give both ends"),
        ({"scale": (-INF, INF)}, "`scale` must go from low to high; got -inf to inf"),
        ({"margin": 2.0}, "got claim 'better' and margin 2.0"),
        ({"claim": "equivalent"}, "got claim 'equivalent' and margin None"),
        ({"claim": "equivalent", "margin": -1.0}, f"`margin` {ABOVE}; got -1.0"),
        (
            {"claim": "equivalent", "margin": 2.0, "test": "sign-flip"},
            "`test` must be paired-mean, two-means or mixed; got 'sign-flip'",
        ),
        (
            {"test": "proportions", "scale": (0, 100)},
            "`scale` must be 0 to 1 for the test of pro",
        ),
        ({"test": "rank-sum", "unit": "rater"}, "`unit` rater goes with the tests paired-mean"),
        (
            {"test": "preference", "systems": ["A", "B", "C"]},
            "`systems` must be two for the test 'preference'; got A, B, C",
        ),
        ({"test": "e-process", "looks": 3}, "`looks` does not apply to 'e-process'"),
        ({"looks": 0}, f"`looks` {WHOLE} 1; got 0"),
        ({"spending": "hsd"}, "`design` takes family, looks, at"),
        ({"futility": dt.Futility()}, "`futility` must be the name of a rule"),
        # Designs that are impossible must be refused when they are planned, not at a look.
        ({"family": "pocok"}, "`family` must be one of hsd, ld-obf"),
        ({"family": "fixed", "looks": 3}, "`family` fixed must have one look; got 3"),
        ({"family": "pocock", "gamma": -4.0}, "`gamma` belongs to the family hsd"),
        ({"at": [0.5, 0.25, 1.0]}, "`at` must increase from look to look; got 0.25 after 0.5"),
        ({"at": [0.5, 0.9]}, "`at` must end with 1, the last look; got 0.9"),
        ({"looks": 2, "at": [0.5, 1.0]}, "`looks` and `at` must not both be given"),
        ({"futility": "never"}, "`futility` must be one of predictive-power"),
        ({"futility": "beta-spending"}, "must not be beta-spending in a two-sided test"),
        ({"power": 0.04}, "`power` must be above alpha, 0.05; got 0.04"),
        ({"sided": 3}, "`sided` must be 1 or 2; got 3"),
        (
            {"family": "pocock", "n_max": 4, "looks": 10},
            "`n_max` must leave a unit or more between two of the 10 looks of pocock; got 4",
        ),
    ],
    ids=str,
)
def test_a_plan_refuses(tmp_path: Path, options: dict[str, Any], message: str) -> None:
    path = tmp_path / "plan.json"
    with pytest.raises(InputError, match=re.escape(message)):
        dt.plan(path, **{"systems": ["A", "B"], "n_max": 200, **options})
    assert not path.exists()


@pytest.mark.parametrize(
    "options",
    [
        {"family": "pocock", "n_max": 10, "looks": 10},
        {"family": "fixed", "n_max": 2},
        {"n_max": 4, "looks": 10},
    ],
    ids=["a look at every unit", "one look", "looks at any time"],
)
def test_a_plan_with_room_for_its_looks(tmp_path: Path, options: dict[str, Any]) -> None:
    made = dt.plan(tmp_path / "plan.json", systems=["A", "B"], **options)
    assert made.n_max == options["n_max"]


@pytest.mark.parametrize(
    ("options", "message"),
    [
        ({"family": "obf"}, "`family` must be one of hsd, ld-obf, ld-pocock"),
        ({"looks": 0}, f"`looks` {WHOLE} 1; got 0"),
        ({"looks": 100_000}, "`looks` must be at most"),
        ({"at": []}, "`at` must hold at least one look; got none"),
        ({"at": [0.0, 1.0]}, "`at` must hold shares above 0; got 0"),
        ({"at": [NAN, 1.0]}, "`at` must hold shares above 0; got nan"),
        ({"at": [0.5, 0.5, 1.0]}, "`at` must increase from look to look; got 0.5 after 0.5"),
        ({"at": [0.5, 0.500001, 1.0]}, "`at` must lie 0.00001 apart or more"),
        ({"at": [0.5, 1.5]}, "`at` must hold shares of the maximum, at most 1; got 1.5"),
        ({"alpha": 0.0}, f"`alpha` {INSIDE}; got 0.0"),
        ({"sided": 0}, "`sided` must be 1 or 2; got 0"),
        ({"power": 0.05}, "`power` must be above alpha, 0.05; got 0.05"),
        ({"power": 1.0}, f"`power` {INSIDE}; got 1.0"),
        (
            {"family": "hsd", "rho": 2.0},
            "`rho` belongs to the family kim-demets; got it with hsd",
        ),
        ({"delta": 0.1}, "`delta` belongs to the family wang-tsiatis; got it with hsd"),
        (
            {"interim_z": 3.0},
            "`interim_z` belongs to the family haybittle-peto; got it with hsd",
        ),
        ({"preset": "wei"}, "`preset` must be one of paper; got 'wei'"),
        ({"preset": "paper", "looks": 4}, "`looks` must not be given with a preset"),
        ({"binding": True, "futility": "none"}, "`binding` needs stops for futility"),
        ({"binding": True, "looks": 1}, "`binding` needs stops for futility"),
        (
            {"family": "pocock", "sided": 1, "futility": "beta-spending", "binding": True},
            "needs a spending family; got pocock",
        ),
        ({"n_max": 9}, f"`n_max` {WHOLE} 10; got 9"),
        ({"drifts": [NAN]}, "`drifts` must be finite; got nan at position 0"),
    ],
    ids=str,
)
def test_a_design_refuses(options: dict[str, Any], message: str) -> None:
    with pytest.raises(InputError, match=re.escape(message)):
        dt.design(**options)


@pytest.mark.parametrize(
    ("options", "message"),
    [
        ({"rule": "hope"}, "`futility` must be one of predictive-power"),
        ({"threshold": 0.0}, f"`futility_threshold` {INSIDE}; got 0.0"),
        ({"earliest": 1.0}, "`futility_from` must be at least 0 and below 1; got 1.0"),
        ({"earliest": -0.1}, "`futility_from` must be at least 0 and below 1; got -0.1"),
    ],
    ids=str,
)
def test_a_futility_rule_refuses(options: dict[str, Any], message: str) -> None:
    with pytest.raises(InputError, match=re.escape(message)):
        dt.Futility(**options)


# Raters


@pytest.mark.parametrize(
    ("option", "value", "message"),
    [
        ("test", "t", "`test` must be one of paired-t, signed-rank, mann-whitney; got 't'"),
        ("correction", "bh", "`correction` must be one of none, holm, benjamini-hochberg"),
        ("alpha", 1.0, f"`alpha` {INSIDE}; got 1.0"),
        ("effect", 0.0, f"`effect` {ABOVE}; got 0.0"),
        ("effect", INF, f"`effect` {ABOVE}; got inf"),
        ("rng", -1, SEED),
    ],
)
def test_quality_control_refuses(option: str, value: Any, message: str) -> None:
    with pytest.raises(InputError, match=re.escape(message)):
        dt.quality_control(_judgments(), **{option: value})


@pytest.mark.parametrize(
    ("option", "value", "message"),
    [
        ("level", "ratio", "`level` must be one of interval, ordinal, nominal; got 'ratio'"),
        ("min_overlap", 2, f"`min_overlap` {WHOLE} 3; got 2"),
        ("alpha", 0.0, f"`alpha` {INSIDE}; got 0.0"),
    ],
)
def test_agreement_refuses(option: str, value: Any, message: str) -> None:
    with pytest.raises(InputError, match=re.escape(message)):
        dt.agreement(_judgments(), **{option: value})


@pytest.mark.parametrize(
    ("option", "value", "message"),
    [
        ("pooled", "none", "`pooled` must be one of within-system, all, mean-of-systems"),
        ("repeats", "last", "`repeats` must be one of mean, first; got 'last'"),
        ("unit", "segment", "`unit` must be one of auto, item, document, rater; got 'segment'"),
        ("alpha", 1.5, f"`alpha` {INSIDE}; got 1.5"),
    ],
)
def test_variance_components_refuse(option: str, value: Any, message: str) -> None:
    with pytest.raises(InputError, match=re.escape(message)):
        dt.variance_components(_judgments(), **{option: value})


@pytest.mark.parametrize(
    "gone", [{"n_resamples": 999}, {"rng": 1}, {"progress": None}], ids=str
)
@pytest.mark.parametrize("measure", [dt.agreement, dt.variance_components])
def test_what_draws_nothing_takes_no_draws(measure: Any, gone: dict[str, Any]) -> None:
    with pytest.raises(TypeError, match="unexpected keyword argument"):
        measure(_judgments(), **gone)


@pytest.mark.parametrize(
    ("options", "message"),
    [
        ({"n_judgments": 0}, f"`n_judgments` {WHOLE} 1; got 0"),
        ({"quality": -1.0}, "`quality` and `noise` must be at least 0; got -1.0 and 1.0"),
        ({"noise": -2.0}, "`quality` and `noise` must be at least 0; got 1.0 and -2.0"),
    ],
    ids=str,
)
def test_allocations_refuse(options: dict[str, Any], message: str) -> None:
    with pytest.raises(InputError, match=re.escape(message)):
        allocations(**{"quality": 1.0, "noise": 1.0, "n_judgments": 100, **options})


# A metric beside the judgments


@pytest.mark.parametrize(
    ("options", "message"),
    [
        ({"target": "world"}, "`target` must be one of domain, test-set; got 'world'"),
        ({"alpha": 0.0}, f"`alpha` {INSIDE}; got 0.0"),
        ({"baseline": "Z"}, "`baseline` must be one of A, B; got 'Z'"),
        ({"quality_share": 0.0}, "`quality_share` must lie above 0 and at most at 1; got 0.0"),
        ({"quality_share": 1.1}, "`quality_share` must lie above 0 and at most at 1; got 1.1"),
    ],
    ids=str,
)
def test_control_variates_refuse(options: dict[str, Any], message: str) -> None:
    with pytest.raises(InputError, match=re.escape(message)):
        dt.control_variates(_judgments(), _comet(), **options)


def test_a_share_of_one_is_all_quality() -> None:
    found = dt.control_variates(_judgments(), _comet(), quality_share=1.0)
    assert len(found.systems) == 2


@pytest.mark.parametrize(
    ("call", "message"),
    [
        (lambda: data_efficiency(1.01, gamma=1.0), "`correlation` must lie between -1 and 1"),
        (lambda: data_efficiency(NAN, gamma=1.0), "`correlation` must lie between -1 and 1"),
        (lambda: data_efficiency(0.5, gamma=-0.1), "`gamma` must be at least 0; got -0.1"),
        (lambda: data_efficiency(0.5, gamma=NAN), "`gamma` must be at least 0; got nan"),
        (lambda: observed_data_efficiency(-1.5), "`correlation` must lie between -1 and 1"),
        (
            lambda: within_system_correlation(_judgments(), [1.0, 2.0]),
            "`metric` must hold one value for each of the 96 judgments; got shape (2,)",
        ),
    ],
)
def test_data_efficiency_refuses(call: Any, message: str) -> None:
    with pytest.raises(InputError, match=re.escape(message)):
        call()


@pytest.mark.parametrize(
    ("rho", "gamma", "expected"),
    [(1.0, 0.0, INF), (-1.0, 0.0, INF), (0.0, 3.0, 1.0), (0.5, INF, 1.0), (-1.0, 1.0, 2.0)],
)
def test_the_borders_of_data_efficiency(rho: float, gamma: float, expected: float) -> None:
    assert data_efficiency(rho, gamma=gamma) == expected


def test_a_correlation_needs_spread_on_both_sides() -> None:
    flat = np.full(96, 3.0)
    with pytest.raises(DataError, match="do not both vary within a system"):
        within_system_correlation(_judgments(), flat)


# Tasks


@pytest.mark.parametrize(
    ("options", "message"),
    [
        ({"kind": "page"}, "`kind` must be one of segment, document; got 'page'"),
        ({"kind": "document"}, '`kind` must be "segment" for a corpus without documents'),
        ({"assignment": "all"}, "`assignment` must be one of paired, random; got 'all'"),
        ({"unit": "letter"}, "`unit` must be one of auto, word, character; got 'letter'"),
        ({"per_task": 0}, f"`per_task` {WHOLE} 1; got 0"),
        ({"per_task": 50}, "`per_task` must be a multiple of 20 for single sentences"),
        (
            {"per_task": 120, "assignment": "random"},
            "120 needs 84 outputs, and there are 80. Choose a smaller multiple",
        ),
        ({"raters": 0}, f"`raters` {WHOLE} 1; got 0"),
        ({"raters": 41}, "`raters` must be at most 40: there are 40 sentences to share out"),
        (
            {"raters": 3, "assignment": "random"},
            "at most 2: there are 2 tasks to share out; got 3",
        ),
        ({"n_items": 0}, f"`n_items` {WHOLE} 1; got 0"),
        ({"n_items": 2.5}, f"`n_items` {WHOLE} 1; got 2.5"),
        ({"n_items": 41}, "`n_items` must be at most 40, the lines of the corpus; got 41"),
        (
            {"overlap": -0.1},
            "`overlap` must lie between 0 and 1, a share of the items; got -0.1",
        ),
        ({"overlap": 1.01}, "`overlap` must lie between 0 and 1"),
        ({"overlap": float("nan")}, "`overlap` must lie between 0 and 1"),
        (
            {"overlap": 0.1, "assignment": "random"},
            '`overlap` must be 0 with assignment="random"; got 0.1. Whole items are judged twice',
        ),
        ({"overlap": 0.1, "raters": 1}, "`raters` must be at least 2 for an overlap; got 1"),
        ({"systems": []}, "`systems` must be among A, B; got 'none'"),
        ({"systems": ["A", "C"]}, "`systems` must be among A, B; got 'C'"),
        ({"rng": -1}, SEED),
    ],
    ids=str,
)
def test_tasks_refuse(options: dict[str, Any], message: str) -> None:
    with pytest.raises(InputError, match=re.escape(message)):
        dt.make_tasks(_texts(), **options)


@pytest.mark.parametrize(
    ("options", "message"),
    [
        ({"per_task": 9}, "`per_task` must be at least 10 for documents; got 9"),
        (
            {"raters": 5},
            "`raters` must be at most 4: there are 4 documents to share out; got 5",
        ),
        ({"raters": 9, "assignment": "random"}, "tasks to share out; got 9"),
        ({"overlap": 0.1, "raters": 1}, "`raters` must be at least 2 for an overlap; got 1"),
    ],
    ids=str,
)
def test_tasks_of_documents_refuse(options: dict[str, Any], message: str) -> None:
    texts = _texts(documents=[f"d{i // 10}" for i in range(40)])
    with pytest.raises(InputError, match=re.escape(message)):
        dt.make_tasks(texts, kind="document", **options)


def test_items_of_several_tasks_are_not_taken_together() -> None:
    """Only `compare` weighs tasks; nobody pools languages without saying so."""
    rng = np.random.default_rng(1)
    scores = dt.Scores.build(
        {name: rng.normal(size=20) for name in "AB"},
        tasks=["cs", "de"] * 10,
        documents=[f"d{i // 2}" for i in range(20)],
    )
    judged = dt.Judgments.build(
        {"system": ["A"] * 8, "item": [str(i + 1) for i in range(8)], "score": [50] * 8}
    )
    for call in (
        lambda: dt.scenarios.Pilot.from_scores(scores, "A", "B"),
        lambda: dt.select(scores, n_items=4, by="random"),
        lambda: dt.control_variates(judged, scores),
        lambda: dt.reliability(scores, rng=1),
    ):
        with pytest.raises(DataError, match="2 tasks or language pairs: cs, de"):
            call()
