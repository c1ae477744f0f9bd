"""Work that takes long: finished blocks are kept in a file, and many machines share it."""

import contextlib
import os
from collections.abc import Iterable, Iterator
from typing import TYPE_CHECKING, Any

import click
from click.core import ParameterSource

from detectable.core.errors import DataError
from detectable.core.wording import for_terminal

if TYPE_CHECKING:
    from detectable.core.checkpoint_file import CheckpointFile
    from detectable.core.scheduler import Cluster


@contextlib.contextmanager
def long_work(given: dict[str, Any], outputs: Iterable[Any]) -> Iterator[list[str]]:
    """Take ``--scheduler`` and ``--checkpoint`` out of what was typed, and open what they name.

    A command that has ``--scheduler`` gets an `executor`. Yields what is to be said in the end;
    empty until then.
    """
    said: list[str] = []
    path = given.pop("checkpoint", None)
    with contextlib.ExitStack() as stack:
        if path is not None:
            stack.enter_context(_keeping(path, outputs, said))
        if "scheduler" in given:
            address = given.pop("scheduler")
            given["executor"] = (
                None if address is None else stack.enter_context(_sent(address, said))
            )
        yield said


@contextlib.contextmanager
def _keeping(path: str, outputs: Iterable[Any], said: list[str]) -> Iterator[None]:
    if any(os.path.realpath(path) == os.path.realpath(other) for other in outputs):
        raise DataError(f"{path} can hold only one form. Give each its own file.")
    from detectable.core.checkpoint import checkpoint

    with checkpoint(path) as kept:
        try:
            yield
        except BaseException:
            if kept.taken + kept.done:
                click.echo(f"Note: {for_terminal(_left(kept))}", err=True)
            raise
        said.append(_finished(kept))


@contextlib.contextmanager
def _sent(address: str, said: list[str]) -> "Iterator[Cluster]":
    context = click.get_current_context()
    if context.get_parameter_source("n_jobs") is not ParameterSource.DEFAULT:
        raise click.UsageError("--scheduler takes the place of --jobs. Drop one of them.")
    from detectable.core.scheduler import scheduler

    with scheduler(address) as cluster:
        yield cluster
        if not cluster.done:
            said.append("Nothing was computed in blocks, so the cluster had nothing to do.")


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
