"""Wei et al. (2022), number by number: python -m replications.wei2022.replicate FOLDER [REPEATS].

FOLDER holds the extracts of ShipData that archive.py names. With the 1,000 repetitions of the
paper (the default) this takes some ten minutes; with 20 a quarter of a minute, at tolerances of
four standard errors.
"""

import sys
from pathlib import Path

from replications.listed import compare_listed
from replications.wei2022 import section7, table1

REPEATS = 1000
LIST = Path(__file__).parent / "expected.toml"


def main(folder: Path, *, n_repeats: int = REPEATS) -> list[str]:
    """Print every number beside the paper's, and return what is not as expected."""
    found = table1.numbers(folder) | section7.numbers(folder, n_repeats=n_repeats)
    return compare_listed(LIST, found)


if __name__ == "__main__":
    if len(sys.argv) not in (2, 3):
        sys.exit(__doc__)
    repeats = int(sys.argv[2]) if len(sys.argv) == 3 else REPEATS
    sys.exit("\n".join(main(Path(sys.argv[1]), n_repeats=repeats)) or 0)
