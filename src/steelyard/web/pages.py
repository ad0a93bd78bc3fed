"""Pages for people: the worker's, the join page, the manager's dashboard, the report."""

from __future__ import annotations

import json
import tomllib
from dataclasses import asdict
from functools import cache
from pathlib import Path
from typing import Any

from fastapi import APIRouter, Request
from fastapi.responses import HTMLResponse, Response
from jinja2 import Environment, PackageLoader, StrictUndefined
from markupsafe import Markup
from starlette.concurrency import run_in_threadpool

from steelyard.domain.campaign import CampaignSettings
from steelyard.domain.entry import entry_in
from steelyard.domain.errors import ChoiceError, NotEnoughData, NotFound, as_command_line
from steelyard.domain.languages import is_right_to_left, written_language
from steelyard.domain.running import CampaignState, Rules
from steelyard.domain.work import LinkRole
from steelyard.flows.earnings import offered_pay
from steelyard.flows.links import holder
from steelyard.flows.managers import Caller, caller_by_token
from steelyard.flows.participants import welcome
from steelyard.flows.platform import identification, posting_of
from steelyard.flows.rules import campaign_rules
from steelyard.flows.state import CampaignNow, campaign_now
from steelyard.flows.training import training_items
from steelyard.protocols import protocols, words_in
from steelyard.web.analyst import AnalystError
from steelyard.web.auth import TOKEN, DeskOf
from steelyard.web.base_path import base_of
from steelyard.web.choices import chosen
from steelyard.web.guards import framed_policy
from steelyard.web.identity import STRANGER, is_signed_in, signed_in_caller
from steelyard.web.schemas import item_view
from steelyard.web.state import Desk
from steelyard.web.static_files import served_file

HERE = Path(__file__).parent
# The report carries its own style sheet inside, and no script at all.
REPORT_POLICY = (
    "default-src 'none'; style-src 'unsafe-inline'; base-uri 'none'; form-action 'none'; "
    "frame-ancestors 'none'"
)

# What a page holds of a question: all but the answers that are looked for.
QUESTION_FIELDS = ("name", "text", "kind", "choices", "optional", "minimum", "maximum")

# How the keys of words begin that stand on the page of the open link alone.
OF_JOINING = ("join_", "no_id_", "barred_", "preview_")
# And those that only stand there where sets are posted back.
OF_POSTING = ("posting_",)
# What the page that marks errors reads of a protocol's words.
MARKING_WORDS = ("language", "empty", "spans", "severities", "categories")

INCOMPLETE = "This link is incomplete: copy all of it, from https or http to its last letter."
NOT_SIGNED_IN = f"{INCOMPLETE} If you expected to be signed in here: you are not."

router = APIRouter(include_in_schema=False)


@router.get("/", response_class=HTMLResponse)
def home(request: Request) -> HTMLResponse:
    """What this address is, without giving anything away."""
    return message_page(
        request, "Steelyard", "This server runs an evaluation of translations. Open the link you were given."
    )


@router.get("/w/{token}", response_class=HTMLResponse)
def worker_page(desk: DeskOf, request: Request, token: str) -> HTMLResponse:
    """The worker's page."""
    return _page(desk, request, token, "worker", "worker.html")


@router.get("/join/{token}", response_class=HTMLResponse)
def join_page(desk: DeskOf, request: Request, token: str) -> HTMLResponse:
    """Where the open link leads: pressing the button signs a worker up, opening the page does not."""
    return _page(desk, request, token, "open", "join.html")


@router.get("/m/", response_class=HTMLResponse)
def own_page(desk: DeskOf, request: Request) -> HTMLResponse:
    """The dashboard of a manager whom a proxy has signed in."""
    refused = _refused(desk, request)
    caller = signed_in_caller(desk.campaign, request)
    return refused or _shown(desk, request, "manager", "manager.html", caller)


@router.get("/m/report", response_class=HTMLResponse)
async def own_report(desk: DeskOf, request: Request) -> HTMLResponse:
    """The report, for a manager whom a proxy has signed in."""
    return await run_in_threadpool(_refused, desk, request) or await _report(desk, request)


@router.get("/m/{token}", response_class=HTMLResponse)
def manager_page(desk: DeskOf, request: Request, token: str) -> HTMLResponse:
    """The manager's dashboard, as far as this manager may use it."""
    return _page(desk, request, token, "manager", "manager.html")


