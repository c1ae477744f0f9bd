import dataclasses

import pytest

from detectable.data.texts.corpus import Corpus
from detectable.data.texts.inspect_corpus import Finding, inspect_corpus
from detectable.data.texts.text_table import read_text_table
from tests.helpers import reference_data

GOOD = [
    "The cat sleeps on the old mat.",
    "It rains again, and again.",
    "Good night to you all.",
]
OTHER = [
    "A cat sleeps on some old mat.",
    "Rain comes again, and stays.",
    "Sleep well, you all.",
]
THIRD = ["One cat is asleep on a mat.", "Again and again, it rains.", "Have a good night, all."]


def findings(kind: str, corpus: Corpus, *, tokenizing: bool = True) -> list[Finding]:
    return [f for f in inspect_corpus(corpus, tokenizing=tokenizing) if f.kind == kind]


def test_a_clean_corpus_has_no_finding() -> None:
    corpus = Corpus.build({"A": OTHER, "B": THIRD}, GOOD, sources=["a", "b", "c"])
    assert inspect_corpus(corpus, tokenizing=True) == ()


def test_empty_outputs_are_counted_and_the_file_is_named() -> None:
    corpus = Corpus.build({"A": [OTHER, ["x", "", " "]]}, GOOD)
    named = dataclasses.replace(corpus, files={"A": ("a.1", "a.2")})
    found = inspect_corpus(named, tokenizing=False)
    empty = next(f for f in found if f.kind == "empty-output")
    assert (empty.system, empty.line) == ("A", 2)
    assert empty.message == (
        "system 'A', run 2 (a.2) has an empty output in 2 of 3 lines, first in line 2. "
        "Was a line lost?"
    )


def test_empty_references_are_found_only_where_all_are_empty() -> None:
    corpus = Corpus.build({"A": OTHER}, [["", "", GOOD[2]], [GOOD[0], " ", None]])
    (found,) = findings("empty-reference", corpus)
    assert (found.system, found.line) == (None, 2)
    assert "the references are empty in 1 of 3 lines, first in line 2" in found.message


def test_copied_runs_and_systems_are_found() -> None:
    corpus = Corpus.build({"A": [OTHER, OTHER], "B": [OTHER]}, GOOD)
    assert findings("identical-runs", corpus)[0].message.startswith(
        "system 'A', run 1 and system 'A', run 2 have identical outputs. Give each run"
    )
    (systems,) = findings("identical-systems", corpus)
    assert systems.message.startswith(
        "system 'A', run 1 and system 'B' have identical outputs."
    )
    (runs,) = findings("unequal-runs", corpus)
    assert "'A' has 2 runs, 'B' has 1 run. Was a run lost?" in runs.message


def test_an_output_that_is_the_reference_is_found() -> None:
    corpus = Corpus.build({"A": GOOD, "B": [GOOD[0], GOOD[1], "x"]}, [OTHER, GOOD])
    whole, part = findings("equals-reference", corpus)
    assert "system 'A' equals reference 2 in 3 of 3 lines, first in line 1" in whole.message
    assert "system 'B' equals reference 2 in 2 of 3 lines" in part.message


def test_short_lines_may_equal_the_reference() -> None:
    corpus = Corpus.build({"A": ["Paris", "2024", OTHER[2]]}, ["Paris", "2024", GOOD[2]])
    assert findings("equals-reference", corpus) == []


def test_untranslated_lines_are_found() -> None:
    corpus = Corpus.build({"A": OTHER}, GOOD, sources=["Die Katze", OTHER[1], "Gute Nacht"])
    (found,) = findings("source-copied", corpus)
    assert (found.system, found.line) == ("A", 2)
    assert "repeats the source in 1 of 3 lines, first in line 2" in found.message


TOKENISED = ["The cat sleeps .", "It rains , again .", "Good night !"]


def test_tokenised_text_is_found_in_three_lines_if_the_metric_tokenises() -> None:
    corpus = Corpus.build({"A": TOKENISED}, TOKENISED[::-1])
    reference, output = findings("tokenised", corpus)
    assert (reference.system, reference.line) == (None, 2)
    assert (output.system, output.line) == ("A", 1)
    assert (
        "system 'A' looks tokenised: a space before the comma or the full stop in 2 of 3"
        in (output.message)
    )
    assert findings("tokenised", corpus, tokenizing=False) == []


def test_a_few_odd_lines_are_no_tokenised_text_but_a_hundred_are() -> None:
    few = Corpus.build({"A": [*TOKENISED[:2], *OTHER * 2]}, GOOD * 2 + OTHER[:2])
    assert findings("tokenised", few) == []
    chinese = Corpus.build({"A": ["ok .", *["你好，世界。"] * 200]}, ["你好。"] * 201)
    assert findings("tokenised", chinese) == []
    many = Corpus.build({"A": ["Yes ."] * 100 + ["Yes."] * 900}, ["No."] * 1000)
    assert len(findings("tokenised", many)) == 1


def test_subword_marks_are_found() -> None:
    corpus = Corpus.build({"A": ["a ca@@ t", *OTHER[1:]], "B": ["\u2581a", *OTHER[1:]]}, GOOD)
    assert [f.system for f in findings("subwords", corpus)] == ["A", "B"]


def test_lower_case_is_found_on_either_side() -> None:
    lower = [line.lower() for line in OTHER]
    (output,) = findings("lowercased", Corpus.build({"A": lower, "B": THIRD}, GOOD))
    assert output.message == (
        "system 'A' is all in lower case, the references are not. Truecase it."
    )
    (reference,) = findings("lowercased", Corpus.build({"A": THIRD}, lower))
    assert reference.message.startswith(
        "reference 1 is all in lower case, some outputs are not"
    )
    assert findings("lowercased", Corpus.build({"A": lower}, lower)) == []
    caseless = Corpus.build({"A": ["你好", "世界"]}, ["Hello", "World"])
    assert findings("lowercased", caseless) == []


@pytest.mark.golden
def test_two_systems_of_wmt21_are_the_same_output() -> None:
    """KwaiNLP and XMU agree in all 1,005 lines of the released Japanese-English outputs."""
    corpus = read_text_table(reference_data("data", "wmt", "wmt21_jaen_texts.parquet"))
    (found,) = inspect_corpus(corpus, tokenizing=True)
    assert found.kind == "identical-systems"
    assert "'KwaiNLP' and system 'XMU'" in found.message
