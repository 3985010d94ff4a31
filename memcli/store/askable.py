"""What a memory's claims tell and where they were told: what questions can be made of."""

from __future__ import annotations

import json
from dataclasses import dataclass
from typing import cast

import apsw


@dataclass(frozen=True, slots=True)
class Askable:
    """An active claim that tells something, with the messages that it rests on."""

    text: str
    speaker: str
    about: str
    """Its subject, or who says it where it is about nobody in particular."""
    conversation: str
    """Its anchor's conversation, as the transcript named it."""
    messages: frozenset[str]
    """Those it rests on in that conversation, as the transcript named them."""


def load_askable(connection: apsw.Connection) -> list[Askable]:
    """Every active claim that does not ask, in the order of their ids; the caller holds a read transaction if others may be writing."""
    rows = connection.execute(
        "SELECT c.text, speaker.name, coalesce(subject.name, speaker.name), conversation.external_id,"
        " (SELECT json_group_array(DISTINCT m.external_id) FROM claim_supports cs JOIN spans s ON s.id = cs.span_id"
        "  JOIN messages m ON m.id = s.message_id WHERE cs.claim_id = c.id AND m.conversation_id = conversation.id)"
        " FROM claims c JOIN referents speaker ON speaker.id = c.speaker_id LEFT JOIN referents subject ON subject.id = c.subject_id"
        " JOIN spans a ON a.id = c.anchor_span_id JOIN messages am ON am.id = a.message_id"
        " JOIN conversations conversation ON conversation.id = am.conversation_id"
        " WHERE c.status = 'active' AND c.modality <> 'asks' ORDER BY c.id"
    )
    return [
        Askable(text, speaker, about, conversation, frozenset(json.loads(messages)))
        for text, speaker, about, conversation, messages in cast("list[tuple[str, str, str, str, str]]", rows.fetchall())
    ]
