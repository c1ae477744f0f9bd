"""Stratified samples: proportional, repeatable, unbiased, with a standard error that holds."""

import numpy as np
import pytest

from detectable.core.errors import DataError, InputError
from detectable.data.human.judgments import Judgments
from detectable.data.scores.scores import Scores
from detectable.study.precision.stratified import (
    stratified_estimate,
    stratified_means,
    stratify,
)


def pool(size: int = 1000, seed: int = 1) -> Scores:
    rng = np.random.default_rng(seed)
    return Scores.build(
        {"A": rng.normal(size=size), "B": rng.normal(size=size)},
        items=[f"i{i}" for i in range(size)],
    )


def test_every_bin_gives_its_share() -> None:
    found = stratify(pool(), 100, bins=5, rng=3)
    assert [s.n_chosen for s in found.strata] == [20] * 5
    assert len(set(found.items)) == 100
    assert all(a.high <= b.low for a, b in zip(found.strata, found.strata[1:], strict=False))
    assert found == stratify(pool(), 100, bins=5, rng=3)
    assert found.items != stratify(pool(), 100, bins=5, rng=4).items
    assert found.captured > 0.8
    assert "100 items of 1,000 chosen" in found.summary()
    assert "pool" not in found.to_dict()


def test_uneven_shares_go_to_the_largest_remainders() -> None:
    found = stratify(pool(103), 22, bins=4, rng=1)
    assert sum(s.n_chosen for s in found.strata) == 22
    assert {s.n_chosen for s in found.strata} == {5, 6}
    everything = stratify(pool(9), 9, bins=4, rng=1)
    assert len(everything.items) == 9


def test_items_without_scores_are_counted() -> None:
    scores = {"A": {"x": 1.0, "y": 2.0, "z": 3.0, "w": 4.0, "v": 5.0}, "B": {"x": 1.0}}
    scores["B"] |= {"y": 2.0, "z": 3.0, "w": 4.0}
    found = stratify(scores, 4, bins=1, rng=1)
    assert any("1 item left out, without a score for every system: v" in n for n in found.notes)


def test_the_estimator_by_hand() -> None:
    scores = np.array([1.0, 3.0, 10.0, 14.0, 12.0])
    stratum = np.array([0, 0, 1, 1, 1])
    sizes = np.array([30, 10])
    found = stratified_estimate(scores, stratum, sizes, "domain")
    assert found.value == pytest.approx(0.75 * 2 + 0.25 * 12)
    own = 0.75**2 * 2 / 2 + 0.25**2 * 4 / 3
    between = (0.75 * 2.5**2 + 0.25 * 7.5**2) / 40
    assert found.standard_error == pytest.approx((own + between) ** 0.5)
    cut = stratified_estimate(scores, stratum, sizes, "test-set", noise=0.0)
    parts = 0.75**2 * 2 / 2 * (1 - 2 / 30), 0.25**2 * 4 / 3 * (1 - 3 / 10)
    assert cut.standard_error == pytest.approx(sum(parts) ** 0.5)
    assert cut.df == pytest.approx(sum(parts) ** 2 / (parts[0] ** 2 / 1 + parts[1] ** 2 / 2))
    # Variances 2 and 4; noise of 3 leaves no quality in the first bin and 1 in the second.
    noisy = stratified_estimate(scores, stratum, sizes, "test-set", noise=3.0)
    parts = 0.75**2 * 2 / 2, 0.25**2 * (4 / 3 - 1 / 10)
    assert noisy.standard_error == pytest.approx(sum(parts) ** 0.5)
    safe = stratified_estimate(scores, stratum, sizes, "test-set")
    assert safe.standard_error == pytest.approx(own**0.5)


def test_systems_and_pairs_of_judged_items() -> None:
    chosen = stratify(pool(), 60, bins=3, rng=1)
    rng = np.random.default_rng(2)
    columns = {
        "system": ["A"] * 60 + ["B"] * 60,
        "item": [*chosen.items, *chosen.items],
        "score": np.concatenate([rng.normal(70, 5, 60), rng.normal(60, 5, 60)]),
    }
    judgments = Judgments.build(columns)
    found = stratified_means(judgments, chosen)
    assert found.pairs[0].estimate == pytest.approx(
        found.systems[0].estimate - found.systems[1].estimate
    )
    assert found.pairs[0].interval.low > 0
    assert found.summary().startswith("A − B: +")
    with pytest.raises(DataError, match=r"bin \d holds \d judged item"):
        stratified_means(judgments.take(np.arange(3)), chosen)


@pytest.mark.slow
@pytest.mark.parametrize("target", ["domain", "test-set"])
def test_intervals_cover_and_are_shorter(target: str) -> None:
    from scipy.stats import norm

    rng, trials = np.random.default_rng(4), 600
    hits, errors = 0, []
    for _ in range(trials):
        metric = rng.normal(size=500)
        human = 60 + 6 * metric + rng.normal(0, 8, 500)
        names = [f"i{i}" for i in range(500)]
        chosen = stratify({"A": dict(zip(names, metric, strict=True))}, 60, rng=rng)
        rows = [int(item[1:]) for item in chosen.items]
        columns = {"system": ["A"] * 60, "item": list(chosen.items), "score": human[rows]}
        judgments = Judgments.build(columns, scale=(-100, 200))
        found = stratified_means(
            judgments,
            chosen,
            target=target,  # type: ignore[arg-type]
            quality_share=1.0,
        )
        truth = 60.0 if target == "domain" else human.mean()
        hits += truth in found.systems[0].interval
        errors.append(found.systems[0].standard_error ** 2)
    assert hits / trials == pytest.approx(0.95, abs=3 * (0.05 * 0.95 / trials) ** 0.5)
    # ρ² = .36, of which five bins of a normal variable hold a share that its density gives.
    edges = norm.ppf(np.arange(6) / 5)
    held = 0.36 * 5 * np.square(np.diff(norm.pdf(edges))).sum()
    simple = 100 / 60
    if target == "domain":
        expected = simple * (1 - held) + 100 * held / 500
    else:
        expected = simple * (1 - held) * (1 - 60 / 500)
    error = np.std(errors, ddof=1) / trials**0.5
    assert np.mean(errors) == pytest.approx(expected, abs=3 * error)
    assert expected < 0.75 * simple


