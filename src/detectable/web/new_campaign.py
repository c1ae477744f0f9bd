"""A new campaign: texts are sent, everything is checked, and then it is frozen."""

import tempfile
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from functools import partial
from pathlib import Path
from typing import Annotated, Any, Literal

import msgspec
from anyio import to_thread
from starlette.requests import Request
from starlette.responses import JSONResponse, Response

from detectable.core import choices
from detectable.core.options import Declared, Shared, declared
from detectable.core.wording import listing
from detectable.data.campaign_files.texts import CampaignTexts
from detectable.data.store.records import NewCampaign, Part
from detectable.sequential.families import DEFAULT_FAMILY, FAMILIES
from detectable.study.campaign.answers import with_suggestions
from detectable.study.campaign.begin import (
    CAREFUL_PASS,
    CampaignPreview,
    affordable_lines,
    begin_campaign,
    budget_of,
    fit_to,
    fitted_settings,
    languages_of,
    preview_campaign,
    require_enough_lines,
    tried_first,
    usual_looks,
    usual_pairs,
    usual_share,
)
from detectable.study.campaign.looks import planned_numbers
from detectable.study.campaign.make_campaign import make_campaign
from detectable.study.campaign.settings import (
    ANCHORS,
    CATEGORIES,
    LONGEST_PAGE,
    SECONDS,
    STEPS,
    CampaignSettings,
    checked_name,
)
from detectable.study.monitoring.plan import Plan, read_plan
from detectable.study.monitoring.plan import plan as make_plan
from detectable.study.monitoring.planned import ANYTIME, PREFERENCES
from detectable.web.annotate import preview
from detectable.web.changes import (
    File,
    Name,
    Texts,
    Uploads,
    file_ids,
    read_texts,
    read_tried,
)
from detectable.web.guard import Refused, has_sessions, json_of
from detectable.web.organising import link_base, organising, refusals
from detectable.web.strings import page_languages, text
from detectable.web.templates import render_page

Share = Annotated[float, msgspec.Meta(ge=0.0, le=1.0)]
Positive = Annotated[float, msgspec.Meta(gt=0.0, le=1e9)]
Count = Annotated[int, msgspec.Meta(ge=1, le=10_000_000)]


class Planning(msgspec.Struct, forbid_unknown_fields=True):
    """The plan to freeze with the campaign."""

    question: Annotated[str, msgspec.Meta(max_length=500)] = ""
    baseline: Name | None = None
    test: choices.PlanTest = "paired-mean"
    n_max: Count | None = None
    alpha: Annotated[float, msgspec.Meta(gt=0.0, lt=1.0)] = Shared().alpha
    looks: Annotated[int, msgspec.Meta(ge=1, le=50)] | None = None
    family: Annotated[str, msgspec.Meta(max_length=40)] = ""
    sd: Positive | None = None
    effect: Positive | None = None
    cost_per_judgment: Positive | None = None
    admission: Annotated[str, msgspec.Meta(max_length=40)] = "degraded-paired-t"
    pairs: Annotated[int, msgspec.Meta(ge=2, le=1000)] | None = None


_ABOUT = """A campaign to make; ``plan_file`` names a plan that was frozen before, without its ending.

    ``raters`` is how many begin: their links are made with it, and block, controls, looks and copies
    that are not given fit them. ``seconds`` is what one judgment takes, for the table of costs.
    """


def _asked(one: Declared) -> tuple[str, Any, Any]:
    """Return a setting of campaigns as a program may ask for it."""
    most, default, kind = one.said.most, one.default, _KINDS.get(one.said.kind, one.kind)
    if one.words:
        kind = Literal[one.words]
    elif one.kind is tuple:
        kind, default = Annotated[list[Name], msgspec.Meta(max_length=most)], []
    elif one.kind is str:
        kind = Annotated[str, msgspec.Meta(max_length=most)]
    elif one.kind is int and most is not None:
        kind = Annotated[int, msgspec.Meta(ge=one.said.least, le=most)]
    if one.said.open or default is None:
        kind, default = kind | None, None
    return one.name, kind, default


