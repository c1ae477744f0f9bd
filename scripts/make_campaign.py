"""Write the bundled campaign of `detectable demo`: python scripts/make_campaign.py.

A miniature evaluation in which the truth is known, because it is planted here: five systems with
three runs each translate 40 documents from a toy language into English; sixteen raters score the
first run, three of them without reading; a metric scores all runs; half of the documents were
written in English first, and translating those back is easier. All text comes from the lists
below, so the package carries no data set of anyone else.

Only `random.Random.random` is drawn from, whose stream Python promises not to change: the files
are the same with every version of Python and numpy.

The seed is not what makes the demo work. With the seeds 1 to 30 the steps agree with what is
planted so often: plan, ranking and documents 30 times, looks and conclusion 29 (once the two equal
systems are told apart), raters 28 (twice a careless one passes), comparison 26 (four times the
metrics do not agree), translated sources 24 (six times not significant for all five systems).
"""

import gzip
import io
import json
import math
import random
import zlib
from dataclasses import dataclass
from pathlib import Path
from typing import Any

HERE = Path(__file__).parent.parent / "src" / "detectable" / "data" / "example" / "campaign"
SEED = 2020

# The truth. Points of a scale from 0 to 100, on documents first written in the source language.
BASELINE = "birch"
QUALITY = {"aspen": 68.0, "dogwood": 63.0, "birch": 62.0, "cedar": 62.0, "elm": 54.0}
REVERSE = 8.0  # points that every system gains where the source is a translation
RUN_SPREAD = 1.2  # points by which the second and third run lie above and below the first
CARELESS = {"r04": "any", "r10": "high", "r15": "middle"}  # how they click without reading

DOCUMENTS, SEGMENTS, RUNS = 40, 6, 3
LOOKS = 5  # the documents arrive in as many parts
RATERS = [f"r{number:02d}" for number in range(1, 17)]
COPIES, REPEATS = 10, 2  # degraded copies and repeats in every task
DEGRADED = 25.0  # points that a degraded copy loses

# Standard deviations, in points. What is hard is hard for all systems.
DOCUMENT_SD, SEGMENT_SD = 4.5, 6.0
SYSTEM_DOCUMENT_SD, SYSTEM_SEGMENT_SD = 1.5, 5.0
SEVERITY_SD, RATING_SD = 5.0, 9.0
FAULTS = 0.0045  # share of faulty words for every point below 100
METRIC_START, METRIC_SLOPE, METRIC_SD = 0.30, 0.006, 0.03  # of the metric, per point

