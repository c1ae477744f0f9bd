"""What a comparison shows, against one made by hand."""

import math
from dataclasses import replace
from functools import cache

import numpy as np
import pytest

from detectable.core.interval import Interval
from detectable.data.scores.scores import Scores
from detectable.report.blocks import (
    DATA_ONLY,
    Examples,
    Matrix,
    Methods,
    Repeat,
    Table,
    Text,
    Verdict,
)
from detectable.report.blocks_of import blocks_of
from detectable.report.render.text import render_text
from detectable.report.shown.comparison import pairs, systems, verdict
from detectable.report.shown.paper_tables import pair_numbers
from detectable.study.comparison.compare import compare
from detectable.study.comparison.result import Comparison, Naive
from tests.report import results
from tests.report.shown.shown import block_of, columns, csv_lines, rows, shown, table_of


def test_blocks_in_order() -> None:
    assert shown(results.comparison()) == [
        "Verdict",
        "chart differences",
        "chart metrics",
        "Text",
        "scores",
        "pairs",
        "systems",
        "chart runs",
        "documents",
        "Examples",
        "Text",
        "Text",
        "Methods",
        "Repeat",
    ]


def test_verdict() -> None:
    assert block_of(results.comparison(), "Verdict") == Verdict(
        status="better",
        headline="new is better than old: +1.25 BLEU.",
        detail=(
            "95% interval [+0.50, +2.00], p = .0246 for new runs; these runs [+0.75, +1.75], p = .0002. 1.00 needs about 700 documents and 4 runs.",
            "Undecided between new and old: −0.8 TER [−2.5, +1.0], p = .8642 for new runs; these runs [−1.5, −0.1], p = .0444. These 2 runs of new are ahead, other runs might not be. This evaluation would reliably have seen 2.5 or more (80% power).",
            "BLEU and TER disagree on new − old.",
        ),
    )


def test_limits() -> None:
    assert Text(
        role="limits",
        title="What this evaluation could have shown",
        text="With 40 documents (1,240 segments) a true difference of 1.05 BLEU, 2.5 TER is found with 80% power. Smaller ones are usually missed.",
        points=(
            ("plain", "new against old, BLEU: 1.00 needs about 700 documents and 4 runs."),
        ),
    ) in blocks_of(results.comparison())


def test_the_table_of_pairs() -> None:
    table = table_of(results.comparison(), "pairs")
    assert (table.title, table.breaks, table.folded) == ("Differences", (1,), False)
    assert columns(table) == [
        "metric: metric, name",
        "system: system, name",
        "baseline: against, name",
        "difference: difference / diff., signed number",
        "interval: 95% interval, all pairs together / 95% interval, signed interval (corrected like p; it holds 0 if and only if p is above the level)",
        "interval_level: interval level, number, keep 9",
        "interval_alone: interval alone, interval, keep 9",
        "standard_error: SE, number, keep 9",
        "p_value: p alone, p, keep 9",
        "p_adjusted: p (Holm), p, keep 9 (for the number of tests; the verdict goes by it)",
        "p_equivalence: p equivalence, p, keep 9",
        "p: p (Holm), p (of what the verdict says)",
        "attainable_p: smallest p, p, keep 9",
        "mde: MDE 80%, number, keep 3 (smallest true difference that is found with this power)",
        "these_runs_interval: these runs, signed interval, keep 2",
        "these_runs_p: p, these runs, p, keep 2",
        "units_needed: documents needed, count, keep 9",
        "runs_needed: runs needed, count, keep 9",
        "verdict: verdict, verdict",
    ]
    assert rows(table) == [
        "BLEU | new | old | +1.25 | [+0.50, +2.00] | 0.95 | [0.62, 1.88] | 0.38 | .0123 | .0246 | .2468 | .0246 | .0001 | 1.05 | [+0.75, +1.75] | .0002 | 700 | 4 | ▲ better",
        "TER | new | old | −0.8 | [−2.5, +1.0] | 0.95 | [0.6, 1.9] | 0.9 | .4321 | .8642 | – | .8642 | .0001 | 2.5 | [−1.5, −0.1] | .0444 | – | – | ○ undecided",
    ]
    assert csv_lines(table) == [
        "metric,system,baseline,difference,interval_low,interval_high,interval_level,interval_alone_low,interval_alone_high,standard_error,p_value,p_adjusted,p_equivalence,p,attainable_p,mde,these_runs_interval_low,these_runs_interval_high,these_runs_p,units_needed,runs_needed,verdict",
        "BLEU,new,old,1.25,0.5,2.0,0.95,0.625,1.875,0.375,0.0123,0.0246,0.2468,0.0246,0.0001,1.05,0.75,1.75,0.0002,700,4,better",
        "TER,new,old,-0.75,-2.5,1.0,0.95,0.625,1.875,0.875,0.4321,0.8642,,0.8642,0.0001,2.5,-1.5,-0.125,0.0444,,,undecided",
    ]


