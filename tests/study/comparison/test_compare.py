"""Comparisons: verdicts, several systems and runs, units, repeatability, messages."""

import warnings
from typing import Any

import numpy as np
import pytest
from scipy import stats

from detectable.core.errors import CompatibilityWarning, InputError, SuspiciousDataWarning
from detectable.core.types import FloatArray
from detectable.data.example.bundled import example_corpus
from detectable.data.scores.scores import Scores
from detectable.inference.standard_errors import median_unbiased
from detectable.inference.swap_power import units_needed
from detectable.metrics.mean import Mean
from detectable.study.comparison.compare import compare
from detectable.study.comparison.result import Comparison, PairComparison
from tests.study.comparison.tables import RootMeanSquare


def _scores(*shifts: float, n: int = 200, runs: int = 1, seed: int = 1, **more: Any) -> Scores:
    """Return systems A, B, … whose scores differ from A by `shifts` and independent noise."""
    rng = np.random.default_rng(seed)
    base = rng.normal(size=n)
    tables: dict[str, FloatArray] = {}
    for name, shift in zip("ABCDEFG", (0.0, *shifts), strict=False):
        tables[name] = base + shift + 0.5 * rng.normal(size=(runs, n))
    return Scores.build(tables, **more)


def _pair(result: Comparison, system: str = "B") -> PairComparison:
    return next(pair for pair in result.pairs if pair.system == system)


def test_a_comparison_of_means_agrees_with_the_paired_t_test() -> None:
    scores = _scores(0.08)
    pair = _pair(compare(scores, baseline="A", n_resamples=50_000, rng=1))
    a, b = scores.systems["A"][0], scores.systems["B"][0]
    expected = stats.ttest_rel(b, a)
    assert pair.difference == pytest.approx((b - a).mean())
    low, high = expected.confidence_interval()
    # Half samples differ from Student's interval by O(1/n) and by Monte Carlo error.
    assert pair.interval.to_json() == pytest.approx([low, high], abs=0.02 * (high - low))
    by_t = _pair(compare(scores, baseline="A", test="t", rng=1))
    assert by_t.interval.to_json() == pytest.approx([low, high], rel=1e-6)
    assert by_t.p_value == pytest.approx(expected.pvalue, rel=1e-6)
    # The randomization p-value differs from the t test's by O(1/n) and by Monte Carlo error.
    error = 4 * (expected.pvalue * (1 - expected.pvalue) / 50_000) ** 0.5
    assert pair.p_value == pytest.approx(expected.pvalue, abs=error + 1 / 200)


def test_verdicts() -> None:
    result = compare(_scores(0.5, -0.5, 0.0, n=400), baseline="A", margin=0.2, rng=2)
    assert {pair.system: pair.verdict for pair in result.pairs} == {
        "B": "better",
        "C": "worse",
        "D": "equivalent",
    }


def test_lower_is_better_turns_the_verdict_not_the_difference() -> None:
    pair = _pair(compare(_scores(0.5), "mean-error", baseline="A", rng=2))
    assert pair.verdict == "worse"
    assert pair.difference > 0


def test_undecided_comes_with_what_could_have_been_seen() -> None:
    result = compare(_scores(0.0, n=50), baseline="A", effect=0.05, rng=3)
    pair = _pair(result)
    assert pair.verdict == "undecided"
    # The same formula at the new number: a little less than 1/√n says, which starts from 50.
    error = median_unbiased(pair.standard_error, 49.0)
    needed = units_needed(0.05, error, 50, alpha=0.05, level=0.05, power=0.8, swap=None)
    assert pair.units_needed == needed
    assert needed == pytest.approx(50 * (pair.mde / 0.05) ** 2, rel=0.05)
    assert "could have detected" in result.summary()
    assert f"needs about {pair.units_needed:,} items" in result.summary()


def test_the_mde_does_not_depend_on_the_observed_difference() -> None:
    small = _pair(compare(_scores(0.0), baseline="A", rng=1)).mde
    large = _pair(compare(_scores(5.0), baseline="A", rng=1)).mde
    assert small == pytest.approx(large, rel=1e-6)


def test_a_copy_is_undecided_with_p_one_and_a_warning() -> None:
    values = np.random.default_rng(1).normal(size=40)
    scores = Scores.build({"A": values, "B": values})
    with pytest.warns(SuspiciousDataWarning, match="'A' and 'B' have identical scores"):
        result = compare(scores, baseline="A", rng=1)
    pair = _pair(result)
    assert (pair.p_value, pair.verdict, pair.difference) == (1.0, "undecided", 0.0)
    assert any("identical" in note for note in result.notes)


