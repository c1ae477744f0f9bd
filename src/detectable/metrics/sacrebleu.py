"""What metrics as sacreBLEU defines them say alike: their signature, in its own words."""

from abc import abstractmethod

from detectable.data.texts.corpus import Corpus
from detectable.metrics.base import TextMetric
from detectable.metrics.tokenize import sacrebleu_version


class SacrebleuMetric(TextMetric):
    """A metric as sacreBLEU defines it: its signature can be told in sacreBLEU's own words."""

    @abstractmethod
    def settings(self) -> tuple[str, ...]:
        """Return the settings as sacreBLEU writes them, ``key:value`` each."""

    def signature(self) -> str:
        """Return the settings, and the version of sacreBLEU that defines them."""
        return "|".join([*self.settings(), f"sacrebleu:{sacrebleu_version()}"])

    def sacrebleu_signature(self, corpus: Corpus) -> str:
        """Return what sacreBLEU itself prints for `corpus`, with the number of its references.

        Where segments differ in that number, it is ``var``.

        Examples
        --------
        >>> from detectable.metrics.bleu import Bleu
        >>> Bleu().sacrebleu_signature(Corpus.build({"A": ["a b"]}, [["a b"], ["a c"]]))
        'nrefs:2|case:mixed|eff:no|tok:13a|smooth:exp|version:...'
        """
        fewest, most = corpus.references_per_segment
        n = str(most) if fewest == most else "var"
        return "|".join([f"nrefs:{n}", *self.settings(), f"version:{sacrebleu_version()}"])
