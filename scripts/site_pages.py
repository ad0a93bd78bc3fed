"""Pages that follow from other files: the index of decisions, all protocols, llms.txt from the navigation."""

from __future__ import annotations

import re
from pathlib import Path

from steelyard.protocols import protocols

ROOT = Path(__file__).parent.parent
DOCS = ROOT / "docs"
# A section, or a page with its title if it has one, in the navigation of mkdocs.yml.
ENTRY = re.compile(r"^ +- (?:([^:\n]+): ?)?(\S+\.md)?$", flags=re.M)


def decisions_page(note: str) -> str:
    """The decisions by number."""
    lines = [
        "# Decisions\n",
        note,
        "Why things are as they are: the context of each decision, what was decided, and what was given up"
        " for it. A decision is written with its change and never edited; another may take its place.\n",
        "| | Decision |\n|---|---|",
    ]
    for path in sorted((DOCS / "adr").glob("[0-9]*.md")):
        number, _, title = heading(path.read_text("utf-8")).partition(". ")
        lines.append(f"| {number} | [{title}]({path.name}) |")
    return "\n".join(lines) + "\n"


def protocols_page(note: str) -> str:
    """What the folder of each protocol says about it, on one page."""
    parts = [
        "# Protocols\n",
        note,
        "A protocol is a way of asking: what workers see, what they may answer, and what an answer says."
        " `steelyard example NAME` prints a campaign file for each.\n",
    ]
    for name, protocol in protocols().items():
        text = (protocol.folder / "README.md").read_text("utf-8")
        title, _, rest = text.removeprefix("# ").partition("\n")
        rest = re.sub(r"^#", "##", rest, flags=re.M)
        rest = rest.replace("](../../../../docs/", "](../")
        rest = re.sub(r"\]\(\.\./(\w+)/README\.md\)", lambda found: f"](#{found[1].replace('_', '-')})", rest)
        parts.append(f"## {name}\n\n**{title.partition(' (`')[0]}.** {rest.strip()}\n")
    return "\n".join(parts)


def llms_text(made: dict[str, str]) -> str:
    """The map of the documentation for programs that read Markdown: sections, pages and how each begins.

    `made`: pages that may not be written yet.
    """
    navigation = (ROOT / "mkdocs.yml").read_text("utf-8").partition("\nnav:\n")[2]
    lines = [
        "# Steelyard\n",
        "> Credible human evaluation of machine translation: design HITs with hidden controls, collect"
        " judgements in the browser, check and weigh workers, rank systems with intervals, report.",
    ]
    for title, page in ENTRY.findall(navigation):
        if not page:
            lines.append(f"\n## {title}\n")
        elif not re.match(r"adr/\d", page):
            text = made.get(page) or (DOCS / page).read_text("utf-8")
            lines.append(f"- [{title or heading(text)}]({page}): {opening(text)}")
    return "\n".join(lines) + "\n"


def heading(text: str) -> str:
    """The first heading of a page."""
    found = re.search(r"^# (.+)$", text, flags=re.M)
    assert found, f"no heading: {text[:60]}"
    return found[1]


def opening(text: str) -> str:
    """The first sentence of a page, without links."""
    bare = re.sub(r"<!--.*?-->|^#.*$|^!\[.*$", "", text, flags=re.M)
    paragraph = next(part for part in bare.split("\n\n") if part.strip())
    plain = re.sub(r"\[([^\]]+)\]\([^)]+\)", r"\1", " ".join(paragraph.split()))
    return re.split(r"(?<=[.:?])\s", plain.replace("**", ""))[0].rstrip(":")
