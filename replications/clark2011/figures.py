"""Figures 1 and 2 of Clark et al. (2011), drawn as users draw them, with MultEval's example."""

from collections.abc import Iterator

from detectable.study.comparison.result import Comparison
from replications.page import Figure, charted

_FIGURES = (
    (
        "1",
        "runs",
        "The paper's Figure 1 is a histogram of the BLEU of 300 optimizer runs of two systems. Its outputs "
        "are not public: here the three runs of each system in MultEval's example, which are too few to count.",
    ),
    (
        "2",
        "drawn",
        "The paper's Figure 2 has the relative frequencies of differences by the number of optimizer samples: "
        "with one, even a decline is not unlikely. Here every choice of one, two or three runs of each "
        "system in MultEval's example: nine, nine and one.",
    ),
)


def figures(found: Comparison) -> Iterator[Figure]:
    """Yield both figures."""
    metric = found.metrics[0]["metric"]
    for number, kind, said in _FIGURES:
        chart = f"drawn-{metric}" if kind == "drawn" else kind
        yield charted(found, chart, number=number, said=said, rows=found.label(metric))
