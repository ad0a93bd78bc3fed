"""The JSON that goes over the wire, as the public contract names it."""

from __future__ import annotations

from dataclasses import asdict
from typing import Annotated, Any, Literal, NotRequired, TypeVar, cast
from uuid import UUID

from fastapi import Query
from fastapi.exceptions import RequestValidationError
from pydantic import BaseModel, ConfigDict, Field, JsonValue, ValidationError
from typing_extensions import TypedDict

from steelyard.domain.work import BlindedItem
from steelyard.flows.assign import Finished, NextItem, WorkView
from steelyard.flows.training import Tried

OpaqueId = Annotated[str, Field(pattern=r"^[A-Za-z0-9_-]{1,64}$")]
# PostgreSQL holds no NUL character in a text, and what one database holds the other must too.
NoNul = Field(pattern=r"^[^\u0000]*$")
# In which session of a platform a worker's page was opened, where sets are posted back to the platform.
SessionId = Annotated[str | None, Query(max_length=100)]
Model = TypeVar("Model", bound=BaseModel)
ONE_DAY_MS = 24 * 60 * 60 * 1000
# Our choice: more than a person could fill in for one item. Its bytes are limited with the request's.
MOST_FIELDS = 100
# Our choice: the page counts no further.
MOST_PASTES = 1000


class StrictBody(BaseModel):
    """A body in which nothing else may be, and nothing of another type."""

    model_config = ConfigDict(extra="forbid", strict=True)


class BehaviourBody(StrictBody):
    """How the page was handled while the item was open; `straightness`: null if the pointer hardly moved."""

    hidden_ms: Annotated[int, Field(ge=0, le=ONE_DAY_MS)]
    n_pastes: Annotated[int, Field(ge=0, le=MOST_PASTES)]
    straightness: Annotated[float, Field(ge=0, le=1, allow_inf_nan=False)] | None
    is_automated: bool


class SubmissionBody(StrictBody):
    """One answer. The client makes the judgement_id and sends the same one when it tries again.

    The answer has the shape that the campaign's protocol publishes; the protocol checks it.
    """

    judgement_id: UUID
    assignment_id: OpaqueId
    item_id: OpaqueId
    answer: Annotated[dict[str, JsonValue], Field(max_length=MOST_FIELDS)]
    shown_ms: Annotated[int, Field(ge=0, le=ONE_DAY_MS)]
    # The revision of the campaign's words that the worker saw; without it, the current one.
    revision: Annotated[int, Field(ge=1)] | None = None
    # Stored only where the campaign asks workers to agree to it.
    behaviour: BehaviourBody | None = None


class MarkView(TypedDict):
    """An error that is marked beforehand, half-open and in code points of the text on its side."""

    start: int
    end: int
    severity: str
    category: NotRequired[str]
    side: NotRequired[Literal["source"]]


class TranslationView(TypedDict):
    """One of several translations; with its own source and reference if they are of several segments."""

    text: str
    spans: NotRequired[list[MarkView]]
    source: NotRequired[str]
    reference: NotRequired[str]


class ItemTextsView(TypedDict):
    """The texts the protocol shows of a segment: one `text`, or several `translations` in order.

    Beside a text stand the `spans` that are marked in it beforehand, if there are any.
    """

    text: NotRequired[str]
    spans: NotRequired[list[MarkView]]
    source: NotRequired[str]
    reference: NotRequired[str]
    translations: NotRequired[list[TranslationView]]


class ItemView(ItemTextsView):
    """An opaque id and the texts of an item."""

    item_id: str


class EarlierItemView(ItemTextsView):
    """An earlier segment of the document: the texts as the worker saw them, and the answer they gave."""

    answer: dict[str, JsonValue]


class NextItemView(TypedDict):
    """The item to judge now.

    Where documents are judged in context: `context` has the earlier segments of its document, in order; or,
    in the reply to an answer, `continues` says whether it goes on with the document just answered. Where all
    of a document is in view, `ahead` has its later segments, in order, whenever there is a `context`.
    """

    assignment_id: str
    position: int
    n_items: int
    n_done: int
    item: ItemView
    revision: int
    context: NotRequired[list[EarlierItemView]]
    ahead: NotRequired[list[ItemTextsView]]
    continues: NotRequired[bool]


class FinishedView(TypedDict):
    """Nothing to judge now. `more`: asking again would begin another HIT."""

    finished: Literal[True]
    assignment_id: str | None
    n_items: int
    n_done: int
    n_hits_done: int
    more: bool
    revision: int


class SubmittedView(TypedDict):
    """The reply to a durable judgement."""

    next: NextItemView | FinishedView


class ReturnBody(StrictBody):
    """Which assignment the worker gives back."""

    assignment_id: OpaqueId


class FinishBody(StrictBody):
    """For which session of the platform a set is handed in, and to which of its places."""

    session_id: Annotated[str, Field(min_length=1, max_length=100), NoNul]
    submit_to: Annotated[str, Field(min_length=1, max_length=200), NoNul]


class JoinedView(BaseModel):
    """A worker's link."""

    token: str
    url: str


class ErrorDetail(BaseModel):
    """What went wrong, for a program (`code`) and for a person (`message`)."""

    code: str
    message: str
    field: str | None = None


class ErrorView(BaseModel):
    """Every error looks like this."""

    error: ErrorDetail


def parse(model: type[Model], content: bytes) -> Model:
    """A request's body as the model says, or the error that the app reports for any other body."""
    try:
        return model.model_validate_json(content)
    except ValidationError as error:
        raise RequestValidationError(error.errors()) from None


def work_view(view: WorkView) -> NextItemView | FinishedView:
    """A flow's answer in the wire's shape."""
    match view:
        case NextItem(item=item):
            shown = NextItemView(
                assignment_id=view.assignment_id,
                position=view.position,
                n_items=view.n_items,
                n_done=view.n_done,
                item=item_view(item),
                revision=view.revision,
            )
            if view.context is not None:
                earlier = [{**texts_view(each.item), "answer": dict(each.answer)} for each in view.context]
                shown["context"] = cast(list[EarlierItemView], earlier)
            if view.ahead is not None:
                shown["ahead"] = [cast(ItemTextsView, texts_view(each)) for each in view.ahead]
            if view.continues is not None:
                shown["continues"] = view.continues
            return shown
        case Finished():
            return cast(FinishedView, {"finished": True, **asdict(view)})


def item_view(item: BlindedItem) -> ItemView:
    """An item in the wire's shape."""
    return cast(ItemView, {"item_id": item.item_id, **texts_view(item)})


def texts_view(item: BlindedItem) -> dict[str, Any]:
    """The texts of an item in the wire's shape."""
    return {**item.texts, **({"translations": item.translations} if item.translations else {})}


def tried_record(tried: Tried) -> dict[str, Any]:
    """What is said about an answer to a training item in the wire's shape."""
    targets = tried.targets
    return {
        "is_expected": tried.is_expected,
        "side": tried.side,
        "expected": tried.expected,
        "spans": None if tried.spans is None else [[dict(span) for span in each] for each in tried.spans],
        "found": None if targets is None else targets.n_found,
        "missed": None if targets is None else targets.n_missed,
        "extra": None if targets is None else targets.n_extra,
        "preferred": None if tried.preferred is None else list(tried.preferred),
        "feedback": tried.feedback,
    }


def error_body(code: str, message: str, field: str | None = None) -> dict[str, Any]:
    """The body of an error reply."""
    return ErrorView(error=ErrorDetail(code=code, message=message, field=field)).model_dump()
