"""What a study of translationese shows, against one made by hand."""

import math
from dataclasses import replace
from typing import Any

from detectable.report.blocks import Chart, Methods, Text, Verdict
from detectable.report.blocks_of import blocks_of
from detectable.report.charts.halves import HalfScore, score_panel
from detectable.report.charts.theme import text_width
from detectable.study.translationese.result import Translationese
from tests.report import results
from tests.report.charts.drawn import JAPANESE, LONG, check
from tests.report.shown.shown import block_of, columns, csv_lines, rows, shown, table_of

ADVICE = (
    "Leave reverse-created data out: 92 of 181 judged segments remain (51%). The typical "
    "detectable difference goes from 2.62 to 4.12 in raw human scores."
)
EFFECT = (
    "In raw human scores, reverse − forward is +3.25 (human) to +9.50 (new): 2 of 2 systems score "
    "higher on reverse data, 1 is surely different (p ≤ 0.05, Holm)."
)
CHANGE = (
    "In raw human scores, 1 of 1 verdict changes without reverse data: 1 no longer decided. The "
    "forward half is too small to tell: it would not reliably have found the difference that both "
    "halves show."
)
NONE = (
    "No pair is surely favoured by reverse data; a shift of 9.75 between two systems would typically "
    "have been seen (80% power). In 0 of 1 pair reverse data raise one system and lower the other."
)
AGREE = (
    "The halves agree on raw human scores at r = 0.85 [0.60, 0.97], ρ = 0.78, τ = 0.61; random halves "
    "of the same documents at r = 0.91 (p = .1235)."
)
FORWARD = (
    "Forward half (92 distinct segments): not shown that new is not worse than human by more than "
    "3.00: −2.75 raw human scores [−5.50, +0.00], p = .8772. If they are equal, this half shows it "
    "with 56% power; 174 segments give 80%."
)
REVERSE = (
    "Reverse half (89 distinct segments): new is not worse than human by more than 3.00: +3.50 raw "
    "human scores [+0.75, +6.25], p = .0001. If they are equal, this half shows it with 56% power; "
    "174 segments give 80%."
)
N_AND_N = (
    "n is not N: on the forward half WMT's one-sided rank-sum tells 0 of 1 pair apart on distinct "
    "segments, and 1 if every judgment is taken for a segment."
)


def test_blocks_in_order() -> None:
    assert shown(results.translationese()) == [
        *("Verdict", "chart halves", "Text", "parts", "effects", "chart shifts"),
        *("halves", "pairs", "pair-shifts", "agreement", "n-and-N", "parity"),
        *("Text", "Text", "Methods", "Repeat"),
    ]
    bare = results.translationese(pairs=(), agreement=(), replicated=(), parity=(), notes=())
    assert shown(bare) == [
        *("Verdict", "chart halves", "parts", "effects", "chart shifts", "Text"),
        *("Methods", "Repeat"),
    ]


def test_verdict() -> None:
    head, cost = ADVICE.split(". ")
    detail = (cost, EFFECT, CHANGE, NONE, FORWARD, REVERSE)
    assert block_of(results.translationese(), "Verdict") == Verdict("info", f"{head}.", detail)
    assert results.translationese().summary().splitlines() == [
        *(ADVICE, EFFECT, CHANGE, NONE, AGREE, FORWARD, REVERSE, N_AND_N)
    ]


def test_other_measures_follow_after_the_tables() -> None:
    """One measure leads; what the others say of verdicts and parity is among the checks."""
    made = results.translationese()
    digits = {**made.digits, "bleu": 2}
    both = replace(
        made,
        measures=("raw", "bleu"),
        digits=digits,
        effects=(*made.effects, *(replace(row, measure="bleu") for row in made.effects)),
        pairs=(*made.pairs, *(replace(row, measure="bleu") for row in made.pairs)),
        conclusions=(
            *made.conclusions,
            *(replace(row, measure="bleu") for row in made.conclusions),
        ),
    )
    verdict = block_of(both, "Verdict")
    assert isinstance(verdict, Verdict)
    assert not any("In bleu" in text for text in verdict.detail)
    checks = next(b for b in blocks_of(both) if isinstance(b, Text) and b.role == "checks")
    said = [text for _, text in checks.points]
    assert [text.startswith("In bleu, reverse − forward") for text in said].count(True) == 1
    assert any(text.startswith("In bleu, 1 of 1 verdict") for text in said)
    assert any(text.startswith("In bleu, 1 of 1 verdict") for text in both.sentences())


