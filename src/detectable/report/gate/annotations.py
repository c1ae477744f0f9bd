"""What GitHub Actions reads of a gate: annotations on the run, and outputs for later steps.

References
----------
https://docs.github.com/actions/reference/workflow-commands-for-github-actions
"""

from detectable.core.harmless import in_one_line
from detectable.report.gate.words import about, digits_of
from detectable.study.gate.result import Gate

_MOST = 10  # annotations of a kind that GitHub shows of one step
_TITLE = "detectable gate"
_KINDS = {"fail": "error", "inconclusive": "warning"}


def gate_annotations(gate: Gate) -> list[str]:
    """Return one line per row that decides and did not pass; the tenth says how many more."""
    lines, digits = [], digits_of(gate)
    for outcome, kind in _KINDS.items():
        if outcome == "inconclusive" and gate.inconclusive == "fail":
            kind = "error"
        rows = [row for row in gate.deciding if row.outcome == outcome]
        cut = rows if len(rows) <= _MOST else rows[: _MOST - 1]
        lines += [
            annotation(
                kind, f"{gate.label(row)} {outcome}: {about(gate, row, digits[row.metric])}"
            )
            for row in cut
        ]
        if len(cut) < len(rows):
            lines.append(annotation(kind, f"{len(rows) - len(cut):,} more rows: {outcome}."))
    return lines


def annotation(kind: str, message: str) -> str:
    """Return a workflow command: percent signs and line ends are written as GitHub wants them.

    Examples
    --------
    >>> annotation("error", "5% worse")
    '::error title=detectable gate::5%25 worse'
    """
    return f"::{kind} title={_TITLE}::{in_one_line(message).replace('%', '%25')}"


def step_outputs(verdict: str, exit_code: int) -> str:
    """Return the lines that go into ``$GITHUB_OUTPUT``."""
    return f"verdict={verdict}\nexit_code={exit_code}\n"
