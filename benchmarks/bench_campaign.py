"""Raters at once: CPU of the server for a page of three judgments, given and saved.

``python -m benchmarks.bench_campaign 990000`` makes a campaign with that many judgments instead,
which takes minutes, and measures how it stands.
"""

import asyncio
import json
import os
import subprocess
import sys
import tempfile
import time
from pathlib import Path

from benchmarks.timing import cpu, measured
from detectable.data.store.open_store import open_store
from detectable.data.store.records import Answer, Page
from detectable.data.texts.corpus import Corpus
from detectable.study.campaign.begin import begin_campaign
from detectable.study.campaign.campaigns import campaign_progress
from detectable.study.campaign.make_campaign import BlockMaker
from tests.web.running import Running, running

RATERS, PAGES, LINES = 200, 6, 3
ASKED = 4.0  # milliseconds of CPU for a page
PEARMUT = 202.0  # the same for Pearmut with 200 raters, measured by hand with its own server
LONG = 30  # lines of a page where there are many judgments
STATUS = 0.2  # seconds of CPU for how a campaign stands


def main(raters: int = RATERS, pages: int = PAGES) -> None:
    with tempfile.TemporaryDirectory() as made:
        folder = Path(made)
        tokens = _campaign(folder, raters, pages)
        with running(folder, folder / "log") as server:
            asyncio.run(_judge(server, tokens[0], 1))  # what is made once
            before, began = server.cpu(), time.perf_counter()
            times = asyncio.run(_all(server, tokens[1:], pages))
            spent, took = server.cpu() - before, time.perf_counter() - began
        store = open_store(folder)
        kept = store.status("load")["pages"]
        store.close()
    given = (raters - 1) * pages
    each = 1000.0 * spent / given
    seen = [1000 * times[int(share * len(times))] for share in (0.5, 0.95)]
    note = (
        f"CPU of the server (asked: at most {ASKED:g}; Pearmut {PEARMUT:g}, by hand); "
        f"{kept - 1:,} of {given:,} pages kept in {took:.1f} s; raters saw a median of "
        f"{seen[0]:.0f} ms, 95 % within {seen[1]:.0f} ms"
    )
    what = f"a page of {LINES} judgments, {raters - 1} raters at once"
    print(f"\n{measured(what, f'{each:.1f} ms', note, kind='whole command')}")


def _campaign(folder: Path, raters: int, pages: int) -> list[str]:
    n = LINES * raters * (pages + 4)
    lines = [
        f"The quick brown fox number {i} jumps over the lazy dog near the river"
        for i in range(n)
    ]
    corpus = Corpus.build(
        {"new": [f"{line} now" for line in lines], "old": [f"{line} then" for line in lines]},
        lines,
        sources=lines,
        documents=[f"d{i // LINES}" for i in range(n)],
    )
    store = open_store(folder, new=True)
    begin_campaign(store, corpus, "load", overlap=0.1, rng=1)
    tokens = [link.token for link in store.add_raters("load", raters)]
    store.turn("load", "open")
    store.close()
    return tokens


def many(judgments: int) -> None:
    """Measure how a campaign stands in which so many judgments were saved."""
    with tempfile.TemporaryDirectory() as made:
        folder = Path(made)
        lines = [f"The quick brown fox number {i}" for i in range(judgments // 2)]
        corpus = Corpus.build(
            {name: [f"{line} {name}" for line in lines] for name in ("new", "old")},
            lines,
            sources=lines,
            documents=[f"d{i // LONG}" for i in range(len(lines))],
        )
        store = open_store(folder, new=True)
        begin_campaign(store, corpus, "load", overlap=0.0, page_lines=LONG, rng=1)
        raters = [f"load/{link.code}" for link in store.add_raters("load", RATERS)]
        store.turn("load", "open")
        arrange = BlockMaker(store.parts("load"), seed=1, controls=0.0, unit="word")
        while raters:
            for rater in tuple(raters):
                page = store.next_page(rater, arrange)
                if isinstance(page, Page):
                    said = [Answer(score=70.0)] * len(page.lines)
                    store.save(rater, page.token, key="k", answers=said, seconds=60.0)
                else:
                    raters.remove(rater)
        kept = int(store.status("load")["judgments"])
        spent, _ = cpu(lambda: campaign_progress(store, "load"), repeats=5)
        store.close()
        words = ["detectable", "campaign", "status", "load", "--store", str(folder), "--json"]
        before = os.times()
        subprocess.run([sys.executable, "-m", *words], check=True, stdout=subprocess.DEVNULL)
        after = os.times()
    command = sum(after[2:4]) - sum(before[2:4])
    note = f"asked: at most {STATUS:g} s; {command:.2f} s with the start of the command"
    print(
        f"\n{measured(f'status of {kept:,} judgments', f'{spent:.3f} s', note, kind='in process')}"
    )


async def _all(server: Running, tokens: list[str], pages: int) -> list[float]:
    found = await asyncio.gather(*(_judge(server, token, pages) for token in tokens))
    return sorted(one for times in found for one in times)


async def _judge(server: Running, token: str, pages: int) -> list[float]:
    """Judge some pages over one connection; return how long each request took."""
    host, port = server.address.removeprefix("http://").split(":")
    reader, writer = await asyncio.open_connection(host, int(port))
    times = []

    async def ask(method: str, path: str, body: str = "") -> dict[str, object]:
        head = (
            f"{method} {path} HTTP/1.1\r\nHost: {host}:{port}\r\nAuthorization: Bearer {token}\r\n"
            f"X-Detectable: 1\r\nContent-Type: application/json\r\nContent-Length: {len(body)}\r\n\r\n"
        )
        began = time.perf_counter()
        writer.write((head + body).encode())
        answer = (await reader.readuntil(b"\r\n\r\n")).decode().lower()
        if " 200 " not in answer.split("\r\n", 1)[0]:
            raise SystemExit(answer)
        length = int(answer.split("content-length:")[1].split("\r\n")[0])
        said: dict[str, object] = json.loads(await reader.readexactly(length))
        times.append(time.perf_counter() - began)
        return said

    for _ in range(pages):
        page = await ask("GET", "/api/v1/next")
        texts = page["texts"]
        answers = [{"score": 70} for _ in texts]  # type: ignore[attr-defined]
        body = json.dumps({"key": "k", "seconds": 9.5, "answers": answers})
        await ask("PUT", f"/api/v1/pages/{page['token']}", body)
    writer.close()
    return times


if __name__ == "__main__":
    if len(sys.argv) > 1:
        many(int(sys.argv[1]))
    else:
        main()
