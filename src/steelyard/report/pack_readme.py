"""What stands in the README of a publication pack and on the card of its data."""

from __future__ import annotations

import json
from collections.abc import Mapping, Sequence
from dataclasses import dataclass

from steelyard.domain.languages import base_language
from steelyard.domain.publication import CollectionFacts
from steelyard.domain.result import Analysis
from steelyard.domain.wording import counted
from steelyard.report.cited_text import as_markdown
from steelyard.version import __version__

# The sizes that dataset hubs know, by the number of rows below which they end.
_SIZES = ((1_000, "n<1K"), (10_000, "1K<n<10K"), (100_000, "10K<n<100K"), (1_000_000, "100K<n<1M"))
_TIMED = "How long the method took (`seconds` among its `diagnostics`) differs each time. "
_COLUMNS = {
    "worker": "pseudonym of the worker, made for this package",
    "hit": "pseudonym of the HIT, made for this package",
    "judgement_id": "number of the judgement; rows that share one are credited to several systems",
    "segment": "segment of the test set",
    "document": "document that the segment is part of",
    "system": "system whose translation was judged",
    "kind": "`regular`, or a control: `repeat`, `degraded`, `reference`, `gold`, `calibration`",
    "domain": "domain of the document, such as news",
    "rating": "the rating as the worker gave it",
    "known": "rating of the item that an expert gave, or an earlier campaign",
    "known_sd": "how sure that rating is: its standard deviation",
    "filler": "set where the item was there only to fill up a HIT",
    "position": "place of the item in its HIT, from 1",
    "seconds": "how long the item was on the worker's screen",
    "attribute": "what was judged, such as adequacy",
    "excluded": "set where the organisers excluded the HIT",
    "simulated": "set where the worker is no person",
    "joined": "set where the system was added to the running campaign",
    "system_a": "system of the first translation shown",
    "system_b": "system of the second",
    "preference": "which was better: `a`, `b`, `tie` or `both_bad`",
    "control_side": "in rows of controls, which side is the degraded copy or the reference",
    "credited_a": "further systems with the same translation as `system_a`",
    "credited_b": "further systems with the same translation as `system_b`",
    "severity": "severity of the error; empty if the translation has none",
    "start": "first character of the error, from 0, in Unicode code points; empty if something is missing",
    "end": "the character after its last one",
    "category": "category of the error",
    "side": "the text that it is marked in: `target` or `source`",
    "credited": "further systems with the same translation",
    "marked_seconds": "how long the item had been on the screen when the error was marked",
    "origin": "of an error that was marked beforehand: `accepted` or `changed` by the worker",
    "n_removed": "how many errors that were marked beforehand the worker removed",
    "injected_start": "in degraded copies, the first character of what was damaged on purpose",
    "injected_end": "the character after the last one of that",
    "text": "the text",
    "work_seconds": "how long the HIT took",
    "approval": "whether the HIT was rejected",
    "rank": "place in the ranking, from 1",
    "rank_low": "best rank that the differences allow",
    "rank_high": "worst rank that they allow",
    "cluster": "cluster of the ranking, from 1",
    "score": "the score, at full precision",
    "lower": "lower end of its interval; empty if none was computed",
    "upper": "upper end of its interval",
    "sd": "standard deviation of the score; empty if the method has none",
    "mean_rating": "plain mean of the ratings that count",
    "n": "how many judgements the score rests on",
    "n_segments": "how many segments were judged",
    "n_judgements": "how many judgements count",
    "wins": "how many systems it is significantly better than",
    "role": "`source`, `reference` or `translation`",
}


@dataclass(frozen=True, slots=True)
class PackTable:
    """A table of the data package as its card tells of it."""

    name: str
    file: str
    about: str
    n_rows: int
    columns: Sequence[str]


@dataclass(frozen=True, slots=True)
class PackTerms:
    """On what terms the pack is given on: its licence, and whether texts are in it."""

    licence: str | None = None
    texts: bool = False


def data_card(
    facts: CollectionFacts, analysis: Analysis, tables: Sequence[PackTable], terms: PackTerms
) -> str:
    """The dataset card: a header for dataset hubs, then what the tables hold and what was left out."""
    licence = terms.licence or "other"
    header = ["---", f"pretty_name: {_quoted(facts.name)}", f"license: {_quoted(licence)}"]
    if terms.licence is None:
        header.append("license_name: not-stated")
    known = facts.campaign
    if known is not None:
        codes = dict.fromkeys(base_language(code) for code in (known.source_language, known.target_language))
        header += ["language:", *(f"- {_quoted(code)}" for code in codes)]
    size = next((name for limit, name in _SIZES if tables[0].n_rows < limit), "1M<n<10M")
    header += ["task_categories:", "- translation", "tags:", "- human-evaluation", "- machine-translation"]
    header += ["size_categories:", f"- {size}", "configs:"]
    for table in tables:
        header += [f"- config_name: {table.name}", f"  data_files: {table.file}"]
    header += ["---", "", f"# {as_markdown(facts.name)}", "", _about(analysis), ""]
    parts = [part for table in tables for part in _table_text(table)]
    return "\n".join([*header, *parts, *_left_out(terms), *_licence(terms), ""])


