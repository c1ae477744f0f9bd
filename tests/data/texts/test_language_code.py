"""Codes of languages: one short form for all that people write."""

import pytest

from detectable.core.errors import InputError
from detectable.data.texts.languages import _SHORT, LanguagePair, language_code, language_pair


@pytest.mark.parametrize(
    ("written", "short"),
    [
        *(("zh", "zh"), ("zho", "zh"), ("chi", "zh"), ("cmn", "zh"), ("ZH-Hant-TW", "zh")),
        *(("en-US", "en"), ("en_GB", "en"), ("eng", "en"), (" EN ", "en")),
        *(("cs", "cs"), ("ces", "cs"), ("cze", "cs"), ("ger", "de"), ("deu", "de")),
        *(("ice", "is"), ("isl", "is"), ("fre", "fr"), ("per", "fa"), ("slo", "sk")),
        *(("liv", "liv"), ("sah", "sah"), ("hsb", "hsb")),
        *(("un", "un"), ("und", "un"), ("mul", "un"), ("any", "un"), ("und-Latn", "un")),
    ],
)
def test_short_forms(written: str, short: str) -> None:
    assert language_code(written) == short


def test_the_table_of_codes_has_no_slip() -> None:
    shorts = set(_SHORT.values())
    assert len(shorts) == 185
    assert {len(short) for short in shorts} == {2}
    assert all(_SHORT[short] == short for short in shorts)
    assert {len(code) for code in _SHORT} == {2, 3}
    assert len(_SHORT) == 185 + 217


@pytest.mark.parametrize("written", ["xx", "Chinese", "z", "zh1", "", "qq-DE", "en us"])
def test_codes_that_nobody_knows(written: str) -> None:
    with pytest.raises(InputError) as failure:
        language_code(written)
    assert f"got {written!r}, which is none that is known" in str(failure.value)


def test_pairs() -> None:
    assert language_pair("zh-en") == LanguagePair("zh", "en")
    assert language_pair("en_US-zh_CN") == LanguagePair("en", "zh")
    assert language_pair("rus → sah") == LanguagePair("ru", "sah")
    assert str(language_pair("ger:fre")) == "de-fr"


@pytest.mark.parametrize("written", ["zh", "zh-en-de", "en-US-zh", ""])
def test_pairs_that_are_none(written: str) -> None:
    with pytest.raises(InputError, match="`language_pair` must name the source and the target"):
        language_pair(written)


@pytest.mark.parametrize("written", ["en-eng", "un-en", "de-und"])
def test_pairs_of_one_language(written: str) -> None:
    with pytest.raises(InputError, match="`language_pair` must name two different languages"):
        language_pair(written)
