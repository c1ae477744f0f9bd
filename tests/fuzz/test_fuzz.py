"""Bad input gets a sentence: no traceback, no other exit code, no NaN in JSON, no hang."""

import random

import click
import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from detectable.cli import main
from tests.fuzz.mutate import leaf, option_words, output_words
from tests.fuzz.run import FINE, Counts, case, control, run
from tests.fuzz.templates import TEMPLATES, Template
from tests.helpers import spread

# The first reads nothing, and its own options only say where to write; the second goes on until it
# is stopped, and what it is asked is tried in tests/web.
WITHOUT = {"demo", "serve", "mcp", "skill"}


def _names(command: click.Command) -> list[str]:
    if not isinstance(command, click.Group):
        return [command.name or ""]
    return [name for sub in command.commands.values() for name in _names(sub)]


def _told(counts: Counts) -> str:
    return "\n".join(f"{f.kind}: {f.line}\n{f.detail[-800:]}" for f in counts.faults[:3])


# For every change the first template of each command, of the others one in three, and of those in
# two processes one in six, as these are dear.
BY_COST = sorted(TEMPLATES, key=lambda template: "--jobs" in template.words)
FIRST = {template.words[0]: template for template in reversed(BY_COST)}
OTHERS = [template for template in TEMPLATES if template not in FIRST.values()]


@pytest.mark.parametrize(
    "template",
    [
        *FIRST.values(),
        *spread(template for template in OTHERS if "--jobs" not in template.words),
        *spread((template for template in OTHERS if "--jobs" in template.words), one_in=6),
    ],
    ids=lambda template: template.name,
)
def test_valid_input_is_done(template: Template) -> None:
    """A template that is refused on valid input would prove nothing with damaged input."""
    found = control(template)
    assert found.kind == "done", f"{found.line}\n{found.detail}"


def test_every_command_is_tried() -> None:
    tried = {leaf(template.words).name for template in TEMPLATES}
    groups = {"power", "mde", "sample-size", "power-curve", "cheapest"}
    top = {name for name in main.commands if name not in WITHOUT | {"plan"}}
    assert {template.words[0] for template in TEMPLATES} >= top
    for group in groups & set(main.commands):
        assert tried & set(_names(main.commands[group]))


@pytest.mark.parametrize("part", [0, pytest.param(1, marks=pytest.mark.slow)])
def test_damaged_input_gets_a_sentence(part: int) -> None:
    counts = run(80, seed=100 + part)
    assert not counts.faults, _told(counts)
    assert counts.kinds.total() == 80
    assert all(counts.kinds[kind] for kind in FINE)  # the damage is of every degree


@settings(
    max_examples=40, deadline=None, derandomize=True, suppress_health_check=list(HealthCheck)
)
@given(st.sampled_from(TEMPLATES), st.integers(0, 2**32))
def test_any_template_with_any_seed(template: Template, seed: int) -> None:
    damage, found = case(template, random.Random(seed))
    assert found.kind in FINE, f"{damage}, {found.kind}: {found.line}\n{found.detail}"


def test_options_come_from_the_tree_of_commands() -> None:
    rng = random.Random(1)
    words = next(t.words for t in TEMPLATES if t.name == "rank csv")
    seen = {word for _ in range(300) for word in option_words(words, rng)}
    assert {"--test", "--alpha", "--unit", "--scale", "--correction"} <= seen
    assert "--jobs" in seen
    assert not {"--csv", "--html", "--out"} & seen
    written = {word for _ in range(300) for word in output_words(words, rng)}
    assert {"--csv", "--html", "--out", "--chart", "--force", "/dev/full", "-"} <= written


@pytest.mark.slow
@pytest.mark.parametrize("part", range(20))
def test_twenty_thousand_damaged_inputs(part: int) -> None:
    counts = run(1000, seed=1000 + part)
    assert not counts.faults, _told(counts)
