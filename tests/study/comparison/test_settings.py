"""The choices of a comparison: every one is checked, and written into the signature."""

import json
import math
import re
import warnings
from dataclasses import replace
from typing import Any

import numpy as np
import pytest

from detectable.core.errors import CompatibilityWarning, InputError, SuspiciousDataWarning
from detectable.core.types import silent
from detectable.data.scores.scores import Scores
from detectable.report.shown.comparison_words import design, pair_sentence
from detectable.study.comparison.compare import compare
from detectable.study.comparison.measure import choose_metrics, measure
from detectable.study.comparison.options import CompareSettings
from detectable.study.comparison.settings import Chosen, choose, per_metric
from tests.helpers import reference_data
from tests.study.comparison.tables import RootMeanSquare, documents_of, noisy_scores, pair_of

ONE_OF = "must be one of"


@pytest.mark.parametrize(
    ("option", "value", "message"),
    [
        ("claim", "best", f"`claim` {ONE_OF} better, non-inferior, equivalent; got 'best'"),
        ("test", "u", f"`test` {ONE_OF} auto, randomization, t, bootstrap; got 'u'"),
        ("test", None, f"`test` {ONE_OF} auto, randomization, t, bootstrap; got None"),
        ("run_variance", "mean", f"`run_variance` {ONE_OF} own, pooled; got 'mean'"),
        (
            "interval",
            "bayes",
            f"`interval` {ONE_OF} test, delta, percentile, basic, bca; got 'bayes'",
        ),
        (
            "interval",
            "BCa",
            f"`interval` {ONE_OF} test, delta, percentile, basic, bca; got 'BCa'",
        ),
        ("runs", "mixed", f"`runs` {ONE_OF} auto, random, fixed; got 'mixed'"),
        ("correction", "bh", f"`correction` {ONE_OF} auto, max-t, holm, none; got 'bh'"),
        ("correction", None, f"`correction` {ONE_OF} auto, max-t, holm, none; got None"),
        ("family", "all", f"`family` {ONE_OF} systems, systems-and-metrics; got 'all'"),
        ("unit", "line", f"`unit` {ONE_OF} auto, segment, document; got 'line'"),
        ("compat", "moses", f"`compat` {ONE_OF} multeval, sacrebleu; got 'moses'"),
        ("alpha", 0.0, "`alpha` must lie strictly between 0 and 1; got 0.0"),
        ("alpha", 1.0, "`alpha` must lie strictly between 0 and 1; got 1.0"),
        ("alpha", 5, "`alpha` must lie strictly between 0 and 1; got 5"),
        ("alpha", float("nan"), "`alpha` must lie strictly between 0 and 1; got nan"),
        ("power", 0.0, "`power` must lie strictly between 0 and 1; got 0.0"),
        ("power", 80, "`power` must lie strictly between 0 and 1; got 80"),
        ("n_resamples", 0, "`n_resamples` must be a whole number ≥ 1; got 0"),
        ("n_resamples", 99.5, "`n_resamples` must be a whole number ≥ 1; got 99.5"),
        ("n_resamples", True, "`n_resamples` must be a whole number ≥ 1; got True"),
        ("n_examples", -1, "`n_examples` must be a whole number ≥ 0; got -1"),
        ("margin", 0.0, "`margin` must be a finite number above 0; got 0.0"),
        ("margin", float("inf"), "`margin` must be a finite number above 0; got inf"),
        ("effect", -0.5, "`effect` must be a finite number above 0; got -0.5"),
        ("effect", {"mean": 0.0}, "`effect` must be a finite number above 0; got 0.0"),
        ("effect", {"bleu": 1.0}, f"`effect of metric` {ONE_OF} mean; got 'bleu'"),
        ("rng", -3, "`rng` must be a Generator, a whole number ≥ 0 or None; got -3"),
        ("n_jobs", 0, "`n_jobs` must be a whole number ≥ 1; got 0"),
        ("baseline", "Z", "no system named 'Z'; there are A, B"),
    ],
    ids=str,
)
def test_one_bad_value_per_option(option: str, value: Any, message: str) -> None:
    options = {"n_resamples": 9, "rng": 1, option: value}
    with pytest.raises(InputError, match=re.escape(message)):
        compare(noisy_scores(0.1, n=10), **options)


