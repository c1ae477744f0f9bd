"""The explorer as a page: alone from disk, or with its files beside it."""

import base64
import hashlib
import html
import json
import math
import re
import warnings
from collections import Counter
from importlib.resources import files
from typing import Any

import numpy as np
import pytest

import detectable as dt
from detectable.cli import rerun as segments_again
from detectable.core.errors import InputError
from detectable.data.scores.scores import Scores
from detectable.data.texts.corpus import Corpus
from detectable.report.blocks import Repeat, Section, Verdict
from detectable.report.blocks_of import KINDS
from detectable.report.explore import page
from detectable.report.explore import page as modules
from detectable.report.explore.page import (
    baked_page,
    explorer_files,
    explorer_page,
    fitting,
    module_names,
    one_script,
    source,
    strings,
)
from detectable.report.explore.segments import (
    Measure,
    Segments,
    compared_segments,
    ranked_segments,
)
from detectable.report.saved.load import SCHEMA
from detectable.report.several import report
from detectable.study.comparison.measure import choose_metrics
from detectable.study.ranking.item_scores import build_segment_scores
from tests.report import results

NASTY = "</script><script>alert(1)</script><!-- <img src=x onerror=alert(1)> \u2028\u202e"
_DATA = re.compile(r'<script type="application/json" id="(\w+)">(.*?)</script>', re.S)
_CODE = re.compile(r'<script type="module">(.*?)</script>', re.S)
_POLICY = re.compile(r'http-equiv="Content-Security-Policy" content="([^"]*)"')


def some(n: int = 3, text: str = "some words") -> Segments:
    import numpy as np

    scores = {"a": np.arange(float(n)), "b": np.zeros(n)}
    return Segments(
        systems=("a", "b"),
        names=tuple(map(str, range(n))),
        measures=(
            Measure(label="m", digits=1, lower_is_better=False, scores=scores, by_document={}),
        ),
        sources=(text,) * n,
        outputs={"a": (text,) * n, "b": (text,) * n},
    )


def section(name: str = "one") -> Section:
    return Section(name, (Verdict("info", NASTY), Repeat("toy")))


def held(text: str) -> Any:
    return json.loads(dict(_DATA.findall(text))["saved"])


def test_nothing_in_the_data_ends_a_script() -> None:
    made = baked_page([section(NASTY)], title=NASTY, segments={NASTY: some(2, NASTY)}).text
    assert "<script>alert" not in made
    assert "<img" not in _CODE.sub("", made)
    [(_, saved)] = [found for found in _DATA.findall(made) if found[0] == "saved"]
    assert "<" not in saved
    [entry] = held(made)
    assert (entry["name"], entry["blocks"][0]["headline"]) == (NASTY, NASTY)
    assert entry["segments"]["outputs"]["a"] == [NASTY, NASTY]


def test_the_policy_allows_its_own_scripts_and_styles_and_nothing_else() -> None:
    made = baked_page([section()]).text
    policy = html.unescape(_POLICY.findall(made)[0])

    def digest(text: str) -> str:
        return f"'sha256-{base64.b64encode(hashlib.sha256(text.encode()).digest()).decode()}'"

    scripts = " ".join(digest(code) for code in _CODE.findall(made))
    style = digest(re.findall(r"<style>(.*?)</style>", made, re.S)[0])
    assert policy == (
        f"default-src 'none'; script-src {scripts}; style-src {style}; base-uri 'none'; "
        "form-action 'none'"
    )
    assert "unsafe" not in policy
    markup = _DATA.sub("", _CODE.sub("", made))
    assert not re.search(r"\b(?:src|href|style|on[a-z]+)=", markup)


def test_every_result_can_be_baked() -> None:
    made = report(*results.RESULTS.values()).explorer()
    entries = held(made.text)
    assert len(entries) == len(results.RESULTS)
    assert all(entry["blocks"][0]["block"] == "verdict" for entry in entries)
    assert made.notes == ()


def test_a_result_has_its_file_beside_it(tmp_path: Any) -> None:
    dt.save(results.ranking(), tmp_path / "rank.json")
    [entry] = held(report(tmp_path / "rank.json").explorer().text)
    assert entry["name"] == "rank"
    assert "rank.json, written" in json.dumps(entry["blocks"])


def test_what_is_on_the_page_is_said() -> None:
    made = baked_page([section("x"), section("y")], segments={"x": some(3)})
    assert made.notes == ("x: 3 segments with their texts on the page.",)
    assert [entry["segments"] is None for entry in held(made.text)] == [False, True]


