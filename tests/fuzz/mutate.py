"""Damage: to the bytes of a file, and to the words of a command."""

import gzip
import io
import random
import zipfile
from collections.abc import Callable

import click

from detectable.cli import main

# What has made programs fall over.
TOKENS = [
    *(b"NaN", b"-inf", b"1e308", b"-1e308", b"1e-320", b"1e999", b"9" * 400, b"9" * 4301),
    *(
        b"",
        b"\0",
        b"\xff",
        b"\xef\xbb\xbf",
        b"\r",
        b"\n\n\n",
        b"\t",
        b'"',
        b"'",
        b",",
        b";",
        b"|",
    ),
    *(b"\\ud800", b"\\u0000", b"[" * 3000, b'{"a":' * 3000, b"null", b"true", b"{}", b"[]"),
    *(b"\x1b[2J", "\u202e".encode(), "\u2028".encode(), "é".encode("latin-1"), "日本".encode()),
    *(
        b"=1+2",
        b"-1",
        b"-",
        b"0",
        b"1",
        b"%s",
        b"{0}",
        b"../..",
        b"<!ENTITY x 'y'>",
        b"&x;",
        b"&",
    ),
    *(b"<seg>", b"</doc>", b"1_000", b"1,5", "١٢".encode(), b"1e5", b"0x10", b"a" * 10_000),
]
NUMBERS = [
    "0",
    "1",
    "-1",
    "2",
    "3",
    "nan",
    "inf",
    "-inf",
    "1e308",
    "1e-308",
    ".5",
    "1e12",
    "1" * 30,
]
WORDS = [
    "",
    "new",
    "old",
    "x",
    "é",
    "\x1b[2J",
    "=1",
    "a,b",
    "a=b",
    "0:100",
    "100:0",
    "nan:1",
    "-",
]


# Files to write, in the folder of the case or where nothing can be written.
PLACES = [
    *("out.csv", "out.json", "out.svg", "out.png", "out.pdf", "out.html", "out.x", "out"),
    *(
        "pairs:out.csv",
        "systems:out.csv",
        "nothing:out.csv",
        "-",
        "",
        "a\nb.json",
        "\x1b[2J.csv",
    ),
    *("/dev/null", "/dev/full", "/dev/null/x.csv", "no/such/out.csv", ".", "..", "é=1.json"),
    *("a" * 300 + ".csv", "{input}", "{input}/out.csv"),
]
_WRITES = frozenset(
    ("markdown", "latex", "html", "csv", "chart", "out", "keep", "checkpoint", "folder", "path")
)


def damaged(data: bytes, rng: random.Random) -> bytes:
    """Return the bytes with one to three kinds of damage, half the time to what is packed in them."""
    if data[:4] == b"PK\x03\x04" and rng.random() < 0.5:
        return _damaged_member(data, rng)
    if data[:2] == b"\x1f\x8b" and rng.random() < 0.5:
        return gzip.compress(_changed(gzip.decompress(data), rng), 1, mtime=0)
    return _changed(data, rng)


def _damaged_member(data: bytes, rng: random.Random) -> bytes:
    """Return a zip file that is whole, one of whose members is damaged."""
    out = io.BytesIO()
    with (
        zipfile.ZipFile(io.BytesIO(data)) as old,
        zipfile.ZipFile(out, "w", zipfile.ZIP_DEFLATED) as new,
    ):
        chosen = rng.choice(old.namelist())
        for name in old.namelist():
            content = old.read(name)
            new.writestr(name, _changed(content, rng) if name == chosen else content)
    return out.getvalue()


def _changed(data: bytes, rng: random.Random) -> bytes:
    for _ in range(rng.choice((1, 1, 1, 2, 3))):
        data = rng.choice(_DAMAGE)(data, rng)
    return data


def _place(data: bytes, rng: random.Random) -> int:
    return rng.randrange(len(data) + 1)


