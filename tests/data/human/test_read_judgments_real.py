"""Published judgments: the numbers of rows, and the means that others computed."""

import json
from collections import Counter
from pathlib import Path

import numpy as np
import pytest

from detectable.core.errors import MissingExtraError
from detectable.data.formats import shipdata as module
from detectable.data.human.columns import KINDS
from detectable.data.human.judgments import Judgments
from detectable.data.human.read_judgments import read_judgments
from tests.data.human.xlsx import write_xlsx
from tests.data.sample_files import fails
from tests.helpers import reference_data

COUNTS = {
    "wmt21_csen": (13_069, 9, 1000),
    "wmt21_isen": (13_230, 10, 1000),
    "wmt21_jaen": (21_151, 16, 1005),
    "wmt21_ruen": (14_305, 11, 1000),
    "wmt22_jaen": (35_773, 14, 2008),
}
# Workers who gave one score only have no z-score, and are not in the published files of these.
SHORT = ("wmt21_isen", "wmt22_jaen")
HEADER = (
    *("Source", "Target", "User", "SegmentID", "Segment", "Reference", "Translation", "Score"),
    "valid_line",
)


def kinds(judgments: Judgments) -> dict[str, int]:
    return dict(Counter(KINDS[code] for code in judgments.kind.tolist()))


@pytest.mark.golden
@pytest.mark.parametrize("name", COUNTS)
def test_direct_assessment_of_wmt(name: str) -> None:
    path = reference_data("data", "wmt", f"{name}_da.parquet")
    judgments = read_judgments(path)
    n, systems, items = COUNTS[name]
    assert judgments.n_judgments == n
    assert (judgments.system.n_levels, judgments.item.n_levels) == (systems, items)
    assert (judgments.document is None) == (name == "wmt21_csen")
    campaign, pair = name.split("_")
    language = f"{pair[:2]}-{pair[2:]}"
    assert judgments.column("language").levels == (language,)
    gold = json.loads(reference_data("gold", "graham.json").read_text())
    official = gold["wmt_clusters"][f"{campaign}.{language}"]["systems"]
    assert set(judgments.system.levels) == {entry["system"] for entry in official}
    for entry in official:
        own = judgments.take(
            judgments.is_kind("system", "repeat")
            & (judgments.system.codes == judgments.system.levels.index(entry["system"]))
        )
        if name in SHORT:
            assert own.n_judgments <= entry["N"]
            continue
        assert (own.item.n_levels, own.n_judgments) == (entry["n"], entry["N"])
        means = np.bincount(own.item.codes, own.score) / np.bincount(own.item.codes)
        assert means.mean() == pytest.approx(entry["raw"], abs=1e-9)


@pytest.mark.golden
def test_two_hits_of_crowd_alone() -> None:
    judgments = read_judgments(reference_data("data", "wmt", "crowdalone_2hits.csv"))
    assert kinds(judgments) == {"system": 140, "repeat": 20, "degraded": 20, "reference": 20}
    gold = json.loads(reference_data("gold", "graham.json").read_text())
    expected = gold["da_qc"]["crowdalone_2hits"]
    for worker in ("W1", "W2"):
        own = judgments.where(rater=worker)
        assert own.score.mean() == pytest.approx(expected[worker]["mean"])
        assert own.score.std(ddof=1) == pytest.approx(expected[worker]["sd"], abs=1e-5)


def test_pairs_of_quality_control() -> None:
    judgments = read_judgments(reference_data("data", "wmt", "wmt21_qc_pairs.parquet"))
    assert kinds(judgments) == {"system": 10_890, "degraded": 10_890}
    assert "ru-en" in judgments.column("language").levels
    assert judgments.place(0) == judgments.place(1)  # one row of the file holds both
    assert judgments.score[:2].tolist() == [96, 91]