def test_the_table_of_systems() -> None:
    table = table_of(results.comparison(), "systems")
    assert (table.title, table.breaks, table.folded) == ("Scores", (2,), False)
    assert columns(table) == [
        "metric: metric, name",
        "system: system, name",
        "score: score, number",
        "interval: 95% interval, interval",
        "s_sel: s_sel, number, keep 3 (from the choice of test sentences)",
        "s_test: s_test, number, keep 2 (over runs)",
        "runs: runs, numbers, keep 4",
    ]
    assert rows(table) == [
        "BLEU | old | 30.25 | [28.50, 32.00] | 0.75 | 0.35 | 30.00 30.50",
        "BLEU | new | 31.50 | [30.00, 33.00] | 0.75 | 0.35 | 31.25 31.75",
        "TER | old | 55.5 | [53.0, 58.0] | 1.5 | 0.3 | 31.2 31.8",
        "TER | new | 54.8 | [52.5, 57.0] | 1.2 | 0.3 | 31.2 31.8",
    ]
    assert csv_lines(table) == [
        "metric,system,score,interval_low,interval_high,s_sel,s_test,runs",
        "BLEU,old,30.25,28.5,32.0,0.75,0.35,30.0 30.5",
        "BLEU,new,31.5,30.0,33.0,0.75,0.35,31.25 31.75",
        "TER,old,55.5,53.0,58.0,1.5,0.35,31.25 31.75",
        "TER,new,54.75,52.5,57.0,1.25,0.35,31.25 31.75",
    ]
    assert table.caption == "Scores, with the 95% interval of every system alone."


def test_the_table_of_documents() -> None:
    table = table_of(results.comparison(), "documents")
    assert (table.title, table.breaks, table.folded) == (
        "Documents that differ most",
        (),
        False,
    )
    assert columns(table) == [
        "system: system, name",
        "baseline: against, name",
        "name: document, name",
        "contribution: part of the difference / part, signed number",
    ]
    assert rows(table) == [
        "new | old | story-3 | −0.0625",
    ]
    assert csv_lines(table) == [
        "system,baseline,name,contribution",
        "new,old,story-3,-0.0625",
    ]


def test_examples() -> None:
    assert block_of(results.comparison(), "Examples") == Examples(
        title="Segments that differ most",
        items=(
            (
                "segment 17: +0.1250 BLEU of new − old",
                (
                    ("source", "Guten Tag."),
                    ("reference", "Good day."),
                    ("new", "Good day!"),
                    ("old", "Day good."),
                ),
            ),
        ),
    )


def test_checks() -> None:
    assert Text(
        role="checks",
        title="Assumptions and checks",
        text="",
        points=(
            (
                "ok",
                "Documents, not segments, were taken as independent: segments of a document resemble each other.",
            ),
            (
                "look",
                "Without document story-3 the difference new − old in BLEU would be undecided (+0.88, p = .0875).",
            ),
        ),
    ) in blocks_of(results.comparison())


