"""Raters that judge through the API: careful ones see what was planted, careless ones click."""

import secrets
from collections.abc import Callable, Sequence
from dataclasses import dataclass, field
from typing import Any

import httpx
import numpy as np

BETTER, WORSE = " Rightly so.", " Wrongly so."  # how outputs of the two systems end
# So little noise that no careful rater fails the check, whichever texts are drawn for it.
_MEAN, _EFFECT, _DEGRADED, _NOISE = 60.0, 12.0, 30.0, 3.0


def lines(n: int) -> list[str]:
    """Return so many sentences that can be told apart and degraded."""
    words = [
        "north",
        "south",
        "east",
        "west",
        "river",
        "mountain",
        "harbour",
        "garden",
        "winter",
        "summer",
    ]
    return [
        f"The {words[i % 10]} committee number {i} met near the {words[i * 7 % 10]} on day {i * 3}."
        for i in range(n)
    ]


def outputs(references: Sequence[str]) -> dict[str, list[str]]:
    """Return the outputs of a system that is better than the other."""
    return {
        "new": [f"{one}{BETTER}" for one in references],
        "old": [f"{one}{WORSE}" for one in references],
    }


@dataclass
class Simulated:
    """One rater with a link."""

    token: str
    known: frozenset[str]
    rng: np.random.Generator
    careless: bool = False
    pages: int = 0
    skips: int = 0  # so many lines cannot be judged, says this rater
    skipped: set[str] = field(default_factory=set)
    ended: dict[str, Any] = field(default_factory=dict)

    def score(self, text: str) -> int:
        """Return what this rater thinks of a text."""
        if self.careless:
            # Clicks in the wrong place: chance alone would pass the check once in twenty times.
            return 95 if text not in self.known else int(self.rng.integers(0, 81))
        mean = _MEAN + (_EFFECT if text.endswith(BETTER) else 0.0)
        if text not in self.known:
            mean -= _DEGRADED
        return int(np.clip(round(self.rng.normal(mean, _NOISE)), 0, 100))

    def answer(self, text: str) -> dict[str, Any]:
        """Return the score of a text, or that it cannot be judged."""
        if text in self.known and text.endswith(BETTER) and len(self.skipped) < self.skips:
            self.skipped.add(text)
        if text in self.skipped:
            return {"skipped": "cannot_judge"}
        return {"score": self.score(text)}

    def judge(self, ask: Callable[..., httpx.Response], most: int) -> bool:
        """Judge so many pages at most; say whether there is more."""
        own = {"authorization": f"Bearer {self.token}", "x-detectable": "1"}
        for _ in range(most):
            page = ask("GET", "/api/v1/next", headers=own).json()
            if page.get("done", True):
                self.ended = page
                return False
            answers = [self.answer(one["text"]) for one in page["texts"]]
            body = {"key": secrets.token_hex(8), "answers": answers, "seconds": 20.0}
            saved = ask("PUT", f"/api/v1/pages/{page['token']}", json=body, headers=own)
            assert saved.json() == {"state": "saved"}, saved.text
            self.pages += 1
        return True


def raters(tokens: Sequence[str], known: Sequence[str], *, careless: int) -> list[Simulated]:
    """Return raters, of whom the last `careless` are so."""
    return [
        Simulated(
            token,
            frozenset(known),
            np.random.default_rng([7, number]),
            careless=number >= len(tokens) - careless,
        )
        for number, token in enumerate(tokens)
    ]


def judge_in_turns(
    ask: Callable[..., httpx.Response], working: Sequence[Simulated], most: int = 1000
) -> None:
    """Let all judge, a few pages each in turn, until nobody has any left."""
    going = list(working)
    for _ in range(most):
        going = [one for one in going if one.judge(ask, 4)]
        if not going:
            return
