"""What a mixed fit shows, against one made by hand."""

from dataclasses import replace

from detectable.mixed.result import MixedFit
from detectable.report.blocks import Text
from detectable.report.blocks_of import blocks_of
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
