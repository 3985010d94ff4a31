"""Telegram Desktop's JSON: one chat or the whole account, texts of entities, service messages."""

import io
import json
from typing import Any

import pytest

from memcli.atoms import Message
from memcli.errors import InputError
from memcli.transcripts import Transcript, read


def note(ident: int, text: object, **more: object) -> dict[str, Any]:
    return {
        "id": ident,
        "type": "message",
        "date": "2024-02-03T11:55:00",
        "date_unixtime": "1706954100",
        "from": "Xochitl",
        "from_id": "user7",
        "text": text,
        **more,
    }


def chat(*messages: object, **more: object) -> dict[str, Any]:
    return {"name": "Bees", "type": "private_group", "id": 42, "messages": list(messages), **more}


def telegram(document: object) -> Transcript:
    transcript = read(io.BytesIO(json.dumps(document, indent=1).encode()), name="result.json")
    assert transcript.format == "telegram"
    return transcript


def text_of(record: dict[str, Any]) -> str:
    (message,) = telegram(chat(record)).messages
    return message.text


def test_a_chat_with_a_reply_and_an_edit_and_the_zone_of_its_times() -> None:
    common: dict[str, Any] = {"conversation_id": "42", "speaker": "Xochitl", "role": "user", "source": "result.json"}
    edited = note(2, "¡Sí!", reply_to_message_id=1, edited="2024-02-03T12:00:00", edited_unixtime="1706954400")
    assert list(telegram(chat(note(1, "Did they swarm?"), edited)).messages) == [
        Message(
            message_id="1",
            text="Did they swarm?",
            timestamp="2024-02-03T11:55:00+02:00",
            locator="messages[0]",
            metadata={"title": "Bees", "from_id": "user7"},
            **common,
        ),
        Message(
            message_id="2",
            text="¡Sí!",
            timestamp="2024-02-03T11:55:00+02:00",
            locator="messages[1]",
            metadata={"title": "Bees", "reply_to": 1, "from_id": "user7", "edited": "2024-02-03T10:00:00+00:00"},
            **common,
        ),
    ]


@pytest.mark.parametrize(
    ("text", "shown"),
    [
        (
            ["Hi ", {"type": "mention", "text": "@ana"}, ", see ", {"type": "link", "text": "https://example.org"}],
            "Hi @ana, see https://example.org",
        ),
        ([{"type": "text_link", "text": "the hive", "href": "https://example.org/h"}, "!"], "the hive (https://example.org/h)!"),
        ([{"type": "pre", "text": "x = 1", "language": "python"}], "```\nx = 1\n```"),
        ("", ""),
        ([None, 5, {"type": "bold"}, "ok"], "ok"),
    ],
)
def test_texts_of_entities(text: object, shown: str) -> None:
    messages = list(telegram(chat(note(1, text), note(2, "end"))).messages)
    assert [m.text for m in messages] == [*filter(None, [shown]), "end"]


@pytest.mark.parametrize(
    ("more", "shown"),
    [
        ({"photo": "photos/1.jpg", "width": 9}, "look\n[image]"),
        ({"file": "files/hive.pdf", "mime_type": "application/pdf"}, "look\n[file: hive.pdf]"),
        (
            {"file": "(File not included. Change data exporting settings to download.)", "media_type": "voice_message"},
            "look\n[file: voice message]",
        ),
        ({"file": "s.webp", "media_type": "sticker", "sticker_emoji": "🐝"}, "look\n[image: sticker 🐝]"),
        ({"poll": {"question": "Honey?", "answers": [{"text": "yes", "voters": 2}, {"text": "no"}]}}, "look\nHoney?\n- yes\n- no"),
        ({"contact_information": {"first_name": "Ana", "phone_number": "1"}}, "look\n[file: contact Ana 1]"),
        ({"location_information": {"latitude": 1.5, "longitude": 2}}, "look\n[file: location 1.5, 2]"),
    ],
)
def test_media_stand_behind_the_text(more: dict[str, Any], shown: str) -> None:
    assert text_of(note(1, "look", **more)) == shown


def test_service_messages_and_deleted_accounts() -> None:
    created = {
        "id": 1,
        "type": "service",
        "date": "2024-02-03T11:55:00",
        "actor": "Xochitl",
        "action": "create_group",
        "title": "Bees",
        "text": "",
    }
    gone = note(2, "bye", **{"from": None})
    messages = list(telegram(chat(created, gone, id=None, name=None)).messages)
    assert [(m.role, m.speaker, m.text, m.timestamp, m.conversation_id) for m in messages] == [
        ("system", "Xochitl", "create group Bees", "2024-02-03T11:55:00", "result"),
        ("user", "Deleted account", "bye", "2024-02-03T11:55:00+02:00", "result"),
    ]


def test_the_whole_account() -> None:
    document = {
        "about": "Here is the data you requested.",
        "personal_information": {"user_id": 7},
        "chats": {"about": "x", "list": [chat(note(1, "a")), {"type": "saved_messages", "id": 9, "messages": [note(1, "b")]}]},
        "left_chats": {"about": "y", "list": [chat(note(1, "c"), id=43)]},
        "contacts": {"list": []},
    }
    assert [(m.conversation_id, m.metadata["title"], m.text, m.locator) for m in telegram(document).messages] == [
        ("42", "Bees", "a", "chats.list[0].messages[0]"),
        ("9", "Saved Messages", "b", "chats.list[1].messages[0]"),
        ("43", "Bees", "c", "left_chats.list[0].messages[0]"),
    ]


def test_a_file_cut_off_is_an_error_at_its_line() -> None:
    data = json.dumps(chat(note(1, "a"), note(2, "b")), indent=1).encode()
    with pytest.raises(InputError, match=r"^r\.json: line \d+: not JSON: "):
        list(read(io.BytesIO(data[:-30]), name="r.json").messages)
    with pytest.raises(InputError, match=r"^result\.json: messages\[1\]: looks like a JSON number; telegram expects"):
        list(telegram(chat(note(1, "a"), 5)).messages)
