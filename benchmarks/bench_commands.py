"""Whole commands against sacreBLEU's own, taking turns."""

import os
import tempfile
from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from pathlib import Path

from benchmarks.commands import side_by_side
from benchmarks.installed import program
from benchmarks.timing import HEADER, line
from detectable.data.texts.text_table import read_text_table

RESAMPLES = "10000"
SEED = "12345"  # sacreBLEU's default
TURNS = 5
LONG = 1  # sacreBLEU's TER takes a minute


def main() -> None:
    folder = os.environ.get("DETECTABLE_REFERENCE_DATA")
    print(
        "\nwhole commands: 10,000 swaps, JSON; CPU of the process, sacreBLEU's command the peer"
    )
    if not folder:
        print("  needs DETECTABLE_REFERENCE_DATA: no texts of this size are bundled")
        return
    print(HEADER)
    with texts(Path(folder)) as (two, small, ten):
        row("BLEU", two, ["bleu"], 8)
        row("chrF", two, ["chrf"], 10)
        row("TER", two, ["ter"], 25, peer_turns=LONG)
        row("BLEU, chrF and TER", two, ["bleu", "chrf", "ter"], 100, peer_turns=LONG)
        row("BLEU and chrF, 10 systems", ten, ["bleu", "chrf"], 25, peer_turns=LONG)
        row("BLEU, 1,000 segments", small, ["bleu"], 4)


def row(
    name: str,
    texts: tuple[Path, Mapping[str, Path]],
    metrics: list[str],
    asked: float,
    *,
    turns: int = TURNS,
    peer_turns: int | None = None,
    fresh: bool = False,
) -> None:
    """Measure one command of each, and show them side by side."""
    theirs = turns if peer_turns is None else peer_turns
    commands = {"peer": _sacrebleu(*texts, metrics), "ours": _detectable(*texts, metrics)}
    found = side_by_side(commands, repeats={"peer": theirs, "ours": turns}, fresh=fresh)
    often = "once" if theirs == 1 else f"median of {theirs}"
    memory = f"{found['peer'].peak_mb:.0f} / {found['ours'].peak_mb:.0f} MB"
    note = f"{often}, ours median of {turns}; {memory}"
    peer, ours = found["peer"].cpu, found["ours"].cpu
    said = line(name, peer, ours, asked, note, against="sacreBLEU", kind="whole command")
    print(said, flush=True)


def _sacrebleu(refs: Path, systems: Mapping[str, Path], metrics: list[str]) -> list[str]:
    outputs = [str(path) for path in systems.values()]
    test = ["--paired-ar", "--paired-ar-n", RESAMPLES, "--format", "json"]
    return [program("sacrebleu"), str(refs), "-i", *outputs, "-m", *metrics, *test]


def _detectable(refs: Path, systems: Mapping[str, Path], metrics: list[str]) -> list[str]:
    command = [program("detectable"), "compare", "--refs", str(refs), "--json"]
    for name, path in systems.items():
        command += ["--system", f"{name}={path}"]
    for name in metrics:
        command += ["--metric", name]
    return [
        *command,
        "--baseline",
        next(iter(systems)),
        "--resamples",
        RESAMPLES,
        "--seed",
        SEED,
    ]


Texts = tuple[Path, Mapping[str, Path]]


@contextmanager
def texts(folder: Path) -> Iterator[tuple[Texts, Texts, Texts]]:
    """Give MultEval's two systems, and two and ten systems of WMT21 Russian-English, as files."""
    multeval = folder / "data" / "multeval"
    two = {name: multeval / f"hyps.lc.tok.en.{name}.opt0" for name in ("baseline", "sys1")}
    table = read_text_table(
        folder / "data" / "wmt" / "wmt21_ruen_texts.parquet", references=["A"]
    )
    with tempfile.TemporaryDirectory() as made:
        refs = _written(Path(made, "refs.txt"), table.references[0])
        wmt = {
            name: _written(Path(made, f"{number}.txt"), runs[0])
            for number, (name, runs) in enumerate(table.systems.items())
        }
        first = dict(list(wmt.items())[:2])
        ten = dict(list(wmt.items())[:10])
        yield (multeval / "refs.test2010.lc.tok.en.0", two), (refs, first), (refs, ten)


def _written(path: Path, lines: object) -> Path:
    path.write_text("".join(f"{text}\n" for text in lines), encoding="utf-8")  # type: ignore[attr-defined]
    return path


if __name__ == "__main__":
    main()