def test_documents_are_the_unit_where_they_are_known() -> None:
    documents = [f"d{i // 20}" for i in range(200)]
    rng = np.random.default_rng(4)
    shared = np.repeat(rng.normal(size=10), 20)
    base = rng.normal(size=200)
    tables = {"A": base, "B": base + 0.4 * shared + 0.1 * rng.normal(size=200)}
    result = compare(Scores.build(tables, documents=documents), baseline="A", rng=1)
    pair = _pair(result)
    assert (result.unit, result.n_units, result.n_segments) == ("document", 10, 200)
    by_document = stats.ttest_1samp((tables["B"] - tables["A"]).reshape(10, 20).mean(1), 0.0)
    by_t = compare(Scores.build(tables, documents=documents), baseline="A", test="t", rng=1)
    limits = by_document.confidence_interval()
    assert _pair(by_t).interval.to_json() == pytest.approx(limits, rel=1e-6)
    assert _pair(by_t).p_value == pytest.approx(by_document.pvalue, rel=1e-6)
    assert pair.naive is not None
    assert pair.naive.p_value < pair.p_value
    segments = compare(Scores.build(tables, documents=documents), unit="segment", rng=1)
    assert segments.unit == "segment"


def test_all_pairs_make_rank_groups() -> None:
    result = compare(_scores(1.0, 1.01, 2.0, n=300), rng=5)
    assert len(result.pairs) == 6
    assert result.groups["mean"] == (("D",), ("C", "B"), ("A",)) or result.groups["mean"] == (
        ("D",),
        ("B", "C"),
        ("A",),
    )
    assert {row.system: row.group for row in result.systems} == {"A": 3, "B": 2, "C": 2, "D": 1}


def test_holm_and_max_t_correct_and_none_does_not() -> None:
    scores = _scores(0.1, 0.05, 0.02, 0.0)
    answers = {
        correction: compare(scores, baseline="A", correction=correction, rng=6)
        for correction in ("holm", "max-t", "none")
    }
    raw = np.array([pair.p_value for pair in answers["none"].pairs])
    for correction, result in answers.items():
        p = np.array([pair.p_adjusted for pair in result.pairs])
        assert (p == raw).all() if correction == "none" else (p >= raw).all()
    mdes = {c: result.pairs[0].mde for c, result in answers.items()}
    assert mdes["none"] < mdes["max-t"] < mdes["holm"]


def test_the_family_can_span_metrics() -> None:
    corpus = example_corpus()
    options: Any = {"rng": 1, "n_resamples": 200, "correction": "holm"}
    narrow = compare(corpus, ("bleu", "chrf"), **options)
    wide = compare(corpus, ("bleu", "chrf"), family="systems-and-metrics", **options)
    assert [p.p_value for p in narrow.pairs] == [p.p_value for p in wide.pairs]
    assert min(p.p_adjusted for p in wide.pairs) == 2 * min(p.p_adjusted for p in narrow.pairs)
    joint = compare(corpus, ("bleu", "chrf"), family="systems-and-metrics", runs="fixed", rng=1)
    alone = compare(corpus, ("bleu", "chrf"), runs="fixed", rng=1)
    for both, one in zip(joint.pairs, alone.pairs, strict=True):
        assert both.p_value == one.p_value == one.p_adjusted <= both.p_adjusted


def test_random_runs_ask_more_of_the_data_than_fixed_ones() -> None:
    rng = np.random.default_rng(7)
    base = rng.normal(size=300)
    tables = {
        name: base + shift + 0.3 * rng.normal(size=(3, 1)) + 0.1 * rng.normal(size=(3, 300))
        for name, shift in (("A", 0.0), ("B", 0.2))
    }
    scores = Scores.build(tables)
    fixed = _pair(compare(scores, baseline="A", runs="fixed", rng=1))
    random = _pair(compare(scores, baseline="A", runs="random", effect=0.3, rng=1))
    assert fixed.verdict in ("better", "worse")
    assert random.verdict == "undecided"
    assert random.standard_error > fixed.standard_error
    assert random.mde_many_runs < random.mde
    assert random.runs_needed is not None
    assert random.runs_needed > 3


