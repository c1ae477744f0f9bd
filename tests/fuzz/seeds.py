"""One small evaluation in every format there is, valid and large enough for every command."""

import csv
import gzip
import io
import json
import random
import zipfile
from collections.abc import Callable
from pathlib import Path
from typing import Any, NamedTuple

from detectable.study.gate.matching import dataset_hash

SYSTEMS = ("new", "old")
FROZEN = Path(__file__).resolve().parents[1] / "frozen" / "data"
LM_EVAL = "samples_toy_2025-01-02T03-04-05.678901.jsonl"
_WORDS = [
    "the",
    "a",
    "cat",
    "dog",
    "sat",
    "ran",
    "on",
    "under",
    "mat",
    "red",
    "old",
    "house",
    "and",
    "then",
    "it",
    "was",
    "not",
    "there",
]


class Row(NamedTuple):
    """One judgment."""

    system: str
    item: int
    rater: str
    score: int
    kind: str
    document: str


def rows() -> list[Row]:
    """Return 16 items in four documents, of two systems, by three raters, with some copies."""
    rng = random.Random(7)
    made = []
    for item in range(16):
        document, quality = f"d{item // 4}", rng.gauss(60, 10)
        for rater in rng.sample(("ann", "bob", "cho"), 2):
            for system, gain in zip(SYSTEMS, (4, 0), strict=True):
                score = round(min(99, max(1, quality + gain + rng.gauss(0, 8))))
                made.append(Row(system, item, rater, score, "system", document))
            copy = max(0, round(quality - 35 + rng.gauss(0, 5)))
            made.append(Row("new", item, rater, copy, "degraded", document))
    return made


def system_rows() -> list[Row]:
    """Return the rows that are no copies."""
    return [row for row in rows() if row.kind == "system"]


def delimited(header: list[str] | None, lines: list[list[Any]], mark: str = ",") -> bytes:
    """Return a table with a mark between its cells."""
    out = io.StringIO()
    writer = csv.writer(out, delimiter=mark, lineterminator="\n")
    writer.writerows([header, *lines] if header else lines)
    return out.getvalue().encode()


def json_lines(entries: list[Any]) -> bytes:
    """Return JSON lines."""
    return "".join(json.dumps(entry, ensure_ascii=False) + "\n" for entry in entries).encode()


def _table(mark: str) -> bytes:
    header = ["system", "item", "rater", "score", "kind", "document"]
    return delimited(header, [list(row) for row in rows()], mark)


def _table_jsonl() -> bytes:
    return json_lines([row._asdict() for row in rows()])


def _parquet() -> bytes:
    import polars as pl

    out = io.BytesIO()
    columns = Row._fields
    pl.DataFrame(
        {name: [getattr(row, name) for row in rows()] for name in columns}
    ).write_parquet(out)
    return out.getvalue()


def _appraise(width: int) -> bytes:
    lines = []
    for number, row in enumerate(rows()):
        bad = row.kind == "degraded"
        name = f"{row.document}{'#bad' if bad else ''}"
        more = {9: [], 11: [name, "False"], 12: [name, "False", "[]"]}[width]
        kind = "BAD" if bad else "TGT"
        times = [f"{100.0 + 10 * number}", f"{105.0 + 10 * number}"]
        place = row.item if width == 9 else row.item % 4 + 1
        lines.append(
            [row.rater, row.system, place, kind, "ces", "eng", row.score, *more, *times]
        )
    return delimited(None, lines)


def _esa() -> bytes:
    return json_lines(
        [
            {
                "langs": "en-cs",
                "line_id": row.item,
                "src": "One.",
                "tgt": "Jedna.",
                "doc_id": row.document,
                "domain": "news",
                "esa_spans": [],
                "esa_score": row.score,
                "system": row.system,
                "annotator": row.rater,
            }
            for row in system_rows()
        ]
    )


def _wmt25() -> bytes:
    entries = []
    for item in range(16):
        mine = [row for row in system_rows() if row.item == item]
        scores: dict[str, dict[str, Any]] = {}
        for system in SYSTEMS:
            one = scores.setdefault(system, {})
            for number, row in enumerate((r for r in mine if r.system == system), start=1):
                one |= {f"human{number}": row.score, f"errors{number}": []}
                one[f"annotator{number}"] = row.rater
        entries.append(
            {
                "doc_id": f"en-cs_#_news_#_{mine[0].document}",
                "src_text": f"Source {item}.",
                "tgt_text": dict.fromkeys(SYSTEMS, "Text."),
                "scores": scores,
            }
        )
    return json_lines(entries)


