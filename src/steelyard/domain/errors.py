"""What can go wrong, by what the person concerned should do about it.

EvaluationError
├── CampaignError    a campaign file asks for something impossible; carries every problem found
├── SourceError      a judgements file or a database cannot be used; carries every problem found
├── AnswerError      a worker's answer does not fit its item; carries the field
├── NotFound         there is no such thing, or it is not yours
├── Conflict         it exists, but its state forbids what was asked
└── NotEnoughData    the data cannot support what was asked
"""

from __future__ import annotations

from collections.abc import Sequence


class EvaluationError(Exception):
    """Base of everything this package raises on purpose; its text is meant for people."""


class _ListedProblemsError(EvaluationError):
    """An error that reports all problems of one file at once."""

    SHOWN = 20

    def __init__(self, where: str, problems: Sequence[str]) -> None:
        self.where = where
        self.problems = tuple(problems)
        super().__init__(self._text())

    def _text(self) -> str:
        if len(self.problems) == 1:
            return f"{self.where}: {self.problems[0]}"
        lines = [f"{self.where}: {len(self.problems)} problems."]
        lines += [f"  - {problem}" for problem in self.problems[: self.SHOWN]]
        hidden = len(self.problems) - self.SHOWN
        if hidden > 0:
            lines.append(f"  … and {hidden} more.")
        return "\n".join(lines)


class CampaignError(_ListedProblemsError):
    """A campaign file that cannot become a campaign. Nothing has been written."""


class SourceError(_ListedProblemsError):
    """A judgements file or database that cannot be read or written as asked."""


class AnswerError(EvaluationError):
    """An answer that its item or protocol does not allow. Nothing has been stored."""

    def __init__(self, message: str, field: str | None = None) -> None:
        super().__init__(message)
        self.field = field


class NotFound(EvaluationError):  # noqa: N818 (the dictionary's word)
    """There is no such campaign, worker, item or link."""


class Conflict(EvaluationError):  # noqa: N818 (the dictionary's word)
    """The thing exists, but it is past or not yet at the point where this can be done."""


class NotEnoughData(EvaluationError):  # noqa: N818 (the dictionary's word)
    """What was asked needs more, or other, judgements than there are."""
