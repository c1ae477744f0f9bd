"""Whole commands on scores of segments: a loop as comet-compare's, and evalstats."""

import tempfile
from collections.abc import Mapping
from pathlib import Path

import numpy as np

from benchmarks.commands import side_by_side
from benchmarks.installed import peer, program
from benchmarks.timing import HEADER, absent, line
from detectable.core.types import FloatArray

SYSTEMS, ITEMS, RESAMPLES = 10, 2000, "10000"
FEWER = 4, 500  # systems and items for evalstats, which prints a page on each pair
TURNS = 3


def scores(systems: int, items: int) -> dict[str, FloatArray]:
    """Return scores of the same items, every system a little better than the one before."""
    rng = np.random.default_rng(0)
    base = rng.normal(0.8, 0.1, items)
    return {f"s{k}": base + rng.normal(0.002 * k, 0.05, items) for k in range(systems)}


def main() -> None:
    print("\nscores of segments, all pairs; CPU of the process")
    print(HEADER)
    with tempfile.TemporaryDirectory() as made:
        _loop(Path(made))
        _evalstats(Path(made))


def _ours(given: list[str]) -> list[str]:
    command = [program("detectable"), "compare", *given, "--resamples", RESAMPLES]
    return [*command, "--seed", "1", "--json"]


def _loop(folder: Path) -> None:
    """Paired bootstrap and t-tests of all pairs, split by split."""
    files = {}
    for name, values in scores(SYSTEMS, ITEMS).items():
        files[name] = folder / f"{name}.txt"
        files[name].write_text("".join(f"{value}\n" for value in values))
    given = [word for name, path in files.items() for word in ("--scores", f"{name}={path}")]
    loop = [program("python"), str(Path(__file__).with_name("comet_loop.py")), RESAMPLES]
    _row("scores, 45 pairs", "loop as comet-compare", [*loop, *map(str, files.values())], given)


def _evalstats(folder: Path) -> None:
    """A table of scores, read, tested and told."""
    found = peer("evalstats")
    what = f"scores, {FEWER[0]} systems, {FEWER[1]} items"
    if found is None:
        print(absent(what, "evalstats", "pip cannot install it here", kind="whole command"))
        return
    path = folder / "scores.csv"
    rows = ["model,item,score"]
    for name, values in scores(*FEWER).items():
        rows += [f"{name},q{i:04d},{value:.6f}" for i, value in enumerate(values)]
    path.write_text("\n".join(rows) + "\n")
    own = ["system=model", "item=item", "score=score"]
    given = ["--scores", str(path), *(word for one in own for word in ("--column", one))]
    _row(what, "evalstats", [str(found / "evalstats"), "analyze", str(path)], given)


def _row(what: str, against: str, theirs: list[str], given: list[str]) -> None:
    commands: Mapping[str, list[str]] = {"peer": theirs, "ours": _ours(given)}
    found = side_by_side(commands, repeats={"peer": TURNS, "ours": TURNS})
    memory = f"{found['peer'].peak_mb:.0f} / {found['ours'].peak_mb:.0f} MB"
    costs = found["peer"].cpu, found["ours"].cpu
    note = f"median of {TURNS}; {memory}"
    print(line(what, *costs, note=note, against=against, kind="whole command"), flush=True)


if __name__ == "__main__":
    main()
