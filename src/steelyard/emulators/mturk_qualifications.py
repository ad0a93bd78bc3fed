"""Qualifications: their types, who has them, and whether a worker meets what a HIT asks for. Blocks too."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from typing import Any

from steelyard.emulators.mturk_market import TurkMarket, TurkQualification, TurkState
from steelyard.emulators.mturk_parameters import TurkError, invalid, page_of, text_parameter, whole_parameter

APPROVED_COUNT = "00000000000000000040"
LOCALE = "00000000000000000071"
ADULT = "00000000000000000060"
APPROVED_PERCENT = "000000000000000000L0"
MASTERS = ("2ARFPLSP75KLA8M8DH1HTEQVJT3SY6", "2F1QJWKUDD8XADTFD2Q0G6UTO95ALH")
# Everybody here comes from there, and has done so much for others before.
HOME = {"Country": "US"}
EARLIER_APPROVALS = 1000
GUARDS = ("Accept", "PreviewAndAccept", "DiscoverPreviewAndAccept")
_COMPARISONS: Mapping[str, Callable[[Any, Sequence[Any]], bool]] = {
    "LessThan": lambda value, wanted: bool(value < wanted[0]),
    "LessThanOrEqualTo": lambda value, wanted: bool(value <= wanted[0]),
    "GreaterThan": lambda value, wanted: bool(value > wanted[0]),
    "GreaterThanOrEqualTo": lambda value, wanted: bool(value >= wanted[0]),
    "EqualTo": lambda value, wanted: value == wanted[0],
    "NotEqualTo": lambda value, wanted: value != wanted[0],
    "In": lambda value, wanted: value in wanted,
    "NotIn": lambda value, wanted: value not in wanted,
}


def checked_requirements(market: TurkMarket, given: Any) -> tuple[Mapping[str, Any], ...]:
    """Requirements of a HIT type, if they make sense."""
    if not isinstance(given, list) or len(given) > 10:
        raise invalid("QualificationRequirements", "must be a list of at most 10.")
    for each in given:
        type_id, comparator = each.get("QualificationTypeId"), each.get("Comparator")
        values = each.get("IntegerValues") or each.get("LocaleValues") or []
        if type_id not in (APPROVED_COUNT, LOCALE, ADULT, APPROVED_PERCENT, *MASTERS):
            _qualification(market, type_id)
        if comparator in ("Exists", "DoesNotExist"):
            if values:
                raise invalid("QualificationRequirements", f"{comparator} takes no values.")
        elif comparator not in _COMPARISONS or not values:
            raise invalid("QualificationRequirements", f"{comparator!r} with {values} cannot be compared.")
        if each.get("ActionsGuarded", GUARDS[0]) not in GUARDS:
            raise invalid("QualificationRequirements", f"ActionsGuarded must be one of {', '.join(GUARDS)}.")
    return tuple(given)


def meets(market: TurkMarket, worker_id: str, requirements: Sequence[Mapping[str, Any]], guard: str) -> bool:
    """Whether a worker meets those requirements that guard an action; all of them guard accepting."""
    rank = GUARDS.index(guard)
    return all(
        _meets_one(market, worker_id, each)
        for each in requirements
        if GUARDS.index(each.get("ActionsGuarded", GUARDS[0])) >= rank
    )


def _meets_one(market: TurkMarket, worker_id: str, requirement: Mapping[str, Any]) -> bool:
    has, value = _value(market, worker_id, str(requirement["QualificationTypeId"]))
    comparator = str(requirement["Comparator"])
    if comparator in ("Exists", "DoesNotExist"):
        return has == (comparator == "Exists")
    wanted = requirement.get("LocaleValues") or requirement.get("IntegerValues") or []
    return has and value is not None and _COMPARISONS[comparator](value, wanted)


def _value(market: TurkMarket, worker_id: str, type_id: str) -> tuple[bool, Any]:
    """Whether a worker has a qualification, and its value."""
    if type_id in market.qualifications:
        granted = market.qualifications[type_id].granted
        return worker_id in granted, granted.get(worker_id, (None, None))[0]
    states = [each.state for each in market.current.values() if each.worker_id == worker_id]
    approved = EARLIER_APPROVALS + states.count(TurkState.APPROVED)
    decided = approved + states.count(TurkState.REJECTED)
    known = {APPROVED_COUNT: approved, APPROVED_PERCENT: approved * 100 // decided, LOCALE: HOME, ADULT: 1}
    return type_id in known, known.get(type_id)


def create_qualification_type(market: TurkMarket, request: Mapping[str, Any]) -> dict[str, Any]:
    name = text_parameter(request, "Name", most=200)
    if any(each.name == name for each in market.qualifications.values()):
        raise TurkError(
            f"You have already created a QualificationType with this name: {name}.",
            "QualificationTypeAlreadyExists",
        )
    made = TurkQualification(
        type_id=market.new_id("3", 30),
        name=name,
        description=text_parameter(request, "Description", most=2000),
        keywords=text_parameter(request, "Keywords", most=1000, default=""),
        created_at=market.now(),
    )
    _change(made, {"QualificationTypeStatus": "Active", **request})
    market.qualifications[made.type_id] = made
    return {"QualificationType": _shown_type(made)}


def update_qualification_type(market: TurkMarket, request: Mapping[str, Any]) -> dict[str, Any]:
    known = _qualification(market, request.get("QualificationTypeId"))
    known.description = text_parameter(request, "Description", most=2000, default=known.description)
    _change(known, request)
    return {"QualificationType": _shown_type(known)}


def _change(qualification: TurkQualification, request: Mapping[str, Any]) -> None:
    status = request.get("QualificationTypeStatus")
    if status not in (None, "Active", "Inactive"):
        raise invalid("QualificationTypeStatus", "must be Active or Inactive.")
    if "Test" in request or "AnswerKey" in request:
        raise invalid("Test", "this emulator knows no tests.")
    qualification.is_active = status != "Inactive" if status else qualification.is_active
    if request.get("AutoGranted") is not None:
        value = whole_parameter(request, "AutoGrantedValue", least=-(2**31), most=2**31 - 1, default=1)
        qualification.auto_value = value if request["AutoGranted"] else None


def get_qualification_type(market: TurkMarket, request: Mapping[str, Any]) -> dict[str, Any]:
    return {"QualificationType": _shown_type(_qualification(market, request.get("QualificationTypeId")))}


def list_qualification_types(market: TurkMarket, request: Mapping[str, Any]) -> dict[str, Any]:
    """Those of this requester; the system's own are not listed."""
    wanted = str(request.get("Query", "")).casefold()
    rows = [
        each
        for each in market.qualifications.values()
        if wanted in f"{each.name} {each.description} {each.keywords}".casefold()
    ]
    return page_of(request, "QualificationTypes", rows, _shown_type)


