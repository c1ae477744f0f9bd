"""The fixture `gate` in a test suite of somebody else, each run in a process of its own."""

import subprocess
import sys
from collections.abc import Callable, Mapping, Sequence
from pathlib import Path

import pytest

pytest_plugins = ["pytester"]

PLAIN = ("-p", "no:cacheprovider", "-p", "no:randomly", "-q")
Run = Callable[..., pytest.RunResult]


def scores(path: Path, right: int, n: int = 300) -> None:
    """Write the answers of one system: the last ones are wrong."""
    rows = [f"q{i},{int(i < right)}" for i in range(n)]
    path.write_text("\n".join(["prompt_id,passed", *rows, ""]))


@pytest.fixture
def suite(pytester: pytest.Pytester) -> Run:
    """Return what runs a test with a gate of new scores against the old ones."""
    scores(pytester.path / "old.csv", 270)

    def run(
        *options: str,
        right: int | None = 272,
        body: str = "",
        files: Mapping[str, str] | None = None,
    ) -> pytest.RunResult:
        if right is not None:
            scores(pytester.path / "new.csv", right)
        pytester.makepyfile(
            **{
                "test_bot": body
                or 'def test_bot(gate):\n    gate("new.csv", margin={"passed": 0.05})\n',
                **(files or {}),
            }
        )
        given: Sequence[str] = (*PLAIN, "--detectable-baseline=old.csv", *options)
        return pytester.runpytest_subprocess(*given)

    return run


def test_a_pass_returns_the_result_and_says_a_line(suite: Run) -> None:
    body = (
        "def test_bot(gate):\n"
        '    found = gate("new.csv", margin={"passed": 0.05})\n'
        "    assert found.outcome == 'pass' and found.rows[0].n_items == 300\n"
    )
    done = suite(body=body)
    done.assert_outcomes(passed=1)
    done.stdout.fnmatch_lines(
        [
            "*= detectable =*",
            "test_bot.py::test_bot: Gate: pass. new is not worse than old by more than 0.05.",
        ]
    )


def test_a_fail_says_what_the_gate_says_and_has_no_traceback(suite: Run) -> None:
    done = suite(right=200)
    done.assert_outcomes(failed=1)
    assert done.ret == 1
    done.stdout.fnmatch_lines(["Gate: fail. new is worse than old*0.900 before, 0.667 now*"])
    assert "def test_bot" not in done.stdout.str()
    assert "pytest_plugin.py" not in done.stdout.str()
    done.stdout.fnmatch_lines(["test_bot.py::test_bot: Gate: fail. *"])


def test_inconclusive_is_skipped_with_its_reason(suite: Run) -> None:
    close = 'def test_bot(gate):\n    gate("new.csv", margin=0.002)\n'
    done = suite("-rs", right=269, body=close)
    done.assert_outcomes(skipped=1)
    assert done.ret == 0
    done.stdout.fnmatch_lines(["SKIPPED * Gate: inconclusive. Too few questions to decide*"])
    assert suite("--detectable-inconclusive=pass", right=269, body=close).ret == 0
    suite("--detectable-inconclusive=fail", right=269, body=close).assert_outcomes(failed=1)


@pytest.mark.parametrize(
    ("call", "said"),
    [
        ('"nowhere.csv", margin=0.05', "nowhere.csv"),
        ('"new.csv"', "needs `margin`: the loss that you would mind"),
        ('"new.csv", margin={"passed": 0.05, "f1": 0.05}', "f1"),
    ],
)
def test_data_that_cannot_be_used_are_an_error(suite: Run, call: str, said: str) -> None:
    done = suite(body=f"def test_bot(gate):\n    gate({call})\n")
    done.assert_outcomes(errors=1)
    assert done.ret == 1
    assert said in done.stdout.str()
    assert "Traceback" not in done.stdout.str()
    assert "pytest_plugin.py" not in done.stdout.str()