def test_note() -> None:
    assert Text(
        role="note", title="Notes", text="", points=(("plain", "Two runs each."),)
    ) in blocks_of(results.comparison())


def test_repeat() -> None:
    assert block_of(results.comparison(), "Repeat") == Repeat(
        signature="toy|n:3|seed:7|detectable:0.0", command=""
    )


def test_many_systems_against_one_are_counted_and_named() -> None:
    assert verdict(results.many_pairs()) == Verdict(
        "info",
        "Against old: two are better, three are worse, one is undecided in BLEU.",
        ("Better: sys-1, sys-2. Worse: sys-3, sys-4, sys-5. Undecided: sys-6.",),
    )


def test_from_seven_on_numbers_are_digits() -> None:
    head = verdict(results.many_pairs("▲▲▲▲▲▲▼▼▼▼▼▼▼")).headline
    assert head == "Against old: six are better, 7 are worse in BLEU."


def test_up_to_three_pairs_have_a_sentence_each() -> None:
    three = verdict(results.many_pairs("○▲▼"))
    assert three.status == "undecided"
    assert three.headline.startswith("Undecided between sys-1 and old: +1.25 BLEU")
    assert three.detail[0].startswith("95% interval [+0.50, +2.00], p = .0100. This evaluation")
    assert [text.partition(":")[0] for text in three.detail[1:]] == [
        "sys-2 is better than old",
        "sys-3 is worse than old",
    ]
    assert verdict(results.many_pairs("○▲▼▼")).headline.startswith("Against old: one is")


def test_metrics_that_disagree_are_said_with_many_pairs_too() -> None:
    clash = results.comparison().agreement
    made = results.many_pairs("▲▲▼▼", ("bleu", "ter"))
    assert verdict(replace(made, agreement=clash)).detail[-1] == (
        "BLEU and TER disagree on new − old."
    )
    grouped = replace(made, agreement=clash, groups={"bleu": (("a", "b"), ("c",))})
    assert verdict(grouped).detail[-1] == "BLEU and TER disagree on new − old."


def test_all_pairs_say_how_many_are_told_apart() -> None:
    assert verdict(results.all_pairs()) == Verdict(
        "info",
        "3 of 6 pairs are told apart in BLEU.",
        ("2 groups can be told apart; the best: a, b, c.",),
    )
    one = replace(results.all_pairs(), groups={"bleu": (("a", "b", "c", "d"),)})
    assert verdict(one).detail == ("No line can be drawn between the 4 systems.",)
    single = results.many_pairs("○○◆▲")
    assert verdict(replace(single, groups={"ter": ()})).headline == (
        "1 of 4 pairs is told apart in BLEU."
    )
    assert verdict(replace(single, groups={"ter": ()})).detail == ()


def test_all_pairs_have_a_matrix_with_both_sides() -> None:
    result = results.all_pairs()
    assert shown(result) == [
        *(
            "Verdict",
            "chart differences",
            "Text",
            "scores",
            "pairs",
            "chart matrix-bleu",
            "matrix-bleu",
        ),
        *("systems", "Text", "Methods", "Repeat"),
    ]
    found = block_of(result, "matrix-bleu")
    assert isinstance(found, Matrix)
    assert found == Matrix(
        "matrix-bleu",
        "All pairs in BLEU: 3 of 6 told apart",
        ("a", "b", "c", "d"),
        (
            (None, "undecided", "undecided", "better"),
            ("undecided", None, "undecided", "better"),
            ("undecided", "undecided", None, "higher"),
            ("worse", "worse", "lower", None),
        ),
        numbers=pair_numbers(result, "bleu", ("a", "b", "c", "d")),
        beside=found.beside,
    )
    assert found.beside is not None
    assert (found.beside.id, rows(found.beside)) == (
        "systems",
        ["1 | a | 31.50", "1 | b | 31.50", "1 | c | 31.50", "2 | d | 31.50"],
    )
    assert table_of(result, "systems").column("group") == (1, 1, 1, 2)


