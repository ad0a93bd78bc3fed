"""Options: fields of a frozen settings class that also say what they mean and how they are written.

An option stands in one place, as a field. The command line, keyword arguments, validation and the signature
all derive from it:

    @dataclass(frozen=True)
    class TwoStageSettings(MethodSettings):
        gold_form: Literal["usual", "printed"] = option("usual", help="…", signature="gold-form")

Fields without `option` are not offered to users.
"""

from __future__ import annotations

import dataclasses
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from functools import cache
from numbers import Integral, Real
from types import NoneType, UnionType
from typing import Any, Literal, Union, get_args, get_origin, get_type_hints

from steelyard.domain.errors import ChoiceError
from steelyard.domain.nearest import did_you_mean, no_such

_KEY = "steelyard option"


@dataclass(frozen=True, slots=True)
class Option:
    """One option as its field declares it.

    `kind` is the type of a single value; `several`: the value is a tuple of them, which people may write
    with commas. `choices`: the values that exist, if they are a fixed set; empty: any. `optional`: None is
    a value too. `usual`: the default in words, where it depends on other things.
    """

    name: str
    kind: type
    default: Any
    help: str
    choices: tuple[str, ...] = ()
    several: bool = False
    optional: bool = False
    signature: str | None = None
    always_signed: bool = False
    metavar: str | None = None
    minimum: float | None = None
    maximum: float | None = None
    usual: str | None = None
    opposite: str | None = None

    @property
    def usually(self) -> str | None:
        """The default in words; None where there is nothing to say."""
        if self.usual is not None or self.default is None or self.is_flag or self.default == ():
            return self.usual
        return ",".join(map(_plain, self.default)) if self.several else _plain(self.default)

    @property
    def is_flag(self) -> bool:
        """Whether it is either on or off."""
        return self.kind is bool

    def read(self, value: Any) -> Any:
        """The value as the field holds it; ChoiceError for one that does not exist or does not fit.

        >>> Option("folds", int, 10, "Parts.", several=True).read("2, 5")
        (2, 5)
        """
        if value is None and self.optional:
            return None
        if not self.several:
            return self._read_one(value)
        if isinstance(value, str):
            value = [part.strip() for part in value.split(",") if part.strip()]
        if not isinstance(value, Iterable):
            raise ChoiceError(f"{{{self.name}}} must be a list, not {value!r}.")
        return tuple(self._read_one(part) for part in value)

    def _read_one(self, value: Any) -> Any:
        if self.choices:
            if value not in self.choices:
                hint = did_you_mean(str(value), self.choices)
                raise ChoiceError(
                    f"{{{self.name}}} cannot be {value!r}. {hint}Use one of: {', '.join(self.choices)}."
                )
            return value
        found = self._converted(value)
        low, high = self.minimum, self.maximum
        if (low is not None and not found >= low) or (high is not None and not found <= high):
            raise ChoiceError(f"{{{self.name}}} must be {self._range}, not {value}.")
        return found

    @property
    def _range(self) -> str:
        if self.minimum is None:
            return f"at most {self.maximum:g}"
        return (
            f"at least {self.minimum:g}"
            if self.maximum is None
            else f"from {self.minimum:g} to {self.maximum:g}"
        )

    def _converted(self, value: Any) -> Any:
        is_truth = isinstance(value, bool)
        if self.kind is bool:
            fits = is_truth
        elif self.kind in (int, float):
            abstract = Integral if self.kind is int else Real
            fits = isinstance(value, abstract) and not is_truth
            if isinstance(value, str):
                try:
                    return self.kind(value)
                except ValueError:
                    fits = False
        else:
            fits = isinstance(value, self.kind)
        if not fits:
            raise ChoiceError(
                f"{{{self.name}}} must be {_WANTED.get(self.kind, 'of its kind')}, not {value!r}."
            )
        return self.kind(value) if self.kind in (int, float) else value

    def signed(self, value: Any) -> tuple[str, str] | None:
        """The part of a signature that says this value; None where it is the usual and goes without saying.

        The key of a flag is the whole part for a flag that is on, such as clicks:random.
        """
        if self.signature is None or (value == self.default and not self.always_signed):
            return None
        key, _, of_flag = self.signature.partition(":")
        if of_flag:
            return (key, of_flag) if value else None
        if value is None:
            return None
        shown = ",".join(map(_plain, value)) if self.several else _plain(value)
        return key, shown


_WANTED = {bool: "True or False", int: "a whole number", float: "a number", str: "text"}


def _plain(value: Any) -> str:
    return f"{value:g}" if isinstance(value, float) else str(value)


