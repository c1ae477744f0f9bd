"""A gate as JUnit XML."""

import xml.etree.ElementTree as ET
from typing import Any

from detectable.core.interval import Interval
from detectable.report.shown.gate_outputs import error_junit
from tests.report import results
from tests.report.results import gate_row


def _suites(**changes: Any) -> ET.Element:
    return ET.fromstring(results.gate(**changes).to_junit())


def _counts(of: ET.Element) -> tuple[str, ...]:
    return tuple(of.attrib[key] for key in ("tests", "failures", "errors", "skipped"))


def test_a_case_per_task_and_a_suite_per_metric() -> None:
    rows = (gate_row(), gate_row("code"), gate_row(metric="f1"))
    root = _suites(rows=rows, margin={"accuracy": 0.05, "f1": 0.05})
    assert root.tag == "testsuites"
    assert [suite.attrib["name"] for suite in root] == ["accuracy", "f1"]
    assert [_counts(suite) for suite in root] == [("2", "0", "0", "0"), ("1", "0", "0", "0")]
    assert _counts(root) == ("3", "0", "0", "0")
    case = root[0][0]
    assert case.attrib == {
        "classname": "detectable.gate",
        "name": "math/accuracy",
        "time": "0",
    }


def test_numbers_are_properties() -> None:
    found = {p.attrib["name"]: p.attrib["value"] for p in _suites()[0][0][0]}
    assert found == {
        "outcome": "pass",
        "old": "0.629",
        "new": "0.6875",
        "difference": "0.0585",
        "margin": "0.05",
        "margin_passable": "0.1029",
        "n_items": "60",
        "n_clusters": "58",
        "p_margin": "0.0052",
        "p_worse_adjusted": "0.9999",
        "interval_low": "-0.0094",
        "interval_high": "0.126",
    }


def test_a_loss_is_a_failure() -> None:
    row = gate_row(
        outcome="fail",
        difference=-0.06,
        interval=Interval(-0.09, -0.02, 0.9),
        p_worse_adjusted=0.004,
    )
    root = _suites(rows=(row,), outcome="fail")
    assert _counts(root) == ("1", "1", "0", "0")
    failure = root[0][0].find("failure")
    assert failure is not None
    assert failure.attrib == {
        "type": "regression",
        "message": "−.060 [−.090, −.020], margin .05",
    }
    assert failure.text == (
        "−.060 [−.090, −.020], margin .05: there surely is a loss (p = .0040)."
    )


def test_an_open_row_is_skipped_unless_it_fails_the_gate() -> None:
    root = _suites()
    assert _counts(root) == ("2", "0", "0", "1")
    skipped = root[0][1].find("skipped")
    assert skipped is not None
    assert skipped.attrib["message"].startswith(
        "inconclusive: −.013 [−.171, +.146], margin .05: 20 questions. About 339 questions"
    )
    strict = _suites(inconclusive="fail")
    assert _counts(strict) == ("2", "1", "0", "0")
    failure = strict[0][1].find("failure")
    assert failure is not None
    assert failure.attrib["type"] == "inconclusive"


def test_watched_rows_are_never_failures() -> None:
    row = gate_row("code", outcome="fail", watched=True)
    root = _suites(rows=(gate_row(), row), inconclusive="fail")
    assert _counts(root) == ("2", "0", "0", "1")
    skipped = root[0][1].find("skipped")
    assert skipped is not None
    assert skipped.attrib["message"].startswith("watched, fail: ")


def test_names_of_any_kind_are_xml() -> None:
    name = "<&\"'\x00\x1b]]>\n"
    root = _suites(rows=(gate_row(name),))
    assert root[0][0].attrib["name"] == "<&\"' ]]> /accuracy"


def test_what_could_not_be_run_is_an_error() -> None:
    root = ET.fromstring(error_junit('b.json: no "items" <here>'))
    assert _counts(root) == ("1", "0", "1", "0")
    error = root[0][0].find("error")
    assert error is not None
    assert error.attrib["message"] == 'b.json: no "items" <here>'


def test_what_is_not_known_is_left_out() -> None:
    nan = float("nan")
    row = gate_row(
        margin_passable=nan, interval=Interval(nan, nan, 0.9), outcome="inconclusive"
    )
    names = [p.attrib["name"] for p in _suites(rows=(row,))[0][0][0]]
    assert not {"margin_passable", "interval_low", "interval_high"} & set(names)
