"""Type the command of a kept result again, and compare what comes out.

The words of the file are never given to a shell, and a stranger may have written them. So only the
commands of a list are run, which read files and compute; without the options that write, and with
no word that names an address, a pipe, a device or a file of the system.
"""

import contextlib
import glob
import itertools
import os
import re
import shlex
import subprocess
import sys
import tempfile
from collections.abc import Callable, Iterator, Mapping, Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Any, NamedTuple

import click

from detectable.cli.command_table import COMPUTE
from detectable.cli.output_options import Unrepeated, Writing
from detectable.core.errors import DataError, DetectableError
from detectable.core.types import Progress, silent

if TYPE_CHECKING:
    from detectable.data.files.place import FilePath
    from detectable.data.store.open_store import AnyStore
    from detectable.report.explore.segments import Segments
    from detectable.report.saved.load import SavedResult
    from detectable.report.saved.receipt import InputCheck, Receipt
    from detectable.study.monitoring.frozen_plan import Plan
    from detectable.study.monitoring.replay import LookCheck

_SHOWN = 20  # differences in the receipt

_SYSTEM = tuple(map(Path, ("/proc", "/sys", "/dev")))
_MOST_FILES = 100_000  # of a folder or a pattern, in which a pipe is looked for
_LONGEST = 50_000  # characters of a word; no system takes much longer ones


class NotRepeatable(Exception):
    """A command that cannot be typed again, and why."""


def verify(
    path: "FilePath",
    data: Any = None,
    *,
    folder: "FilePath" = ".",
    progress: Progress = silent,
) -> "Receipt":
    """Say whether a kept result is what its data and its command give, to the last bit.

    A result: its fingerprint, the SHA-256 of every file it was made from, and all its values
    against those of the same command, typed again with the same seed. A plan: its fingerprint, the
    chain of its ledger, and every look computed again from the judgments that it saw. An exported
    campaign (``….campaign.json``): the same, with the plan, the ledger and the key in that file.

    Parameters
    ----------
    path : path
        A file of ``--out`` or `save`, a plan, or an exported campaign.
    data : optional
        Of a plan: all judgments, as for `look`; of a campaign the table that was exported with it.
    folder : path
        Where the command of a result was typed: names of data are as seen from there.
    progress : callable
        Told what is going on.

    Examples
    --------
    >>> import detectable as dt
    >>> from tempfile import TemporaryDirectory
    >>> with TemporaryDirectory() as folder:
    ...     dt.save(dt.design(looks=3), f"{folder}/design.json")
    ...     dt.verify(f"{folder}/design.json").reason
    'it was saved by a program, so there is no command to type again.'
    """
    from detectable.core.result import Signature
    from detectable.data.files.read_json import read_json

    content = read_json(path)
    signature = Signature("verify", {"file": os.path.basename(os.fspath(path))})
    if isinstance(content, dict) and "detectable_plan" in content:
        return _verified_plan(path, data, signature)
    if isinstance(content, dict) and "detectable_campaign" in content:
        return _verified_export(path, data, signature)
    if data is not None:
        raise DataError(
            f"{path}: DATA goes with a plan or a campaign; a result names its own data. Leave it out."
        )
    from detectable.report.saved.load import read_saved

    return _verified(content, read_saved(path), folder, signature, progress)


def _verified_plan(path: "FilePath", data: Any, signature: Any) -> "Receipt":
    from detectable.study.monitoring.plan import read_plan
    from detectable.study.monitoring.replay import replay

    frozen = read_plan(path)
    why = (
        "plan and ledger are whole, and every judgment of the looks is there; which work was "
        "waiting for its controls at each look, no file tells."
    )
    looks = replay(frozen, data)
    return _receipt(
        "Plan", str(path), frozen, looks, signature, with_data=data is not None, why=why
    )


_DELETED = (
    "plan and ledger are whole; looks that saw judgments that were deleted cannot be repeated."
)


def _verified_export(path: "FilePath", data: Any, signature: Any) -> "Receipt":
    from detectable.study.campaign.replay_campaign import replay_export

    plan, looks = replay_export(path, data() if callable(data) else data)
    return _receipt(
        "Campaign", str(path), plan, looks, signature, with_data=data is not None, why=_DELETED
    )


def verify_stored(store: "AnyStore", name: str, plan: "FilePath | None" = None) -> "Receipt":
    """Say whether the judgments in a store give the looks of a campaign's ledger again."""
    from detectable.core.result import Signature
    from detectable.study.campaign.replay_campaign import replay_store
    from detectable.study.campaign.work import plan_of

    frozen = plan_of(store, name, plan)
    looks = replay_store(store, name, plan=plan)
    signature = Signature("verify", {"campaign": name})
    return _receipt("Campaign", name, frozen, looks, signature, with_data=True, why=_DELETED)


