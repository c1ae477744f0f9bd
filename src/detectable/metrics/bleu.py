"""BLEU, with sacreBLEU's numbers."""

from dataclasses import dataclass
from typing import ClassVar, Literal

import numpy as np

from detectable.core import check
from detectable.core.errors import InputError
from detectable.core.types import FloatArray, Progress, silent
from detectable.data.texts.corpus import Corpus
from detectable.kernels import ngrams
from detectable.metrics.encode import output_blocks
from detectable.metrics.sacrebleu import SacrebleuMetric, check_tokenizer, encoder, tokenizer

Smooth = Literal["exp", "floor", "add-k", "none"]

_VALUES = {"floor": 0.1, "add-k": 1.0}  # the ways of smoothing that take a value


@dataclass(frozen=True, slots=True)
class Bleu(SacrebleuMetric):
    r"""BLEU [1]_ as sacreBLEU 2.6 defines it [2]_, from 0 to 100.

    With :math:`c_n` of the :math:`t_n` n-grams of the output found in the references of their
    segments, :math:`h` its length and :math:`r` that of the closest references,

    .. math:: 100 \exp(\min(0, 1 - r / h)) \Bigl(\prod_{n=1}^{N} c_n / t_n\Bigr)^{1/N}.

    An n-gram counts as found at most as often as it occurs in the reference that has it most
    often; of two references equally close in length the shorter counts. The statistics are
    :math:`h, r, c_1 \dots c_N, t_1 \dots t_N`, in sacreBLEU's order.

    Parameters
    ----------
    tokenize : str
        Any of sacreBLEU's tokenisers: ``13a``, ``intl``, ``zh``, ``ja-mecab``, ``char``, ...
    lowercase : bool
        Whether case is ignored.
    smooth : {'exp', 'floor', 'add-k', 'none'}
        What stands for :math:`c_n = 0`: ``exp`` halves once more for each such order,
        ``floor`` puts a small value, ``add-k`` adds to all counts but those of single
        tokens [3]_. Without any match at all the score is 0.
    smooth_value : float, optional
        The value for ``floor`` (default 0.1) or ``add-k`` (default 1).
    max_order : int
        The longest n-gram, :math:`N`.
    effective_order : bool
        Whether orders without n-grams are left out of the mean; else they make the score 0.
        For scores of single segments.

    References
    ----------
    .. [1] Papineni, Roukos, Ward and Zhu (2002), "BLEU: a method for automatic evaluation of
       machine translation", ACL, 311-318.
    .. [2] Post (2018), "A call for clarity in reporting BLEU scores", WMT, 186-191.
    .. [3] Chen and Cherry (2014), "A systematic comparison of smoothing techniques for
       sentence-level BLEU", WMT, 362-367.

    Examples
    --------
    >>> corpus = Corpus.build({"A": ["the cat sat on a mat"]}, ["the cat sat on the mat"])
    >>> bleu = Bleu()
    >>> statistics = bleu.statistics(corpus)
    >>> statistics[0, 0].tolist()
    [6.0, 6.0, 5.0, 3.0, 2.0, 1.0, 6.0, 5.0, 4.0, 3.0]
    >>> round(float(bleu.score(statistics[0].sum(axis=0))), 2)
    53.73
    """

    tokenize: str = "13a"
    lowercase: bool = False
    smooth: Smooth = "exp"
    smooth_value: float | None = None
    max_order: int = 4
    effective_order: bool = False

    name: ClassVar[str] = "bleu"
    printed: ClassVar[str] = "BLEU"
    higher_is_better: ClassVar[bool | None] = True
    limits: ClassVar[tuple[float, float] | None] = (0.0, 100.0)
    by_segment: ClassVar[bool] = True

    def __post_init__(self) -> None:
        check_tokenizer(self.tokenize)
        check.literal(self.smooth, Smooth, "smooth")
        check.positive_int(self.max_order, "max_order")
        if self.smooth_value is None:
            return
        if self.smooth not in _VALUES:
            raise InputError(
                f"`smooth_value` must be left out with smooth={self.smooth!r}; "
                f"got {self.smooth_value!r}. Only 'floor' and 'add-k' take a value."
            )
        check.positive(self.smooth_value, "smooth_value")

    def statistics(self, corpus: Corpus, *, progress: Progress = silent) -> FloatArray:
        """Return lengths, matches and totals of every segment of every output."""
        order, n_segments = self.max_order, corpus.n_segments
        text = encoder(self.tokenize, lowercase=self.lowercase)
        references = text.encode_references(corpus)
        every = references.tokens
        unweighted = np.zeros((0, order))
        table = np.empty((len(corpus.outputs), n_segments, 2 + 2 * order))
        for rows, lines in output_blocks(corpus, self.name, progress):
            tokens = text.encode(lines)
            lengths = tokens.lengths.reshape(-1, n_segments)
            table[rows, :, 0] = lengths
            table[rows, :, 1] = references.closest_lengths(lengths)
            table[rows, :, 2 : 2 + order] = ngrams.shared_ngrams(
                tokens.ids, tokens.offsets, every.ids, every.offsets,
                references.first, references.first, unweighted, order,
            )  # fmt: skip
            table[rows, :, 2 + order :] = ngrams.ngram_totals(lengths, order)
        return table

    def sizes(self, statistics: FloatArray) -> FloatArray:
        """Return the closest reference length."""
        return statistics[..., 1]

    def score(self, sums: FloatArray) -> FloatArray:
        """Return BLEU, from 0 to 100."""
        order = self.max_order
        columns = np.ascontiguousarray(np.moveaxis(sums, -1, 0))
        length, closest = columns[0], columns[1]
        correct, total = columns[2 : 2 + order], columns[2 + order :]
        matched = (correct > 0).any(axis=0)
        shortfall = 1.0 - closest / np.where(length > 0, length, 1.0)
        nothing = np.where(closest > 0, -np.inf, 0.0)  # no penalty for an empty reference
        penalty = np.where(length > 0, np.minimum(0.0, shortfall), nothing)
        score = 100.0 * np.exp(penalty + self._mean_log_precision(correct, total))
        found: FloatArray = np.where(matched, score, 0.0)
        return found

    def _mean_log_precision(self, correct: FloatArray, total: FloatArray) -> FloatArray:
        """Return the mean over the orders of log(correct / total), smoothed."""
        shape = correct.shape[1:]
        logs, n_orders, halved = np.zeros(shape), np.zeros(shape), np.ones(shape)
        present = np.ones(shape, bool)  # there are n-grams of this order and of all before
        value = self._smooth_value()
        for n in range(self.max_order):
            c, t = correct[n], total[n]
            if self.smooth == "add-k" and n > 0:
                c, t = c + value, t + value
            present = present & (t > 0)
            missing = present & (c == 0)
            if self.smooth == "exp" and missing.any():
                halved = np.where(missing, halved / 2.0, halved)
                c = np.where(missing, halved, c)
            elif self.smooth == "floor":
                c = np.where(missing, value, c)
            with np.errstate(divide="ignore"):  # a precision of 0 is a logarithm of -inf
                logs += np.log(np.divide(c, t, out=np.ones(shape), where=present))
            n_orders += present
        if not self.effective_order:
            return np.where(present, logs / self.max_order, -np.inf)
        return np.where(n_orders > 0, logs / np.maximum(n_orders, 1.0), -np.inf)

    def settings(self) -> tuple[str, ...]:
        """Return the settings, as sacreBLEU writes them."""
        value = f"[{self._smooth_value():.2f}]" if self.smooth in _VALUES else ""
        parts = [
            f"case:{'lc' if self.lowercase else 'mixed'}",
            f"eff:{'yes' if self.effective_order else 'no'}",
            f"tok:{tokenizer(self.tokenize).signature()}",
            f"smooth:{self.smooth}{value}",
        ]
        if self.max_order != 4:  # sacreBLEU does not say it, though it changes the number
            parts.append(f"order:{self.max_order}")
        return tuple(parts)

    def _smooth_value(self) -> float:
        """Return the value to smooth with, 0 where there is none."""
        if self.smooth_value is not None:
            return self.smooth_value
        return _VALUES.get(self.smooth, 0.0)