def test_dev_scores_give_s_dev() -> None:
    result = compare(
        _scores(0.1, runs=2), baseline="A", dev_scores={"B": [1.0, 3.0]}, rng=1, n_resamples=99
    )
    rows = {row.system: row.s_dev for row in result.systems}
    assert rows["B"] == pytest.approx(2**0.5)
    assert np.isnan(rows["A"])


def test_s_dev_stands_under_the_metric_that_was_tuned() -> None:
    scores = _scores(0.1, runs=2)
    asked: dict[str, Any] = {"dev_scores": {"B": [1.0, 3.0]}, "rng": 1, "n_resamples": 99}
    both = (Mean(), RootMeanSquare())
    result = compare(scores, both, baseline="A", dev_metric="rms", **asked)
    known = {row.metric for row in result.systems if not np.isnan(row.s_dev)}
    assert known == {"rms"}
    with pytest.raises(InputError, match="Name the one that was tuned: `dev_metric='mean'`"):
        compare(scores, both, baseline="A", **asked)
    with pytest.raises(InputError, match="`dev_metric` must be one of"):
        compare(scores, both, baseline="A", dev_metric="bleu", **asked)
    with pytest.raises(InputError, match="needs `dev_scores`"):
        compare(scores, both, baseline="A", dev_metric="rms", rng=1)


def test_s_dev_of_each_metric_that_was_tuned() -> None:
    scores = _scores(0.1, runs=2)
    asked: dict[str, Any] = {"baseline": "A", "rng": 1, "n_resamples": 99}
    both = (Mean(), RootMeanSquare())
    named = {"mean:B": [1.0, 3.0], "rms:B": [1.0, 2.0], "rms:A": [5.0, 9.0]}
    result = compare(scores, both, dev_scores=named, **asked)
    known = {(r.system, r.metric): r.s_dev for r in result.systems if not np.isnan(r.s_dev)}
    assert known == {
        ("B", "mean"): pytest.approx(2**0.5),
        ("B", "rms"): pytest.approx(0.5**0.5),
        ("A", "rms"): pytest.approx(8**0.5),
    }
    with pytest.raises(InputError, match="'bleu' is not among the metrics \\(mean, rms\\)"):
        compare(scores, both, dev_scores={"bleu:B": [1.0, 3.0]}, **asked)
    with pytest.raises(InputError, match="has no effect: the scores say their metric"):
        compare(scores, both, dev_scores=named, dev_metric="rms", **asked)
    with pytest.raises(InputError, match="has rms of 'B' twice"):
        compare(
            scores, both, dev_scores={"B": [1, 2], "rms:B": [1, 2]}, dev_metric="rms", **asked
        )


def test_a_system_may_have_the_name_of_a_metric_before_its_own() -> None:
    scores = Scores.build({"mean:B": [[1.0, 2.0, 4.0], [2.0, 3.0, 3.0]], "B": [[1.0] * 3] * 2})
    found = compare(scores, dev_scores={"mean:B": [1.0, 3.0]}, rng=1, n_resamples=99)
    assert [row.system for row in found.systems if not np.isnan(row.s_dev)] == ["mean:B"]


def test_items_without_a_score_are_left_out_and_named() -> None:
    scores = Scores.build({"A": [1.0, np.nan, 3.0, 4.0], "B": [2.0, 5.0, np.nan, 4.5]})
    with pytest.warns(SuspiciousDataWarning, match="2 items of 4 left out.*: 2, 3"):
        result = compare(scores, baseline="A", rng=1, n_resamples=99)
    assert result.n_units == 2
    assert _pair(result).difference == pytest.approx(0.75)


def test_zero_one_scores_are_an_accuracy() -> None:
    result = compare(
        Scores.build({"A": [0, 1, 0, 1], "B": [1, 1, 1, 1]}), rng=1, n_resamples=99
    )
    assert [row.score for row in result.systems] == [0.5, 1.0]
    assert result.metrics[0]["metric"] == "accuracy"


def test_contrasts_of_a_mean_are_its_parts() -> None:
    scores = Scores.build({"A": [0.0, 0.0, 0.0, 0.0], "B": [4.0, 1.0, 0.0, -1.0]})
    result = compare(scores, baseline="A", rng=1, n_resamples=99)
    parts = [(c.name, c.contribution) for c in result.contrasts]
    assert parts == [("1", 1.0), ("2", 0.25), ("4", -0.25)]


