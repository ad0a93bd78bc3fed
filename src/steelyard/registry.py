"""Finds plugins: every public module of a package offers exactly one constant."""

from __future__ import annotations

from importlib import import_module
from pkgutil import iter_modules
from types import ModuleType
from typing import Any


def discover(package: ModuleType, offer: str, *, every: bool = True) -> dict[str, Any]:
    """Return {plugin.name: plugin} for the `offer` constant of every public module, by name.

    Adding a plugin means adding a file; nothing else is edited. Modules whose name begins
    with an underscore are helpers and offer nothing. Without `every`, other modules need not offer it either.
    """
    found: dict[str, Any] = {}
    for module_info in iter_modules(package.__path__, f"{package.__name__}."):
        if module_info.name.rpartition(".")[2].startswith("_"):
            continue
        module = import_module(module_info.name)
        if not every and not hasattr(module, offer):
            continue
        plugin = getattr(module, offer)
        if plugin.name in found:
            raise ValueError(f"{module_info.name}: the name {plugin.name!r} is already taken")
        found[plugin.name] = plugin
    return dict(sorted(found.items()))
