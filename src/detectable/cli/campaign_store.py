"""The store of a command about campaigns: where it is, and who opens and closes it."""

from collections.abc import Callable
from pathlib import Path
from typing import TYPE_CHECKING, TypeVar

import click

if TYPE_CHECKING:
    from detectable.data.store.open_store import AnyStore

T = TypeVar("T")

store_option = click.option(
    "--store",
    "address",
    default=".",
    show_default=True,
    help="Folder, SQLite file or postgresql://… that holds the campaigns.",
)
name_argument = click.argument("name")
plan_option = click.option(
    "--plan",
    "plan_path",
    type=click.Path(path_type=Path),
    help="Where the plan is now (default: where it was).",
)


def with_store(address: str, call: "Callable[[AnyStore], T]", *, new: bool = False) -> T:
    """Open the store, call, and close it."""
    from detectable.data.store.open_store import open_store

    store = open_store(address, new=new)
    try:
        return call(store)
    finally:
        store.close()


def user() -> str:
    """Return who types, as the machine knows it; nothing where it does not."""
    import getpass

    try:
        return getpass.getuser()
    except (KeyError, OSError):  # a user without a name, as in some containers
        return ""
