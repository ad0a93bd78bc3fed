"""Whatever a name holds, LaTeX prints it: nothing in it is a command."""

from __future__ import annotations

import re

import pytest
from hypothesis import given
from hypothesis import strategies as st

from steelyard.report.latex_text import escape

# Every command that escaping itself writes; all print a sign.
OURS = re.compile(
    r"\\text(?:backslash|asciicircum|asciitilde|less|greater|bar)\{\}|\\[{}$&#%_,]|\\char34|\\ldots\{\}|\\textsuperscript"
    r"|\$(?:-|\\(?:times|pm|cdot|leq|geq|approx|infty|rightarrow|surd|rho|sigma|kappa|alpha|tau|lambda|Delta|mu))\$"
)
ATTACKS = [
    r"\input{/etc/passwd}",
    r"\write18{rm -rf /}",
    r"\immediate\write18{id}",
    r"\catcode`\@=0 @input{x}",
    r"\def\x{\x}\x",
    r"^^5cinput{x}",
    r"}\end{document}\input{x}",
    "%\n\\input x",
    r"\csname input\endcsname",
    r"$\loop\iftrue\repeat$",
    r"\verb|x| \include{y} \openout1=x",
    "a & b \\\\ [1cm] *",
]


@given(
    st.lists(st.sampled_from([*"\\{}$&#%_^~<>|\"[]*-`',!?@\x00\x1b\n\t", "input", "^^5c", "x"])).map("".join)
)
def test_nothing_is_left_of_a_text_that_latex_would_not_print(text: str) -> None:
    left = OURS.sub("", escape(text))

    assert re.findall(r"[\\$&#%_^\x00-\x08\x0b-\x1f]", left) == []


@pytest.mark.parametrize("attack", ATTACKS)
def test_no_attack_leaves_a_command_of_its_own(attack: str) -> None:
    assert re.findall(r"\\[A-Za-z]+", OURS.sub("", escape(attack))) == []
