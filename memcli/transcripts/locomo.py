"""LoCoMo: long conversations between two people in dated sessions, with captions of the images they shared."""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping
from typing import Any, TypeGuard

from memcli.atoms import Message
from memcli.transcripts.fields import assemble, identifier, image_line, string
from memcli.transcripts.reader import Reader
from memcli.transcripts.sample import Sample
from memcli.transcripts.source import Source
from memcli.transcripts.times import normalise, unreadable

_SESSION = re.compile(r"session_([0-9]{1,9})")
_FIELDS = frozenset({"speaker", "dia_id", "text", "blip_caption"})


def _sniff(sample: Sample) -> bool:
    first = next(iter(sample.items), None)
    if not isinstance(first, Mapping):
        return False
    if _is_conversation(first.get("conversation")):
        return True
    # The questions may come before the conversation and fill the sample.
    questions = first.get("qa")
    question = questions[0] if isinstance(questions, list) and questions else None
    return not sample.complete and isinstance(question, Mapping) and "evidence" in question


def _is_conversation(value: object) -> TypeGuard[Mapping[str, Any]]:
    return isinstance(value, Mapping) and any(_SESSION.match(key) or key == "speaker_a" for key in value)


def _read(source: Source) -> Iterator[Message]:
    for index, (place, sample) in enumerate(source.items()):
        conversation = sample.get("conversation") if isinstance(sample, Mapping) else None
        if not _is_conversation(conversation):
            raise READER.wrong(source, sample, place)
        default = source.stem if index == 0 else f"{source.stem}-{index + 1}"
        yield from _conversation(source, conversation, identifier(sample.get("sample_id")) or default)


def _conversation(source: Source, conversation: Mapping[str, Any], name: str) -> Iterator[Message]:
    sessions = sorted((int(match[1]), key) for key in conversation if (match := _SESSION.fullmatch(key)))
    ordinal = 0
    for _, session in sessions:
        turns = conversation[session]
        if not isinstance(turns, list):
            continue
        given = conversation.get(f"{session}_date_time")
        timestamp = normalise(given)
        if turns and unreadable(given):
            source.warnings.count(
                "session's date could not be read; its messages have no time",
                "sessions' dates could not be read; their messages have no time",
            )
        for index, turn in enumerate(turns):
            ordinal += 1
            locator = f"{session}[{index}]"
            speaker = string(turn.get("speaker")) if isinstance(turn, Mapping) else None
            if speaker is None:
                raise READER.wrong(source, turn, locator)
            metadata = {key: value for key, value in turn.items() if key not in _FIELDS}
            if given is not None and timestamp is None:
                metadata["session_date_time"] = given
            yield Message(
                conversation_id=name,
                message_id=identifier(turn.get("dia_id")) or str(ordinal),
                speaker=speaker,
                role="user",
                text=_text(turn),
                timestamp=timestamp,
                session_id=session,
                locator=locator,
                metadata=metadata,
            )


def _text(turn: Mapping[str, Any]) -> str:
    captions = turn.get("blip_caption")
    captions = captions if isinstance(captions, list) else [captions]
    text = turn.get("text")
    return assemble([text] if isinstance(text, str) else [], [image_line(shown) for item in captions if (shown := string(item))])


READER = Reader(
    name="locomo",
    expects='objects with a "conversation" of "session_N" arrays, whose turns have "speaker", "dia_id" and "text"',
    sniff=_sniff,
    read=_read,
    file_name=re.compile(r"locomo.*\.json(?:\.gz)?$", re.IGNORECASE),
)
