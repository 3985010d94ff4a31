"""JSON lines that `mem ingest` reads back: first the messages, as a transcript has them, then all that was made of them.

A message is a line of the plain chat format. Every other line is `{"kind": KIND, KIND: {...}, "messages": []}`: to a reader of chats a
conversation in which nothing was said, so that it passes over it.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Mapping
from typing import Any, Final, TextIO

from memcli.provenance.reading import Reading, as_object, kind_of
from memcli.provenance.texts import to_json
from memcli.store.export_rows import (
    ClaimRow,
    EdgeRow,
    EventTreeRow,
    GroupRow,
    HandleRow,
    IngestRow,
    KeywordRow,
    LineageRow,
    MessageRow,
    ModelRow,
    PivotRow,
    ReferentRow,
    RunRow,
    SpanRow,
    SupportRow,
    TimeCueRow,
    TopicRow,
)

_REST: Final[tuple[type[Any], ...]] = (
    IngestRow, ModelRow, SpanRow, ReferentRow, HandleRow, TimeCueRow, PivotRow, ClaimRow, SupportRow, KeywordRow, EdgeRow, GroupRow,
    TopicRow, RunRow, LineageRow, EventTreeRow,
)  # fmt: skip

_OWN: Final = frozenset(("role", "name", "content", "timestamp", "id", "conversation_id", "session_id", "kind"))
_NAMES: Final = frozenset(("speaker", "author", "from", "sender"))
_TIMES: Final = frozenset(("created_at", "create_time", "createdAt", "datetime", "date", "time", "ts"))
"""Keys of metadata that a reader of chats could take for a field of the message: always, for its speaker, and where it has no time."""
_ORIGIN: Final = ("source", "locator", "ingest_id", "page_id", "position", "occurrence", "digest")


def write(reading: Reading, out: TextIO) -> None:
    """Write the export: the lines of every message, then of every message's origin, then of all else."""
    said: Counter[str] = Counter()
    clashes: dict[tuple[str, str], int] = {}
    for message in reading.rows(MessageRow):
        said[message.conversation_id] += 1
        out.write(to_json(_message(message, said[message.conversation_id], _given_id(message, clashes))) + "\n")
    for message in reading.rows(MessageRow):
        origin = {"message_id": message.message_id, "conversation_id": message.conversation_id}
        _write(out, "origin", origin | {name: getattr(message, name) for name in _ORIGIN})
    for family in _REST:
        for row in reading.rows(family):
            _write(out, kind_of(family), as_object(row))


def _write(out: TextIO, kind: str, value: Mapping[str, Any]) -> None:
    out.write(to_json({"kind": kind, kind: value, "messages": []}) + "\n")


def _given_id(message: MessageRow, clashes: dict[tuple[str, str], int]) -> str | None:
    """The id to write where it is not the message's own: reading it back, behind those that had it first, gives that one again."""
    if message.given_id is None:
        return None
    key = message.conversation_id, message.given_id
    number = clashes.get(key, 1) + 1
    if message.message_id != f"{message.given_id}~{number}":
        return None
    clashes[key] = number
    return message.given_id


def _message(message: MessageRow, place: int, given_id: str | None) -> dict[str, Any]:
    """A message as a line of a chat.

    Args:
        message: the message.
        place: the how-manieth of its conversation it is in this export, from 1.
        given_id: the id to write instead of its own.
    """
    metadata = dict(message.metadata)
    if given_id is not None:
        del metadata["given_id"]
    # Without an id, a reader counts. Where it would come to the same one, none is written, since the transcript gave none.
    unnamed = message.occurrence is not None and message.message_id == str(place) and "message_id" not in metadata
    line: dict[str, Any] = {"role": message.role}
    if message.speaker != message.role:
        line["name"] = message.speaker
    line["content"] = message.text
    if message.timestamp is not None:
        line["timestamp"] = message.timestamp
    if not unnamed:
        line["id"] = given_id or message.message_id
    line["conversation_id"] = message.conversation_id
    if message.session_id is not None:
        line["session_id"] = message.session_id
    taken = _OWN | _NAMES if message.timestamp is not None else _OWN | _NAMES | _TIMES
    if ambiguous := {key: metadata.pop(key) for key in taken & metadata.keys()}:
        holder = "metadata"
        while holder in metadata:
            holder += "_"
        metadata[holder] = ambiguous
    return line | metadata
