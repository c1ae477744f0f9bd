"""Battles as a table of their own, from every format that holds them."""

import zipfile
from pathlib import Path
from typing import Any

import numpy as np
import polars as pl
import pytest

from detectable.core.errors import InputError
from detectable.data.battles.battles import (
    Battles,
    join_battles,
    one_language,
    pooled_languages,
)
from detectable.data.battles.read_battles import is_battles, read_battles
from detectable.data.files.content import FileContent
from detectable.data.human.preferences import judgments_of, read_preferences
from detectable.data.reader import battle_readers
from tests.data.sample_files import SAMPLES, fails, write

pytestmark = pytest.mark.usefixtures("sound_parquet")

FOLDER = SAMPLES / "judgments"


def rows(battles: Battles) -> list[tuple[str, str, float]]:
    names = battles.systems
    return [
        (names[a], names[b], y)
        for a, b, y in zip(battles.a, battles.b, battles.outcome.tolist(), strict=True)
    ]


def test_battles_of_an_arena() -> None:
    battles = read_battles(FOLDER / "arena.csv")
    assert rows(battles) == [("A", "B", 1.0), ("B", "A", 0.5), ("A", "B", 0.0)]
    assert battles.prompt is not None
    assert battles.voter is not None
    assert battles.prompt.labels() == ["q1", "q2", "q3"]
    assert battles.voter.labels() == ["v1", "v2", "v1"]
    assert (battles.sided, battles.both_bad, battles.weight) == (True, 1, None)
    assert battles.lines is not None
    assert list(battles.lines) == [2, 3, 4]
    assert battles.notes == (
        "1 battle left out: battles in which the names of the models were shown (anony is false).",
        "1 battle in which both are bad counted as ties.",
    )
    assert battles.names["language"].levels == ("English",)


def test_a_column_for_each_outcome(tmp_path: Path) -> None:
    path = tmp_path / "kaggle.parquet"
    columns: dict[str, Any] = {
        "id": [7, 8, 9],
        "model_a": ["A", "A", "A"],
        "model_b": ["B", "C", "B"],
        "winner_model_a": [0, 0, 0],
        "winner_model_b": [1, 0, 0],
        "winner_tie": [0, 1, 0],
    }
    pl.DataFrame(columns).write_parquet(path)
    battles = read_battles(path)
    assert rows(battles) == [("A", "B", 0.0), ("A", "C", 0.5)]
    assert battles.notes == ("1 battle left out: comparisons without an outcome.",)
    pl.DataFrame({**columns, "winner_tie": [1, 1, 0]}).write_parquet(path)
    with fails("kaggle.parquet, row 1: 2 outcomes are marked; expected one."):
        read_battles(path)


def test_any_table_with_two_systems_and_a_winner() -> None:
    table = {"a": ["x", "y", "x"], "b": ["y", "z", "z"], "winner": ["x", "Tie", "b"]}
    assert rows(read_battles(table)) == [("x", "y", 1.0), ("y", "z", 0.5), ("x", "z", 0.0)]
    numbers = {"system_a": ["x", "y"], "system_b": ["y", "x"], "outcome": [1, 0.5]}
    assert read_battles(numbers).outcome.tolist() == [1.0, 0.5]
    chosen = {
        "left": ["x"],
        "right": ["y"],
        "vote": ["left one"],
        "q": ["p1"],
        "who": ["v"],
        "w": [2],
    }
    with fails("expected model_a, model_b, tie", "found 'left one'"):
        columns = {"a": "left", "b": "right", "winner": "vote"}
        read_battles(chosen, columns=columns)
    chosen["vote"] = ["b"]
    roles = {**columns, "prompt": "q", "voter": "who", "weight": "w"}
    battles = read_battles(chosen, columns=roles)
    assert battles.weights.tolist() == [2.0]
    assert battles.prompt is not None
    assert battles.prompt.levels == ("p1",)
    with pytest.raises(
        InputError, match="`columns` must choose a, b, winner, prompt, voter, weight"
    ):
        read_battles(chosen, columns={"model": "left"})
    with fails("there is no column for model_b"):
        read_battles({"a": ["x"], "winner": ["a"]})
    with fails("there is no column for winner"):
        read_battles({"a": ["x"], "b": ["y"]})


