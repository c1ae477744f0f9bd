"""The files that the pages speak of, small and invented: whoever reads has files of their own."""

import itertools
import json
import shutil
from collections.abc import Callable
from pathlib import Path
from typing import Any
from xml.sax.saxutils import escape

import numpy as np
import polars as pl

import detectable as dt
from detectable.data.example.bundled import write_campaign

ROOT = Path(__file__).parent.parent.parent
EXAMPLE = ROOT / "src" / "detectable" / "data" / "texts" / "example"
FROZEN = ROOT / "tests" / "frozen" / "data"
SAMPLES = ROOT / "tests" / "data" / "samples"


def prepare(folder: Path) -> None:
    """Write all files that have one meaning on all pages."""
    _texts(folder)
    _labels(folder)
    judgments = _judgments(systems=("old", "new", "human"), n_documents=16)
    judgments.write_csv(folder / "judgments.csv")
    judgments.with_columns(language=pl.lit("cs-en")).write_parquet(folder / "wmt21.parquet")
    segments = pl.read_csv(FROZEN / "segments.csv").with_columns(campaign=pl.lit("wmt21.de-en"))
    segments.write_parquet(folder / "segments.parquet")
    for name, source in {
        "ratings.csv": "complete.csv",
        "pilot.csv": "complete.csv",
        "comet.csv": "metric.csv",
        "outputs.csv": "outputs.csv",
        "other_labels.csv": "labels.csv",
        "labelled_judge.csv": "labelled_judge.csv",
        "answers.csv": "zero_one.csv",
        "scores.csv": "metric.csv",
        "glue.csv": "benchmark.csv",
        "epochs.csv": "epochs.csv",
        "studies.csv": "studies.csv",
        "battles.csv": "battles.csv",
        "votes.csv": "origin_battles.csv",
        "means.csv": "half_means.csv",
        "ours.csv": "meanings.csv",
        "judge.csv": "one_judge.csv",
        "wmt18.csv": "language_pairs.csv",
    }.items():
        shutil.copy(FROZEN / source, folder / name)
    shutil.copy(SAMPLES / "judgments" / "appraise_11.csv", folder / "appraise.csv")
    archive = pl.read_csv(FROZEN / "archive.csv").with_columns(
        pl.col("campaign").replace({"x": "en-de", "y": "en-fr"}).alias("language")
    )
    archive.write_csv(folder / "archive.csv")
    battles = pl.read_csv(FROZEN / "battles.csv").with_row_index()
    tongue = (
        pl.when(pl.col("index") % 3 == 0).then(pl.lit("German")).otherwise(pl.lit("English"))
    )
    battles.with_columns(tongue.alias("language")).write_csv(folder / "worldwide.csv")
    _newstest(folder)
    _metricx(folder)
    _judge(folder)
    _logs(folder)
    _comet(folder)
    _mqm(folder)
    _module(folder, "live.md", "arith.py")
    write_campaign(folder / "campaign")


def _metricx(folder: Path) -> None:
    """Write a metric of 40 documents with their sources, and the judgments of an earlier campaign."""
    rng = np.random.default_rng(9)
    lines = [(f"d{d}", f"d{d}.{i}") for d in range(40) for i in range(2 + d % 4)]
    hard = np.repeat(rng.exponential(1.0, 40), [2 + d % 4 for d in range(40)])
    table: dict[str, Any] = {"item": [i for _, i in lines], "document": [d for d, _ in lines]}
    people = []
    for shift, name in enumerate(("old", "new", "human")):
        score = 90.0 - 20.0 * hard * (1.0 + 0.2 * rng.normal(size=len(lines))) + 2.0 * shift
        table[name] = (score + rng.normal(0.0, 5.0, len(lines))).round(2)
        given = np.clip(score + rng.normal(0.0, 4.0, len(lines)), 0.0, 100.0).round()
        people += [(name, item, d, int(s)) for (d, item), s in zip(lines, given, strict=True)]
    pl.DataFrame(table).write_csv(folder / "metricx.csv")
    schema = ("system", "item", "document", "score")
    pl.DataFrame(people, schema=schema, orient="row").write_csv(folder / "earlier.csv")
    texts = ["w" * int(40 + 60 * one) for one in hard]
    (folder / "sources.txt").write_text("\n".join(texts) + "\n", encoding="utf-8")


