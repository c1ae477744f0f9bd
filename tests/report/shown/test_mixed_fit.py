"""What a mixed fit shows, against one made by hand."""

from dataclasses import replace

from detectable.mixed.result import MixedFit, VarianceComponent
from detectable.report.blocks import Chart, Methods, Repeat, Text, Verdict
from detectable.report.blocks_of import blocks_of
from detectable.report.methods.bibliography import bibtex
from tests.report import results
from tests.report.charts.drawn import JAPANESE, LONG, check
from tests.report.shown.shown import block_of, columns, csv_lines, rows, shown, table_of


def test_blocks_in_order() -> None:
    assert shown(results.mixed_fit()) == [
        "Verdict",
        "chart differences",
        "Text",
        "contrasts",
        "means",
        "chart spread",
        "components",
        "Text",
        "Text",
        "Methods",
        "Repeat",
    ]


def test_verdict() -> None:
    assert block_of(results.mixed_fit(), "Verdict") == Verdict(
        status="info",
        headline="new is rated above old: +0.390.",
        detail=(
            "95% interval [+0.071, +0.710], p = .0232 (6.2 df).",
            "human is rated above old: +0.830 [+0.511, +1.149], p = .0232 (6.2 df).",
        ),
    )


def test_the_table_of_contrasts() -> None:
    table = table_of(results.mixed_fit(), "contrasts")
    assert (table.title, table.breaks, table.folded) == ("Differences", (), False)
    assert columns(table) == [
        "system: system, name",
        "baseline: against, name",
        "estimate: estimate, signed number",
        "interval_joint: joint 95% interval, signed interval (over all differences, as the verdict)",
        "interval: 95% interval alone, signed interval, keep 9",
        "standard_error: SE, number, keep 3",
        "df: df, number, keep 2",
        "t: t, number, keep 4",
        "p_value: p, p, keep 9",
        "p_adjusted: p corrected / p corr., p",
        "verdict: rated, verdict, keep 2",
    ]
    assert rows(table) == [
        "new | old | +0.3902 | [+0.0709, +0.7096] | [+0.1238, +0.6566] | 0.1089 | 6.2 | 3.58 | .0116 | .0232 | ▲ higher",
        "human | old | +0.8300 | [+0.5107, +1.1493] | [+0.1238, +0.6566] | 0.1089 | 6.2 | 3.58 | .0116 | .0232 | ▲ higher",
    ]
    header, first, _ = csv_lines(table)
    assert header == (
        "system,baseline,estimate,interval_joint_low,interval_joint_high,interval_low,interval_high,"
        "standard_error,df,t,p_value,p_adjusted,verdict"
    )
    assert first.startswith("new,old,0.39025,0.0709")
    assert first.endswith(",0.1238,0.6566,0.1089,6.25,3.58,0.0116,0.0232,higher")


def test_the_table_of_means() -> None:
    table = table_of(results.mixed_fit(), "means")
    assert (table.title, table.breaks, table.folded) == ("Means", (), False)
    assert columns(table) == [
        "system: system, name",
        "mean: mean, number",
        "interval: 95% interval, interval",
        "standard_error: SE, number, keep 2",
        "n_ratings: ratings, count, keep 3",
    ]
    assert rows(table) == [
        "old | 3.8072 | [3.2285, 4.3856] | 0.2705 | 1,048",
    ]
    assert csv_lines(table) == [
        "system,mean,interval_low,interval_high,standard_error,n_ratings",
        "old,3.80715,3.2285,4.3856,0.2705,1048",
    ]


def test_the_table_of_components() -> None:
    table = table_of(results.mixed_fit(), "components")
    assert (table.title, table.breaks, table.folded) == (
        "Where the spread comes from",
        (),
        False,
    )
    assert columns(table) == [
        "name: spread, name",
        "variance: variance, number, keep 2",
        "sd: SD, number",
        "share: share, share",
    ]
    assert rows(table) == [
        "rater intercept | 0.040000 | 0.2000 | 16.0%",
        "residual | 0.210000 | 0.4583 | 84.0%",
    ]
    assert csv_lines(table) == [
        "name,variance,sd,share",
        "rater intercept,0.04,0.2,0.16",
        "residual,0.21,0.4583,0.84",
    ]


