"""Answers of blocks as bytes: equal to the bit, and never a program."""

import dataclasses
import math
import os
import pickle
import signal
import stat
import subprocess
import sys
import time
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path
from typing import Any

import msgspec
import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from hypothesis.extra import numpy as arrays

from detectable.core import checkpoint_file
from detectable.core.checkpoint import checkpoint, current_checkpoint, no_checkpoint
from detectable.core.checkpoint_file import decoded, encoded
from detectable.core.errors import DataError, InputError
from detectable.core.execute import run_blocks
from detectable.core.interval import Interval
from detectable.core.rng import Block, blocks, resolve
from detectable.planning.search import Tally


def _same(a: Any, b: Any) -> bool:
    if type(a) is not type(b):
        return False
    if isinstance(a, np.ndarray):
        same = (a.dtype, a.shape, a.strides) == (b.dtype, b.shape, b.strides)
        return same and a.tobytes() == b.tobytes()
    if isinstance(a, list | tuple):
        return len(a) == len(b) and all(map(_same, a, b))
    if isinstance(a, dict):
        return _same(list(a.items()), list(b.items()))
    if dataclasses.is_dataclass(a):
        return all(_same(getattr(a, f.name), getattr(b, f.name)) for f in dataclasses.fields(a))
    return pickle.dumps(a) == pickle.dumps(b)


ANSWERS: list[Any] = [
    None,
    True,
    0,
    -(2**63),
    2**64,
    -(2**100),
    1.5,
    -0.0,
    math.inf,
    "wörd",
    b"bytes",
    [],
    (),
    [1, [2.0, (3, "x")]],
    {"a": 1, 2: [3]},
    np.float64(0.1),
    np.int32(7),
    np.bool_(True),
    np.array(3.0),
    np.arange(6.0).reshape(2, 3),
    np.asfortranarray(np.arange(6.0).reshape(2, 3)),
    np.empty((0, 3)),
    np.array(["a", "bcd"]),
    np.array([1 + 2j]),
    np.array([True, False]),
    np.array([1, 2], dtype=">i4"),
    Tally(10, 3, 1, 2.5),
    (np.arange(3), Tally(1, 0, 0, math.inf)),
]


@pytest.mark.parametrize("answer", ANSWERS, ids=repr)
def test_an_answer_comes_back_as_it_was(answer: object) -> None:
    assert _same(decoded(encoded(answer)), answer)


@given(
    arrays.arrays(
        arrays.scalar_dtypes().filter(lambda d: d.kind in "biufc"),
        arrays.array_shapes(min_dims=0, min_side=0),
    )
)
def test_any_array_comes_back(values: "np.ndarray[Any, Any]") -> None:
    assert _same(decoded(encoded(values)), values)


@given(
    st.recursive(
        st.none() | st.booleans() | st.integers() | st.floats(allow_nan=False) | st.text(),
        lambda inner: st.lists(inner) | st.dictionaries(st.text(), inner),
    )
)
def test_any_plain_answer_comes_back(answer: Any) -> None:
    assert _same(decoded(encoded(answer)), answer)


def test_an_array_that_comes_back_can_be_written_to() -> None:
    found = decoded(encoded(np.zeros(3)))
    found += 1.0
    assert found.tolist() == [1.0, 1.0, 1.0]


@dataclasses.dataclass
class _Foreign:
    x: int


@pytest.mark.parametrize(
    "answer",
    [_Foreign(1), {1, 2}, np.array([None]), object(), np.zeros(2, "i4,f8")],
    ids=lambda answer: type(answer).__name__,
)
def test_what_would_not_come_back_is_not_kept(answer: object) -> None:
    with pytest.raises(TypeError, match="cannot be kept"):
        encoded(answer)


@pytest.mark.parametrize(
    "written",
    [
        ["class", "subprocess", "Popen", [["list", ["touch", "x"]]]],
        ["class", "os", "system", ["true"]],
        ["class", "detectable.core.execute", "run_blocks", []],
        ["class", "detectable.core.execute", "subprocess", []],
        ["class", "detectable.planning.nowhere", "Tally", []],
        ["class", "detectable.core.interval", "Interval", [1.0]],
        ["array", "|O", [1], "C", b"12345678"],
        ["array", "<f8", [3], "C", b"12345678"],
        ["pickle", b"cos\nsystem\n"],
        [],
        [["list", []]],
    ],
    ids=repr,
)
def test_a_forged_answer_is_refused(written: Any) -> None:
    assert Interval.__module__ == "detectable.core.interval"  # loaded, so that it is found
    with pytest.raises(DataError, match="cannot be read"):
        decoded(msgspec.msgpack.encode(written))


