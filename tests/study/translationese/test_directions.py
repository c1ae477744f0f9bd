"""From original languages to directions."""

import pytest

from detectable.core.errors import InputError
from detectable.data.texts.languages import LanguagePair
from detectable.study.translationese.halves import DIRECTIONS, choose_pair, directions
from tests.study.translationese.planted import ZH_EN


def test_directions() -> None:
    written = ["zh", "zho", "en-US", "eng", "de", "un", "unknown", "zh"]
    found = [DIRECTIONS[code] for code in directions(written, ZH_EN)]
    assert found == [
        *("forward", "forward", "reverse", "reverse", "other", "other", "missing", "forward")
    ]
    turned = [DIRECTIONS[code] for code in directions(["zh", "en"], LanguagePair("en", "zh"))]
    assert turned == ["reverse", "forward"]


def test_a_code_that_nobody_knows_is_named() -> None:
    with pytest.raises(InputError, match="got 'Chinese', which is none that is known"):
        directions(["zh", "Chinese"], ZH_EN)


def test_the_pair_is_asked_for_or_named_by_the_data() -> None:
    assert choose_pair("en-zh", ["zh-en"]) == LanguagePair("en", "zh")
    assert choose_pair(None, ["zho-eng"]) == ZH_EN
    with pytest.raises(InputError, match=r"forward and reverse cannot be told\. Give it"):
        choose_pair(None, [])
    with pytest.raises(InputError, match=r"the data name zh-en, de-en\. Give"):
        choose_pair(None, ["zh-en", "de-en"])
