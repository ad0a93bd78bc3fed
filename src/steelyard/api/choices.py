"""Keywords of a study: its own settings by name, and the options of the analysis behind it."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import fields, replace
from typing import TYPE_CHECKING, Any, TypeVar

from steelyard.api.reading import READING
from steelyard.domain.options import given_options, options_of, require_known_names
from steelyard.flows.settings import known_names

if TYPE_CHECKING:
    from _typeshed import DataclassInstance

Settings = TypeVar("Settings", bound="DataclassInstance")
# A field that every study fills in by itself.
_MADE_HERE = "analysis"


class StudyChoices:
    """The keywords of one call: each is taken once, by the first settings that have it.

    >>> from steelyard.evaluation.replication.settings import ReplicationSettings
    >>> given = StudyChoices("replicate", {"draws": 50, "check": "none"})
    >>> given.settings(ReplicationSettings, None).draws
    50
    >>> given.of_analysis()
    {'check': 'none'}
    """

    def __init__(self, study: str, options: Mapping[str, Any]) -> None:
        self._study = study
        # None was not given.
        self._left = {name: value for name, value in options.items() if value is not None}
        self._known: list[str] = []

    def settings(self, cls: type[Settings], given: Settings | None, *names: str) -> Settings:
        """Settings of this class: those given as a whole, or the usual, with the keywords put in.

        `names`: the fields that may be keywords; all unless given.
        """
        allowed = names or [each.name for each in fields(cls) if each.name != _MADE_HERE]
        self._known += allowed
        taken = {name: self._left.pop(name) for name in allowed if name in self._left}
        single = {found.name for found in options_of(cls) if found.several}
        listed = {
            name: [value] if name in single and _is_one(value) else value for name, value in taken.items()
        }
        read = taken | given_options(cls, listed)
        plain = {name: _as_tuple(value) for name, value in read.items()}
        return replace(given, **plain) if given is not None else cls(**plain)

    def of_analysis(self, *further: str) -> dict[str, Any]:
        """The keywords that are left: options of the analysis. ChoiceError for one that nobody has.

        Those of `read` are left to `source_of`. `further`: names that the call itself takes, to be listed
        with the others.
        """
        known = [*further, *self._known, *known_names(), *READING]
        require_known_names(self._left, known, within=self._study)
        return {name: value for name, value in self._left.items() if name not in READING}

    def require_all_used(self) -> None:
        """ChoiceError for a keyword that nobody has taken."""
        require_known_names(self._left, self._known, within=self._study)


def _is_one(value: Any) -> bool:
    return isinstance(value, int | float)


def _as_tuple(value: Any) -> Any:
    """Lists and mappings as settings hold them: tuples."""
    if isinstance(value, Mapping):
        return tuple((name, _as_tuple(part)) for name, part in value.items())
    return tuple(map(_as_tuple, value)) if isinstance(value, list | tuple) else value
