"""Prolific, emulated: the paths, names, replies and errors of its REST API over `ProlificMarket`."""

from __future__ import annotations

import json
from collections.abc import Awaitable, Callable, Mapping
from datetime import datetime
from typing import TYPE_CHECKING, Any, NamedTuple

import numpy as np
from starlette.background import BackgroundTask
from starlette.responses import JSONResponse, Response
from starlette.routing import Route

from steelyard.emulators.control import emulator_app
from steelyard.emulators.faults import BusyReply, FaultyApp
from steelyard.emulators.offer import Emulator, EmulatorSettings
from steelyard.emulators.prolific_market import CURRENCY, EmulatedStudy, EmulatedSubmission, ProlificError
from steelyard.emulators.prolific_stage import ProlificStage

if TYPE_CHECKING:
    from starlette.requests import Request
    from starlette.types import ASGIApp

API = "/api/v1"
NO_CONTENT = 204
NEEDED = (
    *("name", "description", "external_study_url", "completion_codes", "total_available_places"),
    *("estimated_completion_time", "reward"),
)
# What may still be changed once a study is published.
CHANGEABLE = {"total_available_places", "internal_name"}
COUNTED = (
    *("ACTIVE", "APPROVED", "AWAITING REVIEW", "REJECTED", "RESERVED", "RETURNED", "TIMED-OUT"),
    *("PARTIALLY APPROVED", "SCREENED OUT"),
)


class ApiRequest(NamedTuple):
    """A request: the id in its path, its body, and which part of a list it asks for."""

    id: str
    body: Any
    query: Mapping[str, str]


Handler = Callable[[ApiRequest], Any]