def _about(analysis: Analysis) -> str:
    counts = analysis.counts
    made_up = (
        " **All workers are simulated: these are no human judgements.**"
        if counts.simulated_workers == counts.workers
        else f" **{counts.simulated_workers:,} of the workers are simulated.**"
        if counts.simulated_workers
        else ""
    )
    return (
        f"Judgements of {counted(counts.systems, 'machine translation system')} by "
        f"{counted(counts.workers, 'worker')}, with the scores computed from them by Steelyard "
        f"{__version__}.{made_up}"
    )


def _table_text(table: PackTable) -> list[str]:
    columns = [f"| `{name}` | {_COLUMNS[name]} |" for name in table.columns if name in _COLUMNS]
    others = [f"`{name}`" for name in table.columns if name not in _COLUMNS]
    rest = ["", f"Further columns: {', '.join(others)}."] if others else []
    return [
        f"## {table.name}",
        "",
        f"`{table.file}`, {counted(table.n_rows, 'row')}: {table.about}.",
        "",
        "| Column | Meaning |",
        "|---|---|",
        *columns,
        *rest,
        "",
    ]


def _left_out(terms: PackTerms) -> list[str]:
    texts = (
        "The texts are in it: make sure that their licences allow that."
        if terms.texts
        else "The texts of sources, references and translations are not in it either; segments and documents "
        "have the names they have in the test set."
    )
    return [
        "## What was left out",
        "",
        "Workers and HITs have names that were dealt out at random for this package; the list was not kept. "
        "Ids of crowd platforms, the times of day at which people worked, how they handled the page, what "
        "they "
        "wrote and why single people were excluded are not in it. How long each item took is, and the rows "
        "of each worker stand in the order in which the judgements were given. "
        f"{texts}",
        "",
    ]


def _licence(terms: PackTerms) -> list[str]:
    if terms.licence is not None:
        return ["## Licence", "", f"`{terms.licence}`"]
    return [
        "## Licence",
        "",
        "No licence has been stated yet. Whoever publishes this should name one, in the header of this card: "
        "without it nobody may use the data.",
    ]


def _quoted(text: str) -> str:
    """A text in YAML, where a bare `no` would be false and not Norwegian: JSON's strings are YAML's too."""
    return json.dumps(text, ensure_ascii=False)


def pack_readme(
    facts: CollectionFacts,
    analysis: Analysis,
    *,
    command: str,
    contents: Mapping[str, str],
    checksums: str,
    notes: Sequence[str],
) -> str:
    """The README of the pack: what is in it, and how to compute every number again."""
    listed = [f"| `{name}` | {about} |" for name, about in contents.items()]
    said = [f"- {as_markdown(note)}" for note in notes]
    return "\n".join(
        [
            f"# {as_markdown(facts.name)}: publication pack",
            "",
            _about(analysis),
            "",
            "| File | What it is |",
            "|---|---|",
            *listed,
            "",
            "## Compute every number again",
            "",
            f"With Steelyard {__version__} installed, in this folder:",
            "",
            "```",
            "sh recompute.sh",
            "```",
            "",
            "which is this command:",
            "",
            "```",
            command,
            "```",
            "",
            "It prints the ranking and writes `recomputed.json`, which holds the same scores, intervals, "
            "ranks, "
            "clusters, p-values, verdicts and segment scores as `results.json`, to the last digit. Workers "
            "stand "
            "in both under the pseudonyms of the data package. The tables and figures are made from the same "
            "numbers: `steelyard table` and `steelyard plot` take the same options.",
            "",
            "Whether these are the data and the results that were published, `sha256sum -c SHA256SUMS` says:",
            "",
            "```",
            *checksums.splitlines(),
            "```",
            "",
            "The signature of the analysis:",
            "",
            "```",
            analysis.signature,
            "```",
            "",
            "The recomputation knows the data by the name of their file and not by the campaign, its "
            "protocol and the root of its hashes, and has the ratings of experts on the scale of the "
            "workers, so these parts of its signature differ or are missing; all others agree. "
            "Nor does it repeat the warnings that were given when the original file was read. "
            f"{_TIMED if analysis.diagnostics is not None else ''}"
            "Intervals come from random draws of workers: computed from the campaign's own database, in "
            "which "
            "workers have other names and stand in another order, they may differ in the last digits shown.",
            "",
            *(["## Notes", "", *said, ""] if said else []),
        ]
    )
