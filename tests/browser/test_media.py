"""Sources with pictures, sound and HTML in a real browser; and what hostile ones can do there: nothing."""

from __future__ import annotations

import io
import struct
import wave
import zlib
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest
from playwright.sync_api import Page, expect

PICTURE, SOUND = f"{'a1' * 16}.png", f"{'b2' * 16}.wav"
TEXTS = (
    (f'<p>Ein <b>Bild</b>:</p><img src="{PICTURE}" alt="Ein Quadrat">', "", "A picture."),
    (f'<audio src="{SOUND}" controls></audio>', "", "A sound."),
    ("<h2>Titel</h2><ul><li>eins</li></ul><table><tr><th>a</th><td>b</td></tr></table>", "", "A list."),
)
HOSTILE = (
    "<script>window.hit = 1</script>",
    "<img src=x onerror='window.hit = 1'>",
    f"<img src='{PICTURE}' onload='window.hit = 1'>",
    "<svg onload='window.hit = 1'><script>window.hit = 1</script><image href='/x'></svg>",
    "<math><mtext><img src=x onerror='window.hit = 1'></mtext></math>",
    "<iframe srcdoc='<script>top.hit = 1</script>' src='/'></iframe>",
    "<a href='javascript:window.hit = 1' id=body onclick='window.hit = 1'>x</a>",
    "<style>body { display: none }</style><p style='position: fixed' class='texts'>y</p>",
    "<video src='javascript:1' autoplay poster='/x' onerror='window.hit = 1'></video>",
    "<audio><source src='../static/dom.js'><source src='x' onerror='window.hit = 1'></audio>",
    "<img src='data:image/png;base64,AAAA'><img src='../static/favicon.svg'><img src='//example.org/x.png'>",
    "<object data='/'></object><embed src='/'><form action='/'><input autofocus></form>",
    "<noscript><p title=\"</noscript><img src=x onerror='window.hit = 1'>\">",
    "<template><img src=x onerror='window.hit = 1'></template>",
    "<b>" * 2000 + "<p>open",
    "<base href='https://example.org/'><meta http-equiv=refresh content='0;url=/'>",
    "<link rel=stylesheet href=/x>",
)


def png() -> bytes:
    """A grey square of 60 by 60."""

    def chunk(kind: bytes, data: bytes) -> bytes:
        return struct.pack(">I", len(data)) + kind + data + struct.pack(">I", zlib.crc32(kind + data))

    head = struct.pack(">IIBBBBB", 60, 60, 8, 0, 0, 0, 0)
    rows = zlib.compress((b"\x00" + b"\x90" * 60) * 60)
    return b"\x89PNG\r\n\x1a\n" + chunk(b"IHDR", head) + chunk(b"IDAT", rows) + chunk(b"IEND", b"")


def wav() -> bytes:
    """Half a second of silence."""
    held = io.BytesIO()
    with wave.open(held, "wb") as sound:
        sound.setnchannels(1)
        sound.setsampwidth(2)
        sound.setframerate(8000)
        sound.writeframes(b"\x00\x00" * 4000)
    return held.getvalue()


@pytest.fixture(scope="module")
def media_site(small_site: Callable[..., Any]) -> Any:
    site = small_site(
        "da-source",
        texts=TEXTS,
        documents="aaa",
        presentation={"source_markup": True, "context": True, "look": "labelled"},
        below="/eval",
    )
    folder = Path(site.db).with_suffix(".media")
    folder.mkdir(exist_ok=True)
    (folder / PICTURE).write_bytes(png())
    (folder / SOUND).write_bytes(wav())
    return site


def test_pictures_and_players_show_work_by_keyboard_and_stay_small_in_context(
    page: Page, media_site: Any, heard: dict[str, list[Any]], assert_accessible: Callable[..., None]
) -> None:
    page.goto(media_site.join())
    page.get_by_role("button", name="Start").click()
    picture = page.get_by_role("img", name="Ein Quadrat")
    expect(picture).to_have_js_property("naturalWidth", 60)
    assert page.locator(".item .markup b").inner_text() == "Bild"
    assert_accessible(page)

    page.keyboard.press("5")
    page.keyboard.press("Enter")
    player = page.locator(".item audio")
    expect(player).to_have_js_property("duration", 0.5)
    assert player.evaluate("p => [p.autoplay, p.paused, p.controls, p.preload, p.ariaLabel]") == [
        *(False, True, True, "metadata", "Original"),
    ]
    assert page.locator(".context img").evaluate("image => image.getBoundingClientRect().height") <= 81
    # The player is one step of the keyboard away from the text, and Enter in it sends no answer.
    player.focus()
    page.keyboard.press("Space")
    expect(player).to_have_js_property("paused", False)
    page.keyboard.press("Enter")
    assert "Text 2 " in page.locator("h1").inner_text()
    assert_accessible(page)

    playing = page.evaluate_handle("() => document.querySelector('.item audio')")
    page.evaluate("document.activeElement.blur()")
    page.keyboard.press("5")
    page.get_by_role("button", name="Next").click()
    expect(page.locator(".item .markup li")).to_have_text("eins")
    assert playing.evaluate("player => player.paused")
    assert_accessible(page)
    assert heard["errors"] == []


def test_hostile_sources_do_nothing_even_if_they_come_this_far(page: Page, media_site: Any) -> None:
    asked: list[str] = []
    page.goto(media_site.base_url)
    page.on("request", lambda request: asked.append(request.url))

    found = page.evaluate(
        """async (texts) => {
          const { drawMarkup } = await import(`${location.pathname.replace(/[/]$/, "")}/static/markup.js`);
          const names = new Set();
          const attributes = new Set();
          for (const text of texts) {
            const { element } = drawMarkup(text, "Source");
            document.body.append(element);
            for (const each of element.querySelectorAll("*")) {
              names.add(each.localName);
              each.getAttributeNames().forEach((name) => attributes.add(name));
              each.click?.();
            }
          }
          await new Promise((done) => setTimeout(done, 150));
          return { names: [...names], attributes: [...attributes], hit: window.hit ?? null };
        }""",
        HOSTILE,
    )

    assert found["hit"] is None
    assert set(found["names"]) <= {"p", "b", "a", "img", "video", "audio", "i", "div", "span"}
    assert set(found["attributes"]) <= {
        *("class", "alt", "src", "title", "controls", "preload", "playsinline", "aria-label"),
    }
    assert {url for url in asked if "/static/" not in url} <= {f"{media_site.base_url}/media/{PICTURE}"}
    assert page.evaluate("getComputedStyle(document.body).display") != "none"
