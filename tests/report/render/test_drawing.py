"""What cannot be drawn ends the process that draws, and nothing else."""

import os
import subprocess
import sys
import threading
from typing import Any

import pytest

from detectable.core.errors import InputError
from detectable.report.blocks import Chart
from detectable.report.blocks_of import blocks_of
from detectable.report.charts.theme import visible
from detectable.report.render import drawing
from detectable.report.render.drawing import drawn
from detectable.report.render.page import render_page
from detectable.report.render.picture import render_picture
from tests.report import results

pytest.importorskip("vl_convert")


@pytest.fixture(autouse=True)
def _drawn_each_time(monkeypatch: pytest.MonkeyPatch) -> None:
    """Ask the process that draws, whatever was drawn before."""
    monkeypatch.setattr(drawing._Child, "ask", drawing._Child.ask.__wrapped__)  # type: ignore[attr-defined]


def spec(name: str) -> dict[str, Any]:
    return {
        "data": {"values": [{"name": name, "size": 2}]},
        "mark": "bar",
        "encoding": {"x": {"field": "size"}, "y": {"field": "name"}},
    }


@pytest.mark.parametrize("harmful", ["\x1b", "\x00", "\x0b", "\ufffe", "\uffff", "\ud800"])
def test_every_character_can_be_drawn(harmful: str) -> None:
    name = f"a{harmful}b"
    assert visible(harmful) in drawn("svg", spec(name)).decode()
    ranking = results.long_ranking(4, name=name + "{}")
    page = render_page(blocks_of(ranking))
    assert harmful not in page.partition("<svg")[2].partition("</svg>")[0]
    chart = next(block for block in blocks_of(ranking) if isinstance(block, Chart))
    assert bytes(render_picture(chart, "png")).startswith(b"\x89PNG")  # type: ignore[arg-type]


def test_what_xml_allows_stays() -> None:
    kept = {"a": ["\t\n\r é訳😀\u2028\ufffd", 1, None, 0.5, True], "b": {"c": "x"}}
    assert visible(kept) == kept


def test_a_specification_that_cannot_be_drawn_is_one_sentence_and_the_next_is_drawn() -> None:
    with pytest.raises(
        InputError, match=r"^the picture cannot be drawn: .*\. All else is there"
    ):
        drawn("svg", {"mark": 17})
    assert drawn("svg", spec("a")).startswith(b"<svg")


def test_a_process_that_dies_or_hangs_is_one_sentence_and_the_next_is_drawn(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    drawn("svg", spec("a"))
    for program in ("import os; os.abort()", "import time; time.sleep(1000)"):
        drawing._CHILD.end()
        with monkeypatch.context() as patched:
            patched.setattr(drawing, "_PROGRAM", program)
            patched.setattr(drawing, "LIMIT", 0.1)
            with pytest.raises(InputError, match="drawn: the program that draws ended"):
                drawn("svg", spec("a"))
        assert drawn("svg", spec("a")).startswith(b"<svg")


def test_many_threads_may_ask() -> None:
    found: list[bytes] = []
    threads = [
        threading.Thread(target=lambda n=n: found.append(drawn("svg", spec(f"name-{n}"))))
        for n in range(6)
    ]
    for one in threads:
        one.start()
    for one in threads:
        one.join()
    assert {n for n in range(6) for text in found if f"name-{n}".encode() in text} == set(
        range(6)
    )


@pytest.mark.skipif(not hasattr(os, "fork"), reason="only where processes fork")
def test_a_fork_has_a_process_of_its_own() -> None:
    program = (
        "import os\n"
        "from detectable.report.render.drawing import drawn\n"
        "spec = {'data': {'values': [{'a': 1}]}, 'mark': 'bar', 'encoding': {'x': {'field': 'a'}}}\n"
        "first = drawn('svg', spec)\n"
        "pid = os.fork()\n"
        "again = drawn('svg', spec)\n"
        "assert again == first\n"
        "if pid: assert os.waitpid(pid, 0)[1] == 0\n"
    )
    subprocess.run([sys.executable, "-W", "error", "-c", program], check=True, timeout=300)
