"""Several results together: names, forms, files, and what is said of edited ones."""

import importlib
import inspect
import itertools
import json
import pydoc
import re
from collections.abc import Sequence
from dataclasses import replace
from pathlib import Path
from typing import Any

import polars as pl
import pytest

import detectable as dt
from detectable.core.choices import PairCorrection
from detectable.core.errors import DataError, InputError, SuspiciousDataWarning
from detectable.core.interval import Interval
from detectable.data.files.inputs import InputFile
from detectable.data.human.judgments import Judgments
from detectable.report.blocks import (
    DATA_ONLY,
    Block,
    Chart,
    Repeat,
    Section,
    Table,
    Text,
    Verdict,
    headline_of,
    unsectioned,
)
from detectable.report.blocks_of import blocks_of
from detectable.report.paper_table import (
    PairNumbers,
    PaperCell,
    PaperColumn,
    PaperTable,
    mark_of,
    significance_marks,
)
from detectable.report.render.latex import render_latex
from detectable.report.render.markdown import render_markdown
from detectable.report.render.page import render_page
from detectable.report.render.text import render_text
from detectable.report.render.text_table import text_width
from detectable.report.saved.save import written_result
from detectable.report.several import Report, alone, kind_in_words, report
from detectable.study.ranking.rank_systems import rank_systems
from detectable.study.ranking.ranking import RankedPair, Ranking
from tests.helpers import reference_data
from tests.report import results
from tests.report.render.test_page import EVIL, parsed
from tests.report.results import RESULTS

EVERY = tuple(RESULTS.values())


def plain(blocks: Sequence[Block]) -> list[Block]:
    """Return blocks without charts, which are equal to nothing but themselves."""
    return [block for block in blocks if not isinstance(block, Chart)]


def both(**more: Any) -> Report:
    return report(results.ranking(), results.comparison(), **more)


def test_the_function_is_there_before_and_after_its_layer_is_imported() -> None:
    for _ in range(2):
        made = dt.report(results.ranking(), title="T", names=["N"])
        assert (made.title, made.names) == ("T", ("N",))
        importlib.import_module("detectable.report.blocks")
        assert dt.report(results.ranking()).names == ("Ranking",)
        assert inspect.isfunction(dt.report)
    assert (
        pydoc.render_doc(dt.report)
        .splitlines()[0]
        .endswith("function report in module " + report.__module__)
    )


def test_results_of_one_kind_are_numbered_apart() -> None:
    found = report(results.ranking(), results.mixed_fit(), results.ranking(margin=1.0))
    assert found.names == ("Ranking 1", "Mixed fit", "Ranking 2")
    assert kind_in_words(results.variance_components()) == "Variance components"


def test_names_can_be_given() -> None:
    assert both(names=["before", "after"]).names == ("before", "after")
    with pytest.raises(InputError, match="`names` must be 2 names; got 1"):
        both(names=["before"])
    with pytest.raises(InputError, match="must not be empty; the name of a Comparison is"):
        both(names=["before", " "])
    with pytest.raises(InputError, match="two results are called 'x': a Ranking and a Comp"):
        both(names=["x", "x"])


@pytest.mark.parametrize("given", [(), (3,), (None,), ([results.ranking()],)])
def test_what_is_no_result_is_refused(given: Any) -> None:
    with pytest.raises(InputError, match="`results` must be"):
        report(*given)


def test_one_result_is_shown_as_by_itself() -> None:
    one = report(results.ranking())
    blocks = blocks_of(results.ranking())
    assert plain(one.blocks) == plain(blocks)
    assert one.page() == render_page(blocks)
    assert one.markdown() == render_markdown(blocks)
    assert one.latex() == render_latex(blocks)
    assert one.text() == render_text(blocks)
    assert one.to_dict() == results.ranking().to_dict()
    assert one.summary() == f"Ranking: {results.ranking().summary()}"
    typed = blocks_of(results.ranking(), command="typed")
    assert plain(alone(results.ranking(), "typed").blocks) == plain(typed)


def test_several_are_sections() -> None:
    made = both()
    assert [type(block) for block in made.blocks] == [Section, Section]
    assert [s.name for s in made.sections()] == ["Ranking", "Comparison"]
    assert plain(made.sections()[0].blocks) == plain(blocks_of(results.ranking()))
    first = blocks_of(results.ranking())[0]
    assert isinstance(first, Verdict)
    assert headline_of(made.sections()[0]) == first.headline
    kinds = [type(block) for result in made.results for block in blocks_of(result)]
    assert [type(block) for block in unsectioned(made.blocks)] == kinds
    assert made.notes() == ["Ranking: Four raters.", "Comparison: Two runs each."]
    assert report(results.ranking()).notes() == ["Four raters."]