def test_checks() -> None:
    _, *found = [b for b in blocks_of(results.translationese()) if isinstance(b, Text)]
    assert found[0].role == "checks"
    assert found[0].points[0] == ("look", N_AND_N)
    assert [mark for mark, _ in found[0].points[1:]] == ["plain", "plain"]
    assert found[1].points == (
        ("plain", "7 judged segments in 2 documents count in neither half."),
    )


def test_the_split() -> None:
    table = table_of(results.translationese(), "parts")
    assert table.title == "The test set (zh-en) by original language"
    assert rows(table) == [
        "judgments | forward | zh | 31 | 92 | 1,926",
        "judgments | reverse | en | 28 | 89 | 1,809",
        "judgments | other | de, un | 2 | 7 | 140",
    ]


def test_effects_are_sorted_by_size() -> None:
    table = table_of(results.translationese(), "effects")
    assert columns(table) == [
        "measure: measure, name",
        "system: system, name",
        "forward: forward, number, keep 2",
        "forward_interval: forward interval, interval, keep 9",
        "reverse: reverse, number, keep 2",
        "reverse_interval: reverse interval, interval, keep 9",
        "difference: reverse − forward / rev − fwd, signed number",
        "interval: 95% interval, signed interval",
        "standard_error: SE, number, keep 9",
        "df: df, number, keep 9",
        "p_value: p alone, p, keep 9",
        "p_adjusted: p corrected / p corr., p, keep 3 (Holm, over systems)",
        "n_forward: n forward, count, keep 4",
        "n_reverse: n reverse, count, keep 4",
    ]
    assert rows(table)[0] == (
        "raw | new | 64.25 | [60.50, 68.00] | 73.75 | [70.12, 77.38] | +9.50 | [+4.25, +14.75] | 2.62 "
        "| 41.5 | .0012 | .0024 | 92 | 89"
    )
    assert [row.split(" | ")[1] for row in rows(table)] == ["new", "human"]


def test_halves() -> None:
    table = table_of(results.translationese(), "halves")
    assert rows(table) == [
        "raw | forward | 31 | 92 | 1,926 | 0 of 1 | 4.12 | new, human",
        "raw | reverse | 28 | 89 | 1,809 | 1 of 1 | 3.25 | new | human",
        "raw | both | 59 | 181 | 3,735 | 1 of 1 | 2.62 | new, human",
    ]


def test_pairs() -> None:
    table = table_of(results.translationese(), "pairs")
    assert csv_lines(table) == [
        "measure,first,second,forward,verdict_forward,mde_forward,reverse,verdict_reverse,"
        "mde_reverse,both,verdict_both,mde_both,change,forward_had_power,effect_first,"
        "effect_second,opposite,relative,interval_low,interval_high,standard_error,df,p_value,"
        "p_adjusted,relative_mde",
        "raw,new,human,-2.75,undecided,4.125,3.5,better,3.25,0.375,better,2.625,lost,no,9.5,3.25,"
        "False,6.25,-0.5,13.0,3.375,38.5,0.0715,0.143,9.75",
    ]
    assert not table.folded
    many = results.translationese(pairs=tuple(results.pair_effect() for _ in range(13)))
    assert table_of(many, "pairs").folded
    able = results.translationese(pairs=(results.pair_effect(forward_had_power=True),))
    assert "yes" in table_of(able, "pairs").column("forward_had_power")


def test_how_far_pairs_depend_on_the_direction() -> None:
    table = table_of(results.translationese(), "pair-shifts")
    assert rows(table) == [
        "raw | new | human | +6.25 | [−0.50, +13.00] | 3.38 | 38.5 | .0715 | .1430 | 9.75 | 4.12 | 3.25"
    ]
    assert not table.folded
    many = results.translationese(pairs=tuple(results.pair_effect() for _ in range(13)))
    assert table_of(many, "pair-shifts").folded