def test_beyond_the_limit_segments_are_left_out_and_counted(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    bare = len(baked_page([section()]).text.encode())
    monkeypatch.setattr(page, "LIMIT", bare + 40_000)
    made = baked_page([section()], segments={"one": some(400, "x" * 100)})
    [entry] = held(made.text)
    n = len(entry["segments"]["names"])
    assert 50 < n < 400
    assert entry["segments"]["leftOut"] == 400 - n
    assert len(made.text.encode()) <= page.LIMIT
    # Those that differ most: system a scores 0, 1, 2, … and b nothing.
    assert entry["segments"]["names"] == [str(i) for i in range(400 - n, 400)]
    assert f"; {400 - n} left out, since a page holds" in made.notes[0]


def test_as_many_as_fit() -> None:
    whole = some(1000, "x" * 50)
    kept = fitting(whole, 30_000)
    assert page._size(kept) <= 30_000 < page._size(whole.most_different(len(kept.names) + 10))
    assert fitting(whole, 10**9) is whole
    assert fitting(whole, 0).names == ()


def test_without_vega_a_page_says_its_charts_in_words(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(page, "can_draw", lambda: False)
    made = baked_page([section()]).text
    assert len(_CODE.findall(made)) == 1
    assert len(made) < 100_000


def test_a_server_sends_the_page_and_its_files() -> None:
    made = explorer_page(
        base="/explore/", vega="/static/vega.js", links=[("/", "Planner"), ("/e", "Explorer")]
    )
    assert '<link rel="stylesheet" href="/explore/explore.css">' in made
    assert re.findall(r'<script type="module" src="([^"]+)"', made) == [
        "/static/vega.js",
        "/explore/main.js",
    ]
    assert '<a href="/">Planner</a><a href="/e" aria-current="page">Explorer</a>' in made
    assert "http-equiv" not in made
    assert "saved" not in dict(_DATA.findall(made))
    files = explorer_files()
    assert set(files) == {*module_names(), "explore.css"}
    assert files["main.js"][0] == "text/javascript; charset=utf-8"
    assert files["explore.css"][0] == "text/css; charset=utf-8"
    assert "--better:" in files["explore.css"][1]
    without = explorer_page(base="./")
    assert "vega" not in without


def test_words_of_files_that_are_refused_are_those_of_load(tmp_path: Any) -> None:
    say = strings()
    path = tmp_path / "r.json"

    def refused(text: str) -> str:
        path.write_text(text)
        with pytest.raises(dt.DataError) as error:
            dt.load(path)
        return str(error.value).replace(str(path), "{name}")

    hint = say["error.result"]
    assert refused(" ") == say["error.empty"]
    assert refused("[1]") == hint.replace("{hint}", say["error.hint.write"])
    assert refused('{"detectable_plan": 1}') == hint.replace("{hint}", say["error.hint.plan"])
    shown = json.dumps(results.ranking().to_dict())
    assert refused(shown) == hint.replace("{hint}", say["error.hint.json"])
    newer = say["error.newer"].format(name="{name}", schema=3, version="0.4", known=1)
    assert refused('{"schema": 3, "kind": "X", "detectable": "0.4"}') == newer
    wrong = say["error.schema"].format(name="{name}", schema="0")
    assert refused('{"schema": 0, "kind": "X"}') == wrong
    assert "this is not JSON" in refused('{"a": ')
    assert refused('{"a": ').endswith("Is it cut short?")
    assert say["error.json"].endswith("this is not JSON. Is it cut short?")


# --- The scripts of the explorer: one home for each name, no word of their own, nothing that makes markup ---

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


# --- The segments behind a result: the numbers of the metric itself, the texts as they were ---

OUTPUTS = {
    "old": ["the cat sat", "a dog runs", "one two three", "four five six"],
    "new": ["the cat sat", "the dog ran", "one two three four", "four five"],
}
REFERENCES = ["the cat sat", "the dog ran", "one two three four", "four five six"]


def corpus(**more: object) -> Corpus:
    return Corpus.build(OUTPUTS, REFERENCES, **more)  # type: ignore[arg-type]


def segments(data: Corpus | Scores, *metrics: str, **more: str) -> Segments:
    chosen = choose_metrics(data, metrics or None)
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", dt.DetectableWarning)  # few segments
        found = dt.compare(data, chosen, baseline="old", rng=1, n_examples=0)
    return compared_segments(data, chosen, found, **more)


def test_scores_of_segments_and_documents_are_those_of_sacrebleu() -> None:
    from sacrebleu.metrics.chrf import CHRF
    from sacrebleu.metrics.ter import TER

    made = segments(corpus(documents=["x", "x", "y", "y"], sources=list("abcd")), "chrf", "ter")
    for measure, tool in zip(made.measures, (CHRF(), TER()), strict=True):
        for name, lines in OUTPUTS.items():
            single = [
                tool.sentence_score(h, [r]).score
                for h, r in zip(lines, REFERENCES, strict=True)
            ]
            assert measure.scores[name].tolist() == pytest.approx(single, abs=1e-9)
            halves = [
                tool.corpus_score(lines[i : i + 2], [REFERENCES[i : i + 2]]).score
                for i in (0, 2)
            ]
            assert measure.by_document[name].tolist() == pytest.approx(halves, abs=1e-9)
    assert [m.label for m in made.measures] == ["chrF", "TER"]
    assert [m.lower_is_better for m in made.measures] == [False, True]
    assert (made.documents, made.of_document.tolist()) == (("x", "y"), [0, 0, 1, 1])  # type: ignore[union-attr]
    assert (made.names, made.sources) == (("1", "2", "3", "4"), tuple("abcd"))
    assert made.outputs is not None
    assert {name: list(texts) for name, texts in made.outputs.items()} == OUTPUTS
    assert made.has_texts


def test_of_several_references_the_first_there_is() -> None:
    first = [None, *REFERENCES[1:]]
    data = Corpus.build(OUTPUTS, [first, ["b"] * 4])
    assert segments(data, "chrf").references == ("b", *REFERENCES[1:])


def test_of_several_runs_the_median_is_read() -> None:
    runs = [["x y z"] * 4, REFERENCES, ["the cat sat", *["x"] * 3]]
    data = Corpus.build({"old": [["q"] * 4] * 3, "new": runs}, REFERENCES)
    made = segments(data, "chrf")
    assert made.outputs is not None
    assert list(made.outputs["new"]) == runs[2]
    assert made.measures[0].scores["new"][0] == pytest.approx(100.0)


@pytest.mark.parametrize(
    ("said", "tags"), [("en-he", ("en", "he")), ("", ("", "")), ("en", ("", ""))]
)
def test_languages(said: str, tags: tuple[str, str]) -> None:
    assert segments(corpus(), "chrf", languages=said).languages == tags


def test_scores_without_texts() -> None:
    table = Scores.build(
        {"old": [0.0, 1.0, 0.5, math.nan], "new": [1.0, 1.0, 0.0, 1.0]}, items=list("abcd")
    )
    made = segments(table)
    assert (made.names, made.has_texts, made.sources) == (("a", "b", "c"), False, None)
    assert made.measures[0].scores["new"].tolist() == [1.0, 1.0, 0.0]
    assert made.measures[0].by_document == {}


def test_judged_items_and_their_documents() -> None:
    made = ranked_segments(
        build_segment_scores(
            {
                "system": ["A", "A", "A", "B", "B"],
                "item": ["1", "2", "3", "1", "2"],
                "raw": [10.0, 20.0, 60.0, 50.0, 70.0],
                "document": ["x", "x", "y", "x", "x"],
            }
        )
    )
    values = made.to_values()
    assert values["names"] == ["1", "2", "3"]
    assert values["measures"][0]["scores"] == {"A": [10, 20, 60], "B": [50, 70, None]}
    assert values["measures"][0]["byDocument"] == {"A": [15, 60], "B": [60, None]}
    assert (values["documents"], values["ofDocument"]) == (["x", "y"], [0, 0, 1])
    assert values["outputs"] is None


def test_those_that_differ_most_stay_in_their_order_and_the_others_are_counted() -> None:
    whole = segments(corpus(documents=["x", "x", "y", "y"], sources=list("abcd")), "chrf")
    gaps = np.abs(whole.measures[0].scores["new"] - whole.measures[0].scores["old"])
    kept = whole.most_different(2)
    best = sorted(np.argsort(-gaps, kind="stable")[:2].tolist())
    assert kept.names == tuple(str(i + 1) for i in best)
    assert kept.sources == tuple("abcd"[i] for i in best)
    assert kept.outputs is not None
    assert kept.outputs["new"] == tuple(OUTPUTS["new"][i] for i in best)
    assert kept.of_document.tolist() == [[0, 0, 1, 1][i] for i in best]  # type: ignore[union-attr]
    assert (kept.n_left_out, kept.most_different(1).n_left_out) == (2, 3)
    # What is said of whole documents stays about whole documents.
    assert kept.measures[0].by_document is whole.measures[0].by_document
    assert whole.most_different(4) is whole
    assert whole.most_different(0).names == ()
