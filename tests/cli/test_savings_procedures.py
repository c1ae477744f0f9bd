"""``detectable savings`` replays four procedures, each what its name says."""

from pathlib import Path

import pytest
from click.testing import CliRunner

from detectable.cli.audit import savings
from detectable.core.errors import DataError
from detectable.sequential.design import design
from detectable.study.archive.procedures import Procedure


def test_the_procedures_that_are_replayed(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """A fixed sample, Pocock with three looks, our default and looks without correction."""
    seen: list[Procedure] = []

    def note(table: object, procedures: list[Procedure], *_: object, **__: object) -> None:
        seen.extend(procedures)
        raise DataError("seen enough")

    where = "detectable.study.archive.procedures.simulate_procedures"
    monkeypatch.setattr(where, note)
    table = tmp_path / "judgments.csv"
    rows = [f"{system},{i},{(7 * i) % 90}" for i in range(60) for system in "ab"]
    table.write_text("\n".join(["system,item,score", *rows]) + "\n")
    CliRunner().invoke(savings, [str(table), "--looks", "6", "--alpha", "0.04"])
    assert [(one.name, one.looks) for one in seen] == [
        ("fixed", 1),
        ("Pocock 3", 3),
        ("default, 6 looks", 6),
        ("6 uncorrected looks", 6),
    ]
    pocock = design("pocock", looks=3, alpha=0.04, futility="none")
    assert seen[1].z == pytest.approx(pocock.z)
    assert seen[1].futility == (0.0, 0.0, 0.0)
    default = design(looks=6, alpha=0.04)
    assert seen[2].z == pytest.approx(default.z)
    assert any(bound > 0.0 for bound in seen[2].futility)
    assert seen[0].z == pytest.approx((2.0537489,))
    assert set(seen[3].z) == set(seen[0].z)