def _receipt(
    subject: str,
    file: str,
    frozen: "Plan",
    looks: "Sequence[LookCheck]",
    signature: Any,
    *,
    with_data: bool,
    why: str,
) -> "Receipt":
    """Return what is said of looks; `why` some were not repeated although there are data."""
    from detectable.report.saved.receipt import Receipt
    from detectable.study.monitoring.ledger import clock_notes

    wrong = [look for look in looks if look.state == "different"]
    same = bool(looks) and all(look.state == "same" for look in looks)
    reason = ""
    if wrong:
        reason = f"look {wrong[0].look} comes out otherwise ({', '.join(wrong[0].differs)})."
    elif not looks:
        reason = "plan and ledger are whole; there is no look yet."
    elif not with_data:
        reason = "plan and ledger are whole; the looks need DATA, all judgments."
    elif not same:
        reason = why
    return Receipt(
        file=file,
        subject=subject,
        outcome="different" if wrong else "same" if same else "not repeated",
        reason=reason,
        looks=tuple(looks),
        created=frozen.created,
        version=frozen.signature.version,
        notes=clock_notes([look.time for look in looks]),
        signature=signature,
    )


def _verified(
    content: dict[str, Any],
    saved: "SavedResult",
    folder: "FilePath",
    signature: Any,
    progress: Progress,
) -> "Receipt":
    from detectable.report.saved.load import upgraded
    from detectable.report.saved.receipt import Receipt, check_inputs, compared

    inputs = check_inputs(saved.inputs, folder)
    made: dict[str, Any] = {
        "file": saved.path,
        "subject": type(saved.result).__name__,
        "edited": saved.edited,
        "inputs": inputs,
        "command": shlex.join(saved.command),
        "created": saved.created,
        "version": saved.version,
        "notes": saved.notes,
        "signature": signature,
    }
    try:
        words = words_again(saved)
        gone = [file for file in inputs if file.state != "same"]
        if gone:
            return Receipt(**made, **_without_data(gone))
        _refuse_places(words, folder)
        progress("typing the command again", 0, None)
        again = _typed_again(words, folder)
    except NotRepeatable as error:
        if saved.edited:
            edited = "the file was edited after it was written."
            return Receipt(**made, outcome="different", reason=edited)
        return Receipt(**made, outcome="not repeated", reason=str(error))
    values, found = compared(upgraded(content), again)
    reason = f"{len(found)} of {values} values differ." if found else ""
    if saved.edited and not found:
        reason = "the file was edited after it was written, though not in what it found."
    return Receipt(
        **made,
        outcome="different" if found or saved.edited else "same",
        reason=reason,
        differences=tuple(found[:_SHOWN]),
        n_values=values,
        n_differences=len(found),
    )


def _without_data(gone: "Sequence[InputCheck]") -> dict[str, Any]:
    """Return what is said where not all data are there as they were."""
    changed = next((file for file in gone if file.state == "changed"), None)
    if changed is not None:
        return {"outcome": "different", "reason": f"{changed.path} is another file now."}
    reason = f"{gone[0].path} is missing. Say where the command was typed (--folder, folder=…)."
    return {"outcome": "not repeated", "reason": reason}


class _Typed(NamedTuple):
    """A command, and the words after its name."""

    names: list[str]
    command: click.Command
    words: list[str]


def words_again(saved: "SavedResult") -> list[str]:
    """Return what to type for the same result: no files are written, and the seed is given.

    Raises
    ------
    NotRepeatable
        If there is no command, or one that does more than compute.
    """
    typed = _find(saved.command)
    what = " ".join(typed.names)
    if not {what, typed.names[0]} & COMPUTE:
        plan = " Its plan is what can be verified." if what in ("look", "conclude") else ""
        raise NotRepeatable(
            f"`detectable {what}` does more than read files and compute, so it is not typed again."
            f"{plan}"
        )
    words = list(_kept(typed))
    seeds = [part for part in typed.command.params if "--seed" in part.opts]
    seed = saved.result.signature.seed
    given = any(word.partition("=")[0] == "--seed" for word in words)
    if seeds and not given and seed is not None and seed.isdecimal():
        words += ["--seed", seed]
    return [*typed.names, *words]