def test_note() -> None:
    assert Text(
        role="note", title="Notes", text="", points=(("plain", "Few raters."),)
    ) in blocks_of(results.mixed_fit())


def test_repeat() -> None:
    assert block_of(results.mixed_fit(), "Repeat") == Repeat(
        signature="toy|n:3|seed:7|detectable:0.0", command=""
    )


def test_a_single_contrast_shows_its_plain_p() -> None:
    single = results.mixed_fit(contrasts=(results.mixed_contrast(),))
    assert columns(table_of(single, "contrasts"))[3:] == [
        "interval: 95% interval, signed interval",
        "standard_error: SE, number, keep 3",
        "df: df, number, keep 2",
        "t: t, number, keep 4",
        "p_value: p, p",
        "verdict: rated, verdict, keep 2",
    ]


def test_many_contrasts_are_folded() -> None:
    many = tuple(results.mixed_contrast(f"s{i}") for i in range(13))
    assert table_of(results.mixed_fit(contrasts=many), "contrasts").folded
    assert not table_of(results.mixed_fit(contrasts=many[:12]), "contrasts").folded


def test_the_model_stands_below_its_spreads() -> None:
    assert table_of(results.mixed_fit(), "components").note == ""
    named = results.mixed_fit(formula="score ~ system + (1 | rater) + (1 | item)")
    assert table_of(named, "components").note == (
        "Model: score ~ system + (1 | rater) + (1 | item)."
    )


def chart(fit: MixedFit, name: str) -> Chart:
    found = block_of(fit, f"chart {name}")
    assert isinstance(found, Chart)
    return found


def spread_out() -> MixedFit:
    """Five differences to one baseline: two above, one below, two undecided."""
    values = ((0.9, 0.001), (0.6, 0.01), (0.1, 0.8), (-0.05, 0.9), (-0.8, 0.004))
    return results.mixed_fit(
        contrasts=tuple(
            results.mixed_contrast(f"s{i}", estimate=value, p_adjusted=p)
            for i, (value, p) in enumerate(values)
        )
    )


def test_the_picture_of_the_differences_says_on_which_side_they_lie() -> None:
    made = chart(spread_out(), "differences")
    assert made.key
    assert made.title == "Differences to old: 2 above zero, 1 below zero, 2 either side"
    assert made.caption == (
        "▲ higher, ▼ lower, ● undecided. Thin line and numbers: 95% interval over all 5 "
        "differences, as the verdict; thick: of the difference alone. Grey bar: too small to be "
        "seen reliably (80% power)."
    )
    assert made.alt == (
        f"{made.title}. s0: +0.900, higher. s1: +0.600, higher. s2: +0.100, undecided. "
        "s3: −0.050, undecided. s4: −0.800, lower."
    )


def test_one_difference_is_said_with_what_fits_the_data() -> None:
    made = chart(results.mixed_fit(contrasts=(results.mixed_contrast(),)), "differences")
    assert made.title == "new − old: +0.390, and anything from +0.124 to +0.657 fits the data"
    assert made.caption.startswith("▲ higher. Line: 95% interval. Grey bar")
    number = results.mixed_contrast(baseline=None)
    made = chart(results.mixed_fit(contrasts=(number,)), "differences")
    assert made.title.startswith("change per unit: +0.390, and anything")


def test_very_many_differences_have_no_picture() -> None:
    many = tuple(results.mixed_contrast(f"s{i}") for i in range(25))
    assert "chart differences" not in shown(results.mixed_fit(contrasts=many))
    made = chart(results.mixed_fit(contrasts=many[:24]), "differences")
    assert made.alt.endswith("And 12 more in the table.")


