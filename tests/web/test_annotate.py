"""What raters get and may send, and what they never see."""

import io
import json
from collections.abc import Iterator, Sequence
from contextlib import closing
from pathlib import Path
from typing import Any

import pytest

from detectable.core.errors import DataError
from detectable.data.store.open_store import open_store
from detectable.data.store.records import Part
from detectable.data.store.store import Store
from detectable.study.campaign.campaigns import open_address
from detectable.study.campaign.export import export_campaign, participants_csv
from detectable.study.campaign.withdraw import erase_rater
from detectable.web.guard import REQUESTS, PerMinute, Refused, require_pace
from tests.web.campaigns import SECRET, campaign
from tests.web.client import OURS, Client, client

SAVE = {"x-detectable": "1", "content-type": "application/json"}

KEYS = {"done", "token", "block", "place", "pages", "before", "texts"}
KEYS |= {"seconds_left", "back", "forward", "draft", "saved"}


class Rater:
    """A rater with a link."""

    def __init__(self, client: Client, token: str) -> None:
        self.client, self.header = client, {"authorization": f"Bearer {token}"}

    def get(self, path: str) -> Any:
        return self.client.get(f"/api/v1/{path}", headers=self.header)

    def page(self) -> dict[str, Any]:
        answer = self.get("next")
        assert answer.status_code == 200
        found: dict[str, Any] = answer.json()
        return found

    def put(self, token: str, body: Any, **headers: str) -> Any:
        sent = body if isinstance(body, str | bytes) else json.dumps(body)
        return self.client.put(
            f"/api/v1/pages/{token}", content=sent, headers={**SAVE, **self.header, **headers}
        )

    def save(self, page: dict[str, Any], score: float = 70, key: str = "k") -> Any:
        answers = [{"score": score} for _ in page["texts"]]
        return self.put(page["token"], {"key": key, "answers": answers, "seconds": 4.5})


@pytest.fixture
def log() -> io.StringIO:
    return io.StringIO()


@pytest.fixture
def raters(tmp_path: Path, log: io.StringIO) -> Iterator[tuple[Rater, Rater]]:
    links = campaign(tmp_path)
    asked = client(tmp_path, log)
    yield Rater(asked, links[0].token), Rater(asked, links[1].token)
    asked.close()


def counts(folder: Path) -> dict[str, int]:
    store = open_store(folder)
    found = store.status("ship")
    store.close()
    return found


def test_a_rater_judges_until_nothing_is_left(
    raters: tuple[Rater, Rater], tmp_path: Path
) -> None:
    one = raters[0]
    about = one.get("me").json()
    assert (about["low"], about["high"], about["protocol"], about["mode"]) == (
        0,
        100,
        "da",
        "source",
    )
    seen = 0
    while not (page := one.page())["done"]:
        assert one.save(page).json() == {"state": "saved"}
        seen += 1
    # 3 documents of 2 systems, and one control
    assert seen == 7
    back = page.pop("back")
    end = {"all_done": False, "ending": "completed", "code": "", "return_to": ""}
    assert page == {"done": True, "state": "open", "retry_after": None, **end}
    assert one.get(f"pages/{back}").json()["place"] == 7  # it may still be changed
    found = counts(tmp_path)
    assert (found["works_done"], found["judgments"]) == (3, 14)


def test_what_a_rater_gets_names_nothing(raters: tuple[Rater, Rater], log: io.StringIO) -> None:
    one = raters[0]
    answers = [one.get("me").text]
    while not (page := one.page())["done"]:
        answers += [json.dumps(page), one.save(page).text, one.save(page, key="other").text]
        assert set(page) == KEYS
        assert all(set(text) == {"source", "reference", "text"} for text in page["texts"])
    said = "".join(answers)
    for word in (*SECRET, "degraded", "repeat", "system", "document", "r-01", "ship"):
        assert word not in said
    assert one.header["authorization"].split()[1] not in log.getvalue()
    assert "Quelle" not in log.getvalue()


