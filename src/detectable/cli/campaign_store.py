"""The store of a command about campaigns: where it is, and who opens and closes it."""

from collections.abc import Callable
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


def with_store(address: str, call: "Callable[[AnyStore], T]", *, new: bool = False) -> T:
    """Open the store, call, and close it."""
    from detectable.data.store.open_store import open_store

    store = open_store(address, new=new)
    try:
        return call(store)
    finally:
        store.close()
