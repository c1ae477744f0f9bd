"""Every word that the server and its scripts say: ``en.json``, and ``rating/`` for raters.

Organisers and planners read English, as the library writes it. The page of raters speaks the
languages of `PageLanguage`; all files of ``rating/`` have the same keys.
"""

import json
import re
from functools import cache
from importlib.resources import files

from detectable.core.choices import PageLanguage, words

_PLURAL = re.compile(r"\{(\w+), plural,((?: \w+ \{[^{}]*\})+)\}")
_FORM = re.compile(r" (\w+) \{([^{}]*)\}")


@cache
def strings() -> dict[str, str]:
    """Return the strings of all pages but that of raters, by their keys."""
    return _read("detectable.web.strings", "en")


@cache
def rating_strings(language: str) -> dict[str, str]:
    """Return the strings of the page of raters."""
    return _read("detectable.web.strings.rating", language)


def _read(package: str, name: str) -> dict[str, str]:
    found: dict[str, str] = json.loads(
        (files(package) / f"{name}.json").read_text(encoding="utf-8")
    )
    return found


def text(key: str, **values: object) -> str:
    """Return a string with its places filled.

    A place may choose by a number, as `Intl.PluralRules` does in scripts: ``{n, plural, one {# line}
    other {# lines}}``.

    Examples
    --------
    >>> text("refused.not_found")
    'There is nothing at this address.'
    >>> text("monitor.n_raters", n=1), text("monitor.n_raters", n=1200)
    ('1 rater', '1,200 raters')
    """
    said = strings()[key]
    return _PLURAL.sub(lambda found: _plural(found, values), said).format(**values)


def _plural(found: re.Match[str], values: dict[str, object]) -> str:
    """Return the form for a number, in English: one, or any other."""
    number, forms = values[found[1]], dict(_FORM.findall(found[2]))
    return str(forms["one" if number == 1 else "other"]).replace("#", f"{number:,}")


def for_scripts() -> dict[str, str]:
    """Return the strings that scripts may say."""
    return {key: said for key, said in strings().items() if key.startswith("script.")}


def page_language(asked: str) -> str:
    """Return the language that was asked for, if the page of raters speaks it, else the first.

    Examples
    --------
    >>> page_language("de"), page_language("tlh")
    ('de', 'en')
    """
    known = words(PageLanguage)
    return asked if asked in known else known[0]


def page_languages() -> dict[str, str]:
    """Return what each language calls itself."""
    return {one: rating_strings(one)["annotate.own_name"] for one in words(PageLanguage)}
