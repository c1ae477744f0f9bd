"""The bundled example: a small test set of our own, with two systems and three runs of each."""

from importlib.resources import as_file, files

from detectable.data.texts.corpus import Corpus
from detectable.data.texts.read_corpus import read_corpus

SYSTEMS = ("baseline", "contender")
RUNS = 3


def example_corpus() -> Corpus:
    """Return the bundled corpus: 240 segments in 40 documents (see scripts/make_example.py).

    Examples
    --------
    >>> corpus = example_corpus()
    >>> corpus.n_segments, corpus.n_runs("contender"), len(set(corpus.documents))
    (240, 3, 40)
    """
    with as_file(files("detectable.data.texts") / "example") as folder:
        return read_corpus(
            {
                name: [folder / f"{name}.run{run}.txt" for run in range(1, RUNS + 1)]
                for name in SYSTEMS
            },
            [folder / "reference.txt"],
            documents=folder / "documents.txt",
        )
