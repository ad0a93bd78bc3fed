"""Files that sources show, over HTTP: known names only, of the right type, in parts where asked."""

from __future__ import annotations

import pytest

NAME = f"{'0a' * 16}.mp4"
CONTENT = bytes(range(256)) * 40


@pytest.fixture
def media(site):
    """A site with one film, asked without any token."""
    folder = site.address.with_suffix(".media")
    folder.mkdir()
    (folder / NAME).write_bytes(CONTENT)
    (folder / "notes.txt").write_text("private")
    (folder / f"{'0b' * 16}.svg").write_text("<svg/>")
    return site.client


def test_a_film_is_served_whole_and_kept_by_browsers(media) -> None:
    reply = media.get(f"/media/{NAME}")

    assert (reply.status_code, reply.content) == (200, CONTENT)
    assert reply.headers["content-type"] == "video/mp4"
    assert reply.headers["accept-ranges"] == "bytes"
    assert reply.headers["x-content-type-options"] == "nosniff"
    assert "immutable" in reply.headers["cache-control"]
    assert "content-encoding" not in reply.headers
    assert reply.headers["content-security-policy"].startswith("default-src 'none'")
    assert "set-cookie" not in reply.headers
    again = media.get(f"/media/{NAME}", headers={"If-None-Match": reply.headers["etag"]})
    assert (again.status_code, again.content) == (304, b"")
    head = media.head(f"/media/{NAME}")
    assert (head.status_code, head.headers["content-length"]) == (200, str(len(CONTENT)))


@pytest.mark.parametrize(
    ("asked", "start", "end"),
    [("bytes=0-99", 0, 100), ("bytes=10000-", 10_000, 10_240), ("bytes=-5", 10_235, 10_240)],
)
def test_a_part_is_served_where_a_part_is_asked_for(media, asked, start, end) -> None:
    reply = media.get(f"/media/{NAME}", headers={"Range": asked})

    assert reply.status_code == 206
    assert reply.headers["content-range"] == f"bytes {start}-{end - 1}/{len(CONTENT)}"
    assert reply.content == CONTENT[start:end]


def test_a_part_beyond_the_end_is_refused(media) -> None:
    reply = media.get(f"/media/{NAME}", headers={"Range": "bytes=99999-"})

    assert reply.status_code == 416


@pytest.mark.parametrize(
    "name",
    [
        "notes.txt",
        f"{'0b' * 16}.svg",
        f"{'0c' * 16}.mp4",
        "..%2fsite.db",
        "%2e%2e/site.db",
        f"{'0A' * 16}.mp4",
        f"{NAME}%00.png",
        f"{NAME}/..",
        f"{NAME}%0a",
    ],
)
def test_nothing_else_is_served(media, name) -> None:
    assert media.get(f"/media/{name}").status_code == 404


def test_pages_may_load_media_from_here_only(media) -> None:
    policy = media.get("/").headers["content-security-policy"]

    assert "default-src 'self';" in policy
    assert "media-src" not in policy, "a rule of its own would take the place of the default"
    assert "img-src 'self' data:;" in policy
