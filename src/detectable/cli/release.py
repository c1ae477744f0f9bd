"""A folder with a result and all that it rests on, to give to others."""

import hashlib
import os
import shlex
import shutil
import subprocess
import tempfile
from collections.abc import Iterable, Sequence
from dataclasses import replace
from pathlib import Path
from typing import TYPE_CHECKING

from detectable.cli.rerun import NotRepeatable, find_command, typed_start, words_again
from detectable.cli.rerun import verify as verify_file
from detectable.core.check import literal
from detectable.core.choices import RaterNames
from detectable.core.errors import DataError
from detectable.core.types import Progress, silent
from detectable.core.wording import count

if TYPE_CHECKING:
    from detectable.data.files.inputs import InputFile
    from detectable.data.files.place import FilePath
    from detectable.data.human.write_judgments import RaterCodes
    from detectable.report.saved.load import SavedResult
    from detectable.report.saved.receipt import Receipt

RESULT, RECEIPT, README = "result.json", "receipt.json", "README.md"
_BESIDE = "data"  # folder of files that lay outside of where the command was typed


def release(
    path: "FilePath",
    target: "FilePath",
    *,
    folder: "FilePath" = ".",
    licence: str | None = None,
    raters: RaterNames = "recode",
    progress: Progress = silent,
) -> "Receipt":
    """Put a result and everything it was made from into a folder that can be given to others.

    The files that the command read are copied: outputs, references, scores, judgments. In tables of
    judgments and battles the raters get codes in place of their names. The command is typed again in
    the new folder, so that its result is that of the files there; what `verify` says of it stands
    beside it, with a page that says what is there, how to repeat it, and under which licence.

    Parameters
    ----------
    path : path
        A file of ``--out``.
    target : path
        The folder to make; it must not exist, or be empty.
    folder : path
        Where the command was typed.
    licence : str, optional
        One line: under which licence the files may be used.
    raters : {'recode', 'keep'}
        What happens to the names of raters.
    progress : callable
        Told what is going on.

    Returns
    -------
    Receipt
        What `verify` says of the folder.
    """
    from detectable.report.saved.load import read_saved

    literal(raters, RaterNames, "raters")
    keep = raters == "keep"
    saved = read_saved(path)
    place = Path(target)
    if place.exists() and (not place.is_dir() or any(place.iterdir())):
        raise DataError(f"{place} exists and is not empty. Choose another folder.")
    try:
        typed = words_again(saved)
    except NotRepeatable as error:
        raise DataError(
            f"{path}: only what can be repeated can be released: {error}"
        ) from error
    _refuse_changed(saved, folder)
    if not place.parent.is_dir():
        raise DataError(f"{place.parent} is no folder. Make it first.")
    with tempfile.TemporaryDirectory(dir=place.parent, prefix=".release-") as made:
        inside = Path(made, "made")
        inside.mkdir()
        found, codes = _copied(saved, folder, inside, keep=keep)
        progress("typing the command again", 0, None)
        _type_in(inside, _moved(typed, found))
        progress("verifying", 0, None)
        receipt = verify_file(inside / RESULT, folder=inside)
        if receipt.outcome != "same":
            raise DataError(
                f"{path}: the command does not give the same result twice: {receipt.reason}"
            )
        notes = _notes(saved, inside, codes)
        receipt = replace(receipt, file=RESULT, notes=(*receipt.notes, *notes))
        _write_about(inside, saved, receipt, licence)
        if place.exists():
            place.rmdir()
        inside.rename(place)
    return replace(
        receipt, notes=(*receipt.notes, f"Written to {place}: detectable verify {place}.")
    )


def _refuse_changed(saved: "SavedResult", folder: "FilePath") -> None:
    from detectable.report.saved.receipt import check_inputs

    for file in check_inputs(saved.inputs, folder):
        if file.state != "same":
            what = "is missing" if file.state == "missing" else "is another file now"
            raise DataError(
                f"{file.path} {what}. Say where the command was typed (--folder, folder=…)."
            )


def _copied(
    saved: "SavedResult", folder: "FilePath", inside: Path, *, keep: bool
) -> tuple[dict[str, str], "RaterCodes"]:
    """Copy the files that were read; return their new names, where they have one, and the codes."""
    from detectable.data.files.inputs import place_of
    from detectable.data.human.write_judgments import RaterCodes

    codes, moved = RaterCodes(), dict[str, str]()
    people = not keep and _takes_people(saved)
    columns = _columns(saved.command)
    for file in saved.inputs:
        source = place_of(file.path, folder)
        name = _name_inside(file, moved.values())
        if name != file.path:
            moved[file.path] = name
        goal = inside / name
        goal.parent.mkdir(parents=True, exist_ok=True)
        content = None if keep else _recoded(source, codes, columns, people=people)
        if content is None:
            shutil.copyfile(source, goal)
        else:
            goal.write_bytes(content)
    return moved, codes


def _name_inside(file: "InputFile", taken: Iterable[str]) -> str:
    """Return where a file goes: to its own place, or beside where it lay outside."""
    own = (RESULT, RECEIPT, README)
    outside = ".." in Path(file.path).parts or Path(file.path).is_absolute()
    if not outside and file.path not in own:
        return file.path
    name = Path(file.path).name
    number = 1
    while f"{_BESIDE}/{name}" in taken:
        number += 1
        name = f"{number}-{Path(file.path).name}"
    return f"{_BESIDE}/{name}"


