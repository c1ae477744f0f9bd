"""How many numbers of each paper are matched: python -m replications.totals."""

import tomllib
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from replications.listed import listed

HERE = Path(__file__).parent
_NUMBERS = ("avg", "s_sel", "s_test", "p")  # of a row of MultEval's table, beside its runs


@dataclass(frozen=True, slots=True)
class Total:
    """What is matched of the numbers that public data allow."""

    matched: int
    stated: int

    def __str__(self) -> str:
        """Return both, as the README has them."""
        return f"{self.matched} of {self.stated}"


def totals() -> dict[str, Total]:
    """Return the numbers of every paper as its lists have them; the tests hold the lists."""
    return {
        "wei2022": _listed("wei2022/expected.toml", "wei2022/variance.toml"),
        "estrella2007": _listed("estrella2007/expected.toml"),
        "clark2011": _of_multeval(),
        "graham2020": _of_campaigns(),
        "card2020": _listed("card2020/expected.toml"),
    }


def _listed(*names: str) -> Total:
    rows = [row for name in names for row in listed(HERE / name)]
    printed = [row for row in rows if isinstance(row.get("paper"), int | float)]
    return Total(sum(row.get("matches", False) for row in printed), len(printed))


def _content(name: str) -> dict[str, Any]:
    return tomllib.loads((HERE / name).read_text(encoding="utf-8"))


def _of_multeval() -> Total:
    """Count what MultEval prints for its example; the replication refuses any that differs."""
    rows = _content("clark2011/expected.toml")["row"]
    n = sum(len(row["per_run"]) + sum(name in row for name in _NUMBERS) for row in rows)
    return Total(n, n)


def _of_campaigns() -> Total:
    """Count the official numbers of WMT, the paper's powers, and aggregates of other evaluations.

    For a campaign: mean z, n and N of every system, the number of significant pairs, and each
    cluster. All are matched, or the replication fails.
    """
    content = _content("graham2020/expected.toml")
    n = sum(3 * len(c["systems"]) + 1 + len(c["clusters"]) for c in content["campaign"])
    n += len(content["power"]) + len(content["laeubli2018"])
    n += sum(name in content["hassan2018"] for name in ("pearson", "spearman", "kendall"))
    return Total(n, n)


if __name__ == "__main__":
    for paper, total in totals().items():
        print(f"{paper:14} {total}")