OPTIONS: dict[str, dict[str, Any]] = {
    "da": {"document_score": True},
    "sqm": {},
    "esa": {},
    "pairwise": {"strength": True},
    "likert": {"criteria": ("adequacy", "fluency")},
    "mqm": {},
}
GOOD: dict[str, Any] = {
    "da": {"score": 70},
    "sqm": {"score": 4},
    "esa": {"score": 70, "spans": [{"start": 0, "end": 3.0, "severity": "minor"}]},
    "pairwise": {"choice": "left", "strength": 2},
    "likert": {"ratings": {"adequacy": 4, "fluency": 5}},
    "mqm": {"spans": [{"severity": "major", "category": "accuracy/omission"}]},
}
FORGED: dict[str, list[Any]] = {
    "da": [{"score": 1e9}, {"choice": "left"}],
    "sqm": [{"score": 6.5}],
    "esa": [
        {"score": 70},
        {"score": 1e9, "spans": []},
        {"score": 70, "spans": [{"start": 0, "end": 10_000, "severity": "minor"}]},
        {"score": 70, "spans": [{"start": 3, "end": 3, "severity": "minor"}]},
        {"score": 70, "spans": [{"start": 0, "end": 3, "severity": "fatal"}]},
        {"score": 70, "spans": [{"severity": "minor"}] * 201},
        {
            "score": 70,
            "spans": [
                {"start": 4, "end": 5, "severity": "minor"},
                {"start": 0, "end": 3, "severity": "minor"},
            ],
        },
    ],
    "pairwise": [
        {"choice": "SENTINEL-NEW", "strength": 1},
        {"choice": "left", "strength": 4},
        {"choice": "left"},
        {"score": 1},
    ],
    "likert": [
        {"ratings": {"adequacy": 4}},
        {"ratings": {"adequacy": 4, "fluency": 6}},
        {"ratings": {"adequacy": 4, "fluency": 5, "style": 5}},
        {"score": 3},
    ],
    "mqm": [
        {"spans": [{"severity": "major", "category": "made up"}]},
        {"spans": [{"severity": "major"}]},
        {"spans": [], "score": 0},
    ],
}


@pytest.mark.parametrize("protocol", sorted(OPTIONS))
def test_no_protocol_names_anything(tmp_path: Path, log: io.StringIO, protocol: str) -> None:
    (link,) = campaign(tmp_path, n_raters=1, protocol=protocol, **OPTIONS[protocol])
    asked = client(tmp_path, log)
    one = Rater(asked, link.token)
    answers = [one.get("me").text]
    sides = {"left", "right"} if protocol == "pairwise" else {"text"}
    n_pages = 0
    while not (page := one.page())["done"]:
        n_pages += 1
        assert set(page) == KEYS
        assert all(set(text) == {"source", "reference"} | sides for text in page["texts"])
        body: dict[str, Any] = {
            "key": "k",
            "answers": [GOOD[protocol] for _ in page["texts"]],
        }
        if protocol == "da":
            body["document_score"] = 50
        saved = one.put(page["token"], body)
        assert saved.json() == {"state": "saved"}
        wrong = one.put(page["token"], {**body, "key": "other"})
        assert wrong.status_code == 409
        draft = {"tab": "t", "draft": {"states": [1]}}
        assert one.client.put(
            f"/api/v1/drafts/{page['token']}",
            json=draft,
            headers={**one.header, "X-Detectable": "1"},
        ).json() == {"state": "kept"}
        again = one.get(f"pages/{page['token']}")
        shown = again.json()
        assert set(shown) == KEYS
        assert (shown["place"], shown["draft"]) == (n_pages, draft["draft"])
        kept = shown["saved"]
        assert (kept["key"], kept["answers"]) == ("k", body["answers"])
        assert kept["overall"] == body.get("document_score")
        changed = one.put(page["token"], {**body, "key": "new", "replaces": "k"})
        assert changed.json() == {"state": "changed"}
        answers += [json.dumps(page), saved.text, wrong.text, again.text, changed.text]
    assert n_pages == (4 if protocol == "pairwise" else 7)
    said = "".join(answers)
    for word in (
        *SECRET,
        "degraded",
        "repeat",
        "system",
        "document",
        "r-01",
        "ship",
        "flipped",
    ):
        assert word not in said
    assert one.header["authorization"].split()[1] not in log.getvalue()
    assert "Quelle" not in log.getvalue()
    asked.close()


