"""Large files, read and scored block by block, give the answers of small ones."""

import random
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from detectable.core.errors import DataError, SuspiciousDataWarning
from detectable.data.files import lines as long_lines
from detectable.data.files.lines import LongLines
from detectable.data.texts import inspect_corpus
from detectable.data.texts.corpus import Corpus
from detectable.data.texts.read_corpus import read_corpus
from detectable.metrics import base
from detectable.metrics import encode as in_blocks
from detectable.study.comparison import segments as contrasts
from detectable.study.comparison.compare import compare

N = 130
WORDS = ["the", "Cat", "sat", "on", "a", "mat", ",", "and", "then", "it", "did", "not", "."]


@pytest.fixture(scope="module")
def folder(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """Write references, sources, documents, and two systems with two runs each."""
    place = tmp_path_factory.mktemp("texts")
    rng = random.Random(5)
    lines = [rng.choices(WORDS, k=rng.randint(1, 14)) for _ in range(N)]
    shares = {"ref": 0.0, "src": 0.9, "a1": 0.3, "a2": 0.35, "b1": 0.4, "b2": 0.38, "ref2": 0.2}
    for name, share in shares.items():
        changed = [
            [w if rng.random() >= share else rng.choice(WORDS) for w in x] for x in lines
        ]
        (place / name).write_text("".join(" ".join(x) + "\n" for x in changed))
    # One document goes on after others: what is cut by blocks is joined.
    documents = [f"news\td{0 if i > 120 else i // 5}" for i in range(N)]
    (place / "docs").write_text("\n".join(documents) + "\n")
    return place


def corpus(folder: Path, **more: Path) -> Corpus:
    return read_corpus(
        {"A": [folder / "a1", folder / "a2"], "B": [folder / "b1", folder / "b2"]},
        [folder / "ref", folder / "ref2"],
        sources=folder / "src",
        **more,
    )


def make_large(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(long_lines, "LARGE", 0)
    monkeypatch.setattr(long_lines, "_STEP", 16)
    monkeypatch.setattr(inspect_corpus, "_BLOCK", 11)
    monkeypatch.setattr(in_blocks, "LARGE", 20)
    monkeypatch.setattr(in_blocks, "_BLOCK_LINES", 80)
    monkeypatch.setattr(in_blocks, "_FEWEST", 3)
    monkeypatch.setattr(base, "_ROWS", 32)
    monkeypatch.setattr(contrasts, "_SWAPS", 32)


def answers(data: Corpus, **options: Any) -> dict[str, Any]:
    with pytest.warns(SuspiciousDataWarning) as said:
        found = compare(data, ("bleu", "chrf", "ter", "nist"), rng=3, **options).to_dict()
    # Each once, as a terminal shows them: without kernels every part says that TER is slow.
    return {**found, "warnings": list(dict.fromkeys(str(one.message) for one in said))}


@pytest.mark.parametrize(
    "options",
    [
        {"n_resamples": 1_200},
        {"n_resamples": 1_200, "unit": "segment", "runs": "fixed"},
        {"n_resamples": 300, "test": "bootstrap"},
        {"n_resamples": 300, "compat": "multeval"},
    ],
    ids=["runs", "segments", "bootstrap", "multeval"],
)
@pytest.mark.parametrize("documents", [False, True])
@pytest.mark.filterwarnings("ignore::detectable.core.errors.CompatibilityWarning")
def test_large_files_give_the_same_answers(
    folder: Path,
    options: dict[str, Any],
    documents: bool,
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    more = {"documents": folder / "docs"} if documents else {}
    held = answers(corpus(folder, **more), **options)
    make_large(monkeypatch)
    data = corpus(folder, **more)
    assert isinstance(data.references[0], LongLines)
    assert all(isinstance(run, LongLines) for runs in data.systems.values() for run in runs)
    _same(answers(data, **options), held)


def _same(found: Any, expected: Any, path: str = "") -> None:
    """Words, scores and p-values to the bit; what comes from standard errors to 1e-12."""
    if isinstance(expected, dict):
        assert found.keys() == expected.keys()
        for key, value in expected.items():
            _same(found[key], value, f"{path}.{key}")
    elif isinstance(expected, list | tuple):
        assert len(found) == len(expected), path
        for one, other in zip(found, expected, strict=True):
            _same(one, other, path)
    elif isinstance(expected, float) and not _exact(path):
        assert found == pytest.approx(expected, rel=1e-12, abs=1e-13, nan_ok=True), path
    else:
        assert found == expected or (found != found and expected != expected), path


def _exact(path: str) -> bool:
    return path.endswith((".score", ".difference", ".p_value", ".p_adjusted", ".contribution"))


def test_whole_numbers_are_tested_as_such(
    folder: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    make_large(monkeypatch)
    from detectable.core.types import silent
    from detectable.metrics.registry import metric
    from detectable.study.comparison.measure import measure

    data = corpus(folder)
    kinds = {
        compact: measure(data, (metric("bleu"),), unit="auto", progress=silent, compact=compact)
        .segments[0]
        .statistics.dtype
        for compact in (True, False)
    }
    assert kinds == {True: np.int16, False: np.float64}


def test_lines_that_were_lost_are_named_alike(
    folder: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    short = tmp_path / "short"
    short.write_text("".join((folder / "a1").read_text().splitlines(keepends=True)[:100]))

    def message() -> str:
        with pytest.raises(DataError) as raised:
            read_corpus({"A": folder / "a1", "B": short}, [folder / "ref"])
        return str(raised.value)

    held = message()
    assert "has 100 lines" in held
    assert "Line 101 of" in held
    make_large(monkeypatch)
    assert message() == held


def test_cutting_and_choosing_segments_agree(
    folder: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    held = corpus(folder, documents=folder / "docs")
    make_large(monkeypatch)
    large = corpus(folder, documents=folder / "docs")
    assert large.part(30, 47) == held.part(30, 47) == held.select(range(30, 47))
    assert large.select([99, 3, 3]) == held.select([99, 3, 3])
    assert large.n_segments == N
    flat = Corpus.build({"A": large.output("A")}, large.output("B"))
    assert flat.output("A") == held.output("A")
