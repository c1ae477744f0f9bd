"""What a campaign asks and how its work is shared out: protocols, scales, and answers that are impossible."""

import math
import re
from collections.abc import Mapping, Sequence
from dataclasses import asdict, dataclass, field, fields
from typing import TYPE_CHECKING, Any
from urllib.parse import quote

from detectable.core import check, choices
from detectable.core.errors import DataError, InputError, RefusedError
from detectable.core.options import check_settings, option
from detectable.core.wording import is_harmful, listing
from detectable.data.formats.mqm import MqmWeights

if TYPE_CHECKING:
    from detectable.data.campaign_files.texts import TrainingText

SEVERITIES = ("minor", "major")  # of ESA
# What MQM raters choose from, unless the campaign has a list of its own; the second part of a name
# stands below the first. The words are those that `error_weight` knows: punctuation and what is no
# translation at all have weights of their own.
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
ANCHORS = {6: (0, 2, 4, 6), 100: (0, 33, 66, 100)}  # of ESA as well
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


# --- What a campaign asks and how its work is shared out, fixed before it opens ---

_NAME = re.compile(r"[a-z0-9][a-z0-9-]{0,59}")
# Tags of BCP 47 (RFC 5646) that begin with a code of ISO 639: script, region, variants, extensions.
_LANGUAGE = re.compile(
    r"[a-z]{2,3}(-[a-z]{3}){0,3}(-[a-z]{4})?(-([a-z]{2}|\d{3}))?(-([a-z0-9]{5,8}|\d[a-z0-9]{3}))*"
    r"(-[0-9a-wy-z](-[a-z0-9]{2,8})+)*(-x(-[a-z0-9]{1,8})+)?",
    re.IGNORECASE,
)
_ADDRESS = re.compile(r"https?://[^\s<>\"]+")
_PARAMETER = re.compile(r"[A-Za-z0-9_-]{1,60}")
_PROLIFIC = "https://app.prolific.com/submissions/complete"
_MOST_CONTROLS = 0.5
# Seconds that one judgment takes, in the median: guesses to begin with, for the organiser to change.
SECONDS: Mapping[str, float] = {
    "da": 25.0,
    "sqm": 25.0,
    "esa": 35.0,
    "pairwise": 30.0,
    "likert": 30.0,
    "mqm": 60.0,
}
MOST_TRAINING = 20
LONGEST_PAGE = 30  # lines
NO_LANGUAGE = "und"  # of a text whose language nobody said
_LONGEST_NAME = 60  # of a criterion or a category
_LONGEST_QUESTION = 200  # with its answers
# Settings that only one protocol has.
_ONLY = {
    "criteria": ("likert",),
    "primary": ("likert",),
    "steps": ("likert",),
    "points": ("sqm",),
    "categories": ("mqm",),
    "weight": ("mqm",),
    "strength": ("pairwise",),
    "baseline": ("pairwise",),
    "document_score": ("da", "sqm", "esa", "likert", "mqm"),
    "training": ("da", "sqm", "esa", "likert", "mqm"),
}
_MINUTE = 60.0


