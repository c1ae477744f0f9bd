"""Small corpora for tests of tasks."""

from collections.abc import Sequence
from typing import Any

import numpy as np

from detectable.data.texts.corpus import Corpus
from detectable.study.tasks.controls import ControlMaker, Phrases
from detectable.study.tasks.result import Pool, pool_of


def documents_corpus(lengths: Sequence[int], systems: int = 2, **more: Any) -> Corpus:
    """Return systems S0, S1, … on documents d0, d1, … of these lengths."""
    n = sum(lengths)
    names = [f"d{d}" for d, length in enumerate(lengths) for _ in range(length)]
    return Corpus.build(
        {
            f"S{s}": [f"system {s} wrote line {i} with care" for i in range(n)]
            for s in range(systems)
        },
        [f"the reference has line {i} and some more words" for i in range(n)],
        documents=names,
        **more,
    )


def pool_and_controls(corpus: Corpus, seed: int = 1) -> tuple[Pool, ControlMaker]:
    """Return what tasks are made from."""
    pool = pool_of(corpus, None)
    rng = np.random.default_rng(seed)
    return pool, ControlMaker(pool, Phrases(pool.references, "word"), rng)
