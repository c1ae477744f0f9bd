"""A fresh installation of this tree, as a user has it: no tools of developers, compiled files there."""

import hashlib
import subprocess
import sys
from functools import cache
from pathlib import Path

ROOT = Path(__file__).parents[1]
VENV = ROOT / "build" / "bench-venv"
PEERS = ROOT / "build" / "bench-peers"
_STAMP = VENV / "code"


@cache
def program(name: str) -> str:
    """Return the path of an installed program: ``detectable``, ``sacrebleu`` or ``python``."""
    return str(_installed() / name)


@cache
def peer(package: str) -> Path | None:
    """Return the programs of a virtual environment that has this peer; None if it cannot be had.

    Each has one of its own: arena-rank brings JAX, which nothing else here needs.
    """
    place = PEERS / package
    python = place / "bin" / "python"
    if not python.exists():
        subprocess.run([sys.executable, "-m", "venv", str(place)], check=True)
    asked = [str(python), "-m", "pip", "install", "--quiet", package]
    if subprocess.run(asked, check=False, stderr=subprocess.DEVNULL).returncode:
        return None
    subprocess.run([str(python), "-m", "compileall", "-q", str(place / "lib")], check=False)
    return python.parent


def source_code(*more: Path) -> str:
    """Return what changes with the package, and with these files."""
    source = ROOT / "src"
    files = [*sorted(source.rglob("*.py")), *sorted(source.rglob("*.[ch]")), *more]
    digest = hashlib.sha256()
    for file in files:
        digest.update(file.read_bytes())
    return digest.hexdigest()[:16]


@cache
def _installed() -> Path:
    now = source_code(ROOT / "pyproject.toml")
    if _STAMP.exists() and _STAMP.read_text() == now:
        return VENV / "bin"
    python = VENV / "bin" / "python"
    if not python.exists():
        subprocess.run([sys.executable, "-m", "venv", str(VENV)], check=True)
    pip = [str(python), "-m", "pip", "install", "--quiet"]
    subprocess.run([*pip, "--upgrade", str(ROOT)], check=True)
    subprocess.run([*pip, "--force-reinstall", "--no-deps", str(ROOT)], check=True)
    subprocess.run([str(python), "-m", "compileall", "-q", str(VENV / "lib")], check=False)
    _STAMP.write_text(now)
    return VENV / "bin"
