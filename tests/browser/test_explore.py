"""The explorer in a real browser: from the verdict to single segments, without a network."""

import gzip
import json
import re
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import TYPE_CHECKING, Any

import pytest
from click.testing import CliRunner

import detectable as dt
from detectable.cli import main
from detectable.data.scores.scores import Scores
from detectable.report.blocks import Verdict
from detectable.report.blocks_of import blocks_of
from detectable.report.saved.save import written_result
from detectable.report.several import report
from tests.browser.chromium import DESK, PHONE, Opened, chromium, opened, resized
from tests.browser.test_pages import check_for_everyone
from tests.report.results import RESULTS
from tests.web.running import running

if TYPE_CHECKING:
    from playwright.sync_api import Browser, Locator, Page


def expect(found: "Locator") -> Any:
    from playwright.sync_api import expect as of_playwright

    return of_playwright(found)


NASTY = "<img src=x onerror=alert(1)> </script><script>alert(1)</script> javascript:alert(1) \u202eback"
N = 60


@pytest.fixture(scope="module")
def browser() -> "Iterator[Browser]":
    with chromium() as made:
        yield made


def _write(path: Path, lines: list[str]) -> None:
    path.write_text("\n".join(lines) + "\n", encoding="utf-8")


def _run(folder: Path, *words: str) -> None:
    import contextlib

    with contextlib.chdir(folder):
        done = CliRunner().invoke(main, list(words), prog_name="detectable")
    assert done.exit_code == 0, done.output