def _mqm() -> bytes:
    header = [
        "system",
        "doc",
        "doc_id",
        "seg_id",
        "rater",
        "source",
        "target",
        "category",
        "severity",
    ]
    lines = []
    for row in system_rows():
        severity = "Major" if row.score < 50 else "Minor" if row.score < 65 else "no-error"
        category = "no-error" if severity == "no-error" else "Accuracy/Omission"
        cells = [row.system, row.document, row.document[1:], row.item + 1, row.rater]
        lines.append([*cells, "One.", "<v>Eins</v>.", category, severity])
    return delimited(header, lines, "\t")


def _pearmut() -> bytes:
    entries = []
    for item in range(16):
        for rater in ("ann", "bob", "cho"):
            mine = [r for r in system_rows() if (r.item, r.rater) == (item, rater)]
            if mine:
                scores = {r.system: {"score": r.score, "error_spans": []} for r in mine}
                shown = {"item_id": f"s{item}", "tgt": dict.fromkeys(SYSTEMS, "x")}
                entries.append(
                    {
                        "user_id": rater,
                        "item_i": item,
                        "item": [shown],
                        "annotation": [scores],
                        "actions": [],
                    }
                )
    return json_lines(entries)


def _label_studio() -> bytes:
    tasks = []
    for number, row in enumerate(system_rows(), start=1):
        result = {"type": "number", "from_name": "score", "to_name": "text"}
        result["value"] = {"number": row.score}  # type: ignore[assignment]
        done = {"id": number, "completed_by": row.rater, "lead_time": 4.5, "result": [result]}
        data = {"system": row.system, "segment": f"s{row.item}", "text": "x"}
        tasks.append({"id": number, "data": data, "annotations": [done]})
    return json.dumps(tasks).encode()


def _wmt_da() -> bytes:
    header = [
        "HITId",
        "WorkerId",
        "src",
        "trg",
        "item",
        "sys_id",
        "rid",
        "type",
        "sid",
        "score",
        "time",
    ]
    kinds = {"system": "system", "degraded": "cal"}
    return delimited(
        header,
        [
            ["H1", r.rater, "cs", "en", "ad", r.system, n, kinds[r.kind], r.item, r.score, 30]
            for n, r in enumerate(rows())
        ],
    )


def _texts(seed: int) -> list[str]:
    rng = random.Random(seed)
    return [" ".join(rng.choices(_WORDS, k=rng.randint(4, 12))) for _ in range(16)]


def lines_of(texts: list[str]) -> bytes:
    """Return lines of text."""
    return ("\n".join(texts) + "\n").encode()


def numbers(seed: int) -> list[float]:
    """Return sixteen numbers between .2 and .9."""
    rng = random.Random(seed)
    return [round(rng.uniform(0.2, 0.9), 3) for _ in range(16)]


def long_scores() -> list[tuple[str, int, float]]:
    """Return the numbers of both systems: system, item, score."""
    return [(s, i, x) for n, s in enumerate(SYSTEMS) for i, x in enumerate(numbers(n))]


def _segments(texts: list[str]) -> str:
    return "".join(f'<seg id="{i}">{text}</seg>\n' for i, text in enumerate(texts, start=1))


def _xml() -> bytes:
    documents = []
    for n in range(4):
        part = slice(4 * n, 4 * n + 4)
        texts = {
            '<src lang="de">': (1, "src"),
            '<ref lang="en" translator="A">': (2, "ref"),
            '<hyp system="new" language="en">': (3, "hyp"),
            '<hyp system="old" language="en">': (4, "hyp"),
        }
        inside = "".join(
            f"{start}<p>{_segments(_texts(seed)[part])}</p></{end}>"
            for start, (seed, end) in texts.items()
        )
        documents.append(f'<doc origlang="de" id="d{n}" domain="news">{inside}</doc>')
    text = f'<dataset id="toy">{"".join(documents)}</dataset>'
    return f"<?xml version='1.0' encoding='utf-8'?>\n{text}\n".encode()


