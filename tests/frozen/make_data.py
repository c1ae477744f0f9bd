"""Write the small tables of tests/frozen/data: python -m tests.frozen.make_data."""

import csv
import json
from collections.abc import Iterable, Sequence
from pathlib import Path

import numpy as np

DATA = Path(__file__).parent / "data"
SYSTEMS = ("old", "new", "human")
RATERS = ("ann", "bob", "cho", "dee")


def write(name: str, header: Sequence[str], rows: Iterable[Sequence[object]]) -> None:
    """Write one table."""
    with (DATA / name).open("w", newline="") as out:
        writer = csv.writer(out, lineterminator="\n")
        writer.writerow(header)
        writer.writerows(rows)


def ragged() -> list[tuple[object, ...]]:
    """Return judgments with gaps: nobody judged everything, some judged a text twice."""
    rng = np.random.default_rng(10)
    rows: list[tuple[object, ...]] = []
    for item in range(30):
        base = rng.normal(60, 12)
        for place, rater in enumerate(RATERS):
            if (item + place) % 3 == 0:
                continue
            for number, system in enumerate(SYSTEMS):
                if rng.random() < 0.15:
                    continue
                level = base + 4 * number + 3 * place + rng.normal(0, 7)
                place_of = (f"d{item // 3}", ("news", "chat")[item % 2])
                score = round(float(np.clip(level, 0, 100)), 1)
                rows.append((system, item, *place_of, rater, "system", score))
                if rng.random() < 0.1:
                    again = round(float(np.clip(level + rng.normal(0, 4), 0, 100)), 1)
                    rows.append((system, item, *place_of, rater, "repeat", again))
    return rows


def with_controls(rows: Sequence[tuple[object, ...]]) -> list[tuple[object, ...]]:
    """Return the rows with degraded copies of every fourth text, scored far lower."""
    rng = np.random.default_rng(11)
    made: list[tuple[object, ...]] = []
    for number, row in enumerate(rows):
        made.append(row)
        if number % 4 == 0 and row[5] == "system":
            low = round(max(0.0, float(row[6]) - float(rng.normal(30, 10))), 1)  # type: ignore[arg-type]
            made.append((*row[:5], "degraded", min(low, 100.0)))
    return made


def battles() -> list[tuple[object, ...]]:
    """Return votes of an arena: five systems, prompts with favourites, a left side that helps."""
    rng = np.random.default_rng(14)
    names = ("owl", "elk", "cod", "bee", "ant")
    liked = np.array([0.7, 0.4, 0.1, -0.2, -0.9]) + 0.6 * rng.normal(size=(120, 5))
    rows: list[tuple[object, ...]] = []
    for _ in range(600):
        prompt, voter = int(rng.integers(120)), int(rng.integers(24))
        a, b = (int(i) for i in rng.choice(5, 2, replace=False))
        lengths = [int(x) for x in rng.integers(40, 400, 2)]
        longer = (lengths[0] - lengths[1]) / sum(lengths)
        gap = liked[prompt, a] - liked[prompt, b] + 0.15 + 0.6 * longer
        word = "model_a" if rng.random() < 1 / (1 + np.exp(-gap)) else "model_b"
        if rng.random() < 0.16:
            word = ("tie", "both_bad")[int(rng.random() < 0.4)]
        rows.append((f"p{prompt}", f"v{voter}", names[a], names[b], word, *lengths))
    return rows