def test_bytes_that_are_no_answer_are_refused() -> None:
    with pytest.raises(DataError, match="cannot be read"):
        decoded(b"\xc1garbage")


# --- A run that was killed goes on where it was, and no other run does ---

SCALE = np.array([1.0, 2.0])


def _draw(scale: "np.ndarray[Any, Any]", block: Block) -> "np.ndarray[Any, Any]":
    return scale * block.rng.normal(size=(block.rows, 2))


def _square(_: None, block: Block) -> float:
    return float(np.square(block.rng.normal(size=block.rows)).sum())


def _job(seed: int | None = 5, *, scale: Any = SCALE, n_jobs: int = 1, **options: Any) -> Any:
    """Draw in two steps, of 7 and of 4 blocks."""
    rng, label = resolve(seed)
    first = run_blocks(_draw, scale, blocks(25, rng, size=4), n_jobs=n_jobs, **options)
    second = run_blocks(_square, None, blocks(4, rng, size=1), n_jobs=n_jobs, step="squares")
    return np.concatenate(first).tolist(), second, label


@pytest.fixture
def path(tmp_path: Path) -> Path:
    return tmp_path / "night.blocks"


def _run(path: Path, *args: Any, **options: Any) -> tuple[Any, int, int]:
    with checkpoint(path) as kept:
        found = _job(*args, **options)
    return found, kept.taken, kept.done


def _ends(content: bytes) -> list[int]:
    """Return where the records of a file end."""
    at = len(checkpoint_file._MAGIC)
    ends = []
    while at < len(content):
        length = checkpoint_file._HEAD.unpack_from(content, at)[2]
        at += checkpoint_file._HEAD.size + length + checkpoint_file._SUM.size
        ends.append(at)
    return ends


def test_a_second_run_takes_all_from_the_file(path: Path) -> None:
    plain = _job()
    assert _run(path) == (plain, 0, 11)
    content = path.read_bytes()
    assert _run(path) == (plain, 11, 0)
    assert path.read_bytes() == content


def test_cut_anywhere_the_rest_is_done_again(path: Path) -> None:
    plain, _, _ = _run(path)
    whole = path.read_bytes()
    ends = [0, len(checkpoint_file._MAGIC), *_ends(whole)]
    assert len(ends) == 2 + 1 + 2 + 11  # versions, two steps, eleven blocks
    known = set()
    for end in ends:
        for cut in {max(end - 3, 0), end, min(end + 5, len(whole))}:
            path.write_bytes(whole[:cut])
            found, taken, done = _run(path)
            assert found == plain
            assert taken + done == 11
            known.add(taken)
            assert path.read_bytes() == whole
    assert known == set(range(12))


def test_garbage_at_the_end_is_cut_off(path: Path) -> None:
    plain, _, _ = _run(path)
    whole = path.read_bytes()
    end = _ends(whole)[6]
    for garbage in (b"garbage", b"\0" * 100, whole[end + 1 : end + 60]):
        path.write_bytes(whole[:end] + garbage)
        found, taken, _ = _run(path)
        assert (found, taken) == (plain, 5)
        assert path.read_bytes() == whole


def test_a_flipped_bit_is_noticed(path: Path) -> None:
    plain, _, _ = _run(path)
    whole = bytearray(path.read_bytes())
    whole[_ends(bytes(whole))[4] - 10] ^= 1
    path.write_bytes(whole)
    found, taken, _ = _run(path)
    assert (found, taken) == (plain, 2)


def test_processes_and_executors_keep_the_same(path: Path, tmp_path: Path) -> None:
    plain, _, _ = _run(path)
    assert _run(tmp_path / "two", n_jobs=2) == (plain, 0, 11)
    with ThreadPoolExecutor(2) as pool:
        assert _run(tmp_path / "pool", executor=pool) == (plain, 0, 11)
    assert _run(tmp_path / "two") == (plain, 11, 0)
    assert _run(path, n_jobs=2) == (plain, 11, 0)


def test_a_seed_that_was_drawn_is_drawn_again(path: Path) -> None:
    first, _, _ = _run(path, None)
    path.write_bytes(path.read_bytes()[:-20])
    again, taken, _ = _run(path, None)
    assert again == first == _job(int(first[2]))
    assert taken == 10


def test_without_a_file_every_fresh_seed_is_fresh() -> None:
    assert _job(None)[2] != _job(None)[2]


