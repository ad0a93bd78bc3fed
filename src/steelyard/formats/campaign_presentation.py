"""How a campaign shows its items: the protocol's own choices, the organiser's, and all words in between."""

from __future__ import annotations

import tomllib
from collections.abc import Mapping
from pathlib import Path
from typing import Any

from steelyard.domain.errors import SourceError
from steelyard.domain.languages import base_language, problem_with
from steelyard.domain.plugin import Protocol, TextRole
from steelyard.formats.campaign_entry import entry_of
from steelyard.formats.campaign_files import CampaignFiles
from steelyard.formats.campaign_spans import spans_shown
from steelyard.formats.campaign_tables import CampaignFile
from steelyard.formats.text_file import read_text
from steelyard.protocols import check_words, languages_of, words_in


def presentation(parsed: CampaignFile, protocol: Protocol, files: CampaignFiles) -> dict[str, Any]:
    """What the campaign records of its presentation; problems are noted in `files`."""
    table = parsed.presentation
    shown: dict[str, Any] = {**protocol.presentation, "texts_as_images": table.texts_as_images}
    if table.line_width_px is not None:
        if "line_width_px" in protocol.presentation:
            shown["line_width_px"] = table.line_width_px
        else:
            files.problems.append(f"[presentation] line_width_px: {protocol.name} has no line; leave it out.")
    if protocol.may_show:
        shown["shows"] = list(roles_chosen(parsed, protocol))
    elif table.shows is not None:
        files.problems.append(
            f"[presentation] shows: {protocol.name} always shows the same texts; leave it out."
        )
    if parsed.design.order == "documents":
        shown["context"] = "whole" if protocol.whole_documents else True
    marking, problems = spans_shown(parsed.spans, protocol, parsed.campaign.target_language)
    files.problems += problems
    if marking is not None:
        shown["spans"] = marking
    shown["words"] = _words(parsed, protocol, files)
    entry = entry_of(parsed, protocol, roles_chosen(parsed, protocol), files, shown)
    if entry is not None:
        shown["entry"] = entry.recorded
    files.problems += _example_problems(parsed, protocol)
    if parsed.examples:
        shown["examples"] = [
            example.model_dump() for example in sorted(parsed.examples, key=lambda each: -each.rating)
        ]
    return shown


def _words(parsed: CampaignFile, protocol: Protocol, files: CampaignFiles) -> dict[str, Any] | None:
    """The organiser's own words, or the protocol's in the language of the translations."""
    name, language = parsed.presentation.instructions, parsed.campaign.target_language
    words = _own_words(name, protocol, files) if name else words_in(protocol, language)
    if name is None and words is None and not problem_with(language):
        files.problems.append(_no_words(language, protocol))
    elif name is not None and words is not None:
        files.warnings += foreign_words(words, language)
    return words


def roles_chosen(parsed: CampaignFile, protocol: Protocol) -> tuple[TextRole, ...]:
    """The texts that workers will see; none for an attribute that the protocol does not have."""
    chosen = parsed.presentation.shows
    if chosen is None or not protocol.may_show:
        return protocol.shows.get(parsed.campaign.attribute, ())
    return ("text", *(role for role in protocol.may_show if role in chosen))


def _own_words(name: str, protocol: Protocol, files: CampaignFiles) -> dict[str, Any] | None:
    """The organiser's own words, checked against the English ones."""
    words = files.read(name, _read_toml)
    if words is not None:
        files.problems += [f"{name}: {problem}" for problem in words_problems(words, protocol)]
    return words


def words_problems(words: Mapping[str, Any], protocol: Protocol) -> list[str]:
    """What an organiser's own words lack, beside the protocol's English ones."""
    english = words_in(protocol, "en")
    assert english is not None, "every protocol has English words"
    return check_words(words, like=english)


def foreign_words(words: Mapping[str, Any], target_language: str) -> list[str]:
    """A warning about words in another language than the texts to judge."""
    language = words.get("language")
    if language == target_language or language == base_language(target_language):
        return []
    return [
        f'the instructions say that they are in "{language}", the texts to judge are in "{target_language}". '
        'Translate them, and set language in their file; statements such as "fluent English" name a language.'
    ]


def _read_toml(path: Path) -> dict[str, Any]:
    return parse_words(read_text(path), where=str(path))


def parse_words(text: str, *, where: str) -> dict[str, Any]:
    """The words in a TOML file's text; SourceError if it is none."""
    try:
        return tomllib.loads(text)
    except ValueError as error:
        raise SourceError(where, [f"is not valid TOML: {error}."]) from None


def _no_words(language: str, protocol: Protocol) -> str:
    bundled = ", ".join(languages_of(protocol))
    return (
        f'[campaign] target_language: {protocol.name} has no instructions in "{language}" yet (it has: '
        f"{bundled}). To add them, translate what `steelyard example {protocol.name} --instructions en` "
        'prints and name your file: [presentation] instructions = "own.toml".'
    )


def _example_problems(parsed: CampaignFile, protocol: Protocol) -> list[str]:
    """Examples that are missing, too many, or of no use to the protocol."""
    if not protocol.examples_at:
        return (
            [f"[[examples]]: {protocol.name} shows no examples; leave them out."] if parsed.examples else []
        )
    ratings = [example.rating for example in parsed.examples]
    wanted = ", ".join(f"{rating:g}" for rating in protocol.examples_at)
    problems = [
        f"[[examples]]: {protocol.name} needs one with rating = {rating:g}; give one for each of {wanted}."
        for rating in protocol.examples_at
        if rating not in ratings
    ]
    problems += [
        f"[[examples]]: there are {ratings.count(rating)} with rating = {rating:g}; leave one."
        for rating in sorted(set(ratings))
        if ratings.count(rating) > 1
    ]
    problems += [
        f"[[examples]] number {number}: rating {rating:g} is none of {wanted}."
        for number, rating in enumerate(ratings, start=1)
        if rating not in protocol.examples_at
    ]
    return problems