_KINDS: dict[str, Any] = {"share": Share, "positive": Positive}
_SETTINGS = {one.name: _asked(one) for one in declared(CampaignSettings)}
_PROSE = ("instructions", "pay", "consent")
_BY_PLAN = "baseline"  # the plan names it
_WORK = (
    *("block", "controls", "overlap", "budget", "spend"),
    *("lease_minutes", "grace_minutes", "reveal"),
)
CampaignAsked: Any = msgspec.defstruct(
    "CampaignAsked",
    [
        ("name", Annotated[str, msgspec.Meta(min_length=1, max_length=60)]),
        ("texts", Texts),
        ("plan", Planning | None, None),
        ("plan_file", Annotated[str, msgspec.Meta(max_length=64)], ""),
        *(one for name, one in _SETTINGS.items() if name not in (*_WORK, _BY_PLAN)),
        ("training", File | None, None),
        ("suggestions", File | None, None),
        ("n_items", Count | None, None),
        *(_SETTINGS[name] for name in _WORK),
        ("degrade", choices.DegradeUnit, "auto"),
        ("seed", Annotated[int, msgspec.Meta(ge=0, le=2**62)] | None, None),
        ("raters", Annotated[int, msgspec.Meta(ge=0, le=500)], 0),
        ("seconds", Positive | None, None),
    ],
    forbid_unknown_fields=True,
    module=__name__,
    namespace={"__doc__": _ABOUT},
)


class CostLine(msgspec.Struct):
    """One line of what a campaign takes: in all, and for one rater where it is known how many."""

    part: str
    label: str
    how: str
    judgments: int
    minutes: int
    money: float | None
    each_judgments: int | None
    each_minutes: int | None
    each_money: float | None


class Remedy(msgspec.Struct):
    """A field of the form, and what to put there."""

    label: str
    field: str
    value: str


class Remark(msgspec.Struct):
    """What the check found: red makes work worthless, amber is a guess, green is well."""

    level: Literal["red", "amber", "green"]
    title: str
    text: str
    remedies: list[Remedy] = []


class Checked(msgspec.Struct):
    """What a campaign would be."""

    says: list[str]
    notes: list[str]
    table: list[CostLine]
    remarks: list[Remark]
    n_lines: int
    n_works: int
    n_pages: int
    n_judgments: int
    power_of_check: float | None


class MadeLink(msgspec.Struct):
    """The personal link of a rater, which is kept nowhere."""

    rater: str
    link: str


class Made(msgspec.Struct):
    """A campaign that was made, and the links of its first raters."""

    name: str
    plan: str
    notes: list[str]
    links: list[MadeLink]


# --- A new campaign: texts are sent, everything is checked, and then it is frozen ---


def new_campaign_page(request: Request) -> Response:
    """Show the six steps."""
    return render_page(
        "new_campaign.html.j2",
        protocols=choices.words(choices.CampaignProtocol),
        modes=choices.words(choices.CampaignMode),
        units=choices.words(choices.DegradeUnit),
        reveals=choices.words(choices.Reveal),
        steps=STEPS,
        points=tuple(ANCHORS),
        categories=", ".join(CATEGORIES),
        weights=choices.words(choices.MqmPreset),
        guides=choices.words(choices.Guide),
        panels=choices.words(choices.Panel),
        codes_for=choices.words(choices.CodeFor),
        longest_page=LONGEST_PAGE,
        languages=page_languages(),
        tests=choices.words(choices.PlanTest),
        rules=choices.words(choices.AdmissionRule),
        families=[row for row in FAMILIES.values() if not row.one_look],
        family=DEFAULT_FAMILY,
        plans=_plans(request.app.state.settings.folder),
        sessions=has_sessions(request),
        known=_known(CampaignAsked, Planning),
        seconds=SECONDS,
    )


def _known(*asked: Any) -> dict[str, str]:
    """Return what a form begins with: the defaults of what may be asked for."""
    found = {one.name: one.default for kind in asked for one in msgspec.structs.fields(kind)}
    return {
        name: value if isinstance(value, str) else f"{value:g}"
        for name, value in found.items()
        if isinstance(value, str | int | float)
    }


def _plans(folder: Path) -> list[str]:
    """Return the names of plans in the folder."""
    return sorted(
        path.stem
        for path in folder.glob("*.json")
        if path.with_suffix(".ledger.jsonl").exists() and path.is_file()
    )


async def check_campaign(request: Request) -> Response:
    """Say what a campaign would be; nothing is kept."""
    asked = await json_of(request, CampaignAsked)
    with refusals():
        found = await to_thread.run_sync(_checked, request.app.state, asked)
    return JSONResponse(msgspec.to_builtins(found))


async def preview_as_rater(request: Request) -> Response:
    """Return what raters would see; nothing is kept."""
    asked = await json_of(request, CampaignAsked)
    with refusals():
        ready = await to_thread.run_sync(_ready, request.app.state, asked)
    return JSONResponse(preview(ready.new))