def test_which_columns_go_first_where_space_is_short() -> None:
    def kept(id: str) -> list[tuple[str, int]]:
        table = table_of(results.translationese(), id)
        return [(column.key, column.keep) for column in table.columns if column.keep > 1]

    assert kept("halves") == [("n_judgments", 4), ("clusters", 3)]
    assert [pair for pair in kept("pairs") if pair[1] < 9] == [
        ("reverse", 2),
        ("verdict_reverse", 3),
        ("forward_had_power", 4),
    ]
    assert [pair for pair in kept("pair-shifts") if pair[1] < 9] == [
        ("interval", 2),
        ("relative_mde", 3),
        ("mde_forward", 4),
        ("mde_reverse", 4),
    ]
    assert kept("agreement") == [("random_interval", 3), ("n_systems", 4)]
    assert [pair for pair in kept("parity") if pair[1] < 9] == [
        ("power", 2),
        ("margin_shown", 4),
        ("margin_found", 5),
    ]


def test_a_p_of_exactly_alpha_tells_apart() -> None:
    [row] = results.translationese().replicated
    edge = replace(row, p_segments=0.05, p_judgments=0.05)
    [said] = results.translationese(replicated=(edge,)).replication_sentences()
    assert "tells 1 of 1 pair apart on distinct segments, and 1 if" in said
    same = replace(row, N=row.n)
    assert results.translationese(replicated=(same,)).replication_sentences() == []


def test_agreement_n_and_parity() -> None:
    result = results.translationese()
    assert rows(table_of(result, "agreement"))[0] == (
        "raw | pearson | 0.849 | [0.60, 0.97] | 0.911 | [0.50, 0.97] | .1235 | 9"
    )
    assert rows(table_of(result, "n-and-N")) == [
        "forward | human | new | 92 | .0908 | 1,926 | .0008"
    ]
    table = table_of(result, "parity")
    assert table.title == "Human parity: not worse than human by more than 3.00"
    assert rows(table) == [
        "raw | forward | new | 92 | 31 | −2.75 | [−5.50, 0.00] | 1.62 | 61.5 | 3.00 | .4386 | .8772 | "
        "○ undecided | 56% | 174 | 5.50 | 4.12",
        "raw | reverse | new | 89 | 31 | +3.50 | [0.75, 6.25] | 1.62 | 61.5 | 3.00 | .4386 | .0001 | "
        "◆ non-inferior | 56% | 174 | 0.00 | 4.12",
    ]
    assert table.breaks == (1,)
    assert not table.folded
    many = results.translationese(parity=tuple(results.parity_row() for _ in range(13)))
    assert table_of(many, "parity").folded
    rows_ = (results.parity_row(), replace(results.parity_row(), measure="bleu", margin=0.125))
    two = results.translationese(
        parity=rows_, digits={"raw": 2, "bleu": 2}, margin={"raw": 3.0, "bleu": 0.125}
    )
    assert table_of(two, "parity").title == (
        "Human parity: not worse than human by more than 3.00 in raw human scores, 0.125 in bleu"
    )


def test_pairs_with_the_human_translation_come_first() -> None:
    [row] = results.translationese().replicated
    other = replace(row, first="old", second="new")
    result = results.translationese(replicated=(other, row))
    assert table_of(result, "n-and-N").column("second") == ("new", "new")
    assert table_of(result, "n-and-N").column("first") == ("human", "old")
    nobody = results.translationese(replicated=(other, row), human=None, parity=())
    assert table_of(nobody, "n-and-N").column("first") == ("old", "human")


def test_without_a_margin_parity_has_no_verdict() -> None:
    row = results.parity_row(margin=None, verdict=None, p_adjusted=math.nan, power=math.nan,
                             segments_needed=None)  # fmt: skip
    result = results.translationese(parity=(row,))
    assert "no margin" in rows(table_of(result, "parity"))[0]
    bare = table_of(replace(result, margin={}), "parity")
    assert bare.title == "Human parity: not worse than human by more than a margin"
    assert result.parity_sentences("raw") == [
        "Forward half (92 distinct segments): new − human −2.75 raw human scores [−5.50, +0.00]; a "
        "margin of 5.50 is shown, without one parity cannot be claimed."
    ]