def test_three_pairs_need_no_matrix() -> None:
    made = results.all_pairs()
    few = replace(made, pairs=made.pairs[:3])
    assert "matrix-bleu" not in shown(few)
    assert "matrix-bleu" in shown(replace(made, pairs=made.pairs[:4]))


def test_a_metric_without_groups_has_no_matrix() -> None:
    made = results.many_pairs("▲▼▲▼", ("bleu", "ter"))
    names = tuple(f"sys-{i}" for i in range(1, 5))
    grouped = replace(made, groups={"ter": ((*names, "old"),)})
    assert [name for name in shown(grouped) if name.startswith("matrix")] == ["matrix-ter"]
    assert "verdicts" not in shown(grouped)


def test_the_table_of_verdicts() -> None:
    made = results.many_pairs("▲▼○◆", ("bleu", "chrf"))
    turned = [
        replace(pair, verdict="undecided") if pair.metric == "chrf" else pair
        for pair in made.pairs
    ]
    table = table_of(replace(made, pairs=tuple(turned)), "verdicts")
    assert table.title == "Verdicts by metric"
    assert columns(table) == [
        "system: system, name",
        "bleu: BLEU, verdict",
        "chrf: chrF, verdict",
    ]
    assert rows(table) == [
        "sys-1 | ▲ better | ○ undecided",
        "sys-2 | ▼ worse | ○ undecided",
        "sys-3 | ○ undecided | ○ undecided",
        "sys-4 | ◆ equivalent | ○ undecided",
    ]


def test_one_metric_or_few_pairs_need_no_table_of_verdicts() -> None:
    assert "verdicts" not in shown(results.many_pairs("▲▼○◆"))
    assert "verdicts" not in shown(results.comparison())
    assert "verdicts" in shown(results.many_pairs("▲▼", ("bleu", "ter")))  # four pairs


def test_pairs_are_ordered_and_broken_by_metric() -> None:
    made = results.many_pairs("▲▼", ("bleu", "ter"))
    turned = replace(made, pairs=made.pairs[::-1], systems=made.systems[::-1])
    table = pairs(turned)
    assert table.column("metric") == ("BLEU", "BLEU", "TER", "TER")
    assert table.breaks == (2,)
    assert systems(turned).column("metric") == ("BLEU",) * 3 + ("TER",) * 3
    assert systems(turned).breaks == (3,)


def test_long_tables_are_folded_unless_they_are_the_answer() -> None:
    assert not pairs(results.many_pairs("▲" * 24)).folded
    assert pairs(results.many_pairs("▲" * 25)).folded
    grouped = {"bleu": (("old",),)}
    assert not pairs(replace(results.many_pairs("▲" * 12), groups=grouped)).folded
    assert pairs(replace(results.many_pairs("▲" * 13), groups=grouped)).folded
    assert not systems(results.many_pairs("▲" * 11)).folded  # 12 with the baseline
    assert systems(results.many_pairs("▲" * 12)).folded


def test_the_p_that_decides_is_shown() -> None:
    """One p per pair: the corrected one, or with a margin that of what the verdict says."""
    plain = replace(results.comparison(), margin={})
    keep = {c.key: c.keep for c in pairs(plain).columns}
    assert (keep["p_value"], keep["p_adjusted"], keep["p_equivalence"]) == (
        DATA_ONLY,
        1,
        DATA_ONLY,
    )
    assert "p" not in keep
    with_margin = results.many_pairs("▲◆○")
    table = pairs(with_margin)
    keep = {c.key: c.keep for c in table.columns}
    assert (keep["p"], keep["p_adjusted"], keep["p_equivalence"]) == (1, DATA_ONLY, DATA_ONLY)
    assert table.column("p") == (0.01, 0.2468, 0.03)


