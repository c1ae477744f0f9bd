"""action.yml and the workflow in the docs: checked without a runner, and the script is run."""

import os
import re
import shutil
import subprocess
import sys
from pathlib import Path
from typing import Any

import pytest
import yaml  # type: ignore[import-untyped]
from click.testing import CliRunner
from markdown_it import MarkdownIt

from detectable.cli import main

ROOT = Path(__file__).parent.parent
EXPRESSION = re.compile(r"\$\{\{\s*(.+?)\s*\}\}")
CONTEXTS = {"inputs", "github", "steps", "runner", "env"}
WRITTEN = {"verdict", "exit_code"}  # what `detectable gate` puts into $GITHUB_OUTPUT


def _action() -> dict[str, Any]:
    found: dict[str, Any] = yaml.safe_load((ROOT / "action.yml").read_text())
    return found


def _workflows() -> list[dict[Any, Any]]:
    text = (ROOT / "docs" / "gate.md").read_text()
    blocks = [t.content for t in MarkdownIt().parse(text) if t.info.strip() == "yaml"]
    return [yaml.safe_load(block) for block in blocks]


def _texts(value: Any) -> list[str]:
    if isinstance(value, dict):
        return [text for part in value.values() for text in _texts(part)]
    if isinstance(value, list):
        return [text for part in value for text in _texts(part)]
    return [str(value)]


def test_it_is_a_composite_action_with_all_that_github_asks_for() -> None:
    action = _action()
    allowed = {"name", "description", "author", "branding", "inputs", "outputs", "runs"}
    assert action.keys() <= allowed
    assert action["runs"]["using"] == "composite"
    assert set(action["branding"]) == {"icon", "color"}
    for name, given in action["inputs"].items():
        assert given.keys() <= {"description", "required", "default"}, name
        assert given["description"], name
        # What is not required has a default: an empty word is left out by the script.
        assert given.get("required") is True or isinstance(given.get("default"), str), name
    ids = {step.get("id") for step in action["runs"]["steps"]}
    for step in action["runs"]["steps"]:
        assert step.keys() <= {"name", "id", "shell", "env", "run", "if", "uses", "with"}
        assert ("run" in step) != ("uses" in step)
        assert "run" not in step or step["shell"] == "bash"
    for name, given in action["outputs"].items():
        assert name in WRITTEN
        assert given["value"] == f"${{{{ steps.gate.outputs.{name} }}}}"
    assert "gate" in ids


def test_every_expression_names_something_that_exists() -> None:
    action = _action()
    for text in _texts(action):
        for expression in EXPRESSION.findall(text):
            context, _, rest = expression.partition(".")
            assert context in CONTEXTS, expression
            if context == "inputs":
                assert rest in action["inputs"], expression


def test_inputs_reach_the_script_as_variables_only() -> None:
    """A pull request chooses its texts: pasted into a script they would be commands."""
    for step in _action()["runs"]["steps"]:
        assert not EXPRESSION.search(step.get("run", ""))
    (gate,) = [s for s in _action()["runs"]["steps"] if s.get("id") == "gate"]
    passed = {EXPRESSION.findall(text)[0] for text in gate["env"].values()}
    assert passed == {f"inputs.{name}" for name in _action()["inputs"]}
    for variable in gate["env"]:
        assert f"${variable}" in gate["run"], variable


def test_every_option_is_one_of_the_command() -> None:
    said = CliRunner().invoke(main, ["gate", "--help"]).stdout
    (gate,) = [s for s in _action()["runs"]["steps"] if s.get("id") == "gate"]
    for option in set(re.findall(r"(?<!\S)--[a-z][a-z-]+", gate["run"])):
        assert option in said, option


