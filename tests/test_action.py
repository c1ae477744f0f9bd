"""action.yml and the workflow in the docs: checked without a runner, and the script is run."""

import json
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
        "RUNNER_TEMP": str(folder),
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


# --- The comment on a pull request: one that is edited, found by its first line ---

# In place of GitHub: comments in a file, and a program `gh` that reads and writes them.
GH = """#!{python}
import json, pathlib, re, sys
words = sys.argv[1:]
place = pathlib.Path("comments.json")
comments = json.loads(place.read_text()) if place.exists() else []
with open("calls.txt", "a") as calls:
    calls.write(" ".join(words) + "\\n")
if pathlib.Path("forbidden").exists() and "--method" in words:
    sys.exit("gh: Resource not accessible by integration (HTTP 403)")
assert words[0] == "api"
if "--method" not in words:
    assert words[1:3] == ["--paginate", "repos/lab/bot/issues/7/comments?per_page=100"]
    form = '.[] | select(.user.login == "(.+)") | select(.body | startswith("(.+)")) | .id'
    login, marker = re.fullmatch(re.escape(form).replace(r"\\(\\.\\+\\)", "(.+)"), words[4]).groups()
    for one in comments:
        if one["login"] == login and one["body"].startswith(marker):
            print(one["id"])
    sys.exit()
field = words[words.index("--field") + 1]
assert field.startswith("body=@")
body = pathlib.Path(field[len("body=@"):]).read_text()
path = words[words.index("--method") + 2]
if words[words.index("--method") + 1] == "POST":
    assert path == "repos/lab/bot/issues/7/comments"
    comments.append({{"id": 100 + len(comments), "login": "github-actions[bot]", "body": body}})
else:
    (known,) = [one for one in comments if path == f"repos/lab/bot/issues/comments/{{one['id']}}"]
    known["body"] = body
place.write_text(json.dumps(comments))
"""


def _comment(folder: Path, **more: str) -> "subprocess.CompletedProcess[str]":
    """Run the step that writes the comment, with the program above for gh."""
    program = folder / "bin" / "gh"
    program.parent.mkdir(exist_ok=True)
    program.write_text(GH.format(python=sys.executable))
    program.chmod(0o755)
    (step,) = [s for s in _action()["runs"]["steps"] if s.get("name") == "Comment"]
    assert step["if"] == "always() && inputs.comment == 'true'"
    given = {
        "RUNNER_TEMP": str(folder),
        "GH_TOKEN": "t",
        "REPOSITORY": "lab/bot",
        "NUMBER": "7",
        "PATH": f"{program.parent}{os.pathsep}{os.environ['PATH']}",
    }
    assert set(step["env"]) <= given.keys()
    return subprocess.run(
        ["bash", "--noprofile", "--norc", "-eo", "pipefail", "-c", step["run"]],
        cwd=folder,
        env={**os.environ, **given, **more},
        capture_output=True,
        encoding="utf-8",
        check=False,
    )


def _comments(folder: Path) -> list[dict[str, Any]]:
    found: list[dict[str, Any]] = json.loads((folder / "comments.json").read_text())
    return found


@needs_bash
def test_one_comment_is_written_and_then_edited(tmp_path: Path) -> None:
    told = [
        {"id": 1, "login": "somebody", "body": "<!-- detectable:gate:gate -->\nmine"},
        {"id": 2, "login": "github-actions[bot]", "body": "<!-- detectable:gate:other -->"},
    ]
    (tmp_path / "comments.json").write_text(json.dumps(told))
    for broken, verdict in ((30, "fail"), (0, "pass")):
        _gated(tmp_path, broken=broken, COMMENT="true", JUNIT="", JSON="")
        done = _comment(tmp_path)
        assert (done.returncode, done.stdout, done.stderr) == (0, "", "")
        assert _comments(tmp_path)[:2] == told
        (own,) = _comments(tmp_path)[2:]
        assert own["body"].startswith("<!-- detectable:gate:gate -->\n### detectable gate: ")
        assert f"detectable gate: {verdict}" in own["body"]
    _gated(tmp_path, COMMENT="true", COMMENT_NAME="nightly", JUNIT="", JSON="")
    _comment(tmp_path)
    assert len(_comments(tmp_path)) == 4


@needs_bash
def test_a_gate_that_could_not_run_is_said_in_the_comment(tmp_path: Path) -> None:
    done = _gated(tmp_path, COMMENT="true", NEW="nowhere")
    assert done.returncode == 1
    _comment(tmp_path)
    (own,) = _comments(tmp_path)
    assert "could not run" in own["body"]


@needs_bash
def test_a_token_that_may_not_write_is_a_notice(tmp_path: Path) -> None:
    _gated(tmp_path, COMMENT="true")
    (tmp_path / "forbidden").touch()
    done = _comment(tmp_path)
    assert done.returncode == 0
    assert "::notice title=detectable gate::The comment could not be written." in done.stdout
    outside = _comment(tmp_path, NUMBER="")
    assert "This run is of no pull request" in outside.stdout
    (tmp_path / "detectable-comment.md").unlink()
    assert _comment(tmp_path).stdout == ""


@needs_bash
def test_inputs_for_suites_reach_the_gate(tmp_path: Path) -> None:
    done = _gated(tmp_path, OVERALL="macro", DECIDE="overall", JSON="")
    assert done.returncode == 0, done.stderr
    assert (
        "--decide overall needs --overall"
        in _gated(tmp_path, DECIDE="overall", JUNIT="", JSON="").stderr
    )
    assert not (tmp_path / "detectable-comment.md").exists()