def _sgm(tag: str, name: str, seed: int) -> bytes:
    head = f'<{tag} setid="toy" srclang="de" trglang="en">'
    documents = "\n".join(
        f'<doc sysid="{name}" docid="d{n}" genre="news" origlang="de">\n'
        f"{_segments(_texts(seed)[4 * n : 4 * n + 4])}</doc>"
        for n in range(4)
    )
    return f"{head}\n{documents}\n</{tag}>\n".encode()


def _text_table() -> bytes:
    header = ["doc", "src", "ref", *(f"hyp:{s}" for s in SYSTEMS)]
    columns = [[f"d{i // 4}" for i in range(16)], *(_texts(n) for n in range(1, 5))]
    return delimited(header, [list(line) for line in zip(*columns, strict=True)], "\t")


def _pearmut_campaign() -> bytes:
    """Return documents of four items, one with a check."""
    names = range(1, 5)
    rows = list(zip(*(_texts(n) for n in names), strict=True))
    items = [
        {
            "item_id": f"s{i}",
            "src": src,
            "ref": ref,
            "tgt": dict(zip(SYSTEMS, texts, strict=True)),
        }
        for i, (src, ref, *texts) in enumerate(rows)
    ]
    items[15]["validation"] = {SYSTEMS[0]: {"score": [70, 80], "warning": "w"}}
    data = [items[i : i + 4] for i in range(0, 12, 4)] + [items[15:]]
    return json.dumps({"info": {"protocol": "ESA"}, "data": data}).encode()


def _appraise_batches() -> bytes:
    """Return a batch for each system."""
    columns = [_texts(n) for n in range(1, 5)]
    batches = [
        {
            "items": [
                {
                    "itemID": i,
                    "itemType": "TGT",
                    "documentID": f"d{i // 4}",
                    "sourceText": columns[0][i],
                    "targetID": system,
                    "targetText": text[i],
                }
                for i in range(16)
            ],
            "task": {"sourceLanguage": "deu", "targetLanguage": "eng"},
        }
        for system, text in zip(SYSTEMS, columns[2:], strict=True)
    ]
    return json.dumps(batches).encode()


def _task_table() -> bytes:
    """Return every line of both systems."""
    columns = [_texts(n) for n in range(1, 5)]
    header = [
        "system",
        "item",
        "kind",
        "document",
        "source",
        "reference",
        "text",
        "of_position",
    ]
    rows = [
        [system, str(i), "system", f"d{i // 4}", columns[0][i], columns[1][i], text[i], ""]
        for system, text in zip(SYSTEMS, columns[2:], strict=True)
        for i in range(16)
    ]
    return delimited(header, rows, ",")


def _training() -> bytes:
    return delimited(
        ["text", "source", "low", "high", "hint"], [["a", "b", "70", "80", "c"]], ","
    )


def _comet() -> bytes:
    content = {
        f"out/{s}.txt": [
            {"src": "x", "mt": "y", "ref": "z", "COMET": score} for score in numbers(n)
        ]
        for n, s in enumerate(SYSTEMS)
    }
    return json.dumps(content).encode()


def _inspect(seed: int) -> dict[str, Any]:
    samples = [
        {"id": f"q{i}", "epoch": 1, "scores": {"match": {"value": "C" if x > 0.5 else "I"}}}
        for i, x in enumerate(numbers(seed))
    ]
    head = {"task": "toy", "model": f"maker/{SYSTEMS[seed]}"}
    return {"version": 2, "status": "success", "eval": head, "samples": samples}


def _inspect_zip(seed: int) -> bytes:
    content = _inspect(seed)
    out = io.BytesIO()
    with zipfile.ZipFile(out, "w", zipfile.ZIP_DEFLATED) as archive:
        archive.writestr("summaries.json", json.dumps(content.pop("samples")))
        archive.writestr("header.json", json.dumps(content))
    return out.getvalue()


