"""What goes into a store of campaigns and what comes out of it."""

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any, Literal, Protocol, TypeAlias

from detectable.data.human.columns import Kind

State: TypeAlias = Literal["draft", "open", "paused", "stopped", "concluded"]
RaterState: TypeAlias = Literal["active", "no more work", "revoked"]
Saved: TypeAlias = Literal["saved", "again", "saved late", "changed"]
WorkEpoch: TypeAlias = tuple[int, int]
"""A piece of work, and which time it was claimed."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Segment:
    """A line of a part: what was translated, and what each system made of it."""

    item: str  # the line in the corpus, from 1
    source: str | None
    reference: str | None
    outputs: Mapping[str, str]
    suggested: Mapping[str, Sequence[Mapping[str, Any]]] = field(default_factory=dict)


@dataclass(frozen=True, slots=True, kw_only=True)
class Part:
    """What one rater judges at one time in all systems: a document, a part of it, a sentence."""

    name: str
    document: str | None
    segments: tuple[Segment, ...]


@dataclass(frozen=True, slots=True, kw_only=True)
class NewCampaign:
    """All that a campaign begins with.

    Attributes
    ----------
    settings : mapping
        What the layers above need to know again; kept as it is.
    works : sequence of (str, int)
        Parts and waves, in the order in which they are to be judged.
    block : int
        How many pieces of work a rater claims at once.
    lease : float
        Seconds after the last save, after which work goes to somebody else.
    """

    name: str
    settings: Mapping[str, Any]
    systems: tuple[str, ...]
    parts: Sequence[Part]
    works: Sequence[tuple[str, int]]
    block: int
    lease: float
    seed: int


@dataclass(frozen=True, slots=True, kw_only=True)
class CampaignRow:
    """A campaign as the store knows it."""

    name: str
    state: State
    settings: Mapping[str, Any]
    systems: tuple[str, ...]
    needed: tuple[str, ...]
    seed: int
    salt: str
    created: float


@dataclass(frozen=True, slots=True, kw_only=True)
class RaterRow:
    """A rater; `id` names the rater in the store, `code` within the campaign."""

    id: str
    campaign: str
    code: str
    state: RaterState
    consented: bool = False
    answered: bool = False  # what is asked of raters before they begin


@dataclass(frozen=True, slots=True, kw_only=True)
class Link:
    """The secret of a rater, which exists only here: the store keeps its hash."""

    code: str
    token: str


@dataclass(frozen=True, slots=True, kw_only=True)
class Participant:
    """Who came by an open link, as the panel calls them."""

    code: str
    participant: str
    study: str
    session: str
    joined: float


@dataclass(frozen=True, slots=True, kw_only=True)
class Notice:
    """Something that is told elsewhere; `tries` with the one that begins now."""

    id: str
    channel: str
    body: str
    tries: int


@dataclass(frozen=True, slots=True, kw_only=True)
class NewPage:
    """A page on its way into a block.

    `lines` are the kinds and texts of a control, one for every segment; None for an output of
    the system, whose texts the store has.
    """

    part: str
    system: str
    kind: Kind
    lines: tuple[tuple[Kind, str], ...] | None = None
    beside: str | None = None  # the system of the other text, where two are shown
    flipped: bool = False  # whether the text of `system` stands on the right


Arrange: TypeAlias = Callable[[str, int, Sequence[str], Sequence[str]], Sequence[NewPage]]
"""From rater, number of the block, claimed parts and needed systems to pages in order."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Line:
    """One segment of a page, as it is shown."""

    item: str
    source: str | None
    reference: str | None
    text: str
    other: str | None = None  # of the system beside it
    suggested: Sequence[Mapping[str, Any]] = ()  # errors that are marked already


@dataclass(frozen=True, slots=True, kw_only=True)
class Page:
    """One text to judge. Only `token`, `lines`, `before` and the counts may reach a rater."""

    token: str
    part: str
    system: str
    kind: Kind
    lines: tuple[Line, ...]
    block: int  # the number of the block
    place: int  # in the block, from 1
    n_pages: int  # of the block
    beside: str | None = None
    flipped: bool = False
    before: tuple[Line, ...] = ()  # what precedes it in the document, by the same system
    lines_left: int = 0  # of the block, with those of this page
    back: str | None = None  # the page of the block before it, which was saved
    forward: str | None = None  # the page after it, if that was saved
    draft: str | None = None  # what the rater had begun to say of it
    answers: "tuple[Answer, ...] | None" = None  # what was saved
    key: str | None = None  # of that save
    document_score: float | None = None