def test_labels_say_what_the_correction_covers() -> None:
    def labels(result: Comparison) -> tuple[str, str]:
        shown = {c.key: c.title for c in pairs(result).columns}
        return shown["interval"], shown["p_adjusted"]

    many = results.many_pairs("▲▼○")
    assert labels(many) == ("95% interval, all pairs together", "p (Holm)")
    assert labels(replace(many, correction="max-t"))[1] == "p (max-T)"
    assert labels(replace(many, correction="none")) == ("95% interval", "p")
    assert labels(results.many_pairs("▲")) == ("95% interval", "p")
    # One pair under two metrics, corrected together, is corrected too.
    both = results.many_pairs("▲", ("bleu", "ter"))
    assert labels(both) == ("95% interval", "p")
    wide = replace(both, family="systems-and-metrics")
    assert labels(wide) == ("95% interval, all pairs together", "p (Holm)")
    assert labels(replace(many, alpha=0.1))[0].startswith("90% interval")


def test_the_interval_of_equivalence_is_labelled_by_its_level() -> None:
    label = {c.key: c.title for c in pairs(results.many_pairs("▲◆")).columns}["interval"]
    assert label == "95% interval (90% where equivalent), all pairs together"
    claimed = replace(results.many_pairs("◆○"), claim="equivalent")
    column = next(c for c in pairs(claimed).columns if c.key == "interval")
    assert column.title == "90% interval, all pairs together"
    assert column.help == "corrected like p; both sides of the margin at 0.05"


def test_claims_about_margins_say_margins() -> None:
    claimed = replace(results.many_pairs("○○○○"), claim="non-inferior", margin={"bleu": 2.0})
    labels = {c.key: (c.title, c.help) for c in pairs(claimed).columns}
    assert labels["mde"] == (
        "margin 80%",
        "smallest margin that equal systems are shown to keep with this power",
    )
    text = block_of(claimed, "Text")
    assert isinstance(text, Text)
    assert text.text == (
        "With 40 documents (1,240 segments), equal systems would be shown to keep a margin of "
        "1.00 to 1.30 BLEU with 80% power."
    )


def test_claims_about_margins_of_all_pairs_are_counted_and_make_no_matrix() -> None:
    made = results.all_pairs()
    shown_pairs = tuple(
        replace(pair, claim="equivalent", verdict="equivalent" if i < 2 else "undecided")
        for i, pair in enumerate(made.pairs)
    )
    claimed = replace(made, claim="equivalent", pairs=shown_pairs, margin={"bleu": 2.0})
    assert verdict(claimed).headline == "2 of 6 pairs shown to be equivalent in BLEU."
    assert "matrix-bleu" not in shown(claimed)


def test_a_tiny_detectable_difference_is_not_shown_as_zero() -> None:
    tiny = results.many_pairs("○▲▼○")
    made = replace(
        tiny,
        pairs=tuple(replace(pair, mde=0.00041 * (i + 1)) for i, pair in enumerate(tiny.pairs)),
    )
    text = block_of(made, "Text")
    assert isinstance(text, Text)
    assert "a true difference of 0.0004 to 0.0016 BLEU is found" in text.text
    at = [c.key for c in pairs(made).columns].index("mde")
    assert [texts[at] for texts in pairs(made).texts()] == [
        "0.0004",
        "0.0008",
        "0.001",
        "0.002",
    ]


def test_where_nothing_could_be_shown_the_limits_say_so() -> None:
    made = results.many_pairs("○○○○")
    stuck = replace(
        made,
        unit="segment",
        n_units=5,
        pairs=tuple(replace(pair, mde=math.nan, attainable_p=0.0625) for pair in made.pairs),
    )
    text = block_of(stuck, "Text")
    assert isinstance(text, Text)
    assert text.text == (
        "Tested on 5 segments. No p-value of so few can be small enough: nothing could have been "
        "shown."
    )


