"""Estrella et al. (2007) on public data: python -m replications.estrella2007.replicate FOLDER.

FOLDER holds the texts and judgments of WMT21 Russian-English and WMT22 Japanese-English that README.md
names. CESTA's own data are not public.
"""

import sys
import warnings
from pathlib import Path

from detectable.core.errors import DetectableWarning
from replications.estrella2007 import documents, length, table2
from replications.listed import Number, compare_listed

LIST = Path(__file__).parent / "expected.toml"


def main(folder: Path) -> list[str]:
    """Print every number beside the paper's, and return what is not as expected."""
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", DetectableWarning)
        found: dict[str, Number] = table2.numbers()
        found |= length.numbers(folder)
        found |= documents.numbers(folder)
    return compare_listed(LIST, found)


if __name__ == "__main__":
    if len(sys.argv) != 2:
        sys.exit(__doc__)
    sys.exit("\n".join(main(Path(sys.argv[1]))) or 0)
