"""What an organiser asks for when a campaign is made."""

from typing import Annotated

import msgspec

from detectable.core.choices import (
    CampaignMode,
    CampaignProtocol,
    DegradeUnit,
    PageLanguage,
    PlanTest,
    Reveal,
)
from detectable.study.campaign.settings import LONGEST_PAGE

Name = Annotated[str, msgspec.Meta(min_length=1, max_length=200)]
File = Annotated[str, msgspec.Meta(min_length=1, max_length=64)]
Share = Annotated[float, msgspec.Meta(ge=0.0, le=1.0)]
Positive = Annotated[float, msgspec.Meta(gt=0.0, le=1e9)]
Count = Annotated[int, msgspec.Meta(ge=1, le=10_000_000)]


class SystemFile(msgspec.Struct, forbid_unknown_fields=True):
    """A system and the file of its output."""

    name: Name
    file: File


class Texts(msgspec.Struct, forbid_unknown_fields=True):
    """Files that were sent before: one line per segment each, or one with everything.

    ``corpus`` is a table of texts, ``campaign`` the file of another campaign.
    """

    systems: Annotated[list[SystemFile], msgspec.Meta(max_length=40)] = []
    references: Annotated[list[File], msgspec.Meta(max_length=10)] = []
    sources: File | None = None
    documents: File | None = None
    corpus: File | None = None
    campaign: File | None = None


class Planning(msgspec.Struct, forbid_unknown_fields=True):
    """The plan to freeze with the campaign."""

    question: Annotated[str, msgspec.Meta(max_length=500)] = ""
    baseline: Name | None = None
    test: PlanTest = "paired-mean"
    n_max: Count | None = None
    alpha: Annotated[float, msgspec.Meta(gt=0.0, lt=1.0)] = 0.05
    looks: Annotated[int, msgspec.Meta(ge=1, le=50)] = 5
    family: Annotated[str, msgspec.Meta(max_length=40)] = ""
    sd: Positive | None = None
    effect: Positive | None = None
    cost_per_judgment: Positive | None = None
    admission: Annotated[str, msgspec.Meta(max_length=40)] = "degraded-paired-t"
    pairs: Annotated[int, msgspec.Meta(ge=2, le=1000)] = 10


class CampaignAsked(msgspec.Struct, forbid_unknown_fields=True):
    """A campaign to make; ``plan_file`` names a plan that was frozen before, without its ending.

    ``raters`` is how many begin: their links are made with it.
    """

    name: Annotated[str, msgspec.Meta(min_length=1, max_length=60)]
    texts: Texts
    plan: Planning | None = None
    plan_file: Annotated[str, msgspec.Meta(max_length=64)] = ""
    protocol: CampaignProtocol = "da"
    mode: CampaignMode = "source"
    source_language: Annotated[str, msgspec.Meta(max_length=60)] = "und"
    target_language: Annotated[str, msgspec.Meta(max_length=60)] = "und"
    criteria: Annotated[list[Name], msgspec.Meta(max_length=20)] = []
    primary: Annotated[str, msgspec.Meta(max_length=200)] = ""
    steps: int | None = None
    points: int | None = None
    categories: Annotated[list[Name], msgspec.Meta(max_length=100)] = []
    strength: bool = False
    document_score: bool = False
    page_lines: Annotated[int, msgspec.Meta(ge=1, le=LONGEST_PAGE)] = LONGEST_PAGE
    page_language: PageLanguage = "en"
    instructions: Annotated[str, msgspec.Meta(max_length=10_000)] = ""
    pay: Annotated[str, msgspec.Meta(max_length=10_000)] = ""
    consent: Annotated[str, msgspec.Meta(max_length=10_000)] = ""
    training: File | None = None
    n_items: Count | None = None
    block: Count | None = None
    controls: Share | None = None
    overlap: Share = 0.1
    lease_minutes: Positive = 45.0
    grace_minutes: Positive = 45.0
    reveal: Reveal = "decision"
    degrade: DegradeUnit = "auto"
    seed: Annotated[int, msgspec.Meta(ge=0, le=2**62)] | None = None
    raters: Annotated[int, msgspec.Meta(ge=0, le=500)] = 0


class Sent(msgspec.Struct):
    """A file that was sent."""

    id: str
    file: str
    bytes: int
    lines: int


class Checked(msgspec.Struct):
    """What a campaign would be."""

    says: list[str]
    notes: list[str]
    n_lines: int
    n_works: int
    n_pages: int
    n_judgments: int
    power_of_check: float | None


class MadeLink(msgspec.Struct):
    """The personal link of a rater, which is kept nowhere."""

    rater: str
    link: str


class Made(msgspec.Struct):
    """A campaign that was made, and the links of its first raters."""

    name: str
    plan: str
    notes: list[str]
    links: list[MadeLink]
