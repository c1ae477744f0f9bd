"""Work that takes long: finished blocks are kept in a file, and many machines share it."""

import contextlib
import os
from collections.abc import Iterator
from typing import TYPE_CHECKING, Any

import click

from detectable.core.errors import DataError
from detectable.core.harmless import for_terminal

if TYPE_CHECKING:
    from detectable.core.checkpoint_file import CheckpointFile


@contextlib.contextmanager
def long_work(given: dict[str, Any], outputs: list[Any]) -> Iterator["list[str]"]:
    """Take ``--checkpoint`` out of what was typed and keep blocks there while the work is done.

    Yields what is to be said about it in the end; empty until then.
    """
    said: list[str] = []
    path = given.pop("checkpoint", None)
    if path is None:
        yield said
        return
    if any(os.path.realpath(path) == os.path.realpath(other) for other in outputs):
        raise DataError(f"{path} can hold only one form. Give each its own file.")
    from detectable.core.checkpoint import checkpoint

    with checkpoint(path) as kept:
        try:
            yield said
        except BaseException:
            if kept.taken + kept.done:
                click.echo(f"Note: {for_terminal(_left(kept))}", err=True)
            raise
        said.append(_finished(kept))


def _left(kept: "CheckpointFile") -> str:
    from detectable.core.wording import count

    return (
        f"{kept.path} holds {count(kept.taken + kept.done, 'finished block')}. The same command "
        "goes on from there."
    )


def _finished(kept: "CheckpointFile") -> str:
    from detectable.core.wording import count

    if not kept.taken + kept.done:
        return f"Nothing was computed in blocks, so {kept.path} has nothing to keep."
    whole = kept.taken + kept.done
    if not kept.taken:
        return (
            f"{kept.path} holds {count(whole, 'finished block')}. Delete it when you are done."
        )
    return f"{kept.taken:,} of {count(whole, 'block')} were taken from {kept.path}."
