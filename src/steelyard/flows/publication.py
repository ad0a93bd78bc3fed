"""Publication: everything that a paper on an evaluation needs, as one folder that strangers can recompute."""

from __future__ import annotations

import hashlib
import shlex
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field, fields
from pathlib import Path
from typing import Any

import numpy as np

from steelyard.domain.errors import ChoiceError, NotEnoughData
from steelyard.domain.exhibit import Evidence, ExhibitOptions, Figure, Table
from steelyard.domain.nearest import no_such
from steelyard.domain.publication import CampaignFacts, CollectionFacts
from steelyard.domain.result import AnalysisSettings
from steelyard.domain.scale import VAS
from steelyard.exhibits import figures, tables
from steelyard.flows.analyse import weigh
from steelyard.flows.campaign_texts import CampaignTexts, translations_of
from steelyard.flows.data_package import CONTENTS, DataFile, write_data
from steelyard.flows.kept import frame_read
from steelyard.flows.open import OpenCampaign
from steelyard.flows.pseudonyms import pseudonymised
from steelyard.flows.publication_facts import campaign_facts, collection_facts
from steelyard.flows.settings import named_method, settings_from
from steelyard.flows.source import Source, from_campaign
from steelyard.flows.span_source import read_further
from steelyard.report import whole_files
from steelyard.report.cited_text import bibliography, cited_latex, cited_markdown, keys_cited
from steelyard.report.figure_file import write_figure
from steelyard.report.heds import HedsSheet, heds_json, heds_open, heds_sheet
from steelyard.report.json import analysis_json
from steelyard.report.latex import Document, named_parts, write_document
from steelyard.report.methods_analysis import methods_paragraphs
from steelyard.report.pack_readme import PackTable, PackTerms, data_card, pack_readme
from steelyard.report.tables_csv import table_csv

# What a paper usually shows; those that the judgements cannot support are left out.
USUAL_EXHIBITS = (
    *(
        "table:ranking",
        "table:campaign-counts",
        "table:agreement",
        "table:attributes",
        "table:severity-profile",
    ),
    *("figure:ranking", "figure:significance", "figure:rating-histograms", "figure:severity-profile"),
)
REPLAY = "replay"
_CONTENTS = {
    "methods.md": "the section on methods, in Markdown with Pandoc's citations",
    "methods.tex": "the same for LaTeX with natbib",
    "references.bib": "the entries that it cites",
    "exhibits/": "tables as LaTeX and CSV, figures as PDF and SVG; `exhibits.tex` shows them all",
    "heds.json": "the datasheet HEDS 3.0, for the form at <https://nlp-heds.github.io>",
    "heds-open.md": "the questions of the datasheet that are left to you",
    "data/": "judgements under pseudonyms and scores as Parquet, with their card",
    "results.json": "every number of the analysis, at full precision",
    "recompute.sh": "computes them again from `data/`",
    "SHA256SUMS": "checksums of the data and the results",
}


@dataclass(frozen=True, slots=True)
class PublicationOptions:
    """What goes into a pack. `exhibits`: names of tables and figures; empty: those that papers usually show.

    `licence` and `texts`: on which terms the data are given on. `write_replay` puts the pages that workers
    saw into a folder; None: it is left out. `media`: where the files are that sources show in it, if not
    beside the database.
    """

    exhibits: tuple[str, ...] = ()
    licence: str | None = None
    texts: bool = False
    write_replay: Callable[[Path], None] | None = None
    media: Path | None = None


@dataclass(frozen=True, slots=True)
class PublicationPack:
    """What was written, how many of the datasheet's questions are answered, and what is missing and why."""

    folder: Path
    n_answered: int
    n_exhibits: int
    notes: tuple[str, ...] = ()


@dataclass(frozen=True)
class _Pack:
    """What all parts of a pack are made from: everything is computed from judgements under pseudonyms."""

    source: Source
    evidence: Evidence
    facts: CollectionFacts
    sheet: HedsSheet
    texts: CampaignTexts | None
    given: Mapping[str, Any] = field(default_factory=dict)


def pack_options(given: Mapping[str, Any]) -> tuple[PublicationOptions, dict[str, Any]]:
    """What was given, apart: what goes into the pack, and the options of the analysis."""
    names = [each.name for each in fields(PublicationOptions)]
    own = {name: value for name, value in given.items() if name in names}
    if isinstance(own.get("exhibits"), str):
        own["exhibits"] = tuple(each.strip() for each in own["exhibits"].split(","))
    return PublicationOptions(**own), {name: value for name, value in given.items() if name not in names}


