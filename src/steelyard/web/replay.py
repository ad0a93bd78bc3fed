"""The worker's page of a campaign as a folder that opens without a server, for reviewers and committees.

It is the page that workers saw: the same scripts, styles and words, with the first items of one HIT. Browsers
load no modules from a folder, so everything is put into the page itself, and a stand-in for the server
(`static/replay.js`) answers what the page asks for.
"""

from __future__ import annotations

import hashlib
import json
from base64 import b64encode
from collections.abc import Callable
from dataclasses import asdict, dataclass
from datetime import UTC, date, datetime
from pathlib import Path
from typing import Any

from markupsafe import Markup

from steelyard.domain.errors import ChoiceError, SourceError
from steelyard.domain.wording import counted, listed
from steelyard.flows.media import folder_of
from steelyard.flows.open import OpenCampaign
from steelyard.flows.replay import ReplayedItem, ReplayedSet, replayed_set
from steelyard.report.whole_files import write_whole_folder
from steelyard.version import __version__
from steelyard.web.joined import Unjoinable, joined_function, joined_style
from steelyard.web.pages import embedded, rendered, worker_page_data
from steelyard.web.schemas import item_view, tried_record
from steelyard.web.static_files import asset_text

PAGE, MANIFEST, README = "index.html", "replay.json", "README.txt"
FORMAT = "steelyard-replay"
# Enough to see how the work goes, and few enough to quote from most texts [our choice].
USUAL_ITEMS = 10
README_TEXT = """The worker's page of an evaluation of translations: {settings.title}
({settings.name}; protocol {settings.protocol}; {settings.source_language} to {settings.target_language})

Open index.html in a browser: no server and no network are needed. What comes before the work, the
instructions, the texts and the way to answer are those that workers saw. The set had
{n_items}, and this copy has the first {n_shown}; then it goes on to the page that ends a set.{hidden}

Nothing that you enter is sent or kept; reload the page to begin again. The copy goes on whatever you answer
to questions by which the campaign chooses its workers. It shows what the author of a training example
expects, without comparing your answer. Codes and addresses by which workers return to a crowd platform are
left out. It does not say which system made a translation, nor which texts are there to check the workers.

Made with {made_with} on {made_on}, from revision {revision} of the campaign's words.

Scripts and styles in index.html are Steelyard's, under the Apache License 2.0
(https://www.apache.org/licenses/LICENSE-2.0). No fonts, scripts or pictures of others are in it. For the
{texts}, the terms hold under which the campaign's organiser got them.
"""


@dataclass(frozen=True, slots=True)
class Replay:
    """What was written: of which HIT, how many of its items, and the files in the folder."""

    hit_id: str
    n_items: int
    n_shown: int
    files: tuple[str, ...]


def write_replay(  # noqa: PLR0913 (what a reader may see, one by one)
    campaign: OpenCampaign,
    folder: Path,
    *,
    made_on: date,
    hit_id: str | None = None,
    most_items: int = USUAL_ITEMS,
    media: Path | None = None,
    texts: bool = True,
) -> Replay:
    """Write the worker's page with the first items of a HIT, by default of the campaign's first.

    A folder that holds nothing but an earlier replay is replaced; SourceError for any other that is not
    empty. Nothing in it tells which system made a text, which items are controls, or who judged.
    `media`: where the files are that sources show, if not beside the database. Without `texts` the items have
    stand-ins for theirs, which show the way of answering.
    """
    if most_items < 0:
        raise ChoiceError(f"A replay shows 0 items or more, and not {most_items}.")
    _require_room(folder)
    found = replayed_set(campaign, hit_id=hit_id, most_items=most_items, texts=texts)
    files: dict[str, bytes | Path] = {PAGE: _page(found), **_media(found, media or folder_of(campaign))}
    files[README] = _readme(found, made_on).encode()
    files[MANIFEST] = _manifest(found, files, made_on)
    write_whole_folder(folder, files)
    return Replay(found.hit_id, found.n_items, len(found.items), tuple(files))


def replay_writer(
    campaign: OpenCampaign, *, texts: bool, media: Path | None = None
) -> Callable[[Path], None]:
    """What puts a replay into a publication; without its texts, one item that shows the way of answering."""

    def write(folder: Path) -> None:
        made_on = datetime.now(UTC).date()
        most = USUAL_ITEMS if texts else 1
        write_replay(campaign, folder, made_on=made_on, most_items=most, media=media, texts=texts)

    return write


def _require_room(folder: Path) -> None:
    """SourceError unless the folder is new, empty, or holds an earlier replay and nothing else."""
    problem = ""
    try:
        present = {str(path.relative_to(folder)) for path in folder.rglob("*") if not path.is_dir()}
        if folder.exists() and not folder.is_dir():
            problem = "this is a file. Name a folder that is new or empty."
        elif folder.resolve() == Path.cwd():
            problem = "this is the folder that you are in, and it is written as a whole. Name another one."
        elif present and not present <= _listed(folder / MANIFEST):
            problem = "the folder holds other files than those of a replay. Name one that is new or empty."
    except OSError as error:
        problem = f"it cannot be read: {error.strerror}."
    if problem:
        raise SourceError(str(folder), [problem])


def _listed(manifest: Path) -> set[str]:
    """The files that a manifest says are a replay's."""
    try:
        found = json.loads(manifest.read_bytes())
        return {MANIFEST, *found["files"]} if found["format"] == FORMAT else set()
    except (OSError, ValueError, KeyError, TypeError):
        return set()