async def make_new_campaign(request: Request) -> Response:
    """Freeze the plan, and keep the campaign as a draft that can be opened."""
    asked = await json_of(request, CampaignAsked)
    state = request.app.state
    with refusals():
        ready = await to_thread.run_sync(_ready, state, asked)
    made: Made = await organising(request).do(
        partial(_made, state.settings.folder, asked, ready, link_base(request)), new=True
    )
    more = [one for one in (asked.training, asked.suggestions) if one]
    state.uploads.drop(*file_ids(asked.texts), *more)
    return JSONResponse(msgspec.to_builtins(made), 201)


@dataclass(frozen=True, slots=True)
class _Ready:
    """What was read, and what would be made of it."""

    texts: CampaignTexts
    new: NewCampaign
    settings: dict[str, Any]
    seed: int
    notes: tuple[str, ...]


def _ready(state: Any, asked: Any) -> _Ready:
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
    given = {name: getattr(asked, name) for name in _SETTINGS if name != _BY_PLAN}
    settings: dict[str, Any] = {
        **{name: one.strip() if name in _PROSE else one for name, one in given.items()},
        "block": block if asked.block is None else asked.block,
        "controls": controls if asked.controls is None else asked.controls,
        "source_language": source,
        "target_language": target,
        "training": training,
    }
    if settings["spend"] is not None:
        settings["budget"] = budget_of(settings["spend"], _price(state, asked), asked.budget)
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
        fit=partial(_fitted, state.settings.folder, asked) if asked.raters else None,
    )
    if asked.suggestions:
        settings["suggestions"] = uploads.get(asked.suggestions).path
        new, more = with_suggestions(new, settings["suggestions"])
        notes = (*notes, *more)
    made = CampaignSettings.from_json(new.settings)
    settings |= {"block": made.block, "controls": made.controls}
    return _Ready(texts, new, settings, seed, (*texts.notes, *left_out, *notes))


def _seed(asked: Any) -> int:
    """Return the seed that was asked for, or one from what was asked: check and campaign agree."""
    if asked.seed is not None:
        return int(asked.seed)
    import hashlib

    return int.from_bytes(hashlib.sha256(msgspec.json.encode(asked)).digest()[:7], "big")


def _planned_systems(folder: Path, asked: Any) -> list[str] | None:
    if not asked.plan_file:
        return None
    return list(_existing(folder, asked.plan_file).systems)


def _baseline(folder: Path, asked: Any) -> str:
    """Return the system beside which all others are shown, if the plan has one."""
    if asked.plan_file:
        return _existing(folder, asked.plan_file).baseline or ""
    return (asked.plan.baseline or "") if asked.plan is not None else ""


def _existing(folder: Path, name: str) -> Plan:
    if name not in _plans(folder):
        raise Refused(422, "no_plan", text("refused.no_plan"))
    return read_plan(folder / f"{name}.json")


def _price(state: Any, asked: Any) -> float | None:
    """Return the price of one judgment."""
    if asked.plan_file:
        return _existing(state.settings.folder, asked.plan_file).cost_per_judgment
    return None if asked.plan is None else asked.plan.cost_per_judgment


def _fitted(
    folder: Path,
    asked: Any,
    settings: CampaignSettings,
    parts: Sequence[Part],
    systems: tuple[str, ...],
    n_works: int,
) -> CampaignSettings:
    """Return settings that fit the raters."""
    if asked.plan_file:
        plan = _existing(folder, asked.plan_file)
        fit = fit_to(plan, asked.raters, asked.block, asked.controls)
        return fit(settings, parts, systems, n_works)
    given = asked.plan
    checks = given is not None and given.admission
    return fitted_settings(
        settings,
        parts,
        systems,
        n_works,
        n_raters=asked.raters,
        looks=1 if given is None else _looks(asked, n_works),
        pairs=_pairs(asked, mixed=settings.mixed_controls) if checks else None,
        block=asked.block,
        controls=asked.controls,
    )


def _looks(asked: Any, n_works: int) -> int:
    looks: int | None = asked.plan.looks
    return usual_looks(n_works, asked.raters or None) if looks is None else looks


def _pairs(asked: Any, *, mixed: bool) -> int:
    pairs: int | None = asked.plan.pairs
    return usual_pairs(mixed=mixed) if pairs is None else pairs