def parsed_again(command: Sequence[str]) -> tuple[list[str], dict[str, Any]]:
    """Return the name of a command and what its words stand for; nothing is run.

    Raises
    ------
    NotRepeatable
        If there is no command, or its words are not those that this version takes.
    """
    typed = _find(command)
    try:
        context = typed.command.make_context(
            typed.names[-1], list(_kept(typed)), help_option_names=[]
        )
    except click.ClickException as error:
        raise NotRepeatable(f"its command cannot be read: {error.format_message()}") from error
    return typed.names, context.params


def find_command(command: Sequence[str]) -> click.Command:
    """Return the command that was typed.

    Raises
    ------
    NotRepeatable
        If there is none, or this version does not know it.
    """
    return _find(command).command


def _find(command: Sequence[str]) -> _Typed:
    """Return the command that was typed; what stands before its name is how it was started."""
    from detectable.cli import main

    found: click.Command = main
    context, names = click.Context(main), []
    words = list(command)
    while isinstance(found, click.Group):
        known = set(found.list_commands(context))
        place = next((i for i, word in enumerate(words) if word in known), None)
        if not words:
            raise NotRepeatable(
                "it was saved by a program, so there is no command to type again."
            )
        if place is None:
            raise NotRepeatable(f"this version knows no command `{shlex.join(command)}`.")
        names.append(words[place])
        found = found.get_command(context, words[place]) or found
        words = words[place + 1 :]
    return _Typed(names, found, words)


def _kept(typed: _Typed) -> Iterator[str]:
    """Go through the words that change the answer."""
    options = {name: part for part in typed.command.params for name in part.opts}
    words = iter(typed.words)
    for word in words:
        if word == "--":
            yield word
            yield from words
            return
        name, equals, _ = word.partition("=")
        part = options.get(name)
        if isinstance(part, Writing):
            raise NotRepeatable(f"{name} writes a file of its own.")
        takes = part is not None and not equals and not getattr(part, "is_flag", False)
        more = (
            [next(words, "") for _ in range(part.nargs)] if part is not None and takes else []
        )
        if not isinstance(part, Unrepeated):
            yield from (word, *more)


def _refuse_places(words: Sequence[str], folder: "FilePath") -> None:
    """Refuse words that name what is no file on the disk: an address, a pipe, a device."""
    for word in words:
        if "://" in word:
            raise NotRepeatable(f"`{word}` is an address, and only files are read.")
        if "\0" in word or len(word) > _LONGEST:
            raise NotRepeatable("one of its words is too long, or holds a null character.")
        for part in _parts(word):
            if not all(_is_plain(place) for place in _places(folder, part)):
                raise NotRepeatable(
                    f"`{part}` is a pipe, a device or a file of the system, and only files are read."
                )


def _parts(word: str) -> set[str]:
    """Return what may name files: a word (a.csv), what follows a name (A=a.csv), a list's parts.

    Examples
    --------
    >>> sorted(_parts("A=a.csv,b:c"))
    ['A', 'A=a.csv', 'A=a.csv,b:c', 'a.csv', 'a.csv,b:c', 'b', 'b:c', 'c']
    """
    wholes = {word, word.partition("=")[2]}
    cut = {
        part for one in wholes for by in (",", "[=,]", "[=,:]") for part in re.split(by, one)
    }
    return (wholes | cut) - {""}


def _places(folder: "FilePath", part: str) -> Iterator[Path]:
    """Go through what a word may stand for: a name, or all the names of a pattern."""
    yield Path(folder, part)
    if any(letter in part for letter in "*?["):
        found = glob.iglob(part, root_dir=folder, recursive=True)
        yield from (Path(folder, name) for name in itertools.islice(found, _MOST_FILES))


def _is_plain(place: Path) -> bool:
    """Whether a name stands for a file, a folder of files, or nothing at all."""
    try:
        found = place.resolve(strict=True)
    except (OSError, ValueError, RuntimeError):  # no such file, or no name of a file at all
        return True
    if any(found.is_relative_to(system) for system in _SYSTEM):
        return False
    if not found.is_dir():
        return found.is_file()
    inside = itertools.islice(os.walk(found), _MOST_FILES)
    below = itertools.islice(
        (Path(at, name) for at, _, names in inside for name in names), _MOST_FILES
    )
    return all(_is_file(one) for one in below)


def _is_file(path: Path) -> bool:
    found = path.resolve()
    return not found.exists() or (
        found.is_file() and not any(found.is_relative_to(system) for system in _SYSTEM)
    )