def metrics() -> None:
    """Write outputs with human scores and two metrics, and answers of a judge."""
    rng = np.random.default_rng(31)
    truth = rng.normal(0, 2, (1, 60)) + np.array([[0.0], [0.6], [1.2], [1.6]])
    truth = truth + rng.normal(0, 1, truth.shape)
    people = -np.round(np.maximum(0.0, 4 - truth))
    good, ter = truth + rng.normal(0, 0.8, truth.shape), 60 - 6 * truth
    ter = np.maximum(0.0, ter + rng.normal(0, 14, truth.shape))
    write(
        "outputs.csv",
        ("system", "segment", "document", "mqm", "good", "ter"),
        (
            (
                name,
                i,
                f"d{i // 5}",
                int(people[s, i]),
                round(good[s, i], 3),
                round(ter[s, i], 1),
            )
            for s, name in enumerate(("one", "two", "three", "refA"))
            for i in range(60)
        ),
    )
    for name, first, wrong in (
        ("labels", 100, 0.0), ("labelled_judge", 100, 0.15), ("zero_one", 0, 0.15),
    ):  # fmt: skip
        draw, turn = np.random.default_rng(32 if first else 33), np.random.default_rng(34)
        rows = [
            (system, first + i, int((draw.random() < 0.6) != (turn.random() < wrong)))
            for system in ("new", "old")
            for i in range(100)
        ]
        write(f"{name}.csv", ("system", "item", "score"), rows)