def test_few_units_and_single_runs_are_among_the_limits() -> None:
    made = replace(
        results.many_pairs("○○○○"),
        test="t",
        runs="fixed",
        n_units=5,
        n_runs={"old": 1, "sys-1": 1},
    )
    text = block_of(made, "Text")
    assert isinstance(text, Text)
    assert text.text.endswith(
        "5 documents: too few to swap (the smallest possible p is .063). Tested by t over "
        "documents, 38.0 degrees of freedom; it assumes that document differences are roughly "
        "normal. Swapping needs 7 documents. One run per system: says nothing about another "
        "training or sampling run."
    )


def test_the_other_claim_about_runs_has_its_columns() -> None:
    made = results.comparison()
    keys = [c.key for c in pairs(made).columns]
    assert {"these_runs_interval", "these_runs_p"} <= set(keys)
    fixed = pairs(replace(made, runs="fixed"))
    assert fixed.column("new_runs_p") == (0.0246, 0.8642)
    single = replace(
        made, pairs=tuple(replace(p, these_runs=None, new_runs=None) for p in made.pairs)
    )
    assert not [c.key for c in pairs(single).columns if "_runs_" in c.key]


def test_the_test_over_documents_stands_beside_that_over_segments() -> None:
    made = results.comparison(unit="segment")
    assert "p_by_document" not in [c.key for c in pairs(made).columns]
    beside = replace(made, pairs=(replace(made.pairs[0], p_by_document=0.25), made.pairs[1]))
    table = pairs(beside)
    assert table.column("p_by_document")[0] == 0.25
    assert {c.key: c.keep for c in table.columns}["p_by_document"] == 2


def test_runs_and_development_scores_have_columns_where_there_are_any() -> None:
    made = results.comparison()
    single = tuple(replace(row, runs=row.runs[:1]) for row in made.systems)
    keys = [column.key for column in systems(replace(made, systems=single)).columns]
    assert keys == ["metric", "system", "score", "interval", "s_sel"]
    developed = (replace(made.systems[0], s_dev=0.125), *made.systems[1:])
    table = systems(replace(made, systems=developed))
    assert columns(table)[-1] == "s_dev: s_dev, number, keep 3"
    assert table.texts()[0][-1] == "0.12"
    assert table.texts()[1][-1] == "–"


def test_undecided_pairs_with_a_sentence_each_are_not_told_their_limits_twice() -> None:
    made = results.many_pairs("○○○")
    text = block_of(made, "Text")
    assert isinstance(text, Text)
    assert text.text == "Tested on 40 documents (1,240 segments)."
    more = block_of(results.many_pairs("○○○○"), "Text")
    assert isinstance(more, Text)
    assert more.text == (
        "With 40 documents (1,240 segments) a true difference of 1.00 to 1.30 BLEU is found "
        "with 80% power. Smaller ones are usually missed."
    )


def test_limits_where_nothing_is_known_of_them() -> None:
    made = results.comparison(unit="segment", n_units=1240)
    unknown = tuple(replace(pair, mde=math.nan) for pair in made.pairs)
    text = block_of(replace(made, pairs=unknown), "Text")
    assert isinstance(text, Text)
    assert text.text == "Tested on 1,240 segments."


def test_what_an_effect_needs_is_said_for_at_most_twelve_pairs() -> None:
    for n, said in ((12, 12), (13, 0)):
        made = replace(results.many_pairs("▲" * n), effect={"bleu": 1.0})
        text = block_of(made, "Text")
        assert isinstance(text, Text)
        assert len(text.points) == said
    none = replace(results.comparison(), effect={"ter": 1.0}, runs="fixed")
    text = block_of(none, "Text")
    assert isinstance(text, Text)
    assert text.points == ()  # no number is known for TER
    # With runs as a sample that is an answer: no number of runs suffices.
    text = block_of(replace(none, runs="random"), "Text")
    assert isinstance(text, Text)
    assert text.points == (("plain", "new against old, TER: 1.0 needs a larger test set."),)


