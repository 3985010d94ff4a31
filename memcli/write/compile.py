"""A message on its way to a turn: its spans, and the cues of each. The first half of the write path in one call."""

from __future__ import annotations

from collections.abc import Set
from dataclasses import replace

from memcli.atoms import Message, Span, TimeCue, Turn
from memcli.language.times import find_time_cues
from memcli.write.cues import find_pivot
from memcli.write.handles import find_message_handles
from memcli.write.spans import cut_spans


def compile_turn(
    message: Message, people: tuple[str, ...], familiar: Set[str] = frozenset(), spans: tuple[Span, ...] | None = None
) -> Turn:
    """Cut a message into spans and find the cues in them.

    Args:
        message: the message.
        people: names of everybody who has taken part in the conversation so far.
        familiar: words that the conversation so far has shown to be names; see `memcli.write.handles.name_words`.
        spans: the message's spans where they are known already (it is stored); cut here when None.
    """
    spans = tuple(cut_spans(message.text)) if spans is None else spans
    times: list[tuple[TimeCue, ...]] = []
    for span in spans:
        found = find_time_cues(span.text, message.timestamp) if span.kind in ("sentence", "quote") else []
        times.append(tuple(replace(cue, offset=cue.offset + span.start) for cue in found))
    return Turn(
        message=message,
        spans=spans,
        times=tuple(times),
        handles=find_message_handles(spans, people, familiar),
        pivots=tuple(find_pivot(span) for span in spans),
    )