def test_contrasts_show_the_texts() -> None:
    corpus = example_corpus()
    result = compare(corpus, "bleu", baseline="baseline", rng=1, n_resamples=99, n_examples=2)
    segment = next(c for c in result.contrasts if c.unit == "segment")
    row = int(segment.name) - 1
    assert segment.reference == corpus.references[0][row]
    median = next(r for r in result.systems if r.system == "contender").median_run
    assert segment.system_output == corpus.output("contender", median)[row]
    assert any(c.unit == "document" and c.name.startswith("story-") for c in result.contrasts)


@pytest.mark.parametrize("interval", ["percentile", "basic", "bca"])
def test_bootstrap_intervals_resemble_the_closed_form(interval: Any) -> None:
    scores = _scores(0.1, n=500)
    delta = _pair(compare(scores, baseline="A", rng=1))
    drawn = _pair(compare(scores, baseline="A", interval=interval, rng=1))
    width = delta.interval.high - delta.interval.low
    assert drawn.interval.low == pytest.approx(delta.interval.low, abs=0.06 * width)
    assert drawn.interval.high == pytest.approx(delta.interval.high, abs=0.06 * width)
    assert drawn.p_value != 1.0


def test_the_bootstrap_test_agrees_with_randomization() -> None:
    scores = _scores(0.07, n=400)
    swaps = _pair(compare(scores, baseline="A", rng=1)).p_value
    draws = _pair(compare(scores, baseline="A", test="bootstrap", rng=1)).p_value
    assert swaps == pytest.approx(draws, abs=0.02)


def test_a_seed_repeats_everything_and_is_in_the_signature() -> None:
    scores = _scores(0.1)
    first = compare(scores, baseline="A", interval="bca", n_resamples=300)
    seed = int(first.signature.seed or 0)
    again = compare(scores, baseline="A", interval="bca", n_resamples=300, rng=seed)
    assert first.to_dict() == again.to_dict()


def test_jobs_do_not_change_the_answer() -> None:
    scores = _scores(0.1)
    one = compare(scores, baseline="A", n_resamples=3_000, rng=3)
    two = compare(scores, baseline="A", n_resamples=3_000, rng=3, n_jobs=2)
    assert one.to_dict() == two.to_dict()


def test_jobs_do_not_change_claims_runs_and_leverage() -> None:
    scores = _scores(0.2, 0.1, runs=2, n=60)
    options: Any = {"margin": 0.3, "n_resamples": 3_000, "rng": 3}
    one, two = (compare(scores, n_jobs=jobs, **options) for jobs in (1, 2))
    assert one.to_dict() == two.to_dict()


def test_documents_stand_beside_segments_that_were_asked_for() -> None:
    documents = [f"d{i // 20}" for i in range(200)]
    scores = _scores(0.1, documents=documents)
    by_segment = _pair(compare(scores, baseline="A", unit="segment", rng=1))
    by_document = _pair(compare(scores, baseline="A", test="t", rng=1))
    assert by_segment.p_by_document == by_document.p_value
    assert np.isnan(by_document.p_by_document)
    assert np.isnan(_pair(compare(_scores(0.1), baseline="A", rng=1)).p_by_document)


def test_many_systems_are_told_apart() -> None:
    """33 systems, 528 pairs: Holm over 10,000 swaps could decide nothing."""
    rng = np.random.default_rng(1)
    base = rng.normal(size=300)
    tables = {f"s{i:02d}": base + 0.5 * rng.normal(size=300) + (i == 0) for i in range(33)}
    result = compare(Scores.build(tables), rng=1, n_examples=0)
    assert (len(result.pairs), result.correction, result.n_resamples) == (528, "max-t", 9_999)
    decided = {
        frozenset((p.system, p.baseline)) for p in result.pairs if p.verdict != "undecided"
    }
    assert decided >= {frozenset(("s00", f"s{i:02d}")) for i in range(1, 33)}
    assert len(decided) < 40


def test_lower_is_better_for_texts_too() -> None:
    corpus = example_corpus()
    options: Any = {"baseline": "baseline", "rng": 1, "n_examples": 0}
    [ter] = compare(corpus, "ter", claim="non-inferior", margin=1.0, **options).pairs
    assert (ter.difference < 0.0, ter.verdict) == (True, "non-inferior")
    assert ter.interval.high < 1.0
    with pytest.raises(InputError, match="length only describes"):
        compare(corpus, "length", claim="non-inferior", margin=1.0, **options)
    [length] = compare(corpus, "length", claim="equivalent", margin=500.0, **options).pairs
    assert length.verdict == "equivalent"