def test_many_systems_are_summed_up() -> None:
    shown_ = results.parity_row(system="x", verdict="non-inferior")
    many = results.translationese(parity=(results.parity_row(), results.parity_row(), shown_))
    assert many.parity_sentences("raw") == [
        "Forward half, raw human scores: 1 of 3 systems shown not to be worse than human by more than "
        "3.00 (x). Of equal systems it would be shown with 56% power; a margin of 4.12 with 80%."
    ]
    two = results.translationese(parity=many.parity[:2]).parity_sentences("raw")
    assert two == [FORWARD, FORWARD]
    bare = [replace(row, margin=None, verdict=None) for row in many.parity]
    assert results.translationese(parity=tuple(bare)).parity_sentences("raw") == [
        "Forward half, raw human scores: no margin was given, so that parity with human cannot be "
        "claimed; one of 4.12 would typically be shown of equal systems (80% power)."
    ]


def test_what_changes_and_what_does_not() -> None:
    same = results.pair_effect(change="same", p_adjusted=0.01)
    quiet = results.translationese(pairs=(same,))
    assert quiet.change_sentences("raw") == [
        "In raw human scores, none of 1 verdict changes without reverse data.",
        "Reverse data surely favour one of the two in 1 pair (new against human).",
    ]
    lost = [results.pair_effect(forward_had_power=able) for able in (True, False)]
    others = [results.pair_effect(change=word) for word in ("gained", "turned")]
    first = results.translationese(pairs=(*lost, *others)).change_sentences("raw")[0]
    assert first == (
        "In raw human scores, 4 of 4 verdicts change without reverse data: 1 turned round, 2 no longer "
        "decided, 1 newly decided. For 1 of the 2 no longer decided, the forward half is too small to "
        "tell: it would not reliably have found the difference that both halves show."
    )
    able = results.translationese(pairs=(lost[0],)).change_sentences("raw")[0]
    assert able.endswith(
        "The forward half would reliably have found the differences that both halves show."
    )
    opposite = results.translationese(pairs=(results.pair_effect(opposite=True),))
    assert "In 1 of 1 pair reverse data raise" in opposite.change_sentences("raw")[1]


def test_one_system() -> None:
    alone = results.translationese(effects=(results.system_effect(),), pairs=(), agreement=())
    assert alone.advice() == (
        "Leave reverse-created data out: 92 of 181 judged segments remain (51%)."
    )
    assert alone.effect_sentence("raw") == (
        "new on reverse − forward data: +9.50 raw [+4.25, +14.75], p = .0012."
    )
    nothing = replace(results.translationese().conclusions[0], mde=math.nan)
    rest = results.translationese().conclusions[1:]
    unknown = results.translationese(conclusions=(nothing, *rest))
    assert unknown.advice() == alone.advice()


def test_limits() -> None:
    assert block_of(results.translationese(), "Text") == Text(
        "limits",
        "What each half could have shown",
        "The typical difference of two systems in raw human scores that is found with 80% power: "
        f"4.12 on forward data, 3.25 on reverse data, 2.62 on both. {AGREE}",
    )


def _chart(result: Translationese, name: str = "halves") -> Chart:
    made = block_of(result, f"chart {name}")
    assert isinstance(made, Chart)
    return made


def test_the_chart_of_both_halves() -> None:
    chart = _chart(results.translationese())
    assert (chart.key, chart.twin) == (True, "effects")
    assert chart.title == (
        "1 of 1 system scores higher on reverse data, +9.50 on average; human +3.25"
    )
    assert chart.caption == (
        "In raw human scores. Dashed: equal scores. Diamond: human. Lines: 95% intervals, of these "
        "systems on other documents. Grey: 95% of random halves of the same documents."
    )
    assert chart.alt == (
        f"{chart.title}. human: 64.25 forward, 67.50 reverse. new: 64.25 forward, 73.75 reverse."
    )


def _many(n: int, **changes: Any) -> Translationese:
    effects = tuple(
        results.system_effect(
            f"{LONG}-{i}" if i % 2 else f"{JAPANESE}{i}",
            forward=60.0 + i,
            reverse=62.0 + 2 * i - (n if i == 0 else 0),
            difference=2.0 + i - (n if i == 0 else 0),
            p_adjusted=0.05 if i % 2 == 0 else 0.06,
        )
        for i in range(n)
    )
    return results.translationese(effects=effects, human=None, parity=(), **changes)


