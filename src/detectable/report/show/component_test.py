"""What a test of a variance shows."""

from collections.abc import Iterator

from detectable.core.wording import count, number, p_statement
from detectable.mixed.component import ComponentTest
from detectable.report.blocks import Block, Column, Methods, Repeat, Text, Verdict, table


def show(test: ComponentTest) -> Iterator[Block]:
    """Show whether the spread may be zero, and how that was tested."""
    p = p_statement(test.p_value)
    headline = f"{test.component}: standard deviation {test.sd:.3g}, {p}."
    yield Verdict(
        "info", headline, (f"Likelihood ratio {number(test.statistic)}, by {_how(test)}.",)
    )
    text = (
        "A large p-value does not show that the spread is zero: keep what the design calls for, "
        "whatever this test says."
    )
    yield Text("limits", "What this test does not say", text)
    columns = (
        Column("component", "spread", "name"),
        Column("sd", "SD", digits=4),
        Column("statistic", "likelihood ratio", short="LR"),
        Column("p_value", "p", "p"),
    )
    yield table("component", "The test", columns, (test,))
    paragraph = (
        f"Whether the {test.component} varies at all was tested by the fall of the criterion when it "
        f"is added, {_how(test)}: likelihood ratio {number(test.statistic)}, {p}."
    )
    yield Methods(paragraph)
    yield Repeat(str(test.signature))


def _how(test: ComponentTest) -> str:
    if not test.n_resamples:
        return "its distribution in large samples, half at zero"
    return f"a parametric bootstrap with {count(test.n_resamples, 'sample')}"
