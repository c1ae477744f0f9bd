import dataclasses

import pytest

from detectable.data.loaded import Loaded


def test_loaded_holds_a_table_and_its_notes() -> None:
    loaded = Loaded([1, 2])
    assert (loaded.table, loaded.notes) == ([1, 2], ())
    with pytest.raises(dataclasses.FrozenInstanceError):
        loaded.notes = ("x",)  # type: ignore[misc]
