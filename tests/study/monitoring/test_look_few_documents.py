"""Looks at few documents: what the error rate is, and what is said about it."""

from collections.abc import Sequence
from pathlib import Path

import numpy as np
import pytest
from scipy.special import ndtri, stdtr

from detectable.core.errors import DataError
from detectable.core.types import FloatArray
from detectable.data.human.judgments import Judgments
from detectable.inference.standard_errors import robust_variance
from detectable.sequential.design import design
from detectable.study.monitoring.look import look
from detectable.study.monitoring.plan import plan

TRIALS = 4_000


def differences(
    shape: tuple[int, int], rng: np.random.Generator, *, unequal: bool, skewed: bool
) -> tuple[FloatArray, FloatArray]:
    """Return sums and sizes of documents of equal systems; a third of the variance is theirs."""
    sizes = np.full(shape, 6.0)
    if unequal:
        sizes = np.maximum(1.0, np.round(rng.lognormal(np.log(6.0) - 0.3, 0.77, shape)))
    effects = rng.exponential(size=shape) - 1.0 if skewed else rng.normal(size=shape)
    noise = rng.normal(size=shape) * np.sqrt(0.7 * sizes)
    return sizes * effects * np.sqrt(0.3) + noise, sizes


def false_alarms(looks: Sequence[int], *, unequal: bool, skewed: bool) -> float:
    """Return how often a plan with these looks, in documents, finds a difference that is not."""
    rng = np.random.default_rng([7, *looks, unequal, skewed])
    sums, sizes = differences((TRIALS, looks[-1]), rng, unequal=unequal, skewed=skewed)
    bounds = design("hsd", at=[g / looks[-1] for g in looks], alpha=0.05).z
    stopped = np.zeros(TRIALS, dtype=bool)
    for documents, bound in zip(looks, bounds, strict=True):
        d, n = sums[:, :documents].T, sizes[:, :documents].T
        mean = d.sum(axis=0) / n.sum(axis=0)
        variance, df = robust_variance((d - n * mean) / n.sum(axis=0), n / n.sum(axis=0))
        stopped |= -ndtri(stdtr(df, -np.abs(mean / np.sqrt(variance)))) >= bound
    return float(stopped.mean())


# Measured on 20,000 data sets (standard error .0016): five looks, from 3 documents on.
@pytest.mark.parametrize(
    ("unequal", "skewed", "expected"),
    [
        (False, False, 0.0516),
        (True, False, 0.0591),
        (False, True, 0.0749),
        (True, True, 0.0808),
    ],
)
def test_the_error_rate_is_what_the_note_says(
    unequal: bool, skewed: bool, expected: float
) -> None:
    found = false_alarms([3, 6, 9, 12, 15], unequal=unequal, skewed=skewed)
    error = np.sqrt(expected * (1.0 - expected) * (1.0 / TRIALS + 1.0 / 20_000))
    assert abs(found - expected) < 3.0 * error


def judged(documents: int) -> Judgments:
    rng = np.random.default_rng(documents)
    rows: dict[str, list[object]] = {"system": [], "item": [], "document": [], "score": []}
    for d in range(documents):
        for i in range(3):
            for system, mean in (("new", 62.0), ("old", 60.0)):
                rows["system"].append(system)
                rows["item"].append(f"{d}-{i}")
                rows["document"].append(f"d{d}")
                rows["score"].append(mean + rng.normal(0, 4))
    return Judgments.build(rows)


def test_few_documents_are_tested_and_the_note_says_how(tmp_path: Path) -> None:
    frozen = plan(tmp_path / "p.json", systems=["new", "old"], n_max=300)
    found = look(frozen, judged(4))
    assert found.pairs[0].n_clusters == 4
    (note,) = [text for text in found.notes if "tested by t" in text]
    assert note.startswith("4 documents: tested by t over documents, 3.0 degrees of freedom")
    assert "errs in 5 to 6 % of cases, in 7 to 8 % if they are skewed" in note


def test_one_document_is_refused(tmp_path: Path) -> None:
    frozen = plan(tmp_path / "p.json", systems=["new", "old"], n_max=300)
    with pytest.raises(DataError, match="1 document so far, and one document says nothing"):
        look(frozen, judged(1))


def test_many_documents_need_no_note(tmp_path: Path) -> None:
    frozen = plan(tmp_path / "p.json", systems=["new", "old"], n_max=300)
    assert not [text for text in look(frozen, judged(20)).notes if "tested by t" in text]


def test_signs_of_few_documents_cannot_stop_a_plan(tmp_path: Path) -> None:
    frozen = plan(tmp_path / "p.json", systems=["new", "old"], n_max=300, test="sign-flip")
    (note,) = [text for text in look(frozen, judged(6)).notes if "cannot stop" in text]
    # 18 of 300 items: f(t) = .05 (1 − e^{4t}) / (1 − e^4) spends .00025, and 2^(1 − 13) is below it.
    assert "the smallest possible p of 6 documents is .031, and .00025 may be spent" in note
    assert note.endswith("It cannot before document 13.")