def publish_campaign(
    campaign: OpenCampaign,
    folder: Path,
    options: PublicationOptions,
    *,
    step: Callable[[int], None] = lambda _: None,
    **choices: Any,
) -> PublicationPack:
    """Write the pack of a campaign; the `choices` are options of an analysis, and `domains` and `weights`."""
    whole_files.require_empty(folder)
    further = {name: choices.pop(name, None) for name in ("domains", "weights")}
    source = read_further(from_campaign(campaign), **further)
    texts = translations_of(campaign) if options.texts else None
    known = campaign_facts(campaign, source)
    return _publish(source, known, texts, folder, options, step=step, choices=choices)


def publish_source(
    source: Source,
    folder: Path,
    options: PublicationOptions,
    *,
    step: Callable[[int], None] = lambda _: None,
    **choices: Any,
) -> PublicationPack:
    """Write the pack of judgements that came from a file; it says less than one of a campaign."""
    whole_files.require_empty(folder)
    return _publish(source, None, None, folder, options, step=step, choices=choices)


# How many times `step` is called with 1.
N_STEPS = 5


def _publish(  # noqa: PLR0913 (what both kinds of sources give)
    source: Source,
    known: CampaignFacts | None,
    texts: CampaignTexts | None,
    folder: Path,
    options: PublicationOptions,
    *,
    step: Callable[[int], None],
    choices: Mapping[str, Any],
) -> PublicationPack:
    wanted = _wanted(options.exhibits)
    given = {name: value for name, value in choices.items() if value is not None}
    settings = settings_from(source, **given)
    read = frame_read(source, named_method(settings.method))
    facts = collection_facts(source, read, known, attribute=settings.attribute)
    step(1)
    # New pseudonyms each time, known to nobody: the seed of the analysis must not lead back to them.
    hidden = pseudonymised(source, np.random.default_rng(), texts=options.texts)
    evidence = weigh(hidden, settings)
    step(1)
    replay = REPLAY if options.write_replay is not None else None
    sheet = heds_sheet(facts, evidence.analysis, replay=replay)
    pack = _Pack(hidden, evidence, facts, sheet, texts, given)
    with whole_files.whole_folder(folder) as partial:
        made, notes = _exhibits(evidence, wanted, required=bool(options.exhibits))
        step(1)
        _write_exhibits(partial / "exhibits", made, evidence)
        step(1)
        _write_words(partial, pack)
        tables_of_data = _write_data(partial / "data", pack, options)
        contents = dict(_CONTENTS)
        if options.write_replay is not None:
            options.write_replay(partial / REPLAY)
            contents[f"{REPLAY}/"] = "the pages that workers saw, to open without a server"
        notes += _letters(partial)
        command = _command(tables_of_data, pack)
        _text(partial / "recompute.sh", f'#!/bin/sh\nset -e\ncd "$(dirname "$0")"\n{command}\n')
        sums = _checksums(partial, [each.path for each in tables_of_data])
        _text(partial / "SHA256SUMS", sums)
        readme = pack_readme(
            facts,
            evidence.analysis,
            command=command,
            contents=contents,
            checksums=sums,
            notes=[*notes, *evidence.analysis.warnings],
        )
        _text(partial / "README.md", readme)
        step(1)
    return PublicationPack(folder, len(sheet.answered), len(made), tuple(notes))


def _wanted(names: Sequence[str]) -> list[tuple[str, str]]:
    """The tables and figures of these names; ChoiceError for a name that neither has."""
    if not names:
        return [(kind, name) for kind, _, name in (each.partition(":") for each in USUAL_EXHIBITS)]
    known = {"table": tables(), "figure": figures()}
    found = []
    for name in names:
        kinds = [kind for kind, exhibits in known.items() if name in exhibits]
        if not kinds:
            raise ChoiceError(no_such("exhibit", name, [*tables(), *figures()]))
        found += [(kind, name) for kind in kinds]
    return found


def _exhibits(
    evidence: Evidence, wanted: Sequence[tuple[str, str]], *, required: bool
) -> tuple[list[Table | Figure], list[str]]:
    """The tables and figures wanted, and a sentence on each that was asked for and cannot be made."""
    settings = evidence.analysis.settings
    options = ExhibitOptions(draws=settings.method_settings.draws, seed=settings.seed)
    made: list[Table | Figure] = []
    notes: list[str] = []
    for kind, name in wanted:
        exhibit = (tables() if kind == "table" else figures())[name]
        if exhibit.of_spans and evidence.spans is None and not required:
            continue
        try:
            made.append(exhibit.make([evidence], options))
        except NotEnoughData as problem:
            if required:
                notes.append(f"The {kind} {name} is left out: {problem}")
    return made, notes


