"""Run commands on damaged input in this process, and say what came of it."""

import contextlib
import json
import random
import signal
import tempfile
import traceback
import warnings
from collections import Counter
from collections.abc import Callable, Iterator
from dataclasses import dataclass, field
from functools import cache
from pathlib import Path
from typing import Any

from click.testing import CliRunner

from detectable.cli import main
from tests.fuzz import harness_seeds, seeds
from tests.fuzz.mutate import damaged, option_words, output_words
from tests.fuzz.templates import TEMPLATES, Template

FILES = {**seeds.FILES, **harness_seeds.FILES}
SECONDS = 60  # of this process at work, or twenty times as many on a clock: then a case hangs
FINE = ("done", "refused", "typed wrongly")
# Exit codes that are answers: it is not so; nobody can tell.
_ANSWERS = {"verify": (3, 4), "gate": (3, 4)}


class Hang(BaseException):
    """A case took too long; no handler of the program may catch it."""


@dataclass(frozen=True, slots=True)
class Outcome:
    """What one case came to."""

    kind: str  # one of FINE, or what went wrong
    line: str
    detail: str = ""


@dataclass(slots=True)
class Counts:
    """How many cases came to what."""

    kinds: Counter[str] = field(default_factory=Counter)
    damage: Counter[tuple[str, str]] = field(default_factory=Counter)
    faults: list[Outcome] = field(default_factory=list)

    def add(self, damage: str, outcome: Outcome) -> None:
        """Count one."""
        self.kinds[outcome.kind] += 1
        self.damage[damage, outcome.kind] += 1
        if outcome.kind not in FINE:
            self.faults.append(outcome)


@cache
def seed(name: str) -> bytes:
    """Return the valid content of a file."""
    return FILES[name]()


def control(template: Template) -> Outcome:
    """Run a template as it is: on valid input it must be done."""
    return _run(template, {name: seed(name) for name in _all_files(template)}, ())


def case(template: Template, rng: random.Random) -> tuple[str, Outcome]:
    """Run a template with damage to its files, its options or both."""
    files = {name: seed(name) for name in _all_files(template)}
    more: list[str] = []
    kinds = ("file", "file", "file", "options", "both", "output")
    damage = rng.choice(kinds if template.files else ("options", "options", "output"))
    if template.name in ("plan show", "conclude", "verify plan") and rng.random() < 0.7:
        damage = "plan or ledger"
    if damage in ("file", "both"):
        for name in rng.sample(template.files, 1):
            files[name] = damaged(files[name], rng)
    if damage in ("options", "both"):
        more = option_words(template.words, rng)
    if damage == "output":
        more = output_words(template.words, rng)
    return damage, _run(
        template, files, tuple(more), rng if damage == "plan or ledger" else None
    )


def _all_files(template: Template) -> list[str]:
    before = [name for words in template.before for name in Template("", words).files]
    return [*template.files, *before]


def _run(
    template: Template,
    files: dict[str, bytes],
    more: tuple[str, ...],
    rng: random.Random | None = None,
) -> Outcome:
    with tempfile.TemporaryDirectory() as folder:
        for name, content in files.items():
            path = Path(folder) / name
            path.parent.mkdir(exist_ok=True)
            path.write_bytes(content)
        with contextlib.chdir(folder):  # names of files are kept as seen from where one is
            for words in template.before:
                CliRunner().invoke(main, _filled(words, folder))
        if rng is not None:  # damage to what the program wrote itself
            path = Path(folder) / rng.choice(("ship.json", "ship.ledger.jsonl"))
            path.write_bytes(damaged(path.read_bytes(), rng))
        line = f"{' '.join(template.words)} {' '.join(map(ascii, more))}"
        first = f"{folder}/{next(iter(files), 'nothing')}"
        typed = [*_filled(template.words, folder), *(w.replace("{input}", first) for w in more)]
        with contextlib.chdir(folder):  # where a word that names a file may make it
            found = _outcome([*typed, "--json"], line)
        left = list(Path(folder).rglob(".detectable-*"))
        if found.kind in FINE and left:
            return Outcome("temporary file left", line, f"{left}\n{found.detail}")
        return found


def _filled(words: tuple[str, ...], folder: str) -> list[str]:
    return [word.replace("{tmp}", folder).replace("@", f"{folder}/") for word in words]


def _outcome(words: list[str], line: str) -> Outcome:
    try:
        with _in_time(), warnings.catch_warnings():
            warnings.simplefilter("error")  # a warning of numpy is one that somebody would see
            result = CliRunner().invoke(main, words)
    except Hang:
        return Outcome("hangs", line)
    error = result.exception
    if error is not None and not isinstance(error, SystemExit):
        trace = "".join(traceback.format_exception(error))
        kind = "warning" if isinstance(error, Warning) else "traceback"
        return Outcome(kind, line, trace)
    if result.exit_code in (0, *_ANSWERS.get(words[0], ())):
        return Outcome(*_judged(result.stdout, line))
    if result.exit_code not in (1, 2):
        return Outcome(f"exit code {result.exit_code}", line, result.output)
    if "\x1b" in result.output or "Traceback" in result.output:
        return Outcome("terminal escape", line, result.output)
    if result.exit_code == 2:
        return Outcome("typed wrongly", line)
    if not result.stderr.rstrip().splitlines()[-1:]:
        return Outcome("refused without a word", line)
    return Outcome("refused", line, result.stderr)


def _judged(stdout: str, line: str) -> tuple[str, str, str]:
    def refuse(name: str) -> Any:
        raise ValueError(name)

    try:
        json.loads(stdout, parse_constant=refuse)
    except ValueError as error:
        return (
            "NaN in JSON" if str(error) in ("NaN", "Infinity", "-Infinity") else ("no JSON"),
            line,
            stdout[:500],
        )
    return "done", line, ""


@contextlib.contextmanager
def _in_time() -> Iterator[None]:
    def stop(*_: Any) -> None:
        raise Hang

    kinds = {signal.SIGPROF: signal.ITIMER_PROF, signal.SIGALRM: signal.ITIMER_REAL}
    before = {kind: signal.signal(kind, stop) for kind in kinds}
    signal.setitimer(signal.ITIMER_PROF, SECONDS)
    signal.setitimer(signal.ITIMER_REAL, 20 * SECONDS)  # others may use the machine, too
    try:
        yield
    finally:
        for kind, timer in kinds.items():
            signal.setitimer(timer, 0)
            signal.signal(kind, before[kind])


def run(
    n_cases: int,
    *,
    seed: int,
    first: int = 0,
    templates: tuple[Template, ...] = TEMPLATES,
    told: Callable[[int, Counts], None] | None = None,
) -> Counts:
    """Run a number of cases, the templates in turn; the seed repeats all of it.

    Cases from `first` on: parts of a run can be done side by side, and their counts added.
    """
    counts = Counts()
    for number in range(first, first + n_cases):
        # Each case has a generator of its own, so that any one can be repeated alone.
        rng = random.Random(f"{seed}-{number}")
        template = templates[(number * 7919) % len(templates)]
        damage, outcome = case(template, rng)
        counts.add(damage, outcome)
        if told is not None:
            told(number + 1, counts)
    return counts
