"""Predicted effects as a spreadsheet."""

from dataclasses import replace

from detectable.report.shown.mixed_fit import HEADER, effects_csv
from tests.report import results


def test_one_row_per_level_and_one_per_system_where_it_matters() -> None:
    made = results.effect_predictions()
    items = replace(made, factor="item", effects=made.effects[1:])
    assert effects_csv([made, items]).split("\r\n") == [
        "factor,level,system,effect,standard_error,n_ratings",
        "rater,ann,,-0.25,0.125,36",
        "rater,ann,new,0.0625,0.1,36",
        "rater,ann,old,-0.03125,0.2,36",
        'rater,"bob, jr.",,0.3333333333333333,0.5,12',
        'item,"bob, jr.",,0.3333333333333333,0.5,12',
        "",
    ]


def test_no_effects_are_a_header_alone() -> None:
    assert effects_csv([]) == ",".join(HEADER) + "\r\n"
