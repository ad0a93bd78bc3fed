"""Parts of Steelyard that come only with an extra of its package."""

from __future__ import annotations

# The extra that brings a module.
EXTRA_OF_MODULE = {
    "fastapi": "server",
    "pydantic": "server",
    "sqlalchemy": "server",
    "uvicorn": "server",
    "starlette": "server",
    "psycopg": "postgres",
    "matplotlib": "plots",
    "sacrebleu": "metrics",
}


def how_to_install(extra: str) -> str:
    """How to get what an extra brings, for the end of a sentence.

    >>> how_to_install("plots")
    'pip install "steelyard[plots]", or in a clone: pip install ".[plots]"'
    """
    return f'pip install "steelyard[{extra}]", or in a clone: pip install ".[{extra}]"'
