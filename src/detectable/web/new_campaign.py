"""A new campaign: texts are sent, everything is checked, and then it is frozen."""

import tempfile
from dataclasses import dataclass
from functools import partial
from pathlib import Path
from typing import Any

import msgspec
from anyio import to_thread
from starlette.requests import Request
from starlette.responses import JSONResponse, Response

from detectable.core.choices import (
    AdmissionRule,
    CampaignMode,
    CampaignProtocol,
    DegradeUnit,
    PlanTest,
    Reveal,
    words,
)
from detectable.data.campaign_files.campaign_texts import CampaignTexts
from detectable.data.store.records import NewCampaign
from detectable.sequential.families import DEFAULT_FAMILY, FAMILIES
from detectable.study.campaign.begin import begin_campaign, usual_share
from detectable.study.campaign.from_file import languages_of, tried_first
from detectable.study.campaign.make_campaign import make_campaign
from detectable.study.campaign.preview import CampaignPreview, preview_campaign
from detectable.study.campaign.protocols import ANCHORS, CATEGORIES, STEPS
from detectable.study.campaign.settings import LONGEST_PAGE, CampaignSettings, checked_name
from detectable.study.monitoring.plan import Plan, read_plan
from detectable.study.monitoring.plan import plan as make_plan
from detectable.web.auth import has_sessions
from detectable.web.bodies import json_of
from detectable.web.campaign_asked import CampaignAsked, Checked, Made, MadeLink, Sent
from detectable.web.campaign_texts import file_ids, read_texts, read_tried
from detectable.web.errors import Refused
from detectable.web.link_base import link_base
from detectable.web.organising import organising, refusals
from detectable.web.strings import page_languages, text
from detectable.web.templates import render_page
from detectable.web.uploads import Upload, Uploads


def new_campaign_page(request: Request) -> Response:
    """Show the six steps."""
    return render_page(
        "new_campaign.html.j2",
        protocols=words(CampaignProtocol),
        modes=words(CampaignMode),
        units=words(DegradeUnit),
        reveals=words(Reveal),
        steps=STEPS,
        points=tuple(ANCHORS),
        categories=", ".join(CATEGORIES),
        longest_page=LONGEST_PAGE,
        languages=page_languages(),
        tests=words(PlanTest),
        rules=words(AdmissionRule),
        families=[row for row in FAMILIES.values() if not row.one_look],
        family=DEFAULT_FAMILY,
        plans=_plans(request.app.state.settings.folder),
        sessions=has_sessions(request),
    )


def _plans(folder: Path) -> list[str]:
    """Return the names of plans in the folder."""
    return sorted(
        path.stem
        for path in folder.glob("*.json")
        if path.with_suffix(".ledger.jsonl").exists() and path.is_file()
    )


async def send_file(request: Request) -> Response:
    """Keep a file until its campaign is made."""
    found: Upload = await request.app.state.uploads.take(request)
    lines = await to_thread.run_sync(_count_lines, found.path)
    sent = Sent(found.id, found.name, found.size, lines)
    return JSONResponse(msgspec.to_builtins(sent), 201)


def _count_lines(path: Path) -> int:
    lines, last = 0, b"\n"
    with path.open("rb") as file:
        while chunk := file.read(1 << 20):
            lines += chunk.count(b"\n")
            last = chunk
    return lines + (not last.endswith(b"\n"))


async def check_campaign(request: Request) -> Response:
    """Say what a campaign would be; nothing is kept."""
    asked = await json_of(request, CampaignAsked)
    with refusals():
        found = await to_thread.run_sync(_checked, request.app.state, asked)
    return JSONResponse(msgspec.to_builtins(found))


async def make_new_campaign(request: Request) -> Response:
    """Freeze the plan, and keep the campaign as a draft that can be opened."""
    asked = await json_of(request, CampaignAsked)
    state = request.app.state
    with refusals():
        ready = await to_thread.run_sync(_ready, state, asked)
    made: Made = await organising(request).do(
        partial(_made, state.settings.folder, asked, ready, link_base(request)), new=True
    )
    state.uploads.drop(*file_ids(asked.texts), *([asked.training] if asked.training else ()))
    return JSONResponse(msgspec.to_builtins(made), 201)


@dataclass(frozen=True, slots=True)
class _Ready:
    """What was read, and what would be made of it."""

    texts: CampaignTexts
    new: NewCampaign
    settings: dict[str, Any]
    seed: int
    notes: tuple[str, ...]


def _ready(state: Any, asked: CampaignAsked) -> _Ready:
    uploads: Uploads = state.uploads
    checked_name(asked.name)
    texts = read_texts(asked.texts, uploads)
    corpus = texts.corpus
    training, left_out = (
        (read_tried(asked.training, uploads), ())
        if asked.training
        else tried_first(texts, asked.protocol)
    )
    source, target = languages_of(texts, asked.source_language, asked.target_language)
    block, controls = usual_share(corpus, asked.page_lines)
    settings: dict[str, Any] = {
        "protocol": asked.protocol,
        "mode": asked.mode,
        "block": block if asked.block is None else asked.block,
        "controls": controls if asked.controls is None else asked.controls,
        "overlap": asked.overlap,
        "lease_minutes": asked.lease_minutes,
        "grace_minutes": asked.grace_minutes,
        "reveal": asked.reveal,
        "source_language": source,
        "target_language": target,
        "criteria": tuple(asked.criteria),
        "primary": asked.primary,
        "steps": asked.steps,
        "points": asked.points,
        "categories": tuple(asked.categories),
        "strength": asked.strength,
        "document_score": asked.document_score,
        "page_lines": asked.page_lines,
        "page_language": asked.page_language,
        "training": training,
        "instructions": asked.instructions.strip(),
        "pay": asked.pay.strip(),
        "consent": asked.consent.strip(),
    }
    seed = _seed(asked)
    systems = _planned_systems(state.settings.folder, asked)
    if asked.protocol == "pairwise":
        settings["baseline"] = _baseline(state.settings.folder, asked)
    new, notes = make_campaign(
        corpus,
        asked.name,
        CampaignSettings(**settings),
        systems=systems,
        n_items=asked.n_items,
        items=texts.items,
        unit=asked.degrade,
        rng=seed,
    )
    return _Ready(texts, new, settings, seed, (*texts.notes, *left_out, *notes))


