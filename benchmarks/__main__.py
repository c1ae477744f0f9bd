"""Run the benchmarks, and show what they found as one table: ``make bench``.

    python -m benchmarks                   all of them; what was measured with this code is kept
    python -m benchmarks startup memory    these again
    python -m benchmarks --again           all of them again

It takes about an hour of CPU. Every section runs in a process of its own and is kept when it ends,
so a run that was stopped goes on where it was. ``python scripts/make_performance.py`` writes what
was found into docs/performance.md and the README.
"""

import subprocess
import sys

from benchmarks.results import is_current, kept, table
from benchmarks.sections import SECTIONS


def main(words: list[str]) -> int:
    """Run what is asked for; return how many sections failed."""
    again = "--again" in words
    asked = [word for word in words if word != "--again"]
    for name in asked:
        if name not in SECTIONS:
            print(f"there is no section {name!r}; there are {', '.join(SECTIONS)}")
            return 2
    failed = []
    for name in asked or SECTIONS:
        if is_current(kept(name)) and not (asked or again):
            print(f"{name}: measured already with this code", flush=True)
            continue
        done = subprocess.run([sys.executable, "-m", "benchmarks.section", name], check=False)
        if done.returncode:
            failed.append(name)
    found = [one for one in map(kept, SECTIONS) if one is not None]
    print(f"\n{table(found)}")
    old = [one.section for one in found if not is_current(one)]
    if old:
        print(f"\nmeasured with other code: {', '.join(old)}")
    if failed:
        print(f"\nfailed: {', '.join(failed)}")
    return len(failed)


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
