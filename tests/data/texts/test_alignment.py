"""Where outputs and references do not belong together: found, named, and never in good data."""

import time
from collections import Counter
from collections.abc import Callable, Iterator
from itertools import islice
from typing import NamedTuple

import numpy as np
import pytest

from detectable.core.errors import DataError
from detectable.data.example.bundled import example_corpus
from detectable.data.texts import alignment
from detectable.data.texts.alignment import Misfit, _script, find_misfits
from detectable.data.texts.corpus import Corpus
from detectable.data.texts.inspect_corpus import check_texts, inspect_corpus
from detectable.data.texts.read_corpus_file import read_corpus_file
from detectable.study.comparison.compare import compare
from tests.helpers import reference_data

N = 200
ENGLISH = ["house", "river", "stone", "window", "garden", "letter", "winter", "bridge"]
FINNISH = ["talo", "joki", "kivi", "ikkuna", "puutarha", "kirje", "talvi", "silta"]
RUSSIAN = ["дом", "река", "камень", "окно", "сад", "письмо", "зима", "мост"]


def texts(words: list[str], seed: int, n: int = N) -> list[str]:
    """Return sentences whose words are drawn; one seed gives translations of each other."""
    rng = np.random.default_rng(seed)
    return [" ".join(drawn(words, rng) for _ in range(12)) for _ in range(n)]


def drawn(words: list[str], rng: np.random.Generator) -> str:
    """Return one of 512 words: three, put together."""
    return "".join(words[i] for i in rng.integers(8, size=3))


REFERENCE = texts(ENGLISH, 1)


def noisy(lines: list[str], seed: int) -> list[str]:
    """Return the lines with every third word another one, as a system might translate them."""
    rng = np.random.default_rng(seed)
    return [
        " ".join(w if rng.random() < 2 / 3 else drawn(ENGLISH, rng) for w in line.split())
        for line in lines
    ]


A, B = noisy(REFERENCE, 2), noisy(REFERENCE, 3)


def lost(lines: list[str], at: int) -> list[str]:
    """Return lines without line `at` (from 1), and one more at the end."""
    return [*lines[: at - 1], *lines[at:], lines[0]]


def only(corpus: Corpus) -> Misfit:
    (misfit,) = find_misfits(corpus)
    return misfit


def test_good_texts_have_none() -> None:
    assert find_misfits(Corpus.build({"A": A, "B": B}, REFERENCE)) == ()
    assert find_misfits(Corpus.build({"A": A, "B": B}, [REFERENCE, A])) == ()
    assert find_misfits(example_corpus()) == ()


@pytest.mark.parametrize("at", [1, 2, 57, 150, 190])
def test_a_lost_line_is_named(at: int) -> None:
    found = only(Corpus.build({"A": A, "B": lost(B, at)}, REFERENCE))
    assert (found.kind, found.outputs, found.shift) == ("shifted", (("B", 0),), 1)
    assert (found.first, found.last, found.certain) == (at, N, True)


@pytest.mark.parametrize("at", [2, 57, 150, 189])
def test_an_added_line_is_named(at: int) -> None:
    added = [*B[: at - 1], "something else", *B[at - 1 : -1]]
    found = only(Corpus.build({"A": A, "B": added}, REFERENCE))
    assert (found.shift, found.last, found.certain) == (-1, N, True)
    assert found.first in (at, at + 1)  # the added line itself belongs nowhere


def test_every_output_is_late_where_the_references_lost_a_line() -> None:
    found = only(Corpus.build({"A": A, "B": B}, lost(REFERENCE, 57)))
    assert (found.kind, found.shift, len(found.outputs)) == ("shifted", -1, 2)
    assert found.first in (57, 58)


def test_a_shift_that_ends_is_likely_and_not_certain() -> None:
    found = only(Corpus.build({"A": A, "B": [*B[:50], *B[51:101], B[50], *B[101:]]}, REFERENCE))
    assert (found.kind, found.first, found.shift, found.certain) == ("shifted", 51, 1, False)
    assert found.last in (100, 101)


def test_another_order_is_found_with_a_line_and_its_place() -> None:
    order = np.random.default_rng(5).permutation(N)
    found = only(Corpus.build({"A": A, "B": [B[i] for i in order]}, REFERENCE))
    assert (found.kind, found.certain) == ("reordered", True)
    assert found.match is not None
    line, place = found.match
    assert order[line - 1] == place - 1