@router.get("/m/{token}/report", response_class=HTMLResponse)
async def report_page(desk: DeskOf, request: Request, token: str) -> HTMLResponse:
    """The report of everything judged so far, by the options of an analysis that the query gives."""
    try:
        await run_in_threadpool(_require, desk, token, "manager")
    except NotFound as error:
        return message_page(request, "Link not valid", str(error), 404)
    return await _report(desk, request)


def _refused(desk: Desk, request: Request) -> HTMLResponse | None:
    """What somebody reads who was not signed in as a manager of this campaign."""
    if not is_signed_in(request):
        return message_page(request, "Link not valid", NOT_SIGNED_IN, 404)
    if signed_in_caller(desk.campaign, request) is None:
        return message_page(request, "Not a manager", STRANGER, 403)
    return None


async def _report(desk: Desk, request: Request) -> HTMLResponse:
    try:
        found = await desk.ask("report", {"choices": chosen(request)})
        return HTMLResponse(found.content, headers={"Content-Security-Policy": REPORT_POLICY})
    except NotEnoughData as error:
        return message_page(request, "Not yet", error.spelt(as_command_line), 409)
    except ChoiceError as error:
        return message_page(request, "No such report", error.spelt(as_command_line), 422)
    except AnalystError as error:
        return message_page(request, "Not now", str(error), 503)


@router.get("/protocols/{name}/{file}")
def protocol_file(request: Request, name: str, file: str) -> Response:
    """A protocol's widget."""
    return served_file(f"/protocols/{name}/{file}").reply(request.scope)


def _page(desk: Desk, request: Request, token: str, role: LinkRole, template: str) -> HTMLResponse:
    try:
        _require(desk, token, role)
        caller = caller_by_token(desk.campaign, token) if role == "manager" else None
    except NotFound as error:
        return _framed(
            message_page(request, "Link not valid", str(error), 404), campaign_rules(desk.campaign), role
        )
    return _shown(desk, request, role, template, caller)


def _framed(page: HTMLResponse, rules: Rules, role: LinkRole) -> HTMLResponse:
    """The page, which the campaign's platform may hold in a frame if sets are posted back to it."""
    posting = posting_of(rules) if role != "manager" else None
    if posting is not None:
        page.headers["Content-Security-Policy"] = framed_policy(posting)
    return page


def _shown(
    desk: Desk, request: Request, role: LinkRole, template: str, caller: Caller | None
) -> HTMLResponse:
    now = campaign_now(desk.campaign)
    settings = now.settings
    # The dashboard speaks English; workers read the language they judge.
    language = "en" if role == "manager" else written_language(settings.target_language)
    page = _page_data(settings, language, base=base_of(request))
    page["revision"] = now.revision
    if role == "manager":
        # By the time the page asks, the analyst has begun.
        desk.analyst.wake()
        page["role"] = caller.role if caller else "viewer"
        # Then there is no token in the address.
        page["is_signed_in"] = "token" not in request.path_params
        page["gives"] = list(protocols()[settings.protocol].gives)
        page["marking_words"] = _marking_words(settings)
    elif role == "worker":
        page |= _working(settings, page["words"], may_post=posting_of(settings.rules) is not None)
    elif role == "open":
        page |= _joining(desk, request, now)
    return _framed(rendered(template, page), settings.rules, role)


def worker_page_data(now: CampaignNow) -> dict[str, Any]:
    """What the script of a worker's page reads where no server, and no platform, is around it."""
    page = _page_data(now.settings, written_language(now.settings.target_language), base=".")
    return page | _working(now.settings, page["words"], may_post=False) | {"revision": now.revision}


def _working(settings: CampaignSettings, words: dict[str, Any], *, may_post: bool) -> dict[str, Any]:
    """What a worker's page has besides, and the words that it needs."""
    unused = OF_JOINING if may_post else (*OF_JOINING, *OF_POSTING)
    needed = {key: text for key, text in words.items() if not key.startswith(unused)}
    return {"entry": _entry_page(settings), "words": needed}


