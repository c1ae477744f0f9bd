"""Word error rates against one or more references, with and without regard to word order."""

from abc import abstractmethod
from collections.abc import Callable
from dataclasses import dataclass
from typing import ClassVar, Literal

import numpy as np

from detectable.core import check
from detectable.core.types import FloatArray, IntArray, Progress, silent
from detectable.data.texts.corpus import Corpus
from detectable.metrics.base import TextMetric
from detectable.metrics.encode import References, Tokens
from detectable.metrics.sacrebleu import check_tokenizer, encoder, sacrebleu_version, tokenizer

Normalizer = Literal["best", "mean", "minerr"]


@dataclass(frozen=True, slots=True)
class _ErrorRate(TextMetric):
    """What both error rates share: settings, choice of the reference, score."""

    tokenize: str = "13a"
    lowercase: bool = False
    normalizer: Normalizer = "best"

    higher_is_better: ClassVar[bool | None] = False
    by_segment: ClassVar[bool] = True

    def __post_init__(self) -> None:
        check_tokenizer(self.tokenize)
        check.literal(self.normalizer, Normalizer, "normalizer")

    @abstractmethod
    def _counter(self, references: References) -> Callable[[Tokens], IntArray]:
        """Return what gives the errors of an output against every reference."""

    def statistics(self, corpus: Corpus, *, progress: Progress = silent) -> FloatArray:
        """Return errors and reference length of every segment of every output."""
        text = encoder(self.tokenize, lowercase=self.lowercase)
        references = text.encode_references(corpus)
        errors_of = self._counter(references)
        table = np.empty((len(corpus.outputs), corpus.n_segments, 2))
        progress(self.name, 0, len(table))
        for row, output in enumerate(corpus.outputs):
            errors = errors_of(text.encode(corpus.output(*output)))
            table[row, :, 0], table[row, :, 1] = self._choose(errors, references)
            progress(self.name, row + 1, len(table))
        return table

    def sizes(self, statistics: FloatArray) -> FloatArray:
        """Return the reference length."""
        return statistics[..., 1]

    def score(self, sums: FloatArray) -> FloatArray:
        """Return errors over length in percent; if all references are empty, 0 or 100."""
        errors, length = sums[..., 0], sums[..., 1]
        rate = np.where(length > 0, errors, errors > 0) / np.where(length > 0, length, 1.0)
        return 100.0 * rate

    def signature(self) -> str:
        """Return the settings, in sacreBLEU's notation."""
        return "|".join(
            [
                f"case:{'lc' if self.lowercase else 'mixed'}",
                f"tok:{tokenizer(self.tokenize).signature()}",
                f"normalizer:{self.normalizer}",
                f"sacrebleu:{sacrebleu_version()}",
            ]
        )

    def _choose(
        self, errors: IntArray, references: References
    ) -> tuple[FloatArray | IntArray, FloatArray | IntArray]:
        """Return the errors and the length that count for every segment."""
        starts = references.first[:-1]
        if self.normalizer == "mean":
            return np.minimum.reduceat(errors, starts), references.mean_lengths()
        lengths = references.tokens.lengths
        rates = errors / np.maximum(lengths, 1) if self.normalizer == "best" else errors
        chosen = np.lexsort((-lengths, errors, rates, references.owner))[
            starts
        ]  # last key first
        return errors[chosen], lengths[chosen]


@dataclass(frozen=True, slots=True)
class WordErrorRate(_ErrorRate):
    r"""Multi-reference word error rate, mWER [1]_, in percent.

    .. math:: 100 \sum_i E_i / \sum_i L_i

    with :math:`E_i` the smallest number of insertions, deletions and substitutions that turn
    segment :math:`i` into its most similar reference, and :math:`L_i` a reference length. With
    several references it must be said which, for the choice can be worth several points. If all
    references are empty the score is 0 without errors, else 100, as in sacreBLEU's TER.

    Parameters
    ----------
    tokenize : str
        Any of sacreBLEU's tokenisers; ``none`` for tokenised text.
    lowercase : bool
        Whether case is ignored.
    normalizer : {'best', 'mean', 'minerr'}
        ``best``: errors and length of the reference with the smallest ratio of both (of
        equals, fewest errors, then the longest). ``minerr``: those of the reference with the
        fewest errors (of equals, the longest). ``mean``: the fewest errors, and the mean length
        of all references, as in TER.

    References
    ----------
    .. [1] Niessen, Och, Leusch and Ney (2000), "An evaluation tool for machine translation:
       fast evaluation for MT research", LREC, 39-45.

    Examples
    --------
    >>> corpus = Corpus.build({"A": ["a b c d"]}, [["a x c d"], ["a b c d e f"]])
    >>> WordErrorRate().statistics(corpus).tolist()
    [[[1.0, 4.0]]]
    >>> WordErrorRate(normalizer="mean").statistics(corpus).tolist()
    [[[1.0, 5.0]]]
    """

    name: ClassVar[str] = "mwer"
    printed: ClassVar[str] = "mWER"

    def _counter(self, references: References) -> Callable[[Tokens], IntArray]:
        from detectable.kernels import edits

        owner = references.owner
        lists = edits.as_lists(references.tokens.ids, references.tokens.offsets)

        def errors(tokens: Tokens) -> IntArray:
            own = edits.as_lists(tokens.ids, tokens.offsets)
            return edits.edit_distances(own, lists, owner)

        return errors


@dataclass(frozen=True, slots=True)
class PositionIndependentErrorRate(_ErrorRate):
    r"""Multi-reference position-independent word error rate, mPER [1]_ [2]_, in percent.

    As `WordErrorRate`, with the same settings, but the order of the words does not count: with
    :math:`|h|` words in the output, :math:`|r|` in the reference and :math:`m` in both,
    repetitions included, the errors are

    .. math:: E = \max(|h|, |r|) - m.

    References
    ----------
    .. [1] Tillmann, Vogel, Ney, Zubiaga and Sawaf (1997), "Accelerated DP based search for
       statistical translation", EUROSPEECH, 2667-2670.
    .. [2] Leusch, Ueffing, Vilar and Ney (2005), "Preprocessing and normalization for automatic
       evaluation of machine translation", ACL workshop on intrinsic and extrinsic evaluation
       measures, 17-24.

    Examples
    --------
    >>> corpus = Corpus.build({"A": ["a b c d"]}, ["d c a x"])
    >>> PositionIndependentErrorRate().statistics(corpus).tolist()
    [[[1.0, 4.0]]]
    """

    name: ClassVar[str] = "mper"
    printed: ClassVar[str] = "mPER"

    def _counter(self, references: References) -> Callable[[Tokens], IntArray]:
        from detectable.kernels import edits

        owner, lengths = references.owner, references.tokens.lengths
        bags = edits.count_words(references.tokens.ids, references.tokens.offsets)

        def errors(tokens: Tokens) -> IntArray:
            own = edits.count_words(tokens.ids, tokens.offsets)
            longer = np.maximum(tokens.lengths[owner], lengths)
            missed: IntArray = longer - edits.bag_overlaps(own, bags, owner)
            return missed

        return errors
