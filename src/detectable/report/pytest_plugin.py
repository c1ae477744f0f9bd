"""Gates in a test suite: the fixture ``gate`` of pytest, its options, and a section at the end.

pytest loads this file in every run where the package is installed (entry point ``pytest11``), so
nothing else of the package is imported before a test uses the fixture.
"""

import warnings
from collections.abc import Callable, Iterator
from typing import TYPE_CHECKING, Any, NoReturn

import pytest

if TYPE_CHECKING:
    from detectable.study.gate.result import Gate

_NAME = "detectable"  # of the section, and of what a report keeps for it
_ERROR = "error"
# By test and call: the hashes of the scores of its tries. Reruns of a test share a process.
_TRIES = pytest.StashKey[dict[tuple[str, int], list[str]]]()


def pytest_addoption(parser: pytest.Parser) -> None:
    """Add what a run may say about its gates."""
    group = parser.getgroup(_NAME, "gates on evaluations")
    group.addoption(
        "--detectable-baseline",
        metavar="FILE",
        help="Baseline of every gate: a baseline file, or logs of the system in use.",
    )
    group.addoption(
        "--detectable-attempt",
        type=_attempt,
        metavar="N",
        help="This is the Nth try of one candidate: gates are tested at alpha / 2^N.",
    )
    group.addoption(
        "--detectable-inconclusive",
        choices=("fail", "skip", "pass"),
        default="skip",
        help="What a test is whose gate has too few questions to decide (default: skip).",
    )


def pytest_configure(config: pytest.Config) -> None:
    """Begin to count the tries of this run."""
    config.stash[_TRIES] = {}


def _attempt(text: str) -> int:
    """Read the number of a try."""
    if not text.isdecimal() or int(text) < 1:
        raise ValueError("must be 1 or more")
    return int(text)


@pytest.fixture
def gate(request: pytest.FixtureRequest) -> "Callable[..., Gate]":
    """Gate new scores: ``gate("logs/new", margin={"match": 0.05})``.

    Takes what ``detectable.gate`` takes, by the same names, and returns its result. The baseline is
    that of ``--detectable-baseline`` where none is given. A fail fails the test with what the gate
    says; one that is inconclusive is skipped, unless ``--detectable-inconclusive`` says otherwise; data
    that cannot be used are an error.
    """
    node, option = request.node, request.config.getoption
    attempt: int | None = option("--detectable-attempt")
    if attempt is None and _is_rerun(node):
        pytest.fail(
            "A gate that is repeated until it is green passes too often. Run it without --reruns "
            "(or the marker flaky), or count the tries: --detectable-attempt 1.",
            pytrace=False,
        )
    tries: dict[tuple[str, int], list[str]] = request.config.stash[_TRIES]
    node.user_properties[:] = [own for own in node.user_properties if own[0] != _NAME]
    calls = 0

    def check(new: Any, baseline: Any = None, **settings: Any) -> "Gate":
        __tracebackhide__ = True
        nonlocal calls
        calls += 1
        known = option("--detectable-baseline") if baseline is None else baseline
        found = _gated(node, new, known, attempt, settings)
        if attempt is not None:  # the same scores are the same try
            seen = tries.setdefault((node.nodeid, calls), [])
            if found.new_sha256 not in seen:
                seen.append(found.new_sha256)
            number = attempt + seen.index(found.new_sha256)
            if number > attempt:
                found = _gated(node, new, known, number, settings)
        _end(node, found, option("--detectable-inconclusive"))
        return found

    return check


def _is_rerun(node: pytest.Item) -> bool:
    """Whether pytest-rerunfailures would repeat a test that fails."""
    reruns = getattr(node.config.option, "reruns", None)
    return bool(reruns) or node.get_closest_marker("flaky") is not None


def _gated(
    node: pytest.Item, new: Any, baseline: Any, attempt: int | None, settings: dict[str, Any]
) -> "Gate":
    """Run a gate; its notes go into the report of the test, and errors end it in one sentence."""
    __tracebackhide__ = True
    from detectable.core.errors import DetectableError, DetectableWarning
    from detectable.study.gate.gate import gate as run

    if baseline is None:
        _refuse(node, "there is no baseline. Give --detectable-baseline=FILE, or baseline=….")
    if attempt is not None:
        settings = {"attempt": attempt} | settings
    refused, found = "", None
    with warnings.catch_warnings(record=True) as said:
        warnings.simplefilter("always")
        try:
            found = run(new, baseline, **settings)
        except DetectableError as error:
            refused = str(error)
    if found is None:  # outside, so that pytest shows one sentence and no chain of errors
        _refuse(node, refused)
    ours = [str(one.message) for one in said if issubclass(one.category, DetectableWarning)]
    for one in said:
        if not issubclass(one.category, DetectableWarning):
            warnings.warn_explicit(one.message, one.category, one.filename, one.lineno)
    notes = "\n".join(dict.fromkeys((*ours, *found.notes)))
    if notes:
        node.add_report_section("call", "notes of the gate", notes)
    return found


def _refuse(node: pytest.Item, message: str) -> NoReturn:
    """End a test as an error: nothing was tested."""
    __tracebackhide__ = True
    node.user_properties.append((_NAME, f"{_ERROR}: {message}"))
    pytest.fail(message, pytrace=False)


def _end(node: pytest.Item, found: "Gate", inconclusive: str) -> None:
    """End the test as its gate ended, and keep a line for the section."""
    __tracebackhide__ = True
    from detectable.report.shown.gate_words import headline, say_gate

    said = headline(found)
    node.user_properties.append((_NAME, said))
    if found.outcome == "fail" or (found.outcome, inconclusive) == ("inconclusive", "fail"):
        pytest.fail(say_gate(found), pytrace=False)
    if (found.outcome, inconclusive) == ("inconclusive", "skip"):
        pytest.skip(said)


# --- What a run says ---


def pytest_report_teststatus(report: pytest.TestReport) -> tuple[str, str, str] | None:
    """Count a gate that could not be run among the errors."""
    if report.when == "call" and report.failed and any(_is_error(line) for line in _of(report)):
        return "error", "E", "ERROR"
    return None


def pytest_terminal_summary(terminalreporter: pytest.TerminalReporter) -> None:
    """Write a line for every gate; reports of other processes bring theirs with them."""
    lines = [
        f"{report.nodeid}: {line}"
        for reports in terminalreporter.stats.values()
        for report in reports
        if getattr(report, "when", None) == "call"
        for line in _of(report)
    ]
    if lines:
        terminalreporter.section(_NAME)
        for line in dict.fromkeys(sorted(lines)):
            terminalreporter.write_line(line)


def _of(report: pytest.TestReport) -> Iterator[str]:
    """Return the lines of the gates of a test."""
    for name, value in getattr(report, "user_properties", ()):
        if name == _NAME:
            yield str(value)


def _is_error(line: str) -> bool:
    return line.startswith(f"{_ERROR}: ")
