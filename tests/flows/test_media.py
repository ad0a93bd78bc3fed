"""Files that sources show: read with the campaign, kept beside the database, taken along."""

from __future__ import annotations

import hashlib
from collections.abc import Callable
from datetime import datetime
from pathlib import Path

import pytest

from steelyard.cli.main import run
from steelyard.domain.errors import CampaignError, Conflict, SourceError
from steelyard.flows.backup import backup, restore
from steelyard.flows.clone import clone
from steelyard.flows.create import create
from steelyard.flows.extend import extend
from steelyard.flows.media import media_names, missing_media
from steelyard.flows.open import open_campaign
from steelyard.formats.campaign_toml import read_campaign

FILE = """
[campaign]
name = "films"
title = "Films"
protocol = "da-source"
attribute = "adequacy"
source_language = "de"
target_language = "en"
[texts]
source = "source.txt"
{texts}
[[systems]]
name = "alpha"
translations = "alpha.txt"
[design]
hit_size = 10
order = "free"
quota = {{ degraded = 0 }}
[presentation]
source_markup = {markup}
{more}
"""
PICTURE, FILM = b"a picture", b"a film"
NAMES = [f"{hashlib.sha256(data).hexdigest()[:32]}.{end}" for data, end in ((PICTURE, "png"), (FILM, "mp4"))]
Write = Callable[..., Path]


@pytest.fixture
def written(tmp_path: Path) -> Write:
    """Writes a campaign of ten segments, two of which show a file."""

    def write(
        *sources: str, texts: str = 'media = "files"', markup: str = "true", more: str = "", n: int = 10
    ) -> Path:
        folder = tmp_path / "texts"
        (folder / "files" / "sub").mkdir(parents=True, exist_ok=True)
        (folder / "files" / "one.PNG").write_bytes(PICTURE)
        (folder / "files" / "sub" / "two.mp4").write_bytes(FILM)
        shown = sources or ('Look: <img src="one.PNG">', "<video src='sub/two.mp4'></video>")
        lines = [*shown, *(f"Satz {number}" for number in range(n - len(shown)))]
        (folder / "source.txt").write_text("\n".join(lines) + "\n", "utf-8")
        (folder / "alpha.txt").write_text("".join(f"Line {k} of alpha\n" for k in range(n)), "utf-8")
        file = folder / "campaign.toml"
        file.write_text(FILE.format(texts=texts, markup=markup, more=more), "utf-8")
        return file

    return write


def test_files_are_kept_under_the_names_of_their_content(written: Write, tmp_path: Path, noon) -> None:
    create(written(), str(tmp_path / "films.db"), now=noon)

    kept = tmp_path / "films.media"
    assert sorted(file.name for file in kept.iterdir()) == sorted(NAMES)
    assert (kept / NAMES[1]).read_bytes() == FILM
    with open_campaign(str(tmp_path / "films.db")) as campaign:
        assert media_names(campaign) == NAMES
        assert campaign.settings.presentation["source_markup"] is True
        assert missing_media(campaign, kept) == []
        (kept / NAMES[0]).unlink()
        assert missing_media(campaign, kept) == NAMES[:1]


def test_sources_are_texts_unless_the_file_says_otherwise(written: Write) -> None:
    source = read_campaign(written("<script>x</script>", texts="", markup="false"))

    assert source.campaign.segments[0].source == "<script>x</script>"
    assert "source_markup" not in source.campaign.settings.presentation
    assert not source.media


def test_all_problems_of_all_sources_are_told_at_once(written: Write) -> None:
    bad = ("<script>x</script>", "<script>y</script>", '<img src="three.png">', '<img src="../x.png">')
    training = '[[training]]\ntext = "x"\nsource = "<iframe></iframe>"\nfeedback = "Good."\n'

    with pytest.raises(CampaignError) as caught:
        read_campaign(written(*bad, more=training))

    said = str(caught.value)
    assert "source of segments 1, 2: <script> is not allowed" in said
    assert 'source of segment 3: there is no file "three.png" in files.' in said
    assert 'source of segment 4: <img>: src "../x.png" is not the name of a file' in said
    assert "source of segment training:1: <iframe> is not allowed" in said


def test_a_link_out_of_the_folder_is_not_followed(written: Write, tmp_path: Path) -> None:
    file = written('<img src="out.png">')
    (tmp_path / "secret.png").write_bytes(b"secret")
    (file.parent / "files" / "out.png").symlink_to(tmp_path / "secret.png")

    with pytest.raises(CampaignError, match=r'there is no file "out\.png"'):
        read_campaign(file)