def chosen() -> None:
    """Write a judge of one system, the labels of all failures and some passes, and weighed documents."""
    rng = np.random.default_rng(35)
    judge = (rng.random(80) < 0.8).astype(int)
    right = np.where(rng.random(80) < 0.9, judge, 1 - judge)
    write(
        "one_judge.csv",
        ("system", "item", "score"),
        [("chatbot", i, int(s)) for i, s in enumerate(judge)],
    )
    passes = np.flatnonzero(judge)
    kept = passes[: len(passes) // 4]
    weight = len(passes) / len(kept)
    rows = [("chatbot", i, int(right[i]), 1.0) for i in np.flatnonzero(judge == 0).tolist()]
    rows += [("chatbot", i, int(right[i]), weight) for i in kept.tolist()]
    write("review.csv", ("system", "item", "score", "sampling_weight"), rows)
    lines = [(f"d{d}", f"{d}-{i}") for d in range(30) for i in range(1 + d % 3)]
    metric = {name: rng.normal(0.0, 0.1, len(lines)) for name in ("new", "old", "other")}
    write(
        "weighed_metric.csv",
        ("item", "document", *metric),
        [
            (item, d, *(round(float(v[k]), 3) for v in metric.values()))
            for k, (d, item) in enumerate(lines)
        ],
    )
    drawn = {f"d{d}": round(1.5 + 0.25 * (d % 7), 2) for d in range(0, 30, 2)}
    write(
        "weighed.csv",
        ("system", "item", "document", "rater", "score", "sampling_weight"),
        [
            (
                name,
                item,
                d,
                "r",
                round(float(60 + up + 40 * metric[name][k] + rng.normal(0, 5))),
                drawn[d],
            )
            for name, up in (("new", 6), ("old", 0), ("other", 1))
            for k, (d, item) in enumerate(lines)
            if d in drawn
        ],
    )


def meanings() -> None:
    """Write systems of 70 past campaigns, with what people and a metric said of them."""
    rng = np.random.default_rng(21)
    rows = []
    for campaign in range(70):
        for system in range(3):
            metric = float(rng.normal(80.0, 2.0))
            human = round(70.0 + 0.8 * (metric - 80.0) + float(rng.normal(0.0, 1.6)), 2)
            rows.append((f"c{campaign:02}", f"s{system}", human, 0.8, round(metric, 3)))
    write("meanings.csv", ("campaign", "system", "human", "human_se", "comet"), rows)


def marks(rows: Iterable[Sequence[object]]) -> None:
    """Write errors that the raters of a table marked: one in each text, found by most of them."""
    rng, lines = np.random.default_rng(22), []
    for system, item, _, _, rater, kind, _ in rows:
        if kind != "system" or rng.random() < 0.4:
            continue
        start = 3 * int(str(item)) % 17 + int(rng.integers(0, 3))
        severity = "major" if rng.random() < 0.3 else "minor"
        place = (start, start + 6) if rng.random() < 0.9 else (None, None)
        line = {"system": system, "item": str(item), "rater": rater, "kind": kind}
        line |= {"start": place[0], "end": place[1], "severity": severity}
        lines.append(json.dumps(line))
    (DATA / "marks.jsonl").write_text("\n".join(lines) + "\n")


def main() -> None:
    """Write all tables."""
    DATA.mkdir(exist_ok=True)
    metrics()
    meanings()
    chosen()
    rng = np.random.default_rng(12)
    header = ("system", "item", "document", "domain", "rater", "kind", "score")
    rows = ragged()
    write("ragged.csv", header, rows)
    controlled = list(with_controls(rows))
    write("controls.csv", header, controlled)
    marks(controlled)
    complete = []
    for item in range(12):
        base = rng.normal(3.5, 0.8)
        for rater in range(4):
            for number, system in enumerate(SYSTEMS):
                rating = base + 0.4 * number + 0.2 * rater + rng.normal(0, 0.5)
                complete.append(
                    (system, f"i{item}", f"d{item // 3}", f"r{rater}", round(rating, 2))
                )
    write("complete.csv", ("system", "item", "document", "rater", "score"), complete)
    archive = []
    for campaign, names in (("x", "abc"), ("y", "ab")):
        for segment in range(40):
            base = rng.normal(70, 15)
            for number, name in enumerate(names):
                score = int(np.clip(base - 4 * number + rng.normal(0, 8), 0, 100))
                archive.append((campaign, name, segment, f"r{segment % 3}", score))
    write("archive.csv", ("campaign", "system", "segment", "rater", "score"), archive)
    metric = [
        (system, item, round(float(rng.normal(0.7 + 0.03 * number, 0.1)), 4))
        for number, system in enumerate(SYSTEMS)
        for item in range(60)
    ]
    write("metric.csv", ("system", "item", "score"), metric)
    binary = [
        (system, f"d{item // 4}", f"q{item}", int(rng.random() < 0.6 + 0.1 * number))
        for item in range(60)
        for number, system in enumerate(("old", "new"))
    ]
    write("binary.csv", ("system", "document", "item", "score"), binary)
    winners = [
        (f"i{item}", rater, ("new", "old", "tie")[int(rng.choice(3, p=(0.55, 0.3, 0.15)))])
        for item in range(40)
        for rater in ("ann", "bob")
    ]
    write("preferences.csv", ("item", "rater", "winner"), winners)
    write(
        "battles.csv",
        ("prompt", "voter", "model_a", "model_b", "winner", "length_a", "length_b"),
        battles(),
    )
    means = [
        (system, item, round(float(rng.normal(60 + 6 * number, 9)), 1), "", "", 2)
        for item in range(25)
        for number, system in enumerate(SYSTEMS)
    ]
    segments = [(s, i, raw, round((raw - 65) / 10, 3), n) for s, i, raw, _, _, n in means]
    write("segments.csv", ("system", "sid", "raw", "z", "N"), segments)
    # Of the documents of ragged.csv: half in each language, and one in a third.
    origins = [(f"d{d}", "de" if d == 9 else ("zh", "en")[d % 2]) for d in range(10)]
    write("origins.csv", ("doc", "origlang"), origins)
    # Of the 40 stories of the bundled test set, six lines each; one code per line, without header.
    codes = [("de", "en", "en-GB", "deu")[line // 6 % 4] for line in range(240)]
    (DATA / "example_origins.txt").write_text("\n".join(codes) + "\n")
    past()
    sampled()
    suite()


def sampled() -> None:
    """Write answers to questions of three tasks, each sampled four times, some of them lost."""
    rng = np.random.default_rng(17)
    rows = []
    for number in range(48):
        task = ("math", "reading", "code")[number // 16]
        passage = f"{task}-{number // 4 if task == 'reading' else number}"
        chance = rng.beta(2, 2)
        for place, system in enumerate(("old", "new")):
            for epoch in range(1, 5):
                right = int(rng.random() < np.clip(chance + 0.15 * place, 0, 1))
                if epoch == 1 or rng.random() > 0.06:
                    rows.append((system, task, f"q{number}", passage, epoch, right))
    write("epochs.csv", ("system", "task", "question", "passage", "epoch", "score"), rows)


def suite() -> None:
    """Write two tasks with metrics of their own, by language, and how long answers took."""
    rng = np.random.default_rng(61)
    rows: list[tuple[object, ...]] = []
    for task, metric in (("arith", "match"), ("lookup", "includes")):
        for question in range(90):
            lang = ("de", "en", "ja")[0 if question < 8 else 1 + question % 2]
            easy, slow = rng.random() < 0.75, rng.lognormal(1.0, 0.4)
            for system in ("old", "new"):
                right = easy if rng.random() < 0.92 else not easy
                if system == "new" and task == "lookup" and lang == "ja":
                    right = right and rng.random() < 0.95
                seconds = slow * rng.lognormal(0.0, 0.1)
                about = (system, task, f"{task}{question}", lang)
                rows += [(*about, metric, int(right)), (*about, "latency", round(seconds, 3))]
    write("suite.csv", ("system", "task", "item", "lang", "metric", "score"), rows)


def past() -> None:
    """Write past evaluations: comparisons, a benchmark, studies, and histograms of scores."""
    rng = np.random.default_rng(13)
    comparisons = [
        (
            ("mt", "qa", "chat")[place % 3],
            round(float(rng.normal(0, 2)), 2),
            int(rng.integers(80, 600)),
            round(float(rng.uniform(0.5, 1.5)), 3),
        )
        for place in range(30)
    ]
    write("comparisons.csv", ("team", "difference", "n", "se"), comparisons)
    before = rng.uniform(70, 95, 24).round(1)
    gains = (9 - 0.09 * before + rng.normal(0, 0.3, 24)).round(1)
    sizes = {"small": 277, "middle": 1821, "large": 40430}
    claims = [
        (task, sizes[task], old, round(old + gain, 1))
        for task, old, gain in zip(
            list(sizes) * 8, before.tolist(), gains.tolist(), strict=True
        )
    ]
    write("benchmark.csv", ("task", "n", "baseline", "accuracy"), claims)
    n = rng.choice([20, 30, 50, 100, 100, 200, 500], 40)
    effects = [(int(size), round(float(rng.normal(0.06, 0.5 / size**0.5)), 3)) for size in n]
    write("studies.csv", ("examples", "effect"), effects)
    shape = np.array([0.05, 0.05, 0.1, 0.2, 0.25, 0.35])
    np.savez(
        DATA / "histograms.npz",
        all=np.stack([rng.multinomial(150, np.roll(shape, k // 5)) for k in range(9)]),
        campaign=np.repeat(["a", "b", "c"], 3),
        system=np.array([f"s{k % 3}" for k in range(9)]),
        source=np.repeat(["en", "en", "de"], 3),
        target=np.repeat(["de", "fr", "en"], 3),
    )


def origins() -> None:
    """Write judgments of two language pairs, with ratings of documents, and battles, by original language."""
    rng = np.random.default_rng(14)
    rows, battles = [], []
    for pair in ("zh-en", "en-zh"):
        source, target = pair.split("-")
        for document in range(12):
            written = (source, target)[document % 2]
            base = rng.normal(66, 8)
            for number, system in enumerate(("owl", "ant", "elk", "fox")):
                gain = 3.0 * (4 - number) * (written == target)
                given = np.clip(base + 4 * number + gain + rng.normal(0, 9, 3), 0, 100).round()
                name = f"{pair}-{document}"
                for item, score in enumerate(given.astype(int).tolist()):
                    rows.append(
                        (system, f"{name}.{item}", name, pair, written, "system", score)
                    )
                rows.append((system, "", name, pair, written, "document", int(given.mean())))
    header = ("system", "item", "document", "language", "origlang", "kind", "score")
    write("language_pairs.csv", header, rows)
    for document in range(24):
        written = ("zh", "en")[document % 2]
        for line in range(6):
            chance = 0.72 if written == "zh" else 0.5
            winner = ("model_a", "model_b")[int(rng.uniform() > chance)]
            battles.append(("human", "new", winner, f"{document}.{line}", document, written))
    of_battles = ("model_a", "model_b", "winner", "prompt", "document", "origlang")
    write("origin_battles.csv", of_battles, battles)


if __name__ == "__main__":
    main()
    origins()
