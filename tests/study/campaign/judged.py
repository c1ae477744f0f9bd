"""A campaign that one rater has judged to the end, in any protocol."""

from collections.abc import Callable, Sequence
from pathlib import Path
from typing import Any

from detectable.data.store.open_store import AnyStore, open_store
from detectable.data.store.records import Page, Pause
from detectable.data.texts.corpus import Corpus
from detectable.study.campaign.answers import read_answers
from detectable.study.campaign.begin import begin_campaign
from detectable.study.campaign.make_campaign import BlockMaker
from detectable.study.campaign.settings import CampaignSettings

LINE = "the quick brown fox jumps over a lazy dog and then it runs away"
SKIP = {"skipped": "cannot_judge"}
SETTINGS: dict[str, dict[str, Any]] = {
    "da": {},
    "sqm": {},
    "esa": {},
    "pairwise": {"strength": True},
    "likert": {"criteria": ("adequacy", "fluency"), "primary": "fluency", "steps": 7},
    "mqm": {},
}
_SPAN: dict[str, Any] = {"start": 4, "end": 9, "severity": "minor"}


def answer(protocol: str, n: int) -> dict[str, Any]:
    """Return the n-th answer to a protocol; every ninth text cannot be judged."""
    if n % 9 == 8:
        return SKIP
    choices: list[list[dict[str, Any]]] = [[], [_SPAN], [_SPAN, {"severity": "major"}]]
    some = choices[n % 3]
    kinds = ("accuracy/omission", "fluency/punctuation")
    found: dict[str, dict[str, Any]] = {
        "da": {"score": 7 * n % 101},
        "sqm": {"score": n % 7},
        "esa": {"score": 1 + 7 * n % 100, "spans": some},
        "pairwise": (
            {"choice": "tie"}
            if n % 3 == 2
            else {"choice": ("left", "right")[n % 3], "strength": 1 + n % 2}
        ),
        "likert": {"ratings": {"adequacy": 1 + n % 7, "fluency": 1 + (n + 3) % 7}},
        "mqm": {"spans": [{**one, "category": kinds[n % 2]} for one in some]},
    }
    return found[protocol]


def judged(
    folder: Path,
    protocol: str,
    *,
    documents: bool = True,
    answers: Callable[[str, int], dict[str, Any]] = answer,
    n: int = 8,
    systems: Sequence[str] = ("new", "old"),
    **more: Any,
) -> AnyStore:
    """Return the store of the campaign «c», open, with all pages answered."""
    lines = [f"{LINE} {i}" for i in range(n)]
    corpus = Corpus.build(
        {name: [f"{one} of {name}" for one in lines] for name in systems},
        lines,
        sources=[f"Quelle {i}" for i in range(n)],
        documents=[f"d{i // 2}" for i in range(n)] if documents else None,
    )
    store = open_store(folder, new=True)
    settings = {"overlap": 0.0, "controls": 0.4, "rng": 3, **SETTINGS[protocol], **more}
    begin_campaign(store, corpus, "c", protocol=protocol, **settings)
    store.turn("c", "open")
    row = store.campaign("c")
    kept = CampaignSettings.from_json(row.settings)
    maker = BlockMaker(
        store.parts("c"),
        seed=row.seed,
        controls=kept.controls,
        unit="word",
        together=kept.asks.together,
        baseline=kept.baseline,
    )
    (link,) = store.add_raters("c", 1)
    rater = store.rater_of(link.token)
    assert rater is not None
    number, now = 0, row.created + 100.0
    while isinstance(page := store.next_page(rater.id, maker, now), Page):
        given = [answers(protocol, number + place) for place in range(len(page.lines))]
        number += len(given)
        now += 20.0
        store.save(
            rater.id,
            page.token,
            key="k",
            answers=read_answers(kept, given, store.given_page(rater.id, page.token)),
            seconds=8.0,
            document_score=float(number) if kept.document_score else None,
            now=now,
        )
    assert isinstance(page, Pause)
    return store


def conclude(store: AnyStore) -> None:
    """Bring the campaign to its end, so that its systems are named."""
    store.turn("c", "stopped")
    store.turn("c", "concluded")
