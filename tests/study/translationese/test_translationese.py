"""The whole study: planted effects come back, from every format."""

import warnings
from dataclasses import replace
from pathlib import Path
from typing import Any

import numpy as np
import pytest

import detectable as dt
from detectable.core.errors import DataError, InputError
from detectable.core.execute import Engine
from detectable.core.types import silent
from detectable.data.human.read_judgments import read_judgments
from detectable.data.human.write_judgments import write_judgments
from detectable.data.texts.corpus import Corpus
from detectable.data.texts.wmt_test_sets import read_sgm, read_wmt_xml
from detectable.metrics.registry import metric
from detectable.study.ranking.rank_systems import rank_systems
from detectable.study.ranking.settings import RankSettings
from detectable.study.translationese.conclusions import TextScores, text_scores
from detectable.study.translationese.halves import HumanScores, human_scores
from detectable.study.translationese.result import Translationese
from detectable.study.translationese.translationese import all_parts, remarks
from tests.study.translationese.planted import ZH_EN, Planted, with_copies, wmt21_isen

FEW: dict[str, Any] = {"n_resamples": 99, "rng": 1}


@pytest.fixture(scope="module")
def planted() -> Planted:
    return wmt21_isen(1)


def small(**more: Any) -> dt.Judgments:
    """Return two raters' scores of three systems on 24 segments in 12 documents."""
    rng = np.random.default_rng(3)
    system, item, rater = (axis.ravel() for axis in np.indices((3, 24, 2)))
    level = np.array([60, 62, 70])[system] + 12 * rater + rng.normal(0, 6, 24)[item]
    score = level + rng.normal(0, 4, system.size) + np.where(item < 12, 0, 8)
    table = {
        "system": np.array(["old", "new", "human"])[system],
        "item": item,
        "document": np.char.add("d", (item // 2).astype(str)),
        "rater": np.array(["ann", "bob"])[rater],
        "score": score.clip(0, 100).round(1),
        "original_language": np.where(item < 12, "zho", "en-GB"),
        **more,
    }
    return dt.Judgments.build({k: v for k, v in table.items() if v is not None})


def texts(**more: Any) -> Corpus:
    rng = np.random.default_rng(5)
    words = np.array([f"w{i}" for i in range(40)])
    references = [" ".join(rng.choice(words, 12)) for _ in range(24)]

    def output(share: float) -> list[str]:
        return [
            " ".join(
                w if rng.random() < share else str(rng.choice(words)) for w in line.split()
            )
            for line in references
        ]

    systems = {"A": output(0.5), "B": output(0.6), "C": output(0.8)}
    options = {
        "documents": [f"d{i // 2}" for i in range(24)],
        "original_languages": ["zh"] * 12 + ["en"] * 12,
        **more,
    }
    return Corpus.build(systems, references, **options)


def test_planted_effects_lie_in_their_intervals(planted: Planted) -> None:
    found = dt.translationese(planted.judgments, language_pair="is-en", **FEW)
    rows = [row for row in found.effects if row.measure == "raw"]
    plain = dt.translationese(
        wmt21_isen(1, size=0.0, spread=0.0).judgments, language_pair="is-en", **FEW
    )
    before = {row.system: row for row in plain.effects if row.measure == "raw"}
    assert len(rows) == 10
    for row in rows:
        assert planted.effects[row.system] in row.interval
        # Clipping to the scale takes some of it away, and never adds to it.
        added = row.difference - before[row.system].difference
        assert 0.4 * planted.effects[row.system] < added <= planted.effects[row.system] + 1e-9
    assert [(p.direction, p.n_documents) for p in found.parts] == [
        *(("forward", 24), ("reverse", 23))
    ]


def _xml(corpus: Corpus, path: Path) -> None:
    """Write a corpus as WMT XML, a document after the other."""
    from xml.sax.saxutils import escape, quoteattr

    out = ['<?xml version="1.0" encoding="utf-8"?>', '<dataset id="toy">']
    documents, languages = corpus.documents or (), corpus.original_languages or ()
    for name in dict.fromkeys(documents):
        rows = [i for i, document in enumerate(documents) if document == name]
        out.append(f"<doc id={quoteattr(name)} origlang={quoteattr(languages[rows[0]])}>")
        streams = [
            ("src", "", corpus.sources or ()),
            ("ref", "translator='A'", corpus.references[0]),
        ]
        streams += [
            ("hyp", f"system={quoteattr(s)}", runs[0]) for s, runs in corpus.systems.items()
        ]
        for tag, attribute, lines in streams:
            out.append(f"<{tag} {attribute} lang='x'><p>")
            out += [
                f"<seg id='{k}'>{escape(lines[i] or '')}</seg>"
                for k, i in enumerate(rows, start=1)
            ]
            out.append(f"</p></{tag}>")
        out.append("</doc>")
    path.write_text("\n".join([*out, "</dataset>"]), encoding="utf-8")


def _sgm(corpus: Corpus, folder: Path) -> Any:
    """Write a corpus as SGM files, and read it."""
    from xml.sax.saxutils import escape

    documents, languages = corpus.documents or (), corpus.original_languages or ()

    def write(kind: str, name: str, lines: Any) -> Path:
        out = [f'<{kind} setid="toy" srclang="any" trglang="en">']
        for document in dict.fromkeys(documents):
            rows = [i for i, other in enumerate(documents) if other == document]
            language = languages[rows[0]]
            out.append(f'<DOC sysid="{name}" docid="{document}" origlang="{language}">')
            out += [f'<seg id="{k}">{escape(lines[i])}</seg>' for k, i in enumerate(rows, 1)]
            out.append("</DOC>")
        path = folder / f"{name}.sgm"
        path.write_text("\n".join([*out, f"</{kind}>"]), encoding="utf-8")
        return path

    systems = [(s, [write("tstset", s, runs[0])]) for s, runs in corpus.systems.items()]
    return read_sgm(systems, [write("refset", "ref", corpus.references[0])])


def test_every_format_gives_the_same_answer(planted: Planted, tmp_path: Path) -> None:
    corpus = replace(
        planted.corpus,
        systems={s: planted.corpus.systems[s] for s in ("Online-A", "Online-B", "Manifold")},
    )
    _xml(corpus, tmp_path / "toy.xml")
    sidecar = tmp_path / "origlang.tsv"
    rows = zip(corpus.documents or (), corpus.original_languages or (), strict=True)
    lines = [f"{i}\t{d}\t{language}" for i, (d, language) in enumerate(rows, start=1)]
    sidecar.write_text("\n".join(["line\tdoc\toriglang", *lines]) + "\n")
    codes = tmp_path / "origlang.txt"
    codes.write_text("\n".join(corpus.original_languages or ()) + "\n")
    bare = replace(corpus, original_languages=None, documents=None)
    options: dict[str, Any] = {"metrics": "bleu", "language_pair": "is-en", **FEW}
    want = dt.translationese(corpus, **options)
    answers = {
        "xml": dt.translationese(read_wmt_xml(tmp_path / "toy.xml"), **options),
        "sgm": dt.translationese(_sgm(corpus, tmp_path), **options),
        "tsv": dt.translationese(bare, original_languages=sidecar, **options),
        "codes": dt.translationese(
            replace(corpus, original_languages=None), original_languages=codes, **options
        ),
    }
    for name, found in answers.items():
        assert [p.n_segments for p in found.parts] == [p.n_segments for p in want.parts], name
        assert [p.n_documents for p in found.parts] == [24, 23], name
        ours = {row.system: row for row in found.effects}
        for row in want.effects:
            # The readers of XML and SGM clean white space.
            assert ours[row.system].difference == pytest.approx(row.difference, abs=0.02), name


def test_judgments_learn_their_languages_from_table_sidecar_and_corpus(
    planted: Planted, tmp_path: Path
) -> None:
    want = dt.translationese(planted.judgments, language_pair="is-en", **FEW)
    write_judgments(planted.judgments, tmp_path / "j.csv")
    read = read_judgments(tmp_path / "j.csv")
    bare = replace(planted.judgments, original_language=None)
    names = sorted(set(planted.corpus.documents or ()))
    table = {
        "doc": names,
        "origlang": ["eng" if n in planted.reverse else "isl" for n in names],
    }
    with_texts = dt.translationese(
        planted.corpus, "chrf", judgments=bare, language_pair="is-en", **FEW
    )
    for found in (
        dt.translationese(read, language_pair="is-en", **FEW),
        dt.translationese(bare, language_pair="is-en", original_languages=table, **FEW),
        with_texts,
    ):
        assert found.effects[:20] == want.effects
        assert found.conclusions[:3] == want.conclusions
    assert with_texts.measures == ("z", "raw", "chrf")
    assert len(with_texts.effects) == 30
    assert {part.data for part in with_texts.parts} == {"judgments", "texts"}


def test_copied_references_raise_bleu_where_they_were_copied(planted: Planted) -> None:
    system = "Online-G"
    copied = with_copies(planted, system, every=2)
    options: dict[str, Any] = {"metrics": ("bleu", "chrf"), "language_pair": "is-en", **FEW}
    before, after = (dt.translationese(c, **options) for c in (planted.corpus, copied))
    for name in ("bleu", "chrf"):
        old, new = (
            next(r for r in found.effects if (r.measure, r.system) == (name, system))
            for found in (before, after)
        )
        assert new.forward == old.forward
        assert new.difference > old.difference + 5
        assert new.p_adjusted < 0.001
        pairs = [
            row
            for row in after.pairs
            if row.measure == name and system in (row.first, row.second)
        ]
        assert len(pairs) == 9
        for row in pairs:
            sign = 1 if row.first == system else -1
            assert sign * row.relative > 5
            assert row.p_adjusted < 0.05
    assert "Reverse data significantly favour one of the two in 9 pairs" in after.summary()
    for old, new in zip(before.effects, after.effects, strict=True):
        if old.system != system:
            assert replace(new, p_adjusted=0.0) == replace(old, p_adjusted=0.0)


def test_the_halves_are_ranked_with_the_z_of_all_judgments() -> None:
    judgments = small()
    found = dt.translationese(judgments, language_pair="zh-en", standardise="z", **FEW)
    assert found.measures == ("z", "raw")
    whole = rank_systems(judgments, standardise="z", **FEW)
    assert repr(found.rankings["both"].pairs) == repr(whole.pairs)
    forward = found.rankings["forward"]
    alone = rank_systems(
        judgments.take(judgments.original_language.codes == 0),  # type: ignore[union-attr]
        standardise="z",
        **FEW,
    )
    assert forward.scale == "z"
    assert {row.system: row.mean_raw for row in forward.systems} == pytest.approx(
        {row.system: row.mean_raw for row in alone.systems}
    )
    # Within the half a rater's z have mean 0; over both halves the forward half is below.
    assert np.mean([row.mean_z for row in alone.systems]) == pytest.approx(0.0, abs=1e-9)
    assert np.mean([row.mean_z for row in forward.systems]) < -0.1
    effects = {row.system: row for row in found.effects if row.measure == "z"}
    for row in forward.systems:
        assert effects[row.system].forward == pytest.approx(row.mean_z)


def test_where_severity_cancels_rankings_are_in_points() -> None:
    found = dt.translationese(small(), language_pair="zh-en", **FEW)
    assert found.measures == ("raw", "z")
    assert found.rankings["forward"].scale == "points"
    assert [row.measure for row in found.pairs] == ["raw"] * 3
    assert [(c.half, c.n_units, c.n_segments, c.n_judgments) for c in found.conclusions] == [
        ("forward", 6, 12, 72),
        ("reverse", 6, 12, 72),
        ("both", 12, 24, 144),
    ]
    assert [c.clusters for c in found.conclusions] == [
        found.rankings[half].clusters for half in ("forward", "reverse", "both")
    ]
    by_half = {c.half: c for c in found.conclusions}
    assert by_half["both"].told_apart == found.rankings["both"].n_significant


def test_without_raters_there_is_no_z() -> None:
    judgments = small(rater=None)
    found = dt.translationese(judgments, language_pair="zh-en", **FEW)
    assert found.measures == ("raw",)
    with pytest.raises(InputError, match="`standardise='z'` needs to know who judged"):
        dt.translationese(judgments, language_pair="zh-en", standardise="z", **FEW)


def test_n_against_N_on_every_half() -> None:
    from scipy.stats import mannwhitneyu

    judgments = small()
    found = dt.translationese(judgments, language_pair="zh-en", standardise="none", **FEW)
    assert len(found.replicated) == 9
    columns = judgments.to_columns()
    rows = list(zip(columns["system"], columns["item"], columns["score"], strict=True))
    row = next(r for r in found.replicated if r.half == "forward" and r.second == "old")
    assert (row.n, row.N) == (12, 48)
    by_system = {
        name: [score for s, item, score in rows if s == name and int(item) < 12]
        for name in (row.first, "old")
    }
    means = {
        name: [
            np.mean([score for s, i, score in rows if s == name and int(i) == item])
            for item in range(12)
        ]
        for name in by_system
    }
    want = [
        mannwhitneyu(x[row.first], x["old"], alternative="greater", method="asymptotic").pvalue
        for x in (means, by_system)
    ]
    assert (row.p_segments, row.p_judgments) == pytest.approx(want)


def test_other_and_missing_languages_are_said_and_count_in_no_half() -> None:
    languages = ["zh"] * 10 + ["en"] * 10 + ["de", "de", "unknown", "unknown"]
    found = dt.translationese(
        texts(original_languages=languages), "chrf", language_pair="zh-en", **FEW
    )
    assert [(p.direction, p.n_documents, p.n_segments) for p in found.parts] == [
        ("forward", 5, 10),
        ("reverse", 5, 10),
        ("other", 1, 2),
        ("missing", 1, 2),
    ]
    assert found.notes[:2] == (
        "2 segments in 1 document were first written in neither language (de): they count in neither "
        "half.",
        "2 segments in 1 document do not say their original language: they count in neither half.",
    )
    odd = dt.translationese(
        texts(
            original_languages=["zh"] * 11 + ["en"] * 11 + ["un", "unknown"],
            documents=None,
        ),
        "chrf",
        language_pair="zh-en",
        **FEW,
    )
    assert odd.notes[:2] == (
        "1 segment was first written in neither language (un): it counts in neither half.",
        "1 segment does not say its original language: it counts in neither half.",
    )
    cut = dt.translationese(
        texts(original_languages=languages).select(range(20)),
        "chrf",
        language_pair="zh-en",
        **FEW,
    )
    assert cut.effects == found.effects
    assert cut.pairs == found.pairs


def test_without_documents_segments_count_and_it_is_said() -> None:
    found = dt.translationese(texts(documents=None), "chrf", language_pair="zh-en", **FEW)
    assert found.unit == "segment"
    assert found.notes == (
        "Documents of the texts are not known: segments count as independent, which they rarely are. "
        "Intervals are too narrow then.",
    )
    assert [part.n_documents for part in found.parts] == [None, None]
    asked = dt.translationese(texts(), "chrf", language_pair="zh-en", unit="segment", **FEW)
    assert asked.unit == "segment"
    assert [row.interval for row in asked.effects] == [row.interval for row in found.effects]
    judged = dt.translationese(small(), language_pair="zh-en", unit="segment", **FEW)
    assert judged.unit == "segment"
    assert [c.n_units for c in judged.conclusions] == [12, 12, 24]


def test_one_system_has_an_effect_and_nothing_to_compare_with() -> None:
    corpus = texts()
    alone = replace(corpus, systems={"A": corpus.systems["A"]})
    found = dt.translationese(alone, "bleu", language_pair="zh-en", **FEW)
    assert (found.pairs, found.agreement, found.conclusions) == ((), (), ())
    [row] = found.effects
    assert row.system == "A"
    assert found.summary().splitlines()[0] == (
        "Leave reverse-created data out: 12 of 24 segments remain (50%)."
    )
    assert "A on reverse − forward data: " in found.summary()


def test_raters_who_saw_one_half_only_are_warned_about() -> None:
    half = np.where(np.arange(24) < 12, "f", "r")
    judgments = small()
    raters = [f"{half[int(i)]}{r}" for i, r in
              zip(judgments.item.labels(), judgments.column("rater").labels(), strict=True)]  # fmt: skip
    found = dt.translationese(small(rater=raters), language_pair="zh-en", **FEW)
    [note] = [n for n in found.notes if "both halves" in n]
    assert note.startswith("Only 0% of the judgments are by raters who judged in both halves.")
    z = {row.system: row.difference for row in found.effects if row.measure == "z"}
    raw = {row.system: row.difference for row in found.effects if row.measure == "raw"}
    # What was said: z has lost the difference between the halves, raw has it.
    assert abs(np.mean(list(z.values()))) < 1e-9
    assert np.mean(list(raw.values())) > 5
    assert not [
        n
        for n in dt.translationese(judgments, language_pair="zh-en", **FEW).notes
        if "both halves" in n
    ]


def test_parity_is_asked_on_every_half() -> None:
    found = dt.translationese(small(), language_pair="zh-en", human="human", margin=4.0, **FEW)
    assert [(row.half, row.system) for row in found.parity] == [
        (half, system) for half in ("forward", "reverse", "both") for system in ("old", "new")
    ]
    assert found.margin == {"raw": 4.0}
    assert found.human == "human"
    assert {row.measure for row in found.parity} == {"raw"}
    both = dt.translationese(
        texts(), "bleu", judgments=small(system=np.repeat(["A", "B", "C"], 48)),
        language_pair="zh-en", human="C", margin={"bleu": 5.0}, **FEW,
    )  # fmt: skip
    assert {(row.measure, row.margin) for row in both.parity} == {("raw", None), ("bleu", 5.0)}
    assert {row.verdict for row in both.parity if row.measure == "raw"} == {None}


def test_the_same_seed_gives_the_same_answer() -> None:
    first, second = (dt.translationese(small(), language_pair="zh-en", rng=7) for _ in range(2))
    assert first == second
    assert "seed:7" in str(first.signature)
    assert first.n_resamples == 1999
    fresh = dt.translationese(small(), language_pair="zh-en", n_resamples=99)
    again = dt.translationese(
        small(), language_pair="zh-en", n_resamples=99, rng=int(fresh.signature.seed or 0)
    )
    assert again == fresh


def test_the_pair_chooses_among_several() -> None:
    first = small(language=["chi-eng"] * 144)
    both = small(language=(["chi-eng", "no pair", "en-cs"] * 144)[:144])
    chosen = dt.translationese(both, language_pair="zh-en", **FEW)
    alone = dt.translationese(both.where(language="chi-eng"), language_pair="zh-en", **FEW)
    assert chosen.effects == alone.effects != dt.translationese(first, **FEW).effects
    with pytest.raises(dt.DetectableError, match="de-en"):
        dt.translationese(both, language_pair="de-en", **FEW)


def test_the_pair_may_be_named_by_the_judgments() -> None:
    found = dt.translationese(small(language=["chi-eng"] * 144), **FEW)
    assert found.language_pair == "zh-en"
    turned = dt.translationese(small(language=["chi-eng"] * 144), language_pair="en-zh", **FEW)
    assert [row.difference for row in turned.effects] == pytest.approx(
        [-row.difference for row in found.effects]
    )


def call(**options: Any) -> Translationese:
    return dt.translationese(**{"language_pair": "zh-en", **FEW, **options})


@pytest.mark.parametrize(
    ("options", "message"),
    [
        ({}, "`data` must be a corpus or judgments; got neither"),
        ({"data": small(), "judgments": small()}, "`judgments` are given twice"),
        ({"data": small(), "metrics": "bleu"}, "`metrics` are for texts"),
        ({"data": texts(), "language": "de-en"}, "`language` and `campaign` choose judgments"),
        ({"data": texts(), "campaign": "x"}, "`language` and `campaign` choose judgments"),
        ({"data": small(), "language_pair": None}, "`language_pair` must say"),
        ({"data": small(), "language_pair": "zh"}, "`language_pair` must name the source"),
        ({"data": small(), "margin": 2.0}, "Say which system that is: `human`"),
        ({"data": small(), "human": "HT"}, "got 'HT'. There are old, new, human"),
        ({"data": small(), "human": "old", "margin": -1.0}, "`margin` must be"),
        (
            {"data": small(), "human": "old", "alpha": 0.5},
            "`alpha` must be below .5 for a claim",
        ),
        ({"data": small(), "human": "old", "margin": {"z": 1.0}}, "margin of metric"),
        (
            {"data": small(), "standardise": "mixed"},
            "`standardise` must be one of auto, z, none",
        ),
        ({"data": small(), "unit": "item"}, "`unit` must be one of auto, segment, document"),
        ({"data": small(), "correction": "some"}, "`correction` must be one of"),
        ({"data": small(), "cluster_rule": "some"}, "`cluster_rule` must be one of"),
        ({"data": small(), "alpha": 0.0}, "`alpha` must lie strictly between 0 and 1"),
        ({"data": small(), "power": 1.0}, "`power` must lie strictly between 0 and 1"),
        ({"data": small(), "n_resamples": 0}, "`n_resamples` must be a whole number"),
        ({"data": small(original_language=None)}, "the original language of the items is not"),
        (
            {"data": texts(original_languages=None)},
            "does not say in which language its segments",
        ),
    ],
)
def test_bad_options(options: dict[str, Any], message: str) -> None:
    with pytest.raises(InputError) as failure:
        call(**options)
    assert message in str(failure.value)


@pytest.mark.parametrize(
    ("options", "message"),
    [
        (
            {"data": small(document=["d0", "d0", "d1", "d2"] * 36)},
            "the judgments: document 'd0' has segments first written in",
        ),
        (
            {"data": texts(documents=["a"] * 12 + ["b"] * 6 + ["c"] * 6)},
            "the forward half has one document, and one document says nothing about the next.",
        ),
        (
            {"data": texts(original_languages=["zh"] * 24)},
            "no segment was first written in en, the target language",
        ),
    ],
)
def test_bad_data(options: dict[str, Any], message: str) -> None:
    with pytest.raises(DataError) as failure:
        call(**options)
    assert message in str(failure.value)


def test_a_half_in_which_a_system_was_hardly_judged_is_named() -> None:
    judgments = small()
    columns = judgments.to_columns()
    keep = np.array(
        [
            s != "new" or int(i) >= 11
            for s, i in zip(columns["system"], columns["item"], strict=True)
        ]
    )
    with pytest.raises(DataError, match="the forward half: every system needs at least two"):
        call(data=judgments.take(keep))


def test_what_is_odd_about_the_texts_is_said_once() -> None:
    lines = [f"w{i} x y z" for i in range(24)]
    corpus = Corpus.build(
        {"A": lines, "B": ["", *lines[1:]]},
        lines,
        documents=[f"d{i // 2}" for i in range(24)],
        original_languages=["zh"] * 12 + ["en"] * 12,
    )
    with warnings.catch_warnings(record=True) as caught:
        warnings.simplefilter("always")
        call(data=corpus, metrics="chrf")
    texts_ = [str(warning.message) for warning in caught]
    assert len(texts_) == len(set(texts_))


# --- What is said beside the numbers, word by word ---

LANGUAGES = ("zh", "zh", "zh", "en", "en", "en")


def people(
    languages: tuple[str, ...] = LANGUAGES,
    *,
    documents: bool = True,
    raters: list[str] | None = None,
    settings: RankSettings | None = None,
) -> HumanScores:
    """Return two systems, each judged once on every segment; every segment is a document."""
    n = len(languages)
    table: dict[str, Any] = {
        "system": ["A"] * n + ["B"] * n,
        "item": [*range(n)] * 2,
        "score": [40 + 7 * i % 31 + 3 * i for i in range(n)] * 2,
        "original_language": [*languages] * 2,
    }
    if documents:
        table["document"] = [f"d{i}" for i in range(n)] * 2
    if raters is not None:
        table["rater"] = raters * 2
    return human_scores(dt.Judgments.build(table), ZH_EN, settings or RankSettings())


def texts_of_remarks(
    languages: tuple[str, ...] = LANGUAGES, *, documents: bool = True
) -> TextScores:
    n = len(languages)
    lines = [f"a b c d e{i} f" for i in range(n)]
    corpus = dt.Corpus.build(
        {"A": lines, "B": [f"{line} g" for line in lines]},
        lines,
        documents=[f"d{i}" for i in range(n)] if documents else None,
        original_languages=list(languages),
    )
    engine = Engine.start(1, n_jobs=1, executor=None, progress=silent)
    return text_scores(corpus, (metric("chrf"),), ZH_EN, unit="auto", engine=engine)


def test_nothing_odd_has_no_remark() -> None:
    assert remarks(people(), texts_of_remarks(), ()) == ()
    assert remarks(None, None, ("more",)) == ("more",)


def test_what_belongs_to_neither_half() -> None:
    some = (*LANGUAGES, "de", "fr", "unknown")
    assert remarks(people(some), None, ("more",)) == (
        "2 judged segments in 2 documents were first written in neither language (de, fr): they "
        "count in neither half.",
        "1 judged segment in 1 document does not say its original language: it counts in neither "
        "half.",
        "more",
    )
    others = (*LANGUAGES, "de", "unknown", "unknown")
    assert remarks(None, texts_of_remarks(others), ()) == (
        "1 segment in 1 document was first written in neither language (de): it counts in "
        "neither half.",
        "2 segments in 2 documents do not say their original language: they count in neither "
        "half.",
    )


def test_documents_that_are_not_known() -> None:
    unknown = (*LANGUAGES, "de")
    found = remarks(
        people(unknown, documents=False),
        texts_of_remarks(unknown, documents=False),
        ("more",),
    )
    assert found == (
        "1 judged segment was first written in neither language (de): it counts in neither half.",
        "1 segment was first written in neither language (de): it counts in neither half.",
        "Documents of the judgments are not known: segments count as independent, which they "
        "rarely are. Intervals are too narrow then.",
        "Documents of the texts are not known: segments count as independent, which they rarely "
        "are. Intervals are too narrow then.",
        "more",
    )


def test_judgments_come_before_texts() -> None:
    found = all_parts(people(), texts_of_remarks())
    assert [(part.data, part.direction, part.n_judgments) for part in found] == [
        ("judgments", "forward", 6),
        ("judgments", "reverse", 6),
        ("texts", "forward", None),
        ("texts", "reverse", None),
    ]
    assert all_parts(None, None) == ()


TEN = ("zh",) * 5 + ("en",) * 5


@pytest.mark.parametrize(
    ("raters", "share"),
    [
        (["ann"] * 10, 1.0),
        (["ann"] * 4 + ["bob"] + ["ann"] * 4 + ["cid"], 0.8),
        (["ann"] * 4 + ["bob"] + ["ann"] * 3 + ["cid"] * 2, 0.7),
        (["ann"] * 5 + ["bob"] * 5, 0.0),
    ],
)
def test_raters_who_saw_one_half(raters: list[str], share: float) -> None:
    found = people(TEN, raters=raters)
    assert found.share_of_raters_in_both() == pytest.approx(share)
    said = remarks(found, None, ())
    if share >= 0.8:
        assert said == ()
    else:
        assert said == (
            f"Only {share:.0%} of the judgments are by raters who judged in both halves. z takes "
            "out the level of the others, and with it their part of the difference between the "
            "halves: effects in z are too small. Go by raw scores.",
        )


def test_other_languages_do_not_make_a_rater_one_of_both_halves() -> None:
    some = (*LANGUAGES, "de", "unknown")
    raters = ["ann"] * 3 + ["bob"] * 3 + ["ann", "bob"]
    assert people(some, raters=raters).share_of_raters_in_both() == 0.0
    assert np.isnan(people(some).share_of_raters_in_both())


def test_the_measures_of_judgments() -> None:
    plain = people(TEN).measures()
    assert [(m.name, m.scale, m.digits, m.unit) for m in plain] == [
        ("raw", "points", 2, "document")
    ]
    assert plain[0].halves["forward"].n_units == 5
    bare = people(TEN, documents=False).measures()
    assert [m.unit for m in bare] == ["segment"]
    raters = ["ann", "bob"] * 5
    for word, names in (("z", ["z", "raw"]), ("none", ["raw", "z"])):
        settings = RankSettings(standardise=word)  # type: ignore[arg-type]
        found = people(TEN, raters=raters, settings=settings)
        assert found.scale == names[0]
        assert [m.name for m in found.measures()] == names
        by_name = {m.name: m for m in found.measures()}
        assert (by_name["z"].scale, by_name["z"].digits) == ("z", 3)


def test_a_half_of_one_document_is_refused() -> None:
    languages = ("zh", "zh", "en")
    with pytest.raises(DataError, match="the reverse half has one document, and one document"):
        people(languages)
    with pytest.raises(DataError, match=r"one document .*Use `unit='segment'` if its"):
        people(languages)


def test_languages_are_needed() -> None:
    table = {"system": ["A", "B"], "item": [1, 1], "score": [50, 60]}
    with pytest.raises(
        InputError, match="the judgments: the original language of the items is not known"
    ):
        human_scores(dt.Judgments.build(table), ZH_EN, RankSettings())
    engine = Engine.start(1, n_jobs=1, executor=None, progress=silent)
    corpus = dt.Corpus.build({"A": ["a b", "c d"]}, ["a b", "c d"])
    with pytest.raises(InputError, match="does not say in which language its segments"):
        text_scores(corpus, (metric("chrf"),), ZH_EN, unit="segment", engine=engine)
