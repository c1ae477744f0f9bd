"""A fresh installation of this tree, as a user has it: no tools of developers, compiled files there."""

import subprocess
import sys
from functools import cache
from pathlib import Path

ROOT = Path(__file__).parents[1]
VENV = ROOT / "build" / "bench-venv"


@cache
def program(name: str) -> str:
    """Return the path of an installed program: ``detectable``, ``sacrebleu`` or ``python``."""
    return str(_installed() / name)


@cache
def _installed() -> Path:
    python = VENV / "bin" / "python"
    if not python.exists():
        subprocess.run([sys.executable, "-m", "venv", str(VENV)], check=True)
    pip = [str(python), "-m", "pip", "install", "--quiet"]
    subprocess.run([*pip, "--upgrade", str(ROOT)], check=True)
    subprocess.run([*pip, "--force-reinstall", "--no-deps", str(ROOT)], check=True)
    subprocess.run([str(python), "-m", "compileall", "-q", str(VENV / "lib")], check=False)
    return VENV / "bin"
