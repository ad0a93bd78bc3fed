from __future__ import annotations

import re
from pathlib import Path

import pytest

import steelyard.protocols as protocols_package
from steelyard.protocols import protocols
from steelyard.web.joined import Unjoinable, joined_script, joined_style
from steelyard.web.static_files import ENTRIES, asset_text

WIDGETS = sorted(f"/protocols/{name}/widget.js" for name in protocols())


def joined(entry: str, **others: str) -> str:
    """A script at /static/entry.js with the modules that lie beside it."""
    files = {f"/static/{name}.js": text for name, text in {"entry": entry, **others}.items()}
    return joined_script("/static/entry.js", files.get)[0]


def without_space(text: str) -> str:
    return " ".join(text.split())


def test_each_module_has_a_scope_of_its_own_before_those_that_import_it() -> None:
    text = joined(
        'import { b } from "./b.js";\nimport {\n  a,\n} from "./a.js";\nb(a);\n',
        a="export const a = 1;",
        b='import { a } from "./a.js";\nexport function b(more) { return a + more; }',
    )

    assert without_space(text) == without_space("""
        // /static/a.js
        const $module0 = (() => { const a = 1; return { a }; })();
        // /static/b.js
        const $module1 = (() => { const { a } = $module0;
        function b(more) { return a + more; } return { b }; })();
        // /static/entry.js
        const { b } = $module1;
        const { a } = $module0;
        b(a);
    """)


def test_the_entry_exports_what_it_exported_and_may_import_and_wait_later() -> None:
    own = 'export async function mount() {}\nexport class Each {}\nawait import("./later.js");'

    assert joined(f'import {{ a }} from "./a.js";\n{own}', a="export const a = 1;").endswith(f"\n{own}\n")


@pytest.mark.parametrize(
    "line",
    [
        """const text = "import { a } from './b.js';";""",
        "const text = `export ${ { a: 1 }.a } import y`;",
        "const found = /export [/'\"] import/.test(text);",
        "other.import = 1; other.export = 2;",
        "const later = async () => { await a; };",
    ],
)
def test_words_in_texts_and_patterns_are_left_alone(line: str) -> None:
    text = joined('import { a } from "./a.js";', a=f"export const a = 1;\n{line}")

    assert f"\n{line}\n" in text


def test_comments_on_lines_of_their_own_are_left_out() -> None:
    module = '/** Says\n * import. */\nexport const a = "// b /* c"; // d\n  // export\nconst b = 1;'

    text = joined('import { a } from "./a.js";', a=module)

    assert 'const a = "// b /* c"; // d\nconst b = 1;\nreturn { a };' in text


def test_what_only_people_need_to_see_is_left_out() -> None:
    text = joined(
        'import { a } from "./a.js";\n\n  a(  "  b"  );', a="export function a() {\n    return 1;\n\n}"
    )
    style = (
        'p ,\na  b::before {\n  content: "  { x ;  ";\n  width: calc(1px  +  2px);\n}\n'
        "@media (width > 1px)  and (color) { a { b: c } }"
    )

    assert "function a() {\nreturn 1;\n}\n" in text
    assert text.endswith('a(  "  b"  );\n')
    assert joined_style("/a.css", {"/a.css": style}.get)[0] == (
        'p,a b::before{content:"  { x ;  ";width:calc(1px + 2px);}@media (width > 1px) and (color){a{b:c}}\n'
    )


def test_addresses_are_meant_from_the_file_they_stand_in() -> None:
    files = {
        "/protocols/da/widget.js": 'import { APP } from "../../static/http.js";\n'
        "export const own = import.meta.url;",
        "/static/http.js": 'export const APP = new URL("../", import.meta.url);',
    }
    text, addresses = joined_script("/protocols/da/widget.js", files.get)

    assert addresses == ["/static/http.js", "/protocols/da/widget.js"]
    assert 'new URL("../", new URL("../../static/http.js", import.meta.url).href)' in text
    assert "export const own = import.meta.url;" in text


