"""Files of evaluation harnesses, leaderboards and campaigns, valid and large enough."""

import io
import json
import random
import tempfile
from collections.abc import Callable
from pathlib import Path
from typing import Any

from tests.data.human.xlsx import write_xlsx
from tests.fuzz.seeds import (
    SYSTEMS,
    delimited,
    json_lines,
    lines_of,
    long_scores,
    numbers,
    rows,
    system_rows,
)

_DETAILS = "details_toy_2025-01-02T03-04-05.678901.parquet"


def _promptfoo() -> bytes:
    results = [
        {
            "promptIdx": 0,
            "testIdx": i,
            "provider": {"id": system, "label": ""},
            "score": score,
            "success": True,
            "namedScores": {"tone": score},
            "vars": {"q": f"question {i}"},
        }
        for system, i, score in long_scores()
    ]
    return json.dumps({"results": {"version": 3, "prompts": [], "results": results}}).encode()


def _deepeval(seed: int) -> bytes:
    cases = [
        {
            "name": f"test_case_{i}",
            "input": f"question {i}",
            "metricsData": [{"name": "Correctness", "score": x, "success": True}],
        }
        for i, x in enumerate(numbers(seed))
    ]
    return json.dumps(
        {"testCases": cases, "hyperparameters": {"model": SYSTEMS[seed]}}
    ).encode()


def _helm(seed: int) -> bytes:
    instances = [
        {
            "instance_id": f"id{i}",
            "train_trial_index": 0,
            "stats": [
                {"name": {"name": "exact_match", "split": "test"}, "count": 1, "mean": x},
                {"name": {"name": "num_bytes", "split": "test"}, "count": 1, "mean": 9.0},
            ],
        }
        for i, x in enumerate(numbers(seed))
    ]
    return json.dumps(instances).encode()


def _lighteval(seed: int) -> bytes:
    import polars as pl

    out = io.BytesIO()
    entries = [
        {"doc": {"id": f"q{i}", "query": "x"}, "metric": {"acc": x}}
        for i, x in enumerate(numbers(seed))
    ]
    pl.DataFrame(entries).write_parquet(out)
    return out.getvalue()


def _alpaca(seed: int) -> bytes:
    entries = [
        {
            "instruction": f"instruction {i}",
            "dataset": "own",
            "generator_1": "ref",
            "generator_2": SYSTEMS[seed],
            "annotator": "judge-1",
            "preference": 1 + x,
        }
        for i, x in enumerate(numbers(seed))
    ]
    return json.dumps(entries).encode()


def _metric_scores(seed: int) -> bytes:
    found = numbers(seed)
    return json_lines(
        [
            {
                "language_pair": "en-cs_CZ",
                "document_id": f"d{n}",
                "metric_scores": {"CometKiwi": found[4 * n : 4 * n + 4]},
            }
            for n in range(4)
        ]
    )


def _openai_evals(seed: int) -> bytes:
    events: list[Any] = [
        {"sample_id": f"toy.{i}", "type": "match", "data": {"correct": x > 0.5, "picked": "x"}}
        for i, x in enumerate(numbers(seed))
    ]
    spec = {"eval_name": "toy", "completion_fns": [SYSTEMS[seed]]}
    return json_lines([{"spec": spec}, *events, {"final_report": {"accuracy": 0.5}}])


def _healthbench(seed: int) -> bytes:
    examples = [
        {"prompt_id": f"p{i}", "score": x, "prompt": [{"role": "user", "content": f"{i}"}]}
        for i, x in enumerate(numbers(seed))
    ]
    content = {"score": 0.5, "metrics": {}, "htmls": [], "convos": []}
    return json.dumps({**content, "metadata": {"example_level_metadata": examples}}).encode()


def _rewardbench(seed: int) -> bytes:
    content = {
        "model": SYSTEMS[seed],
        "id": list(range(16)),
        "subset": [f"s{i % 2}" for i in range(16)],
        "scores_chosen": numbers(seed),
        "scores_rejected": numbers(seed + 2),
    }
    return json.dumps(content).encode()


