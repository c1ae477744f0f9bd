"""Battles in several languages: which they are, those in one of them, and what is refused."""

from pathlib import Path
from typing import Any

from detectable.data.battles.battles import Battles, one_language, pooled_languages
from detectable.data.battles.read_battles import read_battles
from tests.data.sample_files import fails, write

TABLE: dict[str, Any] = {
    "a": ["x", "y", "x", "z"],
    "b": ["y", "x", "z", "x"],
    "winner": ["a", "tie (bothbad)", "b", "tie (bothbad)"],
    "language": ["de", "fr", "de", "fr"],
}


def languages(battles: Battles) -> list[str]:
    return battles.names["language"].labels()


def test_one_language_forgets_the_battles_and_systems_of_the_others() -> None:
    battles = read_battles({**TABLE, "a": ["x", "y", "x", "w"]})
    kept = one_language(battles, "fr")
    assert (kept.systems, kept.outcome.tolist()) == (("x", "y", "w"), [0.5, 0.5])
    assert languages(kept) == ["fr", "fr"]
    assert kept.notes[-1] == "2 battles left out: battles in other languages."
    assert (battles.both_bad, kept.both_bad) == (2, 2)
    german = one_language(battles, "de")
    assert (german.systems, german.both_bad) == (("x", "y", "z"), 0)


def test_the_only_language_is_kept_whole() -> None:
    battles = read_battles({**TABLE, "language": ["de"] * 4})
    kept = one_language(battles, "de")
    assert (kept.n, kept.notes) == (4, battles.notes)
    assert pooled_languages(battles) == ()
    assert pooled_languages(read_battles({**TABLE, "language": [""] * 4})) == ()


def test_pooled_languages_are_named_with_their_votes_the_most_frequent_first() -> None:
    battles = read_battles({**TABLE, "language": ["fr", "de", None, "de"]})
    assert pooled_languages(battles) == (
        "Votes in several languages are pooled: de (2), not named (1), fr (1). `language` "
        "keeps one of them.",
    )
    assert "pooled: de (2), fr (2)." in pooled_languages(read_battles(TABLE))[0]
    names = [f"l{i:02}" for i in range(10)]
    many = read_battles(
        {"a": ["x"] * 10, "b": ["y"] * 10, "winner": ["a"] * 10, "lang_pair": names}
    )
    assert "l06 (1), l07 (1) and 2 more." in pooled_languages(many)[0]


def test_any_column_may_hold_the_language() -> None:
    table = {**TABLE, "tongue": ["en", "es", "en", "en"]}
    assert languages(read_battles(table)) == TABLE["language"]
    assert languages(read_battles(table, columns={"language": "tongue"})) == table["tongue"]
    with fails("there is no column 'speech' for the language"):
        read_battles(table, columns={"language": "speech"})


def test_languages_of_several_files_are_joined(tmp_path: Path) -> None:
    head = "model_a,model_b,winner"
    one = write(tmp_path, "1.csv", f"{head},language\nA,B,model_a,de\nA,B,both_bad,fr\n")
    two = write(tmp_path, "2.csv", f"{head},language\nB,A,tie,fr\n")
    none = write(tmp_path, "3.csv", f"{head}\nB,A,tie\n")
    both = read_battles([one, two])
    assert languages(both) == ["de", "fr", "fr"]
    assert one_language(both, "fr").both_bad == 1
    half = read_battles([none, one])
    assert languages(half) == ["", "de", "fr"]
    assert one_language(half, "de").n == 1
    assert half.both_bad == 1
    assert read_battles([none, none]).names == {}


def test_a_language_that_nobody_voted_in_is_refused_with_those_found() -> None:
    battles = read_battles({**TABLE, "language": ["fr", "de", None, "de"]})
    for wanted in ("en", ""):
        with fails(
            f"the battles: there is no battle in the language {wanted!r}. Found: de, fr."
        ):
            one_language(battles, wanted)
    without = {role: values for role, values in TABLE.items() if role != "language"}
    with fails(
        "the battles: there is no language to choose by. Say which column names it (--column "
        "language=NAME, columns={'language': …})."
    ):
        one_language(read_battles(without), "de")
