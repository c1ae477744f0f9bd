"""MultEval's example, number by number: python -m replications.clark2011.replicate FOLDER.

FOLDER is the ``example`` folder of MultEval (github.com/jhclark/multeval), which holds
``hyps.lc.tok.en.baseline.opt0`` and the other runs. METEOR takes part where Java and the extra
``meteor`` are installed.
"""

import sys
import warnings
from dataclasses import dataclass
from pathlib import Path

from detectable.core.errors import DetectableWarning, MissingExtraError
from detectable.data.texts.corpus import Corpus
from detectable.data.texts.read_corpus import read_corpus
from detectable.metrics.base import Metric
from detectable.metrics.meteor import Meteor
from detectable.metrics.registry import metric
from detectable.report.shown.comparison_words import pair_sentence
from detectable.study.comparison.compare import compare
from detectable.study.comparison.result import Comparison
from replications import listed
from replications.listed import Compared, Number, told

LIST = Path(__file__).parent / "expected.toml"
RUNS = 3


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
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", DetectableWarning)
        default = compare(
            corpus, metrics, baseline="baseline", runs_drawn=range(1, RUNS + 1), rng=2011
        )
        multeval = compare(corpus, metrics, baseline="baseline", compat="multeval", rng=2011)
    rows = listed.compared(LIST, _numbers(default, multeval), missing={"METEOR": missing})
    return Found(default, tuple(rows))


def _without_meteor() -> str:
    """Say why METEOR cannot take part; nothing where it can."""
    try:
        Meteor().statistics(Corpus.build({"A": ["a"]}, ["a"]))
    except MissingExtraError as error:
        return f"METEOR left out: {error}"
    return ""


def _numbers(default: Comparison, multeval: Comparison) -> dict[str, Number]:
    """Return what MultEval prints of its systems, as we compute it."""
    found: dict[str, Number] = {}
    for row in default.systems:
        name = f"{row.system}, {row.metric}"
        found |= {f"{name}, run {i}": Number(score) for i, score in enumerate(row.runs)}
        found |= {
            f"{name}, avg": Number(row.score),
            f"{name}, s_sel": Number(row.s_sel),
            f"{name}, s_test": Number(row.s_test),
        }
    for pair in multeval.pairs:
        found[f"{pair.system}, {pair.metric}, p"] = Number(pair.p_value)
    return found


if __name__ == "__main__":
    if len(sys.argv) != 2:
        sys.exit(__doc__)
    sys.exit(1 if main(Path(sys.argv[1])) else 0)
