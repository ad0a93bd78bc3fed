"""The campaign file: one TOML file that says what is judged, in which texts, and how."""

from __future__ import annotations

import tomllib
from difflib import get_close_matches
from importlib.resources import files
from pathlib import Path
from typing import Annotated, Any

from pydantic import BaseModel, ConfigDict, Field, ValidationError

from steelyard.design.layout import layout_for, smaller_layouts, supported_sizes
from steelyard.domain.campaign import Campaign, CampaignSettings, DesignSettings
from steelyard.domain.errors import CampaignError, SourceError
from steelyard.domain.languages import base_language, problem_with
from steelyard.domain.text import Segment, System
from steelyard.formats.text_file import read_lines, read_text
from steelyard.protocols import protocols
from steelyard.qc import checks

# A path that begins like this names a text that ships with Steelyard.
BUNDLED = "demo:"

Name = Annotated[str, Field(pattern=r"^[A-Za-z0-9][A-Za-z0-9._-]*$", max_length=64)]
SystemName = Annotated[str, Field(min_length=1, max_length=100)]


class _Strict(BaseModel):
    model_config = ConfigDict(extra="forbid", strict=True)


class CampaignTable(_Strict):
    """[campaign]: what is judged."""

    name: Name
    title: Annotated[str, Field(min_length=1, max_length=200)]
    protocol: str
    attribute: str
    source_language: str
    target_language: str
    seed: Annotated[int, Field(ge=0, lt=2**63)] = 7


class TextsTable(_Strict):
    """[texts]: one segment per line, all files of the same length."""

    source: str
    reference: str
    documents: str | None = None


class SystemTable(_Strict):
    """[[systems]]: one per system."""

    name: SystemName
    translations: str
    is_human: bool = False


class DesignTable(_Strict):
    """[design]: how texts become HITs."""

    hit_size: int = 100
    ratings_per_item: Annotated[int, Field(ge=1, le=1000)] = 1


class QualityTable(_Strict):
    """[quality]: how workers are checked."""

    check: str = "paired-t"


class CampaignFile(_Strict):
    """A whole campaign file."""

    campaign: CampaignTable
    texts: TextsTable
    systems: Annotated[list[SystemTable], Field(min_length=1)]
    design: DesignTable = DesignTable()
    quality: QualityTable = QualityTable()


def read(path: Path) -> Campaign:
    """The campaign a file describes, its texts read; or one CampaignError with all problems."""
    try:
        raw = tomllib.loads(read_text(path))
    except SourceError as error:
        raise CampaignError(error.where, error.problems) from None
    except tomllib.TOMLDecodeError as error:
        raise CampaignError(str(path), [f"is not valid TOML: {error}."]) from None
    try:
        parsed = CampaignFile.model_validate(raw)
    except ValidationError as error:
        raise CampaignError(str(path), [_plain(problem) for problem in error.errors()]) from None
    problems = _setting_problems(parsed)
    texts = _TextReader(path.parent)
    campaign = _assemble(parsed, texts)
    problems += texts.problems + _text_problems(parsed, campaign)
    if problems:
        raise CampaignError(str(path), problems)
    return campaign


def _plain(problem: Any) -> str:
    """One of pydantic's findings as a sentence that names the key the way the file writes it."""
    *tables, key = problem["loc"]
    where = "".join(
        f"[{table}] " if isinstance(table, str) else f"number {table + 1}: " for table in tables
    ).replace("[systems] number", "[[systems]] number")
    kind = problem["type"]
    if kind == "extra_forbidden":
        return f'{where}does not know the key "{key}".{_suggestion(tables, str(key))}'
    if kind == "missing":
        what = f"the table [{key}]" if not tables else f'the key "{key}"'
        return f"{where}lacks {what}."
    if kind == "string_pattern_mismatch":
        return f'{where}"{key}" may hold letters, digits, dots, dashes and underscores only.'
    value = problem.get("input")
    shown = f", not {value!r}" if isinstance(value, str | int | float | bool) else ""
    message = problem["msg"][0].lower() + problem["msg"][1:]
    return f'{where}"{key}": {message}{shown}.'


def _suggestion(tables: list[Any], key: str) -> str:
    models: dict[str, type[BaseModel]] = {
        "campaign": CampaignTable,
        "texts": TextsTable,
        "systems": SystemTable,
        "design": DesignTable,
        "quality": QualityTable,
    }
    model = models[tables[0]] if tables else CampaignFile
    known = list(model.model_fields)
    close = get_close_matches(key, known, n=1)
    return f' Did you mean "{close[0]}"?' if close else f" It knows: {', '.join(known)}."