@pytest.mark.parametrize("protocol", ["da", "pairwise"])
def test_what_precedes_a_page_is_of_the_same_system(
    tmp_path: Path, log: io.StringIO, protocol: str
) -> None:
    """Sentences of documents: the lines before, in order, never of another system."""
    words = [f"{place} word of line {place}" for place in "abcdefgh"]
    texts = {
        name: [f"{one} {end}" for one in words] for name, end in (("a", "AA"), ("b", "BB"))
    }
    (link,) = campaign(
        tmp_path,
        n_raters=1,
        n_lines=8,
        per_document=4,
        texts=texts,
        protocol=protocol,
        page_lines=1,
        **OPTIONS[protocol] | {"document_score": False},
    )
    one = Rater(client(tmp_path, log), link.token)
    sides = ("left", "right") if protocol == "pairwise" else ("text",)
    n_before = []
    while not (page := one.page())["done"]:
        (text,) = page["texts"]
        assert set(page) == KEYS
        assert all(set(line) == set(text) for line in page["before"])
        at = int(text["source"].split()[1])
        first = max(4 * (at // 4), at - 3)  # documents of four lines
        assert [line["source"] for line in page["before"]] == [
            f"Quelle {n}" for n in range(first, at)
        ]
        for side in sides:
            ends = {line[side].split()[-1] for line in page["before"]}
            assert len(ends) <= 1
            known = {said for lines in texts.values() for said in lines}
            if text[side] in known:  # no control: the system is the same
                assert ends <= {text[side].split()[-1]}
        if len(sides) == 2 and page["before"]:
            line = page["before"][0]
            assert {line["left"].split()[-1], line["right"].split()[-1]} == {"AA", "BB"}
        n_before.append(len(page["before"]))
        body = {"key": "k", "answers": [GOOD[protocol]]}
        assert one.put(page["token"], body).status_code == 200
    assert set(n_before) == {0, 1, 2, 3}
    one.client.close()


def test_the_end_of_sqm_is_told_and_kept(tmp_path: Path) -> None:
    for points, anchors in ((None, [0, 2, 4, 6]), (100, [0, 33, 66, 100])):
        folder = tmp_path / str(points)
        (link,) = campaign(folder, n_raters=1, protocol="sqm", points=points)
        one = Rater(client(folder), link.token)
        about = one.get("me").json()
        assert (about["low"], about["high"], about["anchors"]) == (0, anchors[-1], anchors)
        page = one.page()
        assert one.save(page, anchors[-1] + 0.5).status_code == 422
        assert one.save(page, anchors[-1]).status_code == 200
        one.client.close()


@pytest.mark.parametrize("protocol", sorted(OPTIONS))
def test_forged_answers_change_nothing(tmp_path: Path, protocol: str) -> None:
    (link,) = campaign(tmp_path, n_raters=1, protocol=protocol, **OPTIONS[protocol])
    asked = client(tmp_path)
    one = Rater(asked, link.token)
    page = one.page()
    others = [GOOD[name] for name in GOOD if GOOD[name] != GOOD[protocol]]
    # A score alone is an answer to da and to sqm.
    others = [each for each in others if (protocol, set(each)) not in (("da", {"score"}),)]
    others = [each for each in others if (protocol, each) != ("sqm", {"score": 4})]
    before = counts(tmp_path)
    for forged in [*FORGED[protocol], *others, {**GOOD[protocol], "system": "x"}]:
        said = one.put(page["token"], {"key": "k", "answers": [GOOD[protocol], forged]})
        assert said.status_code == 422, forged
        assert said.json()["code"] == "wrong_answer"
        assert counts(tmp_path) == before
    for n in (0, 1, 3):
        said = one.put(page["token"], {"key": "k", "answers": [GOOD[protocol]] * n})
        assert said.status_code == 422
    for score in (-1, 101, "50") if protocol == "da" else (50,):
        body = {"key": "k", "answers": [GOOD[protocol]] * 2, "document_score": score}
        assert one.put(page["token"], body).status_code == 422
    assert counts(tmp_path) == before
    assert (
        one.put(page["token"], {"key": "k", "answers": [GOOD[protocol]] * 2}).status_code == 200
    )
    asked.close()


def test_nobody_begins_without_the_consent_that_is_asked(tmp_path: Path) -> None:
    (link,) = campaign(tmp_path, n_raters=1, consent="Scores are kept.", pay="12 an hour")
    asked = client(tmp_path)
    one = Rater(asked, link.token)
    about = one.get("me").json()
    assert (about["consent"], about["pay"], about["consented"]) == (
        "Scores are kept.",
        "12 an hour",
        False,
    )
    refused = one.get("next")
    assert (refused.status_code, refused.json()["code"]) == (409, "no_consent")
    bare = asked.post("/api/v1/me/consent", headers=one.header)
    assert bare.status_code == 403  # a foreign page could send this
    for _ in range(2):
        agreed = asked.post("/api/v1/me/consent", headers={**SAVE, **one.header})
        assert agreed.json() == {"consented": True}
    assert one.get("me").json()["consented"] is True
    assert not one.page()["done"]
    stranger = Rater(asked, "guess")
    assert (
        asked.post("/api/v1/me/consent", headers={**SAVE, **stranger.header}).status_code == 401
    )
    asked.close()


def test_the_mode_decides_what_stands_beside_a_text(tmp_path: Path) -> None:
    for mode, source, reference in (
        ("source", True, False),
        ("reference", False, True),
        ("bilingual", True, True),
    ):
        folder = tmp_path / mode
        folder.mkdir()
        (link,) = campaign(folder, n_raters=1, mode=mode)
        asked = client(folder)
        text = Rater(asked, link.token).page()["texts"][0]
        shown = (text["source"] is not None, text["reference"] is not None)
        assert shown == (source, reference)
        asked.close()


@pytest.mark.parametrize("token", ["", "guess", "Bearer"])
def test_without_a_valid_link_nothing_is_said(raters: tuple[Rater, Rater], token: str) -> None:
    stranger = Rater(raters[0].client, token)
    page = raters[0].page()
    for answer in (stranger.get("me"), stranger.get("next"), stranger.save(page)):
        assert answer.status_code == 401
        assert answer.json() == {"code": "link_not_valid", "message": "This link is not valid."}
    nothing = raters[0].client.get("/api/v1/next")
    assert nothing.status_code == 401


def test_a_folder_without_campaigns_knows_no_links(tmp_path: Path) -> None:
    assert Rater(client(tmp_path), "any").get("next").status_code == 401


def test_the_page_of_somebody_else_is_like_one_that_does_not_exist(
    raters: tuple[Rater, Rater], tmp_path: Path
) -> None:
    one, two = raters
    page = one.page()
    foreign, unknown = two.save(page), two.put("made-up", {"key": "k", "answers": []})
    assert foreign.status_code == unknown.status_code == 404
    assert foreign.json() == unknown.json()
    assert counts(tmp_path)["pages"] == 0


@pytest.mark.parametrize(
    "answer",
    [
        {"score": 1e9},
        {"score": -0.1},
        {"score": None},
        {"score": "70"},
        {"score": 70, "system": "x"},
        {"skipped": "bored"},
        7,
    ],
)
def test_impossible_answers_change_nothing(
    raters: tuple[Rater, Rater], tmp_path: Path, answer: Any
) -> None:
    one = raters[0]
    page = one.page()
    body = {"key": "k", "answers": [answer for _ in page["texts"]]}
    said = one.put(page["token"], body)
    assert said.status_code == 422
    assert said.json()["code"] == "wrong_answer"
    assert counts(tmp_path)["pages"] == 0


@pytest.mark.parametrize(
    "body",
    [
        "",
        "{",
        "[]",
        '{"key": "k"}',
        '{"key": "k", "answers": [], "system": 1}',
        '{"key": "", "answers": []}',
        '{"key": "%s", "answers": []}' % ("k" * 65),
        '{"key": "k", "answers": [], "seconds": -1}',
        '{"key": "k", "answers": []}',
        '{"key": "k", "answers": [{"score": NaN}, {"score": NaN}]}',
        "[" * 200_000,
    ],
)
def test_bodies_that_are_no_answers_are_refused(
    raters: tuple[Rater, Rater], tmp_path: Path, body: str
) -> None:
    one = raters[0]
    said = one.put(one.page()["token"], body)
    assert said.status_code == 422
    assert set(said.json()) == {"code", "message"}
    assert counts(tmp_path)["pages"] == 0


def test_a_key_has_1_to_64_letters(raters: tuple[Rater, Rater]) -> None:
    one = raters[0]
    page = one.page()
    for key in ("", "k" * 65):
        said = one.save(page, key=key)
        assert (said.status_code, said.json()["message"]) == (
            422,
            "The key must have 1 to 64 letters.",
        )
    assert one.save(page, key="k" * 64).json() == {"state": "saved"}


def test_no_more_time_is_paid_than_passed(raters: tuple[Rater, Rater], tmp_path: Path) -> None:
    one = raters[0]
    page = one.page()
    answers = [{"score": 1} for _ in page["texts"]]
    body = {"key": "k", "answers": answers, "seconds": 1e308}
    assert one.put(page["token"], body).status_code == 200
    store = open_store(tmp_path, read_only=True)
    assert 0.0 <= sum(rater.seconds for rater in store.raters("ship")) < 3600.0
    store.close()


@pytest.mark.parametrize("seconds", [-1.0, 1e999])
def test_impossible_times_are_refused(raters: tuple[Rater, Rater], seconds: float) -> None:
    one = raters[0]
    page = one.page()
    answers = [{"score": 1} for _ in page["texts"]]
    body = json.dumps({"key": "k", "answers": answers, "seconds": seconds})
    assert one.put(page["token"], body).status_code == 422
    assert (
        one.put(page["token"], {"key": "k", "answers": answers, "seconds": 0}).status_code
        == 200
    )


def test_a_page_is_saved_once_however_often_it_is_sent(raters: tuple[Rater, Rater]) -> None:
    one = raters[0]
    page = one.page()
    assert one.save(page).json() == {"state": "saved"}
    assert one.save(page).json() == {"state": "again"}
    other = one.save(page, 10, key="second tab")
    assert (other.status_code, other.json()["code"]) == (409, "already_saved")


def test_foreign_pages_cannot_save(raters: tuple[Rater, Rater]) -> None:
    one = raters[0]
    token = one.page()["token"]
    body = {"key": "k", "answers": []}
    assert one.put(token, body, **{"x-detectable": "0"}).status_code == 403
    assert one.put(token, body, origin="https://elsewhere.example").status_code == 403
    assert one.put(token, body, **{"content-type": "text/plain"}).status_code == 415
    assert one.put(token, "x" * 300_000).status_code == 413


def test_a_draft_and_a_pause_are_said(tmp_path: Path) -> None:
    (link,) = campaign(tmp_path, n_raters=1, state="draft")
    asked = client(tmp_path)
    rater = Rater(asked, link.token)
    assert rater.get("next").status_code == 409
    assert rater.get("me").json()["state"] == "draft"
    store = open_store(tmp_path)
    store.turn("ship", "open")
    store.turn("ship", "paused")
    nothing = {"all_done": False, "ending": "", "code": "", "return_to": ""}
    paused = {"done": True, "state": "paused", "retry_after": 2700.0, "back": None}
    assert rater.page() == {**paused, **nothing}
    store.change_rater("ship", "r-01", "revoked")
    assert rater.get("next").status_code == 401
    store.close()
    asked.close()


@pytest.mark.parametrize("broken", ["save", "next_page", "rater_of"])
def test_a_store_out_of_reach_is_no_wrong_link_and_no_fault_of_ours(
    broken: str, raters: tuple[Rater, Rater], tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    page = raters[0].page()
    before = counts(tmp_path)

    def full(*_: object, **__: object) -> None:
        raise DataError(f"{tmp_path}/campaigns.sqlite: database or disk is full.")

    with monkeypatch.context() as patched:
        patched.setattr(Store, broken, full)
        answer = raters[0].get("next") if broken == "next_page" else raters[0].save(page)
        assert (answer.status_code, answer.json()["code"]) == (503, "not_reached")
        assert "nothing was saved" in answer.json()["message"]
        assert str(tmp_path) not in answer.text
    assert counts(tmp_path) == before
    assert raters[0].save(page).json() == {"state": "saved"}  # the same answers, a moment later


def test_a_link_asks_six_hundred_times_a_minute_at_most(raters: tuple[Rater, Rater]) -> None:
    one, two = raters
    now = [0.0]
    one.client.app.state.requests = PerMinute(REQUESTS, lambda: now[0])
    assert REQUESTS == 600
    page = one.page()
    for number in range(1, 599):
        now[0] = number / 100.0
        assert one.get("me").status_code == 200
    assert one.save(page).json() == {"state": "saved"}
    for answer in (one.get("next"), one.get("me"), one.save(page)):
        assert (answer.status_code, answer.json()["code"]) == (429, "too_fast")
        assert (
            answer.headers["retry-after"] == "55"
        )  # 54.02 seconds, when the first is a minute old
        assert "55 seconds" in answer.json()["message"]
    assert two.get("me").status_code == 200  # somebody else need not wait
    now[0] = 59.99
    assert one.get("me").status_code == 429
    now[0] = 60.0
    assert one.get("me").status_code == 200
    assert one.get("me").status_code == 429  # one more, when the second is a minute old
    now[0] = 60.01
    assert one.get("me").status_code == 200


def test_links_are_not_remembered_and_not_without_end(monkeypatch: pytest.MonkeyPatch) -> None:
    from detectable.web import guard as per_minute

    monkeypatch.setattr(per_minute, "_MOST_KEYS", 3)
    counts = PerMinute(2, lambda: 0.0)
    for secret in ("a", "b", "a", "c", "d"):
        require_pace(counts, secret)
    kept = str(counts._times)
    assert len(counts._times) == 3
    assert not any(f"'{secret}'" in kept for secret in "abcd")
    with pytest.raises(Refused):  # it came last but two, and is remembered
        require_pace(counts, "a")
    require_pace(counts, "b")  # forgotten


def test_the_first_page_reads_its_own_texts_and_not_all(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    (link,) = campaign(tmp_path, n_raters=1, n_lines=60, per_document=3, block=4)
    monkeypatch.setattr("detectable.web.annotate.PHRASE_LINES", 6)
    read: list[int] = []
    parts = Store.parts

    def noted(self: Store, name: str, names: Sequence[str] | None = None) -> list[Part]:
        found = parts(self, name, names)
        read.append(len(found))
        return found

    monkeypatch.setattr(Store, "parts", noted)
    asked = client(tmp_path, io.StringIO())
    page = Rater(asked, link.token).page()
    asked.close()
    assert page["texts"]
    assert read == [2, 4]  # where phrases come from, and the block; 20 documents in all


def test_raters_say_what_is_asked_before_the_first_text(tmp_path: Path) -> None:
    asked = ("Native language: German | other", "Years")
    (link,) = campaign(tmp_path, n_raters=1, questionnaire=asked, comments=True)
    with closing(client(tmp_path)) as server:
        rater = Rater(server, link.token)

        def say(**answers: str) -> Any:
            return server.put(
                "/api/v1/me/answers",
                content=json.dumps({"answers": answers}),
                headers={**SAVE, **rater.header},
            )

        me = rater.get("me").json()
        assert me["questions"][0] == {
            "label": "Native language",
            "answers": ["German", "other"],
        }
        assert (me["answered"], me["comments"]) == (False, True)
        assert rater.get("next").json()["code"] == "no_answers"
        assert say(Years="3").status_code == 422
        assert say(**{"Native language": "other", "Years": "3"}).json() == {"answered": True}
        page = rater.page()
        assert rater.get("me").json()["answered"] is True
        answers = [{"score": 7, "comment": "odd"} for _ in page["texts"]]
        assert rater.put(page["token"], {"key": "k", "answers": answers}).status_code == 200
        again = rater.get(f"pages/{page['token']}").json()
        assert again["saved"]["answers"] == [{**one, "score": 7.0} for one in answers]
    path = tmp_path / "out.csv"
    store = open_store(tmp_path)
    export_campaign(store, "ship", path, everything=True)
    store.close()
    assert (tmp_path / "out.raters.csv").read_text() == (
        "rater,Native language,Years\nr-01,other,3\n"
    )
    lines = (tmp_path / "out.extra.jsonl").read_text().splitlines()
    extra = [json.loads(line) for line in lines]
    assert {one["comment"] for one in extra} == {"odd"}


# People who come from a panel


def joins(server: Client, secret: str, **query: str) -> Any:
    return server.post(f"/api/v1/join/{secret}", json={"query": query}, headers=OURS)


def finish(rater: Rater, most: int = 100) -> dict[str, Any]:
    """Save pages until there is none, and return what is said then."""
    for _ in range(most):
        page = rater.page()
        if page["done"]:
            return page
        assert rater.save(page).status_code == 200
    raise AssertionError("there is no end")


def test_people_from_a_panel_become_raters_and_get_the_code_at_the_end(
    tmp_path: Path, log: io.StringIO
) -> None:
    campaign(
        tmp_path,
        n_raters=0,
        n_lines=16,
        panel="prolific",
        completion_code="SENTINEL-CODE",
        screen_out_url="https://panel.example/out",
        most_blocks=1,
        block=2,
    )
    store = open_store(tmp_path)
    address = open_address(store, "ship", 2, "https://eval.example.org/")
    secret = address.partition("/join/")[2].partition("?")[0]
    assert address.endswith(
        "?PROLIFIC_PID={{%PROLIFIC_PID%}}&STUDY_ID={{%STUDY_ID%}}&SESSION_ID={{%SESSION_ID%}}"
    )
    with closing(client(tmp_path, log)) as server:
        assert server.get(f"/join/{secret}?PROLIFIC_PID=SENTINEL-PID").status_code == 200
        who = {"STUDY_ID": "study", "SESSION_ID": "session", "browser": "x", "lang": "de"}
        for missing in (
            {},
            {"PROLIFIC_PID": ""},
            {"PROLIFIC_PID": "<b>"},
            {"participant": "p"},
        ):
            refused = joins(server, secret, **missing)
            assert (refused.status_code, refused.json()["code"]) == (422, "no_participant")
        found = joins(server, secret, PROLIFIC_PID="SENTINEL-PID", **who).json()
        assert (found["full"], found["leave_to"]) == (False, "https://panel.example/out")
        again = joins(server, secret, PROLIFIC_PID="SENTINEL-PID", **who).json()
        assert again == found
        rater = Rater(server, found["link"])
        assert "SENTINEL-CODE" not in rater.get("me").text
        page = rater.page()
        assert "SENTINEL-CODE" not in json.dumps(page)
        end = finish(rater)
        assert (end["ending"], end["all_done"], end["code"]) == (
            "completed",
            True,
            "SENTINEL-CODE",
        )
        assert end["return_to"].endswith("complete?cc=SENTINEL-CODE")
        assert joins(server, secret, PROLIFIC_PID="second").status_code == 200
        full = joins(server, secret, PROLIFIC_PID="third").json()
        assert full == {"full": True, "link": "", "leave_to": "https://panel.example/out"}
        assert joins(server, "nonsense", PROLIFIC_PID="p").status_code == 401
    assert store.status("ship")["open"] == 6
    for everything in (True, False):
        export_campaign(store, "ship", tmp_path / "out.csv", everything=everything, force=True)
    files = [path for path in tmp_path.glob("out*") if "SENTINEL-PID" in path.read_text()]
    assert not files
    assert "SENTINEL" not in log.getvalue()  # who came, and by which link
    assert secret not in log.getvalue()
    rows = participants_csv(store, "ship").splitlines()
    assert rows[0] == "rater,participant,study,session,joined,pages,judgments,minutes"
    assert rows[1].startswith("r-01,SENTINEL-PID,study,session,20")
    assert rows[1].split(",")[5] == str(rater_pages(store, "r-01"))
    erase_rater(store, "ship", "r-01", who="us")
    assert "SENTINEL-PID" not in participants_csv(store, "ship")
    store.close()


def rater_pages(store: Store, code: str) -> int:
    return next(one.pages for one in store.raters("ship") if one.code == code)


def test_without_a_panel_a_browser_is_a_rater(tmp_path: Path) -> None:
    campaign(tmp_path, n_raters=0)
    store = open_store(tmp_path)
    secret = store.open_link("ship")
    store.close()
    with closing(client(tmp_path)) as server:
        one, again, other = (
            joins(server, secret, browser=name, PROLIFIC_PID="p").json()["link"]
            for name in ("a-1", "a-1", "a-2")
        )
        assert one == again != other


def test_who_comes_too_late_gets_no_code(tmp_path: Path) -> None:
    out = "https://panel.example/out"
    campaign(tmp_path, n_raters=1, n_lines=2, completion_code="C", screen_out_url=out)
    store = open_store(tmp_path)
    secret = store.open_link("ship")
    first, late = (store.join(secret, name).token for name in ("a", "b"))
    store.close()
    with closing(client(tmp_path)) as server:
        assert finish(Rater(server, first))["code"] == "C"
        end = finish(Rater(server, late))
        assert (end["ending"], end["code"], end["return_to"]) == ("nothing", "", out)


# Errors that are marked before a rater comes


def suggesting(folder: Path, **more: Any) -> Any:
    """Make a campaign of ESA whose texts have the word «fox» marked, and the second something missing."""
    lines = [f"The quick fox number {i} jumps over the lazy dog." for i in range(6)]
    marks = [
        {"system": SECRET[0], "item": str(i + 1), "start": 10, "end": 13, "severity": "minor"}
        for i in range(6)
    ]
    marks.append({"system": SECRET[0], "item": "1", "start": None, "severity": "major"})
    marks.append({"system": "another", "item": "1", "start": 1, "end": 2, "severity": "minor"})
    path = folder / "marks.jsonl"
    path.write_text("".join(f"{json.dumps(one)}\n" for one in marks))
    texts = {SECRET[0]: [f"{one} Once." for one in lines], SECRET[1]: lines}
    settings = {"protocol": "esa", "suggestions": path, "controls": 0.5, **more}
    return campaign(folder, texts=texts, **settings)


def test_suggested_errors_are_shown_and_what_becomes_of_them_is_kept(tmp_path: Path) -> None:
    (link,) = suggesting(tmp_path, n_raters=1)
    minor = {"start": 10, "end": 13, "severity": "minor"}
    with closing(client(tmp_path)) as server:
        rater = Rater(server, link.token)
        assert rater.get("me").json()["suggested"] is True
        seen = []
        while not (page := rater.page())["done"]:
            answers = []
            for one in page["texts"]:
                seen.append(one)
                for mark in one["suggested"]:  # also in copies they stand at their words
                    words = one["text"][mark["start"] : mark["end"]] if "start" in mark else ""
                    assert words in ("fox", "")
                spans = [{**one, "severity": "major"} for one in one["suggested"][:1]]
                answers.append({"score": 50, "spans": spans + one["suggested"][1:]})
            assert rater.put(page["token"], {"key": "k", "answers": answers}).status_code == 200
            again = rater.get(f"pages/{page['token']}").json()
            assert [one["spans"] for one in again["saved"]["answers"]] == [
                one["spans"] for one in answers
            ]
    own = [one["suggested"] for one in seen if one["text"].endswith("Once.")]
    assert [minor] in own
    assert [minor, {"severity": "major"}] in own
    assert all(not one["suggested"] for one in seen if " fox " not in one["text"])
    store = open_store(tmp_path)
    told = [
        row.extra["suggested"]
        for row in store.rows("ship")
        if row.extra and row.kind == "system" and row.system == SECRET[0]
    ]
    assert sorted(one["shown"] for one in told) == [1, 1, 1, 1, 1, 2]
    assert sorted(map(tuple, (one["origins"] for one in told)))[-1] == ("changed", "kept")
    export_campaign(store, "ship", tmp_path / "out.csv", everything=True)
    store.close()
    lines = (tmp_path / "out.spans.jsonl").read_text().splitlines()
    assert {json.loads(line)["origin"] for line in lines} == {"changed", "kept"}