def _gated(
    folder: Path, *, broken: int = 0, task: str = "t", **more: str
) -> "subprocess.CompletedProcess[str]":
    """Run the script of the action on scores of two systems, as the runner does."""
    rows = ["system,item,task,score"]
    for system, wrong in (("old", 0), ("new", broken)):
        rows += [f"{system},q{i},{task},{int(i >= wrong)}" for i in range(300)]
    (folder / "my scores.csv").write_text("\n".join(rows) + "\n")
    (gate,) = [s for s in _action()["runs"]["steps"] if s.get("id") == "gate"]
    defaults = {
        name.upper().replace("-", "_"): given.get("default", "")
        for name, given in _action()["inputs"].items()
    }
    given = {
        "NEW": "my scores.csv",
        "BASELINE": "old",
        "MARGIN": "accuracy=0.03\n",
        "JUNIT": "gate.xml",
        "JSON": "gate.json",
        "ARGS": "--system\nnew\n",
        "GITHUB_ACTIONS": "true",
        "GITHUB_OUTPUT": str(folder / "outputs"),
        "GITHUB_STEP_SUMMARY": str(folder / "summary.md"),
        "PATH": f"{Path(sys.executable).parent}{os.pathsep}{os.environ['PATH']}",
    }
    return subprocess.run(
        ["bash", "--noprofile", "--norc", "-eo", "pipefail", "-c", gate["run"]],
        cwd=folder,
        env={**os.environ, **defaults, **given, **more},
        capture_output=True,
        encoding="utf-8",
        check=False,
    )


needs_bash = pytest.mark.skipif(
    shutil.which("bash") is None, reason="the action's script is for bash"
)


@needs_bash
@pytest.mark.parametrize(("broken", "code", "verdict"), [(0, 0, "pass"), (30, 3, "fail")])
def test_the_script_runs(broken: int, code: int, verdict: str, tmp_path: Path) -> None:
    done = _gated(tmp_path, broken=broken)
    assert done.returncode == code, done.stderr
    assert f"verdict={verdict}" in (tmp_path / "outputs").read_text()
    assert f"detectable gate: {verdict}" in (tmp_path / "summary.md").read_text()
    assert (tmp_path / "gate.xml").exists()
    assert (tmp_path / "gate.json").exists()
    assert ("::error" in done.stderr) is (verdict == "fail")


@needs_bash
def test_a_line_of_new_is_no_option(tmp_path: Path) -> None:
    done = _gated(
        tmp_path, broken=30, NEW="my scores.csv\n--accept\n--force", BASELINE="base.json"
    )
    assert done.returncode == 1
    assert "--accept" in done.stderr
    assert not (tmp_path / "base.json").exists()


@needs_bash
def test_a_name_is_no_command_to_the_runner(tmp_path: Path) -> None:
    done = _gated(tmp_path, broken=30, task="::stop-commands::x")
    assert done.returncode == 3
    assert "stop-commands" in done.stdout
    for line in (*done.stdout.splitlines(), *done.stderr.splitlines()):
        assert not line.lstrip().startswith("::stop-commands")
        assert "##[" not in line


def test_the_workflow_of_the_docs_fits_the_action() -> None:
    (workflow,) = _workflows()
    # YAML 1.1 reads the key `on` as true.
    assert workflow.keys() == {"name", True, "permissions", "jobs"}
    assert workflow["permissions"] == {"contents": "read"}
    for job in workflow["jobs"].values():
        assert {"runs-on", "steps"} <= job.keys()
        ids = set()
        for step in job["steps"]:
            assert step.keys() <= {"name", "id", "if", "uses", "with", "run", "env"}
            assert ("run" in step) != ("uses" in step)
            ids.add(step.get("id"))
            if "uses" in step:
                assert re.fullmatch(r"[\w.-]+/[\w.-]+@v?[\w.]+", step["uses"])
        (gate,) = [step for step in job["steps"] if "/detectable@" in step.get("uses", "")]
        action = _action()["inputs"]
        assert gate["with"].keys() <= action.keys()
        required = {name for name, given in action.items() if given.get("required")}
        assert required <= gate["with"].keys()
    for text in _texts(workflow):
        for expression in EXPRESSION.findall(text):
            assert expression.partition(".")[0] in CONTEXTS