def test_many_differences_are_counted_in_the_verdict() -> None:
    assert block_of(spread_out(), "Verdict") == Verdict(
        "info",
        "3 of 5 differences to old are told apart.",
        ("Rated above: s0, s1.", "Rated below: s4."),
    )
    pairs = tuple(
        replace(one, baseline=f"b{i}") for i, one in enumerate(spread_out().contrasts)
    )
    assert block_of(results.mixed_fit(contrasts=pairs), "Verdict") == Verdict(
        "info", "3 of 5 differences are told apart."
    )
    names = chart(results.mixed_fit(contrasts=pairs), "differences").alt
    assert "s4 − b4: −0.800, lower." in names


def test_the_largest_part_of_the_spread_is_named() -> None:
    made = chart(results.mixed_fit(), "spread")
    assert made.title == "The largest part of the spread is noise (the residual): 84%"
    assert made.alt.endswith("residual: 84.0%. rater intercept: 16.0%.")
    assert "Blue" not in made.caption
    parts = (
        VarianceComponent(name="rater slope", variance=3.0, sd=1.732, share=0.75),
        VarianceComponent(name="residual", variance=1.0, sd=1.0, share=0.25),
    )
    made = chart(results.mixed_fit(components=parts), "spread")
    assert made.title == "The largest part of the spread is the rater slope: 75%"
    assert "Blue (rater slope): " in made.caption


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


def test_checks_point_at_what_is_odd() -> None:
    fine = results.mixed_fit()
    marks = [mark for mark, _ in texts(fine, "checks").points]
    assert marks == ["ok", "look", "ok"]  # no slopes
    parts = (
        VarianceComponent(name="rater slope", variance=0.0, sd=0.0, share=0.0),
        VarianceComponent(name="residual", variance=1.0, sd=1.0, share=1.0),
    )
    far = replace(fine.residuals, minimum=-4.25)
    odd = texts(results.mixed_fit(components=parts, residuals=far), "checks").points
    assert [mark for mark, _ in odd] == ["ok", "ok", "look", "look"]
    assert odd[2][1] == "At zero: rater slope; the data show no such spread."
    assert odd[3][1].startswith("Residuals lie between −4.2 and +3.0 standard deviations: look")


def test_the_paragraph_for_a_paper() -> None:
    made = block_of(results.mixed_fit(formula="score ~ system + (1 | rater)"), "Methods")
    assert isinstance(made, Methods)
    mde = results.mixed_contrast().detectable(alpha=0.025, power=0.8)
    assert made.paragraph == (
        "We analysed 144 ratings by 4 raters of 12 items with a linear mixed model with raters and "
        "items as crossed random effects (score ~ system + (1 | rater)), fitted by restricted "
        "maximum likelihood. Differences between systems were tested with Satterthwaite's degrees "
        "of freedom, two-sided, at α = 0.05. p-values were corrected for 2 comparisons by Holm's "
        f"procedure. With this design a true difference of {mde:.3f} is found with 80% power."
    )
    assert made.cite == ("satterthwaite-1946", "barr-etal-2013", "holm-1979")
    single = results.mixed_fit(contrasts=(results.mixed_contrast(),), reml=False)
    made = block_of(single, "Methods")
    assert isinstance(made, Methods)
    assert "fitted by maximum likelihood" in made.paragraph
    assert "We found new is rated above old" not in made.paragraph
    assert "new was rated above old: +0.390 [+0.124, +0.657], p = .0232" in made.paragraph
    assert "holm-1979" not in made.cite
    bibtex(made.cite)


def test_long_and_japanese_names_can_be_read() -> None:
    names = (LONG, LONG.upper(), JAPANESE)
    check(blocks_of(results.mixed_fit(contrasts=tuple(map(results.mixed_contrast, names)))))
    pairs = tuple(results.mixed_contrast(name, baseline=JAPANESE + LONG) for name in names[:2])
    check(blocks_of(results.mixed_fit(contrasts=(*pairs, replace(pairs[0], baseline="b")))))
