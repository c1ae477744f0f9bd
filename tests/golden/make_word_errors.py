"""Recompute word_errors.toml: ``python -m tests.golden.make_word_errors``.

The definitions as plainly as Python allows; the tests use them as an oracle, too.
"""

from collections import Counter
from collections.abc import Sequence
from typing import Any

from sacrebleu.metrics.ter import TER

from tests.helpers import golden

Words = Sequence[str]


def edit_distance(hyp: Words, ref: Words) -> int:
    """Return the number of insertions, deletions and substitutions between two lists."""
    row = list(range(len(ref) + 1))
    for i, word in enumerate(hyp, start=1):
        above, row = row, [i]
        for j, other in enumerate(ref, start=1):
            row.append(min(above[j - 1] + (word != other), above[j] + 1, row[j - 1] + 1))
    return row[-1]


def bag_errors(hyp: Words, ref: Words) -> int:
    """Return the errors that remain when order does not count."""
    return max(len(hyp), len(ref)) - (Counter(hyp) & Counter(ref)).total()


def match_size(hyp: Words, ref: Words, exponent: float) -> float:
    """Return GTM's match size of greedy runs, the longest first, then the leftmost."""
    free_hyp: list[str | None] = list(hyp)
    free_ref: list[str | None] = list(ref)
    total = 0.0
    while True:
        size, i, j = longest_run(free_hyp, free_ref)
        if size == 0:
            return float(total ** (1.0 / exponent))
        free_hyp[i : i + size] = free_ref[j : j + size] = [None] * size
        total += size**exponent


def longest_run(hyp: Sequence[str | None], ref: Sequence[str | None]) -> tuple[int, int, int]:
    """Return the size and the starts of the longest common run, the leftmost of equals."""
    best = (0, 0, 0)
    for i in range(len(hyp)):
        for j in range(len(ref)):
            size = 0
            for word, other in zip(hyp[i:], ref[j:], strict=False):
                if word is None or word != other:
                    break
                size += 1
            if size > best[0]:
                best = (size, i, j)
    return best


def error_statistics(
    errors: Sequence[int], lengths: Sequence[int], normalizer: str
) -> list[float]:
    """Return the errors and the length of one segment."""
    pairs = list(zip(errors, lengths, strict=True))
    if normalizer == "mean":
        return [float(min(errors)), sum(lengths) / len(lengths)]
    if normalizer == "minerr":
        chosen = min(pairs, key=lambda pair: (pair[0], -pair[1]))
    else:
        chosen = min(pairs, key=lambda pair: (pair[0] / max(pair[1], 1), pair[0], -pair[1]))
    return list(map(float, chosen))


def gtm_statistics(hyp: Words, refs: Sequence[Words], exponent: float) -> list[float]:
    """Return match size and lengths for the best reference, the first of equals."""
    sizes = [match_size(hyp, ref, exponent) for ref in refs]
    scores = [2 * m / max(len(hyp) + len(r), 1) for m, r in zip(sizes, refs, strict=True)]
    best = scores.index(max(scores))
    return [sizes[best], float(len(hyp)), float(len(refs[best]))]


def segments(case: dict[str, Any]) -> list[tuple[list[str], list[list[str]]]]:
    """Return the words of each hypothesis and of its references."""
    return [
        (hyp.split(), [ref.split() for ref in refs])
        for hyp, refs in zip(case["hyps"], zip(*case["refs"], strict=True), strict=True)
    ]


if __name__ == "__main__":
    for case in golden("word_errors"):
        print(f"\n[[case]]\nname = {case['name']!r}")
        for name, count in (("mwer", edit_distance), ("mper", bag_errors)):
            for normalizer in ("best", "mean", "minerr"):
                rows = [
                    error_statistics(
                        [count(h, r) for r in rs], [len(r) for r in rs], normalizer
                    )
                    for h, rs in segments(case)
                ]
                print(f"{name}_{normalizer} = {rows}")
        for exponent in (1, 2):
            print(f"gtm_e{exponent} = {[gtm_statistics(*s, exponent) for s in segments(case)]}")
        ter = TER()._extract_corpus_statistics(case["hyps"], case["refs"])
        print(f"ter = {[list(map(float, row)) for row in ter]}")
