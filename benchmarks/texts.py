"""The texts of the benchmarks: WMT21 Russian-English where the reference data are present."""

import os
from pathlib import Path

from detectable.data.example.bundled import example_corpus
from detectable.data.texts.corpus import Corpus
from detectable.data.texts.text_table import read_text_table

SYSTEMS = ("Online-W", "Facebook-AI", "NVIDIA-NeMo", "Online-B")


def texts() -> tuple[str, Corpus]:
    """Return four systems on 1,000 segments, or the bundled example as a small stand-in."""
    folder = os.environ.get("DETECTABLE_REFERENCE_DATA")
    if folder:
        path = Path(folder) / "data" / "wmt" / "wmt21_ruen_texts.parquet"
        table = read_text_table(path, systems=SYSTEMS, references=["A"])
        return "WMT21 ru-en", table
    bundled = example_corpus()
    runs = {
        f"{name}-{run}": lines[run] for name, lines in bundled.systems.items() for run in (0, 1)
    }
    return "bundled example", Corpus.build(runs, [str(x) for x in bundled.references[0]])
