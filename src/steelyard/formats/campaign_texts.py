"""The texts of a campaign: found, read by the reader of their format, and checked for gaps."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, replace
from difflib import get_close_matches
from pathlib import Path

from steelyard.domain.campaign import GivenItem
from steelyard.domain.errors import SourceError
from steelyard.domain.text import CALIBRATION_SYSTEM, Segment, System
from steelyard.domain.wording import counted, listed
from steelyard.formats.campaign_files import CampaignFiles
from steelyard.formats.campaign_plain import read_plain_texts
from steelyard.formats.campaign_tables import MOST_LETTERS, CampaignFile, SystemTable, TextsFormat
from steelyard.formats.table_file import READ_ENDINGS, table_ending
from steelyard.formats.text_file import read_content
from steelyard.formats.texts import LanguagePair, Texts


@dataclass(frozen=True, slots=True)
class TextsOfFiles:
    """The systems that take part, their texts, and HITs that were laid out elsewhere."""

    systems: tuple[System, ...]
    segments: tuple[Segment, ...]
    translations: Mapping[str, Sequence[str | None]]
    given: tuple[tuple[GivenItem, ...], ...] = ()


def read_texts(parsed: CampaignFile, files: CampaignFiles) -> TextsOfFiles | None:
    """The texts of those systems that take part, or None; problems and warnings are noted in `files`."""
    n_before = len(files.problems)
    if parsed.texts.file is None:
        files.problems += _misplaced_with_plain_files(parsed)
        texts = read_plain_texts(parsed, files)
    else:
        texts = _read_one_file(parsed.texts.file, parsed, files)
    # Problems with the keys are already noted; wrong texts may be a mere consequence.
    if texts is None or len(files.problems) > n_before:
        return None
    chosen = _choose(parsed, texts, files)
    if chosen is None:
        return None
    if parsed.texts.first is not None:
        chosen = _first_segments(chosen, parsed, files)
    filled = _without_gaps(chosen, parsed, files)
    if parsed.texts.hits:
        filled = _with_hits(parsed.texts.hits, filled, files)
    if parsed.design.order in (None, "given"):
        files.problems += _strangers(filled, parsed.texts.hits or parsed.texts.file or "")
    return filled


def _first_segments(texts: TextsOfFiles, parsed: CampaignFile, files: CampaignFiles) -> TextsOfFiles:
    """The first segments and their translations; HITs that were laid out elsewhere need all of them."""
    n = parsed.texts.first
    if (texts.given and parsed.design.order in (None, "given")) or parsed.texts.hits:
        files.problems.append(
            "[texts] first cannot be used with HITs that are laid out already; leave it out."
        )
    if n is not None and n > len(texts.segments):
        there = counted(len(texts.segments), "segment")
        files.warnings.append(f"[texts] first = {n}, but there are only {there}: all are used.")
    return replace(
        texts,
        segments=texts.segments[:n],
        translations={name: found[:n] for name, found in texts.translations.items()},
    )


def _misplaced_with_plain_files(parsed: CampaignFile) -> list[str]:
    given = parsed.texts.model_fields_set & {"format", "columns"}
    return [
        f'[texts] "{key}" says how to read [texts] file, which is missing; plain files need none.'
        for key in sorted(given)
    ]


def _read_one_file(name: str, parsed: CampaignFile, files: CampaignFiles) -> Texts | None:
    files.problems += [
        f'[[systems]] number {number}: "translations" is for plain files; those of "{system.name}" are '
        f"looked for in {name}."
        for number, system in enumerate(parsed.systems, start=1)
        if system.translations is not None
    ]
    texts = files.read(name, lambda path: _reader_of(path, parsed)(path))
    if texts is None:
        return None
    files.warnings += [f"{name}: {warning}" for warning in texts.warnings]
    return _with_line_files(texts, parsed, files)


def _reader_of(path: Path, parsed: CampaignFile) -> Callable[[Path], Texts]:
    """The function that reads a file of this format."""
    texts, campaign = parsed.texts, parsed.campaign
    pair = LanguagePair(campaign.source_language, campaign.target_language)
    found = texts.format or _format_of(path)
    _refuse_keys(found, parsed, path)
    match found:
        case "table":
            from steelyard.formats.texts_table import read_texts_table

            return lambda path: read_texts_table(
                path,
                columns=texts.columns.model_dump(exclude_none=True),
                systems=[system.name for system in parsed.systems],
                incomplete=texts.incomplete,
            )
        case "wmt-xml":
            from steelyard.formats.wmt_xml import read_wmt_xml

            return lambda path: read_wmt_xml(path, pair=pair, reference=texts.reference)
        case "mt-metrics-eval":
            from steelyard.formats.mt_metrics_eval import read_mt_metrics_eval

            return lambda path: read_mt_metrics_eval(
                path, pair=pair, reference=texts.reference, incomplete=texts.incomplete
            )
        case "appraise":
            from steelyard.formats import appraise

            return appraise.read_batches
        case "pearmut":
            from steelyard.formats.pearmut import read_pearmut_texts

            return read_pearmut_texts
        case "anthea":
            from steelyard.formats.anthea import read_anthea_texts

            return lambda path: read_anthea_texts(path, pair=pair, reference=texts.reference)


def _format_of(path: Path) -> TextsFormat:
    """What a file is, by its ending, or by how it begins."""
    if path.is_dir():
        return "mt-metrics-eval"
    ending = Path(path.name.lower().removesuffix(".gz")).suffix
    if table_ending(path) and ending != ".tsv":
        return "table"
    begins = read_content(path)[:200].removeprefix(b"\xef\xbb\xbf").lstrip()
    if ending == ".tsv":
        return "anthea" if begins.startswith(b"{") else "table"
    if ending == ".xml" or begins.startswith((b"<?xml", b"<dataset")):
        return "wmt-xml"
    if begins.startswith(b"{"):
        return "pearmut"
    if ending == ".json" or begins.startswith(b"["):
        return "appraise"
    endings = ", ".join([*READ_ENDINGS, ".xml", ".json"])
    problem = f"cannot tell the format; end the name in {endings}, or set [texts] format."
    raise SourceError(str(path), [problem])


def _refuse_keys(found: TextsFormat, parsed: CampaignFile, path: Path) -> None:
    """Keys that mean nothing for a format."""
    problems = []
    if parsed.texts.reference is not None and found in ("table", "appraise", "pearmut"):
        advice = 'columns = { reference = "COLUMN" }' if found == "table" else "leave it out"
        problems.append(
            f"[texts] reference chooses among several references, which this file does not have: {advice}."
        )
    if "columns" in parsed.texts.model_fields_set and found != "table":
        problems.append(f"[texts] columns is for tables, and this is read as {found}; leave it out.")
    if problems:
        raise SourceError(str(path), problems)


def _with_line_files(texts: Texts, parsed: CampaignFile, files: CampaignFiles) -> Texts | None:
    """The texts with the source and the documents that plain files beside them give."""
    n_before, segments = len(files.problems), texts.segments
    for key, name in (("source", parsed.texts.source), ("documents", parsed.texts.documents)):
        if name is None:
            continue
        field = "source" if key == "source" else "document_id"
        if any(getattr(segment, field) not in ("", segment.segment_id) for segment in texts.segments):
            files.problems.append(f"[texts] {key}: {parsed.texts.file} already has its own; leave it out.")
            continue
        lines = files.lines(name)
        if lines is not None and len(lines) != len(segments):
            files.problems.append(
                f"{name}: has {len(lines)} lines, but {parsed.texts.file} has {len(segments)} segments; "
                "line k must belong to segment k."
            )
        elif lines is not None:
            segments = tuple(
                replace(segment, **{field: line}) for segment, line in zip(segments, lines, strict=True)
            )
    return replace(texts, segments=segments) if len(files.problems) == n_before else None


def _choose(parsed: CampaignFile, texts: Texts, files: CampaignFiles) -> TextsOfFiles | None:
    """The systems that the campaign names, or all that the file has."""
    names = [system.name for system in parsed.systems] or [
        name for name in texts.translations if name not in texts.on_request
    ]
    problems = [_unknown(name, texts, parsed) for name in names if name not in texts.translations]
    problems += [
        f'{parsed.texts.file}: the name of the system "{name[:20]}…" is longer than {MOST_LETTERS} letters.'
        for name in names
        if len(name) > MOST_LETTERS
    ]
    if CALIBRATION_SYSTEM in names:
        problems.append(
            f'the system "{CALIBRATION_SYSTEM}" needs another name: it is reserved for calibration texts.'
        )
    if not names or not texts.segments:
        problems.append(f"{parsed.texts.file}: has no {'segments' if names else 'translations'}.")
    files.problems += problems
    if problems:
        return None
    tables = parsed.systems or [SystemTable(name=name) for name in names]
    return TextsOfFiles(
        systems=tuple(
            System(table.name, is_human=table.is_human or table.name in texts.humans, weight=table.weight)
            for table in tables
        ),
        segments=texts.segments,
        translations={name: texts.translations[name] for name in names},
        given=texts.given,
    )


def _unknown(name: str, texts: Texts, parsed: CampaignFile) -> str:
    known = list(texts.translations)
    close = get_close_matches(name, known, n=1)
    hint = f'did you mean "{close[0]}"?' if close else f"it has: {listed(known, most=30) or 'none'}."
    return f'[[systems]]: {parsed.texts.file} has no system "{name}"; {hint}'


def _without_gaps(texts: TextsOfFiles, parsed: CampaignFile, files: CampaignFiles) -> TextsOfFiles:
    """The texts with blank translations made plainly empty; what is missing is noted."""
    translations = {
        name: [text if text is None or text.strip() else "" for text in lines]
        for name, lines in texts.translations.items()
    }
    ids = [segment.segment_id for segment in texts.segments]
    # HITs that are laid out already show what they hold, and a file of them need hold no more.
    as_given = bool(texts.given) and parsed.design.order in (None, "given")
    for name, lines in translations.items():
        absent = [k for k, text in zip(ids, lines, strict=True) if text is None]
        empty = [k for k, text in zip(ids, lines, strict=True) if text == ""]
        if len(absent) + len(empty) == len(ids):
            files.problems.append(f'the system "{name}" has no translations; add them, or remove the system.')
        elif absent and parsed.texts.incomplete:
            what = counted(len(absent), "segment")
            files.warnings.append(f'The system "{name}" has no translation of {what} of {len(ids):,}.')
        elif absent and not as_given:
            files.problems.append(
                f'the system "{name}" has no translation of {counted(len(absent), "segment")} '
                f"({listed(absent)}). Add them, remove the system, or set [texts] incomplete = true."
            )
        if empty and len(empty) < len(ids):
            what = counted(len(empty), "segment")
            files.warnings.append(
                f'The system "{name}" has an empty translation of {what} ({listed(empty)}); '
                "workers see a mark in its place."
            )
    return replace(texts, translations=translations)


def _with_hits(name: str, texts: TextsOfFiles, files: CampaignFiles) -> TextsOfFiles:
    """The texts with HITs in the upload layout of 2016."""
    from steelyard.formats.upload_2016 import read_upload

    given = files.read(name, read_upload)
    if given is None:
        return texts
    if texts.given:
        files.problems.append(
            "[texts] hits: the file of the texts has its own HITs; leave out one of the two."
        )
        return texts
    numbers = {str(k): segment.segment_id for k, segment in enumerate(texts.segments, start=1)}
    if not any(segment_id.isdigit() for segment_id in numbers.values()):
        # The layout knows segments by number only: that of their line, from 1.
        given = tuple(
            tuple(replace(item, segment_id=numbers.get(item.segment_id, item.segment_id)) for item in hit)
            for hit in given
        )
    return replace(texts, given=given)


def _strangers(texts: TextsOfFiles, name: str) -> list[str]:
    """Segments and systems in given HITs that the texts do not have."""
    segments = dict.fromkeys(item.segment_id for hit in texts.given for item in hit)
    systems = dict.fromkeys(item.system_id for hit in texts.given for item in hit)
    ids = {segment.segment_id for segment in texts.segments}
    lacking = (
        ("segment", [each for each in segments if each not in ids]),
        ("system", [each for each in systems if each not in texts.translations]),
    )
    return [
        f"{name}: its HITs name {counted(len(strangers), what)} that the texts lack ({listed(strangers)}); "
        "texts and HITs must use the same names, and all systems of the HITs take part."
        for what, strangers in lacking
        if strangers
    ]
