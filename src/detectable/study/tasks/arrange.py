"""Where copies stand: half a task away from their originals, and never inside a group."""

from collections.abc import Mapping, Sequence

from detectable.study.tasks.rows import Task


def arrange(groups: Sequence[Task], copies: Mapping[int, Task]) -> Task:
    """Return the blocks of a task in order, copies half of the groups away from their group.

    Parameters
    ----------
    groups : sequence of list of blocks
        What has to stay together: the systems of a sentence, or the versions of a document.
    copies : mapping of int to list of blocks
        The copies of a group, by its number. They stand after the group that is half of the
        groups further on, or before the one that is half of them back: with two groups or
        more there is always one in between.
    """
    half = len(groups) // 2
    before: dict[int, Task] = {}
    after: dict[int, Task] = {}
    for index, blocks in copies.items():
        if index + half < len(groups):
            after.setdefault(index + half, []).extend(blocks)
        else:
            before.setdefault(index - half, []).extend(blocks)
    made: Task = []
    for index, group in enumerate(groups):
        made += [*before.get(index, []), *group, *after.get(index, [])]
    return made
