"""MultEval's example, number by number: python -m replications.clark2011.replicate FOLDER.

FOLDER is the ``example`` folder of MultEval (github.com/jhclark/multeval), which holds
``hyps.lc.tok.en.baseline.opt0`` and the other runs. METEOR takes part where Java and the extra
``meteor`` are installed.
"""

import sys
import tomllib
import warnings
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from detectable.core.errors import DetectableWarning, MissingExtraError
from detectable.data.texts.corpus import Corpus
from detectable.data.texts.read_corpus import read_corpus
from detectable.metrics.base import Metric
from detectable.metrics.meteor import Meteor
from detectable.metrics.registry import metric
from detectable.report.shown.comparison_words import pair_sentence
from detectable.study.comparison.compare import compare
from detectable.study.comparison.result import Comparison
from replications.listed import Compared, Number, told

RUNS = 3
ROUNDED = 1e-6  # MultEval prints six decimals
WORDS = 62_774  # of the reference; TER may differ from tercom's by four edits in a run
EXACT = {"ter": 4 * 100 / WORDS + ROUNDED}
SPREAD = 0.03  # relative: its s_sel is a bootstrap estimate, ours the closed form
FLAW = 0.008 / 0.09  # how far MultEval's faulty swaps move p, as a share of p (see README)
RESAMPLES = 10_000


@dataclass(frozen=True, slots=True)
class Found:
    """The comparison with our default test, and every number beside MultEval's."""

    default: Comparison
    rows: tuple[Compared, ...]


def main(folder: Path, *, with_meteor: bool = True) -> list[str]:
    """Print the comparison and return what does not match."""
    found = compared(folder, with_meteor=with_meteor)
    problems = told(found.rows)
    for pair in found.default.pairs:
        print(f"default test: {pair_sentence(found.default, pair)}")
    return problems


def compared(folder: Path, *, with_meteor: bool = True) -> Found:
    """Compare the systems of the example by our default test and by MultEval's."""
    corpus = read_corpus(
        {
            name: [folder / f"hyps.lc.tok.en.{name}.opt{run}" for run in range(RUNS)]
            for name in ("baseline", "sys1")
        },
        [folder / "refs.test2010.lc.tok.en.0"],
    )
    metrics: tuple[Metric, ...] = (
        metric("bleu", tokenize="none"),
        metric("ter"),
        metric("length", tokenize="none"),
    )
    missing = _without_meteor() if with_meteor else "METEOR was left out"
    if not missing:
        metrics = (*metrics, Meteor())
    expected = tomllib.loads((Path(__file__).parent / "expected.toml").read_text())["row"]
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", DetectableWarning)
        default = compare(corpus, metrics, baseline="baseline", rng=2011)
        multeval = compare(corpus, metrics, baseline="baseline", compat="multeval", rng=2011)
    rows = [row for stated in expected for row in _rows(default, multeval, stated, missing)]
    return Found(default, tuple(rows))


def _without_meteor() -> str:
    """Say why METEOR cannot take part; nothing where it can."""
    try:
        Meteor().statistics(Corpus.build({"A": ["a"]}, ["a"]))
    except MissingExtraError as error:
        return f"METEOR left out: {error}"
    return ""


def _rows(
    default: Comparison, multeval: Comparison, stated: dict[str, Any], missing: str
) -> Iterator[Compared]:
    """Yield what MultEval says of a system under one metric, each number beside ours."""
    system, metric = key = (stated["system"], stated["metric"])
    ours = {(row.system, row.metric): row for row in default.systems}.get(key)
    p_values = {(pair.system, pair.metric): pair.p_value for pair in multeval.pairs}
    exact = EXACT.get(metric, ROUNDED)
    numbers: list[tuple[str, float | None, float, float]] = [
        ("avg", None if ours is None else ours.score, stated["avg"], exact),
        ("s_test", None if ours is None else ours.s_test, stated["s_test"], 2 * exact),
        (
            "s_sel",
            None if ours is None else ours.s_sel,
            stated["s_sel"],
            SPREAD * stated["s_sel"],
        ),
    ]
    for i, theirs in enumerate(stated["per_run"]):
        numbers.append((f"run {i}", None if ours is None else ours.runs[i], theirs, exact))
    if "p" in stated:
        # Four standard errors of two times 10,000 shuffles, and MultEval's faulty swaps.
        error = 4 * (2 * stated["p"] / RESAMPLES) ** 0.5 + FLAW * stated["p"]
        numbers.append(("p (multeval)", p_values.get(key), stated["p"], error))
    for name, found, theirs, tolerance in numbers:
        what = f"{system}, {metric}, {name}"
        if found is None:
            yield Compared(what, theirs, None, tolerance, why=missing)
            continue
        fits = abs(found - theirs) <= tolerance
        problem = "" if fits else f"{what}: {found:.6f}, MultEval {theirs:.6f}"
        yield Compared(what, theirs, Number(found), tolerance, fits, problem=problem)


if __name__ == "__main__":
    if len(sys.argv) != 2:
        sys.exit(__doc__)
    sys.exit(1 if main(Path(sys.argv[1])) else 0)
