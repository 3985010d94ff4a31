"""BEAM: long chats between a user and an assistant, in numbered batches with dates at some of their turns."""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping
from typing import Any

from memcli.atoms import Message
from memcli.transcripts.fields import content_text, identifier, role_of
from memcli.transcripts.reader import Reader
from memcli.transcripts.sample import Sample
from memcli.transcripts.source import Source
from memcli.transcripts.times import normalise, unreadable

_LABEL = re.compile(r" ?->-> {0,3}([0-9]+(?:,(?:[0-9]+|N/A))*)\)?\s*\Z")
"""What labelling left at the end of many user turns: the number of the plan's bullet point they belong to."""
_FIELDS = frozenset({"role", "id", "content", "time_anchor"})


def _sniff(sample: Sample) -> bool:
    first = next(iter(sample.items), None)
    return isinstance(first, Mapping) and "batch_number" in first and ("turns" in first or not sample.complete)


def _read(source: Source) -> Iterator[Message]:
    conversation = source.parent if source.stem == "chat" and source.parent else source.stem
    ordinal = 0
    timestamp: str | None = None
    for number, (place, batch) in enumerate(source.items(), start=1):
        turns = batch.get("turns") if isinstance(batch, Mapping) else None
        if not isinstance(turns, list):
            raise READER.wrong(source, batch, place)
        session = f"batch_{identifier(batch.get('batch_number')) or number}"
        timestamp = normalise(batch.get("time_anchor")) or timestamp
        for locator, turn in _turns(turns):
            place = f"{session}.{locator}"
            if not isinstance(turn, Mapping) or "content" not in turn:
                raise READER.wrong(source, turn, place)
            ordinal += 1
            anchor = normalise(turn.get("time_anchor"))
            timestamp = anchor or timestamp
            text, metadata = _unlabelled(turn)
            if turn.get("time_anchor") is not None and anchor is None:
                metadata["time_anchor"] = turn["time_anchor"]
            if unreadable(turn.get("time_anchor")):
                source.warnings.count(
                    "time anchor could not be read; the one before it holds on",
                    "time anchors could not be read; the ones before them hold on",
                )
            role = role_of(turn.get("role")) or "user"
            yield Message(
                conversation_id=conversation,
                message_id=identifier(turn.get("id")) or str(ordinal),
                speaker=role,
                role=role,
                text=text,
                timestamp=timestamp,
                session_id=session,
                locator=place,
                metadata=metadata,
            )


def _turns(turns: list[Any]) -> Iterator[tuple[str, Any]]:
    """The messages of a batch: its turns are lists of messages, or messages themselves."""
    for outer, turn in enumerate(turns):
        if isinstance(turn, list):
            yield from ((f"turns[{outer}][{inner}]", message) for inner, message in enumerate(turn))
        else:
            yield f"turns[{outer}]", turn


def _unlabelled(turn: Mapping[str, Any]) -> tuple[str, dict[str, Any]]:
    """The text without the label, and the metadata with it as `index`."""
    text = content_text(turn["content"])
    metadata = {key: value for key, value in turn.items() if key not in _FIELDS}
    if label := _LABEL.search(text):
        text = text[: label.start()]
        if metadata.get("index") is None:
            metadata["index"] = label[1]
    return text, metadata


READER = Reader(
    name="beam",
    expects='objects with "batch_number" and "turns", whose messages have "role", "id" and "content"',
    sniff=_sniff,
    read=_read,
)