def test_documents_are_folded_beyond_twelve_and_segments_have_texts_that_are_known() -> None:
    found = [results.contrast(unit="document", name=f"d{i}") for i in range(13)]
    assert table_of(results.comparison(contrasts=tuple(found)), "documents").folded
    twelve = results.comparison(contrasts=tuple(found[:12]))
    assert not table_of(twelve, "documents").folded
    assert "Examples" not in shown(twelve)
    bare = results.contrast(source=None, reference=None)
    made = results.comparison(contrasts=(bare,))
    assert "documents" not in shown(made)
    assert block_of(made, "Examples") == Examples(
        "Segments that differ most",
        (
            (
                "segment 17: +0.1250 BLEU of new − old",
                (("new", "Good day!"), ("old", "Day good.")),
            ),
        ),
    )


def _checks(result: Comparison) -> list[tuple[str, str]]:
    texts = [block for block in blocks_of(result) if isinstance(block, Text)]
    return [point for text in texts if text.role == "checks" for point in text.points]


def test_a_simpler_analysis_is_named_where_it_decides_otherwise() -> None:
    made = results.comparison(unit="segment", influential=())
    assert _checks(made) == []
    same = results.pair(naive=Naive(method="segments", p_value=0.001))
    assert _checks(replace(made, pairs=(same,))) == [
        ("ok", "The common simpler analysis would have decided the same.")
    ]
    other = results.pair(naive=Naive(method="segments", p_value=0.3))
    assert _checks(replace(made, pairs=(other,))) == [
        (
            "look",
            "With segments, BLEU of new against old would have had p = .3000 instead of .0123.",
        )
    ]


def test_pairs_that_hang_on_one_unit_are_named_up_to_twelve() -> None:
    made = results.comparison(unit="segment")
    one = results.influential(unit="segment", name="17")
    turned = results.influential(difference=-0.25, p_adjusted=math.nan, decides=False)
    assert _checks(replace(made, influential=(one, turned))) == [
        (
            "look",
            "Without segment 17 the difference new − old in BLEU would be undecided (+0.88, "
            "p = .0875).",
        ),
        ("look", "Without document story-3 the difference new − old in BLEU would be −0.25."),
    ]
    many = _checks(replace(made, influential=(one,) * 14))
    assert len(many) == 13
    assert many[-1] == ("look", "And 2 pairs more that hang on one segment.")


def test_the_pairs_say_in_a_paper_what_they_are() -> None:
    assert pairs(results.comparison()).caption == (
        "Differences to old, 95% interval, all pairs together (two-way t test over 40 documents "
        "and the runs, Holm for 2 pairs, α = .05)."
    )
    assert pairs(results.all_pairs()).caption.startswith("Differences, 95% interval, all pairs")


def test_the_sentence_of_equivalence_says_the_level_of_its_interval() -> None:
    at_90 = replace(results.pair(), verdict="equivalent", interval=Interval(-0.31, 0.42, 0.9))
    made = replace(results.many_pairs("▲"), margin={"bleu": 0.5})
    assert "+1.25 BLEU, 90% interval [−0.31, +0.42], p = .2468" in made.sentence(at_90)
    assert "+1.25 BLEU [+0.50, +2.00], p" in made.sentence(results.pair())


# --- What a comparison shows of its tasks and of the samples of its items ---

NAN = float("nan")


@cache
def result(correction: str = "holm", weights: str = "macro") -> Comparison:
    rng = np.random.default_rng(1)
    chance = rng.beta(2, 2, 60)
    tables = {
        name: (rng.random((3, 60)) < np.clip(chance + shift, 0, 1)).astype(float)
        for name, shift in (("old", 0.0), ("new", 0.2))
    }
    for table in tables.values():
        table[2, :3] = NAN
    scores = Scores.build(
        tables,
        tasks=["math"] * 40 + ["code"] * 20,
        documents=[f"d{i // 2}" for i in range(60)],
        repeats="samples",
    )
    return compare(scores, baseline="old", rng=1, task_correction=correction, weights=weights)  # type: ignore[arg-type]