@pytest.mark.parametrize(
    ("options", "message"),
    [
        (
            {"compat": "sacrebleu", "runs": "random"},
            "`compat='sacrebleu'` fixes the test, so it goes with neither `runs='random'` nor "
            "`correction='max-t'`. Drop one of them.",
        ),
        ({"compat": "multeval", "correction": "max-t"}, "`compat='multeval'` fixes the test"),
        ({"compat": "sacrebleu", "correction": "max-t"}, "`compat='sacrebleu'` fixes the test"),
        (
            {"compat": "multeval", "unit": "document"},
            "`compat='multeval'` resamples segments; `unit='document'` does not fit.",
        ),
        (
            {"compat": "multeval", "test": "bootstrap"},
            "MultEval tests by randomization only; drop `test='bootstrap'`.",
        ),
        (
            {"compat": "multeval", "test": "t"},
            "MultEval tests by randomization only; drop `test='t'`.",
        ),
        ({"compat": "sacrebleu", "test": "t"}, "sacreBLEU has no t test; drop `test='t'`."),
        (
            {"compat": "sacrebleu", "claim": "equivalent"},
            "`compat='sacrebleu'` tests for a difference, so it does not go with "
            "`claim='equivalent'`. Drop one of them.",
        ),
        (
            {"claim": "non-inferior", "alpha": 0.5},
            "`alpha` must be below .5 for a claim about a margin, which is one-sided; got 0.5.",
        ),
        (
            {"runs": "random", "test": "randomization"},
            "`test='randomization'` resamples units only, so it does not go with "
            "`runs='random'`, which is a t test over units and runs. Drop one of them.",
        ),
        (
            {"runs": "random", "test": "bootstrap"},
            "`test='bootstrap'` resamples units only, so it does not go with `runs='random'`",
        ),
        *(
            (
                {"runs": "random", "interval": interval},
                f"`interval='{interval}'` resamples units only, so it does not go with",
            )
            for interval in ("percentile", "basic", "bca")
        ),
        (
            {"runs": "random", "correction": "max-t"},
            "`correction='max-t'` needs resampled differences, and `runs='random'` is a t test. "
            "Use `correction='holm'`.",
        ),
    ],
    ids=str,
)
def test_choices_that_exclude_each_other(options: dict[str, Any], message: str) -> None:
    with pytest.raises(InputError, match=re.escape(message)):
        CompareSettings(**options)


@pytest.mark.parametrize(
    "options",
    [
        {"compat": "sacrebleu", "test": "bootstrap"},
        {"compat": "sacrebleu", "unit": "segment"},
        {"compat": "multeval", "interval": "bca"},
        {"runs": "random", "correction": "none"},
        {"test": "bootstrap", "correction": "max-t", "interval": "basic"},
        {"n_examples": 0},
        {"n_resamples": 1},
        {"runs": "random", "test": "t", "interval": "delta", "run_variance": "pooled"},
        {"claim": "better", "alpha": 0.5},
        {"claim": "equivalent", "alpha": 0.49},
    ],
    ids=str,
)
def test_choices_that_go_together(options: dict[str, Any]) -> None:
    settings = CompareSettings(**options)
    assert {name: getattr(settings, name) for name in options} == options


def test_the_defaults_are_the_first_words() -> None:
    settings = CompareSettings()
    assert (settings.test, settings.interval, settings.runs) == ("auto", "test", "auto")
    assert (settings.correction, settings.family, settings.unit) == ("auto", "systems", "auto")
    assert (settings.claim, settings.run_variance) == ("better", "own")
    assert (settings.compat, settings.alpha, settings.power) == (None, 0.05, 0.80)
    assert (settings.n_resamples, settings.n_examples) == (None, 3)


@pytest.mark.parametrize(
    ("options", "only"),
    [
        ({}, False),
        ({"runs": "random"}, False),
        ({"test": "t"}, False),
        ({"interval": "delta"}, False),
        ({"correction": "holm"}, False),
        ({"correction": "none"}, False),
        ({"runs": "fixed"}, True),
        ({"test": "randomization"}, True),
        ({"test": "bootstrap"}, True),
        ({"interval": "bca"}, True),
        ({"correction": "max-t"}, True),
        ({"compat": "multeval"}, True),
    ],
    ids=str,
)
def test_what_resamples_units_is_about_these_runs(options: dict[str, Any], only: bool) -> None:
    assert CompareSettings(**options).only_these_runs is only


