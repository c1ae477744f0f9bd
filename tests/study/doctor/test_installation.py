"""What is installed, for a report of an error: true, and without anything private."""

import getpass
import json
import platform
import socket
import sys
from importlib import metadata
from pathlib import Path
from types import SimpleNamespace

import pytest
from click.testing import CliRunner

from detectable.cli import main, terminal
from detectable.core.version import VERSION
from detectable.report.blocks_of import blocks_of
from detectable.report.render.text import render_text
from detectable.study.doctor import installation as module
from detectable.study.doctor.installation import Installed, installation

ASKED = {
    "detectable": [
        "numpy>=2.0",
        "ours; python_version < '3.14'",
        "tokens[ja]; extra == 'ja'",
        'far>=1 ; extra == "web"',
        "near; extra == 'web'",
    ],
    "tokens": ["plain", "mecab>=1; extra == 'ja'", "other; extra == 'ko'"],
}
THERE = {"numpy": "2.4", "ours": "1", "tokens": "3", "near": "5", "far": "6"}


@pytest.fixture
def packages(monkeypatch: pytest.MonkeyPatch) -> dict[str, str]:
    there = dict(THERE)

    def version(name: str) -> str:
        if name not in there:
            raise metadata.PackageNotFoundError(name)
        return there[name]

    monkeypatch.setattr(module, "requires", lambda name: ASKED.get(name))
    monkeypatch.setattr(module, "version", version)
    return there


@pytest.mark.usefixtures("packages")
def test_packages_and_optional_parts_with_what_these_bring() -> None:
    found = installation()
    assert found.packages == (
        Installed(package="numpy", version="2.4"),
        Installed(package="ours", version="1"),
        Installed(package="tokens", version="3", extra="ja"),
        Installed(package="mecab", version="", extra="ja"),
        Installed(package="far", version="6", extra="web"),
        Installed(package="near", version="5", extra="web"),
    )
    assert found.extras == {"ja": False, "web": True}
    assert "optional parts: web." in found.summary()


def test_a_part_is_there_when_all_that_it_needs_is_there(packages: dict[str, str]) -> None:
    packages["mecab"] = "7"
    assert installation().extras == {"ja": True, "web": True}
    del packages["far"]
    assert installation().extras == {"ja": True, "web": False}


def test_a_folder_that_was_not_installed_is_said_to_be_one(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    def none(name: str) -> list[str]:
        raise metadata.PackageNotFoundError(name)

    monkeypatch.setattr(module, "requires", none)
    found = installation()
    assert (found.packages, found.extras) == ((), {})
    assert "runs from a folder" in found.notes[0]
    assert "no optional parts" in found.summary()


def test_the_kernels_are_those_that_run(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(module, "is_native", lambda: False)
    slow = installation()
    assert slow.kernels == "numpy"
    assert "same answers, slower" in render_text(blocks_of(slow))
    monkeypatch.setattr(module, "is_native", lambda: True)
    assert installation().kernels == "native"


def typed(*words: str) -> str:
    said = CliRunner().invoke(main, ["doctor", *words])
    assert said.exit_code == 0, said.output
    return said.stdout


def test_the_command_says_versions_and_machine() -> None:
    found = json.loads(typed("--system", "--json"))
    assert found["version"] == VERSION
    assert found["python"].endswith(platform.python_version())
    assert found["platform"].startswith(platform.system())
    assert {one["package"] for one in found["packages"] if not one["extra"]} >= {
        "numpy",
        "click",
    }
    assert found["terminal"] == "a file or another program"
    text = typed("--system", "--all")
    assert f"detectable {VERSION}" in text
    assert "Where it runs" in text


def test_nothing_private_is_said(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)
    private = [str(Path.home()), sys.prefix, str(tmp_path), socket.gethostname()]
    if getpass.getuser() not in ("root", "user"):  # which may be a word of a sentence
        private.append(getpass.getuser())
    for words in (("--system", "--json"), ("--system", "--all"), ("--system", "--html", "-")):
        said = typed(*words)
        assert [one for one in private if len(one) > 2 and one in said] == []


def test_files_or_the_system_and_not_both() -> None:
    for words in ((), ("x.csv", "--system")):
        said = CliRunner().invoke(main, ["doctor", *words])
        assert said.exit_code == 2
        assert "give files, or --system without files" in said.stderr


def test_what_output_goes_to(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.delenv("GITHUB_ACTIONS", raising=False)
    monkeypatch.setattr(sys, "stdout", SimpleNamespace(isatty=lambda: False))
    assert terminal.terminal_kind() == "a file or another program"
    monkeypatch.setenv("GITHUB_ACTIONS", "true")
    assert terminal.terminal_kind() == "a step of GitHub Actions"
    monkeypatch.setattr(sys, "stdout", SimpleNamespace(isatty=lambda: True))
    monkeypatch.setattr(terminal, "terminal_width", lambda: 120)
    monkeypatch.setenv("NO_COLOR", "1")
    assert terminal.terminal_kind() == "a terminal, 120 columns, no colours"
