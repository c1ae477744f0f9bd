"""The parts of the site: formulas, contents, public names, and nothing from elsewhere."""

import importlib
import re
import subprocess
import sys
from pathlib import Path
from typing import Any

import pytest

import detectable
from detectable.cli import main
from scripts import make_screenshots
from scripts.check_site import main as check_site
from scripts.check_site import remote
from tests.docs.blocks import ROOT
from tests.report.charts.drawn import check_readable

EXTENSIONS = ROOT / "docs" / "extensions"
SOURCES = sorted((ROOT / "src").rglob("*.py"))


def extension(name: str, monkeypatch: pytest.MonkeyPatch) -> Any:
    pytest.importorskip("sphinx", reason="the documentation is built with the docs group")
    monkeypatch.syspath_prepend(str(EXTENSIONS))
    return importlib.import_module(name)


def formulas() -> list[str]:
    found = []
    for path in SOURCES:
        # Of comments, too: some explain what a part of a file does.
        text = re.sub(r"(?m)^# ?", "", path.read_text(encoding="utf-8"))
        found += re.findall(r":math:`([^`]+)`", text)
        blocks = re.findall(r"\.\. math::(.*?)(?:\n\s*\n|\"\"\")", text, flags=re.DOTALL)
        found += blocks
    return found


def test_every_formula_of_the_docstrings_can_be_shown(monkeypatch: pytest.MonkeyPatch) -> None:
    mathml = extension("mathml", monkeypatch).mathml
    found = formulas()
    assert len(found) > 400
    for formula in found:
        assert "<math" in mathml(formula.replace("\n", " "), block=False), formula


