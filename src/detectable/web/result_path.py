"""Where conclusions are kept for their reports."""

from pathlib import Path


def result_path(folder: Path, name: str) -> Path:
    """Return where the conclusion of a campaign is kept whole."""
    return folder / f"{name}.result.json"
