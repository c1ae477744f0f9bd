"""Recompute meteor.toml with the jar: ``python -m tests.golden.make_meteor``."""

import numpy as np

from detectable.data.texts.corpus import Corpus
from detectable.metrics.meteor import LANGUAGES, Meteor, find_jar, meteor_process

TEXT = {
    "en": (
        ["the committee approved the new budget on monday .", "he likes big dogs", "fine ."],
        ["on monday the panel has approved the budget .", "he liked large dogs", "fine ."],
    ),
    "fi": (
        ["valiokunta hyväksyi uuden talousarvion maanantaina .", "koira nukkuu talossa"],
        ["maanantaina valiokunta hyväksyi talousarvion .", "koirat nukkuvat talossa"],
    ),
    "other": (["a b c d e", "f g"], ["a b x d e", "g f h"]),
}


def score_of_the_jar(language: str, sums: list[float]) -> float:
    options = ["-l", language]
    with meteor_process(find_jar(None), java="java", memory="2G", options=options) as process:
        return 100.0 * float(process.ask(f"SING ||| {' '.join(map(str, sums))}"))


def main() -> None:
    for language, (references, outputs) in TEXT.items():
        corpus = Corpus.build({"A": outputs}, references)
        counted, *_ = Meteor(language=language).statistics(corpus)
        sums: list[float] = np.sum(counted, axis=0).tolist()
        print(language, LANGUAGES[language].task, [int(x) for x in sums])
        print(score_of_the_jar(language, sums))


if __name__ == "__main__":  # who looks for examples in docstrings only imports this file
    main()
