"""What can go wrong, by what the person concerned should do about it.

EvaluationError
├── CampaignError    a campaign file asks for something impossible; carries every problem found
├── SourceError      a judgements file or a database cannot be used; carries every problem found
├── AnswerError      a worker's answer does not fit its item; carries the field
├── ChoiceError      a choice, name or value of an option that does not exist or does not fit
├── NotFound         there is no such thing, or it is not yours
├── Conflict         it exists, but its state forbids what was asked
├── PlatformError    a crowd platform refused, or could not be reached: nothing was done
│   └── ReplyLost    it may or may not have done what was asked: ask it before trying again
├── TooMany          more than one caller may ask for; carries how long to wait
└── NotEnoughData    the data cannot support what was asked
"""

from __future__ import annotations

import re
from collections.abc import Callable, Sequence
from typing import Any

# The name of an option in a sentence, such as {gold_form}, or a choice to make, such as {method=mean-z}.
_OPTION = re.compile(r"\{(\w+)(?:=([^{}]+))?\}")


class EvaluationError(Exception):
    """Base of everything this package raises on purpose; its text is meant for people."""

    def spelt(self, spell: Callable[[str, str | None], str]) -> str:
        """The text, with options in the caller's spelling."""
        return str(self)

    def __reduce__(self) -> tuple[Any, ...]:
        # As it is: what an error was made from is not what its text says.
        return _error_again, (type(self), self.args, dict(self.__dict__))


def _error_again(
    kind: type[EvaluationError], args: tuple[Any, ...], fields: dict[str, Any]
) -> EvaluationError:
    """An error that came from another process."""
    error = kind.__new__(kind, *args)
    error.args = args
    error.__dict__.update(fields)
    return error


def as_argument(name: str, value: str | None) -> str:
    """An option as an argument of a Python function.

    >>> as_argument("method", "mean-z"), as_argument("scale", "MIN,MAX")
    ('method="mean-z"', 'scale=(MIN, MAX)')
    >>> as_argument("columns", "known=COLUMN")
    'columns={"known": "COLUMN"}'
    """
    if value is None:
        return name
    if name == "create":
        return f'steelyard.create("CAMPAIGN.toml", "{value}")'
    if "=" in value:
        parts = (part.partition("=") for part in value.split(","))
        written = ", ".join(f'"{ours}": "{theirs}"' for ours, _, theirs in parts)
        return f"{name}={{{written}}}"
    if value.isupper():
        return f"{name}=({value.replace(',', ', ')})" if "," in value else f"{name}={value}"
    return f"{name}={value}" if value == "True" else f'{name}="{value}"'


def as_command_line(name: str, value: str | None) -> str:
    """An option as people type it in a terminal.

    >>> as_command_line("columns", "known=COLUMN"), as_command_line("keep_hits", "True")
    ('--columns known=COLUMN', '--keep-hits')
    """
    if name == "create":
        return f"steelyard create CAMPAIGN.toml {as_command_line('db', value)}"
    option = f"--{name.replace('_', '-')}"
    return option if value in (None, "True") else f"{option} {value}"


class _OptionsNamedError(EvaluationError):
    """An error whose sentence may name options, in braces: `{gold_form}` or `{method=mean-z}`.

    Its text names them as Python arguments; `spelt` names them as another caller would.

    >>> error = ChoiceError("Leave out {gold_form}, or use {method=two-stage}.")
    >>> print(error)
    Leave out gold_form, or use method="two-stage".
    >>> error.spelt(as_command_line)
    'Leave out --gold-form, or use --method two-stage.'
    """

    def __init__(self, sentence: str) -> None:
        self.sentence = sentence
        super().__init__(self.spelt(as_argument))

    def spelt(self, spell: Callable[[str, str | None], str]) -> str:
        return _OPTION.sub(lambda match: spell(match[1], match[2]), self.sentence)


class _ListedProblemsError(EvaluationError):
    """An error that reports all problems of one file at once."""

    SHOWN = 20

    def __init__(self, where: str, problems: Sequence[str]) -> None:
        self.where = where
        self._problems: tuple[str, ...] = tuple(problems)
        self.problems: tuple[str, ...] = self._spelt(as_argument)
        super().__init__(self._text(self.problems))

    def spelt(self, spell: Callable[[str, str | None], str]) -> str:
        return self._text(self._spelt(spell))

    def _spelt(self, spell: Callable[[str, str | None], str]) -> tuple[str, ...]:
        return self._problems

    def _text(self, problems: Sequence[str]) -> str:
        if len(problems) == 1:
            return f"{self.where}: {problems[0]}"
        lines = [f"{self.where}: {len(problems)} problems."]
        lines += [f"  - {problem}" for problem in problems[: self.SHOWN]]
        hidden = len(problems) - self.SHOWN
        if hidden > 0:
            lines.append(f"  … and {hidden} more.")
        return "\n".join(lines)


class CampaignError(_ListedProblemsError):
    """A campaign file that cannot become a campaign. Nothing has been written."""


class SourceError(_ListedProblemsError):
    """A judgements file or database that cannot be read or written as asked.

    Problems may name options with a value, `{columns=worker=COLUMN}`, and say how to make a campaign in a
    database, `{create=eval.db}`; other braces are the file's own.
    """

    def _spelt(self, spell: Callable[[str, str | None], str]) -> tuple[str, ...]:
        return tuple(
            _OPTION.sub(lambda match: spell(match[1], match[2]) if match[2] else match[0], problem)
            for problem in self._problems
        )


class AnswerError(EvaluationError):
    """An answer that its item or protocol does not allow. Nothing has been stored."""

    def __init__(self, message: str, field: str | None = None) -> None:
        super().__init__(message)
        self.field = field


class ChoiceError(_OptionsNamedError, ValueError):
    """A choice, name or value of an option that does not exist, or that does not fit the others."""


class NotFound(EvaluationError):  # noqa: N818 (the dictionary's word)
    """There is no such campaign, worker, item or link."""


class Conflict(EvaluationError):  # noqa: N818 (the dictionary's word)
    """The thing exists, but it is past or not yet at the point where this can be done.

    `code` tells programs which of several such points it is.
    """

    def __init__(self, message: str, code: str = "conflict") -> None:
        super().__init__(message)
        self.code = code


class PlatformError(EvaluationError):
    """A crowd platform refused what was asked, or could not be reached. It has done nothing.

    `status`: the HTTP status by which it refused, if it answered at all.
    """

    def __init__(self, message: str, *, status: int | None = None) -> None:
        super().__init__(message)
        self.status = status


class ReplyLost(PlatformError):  # noqa: N818 (reads as a sentence where it is raised)
    """A crowd platform was asked, and no reply came: it may have acted or not. Ask it, and repeat nothing."""


class TooMany(EvaluationError):  # noqa: N818 (reads as a sentence where it is raised)
    """More than one caller may ask for at once; `wait`: seconds until asking again may help."""

    def __init__(self, message: str, *, wait: float) -> None:
        self.wait = wait
        super().__init__(message)


class NotEnoughData(_OptionsNamedError):  # noqa: N818 (the dictionary's word)
    """What was asked needs more, or other, judgements than there are."""
