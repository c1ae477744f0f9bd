"""What a reliability study shows, against one made by hand."""

from dataclasses import replace

from detectable.report.blocks import Repeat, Text, Verdict
from detectable.report.blocks_of import blocks_of
from detectable.report.render.terminal_width import text_width
from detectable.report.render.text import render_text
from tests.report import results
from tests.report.show.shown import block_of, columns, csv_lines, rows, shown, table_of


def test_blocks_in_order() -> None:
    assert shown(results.reliability()) == [
        "Verdict",
        "Text",
        "documents",
        "clustering",
        "ranking",
        "difficult",
        "fits",
        "ranking-points",
        "curves",
        "Text",
        "Text",
        "Repeat",
    ]
    alone = results.reliability(tau={}, difficult=(), notes=())
    assert shown(alone) == [
        "Verdict",
        "Text",
        "documents",
        "clustering",
        "fits",
        "curves",
        "Text",
        "Repeat",
    ]


def test_verdict() -> None:
    assert block_of(results.reliability(), "Verdict") == Verdict(
        status="info",
        headline="107 documents (1,000 segments) give BLEU to ± 1.98 (95% interval) and find a "
        "paired difference of 1.68 with 80% power.",
        detail=(
            "± 0.75 takes 344 documents.",
            "A paired difference of 0.50 takes 249 documents.",
            "A ranking by BLEU with a mean Kendall τ of 0.9 to that of all documents takes 39 "
            "documents in random order.",
        ),
    )


def test_a_ranking_that_has_not_settled() -> None:
    made = results.reliability()
    *others, tau = made.documents_for
    late = replace(made, documents_for=(*others, replace(tau, documents=None)))
    found = block_of(late, "Verdict")
    assert isinstance(found, Verdict)
    assert found.detail[-1] == (
        "The ranking by BLEU has not settled: no smaller number of these documents gives one "
        "with a mean Kendall τ of 0.9 to it."
    )


def test_what_resampling_segments_gets_wrong() -> None:
    text = blocks_of(results.reliability())[1]
    assert isinstance(text, Text)
    assert (text.role, text.title) == ("limits", "Documents, not segments")
    assert "two-sided tests at 0.05 with 80% power, one pair" in text.text
    assert text.points == (
        (
            "plain",
            "BLEU: segments of a document resemble each other, so 1,000 segments are worth 444. "
            "A segment bootstrap is too narrow by √2.25 = 1.50: its 95% interval covers about "
            "81%.",
        ),
    )
    assert results.reliability().clustering_sentence("z") == (
        "DA z: segments of a document do not resemble each other (design effect 0.99), so a "
        "segment bootstrap is not too narrow."
    )


def test_the_table_of_documents() -> None:
    table = table_of(results.reliability(), "documents")
    assert columns(table) == [
        "metric: metric, name",
        "width_now: 95% interval now, ± / now ±, number, keep 2",
        "width_value: wanted ± / to ±, number, keep 3",
        "width_documents: documents for wanted ± / docs ±, count (of the middle system)",
        "width_documents_most: documents, hardest system / most, count, keep 4",
        "width_segments: segments for wanted ±, count, keep 9",
        "effect_now: MDE now (80% power) / MDE now, number, keep 2",
        "effect_value: wanted difference / to diff., number, keep 3",
        "effect_documents: documents for wanted difference / docs diff., count "
        "(of the middle pair)",
        "effect_documents_most: documents, hardest pair / most, count, keep 4",
        "effect_segments: segments for wanted difference, count, keep 9",
        "tau_documents: documents for τ .9 / τ .9, count "
        "(mean Kendall τ to the ranking of all documents, in random order)",
    ]
    assert rows(table) == [
        "BLEU | 1.98 | 0.75 | 344 | 545 | 3,215 | 1.68 | 0.50 | 249 | 529 | 3,215 | 39",
        "DA z | – | – | – | – | – | – | – | – | – | – | –",
    ]