def _checked(state: Any, asked: Any) -> Checked:
    from detectable.report.shown.plan_words import planned

    ready = _ready(state, asked)
    with tempfile.TemporaryDirectory(prefix="detectable-") as place:
        plan = _plan(state.settings.folder, Path(place), asked, ready)
        found = _preview(asked, ready, plan)
        says = _in_words(found)
        says += [] if plan is None else planned(plan).splitlines()
    none = found.blocks_to_decide is None
    return Checked(
        says,
        list(ready.notes),
        _table(found),
        list(_remarks(found, plan)),
        found.n_lines,
        found.n_works,
        found.n_pages,
        found.n_judgments,
        None if none else found.power,
    )


def _preview(asked: Any, ready: "_Ready", plan: Plan | None) -> CampaignPreview:
    rule = None if plan is None else plan.admission
    fixed = plan is not None and not plan.anytime
    return preview_campaign(
        ready.new,
        pairs=usual_pairs(mixed=_mixed(ready)) if rule is None else rule["pairs"],
        alpha=0.05 if rule is None else rule["alpha"],
        n_raters=asked.raters,
        looks=planned_numbers(plan) if fixed and plan is not None else (),
        n_max=None if plan is None else plan.n_max,
        seconds=asked.seconds,
        price=None if plan is None else plan.cost_per_judgment,
    )


def _mixed(ready: "_Ready") -> bool:
    return bool(ready.new.settings["mixed_controls"])


def _in_words(found: CampaignPreview) -> list[str]:
    says = [
        text(
            "new.says_work",
            lines=f"{found.n_lines:,}",
            systems=found.n_systems,
            works=f"{found.n_works:,}",
            pages=f"{found.n_pages:,}",
            judgments=f"{found.n_judgments:,}",
        )
    ]
    if found.blocks_to_decide is not None:
        says.append(
            text(
                "new.says_check",
                block=found.block,
                copies=f"{found.copies_per_block:.3g}",
                blocks=found.blocks_to_decide,
                pairs=found.pairs,
                effect=f"{found.effect:g}",
                sd=f"{found.sd:g}",
                power=f"{found.power:.0%}",
            )
        )
    return says


def _table(found: CampaignPreview) -> list[CostLine]:
    """Return what it takes, line by line, in all and for one rater."""
    how = {
        "texts": text("cost.how_texts", lines=f"{found.n_max:,}", systems=found.n_systems),
        "identical": text("cost.how_identical"),
        "controls": text("cost.how_controls", share=f"{found.controls:.0%}"),
        "repeats": text("cost.how_repeats"),
        "refused": text("cost.how_refused", share=f"{1.0 - found.power:.0%}"),
        "expected": text("cost.how_expected"),
        "most": text("cost.how_budget" if found.budget is not None else "cost.how_most"),
    }
    return [
        _cost_line(found, row.part, how[row.part], row.judgments)
        for row in found.rows
        if row.judgments or row.part in ("texts", "expected", "most")
    ]


def _cost_line(found: CampaignPreview, part: str, how: str, judgments: int) -> CostLine:
    minutes = judgments * found.seconds / 60.0
    money = None if found.price is None else judgments * found.price
    n = found.n_raters
    return CostLine(
        part=part,
        label=text(f"cost.{part}"),
        how=how,
        judgments=judgments,
        minutes=round(minutes),
        money=None if money is None else round(money, 2),
        each_judgments=round(judgments / n) if n else None,
        each_minutes=round(minutes / n) if n else None,
        each_money=round(money / n, 2) if n and money is not None else None,
    )


def _remarks(found: CampaignPreview, plan: Plan | None) -> Iterator[Remark]:
    """Give what makes work worthless first, then guesses, then what is well."""
    remarks = [*_cap(found), *_raters(found), *_spread(plan), *_looks_say(found)]
    yield from sorted(remarks, key=lambda one: ("red", "amber", "green").index(one.level))


def _remark(level: Literal["red", "amber", "green"], key: str, **values: Any) -> Remark:
    return Remark(level, text(f"remark.{key}"), text(f"remark.{key}_says", **values))


def _cap(found: CampaignPreview) -> Iterator[Remark]:
    """Say whether the budget ends the campaign before its last look."""
    if found.budget is None:
        return
    expected, lines = found.judgments_of("expected"), affordable_lines(found, found.budget)
    if expected <= found.budget:
        yield _remark(
            "green", "cap_holds", budget=f"{found.budget:,}", expected=f"{expected:,}"
        )
        return
    made = _remark(
        "red",
        "cap",
        budget=f"{found.budget:,}",
        expected=f"{expected:,}",
        lines=f"{lines:,}",
        planned=f"{found.n_max:,}",
    )
    made.remedies = [Remedy(text("remark.cap_raise", n=expected), "budget", str(expected))]
    if lines:
        made.remedies.append(Remedy(text("remark.cap_lines", n=lines), "n_max", str(lines)))
    yield made


