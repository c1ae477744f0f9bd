"""The reader of pages finds what people type, and the runner finds what is wrong."""

from pathlib import Path

import pytest

from tests.docs.blocks import Step, steps
from tests.docs.running import run

PAGE = """# A page

    detectable power bleu --n 2000 \\
        --effect 1    # a remark

Words, `detectable compare`, and a formula:

    power = Φ(x)

```sh
detectable audit big.parquet    # not run: needs big.parquet
make demo
```

```python
>>> 1 + 1
2
```

- a list

      detectable inside a list

```text
detectable design
$ detectable is not to be typed here
```

```console
$ detectable mde bleu --n 2000
1.84
…
```
"""


def test_the_steps_of_a_page() -> None:
    found = list(steps(PAGE.replace("      detectable inside a list", "  words")))
    assert [(s.kind, s.line, s.reason) for s in found] == [
        ("command", 3, ""),
        ("command", 11, "needs big.parquet"),
        ("session", 16, ""),
        ("command", 30, ""),
    ]
    assert found[0].words == ["detectable", "power", "bleu", "--n", "2000", "--effect", "1"]
    assert found[-1].expected == "1.84\n…"


@pytest.mark.parametrize(
    ("text", "message"),
    [
        ("    detectable power bleu --n many\n", "exit code 2"),
        ("    $ detectable mde bleu --n 2000\n    something else\n", "the page shows"),
        ("```python\n>>> 1 + 1\n3\n```\n", "Expected"),
        ("    detectable no-such-command x\n", "exit code 2"),
    ],
)
def test_a_step_that_fails_is_found(text: str, message: str, tmp_path: Path) -> None:
    page = tmp_path / "page.md"
    page.write_text(text, encoding="utf-8")
    wrong = run(page, tmp_path, {})
    assert len(wrong) == 1
    assert message in wrong[0]


def test_a_program_sees_what_came_before_it(tmp_path: Path) -> None:
    page = tmp_path / "page.md"
    page.write_text("```python\nx = 2\n```\n\n```python\n>>> x + 1\n3\n```\n", encoding="utf-8")
    assert run(page, tmp_path, {}) == []


def test_a_step_with_a_reason_is_left_out(tmp_path: Path) -> None:
    page = tmp_path / "page.md"
    page.write_text("    detectable audit x.csv  # not run: needs x.csv\n", encoding="utf-8")
    assert run(page, tmp_path, {}) == []
    assert Step("command", "detectable x # y", 1).words == ["detectable", "x"]