@pytest.mark.parametrize(
    ("first", "second", "why"),
    [
        ({}, {"seed": 6}, "“resampling” belongs to another: its data, settings, seed or prog"),
        ({}, {"scale": np.array([1.0, 2.5])}, "its data, settings, seed or program differ"),
        ({"seed": None}, {"seed": 6}, "no seed was given then, and one is now"),
        ({}, {"seed": None}, "a seed was given then, and none is now"),
    ],
)
def test_another_job_is_refused_and_the_file_kept(
    path: Path, first: dict[str, Any], second: dict[str, Any], why: str
) -> None:
    _run(path, **first)
    path.write_bytes(path.read_bytes() + b"torn")
    content = path.read_bytes()
    with pytest.raises(DataError, match=rf"`checkpoint` must be a new file or one of.*{why}"):
        _run(path, **second)
    assert path.read_bytes() == content


def test_another_step_is_refused(path: Path) -> None:
    with checkpoint(path):
        run_blocks(_square, None, blocks(4, np.random.default_rng(1), size=1))
    with checkpoint(path), pytest.raises(DataError, match="the step “resampling” belongs"):
        run_blocks(_square, None, blocks(5, np.random.default_rng(1), size=1))
    with checkpoint(path), pytest.raises(DataError, match="the step “resampling” belongs"):
        run_blocks(_square, None, blocks(4, np.random.default_rng(1), size=1), step="other")


@pytest.mark.parametrize("attribute", ["VERSION", "np.__version__"])
def test_another_version_is_refused(
    path: Path, monkeypatch: pytest.MonkeyPatch, attribute: str
) -> None:
    _run(path)
    monkeypatch.setattr(f"detectable.core.checkpoint_file.{attribute}", "0.0.1")
    with pytest.raises(DataError, match=r"of the same versions; got .*and this is .*0\.0\.1"):
        _run(path)


@pytest.mark.parametrize("content", [b"a,b\n1,2\n", b"detectable checkpoint 2\n", b"\0" * 99])
def test_a_file_that_is_no_checkpoint_is_refused_and_kept(path: Path, content: bytes) -> None:
    path.write_bytes(content)
    with pytest.raises(DataError, match=r"is no checkpoint\. Name another file"):
        _run(path)
    assert path.read_bytes() == content


def test_an_empty_file_is_a_new_one(path: Path) -> None:
    path.touch()
    assert _run(path) == (_job(), 0, 11)


def test_a_record_that_says_nonsense_is_refused(path: Path) -> None:
    _run(path, None)
    content = path.read_bytes()
    end = _ends(content)[0]
    path.write_bytes(content[:end] + checkpoint_file._whole(b"S", 0, b"seed"))
    with pytest.raises(DataError, match="cannot be read: invalid literal"):
        _run(path, None)


def test_nothing_is_written_where_nothing_is_computed_in_blocks(path: Path) -> None:
    with checkpoint(path):
        resolve(None)
        run_blocks(_square, None, [])
    assert not path.exists()


def test_places_where_no_file_can_be_are_refused(tmp_path: Path) -> None:
    with pytest.raises(DataError, match=r"there is no folder .*gone\. Make it"):
        _run(tmp_path / "gone" / "x")
    with pytest.raises(DataError, match="it is a folder"):
        _run(tmp_path)
    with pytest.raises(DataError, match="a device or a pipe"):
        _run(Path("/dev/null"))


@pytest.mark.skipif(os.geteuid() == 0, reason="root may write everywhere")
def test_a_file_that_may_not_be_written_is_refused(path: Path) -> None:
    path.write_bytes(b"")
    path.chmod(stat.S_IRUSR)
    with pytest.raises(DataError, match="cannot be opened: Permission denied"):
        _run(path)


