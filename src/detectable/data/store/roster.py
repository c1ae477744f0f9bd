"""Which campaigns there are, how each stands, and who judges."""

import base64
import hashlib
import hmac
import json
import secrets
import statistics
import time
from collections import Counter
from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from typing import Any

from detectable.core.errors import DataError, RefusedError
from detectable.core.wording import listing
from detectable.data.store import records
from detectable.data.store.sql import COUNTED, Sql


class Journal(Sql):
    """Which campaigns there are, and their events."""

    where: str  # the database, for messages

    def names(self) -> tuple[str, ...]:
        """Return the names of all campaigns, oldest first."""
        rows = self.all("SELECT id FROM campaign ORDER BY created, id")
        return tuple(row[0] for row in rows)

    def campaign(self, name: str) -> records.CampaignRow:
        """Return a campaign, or say which there are."""
        row = self.one(
            "SELECT id, state, settings, systems, needed, seed, salt, created FROM campaign "
            "WHERE id = ?",
            name,
        )
        if row is None:
            known = listing(list(self.names()), most=10)
            raise DataError(
                f"there is no campaign {name!r} in {self.where}: "
                + (f"it has {known}." if known else "it has none. Make one first.")
            )
        return records.CampaignRow(
            name=row[0],
            state=row[1],
            settings=json.loads(row[2]),
            systems=tuple(json.loads(row[3])),
            needed=tuple(json.loads(row[4])),
            seed=row[5],
            salt=row[6],
            created=row[7],
        )

    def log(self, campaign: str, event: str, detail: Mapping[str, Any]) -> None:
        """Write down what somebody did to a campaign."""
        with self.transaction():
            self._log(campaign, event, detail, None)

    def _log(
        self, campaign: str, event: str, detail: Mapping[str, Any], now: float | None
    ) -> None:
        self.run(
            "INSERT INTO event SELECT ?, COALESCE(MAX(n), 0) + 1, ?, ?, ? FROM event "
            "WHERE campaign = ?",
            campaign,
            time.time() if now is None else now,
            event,
            json.dumps(detail, sort_keys=True),
            campaign,
        )

    def events(self, campaign: str) -> list[tuple[float, str, Mapping[str, Any]]]:
        """Return when what was done, with its details, oldest first."""
        rows = self.all(
            "SELECT at, event, detail FROM event WHERE campaign = ? ORDER BY n", campaign
        )
        return [(at, event, json.loads(detail)) for at, event, detail in rows]


# --- How campaigns stand: counts that are kept in the transaction which changes them ---

COUNTS = (
    *("works", "pages", "judgments", "skipped", "works_done", "late", "expired"),
    *("open", "leased", "cut", "orphans"),
)
ADMITTED, REFUSED = "admitted", "refused"
# A choice between two texts is a judgment of both.
_AS_JUDGMENTS = (
    "COALESCE(SUM(CASE WHEN p.beside IS NOT NULL AND p.kind = 'system' THEN 2 ELSE 1 END), 0)"
)
# The work was never decided, and its rater does not hold it.
_ORPHAN = (
    "m.work IS NULL AND NOT COALESCE(w.epoch = p.epoch AND w.rater = p.rater "
    "AND w.state <> 'open', FALSE)"
)


@dataclass(frozen=True, slots=True, kw_only=True)
class _Counted:
    """What one rater did, counted from pages and judgments."""

    pages: int
    judgments: int
    seconds: float
    finished: int
    tally: Counter[str]