def test_the_chart_without_a_human_translation() -> None:
    chart = _chart(_many(4, agreement=()))
    assert chart.title == "3 of 4 systems score higher on reverse data, +2.50 on average"
    assert chart.caption == "In raw human scores. Dashed: equal scores."
    first, beside = chart.make(720)["hconcat"]
    assert len(beside["vconcat"]) == 1
    points = first["layer"][1]["data"]["values"]
    assert points[1] == {"forward": 61.0, "reverse": 64.0, "kind": "systems"}


def test_what_is_drawn_of_differences_and_correlations() -> None:
    _, beside = _chart(_many(5)).make(720)["hconcat"]
    shifts, agree = beside["vconcat"]
    [box] = shifts["layer"][2]["data"]["values"]
    assert box == {"row": 0, "least": -3.0, "low": 3.0, "median": 4.0, "high": 5.0, "most": 6.0}
    assert [dot["low"] for dot in shifts["layer"][4]["data"]["values"]] == [
        -3.0,
        3.0,
        4.0,
        5.0,
        6.0,
    ]
    pearson = agree["layer"][0]["data"]["values"][0]
    assert (pearson["value"], pearson["low"], pearson["high"]) == (0.849, 0.599, 0.974)
    assert (pearson["from"], pearson["to"]) == (0.5, 0.96875)


def test_names_keep_off_each_other_and_off_the_diagonal() -> None:
    result = _many(14)
    check(blocks_of(result))
    scores = [HalfScore(f"system-{i}", 50.0 + i, 50.0 + i + (-1) ** i * 0.3) for i in range(12)]
    drawn = score_panel(scores, room=300)
    texts = [one for one in drawn["layer"] if one["mark"]["type"] == "text"]
    assert sum(len(one["data"]["values"]) for one in texts) >= 8
    low, high = drawn["layer"][1]["encoding"]["x"]["scale"]["domain"]
    for one in texts:
        for row in one["data"]["values"]:
            left, top, right, bottom = _box(one["mark"], row, low, high)
            # The diagonal at both ends of the name: above it, or below it, but not through it.
            ends = [290.0 * (1.0 - x / 300.0) for x in (left, right)]
            assert all(end > bottom for end in ends) or all(end < top for end in ends)


def _box(
    mark: dict[str, Any], row: dict[str, Any], low: float, high: float
) -> tuple[float, float, float, float]:
    x = 300.0 * (row["forward"] - low) / (high - low) + mark["dx"]
    y = 290.0 * (high - row["reverse"]) / (high - low) + mark["dy"]
    width = text_width(row["text"], 11)
    left = x - {"left": 0.0, "right": width, "center": width / 2}[mark["align"]]
    return left, y - 5, left + width, y + 5


def test_the_chart_of_shifts() -> None:
    chart = _chart(_many(4), "shifts")
    assert (chart.key, chart.twin) == (False, "effects")
    # An odd one is not sure; the first one falls, surely.
    assert chart.title == "2 of 4 systems are surely different on reverse data"
    assert "▲ higher, ▼ lower, ● undecided." in chart.caption
    assert chart.alt.endswith("−2.00, lower.")
    assert "95% interval of each system alone" in chart.caption
    alone = results.translationese(effects=(results.system_effect(),))
    assert "chart shifts" not in shown(alone)


def test_methods() -> None:
    assert block_of(results.translationese(), "Methods") == Methods(
        "The test set (zh-en) was split by original language (Graham et al., 2020): 92 segments in 31 "
        "documents forward, 89 segments in 28 documents reverse. The raw human scores of 2 systems on "
        "the two halves were compared with documents as units (t test with cluster-robust errors, "
        "corrected over systems by Holm's method); 1 differs at α = 0.05. The typical difference that "
        "is found with 80% power is 4.12 on forward data and 2.62 on both halves.",
        ("graham-etal-2020", "holm-1979"),
    )
    made = results.translationese()
    without = replace(made, parts=tuple(replace(p, n_documents=None) for p in made.parts))
    said = block_of(without, "Methods")
    assert isinstance(said, Methods)
    assert ": 92 segments forward, 89 segments reverse. The raw" in said.paragraph
