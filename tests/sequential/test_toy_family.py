"""A family is one row: nothing else in the source has to know of it."""

import ast
import importlib.util
import json
import re
from collections.abc import Iterator
from pathlib import Path
from types import ModuleType
from typing import Any

import pytest
from click.testing import CliRunner

import detectable as dt
from detectable.core.errors import InputError
from detectable.sequential.boundaries import spending_boundary
from detectable.sequential.families import FAMILIES, FamilyRow, Parameter
from detectable.sequential.futility import Futility
from tests.study.monitoring.plan_tables import differences_with, judged

SRC = Path(dt.__file__).parent
TIMES = (0.3, 0.7, 1.0)


def toy_spent(level: float, t: float, share: float) -> float:
    return level * (share * t + (1.0 - share) * t**3)


def refuse_large(value: float, name: str) -> None:
    if not 0.0 <= value <= 1.0:
        raise InputError(f"`{name}` must lie between 0 and 1; got {value!r}.")


@pytest.fixture(autouse=True)
def toy(monkeypatch: pytest.MonkeyPatch) -> None:
    row = FamilyRow(
        name="toy",
        title="Toy",
        spent=toy_spent,
        parameter=Parameter(name="early_share", letter="s", default=0.5, check=refuse_large),
        reference="this test",
    )
    monkeypatch.setitem(FAMILIES, "toy", row)


def direct(share: float, *, times: tuple[float, ...] = TIMES, alpha: float = 0.05) -> Any:
    spent = [toy_spent(alpha / 2, t, share) for t in times]
    return pytest.approx(spending_boundary(times, spent, sided=2), abs=1e-12)


def command(name: str) -> ModuleType:
    """Return a command that was built after the row was added, beside the one that is in use."""
    spec = importlib.util.spec_from_file_location(f"toy_{name}", SRC / "cli" / f"{name}.py")
    assert spec is not None
    assert spec.loader is not None
    module = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(module)
    return module


def test_the_library_draws_its_boundary() -> None:
    assert dt.design("toy", at=TIMES).z == direct(0.5)
    found = dt.design("toy", at=TIMES, early_share=0.2)
    assert found.z == direct(0.2)
    assert found.summary().startswith("Toy (s = 0.2), 3 looks")
    assert found.signature.settings["parameter"] == 0.2
    assert found.boundaries_for((0.4, 0.6)).z == direct(0.2, times=(0.4, 0.6))
    with pytest.raises(InputError, match="`early_share` must lie between 0 and 1; got 2"):
        dt.design("toy", early_share=2.0)
    with pytest.raises(
        InputError, match="`early_share` belongs to the family toy; got it with"
    ):
        dt.design("pocock", early_share=0.2)
    with pytest.raises(InputError, match="`kappa` must be a parameter of a family, gamma, rho"):
        dt.design("toy", kappa=0.2)


def test_two_families_may_share_the_name_of_a_parameter(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    own = Parameter(name="gamma", letter="g", default=0.1, check=refuse_large)
    row = FamilyRow(name="twin", title="Twin", spent=toy_spent, parameter=own, reference="")
    monkeypatch.setitem(FAMILIES, "twin", row)
    assert dt.design("twin", at=TIMES).z == direct(0.1)
    assert dt.design("twin", at=TIMES, gamma=0.3).z == direct(0.3)
    with pytest.raises(InputError, match="`gamma` belongs to the family hsd or twin; got it"):
        dt.design("pocock", gamma=0.3)
    shown = CliRunner().invoke(command("design").design, ["--help"]).stdout
    assert "Parameter of hsd (default -4), of twin (default 0.1)." in " ".join(shown.split())


def test_it_may_spend_the_miss_rate() -> None:
    from detectable.sequential.families import Family

    found = dt.design(
        "toy", at=TIMES, sided=1, futility=Futility("beta-spending", spending=Family("toy"))
    )
    assert found.futility_rule == "β-spending (toy)"


def test_others_name_it_where_they_send_people() -> None:
    with pytest.raises(InputError, match="kim-demets or toy before the evaluation starts"):
        dt.design("pocock", looks=3).boundaries_for((0.2,))


def test_the_command_takes_it() -> None:
    design = command("design").design
    line = "--family toy --early-share .2 --at .3,.7,1 --json"
    out = CliRunner().invoke(design, line.split(), catch_exceptions=False)
    assert out.exit_code == 0, out.output
    assert json.loads(out.stdout)["z"] == direct(0.2)
    shown = " ".join(CliRunner().invoke(design, ["--help"]).stdout.split())
    assert "haybittle-peto, fixed, toy." in shown
    assert "|kim-demets|toy] " in shown
    assert "Parameter of toy (default 0.5)." in shown


def test_a_plan_and_a_look_take_it(tmp_path: Path) -> None:
    path = tmp_path / "ship.json"
    line = f"new {path} --systems new,old --n-max 100 --family toy --early-share .2 --looks 4"
    out = CliRunner().invoke(command("plan").plan, line.split(), catch_exceptions=False)
    assert out.exit_code == 0, out.output
    assert dt.read_plan(path).design["early_share"] == 0.2
    first = dt.look(path, judged(differences_with((37, 1.0))))  # at a time that was not planned
    second = dt.look(path, judged(differences_with((37, 1.0), (60, 1.2))))
    bounds = [one.pairs[0].z_bound for one in (first, second)]
    assert bounds == direct(0.2, times=(0.37, 0.6))


def texts(path: Path) -> Iterator[str]:
    """Yield the strings of a file but for docstrings."""
    tree = ast.parse(path.read_text(encoding="utf-8"))
    prose = {
        node.value for node in ast.walk(tree) if isinstance(node, ast.Expr)
    }  # docstrings stand alone
    for node in ast.walk(tree):
        if isinstance(node, ast.Constant) and node not in prose and isinstance(node.value, str):
            yield node.value


def test_no_other_file_names_families() -> None:
    names = [
        name for name in FAMILIES if name not in ("toy", "fixed")
    ]  # fixed is an English word
    named = re.compile(rf"(?<![\w-])({'|'.join(names)})(?![\w-])")
    found = {
        (str(path.relative_to(SRC)), name)
        for path in SRC.rglob("*.py")
        if path.name != "families.py" and named.search(path.read_text(encoding="utf-8"))
        for text in texts(path)
        for name in named.findall(text)
    }
    assert found == {
        # what Wei et al. (2022) published: the preset, and the procedures that `savings` replays
        ("sequential/design.py", "pocock"),
        ("cli/audit.py", "pocock"),
        ("core/choices.py", "pocock"),
        ("study/archive/procedures.py", "pocock"),
        ("study/monitoring/planned.py", "pocock"),
        # the rule of evaluations that stop by themselves, which was measured with this family
        ("sequential/prefix_looks.py", "hsd"),
        ("live/rule.py", "hsd"),
    }