def test_without_a_baseline_it_is_an_error_and_one_can_be_given(
    suite: Run, pytester: pytest.Pytester
) -> None:
    suite()
    done = pytester.runpytest_subprocess(*PLAIN)
    done.assert_outcomes(errors=1)
    assert "there is no baseline. Give --detectable-baseline=FILE, or baseline=…" in (
        done.stdout.str()
    )
    body = 'def test_bot(gate):\n    gate("new.csv", "old.csv", margin=0.05)\n'
    pytester.makepyfile(test_bot=body)
    pytester.runpytest_subprocess(*PLAIN).assert_outcomes(passed=1)


def test_reruns_are_refused_without_a_count(suite: Run) -> None:
    pytest.importorskip("pytest_rerunfailures")
    done = suite("--reruns=2", right=200)
    assert done.ret == 1
    assert "A gate that is repeated until it is green passes too often." in done.stdout.str()
    assert "Gate: fail" not in done.stdout.str()
    marked = "import pytest\n@pytest.mark.flaky(reruns=2)\ndef test_bot(gate):\n    gate('new.csv', margin=0.05)\n"
    assert "passes too often" in suite(body=marked).stdout.str()


def test_a_rerun_of_the_same_scores_is_the_same_try_and_of_others_the_next(suite: Run) -> None:
    pytest.importorskip("pytest_rerunfailures")
    again = (
        "from tests_of import scores, tried\n"
        "def test_bot(gate):\n"
        "    scores(next(tried))\n"
        "    found = gate('new.csv', margin={'passed': 0.05})\n"
        "    print('level', found.alpha)\n"
    )
    made = (
        "tried = iter((200, 200, 210, 272))\n"
        "def scores(right):\n"
        "    rows = [f'q{i},{int(i < right)}' for i in range(300)]\n"
        "    with open('new.csv', 'w') as file:\n"
        "        file.write('\\n'.join(['prompt_id,passed', *rows]))\n"
    )
    done = suite(
        "--reruns=3", "--detectable-attempt=1", "-s", "-p", "no:xdist",
        right=None, body=again, files={"tests_of": made},
    )  # fmt: skip
    assert "3 rerun" in done.stdout.str()
    done.stdout.fnmatch_lines(["*level 0.00625*"])  # the third different scores: .05 / 2³
    alone = suite("--detectable-attempt=2", "-s", right=272)
    assert "level" not in alone.stdout.str()
    alone.assert_outcomes(passed=1)


def test_an_attempt_must_be_a_number(suite: Run) -> None:
    done = suite("--detectable-attempt=0")
    assert done.ret == 4
    assert "--detectable-attempt" in done.stderr.str()


def test_processes_of_xdist_bring_their_lines(suite: Run) -> None:
    pytest.importorskip("xdist")
    done = suite("-n", "2")
    done.assert_outcomes(passed=1)
    done.stdout.fnmatch_lines(["test_bot.py::test_bot: Gate: pass. *"])


def test_warnings_as_errors_do_not_hide_the_gate(suite: Run, pytester: pytest.Pytester) -> None:
    scores(pytester.path / "less.csv", 280, 295)
    body = "def test_bot(gate):\n    assert gate('less.csv', margin=0.05).notes\n"
    suite("-W", "error", body=body).assert_outcomes(passed=1)


def test_nothing_is_imported_before_a_gate(tmp_path: Path) -> None:
    (tmp_path / "test_plain.py").write_text("def test_plain():\n    assert True\n")
    told = (
        "import sys, pytest\n"
        f"code = pytest.main(['-q', '-p', 'no:cacheprovider', '-p', 'no:schemathesis', {str(tmp_path)!r}])\n"
        "ours = sorted(n for n in sys.modules if n.startswith('detectable.'))\n"
        "print(code, ours)\n"
    )
    done = subprocess.run(
        [sys.executable, "-c", told], capture_output=True, text=True, check=True, cwd=tmp_path
    )
    assert done.stdout.splitlines()[-1] == (
        "0 ['detectable.core', 'detectable.core.version', 'detectable.report', "
        "'detectable.report.pytest_plugin']"
    )