def _rewards(seed: int) -> bytes:
    pairs = zip(numbers(seed), numbers(seed + 2), strict=True)
    return json_lines([{"chosen": x, "rejected": y} for x, y in pairs])


def _segment_scores() -> bytes:
    made = [f"{s} {i} {100 * x} {x} 2" for s, i, x in long_scores()]
    return lines_of(["SYS SID RAW.SCR Z.SCR N ", *made])


def _average_scores() -> bytes:
    made = [f"{s}\t{-x} {i + 1}" for s, i, x in long_scores()]
    return lines_of(["system mqm_avg_score seg_id", *made])


def _arena() -> bytes:
    rng = random.Random(21)
    header = ["question_id", "model_a", "model_b", "winner", "judge", "language", "anony"]
    winners = ("model_a", "model_b", "tie", "tie (bothbad)")
    return delimited(
        header,
        [
            [f"q{n}", *SYSTEMS, rng.choice(winners), f"v{n % 3}", "English", True]
            for n in range(16)
        ],
    )


def _arena_hard() -> bytes:
    rng = random.Random(22)
    scores = ("A>>B", "A>B", "A=B", "B>A", "B>>A")
    return json_lines(
        [
            {
                "uid": f"u{n}",
                "category": "math",
                "judge": "j",
                "model": "new",
                "baseline": "old",
                "games": [{"score": rng.choice(scores)}, {"score": rng.choice(scores)}],
            }
            for n in range(16)
        ]
    )


def _mt_bench_single() -> bytes:
    rng = random.Random(23)
    about: dict[str, Any] = {"judge": ["gpt-4", "single-v1"]}
    return json_lines(
        [
            {"question_id": n, "model": s, **about, "score": rng.randint(1, 10), "turn": turn}
            for n in range(12)
            for s in SYSTEMS
            for turn in (1, 2)
        ]
    )


def _mt_bench_pair() -> bytes:
    rng = random.Random(24)
    models = {"model_1": "new", "model_2": "old", "judge": ["gpt-4", "pair-v2"], "turn": 1}
    winners = ("model_1", "model_2", "tie")
    return json_lines(
        [
            {
                "question_id": n,
                **models,
                "g1_winner": rng.choice(winners),
                "g2_winner": rng.choice(winners),
            }
            for n in range(16)
        ]
    )


def _wmt_mteval() -> bytes:
    header = ["doc_id", "segment_id", "source_lang", "target_lang", "set_id", "system_id"]
    return delimited(
        [*header, "domain_name", "method", "overall"],
        [
            [f"d{i // 4}", i % 4 + 1, "en", "cs_CZ", "official", s, "news", "ESA", 100 * x]
            for s, i, x in long_scores()
        ],
        "\t",
    )


def _good_stnd() -> bytes:
    head = "HITId WorkerId Input.src Input.trg Input.item hit sys_id rid type sid score time"
    kinds = {"system": "SYSTEM", "degraded": "BAD_REF"}
    made = [
        f"H1\t{r.rater}\tlv\ten\tad\t1\t{r.system}\t{n}\t{kinds[r.kind]}\t{r.item}"
        f"\t{(r.score - 50) / 20}\t400"
        for n, r in enumerate(rows())
    ]
    return lines_of([head, *made])


def _good_raw() -> bytes:
    names = "HITId WorkerId Input.src Input.trg Input.item hit sys_id rid type sid score time"
    made = [
        f'H1 {r.rater} is en ad\tNA\t"{r.system}"\tNA\tSYSTEM\t{r.item}\t{r.score}\t400'
        for r in system_rows()
    ]
    return lines_of(["\t".join(names.split()), *made])


def _hassan() -> bytes:
    return delimited(
        None,
        [
            [
                f"zhoeng1{r.rater}",
                f"Combo-{r.system}",
                r.item,
                "TGT",
                r.score,
                10 * n,
                10 * n + 5,
            ]
            for n, r in enumerate(system_rows(), start=1)
        ],
    )