def test_a_reference_in_another_language_is_certain_and_an_output_is_not() -> None:
    for words, scripts in ((FINNISH, None), (RUSSIAN, ("Latin", "Cyrillic"))):
        foreign = texts(words, 1)
        found = only(Corpus.build({"A": A, "B": B}, foreign))
        assert (found.kind, found.reference, found.certain) == ("foreign-reference", 0, True)
        assert found.scripts == scripts
        found = only(Corpus.build({"A": A, "B": foreign}, REFERENCE))
        assert (found.kind, found.outputs, found.certain) == ("foreign", (("B", 0),), False)
    found = only(Corpus.build({"A": A, "B": B}, [REFERENCE, texts(RUSSIAN, 1)]))
    assert (found.kind, found.reference, found.certain) == ("foreign-reference", 1, True)


def test_texts_of_two_scripts_have_none() -> None:
    latin, cyrillic = "Hello, how are you? " * 4, "Привет, мир! " * 6
    assert _script(latin + cyrillic) == ""
    assert _script(latin * 20 + cyrillic) == "Latin"  # a name or two in another script


def test_texts_of_another_test_set_are_likely_and_not_certain() -> None:
    found = only(Corpus.build({"A": A, "B": texts(ENGLISH, 9)}, REFERENCE))
    assert (found.kind, found.certain) == ("unrelated", False)


