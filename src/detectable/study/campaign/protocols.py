"""What is asked of every text: which protocols there are, and their scales."""

import math
from collections.abc import Mapping
from dataclasses import dataclass

SEVERITIES = ("minor", "major")
# What MQM raters choose from, unless the campaign has a list of its own. The words are those that
# `mqm_weights` knows: punctuation and what is no translation at all have weights of their own.
CATEGORIES = (
    "accuracy/mistranslation",
    "accuracy/addition",
    "accuracy/omission",
    "accuracy/untranslated",
    "fluency/grammar",
    "fluency/punctuation",
    "style/awkward",
    "terminology",
    "non-translation",
    "other",
)
STEPS = (5, 7)  # of a Likert scale
# The highest score of SQM, and the scores whose meaning the page names, from none to perfect.
ANCHORS = {6: (0, 2, 4, 6), 100: (0, 33, 66, 100)}
DOCUMENT_SCALE = (0.0, 100.0)


@dataclass(frozen=True, slots=True, kw_only=True)
class Protocol:
    """A way to judge texts; whatever is asked, one number comes out of it.

    Attributes
    ----------
    scale : (float, float)
        The lowest and the highest score. Likert and SQM end where the campaign says.
    step : float
        The smallest difference between two answers that the page offers.
    spans : bool
        Whether raters mark errors.
    together : bool
        Whether two systems stand beside each other on one page.

    References
    ----------
    da: Graham, Baldwin, Moffat and Zobel (2017), "Can machine translation systems be evaluated by
    the crowd alone", Natural Language Engineering 23(1), 3–30. sqm, mqm: Freitag et al. (2021),
    "Experts, errors, and context", TACL 9, 1460–1474: sqm 0 to 6, where every second step has a
    name; mqm minus the weights of the errors. sqm 0 to 100 with the same four names: Kocmi et al.
    (2022), "Findings of the 2022 conference on machine translation", WMT 2022. esa: Kocmi et al.
    (2024), "Error span annotation", WMT 2024: errors first, then 0 to 100.
    """

    name: str
    scale: tuple[float, float]
    step: float = 1.0
    spans: bool = False
    together: bool = False


PROTOCOLS: Mapping[str, Protocol] = {
    one.name: one
    for one in (
        Protocol(name="da", scale=(0.0, 100.0)),
        Protocol(name="sqm", scale=(0.0, 6.0)),
        Protocol(name="esa", scale=(0.0, 100.0), spans=True),
        Protocol(name="pairwise", scale=(0.0, 1.0), together=True),
        Protocol(name="likert", scale=(1.0, float(STEPS[0]))),
        Protocol(name="mqm", scale=(-math.inf, 0.0), spans=True),
    )
}
