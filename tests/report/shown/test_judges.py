"""What is shown of a judge: agreement, corrected shares, and a plan of labels."""

from detectable.report.blocks import Verdict
from tests.report import results
from tests.report.shown.shown import block_of, shown, table_of


def test_agreement_names_the_favoured_system_and_prints_the_table() -> None:
    found = results.judge_agreement()
    assert shown(found) == [
        "Verdict", "Text", "systems", "answers", "pairs", "Text", "Methods", "Repeat",
    ]  # fmt: skip
    made = block_of(found, "Verdict")
    assert isinstance(made, Verdict)
    assert made.status == "warning"
    assert made.headline.startswith(
        "The judge favours old over new by 0.057 more than people do"
    )
    assert "new: one answer makes up more than 90%" in block_of(found, "Text").text  # type: ignore[union-attr]
    assert table_of(found, "answers").texts() == [
        ("new", "118", "5", "2", "0"),
        ("old", "70", "17", "7", "30"),
    ]
    assert table_of(found, "pairs").texts()[0][:5] == (
        "new", "old", "−0.057", "[−0.110, −0.004]", ".0352",
    )  # fmt: skip


def test_corrected_shares_say_what_they_assume() -> None:
    found = results.rogan_gladen()
    made = block_of(found, "Verdict")
    assert made == Verdict(
        "info",
        "new: 0.700 [0.630, 0.770] (the judge says 0.690).",
        ("This assumes that the judge errs here as often as on the labelled data set.",),
    )
    assert table_of(found, "systems").texts() == [
        ("new", "0.700", "[0.630, 0.770]", "0.690", "0.900", "0.800", "0.035", "5,000", "140", "60"),
    ]  # fmt: skip


def test_a_plan_of_labels() -> None:
    found = results.labels()
    assert block_of(found, "Verdict") == Verdict(
        "info",
        "218 labels for a half-width of 0.05; 385 without the judge.",
        ("The judge saves 43% of the labels, at a correlation of 0.70.",),
    )
    none = results.labels(n_labels=None, n_pool=200, reached=0.0697)
    made = block_of(none, "Verdict")
    assert isinstance(made, Verdict)
    assert made.status == "warning"
    assert made.headline == (
        "More items, not more labels: a half-width of 0.05 needs a pool of at least 386 items, and "
        "this one has 200."
    )
    assert made.detail == ("With all of them labelled it would be 0.0697.",)
