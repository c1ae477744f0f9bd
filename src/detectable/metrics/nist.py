"""The NIST score: n-gram matches weighted by how much they tell."""

import math
from dataclasses import dataclass
from typing import ClassVar

import numpy as np

from detectable.core import check
from detectable.core.types import FloatArray, Progress, silent
from detectable.data.texts.corpus import Corpus
from detectable.kernels import ngrams
from detectable.metrics.base import TextMetric
from detectable.metrics.encode import output_blocks
from detectable.metrics.sacrebleu import check_tokenizer, encoder, sacrebleu_version, tokenizer

_BETA = math.log(2.0) / math.log(1.5) ** 2  # two thirds of the length halve the score


@dataclass(frozen=True, slots=True)
class Nist(TextMetric):
    r"""The NIST score [1]_, as mteval-v13 computes it for a corpus; 0 and up.

    A match of the n-gram :math:`w_1 \dots w_n` is worth its information,

    .. math:: \log_2 \frac{\#(w_1 \dots w_{n-1})}{\#(w_1 \dots w_n)},

    counted over all references of the corpus; the numerator for a single token is the number of
    tokens. With :math:`I_n` the sum over the matches, clipped as in BLEU, :math:`t_n` the number
    of n-grams of the output and :math:`r` the mean reference length, summed over segments,

    .. math:: \exp\bigl(-\beta \ln^2 \min(1, t_1 / r)\bigr) \sum_{n=1}^{N} I_n / t_n, \qquad
              \beta = \ln 2 / \ln^2 1.5.

    The statistics are :math:`I_1 \dots I_N, t_1 \dots t_N, r`. The information is fixed by the
    whole corpus given to `statistics`: recomputing it for every resample or subset would no
    longer be additive, and would make NIST grow with the size of the subset.

    Parameters
    ----------
    tokenize : str
        Any of sacreBLEU's tokenisers.
    lowercase : bool
        Whether case is ignored.
    max_order : int
        The longest n-gram, :math:`N`.
    mteval_zero_quirk : bool
        Whether bigrams that begin with the token ``0`` get the information of a single token.
        mteval does so because Perl takes the string for false; use it only to repeat its numbers.

    References
    ----------
    .. [1] Doddington (2002), "Automatic evaluation of machine translation quality using n-gram
       co-occurrence statistics", HLT, 138-145.

    Examples
    --------
    >>> corpus = Corpus.build({"A": ["a b c"]}, ["a b d a"])
    >>> Nist(tokenize="none", max_order=2).statistics(corpus).tolist()
    [[[3.0, 1.0, 3.0, 2.0, 4.0]]]
    """

    tokenize: str = "13a"
    lowercase: bool = False
    max_order: int = 5
    mteval_zero_quirk: bool = False

    name: ClassVar[str] = "nist"
    printed: ClassVar[str] = "NIST"
    higher_is_better: ClassVar[bool | None] = True
    digits: ClassVar[int] = 4

    def __post_init__(self) -> None:
        check_tokenizer(self.tokenize)
        check.positive_int(self.max_order, "max_order")

    def statistics(self, corpus: Corpus, *, progress: Progress = silent) -> FloatArray:
        """Return information, totals and mean reference length of every segment."""
        order, n_segments = self.max_order, corpus.n_segments
        text = encoder(self.tokenize, lowercase=self.lowercase)
        references = text.encode_references(corpus)
        every = references.tokens
        orphan = text.id_of("0") if self.mteval_zero_quirk else -1
        information = ngrams.ngram_information(every.ids, every.offsets, order, orphan)
        table = np.empty((len(corpus.outputs), n_segments, 2 * order + 1))
        table[..., -1] = references.mean_lengths()
        for rows, lines in output_blocks(corpus, self.name, progress):
            tokens = text.encode(lines)
            lengths = tokens.lengths.reshape(-1, n_segments)
            table[rows, :, :order] = ngrams.shared_ngrams(
                tokens.ids, tokens.offsets, every.ids, every.offsets,
                references.first, references.first, information, order,
            )  # fmt: skip
            table[rows, :, order:-1] = ngrams.ngram_totals(lengths, order)
        return table

    def sizes(self, statistics: FloatArray) -> FloatArray:
        """Return the mean reference length."""
        return statistics[..., -1]

    def score(self, sums: FloatArray) -> FloatArray:
        """Return the NIST score; 0 for an output without tokens."""
        sums = np.ascontiguousarray(sums)  # one order of adding up, however they lie
        order = self.max_order
        information, totals = sums[..., :order], sums[..., order : 2 * order]
        length, reference = totals[..., 0], sums[..., -1]
        present = totals > 0
        gain = (np.where(present, information, 0.0) / np.where(present, totals, 1.0)).sum(-1)
        short = (length > 0) & (length < reference)
        ratio = np.where(short, length, 1.0) / np.where(short, reference, 1.0)
        score: FloatArray = gain * np.exp(-_BETA * np.log(ratio) ** 2)
        return score

    def signature(self) -> str:
        """Return the settings, in sacreBLEU's notation."""
        return "|".join(
            [
                f"case:{'lc' if self.lowercase else 'mixed'}",
                f"tok:{tokenizer(self.tokenize).signature()}",
                f"order:{self.max_order}",
                "info:all-refs",
                f"zero:{'mteval' if self.mteval_zero_quirk else 'clean'}",
                f"sacrebleu:{sacrebleu_version()}",
            ]
        )
