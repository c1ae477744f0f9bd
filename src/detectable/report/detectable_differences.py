"""What the pairs of a comparison would reliably have shown, in words."""

from detectable.core.wording import number, visible
from detectable.study.comparison.result import Comparison


def detectable_differences(result: Comparison, *, between: str) -> list[str]:
    """Say per metric what the pairs would reliably have shown, from the least to the most."""
    said = []
    for about in result.metrics:
        metric = about["metric"]
        mdes = sorted(p.mde for p in result.pairs if p.metric == metric and p.mde == p.mde)
        if mdes:
            digits = visible(mdes[0], result.digits(metric))
            low, high = (number(x, digits=digits) for x in (mdes[0], mdes[-1]))
            span = low if low == high else f"{low}{between}{high}"
            said.append(f"{span} {result.label(metric)}")
    return said