def test_values_of_several() -> None:
    made = both(title="T").to_dict()
    assert (made["kind"], made["title"]) == ("Report", "T")
    assert [row["name"] for row in made["results"]] == ["Ranking", "Comparison"]
    assert made["results"][0] == {"name": "Ranking", **results.ranking().to_dict()}
    assert json.dumps(made)


# Pages


def test_a_page_begins_with_a_line_for_each_verdict() -> None:
    root = parsed(both(title="June & July").page())
    assert root.one("h1").text == "June & July"
    assert root.one("title").text == "June & July"
    rows = root.one("ol", class_="results").all("li")
    heads = [headline_of(section) for section in both().sections()]
    assert [row.one("span").text for row in rows] == heads
    assert [row.one("a").text for row in rows] == ["Ranking", "Comparison"]
    assert [row.attributes["class"] for row in rows] == ["info", "better"]
    assert [e.text for e in root.all("h2")] == ["Ranking", "Comparison"]
    assert [e.tag for e in root.one("main").children[:3]] == ["h1", "ol", "section"]
    assert parsed(both().page()).one("h1").text == "Results"


def test_each_result_follows_as_on_its_own_page() -> None:
    root = parsed(both().page())
    given = (results.ranking(), results.comparison())
    for section, result in zip(root.all("section"), given, strict=True):
        own = parsed(render_page(blocks_of(result))).one("main")
        assert [e.text for e in section.all("h3")] == [e.text for e in own.all("h2")]
        assert [e.text for e in section.all("h4")] == [e.text for e in own.all("h3")]
        for tag in ("caption", "pre", "li", "summary"):
            assert [e.text for e in section.all(tag)] == [e.text for e in own.all(tag)]
        assert section.one("p", class_="headline").text == own.one("h1").text


def test_all_results_on_one_page() -> None:
    text = report(*EVERY, title="All").page()
    root = parsed(text)
    ids = [e.attributes["id"] for e in root.everything() if "id" in e.attributes]
    assert len(ids) == len(set(ids)) > len(EVERY)
    for link in root.all("a"):
        assert link.attributes["href"].removeprefix("#") in ids
    levels = [int(e.tag[1]) for e in root.everything() if re.fullmatch("h[1-6]", e.tag)]
    assert levels[0] == 1
    assert levels.count(1) == 1
    assert levels.count(2) == len(EVERY)
    assert all(after <= before + 1 for before, after in itertools.pairwise(levels))
    labels = [e.attributes["aria-label"] for e in root.all("nav")]
    assert len(set(labels)) == len(EVERY)
    assert len(root.all("style")) == 1
    assert not root.all("script")


def test_names_and_titles_are_escaped_everywhere() -> None:
    made = both(title=EVIL, names=[EVIL, "b|*c*"])
    assert "<b>" not in made.page()
    assert parsed(made.page()).one("h1").text == EVIL
    assert "<b>" not in made.markdown()
    assert r"b\|\*c\*" in made.markdown()
    odd = both(names=["a\nb\x1b[2J", "c"])
    assert "\x1b" not in odd.text() + odd.markdown() + odd.latex()
    assert "% a b [2J\n" in odd.latex()


# Other forms


def test_text_begins_with_a_line_for_each_verdict() -> None:
    said = both(title="June").text()
    assert said.startswith(
        "June\n\nRanking: 2 systems share the top cluster, above the other system: human, new.\n"
        "Comparison: new is better than old: "
    )
    assert (
        f"\n\n══ Ranking {'═' * 69}\n\n{render_text(blocks_of(results.ranking()))}\n\n" in said
    )
    assert said.endswith(render_text(blocks_of(results.comparison())))


def test_brief_text_is_the_lines_alone() -> None:
    brief = replace(both(), brief=True).text()
    assert brief.count("\n\n") == 0
    assert both().text().startswith(brief + "\n\n══ Ranking ═")
    one = replace(report(results.ranking(), title="T"), brief=True).text()
    assert one == f"T\n\nRanking: {blocks_of(results.ranking())[0].headline}"  # type: ignore[union-attr]