def _joining(desk: Desk, request: Request, now: CampaignNow) -> dict[str, Any]:
    """What the page of the open link needs besides: how the caller stands, and what a set is like."""
    rules, pay = now.settings.rules, offered_pay(now.settings)
    return {
        "open_link": rules.open_link and now.state is not CampaignState.CLOSED,
        "from_platform": identification(rules) is not None,
        "posts_back": posting_of(rules) is not None,
        "welcome": welcome(desk.campaign, request.query_params.multi_items()),
        "n_items": now.settings.design.hit_size,
        "pay": asdict(pay) if pay else None,
    }


def _marking_words(settings: CampaignSettings) -> dict[str, Any] | None:
    """The English words for marking errors, in which a manager decides; None where nobody marks any."""
    protocol = protocols()[settings.protocol]
    words = words_in(protocol, "en") if "spans" in protocol.gives else None
    if words is None or "spans" not in words:
        return None
    return {name: words[name] for name in MARKING_WORDS if name in words}


def _require(desk: Desk, token: str, role: LinkRole) -> None:
    if not TOKEN.fullmatch(token):
        raise NotFound(INCOMPLETE)
    holder(desk.campaign, token, role)


def _page_data(settings: CampaignSettings, language: str, *, base: str) -> dict[str, Any]:
    protocol = protocols()[settings.protocol]
    # As recorded with the latest revision: an upgrade does not change what workers see.
    presentation = dict(settings.presentation)
    words = presentation.pop("words")
    # Answers that are looked for are in it: only `_entry_page` says what of it a page may hold.
    presentation.pop("entry", None)
    widget = f"{base}/protocols/{protocol.name}/widget"
    return {
        "base": base,
        "language": settings.target_language,
        "direction": _direction(settings.target_language),
        "source_language": settings.source_language,
        "source_direction": _direction(settings.source_language),
        "attribute": settings.attribute,
        "seconds_per_item": protocol.seconds_per_item[settings.attribute],
        "title": settings.title,
        "words": _words(HERE / "words", language),
        "protocol": {
            "name": protocol.name,
            "widget_url": f"{widget}.js",
            "style_url": f"{widget}.css",
            "words": words,
            "presentation": presentation,
        },
    }


def _entry_page(settings: CampaignSettings) -> dict[str, Any] | None:
    """What a worker's page needs of all that comes before the first set; never what is looked for."""
    entry = entry_in(settings.presentation)
    if entry is None:
        return None
    return {
        "consent": asdict(entry.consent) if entry.consent else None,
        "questions": [
            {name: getattr(question, name) for name in QUESTION_FIELDS} for question in entry.questions
        ],
        "training": [item_view(item) for item in training_items(settings)],
    }


def _direction(language: str) -> str:
    return "rtl" if is_right_to_left(language) else "ltr"


def _words(folder: Path, language: str) -> dict[str, Any]:
    """The words of a language; English where the page itself is not translated yet."""
    path = folder / f"{language}.toml"
    return tomllib.loads((path if path.exists() else folder / "en.toml").read_text("utf-8"))


def embedded(page: dict[str, Any]) -> Markup:
    """JSON that cannot end its script element early, whatever a title or text contains."""
    text = json.dumps(page, ensure_ascii=False)
    for character in "<>&\u2028\u2029":
        text = text.replace(character, f"\\u{ord(character):04x}")
    return Markup(text)  # noqa: S704 (escaped above)


def rendered(template: str, page: dict[str, Any], **parts: Any) -> HTMLResponse:
    """A page from its template and what its script reads; `page` says where it lies as `base`.

    `parts`: what only this template has.
    """
    found = _templates().get_template(template)
    return HTMLResponse(found.render(page=page, base=page["base"], page_json=embedded(page), **parts))


def message_page(request: Request, title: str, message: str, status: int = 200) -> HTMLResponse:
    """A few friendly words instead of a page."""
    template = _templates().get_template("message.html")
    return HTMLResponse(template.render(title=title, message=message, base=base_of(request)), status)


def wants_page(request: Request) -> bool:
    """Whether a person waits for a page, who should read words and not JSON."""
    return "text/html" in request.headers.get("accept", "")


@cache
def _templates() -> Environment:
    return Environment(
        loader=PackageLoader("steelyard.web"), autoescape=True, undefined=StrictUndefined, trim_blocks=True
    )