def _setting_problems(parsed: CampaignFile) -> list[str]:
    """What is wrong with the settings by themselves."""
    campaign, problems = parsed.campaign, []
    for key in ("source_language", "target_language"):
        problem = problem_with(getattr(campaign, key))
        if problem:
            problems.append(f"[campaign] {key}: {problem}.")
    known = protocols()
    protocol = known.get(campaign.protocol)
    if protocol is None:
        problems.append(
            f'[campaign] protocol "{campaign.protocol}" is unknown; there is: {", ".join(known)}.'
        )
    else:
        if campaign.attribute not in protocol.attributes:
            choices = ", ".join(protocol.attributes)
            problems.append(
                f'[campaign] attribute "{campaign.attribute}" is unknown; {protocol.name} has: {choices}.'
            )
        language = base_language(campaign.target_language)
        instructions = protocol.folder / "instructions"
        if not problem_with(campaign.target_language) and not (instructions / f"{language}.toml").exists():
            bundled = ", ".join(sorted(file.stem for file in instructions.glob("*.toml")))
            problems.append(
                f'[campaign] target_language: {protocol.name} has no instructions in "{language}" yet '
                f"(it has: {bundled}). To add them, translate the protocol's instructions/en.toml "
                f"to {language}.toml beside it."
            )
    if parsed.quality.check not in checks():
        problems.append(
            f'[quality] check "{parsed.quality.check}" is unknown; there is: {", ".join(checks())}.'
        )
    if parsed.design.hit_size not in supported_sizes():
        sizes = ", ".join(str(size) for size in supported_sizes())
        problems.append(f"[design] hit_size {parsed.design.hit_size} is not offered; choose one of: {sizes}.")
    names = [system.name for system in parsed.systems]
    for name in sorted({name for name in names if names.count(name) > 1}):
        problems.append(
            f'[[systems]]: the name "{name}" is used {names.count(name)} times; each system needs its own.'
        )
    return problems


class _TextReader:
    """Reads text files relative to the campaign file and remembers what went wrong."""

    def __init__(self, folder: Path) -> None:
        self.folder = folder
        self.problems: list[str] = []

    def lines(self, name: str) -> list[str] | None:
        """The lines of the named file, or None with the problem noted."""
        if name.startswith(BUNDLED):
            path = Path(str(files("steelyard"))) / "demo" / name.removeprefix(BUNDLED)
        else:
            path = self.folder / name
        try:
            return read_lines(path)
        except SourceError as error:
            self.problems += [f"{name}: {problem}" for problem in error.problems]
            return None


def _assemble(parsed: CampaignFile, texts: _TextReader) -> Campaign:
    """The campaign from whatever could be read; what could not is noted in `texts.problems`."""
    source = texts.lines(parsed.texts.source)
    n_segments = len(source) if source is not None else None

    def same_length(name: str) -> list[str]:
        lines = texts.lines(name)
        if lines is None or n_segments is None:
            return []
        if len(lines) != n_segments:
            texts.problems.append(
                f"{name}: has {len(lines)} lines, but {parsed.texts.source} has {n_segments}; "
                "line k of every file must belong to segment k."
            )
            return []
        texts.problems += _empty_lines(name, lines)
        return lines

    if source is not None:
        texts.problems += _empty_lines(parsed.texts.source, source)
    reference = same_length(parsed.texts.reference)
    documents = same_length(parsed.texts.documents) if parsed.texts.documents else []
    translations = {system.name: same_length(system.translations) for system in parsed.systems}
    segments = tuple(
        Segment(
            segment_id=str(k),
            document_id=documents[k - 1] if documents else str(k),
            source=line,
            reference=reference[k - 1] if reference else "",
        )
        for k, line in enumerate(source or [], start=1)
    )
    return Campaign(
        settings=_settings(parsed),
        systems=tuple(System(system.name, is_human=system.is_human) for system in parsed.systems),
        segments=segments,
        translations=translations,
    )


def _settings(parsed: CampaignFile) -> CampaignSettings:
    return CampaignSettings(
        **parsed.campaign.model_dump(),
        check=parsed.quality.check,
        design=DesignSettings(**parsed.design.model_dump()),
        presentation=_presentation(parsed),
    )


def _presentation(parsed: CampaignFile) -> dict[str, Any]:
    """How the protocol shows items in the target language; empty where that is one of the problems."""
    protocol = protocols().get(parsed.campaign.protocol)
    language = base_language(parsed.campaign.target_language)
    if protocol is None or not (words := protocol.folder / "instructions" / f"{language}.toml").is_file():
        return {}
    return {**protocol.presentation, "words": tomllib.loads(words.read_text("utf-8"))}


def _empty_lines(name: str, lines: list[str]) -> list[str]:
    empty = [str(k) for k, line in enumerate(lines, start=1) if not line.strip()]
    if not lines:
        return [f"{name}: is empty."]
    if not empty:
        return []
    shown = ", ".join(empty[:10]) + (f" and {len(empty) - 10} more" if len(empty) > 10 else "")
    return [f"{name}: line {shown} {'is' if len(empty) == 1 else 'are'} empty; every segment needs its text."]


def _text_problems(parsed: CampaignFile, campaign: Campaign) -> list[str]:
    """Too few texts for one HIT. Said only if everything could be read."""
    size = parsed.design.hit_size
    expected = len(campaign.segments) * len(campaign.systems)
    if (
        size not in supported_sizes()
        or not expected
        or sum(map(len, campaign.translations.values())) != expected
    ):
        return []
    needed = layout_for(size).n_regular
    if expected >= needed:
        return []
    smaller = smaller_layouts(expected)
    if smaller:
        best = max(smaller)
        advice = f"Set [design] hit_size = {best}, which needs {layout_for(best).n_regular}, or add texts."
    else:
        least = layout_for(min(supported_sizes())).n_regular
        advice = f"Add texts: the smallest HIT (hit_size = {min(supported_sizes())}) needs {least}."
    return [
        f"{len(campaign.systems)} systems x {len(campaign.segments)} segments are {expected} translations, "
        f"but one HIT of {size} items needs {needed}. {advice}"
    ]
