"""Estrella et al. (2007) on public data: python -m replications.estrella2007.replicate FOLDER.

FOLDER holds the texts and judgments of WMT21 Russian-English and WMT22 Japanese-English that README.md
names. CESTA's own data are not public.
"""

import sys
import warnings
from collections.abc import Sequence
from pathlib import Path
from typing import NamedTuple

from detectable.core.errors import DetectableWarning
from detectable.study.reliability.result import Reliability
from replications.estrella2007 import documents, length, table2
from replications.estrella2007.campaigns import CAMPAIGNS, Campaign
from replications.listed import Compared, compared, told

LIST = Path(__file__).parent / "expected.toml"


class Studies(NamedTuple):
    """Both campaigns, in documents of CESTA's length and in their own; the first in random order too."""

    long: dict[str, Reliability]
    own: dict[str, Reliability]
    random: dict[str, Reliability]


def main(folder: Path) -> list[str]:
    """Print every number beside the paper's, and return what is not as expected."""
    return told(compared_numbers(studies(folder)))


def studies(folder: Path, campaigns: Sequence[Campaign] = CAMPAIGNS) -> Studies:
    """Run the studies."""
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", DetectableWarning)
        long, own = (part.studied(folder, campaigns) for part in (length, documents))
        random = length.studied(folder, campaigns, order="random")
    return Studies(long, own, random)


def compared_numbers(found: Studies) -> list[Compared]:
    """Return every number beside the paper's."""
    ours = table2.numbers() | length.numbers(found.long) | documents.numbers(found.own)
    return compared(LIST, ours)


if __name__ == "__main__":
    if len(sys.argv) != 2:
        sys.exit(__doc__)
    sys.exit("\n".join(main(Path(sys.argv[1]))) or 0)