@pytest.mark.parametrize(
    ("formula", "inside"),
    [
        (r"\tfrac12", "<mn>1</mn><mn>2</mn></mfrac>"),
        (r"|p - \tfrac12| \sqrt n", "<mn>1</mn><mn>2</mn></mfrac>"),
        ("½", "<mn>1</mn><mn>2</mn></mfrac>"),
        (r"a \iff b", "<mo>⇔</mo>"),
        (r"t_1 < \dots < t_K", "<mi>…</mi>"),
        (r"\Big(x\Bigr)", "<mi>x</mi>"),
    ],
)
def test_words_that_docutils_does_not_know(
    formula: str, inside: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    made = extension("mathml", monkeypatch).mathml(formula, block=False)
    assert inside in re.sub(r"\s+(?=<)", "", made)


def test_the_contents_are_the_lists_of_the_first_page(monkeypatch: pytest.MonkeyPatch) -> None:
    toctrees = extension("contents", monkeypatch).toctrees
    text = "# T\n\nwords [x](x.md)\n\n## One\n\n- [Up](../README.md): [low](a/b.md)\n\n## Two\n\nwords\n"
    assert toctrees(text) == (
        "```{toctree}\n:hidden:\n:caption: One\n\nUp </README>\n/docs/a/b\n```"
    )


def test_every_public_name_has_a_page(monkeypatch: pytest.MonkeyPatch) -> None:
    api = extension("api_pages", monkeypatch)
    groups = api.groups()
    named = {name for names in groups.values() for name in names}
    assert set(detectable.WHERE) - set(detectable.MODULES) <= named
    assert {"Accuracy", "Bleu", "Likert"} <= set(groups["Scenarios of power"])
    assert {"Comparison", "Ranking", "PowerEstimate"} <= set(groups["Results"])
    assert ".. autofunction:: detectable.compare" in api._page("compare", "detectable.compare")
    assert ".. autoclass:: detectable.Corpus" in api._page("Corpus", "detectable.Corpus")


@pytest.mark.parametrize(
    ("name", "text"),
    [
        ("a.html", '<script src="https://cdn.example/x.js"></script>'),
        ("a.html", '<link rel="stylesheet" href="//fonts.example/x.css">'),
        ("a.html", '<img srcset="a.png, https://example/b.png 2x">'),
        ("a.html", '<p style="background: url(http://example/x.png)">'),
        ("a.html", "<style>@import 'https://example/x.css';</style>"),
        ("a.svg", '<svg><image href="https://example/x.png"/></svg>'),
        ("a.css", "@font-face { src: url(https://example/x.woff2) }"),
    ],
)
def test_what_a_page_would_fetch_is_found(name: str, text: str, tmp_path: Path) -> None:
    (tmp_path / name).write_text(text, encoding="utf-8")
    assert len(remote(tmp_path / name)) == 1
    assert check_site(tmp_path) == 1


def test_links_and_own_files_are_fine(tmp_path: Path) -> None:
    page = '<a href="https://example.org">x</a><img src="x.png"><style>a{b:url(x.svg)}</style>'
    (tmp_path / "a.html").write_text(page, encoding="utf-8")
    assert check_site(tmp_path) == 0


def test_an_empty_folder_is_no_site(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    assert check_site(tmp_path) == 1
    assert "make docs" in capsys.readouterr().out


@pytest.mark.slow
def test_the_site_is_built_without_a_warning_and_fetches_nothing(tmp_path: Path) -> None:
    pytest.importorskip("furo", reason="the documentation is built with the docs group")
    words = [
        "-q",
        "-W",
        "--keep-going",
        "-b",
        "html",
        "-c",
        "docs",
        "-d",
        str(tmp_path / "trees"),
    ]
    done = subprocess.run(
        [sys.executable, "-m", "sphinx", *words, ".", str(tmp_path / "html")],
        cwd=ROOT,
        capture_output=True,
        text=True,
        check=False,
    )
    assert done.returncode == 0, done.stderr
    assert check_site(tmp_path / "html") == 0
    first = (tmp_path / "html" / "index.html").read_text(encoding="utf-8")
    target = re.findall(r'href="([^"]+)"', first)[0]
    assert (tmp_path / "html" / target).exists()
    assert "<math" in (tmp_path / "html" / "docs" / "api" / "RankSum.html").read_text("utf-8")


def test_the_calibration_chart_shows_the_numbers_of_the_page(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    groups = extension("calibration_tables", monkeypatch).groups()
    text = (ROOT / "docs" / "calibration.md").read_text(encoding="utf-8")
    first = groups[0]
    assert (first.nominal, first.standard_error) == (0.05, 0.0022)
    assert first.title.endswith("(10,000 data sets)")
    for group in groups:
        for row in group.rows:
            assert len(row.values) >= 3
            assert all(f"{value:.3f}" in text for value in row.values)
    bootstrap = next(row for row in first.rows if not row.ours)
    assert min(bootstrap.values) > 0.1


def test_the_performance_chart_is_its_table(monkeypatch: pytest.MonkeyPatch) -> None:
    module = extension("performance_chart", monkeypatch)
    text = (
        "<!-- table ratios -->\n| what | against | times less CPU | |\n|---|---|---:|---|\n"
        "| a | sacreBLEU | 27 | whole command, twice |\n| b | scipy | 1,670 | |\n"
        "| c | sacreBLEU | 5.1 | whole command |\n| d | sacreBLEU | 2 | in process |\n"
        "<!-- end ratios -->\n| e | x | 9 | |\n"
    )
    assert [(row.what, row.times) for row in module.ratios(text)] == [
        ("b", 1670.0),
        ("a", 27.0),
        ("c", 5.1),
        ("d", 2.0),
    ]
    whole = module.performance_chart(text)
    assert whole.title.startswith("Whole commands take 5.1 to 27 ")
    assert whole.alt.endswith("a, against sacreBLEU: 27; c, against sacreBLEU: 5.1.")
    calls = module.performance_chart(text, whole=False)
    assert calls.title.startswith("In process, calls take 2 to 2 ")
    assert calls.id == "performance-in-process"
    for of_commands in (True, False):
        check_readable(module.performance_chart(whole=of_commands))


def test_the_decision_chart_holds_every_line_of_its_list(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    module = extension("decisions", monkeypatch)
    page = (ROOT / "docs" / "which-test.md").read_text(encoding="utf-8")
    found = module.branches(page)
    drawn = module.chart(found)
    listed = page.split(module.START)[1].split(module.END)[0].count("- **")
    assert len(found) + sum(len(branch.leaves) for branch in found) == listed
    for branch in found:
        for answer, command in branch.leaves:
            assert command.split()[1] in main.commands
            assert f">{answer.replace('&', '&amp;')}<" in drawn
    with pytest.raises(ValueError, match="no decision: - something"):
        module.branches(f"{module.START}\n- something\n{module.END}")


def test_a_marker_becomes_a_figure_with_a_label(monkeypatch: pytest.MonkeyPatch) -> None:
    pytest.importorskip("vl_convert")
    charts = extension("charts", monkeypatch)
    source = ["words\n\n<!-- chart calibration -->\n\nmore\n"]
    charts._draw(None, "docs/x", source)
    assert source[0].count('role="img" aria-label="Two systems') == 2
    assert "<figcaption><strong>Ours reject a true null" in source[0]
    assert "data-theme" in source[0]
    expression = 'runs = dt.compare(dt.example_corpus(), "bleu", baseline="baseline", rng=1)'
    shown = charts.drawn(expression)
    assert "Made by <code>dt.compare(dt.example_corpus()" in shown
    untouched = ["no marker\n"]
    charts._draw(None, "docs/x", untouched)
    assert untouched == ["no marker\n"]


def test_a_picture_of_a_page_stands_where_there_is_one(
    monkeypatch: pytest.MonkeyPatch, tmp_path: Path
) -> None:
    shown = extension("screenshots", monkeypatch).shown
    text = "a\n\n<!-- screenshot one: What it shows. -->\n\n<!-- screenshot two: Else. -->\n"
    (tmp_path / "one.png").write_bytes(b"")
    found = shown(text, tmp_path)
    assert "![What it shows.](_static/made/one.png)" in found
    assert "No browser was found" in found
    assert "two.png" not in found


def test_pages_for_pictures_are_written(tmp_path: Path) -> None:
    made = make_screenshots.write_pages(tmp_path)
    assert {path.stem for path in made} == {*make_screenshots.PAGES, "explore"}
    asked: set[str] = set()
    for page in (ROOT / "docs").glob("*.md"):
        asked |= set(re.findall(r"<!-- screenshot ([\w-]+):", page.read_text(encoding="utf-8")))
    assert asked == {path.stem for path in made} | set(make_screenshots.SERVED)


def test_without_a_browser_it_says_so(
    monkeypatch: pytest.MonkeyPatch, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.setattr(make_screenshots, "BROWSERS", ("no-such-browser",))
    make_screenshots.main(tmp_path / "made")
    assert "No browser (no-such-browser)" in capsys.readouterr().out
    assert not (tmp_path / "made").exists()


def test_what_the_theme_forgets_is_mended_once(monkeypatch: pytest.MonkeyPatch) -> None:
    module = extension("accessible", monkeypatch)
    page = '<aside class="sidebar-drawer"><p role="heading">x</p></aside><pre>y</pre>'
    once = module.mended(page)
    assert once == (
        '<aside class="sidebar-drawer" aria-label="Contents"><p role="heading" aria-level="2">x</p>'
        '</aside><pre tabindex="0">y</pre>'
    )
    assert module.mended(once) == once
