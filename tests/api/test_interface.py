"""Every public name explains itself, with an example."""

from __future__ import annotations

import inspect

import polars as pl

import steelyard as sy
from steelyard import api
from steelyard.domain.analysis_options import AnalysisOptions
from steelyard.domain.options import options_of
from steelyard.domain.result import MethodSettings


def _public() -> list[tuple[str, object]]:
    """The public names, and the public methods and properties that classes among them define."""
    found: list[tuple[str, object]] = []
    for name in sorted({*sy.__all__, *api.__all__} - {"__version__"}):
        thing = getattr(api, name)
        found.append((name, thing))
        if inspect.isclass(thing):
            for cls in thing.__mro__:
                ours = vars(cls).items() if cls.__module__.startswith("steelyard.api") else ()
                found += [
                    (f"{name}.{part}", value)
                    for part, value in ours
                    if not part.startswith("_")
                    and (callable(value) or isinstance(value, property | classmethod))
                ]
    return found


# As in America spelt, or made from methods of Polars, which explains its own.
_BORROWED = ("Campaign.analyze", *(f"Frame.{name}" for name in dir(pl.DataFrame) if name != "to_pandas"))


def test_every_public_name_has_an_example() -> None:
    without = [name for name, thing in _public() if ">>> " not in (inspect.getdoc(thing) or "")]

    assert len(_public()) > 60
    assert [name for name in without if name not in _BORROWED] == []


def test_the_help_of_analyse_names_every_option_that_all_methods_have() -> None:
    known = [found.name for cls in (AnalysisOptions, MethodSettings) for found in options_of(cls)]

    assert len(known) > 15
    assert [name for name in known if f"`{name}`" not in (inspect.getdoc(sy.analyse) or "")] == []
