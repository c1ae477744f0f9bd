"""Compile the C kernels into the package, where there is a compiler.

Nothing in them knows Python: one `py3-none-<platform>` wheel serves every Python. Without a
compiler the wheel is pure, the kernels run on numpy, and the answers are the same.
"""

import os
import shlex
import shutil
import subprocess
import sys
import sysconfig
import tempfile
from pathlib import Path
from typing import Any

from hatchling.builders.hooks.plugin.interface import BuildHookInterface

NATIVE = Path("src", "detectable", "kernels", "native")
# Not «.so» alone: what ends so is a Python module to whoever walks through the package.
LIBRARY = "libdetectable" + {"win32": ".dll", "darwin": ".dylib"}.get(sys.platform, ".so.1")


class CustomBuildHook(BuildHookInterface):  # type: ignore[type-arg]
    """Adds the compiled kernels to a wheel, and to the tree of an editable install."""

    def initialize(self, version: str, build_data: dict[str, Any]) -> None:  # noqa: ARG002
        """Compile, or say why not and go on."""
        folder = Path(self.root) / NATIVE
        if os.environ.get("DETECTABLE_NATIVE") == "0":
            self.app.display_info("DETECTABLE_NATIVE is 0: the kernels run on numpy.")
            (folder / LIBRARY).unlink(missing_ok=True)
            return
        problem = compiled(sorted(folder.glob("*.c")), folder / LIBRARY)
        if problem:
            (folder / LIBRARY).unlink(missing_ok=True)  # never one of an older source
            if (
                os.environ.get("DETECTABLE_NATIVE") == "1"
            ):  # a release must not be pure by mistake
                raise RuntimeError(f"DETECTABLE_NATIVE is 1, but {problem}")
            self.app.display_warning(f"The kernels run on numpy, slowly: {problem}")
            return
        build_data["pure_python"] = False
        platform = sysconfig.get_platform().replace("-", "_").replace(".", "_")
        build_data["tag"] = f"py3-none-{platform}"
        build_data["artifacts"].append(str(NATIVE / LIBRARY))


def compiled(sources: list[Path], library: Path) -> str:
    """Make `library` of C files; return what went wrong, or nothing.

    It is written elsewhere and moved into place: a process that has the old one open keeps it.
    """
    with tempfile.TemporaryDirectory(dir=library.parent) as made:
        target = Path(made, library.name)
        command = _command(sources, target)
        if shutil.which(command[0]) is None:
            return f"there is no compiler {command[0]!r}; set CC to one."
        done = subprocess.run(command, cwd=made, capture_output=True, text=True, check=False)
        if done.returncode:
            return f"{shlex.join(command)} failed:\n{done.stdout}{done.stderr}"
        os.replace(target, library)
    return ""


def _command(sources: list[Path], target: Path) -> list[str]:
    named = [str(path) for path in sources]
    chosen = os.environ.get("CC", "")
    if sys.platform == "win32" and not chosen:  # in a prompt of Visual Studio
        return ["cl", "/nologo", "/O2", "/LD", *named, f"/Fe:{target}"]
    compiler = shlex.split(chosen) or ["cc"]
    # -ffp-contract=off: no fused multiply-add, so that every machine rounds alike.
    flags = ["-std=c99", "-O3", "-ffp-contract=off", "-fPIC", "-shared", "-fvisibility=hidden"]
    asked = shlex.split(os.environ.get("CFLAGS", ""))
    if sys.platform == "darwin":  # how builders of wheels name the processor
        asked += shlex.split(os.environ.get("ARCHFLAGS", ""))
    return [*compiler, *flags, *asked, "-o", str(target), *named, "-lm"]


if __name__ == "__main__":  # compile in place, as an editable install does
    here = Path(__file__).parent / NATIVE
    sys.exit(compiled(sorted(here.glob("*.c")), here / LIBRARY) or 0)