@dataclass(frozen=True, slots=True, kw_only=True)
class CampaignSettings:
    """The frozen settings of a campaign.

    Attributes
    ----------
    protocol : {'da', 'sqm', 'esa', 'pairwise', 'likert', 'mqm'}
        What is asked of every text; see `PROTOCOLS`.
    mode : {'source', 'reference', 'bilingual', 'alone'}
        What stands beside the text: its source, a reference, both, or nothing (texts of one
        language).
    completion_code, return_url : str
        What raters see at the end of their work: a code to give to who pays them, and an address to
        go to.
    panel : {'none', 'prolific', 'generic'}
        Where those come from who open an open link, and by which parameter of its address they are
        known: ``PROLIFIC_PID``, `participant`, or a name of their own browser.
    most_blocks : int, optional
        Blocks of one rater at most; who has done them is at the end.
    screen_out_url : str
        Where who does not take part goes: no consent, no place, nothing left, or work refused.
    code_for : {'finished', 'admitted'}
        Who is shown the completion code: whoever has finished, or whose work was not refused by its
        controls. It never depends on scores of systems; `consent` must be asked for.
    block : int
        Documents (or sentences) that a rater takes at once.
    controls : float
        Share of the pages that are controls.
    overlap : float
        Share of the lines that a second rater judges too.
    lease_minutes : float
        After the last save; then work goes to somebody else.
    source_language, target_language : str
        Language tags, for the direction of writing and for screen readers.
    degrade : {'word', 'character'}
        What is replaced in degraded copies.
    instructions, guide
        What raters read, in Markdown (headings, lists, emphasis, links): after the instructions that
        every protocol has in the language of the page, or instead of them. HTML is shown as text.
    plan : str
        The fingerprint of the plan, or nothing.
    plan_path : str
        Where the plan was when the campaign was made.
    grace_minutes : float
        After a stop; what was begun may be finished until then.
    budget : int, optional
        Most answers that raters are asked for, of controls and of work that does not count as well;
        a block that would pass it is not given out. What was begun may be finished.
    spend : float, optional
        The same in money: the budget is what it buys at the price in the plan.
    reveal : {'decision', 'full'}
        What organisers are told of a look before the end: what it decided, or the interval and the
        statistic of every pair as well. Scores of a system are not told in either case. Planned
        looks keep their error rate; one that is asked for because of such a number does not.
    criteria, primary, steps
        Of a Likert scale: what is rated, which of them is the score, and how many steps.
    points : {6, 100}
        Of SQM: the highest score.
    categories : tuple of str
        Of MQM: what raters choose from. By default `CATEGORIES`.
    weights, weight
        Of MQM: what errors cost, a preset and weights of one's own before it; see `MqmWeights`.
    strength : bool
        In pairs, whether raters also say how much better a text is, 1 to 3.
    baseline : str
        In pairs, the system that all others are shown beside; all pairs are shown without one.
    comments : bool
        Whether raters may comment on a text; no look sees it.
    questionnaire : tuple of str
        What is asked of every rater once, before the first text; see `question_of`.
    document_score : bool
        Whether raters may give a score from 0 to 100 to the whole page.
    pay, consent : str
        What raters are paid, and what they agree to before they begin; plain text.
    sampling_weights : mapping of item to float
        How many items of its pool each line stands for, where a selection chose them.
    training : tuple of TrainingText
        What raters try first. It is never counted.
    page_lines : int
        Lines on one page at most, 1 to 30; a longer document is cut into parts. What precedes a
        part is shown grey.
    page_language : {'en', 'de', 'es', 'fr', 'ja'}
        The language of the page around the texts, which raters may change.
    suggested : bool
        Whether errors are marked before a rater comes, to be kept, changed or removed.
    mixed_controls : bool
        Whether a control of several lines holds degraded lines among others, which admission
        compares them with. So it is where a page has several lines, since there is a choice.
    """

    protocol: choices.CampaignProtocol = option("da", "What is asked: see docs/campaign.md.")
    mode: choices.CampaignMode = option("source", "What stands beside the text.")
    source_language: str = option(NO_LANGUAGE, "A tag such as en.", most=60)
    target_language: str = option(NO_LANGUAGE, "A tag such as he.", most=60)
    criteria: tuple[str, ...] = option(
        (),
        "likert: what is rated (repeatable); the first is the score.",
        flag="--criterion",
        most=20,
    )
    primary: str = option("", "likert: the criterion that is the score.", most=200, shown=False)
    steps: int | None = option(None, "likert: 5 (default) or 7.")
    points: int | None = option(None, "sqm: 6 (default) or 100, with the same anchors.")
    categories: tuple[str, ...] = option(
        (), "mqm: kind of error to choose from (repeatable).", flag="--category", most=100
    )
    weights: choices.MqmPreset = option("google", "mqm: what errors cost.")
    weight: tuple[str, ...] = option(
        (), "mqm: another weight, such as critical=25 (repeatable).", most=100
    )
    strength: bool = option(False, "pairwise: ask how much better, 1 to 3.")
    document_score: bool = option(False, "Ask for 0–100 of the whole page, too.")
    comments: bool = option(False, "Let raters comment on every text.")
    questionnaire: tuple[str, ...] = option(
        (),
        "Asked of every rater before the first text, such as 'Native language: German | other'"
        " (repeatable).",
        flag="--ask",
        most=20,
    )
    page_lines: int = option(
        LONGEST_PAGE,
        "Lines on a page at most; 1 shows sentences, after the three before them.",
        most=LONGEST_PAGE,
    )
    page_language: choices.PageLanguage = option("en", "Language of the page around texts.")
    instructions: str = option(
        "", "What raters read after the usual instructions (Markdown).", most=10_000
    )
    guide: choices.Guide = option(
        "first", "The usual instructions come first, or your own instead of them."
    )
    pay: str = option("", "What raters are paid.", most=10_000)
    consent: str = option("", "What raters agree to before they begin.", most=10_000)
    completion_code: str = option(
        "", "Shown to raters at the end, for those who pay them.", most=200, shown=False
    )
    return_url: str = option("", "Where raters are led at the end.", most=2_000, shown=False)
    panel: choices.Panel = option("none", "Who sends raters to the open link.")
    participant: str = option(
        "", "generic: the parameter of an address that names a rater.", most=60, shown=False
    )
    most_blocks: int | None = option(
        None, "Blocks of one rater at most; then the code is shown.", most=10_000
    )
    screen_out_url: str = option(
        "", "Where raters go who do not take part.", most=2_000, shown=False
    )
    code_for: choices.CodeFor = option(
        "finished", "Who gets the code: all who finish, or whose controls pass."
    )
    block: int = option(
        4, "Documents at once (default: 4; sentences: 10).", open=True, most=10_000_000
    )
    controls: float = option(
        0.3, "Share of controls (default: .12; sentences: .3).", open=True, kind="share"
    )
    overlap: float = option(0.1, "Share judged by a second rater.", kind="share")
    budget: int | None = option(
        None, "Most answers to ask for, controls included; then no more work.", most=10_000_000
    )
    spend: float | None = option(
        None, "Most money to spend, at the price of the plan.", kind="positive"
    )
    lease_minutes: float = option(45.0, "Until work goes to somebody else.", kind="positive")
    grace_minutes: float = option(45.0, "After a stop, for what was begun.", kind="positive")
    reveal: choices.Reveal = option(
        "decision", "Told of a look before the end: its decision, or numbers too."
    )
    baseline: str = option(
        "",
        "pairwise: the system beside which the others are shown (default: the plan's; all pairs).",
        shown=False,
    )
    degrade: choices.DegradeUnit = "word"
    plan: str = ""
    plan_path: str = ""
    training: "tuple[TrainingText, ...]" = ()
    sampling_weights: Mapping[str, float] = field(default_factory=dict)
    suggested: bool = False  # whether errors are marked before a rater comes
    mixed_controls: bool = False  # as campaigns were made before there was a choice

    def __post_init__(self) -> None:
        check.literal(self.protocol, choices.CampaignProtocol, "protocol")
        self._complete_protocol()
        check.literal(self.degrade, choices.DegradeUnit, "degrade")
        if check.positive_int(self.page_lines, "page_lines") > LONGEST_PAGE:
            raise InputError(
                f"`page_lines` must lie between 1 and {LONGEST_PAGE}; got {self.page_lines}."
            )
        check_settings(self)
        if not 0.0 <= self.controls <= _MOST_CONTROLS:
            raise InputError(
                f"`controls` must lie between 0 and {_MOST_CONTROLS}, a share of the pages; got "
                f"{self.controls!r}."
            )
        if not 0.0 <= self.overlap <= 1.0:
            raise InputError(
                "`overlap` must lie between 0 and 1, a share of the lines; got "
                f"{self.overlap!r}."
            )
        self._check_panel()
        for part, most in (
            ("completion_code", 200),
            ("return_url", 2_000),
            ("screen_out_url", 2_000),
        ):
            given = getattr(self, part)
            if len(given) > most or any(is_harmful(one) for one in given):
                raise InputError(
                    f"`{part}` must be one line of {most} letters at most; got {given[:60]!r}."
                )
        for part in ("return_url", "screen_out_url"):
            given = getattr(self, part)
            if given and not _ADDRESS.fullmatch(given):
                raise InputError(
                    f"`{part}` must be an address that begins with https:// or http://; got "
                    f"{given!r}."
                )
        for name in ("source_language", "target_language"):
            tag = getattr(self, name) or NO_LANGUAGE
            object.__setattr__(self, name, tag)
            if not _LANGUAGE.fullmatch(tag):
                raise InputError(
                    f"`{name}` must be a language tag (BCP 47) such as en or pt-BR; got {tag!r}."
                )

    def _check_panel(self) -> None:
        if self.panel == "generic":
            object.__setattr__(self, "participant", self.participant or "participant")
        if self.participant and (
            self.panel != "generic" or not _PARAMETER.fullmatch(self.participant)
        ):
            raise InputError(
                "`participant` must be letters, digits, - and _, and stands with the panel generic; "
                f"got {self.participant!r}."
            )
        if self.panel != "none" and not (self.completion_code or self.return_url):
            raise InputError(
                f"`panel` {self.panel} needs `completion_code` or `return_url`: how else do raters "
                "show that they have finished?"
            )
        if self.code_for == "admitted" and not self.consent.strip():
            raise InputError(
                "`code_for` admitted needs `consent`: raters must have read before they begin that "
                "the code depends on controls."
            )

    def _complete_protocol(self) -> None:
        """Refuse what belongs to another protocol, and fill in what this one needs."""
        for name, where in _ONLY.items():
            if getattr(self, name) and self.protocol not in where:
                raise InputError(
                    f"`{name}` must be left out with the protocol {self.protocol}: it belongs to "
                    f"{' and '.join(where)}."
                )
        from detectable.data.campaign_files.texts import TrainingText

        given: Sequence[Any] = self.training  # a store keeps them as objects of JSON
        tried = tuple(
            one if isinstance(one, TrainingText) else TrainingText(**one) for one in given
        )
        object.__setattr__(self, "training", tried)
        if len(tried) > MOST_TRAINING:
            raise InputError(
                f"`training` must be {MOST_TRAINING} texts at most; got {len(tried)}."
            )
        for name in ("criteria", "categories"):
            object.__setattr__(self, name, _names(getattr(self, name), name))
        asked = tuple(self.questionnaire)
        object.__setattr__(self, "questionnaire", asked)
        labels = [question_of(one)[0] for one in asked]
        if len(set(labels)) < len(labels):
            raise InputError(
                f"`questionnaire` must ask each thing once; got {listing(labels)}."
            )
        object.__setattr__(self, "weight", tuple(self.weight))
        if self.protocol == "mqm":
            self._complete_mqm()
        if self.protocol == "sqm":
            self._complete_sqm()
        if self.protocol == "likert":
            self._complete_likert()

    def _complete_mqm(self) -> None:
        object.__setattr__(self, "categories", self.categories or CATEGORIES)
        unknown = self.costs.unknown(self.categories)
        if unknown is not None:
            raise InputError(
                f"`weight` must name a severity or a category; got {unknown!r}. Severities are "
                f"{listing(list(self.costs.severities))}."
            )

    def _complete_sqm(self) -> None:
        object.__setattr__(self, "points", self.points or min(ANCHORS))
        if self.points not in ANCHORS:
            raise InputError(f"`points` must be 6 or 100; got {self.points!r}.")

    def _complete_likert(self) -> None:
        if not self.criteria:
            raise InputError(
                "`criteria` must name what is rated, such as adequacy; got nothing."
            )
        object.__setattr__(self, "primary", self.primary or self.criteria[0])
        object.__setattr__(self, "steps", self.steps or STEPS[0])
        if self.primary not in self.criteria:
            raise InputError(
                f"`primary` must be one of the criteria ({listing(list(self.criteria))}); got "
                f"{self.primary!r}."
            )
        if self.steps not in STEPS:
            raise InputError(f"`steps` must be 5 or 7; got {self.steps!r}.")

    @property
    def asks(self) -> Protocol:
        """The protocol."""
        return PROTOCOLS[self.protocol]

    @property
    def costs(self) -> MqmWeights:
        """What errors cost, where the score is theirs."""
        return MqmWeights.read(self.weight, preset=self.weights)

    @property
    def severities(self) -> tuple[str, ...]:
        """How bad an error can be."""
        return self.costs.severities if self.protocol == "mqm" else SEVERITIES

    @property
    def scale(self) -> tuple[float, float]:
        """The lowest and the highest score."""
        low, high = self.asks.scale
        return low, float(self.steps or self.points or high)

    @property
    def anchors(self) -> tuple[int, ...]:
        """The scores whose meaning the page names."""
        if self.protocol not in ("esa", "sqm"):
            return ()
        return ANCHORS[100 if self.protocol == "esa" else self.points or 0]

    @property
    def seconds_per_text(self) -> float:
        """How long a rater takes for one text, as a guess before the first is saved."""
        return SECONDS[self.protocol]

    @property
    def end_address(self) -> str:
        """Where raters go at the end; that of Prolific follows from the completion code."""
        if self.panel == "prolific" and not self.return_url:
            return f"{_PROLIFIC}?cc={quote(self.completion_code, safe='')}"
        return self.return_url

    @property
    def named_by(self) -> str:
        """The parameter of an open link's address that names who opens it."""
        return {"prolific": "PROLIFIC_PID", "generic": self.participant}.get(
            self.panel, "browser"
        )

    @property
    def lease(self) -> float:
        """The lease in seconds."""
        return _MINUTE * self.lease_minutes

    @property
    def grace(self) -> float:
        """The time after a stop in seconds."""
        return _MINUTE * self.grace_minutes

    def to_json(self) -> dict[str, Any]:
        """Return the settings as JSON values."""
        made = asdict(self)
        if not made["sampling_weights"]:  # which earlier versions do not know
            del made["sampling_weights"]
        return made

    @classmethod
    def from_json(cls, kept: Mapping[str, Any]) -> "CampaignSettings":
        """Return the settings that a store kept; those of a newer version are refused."""
        known = {part.name for part in fields(cls)}
        newer = sorted(set(kept) - known)
        if newer:
            raise DataError(
                f"the campaign has settings that this version does not know ({newer[0]}). Update "
                "detectable."
            )
        return cls(**kept)


