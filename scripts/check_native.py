"""Run the tests of the kernels with a C library that notices its own mistakes.

The library is compiled with AddressSanitizer and UndefinedBehaviorSanitizer. Besides, every
block that a kernel allocates is counted, none may be left when it returns; and the first calls of
each kernel are tried with its first allocation failing, then its second, and so on: each must end
in a MemoryError and leave nothing behind.

    python scripts/check_native.py [what pytest takes]

Works with gcc or clang on Linux. Elsewhere it says so and leaves with 0, or with 1 where
DETECTABLE_REQUIRE names `native`.
"""

import ctypes
import functools
import os
import shlex
import subprocess
import sys
import tempfile
from collections import Counter
from collections.abc import Callable
from pathlib import Path
from typing import Any

import numpy as np

ROOT = Path(__file__).parents[1]
SANITIZE = (
    "-O1 -g -fno-omit-frame-pointer -fsanitize=address,undefined -fno-sanitize-recover=all "
    "-Wall -Wextra -Werror "
    "-Dmalloc=counted_malloc -Dcalloc=counted_calloc -Drealloc=counted_realloc "
    "-Dfree=counted_free"
)
CALLS = 12  # of each kernel whose allocations are made to fail
ALLOCATIONS = 1000  # more than any kernel makes in a call of the tests


def main() -> int:
    with tempfile.TemporaryDirectory() as folder:
        library = Path(folder, "libdetectable.so")
        problem = compiled(library)
        if problem:
            print(f"The C kernels were not checked: {problem}")
            return int("native" in os.environ.get("DETECTABLE_REQUIRE", "").split(","))
        settings = {
            "LD_PRELOAD": str(runtime()),
            # Python itself keeps blocks until the end; those of the kernels are counted instead.
            "ASAN_OPTIONS": "detect_leaks=0",
            "UBSAN_OPTIONS": "print_stacktrace=1",
            "PYTHONMALLOC": "malloc",  # each object in a block of its own, whose ends are seen
        }
        command = [sys.executable, str(Path(__file__)), "--with", str(library), *sys.argv[1:]]
        return subprocess.run(
            command, cwd=ROOT, env=os.environ | settings, check=False
        ).returncode


def compiled(library: Path) -> str:
    """Compile all kernels with the sanitizers; return what is missing, or nothing."""
    if sys.platform != "linux":
        return f"the sanitizers are set up for Linux, and this is {sys.platform}."
    if runtime() is None:
        return f"the compiler {shlex.join(compiler())} or its AddressSanitizer is missing."
    sys.path.insert(0, str(ROOT))
    import hatch_build

    native = ROOT / hatch_build.NATIVE
    os.environ["CFLAGS"] = f"{os.environ.get('CFLAGS', '')} {SANITIZE} -I{native}"
    sources = [*sorted(native.glob("*.c")), ROOT / "scripts" / "check_native.c"]
    return str(hatch_build.compiled(sources, library))


def compiler() -> list[str]:
    return shlex.split(os.environ.get("CC", "")) or ["cc"]


def runtime() -> Path | None:
    """Return AddressSanitizer's own library, which must be loaded before everything else."""
    for name in ("libasan.so", "libclang_rt.asan-x86_64.so", "libclang_rt.asan-aarch64.so"):
        try:
            found = subprocess.run(
                [*compiler(), f"-print-file-name={name}"],
                capture_output=True,
                text=True,
                check=False,
            ).stdout.strip()
        except OSError:
            return None
        if os.path.isabs(found):
            return Path(found).resolve()
    return None


def inside(library: str, arguments: list[str]) -> int:
    """Run the tests with this library: in a process that has the sanitizers loaded."""
    import pytest

    from detectable.kernels.native import library as border

    border._FILE = library  # an absolute path wins over the folder of the package
    heap = ctypes.CDLL(library)
    heap.live_blocks.restype = ctypes.c_int64
    heap.fail_after.argtypes = [ctypes.c_int64]
    tried: Counter[str] = Counter()
    original = border.native

    @functools.cache
    def native(name: str, *kinds: type) -> Callable[..., None] | None:
        found = original(name, *kinds)
        return None if found is None else functools.partial(call, name, found)

    def call(name: str, kernel: Callable[..., None], *given: Any) -> None:
        if tried[name] < CALLS and run_out(heap, name, kernel, given):
            tried[name] += 1
        copies = [exact_copy(value) for value in given]
        kernel(*copies)
        nothing_left(heap, name)
        for value, copied in zip(given, copies, strict=True):
            if copied is not value and value.flags.writeable:
                value[...] = copied

    native_forget = native.cache_clear

    def forget() -> None:
        native_forget()
        original.cache_clear()

    native.cache_clear = forget  # type: ignore[method-assign]
    border.native = native
    code = pytest.main(
        ["-q", "-p", "no:cacheprovider", "--capture=sys", *(arguments or ["tests/kernels"])]
    )
    for name, calls in sorted(tried.items()):
        print(f"{name}: {calls} calls, with every allocation failing in turn")
    return int(code)


def run_out(heap: Any, name: str, kernel: Callable[..., None], given: tuple[Any, ...]) -> bool:
    """Let each allocation fail in turn, on copies; return whether the arguments were taken."""
    for allocations in range(ALLOCATIONS):
        heap.fail_after(allocations)
        try:
            kernel(*[exact_copy(value) for value in given])
        except MemoryError:
            nothing_left(heap, name)
        except (TypeError, ctypes.ArgumentError):  # refused before C was reached
            return False
        else:
            return True
        finally:
            heap.fail_after(-1)
    raise AssertionError(f"{name} still fails after {ALLOCATIONS} allocations")


def exact_copy(value: Any) -> Any:
    """Return an array in a block of just its size, so that a step beyond its end is seen."""
    if not isinstance(value, np.ndarray) or not value.flags.c_contiguous:
        return value
    copied = value.copy()
    copied.flags.writeable = value.flags.writeable
    return copied


def nothing_left(heap: Any, name: str) -> None:
    if heap.live_blocks():
        raise AssertionError(f"{name} left {heap.live_blocks()} blocks behind")


if __name__ == "__main__":
    if sys.argv[1:2] == ["--with"]:
        sys.exit(inside(sys.argv[2], sys.argv[3:]))
    sys.exit(main())