def test_prompts_are_known_by_their_text_before_their_number() -> None:
    talk = [
        [{"role": "user", "content": text}, {"role": "assistant", "content": str(i)}]
        for i, text in enumerate(["Hi.", "Hi.", "Bye."])
    ]
    table = {"model_a": ["A"] * 3, "model_b": ["B"] * 3, "winner": ["tie"] * 3}
    by_talk = read_battles({**table, "conversation_a": talk}).prompt
    assert by_talk is not None
    assert by_talk.labels() == ["Hi.", "Hi.", "Bye."]
    both = read_battles(
        {**table, "question_id": [1, 2, 3], "prompt": ["a b", "a b", "c " * 60]}
    )
    assert both.prompt is not None
    assert both.prompt.n_levels == 2
    assert both.names["item"].labels() == ["1", "2", "3"]
    assert len(both.prompt.levels[1]) < 60
    own = read_battles({**table, "prompt": ["Hi."] * 3, "item": ["i", "j", "k"]})
    assert own.names["item"].labels() == ["i", "j", "k"]


def test_conversations_of_a_parquet_file(tmp_path: Path) -> None:
    talk = [[{"role": "user", "content": text}] for text in ("Hi.", "Hi.")]
    path = tmp_path / "talks.parquet"
    columns = {"model_a": ["A", "B"], "model_b": ["B", "A"], "winner": ["tie", "model_a"]}
    pl.DataFrame({**columns, "conversation_a": talk}).write_parquet(path)
    battles = read_battles(path)
    assert battles.prompt is not None
    assert battles.prompt.levels == ("Hi.",)


def test_arena_hard_is_one_battle_a_question_and_keeps_what_the_tool_counts() -> None:
    battles = read_battles(FOLDER / "arena_hard.jsonl")
    assert rows(battles) == [("new", "old", 1.0), ("new", "old", 0.25), ("new", "old", 0.0)]
    assert not battles.sided
    counted = battles.counted_by_tool
    assert counted is not None
    assert counted.outcome.tolist() == [1.0, 1.0, 0.0, 0.5, 0.0]
    assert counted.weights.tolist() == [3.0, 1.0, 1.0, 1.0, 1.0]
    assert counted.prompt is not None
    assert counted.prompt.labels() == ["u1", "u1", "u2", "u2", "u3"]


def test_mt_bench_and_alpaca_eval() -> None:
    bench = read_battles(FOLDER / "mt_bench_pair.jsonl")
    assert rows(bench) == [("A", "B", 1.0), ("A", "B", 0.5)]
    assert bench.prompt is not None
    assert bench.prompt.labels() == ["81", "82"]
    assert bench.notes == ("1 battle left out: comparisons without an outcome.",)
    alpaca = read_battles(FOLDER / "alpaca_eval.json")
    assert rows(alpaca) == [("mine", "ref", 0.75), ("mine", "ref", 0.5)]
    assert alpaca.notes == ("1 battle left out: comparisons without an outcome.",)
    for name in ("arena.csv", "arena_hard.jsonl", "mt_bench_pair.jsonl", "alpaca_eval.json"):
        assert is_battles(FileContent(FOLDER / name))
    assert not is_battles(FileContent(FOLDER / "table.csv"))
    with pytest.raises(
        InputError, match="`covariates` does not apply to the format 'mt-bench'"
    ):
        read_battles(FOLDER / "mt_bench_pair.jsonl", covariates=["length"])


def test_covariates_of_counts_are_relative_and_of_others_plain() -> None:
    table = {"a": ["x"] * 3, "b": ["y"] * 3, "winner": ["a"] * 3}
    lengths = {"length_a": [30, 0, 5], "length_b": [10, 0, 15]}
    found = read_battles({**table, **lengths}, covariates=["length"]).covariates["length"]
    assert found.tolist() == [0.5, 0.0, -0.5]
    signed = {"tone_a": [-1.0, 2.0, 0.0], "tone_b": [1.0, 1.0, 1.0], "gap": [1, 2, 3]}
    both = read_battles({**table, **signed}, covariates=["tone", "gap"]).covariates
    assert both["tone"].tolist() == [-2.0, 1.0, -1.0]
    assert both["gap"].tolist() == [1.0, 2.0, 3.0]
    with fails("there is no column for the covariate 'length'. It needs length_a and length_b"):
        read_battles(table, covariates=["length"])
    with fails("row 1 (from 0), column 'length_b': the covariate is missing"):
        read_battles({**table, **lengths, "length_b": [1, None, 2]}, covariates=["length"])
    with fails("expected a finite number, found 'long'"):
        read_battles({**table, **lengths, "length_b": [1, "long", 2]}, covariates=["length"])


