import itertools
import math

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from detectable.core.errors import DataError, InputError
from detectable.data.scores.scores import Scores
from detectable.metrics.passing import PassAll, PassAny, all_of
from detectable.metrics.registry import metric
from tests.gold_evals import epochs, evals

NAN = float("nan")


def passing(name: str) -> PassAll:
    """Return pass@k or pass^k by its name."""
    found = metric(name)
    assert isinstance(found, PassAll)
    return found


def scores_of(*answers: list[float]) -> Scores:
    """Return one system whose questions have these answers."""
    most = max(map(len, answers))
    padded = [[*answer, *[NAN] * (most - len(answer))] for answer in answers]
    return Scores.build({"A": np.array(padded).T}, repeats="samples")


@pytest.mark.golden
def test_eight_or_three_of_ten() -> None:
    three = scores_of([1.0] * 3 + [0.0] * 7)
    assert passing("pass@5").statistics(three)[0, 0].tolist() == pytest.approx(
        [evals("passat.n10c3k5"), 1.0]
    )
    assert pytest.approx(evals("passat.n10c3k5_plugin")) == 1 - 0.7**5  # what it is not
    eight = scores_of([1.0] * 8 + [0.0] * 2)
    found = float(passing("pass^3").statistics(eight)[0, 0, 0])
    assert found == pytest.approx(evals("passhat.n10c8k3"))
    assert pytest.approx(evals("passhat.n10c8k3_plugin")) == 0.8**3


@pytest.mark.golden
@pytest.mark.parametrize(
    "key",
    [
        "passat.A.k1",
        "passat.A.k1.se",
        "passhat.A.k1",
        "passhat.A.k1.se",
        "passat.A.k2",
        "passat.A.k2.se",
        "passhat.A.k2",
        "passat.A.k3",
        "passat.A.k3.se",
        "passhat.A.k3",
        "passhat.A.k3.se",
        "passat.A.k4",
        "passat.A.k4.se",
        "passhat.A.k4",
        "passhat.A.k4.se",
        "passat.B.k1",
        "passat.B.k1.se",
        "passhat.B.k1",
        "passhat.B.k1.se",
        "passat.B.k2",
        "passat.B.k2.se",
        "passhat.B.k2",
        "passhat.B.k2.se",
        "passat.B.k3",
        "passat.B.k3.se",
        "passhat.B.k3",
        "passhat.B.k4",
        "passhat.B.k4.se",
    ],
)
def test_the_reference_table(key: str) -> None:
    name, system, k, *error = key.split(".")
    symbol = {"passat": "@", "passhat": "^"}[name]
    values = passing(f"pass{symbol}{k[1:]}").statistics(epochs())["AB".index(system), :, 0]
    found = values.std(ddof=1) / math.sqrt(130) if error else values.mean()
    assert found == pytest.approx(evals(key), rel=1e-6)


@given(st.lists(st.booleans(), min_size=1, max_size=7), st.integers(1, 7))
def test_it_is_the_share_of_all_choices(right: list[bool], k: int) -> None:
    if k > len(right):
        return
    chosen = list(itertools.combinations(right, k))
    scores = scores_of([float(answer) for answer in right])
    any_of = PassAny(k=k).statistics(scores)[0, 0, 0]
    every = PassAll(k=k).statistics(scores)[0, 0, 0]
    assert any_of == pytest.approx(sum(map(any, chosen)) / len(chosen))
    assert every == pytest.approx(sum(map(all, chosen)) / len(chosen))


def test_questions_may_have_different_numbers_of_answers() -> None:
    scores = scores_of([1.0, 0.0], [1.0, 1.0, 0.0, 0.0])
    found = passing("pass@2").statistics(scores)[0, :, 0]
    assert found.tolist() == pytest.approx([1.0, 1 - 1 / 6])


def test_a_run_is_one_answer() -> None:
    runs = Scores.build({"A": [[1, 0], [0, 0]]})
    assert passing("pass@1").statistics(runs)[..., 0].tolist() == [[1, 0], [0, 0]]
    with pytest.raises(DataError, match=r"pass@2 needs 2 samples of every item.*has 1"):
        passing("pass@2").statistics(runs)


def test_more_than_there_are_is_refused_and_never_extrapolated() -> None:
    scores = scores_of([1.0, 0.0], [1.0], [0.0, 1.0])
    with pytest.raises(DataError, match=r"system 'A', item '2' has 1 \(1 such item\)") as error:
        passing("pass^2").statistics(scores)
    assert "take at most pass^1" in str(error.value)
    with pytest.raises(DataError, match=r"item '1' has 2\. Nothing"):
        passing("pass@3").statistics(scores_of([1.0, 0.0], [1.0, 1.0]))


def test_scores_other_than_right_and_wrong_are_refused() -> None:
    with pytest.raises(DataError, match=r"pass@1 needs scores of 0 or 1.*0\.5"):
        passing("pass@1").statistics(scores_of([0.5, 1.0]))


def test_names_and_settings() -> None:
    assert (metric("pass@3").name, metric("pass^12").name) == ("pass@3", "pass^12")
    assert metric("pass@k", k=2) == PassAny(k=2)
    assert metric("pass@3").signature() == "aggregation:mean|k:3|unbiased"
    assert metric("pass^3").higher_is_better
    with pytest.raises(InputError, match="metric 'pass@k' needs a number: pass@3"):
        metric("pass@k")
    with pytest.raises(InputError, match="no metric named 'pass@0'"):
        metric("pass@0")
    with pytest.raises(InputError, match="`k` must be"):
        PassAny(k=0)


def test_no_answer_of_few_is_right() -> None:
    assert all_of(np.array([1, 0]), np.array([3, 3]), 2).tolist() == [0.0, 0.0]