def _write_exhibits(folder: Path, made: Sequence[Table | Figure], evidence: Evidence) -> None:
    analysis = evidence.analysis
    document = Document("exhibits", analysis.title, "", (), (), analysis.signature)
    write_document(folder, made, document)
    for name, exhibit in named_parts(made, document.name):
        if isinstance(exhibit, Figure):
            write_figure(exhibit, folder / f"{name}.svg", has_words=False)
            _text(folder / f"{name}.csv", table_csv(exhibit.table))
        else:
            _text(folder / f"{name}.csv", table_csv(exhibit))


def _write_words(folder: Path, pack: _Pack) -> None:
    paragraphs = methods_paragraphs(pack.facts, pack.evidence.analysis)
    _text(folder / "methods.md", cited_markdown(paragraphs))
    _text(folder / "methods.tex", cited_latex(paragraphs))
    _text(folder / "references.bib", bibliography(keys_cited(paragraphs)))
    _text(folder / "heds.json", heds_json(pack.sheet))
    _text(folder / "heds-open.md", heds_open(pack.sheet))
    _text(folder / "results.json", analysis_json(pack.evidence.analysis))


def _write_data(folder: Path, pack: _Pack, options: PublicationOptions) -> list[DataFile]:
    folder.mkdir()
    written = write_data(folder, pack.source, pack.evidence, pack.texts)
    described = [
        PackTable(each.content, each.path.name, CONTENTS[each.content], each.n_rows, each.columns)
        for each in written
    ]
    terms = PackTerms(options.licence, pack.texts is not None or len(pack.source.texts) > 0)
    _text(folder / "README.md", data_card(pack.facts, pack.evidence.analysis, described, terms))
    return written


def _letters(folder: Path) -> list[str]:
    """A sentence on letters of names and words that the LaTeX engine most people use does not print."""
    texts = {path.relative_to(folder).as_posix(): path.read_text("utf-8") for path in folder.rglob("*.tex")}
    found = {name: next(filter(_is_beyond_latin, text), "") for name, text in texts.items()}
    letters = [letter for letter in found.values() if letter]
    if not letters:
        return []
    where = "methods.tex" if found["methods.tex"] else "exhibits/"
    return [
        f"pdfLaTeX does not print all letters of {where}, such as {letters[0]}: use LuaLaTeX or XeLaTeX, and "
        "choose a font that has them."
    ]


def _is_beyond_latin(sign: str) -> bool:
    return sign > "\N{LATIN SMALL LETTER LONG S}" and sign.isalpha()


def _checksums(folder: Path, data: Sequence[Path]) -> str:
    """The SHA-256 of what nobody has a reason to edit, as `sha256sum -c` reads it."""
    hashed = [*data, folder / "results.json"]
    return "".join(
        f"{hashlib.sha256(path.read_bytes()).hexdigest()}  {path.relative_to(folder).as_posix()}\n"
        for path in hashed
    )


def _command(written: Sequence[DataFile], pack: _Pack) -> str:
    """The command that computes everything again, with every choice that was made."""
    settings = pack.evidence.analysis.settings
    parts = ["steelyard", "analyse", f"data/{written[0].path.name}", *_options(pack, settings)]
    if any(each.content == "hits" for each in written):
        parts += ["--hit-times", "data/hits.parquet"]
    return shlex.join([*parts, "--json", "recomputed.json"])


def _options(pack: _Pack, settings: AnalysisSettings) -> list[str]:
    source = pack.source
    chosen = {**pack.given, "method": settings.method, "check": settings.check, "seed": settings.seed}
    if source.weights is not None:
        chosen["weights"] = source.weights
    elif len(source.frame) and source.scale != VAS:
        chosen["scale"] = (source.scale.minimum, source.scale.maximum)
    parts: list[str] = []
    for name, value in chosen.items():
        flag = f"--{name.replace('_', '-')}"
        if name == "keep_hits" and value is False:
            parts.append("--exclude-hits")
        elif isinstance(value, bool):
            parts += [flag] if value else []
        elif value != ():
            parts += [flag, _spelt(value)]
    return parts


def _spelt(value: Any) -> str:
    if isinstance(value, tuple | list):
        return ",".join(map(_spelt, value))
    return f"{value:g}" if isinstance(value, float) else str(value)


def _text(path: Path, text: str) -> None:
    whole_files.write_whole(path, text.encode())
