"""Comparisons drawn at random: any number of units, kind of score, claim, test and correction."""

import itertools
import warnings
from dataclasses import dataclass
from typing import Any

import numpy as np

from detectable.core.errors import InputError
from detectable.core.types import FloatArray
from detectable.data.scores.scores import Scores
from detectable.data.texts.corpus import Corpus
from detectable.metrics.bleu import Bleu
from detectable.metrics.mean import Mean, MeanError
from detectable.metrics.ter import Ter
from detectable.study.comparison.compare import compare
from detectable.study.comparison.result import Comparison
from tests.study.comparison.tables import RootMeanSquare

KINDS = ("continuous", "skewed", "tied", "right-or-wrong", "constant", "tiny")
_WORDS = ["the", "a", "cat", "dog", "sat", "ran", "on", "under", "mat", "house", "red", "blue"]


@dataclass(frozen=True)
class Drawn:
    """One comparison: what was drawn, so that a failure can be repeated."""

    seed: int
    kind: str
    data: Scores | Corpus
    options: dict[str, Any]

    def __str__(self) -> str:
        shown = {k: v for k, v in self.options.items() if k != "metrics"}
        return f"seed {self.seed}, {self.kind}: {shown}"

    def compared(self) -> Comparison | None:
        """Return the answer; None where the options are refused, with words."""
        with warnings.catch_warnings():
            warnings.simplefilter("ignore", UserWarning)
            try:
                return compare(self.data, **self.options)
            except InputError:
                return None


def draw(seed: int, *, texts: bool = False) -> Drawn:
    """Return the comparison of a seed."""
    rng = np.random.default_rng(seed)
    # Few units are where tests, intervals and promises come apart.
    n_units = int(rng.choice([rng.integers(2, 9), rng.integers(5, 17), rng.integers(15, 61)]))
    n_systems = int(rng.choice([2, 2, 3, 4, 5]))
    kind = "texts" if texts else str(rng.choice(KINDS))
    data: Scores | Corpus = (
        _texts(rng, n_units, n_systems) if texts else _scores(rng, kind, n_units, n_systems)
    )
    metrics = _text_metrics(rng) if texts else _score_metrics(rng, kind)
    names = list(data.systems)
    options: dict[str, Any] = {
        "metrics": metrics,
        "baseline": names[0] if n_systems == 5 or rng.random() < 0.4 else None,
        "claim": str(rng.choice(["better", "better", "non-inferior", "equivalent"])),
        "test": str(rng.choice(["auto", "auto", "auto", "randomization", "t", "bootstrap"])),
        "interval": str(rng.choice(["test", "test", "test", "delta", "percentile", "bca"])),
        "correction": str(rng.choice(["auto", "auto", "max-t", "holm", "none"])),
        "family": str(rng.choice(["systems", "systems-and-metrics"])),
        "runs": str(rng.choice(["auto", "auto", "random", "fixed"])),
        "run_variance": str(rng.choice(["own", "own", "pooled"])),
        "unit": str(rng.choice(["auto", "auto", "auto", "segment"])),
        "alpha": float(rng.choice([0.05, 0.05, 0.01, 0.1, 0.2])),
        "n_resamples": [None, 199, 999][int(rng.choice([0, 1, 1, 1, 2]))],
        "n_examples": 0,
        "rng": seed,
    }
    if options["claim"] != "better":
        options["interval"] = "test"  # that of a margin is that of its own test
    _make_possible(options, rng, n_units)
    if options["claim"] != "better" or rng.random() < 0.4:
        spread = _spread(data) if isinstance(data, Scores) else 4.0
        options["margin"] = {
            metric.name: _margin(rng, kind, spread, metric.name) for metric in metrics
        }
    elif rng.random() < 0.3:
        options["effect"] = {metrics[0].name: 0.1}
    return Drawn(seed, kind, data, options)


def _make_possible(options: dict[str, Any], rng: np.random.Generator, n_units: int) -> None:
    """Change what would only be refused; some refusals are left, and tested elsewhere."""
    if n_units < 20:
        options["test"] = options["test"].replace("bootstrap", "auto")
        if options["interval"] in ("percentile", "bca"):
            options["interval"] = "test"
    if options["runs"] == "random":
        if options["test"] != "t":
            options["test"] = "auto"
        if options["interval"] not in ("test", "delta"):
            options["interval"] = "test"
    if options["correction"] == "max-t" and (
        options["test"] == "t" or n_units < 7 or options["runs"] == "random"
    ):
        options["correction"] = "holm"
    if options["claim"] == "better" and rng.random() < 0.05:
        options.update(
            compat=str(rng.choice(["multeval", "sacrebleu"])),
            test="auto",
            runs="auto",
            correction="holm",
        )


