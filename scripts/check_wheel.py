"""Show that an installed wheel carries the kernels, loads them and computes with them.

What builders of wheels run after each build (`tool.cibuildwheel.test-command`).
"""

import warnings

import detectable
from detectable.data.texts.corpus import Corpus
from detectable.kernels.native.library import native
from detectable.metrics.registry import metric

warnings.simplefilter("error")  # TER on its slow way would warn
if "site-packages" not in detectable.__file__:
    raise SystemExit(f"this is not the wheel but {detectable.__file__}")
if native("shift_edits") is None:
    raise SystemExit("the wheel has no compiled kernels, or none for this machine")
corpus = Corpus.build({"A": ["d e f a b c"]}, ["a b c d e f"])
for name, expected in (
    ("ter", 100.0 / 6.0),
    ("bleu", 50.81327481546147),
    ("chrf", 115.0 / 3.0),
):
    chosen = metric(name)
    score = float(chosen.score(chosen.statistics(corpus)[0].sum(axis=0)))
    print(f"{name} {score}")
    if abs(score - expected) > 1e-9:
        raise SystemExit(f"{name} must be {expected}; got {score}")
