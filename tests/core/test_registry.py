"""Named things."""

from collections.abc import Callable

import pytest

from detectable.core.errors import InputError
from detectable.core.registry import Registry


def test_names_load_lazily_and_only_when_asked() -> None:
    registry: Registry[int] = Registry("number", "detectable.test-numbers")
    loaded: list[int] = []

    def loader(value: int) -> Callable[[], int]:
        def load() -> int:
            loaded.append(value)
            return value

        return load

    registry.register("one", loader(1))
    registry.register("two", loader(2))
    assert registry.names() == ("one", "two")
    assert registry.get("two") == 2
    assert loaded == [2]


def test_a_wrong_name_gets_a_suggestion() -> None:
    registry: Registry[int] = Registry("number", "detectable.test-numbers")
    registry.register("seven", lambda: 7)
    with pytest.raises(InputError, match=r"no number named 'sven'\. Did you mean 'seven'"):
        registry.get("sven")


def test_a_name_cannot_be_taken_twice() -> None:
    registry: Registry[int] = Registry("number", "detectable.test-numbers")
    registry.register("one", lambda: 1)
    with pytest.raises(InputError, match="number 'one' is registered twice"):
        registry.register("one", lambda: 2)