@pytest.mark.parametrize(
    "module",
    [
        "export default 1;",
        "export let a = 1;",
        "const a = 1;\nexport { a };",
        'export * from "./b.js";',
        "export const b = 2, a = 1;",
        "export const { a: b } = { a: 1 };",
        'import b from "./b.js";\nexport const a = b;',
        'import * as b from "./b.js";\nexport const a = b;',
        'import { b as c } from "./b.js";\nexport const a = c;',
        'import { b } from "https://example.org/b.js";\nexport const a = b;',
        'import { b } from "b";\nexport const a = b;',
        'import { nowhere } from "./b.js";\nexport const a = nowhere;',
        'import { b } from "./missing.js";\nexport const a = b;',
        'import { c } from "./entry.js";\nexport const a = c;',
        'export const a = import("./b.js");',
        "export const a = import.meta.resolve('./b.js');",
        "export const a = 1;\nawait a;",
        "export const a = 1;\nconst $module0 = 2;",
        "export const a = `\nexport const b = 1;\n`;",
        'export const a = "one \\\n  two";',
    ],
)
def test_what_is_written_another_way_is_not_joined(module: str) -> None:
    with pytest.raises(Unjoinable):
        joined('import { a } from "./a.js";\nexport const c = a;', a=module, b="export const b = 1;")


@pytest.mark.parametrize("entry", [*sorted(ENTRIES), *WIDGETS])
def test_every_page_and_protocol_is_joined(entry: str) -> None:
    text, addresses = joined_script(entry, asset_text)

    assert len(addresses) > 1
    assert not re.search(r"^(import|export \* |export \{[^}]*\} from)\b", text, flags=re.M)


@pytest.mark.parametrize("widget", WIDGETS)
def test_nothing_that_widget_and_page_both_have_remembers_anything(widget: str) -> None:
    # Each has its own copy, so they could not share it.
    _, of_widget = joined_script(widget, asset_text)
    _, of_page = joined_script("/static/shell.js", asset_text)
    for address in set(of_widget) & set(of_page):
        text = asset_text(address) or ""
        remembers = r"^(export )?(let|var|class)\b|^(export )?const .*\bnew (?!RegExp|URL\b)"
        assert not re.search(remembers, text, re.M), address


def test_the_protocol_of_the_guide_is_joined() -> None:
    guide = (Path(protocols_package.__file__).parent / "README.md").read_text("utf-8")
    [script], [style] = (
        re.findall(rf"^```{kind}\n(.*?)^```$", guide, flags=re.M | re.S) for kind in ("js", "css")
    )
    address = "/protocols/three-sliders/widget"
    own = {f"{address}.js": script, f"{address}.css": style}

    text, scripts = joined_script(f"{address}.js", lambda there: own.get(there) or asset_text(there))
    sheet, styles = joined_style(f"{address}.css", lambda there: own.get(there) or asset_text(there))

    assert "\nexport function mount(root, item, options, onChange) {\n" in text
    assert {"/static/dom.js", "/static/one_rating.js", "/static/texts.js"} < set(scripts)
    assert "@import" not in sheet
    assert "/static/texts.css" in styles


def test_style_sheets_stand_where_they_are_imported() -> None:
    files = {
        "/a/main.css": '/* All. */\n@import url("../b/one.css");\n@import "two.css";\n'
        'p { content: "@import /*"; }',
        "/b/one.css": '@import "deep.css";\n.one { color: red; }',
        "/b/deep.css": ".deep { color: blue; }\n",
        "/a/two.css": ".two { color: green; } /* done */",
    }
    text, addresses = joined_style("/a/main.css", files.get)

    assert text.splitlines() == [
        ".deep{color:blue;}",
        ".one{color:red;}",
        ".two{color:green;}",
        'p{content:"@import /*";}',
    ]
    assert addresses == ["/a/main.css", "/b/one.css", "/b/deep.css", "/a/two.css"]


@pytest.mark.parametrize(
    ("main", "other"),
    [
        ('@import "other.css" print;', ""),
        ('@import "other.css" layer(a);', ""),
        ("@import url(other.css);", ""),
        ('@import "https://example.org/other.css";', ""),
        ('@import "missing.css";', ""),
        ('p { color: red; }\n@import "other.css";', ""),
        ('@import "other.css";', '@import "main.css";'),
        ('@import "other.css";', '@charset "utf-8";'),
        ('@import "other.css";', "p { background: url(paper.png); }"),
    ],
)
def test_style_sheets_that_would_mean_something_else_are_not_joined(main: str, other: str) -> None:
    with pytest.raises(Unjoinable):
        joined_style("/a/main.css", {"/a/main.css": main, "/a/other.css": other}.get)
