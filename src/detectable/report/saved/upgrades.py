"""Formats of result files, and how a file of an older one becomes one of the next."""

from collections.abc import Callable, Mapping
from typing import Any, TypeAlias

Content: TypeAlias = dict[str, Any]
Upgrade: TypeAlias = Callable[[Content], Content]

SCHEMA = 1
# From each older format the step to the next: {1: upgrade_1_to_2}. A step takes the whole content
# of a file and returns it; results that did not change pass through.
UPGRADES: Mapping[int, Upgrade] = {}


def upgraded(content: Content) -> Content:
    """Return the content of a file in the format of this version, one step after another."""
    for schema in range(content["schema"], SCHEMA):
        content = {**UPGRADES[schema](content), "schema": schema + 1}
    return content
