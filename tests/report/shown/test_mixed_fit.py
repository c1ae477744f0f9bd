"""What a mixed fit shows, against one made by hand."""

from dataclasses import replace

from detectable.mixed.result import MixedFit
from detectable.report.blocks import Text
from detectable.report.blocks_of import blocks_of
from detectable.report.shown.mixed_fit import HEADER, effects_csv
from tests.report import results
from tests.report.charts.drawn import JAPANESE, LONG, check


def texts(fit: MixedFit, role: str) -> Text:
    return next(b for b in blocks_of(fit) if isinstance(b, Text) and b.role == role)


def test_limits_say_what_is_found_and_that_few_raters_are_the_limit() -> None:
    mde = results.mixed_contrast().detectable(alpha=0.025, power=0.8)
    assert texts(results.mixed_fit(), "limits").text == (
        f"With 4 raters × 12 items a true difference of {mde:.3f} is found with 80% power. Smaller "
        "ones are usually missed. The tests have 6.2 degrees of freedom: so few raters, items or "
        "documents are the limit, and not the number of ratings (144)."
    )
    many = (results.mixed_contrast(df=30.0), results.mixed_contrast(df=900.0))
    said = texts(results.mixed_fit(contrasts=many), "limits").text
    assert "degrees of freedom" not in said
    low, high = (one.detectable(alpha=0.025, power=0.8) for one in (many[1], many[0]))
    assert f"of {low:.3f} to {high:.3f} is found" in said


def test_long_and_japanese_names_can_be_read() -> None:
    names = (LONG, LONG.upper(), JAPANESE)
    check(blocks_of(results.mixed_fit(contrasts=tuple(map(results.mixed_contrast, names)))))
    pairs = tuple(results.mixed_contrast(name, baseline=JAPANESE + LONG) for name in names[:2])
    check(blocks_of(results.mixed_fit(contrasts=(*pairs, replace(pairs[0], baseline="b")))))


# --- Predicted effects as a spreadsheet ---


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