SLOTS = {
    "place": ["Orrin Bay", "Veldmouth", "Upper Tarn", "Hollin", "Kestrel Hill", "Saltmere"],
    "who": [
        "the council",
        "the museum",
        "the bus company",
        "a local school",
        "the harbour office",
    ],
    "what": [
        "the old bridge",
        "the night market",
        "the swimming pool",
        "the ferry",
        "the library",
    ],
    "when": ["on Monday", "in early spring", "next month", "after the storm", "this summer"],
    "many": ["30", "nearly 200", "about 1,500", "more than 60", "a dozen"],
    "item": ["this kettle", "the desk lamp", "the rain jacket", "our hiking boot", "the radio"],
    "part": ["lid", "handle", "battery", "strap", "cable", "zip"],
    "good": ["light", "quiet", "sturdy", "easy to clean", "quick to charge"],
    "use": ["long trips", "small kitchens", "wet days", "daily work", "cold mornings"],
}
NEWS = [
    "{Who} in {place} will open {what} again {when}.",
    "{Many} visitors came to see {what} {when}, more than ever before.",
    "According to {who}, repairs at {what} will cost {many} thousand.",
    "It is not yet clear who will pay for {what} in {place}.",
    "{Who} has asked for {many} helpers who can work at {what} {when}.",
    "Trains to {place} were late {when} because of work near {what}.",
    "A report lists {many} reasons to keep {what} as it is.",
    "Families from {place} can use {what} free of charge {when}.",
]
SHOP = [
    "With its new {part}, {item} is {good} and made for {use}.",
    "Customers say that {item} is {good}, but the {part} could be better.",
    "The {part} of {item} can be replaced at home within {many} minutes.",
    "We tested {item} for {many} hours and found it {good}.",
    "If you need something {good} for {use}, choose {item}.",
    "The maker promises that the {part} will last for {many} weeks.",
    "For {use}, {item} comes with a second {part}.",
    "Please keep the {part} of {item} dry and away from children.",
]
OTHER_WORDS = {
    "open": "start",
    "again": "anew",
    "visitors": "guests",
    "came": "went",
    "see": "watch",
    "repairs": "fixings",
    "cost": "charge",
    "clear": "plain",
    "pay": "give",
    "asked": "begged",
    "helpers": "aids",
    "late": "tardy",
    "report": "message",
    "reasons": "causes",
    "keep": "hold",
    "free": "empty",
    "customers": "clients",
    "say": "tell",
    "better": "best",
    "replaced": "put back",
    "tested": "proved",
    "found": "discovered",
    "need": "must",
    "choose": "elect",
    "maker": "doer",
    "promises": "swears",
    "last": "stay",
    "second": "other",
    "dry": "arid",
    "children": "kids",
    "made": "done",
    "new": "novel",
    "quiet": "still",
    "light": "bright",
}
ARTICLES = {"the", "a", "an"}
ONSETS, VOWELS = "bdfghklmnprstvz", "aeiou"


class Chance(random.Random):
    """Draws that rest on `random()` alone."""

    def normal(self, sd: float) -> float:
        radius = math.sqrt(-2.0 * math.log(1.0 - self.random()))
        return sd * radius * math.cos(2.0 * math.pi * self.random())

    def one_of(self, things: list[Any]) -> Any:
        return things[int(self.random() * len(things))]

    def some_of(self, things: list[Any], n: int) -> list[Any]:
        left = list(things)
        return [left.pop(int(self.random() * len(left))) for _ in range(min(n, len(left)))]


@dataclass(frozen=True)
class Segment:
    """A sentence, its source, and how well each system does on it, in points."""

    document: str
    item: str
    origin: str
    source: str
    reference: str
    quality: dict[str, float]