def _logs(folder: Path) -> None:
    """Write logs of Inspect: two versions of a model on two tasks with scorers of their own."""
    rng = np.random.default_rng(11)
    for task, scorer, n, k in (("arith", "match", 240, 1), ("lookup", "includes", 120, 2)):
        easy = rng.beta(6.0, 1.5, n)
        right = {"old": rng.random((k, n)) < easy}
        again = rng.random((k, n)) < 0.9  # answers that the new version leaves as they were
        right["new"] = np.where(again, right["old"], rng.random((k, n)) < easy)
        tokens = {"old": rng.lognormal(5.0, 0.3, (k, n))}
        tokens["new"] = tokens["old"] * rng.lognormal(-0.02, 0.1, (k, n))
        for version, answers in right.items():
            samples = [
                {
                    "id": f"{task}-{i}",
                    "epoch": epoch + 1,
                    "input": f"Question {i}",
                    "metadata": {"lang": ("de", "en", "ja")[i % 3]},
                    "scores": {scorer: {"value": "C" if answers[epoch, i] else "I"}},
                    "total_time": round(float(tokens[version][epoch, i]) / 50.0, 3),
                    "model_usage": {
                        "lab/m": {"total_tokens": round(float(tokens[version][epoch, i]))}
                    },
                }
                for epoch in range(k)
                for i in range(n)
            ]
            about = {"task": task, "model": "lab/m", "created": "2026-11-17T12:00:00+00:00"}
            log = {"status": "success", "eval": about, "samples": samples}
            path = folder / "logs" / version / f"{task}.json"
            path.parent.mkdir(parents=True, exist_ok=True)
            path.write_text(json.dumps(log), encoding="utf-8")


def _comet(folder: Path) -> None:
    """Write what comet-score prints of two outputs."""
    rng = np.random.default_rng(5)
    base = rng.beta(12, 3, 240)
    rows = []
    for name, gain in (("old", 0.0), ("new", 0.012)):
        scores = np.clip(base + gain + rng.normal(0, 0.04, 240), 0, 1)
        rows += [
            f"{name}.txt\tSegment {place}\tscore: {score:.4f}\n"
            for place, score in enumerate(scores)
        ]
        rows.append(f"{name}.txt\tscore: {scores.mean():.4f}\n")
    (folder / "comet.out").write_text("".join(rows), encoding="utf-8")


def _mqm(folder: Path) -> None:
    """Write errors in Google's format: two systems, twelve documents, a rater for each."""
    rng = np.random.default_rng(5)
    rows = ["system\tdoc\tdoc_id\tseg_id\trater\tsource\ttarget\tcategory\tseverity\n"]
    for document, line in itertools.product(range(12), range(5)):
        for system, expected in (("old", 1.4), ("new", 0.8)):
            where = (
                f"{system}\tdoc{document}\t{document}\t{5 * document + line + 1}"
                f"\trater{document % 3 + 1}\tsource {document}-{line}"
            )
            text = f"sentence {document}-{line} of {system}"
            found = rng.choice(["Minor", "Minor", "Minor", "Major"], rng.poisson(expected))
            rows += [
                f"{where}\t<v>{text}</v>\tAccuracy/Mistranslation\t{severity}\n"
                for severity in found
            ] or [f"{where}\t{text}\tNo-error\tNo-error\n"]
    (folder / "mqm.tsv").write_text("".join(rows), encoding="utf-8")


def _labels(folder: Path) -> None:
    """Write the right labels of 60 items, and those of two systems."""
    rng = np.random.default_rng(6)
    gold = rng.random(60) < 0.3
    for name, wrong in (("gold", 0.0), ("old_labels", 0.3), ("new_labels", 0.1)):
        said = gold ^ (rng.random(60) < wrong)
        (folder / f"{name}.txt").write_text("".join(f"{int(one)}\n" for one in said))


def _judge(folder: Path) -> None:
    """Write people's scores of 80 outputs, a judge's today and in March, and games in both orders."""
    rng = np.random.default_rng(8)
    human = rng.normal(60.0, 10.0, 80).round(1)
    judge = human + rng.normal(0.0, 4.0, 80)
    named = {"system": ["new"] * 80, "item": [f"q{i}" for i in range(80)]}
    pl.DataFrame({**named, "score": human}).write_csv(folder / "people.csv")
    said = [" ".join(["word"] * int(n)) for n in rng.integers(5, 60, 80)]
    about = {"topic": ["health", "law"] * 40, "output": said}
    for name, shift in (("today", 0.0), ("march", -2.0)):
        scores = (judge + shift + rng.normal(0.0, 0.5, 80)).round(2)
        pl.DataFrame({**named, "score": scores, **about}).write_csv(folder / f"{name}.csv")
    pairs = [("model_1", "model_1"), ("model_1", "model_2"), ("model_2", "model_2")]
    games = [
        {"question_id": i, "turn": 1, "model_1": "new", "model_2": "old"}
        | dict(zip(("g1_winner", "g2_winner"), pairs[int(rng.integers(3))], strict=True))
        for i in range(40)
    ]
    text = "".join(json.dumps(game) + "\n" for game in games)
    (folder / "gpt-4_pair.jsonl").write_text(text, encoding="utf-8")


