"""Choosing among 10,000 documents of 10 systems, beside sorting their ten columns."""

import numpy as np

from benchmarks.timing import HEADER, cpu, line, measured
from detectable.data.scores.scores import Scores
from detectable.inference.sampling import draw, probabilities
from detectable.study.selection.guard import size_measure
from detectable.study.selection.select import select

ITEMS, SYSTEMS = 10_000, 10


def main() -> None:
    print("\nchoosing what people judge")
    print(HEADER)
    rng = np.random.default_rng(1)
    metric, length = rng.normal(size=(SYSTEMS, ITEMS)), np.exp(rng.normal(size=ITEMS))
    unit = np.arange(ITEMS)
    cost = 0.5 + 0.5 * length / length.mean()

    def chosen() -> object:
        size = size_measure(metric, length, unit, cost)
        found = probabilities(size, cost, 0.3 * float(cost.sum()))
        return draw(found, np.random.default_rng(1))

    sorting, _ = cpu(lambda: np.argsort(metric, axis=1), repeats=7)
    drawing, _ = cpu(chosen, repeats=7)
    print(line("sizes, probabilities, draw", sorting, drawing, against="sorting 10 columns"))
    scores = Scores.build(
        {f"s{k}": row for k, row in enumerate(metric)},
        documents=[f"d{i}" for i in range(ITEMS)],
        metric="comet",
    )
    whole, _ = cpu(lambda: select(scores, n_items=3000, by="metric", lengths=length), repeats=3)
    print(
        measured("select of 10,000 documents, 10 systems", f"{whole:.2f} s", "wanted below 1 s")
    )


if __name__ == "__main__":
    main()