class ProlificApi:
    """The requests that a researcher's programs send."""

    def __init__(self, stage: ProlificStage) -> None:
        self.market = stage.market
        self.hooks = stage.hooks

    def me(self, _request: ApiRequest) -> Any:
        return {
            "id": "researcher",
            "email": "researcher@example.org",
            "currency_code": self.market.books.currency,
            "balance": self.market.books.balance,
            "available_balance": self.market.books.balance,
        }

    def balance(self, _request: ApiRequest) -> Any:
        money = self.market.books.balance
        return {
            "currency_code": self.market.books.currency,
            "total_balance": money,
            "balance_breakdown": {"rewards": money, "fees": 0, "vat": 0},
            "available_balance": money,
        }

    def make_study(self, request: ApiRequest) -> Any:
        body = request.body
        missing = {name: ["This field is required."] for name in NEEDED if not body.get(name)}
        if missing:
            raise ProlificError(400, "Invalid study", missing)
        if not all(
            isinstance(body[name], int) and body[name] > 0 for name in ("reward", "total_available_places")
        ):
            raise ProlificError(
                400, "Invalid study", {"reward": ["Reward and places must be positive whole numbers."]}
            )
        for code in body["completion_codes"]:
            pays = [each for each in code["actions"] if each["action"] == "FIXED_SCREEN_OUT_PAYMENT"]
            if any(each["fixed_screen_out_reward"] >= body["reward"] for each in pays):
                raise ProlificError(
                    400, "Invalid study", {"completion_codes": ["Screen-out pay must be below the reward."]}
                )
        study = EmulatedStudy(self.market.new_id(), dict(body))
        self.market.studies[study.id] = study
        return self._study(study)

    def studies(self, request: ApiRequest) -> Any:
        return _page([self._study(each) for each in self.market.studies.values()], request.query)

    def one_study(self, request: ApiRequest) -> Any:
        return self._study(self.market.study(request.id))

    def change_study(self, request: ApiRequest) -> Any:
        study, body = self.market.study(request.id), request.body
        frozen = set(body) - CHANGEABLE if study.status != "UNPUBLISHED" else set()
        if frozen:
            detail = {name: ["This cannot be changed once the study is published."] for name in frozen}
            raise ProlificError(400, "Invalid field", detail)
        if "total_available_places" in body:
            self.market.set_places(study, int(body["total_available_places"]))
        study.fields.update({name: value for name, value in body.items() if name != "total_available_places"})
        return self._study(study)

    def delete_study(self, request: ApiRequest) -> Any:
        study = self.market.study(request.id)
        if study.status != "UNPUBLISHED":
            raise ProlificError(400, "Invalid study", "Only a study that is UNPUBLISHED can be deleted.")
        del self.market.studies[study.id]
        return {}

    def move_study(self, request: ApiRequest) -> Any:
        study = self.market.study(request.id)
        self.market.move_study(study, str(request.body.get("action")))
        return self._study(study)

    def price(self, request: ApiRequest) -> Any:
        return self.market.price(int(request.body["reward"]), int(request.body["total_available_places"]))

    def study_price(self, request: ApiRequest) -> Any:
        study = self.market.study(request.id)
        return self.market.price(study.reward, study.places)

    def submissions(self, request: ApiRequest) -> Any:
        self.market.study(request.id)
        return _page([self._submission(each) for each in self.market.of_study(request.id)], request.query)

    def counts(self, request: ApiRequest) -> Any:
        own = self.market.of_study(request.id)
        found = {status: sum(each.status == status for each in own) for status in COUNTED}
        return {**found, "TOTAL": len(own)}

    def one_submission(self, request: ApiRequest) -> Any:
        return self._submission(self.market.submission(request.id))

    def decide(self, request: ApiRequest) -> Any:
        submission = self.market.submission(request.id)
        self.market.decide(submission, request.body)
        return self._submission(submission)

    def ask_to_return(self, request: ApiRequest) -> Any:
        submission = self.market.submission(request.id)
        if not request.body.get("request_return_reasons"):
            raise ProlificError(400, "Invalid field", {"request_return_reasons": ["This field is required."]})
        submission.return_requested = self.market.clock.now()
        return self._submission(submission)

    def order_bonuses(self, request: ApiRequest) -> Any:
        return self.market.order_bonuses(
            str(request.body.get("study_id")), str(request.body.get("csv_bonuses", ""))
        )

    def pay_bonuses(self, request: ApiRequest) -> Any:
        self.market.pay_batch(request.id)
        return {}

    def subscribe(self, request: ApiRequest) -> Any:
        return self.hooks.subscribe(request.body)

    def confirm(self, request: ApiRequest) -> Any:
        return self.hooks.confirm(request.id, request.body)

    def subscriptions(self, request: ApiRequest) -> Any:
        return _page(list(self.hooks.hooks.values()), request.query)

    def secrets(self, request: ApiRequest) -> Any:
        return _page(
            [{"id": "secret", "value": self.hooks.secret}] if self.hooks.secret else [], request.query
        )

    def routes(self) -> dict[tuple[str, str], tuple[Handler, int]]:
        """By method and path: what handles it, and the status of a success."""
        return {
            ("GET", "/users/me/"): (self.me, 200),
            ("GET", "/workspaces/{id}/balance/"): (self.balance, 200),
            ("GET", "/projects/{id}/studies/"): (self.studies, 200),
            ("GET", "/studies/"): (self.studies, 200),
            ("POST", "/studies/"): (self.make_study, 201),
            ("GET", "/studies/{id}/"): (self.one_study, 200),
            ("PATCH", "/studies/{id}/"): (self.change_study, 200),
            ("DELETE", "/studies/{id}/"): (self.delete_study, NO_CONTENT),
            ("POST", "/studies/{id}/transition/"): (self.move_study, 200),
            ("GET", "/studies/{id}/cost/"): (self.study_price, 200),
            ("POST", "/study-cost-calculator/"): (self.price, 200),
            ("GET", "/studies/{id}/submissions/"): (self.submissions, 200),
            ("GET", "/studies/{id}/submissions/counts/"): (self.counts, 200),
            ("GET", "/submissions/{id}/"): (self.one_submission, 200),
            ("POST", "/submissions/{id}/transition/"): (self.decide, 200),
            ("POST", "/submissions/{id}/request-return/"): (self.ask_to_return, 200),
            ("POST", "/submissions/bonus-payments/"): (self.order_bonuses, 201),
            ("POST", "/bulk-bonus-payments/{id}/pay/"): (self.pay_bonuses, 202),
            ("GET", "/hooks/subscriptions/"): (self.subscriptions, 200),
            ("POST", "/hooks/subscriptions/"): (self.subscribe, 201),
            ("POST", "/hooks/subscriptions/{id}/"): (self.confirm, 200),
            ("GET", "/hooks/secrets/"): (self.secrets, 200),
        }

    def _study(self, study: EmulatedStudy) -> dict[str, Any]:
        own = self.market.of_study(study.id)
        return {
            **study.fields,
            "id": study.id,
            "status": study.status,
            "places_taken": study.places - self.market.free_places(study),
            "number_of_submissions": len(own),
            "total_cost": self.market.price(study.reward, study.places)["total_cost"],
            "currency_code": self.market.books.currency,
        }

    def _submission(self, each: EmulatedSubmission) -> dict[str, Any]:
        return {
            "id": each.id,
            "study_id": each.study_id,
            "participant_id": each.participant_id,
            "status": each.status,
            "started_at": _written(each.started_at),
            "completed_at": _written(each.completed_at),
            "is_complete": each.completed_at is not None,
            "study_code": each.study_code,
            "reward": self.market.books.reward(each.id) or self.market.study(each.study_id).reward,
            "bonus_payments": self.market.books.bonuses(each.id),
            "return_requested": _written(each.return_requested),
            "strata": {},
        }


