"""A folder with a small campaign, and the secrets of its raters."""

from pathlib import Path

from detectable.data.store.open_store import open_store
from detectable.data.store.records import Link
from detectable.data.texts.corpus import Corpus
from detectable.study.campaign.begin import begin_campaign

SECRET = ("SENTINEL-NEW", "SENTINEL-OLD", "SENTINEL-DOCUMENT")


def campaign(
    folder: Path,
    *,
    n_raters: int = 2,
    texts: dict[str, list[str]] | None = None,
    n_lines: int = 6,
    per_document: int = 2,
    state: str = "open",
    **settings: object,
) -> list[Link]:
    """Make a campaign whose names must never reach a rater."""
    new, old, document = SECRET
    lines = [f"The quick brown fox number {i} jumps over the lazy dog." for i in range(n_lines)]
    made = texts or {
        new: [f"{one} Once." for one in lines],
        old: [f"{one} Twice." for one in lines],
    }
    corpus = Corpus.build(
        made,
        lines,
        sources=[f"Quelle {i}" for i in range(n_lines)],
        documents=[f"{document}-{i // per_document}" for i in range(n_lines)],
    )
    store = open_store(folder, new=True)
    begin_campaign(store, corpus, "ship", rng=1, **{"overlap": 0.0, **settings})  # type: ignore[arg-type]
    links = store.add_raters("ship", n_raters)
    if state != "draft":
        store.turn("ship", "open")
    store.close()
    return links
