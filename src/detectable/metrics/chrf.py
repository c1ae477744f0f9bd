"""chrF and chrF++, with sacreBLEU's numbers."""

from dataclasses import dataclass
from typing import ClassVar

import numpy as np

from detectable.core import check
from detectable.core.types import FloatArray, IntArray, Progress, silent
from detectable.data.texts.corpus import Corpus
from detectable.kernels import ngrams
from detectable.metrics.encode import (
    Encoder,
    References,
    Tokens,
    code_points,
    output_blocks,
    reference_lines,
)
from detectable.metrics.sacrebleu import SacrebleuMetric

_PUNCTUATION = frozenset("!\"#$%&'()*+,-./:;<=>?@[\\]^_`{|}~")
_EPSILON = 1e-16  # sacreBLEU's stand-in for a precision or recall that does not exist


@dataclass(frozen=True, slots=True)
class Chrf(SacrebleuMetric):
    r"""chrF [1]_ as sacreBLEU 2.6 defines it, from 0 to 100.

    With :math:`P` and :math:`R` the precision and recall of character n-grams, averaged over the
    orders that both output and reference have,

    .. math:: 100 \, (1 + \beta^2) P R / (\beta^2 P + R).

    Of several references each segment uses the one with the highest score, the first of equals.
    The statistics are, order by order, the n-grams of the output, of the reference and of both;
    those of the output count as 0 where the reference has none of that order.

    Parameters
    ----------
    char_order, word_order : int
        The longest n-grams of characters and of words; `word_order` 2 gives chrF++ [2]_.
    beta : int
        How many times more recall counts than precision.
    lowercase : bool
        Whether case is ignored.
    whitespace : bool
        Whether white space counts as characters.
    eps_smoothing : bool
        Whether to average the F-scores of all orders, with a tiny number for those that do not
        exist, as chrF++.py, NLTK and Moses do.

    References
    ----------
    .. [1] Popović (2015), "chrF: character n-gram F-score for automatic MT evaluation", WMT,
       392-395.
    .. [2] Popović (2017), "chrF++: words helping character n-grams", WMT, 612-618.

    Examples
    --------
    >>> corpus = Corpus.build({"A": ["abc d"]}, ["ab cd"])
    >>> Chrf(char_order=2).statistics(corpus).tolist()
    [[[4.0, 4.0, 4.0, 3.0, 3.0, 3.0]]]
    """

    char_order: int = 6
    word_order: int = 0
    beta: int = 2
    lowercase: bool = False
    whitespace: bool = False
    eps_smoothing: bool = False

    name: ClassVar[str] = "chrf"
    printed: ClassVar[str] = "chrF"
    higher_is_better: ClassVar[bool | None] = True
    limits: ClassVar[tuple[float, float] | None] = (0.0, 100.0)
    by_segment: ClassVar[bool] = True

    def __post_init__(self) -> None:
        check.positive_int(self.char_order, "char_order")
        check.positive_int(self.word_order, "word_order", minimum=0)
        check.positive_int(self.beta, "beta")

    def statistics(self, corpus: Corpus, *, progress: Progress = silent) -> FloatArray:
        """Return the counts of every segment of every output, for its best reference."""
        words = Encoder(_words, by_chunk=True, plain=str.isalnum)
        lines, first = reference_lines(corpus)
        kinds = [(self._characters, self.char_order), (words.encode, self.word_order)]
        used = [(encode, order) for encode, order in kinds if order > 0]
        prepared = self._prepared(lines)
        references = [References(encode(prepared), first) for encode, _ in used]
        table = np.empty((len(corpus.outputs), corpus.n_segments, 3 * self._n_orders))
        for rows, output in output_blocks(corpus, self.name, progress):
            prepared = self._prepared(output)
            counts = [
                _counts(encode(prepared), every, order)
                for (encode, order), every in zip(used, references, strict=True)
            ]
            table[rows] = self._best(np.concatenate(counts, axis=-1), first)
        return table

    def sizes(self, statistics: FloatArray) -> FloatArray:
        """Return the number of reference n-grams of the first order."""
        return statistics[..., 1]

    def score(self, sums: FloatArray) -> FloatArray:
        """Return chrF, from 0 to 100."""
        # The order of operations is sacreBLEU's, to the bit: it decides between references.
        factor = float(self.beta**2)
        shape = sums.shape[:-1]
        columns = np.ascontiguousarray(np.moveaxis(sums, -1, 0))
        precisions, recalls, n_orders, total = (np.zeros(shape) for _ in range(4))
        for n in range(self._n_orders):
            hyp, ref, both = columns[3 * n : 3 * n + 3]
            precision = np.divide(both, hyp, out=np.full(shape, _EPSILON), where=hyp > 0)
            recall = np.divide(both, ref, out=np.full(shape, _EPSILON), where=ref > 0)
            if self.eps_smoothing:
                total += _f_score(precision, recall, factor, otherwise=_EPSILON)
                continue
            present = (hyp > 0) & (ref > 0)
            np.add(precisions, precision, out=precisions, where=present)
            np.add(recalls, recall, out=recalls, where=present)
            n_orders += present
        if self.eps_smoothing:
            return 100.0 * total / self._n_orders
        n_orders = np.maximum(n_orders, 1.0)
        return 100.0 * _f_score(
            precisions / n_orders, recalls / n_orders, factor, otherwise=0.0
        )

    def settings(self) -> tuple[str, ...]:
        """Return the settings, as sacreBLEU writes them."""
        parts = [
            f"case:{'lc' if self.lowercase else 'mixed'}",
            f"eff:{'no' if self.eps_smoothing else 'yes'}",
            f"nc:{self.char_order}",
            f"nw:{self.word_order}",
            f"space:{'yes' if self.whitespace else 'no'}",
        ]
        if self.beta != 2:  # sacreBLEU puts it into the name of the score, chrF2
            parts.append(f"beta:{self.beta}")
        return tuple(parts)

    @property
    def _n_orders(self) -> int:
        return self.char_order + self.word_order

    def _prepared(self, lines: list[str]) -> list[str]:
        return [line.lower() for line in lines] if self.lowercase else lines

    def _characters(self, lines: list[str]) -> Tokens:
        if self.whitespace:
            return code_points(lines)
        return code_points("".join(line.split()) for line in lines)

    def _best(self, counts: FloatArray, first: IntArray) -> FloatArray:
        """Choose the counts of the best reference of every segment."""
        sizes = np.diff(first)
        best = counts[:, first[:-1]]
        if sizes.max(initial=0) == 1:
            return best
        highest = self.score(best)
        for rank in range(1, sizes.max(initial=0)):
            segments = np.flatnonzero(sizes > rank)
            others = counts[:, first[segments] + rank]
            scores = self.score(others)
            better = scores > highest[:, segments]
            best[:, segments] = np.where(better[..., None], others, best[:, segments])
            highest[:, segments] = np.where(better, scores, highest[:, segments])
        return best