def option(  # noqa: PLR0913 (all that can be said about an option, each by name)
    default: Any,
    *,
    help: str,  # noqa: A002 (click's word, which everybody knows)
    signature: str | None = None,
    always_signed: bool = False,
    metavar: str | None = None,
    minimum: float | None = None,
    maximum: float | None = None,
    usual: str | None = None,
    opposite: str | None = None,
) -> Any:
    """A dataclass field that users can choose, with all that is said about it anywhere.

    `help`: a sentence for `--help` and the reference pages. `signature`: its key there; without one the
    choice is not part of a signature. `always_signed`: named in signatures even where it is as usual.
    `usual`: the default in words, if the value does not say it. `opposite`: the name of a flag's other side.
    """
    known = {
        "help": help,
        "signature": signature,
        "always_signed": always_signed,
        "metavar": metavar,
        "minimum": minimum,
        "maximum": maximum,
        "usual": usual,
        "opposite": opposite,
    }
    return dataclasses.field(default=default, metadata={_KEY: known})


@cache
def options_of(cls: type) -> tuple[Option, ...]:
    """The options that a settings class declares or inherits, in the order of its fields."""
    hints = get_type_hints(cls)
    return tuple(
        Option(name=field.name, default=field.default, **_typed(hints[field.name]), **field.metadata[_KEY])
        for field in dataclasses.fields(cls)
        if _KEY in field.metadata
    )


def own_options(cls: type, base: type) -> tuple[Option, ...]:
    """The options of a settings class that its base does not have."""
    shared = {option.name for option in options_of(base)}
    return tuple(option for option in options_of(cls) if option.name not in shared)


def given_options(cls: type, values: Mapping[str, Any]) -> dict[str, Any]:
    """Those of the values that are options of the class and were given, as its fields hold them.

    None was not given. ChoiceError for a value that does not exist or does not fit.
    """
    return {
        found.name: found.read(values[found.name])
        for found in options_of(cls)
        if values.get(found.name) is not None
    }


def require_known_names(given: Iterable[str], known: Iterable[str], *, within: str) -> None:
    """ChoiceError for an option that does not exist, with those that do.

    >>> require_known_names(["seed"], ["seed", "draws"], within="a plan")
    """
    names = list(dict.fromkeys(known))
    for name in given:
        if name not in names:
            raise ChoiceError(no_such("option", name, names, within=within, use="Use any of"))


def require_known_values(settings: Any) -> None:
    """ChoiceError if an option of these settings has a value that does not exist or does not fit."""
    cls: type = type(settings)
    for found in options_of(cls):
        value = getattr(settings, found.name)
        # Text that can be read as a number is none yet; a list is as good as a tuple.
        if found.read(value) != (tuple(value) if isinstance(value, list) else value):
            wanted = "a list" if found.several else _WANTED[found.kind]
            raise ChoiceError(f"{{{found.name}}} must be {wanted}, not {value!r}.")


def signed_options(settings: Any, options: Sequence[Option]) -> dict[str, str]:
    """The parts of a signature that say these options of the settings, by key."""
    parts = (found.signed(getattr(settings, found.name)) for found in options)
    return dict(part for part in parts if part is not None)


def merged(lists: Sequence[Sequence[Option]]) -> list[Option]:
    """Options of several classes, each name once, in an order that agrees with that of every list.

    Where two lists disagree about an order, the first one wins; of options that know different values, the
    one that knows most.
    """
    widest: dict[str, Option] = {}
    for found in (one for options in lists for one in options):
        if found.name not in widest or len(found.choices) > len(widest[found.name].choices):
            widest[found.name] = found
    rest = [[one.name for one in options] for options in lists if options]
    order: list[str] = []
    while rest:
        heads = (names[0] for names in rest if not any(names[0] in other[1:] for other in rest))
        head = next(heads, rest[0][0])
        order.append(head)
        rest = [left for names in rest if (left := [name for name in names if name != head])]
    return [widest[name] for name in order]


def _typed(hint: Any) -> dict[str, Any]:
    """What a type hint says of an option: one of several literals, a plain type, a tuple of one, or None."""
    optional = False
    if get_origin(hint) in (Union, UnionType):
        inner = [part for part in get_args(hint) if part is not NoneType]
        optional = len(inner) < len(get_args(hint))
        hint = inner[0]
    several = get_origin(hint) is tuple
    if several:
        hint = get_args(hint)[0]
    choices = get_args(hint) if get_origin(hint) is Literal else ()
    return {"kind": str if choices else hint, "choices": choices, "several": several, "optional": optional}