@pytest.mark.parametrize(
    ("changes", "problem"),
    [
        ({"markup": "false"}, "[texts] media is for sources in HTML"),
        ({"texts": ""}, 'it shows the file "one.PNG". Say in which folder it is: [texts] media.'),
        ({"texts": 'media = "nowhere"'}, "there is no folder nowhere"),
        ({"more": "texts_as_images = true"}, "source_markup and texts_as_images exclude each other"),
    ],
)
def test_settings_that_do_not_go_together_are_refused(written: Write, changes, problem) -> None:
    with pytest.raises(CampaignError) as caught:
        read_campaign(written(**changes))

    assert problem in str(caught.value)


def test_sources_that_workers_do_not_see_need_no_markup(written: Write) -> None:
    file = written()
    text = (
        file.read_text("utf-8")
        .replace('"da-source"', '"da"')
        .replace("[texts]", '[texts]\nreference = "alpha.txt"')
    )
    file.write_text(text, "utf-8")

    with pytest.raises(CampaignError, match="workers do not see the source here"):
        read_campaign(file)


def test_files_that_no_source_shows_are_told(written: Write) -> None:
    source = read_campaign(written('<img src="one.PNG" alt="x">'))

    assert source.warnings[-1] == "No source shows 1 file of files: sub/two.mp4."


def test_a_campaign_that_cannot_be_written_leaves_no_files(written: Write, tmp_path: Path, noon) -> None:
    (tmp_path / "films.db").write_text("not ours")

    with pytest.raises((Conflict, SourceError)):
        create(written(), str(tmp_path / "films.db"), now=noon)

    assert not (tmp_path / "films.media").exists()


def test_more_segments_bring_their_files_and_must_be_html_too(written: Write, tmp_path: Path, noon) -> None:
    address = str(tmp_path / "films.db")
    create(written("Satz"), address, now=noon)
    with open_campaign(address) as campaign:
        file = written("Satz", *(f"Satz {k}" for k in range(9)), '<img src="one.PNG">', n=20)
        extend(campaign, texts=file, by="command line", now=noon)
        with pytest.raises(CampaignError, match=r"\[presentation\] source_markup is"):
            extend(campaign, texts=written(texts="", markup="false", n=30), by="command line", now=noon)

    assert [each.name for each in (tmp_path / "films.media").iterdir()] == NAMES[:1]


def test_clones_take_files_along_and_backups_tell_of_them(
    written: Write, tmp_path: Path, noon: datetime, capsys
) -> None:
    address, copy = str(tmp_path / "films.db"), str(tmp_path / "copy.db")
    create(written(), address, now=noon)
    with open_campaign(address) as campaign:
        clone(campaign, str(tmp_path / "clone.db"), now=noon)
        done = backup(campaign, Path(copy), by="command line", now=noon)
    restored = restore(Path(copy), str(tmp_path / "back.db"))
    run(["backup", address, str(tmp_path / "again.db")])

    assert len(list((tmp_path / "clone.media").iterdir())) == 2
    assert (done.n_media, done.media) == (2, tmp_path / "films.media")
    assert (
        f"Sources show 2 files that no backup holds: copy them to {tmp_path / 'back.media'}"
        in restored.advice
    )
    assert f"copy {tmp_path / 'films.media'} too" in capsys.readouterr().out


def test_postgresql_needs_a_folder(
    written: Write, postgres_address: str, tmp_path: Path, noon, capsys
) -> None:
    with pytest.raises(SourceError, match="name a folder for them with --media"):
        create(written(), postgres_address, now=noon)

    create(written(), postgres_address, now=noon, media=tmp_path / "kept")

    assert len(list((tmp_path / "kept").iterdir())) == 2
    assert run(["serve", postgres_address, "--port", "0"]) == 2
    assert "say where they are with --media FOLDER" in capsys.readouterr().err


def test_campaigns_of_a_series_keep_their_own_files(written: Write, tmp_path: Path) -> None:
    assert run(["create", str(written()), "--db", f"{tmp_path / 'series'}/"]) == 0

    assert sorted(each.name for each in (tmp_path / "series").iterdir() if each.suffix != ".secret") == [
        "films.db",
        "films.media",
    ]
