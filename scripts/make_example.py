"""Write the bundled example: python scripts/make_example.py.

The text is made from templates of our own, so the package carries no data set of anyone else.
Two «systems» translate it with faults at a known rate: the contender makes fewer mistakes, and
every run of a system makes its own. Documents differ in difficulty, as real ones do.
"""

from pathlib import Path

import numpy as np

HERE = Path(__file__).parent.parent / "src" / "detectable" / "data" / "texts" / "example"
RUNS = 3
DOCUMENTS = 40
SEGMENTS = 6
FAULTS = {"baseline": 0.17, "contender": 0.145}  # share of words that a system gets wrong

PLACES = ["Marlow", "Hadley", "Brook", "Eastford", "Linden", "Carrow", "Stanmere", "Oakhurst"]
PEOPLE = [
    "the mayor",
    "a spokeswoman",
    "the engineers",
    "two teachers",
    "the coach",
    "neighbours",
]
THINGS = [
    "the bridge",
    "the library",
    "the old harbour",
    "the school",
    "the river path",
    "the hall",
]
TIMES = [
    "on Monday",
    "last week",
    "in the spring",
    "after the storm",
    "before noon",
    "this year",
]
NUMBERS = ["three", "40", "more than 200", "nearly 1,500", "a dozen", "half of the"]
SENTENCES = [
    "{Person} of {place} said that {thing} would open again {time}.",
    "{Number} people came to see {thing} {time}, although it rained.",
    "The council has not decided how to pay for {thing}.",
    "According to {person}, repairs at {thing} cost {number} pounds more than planned.",
    "{Person} wants to know why nobody was told about {thing} {time}.",
    "In {place}, {number} houses were without power {time}.",
    "The team from {place} won the match by two goals and thanked {person}.",
    "It is too early to say what this means for {thing}, said {person}.",
    "{Time}, {person} walked from {place} to {thing} and back.",
    "The report lists {number} reasons to keep {thing} as it is.",
]
SYNONYMS = {
    "said": "stated",
    "people": "persons",
    "open": "reopen",
    "again": "once more",
    "came": "arrived",
    "decided": "determined",
    "pay": "paying",
    "cost": "costs",
    "planned": "expected",
    "told": "informed",
    "houses": "homes",
    "power": "electricity",
    "won": "gained",
    "match": "game",
    "thanked": "thanks",
    "early": "soon",
    "means": "signifies",
    "walked": "went",
    "report": "account",
    "reasons": "grounds",
    "keep": "leave",
    "rained": "was raining",
    "repairs": "fixes",
    "nobody": "no one",
    "wants": "wishes",
}


def sentence(rng: np.random.Generator) -> str:
    slots = {
        "place": rng.choice(PLACES),
        "person": rng.choice(PEOPLE),
        "thing": rng.choice(THINGS),
        "time": rng.choice(TIMES),
        "number": rng.choice(NUMBERS),
    }
    capital = {key.capitalize(): value[0].upper() + value[1:] for key, value in slots.items()}
    return str(rng.choice(SENTENCES)).format(**slots, **capital)


def translate(text: str, faults: float, rng: np.random.Generator) -> str:
    words = text.split()
    made: list[str] = []
    for word in words:
        if rng.random() >= faults:
            made.append(word)
            continue
        fault = rng.random()
        if word in SYNONYMS and fault < 0.6:
            made.append(SYNONYMS[word])
        elif fault < 0.7:
            made.append(f"{word}s" if word.isalpha() else word)
        elif fault < 0.85 and made:
            made.insert(len(made) - 1, word)
    return " ".join(made) or words[0]


def main() -> None:
    rng = np.random.default_rng(2026)
    HERE.mkdir(parents=True, exist_ok=True)
    references = [sentence(rng) for _ in range(DOCUMENTS * SEGMENTS)]
    difficulty = np.repeat(rng.gamma(6.0, 1 / 6.0, DOCUMENTS), SEGMENTS)
    documents = [f"story-{d + 1:02d}" for d in range(DOCUMENTS) for _ in range(SEGMENTS)]
    write("reference.txt", references)
    write("documents.txt", documents)
    for system, rate in FAULTS.items():
        for run in range(1, RUNS + 1):
            lines = [
                translate(text, min(0.9, rate * hard), rng)
                for text, hard in zip(references, difficulty, strict=True)
            ]
            write(f"{system}.run{run}.txt", lines)


def write(name: str, lines: list[str]) -> None:
    (HERE / name).write_text("\n".join(lines) + "\n", encoding="utf-8")


if __name__ == "__main__":
    main()