@pytest.fixture(scope="module")
def folder(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A comparison of Hebrew texts, one of Japanese ones, and their pages."""
    place = tmp_path_factory.mktemp("explored")
    words = ["הוועדה", "נפגשה", "ביום", "שלישי", "כדי", "לדון", "בתקציב", "השנתי", "של", "העיר"]
    hebrew = [" ".join(words[(i + j) % 10] for j in range(8)) for i in range(N)]
    old = [line if i % 5 == 0 else line.replace(words[i % 10], "אחר") for i, line in enumerate(hebrew)]  # fmt: skip
    new = [line if i % 3 else line.replace(words[(i + 3) % 10], "שונה") for i, line in enumerate(hebrew)]  # fmt: skip
    new[7] = f"IBM {new[7]}"  # begins with Latin letters, and runs from right to left
    old[11] = NASTY
    _write(place / "ref.txt", hebrew)
    _write(place / "old.txt", old)
    _write(place / "new.txt", new)
    _write(place / "src.txt", [f"The committee met, {i}." for i in range(N)])
    _write(place / "docs.txt", [f"doc{i // 10}" for i in range(N)])
    japanese = [("委員会は火曜日に市の予算を話し合った" * 2)[i % 9 :][:18] for i in range(N)]
    _write(place / "jref.txt", japanese)
    _write(place / "ja.txt", [line.replace("市", "町") for line in japanese])
    _write(
        place / "jb.txt", [line.replace("火", "水").replace("市", "村") for line in japanese]
    )
    given = "--refs ref.txt --system old=old.txt --system new=new.txt --sources src.txt"
    _run(place, *["compare", "--documents", "docs.txt", "--baseline", "old"], *given.split(),
         *["--metric", "chrf", "--metric", "ter", "--seed", "1", "--out", "he.json"])  # fmt: skip
    _run(place, *["compare", "--refs", "jref.txt", "--system", "A=ja.txt", "--system", "B=jb.txt"],
         *["--metric", "chrf", "--seed", "1", "--out", "ja.json"])  # fmt: skip
    _run(place, "report", "he.json", "--bake", "he.html")
    _run(place, "report", "he.json", "ja.json", "--bake", "both.html", "--title", "Both")
    return place


def leading(page: "Page") -> list[str]:
    """Return the numbers of the segments that are shown, in order."""
    return page.locator(".segments > li strong").all_inner_texts()


def gaps(page: "Page") -> list[float]:
    texts = page.locator(".segments > li .said").all_inner_texts()
    return [float(text.split()[0].replace("−", "-")) for text in texts]


def shows(page: "Page", n: int) -> None:
    """Wait until so many segments are shown."""
    expect(page.locator(".segments > li")).to_have_count(n)


def fits(page: "Page", width: int) -> None:
    assert page.evaluate("document.documentElement.scrollWidth") <= width


def test_a_baked_page_from_the_verdict_to_a_segment(browser: "Browser", folder: Path) -> None:
    with opened(browser, folder / "he.html", DESK) as found:
        page = found.page
        page.locator(".drawn svg").first.wait_for()
        opening = blocks_of(dt.load(folder / "he.json"))[0]
        assert isinstance(opening, Verdict)
        assert page.locator(".verdict .headline").inner_text() == opening.headline
        # One pair: its segments are there at once, and the others are one step away.
        assert page.locator(".closer h4").first.inner_text() == "new against old"
        assert len(leading(page)) == 25
        sizes = [abs(value) for value in gaps(page)]
        assert sizes == sorted(sizes, reverse=True)
        assert sizes[0] > 0
        page.get_by_role("button", name="All systems and pairs").click()
        page.locator("#result-1-systems").get_by_role("button", name="new").first.click()
        assert page.locator(".closer caption").inner_text() == "Pairs of new"
        page.locator(".closer button.row").nth(1).click()  # TER, where less is better
        assert page.get_by_label("Score").input_value() == "1"
        assert page.locator(".segments .said").first.inner_text().endswith(" TER")
        assert page.locator(".segments > li").first.get_attribute("class") in (
            "better",
            "worse",
        )
        assert found.said == []


def test_filters_and_order_by_keyboard(browser: "Browser", folder: Path) -> None:
    with opened(browser, folder / "he.html", DESK) as found:
        page = found.page
        search = page.get_by_label("Find words")
        search.focus()
        page.keyboard.type("met, 23.")
        shows(page, 1)
        assert leading(page) == ["Segment 24"]
        page.keyboard.press("Control+a")
        page.keyboard.press("Delete")
        shows(page, 25)
        page.keyboard.press("Tab")  # to the order
        page.keyboard.press("ArrowDown")
        assert page.get_by_label("Order").input_value() == "first"
        leads = gaps(page)
        assert leads == sorted(leads, reverse=True)
        page.get_by_label("Order").select_option("file")
        assert leading(page)[:3] == ["Segment 1", "Segment 2", "Segment 3"]
        page.get_by_role("button", name="Later").focus()
        page.keyboard.press("Enter")
        assert leading(page)[0] == "Segment 26"
        assert page.evaluate("document.activeElement.textContent") == "Later"
        page.keyboard.press("Enter")
        page.keyboard.press("Enter")  # there is no further page
        assert leading(page)[-1] == f"Segment {N}"
        assert found.said == []


def test_filters_together(browser: "Browser", folder: Path) -> None:
    with opened(browser, folder / "he.html", DESK) as found:
        page = found.page
        page.get_by_label("only texts that differ").check()
        kept = int(page.locator(".found").inner_text().split()[0])
        old = (folder / "old.txt").read_text().splitlines()
        new = (folder / "new.txt").read_text().splitlines()
        assert kept == sum(a != b for a, b in zip(old, new, strict=True)) < N
        page.get_by_label("Document", exact=True).select_option("doc1")
        assert set(page.locator(".which .note:first-of-type").all_inner_texts()) == {"doc1"}
        buttons = page.get_by_role("group", name="Who is ahead").get_by_role("button")
        counts = [int(text.split()[-1]) for text in buttons.all_inner_texts()]
        assert counts[0] == sum(counts[1:])
        buttons.nth(1).focus()
        page.keyboard.press("Space")
        assert all(value > 0 for value in gaps(page))
        assert len(gaps(page)) == counts[1]
        page.get_by_role("button", name="Take away all filters").click()
        assert page.locator(".found").inner_text().startswith(f"{N} segments")
        assert found.said == []


def test_tables_are_sorted_by_mouse_and_keyboard(browser: "Browser", folder: Path) -> None:
    with opened(browser, folder / "he.html", DESK) as found:
        page = found.page
        table = page.locator(".table", has_text="Differences in chrF of whole documents")
        head = table.get_by_role("button", name="difference")
        head.click()
        column = table.locator("tbody tr td:last-child")
        up = [float(text.replace("−", "-")) for text in column.all_inner_texts()]
        assert up == sorted(up)
        page.keyboard.press("Enter")  # the heading keeps the focus
        down = [float(text.replace("−", "-")) for text in column.all_inner_texts()]
        assert down == up[::-1]
        assert table.locator("th[aria-sort=descending]").count() == 1
        table.get_by_role("button", name="doc3").click()
        assert page.get_by_label("Document", exact=True).input_value() == "3"
        assert page.locator(".found").inner_text().startswith("10 segments")


def test_texts_are_texts(browser: "Browser", folder: Path) -> None:
    with opened(browser, folder / "he.html", DESK) as found:
        page = found.page
        page.on("dialog", lambda dialog: found.said.append(dialog.message))
        page.get_by_label("mark words that differ").uncheck()
        page.get_by_label("Find words").fill("onerror")
        shows(page, 1)
        shown = page.locator(".segments dd").last.inner_text()
        assert shown == NASTY.replace("\u202e", "U+202E")
        assert page.locator("img, iframe, main script").count() == 0
        page.get_by_label("mark words that differ").check()
        assert page.locator("img, iframe, main script").count() == 0
        assert page.locator("mark").count() > 0
        assert "\u202e" not in page.locator("main").inner_text()
        assert found.said == []


def test_names_turn_no_direction_and_make_no_markup(browser: "Browser", tmp_path: Path) -> None:
    name = "<b>new</b> \u202eevil"
    scores = {name: [1.0, 0.0, 1.0, 1.0] * 5, "old": [0.0, 1.0, 0.0, 1.0] * 5}
    result = dt.compare(Scores.build(scores), baseline="old", rng=1)
    (tmp_path / "n.html").write_text(report(result).explorer().text, encoding="utf-8")
    with opened(browser, tmp_path / "n.html", DESK) as found:
        page = found.page
        page.locator("#result-1-pairs button.row").first.click()
        assert (
            page.locator(".closer h4").inner_text().startswith("<b>new</b> U+202Eevil against")
        )
        assert page.locator("main b").count() == 0
        held_in = "document.querySelector('main').outerHTML.includes('\u202e')"
        assert not page.evaluate(held_in)


def test_directions_languages_and_differences(browser: "Browser", folder: Path) -> None:
    with opened(browser, folder / "both.html", DESK) as found:
        page = found.page
        hebrew = page.locator(".result").first
        hebrew.get_by_label("Find words").fill("IBM")
        expect(hebrew.locator(".segments > li")).to_have_count(1)
        lines = hebrew.locator(".segments dd")
        ways = [(line.get_attribute("dir"), line.get_attribute("lang")) for line in lines.all()]
        assert ways == [("ltr", None), ("rtl", "he"), ("rtl", "he"), ("rtl", "he")]
        box = lines.nth(2).bounding_box()
        assert box is not None
        text = lines.nth(2).evaluate(
            "e => { const r = document.createRange(); r.selectNodeContents(e); "
            "return r.getBoundingClientRect().right }"
        )
        assert text == pytest.approx(box["x"] + box["width"], abs=2)
        first = hebrew.locator("mark.ours").first.inner_text()
        assert first.split()[0] == "IBM"  # by word
        japanese = page.locator(".result").nth(1)
        marks = japanese.locator(".segments > li").first.locator("mark")
        assert set(marks.all_inner_texts()) <= {"町", "村", "火", "水"}
        assert japanese.locator(".segments dd").first.get_attribute("lang") == "ja"
        assert found.said == []


def test_two_side_by_side(browser: "Browser", folder: Path) -> None:
    with opened(browser, folder / "both.html", DESK) as found:
        page = found.page
        assert page.title() == "Both"
        lines = page.locator("ol.results li").all_inner_texts()
        assert [line.split()[0] for line in lines] == ["he", "ja"]
        page.get_by_role("button", name="Side by side").click()
        first, second = (page.locator(".result").nth(i).bounding_box() for i in (0, 1))
        assert first is not None
        assert second is not None
        assert second["x"] >= first["x"] + first["width"]
        assert second["y"] == first["y"]
        fits(page, DESK)
        page.locator(".drawn svg").nth(1).wait_for()
        page.get_by_role("button", name="Close ja").click()
        assert page.locator(".result").count() == 1
        assert found.said == []


def test_the_same_pairs_of_several_results(browser: "Browser", tmp_path: Path) -> None:
    made = report(RESULTS["comparison"], RESULTS["comparison"]).explorer().text
    (tmp_path / "two.html").write_text(made, encoding="utf-8")
    with opened(browser, tmp_path / "two.html", DESK) as found:
        table = found.page.locator(".overview table")
        assert table.locator("tbody tr").count() == len(RESULTS["comparison"].pairs)  # type: ignore[attr-defined]
        first, *others = table.locator("tbody tr").first.locator("th, td").all_inner_texts()
        assert " against " in first
        assert others[0] == others[1]


@pytest.mark.parametrize("dark", [False, True])
def test_for_everyone_at_a_desk_and_on_a_phone(
    dark: bool, browser: "Browser", folder: Path
) -> None:
    with opened(browser, folder / "both.html", DESK, dark=dark) as found:
        page = found.page
        page.locator(".drawn svg").first.wait_for()
        check_for_everyone(page)
        page.get_by_role("button", name="Side by side").click()
        check_for_everyone(page)
        resized(page, PHONE)
        fits(page, PHONE)
        check_for_everyone(page)
        page.get_by_role("button", name="All systems and pairs").first.click()
        fits(page, PHONE)
        check_for_everyone(page)
        assert found.said == []


def test_paper_shows_what_is_open(browser: "Browser", folder: Path) -> None:
    with opened(browser, folder / "he.html", DESK) as found:
        page = found.page
        page.locator(".drawn svg").first.wait_for()
        page.emulate_media(media="print")
        assert page.locator(".verdict, .drawn svg >> visible=true").count() > 1
        assert page.locator(".controls:visible, .pager:visible, .pick:visible").count() == 0


@pytest.mark.parametrize("start", range(0, len(RESULTS), 8))
def test_every_kind_of_result_opens_from_its_file(
    start: int, browser: "Browser", tmp_path: Path, explorer: str
) -> None:
    names = sorted(RESULTS)[start : start + 8]
    files = []
    for name in names:
        path = tmp_path / f"{name}.json"
        path.write_text(written_result(RESULTS[name], command=["detectable", "it"]).text)
        files.append(str(path))
    with visited(browser, explorer) as found:
        page = found.page
        page.set_input_files("#files", files)
        page.locator(".result").nth(len(names) - 1).wait_for()
        headlines = page.locator(".result .verdict .headline").all_inner_texts()
        assert len(headlines) == len(names)
        assert all(headlines)
        assert page.locator(".result").filter(has=page.locator("table")).count() == len(names)
        charts = page.locator("figure").count()
        expect(page.locator(".drawn svg")).to_have_count(charts)
        fits(page, DESK)
        check_for_everyone(page)
        resized(page, PHONE)
        fits(page, PHONE)
        assert found.said == []


@pytest.fixture(scope="module")
def explorer(tmp_path_factory: pytest.TempPathFactory) -> Iterator[str]:
    """The address of the explorer of a server that runs."""
    pytest.importorskip("starlette")
    place = tmp_path_factory.mktemp("served")
    with running(place, place / "log.txt") as server:
        yield f"{server.address}/explore"


@contextmanager
def visited(browser: "Browser", address: str, *, bypass_csp: bool = True) -> Iterator[Opened]:
    """Load the page, then turn the network off; any request after that is noted."""
    context = browser.new_context(
        viewport={"width": DESK, "height": 844}, bypass_csp=bypass_csp
    )
    made = Opened(context.new_page())
    made.page.on("console", lambda message: made.said.append(message.text))
    made.page.on("pageerror", lambda error: made.said.append(str(error)))
    made.page.goto(address)
    made.page.wait_for_load_state("networkidle")
    context.set_offline(True)
    made.page.on("request", lambda request: made.said.append(f"asked for {request.url}"))
    yield made
    context.close()


def test_files_are_opened_and_dropped_under_the_policy_and_nothing_is_sent(
    browser: "Browser", folder: Path, explorer: str
) -> None:
    with visited(browser, explorer, bypass_csp=False) as found:
        page = found.page
        assert page.locator(".welcome h2").inner_text() == "Open a result to look into it"
        page.set_input_files("#files", str(folder / "he.json"))
        page.locator(".drawn svg").first.wait_for()
        assert page.locator("#told").inner_text() == "1 result is open."
        # Without its segments the file says how to get them.
        page.locator(".closer button.row").last.click()
        assert (
            "detectable report he.json --bake page.html" in page.locator(".closer").inner_text()
        )
        # A page of --bake brings them; it is dropped.
        data = page.evaluate_handle(
            "([name, text]) => { const d = new DataTransfer(); "
            "d.items.add(new File([text], name)); return d; }",
            ["both.html", (folder / "both.html").read_text(encoding="utf-8")],
        )
        page.dispatch_event("body", "dragenter", {"dataTransfer": data})
        assert page.locator(".drop").is_visible()
        page.dispatch_event("body", "drop", {"dataTransfer": data})
        page.locator(".result").nth(2).wait_for()
        assert not page.locator(".drop").is_visible()
        names = page.locator(".named h2").all_inner_texts()
        assert names == ["he", "he (2)", "ja"]
        assert page.locator(".segments").count() == 2
        # What was chosen in the first is as it was.
        assert "--bake page.html" in page.locator(".closer").first.inner_text()
        assert found.said == []


def test_a_packed_file_and_marks_that_tell_their_numbers(
    browser: "Browser", folder: Path, explorer: str
) -> None:
    with visited(browser, explorer, bypass_csp=False) as found:
        page = found.page
        packed = gzip.compress((folder / "he.json").read_bytes())
        page.set_input_files(
            "#files",
            {"name": "he.json.gz", "mimeType": "application/gzip", "buffer": packed},
        )
        page.locator(".drawn svg").first.wait_for()
        assert page.locator(".named h2").inner_text() == "he"
        assert found.said == []


def _content(folder: Path, **change: Any) -> bytes:
    content = json.loads((folder / "he.json").read_text())
    return json.dumps({**content, **change}).encode()


def test_bad_files_get_one_sentence_each_and_the_others_stay(
    browser: "Browser", folder: Path, explorer: str
) -> None:
    bad = {
        "empty.json": b" ",
        "cut.json": _content(folder)[:3000],
        "newer.json": _content(folder, schema=7, detectable="0.9"),
        "zero.json": _content(folder, schema=0),
        "plan.json": b'{"detectable_plan": 1}',
        "list.json": b"[1, 2]",
        "older.json": _content(folder, shown=None),
        "shown.json": _content(folder, shown={"zlib64": "abcd"}),
        "number.json": _content(folder, shown=3),
        "page.html": b"<!doctype html><p>other",
        "cut.json.gz": gzip.compress(_content(folder))[:200],
        "<b>.json": b"{",
    }
    said = [
        "empty.json: the file is empty. Expected JSON.",
        "cut.json: this is not JSON. Is it cut short?",
        "newer.json has format 7, written by detectable 0.9; this version reads up to 1. Update detectable.",
        "zero.json: `schema` must be a whole number from 1 on; got 0. Was it edited or cut short? Write it again with --out or dt.save.",
        "plan.json: this is no file of a result. It is a plan: see it with `detectable plan show`.",
        "list.json: this is no file of a result. Write one with --out or dt.save.",
        f"older.json does not hold what it shows: detectable {dt.__version__} wrote it without. Show it with: detectable report older.json",
        "shown.json: `shown` is damaged. Was it edited or cut short? Write it again with --out or dt.save.",
        "number.json: `shown` is damaged. Was it edited or cut short? Write it again with --out or dt.save.",
        "page.html: this is no page of detectable report --bake.",
        "cut.json.gz: it cannot be unpacked. Is it cut short?",
        "<b>.json: this is not JSON. Is it cut short?",
    ]
    files: list[Any] = [
        {"name": name, "mimeType": "application/json", "buffer": data}
        for name, data in bad.items()
    ]
    with visited(browser, explorer) as found:
        page = found.page
        page.set_input_files("#files", str(folder / "he.json"))
        page.locator(".result").wait_for()
        page.set_input_files("#files", files)
        page.locator("#wrong p").nth(len(bad) - 1).wait_for()
        assert page.locator("#wrong p").all_inner_texts() == said
        assert page.locator(".result").count() == 1
        check_for_everyone(page)
        page.get_by_role("button", name="Hide this message").click()
        assert not page.locator("#wrong").is_visible()
        assert found.said == []


def test_a_file_of_200_megabytes_is_refused_before_it_is_read(
    browser: "Browser", explorer: str, tmp_path: Path
) -> None:
    large = tmp_path / "large.json"
    with large.open("wb") as opened_file:
        opened_file.truncate(200_000_000)
    with visited(browser, explorer) as found:
        found.page.set_input_files("#files", str(large))
        found.page.locator("#wrong p").wait_for()
        assert found.page.locator("#wrong p").inner_text() == (
            "large.json holds 200 MB, and a browser reads up to 100 MB here. Show it with: "
            "detectable report large.json"
        )


def test_a_file_cannot_make_a_chart_fetch_or_link(
    browser: "Browser", folder: Path, explorer: str
) -> None:
    import base64
    import zlib

    content = json.loads((folder / "he.json").read_text())
    blocks = json.loads(zlib.decompress(base64.b64decode(content["shown"]["zlib64"])))
    evil = {
        "data": {"url": explorer.replace("/explore", "/stolen")},
        "mark": {"type": "point", "href": "javascript:alert(1)"},
        "encoding": {"x": {"field": "a"}, "href": {"value": "javascript:alert(1)"}},
        "usermeta": {"embedOptions": {"actions": True, "ast": False}},
    }
    for block in blocks:
        if block["block"] == "chart":
            block["wide"] = block["narrow"] = evil
    packed = base64.b64encode(zlib.compress(json.dumps(blocks).encode())).decode()
    data = json.dumps({**content, "shown": {"zlib64": packed}}).encode()
    with visited(browser, explorer, bypass_csp=False) as found:
        page = found.page
        page.on("dialog", lambda dialog: found.said.append(dialog.message))
        page.set_input_files(
            "#files", {"name": "e.json", "mimeType": "application/json", "buffer": data}
        )
        page.locator(".result .verdict").wait_for()
        page.wait_for_timeout(500)
        assert page.locator(".vega-actions, .drawn a[href]").count() == 0
        # Vega may say that it has no data; nothing was asked for.
        assert not [text for text in found.said if text.startswith("asked for")]
        assert not [text for text in found.said if "alert" in text]


def test_of_ten_thousand_segments_a_page_is_made(browser: "Browser", tmp_path: Path) -> None:
    n = 10_000
    references = [f"line {i} of the long test set with some words" for i in range(n)]
    outputs = {
        "old": [line.replace("some", "few") if i % 2 else line for i, line in enumerate(references)],
        "new": [line.replace("long", "big") if i % 3 else line for i, line in enumerate(references)],
    }  # fmt: skip
    for name, lines in (("ref", references), *outputs.items()):
        _write(tmp_path / f"{name}.txt", lines)
    _run(tmp_path, *["compare", "--refs", "ref.txt", "--system", "old=old.txt", "--system", "new=new.txt"],
         *["--baseline", "old", "--metric", "chrf", "--seed", "1", "--resamples", "99", "--out", "r.json"])  # fmt: skip
    _run(tmp_path, "report", "r.json", "--bake", "r.html")
    with opened(browser, tmp_path / "r.html", DESK) as found:
        page = found.page
        page.locator(".segments > li").nth(24).wait_for()
        assert page.locator(".segments > li").count() == 25
        for order in ("first", "second", "low", "file", "most"):
            page.locator("select").first.select_option(order)
            assert page.locator(".segments > li").count() == 25  # which is why it stays quick
        page.get_by_label("Find words").fill("line 7777 ")
        shows(page, 1)
        assert leading(page) == ["Segment 7778"]
        assert re.match("1 segment ", page.locator(".found").inner_text())
