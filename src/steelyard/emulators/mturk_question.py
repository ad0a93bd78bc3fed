"""External questions: the XML by which a HIT names its page, and the address that a worker opens."""

from __future__ import annotations

from dataclasses import dataclass
from urllib.parse import urlencode, urlsplit
from xml.parsers import expat
from xml.sax.saxutils import escape

from steelyard.emulators.mturk_parameters import TurkError, invalid

PREVIEW = "ASSIGNMENT_ID_NOT_AVAILABLE"
_SCHEMAS = "http://mechanicalturk.amazonaws.com/AWSMechanicalTurkDataSchemas/"
_EXTERNAL = f"{_SCHEMAS}2006-07-14/ExternalQuestion.xsd"
_ANSWERS = f"{_SCHEMAS}2005-10-01/QuestionFormAnswers.xsd"
_LOCAL_HOSTS = ("127.0.0.1", "localhost", "::1")
# Mechanical Turk keeps these to itself: they are no part of an answer.
RESERVED_FIELDS = ("assignmentId", "hitId", "turkSubmitTo", "workerId")


@dataclass(frozen=True, slots=True)
class ExternalPage:
    """The page of a HIT, and how high its frame is in pixels; 0: as high as the window."""

    address: str
    frame_height: int


def external_page(question: str) -> ExternalPage:
    """Read an ExternalQuestion; TurkError for anything else, and for an address without HTTPS.

    Addresses of this machine may do without, or nothing could be rehearsed here.
    """
    if len(question.encode()) > 65535:
        raise invalid("Question", "must not be larger than 65535 bytes.")
    texts = _texts(question)
    if "ExternalQuestion" not in texts:
        raise invalid("Question", f"this emulator knows ExternalQuestion of {_EXTERNAL} only.")
    address, height = texts.get("ExternalURL", "").strip(), texts.get("FrameHeight", "").strip()
    if not height.isascii() or not height.isdigit():
        raise invalid("Question", "FrameHeight must be a whole number.")
    parts = urlsplit(address)
    is_local = parts.scheme == "http" and parts.hostname in _LOCAL_HOSTS
    if not parts.netloc or (parts.scheme != "https" and not is_local):
        raise invalid("Question", f"ExternalURL must use the HTTPS protocol, but it is {address!r}.")
    return ExternalPage(address, int(height))


def _texts(question: str) -> dict[str, str]:
    """By name, the texts of the elements that belong to external questions."""
    texts: dict[str, str] = {}
    path: list[str] = []

    def start(name: str, _attributes: dict[str, str]) -> None:
        namespace, _, tag = name.rpartition(" ")
        path.append(tag if namespace == _EXTERNAL else "")
        if path[-1]:
            texts.setdefault(path[-1], "")

    def text(data: str) -> None:
        if path and path[-1]:
            texts[path[-1]] += data

    def refuse_entities(*_declared: object) -> None:
        raise TurkError("Question: entities are not allowed.", "XMLParseError")

    parser = expat.ParserCreate(namespace_separator=" ")
    parser.StartElementHandler = start
    parser.EndElementHandler = lambda _name: path.pop()
    parser.CharacterDataHandler = text
    parser.EntityDeclHandler = refuse_entities
    try:
        parser.Parse(question.encode(), True)
    except expat.ExpatError as error:
        raise TurkError(f"There was an error parsing the XML question: {error}", "XMLParseError") from error
    return texts


def frame_address(page: str, **parameters: str) -> str:
    """A page's address with what Mechanical Turk adds to it; parameters that it has already stay.

    >>> frame_address("https://example.org/a?b=1#c", assignmentId="X", hitId="Y")
    'https://example.org/a?b=1&assignmentId=X&hitId=Y#c'
    """
    parts = urlsplit(page)
    added = urlencode(parameters)
    return parts._replace(query=f"{parts.query}&{added}" if parts.query else added).geturl()


def answers_document(fields: tuple[tuple[str, str], ...]) -> str:
    """Submitted fields as the API gives them back."""
    answers = "".join(
        f"<Answer><QuestionIdentifier>{escape(name)}</QuestionIdentifier>"
        f"<FreeText>{escape(value)}</FreeText></Answer>"
        for name, value in fields
    )
    header = '<?xml version="1.0" encoding="ASCII"?>'
    return f'{header}<QuestionFormAnswers xmlns="{_ANSWERS}">{answers}</QuestionFormAnswers>'
