"""Open the store that an address names."""

from pathlib import Path
from typing import TypeAlias

from detectable.core.errors import DataError
from detectable.data.store.postgres_store import PostgresStore
from detectable.data.store.sqlite_store import SqliteStore

_POSTGRES = ("postgresql://", "postgres://")
FILE_NAME = "campaigns.sqlite"
AnyStore: TypeAlias = SqliteStore | PostgresStore


def open_store(address: str | Path, *, new: bool = False, read_only: bool = False) -> AnyStore:
    """Open a store: a file, a folder that holds one, or ``postgresql://…``.

    Parameters
    ----------
    address : str or path
        A folder stands for ``campaigns.sqlite`` in it.
    new : bool
        Whether a file that is not there may be made, and its folder, which has no ending.
    read_only : bool
        Whether nothing may be written, not even a newer schema.
    """
    if str(address).startswith(_POSTGRES):
        return PostgresStore(str(address), new=new, read_only=read_only)
    if "://" in str(address) or "password=" in str(address):
        raise DataError(
            "the store is no file, no folder and no postgresql://…; it is not shown, since it may "
            "hold a password. Write postgresql://USER:PASSWORD@HOST:PORT/NAME."
        )
    path = Path(address)
    if new and not path.suffix and not path.exists() and path.parent.is_dir():
        path.mkdir()
    if path.is_dir():
        path = path / FILE_NAME
    # One that was killed while it made a store may have left an empty file.
    if not new and not (path.exists() and (path.stat().st_size or not path.is_file())):
        raise DataError(
            f"{path}: there is no store of campaigns here. Make a campaign first "
            "(detectable campaign new)."
        )
    if not path.parent.is_dir():
        raise DataError(f"{path}: the folder {path.parent} is not there.")
    return SqliteStore(path, read_only=read_only)
