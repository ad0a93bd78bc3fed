"""Text as LaTeX takes it: nothing in it is a command."""

from __future__ import annotations

import re

from steelyard.report.characters import printable

_SPECIAL = {
    "\\": r"\textbackslash{}",
    "{": r"\{",
    "}": r"\}",
    "$": r"\$",
    "&": r"\&",
    "#": r"\#",
    "%": r"\%",
    "_": r"\_",
    "^": r"\textasciicircum{}",
    "~": r"\textasciitilde{}",
    "<": r"\textless{}",
    ">": r"\textgreater{}",
    "|": r"\textbar{}",
    '"': r"{\char34}",
    # After the end of a row, a bracket or star would be taken as its option.
    "[": "{[}",
    "]": "{]}",
    "*": "{*}",
    # Two of these in a row would become another sign.
    "-": "-{}",
    "`": "`{}",
    "'": "'{}",
    ",": ",{}",
    "!": "!{}",
    "?": "?{}",
}
# Signs that we print ourselves and that pdfLaTeX does not know by their letter.
_SIGNS = {
    "−": "$-$",
    "–": "--",
    "—": "---",
    "…": r"\ldots{}",
    "×": r"$\times$",
    "±": r"$\pm$",
    "·": r"$\cdot$",
    "≤": r"$\leq$",
    "≥": r"$\geq$",
    "≈": r"$\approx$",
    "∞": r"$\infty$",
    "→": r"$\rightarrow$",
    "√": r"$\surd$",
    "�": "?",
    "\N{NO-BREAK SPACE}": "~",
    "\N{NARROW NO-BREAK SPACE}": r"\,",
    "\N{THIN SPACE}": r"\,",
    "ρ": r"$\rho$",
    "σ": r"$\sigma$",
    "κ": r"$\kappa$",
    "α": r"$\alpha$",
    "τ": r"$\tau$",
    "λ": r"$\lambda$",
    "Δ": r"$\Delta$",
    "μ": r"$\mu$",
}
_RAISED = {
    sign: rf"\textsuperscript{{{plain}}}" for sign, plain in zip("⁰¹²³⁴⁵⁶⁷⁸⁹", "0123456789", strict=True)
}
_TABLE = str.maketrans(_SPECIAL | _SIGNS | _RAISED | {"⁻": r"\textsuperscript{$-$}"})
# Only the first of two needs to be kept from the second.
_ALONE = re.compile(r"([-`',!?])\{\}(?!\1|[`'])")


def escape(text: str) -> str:
    """The text so that LaTeX prints it as it is.

    >>> escape("50 % of $x_1$ -- & more")
    '50 \\\\% of \\\\$x\\\\_1\\\\$ -{}- \\\\& more'
    """
    return _ALONE.sub(r"\1", printable(text).translate(_TABLE))


def breakable(signature: str) -> str:
    """The signatures of all sources, one a line, each of which may be broken after any of its parts."""
    return "\\par\n".join(_broken_after(line, r"[|:+,/]") for line in signature.split("\n"))


def breakable_name(name: str) -> str:
    """A long name, which may be broken after a sign within it.

    >>> breakable_name("news_2026.de")
    'news\\\\_\\\\allowbreak{}2026.\\\\allowbreak{}de'
    """
    return _broken_after(name, r"[_./:+|]")


def _broken_after(text: str, signs: str) -> str:
    """Text that may be broken after any of these signs, besides after spaces and hyphens."""
    return r"\allowbreak{}".join(escape(part) for part in re.split(rf"(?<={signs})", text) if part)


def file_name(name: str) -> str:
    """A name for a file or a label: letters, digits and hyphens alone, never empty.

    >>> file_name("../significance of A & B")
    'significance-of-A-B'
    """
    return re.sub(r"[^A-Za-z0-9]+", "-", name).strip("-") or "exhibit"
