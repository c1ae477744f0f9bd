"""What a result file carries for a browser: what the result shows, and nothing of the machine."""

import base64
import dataclasses
import json
import zlib
from pathlib import Path
from typing import Any

import pytest

import detectable as dt
from detectable.report.blocks_of import blocks_of
from detectable.report.render.block_values import block_values
from detectable.report.saved.save import written_result
from tests.report import results
from tests.report.results import RESULTS


def shown(text: str) -> Any:
    packed = json.loads(text)["shown"]
    assert list(packed) == ["zlib64"]
    return json.loads(zlib.decompress(base64.b64decode(packed["zlib64"])))


@pytest.mark.parametrize("name", sorted(RESULTS))
def test_every_file_shows_what_its_result_shows(name: str, tmp_path: Path) -> None:
    path = tmp_path / "r.json"
    path.write_text(written_result(RESULTS[name], command=["detectable", "it", "a b"]).text)
    expected = block_values(blocks_of(dt.load(path), command="detectable it 'a b'"))
    assert shown(path.read_text()) == json.loads(json.dumps(expected))


def test_it_tells_nothing_of_the_machine() -> None:
    private = "/home/somebody/secret/rank.json"
    made = dataclasses.replace(RESULTS["receipt"], file=private)  # type: ignore[call-arg]
    text = written_result(made, command=["detectable", "verify", private]).text
    told = json.dumps(shown(text))
    assert "somebody" not in told
    assert "rank.json" in told


def test_a_result_that_cannot_be_shown_is_kept_all_the_same(tmp_path: Path) -> None:
    odd = dataclasses.replace(results.comparison(), alpha="x")  # type: ignore[arg-type]
    dt.save(odd, tmp_path / "r.json")
    assert json.loads((tmp_path / "r.json").read_text())["shown"] is None
    assert dt.load(tmp_path / "r.json").alpha == "x"  # type: ignore[attr-defined]


def test_load_does_not_look_at_it(tmp_path: Path) -> None:
    path = tmp_path / "r.json"
    dt.save(results.ranking(), path)
    content = json.loads(path.read_text())
    del content["shown"]
    path.write_text(json.dumps(content))
    with pytest.warns(dt.DetectableWarning, match="was edited"):
        assert dt.load(path) == results.ranking()