def create_prolific_app(settings: EmulatorSettings) -> ASGIApp:
    """An emulated Prolific, which forgets everything when it ends."""
    stage = ProlificStage(settings)
    routes = [
        Route(f"{API}{path}", _endpoint(stage, settings.token, handler, status), methods=[method])
        for (method, path), (handler, status) in ProlificApi(stage).routes().items()
    ]
    # Fixed names before those with a place for an id.
    routes.sort(key=lambda route: ("{" in route.path, route.path))
    app = emulator_app(stage, routes)
    return FaultyApp(app, settings.faults, np.random.default_rng(settings.seed), _refusal)


def _refusal(status: int) -> BusyReply:
    """How Prolific says that it is busy, or in trouble."""
    title = "Request was throttled" if status == 429 else "Service unavailable"
    body = json.dumps(ProlificError(status, title, "Try again later.").body).encode()
    return BusyReply(status, body, [(b"content-type", b"application/json")])


def _endpoint(
    stage: ProlificStage, token: str, handler: Handler, status: int
) -> Callable[[Request], Awaitable[Response]]:
    async def endpoint(request: Request) -> Response:
        if request.headers.get("authorization") != f"Token {token}":
            return JSONResponse(ProlificError(401, "Authentication failed", "Invalid token.").body, 401)
        raw = await request.body()
        try:
            body = json.loads(raw) if raw else {}
            said = handler(ApiRequest(request.path_params.get("id", ""), body, request.query_params))
        except ProlificError as error:
            return JSONResponse(error.body, error.status)
        except (ValueError, TypeError, KeyError) as error:
            return JSONResponse(ProlificError(400, "Bad request", repr(error)).body, 400)
        headers = (
            {"X-Hook-Secret": stage.hooks.secret} if request.url.path.endswith("/subscriptions/") else {}
        )
        done = BackgroundTask(stage.idle)
        if status == NO_CONTENT:
            return Response(status_code=status, background=done)
        return JSONResponse(said, status, headers, background=done)

    return endpoint


def _page(every: list[dict[str, Any]], query: Mapping[str, str]) -> dict[str, Any]:
    limit, offset = int(query.get("limit", 20)), int(query.get("offset", 0))
    return {"results": every[offset : offset + limit], "_links": {}, "meta": {"count": len(every)}}


def _written(moment: datetime | None) -> str | None:
    return None if moment is None else moment.isoformat().replace("+00:00", "Z")


EMULATOR = Emulator(
    name="prolific",
    title="Prolific",
    currency=CURRENCY,
    create_app=create_prolific_app,
    environment={"PROLIFIC_URL": "{url}", "PROLIFIC_TOKEN": "{token}"},
)
