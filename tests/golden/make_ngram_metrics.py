"""Recompute ngram_metrics.toml: ``python -m tests.golden.make_ngram_metrics``."""

import math
from collections import Counter
from collections.abc import Sequence

from sacrebleu.metrics.bleu import BLEU
from sacrebleu.metrics.chrf import CHRF

from tests.helpers import golden

Ngram = tuple[str, ...]
Streams = Sequence[Sequence[str | None]]


def ngrams(text: str, order: int) -> Counter[Ngram]:
    tokens = text.split()
    return Counter(tuple(tokens[i : i + order]) for i in range(len(tokens) - order + 1))


def information(references: Streams) -> dict[Ngram, float]:
    """Return log2 of the count of the prefix over that of the n-gram, over all references."""
    counts: Counter[Ngram] = Counter()
    for stream in references:
        for text in stream:
            for order in range(1, 6):
                counts += ngrams(text or "", order)
    total = sum(count for ngram, count in counts.items() if len(ngram) == 1)
    return {
        ngram: math.log2((counts[ngram[:-1]] if len(ngram) > 1 else total) / count)
        for ngram, count in counts.items()
    }


def nist_statistics(hyps: Sequence[str], refs: Streams) -> list[list[float]]:
    """Return information matched, totals and mean reference length, segment by segment."""
    worth = information(refs)
    rows = []
    for hyp, row in zip(hyps, zip(*refs, strict=True), strict=True):
        texts = [text for text in row if text is not None]
        gains: list[float] = []
        totals: list[float] = []
        for order in range(1, 6):
            allowed: Counter[Ngram] = Counter()
            for text in texts:
                allowed |= ngrams(text, order)
            found = ngrams(hyp, order)
            gains.append(sum((worth[g] * k for g, k in (found & allowed).items()), 0.0))
            totals.append(float(found.total()))
        rows.append([*gains, *totals, sum(len(t.split()) for t in texts) / len(texts)])
    return rows


def nist(rows: Sequence[Sequence[float]]) -> float:
    sums = [sum(column) for column in zip(*rows, strict=True)]
    gain: float = sum(sums[n] / max(sums[5 + n], 1.0) for n in range(5))
    shortness = math.log(min(1.0, sums[5] / sums[10])) / math.log(2 / 3)
    return gain * math.exp(-math.log(2.0) * shortness * shortness)


if __name__ == "__main__":
    for case in golden("ngram_metrics"):
        rows = nist_statistics(case["hyps"], case["refs"])
        bleu = BLEU(tokenize="none", force=True).corpus_score(case["hyps"], case["refs"])
        print(f"name = {case['name']!r}")
        print(f"nist = {nist(rows)!r}")
        print(f"bleu = {bleu.score!r}")
        print(f"chrf = {CHRF().corpus_score(case['hyps'], case['refs']).score!r}")
        print(f"statistics = {rows}")