def _takes_people(saved: "SavedResult") -> bool:
    """Say whether the command reads judgments or battles, in formats of which some name people."""
    options = {name for part in find_command(saved.command).params for name in part.opts}
    return "--format" in options


def _columns(command: Sequence[str]) -> dict[str, str]:
    """Return what ``--column ROLE=NAME`` chose."""
    given = [
        word.removeprefix("--column=")
        for before, word in zip(("", *command), command, strict=False)
        if before == "--column" or word.startswith("--column=")
    ]
    pairs = [word.partition("=") for word in given]
    return {role: name for role, _, name in pairs if name}


def _recoded(
    source: Path, codes: "RaterCodes", columns: dict[str, str], *, people: bool
) -> bytes | None:
    from detectable.data.files.content import FileContent
    from detectable.data.human.write_judgments import recoded_table
    from detectable.data.reader import find_judgment_reader

    content = FileContent(source)
    made = recoded_table(content, codes, columns)
    # Who judged is told in other ways by logs of tools; battles are tables with names of their own.
    logs = ("table", "arena")
    if made is None and people and find_judgment_reader(content).name not in logs:
        raise DataError(
            f"{source}: raters are recoded in tables, and this is a log of another tool. Convert it "
            "(detectable import SOURCE judgments.csv --recode raters), repeat the command with that "
            "table, and release its result; or give the names away (--raters keep)."
        )
    return made


def _moved(typed: Sequence[str], moved: dict[str, str]) -> list[str]:
    """Return the words with files that lay outside by their new names."""
    found = []
    for word in typed:
        for old in sorted(moved, key=len, reverse=True):
            word = word.replace(old, moved[old])
        if ".." in Path(word.rpartition("=")[2]).parts:
            raise DataError(
                f"`{word}` names a folder or a pattern outside of where the command was typed. Repeat "
                "it from a folder that holds all its data."
            )
        found.append(word)
    return found


def _type_in(inside: Path, typed: Sequence[str]) -> None:
    """Type the command in the new folder, and keep its result there."""
    done = subprocess.run(
        [*typed_start(), *typed, "--out", RESULT],
        cwd=inside,
        stdin=subprocess.DEVNULL,
        stdout=subprocess.DEVNULL,
        stderr=subprocess.PIPE,
        check=False,
    )
    if not (inside / RESULT).exists():
        said = done.stderr.decode(errors="replace").strip().splitlines() or ["no word"]
        raise DataError(f"the command cannot be repeated in the new folder: “{said[-1]}”.")


def _notes(saved: "SavedResult", inside: Path, codes: "RaterCodes") -> list[str]:
    """Say how many raters were recoded, and what that changed in the result."""
    from detectable.data.files.read_json import read_json
    from detectable.report.saved.load import upgraded
    from detectable.report.saved.receipt import compared

    notes = []
    if codes.n:
        notes.append(f"{count(codes.n, 'rater')} have codes in place of names.")
    old, new = (upgraded(read_json(one)) for one in (saved.path, inside / RESULT))
    _, found = compared(old, new)
    apart = [one for one in found if one.relative is not None and one.relative > _ROUNDING]
    if apart:
        most = max(one.relative or 0.0 for one in apart)
        notes.append(
            f"{count(len(apart), 'number')} differ from {os.path.basename(saved.path)}, by at most "
            f"{most:.1%}: random draws follow the order of raters, which have other names now."
        )
    return notes


_ROUNDING = 1e-9


def _write_about(
    inside: Path, saved: "SavedResult", receipt: "Receipt", licence: str | None
) -> None:
    from detectable.report.saved.load import read_saved
    from detectable.report.saved.save import written_result

    (inside / RECEIPT).write_text(written_result(receipt).text, encoding="utf-8")
    again = read_saved(inside / RESULT)
    names = sorted(
        str(one.relative_to(inside)).replace(os.sep, "/")
        for one in inside.rglob("*")
        if one.is_file()
    )
    rows = [
        f"| `{name}` | {(inside / name).stat().st_size:,} | "
        f"`{hashlib.sha256((inside / name).read_bytes()).hexdigest()}` |"
        for name in names
    ]
    stated = licence or "not stated. Ask before you use these files."
    recoded = [f"- {note}" for note in receipt.notes]
    lines = [
        f"# {type(saved.result).__name__}, with its data",
        "",
        *again.result.summary().splitlines(),
        "",
        f"Licence: {stated}",
        "",
        "## Repeat it",
        "",
        f"With detectable {again.version}, in this folder:",
        "",
        "    detectable verify .",
        f"    {shlex.join(['detectable', *words_again(again)])}",
        "",
        "## What is here",
        "",
        f"`{RESULT}` is the result, `{RECEIPT}` what `verify` said of it when the folder was made; all "
        "else is data.",
        *recoded,
        "",
        "| file | bytes | SHA-256 |",
        "|---|---|---|",
        *rows,
    ]
    (inside / README).write_text("\n".join(lines) + "\n", encoding="utf-8")
