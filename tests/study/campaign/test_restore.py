"""Copies of campaigns: whole, private, and proved when they are brought back."""

import hashlib
import json
import tarfile
from pathlib import Path

import pytest

from detectable.core.errors import DataError
from detectable.data.store.open_store import AnyStore, open_store
from detectable.data.store.sqlite_store import SqliteStore
from detectable.study.campaign.begin import begin_campaign
from detectable.study.campaign.replay_campaign import (
    _archive,
    _counted_rows,
    backup_campaigns,
    restore_campaigns,
)
from detectable.study.campaign.work import plan_of
from tests.data.store import databases
from tests.study.campaign.simulated import Truth, begin, corpus, judge

PLANTED = Truth(effects={"new": 12.0, "old": 0.0})


@pytest.fixture
def looked(either: AnyStore, tmp_path: Path) -> AnyStore:
    """A campaign that has stopped at a look, in a folder of its plan, and a draft without one."""
    folder = tmp_path / "first"
    folder.mkdir()
    begin(
        either, folder / "ship.json", PLANTED, n_items=60, n_max=60, looks=2,
        admission={"rule": "degraded-paired-t", "pairs": 4},
        settings={"controls": 0.4, "block": 4},
    )  # fmt: skip
    judge(either, PLANTED, seed=1)
    assert either.looks("ship")
    begin_campaign(either, corpus(8), "draft", mode="reference")
    return either


def fresh(looked: AnyStore, tmp_path: Path, request: pytest.FixtureRequest) -> str | Path:
    """Return where a second store of the same kind can be."""
    if isinstance(looked, SqliteStore):
        return tmp_path / "second"
    return databases.empty(request.getfixturevalue("postgres"))


def test_a_copy_comes_back_and_every_look_is_computed_again(
    looked: AnyStore, tmp_path: Path, request: pytest.FixtureRequest
) -> None:
    archive = tmp_path / "copy.tar"
    assert backup_campaigns(looked, archive) == ()
    assert archive.stat().st_mode & 0o777 == 0o600
    with pytest.raises(DataError, match=r"copy\.tar"):  # nothing is replaced
        backup_campaigns(looked, archive)
    address, folder = fresh(looked, tmp_path, request), tmp_path / "second"
    proved = restore_campaigns(archive, address, folder=folder)
    assert {one.name: bool(one.looks) for one in proved} == {"ship": True, "draft": False}
    assert all(look.state == "same" for one in proved for look in one.looks)
    for name in ("ship.json", "ship.ledger.jsonl"):
        assert (folder / name).read_bytes() == (tmp_path / "first" / name).read_bytes()
        assert (folder / name).stat().st_mode & 0o777 == 0o600
    second = open_store(address)
    assert second.rows("ship") == looked.rows("ship")
    assert second.campaign("ship") == looked.campaign("ship")
    assert second.raters("ship") == looked.raters("ship")
    if isinstance(second, SqliteStore):
        # Its own plan, though the first one is still where it was.
        assert Path(plan_of(second, "ship").path) == folder / "ship.json"
        assert Path(second.where).stat().st_mode & 0o777 == 0o600
    second.close()
    with pytest.raises(DataError):  # nothing is replaced
        restore_campaigns(archive, address, folder=folder)


@pytest.mark.parametrize("part", ["store", "plans/ship.ledger.jsonl"])
def test_a_damaged_copy_is_refused_and_leaves_nothing(part: str, tmp_path: Path) -> None:
    archive = _copied(tmp_path)
    content = bytearray(archive.read_bytes())
    with tarfile.open(archive) as opened:
        entry = opened.getmember(part)
    content[entry.offset_data + entry.size // 2] ^= 1
    archive.write_bytes(bytes(content))
    with pytest.raises(DataError, match=f"damaged: {part} is not what was copied"):
        restore_campaigns(archive, tmp_path / "second", folder=tmp_path / "second")
    assert not (tmp_path / "second").exists()


def test_a_copy_whose_judgments_were_changed_is_not_proved(tmp_path: Path) -> None:
    """Whoever changes a score and the hashes with it is found by the looks."""
    archive = _copied(tmp_path)
    with tarfile.open(archive) as opened:
        files = {one.name: opened.extractfile(one).read() for one in opened}  # type: ignore[union-attr]
    (tmp_path / "changed.sqlite").write_bytes(files["store"])
    store = open_store(tmp_path / "changed.sqlite")
    store.run("UPDATE judgment SET score = 100 - score")
    counted = {name: _counted_rows(store, name) for name in store.names()}
    store.backup(tmp_path / "again.sqlite")
    store.close()
    files["store"] = (tmp_path / "again.sqlite").read_bytes()
    manifest = json.loads(files["manifest.json"])
    manifest["campaigns"] = counted
    manifest["files"]["store"] = hashlib.sha256(files["store"]).hexdigest()
    files["manifest.json"] = json.dumps(manifest).encode()
    archive.write_bytes(_archive(files))
    with pytest.raises(DataError, match=r"judgments|look \d|rows|Not one is left"):
        restore_campaigns(archive, tmp_path / "second", folder=tmp_path / "second")
    assert list((tmp_path / "second").iterdir()) == []


@pytest.mark.parametrize("content", [b"", b"no archive", b"\x1f\x8b" + bytes(100)])
def test_what_is_no_copy_is_refused(content: bytes, tmp_path: Path) -> None:
    (tmp_path / "x.tar").write_bytes(content)
    with pytest.raises(DataError, match=r"no copy of campaigns|cannot be read as a copy"):
        restore_campaigns(tmp_path / "x.tar", tmp_path / "second", folder=tmp_path / "second")


def test_an_archive_never_leaves_its_folder(tmp_path: Path) -> None:
    archive = _copied(tmp_path)
    with tarfile.open(archive) as opened:
        files = {one.name: opened.extractfile(one).read() for one in opened}  # type: ignore[union-attr]
    files["plans/../../evil.json"] = b"{}"
    manifest = json.loads(files["manifest.json"])
    manifest["files"]["plans/../../evil.json"] = hashlib.sha256(b"{}").hexdigest()
    files["manifest.json"] = json.dumps(manifest).encode()
    archive.write_bytes(_archive(files))
    with pytest.raises(DataError, match="is damaged"):
        restore_campaigns(archive, tmp_path / "second", folder=tmp_path / "second")
    assert not (tmp_path.parent / "evil.json").exists()


def _copied(tmp_path: Path) -> Path:
    folder = tmp_path / "first"
    folder.mkdir()
    store = open_store(folder, new=True)
    begin(
        store, folder / "ship.json", PLANTED, n_items=60, n_max=60, looks=2,
        admission={"rule": "degraded-paired-t", "pairs": 4},
        settings={"controls": 0.4, "block": 4},
    )  # fmt: skip
    judge(store, PLANTED, seed=1)
    backup_campaigns(store, tmp_path / "copy.tar")
    store.close()
    return tmp_path / "copy.tar"