def associate_qualification(market: TurkMarket, request: Mapping[str, Any]) -> dict[str, Any]:
    known, worker = _qualification(market, request.get("QualificationTypeId")), _worker(market, request)
    value = whole_parameter(request, "IntegerValue", least=-(2**31), most=2**31 - 1, default=1)
    known.granted[worker] = (value, market.now())
    known.revoked.pop(worker, None)
    return {}


def disassociate_qualification(market: TurkMarket, request: Mapping[str, Any]) -> dict[str, Any]:
    known, worker = _qualification(market, request.get("QualificationTypeId")), _worker(market, request)
    if worker not in known.granted:
        raise TurkError(f"Worker {worker} does not have this qualification.", "QualificationDoesNotExist")
    known.revoked[worker] = known.granted.pop(worker)
    return {}


def list_workers_with_qualification(market: TurkMarket, request: Mapping[str, Any]) -> dict[str, Any]:
    known = _qualification(market, request.get("QualificationTypeId"))
    status = request.get("Status", "Granted")
    rows = list((known.revoked if status == "Revoked" else known.granted).items())
    return page_of(
        request,
        "Qualifications",
        rows,
        lambda row: {
            "QualificationTypeId": known.type_id,
            "WorkerId": row[0],
            "IntegerValue": row[1][0],
            "GrantTime": row[1][1].timestamp(),
            "Status": status,
        },
    )


def create_worker_block(market: TurkMarket, request: Mapping[str, Any]) -> dict[str, Any]:
    market.blocks[_worker(market, request)] = text_parameter(request, "Reason")
    return {}


def delete_worker_block(market: TurkMarket, request: Mapping[str, Any]) -> dict[str, Any]:
    market.blocks.pop(_worker(market, request), None)
    return {}


def list_worker_blocks(market: TurkMarket, request: Mapping[str, Any]) -> dict[str, Any]:
    rows = list(market.blocks.items())
    return page_of(request, "WorkerBlocks", rows, lambda row: {"WorkerId": row[0], "Reason": row[1]})


def _worker(market: TurkMarket, request: Mapping[str, Any]) -> str:
    worker = request.get("WorkerId")
    if worker not in market.workers:
        raise invalid("WorkerId", f"{worker} is not a worker.")
    return str(worker)


def _qualification(market: TurkMarket, type_id: Any) -> TurkQualification:
    if type_id not in market.qualifications:
        raise TurkError(f"QualificationType {type_id} does not exist.", "QualificationTypeDoesNotExist")
    return market.qualifications[type_id]


def _shown_type(known: TurkQualification) -> dict[str, Any]:
    """A type of qualification as the API shows it."""
    shown = {
        "QualificationTypeId": known.type_id,
        "CreationTime": known.created_at.timestamp(),
        "Name": known.name,
        "Description": known.description,
        "Keywords": known.keywords,
        "QualificationTypeStatus": "Active" if known.is_active else "Inactive",
        "IsRequestable": True,
        "AutoGranted": known.auto_value is not None,
    }
    return shown if known.auto_value is None else {**shown, "AutoGrantedValue": known.auto_value}