def _margin(rng: np.random.Generator, kind: str, spread: float, metric: str) -> float:
    if metric == "accuracy":
        return float(rng.choice([0.02, 0.1, 0.3]))
    return float(rng.choice([0.2, 1.0, 4.0])) * (0.3 * spread if spread > 0.0 else 0.1)


def _spread(scores: Scores) -> float:
    tables = [np.nan_to_num(table).mean(axis=0) for table in scores.systems.values()]
    return max(float(np.std(a - b)) for a, b in itertools.combinations(tables, 2))


def _score_metrics(rng: np.random.Generator, kind: str) -> tuple[Any, ...]:
    if kind == "right-or-wrong":
        from detectable.metrics.mean import Accuracy

        return (Accuracy(),) if rng.random() < 0.8 else (Accuracy(), MeanError())
    choice = int(rng.integers(0, 4))
    return ((Mean(),), (MeanError(),), (RootMeanSquare(),), (Mean(), RootMeanSquare()))[choice]


def _text_metrics(rng: np.random.Generator) -> tuple[Any, ...]:
    return ((Bleu(),), (Ter(),), (Bleu(), Ter()))[int(rng.integers(0, 3))]


def _documents(rng: np.random.Generator, n_units: int) -> tuple[int, list[str] | None]:
    """Return how many segments there are, and the document of each if there are any."""
    if rng.random() < 0.5:
        return n_units, None
    sizes = rng.integers(1, 6, n_units) if rng.random() < 0.5 else np.full(n_units, 3)
    return int(sizes.sum()), [f"d{d}" for d, size in enumerate(sizes) for _ in range(size)]


def _runs(rng: np.random.Generator, n_systems: int) -> list[int]:
    if rng.random() < 0.5:
        return [1] * n_systems
    if rng.random() < 0.5:
        return [int(rng.integers(2, 5))] * n_systems
    return [int(n) for n in rng.integers(1, 5, n_systems)]


def _scores(rng: np.random.Generator, kind: str, n_units: int, n_systems: int) -> Scores:
    n, documents = _documents(rng, n_units)
    item = rng.normal(size=n)
    effect = float(rng.choice([0.0, 0.3, 1.0, 2.5]))
    tables: dict[str, FloatArray] = {}
    for s, runs in enumerate(_runs(rng, n_systems)):
        shift = effect * s * float(rng.choice([-1.0, 1.0]))
        tables["ABCDEFG"[s]] = _table(rng, kind, item, shift, runs)
    if rng.random() < 0.1:  # a copy of a system
        tables["B"] = tables["A"].copy()
    if rng.random() < 0.1:  # copies of a run
        tables["A"] = np.repeat(tables["A"][:1], len(tables["A"]), axis=0)
    if rng.random() < 0.1:
        tables["A"][0, 0] = np.nan
    return Scores.build(tables, documents=documents)


def _table(
    rng: np.random.Generator, kind: str, item: FloatArray, shift: float, runs: int
) -> FloatArray:
    n = item.size
    noise = rng.normal(size=(runs, n)) + 0.3 * rng.normal(size=(runs, 1))
    if kind == "continuous":
        return item + shift + noise
    if kind == "skewed":
        return 3.0 + item + 0.3 * shift + np.exp(noise)
    if kind == "tied":
        return np.rint(item + 0.5 * shift + 0.5 * noise)
    if kind == "right-or-wrong":
        rare = 0.0 if rng.random() < 0.5 else 1.5
        return (item + rare + 0.3 * shift + 0.5 * noise > 0.0).astype(np.float64)
    if kind == "tiny":
        return 1e-9 * (item + shift + 0.5 * noise)
    return np.broadcast_to(item + shift, (runs, n)).copy()


def _texts(rng: np.random.Generator, n_units: int, n_systems: int) -> Corpus:
    n, documents = _documents(rng, n_units)
    reference = [[str(w) for w in rng.choice(_WORDS, rng.integers(4, 10))] for _ in range(n)]
    systems = {}
    for s, runs in enumerate(_runs(rng, n_systems)):
        wrong = float(rng.choice([0.1, 0.2, 0.4]))
        systems["ABCDEFG"[s]] = [
            [_said(rng, line, wrong) for line in reference] for _ in range(runs)
        ]
    return Corpus.build(
        references=[[" ".join(line) for line in reference]],
        systems=systems,
        documents=documents,
    )


def _said(rng: np.random.Generator, line: list[str], wrong: float) -> str:
    words = [str(rng.choice(_WORDS)) if rng.random() < wrong else word for word in line]
    return " ".join(words)