@pytest.mark.golden
def test_error_spans_of_wmt24() -> None:
    path = reference_data("data", "wmt", "wmt24_esa_engjpn_waves2-3.parquet")
    judgments = read_judgments(path)
    assert kinds(judgments) == {"system": 8242, "repeat": 2, "degraded": 1254}
    assert judgments.item.n_levels == 634
    gold = json.loads(reference_data("gold", "graham.json").read_text())
    expected = gold["wmt24_esa_waves23"]["eng-jpn"]["micro"]
    own = judgments.take(judgments.is_kind("system", "repeat"))
    for system, mean in expected.items():
        mine = own.where(system=system)
        last = np.empty(mine.item.n_levels)
        last[mine.item.codes] = mine.score  # of two scores the gold number takes the later
        assert last.mean() == pytest.approx(mean, abs=1e-9), system


@pytest.mark.golden
def test_shipdata_as_parquet() -> None:
    path = reference_data("data", "shipdata", "shipdata_judgments.parquet")
    judgments = read_judgments(path)
    assert judgments.n_judgments == 2_323_625
    assert judgments.column("campaign").n_levels == 1728
    assert judgments.column("rater").n_levels == 12_290
    assert judgments.system.n_levels == 2012
    assert judgments.is_kind("system", "repeat").all()
    assert "ENU-FRA" in judgments.column("language").levels


def _shipdata(folder: Path) -> None:
    for campaign in ("c1", "c2"):
        for system in ("aa", "bb"):
            rows = [
                ("ENU", "DEU", f"u{i % 2}", i, f"h{i}", "r", "t", 50 + i, i != 1)
                for i in range(3)
            ]
            sheets: dict[str, list[tuple[object, ...]]]
            sheets = {"automatic_metrics": [("System",), ("x",)], module.SHEET: [HEADER, *rows]}
            write_xlsx(folder / campaign / f"{system}.xlsx", sheets)


def test_shipdata_as_xlsx(tmp_path: Path) -> None:
    pytest.importorskip("fastexcel")
    _shipdata(tmp_path)
    told: list[tuple[int, int | None]] = []
    read_judgments(tmp_path, progress=lambda _, done, total: told.append((done, total)))
    assert told == [(1, 4), (2, 4), (3, 4), (4, 4)]
    judgments = read_judgments(tmp_path)
    whole = judgments.to_columns()
    assert whole["system"] == ["aa"] * 3 + ["bb"] * 3 + ["aa"] * 3 + ["bb"] * 3
    assert whole["campaign"] == ["c1"] * 6 + ["c2"] * 6
    assert whole["score"] == [50.0, 51.0, 52.0] * 4
    assert whole["rater"] == ["u0", "u1", "u0"] * 4
    assert judgments.notes == (
        "4 judgments on lines that not all systems have (valid_line is false) kept.",
    )


def test_xlsx_files_that_are_not_shipdata(tmp_path: Path) -> None:
    pytest.importorskip("fastexcel")
    write_xlsx(tmp_path / "a" / "s.xlsx", {"other": [("x",), (1,)]})
    with fails("s.xlsx: the sheet 'hum_annotations' cannot be read"):
        read_judgments(tmp_path)
    write_xlsx(tmp_path / "a" / "s.xlsx", {module.SHEET: [("Score",), (1,)]})
    with fails("s.xlsx, sheet 'hum_annotations': there is no column 'Source'"):
        read_judgments(tmp_path)
    (tmp_path / "a" / "s.xlsx").write_bytes(b"PK\x03\x04 and nothing")
    with fails("s.xlsx: the sheet 'hum_annotations' cannot be read"):
        read_judgments(tmp_path / "a" / "s.xlsx")


def test_without_fastexcel_the_extra_is_named(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    _shipdata(tmp_path)
    monkeypatch.setattr(module, "find_spec", lambda _: None)
    with pytest.raises(MissingExtraError, match=r'pip install "detectable\[xlsx\]"'):
        read_judgments(tmp_path)
