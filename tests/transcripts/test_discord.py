"""Discord channels as DiscordChatExporter writes them."""

import io
import json
from typing import Any

import pytest

from memcli.atoms import Message
from memcli.errors import InputError
from memcli.transcripts import Transcript, read

AUTHOR = {"id": "7", "name": "wanjiru", "discriminator": "0000", "nickname": "Wanjirũ", "isBot": False}


def note(ident: str, content: str, **more: object) -> dict[str, Any]:
    return {"id": ident, "type": "Default", "timestamp": "2024-02-03T11:55:00.123+02:00", "content": content, "author": AUTHOR, **more}


def discord(*messages: object, **more: object) -> Transcript:
    document = {
        "guild": {"id": "1", "name": "Climbers"},
        "channel": {"id": "5", "type": "GuildTextChat", "category": "Talk", "name": "ropes"},
        "dateRange": {"after": None},
        "messages": list(messages),
        "messageCount": len(messages),
        **more,
    }
    transcript = read(io.BytesIO(json.dumps(document).encode()), name="ropes.json")
    assert transcript.format == "discord"
    return transcript


def text_of(record: dict[str, Any]) -> str:
    (message,) = discord(record).messages
    return message.text


def test_a_reply_that_was_edited() -> None:
    reply = note("102", "60 m", type="Reply", timestampEdited="2024-02-03T12:00:00+02:00", reference={"messageId": "101", "channelId": "5"})
    common: dict[str, Any] = {"conversation_id": "5", "speaker": "Wanjirũ", "role": "user", "source": "ropes.json"}
    about = {"title": "ropes", "guild": "Climbers", "category": "Talk", "author_id": "7"}
    assert list(discord(note("101", "How long?"), reply).messages) == [
        Message(
            message_id="101",
            text="How long?",
            timestamp="2024-02-03T11:55:00.123000+02:00",
            locator="messages[0]",
            metadata=about,
            **common,
        ),
        Message(
            message_id="102",
            text="60 m",
            timestamp="2024-02-03T11:55:00.123000+02:00",
            locator="messages[1]",
            metadata={**about, "type": "Reply", "edited": "2024-02-03T12:00:00+02:00", "reply_to": "101"},
            **common,
        ),
    ]


def test_attachments_stickers_embeds_and_forwarded_words() -> None:
    files = [{"id": "1", "fileName": "knot.PNG"}, {"id": "2", "fileName": "topo.pdf"}]
    assert text_of(note("1", "See", attachments=files)) == "See\n[image: knot.PNG]\n[file: topo.pdf]"
    assert text_of(note("1", "", stickers=[{"name": "wave"}])) == "[image: wave]"
    embeds = [{"title": "Weather", "description": "dry", "fields": [{"name": "wind", "value": "none"}]}]
    assert text_of(note("1", "", embeds=embeds)) == "Weather\ndry\nwind: none"
    assert text_of(note("1", "own words", embeds=embeds)) == "own words"
    assert text_of(note("1", "", forwardedMessage={"content": "a\nb", "attachments": files[1:]})) == "> a\n> b\n[file: topo.pdf]"


@pytest.mark.parametrize("kind", ["GuildMemberJoin", "ChannelPinnedMessage", "Call", "7"])
def test_notes_of_discord_itself(kind: str) -> None:
    (message,) = discord(note("1", "Joined the server.", type=kind)).messages
    assert (message.role, message.metadata["type"]) == ("system", kind)


def test_bots_and_people_without_a_nickname() -> None:
    bot = {"id": "8", "name": "beta-bot", "isBot": True}
    messages = discord(
        note("1", "Tip", author=bot, type="20", interaction={"name": "tip"}), note("2", "x", author={"id": "9", "name": "u"})
    ).messages
    assert [(m.role, m.speaker, m.metadata.get("command")) for m in messages] == [("assistant", "beta-bot", "tip"), ("user", "u", None)]


def test_ids_times_and_authors_that_are_missing() -> None:
    record = {"content": "x", "timestamp": "yesterday"}
    transcript = discord(record, guild={"id": "0", "name": "Direct Messages"}, channel={"type": "DirectTextChat"})
    (message,) = transcript.messages
    assert (message.conversation_id, message.unnamed, message.message_id) == ("ropes", True, "messages[0]")
    assert (message.speaker, message.timestamp) == ("unknown", None)
    assert transcript.warnings == ["1 timestamp could not be read; that message has no time"]


def test_a_message_that_is_none_is_an_error_at_its_place() -> None:
    with pytest.raises(InputError, match=r"^ropes\.json: messages\[1\]: looks like a JSON null; discord expects"):
        list(discord(note("1", "x"), None).messages)