@pytest.mark.parametrize("alpha", [0.05, 0.01, 0.1])
def test_the_confidence_level_is_the_rest_of_alpha(alpha: float) -> None:
    assert CompareSettings(alpha=alpha).level == 1.0 - alpha


# The signature


def test_the_signature_names_every_choice_that_makes_the_numbers() -> None:
    result = compare(
        noisy_scores(0.1, 0.2, n=20),
        (RootMeanSquare(),),
        baseline="A",
        test="bootstrap",
        interval="basic",
        correction="max-t",
        family="systems-and-metrics",
        alpha=0.1,
        power=0.9,
        n_resamples=19,
        rng=7,
    )
    text = str(result.signature)
    assert text.startswith(
        "compare|metrics:rms[aggregation:rms]|systems:3|unit:segment|n:20|claim:better|"
        "test:bootstrap|R:19|runs:fixed|interval:basic|correction:max-t|family:systems-and-metrics|alpha:0.1|"
        "power:0.9|seed:7|detectable:"
    )


def _signed(n: int = 30, runs: int = 1, **options: Any) -> str:
    scores = noisy_scores(0.1, n=n, runs=runs, run_sd=0.1)
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", CompatibilityWarning)
        return str(compare(scores, n_resamples=19, rng=1, **options).signature)


def test_the_signature_of_runs_says_what_the_verdict_is_about() -> None:
    asked = _signed(runs=2, test="t")
    assert "|test:t-two-way|these-runs:t|runs:random|interval:" in asked
    default = _signed(runs=2)
    assert "|test:t-two-way|these-runs:swap|R:19|runs:random|interval:" in default
    assert "|correction:holm|" in default
    assert "|correction:max-t|" in _signed(runs=2, test="randomization")
    pooled = _signed(runs=2, run_variance="pooled")
    assert "|runs:random|run-variance:pooled|interval:" in pooled


@pytest.mark.parametrize(
    ("options", "name"),
    [
        ({"compat": "multeval"}, "multeval-randomization|R:19"),
        ({"compat": "sacrebleu"}, "sacrebleu-randomization|R:19"),
        ({"compat": "sacrebleu", "test": "bootstrap"}, "sacrebleu-bootstrap|R:19"),
        ({"test": "bootstrap"}, "bootstrap|R:19"),
        ({"test": "t"}, "t|runs:fixed"),
        ({"n": 6}, "t|runs:fixed"),
        ({"n": 7}, "swap|R:all"),
        ({}, "swap|R:19"),
    ],
    ids=str,
)
def test_the_signature_names_the_test_that_was_made(options: dict[str, Any], name: str) -> None:
    assert f"|test:{name}|" in _signed(**options)


# Other tools' tests


@pytest.mark.parametrize(
    ("options", "words"),
    [
        ({"compat": "multeval"}, "compat='multeval' counts every run as further independent"),
        ({"compat": "sacrebleu"}, "compat='sacrebleu' counts a tie as less extreme"),
        (
            {"compat": "sacrebleu", "test": "bootstrap"},
            "compat='sacrebleu' with the bootstrap centres absolute differences",
        ),
    ],
    ids=["multeval", "sacrebleu with its default test", "sacrebleu bootstrap"],
)
def test_another_tools_test_comes_with_what_is_wrong_with_it(
    options: dict[str, Any], words: str
) -> None:
    scores = replace(noisy_scores(0.1), metric="comet")
    with pytest.warns(CompatibilityWarning, match=re.escape(words)):
        result = compare(scores, n_resamples=9, rng=1, **options)
    assert [note.startswith(words) for note in result.notes] == [True]


@pytest.mark.parametrize("compat", ["multeval", "sacrebleu"])
def test_other_tools_know_no_documents(compat: Any) -> None:
    documents = [f"d{i // 10}" for i in range(60)]
    scores = noisy_scores(0.1, documents=documents)
    assert compare(scores, n_resamples=9, rng=1).unit == "document"
    with pytest.warns(CompatibilityWarning):
        theirs = compare(scores, compat=compat, n_resamples=9, rng=1)
    assert (theirs.unit, theirs.n_units) == ("segment", 60)