def _baseline() -> bytes:
    """Return a baseline of the old system of the Inspect logs."""
    right = [int(x > 0.5) for x in numbers(1)]
    names = [f"q{i}" for i in range(len(right))]
    content = {
        "format": "detectable-baseline/1",
        "created": "2026-01-02T03:04:05+00:00",
        "commit": "3f2c",
        "system": "maker/old",
        "metric": {"name": "match", "higher_is_better": True, "zero_one": True},
        "tasks": {"toy": {"items": names, "sum": right, "k": [1] * len(right)}},
        "dataset_sha256": dataset_hash(("toy", name) for name in names),
        "attempts": {"maker/new": ["aa"]},
        "signature": "baseline",
    }
    return json.dumps(content, indent=0).encode()


def _lm_eval(seed: int) -> bytes:
    return json_lines(
        [
            {
                "doc_id": i,
                "doc": {"q": f"{i}"},
                "target": "1",
                "resps": [["x"]],
                "filtered_resps": ["x"],
                "filter": "none",
                "metrics": ["acc"],
                "doc_hash": f"h{i}",
                "acc": float(x > 0.5),
            }
            for i, x in enumerate(numbers(seed))
        ]
    )


def _preferences() -> bytes:
    rng = random.Random(3)
    lines = [[i, "ann", rng.choice([*SYSTEMS, "tie"])] for i in range(40)]
    return delimited(["item", "rater", "winner"], lines)


def _battles(*, three: bool = False) -> bytes:
    rng = random.Random(4)
    names = [*SYSTEMS, "mid"] if three else list(SYSTEMS)
    words = ("model_a", "model_b", "tie", "both_bad")
    lines = [
        [i % 20, rng.choice("abcdefghijkl"), *rng.sample(names, 2), rng.choice(words), rng.randint(5, 90), rng.randint(5, 90)]
        for i in range(60)
    ]  # fmt: skip
    header = ["prompt", "voter", "model_a", "model_b", "winner", "length_a", "length_b"]
    return delimited(header, lines)


def _arena_hard() -> bytes:
    rng = random.Random(5)
    words = ("A>>B", "A>B", "A=B", "B>A", "B>>A")
    return json_lines(
        [
            {"uid": f"u{i}", "judge": "j", "model": "new", "baseline": "old",
             "games": [{"score": rng.choice(words)} for _ in range(2)]}
            for i in range(30)
        ]
    )  # fmt: skip


def _mt_bench() -> bytes:
    rng = random.Random(6)
    words = ("model_1", "model_2", "tie")
    return json_lines(
        [
            {"question_id": 80 + i, "model_1": "new", "model_2": "old", "turn": 1 + i % 2,
             "judge": ["gpt", "v2"], "g1_winner": rng.choice(words), "g2_winner": rng.choice(words)}
            for i in range(30)
        ]
    )  # fmt: skip


def _alpaca_eval() -> bytes:
    rng = random.Random(7)
    return json.dumps(
        [
            {"instruction": f"Say {i}.", "generator_1": "old", "generator_2": "new",
             "annotator": "judge", "preference": round(rng.uniform(1, 2), 3)}
            for i in range(30)
        ]
    ).encode()  # fmt: skip


def _archive() -> bytes:
    lines = [["x", r.system, r.item, r.rater, r.score] for r in system_rows()]
    return delimited(["campaign", "system", "segment", "rater", "score"], lines)


def _segment_scores() -> bytes:
    lines = [[s, i, x * 100, x - 0.5, 2] for s, i, x in long_scores()]
    return delimited(["system", "sid", "raw", "z", "N"], lines)


def _complete() -> bytes:
    rng = random.Random(5)
    raters = ("ann", "bob", "cho")
    lines = [[s, i, r, rng.randint(1, 5)] for i in range(12) for s in SYSTEMS for r in raters]
    return delimited(["system", "item", "rater", "score"], lines)


def _comparisons() -> bytes:
    rng = random.Random(11)
    lines = [
        [
            ("mt", "qa")[k % 2],
            round(rng.gauss(0, 2), 2),
            rng.randint(50, 400),
            round(rng.uniform(0.5, 1.5), 3),
        ]
        for k in range(12)
    ]
    return delimited(["team", "difference", "n", "se"], lines)


def _benchmark() -> bytes:
    rng = random.Random(12)
    lines = []
    for k in range(18):
        old = rng.uniform(70, 95)
        task, n = (("small", 277), ("large", 9000))[k % 2]
        lines.append([task, n, round(old, 1), round(old + rng.uniform(0.1, 2), 1)])
    return delimited(["task", "n", "baseline", "accuracy"], lines)


