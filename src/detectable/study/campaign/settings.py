"""What a campaign asks and how its work is shared out, fixed before it opens."""

import re
from collections.abc import Mapping
from dataclasses import asdict, dataclass, fields
from typing import Any

from detectable.core import check
from detectable.core.choices import CampaignMode, CampaignProtocol, DegradeUnit
from detectable.core.errors import DataError, InputError
from detectable.study.campaign.protocols import PROTOCOLS

_NAME = re.compile(r"[a-z0-9][a-z0-9-]{0,59}")
_LANGUAGE = re.compile(r"[A-Za-z]{2,8}(-[A-Za-z0-9]{1,8})*")
_MOST_CONTROLS = 0.5
_MINUTE = 60.0


@dataclass(frozen=True, slots=True, kw_only=True)
class CampaignSettings:
    """The frozen settings of a campaign.

    Attributes
    ----------
    protocol : {'da', 'sqm'}
        What is asked of every text.
    mode : {'source', 'reference', 'bilingual'}
        What stands beside the text: its source, a reference, or both.
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
    instructions : str
        What raters read first; plain text.
    plan : str
        The fingerprint of the plan, or nothing.
    """

    protocol: CampaignProtocol = "da"
    mode: CampaignMode = "source"
    block: int = 4
    controls: float = 0.3
    overlap: float = 0.1
    lease_minutes: float = 45.0
    source_language: str = "und"
    target_language: str = "und"
    degrade: DegradeUnit = "word"
    instructions: str = ""
    plan: str = ""

    def __post_init__(self) -> None:
        check.literal(self.protocol, CampaignProtocol, "protocol")
        check.literal(self.mode, CampaignMode, "mode")
        check.literal(self.degrade, DegradeUnit, "degrade")
        check.positive_int(self.block, "block")
        check.positive(self.lease_minutes, "lease_minutes")
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
        for name in ("source_language", "target_language"):
            tag = getattr(self, name)
            if not _LANGUAGE.fullmatch(tag):
                raise InputError(
                    f"`{name}` must be a language tag such as en or pt-BR; got {tag!r}."
                )

    @property
    def scale(self) -> tuple[float, float]:
        """The lowest and the highest score."""
        return PROTOCOLS[self.protocol].scale

    @property
    def lease(self) -> float:
        """The lease in seconds."""
        return _MINUTE * self.lease_minutes

    def to_json(self) -> dict[str, Any]:
        """Return the settings as JSON values."""
        return asdict(self)

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


def checked_name(name: str) -> str:
    """Return the name of a campaign, which stands in addresses and file names."""
    if not _NAME.fullmatch(name):
        raise InputError(
            "`name` must be made of small letters, digits and hyphens, 60 at most; got "
            f"{name!r}."
        )
    return name