@pytest.mark.parametrize("width", [40, 60, 80])
def test_no_line_is_wider_than_the_terminal(width: int) -> None:
    names = [f"システム{'長' * i}" if i % 2 else "n" * 9 * i for i in range(1, len(EVERY) + 1)]
    said = report(*EVERY, title="t " * 90, names=names).text(width=width)
    opened = said[: said.index("══")]
    assert max(map(text_width, opened.splitlines())) <= max(width, 9 * len(EVERY) + 2)
    for line in said.splitlines():
        if line.startswith("══"):
            assert text_width(line) <= width


def test_text_takes_the_options_of_a_terminal() -> None:
    made = report(results.long_ranking(13), results.comparison())
    assert "pairs (78 rows)" in made.text()
    assert "system-12  system-13" not in made.text()
    assert "system-12  system-13" in made.text(everything=True)
    assert "system-12  system-13" in made.text(unfold=["pairs"])


def test_markdown_has_a_heading_for_each() -> None:
    said = both(title="June").markdown()
    assert said.startswith("# June\n\n- **Ranking**: 2 systems share")
    assert [line for line in said.splitlines() if line.startswith("## ")] == [
        "## Ranking",
        "## Comparison",
    ]
    assert render_markdown(blocks_of(results.comparison())) in said


def test_markdown_of_many_results_fits_a_comment() -> None:
    made = report(*(results.long_ranking(24, name=f"{'x' * 20}{{}}") for _ in range(6)))
    said = made.markdown()
    assert len(said) < 62_000
    assert "Left out, as too long for a comment" in said
    assert said.count("## Ranking ") == 6


def test_latex_holds_the_tables_of_each() -> None:
    said = both().latex()
    assert re.sub(r"tab:(?:ranking|comparison)-", "tab:", said) == "\n".join(
        part
        for result in (results.ranking(), results.comparison())
        for part in (f"% {kind_in_words(result)}", render_latex(blocks_of(result)))
    )
    assert r"\label{tab:comparison-scores}" in said


def test_a_table_is_chosen_where_one_result_alone_has_it() -> None:
    made = both()
    ids = [block.id for block in unsectioned(made.blocks) if isinstance(block, Table)]
    alone_here = next(id for id in ids if ids.count(id) == 1)
    twice = next(id for id in ids if ids.count(id) == 2)
    assert made.csv(alone_here)
    with pytest.raises(InputError, match=f"several results have a table '{twice}'. Name one"):
        made.csv(twice)
    with pytest.raises(InputError, match=r"several tables are here\. Name one .*, or show one"):
        made.csv()
    with pytest.raises(InputError, match="there is no table 'none' in this result"):
        made.csv("none")
    twins = report(results.ranking(), results.ranking())
    with pytest.raises(
        InputError, match=r"several tables are here\. Show one result by itself"
    ):
        twins.csv()


def test_a_chart_is_chosen_where_one_result_alone_has_it() -> None:
    made = both()
    drawn = json.loads(made.picture("differences", "json"))
    assert drawn["description"]
    with pytest.raises(InputError, match="several charts are here"):
        made.picture(None, "json")
    plain = results.power_estimate(nearby=None)
    with pytest.raises(InputError, match="no chart"):
        report(plain, plain).picture(None, "json")


@pytest.mark.parametrize("ending", ["html", "md", "tex", "txt", "HTML"])
def test_the_ending_chooses_the_form(ending: str, tmp_path: Path) -> None:
    path = tmp_path / f"made.{ending}"
    made = both(title="June")
    made.write(path)
    forms: dict[str, Any] = {"html": made.page, "md": made.markdown}
    forms |= {"tex": made.latex, "txt": made.text}
    assert path.read_text(encoding="utf-8").rstrip("\n") == forms[ending.lower()]().rstrip("\n")
    assert path.read_text(encoding="utf-8").endswith("\n")
    with pytest.raises(DataError, match="exists already"):
        made.write(path)
    made.write(path, overwrite=True)


@pytest.mark.parametrize("name", ["page.png", "page", "html"])
def test_other_endings_are_refused(name: str, tmp_path: Path) -> None:
    with pytest.raises(InputError, match=r"`path` must end in \.html, "):
        both().write(tmp_path / name)


# Files


