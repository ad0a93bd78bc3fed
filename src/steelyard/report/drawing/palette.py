"""What tones look like: colours, markers, dashes and hatches, distinct even without colour."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Literal, get_args

from steelyard.domain.exhibit import Tone

MarkerShape = Literal["circle", "square", "diamond", "triangle", "cross", "wedge", "dot"]
Hatch = Literal["", "/", "\\", "|", "-"]
TONES: tuple[Tone, ...] = get_args(Tone)

# The colours of Okabe and Ito, which colour-blind readers can tell apart. For each tone its fill, the edge
# and line (dark enough to be seen on the paper), and the shade of cells that text must stay readable on.
LIGHT: Mapping[str, str] = {
    "paper": "#fbfaf7",
    "ink": "#1d1c1a",
    "soft": "#5c5952",
    "line": "#e2ded4",
    "main": "#0072b2",
    "main-edge": "#00588a",
    "main-shade": "#0072b2",
    "second": "#e69f00",
    "second-edge": "#996900",
    "second-shade": "#e69f00",
    "third": "#cc79a7",
    "third-edge": "#94436f",
    "third-shade": "#cc79a7",
    "good": "#009e73",
    "good-edge": "#00664a",
    "good-shade": "#009e73",
    "bad": "#d55e00",
    "bad-edge": "#a34700",
    "bad-shade": "#d55e00",
    "unsure": "#f0e442",
    "unsure-edge": "#7a7100",
    "unsure-shade": "#f0e442",
    "faint": "#8a877e",
    "faint-edge": "#6b6861",
    "faint-shade": "#8a877e",
}
DARK: Mapping[str, str] = {
    "paper": "#161715",
    "ink": "#ecebe6",
    "soft": "#aba89f",
    "line": "#383933",
    "main": "#56b4e9",
    "main-edge": "#8fd0f5",
    "main-shade": "#2b6f9c",
    "second": "#e69f00",
    "second-edge": "#ffc44d",
    "second-shade": "#8a5f00",
    "third": "#cc79a7",
    "third-edge": "#e8abcb",
    "third-shade": "#94436f",
    "good": "#2cb48d",
    "good-edge": "#6fd9b8",
    "good-shade": "#00704f",
    "bad": "#e2702a",
    "bad-edge": "#ffa266",
    "bad-shade": "#a34700",
    "unsure": "#f0e442",
    "unsure-edge": "#f7f08c",
    "unsure-shade": "#706900",
    "faint": "#85827a",
    "faint-edge": "#aba89f",
    "faint-shade": "#5f5d57",
}
# On a page the style sheet decides, so that figures follow it from light to dark.
THEMED: Mapping[str, str] = {role: f"var(--{role})" for role in LIGHT}
# A file stands on white.
PRINTED: Mapping[str, str] = {**LIGHT, "paper": "#ffffff"}

# How strong a cell's shade gets: ink on it keeps a contrast of 4.5 in light and dark (tested).
STRONGEST = 0.8


@dataclass(frozen=True, slots=True)
class Look:
    """A tone without its colour: what remains in grey print."""

    marker: MarkerShape
    dash: tuple[float, ...]
    dashed: tuple[float, ...]
    """The dash of a line that is dashed on purpose."""
    hatch: Hatch


LOOKS: Mapping[Tone, Look] = {
    "main": Look("circle", (), (6, 4), ""),
    "second": Look("square", (10, 2.5), (3, 3), "/"),
    "third": Look("diamond", (10, 2.5, 2.5, 2.5), (2.5, 2.5, 1, 2.5), "|"),
    "good": Look("triangle", (16, 2.5), (7, 3), ""),
    "bad": Look("cross", (6, 2.5, 1.5, 2.5, 1.5, 2.5), (4, 3), "\\"),
    "unsure": Look("wedge", (4, 2), (1.5, 3), "-"),
    "faint": Look("dot", (2, 2), (1.5, 4), ""),
}


def style_sheet(colours: Mapping[str, str]) -> str:
    """The colours as CSS custom properties."""
    return " ".join(f"--{role}: {colour};" for role, colour in colours.items())
