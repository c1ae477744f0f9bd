"""A sheet of items to be labelled, for people to fill in."""

from detectable.core.errors import InputError
from detectable.core.rng import resolve
from detectable.data.scores.scores import Scores
from detectable.report.render.csv import to_csv
from detectable.study.precision.stratified import Stratification

_HEADER = ("system", "item", "document", "score")


def label_sheet(chosen: Stratification, scores: Scores) -> str:
    """Return CSV text with a row per chosen item and system, and an empty score to fill in.

    Rows stand in an order drawn from the seed of the choice, so that no rater sees the bins. Filled
    in, the sheet is a table of judgments.

    Examples
    --------
    >>> from detectable.study.precision.stratified import stratify
    >>> scores = Scores.build({"A": [0.1, 0.5, 0.7, 0.9]}, items=["a", "b", "c", "d"])
    >>> sheet = label_sheet(stratify(scores, 2, bins=1, rng=1), scores)
    >>> sheet.splitlines()[0], len(sheet.splitlines())
    ('system,item,score', 3)
    """
    place = {item: i for i, item in enumerate(scores.items)}
    absent = [item for item in chosen.items if item not in place]
    if absent:
        raise InputError(f"`scores` must hold all chosen items; {absent[0]!r} is not there.")
    rows = [
        (system, item, "" if scores.documents is None else scores.documents[place[item]], "")
        for item in chosen.items
        for system in scores.systems
    ]
    seed = chosen.signature.seed
    rng, _ = resolve(int(seed) if seed is not None and seed.isdecimal() else 0)
    order = rng.permutation(len(rows)).tolist()
    keep = [i for i, name in enumerate(_HEADER) if name != "document" or scores.documents]
    return to_csv([_HEADER[i] for i in keep], ([rows[r][i] for i in keep] for r in order))
