"""What an examination of files shows."""

from dataclasses import replace

from detectable.report.blocks import Table, Text, Verdict
from detectable.report.blocks_of import blocks_of
from detectable.report.render.text import render_text
from tests.report.results import examination


def test_the_next_command_stands_first_and_questions_follow() -> None:
    first, *rest = blocks_of(examination())
    assert first == Verdict(
        "warning",
        "1 file of scores, 1 file of an unknown kind: 1 question can be answered.",
        ("Next: detectable compare --scores s.csv",),
    )
    story, limits, checks, _ = [block for block in rest if isinstance(block, Text)]
    assert (story.title, story.text) == (
        "Is one system better than another?",
        "detectable compare --scores s.csv",
    )
    assert [text for _, text in story.points] == [
        "Paired on 90 documents of 130 items.",
        "It would see 0.0725 (0.05 to 0.09 by pair) or more in accuracy (swap over 90 documents, "
        "α = 0.05, corrected for 3 pairs, 80% power).",
    ]
    assert [text for _, text in limits.points] == [
        "Would other runs say the same? There is one run of a, b, c."
    ]
    assert checks.points == (("look", "x.bin: no reader knows this file."),)


def test_tables() -> None:
    made = {block.id: block for block in blocks_of(examination()) if isinstance(block, Table)}
    assert made["facts"].texts() == [("systems", "3: a, b, c"), ("items", "130")]
    assert made["files"].texts()[0] == ("s.csv", "scores", "table", "scores of systems")
    facts = examination().facts
    several = examination(facts=(*facts, replace(facts[0], data="t.csv")))
    named = {block.id: block for block in blocks_of(several) if isinstance(block, Table)}
    assert [named[name].title for name in ("facts", "facts-2")] == [
        "What is there: s.csv",
        "What is there: t.csv",
    ]
    assert named["facts"].texts() == made["facts"].texts()
    assert named["facts-2"].texts() == [("systems", "3: a, b, c")]
    none = {b.id for b in blocks_of(examination(facts=())) if isinstance(b, Table)}
    assert none == {"files"}


def test_nothing_to_ask_and_nothing_suspicious() -> None:
    made = examination(questions=(), suspicions=(), next_command="")
    first, *_ = blocks_of(made)
    assert first == Verdict(
        "info", "1 file of scores, 1 file of an unknown kind: nothing to ask yet.", ()
    )
    assert made.summary() == made.headline()


def test_a_question_takes_no_colon() -> None:
    text = render_text(tuple(blocks_of(examination())))
    assert "Is one system better than another? detectable compare --scores s.csv" in text