def test_sacrebleu_knows_one_run() -> None:
    with (
        pytest.warns(CompatibilityWarning),
        pytest.raises(InputError, match="knows one run per system; got several"),
    ):
        compare(noisy_scores(0.1, runs=2), compat="sacrebleu", n_resamples=9, rng=1)


# One number per metric


def test_one_number_serves_one_metric() -> None:
    assert per_metric(0.5, ("bleu",), "margin") == {"bleu": 0.5}
    assert per_metric(None, ("bleu", "chrf"), "margin") == {}


def test_a_mapping_may_leave_metrics_out() -> None:
    assert per_metric({"chrf": 2}, ("bleu", "chrf"), "effect") == {"chrf": 2.0}


@pytest.mark.parametrize("name", ["margin", "effect"])
def test_one_number_cannot_serve_two_metrics(name: str) -> None:
    wanted = (
        f"`{name}` must name its metric when there are several; got 0.5 for bleu, chrf. "
        f"Write {name}={{'bleu': 0.5}}."
    )
    with pytest.raises(InputError, match=re.escape(wanted)):
        per_metric(0.5, ("bleu", "chrf"), name)


# --- How a comparison is tested follows from its design: few units, many pairs, runs ---

QUICK: dict[str, Any] = {"rng": 1, "n_examples": 0}


def _chosen(
    n: int, n_pairs: int = 1, *, n_runs: int = 1, margins: bool = False, **options: Any
) -> Chosen:
    scores = noisy_scores(0.1, n=n, runs=n_runs)
    measured = measure(scores, choose_metrics(scores, "mean"), unit="auto", progress=silent)
    return choose(measured, n_pairs, CompareSettings(**options), margins=margins)


# Few units


def test_one_unit_is_refused_with_a_remedy() -> None:
    one = Scores.build({"A": [1.0], "B": [2.0]})
    with pytest.raises(InputError, match=r"at least two items that every system was scored"):
        compare(one, **QUICK)
    with pytest.raises(
        InputError, match=r"at least two documents; .*'d'.* Use `unit='segment'`"
    ):
        compare(noisy_scores(0.1, n=6, documents=["d"] * 6), **QUICK)
    # What is left of two segments where one has a gap is one segment.
    gap = Scores.build({"A": [1.0, np.nan], "B": [2.0, 3.0]})
    with (
        pytest.warns(SuspiciousDataWarning, match="1 item of 2 left out"),
        pytest.raises(InputError, match=r"scored on; got 1\."),
    ):
        compare(gap, **QUICK)


@pytest.mark.parametrize(
    ("n", "alpha", "test"),
    [
        *((n, 0.05, "t") for n in range(2, 7)),
        *((n, 0.05, "swap") for n in (7, 8, 15, 16, 100)),
        *((n, 0.01, "t") for n in (7, 9)),
        (10, 0.01, "swap"),
        (6, 0.1, "swap"),
        (5, 0.1, "t"),
    ],
)
def test_the_test_follows_the_number_of_units_and_alpha(
    n: int, alpha: float, test: str
) -> None:
    assert _chosen(n, alpha=alpha).test == test


def test_documents_are_counted_and_not_their_segments() -> None:
    scores = noisy_scores(0.1, n=60, documents=documents_of([10] * 6))
    result = compare(scores, baseline="A", **QUICK)
    assert (result.test, result.n_units, result.n_resamples) == ("t", 6, None)
    assert design(result).startswith(
        "6 documents: too few to swap (the smallest possible p is .031)"
    )
    seven = noisy_scores(0.1, n=70, documents=documents_of([10] * 7))
    result = compare(seven, baseline="A", **QUICK)
    assert (result.test, result.exact, result.n_resamples, design(result)) == (
        "swap",
        True,
        63,
        "",
    )


@pytest.mark.parametrize("n", [2, 3, 4, 5])
def test_a_swap_test_by_name_that_cannot_reject_says_so(n: int) -> None:
    """p is honest, the verdict undecided, and nothing is promised."""
    d = np.arange(1.0, n + 1.0)
    scores = Scores.build({"A": np.zeros(n), "B": d})
    result = compare(scores, baseline="A", test="randomization", **QUICK)
    pair = pair_of(result)
    assert pair.p_value == pair.attainable_p == 2.0 ** (1 - n)
    assert (pair.verdict, pair.units_needed) == ("undecided", 6)
    assert math.isnan(pair.mde)
    assert pair.interval.to_json() == [-math.inf, math.inf]
    assert result.to_dict()["pairs"][0]["interval"] == [None, None]
    assert pair_sentence(result, pair).endswith("It needs at least 6.")


