"""Files for the tests of this layer: the samples, and a way to write small ones."""

from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

import pytest

from detectable.core.errors import DataError

SAMPLES = Path(__file__).parent / "samples"


def write(folder: Path, name: str, content: str | bytes) -> Path:
    """Write a small file and return its path; text is written as it stands, in UTF-8."""
    path = folder / name
    path.write_bytes(content.encode() if isinstance(content, str) else content)
    return path


@contextmanager
def fails(*parts: str) -> Iterator[None]:
    """Expect a DataError whose message holds every one of the given parts."""
    with pytest.raises(DataError) as caught:
        yield
    for part in parts:
        assert part in str(caught.value)
