from __future__ import annotations

import gzip
import shutil
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest

from steelyard.web import static_files
from steelyard.web.static_files import STATIC, served_file


@pytest.fixture
def own_static(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Iterator[Path]:
    """A copy of the scripts, which a test may change."""
    folder = Path(shutil.copytree(STATIC, tmp_path / "static"))
    monkeypatch.setattr(static_files, "STATIC", folder)
    static_files._remembered.cache_clear()
    yield folder
    static_files._remembered.cache_clear()


@pytest.mark.parametrize(
    ("address", "kind"),
    [
        ("/static/shell.js", "text/javascript; charset=utf-8"),
        ("/static/style.css", "text/css; charset=utf-8"),
        ("/static/favicon.svg", "image/svg+xml"),
        ("/protocols/da/widget.js", "text/javascript; charset=utf-8"),
        ("/protocols/da-source/widget.css", "text/css; charset=utf-8"),
    ],
)
def test_a_file_comes_compressed_to_those_who_can_read_it(site: Any, address: str, kind: str) -> None:
    plain = site.client.get(address, headers={"Accept-Encoding": "br, gzip;q=0"})
    squeezed = site.client.get(address, headers={"Accept-Encoding": "br;q=1.0, gzip;q=0.8"})

    assert "content-encoding" not in plain.headers
    assert squeezed.headers["content-encoding"] == "gzip"
    assert int(squeezed.headers["content-length"]) < int(plain.headers["content-length"])
    assert squeezed.content == plain.content
    for reply in (plain, squeezed):
        assert reply.headers["vary"] == "Accept-Encoding"
        assert reply.headers["content-type"] == kind
        assert reply.headers["x-content-type-options"] == "nosniff"


def test_a_browser_that_has_the_file_is_told_so(site: Any) -> None:
    first = site.client.get("/static/shell.js")
    assert first.headers["cache-control"] == "no-cache"

    known = {"If-None-Match": f'"other", {first.headers["etag"]}'}
    again = site.client.get("/static/shell.js", headers=known)
    assert (again.status_code, again.content) == (304, b"")
    assert again.headers["etag"] == first.headers["etag"]
    assert site.client.get("/static/join.js", headers=known).status_code == 200


def test_the_head_of_a_file_is_that_of_the_whole(site: Any) -> None:
    head, whole = site.client.head("/static/shell.js"), site.client.get("/static/shell.js")

    assert dict(head.headers) == dict(whole.headers)
    assert site.client.post("/static/shell.js").status_code == 405


def test_only_what_pages_load_is_joined(site: Any) -> None:
    assert "\nimport {" not in site.client.get("/static/shell.js").text
    # Others are as they were written: two copies of one module in a page would not know of each other.
    assert site.client.get("/static/screen.js").content == (STATIC / "screen.js").read_bytes()


@pytest.mark.parametrize(
    "address",
    [
        "/static/nothing.js",
        "/static/",
        "/static/%2e%2e/app.py",
        "/static/manager",
        "/static/x%00.js",
        f"/static/{'x' * 300}.js",
        "/static/scales//etc/passwd",
        "/protocols/da/instructions",
        "/protocols/..%2f..%2fweb/widget.js",
    ],
)
def test_there_is_nothing_else(site: Any, address: str) -> None:
    assert site.client.get(address).status_code == 404


def test_a_changed_module_is_noticed(own_static: Path) -> None:
    before = served_file("/static/join.js")
    assert served_file("/static/join.js") is before

    with (own_static / "keep.js").open("a", encoding="utf-8") as module:
        module.write("\nkeep(`of today`);\n")
    after = served_file("/static/join.js")

    assert b"of today" in after.content
    assert gzip.decompress(after.compressed) == after.content
    assert after.etag != before.etag


def test_a_script_that_cannot_be_joined_is_served_as_it_is(own_static: Path) -> None:
    with (own_static / "keep.js").open("a", encoding="utf-8") as module:
        module.write("\nexport default keep;\n")

    assert served_file("/static/join.js").content == (own_static / "join.js").read_bytes()


def test_a_style_sheet_that_is_changed_is_put_together_again(own_static: Path) -> None:
    assert b"#123456" not in served_file("/protocols/da/widget.css").content
    with (own_static / "texts.css").open("a", encoding="utf-8") as sheet:
        sheet.write("p { color: #123456; }\n")

    assert b"#123456" in served_file("/protocols/da/widget.css").content