def test_what_is_wrong_is_named_with_its_place(tmp_path: Path) -> None:
    text = "model_a,model_b,winner\nA,B,model_a\nA,A,tie\nB,,model_a\nC,C,tie\n"
    with fails(
        "b.csv has 2 problems",
        "b.csv, line 4: the name of a system is missing",
        "b.csv, line 3: a battle of 'A' with itself says nothing (2 rows in all). Drop the row.",
    ):
        read_battles(write(tmp_path, "b.csv", text))
    for wrong in (1.001, -0.001):
        with fails(f"an outcome lies between 0 and 1; found {wrong}"):
            Battles.build(["x"], ["y"], [wrong])
    with fails("a weight must be a number above 0; found 0"):
        Battles.build(["x"], ["y"], [1.0], weight=[0.0])
    assert Battles.build(["x"], ["y"], [1.0], weight=[0.001]).weights.tolist() == [0.001]
    with fails("row 1 (from 0): the voter is missing"):
        Battles.build(["x", "x"], ["y", "y"], [1.0, 0.0], voter=["v", ""])
    with fails("there is no battle"):
        Battles.build([], [], [])
    with pytest.raises(InputError, match="`b` must have as many rows as `a`; got 1 and 2"):
        Battles.build(["x", "y"], ["y"], [1.0, 0.0])
    with fails("b.csv: there is no battle in the file. 1 battle left out"):
        read_battles(write(tmp_path, "b.csv", "model_a,model_b,winner,anony\nA,B,tie,false\n"))
    with fails("e.csv: the file is empty. Give a file with battles."):
        read_battles(write(tmp_path, "e.csv", ""))
    with fails("this is a folder. Name the files in it"):
        read_battles(tmp_path)
    with fails("there is no file of battles"):
        read_battles([])


def test_battles_are_immutable() -> None:
    battles = Battles.build(["x"], ["y"], [1.0], weight=[2.0])
    for column in (battles.a, battles.outcome, battles.weights):
        with pytest.raises(ValueError, match="read-only"):
            column[0] = 0


def test_some_battles_forget_the_systems_that_are_gone() -> None:
    battles = Battles.build(
        ["x", "y", "z"], ["y", "z", "x"], [1.0, 0.5, 0.0], weight=[1, 2, 3], prompt=["p", "q", "p"],
        voter=["u", "v", "w"], covariates={"c": np.arange(3.0)}, lines=[2, 3, 4],
    )  # fmt: skip
    cut = battles.take(np.array([2]))
    assert rows(cut) == [("z", "x", 0.0)]
    assert cut.systems == ("x", "z")
    assert cut.lines == [4]
    assert cut.weights.tolist() == [3.0]
    assert cut.covariates["c"].tolist() == [2.0]
    assert cut.prompt is not None
    assert cut.voter is not None
    assert (cut.prompt.levels, cut.voter.levels) == (("p",), ("w",))


def test_several_files_are_joined(tmp_path: Path) -> None:
    one = write(tmp_path, "1.csv", "prompt,model_a,model_b,winner\np,A,B,model_a\n")
    two = write(tmp_path, "2.csv", "prompt,model_a,model_b,winner\np,C,A,both_bad\n")
    both = read_battles([one, two])
    assert rows(both) == [("A", "B", 1.0), ("C", "A", 0.5)]
    assert (both.sided, both.both_bad) == (True, 1)
    assert both.prompt is not None
    assert both.prompt.levels == ("p",)
    assert both.notes[0].endswith("2.csv: 1 battle in which both are bad counted as ties.")
    other = write(tmp_path, "3.csv", "model_a,model_b,winner\nA,B,model_a\n")
    with fails("3.csv does not say the prompt, which", "1.csv does"):
        read_battles([one, other])
    assert join_battles([both]) is both
    assert read_battles(both) is both


def test_the_formats_are_described() -> None:
    assert battle_readers().names() == (
        "alpaca-eval",
        "arena",
        "arena-hard",
        "mt-bench",
        "table",
    )
    with pytest.raises(InputError, match="`format` must be one of auto, alpaca-eval, arena"):
        read_battles({"a": ["x"]}, format="elo")


def test_the_same_battles_as_judgments() -> None:
    battles = Battles.build(
        ["x", "y"], ["y", "z"], [1.0, 0.5], voter=["v", "v"], rows=np.array([4, 9])
    )
    judgments = judgments_of(battles)
    assert judgments.item.labels() == ["4", "4", "9", "9"]  # no prompt: the row of the file
    assert judgments.score.tolist() == [1.0, 0.0, 0.5, 0.5]
    assert judgments.rater is not None
    assert judgments.rater.levels == ("v",)


def test_a_plan_by_preference_reads_battles_of_its_two_systems(tmp_path: Path) -> None:
    text = (
        "prompt,model_a,model_b,winner\np,new,old,model_a\nq,old,new,tie\nq,new,mid,model_a\n"
    )
    path = write(tmp_path, "b.csv", text)
    judgments = read_preferences(path, ["new", "old"])
    assert judgments.system.labels() == ["new", "old", "old", "new"]
    assert judgments.score.tolist() == [1.0, 0.0, 0.5, 0.5]
    assert "1 battle left out: battles of other systems." in judgments.notes
    table = {"a": ["new", "old"], "b": ["old", "new"], "winner": ["new", "new"], "item": [1, 2]}
    assert read_preferences(table, ["new", "old"]).score.tolist() == [1.0, 0.0, 0.0, 1.0]
    with fails("no battle of 'new' and 'none'; found new, old, mid"):
        read_preferences(path, ["new", "none"])
    plain = {"item": [1], "winner": ["new"]}  # the table without the two systems, as before
    assert read_preferences(plain, ["new", "old"]).score.tolist() == [1.0, 0.0]