def _studies() -> bytes:
    rng = random.Random(13)
    sizes = [rng.choice([20, 50, 100, 200]) for _ in range(20)]
    return delimited(
        ["examples", "effect"], [[n, round(rng.gauss(0.05, 0.1), 3)] for n in sizes]
    )


def _histograms() -> bytes:
    import numpy as np

    out = io.BytesIO()
    np.savez(
        out,
        all=np.random.default_rng(14).multinomial(120, [0.1, 0.2, 0.3, 0.4], 6),
        campaign=np.repeat(["a", "b"], 3),
        system=np.array(["x", "y", "z"] * 2),
        source=np.repeat(["en", "de"], 3),
        target=np.repeat(["de", "en"], 3),
    )
    return out.getvalue()


def _origins() -> bytes:
    return delimited(["doc", "origlang"], [[f"d{n}", ("de", "en")[n % 2]] for n in range(4)])


def _metricx(seed: int) -> bytes:
    entry = {"source": "x", "reference": "y", "hypothesis": "z"}
    return json_lines(
        [{"id": f"{i}", **entry, "prediction": 5 * x} for i, x in enumerate(numbers(seed))]
    )


def _comet_text() -> bytes:
    lines, means = [], []
    for n, system in enumerate(SYSTEMS):
        scores = [round(x, 4) for x in numbers(n)]
        lines += [f"{system}.txt\tSegment {i}\tscore: {x:.4f}" for i, x in enumerate(scores)]
        means.append(f"{system}.txt\tscore: {sum(scores) / len(scores):.4f}")
    return lines_of([*lines, *means])


def _metric_csv() -> bytes:
    return delimited(["system", "item", "score"], [list(row) for row in long_scores()])