def _module(folder: Path, page: str, name: str) -> None:
    """Write a module that a page shows: its block begins with its name."""
    text = (ROOT / "docs" / page).read_text(encoding="utf-8")
    block = text.split(f"```python\n# {name}\n")[1].split("```")[0]
    (folder / name).write_text(block, encoding="utf-8")


def _texts(folder: Path) -> None:
    copies = {
        "ref.txt": "reference.txt",
        "documents.txt": "documents.txt",
    }
    copies |= {f"old{k}.txt": f"baseline.run{k}.txt" for k in (1, 2, 3)}
    copies |= {f"new{k}.txt": f"contender.run{k}.txt" for k in (1, 2, 3)}
    copies |= {"a.txt": "baseline.run1.txt", "b.txt": "contender.run1.txt"}
    copies |= {"old.txt": "baseline.run1.txt", "new.txt": "contender.run1.txt"}
    for name, source in copies.items():
        shutil.copy(EXAMPLE / source, folder / name)
    reference = (EXAMPLE / "reference.txt").read_text(encoding="utf-8").splitlines()
    sources = "\n".join(_source(line) for line in reference)
    (folder / "src.txt").write_text(sources + "\n", encoding="utf-8")


def _source(line: str) -> str:
    """Return a text that stands for the source: the reference, its words spelled backwards."""
    return " ".join(word[::-1] for word in line.split())


def _judgments(systems: tuple[str, ...], n_documents: int) -> pl.DataFrame:
    """Return judgments of documents by four raters, with degraded copies of every third text."""
    rng = np.random.default_rng(8)
    rows = []
    for document in range(n_documents):
        for item in range(6 * document, 6 * document + 6):
            base = rng.normal(65, 10)
            raters = (document % 4, (document + 1) % 4)[: 2 if item % 4 == 0 else 1]
            for (place, system), rater in itertools.product(enumerate(systems), raters):
                score = base + 4 * place + rng.normal(0, 6)
                where = {"item": item, "document": f"d{document}", "rater": f"r{rater}"}
                given = {"system": system, "kind": "system", "score": round(score)}
                rows.append({**where, **given})
                if item % 3 == 0:
                    low = {"kind": "degraded", "score": round(score - rng.normal(30, 8))}
                    rows.append({**where, **given, **low})
    return pl.DataFrame(rows).with_columns(pl.col("score").clip(0, 100))


def _newstest(folder: Path) -> None:
    """Write the bundled texts as XML and Parquet, half of them translated from English."""

    def lines_of(name: str) -> list[str]:
        return (EXAMPLE / f"{name}.txt").read_text(encoding="utf-8").splitlines()

    documents, reference = lines_of("documents"), lines_of("reference")
    runs = {"a": "baseline.run1", "b": "contender.run1", "c": "contender.run2"}
    systems, outputs = tuple(runs), {name: lines_of(run) for name, run in runs.items()}
    names = list(dict.fromkeys(documents))
    origin = {name: ("zh", "en")[place % 2] for place, name in enumerate(names)}
    parts, rows, judged = [], [], []
    rng = np.random.default_rng(9)
    for name in names:
        lines = [place for place, each in enumerate(documents) if each == name]
        texts = {"src": [_source(line) for line in reference], "ref": reference, **outputs}
        body = "".join(_side(side, [texts[side][line] for line in lines]) for side in texts)
        parts.append(f'<doc origlang="{origin[name]}" id="{name}">{body}</doc>')
        for seg, line in enumerate(lines, start=1):
            row = {"line": line, "doc": name, "seg": seg, "origlang": origin[name]}
            row |= {"src": texts["src"][line], "ref:A": texts["ref"][line]}
            rows.append(row | {f"hyp:{s}": outputs[s][line] for s in systems})
            base = rng.normal(70, 8) + 4 * (origin[name] == "en")
            for place, system in enumerate((*systems, "Reference-HT")):
                score = float(np.clip(base + 2 * place + rng.normal(0, 6), 0, 100))
                where = {"item": line, "document": name, "origlang": origin[name]}
                judged.append(
                    {"system": system, **where, "rater": f"r{line % 5}", "score": round(score)}
                )
    xml = (
        f'<?xml version="1.0" encoding="utf-8"?>\n<dataset id="x">{"".join(parts)}</dataset>\n'
    )
    for name in ("newstest.xml", "newstest2017.xml", "set.xml"):
        (folder / name).write_text(xml, encoding="utf-8")
    pl.DataFrame(rows).write_parquet(folder / "newstest.parquet")
    pl.DataFrame(judged).write_csv(folder / "da.csv")
    there = [{**row, "lp": "zh-en"} for row in rows]
    back = [{**row, "lp": "en-zh"} for row in rows]
    pl.DataFrame([*there, *back]).write_parquet(folder / "newstest2018.parquet")


