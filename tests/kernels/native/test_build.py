"""The build: compiled where there is a compiler, pure where there is none, and never stale."""

import importlib.util
import sys
from pathlib import Path
from types import ModuleType
from typing import Any

import pytest

from tests.helpers import require

ROOT = Path(__file__).parents[3]


@pytest.fixture
def hook(monkeypatch: pytest.MonkeyPatch) -> ModuleType:
    # hatchling is there while a wheel is built, and need not be here.
    for name in ("", ".builders", ".builders.hooks", ".builders.hooks.plugin"):
        monkeypatch.setitem(sys.modules, f"hatchling{name}", ModuleType("package"))
    interface = ModuleType("interface")
    interface.BuildHookInterface = object  # type: ignore[attr-defined]
    monkeypatch.setitem(sys.modules, "hatchling.builders.hooks.plugin.interface", interface)
    spec = importlib.util.spec_from_file_location("hatch_build", ROOT / "hatch_build.py")
    assert spec is not None
    assert spec.loader is not None
    module = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(module)
    return module


class App:
    def __init__(self) -> None:
        self.said: list[str] = []

    def display_info(self, text: str) -> None:
        self.said.append(text)

    display_warning = display_info


def initialized(hook: ModuleType, root: Path) -> tuple[dict[str, Any], list[str]]:
    built = hook.CustomBuildHook()
    built.root, built.app = str(root), App()
    data: dict[str, Any] = {"artifacts": []}
    built.initialize("standard", data)
    return data, built.app.said


@pytest.fixture
def tree(tmp_path: Path, hook: ModuleType) -> Path:
    folder = tmp_path / hook.NATIVE
    folder.mkdir(parents=True)
    (folder / "one.c").write_text("int one(void) { return 1; }\n")
    (folder / hook.LIBRARY).write_text("of an older source")
    return tmp_path


def test_with_a_compiler_the_wheel_is_for_this_platform_and_every_python(
    hook: ModuleType, tree: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.delenv("DETECTABLE_NATIVE", raising=False)
    data, said = initialized(hook, tree)
    if said:
        require("native", said[0])
    assert data["tag"].startswith("py3-none-")
    assert data["pure_python"] is False
    assert data["artifacts"] == [str(hook.NATIVE / hook.LIBRARY)]
    assert (tree / hook.NATIVE / hook.LIBRARY).stat().st_size > 1000
    assert sorted(path.name for path in (tree / hook.NATIVE).iterdir()) == sorted(
        [hook.LIBRARY, "one.c"]
    )


@pytest.mark.parametrize(
    ("name", "text", "said"),
    [
        ("CC", "no-such-compiler", "there is no compiler 'no-such-compiler'"),
        ("DETECTABLE_NATIVE", "0", "DETECTABLE_NATIVE is 0"),
    ],
)
def test_without_one_the_wheel_is_pure_and_nothing_old_stays(
    hook: ModuleType,
    tree: Path,
    monkeypatch: pytest.MonkeyPatch,
    name: str,
    text: str,
    said: str,
) -> None:
    monkeypatch.delenv("DETECTABLE_NATIVE", raising=False)
    monkeypatch.setenv(name, text)
    data, heard = initialized(hook, tree)
    assert data == {"artifacts": []}
    assert not (tree / hook.NATIVE / hook.LIBRARY).exists()
    assert said in heard[0]


def test_what_the_compiler_says_is_passed_on(
    hook: ModuleType, tree: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.delenv("DETECTABLE_NATIVE", raising=False)
    (tree / hook.NATIVE / "two.c").write_text("this is not C\n")
    _, heard = initialized(hook, tree)
    if "there is no compiler" in heard[0]:
        require("native", heard[0])
    assert "two.c" in heard[0]


def test_a_release_is_never_pure_by_mistake(
    hook: ModuleType, tree: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("DETECTABLE_NATIVE", "1")
    monkeypatch.setenv("CC", "no-such-compiler")
    with pytest.raises(RuntimeError, match="DETECTABLE_NATIVE is 1, but there is no compiler"):
        initialized(hook, tree)


def test_the_processor_is_the_one_that_is_asked_for(
    hook: ModuleType, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("CC", "cc")
    monkeypatch.setenv("ARCHFLAGS", "-arch arm64")
    monkeypatch.setattr(sys, "platform", "darwin")
    assert "-arch arm64" in " ".join(hook._command([Path("one.c")], Path("one.dylib")))
    monkeypatch.setattr(sys, "platform", "linux")
    assert "-arch" not in hook._command([Path("one.c")], Path("one.so"))
