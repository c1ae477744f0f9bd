"""What a study of translationese says at the edges, of results made by hand."""

import math
from dataclasses import replace

from detectable.report.shown.translationese import (
    advice,
    agreement_sentences,
    change_sentences,
    effect_sentence,
    parity_sentences,
    replication_sentences,
    sentences_about,
)
from tests.report import results


def test_a_p_of_exactly_alpha_is_sure_and_no_difference_is_not_higher() -> None:
    rows = (
        results.system_effect("a", difference=0.0, p_adjusted=0.05),
        results.system_effect("b", difference=0.5, p_adjusted=0.0501),
        results.system_effect("c", difference=-1.0, p_adjusted=0.01),
    )
    assert effect_sentence(results.translationese(effects=rows), "raw") == (
        "In raw human scores, reverse − forward is −1.00 (c) to +0.50 (b): 1 of 3 systems score "
        "higher on reverse data, 2 are significantly different (p ≤ 0.05, Holm)."
    )


def test_pairs_that_are_favoured_at_exactly_alpha() -> None:
    edge = results.pair_effect(change="same", p_adjusted=0.05)
    said = change_sentences(results.translationese(pairs=(edge,)), "raw")
    assert (
        said[1]
        == "Reverse data significantly favour one of the two in 1 pair (new against human)."
    )


def test_the_typical_shift_is_the_middle_one() -> None:
    pairs = tuple(
        results.pair_effect(change="same", p_adjusted=0.9, relative_mde=x)
        for x in (9.0, 1.0, 4.0)
    )
    said = change_sentences(results.translationese(pairs=pairs), "raw")
    assert said[0] == "In raw human scores, none of 3 verdicts changes without reverse data."
    assert "a shift of 4.00 between two systems" in said[1]


def test_typical_powers_and_margins_are_the_middle_ones() -> None:
    rows = tuple(
        results.parity_row(system=name, power=power, margin_found=found, margin=0.125)
        for name, power, found in (("x", 0.9, 7.0), ("y", 0.1, 1.0), ("z", 0.3, 5.0))
    )
    assert parity_sentences(results.translationese(parity=rows), "raw") == [
        "Forward half, raw human scores: 0 of 3 systems shown not to be worse than human by more "
        "than 0.125. Of equal systems it would be shown with 30% power; a margin of 5.00 with "
        "80%."
    ]
    one = parity_sentences(results.translationese(parity=rows[:1]), "raw")[0]
    assert "not worse than human by more than 0.125:" in one


def test_without_a_number_of_segments_none_is_said() -> None:
    row = results.parity_row(segments_needed=None)
    (said,) = parity_sentences(results.translationese(parity=(row,)), "raw")
    assert said.endswith("this half shows it with 56% power.")


def test_the_advice_is_about_judgments_and_texts() -> None:
    made = results.translationese()
    texts = tuple(
        replace(part, data="texts", n_segments=n, n_judgments=None)
        for part, n in zip(made.parts[:2], (1000, 3000), strict=True)
    )
    both = replace(made, parts=(*made.parts, *texts))
    assert both.summary().startswith(
        "Leave reverse-created data out: 92 of 181 judged segments remain (51%); 1,000 of 4,000 "
        "segments remain (25%). The typical detectable difference"
    )
    assert both.part("texts", "reverse").n_segments == 3000
    assert made.conclusion("raw", "both").n_segments == 181


def test_a_difference_that_nobody_could_detect_has_no_cost() -> None:
    made = results.translationese()
    for half in ("forward", "both"):
        rows = tuple(
            replace(row, mde=math.nan) if row.half == half else row for row in made.conclusions
        )
        (said,) = advice(replace(made, conclusions=rows))
        assert said.endswith("remain (51%).")


def test_where_n_is_not_N() -> None:
    [row] = results.translationese().replicated
    other = replace(row, half="reverse", N=row.n, p_judgments=row.p_segments)
    both = replace(row, half="both")
    said = replication_sentences(results.translationese(replicated=(row, other, both)))
    assert [text.split(" half")[0] for text in said] == ["n is not N: on the forward"]
    mixed = (other, replace(other, N=row.n + 1))  # one pair is enough
    assert len(replication_sentences(results.translationese(replicated=mixed))) == 1


def test_measures_without_pairs_have_no_verdicts() -> None:
    made = results.translationese()
    more = replace(made, measures=("raw", "z"), digits={"raw": 2, "z": 3})
    assert more.judged_measures == ("raw",)
    assert sentences_about(more, "z") == []
    assert agreement_sentences(more, "z") == []
    assert (more.label("z"), more.label("bleu")) == ("human scores (z)", "bleu")