def test_the_table_of_clustering() -> None:
    table = table_of(results.reliability(), "clustering")
    assert csv_lines(table) == [
        "metric,n_documents,n_segments,icc,icc_range_low,icc_range_high,design_effect,"
        "design_effect_range_low,design_effect_range_high,n_effective,too_narrow,coverage,"
        "difference_design_effect,pairing",
        "BLEU,107,1000,0.095,0.058,0.158,2.25,1.75,2.875,444.4,1.5,0.81,1.21,0.42",
        "DA z,107,1000,-0.01,0.058,0.158,0.99,1.75,2.875,444.4,0.995,0.951,1.21,0.42",
    ]


def test_the_tables_of_the_ranking() -> None:
    made = results.reliability()
    half = table_of(made, "ranking")
    assert half.title == "The ranking by half of the documents (200 random orders)"
    assert rows(half) == ["BLEU | 53 | 0.92 | 0.87 | 83% | 99% | 13%"]
    every = table_of(made, "ranking-points")
    assert rows(every) == [
        "BLEU | 53 | 0.92 | 0.87 | 83% | 99% | 13%",
        "BLEU | 107 | 1.00 | – | 100% | 100% | 100%",
    ]
    assert not every.folded


def test_the_table_of_difficult_documents() -> None:
    table = table_of(results.reliability(), "difficult")
    assert rows(table) == [
        "story-3 | 3 | 29 | scores move apart | 8.0 | 3.9 | DA z +4.8, BLEU −3.2",
        "story-32 | 32 | 24 | all scores move | 5.5 | 2.8 | BLEU +5.8",
    ]


def test_the_table_of_fits_says_what_x_min_is_not() -> None:
    table = table_of(results.reliability(), "fits")
    assert rows(table) == [
        "BLEU | relative | 0.0924 | 0.43 | [0.36, 0.59] | 0.985 | 0.975 | 3.3 | 66.3 | [63, 75] "
        "| 53.7 | 1",
        "DA z | absolute | 0.0924 | 0.43 | [0.36, 0.59] | 0.985 | 0.975 | 3.3 | – | – | – | 1",
    ]
    assert "x_max, documents (ε 0.0001)" in [column.title for column in table.columns]
    assert "a fraction) by ε = 0.0001" in table.note
    assert "x_min = 1 + 1/b only restates b" in table.note


def test_the_table_of_curves() -> None:
    table = table_of(results.reliability(), "curves")
    assert rows(table)[:3] == [
        "BLEU | new | 1 | 9 | 30.25 | 0.0625 | [26.50, 34.00] | – | 0.0500 | 0.0700 | 0.0900",
        "BLEU | new | 2 | 12 | 31.50 | 0.0425 | [28.75, 34.25] | 0.0575 | – | – | –",
        "DA z | new | 1 | 9 | 0.25 | 0.0625 | [26.50, 34.00] | – | 0.0500 | 0.0700 | 0.0900",
    ]
    assert table.breaks == (2,)


def test_checks_say_how_it_was_made() -> None:
    def points(**changes: object) -> tuple[tuple[str, str], ...]:
        found = [b for b in blocks_of(results.reliability(**changes)) if isinstance(b, Text)]
        return found[1].points

    assert points()[0] == (
        "ok",
        "Curves by 1,500 resamples of segments (Poisson weights).",
    )
    assert points(method="exact")[0][1].endswith("(multinomial samples).")
    assert points(method="delta", n_resamples=None)[0] == (
        "ok",
        "Curves by the delta method: no draw was made.",
    )
    assert points()[-1] == (
        "look",
        "The spread of DA z is in points, so ε and x_max have no meaning there.",
    )


def test_every_line_fits_eighty_columns() -> None:
    text = render_text(blocks_of(results.reliability()), width=80, everything=True)
    assert max(text_width(line) for line in text.splitlines()) <= 80


def test_repeat() -> None:
    assert block_of(results.reliability(), "Repeat") == Repeat("toy|n:3|seed:7|detectable:0.0")
