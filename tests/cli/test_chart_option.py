"""``--chart``: the picture of a result in a file."""

import json
import re
from collections.abc import Iterator
from pathlib import Path

import click
import pytest
from click.testing import CliRunner, Result

from detectable.cli import main
from detectable.cli.command import command
from detectable.core.result import Result as Answer
from detectable.report.render import picture
from tests.report import results


def run(*arguments: object, answer: Answer | None = None) -> Result:
    def work() -> Answer:
        return answer if answer is not None else results.comparison()

    return CliRunner().invoke(command("toy")(work), [str(argument) for argument in arguments])


@pytest.mark.parametrize(
    ("ending", "start"),
    [("svg", b"<svg"), ("png", b"\x89PNG"), ("pdf", b"%PDF"), ("PNG", b"\x89PNG")],
)
def test_pictures(ending: str, start: bytes, tmp_path: Path) -> None:
    pytest.importorskip("vl_convert")
    path = tmp_path / f"a.{ending}"
    found = run("--chart", path)
    assert found.exit_code == 0, found.output
    assert path.read_bytes().startswith(start)


def test_the_specification_holds_title_caption_and_description(tmp_path: Path) -> None:
    found = run("--chart", tmp_path / "a.json", "--chart", f"metrics:{tmp_path / 'b.json'}")
    assert found.exit_code == 0, found.output
    key, other = (json.loads((tmp_path / name).read_text()) for name in ("a.json", "b.json"))
    assert " ".join(key["title"]["text"]) == (
        "new − old: +1.25 BLEU, and anything from +0.50 to +2.00 fits the data"
    )
    assert "Grey bar: too small to be detected (80% power)." in " ".join(
        key["title"]["subtitle"]
    )
    assert key["description"].endswith("BLEU, new: +1.25, better.")
    assert len(other["hconcat"]) == 2


def test_an_unknown_ending_is_a_usage_error(tmp_path: Path) -> None:
    found = run("--chart", tmp_path / "a.gif")
    assert found.exit_code == 2
    assert "must end in one of .svg, .png, .pdf, .json" in found.stderr


def test_an_existing_file_is_kept(tmp_path: Path) -> None:
    path = tmp_path / "a.json"
    path.write_text("mine")
    assert run("--chart", path).exit_code == 1
    assert path.read_text() == "mine"
    assert run("--chart", path, "--force").exit_code == 0
    assert path.read_text() != "mine"


def test_an_unknown_chart_is_named_with_the_known_ones(tmp_path: Path) -> None:
    found = run("--chart", f"scores:{tmp_path / 'a.json'}")
    assert found.exit_code == 1
    assert "there is no chart 'scores'; known here: differences, metrics, runs." in found.stderr


def test_a_result_without_a_chart_says_so(tmp_path: Path) -> None:
    found = run("--chart", tmp_path / "a.json", answer=results.any_other_result())
    assert found.exit_code == 1
    assert "this result has no chart" in found.stderr
    assert list(tmp_path.iterdir()) == []


def test_without_the_package_that_draws(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(picture, "find_spec", lambda _: None)
    found = run("--chart", tmp_path / "a.svg")
    assert found.exit_code == 1
    assert 'pip install "detectable[charts]"' in found.stderr
    assert run("--chart", tmp_path / "a.json").exit_code == 0
    found = run("--html", tmp_path / "a.html")
    assert found.exit_code == 0
    assert "Note: The page has no pictures" in found.stderr
    assert "<svg" not in (tmp_path / "a.html").read_text()


def test_an_interactive_page_holds_the_charts_twice_and_asks_for_nothing(
    tmp_path: Path,
) -> None:
    pytest.importorskip("vl_convert")
    still, moving = tmp_path / "still.html", tmp_path / "moving.html"
    assert run("--html", still).exit_code == 0
    found = run("--html", moving, "--interactive")
    assert found.exit_code == 0, found.output
    assert "<script" not in still.read_text()
    page = moving.read_text()
    assert page.count("<script") == 2
    assert "script-src &#39;sha256-" in page
    data = page.partition('id="charts">')[2].partition("</script>")[0]
    assert sorted(json.loads(data)["charts"]) == [
        "chart-differences",
        "chart-metrics",
        "chart-runs",
    ]
    assert page.count('role="img"') >= 6


def test_interactive_needs_a_page(tmp_path: Path) -> None:
    found = run("--interactive", "--chart", tmp_path / "a.json")
    assert found.exit_code == 2
    assert "--interactive has no effect without --html" in found.stderr


def test_interactive_needs_the_package_that_draws(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(picture, "find_spec", lambda _: None)
    found = run("--html", tmp_path / "a.html", "--interactive")
    assert found.exit_code == 1
    assert 'pip install "detectable[charts]"' in found.stderr
    assert list(tmp_path.iterdir()) == []


def test_charts_for_a_paper(tmp_path: Path) -> None:
    wide, column = tmp_path / "wide.json", tmp_path / "column.json"
    assert run("--chart", wide).exit_code == 0
    assert run("--chart", column, "--width", "column", "--no-title").exit_code == 0
    before, after = (json.loads(path.read_text()) for path in (wide, column))
    assert "title" in before
    assert "title" not in after
    assert before["description"] == after["description"]
    for option, value in (("--width", ["text"]), ("--no-title", [])):
        found = run(option, *value)
        assert found.exit_code == 2
        assert f"{option} has no effect without --chart. Drop it." in found.stderr
    found = run("--chart", tmp_path / "a.pdf", "--width", "5")
    assert found.exit_code == 2
    assert "--width must be column, text or 60 to 400 millimetres; got '5'." in found.stderr


def test_the_gallery_names_the_charts_that_help_names() -> None:
    """Where a command has one chart, help leaves its name out."""
    text = (Path(__file__).parents[2] / "docs" / "gallery.md").read_text(encoding="utf-8")
    rows = re.findall(r"^\| (`[^|]+`) \| (`[^|-][^|]*`) \|$", text.split("its charts")[1], re.M)
    listed = {
        name: re.findall(r"`([\w-]+)`", charts)
        for commands, charts in rows
        for name in re.findall(r"`([\w -]+)`", commands)
    }
    for name, typed in each_command(main):
        drawing = [one for one in typed.params if one.name == "chart"]
        told = " ".join(getattr(one, "help", "") for one in drawing)
        found = re.search(r"Draw a chart \((.*?)\)", told)
        if found:
            known = listed.get(name) or listed[name.split()[0]]
            assert known == found[1].split(", "), name
    assert len(listed) == 29


def each_command(group: click.Group, before: str = "") -> Iterator[tuple[str, click.Command]]:
    for name in group.commands:
        one = group.commands[name]
        if isinstance(one, click.Group):
            yield from each_command(one, f"{before}{name} ")
        else:
            yield f"{before}{name}", one
