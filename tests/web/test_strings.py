"""All words of pages and scripts are in files of strings, and raters read theirs in every language."""

import json
import re
from pathlib import Path

import pytest

import detectable.web
from detectable.core.choices import CampaignMode, CampaignProtocol, PageLanguage, words
from detectable.web.strings import page_language, page_languages, rating_strings, strings, text

WEB = Path(detectable.web.__file__).parent
TEMPLATES = sorted((WEB / "templates").glob("*.j2"))
FILES = sorted((WEB / "strings").rglob("*.json"))
SCRIPTS = sorted((WEB / "static").glob("*.js"))
_JINJA = re.compile(r"\{%.*?%\}|\{\{.*?\}\}|\{#.*?#\}", re.DOTALL)
_SEEN = ("alt", "aria-label", "aria-valuetext", "placeholder", "title", "value")
_LITERAL = re.compile(r"\"([^\"\\\n]*)\"|'([^'\\\n]*)'|`([^`]*)`")
_COMMENT = re.compile(r"^\s*//.*$|\s//\s.*$", re.MULTILINE)


@pytest.mark.parametrize("path", TEMPLATES, ids=lambda p: p.name)
def test_templates_hold_no_words(path: Path) -> None:
    plain = _JINJA.sub("", path.read_text(encoding="utf-8"))
    between = re.sub(r"<[^>]*>", "", plain)
    assert not re.search(r"[A-Za-z]{2,}", between), between.split()
    for name in _SEEN:
        for said in re.findall(rf'\s{name}="([^"]*)"', plain):
            assert not re.search(r"[A-Za-z]{2,}", said), said


@pytest.mark.parametrize("path", SCRIPTS, ids=lambda p: p.name)
def test_scripts_hold_no_sentences(path: Path) -> None:
    code = _COMMENT.sub("", path.read_text(encoding="utf-8"))
    for found in _LITERAL.finditer(code):
        said = re.sub(
            r"\$\{[^}]*\}", "", next(part for part in found.groups() if part is not None)
        )
        if said.startswith(("/", "./")):  # an address
            continue
        words = re.findall(r"[A-Za-z_]{2,}", said)
        is_selector = re.search(r"[\[\].#:*]|^[a-z, ]+$", said)
        assert len(words) < 2 or is_selector or "/" in said or "-" in said, said
        assert not re.search(r"[a-z] [a-z]+ [a-z]|[a-z][.!?]$", said), said


_MADE = (
    "check.",
    "code_for.",
    "cost.",
    "decided.",
    "degrade.",
    "decision.",
    "files.",
    "guide.",
    "mode.",
    "monitor.says_",
    "panel.",
    "pilot.",
    "remark.",
    "points.",
    "protocol.",
    "refused.",
    "reveal.",
    "rule.",
    "script.mark_",
    "script.pair_",
    "script.rate_",
    "script.try_",
    "state.",
    "test.",
    "weights.",
)


def used_keys() -> set[str]:
    files = [*TEMPLATES, *SCRIPTS, *WEB.rglob("*.py")]
    source = "\n".join(path.read_text(encoding="utf-8") for path in files)
    return set(re.findall(r"""["'](\w+\.\w+)["']""", source))


def test_every_string_is_used_and_every_key_exists() -> None:
    known = {*strings(), *rating_strings("en")}
    assert not set(strings()) & set(rating_strings("en"))  # each word has one home
    made = {key for key in known if key.startswith(_MADE)}  # names put together
    assert known - made <= used_keys()
    asked = {
        key for key in used_keys() if key.split(".")[0] in {k.split(".")[0] for k in known}
    }
    assert asked <= known


@pytest.mark.parametrize("path", FILES, ids=lambda p: f"{p.parent.name}/{p.name}")
def test_the_file_is_flat_sorted_and_plain(path: Path) -> None:
    raw = path.read_text(encoding="utf-8")
    found = json.loads(raw)
    assert list(found) == sorted(found)
    assert all(
        isinstance(said, str) and said.strip() == said and said for said in found.values()
    )
    assert "<" not in raw


def test_places_are_filled() -> None:
    assert text("design.name", name="A") == "Design A"


@pytest.mark.parametrize(
    ("n", "said"), [(0, "0 raters"), (1, "1 rater"), (2, "2 raters"), (1200, "1,200 raters")]
)
def test_numbers_choose_their_words(n: int, said: str) -> None:
    assert text("monitor.n_raters", n=n) == said


# The page of raters, in every language.

_PLACE = re.compile(r"\{(\w+)(?=[,}])")


@pytest.mark.parametrize("language", words(PageLanguage))
def test_every_language_has_all_words_and_places(language: str) -> None:
    english, found = rating_strings("en"), rating_strings(language)
    assert set(found) == set(english)
    for key, said in found.items():
        assert set(_PLACE.findall(said)) == set(_PLACE.findall(english[key])), key
        assert ("plural" in said) == ("plural" in english[key]), key
        assert said.count("{") == said.count("}")
        assert re.match(r".*, plural,.* other \{", said) or "plural" not in said, key


def test_languages_are_those_that_can_be_chosen() -> None:
    found = {path.stem for path in (WEB / "strings" / "rating").glob("*.json")}
    assert found == set(words(PageLanguage))
    names = page_languages()
    assert list(names) == list(words(PageLanguage))
    assert len(set(names.values())) == len(names)
    assert [page_language(tag) for tag in ("ja", "", "xx", "../en")] == ["ja", "en", "en", "en"]


@pytest.mark.parametrize("language", [one for one in words(PageLanguage) if one != "en"])
def test_little_is_left_in_english(language: str) -> None:
    english, found = rating_strings("en"), rating_strings(language)
    same = {key for key, said in found.items() if said == english[key]}
    assert same <= {f"script.rate_{name}" for name in ("left", "right", "source", "text")}


def test_no_script_makes_markup_or_code_of_text() -> None:
    for path in SCRIPTS:
        code = path.read_text(encoding="utf-8")
        assert not re.search(
            r"innerHTML\s*=|insertAdjacentHTML|document\.write|\beval\(|new Function", code
        )
        assert not re.search(r"https?://", code)


def test_raters_are_asked_in_every_protocol_and_mode() -> None:
    known = rating_strings("en")
    for protocol in words(CampaignProtocol):
        assert {f"script.rate_guide_{protocol}{end}" for end in ("", "_alone")} <= known.keys()
        for mode in words(CampaignMode):
            assert f"script.rate_question_{protocol}_{mode}" in known
