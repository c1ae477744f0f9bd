"""How long outputs are, compared with their references."""

from dataclasses import dataclass
from typing import ClassVar

import numpy as np

from detectable.core.types import FloatArray, Progress, silent
from detectable.data.texts.corpus import Corpus
from detectable.metrics.base import TextMetric
from detectable.metrics.encode import output_blocks
from detectable.metrics.sacrebleu import check_tokenizer, encoder, sacrebleu_version, tokenizer


@dataclass(frozen=True, slots=True)
class Length(TextMetric):
    r"""Length of the output in percent of that of the references, as in MultEval [1]_.

    .. math:: 100 \sum_i h_i / \sum_i r_i

    with :math:`h_i` the tokens of segment :math:`i` and :math:`r_i` those of its closest
    reference, the shorter of two that are equally close. It describes and does not judge: 100 is
    not better than 99, but 80 explains a low BLEU. The statistics are :math:`h_i, r_i`.

    Parameters
    ----------
    tokenize : str
        Any of sacreBLEU's tokenisers. MultEval, which expects tokenised text, has ``none``.

    References
    ----------
    .. [1] Clark, Dyer, Lavie and Smith (2011), "Better hypothesis testing for statistical machine
       translation", ACL, 176-181; MultEval 0.5.1.

    Examples
    --------
    >>> corpus = Corpus.build({"A": ["a b c"]}, [["a b c d"], ["a b"]])
    >>> Length().statistics(corpus).tolist()
    [[[3.0, 2.0]]]
    """

    tokenize: str = "13a"

    name: ClassVar[str] = "length"
    higher_is_better: ClassVar[bool | None] = None
    by_segment: ClassVar[bool] = True

    def __post_init__(self) -> None:
        check_tokenizer(self.tokenize)

    def statistics(self, corpus: Corpus, *, progress: Progress = silent) -> FloatArray:
        """Return the length and the closest reference length of every segment."""
        text = encoder(self.tokenize)
        references = text.encode_references(corpus)
        table = np.empty((len(corpus.outputs), corpus.n_segments, 2))
        for rows, lines in output_blocks(corpus, self.name, progress):
            lengths = text.encode(lines).lengths.reshape(-1, corpus.n_segments)
            table[rows, :, 0] = lengths
            table[rows, :, 1] = references.closest_lengths(lengths)
        return table

    def sizes(self, statistics: FloatArray) -> FloatArray:
        """Return the closest reference length."""
        return statistics[..., 1]

    def score(self, sums: FloatArray) -> FloatArray:
        """Return the length in percent; nan where the references are empty."""
        length, closest = sums[..., 0], sums[..., 1]
        empty = closest <= 0
        ratio: FloatArray = np.where(empty, np.nan, length) / np.where(empty, 1.0, closest)
        return 100.0 * ratio

    def signature(self) -> str:
        """Return the settings."""
        tokens = tokenizer(self.tokenize).signature()
        return f"tok:{tokens}|ref:closest|sacrebleu:{sacrebleu_version()}"