def _page(found: ReplayedSet) -> bytes:
    page = worker_page_data(found.now)
    name = page["protocol"]["name"]
    try:
        style = _style(f"/protocols/{name}/widget.css")
        script = _script(f"/protocols/{name}/widget.js")
    except Unjoinable as error:
        raise SourceError(
            f"the page of {name}", [f"its files cannot be put into one page: {error}. See ADR 49."]
        ) from error
    icon = b64encode((asset_text("/static/favicon.svg") or "").encode()).decode()
    # Pages in a folder have no origin, so there is no `self` for their files.
    pictures, players = ("'self' file: data:", "'self' file:") if found.media else ("data:", "'none'")
    policy = (
        f"default-src 'none'; script-src {_hash(script)}; style-src {_hash(style)}; img-src {pictures}; "
        f"media-src {players}; base-uri 'none'; form-action 'none'"
    )
    made = rendered(
        "replay.html",
        page,
        policy=policy,
        icon=f"data:image/svg+xml;base64,{icon}",
        style=Markup(style),  # noqa: S704 (our own, and what could end it early is refused)
        script=Markup(script),  # noqa: S704 (the same)
        note=_note(found),
        replay_json=embedded(_told(found)),
    )
    return bytes(made.body)


def _style(widget: str) -> str:
    addresses = ("/static/style.css", widget, "/static/replay.css")
    return _enclosed("".join(joined_style(each, asset_text)[0] for each in addresses), "</style")


def _script(widget: str) -> str:
    """All scripts of the page, each as a function, and the one that runs them."""
    addresses = ("/static/shell.js", "/static/plain_segment.js", widget)
    scripts = [f"{json.dumps(each[1:])}: {joined_function(each, asset_text)}" for each in addresses]
    own = joined_function("/static/replay.js", asset_text)
    lines = (
        '"use strict";\n(async () => {',
        "const scripts = {",
        ",\n".join(scripts),
        "};",
        f"const {{ startReplay }} = await ({own})({{}});",
        "await startReplay(scripts);",
        "})();",
    )
    return _enclosed("\n".join(lines), "</script", "<!--")


def _enclosed(text: str, *endings: str) -> str:
    """A text to stand inside an element; Unjoinable if it holds what would end that."""
    for ending in endings:
        if ending in text.lower():
            raise Unjoinable(f"{ending} is in it")
    return text


def _hash(text: str) -> str:
    return f"'sha256-{b64encode(hashlib.sha256(text.encode()).digest()).decode()}'"


def _told(found: ReplayedSet) -> dict[str, Any]:
    """What the stand-in for the server knows."""
    return {
        "n_items": found.n_items,
        "items": [_item(each) for each in found.items],
        "training": [tried_record(each) for each in found.training],
        "pay": asdict(found.pay) if found.pay else None,
    }


def _item(each: ReplayedItem) -> dict[str, Any]:
    around = {"n_before": each.n_before, "n_ahead": each.n_ahead}
    return {"item": item_view(each.item), **{name: n for name, n in around.items() if n is not None}}


def _note(found: ReplayedSet) -> str:
    n_shown, n_items = len(found.items), found.n_items
    said = "A copy for reading: nothing is sent or kept."
    if n_shown == n_items:
        return said
    if not n_shown:
        return f"{said} It has no items."
    hidden = "" if found.texts else " The texts are not in it."
    return f"{said} It ends after item {n_shown} of {n_items}.{hidden}"


def _media(found: ReplayedSet, folder: Path | None) -> dict[str, bytes | Path]:
    """The files that the sources show, by where they go."""
    files = {name: (folder / name if folder else None) for name in found.media}
    missing = [name for name, path in files.items() if path is None or not path.is_file()]
    if missing:
        where = f"{folder} lacks" if folder else "nobody knows where they are:"
        problem = (
            f"sources show files, and {where} {listed(missing, most=3)}. Name their folder with "
            "{media=FOLDER}."
        )
        raise SourceError(found.now.settings.name, [problem])
    return {f"media/{name}": path for name, path in sorted(files.items()) if path is not None}


def _readme(found: ReplayedSet, made_on: date) -> str:
    settings = found.now.settings
    return README_TEXT.format(
        settings=settings,
        n_items=counted(found.n_items, "item"),
        n_shown=len(found.items),
        made_with=f"steelyard {__version__}",
        made_on=made_on.isoformat(),
        revision=found.now.revision,
        hidden="" if found.texts else "\nThe campaign's texts are not in it: others stand in their places.",
        texts="texts and the files in media/" if found.media else "texts",
    )


def _manifest(found: ReplayedSet, files: dict[str, bytes | Path], made_on: date) -> bytes:
    settings = found.now.settings
    record = {
        "format": FORMAT,
        "made_with": f"steelyard {__version__}",
        "made_on": made_on.isoformat(),
        "campaign": settings.name,
        "title": settings.title,
        "protocol": settings.protocol,
        "source_language": settings.source_language,
        "target_language": settings.target_language,
        "revision": found.now.revision,
        "n_items": found.n_items,
        "n_shown": len(found.items),
        "files": {
            name: hashlib.sha256(held if isinstance(held, bytes) else held.read_bytes()).hexdigest()
            for name, held in files.items()
        },
    }
    return (json.dumps(record, indent=2, ensure_ascii=False) + "\n").encode()