def _xlsx(system: str) -> bytes:
    header = ["Source", "Target", "User", "Segment", "Score", "valid_line"]
    cells = [
        ["de", "en", r.rater, f"Satz {r.item}", r.score, True]
        for r in system_rows()
        if r.system == system
    ]
    with tempfile.TemporaryDirectory() as folder:
        path = Path(folder) / "it.xlsx"
        write_xlsx(path, {"hum_annotations": [header, *cells]})
        return path.read_bytes()


# Scores: the name of the format, its files, the options that the command needs for it.
SCORES: dict[str, tuple[dict[str, Callable[[], bytes]], str]] = {
    "promptfoo": ({"promptfoo.json": _promptfoo}, ""),
    "deepeval": (
        {"deepeval0.json": lambda: _deepeval(0), "deepeval1.json": lambda: _deepeval(1)},
        "",
    ),
    "helm": (
        {
            "toy_model_new__per_instance_stats.json": lambda: _helm(0),
            "toy_model_old__per_instance_stats.json": lambda: _helm(1),
        },
        "--score-name exact_match",
    ),
    "lighteval": (
        {f"l0/{_DETAILS}": lambda: _lighteval(0), f"l1/{_DETAILS}": lambda: _lighteval(1)},
        "",
    ),
    "alpaca-eval": (
        {"alpaca0.json": lambda: _alpaca(0), "alpaca1.json": lambda: _alpaca(1)},
        "",
    ),
    "metric-scores": (
        {"m0.jsonl": lambda: _metric_scores(0), "m1.jsonl": lambda: _metric_scores(1)},
        "",
    ),
    "openai-evals": (
        {"oai0.jsonl": lambda: _openai_evals(0), "oai1.jsonl": lambda: _openai_evals(1)},
        "",
    ),
    "simple-evals": (
        {"hb0.json": lambda: _healthbench(0), "hb1.json": lambda: _healthbench(1)},
        "",
    ),
    "rewardbench": (
        {"rb0.json": lambda: _rewardbench(0), "rb1.json": lambda: _rewardbench(1)},
        "",
    ),
    "rewards": (
        {"rb0_all.jsonl": lambda: _rewards(0), "rb1_all.jsonl": lambda: _rewards(1)},
        "",
    ),
    "segment-scores": ({"ad-seg-scores-cs-en.csv": _segment_scores}, "--score-name Z.SCR"),
    "average-scores": ({"avg_seg_scores.tsv": _average_scores}, ""),
}

# Judgments: the name of the format, its files, what the command names, the commands.
_ALL = ("rank", "variance", "import")
HUMAN: dict[str, tuple[dict[str, Callable[[], bytes]], str, tuple[str, ...]]] = {
    "arena": ({"arena.csv": _arena}, "@arena.csv", ("rank", "import")),
    "arena-hard": ({"hard.jsonl": _arena_hard}, "@hard.jsonl", ("rank", "import")),
    "mt-bench": ({"mt.jsonl": _mt_bench_single}, "@mt.jsonl", ("rank", "import")),
    "mt-bench-pairs": ({"pairs.jsonl": _mt_bench_pair}, "@pairs.jsonl", ("rank", "import")),
    "alpaca": ({"alpaca0.json": lambda: _alpaca(0)}, "@alpaca0.json", ("rank", "import")),
    "wmt-mteval": ({"segments.tsv": _wmt_mteval}, "@segments.tsv", ("rank", "import")),
    "good-stnd": ({"ad-lven-good-stnd.csv": _good_stnd}, "@ad-lven-good-stnd.csv", _ALL),
    "good-raw": ({"ad-good-raw.csv": _good_raw}, "@ad-good-raw.csv", _ALL),
    "hassan": ({"hassan.csv": _hassan}, "@hassan.csv", _ALL),
    "xlsx": (
        {"ship/new.xlsx": lambda: _xlsx("new"), "ship/old.xlsx": lambda: _xlsx("old")},
        "@ship",
        (*_ALL, "audit"),
    ),
}

FILES: dict[str, Callable[[], bytes]] = {
    name: make
    for files in [*(row[0] for row in SCORES.values()), *(row[0] for row in HUMAN.values())]
    for name, make in files.items()
}
