"""An organiser at work through the API: files, a campaign, raters, to its end."""

from typing import Any

import httpx
import pytest

from detectable.web import settings
from tests.web.client import OURS, Http
from tests.web.simulated import Simulated, judge_in_turns, lines, outputs, raters

FILE = {**OURS, "Content-Type": "application/octet-stream"}
RIGHT = "correct horse battery"
with pytest.MonkeyPatch.context() as patch:
    patch.setattr(settings, "_N", 16)  # at once to check, which attackers would like
    PASSWORD = settings.make_password(RIGHT)


def send(asked: Http, name: str, content: str | bytes | list[str]) -> str:
    """Send a file and return its id."""
    text = "\n".join(content) + "\n" if isinstance(content, list) else content
    body = text.encode() if isinstance(text, str) else text
    answer = asked.post("/api/v1/uploads", params={"file": name}, content=body, headers=FILE)
    assert answer.status_code == 201, answer.text
    found: str = answer.json()["id"]
    return found


def texts(asked: Http, n: int = 40, names: tuple[str, str] = ("new", "old")) -> dict[str, Any]:
    """Send outputs of two systems, of which the first is better, references and sources."""
    references = lines(n)
    made = dict(zip(names, outputs(references).values(), strict=True))
    return {
        "systems": [
            {"name": name, "file": send(asked, f"{name}.txt", said)}
            for name, said in made.items()
        ],
        "references": [send(asked, "references.txt", references)],
        "sources": send(asked, "sources.txt", references),
    }


def make(asked: Http, n: int = 40, **given: Any) -> list[str]:
    """Make a campaign with raters and open it; return the secrets of their links."""
    names = given.pop("names", ("new", "old"))
    plan = {"question": "Ship it?", "looks": 3, "pairs": 3, **given.pop("plan", {})}
    body = {
        "name": "ship",
        "texts": texts(asked, n, names),
        "plan": plan,
        "raters": 3,
        "overlap": 0.0,
        "seed": 1,  # with another in 150 one of two careful raters fails the check by chance
        **given,
    }
    answer = asked.post("/api/v1/campaigns", json=body, headers=OURS)
    assert answer.status_code == 201, answer.text
    assert press(asked, "open").json() == {"state": "open"}
    return [one["link"].partition("#")[2] for one in answer.json()["links"]]


def press(asked: Http, what: str, body: Any = None, name: str = "ship") -> httpx.Response:
    """Send what an organiser's button sends."""
    more = {} if body is None else {"json": body}
    return asked.post(f"/api/v1/campaigns/{name}/{what}", headers=OURS, **more)


def status(asked: Http, name: str = "ship") -> dict[str, Any]:
    """Return how a campaign stands."""
    answer = asked.get(f"/api/v1/campaigns/{name}/status")
    assert answer.status_code == 200, answer.text
    found: dict[str, Any] = answer.json()
    return found


def working(tokens: list[str], n: int = 40, *, careless: int = 0) -> list[Simulated]:
    """Return raters of the texts above."""
    known = [text for said in outputs(lines(n)).values() for text in said]
    return raters(tokens, known, careless=careless)


def judged(asked: Http, n: int = 40, *, careless: int = 0, **given: Any) -> list[Simulated]:
    """Make a campaign and let its raters judge all of it."""
    found = working(make(asked, n, **given), n, careless=careless)
    judge_in_turns(asked.request, found)
    return found
