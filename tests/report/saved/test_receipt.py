"""Whether the files that a result was made from are what they were."""

import hashlib
from pathlib import Path

import pytest

from detectable.core.errors import DataError
from detectable.data.files.inputs import InputFile
from detectable.report.saved import receipt as checked
from detectable.report.saved.receipt import check_inputs, compared


def test_same_changed_and_missing(tmp_path: Path) -> None:
    (tmp_path / "a.txt").write_bytes(b"one")
    one, other = (hashlib.sha256(data).hexdigest() for data in (b"one", b"two"))
    files = [
        InputFile("a.txt", one, 1),
        InputFile("a.txt", other, 1),
        InputFile("b.txt", one, 1),
    ]
    found = check_inputs(files, tmp_path)
    assert [file.state for file in found] == ["same", "changed", "missing"]
    assert [file.sha256 for file in found] == [one, other, one]


def test_a_file_that_cannot_be_read_is_named(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    (tmp_path / "a.txt").write_bytes(b"one")

    def refuse(*_: object) -> None:
        raise PermissionError(13, "Permission denied")

    monkeypatch.setattr(checked, "open", refuse, raising=False)
    with pytest.raises(DataError, match=r"a\.txt cannot be read \(Permission denied\)"):
        check_inputs([InputFile("a.txt", "00", 1)], tmp_path)


# --- Where two files of a result hold different values ---


def content(**result: object) -> dict[str, object]:
    return {"kind": "Toy", "signature": {"method": "m", "version": "1"}, "result": result}


def test_equal_contents_have_no_difference() -> None:
    assert compared(content(a=[1, 2], b="x"), content(a=[1, 2], b="x")) == (5, [])


def test_every_place_is_named_and_numbers_say_how_far_apart() -> None:
    n, found = compared(content(a=[1, {"b": 2.0}]), content(a=[1, {"b": 1.5}]))
    assert n == 4
    [one] = found
    assert (one.where, one.kept, one.again, one.relative) == ("a.1.b", "2.0", "1.5", 0.25)


def test_the_last_bit_counts() -> None:
    [one] = compared(content(p=0.1 + 0.2), content(p=0.3))[1]
    assert one.relative is not None
    assert 0 < one.relative < 1e-15


def test_a_missing_value_and_another_type_are_differences() -> None:
    _, found = compared(content(a=1, c=[1]), content(a=1.0, b=True, c=[1, 2]))
    assert [(one.where, one.kept, one.again) for one in found] == [
        ("a", "1", "1.0"),
        ("c.1", "nothing", "2"),
        ("b", "nothing", "True"),
    ]
    assert found[2].relative is None


def test_true_is_no_number() -> None:
    [one] = compared(content(a=True), content(a=2))[1]
    assert one.relative is None


def test_zero_and_infinity_have_no_relative_distance() -> None:
    [one] = compared(content(a=0), content(a=0.0))[1]
    assert one.relative is None


def test_the_version_is_no_part_of_the_answer_but_the_settings_are() -> None:
    first, second = content(), content()
    second["signature"] = {"method": "m", "version": "2"}
    assert compared(first, second)[1] == []
    second["signature"] = {"method": "n", "version": "2"}
    assert [one.where for one in compared(first, second)[1]] == ["signature.method"]


def test_arrays_and_kinds_are_compared_and_times_are_not() -> None:
    first = content() | {"created": "1", "arrays": {"x": {"values": [1.0]}}}
    second = content() | {"created": "2", "arrays": {"x": {"values": [2.0]}}, "kind": "Other"}
    assert [one.where for one in compared(first, second)[1]] == ["kind", "arrays.x.values.0"]


def test_long_values_are_cut() -> None:
    [one] = compared(content(a="x" * 60), content(a="x" * 61))[1]
    assert one.kept == "x" * 60
    assert one.again == "x" * 59 + "…"