def kept(path: Path, result: Any, **more: Any) -> Path:
    path.parent.mkdir(exist_ok=True)
    path.write_text(written_result(result, **more).text, encoding="utf-8")
    return path


def test_files_have_their_own_names(tmp_path: Path) -> None:
    first = kept(tmp_path / "june.json", results.ranking())
    second = kept(tmp_path / "july.v2.json", results.ranking())
    made = report(first, str(second), results.ranking())
    assert made.names == ("june", "july.v2", "Ranking")
    same = kept(tmp_path / "other" / "june.json", results.ranking())
    with pytest.raises(
        InputError, match=r"two results are called 'june': .*june\.json and .*june"
    ):
        report(first, same)
    assert report(first, same, names=["a", "b"]).names == ("a", "b")


def test_a_page_says_where_a_result_comes_from(tmp_path: Path) -> None:
    read = (
        InputFile("data/a.csv", "0123456789abcdef" * 4, 1200),
        InputFile("b.x", "f" * 64, None),
    )
    path = kept(
        tmp_path / "r.json",
        results.ranking(),
        command=["detectable", "rank", "a b"],
        inputs=read,
    )
    made = report(path)
    created = json.loads(path.read_text())["created"]
    file = next(b for b in made.blocks if isinstance(b, Text) and b.title == "The file")
    assert file.role == "checks"
    assert file.points == (
        ("plain", f"r.json, written {created} by detectable {dt.__version__}."),
        ("plain", "Read: data/a.csv (1,200 lines, SHA-256 0123456789ab…)."),
        ("plain", "Read: b.x (SHA-256 ffffffffffff…)."),
    )
    assert made.blocks[-1] == Repeat(str(results.SIGNATURE), "detectable rank 'a b'")
    assert str(tmp_path) not in made.page()
    assert isinstance(made.blocks[0], Verdict)


def edit(path: Path, **changes: Any) -> Path:
    made = json.loads(path.read_text())
    made["result"] |= changes
    path.write_text(json.dumps(made))
    return path


def test_an_edited_file_is_shown_as_such(tmp_path: Path) -> None:
    path = edit(kept(tmp_path / "r.json", results.ranking()), n_units=21)
    with pytest.warns(SuspiciousDataWarning, match="was edited after it was written"):
        made = report(path, results.comparison())
    assert made.remarks == (
        f"{path} was edited after it was written: its content does not fit its fingerprint.",
    )
    assert "was edited after it was written" in made.page()
    assert "! " in made.text()
    assert "was edited after it was written" in " ".join(made.text().split())


def test_an_edited_file_that_cannot_be_shown_is_refused(tmp_path: Path) -> None:
    path = edit(kept(tmp_path / "r.json", results.power_curve()), points=[])
    with pytest.raises(DataError, match=r"was edited .* its values do not go together \("):
        report(path)