def test_refusals() -> None:
    with pytest.raises(InputError, match=r"between 2 per bin \(20\) and the 1,000 items"):
        stratify(pool(), 15, bins=10)
    with pytest.raises(InputError, match="the 9 items of the pool; got 10"):
        stratify(pool(9), 10, bins=2)


def test_a_test_set_judged_whole_keeps_the_noise_of_raters() -> None:
    """Before, its standard error was 0 and every difference certain."""
    everything = stratify(pool(60), 60, bins=3, rng=1)
    rng = np.random.default_rng(2)
    columns = {
        "system": ["A"] * 60 + ["B"] * 60,
        "item": [*everything.items, *everything.items],
        "score": (scores := rng.normal(60, 5, 120)),
    }
    judgments = Judgments.build(columns)
    safe = stratified_means(judgments, everything, target="test-set")
    assert any("does not remove the noise of raters" in note for note in safe.notes)
    assert safe.systems[0].simple_standard_error == pytest.approx(
        np.std(scores[:60], ddof=1) / 60**0.5
    )
    half = stratified_means(judgments, everything, target="test-set", quality_share=0.5)
    (pair,) = half.pairs
    assert 0.5 * safe.pairs[0].standard_error < pair.standard_error
    assert pair.standard_error < safe.pairs[0].standard_error
    with pytest.raises(DataError, match="A: the standard error is 0, so nothing can be tested"):
        stratified_means(judgments, everything, target="test-set", quality_share=1.0)
    with pytest.raises(InputError, match="`quality_share` must lie above 0"):
        stratified_means(judgments, everything, quality_share=0.0)


def test_bins_and_what_they_hold_by_hand() -> None:
    values = {f"i{v}": float(v) for v in (5, 1, 3, 2, 4, 6)}
    found = stratify(
        {"A": values, "B": {k: v + 2 for k, v in values.items()}}, 4, bins=2, rng=1
    )
    assert [(s.low, s.high, s.n_pool, s.n_chosen) for s in found.strata] == [
        (2.0, 4.0, 3, 2), (5.0, 7.0, 3, 2),
    ]  # fmt: skip
    assert found.bin_of.tolist() == [1, 0, 0, 0, 1, 1]
    # Of a sum of squares of 17.5 about the mean, 2 · 3 · 1.5² lie between the bins.
    assert found.captured == pytest.approx(13.5 / 17.5)
    assert (found.n_pool, found.notes) == (6, ())
    assert found.signature.settings == {"n": 4, "bins": 2}
    small = {item: value / 1000 for item, value in values.items()}
    assert stratify({"A": small}, 4, bins=2, rng=1).captured == pytest.approx(13.5 / 17.5)
    flat = stratify({"A": dict.fromkeys("abcdef", 1.0)}, 4, bins=2, rng=1)
    assert flat.captured == 0.0


def test_labelled_items_are_not_chosen_again() -> None:
    scores = pool(40)

    def labels(*items: str) -> Judgments:
        n = len(items)
        return Judgments.build({"system": ["A"] * n, "item": list(items), "score": [50] * n})

    done = [f"i{i}" for i in range(30)]
    found = stratify(scores, 10, bins=5, labelled=labels(*done, "elsewhere"), rng=1)
    assert sorted(found.items) == sorted(f"i{i}" for i in range(30, 40))
    assert found.notes == (
        "30 items labelled already and not chosen again; all labels together stand for the pool "
        "only if those were drawn at random, too.",
    )
    with pytest.raises(DataError, match="no labelled item is in the pool"):
        stratify(scores, 10, labelled=labels("elsewhere"))
    with pytest.raises(DataError, match="all items of the pool are labelled"):
        stratify(scores, 10, labelled=labels(*(f"i{i}" for i in range(40))))


def test_two_of_every_bin_are_the_least() -> None:
    assert [s.n_chosen for s in stratify(pool(), 20, bins=10, rng=1).strata] == [2] * 10
    with pytest.raises(
        InputError, match=r"between 2 per bin \(20\) and the 1,000 items .* got 19"
    ):
        stratify(pool(), 19, bins=10)
    with pytest.raises(InputError, match="`n_items` must be"):
        stratify(pool(), 1, bins=1)


def test_one_system_alone_is_said_without_a_sign() -> None:
    chosen = stratify(pool(), 6, bins=2, rng=1)
    scores = [50.0 + i % 3 for i in range(6)]
    people = Judgments.build({"system": ["A"] * 6, "item": list(chosen.items), "score": scores})
    found = stratified_means(people, chosen, alpha=0.1)
    [row] = found.systems
    assert found.pairs == ()
    assert found.summary().startswith("A: 51.00 [")
    assert found.summary().endswith("] from 6 items.")
    assert (row.n_items, row.baseline, row.interval.level) == (6, None, 0.9)
    assert found.signature.settings == {"target": "domain", "bins": 2}
    assert found.signature.seed == chosen.signature.seed
    # Every other item of the pool stands for the whole: one bin, N = 1000.
    simple = np.var(scores, ddof=1) / 6
    assert row.simple_standard_error == pytest.approx(simple**0.5)
