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


# Names that other packages add


class Entry:
    """What `importlib.metadata` knows of one name of an installed package."""

    def __init__(self, name: str, value: int) -> None:
        self.name, self._value = name, value

    def load(self) -> int:
        return self._value


@pytest.fixture
def installed(monkeypatch: pytest.MonkeyPatch) -> Registry[int]:
    """Return a registry with two names of its own and three of other packages, one of them taken."""
    entries = [Entry("zwei", 22), Entry("drei", 3), Entry("one", 99), Entry("drei", 33)]

    def entry_points(*, group: str, name: str | None = None) -> list[Entry]:
        assert group == "detectable.test-numbers"
        return [entry for entry in entries if name in (None, entry.name)]

    monkeypatch.setattr("detectable.core.registry.entry_points", entry_points)
    registry: Registry[int] = Registry("number", "detectable.test-numbers")
    registry.register("two", lambda: 2)
    registry.register("one", lambda: 1)
    return registry


def test_names_of_other_packages_follow_in_alphabetical_order(installed: Registry[int]) -> None:
    assert installed.names() == ("two", "one", "drei", "zwei")


def test_names_of_other_packages_are_found(installed: Registry[int]) -> None:
    assert installed.get("zwei") == 22
    assert installed.get("drei") == 3  # of two packages with one name, the first


def test_our_own_name_goes_first(installed: Registry[int]) -> None:
    assert installed.get("one") == 1


def test_a_suggestion_may_come_from_another_package(installed: Registry[int]) -> None:
    with pytest.raises(InputError, match=r"no number named 'zweu'\. Did you mean 'zwei'\?"):
        installed.get("zweu")


def test_a_name_like_no_other_gets_the_list(installed: Registry[int]) -> None:
    wanted = r"^no number named 'xyz'\. Known: two, one, drei, zwei\.$"
    with pytest.raises(InputError, match=wanted):
        installed.get("xyz")