def _names(given: Any, name: str) -> tuple[str, ...]:
    """Return names that raters read, each once."""
    found = tuple(given)
    for one in found:
        readable = isinstance(one, str) and one.strip() == one and 0 < len(one) <= _LONGEST_NAME
        if not readable or any(is_harmful(c) for c in one):
            raise InputError(
                f"`{name}` must be words of {_LONGEST_NAME} letters at most, in one line; got "
                f"{one!r}."
            )
    if len(set(found)) < len(found):
        raise InputError(f"`{name}` must differ; got {listing(list(found))}.")
    return found


def question_of(asked: str) -> tuple[str, tuple[str, ...]]:
    """Return a question for raters, and the answers to choose from if there are any.

    Examples
    --------
    >>> question_of("Native language: German | English | other")
    ('Native language', ('German', 'English', 'other'))
    >>> question_of("Do you translate for a living? yes | no")
    ('Do you translate for a living?', ('yes', 'no'))
    >>> question_of("Years of experience")
    ('Years of experience', ())
    """
    head, *others = asked.split("|")
    end = max(head.rfind(":"), head.rfind("?")) if others else len(head) - 1
    label = head[: end + 1].strip().removesuffix(":" if others else "").strip()
    answers = tuple(one.strip() for one in (head[end + 1 :], *others)) if others else ()
    if not label or len(asked) > _LONGEST_QUESTION or any(is_harmful(c) for c in asked):
        raise InputError(
            f"`questionnaire` must hold questions of {_LONGEST_QUESTION} letters at most, in one "
            f"line, such as 'Native language: German | other'; got {asked[:60]!r}."
        )
    if "" in answers or len(set(answers)) < len(answers):
        raise InputError(
            f"`questionnaire` must name each answer once, with | between; got {asked[:60]!r}."
        )
    return label, answers


def checked_name(name: str) -> str:
    """Return the name of a campaign, which stands in addresses and file names."""
    if not _NAME.fullmatch(name):
        raise InputError(
            "`name` must be made of small letters, digits and hyphens, 60 at most; got "
            f"{name!r}."
        )
    return name


# --- Answers that are impossible, and the numbers in those that are not ---


def wrong(message: str) -> RefusedError:
    """Return the refusal of an answer."""
    return RefusedError("wrong_answer", message)


def number(value: Any) -> float | None:
    """Return a finite number, or None for anything else.

    Examples
    --------
    >>> number(7), number(True), number("7"), number(float("nan"))
    (7.0, None, None, None)
    """
    if isinstance(value, bool) or not isinstance(value, int | float):
        return None
    try:
        found = float(value)
    except OverflowError:  # whole numbers of JSON have no end
        return None
    return found if math.isfinite(found) else None


def whole(value: Any) -> int | None:
    """Return a whole number; to JSON 8618.0 is one.

    Examples
    --------
    >>> whole(8618.0), whole(1.5), whole(False)
    (8618, None, None)
    """
    found = number(value)
    return None if found is None or found != int(found) else int(found)
