"""What GitHub Actions reads."""

from detectable.report.shown.gate_outputs import annotation, gate_annotations, step_outputs
from tests.report import results
from tests.report.results import gate_row


def test_an_error_per_fail_and_a_warning_per_open_row() -> None:
    rows = (
        gate_row("a", outcome="fail", p_worse_adjusted=0.004),
        gate_row("b"),
        gate_row("c", outcome="inconclusive"),
        gate_row("d", outcome="fail", watched=True),
    )
    lines = gate_annotations(results.gate(rows=rows))
    assert lines == [
        "::error title=detectable gate::a fail: +.059 [−.009, +.126], margin .05: there surely is "
        "a loss (p = .0040).",
        "::warning title=detectable gate::c inconclusive: +.059 [−.009, +.126], margin .05: 60 "
        "questions in 58 groups. About 223 questions (or a margin of 0.103) would pass 4 times in "
        "5 if nothing changed.",
    ]
    strict = gate_annotations(results.gate(rows=rows, inconclusive="fail"))
    assert [line.split(" ")[0] for line in strict] == ["::error", "::error"]


def test_ten_of_a_kind_are_shown() -> None:
    def lines(n: int) -> list[str]:
        rows = tuple(gate_row(f"t{i}", outcome="fail") for i in range(n))
        return gate_annotations(results.gate(rows=rows))

    assert len(lines(10)) == 10
    assert len(lines(11)) == 10
    assert lines(11)[-1] == "::error title=detectable gate::2 more rows: fail."


def test_nothing_ends_a_line_or_a_command() -> None:
    assert annotation("error", "a\r\n::error::b 5%") == (
        "::error title=detectable gate::a ::error::b 5%25"
    )


def test_outputs_of_the_step() -> None:
    assert step_outputs("fail", 3) == "verdict=fail\nexit_code=3\n"