def test_compatible_modes_warn() -> None:
    with pytest.warns(CompatibilityWarning, match="counts every run as further"):
        compare(_scores(0.1, runs=2), baseline="A", compat="multeval", rng=1, n_resamples=99)
    with pytest.warns(CompatibilityWarning, match="rejects a true null 9 to 11 %"):
        compare(
            _scores(0.1),
            baseline="A",
            compat="sacrebleu",
            test="bootstrap",
            rng=12345,
            n_resamples=99,
        )


def test_the_metrics_agreement_is_counted() -> None:
    result = compare(example_corpus(), ("bleu", "ter", "length"), rng=1, n_resamples=99)
    assert [a.metrics for a in result.agreement] == [("bleu", "ter")]
    assert (result.agreement[0].same_order, result.agreement[0].pairs) == (1, 1)
    assert {p.metric: p.verdict for p in result.pairs}["length"] in (
        "higher",
        "lower",
        "undecided",
    )


@pytest.mark.parametrize(
    ("options", "message"),
    [
        ({"baseline": "Z"}, "no system named 'Z'; there are A, B"),
        ({"metrics": "bleu"}, "metric 'bleu' needs texts, but the data hold segment scores"),
        ({"metrics": ("mean", "mean")}, "metric 'mean' is given twice"),
        ({"metrics": ()}, "`metrics` must name at least one metric"),
        ({"metrics": "bleus"}, "no metric named 'bleus'. Did you mean 'bleu'"),
        ({"unit": "document"}, "`unit='document'` needs the document of each item"),
        ({"runs": "random"}, "needs at least two runs of some system; all have one"),
        ({"runs": "random", "correction": "max-t"}, "`correction='max-t'` needs resampled"),
        ({"runs": "random", "test": "bootstrap"}, "`test='bootstrap'` resamples units only"),
        ({"runs": "random", "interval": "bca"}, "`interval='bca'` resamples units only"),
        ({"rng": -1}, "`rng` must be a Generator, a whole number ≥ 0 or None; got -1"),
        ({"compat": "sacrebleu"}, "needs its seed; give `rng=12345`"),
        ({"compat": "multeval", "test": "bootstrap"}, "MultEval tests by randomization only"),
        ({"compat": "multeval", "runs": "random"}, "`compat='multeval'` fixes the test"),
        ({"compat": "sacrebleu", "unit": "document"}, "resamples segments"),
        ({"alpha": 1.5}, "`alpha` must lie strictly between 0 and 1; got 1.5"),
        ({"test": "u"}, "`test` must be one of auto, randomization, t, bootstrap; got 'u'"),
        ({"margin": -1.0}, "`margin` must be a finite number above 0; got -1.0"),
        ({"margin": {"bleu": 1.0}}, "`margin of metric` must be one of mean; got 'bleu'"),
        ({"dev_scores": {"Z": [1.0]}}, "`dev_scores` names 'Z', which is not a system"),
        ({"dev_scores": {"A": [1.0, 2.0]}}, "one score for each of its 1 runs; got 2"),
    ],
    ids=lambda x: str(x)[:40],
)
def test_messages(options: dict[str, Any], message: str) -> None:
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", CompatibilityWarning)
        with pytest.raises(InputError, match=message.replace("(", r"\(")):
            compare(_scores(0.1), **{"n_resamples": 9, **options})


def test_a_margin_for_two_metrics_must_name_its_metric() -> None:
    with pytest.raises(
        InputError, match=r"`margin` must name its metric.*margin=\{'bleu': 0.5\}"
    ):
        compare(example_corpus(), ("bleu", "chrf"), margin=0.5)


def test_one_system_is_not_a_comparison() -> None:
    with pytest.raises(InputError, match="at least two systems; got A only"):
        compare(_scores())


def test_one_document_cannot_be_resampled() -> None:
    with pytest.raises(InputError, match="at least two documents; all items belong to 'd'"):
        compare(_scores(0.1, n=5, documents=["d"] * 5), rng=1)


def test_given_scores_are_called_by_their_name() -> None:
    result = compare(_scores(0.5, metric="COMET"), baseline="A", rng=1, n_resamples=99)
    assert " COMET [" in result.summary()
    assert result.metrics[0]["metric"] == "mean"
