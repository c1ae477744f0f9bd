"""Card et al. (2020), number by number: python -m replications.card2020.replicate FOLDER.

FOLDER holds the data files of github.com/dallascard/NLP-power-analysis that README.md names.
"""

import sys
from collections.abc import Sequence
from pathlib import Path

from replications.card2020 import accuracy, bleu, glue, likert, squad, survey
from replications.listed import Compared, compared, exactly, told

LIST = Path(__file__).parent / "expected.toml"


def main(folder: Path) -> list[str]:
    """Print every number beside the paper's, and return what is not as expected."""
    return told(compared_numbers(folder, likert.cells(folder)))


def compared_numbers(folder: Path, cells: Sequence[likert.Cell]) -> list[Compared]:
    """Return every number beside the paper's; `cells` are those of Figure 6."""
    found = (
        accuracy.numbers()
        | glue.numbers(folder)
        | squad.numbers(folder)
        | bleu.numbers()
        | likert.numbers(cells)
        | survey.numbers(folder)
    )
    return compared(LIST, exactly(found))


if __name__ == "__main__":
    if len(sys.argv) != 2:
        sys.exit(__doc__)
    sys.exit("\n".join(main(Path(sys.argv[1]))) or 0)
