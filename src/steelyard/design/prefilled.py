"""Errors that are marked beforehand, in the texts that items show: damaged copies keep some of them."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Mapping

from steelyard.domain.campaign import Campaign
from steelyard.domain.judgement import Span
from steelyard.domain.text import common_ends
from steelyard.domain.work import Item, ItemKind, ShownText, texts_of

# A text of these kinds is no system's: nobody has looked for errors in it.
_OF_NOBODY = (ItemKind.REFERENCE, ItemKind.CALIBRATION)


class Prefiller:
    """What is marked beforehand in items, given the errors of translations and how their texts are found."""

    def __init__(
        self,
        marked: Mapping[tuple[str, str], tuple[Span, ...]],
        text_of: Callable[[str, str], str | None],
    ) -> None:
        self._marked, self._text_of = marked, text_of

    @classmethod
    def of(cls, campaign: Campaign) -> Prefiller:
        """For the items of a campaign."""
        number = {segment.segment_id: place for place, segment in enumerate(campaign.segments)}
        return cls(campaign.prefilled, lambda system, segment: campaign.translations[system][number[segment]])

    def marked(self, item: Item) -> Iterator[tuple[int, tuple[Span, ...]]]:
        """The places of the item, from 1, at which there are errors, and these errors."""
        for place, text in enumerate(texts_of(item), start=1):
            spans = self._spans(text)
            if spans:
                yield place, spans

    def _spans(self, text: ShownText) -> tuple[Span, ...]:
        spans = self._marked.get((text.system_id, text.segment_id), ())
        if not spans or text.kind in _OF_NOBODY:
            return ()
        original = self._text_of(text.system_id, text.segment_id)
        return spans if original is None else spans_left(spans, original, text.text)


def spans_left(spans: Iterable[Span], original: str, changed: str) -> tuple[Span, ...]:
    """The spans of a text that are wholly outside what was changed in it, at their places in the other text.

    >>> [span[1:3] for span in spans_left([Span(0, 0, 3), Span(0, 4, 7), Span(0, 12, 18)],
    ...  "the old dog sleeps", "the small cat sleeps")]
    [(0, 3), (14, 20)]
    """
    if original == changed:
        return tuple(spans)
    start, back = common_ends(original, changed)
    further, left = len(changed) - len(original), []
    for span in spans:
        if span.side == "source" or span.start is None or span.end is None or span.end <= start:
            left.append(span)
        elif span.start >= len(original) - back:
            left.append(span._replace(start=span.start + further, end=span.end + further))
    return tuple(left)