def test_a_full_disk_is_said(path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    def full(_: int) -> None:
        raise OSError(28, "No space left on device")

    monkeypatch.setattr(os, "fsync", full)
    with pytest.raises(DataError, match="cannot be written: No space left on device"):
        _run(path)


def test_two_runs_cannot_share_a_file(path: Path) -> None:
    with checkpoint(path):
        _job()
        with pytest.raises(DataError, match="which another run is writing to"):
            _run(path)


def test_two_runs_cannot_make_the_same_file(path: Path) -> None:
    with checkpoint(path):
        path.write_bytes(b"")
        with pytest.raises(DataError, match="was made by another run just now"):
            _job()


def _nested(_: None, block: Block) -> tuple[bool, float]:
    """Work in blocks within a block, as a calibration does."""
    inner = run_blocks(_square, None, blocks(8, block.rng, size=4))
    label = resolve(None)[1]
    return current_checkpoint() is None and label != "", sum(inner)


def test_blocks_within_blocks_are_kept_as_a_part_of_them(path: Path) -> None:
    plain = run_blocks(_nested, None, blocks(3, np.random.default_rng(2), size=1))
    for taken in (0, 3):
        with checkpoint(path) as kept:
            found = run_blocks(_nested, None, blocks(3, np.random.default_rng(2), size=1))
        assert found == plain
        assert (kept.taken, kept.done) == (taken, 3 - taken)
    assert all(alone for alone, _ in plain)


def test_a_checkpoint_ends_with_its_block(path: Path) -> None:
    with checkpoint(path) as kept:
        assert current_checkpoint() is kept
        with no_checkpoint():
            assert current_checkpoint() is None
        assert current_checkpoint() is kept
    assert current_checkpoint() is None


def test_progress_begins_with_what_is_there(path: Path) -> None:
    _run(path)
    path.write_bytes(path.read_bytes()[: _ends(path.read_bytes())[4]])
    seen: list[tuple[str, int, int | None]] = []
    _run(path, progress=lambda *x: seen.append(x))
    assert [done for _, done, _ in seen] == [3, 4, 5, 6, 7]


def _fails(_: None, block: Block) -> int:
    if block.rows == 1:
        raise InputError("block of one")
    return block.rows


def test_an_error_leaves_what_was_finished(path: Path) -> None:
    for taken in (0, 6):
        with checkpoint(path) as kept, pytest.raises(InputError, match="block of one"):
            run_blocks(_fails, None, blocks(25, np.random.default_rng(1), size=4))
        assert kept.taken == taken


# Killed for good

_KILLED = """
import json, sys, time
import numpy as np
from detectable.core.checkpoint import checkpoint
from detectable.core.execute import run_blocks
from detectable.core.rng import blocks, resolve

def slow(scale, block):
    time.sleep(0.02)
    return scale * block.rng.normal(size=(block.rows, 3))

def quick(scale, block):
    return {"sum": block.rng.random() * scale, "rows": block.rows}

if __name__ == "__main__":
    path, n_jobs = sys.argv[1], int(sys.argv[2])
    with checkpoint(path) as kept:
        rng, seed = resolve(None)
        first = run_blocks(slow, 2.5, blocks(60, rng, size=2), n_jobs=n_jobs)
        second = run_blocks(quick, 0.1, blocks(5, rng, size=1), n_jobs=n_jobs)
    print(json.dumps([np.concatenate(first).tolist(), second, seed]))
    print(kept.taken, file=sys.stderr)
"""


@pytest.mark.alone
@pytest.mark.parametrize("n_jobs", [1, 2])
def test_a_run_killed_at_several_moments_gives_the_answer_of_one_that_was_not(
    tmp_path: Path, n_jobs: int
) -> None:
    program, kept = tmp_path / "killed.py", tmp_path / "blocks"
    program.write_text(_KILLED)
    words = [sys.executable, str(program), str(kept), str(n_jobs)]
    grown = 0
    for more in (150, 900, 1200):  # bytes: at the first block, later, later still
        started = subprocess.Popen(words, stdout=subprocess.PIPE, stderr=subprocess.DEVNULL)
        until = time.monotonic() + 60
        while not kept.exists() or kept.stat().st_size < grown + more:
            assert time.monotonic() < until
            assert started.poll() is None, "it was done before it could be killed"
            time.sleep(0.002)
        started.send_signal(signal.SIGKILL)
        assert started.communicate()[0] == b""
        grown = kept.stat().st_size
    with kept.open("ab") as file:
        file.write(b"\x01torn")
    killed = subprocess.run(words, capture_output=True, text=True, check=True)
    assert 10 <= int(killed.stderr) < 35
    whole = subprocess.run(words, capture_output=True, text=True, check=True)
    assert int(whole.stderr) == 35
    assert whole.stdout == killed.stdout
    kept.unlink()
    # The same seed without any kill, from the beginning.
    names: dict[str, Any] = {"__name__": "killed"}
    exec(_KILLED, names)
    rng, seed = resolve(int(killed.stdout.split('"')[-2]))
    first = run_blocks(names["slow"], 2.5, blocks(60, rng, size=2))
    second = run_blocks(names["quick"], 0.1, blocks(5, rng, size=1))
    expected = names["json"].dumps([np.concatenate(first).tolist(), second, seed])
    assert killed.stdout.strip() == expected
