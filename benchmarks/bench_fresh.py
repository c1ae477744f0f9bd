"""Whole commands in a fresh container, where Python has to compile all that it loads, against sacreBLEU's."""

import os
from pathlib import Path

from benchmarks.bench_commands import LONG, row, texts
from benchmarks.timing import HEADER

TURNS = 9  # most of it is reading many small files, which varies more than computing


def main() -> None:
    folder = os.environ.get("DETECTABLE_REFERENCE_DATA")
    print("\nwhole commands without any .pyc file; CPU of the process, sacreBLEU's the peer")
    if not folder:
        print("  needs DETECTABLE_REFERENCE_DATA: no texts of this size are bundled")
        return
    print(HEADER)
    with texts(Path(folder)) as (two, _, _):
        row("BLEU, no .pyc file", two, ["bleu"], 4, turns=TURNS, fresh=True)
        row("chrF, no .pyc file", two, ["chrf"], 4, turns=TURNS, fresh=True)
        row("TER, no .pyc file", two, ["ter"], 25, turns=TURNS, peer_turns=LONG, fresh=True)


if __name__ == "__main__":
    main()
