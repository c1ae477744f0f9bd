"""End to end against sacreBLEU: the same texts, the same random numbers, the same p-values."""

import warnings
from collections.abc import Sequence
from typing import Any

import numpy as np

from benchmarks.texts import texts
from benchmarks.timing import HEADER, cpu, line
from detectable.core.errors import DetectableWarning
from detectable.data.texts.corpus import Corpus
from detectable.study.comparison.compare import compare

SEED = 12345  # sacreBLEU's default
RESAMPLES = 10_000
CASES: tuple[tuple[tuple[str, ...], float], ...] = (
    (("bleu",), 12),
    (("bleu", "chrf"), 30),
    (("ter",), 100),
    (("bleu", "chrf", "ter"), 50),
)


def sacrebleu_metrics(names: Sequence[str]) -> dict[str, Any]:
    """Return fresh sacreBLEU metrics with empty tokeniser caches."""
    from sacrebleu.metrics import BLEU, CHRF, TER
    from sacrebleu.tokenizers.tokenizer_13a import Tokenizer13a
    from sacrebleu.tokenizers.tokenizer_re import TokenizerRegexp
    from sacrebleu.tokenizers.tokenizer_ter import TercomTokenizer

    for tokenizer in (Tokenizer13a, TokenizerRegexp, TercomTokenizer):
        tokenizer.__call__.cache_clear()
    makers = {"bleu": ("BLEU", BLEU), "chrf": ("chrF2", CHRF), "ter": ("TER", TER)}
    return {makers[name][0]: makers[name][1]() for name in names}


def by_sacrebleu(corpus: Corpus, names: Sequence[str]) -> np.ndarray:
    """Return p-values (systems, metrics) of sacreBLEU's paired randomization."""
    from sacrebleu.significance import PairedTest

    systems = [(name, list(runs[0])) for name, runs in corpus.systems.items()]
    references = [list(stream) for stream in corpus.references]
    test = PairedTest(
        systems, sacrebleu_metrics(names), references, test_type="ar", n_samples=RESAMPLES
    )
    _, scores = test()
    columns = [values for key, values in scores.items() if key != "System"]
    return np.array([[result.p_value for result in column[1:]] for column in columns]).T


def by_us(corpus: Corpus, names: tuple[str, ...]) -> np.ndarray:
    """Return the same p-values from `compare`, with everything else that it computes."""
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", DetectableWarning)
        result = compare(
            corpus,
            names,
            baseline=next(iter(corpus.systems)),
            compat="sacrebleu",
            n_resamples=RESAMPLES,
            rng=SEED,
        )
    p = {(pair.system, pair.metric): pair.p_value for pair in result.pairs}
    return np.array([[p[system, m] for m in names] for system in list(corpus.systems)[1:]])


def main() -> None:
    label, corpus = texts()
    print(
        f"\ncompare, end to end: {label}, {corpus.n_segments} segments, 4 systems, AR {RESAMPLES}"
    )
    print(HEADER)
    for names, target in CASES:
        by_us(corpus, names)  # compile and load the kernels once: first use is not measured
        ours, p_ours = cpu(lambda names=names: by_us(corpus, names), repeats=3)
        peer, p_peer = cpu(lambda names=names: by_sacrebleu(corpus, names))
        same = "p identical" if np.array_equal(p_ours, p_peer) else "P DIFFER"
        print(
            line(f"compare, {' + '.join(names)}", peer, ours, target, same, against="sacreBLEU")
        )


if __name__ == "__main__":
    main()