class Counts(Journal):
    """Running counts. They say what counting everything anew would say (`count_again`).

    Calls of raters change the rows “open” and the like of a campaign, those of organisers the rows
    “+open”: the sum of both is the count, and neither waits for the other. What is decided about
    the work of a rater is in `tally`, which raters never touch. A call changes the counts of the
    campaign last, since others wait for these rows.
    """

    counts_kept = True  # False for a store of before, opened to be read

    def _count(
        self, campaign: str, changes: Mapping[str, int], *, organiser: bool = False
    ) -> None:
        """Add to the counts of a campaign."""
        for name in sorted(changes):
            if changes[name]:
                self.run(
                    "UPDATE status SET n = n + ? WHERE campaign = ? AND name = ?",
                    changes[name],
                    campaign,
                    f"+{name}" if organiser else name,
                )

    def _tally(self, rater: str, changes: Mapping[str, int]) -> None:
        """Add to what is decided about the work of a rater."""
        for name in sorted(changes):
            self.run(
                "INSERT INTO tally VALUES (?, ?, ?) "
                "ON CONFLICT (rater, name) DO UPDATE SET n = tally.n + excluded.n",
                rater,
                name,
                changes[name],
            )

    def status(self, campaign: str) -> dict[str, int]:
        """Return the counts of a campaign.

        Pieces of work: all, finished ever (``works_done``), and by where they are now; pages;
        judgments, texts that could not be judged, and judgments that came after their work had gone
        to somebody else (``orphans``).
        """
        self.campaign(campaign)
        found: Counter[str] = Counter()
        for name, n in self.all("SELECT name, n FROM status WHERE campaign = ?", campaign):
            found[name.removeprefix("+")] += int(n)
        if not self.counts_kept:
            found.update(self._of_work(campaign))
        return {name: found[name] for name in COUNTS}

    def raters(self, campaign: str) -> list[records.WorkedBy]:
        """Return what every rater did, without scores."""
        rows = self.all(
            "SELECT id, code, state, block, last_seen FROM rater WHERE campaign = ? ORDER BY code",
            campaign,
        )
        counted = self._by_rater(campaign)
        return [
            records.WorkedBy(
                code=code,
                state=state,
                blocks=blocks,
                pages=counted[rater].pages,
                judgments=counted[rater].judgments,
                seconds=counted[rater].seconds,
                last_seen=last_seen,
                admitted=counted[rater].tally[ADMITTED],
                refused=counted[rater].tally[REFUSED],
                waiting=counted[rater].finished
                - counted[rater].tally[ADMITTED]
                - counted[rater].tally[REFUSED],
            )
            for rater, code, state, blocks, last_seen in rows
        ]

    def joined(self, campaign: str) -> tuple[bool, int | None, int]:
        """Return whether there is an open link, how many may come by it, and how many came."""
        row = self.one("SELECT most FROM open_link WHERE campaign = ?", campaign)
        n = self.one("SELECT COUNT(*) FROM participant WHERE campaign = ?", campaign)[0]
        return row is not None, None if row is None else row[0], int(n)

    def takers(self, campaign: str) -> int:
        """Return how many could take work that waits: active raters who have not seen all of it.

        Whoever has done their share takes no more; a place behind an open link is somebody to come.
        """
        waits = self.status(campaign)["open"] > 0
        linked, places, n = self.joined(campaign) if waits else (False, 0, 0)
        if linked and (places is None or n < places):
            return 1 if places is None else places - n
        most = self.campaign(campaign).settings.get("most_blocks")
        row = self.one(
            "SELECT COUNT(*) FROM rater r WHERE r.campaign = ? AND r.state = 'active' "
            f"{'' if most is None else f'AND r.block < {int(most)} '}AND EXISTS "
            "(SELECT 1 FROM work w WHERE w.campaign = ? AND w.state = 'open' AND NOT EXISTS "
            "(SELECT 1 FROM seen_by s WHERE s.rater = r.id AND s.part = w.part))",
            campaign,
            campaign,
        )
        return int(row[0])

    def complete_lines(self, campaign: str) -> Counter[frozenset[str]]:
        """Return how many lines count, by the systems that were judged on them.

        Those of admitted work of the first wave that were judged in all systems that the rater was
        shown; of pages with two texts, a line for every two.
        """
        found: Counter[frozenset[str]] = Counter()
        for counted in self._by_rater(campaign).values():
            for name, n in counted.tally.items():
                if name not in (ADMITTED, REFUSED):
                    found[frozenset(json.loads(name))] += n
        return found

    def paces(self, campaign: str) -> dict[str, float]:
        """Return the seconds of every rater for one text: the median over their pages."""
        raters = self.all("SELECT id, code FROM rater WHERE campaign = ?", campaign)
        found = {code: self._pace(rater) for rater, code in raters}
        return {code: pace for code, pace in found.items() if pace is not None}

    def _pace(self, rater: str) -> float | None:
        if not self.counts_kept:
            each = self.all(
                "SELECT MAX(j.seconds) / COUNT(*) FROM page p JOIN judgment j ON j.page = p.token "
                "WHERE p.rater = ? AND j.seconds IS NOT NULL GROUP BY p.token",
                rater,
            )
            return statistics.median(row[0] for row in each) if each else None
        known = "FROM page WHERE rater = ? AND pace IS NOT NULL"
        n = self.one(f"SELECT COUNT(*) {known}", rater)[0]
        middle = self.all(
            f"SELECT pace {known} ORDER BY pace LIMIT ? OFFSET ?",
            rater,
            2 - n % 2,
            max(n - 1, 0) // 2,
        )
        return statistics.median(row[0] for row in middle) if n else None

    def _by_rater(self, campaign: str) -> dict[str, _Counted]:
        """Return what is known of every rater of a campaign, by their id."""
        if not self.counts_kept:
            raters = self.all("SELECT id FROM rater WHERE campaign = ?", campaign)
            voided = self._all_voided(campaign)
            return {rater: self._counted(rater, voided) for (rater,) in raters}
        tallies: dict[str, Counter[str]] = {}
        for rater, name, n in self.all(
            "SELECT t.rater, t.name, t.n FROM tally t JOIN rater r ON r.id = t.rater "
            "WHERE r.campaign = ?",
            campaign,
        ):
            tallies.setdefault(rater, Counter())[name] = int(n)
        return {
            rater: _Counted(
                pages=int(pages),
                judgments=int(judgments),
                seconds=float(seconds),
                finished=int(finished),
                tally=tallies.get(rater, Counter()),
            )
            for rater, pages, judgments, seconds, finished in self.all(
                "SELECT id, pages, judgments, seconds, finished FROM rater WHERE campaign = ?",
                campaign,
            )
        }

    def count_after(self, version: int) -> None:
        """Count what a store of before holds, once, when its schema becomes this one."""
        if 0 < version < COUNTED:
            for name in self.names():
                self.count_again(name)

    def count_again(self, campaign: str) -> None:
        """Count a campaign from its pages and judgments."""
        voided = self._all_voided(campaign)
        for (rater,) in self.all("SELECT id FROM rater WHERE campaign = ?", campaign):
            self._count_rater(rater, voided)
        for name, n in self._of_work(campaign).items():
            row = "WHERE campaign = ? AND name = ?"
            self.run(f"UPDATE status SET n = 0 {row}", campaign, f"+{name}")
            self.run(f"UPDATE status SET n = ? {row}", n, campaign, name)

    def _count_rater(self, rater: str, voided: frozenset[records.WorkEpoch]) -> None:
        """Count one rater from their pages and judgments; the caller holds the rater's row."""
        found = self._counted(rater, voided)
        self.run(
            "UPDATE rater SET pages = ?, judgments = ?, seconds = ?, finished = ? WHERE id = ?",
            found.pages,
            found.judgments,
            found.seconds,
            found.finished,
            rater,
        )
        self.run("DELETE FROM tally WHERE rater = ?", rater)
        self._tally(rater, found.tally)

    def _counted(self, rater: str, voided: frozenset[records.WorkEpoch]) -> _Counted:
        pages = self.one("SELECT COUNT(*) FROM page WHERE rater = ? AND done = 1", rater)[0]
        judgments, seconds = self.one(
            "SELECT COUNT(*), COALESCE(SUM(CASE WHEN j.n = 0 THEN j.seconds ELSE 0 END), 0) "
            "FROM page p JOIN judgment j ON j.page = p.token WHERE p.rater = ?",
            rater,
        )
        works = self.all(
            "SELECT DISTINCT w.id, p.epoch, w.wave, m.admitted FROM page p "
            "JOIN judgment j ON j.page = p.token AND j.n = 0 JOIN work w ON w.id = p.work "
            "LEFT JOIN admission m ON m.work = p.work AND m.epoch = p.epoch WHERE p.rater = ? "
            "AND (m.work IS NOT NULL OR (w.epoch = p.epoch AND w.done_at IS NOT NULL))",
            rater,
        )
        tally: Counter[str] = Counter()
        counting = set()
        for work, epoch, wave, admitted in works:
            if (work, epoch) in voided or admitted == 0:
                tally[REFUSED] += 1
            elif admitted:
                tally[ADMITTED] += 1
                if wave == 1:
                    counting.add((int(work), int(epoch)))
        lines = self._lines("p.rater = ?", rater) if counting else {}
        for one in counting:
            tally.update(lines.get(one, ()))
        return _Counted(
            pages=int(pages),
            judgments=int(judgments),
            seconds=float(seconds),
            finished=len(works),
            tally=tally,
        )

    def _lines(self, where: str, *args: Any) -> dict[records.WorkEpoch, Counter[str]]:
        """Return the lines that were judged in all systems shown, by work and by systems."""
        shown: dict[tuple[records.WorkEpoch, int, str], set[str]] = {}
        skipped = set()
        for work, epoch, token, system, beside, n, score in self.all(
            "SELECT p.work, p.epoch, p.token, p.system, p.beside, j.n, j.score FROM page p "
            f"JOIN judgment j ON j.page = p.token WHERE p.kind = 'system' AND {where}",
            *args,
        ):
            key = (int(work), int(epoch)), int(n), "" if beside is None else token
            shown.setdefault(key, set()).update(
                [system] if beside is None else [system, beside]
            )
            if score is None:
                skipped.add(key)
        found: dict[records.WorkEpoch, Counter[str]] = {}
        for key, systems in shown.items():
            if key not in skipped:
                name = json.dumps(sorted(systems))
                found.setdefault(key[0], Counter())[name] += 1
        return found

    def _of_work(self, campaign: str) -> Counter[str]:
        """Count where pieces of work are, and the judgments that none of them has."""
        by_state = dict(
            self.all(
                "SELECT state, COUNT(*) FROM work WHERE campaign = ? GROUP BY state", campaign
            )
        )
        orphans = self.one(
            f"SELECT {_AS_JUDGMENTS} FROM judgment j JOIN page p ON p.token = j.page "
            "JOIN work w ON w.id = p.work "
            "LEFT JOIN admission m ON m.work = p.work AND m.epoch = p.epoch "
            f"WHERE w.campaign = ? AND {_ORPHAN}",
            campaign,
        )[0]
        return Counter(
            open=by_state.get("open", 0),
            leased=by_state.get("leased", 0),
            cut=by_state.get("cut", 0),
            orphans=int(orphans),
        )

    def _orphaned(self, works: Iterable[records.WorkEpoch]) -> int:
        """Return how many judgments such work has that is taken from its rater half done."""
        return sum(
            int(
                self.one(
                    f"SELECT {_AS_JUDGMENTS} FROM page p JOIN judgment j ON j.page = p.token "
                    "WHERE p.work = ? AND p.epoch = ?",
                    *work,
                )[0]
            )
            for work in works
        )

    def _orphans_of(self, rater: str) -> int:
        """Return how many judgments of a rater have no work any more."""
        found = self.one(
            f"SELECT {_AS_JUDGMENTS} FROM page p JOIN judgment j ON j.page = p.token "
            "JOIN work w ON w.id = p.work "
            "LEFT JOIN admission m ON m.work = p.work AND m.epoch = p.epoch "
            f"WHERE p.rater = ? AND {_ORPHAN}",
            rater,
        )
        return int(found[0])

    def voided(self, campaign: str) -> dict[str, frozenset[records.WorkEpoch]]:
        """Return the raters whose work was voided, and which of it does not count."""
        return {
            str(detail["rater"]): frozenset((int(w), int(e)) for w, e in detail["works"])
            for _, event, detail in self.events(campaign)
            if event == "void"
        }

    def _all_voided(self, campaign: str) -> frozenset[records.WorkEpoch]:
        return frozenset().union(*self.voided(campaign).values())