def _typed_again(words: Sequence[str], folder: "FilePath") -> dict[str, Any]:
    """Return the content of the file that the command keeps now."""
    from detectable.data.files.read_json import read_json

    with tempfile.TemporaryDirectory() as made:
        out = Path(made, "again.json")
        start = typed_start()
        try:
            done = subprocess.run(
                [*start, *words, "--json", "--out", str(out)],
                cwd=folder,
                stdin=subprocess.DEVNULL,
                stdout=subprocess.DEVNULL,
                stderr=subprocess.PIPE,
                check=False,
            )
        except OSError as error:  # more words than the system takes
            raise NotRepeatable(f"it cannot be typed ({error.strerror}).") from None
        if not out.exists():
            said = done.stderr.decode(errors="replace").strip().splitlines() or ["no word"]
            raise NotRepeatable(f"the command ended with “{said[-1]}”.")
        content: dict[str, Any] = read_json(out)
    return content


def typed_start() -> list[str]:
    """Return how a command begins that is typed by this program."""
    # -P: a folder with data is no place to import programs from.
    return [sys.executable, "-P", "-m", "detectable", "--max-size", _limit()]


def _limit() -> str:
    """Return how large files may be, as it is typed."""
    from detectable.data.files.size_limit import current_limit

    return f"{-(-current_limit() // 1000)}kB"


# --- Read the data of a kept result again, for the segments that a page shows ---
#
# The words of the file are parsed as the command parses them, and never run. Data are read only
# where every file has the SHA-256 that was noted: segments of other data would be no evidence, and
# whoever wrote the result could have any file of yours put on the page.


def segments_again(saved: "SavedResult", folder: "FilePath") -> "Segments | None":
    """Return the segments behind a result; None for a kind of result that is about none.

    Parameters
    ----------
    folder : path
        Where its command was typed.

    Raises
    ------
    NotRepeatable
        If they cannot be had: there is no command, or the data are not those that were read.
    """
    from detectable.data.files.inputs import noted_inputs
    from detectable.report.saved.receipt import check_inputs

    command, read = _READERS.get(type(saved.result).__name__, ("", None))
    if read is None:
        return None
    names, given = parsed_again(saved.command)
    if names != [command]:
        raise NotRepeatable(f"only those of `detectable {command}` can be read again")
    for file in check_inputs(saved.inputs, folder):
        if file.state == "missing":
            raise NotRepeatable(
                f"{file.path} is missing. Say where the command was typed (--folder)"
            )
        if file.state == "changed":
            raise NotRepeatable(f"{file.path} is another file now")
    _refuse_places(saved.command, folder)
    with contextlib.chdir(folder), noted_inputs() as files:
        try:
            found = read(given, saved.result)
        except (DetectableError, click.ClickException) as error:
            raise NotRepeatable(f"the data cannot be read: {error}") from error
    known = {file.sha256 for file in saved.inputs}
    for one in files.values():
        if one.sha256 not in known:
            raise NotRepeatable(f"{one.path} is none of the files that it was made from")
    return found


def _compared(given: Mapping[str, Any], result: Any) -> "Segments":
    from detectable.cli.inputs import Inputs, parse_metrics
    from detectable.metrics.registry import USUAL
    from detectable.report.explore.segments import compared_segments
    from detectable.study.comparison.measure import choose_metrics

    inputs = Inputs(**{name: given[name] for name in Inputs._fields if name in given})
    chosen: Any = parse_metrics(
        given["metrics"], tokenize=given["tokenize"], lowercase=given["lowercase"]
    )
    data, beside = inputs.load_with_beside()
    if beside:
        chosen = (*(chosen or USUAL), *beside)
    metrics = choose_metrics(data, chosen, given["lower_is_better"])
    return compared_segments(data, metrics, result, languages=inputs.language_pair or "")


def _ranked(given: Mapping[str, Any], _: Any) -> "Segments":
    from detectable.cli import judgment_options
    from detectable.data.human.judgments import one_evaluation
    from detectable.report.explore.segments import ranked_segments
    from detectable.study.ranking.item_scores import read_segment_scores, segment_scores

    which = {"campaign": given["campaign"], "language": given["language"]}
    if given["segment_scores"]:
        return ranked_segments(read_segment_scores(given["judgments"], **which))
    reading = judgment_options.reading(dict(given))
    judgments = judgment_options.load(given["judgments"], **reading)
    cells = one_evaluation(judgments, **which).cells()
    return ranked_segments(segment_scores(cells, None))


# By kind of result: the command that gives it from segments, and how these are read.
_READERS: dict[str, tuple[str, Callable[[Mapping[str, Any], Any], "Segments"]]] = {
    "Comparison": ("compare", _compared),
    "Ranking": ("rank", _ranked),
}