def _raters(found: CampaignPreview) -> Iterator[Remark]:
    """Say whether controls tell careful raters from others, and whether each sees enough."""
    if found.blocks_to_decide is None:
        yield _remark("red", "no_controls")
        return
    most = found.most_raters
    if found.n_raters and most is not None and found.n_raters > most:
        made = _remark("red", "raters", raters=found.n_raters, most=most)
        if most:
            made.remedies = [Remedy(text("remark.raters_take", n=most), "raters", str(most))]
        yield made
    # What is rounded to it is what was asked for.
    level: Literal["amber", "green"] = (
        "green" if round(found.power, 2) >= CAREFUL_PASS else "amber"
    )
    yield _remark(
        level,
        "controls" if level == "green" else "weak",
        pairs=found.pairs,
        power=f"{found.power:.0%}",
        alpha=f"{found.alpha:.0%}",
    )


def _spread(plan: Plan | None) -> Iterator[Remark]:
    """Say what the plan can show, and that the spread is assumed."""
    outlook = None if plan is None else plan.outlook()
    if outlook is None or outlook.mde is None or outlook.target_power is None:
        return
    if outlook.sd is None:  # of preferences, which have none
        return
    more = 1.5 * outlook.mde  # the difference that is found grows with the spread
    yield _remark(
        "amber",
        "spread",
        sd=f"{outlook.sd:.3g}",
        mde=f"{outlook.mde:.3g}",
        power=f"{outlook.target_power:.0%}",
        other=f"{1.5 * outlook.sd:.3g}",
        more=f"{more:.3g}",
    )


def _looks_say(found: CampaignPreview) -> Iterator[Remark]:
    """Say when looks come, and which of them can save work."""
    if not found.looks:
        return
    at = listing([f"{n:,}" for n in found.looks], most=12)
    yield _remark("green", "fills", n=f"{found.n_max:,}", lines=f"{found.n_lines:,}", at=at)
    if len(found.looks) == 1 or not found.n_raters:
        return
    if not found.saving_looks:
        yield _remark(
            "amber", "no_saving", block=found.block, blocks=found.blocks_to_decide or 1
        )
        return
    saving = listing([str(n) for n in found.saving_looks], most=12)
    yield _remark("green", "saving", looks=saving, block=found.block)


def _plan(folder: Path, place: Path, asked: Any, ready: _Ready) -> Plan | None:
    """Return the plan that exists, or one that is frozen into a place."""
    if asked.plan_file:
        found = _existing(folder, asked.plan_file)
        require_enough_lines(found.n_max, ready.new, argument="plan_file")
        return found
    if asked.plan is None:
        return None
    given = asked.plan
    require_enough_lines(given.n_max, ready.new, argument="n_max")
    pairs = _pairs(asked, mixed=_mixed(ready))
    admission = {"rule": given.admission, "pairs": pairs} if given.admission else None
    anytime = given.test.startswith("e-")
    looks = _looks(asked, len(ready.new.works))
    design: dict[str, Any] = (
        {} if anytime else {"looks": looks, "family": given.family or DEFAULT_FAMILY}
    )
    systems = list(ready.new.systems)
    settings = CampaignSettings.from_json(ready.new.settings)
    choice = settings.asks.together and given.test not in (*PREFERENCES, *ANYTIME)
    return make_plan(
        place / f"{asked.name}.json",
        systems=systems,
        baseline=given.baseline,
        n_max=_end(asked, ready, pairs) if given.n_max is None else given.n_max,
        question=given.question,
        test=given.test,
        scale=settings.scale,
        alpha=given.alpha,
        # Of two outputs that are shown together one wins, so that scores differ by 1 or not at all.
        sd=1.0 if given.sd is None and choice else given.sd,
        effect=given.effect,
        cost_per_judgment=given.cost_per_judgment,
        admission=admission,
        **design,
    )


def _end(asked: Any, ready: _Ready, pairs: int) -> int:
    """Return all lines, or as many as the budget judges to the end."""
    found = preview_campaign(ready.new, pairs=pairs, n_raters=asked.raters)
    return (
        found.n_max if found.budget is None else max(1, affordable_lines(found, found.budget))
    )


def _made(folder: Path, asked: Any, ready: _Ready, base: str, store: Any) -> Made:
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
