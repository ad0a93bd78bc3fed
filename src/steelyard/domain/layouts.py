"""The layouts in which the errors that workers marked can be written for other programs, by name."""

from __future__ import annotations

from collections.abc import Mapping

# Our own layout, which holds everything.
OURS = "judgements"
SPAN_LAYOUTS: Mapping[str, str] = {
    "mqm": "ten columns with <v> marks (.tsv)",
    "ratings-jsonl": "standalone ratings of mt-metrics-eval (.jsonl)",
    "seg-rating": "a folder of mt-metrics-eval with .seg.rating files",
    "wmt-jsonl": "a line for each judgement, as WMT24 published (.jsonl)",
}