def test_long_texts_are_looked_at_in_runs_with_the_same_answer(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    long = texts(ENGLISH, 6, 3000)
    good, late = noisy(long, 7), lost(noisy(long, 8), 1234)
    monkeypatch.setattr(alignment, "_MOST", 256)
    monkeypatch.setattr(alignment, "_PART", 700)
    assert find_misfits(Corpus.build({"A": good}, long)) == ()
    found = only(Corpus.build({"A": good, "B": late}, long))
    assert (found.first, found.last, found.shift) == (1234, 3000, 1)


def test_empty_lines_are_no_misfit() -> None:
    gaps = [line if i % 3 else "" for i, line in enumerate(A)]
    assert find_misfits(Corpus.build({"A": gaps, "B": [""] * N}, REFERENCE)) == ()


def test_a_comparison_refuses_what_is_certain_and_warns_of_what_is_likely() -> None:
    with pytest.raises(
        DataError,
        match=r"system 'B': lines from 57 on look like lines from 58 on of the references\. "
        r"Look there for 1 line lost in the output, or added to the references",
    ):
        compare(Corpus.build({"A": A, "B": lost(B, 57)}, REFERENCE), "bleu", rng=1)
    with pytest.raises(DataError, match="all outputs are in another language than reference 1"):
        compare(Corpus.build({"A": A, "B": B}, texts(FINNISH, 1)), "bleu", rng=1)
    with pytest.raises(DataError, match=r"reference 1 is the source in 200 of 200 lines"):
        check_texts(Corpus.build({"A": A, "B": B}, REFERENCE, sources=REFERENCE))
    with pytest.warns(match="'B' has almost nothing in common with the references"):
        compare(
            Corpus.build({"A": A, "B": texts(ENGLISH, 9)}, REFERENCE),
            "bleu",
            rng=1,
            n_resamples=99,
        )


def test_texts_that_are_corrected_may_repeat_the_source() -> None:
    mended = [line if i % 4 else B[i] for i, line in enumerate(REFERENCE)]
    corpus = Corpus.build({"A": A, "B": B}, mended, sources=REFERENCE)
    assert [f.kind for f in inspect_corpus(corpus, tokenizing=False)] == []


# --- All real texts: false alarms, and copies that were spoilt ---


class Texts(NamedTuple):
    name: str
    sources: list[str] | None
    references: list[list[str]]
    systems: dict[str, list[str]]


BROKEN = {("wmt22_jaen", "AIST"), ("wmt-xml", "Online-Y")}  # random words; placeholders


def real() -> Iterator[Texts]:
    import polars as pl

    folder = reference_data("data")
    for path in (*folder.glob("wmt/*_texts.parquet"), *folder.glob("more/wmt/*_texts.parquet")):
        table = pl.read_parquet(path)
        yield Texts(
            path.stem.removesuffix("_texts"),
            table["src"].to_list(),
            [table[c].to_list() for c in table.columns if c.startswith("ref:")],
            {c[4:]: table[c].to_list() for c in table.columns if c.startswith("hyp:")},
        )
    for name, refs, outs in (
        ("multeval", "multeval/refs.*", "multeval/hyps.*"),
        ("set1", "more/set1_4ref_150/ref.*", "more/set1_4ref_150/out.*"),
    ):
        lines = {
            p.name: p.read_text("utf-8").split("\n")[:-1]
            for pattern in (refs, outs)
            for p in sorted(folder.glob(pattern))
        }
        starts = refs.rsplit("/", 1)[1][:3]
        yield Texts(
            name,
            None,
            [text for n, text in lines.items() if n.startswith(starts)],
            {n: text for n, text in lines.items() if not n.startswith(starts)},
        )
    for path in folder.glob("real/wmt-xml/*.xml"):
        corpus = read_corpus_file(path)
        systems = {n: list(runs[0]) for n, runs in corpus.systems.items()}
        references = [list(map(str, stream)) for stream in corpus.references]
        yield Texts("wmt-xml", list(corpus.sources or ()), references, systems)


def test_real_systems_are_left_alone_but_for_two_that_are_broken() -> None:
    flagged, n = {}, 0
    for one in real():
        n += len(one.systems)
        for misfit in find_misfits(Corpus.build(one.systems, one.references)):
            flagged[one.name, misfit.outputs[0][0]] = misfit.kind, misfit.certain
    assert n == 84
    assert flagged == dict.fromkeys(BROKEN, ("unrelated", False))


@pytest.mark.slow
def test_passages_of_real_systems_are_left_alone() -> None:
    rng, n = np.random.default_rng(1), 0
    for size in (2, 3, 5, 10, 20, 50, 100, 300):
        for one in real():
            total = len(one.references[0])
            good = {k: v for k, v in one.systems.items() if (one.name, k) not in BROKEN}
            for _ in range(12 if size < 100 else 5):
                if total < size:
                    continue
                start = int(rng.integers(total - size + 1))
                rows = slice(start, start + size)
                corpus = Corpus.build(
                    {k: v[rows] for k, v in good.items()}, [r[rows] for r in one.references]
                )
                assert find_misfits(corpus) == (), (one.name, start, size)
                n += len(good)
    assert n > 6000


@pytest.mark.slow
def test_spoilt_copies_of_real_systems_are_found() -> None:
    rng = np.random.default_rng(1)
    found: dict[str, Counter[str]] = {}
    for one in real():
        n = len(one.references[0])
        half, third = n // 2, n // 3
        good = {k: v for k, v in one.systems.items() if (one.name, k) not in BROKEN}
        for name, lines in islice(good.items(), 4):
            spoilt = {
                "shuffled": [lines[i] for i in rng.permutation(n)],
                "half shuffled": [
                    *lines[:half],
                    *(lines[half + i] for i in rng.permutation(n - half)),
                ],
                "exchanged": [*lines[third : 2 * third], *lines[:third], *lines[2 * third :]],
                "five lost": [*lines[5:], *lines[:5]],
                **({} if one.sources is None else {"untranslated": one.sources}),
            }
            for how, copy in spoilt.items():
                other = next(text for k, text in good.items() if k != name)
                said = find_misfits(Corpus.build({"x": copy, "y": other}, one.references))
                kinds: list[str] = [m.kind for m in said if m.outputs[0] == ("x", 0)]
                found.setdefault(how, Counter()).update(kinds or ["none"])
            if one.sources is not None:
                (misfit,) = find_misfits(Corpus.build(good, one.sources))
                assert (misfit.kind, misfit.certain) == ("foreign-reference", True)
    assert {how: set(counts) for how, counts in found.items()} == {
        "shuffled": {"reordered"},
        "half shuffled": {"reordered"},
        "exchanged": {"reordered"},
        "five lost": {"shifted"},
        "untranslated": {"foreign"},
    }


@pytest.mark.slow
@pytest.mark.parametrize(
    ("where", "least"), [(0.0, 1.0), (0.5, 1.0), (0.9, 1.0), (0.98, 0.85), (0.995, 0.7)]
)
def test_a_line_lost_anywhere_in_real_texts_is_found(where: float, least: float) -> None:
    hits, exact = [], []
    for one in real():
        at = int(where * len(one.references[0])) + 1
        good = {k: v for k, v in one.systems.items() if (one.name, k) not in BROKEN}
        for lines in islice(good.values(), 4):
            said = find_misfits(Corpus.build({"x": lost(lines, at)}, one.references))
            shifts = [m for m in said if (m.kind, m.shift) == ("shifted", 1)]
            hits.append(bool(shifts))
            exact += [m.first == at for m in shifts]
    assert np.mean(hits) >= least
    assert np.mean(exact) >= 0.9


@pytest.mark.slow
def test_the_check_takes_a_tenth_of_a_comparison_at_most() -> None:
    one = next(real())
    corpus = Corpus.build(dict(islice(one.systems.items(), 2)), one.references)

    def least(work: Callable[[], object]) -> float:
        taken = []
        for _ in range(7):
            start = time.process_time()
            work()
            taken.append(time.process_time() - start)
        return min(taken)

    whole = least(lambda: compare(corpus, rng=1))
    check = least(lambda: find_misfits(corpus))
    assert whole / (whole - check) <= 1.1
