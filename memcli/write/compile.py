"""A message on its way to a turn: its spans, and the cues of each. The first half of the write path in one call."""

from __future__ import annotations

from dataclasses import replace

from memcli.atoms import Message, TimeCue, Turn
from memcli.language.times import find_time_cues
from memcli.write.cues import find_handles, find_pivot
from memcli.write.spans import cut_spans


def compile_turn(message: Message, people: tuple[str, ...]) -> Turn:
    """Cut a message into spans and find the cues in them.

    Args:
        message: the message.
        people: names of everybody who has taken part in the conversation so far.
    """
    spans = tuple(cut_spans(message.text))
    times: list[tuple[TimeCue, ...]] = []
    for span in spans:
        found = find_time_cues(span.text, message.timestamp) if span.kind in ("sentence", "quote") else []
        times.append(tuple(replace(cue, offset=cue.offset + span.start) for cue in found))
    return Turn(
        message=message,
        spans=spans,
        times=tuple(times),
        handles=tuple(tuple(find_handles(span, people)) for span in spans),
        pivots=tuple(find_pivot(span) for span in spans),
    )