@dataclass(frozen=True, slots=True)
class ChrfPlusPlus(Chrf):
    """chrF++: chrF with n-grams of one and two words besides those of characters."""

    word_order: int = 2

    name: ClassVar[str] = "chrf++"
    printed: ClassVar[str] = "chrF++"


def _counts(tokens: Tokens, references: References, order: int) -> FloatArray:
    """Return n-grams of output, reference and both, of shape (outputs, references, 3 order)."""
    every, first = references.tokens, references.first
    n_segments = first.size - 1
    both = ngrams.shared_ngrams(
        tokens.ids, tokens.offsets, every.ids, every.offsets,
        first, np.arange(len(every) + 1), np.zeros((0, order)), order,
    )  # fmt: skip
    lengths = tokens.lengths.reshape(-1, n_segments)
    ref = ngrams.ngram_totals(every.lengths, order)
    hyp = ngrams.ngram_totals(lengths, order)[:, references.owner]
    triplets = np.empty((*both.shape, 3))
    triplets[..., 0] = np.where(ref > 0, hyp, 0)
    triplets[..., 1] = ref
    triplets[..., 2] = both
    return triplets.reshape(*both.shape[:-1], 3 * order)


def _f_score(
    precision: FloatArray, recall: FloatArray, factor: float, *, otherwise: float
) -> FloatArray:
    bottom = factor * precision + recall
    exists = bottom > 0
    top = (1.0 + factor) * precision * recall
    found: FloatArray = np.where(exists, top / np.where(exists, bottom, 1.0), otherwise)
    return found


def _words(text: str) -> list[str]:
    """Split off a punctuation mark at the end of each word, or else one at its beginning."""
    found: list[str] = []
    for word in text.split():
        if len(word) == 1:
            found.append(word)
        elif word[-1] in _PUNCTUATION:
            found += [word[:-1], word[-1]]
        elif word[0] in _PUNCTUATION:
            found += [word[0], word[1:]]
        else:
            found.append(word)
    return found
