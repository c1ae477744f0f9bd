"""Times of plans and looks, in words."""

from detectable.report.shown.monitoring_words import said_time


def test_times_as_people_write_them() -> None:
    assert said_time("2026-01-03T03:04:05+02:00") == "2026-01-03 03:04"
    assert said_time("yesterday") == "yesterday"