def _side(side: str, texts: list[str]) -> str:
    kinds = {"src": 'src lang="zh"', "ref": 'ref lang="en" translator="A"'}
    opening = kinds.get(side, f'hyp system="{side}" language="en"')
    segments = "".join(
        f'<seg id="{number}">{escape(text)}</seg>' for number, text in enumerate(texts, start=1)
    )
    return f"<{opening}><p>{segments}</p></{opening.split()[0]}>"


def _right_or_wrong(folder: Path) -> None:
    """Write scores of 0 and 1 where other pages have texts."""
    rng = np.random.default_rng(3)
    old = rng.random(400) < 0.8
    new = np.where(rng.random(400) < 0.05, ~old, old)
    for name, scores in (("old.txt", old), ("new.txt", new)):
        (folder / name).write_text("\n".join(str(int(s)) for s in scores) + "\n")


def _scores_of_two(folder: Path) -> None:
    """Write scores of unrelated items of two systems."""
    rng = np.random.default_rng(4)
    rows = [
        {"system": s, "item": i, "score": round(rng.normal(70, 15))}
        for s in ("old", "new")
        for i in range(80)
    ]
    pl.DataFrame(rows).write_csv(folder / "da.csv")


def _no_campaign(folder: Path) -> None:
    """Leave it to the page to write the campaign."""
    shutil.rmtree(folder / "campaign")


def _not_yet_imported(folder: Path) -> None:
    (folder / "judgments.csv").unlink()


def _evals(folder: Path) -> None:
    """Write four answers of two alike systems to 300 questions of one task and 20 of another."""
    rng = np.random.default_rng(6)
    rows = []
    for task, n in (("math", 300), ("code", 20)):
        chance = rng.beta(2.0, 1.0, n)
        for system, sample in itertools.product(("old", "new"), range(1, 5)):
            right = rng.random(n) < chance
            rows += [
                {
                    "system": system,
                    "task": task,
                    "item": f"{task}-{i:03d}",
                    "sample": sample,
                    "score": int(right[i]),
                }
                for i in range(n)
            ]
    pl.DataFrame(rows).write_csv(folder / "evals.csv")


def _selected(folder: Path) -> None:
    """Fill in the sheets that the commands of the page write: one question has one draw."""
    rng = np.random.default_rng(10)

    def fill(name: str, text: str, score: Callable[[], int]) -> None:
        head, *rows = [line.split(",") for line in text.splitlines()]
        at = head.index("score")
        for row in rows:
            row[at] = row[at] or str(score())
        (folder / name).write_text("\n".join(",".join(row) for row in [head, *rows]) + "\n")

    labelled = dt.select(folder / "judge.csv", take={0: "all", 1: "20%"})
    fill("review-judged.csv", dt.label_sheet(labelled), lambda: int(rng.random() < 0.5))
    lengths = [len(line) for line in (folder / "sources.txt").read_text().splitlines()]
    first = dt.select(
        folder / "metricx.csv", n_items=90, lengths=lengths, steps=2, higher_is_better=True
    )
    fill("first-judged.csv", dt.label_sheet(first), lambda: int(rng.integers(30, 100)))
    judged = dt.read_judgments(folder / "first-judged.csv")
    more = dt.select_more(first, judged)
    text = dt.label_sheet(more, judged=judged)
    fill("sheet-judged.csv", text, lambda: int(rng.integers(30, 100)))


# What a page needs beyond that, or has under the same name with another content.
SPECIAL: dict[str, Callable[[Path], None]] = {
    "judgments": _not_yet_imported,
    "demo": _no_campaign,
    "README": _evals,
    "gate": _evals,
    "power-accuracy": _right_or_wrong,
    "power-pilot": _scores_of_two,
    "researcher": _no_campaign,
    "select": _selected,
}


def names(page: Path) -> dict[str, Any]:
    """Return what the programs of a page may speak of."""
    return {"corpus": dt.example_corpus()} if page.stem == "metrics-plugins" else {}