def test_a_bug_of_ours_keeps_its_trace(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    def broken(*_: Any, **__: Any) -> Any:
        raise ZeroDivisionError("ours")

    path = kept(tmp_path / "r.json", results.ranking())
    monkeypatch.setattr(
        importlib.import_module("detectable.report.several"), "listed_of", broken
    )
    with pytest.raises(ZeroDivisionError, match="ours"):
        report(path)


def test_a_result_of_the_library_alone_is_shown_plainly(tmp_path: Path) -> None:
    test = dt.paired_permutation([[0.1], [2.0], [1.0]], n_resamples=99, rng=1)
    path = kept(tmp_path / "r.json", test)
    made = report(path)
    assert "differ at .05" in made.page()
    assert made.text().startswith(test.summary()[:30])


# --- What only a paper prints ---


def test_a_row_has_a_cell_per_column() -> None:
    columns = (PaperColumn("System", "name"), PaperColumn("BLEU", "score"))
    with pytest.raises(InputError, match="row 1 of paper table 't' must have 2 cells"):
        PaperTable("t", "T.", columns, ((PaperCell("a"),) * 2, (PaperCell("b"),)))


def test_a_pair_read_backwards_changes_its_sign_and_keeps_its_p() -> None:
    pairs = {("a", "b"): (1.5, 0.01), ("c", "a"): (-2.0, 0.5)}
    made = PairNumbers.build(
        ("a", "b", "c"), pairs, digits=1, alpha=0.1, caption="in x.", told="told", same="same"
    )
    assert made.differences == ((None, 1.5, 2.0), (-1.5, None, None), (-2.0, None, None))
    assert made.p_values == ((None, 0.01, 0.5), (0.01, None, None), (0.5, None, None))
    assert (made.digits, made.alpha, made.caption) == (1, 0.1, "in x.")
    assert (made.told, made.same) == ("told", "same")


@pytest.mark.parametrize(
    ("p", "mark"),
    [
        *((0.0001, "‡"), (0.001, "‡"), (0.0011, "†"), (0.01, "†"), (0.011, "⋆"), (0.05, "⋆")),
        *((0.051, ""), (None, "")),
    ],
)
def test_marks_go_with_the_level(p: float | None, mark: str) -> None:
    assert mark_of(p, significance_marks(0.05)) == mark


def test_no_mark_says_more_than_the_level() -> None:
    assert mark_of(0.03, significance_marks(0.01)) == ""
    assert mark_of(0.0005, significance_marks(0.001)) == "⋆"
    assert significance_marks(0.1) == ((0.001, "‡"), (0.01, "†"), (0.1, "⋆"))


# --- Every number that stands near a verdict is at the level of the verdict, on real judgments ---


def direct_assessment() -> Judgments:
    table = pl.read_parquet(reference_data("data", "wmt", "wmt22_jaen_da.parquet"))
    names = {
        "system": "system",
        "rater": "worker",
        "task": "hit",
        "kind": "type",
        "document": "doc",
    }
    columns = {role: table[name].cast(str) for role, name in names.items()}
    return Judgments.build({**columns, "item": table["sid"], "score": table["raw"]})


def error_spans() -> Judgments:
    table = pl.read_parquet(reference_data("data", "wmt", "wmt24_esa_engjpn_waves2-3.parquet"))
    table = table.with_columns(pl.col("doc").cast(str)).filter(
        pl.col("type") == "TGT", ~pl.col("doc").str.contains("#")
    )
    kept = table.unique(["item", "system"], keep="last", maintain_order=True)
    names = {"system": "system", "rater": "user", "document": "doc", "domain": "domain"}
    columns = {role: kept[name].cast(str) for role, name in names.items()}
    return Judgments.build({**columns, "item": kept["item"], "score": kept["score"]})


def disagreeing(pairs: Sequence[RankedPair], intervals: Sequence[Interval]) -> int:
    """Count pairs whose interval says otherwise than the corrected p-value."""
    return sum(
        (interval.low > 0.0 or interval.high < 0.0) != (pair.p_adjusted <= 0.05)
        for pair, interval in zip(pairs, intervals, strict=True)
    )


@pytest.fixture(scope="module")
def rankings() -> dict[tuple[str, str], Ranking]:
    corrections: tuple[PairCorrection, ...] = ("max-t", "holm")
    made = {"ja-en": direct_assessment(), "en-ja": error_spans()}
    return {
        (name, correction): rank_systems(judgments, rng=1, correction=correction)
        for name, judgments in made.items()
        for correction in corrections
    }


@pytest.mark.golden
@pytest.mark.parametrize(("name", "n", "alone"), [("ja-en", 91, 5), ("en-ja", 78, 15)])
@pytest.mark.parametrize("correction", ["max-t", "holm"])
def test_joint_intervals_and_corrected_p_values_say_the_same(
    name: str, n: int, alone: int, correction: str, rankings: dict[tuple[str, str], Ranking]
) -> None:
    pairs = rankings[name, correction].pairs
    assert len(pairs) == n
    assert disagreeing(pairs, [pair.interval for pair in pairs]) == 0
    # The intervals of the pairs alone are what people stumbled over: the test can fail.
    assert disagreeing(pairs, [pair.interval_alone for pair in pairs]) == alone


@pytest.mark.golden
def test_the_table_shows_one_p_value_and_the_joint_interval(
    rankings: dict[tuple[str, str], Ranking],
) -> None:
    for (_, correction), result in rankings.items():
        table = next(b for b in blocks_of(result) if isinstance(b, Table) and b.id == "pairs")
        shown = [column for column in table.columns if column.keep < DATA_ONLY]
        named = {"max-t": "p (max-T)", "holm": "p (Holm)"}[correction]
        assert [column.title for column in shown if column.kind == "p"] == [named]
        assert [column.title for column in shown if column.kind == "interval"] == [
            "95% interval, all pairs together"
        ]
        only = {column.key for column in table.columns} - {column.key for column in shown}
        assert {"p_value", "interval_alone"} <= only
