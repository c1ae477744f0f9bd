"""Blocks that are done are kept in a file, so that a run which was killed goes on where it was."""

import contextlib
from collections.abc import Iterator
from contextvars import ContextVar
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from detectable.core.checkpoint_file import CheckpointFile
    from detectable.core.write import Target

_current: "ContextVar[CheckpointFile | None]" = ContextVar("checkpoint", default=None)


@contextlib.contextmanager
def checkpoint(path: "Target") -> "Iterator[CheckpointFile]":
    """Keep every block of random draws that is finished in here, and take those that are there.

    A long analysis is computed in blocks. In here each finished one goes to the file at once. Run
    the same program again after a crash: what stands in the file is not computed again, and the
    answer is the same to the bit. With ``rng=None`` the seed that was drawn is in the file too.

    A file of another job is refused: other data, settings, seed or code, in another order, or
    another version of this package or of numpy. It is never overwritten. Delete it when you have
    what you want.

    Parameters
    ----------
    path : path
        The file; made when the first block begins.

    Returns
    -------
    CheckpointFile
        Whose `taken` and `done` count the blocks that came from the file and those computed.

    Examples
    --------
    >>> import detectable as dt, pathlib, tempfile
    >>> night = pathlib.Path(tempfile.mkdtemp()) / "night.blocks"
    >>> rows = [[1.0, 2.0], [0.5, 2.5], [3.0, -1.0], [2.0, 1.0]] * 8
    >>> for _ in range(2):
    ...     with dt.checkpoint(night) as kept:
    ...         found = dt.paired_permutation(rows, n_resamples=3000)
    ...     kept.done, kept.taken, found.signature.seed == str(kept.seeds[0])
    (3, 0, True)
    (0, 3, True)
    """
    from detectable.core.checkpoint_file import CheckpointFile

    with CheckpointFile.opened(path) as kept:
        token = _current.set(kept)
        try:
            yield kept
        finally:
            _current.reset(token)


def current_checkpoint() -> "CheckpointFile | None":
    """Return the file of the analysis that is running, if it has one."""
    return _current.get()


@contextlib.contextmanager
def no_checkpoint() -> Iterator[None]:
    """Keep nothing in here: what a block computes is kept with the block, as a whole."""
    token = _current.set(None)
    try:
        yield
    finally:
        _current.reset(token)