def test_joined_judgments_of_arena_hard_keep_what_the_tool_counts(tmp_path: Path) -> None:
    path = FOLDER / "arena_hard.jsonl"
    other = tmp_path / "more.jsonl"
    other.write_text(path.read_text().replace(': "u', ': "w'))
    one, both = read_battles(path), read_battles([path, other])
    assert one.counted_by_tool is not None
    assert both.counted_by_tool is not None
    assert both.counted_by_tool.weights.tolist() == one.counted_by_tool.weights.tolist() * 2
    assert both.counted_by_tool.outcome.tolist() == one.counted_by_tool.outcome.tolist() * 2


def test_strong_verdicts_of_arena_hard_win_once_and_are_counted_three_times(
    tmp_path: Path,
) -> None:
    words = ("A>>B", "A>B", "A=B", "B>A", "B>>A")
    lines = [
        f'{{"uid": {i}, "model": "m", "games": [{{"score": ""}}, {{"score": "{word}"}}]}}'
        for i, word in enumerate(words)
    ]
    battles = read_battles(write(tmp_path, "h.jsonl", "\n".join(lines)))
    assert battles.systems == ("m", "baseline")
    assert battles.outcome.tolist() == [1.0, 1.0, 0.5, 0.0, 0.0]  # the model is A in the second
    assert battles.counted_by_tool is not None
    assert battles.counted_by_tool.weights.tolist() == [3.0, 1.0, 1.0, 1.0, 3.0]


@pytest.mark.parametrize(
    "entry",
    [
        '{"games": [], "uid": 1}',
        '{"model": "m", "games": "none"}',
        '{"model": "m", "games": [{"score": "A>B"}, {"score": "A>B"}, {"score": "A>B"}]}',
    ],
)
def test_what_is_no_line_of_arena_hard_is_named(entry: str, tmp_path: Path) -> None:
    good = '{"uid": 1, "model": "m", "games": [{"score": "A>B"}]}'
    path = write(tmp_path, "h.jsonl", f"{good}\n{entry}\n")
    with fails("h.jsonl, line 2: expected a model with two games, found "):
        read_battles(path)


@pytest.mark.parametrize(
    ("judge", "named"),
    [('["gpt-4", "pair-v2"]', ["gpt-4"]), ('"gpt-4"', ["gpt-4"]), ("[]", None), ("", None)],
)
def test_a_pair_of_mt_bench_needs_neither_turn_nor_judge(
    judge: str, named: list[str] | None, tmp_path: Path
) -> None:
    pair = '"question_id": 5, "model_1": "A", "model_2": "B", "g1_winner": "model_2"'
    more = f', "judge": {judge}' if judge else ""
    path = write(tmp_path, "p.jsonl", f'{{{pair}, "g2_winner": "model_2"{more}}}\n')
    battles = read_battles(path)
    assert rows(battles) == [("A", "B", 0.0)]
    assert battles.names["item"].labels() == ["5:1"]
    assert (battles.voter and battles.voter.labels()) == named


def test_a_model_without_games_is_not_arena_hard(tmp_path: Path) -> None:
    reader = battle_readers().get("arena-hard")
    for text, known in (('{"model": "A", "games": []}', True), ('{"model": "A"}', False)):
        assert reader.recognise(FileContent(write(tmp_path, "x.jsonl", text))) == known


def test_who_names_a_column_has_a_table_unless_a_format_is_named(tmp_path: Path) -> None:
    path = write(tmp_path, "b.csv", "model_a,model_b,who\nA,B,model_a\nB,A,tie\n")
    assert read_battles(path, columns={"winner": "who"}).n == 2
    with pytest.raises(InputError, match=r"does not apply to the format 'arena-hard'"):
        read_battles(path, format="arena-hard", columns={"winner": "who"})


# --- Battles in several languages: which they are, those in one of them, and what is refused ---

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


def test_an_archive_is_not_taken_for_an_empty_file(tmp_path: Path) -> None:
    path = tmp_path / "battles.zip"
    with zipfile.ZipFile(path, "w") as archive:
        archive.writestr("battles.csv", "a,b,winner\nx,y,a\n")
    with fails("battles.zip: this is a ZIP archive. Unpack it, and name the files in it."):
        read_battles(path)