def test_two_units_have_one_degree_of_freedom() -> None:
    pair = pair_of(compare(Scores.build({"A": [1.0, 2.0], "B": [2.0, 5.0]}), **QUICK))
    assert (pair.difference, pair.df) == (2.0, 1.0)
    assert pair.standard_error == pytest.approx(1.0)
    # Student's t with one degree of freedom is Cauchy: p = 1 − 2 atan(2)/π.
    assert pair.p_value == pytest.approx(1.0 - 2.0 * math.atan(2.0) / math.pi, rel=1e-9)


# All swaps, or drawn ones


@pytest.mark.parametrize(("n", "exact"), [(7, True), (15, True), (16, False)])
def test_up_to_fifteen_units_all_swaps_are_counted(n: int, exact: bool) -> None:
    scores = noisy_scores(0.3, 0.1, n=n)
    first, second = (compare(scores, rng=seed, n_examples=0) for seed in (1, 2))
    assert (first.exact, first.n_resamples) == (exact, 2 ** (n - 1) - 1 if exact else 9_999)
    same = [p.p_value for p in first.pairs] == [p.p_value for p in second.pairs]
    assert same is exact
    if exact:
        patterns = [pair.p_value * 2 ** (n - 1) for pair in first.pairs]
        assert patterns == [round(x) for x in patterns]


# How many swaps


def _gold_resamples() -> list[dict[str, Any]]:
    path = reference_data("gold", "small_samples.json")
    rows: list[dict[str, Any]] = json.loads(path.read_text(encoding="utf-8"))["resamples"][
        "rows"
    ]
    return rows


@pytest.mark.golden
def test_holm_asks_for_as_many_swaps_as_its_strictest_level_needs() -> None:
    for row in _gold_resamples():
        assert _chosen(50, row["pairs"], correction="holm").n_resamples == row["R_holm"]
        assert _chosen(50, row["pairs"]).n_resamples == 9_999  # max-T


@pytest.mark.golden
def test_too_few_swaps_for_holm_are_refused() -> None:
    for row in _gold_resamples():
        pairs, fewest = row["pairs"], row["smallest_possible_R"]
        enough = _chosen(50, pairs, correction="holm", n_resamples=fewest)
        assert enough.n_resamples == fewest
        if pairs == 1:
            continue
        message = f"must be at least {fewest:,} for Holm's correction over {pairs:,} tests"
        with pytest.raises(InputError, match=message):
            _chosen(50, pairs, correction="holm", n_resamples=fewest - 1)


def test_what_needs_no_swaps_is_not_refused_for_want_of_them() -> None:
    assert _chosen(5, 10, n_resamples=9).test == "t"
    assert _chosen(12, 10, correction="holm", n_resamples=9).n_patterns == 2047
    assert _chosen(50, 10, n_resamples=19).n_resamples == 19  # max-T


def test_equivalence_beside_max_t_is_corrected_by_holm_and_asks_for_its_swaps() -> None:
    # One-sided p-values are half as large, so half as many swaps as for differences will do.
    assert _chosen(50, 528, margins=True).n_resamples == 263_999
    assert _chosen(50, 1, margins=True).n_resamples == 9_999
    assert _chosen(50, 528, margins=True, n_resamples=99).n_resamples == 99


def test_no_more_than_two_million_swaps_are_drawn_unasked() -> None:
    assert _chosen(80, 3, correction="holm", alpha=1e-9).n_resamples == 2_000_000
    assert _chosen(80, 3, correction="holm", alpha=1e-3, n_resamples=3_000_000).n_resamples == (
        3_000_000
    )


# Bootstrap