@dataclass(frozen=True, slots=True, kw_only=True)
class Pause:
    """There is nothing to judge now; `retry_after` seconds from now there may be."""

    retry_after: float | None
    all_done: bool = False  # the rater has done their share, and gets no more
    pages: int = 0  # that the rater has saved
    back: str | None = None  # the last page that the rater may still change


@dataclass(frozen=True, slots=True, kw_only=True)
class Answer:
    """What a rater said of one segment; without a score it could not be judged."""

    score: float | None
    extra: Mapping[str, Any] | None = None


@dataclass(frozen=True, slots=True, kw_only=True)
class Revision:
    """Answers to a page that their rater changed later; `n` from 1 for every page."""

    rater: str
    page: str
    n: int
    at: float
    answers: tuple[Answer, ...]
    document_score: float | None = None


@dataclass(frozen=True, slots=True, kw_only=True)
class JudgmentRow:
    """One stored judgment; a choice between two texts is one for each of them.

    Attributes
    ----------
    item : str
        What was judged: the line; where raters choose between two of several systems, the line and
        the number of the pair, since each choice is about these two and no others.
    line : str
        The line in the corpus; nothing if it is the item.
    done_at : float or None
        When its piece of work was completed; None while it is not, and for ever if the work
        went to somebody else (`orphan`).
    admitted : bool or None
        Whether its work counts; None before that is decided.
    seq : int or None
        The place of that decision among all; what is looked at comes in this order.
    page : str
        The page on which it was given.
    text : str or None
        What was shown in place of the system's own text, for a control.
    """

    item: str
    document: str | None
    part: str
    system: str
    kind: Kind
    rater: str
    block: int
    wave: int
    score: float | None
    extra: Mapping[str, Any] | None
    seconds: float | None
    saved: float
    work: int
    epoch: int
    orphan: bool
    done_at: float | None
    admitted: bool | None
    seq: int | None = None
    page: str = ""
    text: str | None = None
    line: str = ""


@dataclass(frozen=True, slots=True, kw_only=True)
class DocumentScore:
    """What a rater said of a whole page, besides its texts."""

    document: str | None
    part: str
    system: str
    kind: Kind
    rater: str
    wave: int
    score: float


@dataclass(frozen=True, slots=True, kw_only=True)
class WorkedBy:
    """What one rater has done so far, without any score by system.

    Attributes
    ----------
    judgments : int
        Those that are kept, with texts that could not be judged.
    seconds : float
        The sum over pages.
    admitted, refused, waiting : int
        Pieces of finished work: it counts, it does not, or nobody has decided yet. What was voided
        before a look saw it does not count; what was deleted is none of them.
    """

    code: str
    state: RaterState
    blocks: int
    pages: int
    judgments: int
    seconds: float
    last_seen: float | None
    admitted: int = 0
    refused: int = 0
    waiting: int = 0


@dataclass(frozen=True, slots=True, kw_only=True)
class Decision:
    """Whether some finished work of one rater counts.

    Attributes
    ----------
    works : tuple of (int, int)
        Work and epoch, in the order in which they are to count.
    n_pairs : int or None
        Control items that spoke; None where no rule was asked, and nothing was checked.
    n_judgments : int
        That were decided.
    tested : bool
        Whether there were controls enough.
    p_value : float or None
        None where it was not tested, or all controls had the same score.
    """

    rater: str
    works: tuple[tuple[int, int], ...]
    admitted: bool
    n_pairs: int | None = None
    n_judgments: int = 0
    tested: bool = False
    p_value: float | None = None


class Decide(Protocol):
    """From finished work and whether no more controls will come, to what can be decided now."""

    def __call__(self, rows: Sequence[JudgmentRow], *, ending: bool) -> Sequence[Decision]:
        """Return decisions in the order in which the work is to count."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Checkpoint:
    """A decision about work of one rater as it was written down, `n` from 1 for every rater."""

    rater: str
    n: int
    n_pairs: int
    n_judgments: int
    p_value: float | None
    tested: bool
    passed: bool
    decided: float
