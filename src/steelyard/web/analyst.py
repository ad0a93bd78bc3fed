"""The analyst: answers a manager's questions about the judgements, in this process or in one beside it.

A question is a verb and plain values; the answer is finished: bytes, or a temporary file to send. Routes do
not know who answers.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from pathlib import Path
from tempfile import gettempdir
from typing import Any, Protocol

from starlette.concurrency import run_in_threadpool

from steelyard.domain.errors import EvaluationError
from steelyard.flows.open import OpenCampaign
from steelyard.web.watched import Watched


@dataclass(frozen=True, slots=True)
class Question:
    """A verb of `analyst_verbs`, the campaign it is about ("" where there is but one), plain values."""

    verb: str
    campaign: str = ""
    arguments: dict[str, Any] = field(default_factory=dict)


@dataclass(frozen=True, slots=True)
class Answer:
    """What to send: bytes, or the file at `path`, which whoever gets the answer removes."""

    content: bytes = b""
    path: str | None = None

    def discard(self) -> None:
        """Nobody wants it any more."""
        if self.path is not None:
            Path(self.path).unlink(missing_ok=True)


class AnalystError(EvaluationError):
    """The analyst cannot answer now; asking again may help."""


class Analyst(Protocol):
    """Whoever answers."""

    def wake(self) -> None:
        """A question is to be expected: get ready."""

    async def ask(self, question: Question) -> Answer:
        """The answer; EvaluationError as the verb raises it, AnalystError if nobody can answer."""

    def close(self) -> None:
        """No further question will come."""


class AnalystHere:
    """Answers in threads of this process."""

    def __init__(self, campaigns: Mapping[str, OpenCampaign]) -> None:
        self.watched = {name: Watched.over(campaign) for name, campaign in campaigns.items()}

    def wake(self) -> None:
        """It is ready."""

    async def ask(self, question: Question) -> Answer:
        """The answer, once a thread has it."""
        return await run_in_threadpool(self._answer, question)

    def _answer(self, question: Question) -> Answer:
        from steelyard.web.analyst_verbs import answer_to

        return answer_to(self.watched, question, folder=Path(gettempdir()))

    def close(self) -> None:
        """Its campaigns are closed by whoever opened them."""