@pytest.mark.parametrize(
    ("options", "named"),
    [
        ({"test": "bootstrap"}, "`test='bootstrap'`"),
        ({"interval": "bca"}, "`interval='bca'`"),
        ({"interval": "percentile", "test": "t"}, "`interval='percentile'`"),
        ({"interval": "basic", "compat": "multeval"}, "`interval='basic'`"),
    ],
    ids=str,
)
def test_below_twenty_units_nothing_is_resampled(options: dict[str, Any], named: str) -> None:
    with pytest.raises(InputError, match=rf"{named} resamples items, and 19 items are too"):
        _chosen(19, **options)
    assert _chosen(20, **options).n_units == 20


@pytest.mark.parametrize(("n", "noted"), [(20, True), (39, True), (40, False)])
def test_below_forty_units_resampling_is_noted(n: int, noted: bool) -> None:
    asked: list[dict[str, Any]] = [{"test": "bootstrap"}, {"interval": "bca"}]
    for options in asked:
        result = compare(noisy_scores(0.1, n=n), n_resamples=99, **options, **QUICK)
        assert (
            any(note.startswith(f"Resampling {n} items is rough") for note in result.notes)
            is noted
        )
    plain = compare(noisy_scores(0.1, n=n), n_resamples=99, **QUICK)
    assert not any("Resampling" in note for note in plain.notes)


# Correction


@pytest.mark.parametrize(
    ("options", "correction", "stepwise"),
    [
        ({}, "max-t", "holm"),
        ({"test": "bootstrap"}, "max-t", "holm"),
        ({"test": "t"}, "holm", "holm"),
        ({"compat": "multeval"}, "holm", "holm"),
        ({"correction": "holm"}, "holm", "holm"),
        ({"correction": "none"}, "none", "none"),
        ({"claim": "equivalent"}, "holm", "holm"),
        ({"claim": "non-inferior"}, "holm", "holm"),
    ],
    ids=str,
)
def test_max_t_wherever_there_is_a_joint_null(
    options: dict[str, Any], correction: str, stepwise: str
) -> None:
    chosen = _chosen(50, **options)
    assert (chosen.correction, chosen.stepwise) == (correction, stepwise)


@pytest.mark.parametrize(("n", "options"), [(5, {}), (50, {"test": "t"})])
def test_t_tests_have_no_max_t(n: int, options: dict[str, Any]) -> None:
    with pytest.raises(
        InputError, match=rf"needs swapped differences, and {n} items are tested by t"
    ):
        _chosen(n, correction="max-t", **options)


def test_margins_have_no_max_t() -> None:
    with pytest.raises(InputError, match=r"and a margin has none for `claim='equivalent'`"):
        _chosen(50, correction="max-t", claim="equivalent")


def test_a_family_may_span_metrics() -> None:
    assert _chosen(50, 6).family_size == 6
    scores = noisy_scores(0.1, 0.2, n=20)
    one, both = (
        compare(scores, ("mean", "mean-error"), family=family, correction="holm", **QUICK)
        for family in ("systems", "systems-and-metrics")
    )
    for narrow, wide in zip(one.pairs, both.pairs, strict=True):
        assert narrow.p_value <= narrow.p_adjusted <= wide.p_adjusted
        assert wide.mde > narrow.mde


# Runs


@pytest.mark.parametrize(
    ("options", "about"),
    [
        ({}, "random"),
        ({"runs": "random"}, "random"),
        ({"test": "t"}, "random"),
        ({"correction": "holm"}, "random"),
        ({"runs": "fixed"}, "fixed"),
        ({"test": "randomization"}, "fixed"),
        ({"interval": "bca"}, "fixed"),
        ({"correction": "max-t"}, "fixed"),
    ],
    ids=str,
)
def test_with_two_runs_each_the_verdict_is_about_the_systems(
    options: dict[str, Any], about: str
) -> None:
    assert _chosen(50, n_runs=2, **options).runs == about
    if options.get("runs") != "random":
        assert _chosen(50, n_runs=1, **options).runs == "fixed"


def test_one_system_with_one_run_makes_it_about_these_runs() -> None:
    rng = np.random.default_rng(1)
    scores = Scores.build({"A": rng.normal(size=(3, 20)), "B": rng.normal(size=(1, 20))})
    with pytest.warns(SuspiciousDataWarning, match="different numbers of runs"):
        result = compare(scores, **QUICK)
    assert result.runs == "fixed"
    assert pair_of(result).new_runs is not None
    assert (
        "B has one run: for new runs, the mean run variance of the others is assumed."
        in result.notes
    )
