"""Parts of Steelyard that come only with an extra of its package."""

from __future__ import annotations

from steelyard.domain.errors import EvaluationError

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
    "httpx2": "server",
    "boto3": "mturk",
    "icu4py": "scripts",
}


class PartMissingError(EvaluationError, ModuleNotFoundError):
    """A part of Steelyard is not installed; says how to get it."""


def how_to_install(extra: str) -> str:
    """How to get what an extra brings, for the end of a sentence.

    >>> how_to_install("plots")
    'pip install "steelyard[plots]", or in a clone: pip install ".[plots]"'
    """
    return f'pip install "steelyard[{extra}]", or in a clone: pip install ".[{extra}]"'


def missing_part(error: ModuleNotFoundError) -> ModuleNotFoundError:
    """What to raise where a module that comes with an extra is not there; any other error as it is.

    >>> print(missing_part(ModuleNotFoundError(name="matplotlib.pyplot")))
    this needs more parts of Steelyard: pip install "steelyard[plots]", or in a clone: pip install ".[plots]"
    """
    extra = EXTRA_OF_MODULE.get((error.name or "").partition(".")[0])
    if extra is None:
        return error
    return PartMissingError(f"this needs more parts of Steelyard: {how_to_install(extra)}", name=error.name)