# --- Who judges: codes and secrets ---

_TOKEN_BYTES = 16  # 128 bits


class Roster(Counts):
    """The raters of campaigns."""

    def add_raters(self, campaign: str, n: int) -> list[records.Link]:
        """Return the codes and secrets of `n` new raters; the secrets are not kept."""
        with self.transaction():
            self.campaign(campaign)
            self.one("SELECT 1 FROM campaign WHERE id = ?" + self.lock_row, campaign)
            first = self._n_raters(campaign) + 1
            links = [
                records.Link(code=_code(number), token=secrets.token_urlsafe(_TOKEN_BYTES))
                for number in range(first, first + n)
            ]
            for link in links:
                self._add_rater(campaign, link)
            self._log(campaign, "raters", {"added": [link.code for link in links]}, None)
            return links

    def _n_raters(self, campaign: str) -> int:
        row = self.one("SELECT COUNT(*) FROM rater WHERE campaign = ?", campaign)
        return int(row[0])

    def _add_rater(self, campaign: str, link: records.Link) -> None:
        self.run(
            "INSERT INTO rater (id, campaign, code, state, token_hash, block) "
            "VALUES (?, ?, ?, 'active', ?, 0)",
            f"{campaign}/{link.code}",
            campaign,
            link.code,
            token_hash(link.token),
        )

    def change_rater(self, campaign: str, code: str, state: records.RaterState) -> None:
        """Give a rater work again, none from now on, or take the link away."""
        with self.transaction():
            if state != "revoked" and self._was_voided(campaign, code):
                raise DataError(
                    f"the work of {code} in {campaign} was voided, so there is no more for them."
                )
            done = self.run(
                "UPDATE rater SET state = ? WHERE campaign = ? AND code = ?",
                state,
                campaign,
                code,
            ).rowcount
            self._known_rater(campaign, code, done)
            self._log(campaign, "rater", {"rater": code, "state": state}, None)

    def new_link(self, campaign: str, code: str) -> records.Link:
        """Return a new secret of a rater, in place of the one that was lost."""
        link = records.Link(code=code, token=secrets.token_urlsafe(_TOKEN_BYTES))
        with self.transaction():
            done = self.run(
                "UPDATE rater SET token_hash = ? WHERE campaign = ? AND code = ?",
                token_hash(link.token),
                campaign,
                code,
            ).rowcount
            self._known_rater(campaign, code, done)
            self._log(campaign, "new link", {"rater": code}, None)
        return link

    def _was_voided(self, campaign: str, code: str) -> bool:
        return any(
            event == "void" and detail["rater"] == code
            for _, event, detail in self.events(campaign)
        )

    def _known_rater(self, campaign: str, code: str, found: int) -> None:
        if not found:
            self.campaign(campaign)
            rows = self.all("SELECT code FROM rater WHERE campaign = ? ORDER BY code", campaign)
            known = listing([row[0] for row in rows], most=10) or "none"
            raise DataError(f"{campaign} has no rater {code!r}; it has {known}.")

    def rater_of(self, token: str) -> records.RaterRow | None:
        """Return who has this secret."""
        row = self.one(
            "SELECT id, campaign, code, state, consented, about FROM rater WHERE token_hash = ?",
            token_hash(token),
        )
        if row is None:
            return None
        return records.RaterRow(
            id=row[0],
            campaign=row[1],
            code=row[2],
            state=row[3],
            consented=row[4] is not None,
            answered=row[5] is not None,
        )

    def consent(self, rater: str, now: float | None = None) -> None:
        """Keep that a rater agreed to take part, and when; the first time counts."""
        with self.transaction():
            self.run(
                "UPDATE rater SET consented = ? WHERE id = ? AND consented IS NULL",
                time.time() if now is None else now,
                rater,
            )

    def say_of_self(self, rater: str, answers: Mapping[str, str]) -> None:
        """Keep what a rater was asked before they begin; the first time counts."""
        with self.transaction():
            self.run(
                "UPDATE rater SET about = ? WHERE id = ? AND about IS NULL",
                json.dumps(dict(answers), ensure_ascii=False),
                rater,
            )

    def said_of_self(self, campaign: str) -> dict[str, Mapping[str, str]]:
        """Return what raters said of themselves, by their codes."""
        rows = self.all(
            "SELECT code, about FROM rater WHERE campaign = ? AND about IS NOT NULL ORDER BY code",
            campaign,
        )
        return {code: json.loads(about) for code, about in rows}

    # -- links that anybody may open
    def open_link(self, campaign: str, most: int | None = None) -> str:
        """Return the secret of a link by which raters add themselves, in place of any before it.

        Parameters
        ----------
        most : int, optional
            How many raters may come by such links; any number by default.
        """
        token = secrets.token_urlsafe(_TOKEN_BYTES)
        with self.transaction():
            self.campaign(campaign)
            self.run(
                "INSERT INTO open_link VALUES (?, ?, ?) ON CONFLICT (campaign) DO UPDATE "
                "SET token_hash = excluded.token_hash, most = excluded.most",
                campaign,
                token_hash(token),
                most,
            )
            self._log(campaign, "open link", {"most": most}, None)
        return token

    def close_link(self, campaign: str) -> None:
        """Let nobody join any more; who has joined goes on."""
        with self.transaction():
            self.campaign(campaign)
            if self.run("DELETE FROM open_link WHERE campaign = ?", campaign).rowcount:
                self._log(campaign, "open link closed", {}, None)

    def campaign_of_link(self, token: str) -> str:
        """Return the campaign of an open link."""
        row = self.one("SELECT campaign FROM open_link WHERE token_hash = ?", token_hash(token))
        if row is None:
            raise RefusedError("link_not_valid", "This link is not valid.")
        return str(row[0])

    def join(
        self,
        token: str,
        participant: str,
        *,
        study: str = "",
        session: str = "",
        now: float | None = None,
    ) -> records.Link:
        """Return the link of whoever opens an open one: a new rater, or the one they were before.

        The secret follows from the key of the campaign and the participant, so that the same person
        has the same link in every browser and nothing but its hash is kept.
        """
        with self.transaction():
            campaign = self.campaign_of_link(token)
            # Of many who come at once no more are let in than may come.
            self.one("SELECT 1 FROM campaign WHERE id = ?" + self.lock_row, campaign)
            row = self.campaign(campaign)
            known = self.one(
                "SELECT r.code, r.state, r.token_hash FROM participant p JOIN rater r "
                "ON r.id = p.rater WHERE p.campaign = ? AND p.participant = ?",
                campaign,
                participant,
            )
            if known is not None:
                link = _own_link(row.salt, known[0], participant)
                if known[1] == "revoked" or known[2] != token_hash(link.token):
                    raise RefusedError("link_not_valid", "This link is not valid.")
                return link
            if row.state not in ("open", "paused"):
                raise RefusedError("not_open", "This evaluation is not open.")
            _, most, n = self.joined(campaign)
            if most is not None and n >= most:
                raise RefusedError("study_full", "All places are taken.")
            link = _own_link(row.salt, _code(self._n_raters(campaign) + 1), participant)
            self._add_rater(campaign, link)
            self.run(
                "INSERT INTO participant VALUES (?, ?, ?, ?, ?, ?)",
                f"{campaign}/{link.code}",
                campaign,
                participant,
                study,
                session,
                time.time() if now is None else now,
            )
            self._log(campaign, "raters", {"joined": link.code}, None)
            return link

    def participants(self, campaign: str) -> list[records.Participant]:
        """Return who came by an open link, in the order in which they came."""
        self.campaign(campaign)
        return [
            records.Participant(
                code=code, participant=participant, study=study, session=session, joined=joined
            )
            for code, participant, study, session, joined in self.all(
                "SELECT r.code, p.participant, p.study, p.session, p.joined FROM participant p "
                "JOIN rater r ON r.id = p.rater WHERE p.campaign = ? ORDER BY p.joined, r.code",
                campaign,
            )
        ]


def _code(number: int) -> str:
    return f"r-{number:02d}"


def _own_link(salt: str, code: str, participant: str) -> records.Link:
    """Return the link of a participant, which nobody finds without the key of the campaign."""
    said = f"join\n{code}\n{participant}".encode()
    secret = hmac.digest(salt.encode(), said, "sha256")[:_TOKEN_BYTES]
    return records.Link(code=code, token=base64.urlsafe_b64encode(secret).decode().rstrip("="))


def token_hash(token: str) -> str:
    """Return what is kept of a secret."""
    return hashlib.sha256(token.encode()).hexdigest()
