"""Sources in HTML: what may stand in them, and how everything else is refused."""

from __future__ import annotations

import pytest

from steelyard.formats.source_markup import DEEPEST, read_markup, with_names


@pytest.mark.parametrize(
    "text",
    [
        "Plain words, 3 > 2 &amp; &lt;b&gt;.",
        '<p lang="de" dir="ltr" title="One">Ein <b>Wort</b><br>und <EM>noch</EM> eins.</p>',
        "<ul><li>one</li><li>two<ol><li>three</li></ol></li></ul>",
        '<table><tr><th colspan="2">a</th></tr><tbody><tr><td>b</td><td>c</td></tr></tbody></table>',
        "<ruby>漢<rp>(</rp><rt>kan</rt><rp>)</rp></ruby> <a>no link</a>",
        '<img src="maps/old town.png" alt="A map" width="300" height="200">',
        "<video src='clip.mp4' controls></video>",
        "<audio controls><source src=talk.ogg><source src=talk.mp3 /></audio>",
    ],
)
def test_what_the_lists_allow_passes(text: str) -> None:
    assert read_markup(text).problems == []


@pytest.mark.parametrize(
    ("text", "reason"),
    [
        ("<script>alert(1)</script>", "<script> is not allowed: nothing in a source is executed"),
        ("<ScRiPt src=//evil.example/x.js></ScRiPt>", "<script> is not allowed"),
        ("<script/src=data:,alert(1)>", "<script> is not allowed"),
        ('<img src="x.png" onerror="alert(1)">', "the attribute onerror"),
        ('<img src="x.png"onerror="alert(1)">', "is not a tag"),
        ("<p ONCLICK=alert(1)>x</p>", "the attribute onclick"),
        ('<a href="javascript:alert(1)">x</a>', "the attribute href, which is not allowed: a link would"),
        ('<img src="javascript:alert(1)">', "is an address"),
        ('<img src="&#106;avascript&#58;alert(1).png">', "is an address"),
        ('<img src="JaVaScRiPt&colon;x.png">', "is an address"),
        ('<img src=" javascript:x.png">', "is an address"),
        ('<img src="data:image/png;base64,AAAA">', "is an address"),
        ('<img src="https://evil.example/x.png">', "is an address"),
        ('<img src="//evil.example/x.png">', "is an address"),
        ('<video src="file:///etc/passwd.mp4"></video>', "is an address"),
        ('<img src="../secret.png">', "is not the name of a file"),
        ('<img src="a/../../secret.png">', "is not the name of a file"),
        ('<img src="&period;&period;/secret.png">', "is not the name of a file"),
        ('<img src="%2e%2e/secret.png">', "is not the name of a file"),
        ('<img src="..\\secret.png">', "is not the name of a file"),
        ('<img src="/etc/secret.png">', "is not the name of a file"),
        ('<img src=".hidden.png">', "is not the name of a file"),
        ('<img src="a.png&#0;.png">', "is not the name of a file"),
        ('<img src="drawing.svg">', "none of the endings"),
        ('<img src="clip.mp4">', "none of the endings"),
        ('<audio src="x.html"></audio>', "none of the endings"),
        ("<svg onload=alert(1)></svg>", "<svg> is not allowed: a drawing"),
        ("<svg><script>alert(1)</script></svg>", "<svg> is not allowed"),
        ("<math><mtext></mtext></math>", "<math> is not allowed"),
        ('<iframe src="x"></iframe>', "<iframe> is not allowed: a source may hold no other page"),
        ("<style>p{}</style>", "<style> is not allowed"),
        ('<p style="position:fixed">x</p>', "the attribute style, which is not allowed: the page decides"),
        ("<form><input></form>", "<form> is not allowed"),
        ("<template><p>x</p></template>", "<template> is not allowed"),
        ('<object data="x"></object>', "<object> is not allowed"),
        ('<meta http-equiv="refresh" content="0">', "<meta> is not allowed"),
        ('<video src="a.mp4" autoplay></video>', "the attribute autoplay, which is not allowed: a player"),
        ("<!-- a comment -->", "is not a tag"),
        ("<![CDATA[x]]>", "is not a tag"),
        ("<?php x ?>", "is not allowed"),
        ("a < b", "is not a tag"),
        ("<p", "is not a tag"),
        ('<p title="x>y', "is not a tag"),
        ("<p>open", "<p> is not closed: add </p>"),
        ("<b><i>x</b></i>", "</b> closes nothing: <i> is the one to close here"),
        ("</p>", "</p> closes nothing: no element is open here"),
        ("<br></br>", "</br> is not needed"),
        ("<li>x</li>", "<li> must stand in <ol> or <ul>"),
        ("<td>x</td>", "<td> must stand in <tr>"),
        ('<source src="a.mp4">', "<source> must stand in <audio> or <video>"),
        ("<img>", "<img> names no file"),
        ('<img src="a.png" width="100%">', "must be a whole number"),
        ('<p dir="up">x</p>', "must be ltr, rtl or auto"),
        ('<p lang="&quot;">x</p>', "is not the code of a language"),
        ('<img src="a.png" src="b.png">', "the attribute src twice"),
        ("<p\u00a0onclick=alert(1)>x</p>", "is not a tag"),
        ("<p\x0bonclick=alert(1)>x</p>", "is not a tag"),
    ],
)
def test_everything_else_is_refused_with_its_reason(text: str, reason: str) -> None:
    assert reason in " ".join(read_markup(text).problems)


def test_elements_may_not_stand_in_one_another_without_end() -> None:
    assert read_markup("<b>" * DEEPEST + "</b>" * DEEPEST).problems == []
    assert "deep" in read_markup("<b>" * (DEEPEST + 1) + "</b>" * (DEEPEST + 1)).problems[0]


def test_files_get_other_names_and_nothing_else_changes() -> None:
    text = "<p>A &amp; <img src='a.png' alt=\"a.png\"> 🎬 <video src=b.mp4></video></p>"

    changed = with_names(text, read_markup(text).files, {"a.png": "1.png", "b.mp4": "2.mp4"})

    assert changed == '<p>A &amp; <img src="1.png" alt="a.png"> 🎬 <video src="2.mp4"></video></p>'


def test_a_long_text_without_sense_is_refused_quickly() -> None:
    assert read_markup("<p " + "a " * 20_000).problems
    assert read_markup("<" * 50_000).problems
