"""The scripts of the explorer: one home for each name, no word of their own, nothing that makes markup."""

import json
import re
from collections import Counter
from importlib.resources import files

import pytest

from detectable.cli import rerun as segments_again
from detectable.core.errors import InputError
from detectable.report.explore import page as modules
from detectable.report.explore.page import module_names, one_script, source, strings
from detectable.report.saved.kinds import KINDS
from detectable.report.saved.load import SCHEMA

STATIC = files("detectable.report.explore") / "static"
SCRIPTS = sorted(file.name for file in STATIC.iterdir() if file.name.endswith(".js"))
_DECLARED = re.compile(r"^(?:export )?(?:async )?(?:function|const|let|class) (\w+)", re.M)
_COMMENT = re.compile(r"^\s*//.*$|(?<=[;{,]) //.*$", re.M)
_CLASSES = re.compile(r'class: ["`][^"`]*["`]')
_LITERAL = re.compile(r'"((?:[^"\\\n]|\\.)*)"|`((?:[^`\\]|\\.)*)`')


def test_every_script_is_used_and_comes_after_what_it_needs() -> None:
    names = module_names()
    assert sorted(names) == SCRIPTS
    for place, name in enumerate(names):
        needed = re.findall(r'from "\./([a-z]+\.js)"', source(name))
        assert set(needed) <= set(names[:place])


def test_as_one_script_no_name_is_declared_twice_and_none_is_imported() -> None:
    script = one_script()
    twice = [name for name, n in Counter(_DECLARED.findall(script)).items() if n > 1]
    assert twice == []
    assert not re.search(r"^(import|export) ", script, re.M)


def test_modules_that_need_each_other_are_refused(monkeypatch: pytest.MonkeyPatch) -> None:
    texts = {
        "main.js": 'import { a } from "./a.js";\n',
        "a.js": 'import { b } from "./main.js";\n',
    }
    monkeypatch.setattr(modules, "source", texts.__getitem__)
    with pytest.raises(InputError, match=r"main\.js → a\.js → main\.js"):
        module_names()


@pytest.mark.parametrize("name", SCRIPTS)
def test_a_script_says_nothing_of_its_own(name: str) -> None:
    code = _CLASSES.sub("", _COMMENT.sub("", source(name)))
    found = [first or second for first, second in _LITERAL.findall(code)]
    said = [
        text
        for text in found
        if re.search(r"[A-Za-z]{2,} [A-Za-z]{2,}", re.sub(r"\$\{[^}]*\}", "", text))
        or re.match(r"[A-Z][a-z]+", text)
    ]
    assert [text for text in said if text not in KINDS] == []


@pytest.mark.parametrize("name", SCRIPTS)
def test_a_script_makes_text_and_never_markup_and_sends_nothing(name: str) -> None:
    code = _COMMENT.sub("", source(name))
    forbidden = (
        r"innerHTML|outerHTML|insertAdjacentHTML|document\.write|\beval\(|new Function|"
        r"\bfetch\(|XMLHttpRequest|sendBeacon|WebSocket|EventSource|localStorage|srcdoc|"
        r"createContextualFragment|setHTML"
    )
    assert re.findall(forbidden, code) == []


@pytest.mark.parametrize("name", SCRIPTS)
def test_a_script_stays_small(name: str) -> None:
    assert len(source(name).splitlines()) <= 400


def test_every_string_is_said_and_every_key_is_there() -> None:
    known = strings()
    code = one_script() + (
        files("detectable.report.explore") / "templates" / "explore.html.j2"
    ).read_text("utf-8")
    asked = set(re.findall(r'\bsay\("([\w.-]+)"|say\["([\w.-]+)"\]', code))
    flat = {first or second for first, second in asked}
    assert flat <= known.keys()
    counted = set(re.findall(r'sayCount\("([\w.-]+)"', code))
    assert {f"{key}.{form}" for key in counted for form in ("one", "other")} <= known.keys()
    stems = set(re.findall(r"`([a-z.-]+)\.\$\{", code))
    quoted = set(re.findall(r'"([a-z][a-z.-]+)"', code))
    unused = [
        key
        for key in known
        if key not in flat | quoted and key.rsplit(".", 1)[0] not in stems | counted
    ]
    assert unused == []


def test_the_strings_are_flat_and_plain() -> None:
    read = json.loads((files("detectable.report.explore") / "strings.json").read_text("utf-8"))
    assert all(isinstance(value, str) and value.strip() for value in read.values())
    assert not any("<" in value for value in read.values())


def test_the_browser_reads_the_format_that_is_written() -> None:
    assert f"export const FORMAT = {SCHEMA};" in source("read.js")


def test_the_browser_knows_whose_segments_are_read_again() -> None:
    known = re.search(r"const SEGMENTED = new Set\(\[(.*?)\]\)", source("read.js"))
    assert known
    assert set(re.findall(r'"(\w+)"', known[1])) == set(segments_again._READERS)
