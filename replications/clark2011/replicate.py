"""MultEval's example, number by number: python -m replications.clark2011.replicate FOLDER.

FOLDER is the ``example`` folder of MultEval (github.com/jhclark/multeval), which holds
``hyps.lc.tok.en.baseline.opt0`` and the other runs. METEOR takes part where Java and the extra
``meteor`` are installed.
"""

import sys
import tomllib
import warnings
from pathlib import Path
from typing import Any

from detectable.core.errors import DetectableWarning, MissingExtraError
from detectable.data.texts.corpus import Corpus
from detectable.data.texts.read_corpus import read_corpus
from detectable.metrics.base import Metric
from detectable.metrics.meteor import Meteor
from detectable.metrics.registry import metric
from detectable.study.comparison.compare import compare
from detectable.study.comparison.result import Comparison

RUNS = 3
ROUNDED = 1e-6  # MultEval prints six decimals
WORDS = 62_774  # of the reference; TER may differ from tercom's by four edits in a run
EXACT = {"ter": 4 * 100 / WORDS + ROUNDED}
SPREAD = 0.03  # relative: its s_sel is a bootstrap estimate, ours the closed form
FLAW = 0.008 / 0.09  # how far MultEval's faulty swaps move p, as a share of p (see README)
RESAMPLES = 10_000


def main(folder: Path, *, with_meteor: bool = True) -> list[str]:
    """Print the comparison and return what does not match."""
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
    if with_meteor and _meteor_works():
        metrics = (*metrics, Meteor())
    expected = tomllib.loads((Path(__file__).parent / "expected.toml").read_text())["row"]
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", DetectableWarning)
        default = compare(corpus, metrics, baseline="baseline", rng=2011)
        multeval = compare(corpus, metrics, baseline="baseline", compat="multeval", rng=2011)
    problems = _check(default, multeval, expected)
    for pair in default.pairs:
        print(f"default test: {default.sentence(pair)}")
    return problems


def _meteor_works() -> bool:
    try:
        Meteor().statistics(Corpus.build({"A": ["a"]}, ["a"]))
    except MissingExtraError as error:
        print(f"METEOR left out: {error}")
        return False
    return True


def _check(
    default: Comparison, multeval: Comparison, expected: list[dict[str, Any]]
) -> list[str]:
    scores = {(row.system, row.metric): row for row in default.systems}
    p_values = {(pair.system, pair.metric): pair.p_value for pair in multeval.pairs}
    problems = []
    for row in expected:
        key = (row["system"], row["metric"])
        if key not in scores:
            continue
        exact = EXACT.get(row["metric"], ROUNDED)
        found = scores[key]
        checks = [("avg", found.score, row["avg"], exact)]
        checks += [("s_test", found.s_test, row["s_test"], 2 * exact)]
        checks += [("s_sel", found.s_sel, row["s_sel"], SPREAD * row["s_sel"])]
        checks += [
            (f"run {i}", x, y, exact)
            for i, (x, y) in enumerate(zip(found.runs, row["per_run"], strict=True))
        ]
        if "p" in row:
            error = 4 * (2 * row["p"] / RESAMPLES) ** 0.5 + FLAW * row["p"]
            checks.append(("p (multeval)", p_values[key], row["p"], error))
        for name, ours, theirs, tolerance in checks:
            fits = abs(ours - theirs) <= tolerance
            text = f"{key[0]:9} {key[1]:7} {name:13} ours {ours:11.6f}  MultEval {theirs:11.6f}"
            print(f"{text}  ±{tolerance:.6f}  {'ok' if fits else 'DIFFERS'}")
            problems += [] if fits else [text]
    return problems


if __name__ == "__main__":
    if len(sys.argv) != 2:
        sys.exit(__doc__)
    sys.exit(1 if main(Path(sys.argv[1])) else 0)