def toy_word(word: str) -> str:
    """Return the word of the toy language: always the same syllables for one English word."""
    code = zlib.crc32(word.lower().encode())
    made = ""
    for _ in range(2 + code % 2):
        made += ONSETS[code % len(ONSETS)] + VOWELS[code // 16 % len(VOWELS)]
        code //= 97
    return made


def toy_sentence(text: str, origin: str) -> str:
    """Return the source: no articles; the second word stands last, unless it was translated."""
    words = [word.strip(",.") for word in text.split()]
    made = [
        word if word[0].isdigit() else toy_word(word)
        for word in words
        if word.lower() not in ARTICLES
    ]
    if origin == "qaa":
        made.append(made.pop(1))
    return f"{made[0].capitalize()} {' '.join(made[1:])}."


def sentence(templates: list[str], chance: Chance) -> str:
    slots = {name: chance.one_of(words) for name, words in SLOTS.items()}
    capital = {name.capitalize(): text[0].upper() + text[1:] for name, text in slots.items()}
    return str(chance.one_of(templates).format(**slots, **capital))


def make_segments(chance: Chance) -> list[Segment]:
    made, hard = [], 0.0
    for number in range(DOCUMENTS):
        kind, templates = (("news", NEWS), ("shop", SHOP))[number // 2 % 2]
        origin = ("qaa", "eng")[number % 2]
        document = f"{kind}-{number + 1:02d}"
        # Neighbours, one of either origin, are equally hard: the halves differ by what is planted.
        hard = hard if number % 2 else chance.normal(DOCUMENT_SD)
        own = {name: chance.normal(SYSTEM_DOCUMENT_SD) for name in QUALITY}
        for place in range(SEGMENTS):
            text = sentence(templates, chance)
            shared = hard + chance.normal(SEGMENT_SD) + (REVERSE if origin == "eng" else 0.0)
            quality = {
                name: points + shared + own[name] + chance.normal(SYSTEM_SEGMENT_SD)
                for name, points in QUALITY.items()
            }
            item = str(number * SEGMENTS + place + 1)
            source = toy_sentence(text, origin)
            made.append(Segment(document, item, origin, source, text, quality))
    return made


def translate(segment: Segment, points: list[float], chance: Chance) -> list[str]:
    """Return the reference with as many faults as the points of each run ask for.

    Runs of a system stumble over much the same words: which ones is drawn for the system, and
    moved a little for each run.
    """
    words = segment.reference.rstrip(".").split()
    weak = [chance.random() for _ in words]
    kinds = [chance.random() for _ in words]
    return [_with_faults(words, kinds, weak, of_run, chance) for of_run in points]


def _with_faults(
    words: list[str], kinds: list[float], weak: list[float], points: float, chance: Chance
) -> str:
    share = min(max(FAULTS * (100.0 - points), 0.0), 0.9)
    n_faults = int(share * len(words) + chance.random())
    moved = [0.8 * one + 0.2 * chance.random() for one in weak]
    made = list(words)
    for place in sorted(range(len(words)), key=moved.__getitem__)[:n_faults]:
        word, plain = words[place], words[place].strip(",").lower()
        if plain in OTHER_WORDS and kinds[place] < 0.7:
            made[place] = OTHER_WORDS[plain] + ("," if word.endswith(",") else "")
        elif kinds[place] < 0.3:
            made[place] = ""
        elif kinds[place] < 0.5 and place:
            made[place - 1], made[place] = made[place], made[place - 1]
        elif kinds[place] < 0.75:
            made[place] = toy_word(plain)
        else:
            made[place] = f"{word} {word}"
    kept = " ".join(word for word in made if word)
    return f"{kept[:1].upper()}{kept[1:]}."


def run_points(points: float, run: int) -> float:
    """Return the quality of a run: the first is the planted one, and so is the mean of all."""
    return points + (0.0, RUN_SPREAD, -RUN_SPREAD)[run]


def make_corpus(segments: list[Segment], chance: Chance) -> list[list[str]]:
    names = sorted(QUALITY)
    columns = [f"hyp:{name}#{run + 1}" for name in names for run in range(RUNS)]
    rows = [["line", "doc", "origlang", "src", "ref", *columns]]
    for one in segments:
        texts = []
        for name in names:
            points = [run_points(one.quality[name], run) for run in range(RUNS)]
            texts += translate(one, points, chance)
        rows.append([one.item, one.document, one.origin, one.source, one.reference, *texts])
    return rows


def make_scores(segments: list[Segment], chance: Chance) -> list[list[str]]:
    """Return what the metric says: it follows the points, with noise of its own."""
    names = [f"{name}#{run + 1}" for name in sorted(QUALITY) for run in range(RUNS)]
    rows = [["item", "doc", *names]]
    for one in segments:
        scores = [
            METRIC_START
            + METRIC_SLOPE * run_points(one.quality[name], run)
            + chance.normal(METRIC_SD)
            for name in sorted(QUALITY)
            for run in range(RUNS)
        ]
        rows.append([one.item, one.document, *(f"{score:.3f}" for score in scores)])
    return rows


def raters_of(part: int, place: int) -> tuple[str, str]:
    """Return who judges a document: one of either half of the raters, documents taking turns.

    Every rater sees both origins, and no two careless raters meet, so that every document has a
    careful one.
    """
    return RATERS[(place + part) % 8], RATERS[8 + (place + 5 * part + 1) % 8]


def score(rater: str, points: float, severity: float, chance: Chance) -> int:
    how = CARELESS.get(rater)
    if how is None:
        given = points + severity + chance.normal(RATING_SD)
    elif how == "any":
        given = 101.0 * chance.random() - 0.5
    elif how == "high":
        given = 90.0 + chance.normal(4.0)
    else:
        given = 55.0 + chance.normal(12.0)
    return min(max(round(given), 0), 100)


def make_judgments(segments: list[Segment], chance: Chance) -> list[list[str]]:
    head = ["wave", "document", "original_language", "item", "system", "rater", "task", "kind"]
    rows = [[*head, "score", "seconds"]]
    severity = {rater: chance.normal(SEVERITY_SD) for rater in RATERS}
    per_part = DOCUMENTS // LOOKS
    for number in range(DOCUMENTS):
        part, place = divmod(number, per_part)
        mine = segments[number * SEGMENTS : (number + 1) * SEGMENTS]
        outputs = [(one, name) for one in mine for name in sorted(QUALITY)]
        for rater in raters_of(part, place):
            # As many degraded copies of every system, as `detectable tasks` deals them.
            copies = [
                (one, name)
                for name in sorted(QUALITY)
                for one in chance.some_of(mine, COPIES // len(QUALITY))
            ]
            shown = [(one, name, "system") for one, name in outputs]
            shown += [(one, name, "degraded") for one, name in copies]
            shown += [(one, name, "repeat") for one, name in chance.some_of(outputs, REPEATS)]
            done = []
            for one, name, kind in chance.some_of(shown, len(shown)):
                points = one.quality[name] - (DEGRADED if kind == "degraded" else 0.0)
                given = score(rater, points, severity[rater], chance)
                seconds = 2 + chance.random() * (3 if rater in CARELESS else 26)
                done.append(
                    [
                        *(str(part + 1), one.document, one.origin, one.item, name, rater),
                        *(f"{rater}-{one.document}", kind, str(given), f"{seconds:.0f}"),
                    ]
                )
            # Judged in any order, exported by item: so items come in one order, whoever is left out.
            rows += sorted(
                done, key=lambda row: (int(row[3]), row[4], row[7] != "system", row[7])
            )
    return rows


def truth() -> dict[str, Any]:
    return {
        "about": "What was planted in the bundled campaign; made by scripts/make_campaign.py.",
        "language_pair": "qaa-eng",
        "baseline": BASELINE,
        "quality": QUALITY,
        "careless_raters": sorted(CARELESS),
        "degraded": DEGRADED,
        "reverse": REVERSE,
        "run_spread": RUN_SPREAD,
        "document_sd": DOCUMENT_SD,
        "looks": LOOKS,
        "metric": {"name": "gauge", "per_point": METRIC_SLOPE},
    }


def table(rows: list[list[str]]) -> bytes:
    return "".join("\t".join(row) + "\n" for row in rows).encode()


def make_files() -> dict[str, bytes]:
    """Return every file by name, not compressed."""
    chance = Chance(SEED)
    segments = make_segments(chance)
    return {
        "corpus.tsv": table(make_corpus(segments, chance)),
        "scores.tsv": table(make_scores(segments, chance)),
        "judgments.tsv": table(make_judgments(segments, chance)),
        "truth.json": (json.dumps(truth(), indent=2) + "\n").encode(),
    }


def main() -> None:
    HERE.mkdir(parents=True, exist_ok=True)
    for name, content in make_files().items():
        if name.endswith(".json"):
            (HERE / name).write_bytes(content)
            continue
        packed = io.BytesIO()
        with gzip.GzipFile(fileobj=packed, mode="wb", mtime=0, filename="") as file:
            file.write(content)
        (HERE / f"{name}.gz").write_bytes(packed.getvalue())


if __name__ == "__main__":
    main()
