"""What is wrong with a file, and where in it."""

from typing import Any

from detectable.data.files.place import quote


class Damaged(Exception):
    """A value that stands where another kind of value must stand."""

    def __init__(self, where: str, needed: str, found: Any) -> None:
        super().__init__(f"`{where}` must be {needed}; got {quote(found)}")
