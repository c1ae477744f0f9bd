"""The documents of an mt-metrics-eval test set."""

import os
from pathlib import Path

from detectable.core.errors import DataError
from detectable.core.wording import count
from detectable.data.files.place import place, quote
from detectable.data.files.read_lines import read_lines


def mtme_documents(root: Path, language_pair: str, size: int) -> list[tuple[str, str]] | None:
    """Return domain and document of every segment; None where the folder does not name them."""
    path = root / "documents" / f"{language_pair}.docs"
    if not os.path.exists(path):
        return None
    lines = read_lines(path)
    if len(lines) != size:
        raise DataError(
            f"{path}: {count(len(lines), 'line')} for {count(size, 'segment')}. The file must "
            "name the document of every segment."
        )
    rows = []
    for number, line in enumerate(lines, start=1):
        fields = line.split()
        if len(fields) < 2:
            raise DataError(
                f"{place(path, number)}: expected a domain and a document, found {quote(line)}."
            )
        rows.append((fields[0], fields[1]))
    return rows
