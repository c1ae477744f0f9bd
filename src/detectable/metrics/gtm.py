"""GTM, the F-measure of the words, or runs of words, that output and reference share."""

from collections.abc import Callable
from dataclasses import dataclass
from typing import ClassVar

import numpy as np

from detectable.core.errors import InputError
from detectable.core.types import FloatArray, IntArray, Progress, silent
from detectable.data.texts.corpus import Corpus
from detectable.kernels import word_matches as runs
from detectable.metrics.base import TextMetric
from detectable.metrics.encode import References, Tokens
from detectable.metrics.sacrebleu import check_tokenizer, encoder, sacrebleu_version, tokenizer


@dataclass(frozen=True, slots=True)
class Gtm(TextMetric):
    r"""General Text Matcher [1]_ [2]_, in percent.

    With :math:`|C|` words in the output, :math:`|R|` in the reference and the maximum match
    size :math:`M` of both, it is the harmonic mean of precision :math:`M / |C|` and recall
    :math:`M / |R|`:

    .. math:: 100 \cdot 2 M / (|C| + |R|), \qquad M = \bigl(\sum_k \ell_k^e\bigr)^{1/e},

    where :math:`\ell_k` are the lengths of runs of words that both share, no word used twice.
    With the exponent :math:`e = 1` only the number of common words counts, and :math:`M` is
    exact. With :math:`e > 1` long runs count more; finding the best runs is then hard, and they
    are taken greedily: the longest first, the leftmost of equals.

    Of several references each segment uses the one with the highest score, the first of equals.
    The original program was not at hand to compare with, so this and the greedy order are
    choices. The statistics are :math:`M, |C|, |R|`; where all sums are zero the score is nan.

    Parameters
    ----------
    exponent : float
        The weight of long runs, :math:`e`, at least 1.
    tokenize : str
        Any of sacreBLEU's tokenisers; ``none`` for tokenised text.
    lowercase : bool
        Whether case is ignored.

    References
    ----------
    .. [1] Melamed, Green and Turian (2003), "Precision and recall of machine translation",
       HLT-NAACL, short papers, 61-63.
    .. [2] Turian, Shen and Melamed (2003), "Evaluation of machine translation and its
       evaluation", MT Summit IX, 386-393.

    Examples
    --------
    >>> corpus = Corpus.build({"A": ["there is a dog"]}, ["there is a big dog here"])
    >>> Gtm().statistics(corpus).tolist()
    [[[4.0, 4.0, 6.0]]]
    >>> Gtm().score(Gtm().statistics(corpus)[0].sum(axis=0)).item()
    80.0
    """

    exponent: float = 1.0
    tokenize: str = "13a"
    lowercase: bool = False

    name: ClassVar[str] = "gtm"
    printed: ClassVar[str] = "GTM"
    higher_is_better: ClassVar[bool | None] = True
    by_segment: ClassVar[bool] = True

    def __post_init__(self) -> None:
        check_tokenizer(self.tokenize)
        if not (np.isfinite(self.exponent) and self.exponent >= 1.0):
            raise InputError(
                f"`exponent` must be a finite number ≥ 1; got {self.exponent!r}. "
                "1 counts common words; more rewards long runs."
            )

    def statistics(self, corpus: Corpus, *, progress: Progress = silent) -> FloatArray:
        """Return match size, output length and reference length of every segment."""
        text = encoder(self.tokenize, lowercase=self.lowercase)
        references = text.encode_references(corpus)
        match = self._matcher(references)
        reference_lengths, owner = references.tokens.lengths, references.owner
        table = np.empty((len(corpus.outputs), corpus.n_segments, 3))
        progress(self.name, 0, len(table))
        for row, output in enumerate(corpus.outputs):
            tokens = text.encode(corpus.output(*output))
            sizes, lengths = match(tokens), tokens.lengths
            chosen = _best(sizes, lengths[owner] + reference_lengths, references)
            table[row, :, 0] = sizes[chosen]
            table[row, :, 1] = lengths
            table[row, :, 2] = reference_lengths[chosen]
            progress(self.name, row + 1, len(table))
        return table

    def sizes(self, statistics: FloatArray) -> FloatArray:
        """Return the reference length."""
        return statistics[..., 2]

    def score(self, sums: FloatArray) -> FloatArray:
        """Return the F-measure in percent; nan where there is no word at all."""
        words = sums[..., 1] + sums[..., 2]
        found: FloatArray = np.where(words > 0, 200.0 * sums[..., 0], np.nan) / np.where(
            words > 0, words, 1.0
        )
        return found

    def signature(self) -> str:
        """Return the settings, in sacreBLEU's notation."""
        return "|".join(
            [
                f"case:{'lc' if self.lowercase else 'mixed'}",
                f"tok:{tokenizer(self.tokenize).signature()}",
                f"exponent:{self.exponent:g}",
                f"sacrebleu:{sacrebleu_version()}",
            ]
        )

    def _matcher(self, references: References) -> Callable[[Tokens], FloatArray]:
        """Return what gives the match sizes of an output with every reference."""
        every, owner = references.tokens, references.owner
        if self.exponent == 1.0:
            from detectable.kernels import edits

            bags = edits.count_words(every.ids, every.offsets)

            def common_words(tokens: Tokens) -> FloatArray:
                own = edits.count_words(tokens.ids, tokens.offsets)
                return edits.bag_overlaps(own, bags, owner).astype(np.float64)

            return common_words
        exponent = float(self.exponent)

        def common_runs(tokens: Tokens) -> FloatArray:
            powers = runs.run_powers(
                tokens.ids, tokens.offsets, every.ids, every.offsets, owner, exponent
            )
            sizes: FloatArray = powers ** (1.0 / exponent)
            return sizes

        return common_runs


def _best(sizes: FloatArray, words: IntArray, references: References) -> IntArray:
    """Return the line of the best reference of every segment, the first of equals."""
    scores = sizes / np.maximum(words, 1)
    order = np.lexsort((-scores, references.owner))  # stable: equals stay in their order
    best: IntArray = order[references.first[:-1]]
    return best