def tables(found: Comparison) -> dict[str, Table]:
    return {block.id: block for block in blocks_of(found) if isinstance(block, Table)}


def test_every_task_has_a_row() -> None:
    found = result()
    assert found.tasks is not None
    table = tables(found)["tasks"]
    shown = dict(
        zip(
            [column.key for column in table.columns],
            zip(*table.texts(), strict=True),
            strict=True,
        )
    )
    assert shown["task"] == ("math", "code")
    assert shown["n_segments"] == ("40", "20")
    for key, row_key in (
        ("difference", "difference"),
        ("score", "score"),
        ("baseline_score", "baseline_score"),
    ):
        numbers = [getattr(row, row_key) for row in found.tasks.rows]
        assert [float(text.replace("−", "-")) for text in shown[key]] == pytest.approx(
            numbers, abs=5e-5
        )
    assert [column.title for column in table.columns if column.key == "p_adjusted"] == [
        "p (Holm)"
    ]
    titles = [column.title for column in table.columns]
    assert "95% interval, all tasks together" in titles


def test_corrections_are_named() -> None:
    for correction, title in (("benjamini-hochberg", "p (BH)"), ("none", "p")):
        table = tables(result(correction))["tasks"]
        assert [c.title for c in table.columns if c.key == "p_adjusted"] == [title]
    assert "all tasks together" not in str(tables(result("none"))["tasks"].columns)


def test_weights_are_shown_where_they_differ() -> None:
    def kept(found: Comparison) -> int:
        return next(c.keep for c in tables(found)["tasks"].columns if c.key == "weight")

    assert kept(result(weights="items")) < kept(result())


def test_the_noise_of_samples_and_the_floor() -> None:
    found = result()
    assert found.samples is not None
    table = tables(found)["samples"]
    shown = dict(
        zip(
            [column.key for column in table.columns],
            zip(*table.texts(), strict=True),
            strict=True,
        )
    )
    assert shown["system"] == ("old", "new")
    assert shown["n_samples"] == ("177", "177")
    assert shown["missing"] == ("1.7", "1.7")
    errors = [row.standard_error_these for row in found.samples.systems]
    assert [float(text) for text in shown["standard_error_these"]] == pytest.approx(
        errors, abs=5e-5
    )
    floor = found.samples.pairs[0].mde_many_samples
    assert f"no less than {floor:.4f} accuracy (new − old)" in table.note
    assert "only more items help" in table.note


def test_words_say_which_tasks_and_whom_to_cite() -> None:
    text = render_text(tuple(blocks_of(result())), width=100, everything=True)
    assert (
        "The mean of 2 tasks (each weighs the same), tested by t: a claim about these tasks."
        in " ".join(text.split())
    )
    methods = next(block for block in blocks_of(result()) if isinstance(block, Methods))
    assert "the mean of 2 to 3 sampled answers to each (Miller, 2024)" in methods.paragraph
    assert "fixed strata" in methods.paragraph
    assert "Tango" not in methods.paragraph  # score intervals are of pooled items
    assert {"miller-2024", "satterthwaite-1946"} <= set(methods.cite)


def test_a_table_fits_eighty_columns() -> None:
    text = render_text(tuple(blocks_of(result())), width=80)
    assert max(map(len, text.splitlines())) <= 80


def test_a_comparison_without_them_shows_neither() -> None:
    plain = compare(Scores.build({"A": [1, 0, 1, 1], "B": [0, 0, 1, 1]}), rng=1)
    assert {"tasks", "samples"}.isdisjoint(tables(plain))
    assert {"tasks", "samples"}.isdisjoint(plain.to_dict())