def _flip(data: bytes, rng: random.Random) -> bytes:
    changed = bytearray(data)
    for _ in range(rng.choice((1, 1, 2, 8))):
        if changed:
            changed[rng.randrange(len(changed))] = rng.randrange(256)
    return bytes(changed)


def _cut(data: bytes, rng: random.Random) -> bytes:
    return data[: _place(data, rng)]


def _hole(data: bytes, rng: random.Random) -> bytes:
    start, end = sorted((_place(data, rng), _place(data, rng)))
    return data[:start] + data[min(end, start + rng.choice((1, 5, 50, 5000))) :]


def _again(data: bytes, rng: random.Random) -> bytes:
    start, end = sorted((_place(data, rng), _place(data, rng)))
    return data[:end] + data[start:end] + data[end:]


def _insert(data: bytes, rng: random.Random) -> bytes:
    place = _place(data, rng)
    return data[:place] + rng.choice(TOKENS) + data[place:]


def _field(data: bytes, rng: random.Random) -> bytes:
    """Put a token in place of a whole field: what is between two marks."""
    marks = [i for i, byte in enumerate(data) if byte in b',\t\n":;<> ']
    if len(marks) < 2:
        return _insert(data, rng)
    number = rng.randrange(len(marks) - 1)
    return data[: marks[number] + 1] + rng.choice(TOKENS) + data[marks[number + 1] :]


def _lines(data: bytes, rng: random.Random) -> bytes:
    lines = data.split(b"\n")
    action = rng.randrange(4)
    if action == 0:
        rng.shuffle(lines)
    elif action == 1:
        lines = rng.sample(lines, rng.randrange(len(lines) + 1))
    elif action == 2:
        lines = lines[:1] + rng.choices(lines, k=len(lines))
    else:
        lines = lines[: rng.randrange(1, 6)]
    return b"\n".join(lines)


_DAMAGE: tuple[Callable[[bytes, random.Random], bytes], ...] = (
    *(_flip, _flip, _cut, _hole, _again, _insert, _field, _field, _field, _lines),
)


def leaf(words: tuple[str, ...]) -> click.Command:
    """Return the command that some words name."""
    found: click.Command = main
    for word in words:
        if not isinstance(found, click.Group) or word not in found.commands:
            break
        found = found.commands[word]
    return found


def option_words(words: tuple[str, ...], rng: random.Random) -> list[str]:
    """Return one or two options of a command with values that may be anything."""
    options = [option for option in _options(words) if option.name not in _WRITES]
    chosen = rng.sample(options, min(len(options), rng.choice((1, 1, 2))))
    jobs = [option for option in options if option.name == "n_jobs"]
    if jobs and rng.random() < 0.1:  # else hardly ever
        chosen = [*jobs, *(option for option in chosen if option not in jobs)]
    return [word for option in chosen for word in _typed(option, rng)]


def output_words(words: tuple[str, ...], rng: random.Random) -> list[str]:
    """Return one or two options that name files to write, anywhere."""
    options = [option for option in _options(words) if option.name in _WRITES]
    chosen = rng.sample(options, min(len(options), rng.choice((1, 1, 2))))
    made = [word for option in chosen for word in (option.opts[0], rng.choice(PLACES))]
    return [*made, *(["--force"] if rng.random() < 0.5 else [])]


def _options(words: tuple[str, ...]) -> list[click.Option]:
    return [
        option
        for option in leaf(words).params
        if isinstance(option, click.Option) and not option.is_eager
    ]


def _typed(option: click.Option, rng: random.Random) -> list[str]:
    name = option.opts[0]
    if option.is_flag:
        return [rng.choice([name, *option.secondary_opts])]
    return [name, *(_value(option, rng) for _ in range(option.nargs))]


def _value(option: click.Option, rng: random.Random) -> str:
    choices = getattr(option.type, "choices", None)
    if choices and rng.random() < 0.9:
        return str(rng.choice(list(choices)))
    if isinstance(option.type, click.types.StringParamType):
        return rng.choice([*WORDS, *NUMBERS])
    return rng.choice(NUMBERS if rng.random() < 0.95 else WORDS)