def _epochs() -> bytes:
    """Return two tasks of eight questions, each answered three times by either system."""
    rng = random.Random(5)
    rows = [
        [system, ("s", "t")[item // 8], f"q{item}", f"p{item // 2}", epoch, rng.randint(0, 1)]
        for system in SYSTEMS
        for item in range(16)
        for epoch in (1, 2, 3)
    ]
    return delimited(["system", "task", "question", "passage", "epoch", "score"], rows)


def _mt_bench_grades() -> bytes:
    rng = random.Random(6)
    rows = [
        {"question_id": item, "model": system, "turn": turn, "score": rng.randint(1, 10)}
        for system in SYSTEMS
        for item in range(16)
        for turn in (1, 2)
    ]
    return lines_of([json.dumps(row) for row in rows])


def _zero_one(*names: str, first: int = 0, wrong: float = 0.0) -> bytes:
    """Return answers of two systems on 60 items, a share of them turned round."""
    truth, flips = random.Random(3), random.Random(4)
    rows = [
        [system, first + i, int((truth.random() < 0.6) != (flips.random() < wrong))]
        for system in ("new", "old")
        for i in range(60)
    ]
    return delimited(["system", *names], rows)


def _outputs() -> bytes:
    """Return outputs of three systems with human scores and two metrics."""
    rng = random.Random(8)
    rows = [
        [
            system,
            item,
            f"d{item // 2}",
            rng.randint(-9, 0),
            rng.randint(-9, 0),
            rng.randint(0, 99),
        ]
        for system in ("new", "old", "third")
        for item in range(24)
    ]
    return delimited(["system", "segment", "document", "mqm", "good", "ter"], rows)


def _wide() -> bytes:
    columns = [range(16), numbers(0), numbers(1)]
    return delimited(["item", *SYSTEMS], [list(line) for line in zip(*columns, strict=True)])


def _kept(name: str) -> bytes:
    """Return the file of a result that ``--out`` wrote."""
    from detectable.report.saved.save import written_result
    from tests.report.results import RESULTS

    return written_result(RESULTS[name], command=["detectable", "it"]).text.encode()


# Every format of judgments: its name for people, its file, what makes it.
JUDGMENTS: dict[str, tuple[str, Callable[[], bytes]]] = {
    "csv": ("j.csv", lambda: _table(",")),
    "tsv": ("j.tsv", lambda: _table("\t")),
    "jsonl": ("j.jsonl", _table_jsonl),
    "parquet": ("j.parquet", _parquet),
    "gzip": ("j.csv.gz", lambda: gzip.compress(_table(","), mtime=0)),
    "appraise-9": ("a9.csv", lambda: _appraise(9)),
    "appraise-11": ("a11.csv", lambda: _appraise(11)),
    "appraise-12": ("a12.csv", lambda: _appraise(12)),
    "esa": ("wmt24.jsonl", _esa),
    "wmt25": ("wmt25.jsonl", _wmt25),
    "mqm": ("mqm.tsv", _mqm),
    "pearmut": ("pearmut.jsonl", _pearmut),
    "label-studio": ("tasks.json", _label_studio),
    "wmt-da": ("ad-csen.csv", _wmt_da),
}

# Everything else that a command reads, by the name of its file.
FILES: dict[str, Callable[[], bytes]] = {
    **dict(JUDGMENTS.values()),
    "ranking.json": lambda: _kept("ranking"),
    "comparison.json": lambda: _kept("comparison"),
    "savings.json": lambda: _kept("procedure_savings"),
    "audit.json": lambda: _kept("archive_audit"),
    "src.txt": lambda: lines_of(_texts(1)),
    "ref.txt": lambda: lines_of(_texts(2)),
    "new.txt": lambda: lines_of(_texts(3)),
    "old.txt": lambda: lines_of(_texts(4)),
    "docs.txt": lambda: lines_of([f"d{i // 4}" for i in range(16)]),
    "meanings.csv": (FROZEN / "meanings.csv").read_bytes,
    "texts.tsv": _text_table,
    "pearmut-campaign.json": _pearmut_campaign,
    "batches.json": _appraise_batches,
    "tasks.csv": _task_table,
    "training.csv": _training,
    "wmt.xml": _xml,
    "ref.sgm": lambda: _sgm("refset", "ref", 2),
    "new.sgm": lambda: _sgm("tstset", "new", 3),
    "old.sgm": lambda: _sgm("tstset", "old", 4),
    "wide.csv": _wide,
    "long.csv": _metric_csv,
    "epochs.csv": _epochs,
    "mt_bench.jsonl": _mt_bench_grades,
    "new.scores": lambda: lines_of([str(x) for x in numbers(0)]),
    "old.scores": lambda: lines_of([str(x) for x in numbers(1)]),
    "new.sacrebleu": lambda: lines_of([f"chrF2|v:2 = {100 * x:.1f}" for x in numbers(0)]),
    "old.sacrebleu": lambda: lines_of([f"chrF2|v:2 = {100 * x:.1f}" for x in numbers(1)]),
    "outputs.csv": _outputs,
    "zero_one.csv": lambda: _zero_one("item", "score"),
    "labels.csv": lambda: _zero_one("item", "score", first=100),
    "labelled_judge.csv": lambda: _zero_one("item", "score", first=100, wrong=0.1),
    "comet.json": _comet,
    "seg.score": lambda: lines_of([f"{s} {x}" for s, _, x in long_scores()]),
    "new.json": lambda: json.dumps(_inspect(0)).encode(),
    "old.json": lambda: json.dumps(_inspect(1)).encode(),
    "baseline.json": _baseline,
    "new.eval": lambda: _inspect_zip(0),
    "old.eval": lambda: _inspect_zip(1),
    f"new/{LM_EVAL}": lambda: _lm_eval(0),
    f"old/{LM_EVAL}": lambda: _lm_eval(1),
    "complete.csv": _complete,
    "preferences.csv": _preferences,
    "battles.csv": lambda: _battles(three=True),
    "pair.csv": _battles,
    "hard.jsonl": _arena_hard,
    "mtb.jsonl": _mt_bench,
    "alpaca.json": _alpaca_eval,
    "archive.csv": _archive,
    "segments.csv": _segment_scores,
    "comparisons.csv": _comparisons,
    "benchmark.csv": _benchmark,
    "studies.csv": _studies,
    "histograms.npz": _histograms,
    "origins.csv": _origins,
    "new.metricx.jsonl": lambda: _metricx(0),
    "old.metricx.jsonl": lambda: _metricx(1),
    "comet.txt": _comet_text,
}
