"""Translation edit rate, with sacreBLEU's numbers."""

import warnings
from dataclasses import dataclass
from typing import ClassVar

import numpy as np

from detectable.core.errors import SlowWarning
from detectable.core.types import FloatArray, Progress, silent
from detectable.data.texts.corpus import Corpus
from detectable.kernels import word_matches as ter
from detectable.metrics.encode import Encoder, References, reference_lines
from detectable.metrics.sacrebleu import SacrebleuMetric, Tercom

_CHUNK = 4096  # segments between two reports of progress, about a tenth of a second
_SLOW = (
    "TER is computed by sacreBLEU's own code, some thousand times slower: the compiled kernels "
    "are not there. Install a wheel for this platform, or from source with a C compiler."
)


@dataclass(frozen=True, slots=True)
class Ter(SacrebleuMetric):
    r"""Translation edit rate [1]_ as sacreBLEU 2.6 defines it [2]_, in percent.

    .. math:: 100 \sum_i E_i / \sum_i L_i

    with :math:`E_i` the insertions, deletions, substitutions and shifts of blocks that turn
    segment :math:`i` into one of its references, the fewest over its references, and
    :math:`L_i` their mean length. The shifts are found greedily, with the limits of the program
    Tercom; sacreBLEU's search is repeated exactly, so the statistics :math:`E_i, L_i` are equal.
    If all references are empty the score is 0 without edits, else 100.

    Parameters
    ----------
    normalized : bool
        Whether punctuation is split off and XML entities are resolved, as Tercom does with its
        option of that name. MultEval leaves it out: it expects tokenised text.
    no_punct : bool
        Whether punctuation is removed.
    asian_support : bool
        Whether both also treat Chinese and Japanese characters.
    case_sensitive : bool
        Whether case counts. By default it does not.

    References
    ----------
    .. [1] Snover, Dorr, Schwartz, Micciulla and Makhoul (2006), "A study of translation edit
       rate with targeted human annotation", AMTA, 223-231.
    .. [2] Post (2018), "A call for clarity in reporting BLEU scores", WMT, 186-191.

    Examples
    --------
    >>> corpus = Corpus.build({"A": ["d e f a b c"]}, ["a b c d e f"])
    >>> statistics = Ter().statistics(corpus)  # one shift
    >>> statistics.tolist()
    [[[1.0, 6.0]]]
    >>> round(Ter().score(statistics[0].sum(axis=0)).item(), 2)
    16.67
    """

    normalized: bool = False
    no_punct: bool = False
    asian_support: bool = False
    case_sensitive: bool = False

    name: ClassVar[str] = "ter"
    printed: ClassVar[str] = "TER"
    higher_is_better: ClassVar[bool | None] = False
    by_segment: ClassVar[bool] = True

    def statistics(self, corpus: Corpus, *, progress: Progress = silent) -> FloatArray:
        """Return the edits and the mean reference length of every segment of every output."""
        text, references = self._encode_references(corpus)
        every, first, owner = references.tokens, references.first, references.owner
        n_segments, total = corpus.n_segments, len(corpus.outputs) * corpus.n_segments
        table = np.empty((len(corpus.outputs), n_segments, 2))
        table[:, :, 1] = references.mean_lengths()
        if not ter.is_native():
            warnings.warn(_SLOW, SlowWarning, stacklevel=2)
        progress(self.name, 0, total)
        for row, output in enumerate(corpus.outputs):
            own = text.encode(corpus.output(*output))
            for start in range(0, n_segments, _CHUNK):
                stop = min(start + _CHUNK, n_segments)
                low, high = first[start], first[stop]
                edits = ter.shift_edits(
                    own.ids, own.offsets[start : stop + 1],
                    every.ids, every.offsets[low : high + 1],
                    owner[low:high] - start, len(text.vocabulary),
                )  # fmt: skip
                table[row, start:stop, 0] = np.minimum.reduceat(edits, first[start:stop] - low)
                progress(self.name, row * n_segments + stop, total)
        return table

    def sizes(self, statistics: FloatArray) -> FloatArray:
        """Return the mean reference length."""
        return statistics[..., 1]

    def score(self, sums: FloatArray) -> FloatArray:
        """Return edits over length in percent; if all references are empty, 0 or 100."""
        edits, length = sums[..., 0], sums[..., 1]
        rate = np.where(length > 0, edits, edits > 0) / np.where(length > 0, length, 1.0)
        return 100.0 * rate

    def settings(self) -> tuple[str, ...]:
        """Return the settings, as sacreBLEU writes them."""
        return (
            f"case:{'mixed' if self.case_sensitive else 'lc'}",
            "tok:tercom",
            f"norm:{'yes' if self.normalized else 'no'}",
            f"punct:{'no' if self.no_punct else 'yes'}",
            f"asian:{'yes' if self.asian_support else 'no'}",
        )

    def _encode_references(self, corpus: Corpus) -> tuple[Encoder, References]:
        tercom = Tercom(
            normalized=self.normalized,
            no_punct=self.no_punct,
            asian_support=self.asian_support,
            case_sensitive=self.case_sensitive,
        )

        def tokens(line: str) -> list[str]:
            return tercom(line.rstrip()).split()

        # Normalising looks beyond white space: a possessive is split off before a space, but not
        # before a tab. Without it, characters are dropped one by one or lowercased; only the
        # Greek sigma depends on its neighbours there, and white space ends its neighbourhood.
        text = Encoder(tokens, by_chunk=not self.normalized)
        lines, first = reference_lines(corpus)
        if self.normalized:
            # sacreBLEU tokenises references twice, which here is not the same as once.
            lines = [tercom(line.rstrip()) for line in lines]
        return text, References(text.encode(lines), first)
