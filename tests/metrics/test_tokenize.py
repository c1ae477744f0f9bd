"""What text metrics load, and whose definitions they name."""

import subprocess
import sys

import sacrebleu

from detectable.metrics.tokenize import sacrebleu_version
from tests.kernels.engines import engine


def test_the_version_of_our_definitions_is_the_installed_one() -> None:
    assert sacrebleu_version() == sacrebleu.__version__


def test_text_metrics_need_neither_sacrebleu_nor_numba() -> None:
    program = """
import sys
sys.modules["sacrebleu"] = sys.modules["numba"] = None  # an import of either is an error
from detectable.data.texts.corpus import Corpus
from detectable.metrics.registry import metric
corpus = Corpus.build({"A": ["It's 5.50, &amp; <b>..", "x y z"]}, [["It's 5.5", "z x y"]])
for name in ("bleu", "chrf", "chrf++", "ter", "nist", "gtm", "length"):
    found = metric(name)
    found.score(found.statistics(corpus).sum(axis=1))
    found.signature()
metric("gtm", exponent=2.0).statistics(corpus)
metric("bleu", tokenize="none").statistics(corpus)
"""
    # -W error: TER must not be on its slow way.
    with engine("native"):
        subprocess.run([sys.executable, "-W", "error", "-c", program], check=True)
