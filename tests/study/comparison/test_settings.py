"""The choices of a comparison: every one is checked, and written into the signature."""

import re
import warnings
from dataclasses import replace
from typing import Any

import pytest

from detectable.core.errors import CompatibilityWarning, InputError
from detectable.study.comparison.compare import compare
from detectable.study.comparison.settings import CompareSettings, per_metric
from tests.study.comparison.tables import RootMeanSquare, noisy_scores

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