def _seed(asked: CampaignAsked) -> int:
    """Return the seed that was asked for, or one from what was asked: check and campaign agree."""
    if asked.seed is not None:
        return asked.seed
    import hashlib

    return int.from_bytes(hashlib.sha256(msgspec.json.encode(asked)).digest()[:7], "big")


def _planned_systems(folder: Path, asked: CampaignAsked) -> list[str] | None:
    if not asked.plan_file:
        return None
    return list(_existing(folder, asked.plan_file).systems)


def _baseline(folder: Path, asked: CampaignAsked) -> str:
    """Return the system beside which all others are shown, if the plan has one."""
    if asked.plan_file:
        return _existing(folder, asked.plan_file).baseline or ""
    return (asked.plan.baseline or "") if asked.plan is not None else ""


def _existing(folder: Path, name: str) -> Plan:
    if name not in _plans(folder):
        raise Refused(422, "no_plan", text("refused.no_plan"))
    return read_plan(folder / f"{name}.json")


def _checked(state: Any, asked: CampaignAsked) -> Checked:
    ready = _ready(state, asked)
    with tempfile.TemporaryDirectory(prefix="detectable-") as place:
        plan = _plan(state.settings.folder, Path(place), asked, ready)
        rule = None if plan is None else plan.admission
        found = preview_campaign(
            ready.new,
            pairs=10 if rule is None else rule["pairs"],
            alpha=0.05 if rule is None else rule["alpha"],
        )
        says = _in_words(found, len(ready.new.systems), asked.raters)
        says += [] if plan is None else plan.summary().splitlines()
    none = found.blocks_to_decide is None
    return Checked(
        says,
        list(ready.notes),
        found.n_lines,
        found.n_works,
        found.n_pages,
        found.n_judgments,
        None if none else found.power,
    )


def _in_words(found: CampaignPreview, n_systems: int, n_raters: int) -> list[str]:
    says = [
        text(
            "new.says_work",
            lines=f"{found.n_lines:,}",
            systems=n_systems,
            works=f"{found.n_works:,}",
            pages=f"{found.n_pages:,}",
            judgments=f"{found.n_judgments:,}",
        )
    ]
    if found.blocks_to_decide is None:
        return [*says, text("new.says_no_controls")]
    says.append(
        text(
            "new.says_check",
            copies=f"{found.copies_per_block:.3g}",
            blocks=found.blocks_to_decide,
            pairs=found.pairs,
            effect=f"{found.effect:g}",
            sd=f"{found.sd:g}",
            power=f"{found.power:.0%}",
        )
    )
    most = found.most_raters
    if n_raters and most is not None and n_raters > most:
        says.append(text("new.says_too_many", raters=n_raters, most=most))
    return says


def _plan(folder: Path, place: Path, asked: CampaignAsked, ready: _Ready) -> Plan | None:
    """Return the plan that exists, or one that is frozen into a place."""
    if asked.plan_file:
        return _existing(folder, asked.plan_file)
    if asked.plan is None:
        return None
    given = asked.plan
    admission = {"rule": given.admission, "pairs": given.pairs} if given.admission else None
    lines = sum(len(part.segments) for part in ready.new.parts)
    anytime = given.test.startswith("e-")
    design: dict[str, Any] = (
        {} if anytime else {"looks": given.looks, "family": given.family or DEFAULT_FAMILY}
    )
    systems = list(ready.new.systems)
    return make_plan(
        place / f"{asked.name}.json",
        systems=systems,
        baseline=given.baseline,
        n_max=lines if given.n_max is None else given.n_max,
        question=given.question,
        test=given.test,
        scale=CampaignSettings(**ready.settings).scale,
        alpha=given.alpha,
        sd=given.sd,
        effect=given.effect,
        cost_per_judgment=given.cost_per_judgment,
        admission=admission,
        **design,
    )


def _made(folder: Path, asked: CampaignAsked, ready: _Ready, base: str, store: Any) -> Made:
    if asked.name in store.names():
        raise Refused(409, "exists", text("refused.campaign_exists", name=asked.name))
    plan = _plan(folder, folder, asked, ready)
    begin_campaign(
        store,
        ready.texts.corpus,
        asked.name,
        items=ready.texts.items,
        plan_path=None if plan is None else Path(plan.path),
        n_items=asked.n_items,
        unit=asked.degrade,
        rng=ready.seed,
        **ready.settings,
    )
    links = store.add_raters(asked.name, asked.raters) if asked.raters else []
    return Made(
        asked.name,
        "" if plan is None else plan.fingerprint,
        list(ready.notes),
        [MadeLink(one.code, f"{base}{one.token}") for one in links],
    )
