"""The Slack export: names, threads, edits, markup, and what Slack itself noted."""

import io
import json
import zipfile
from pathlib import Path
from typing import Any

import pytest

from memcli.atoms import Message
from memcli.errors import InputError
from memcli.transcripts import Transcript, read

USERS = [
    {"id": "U1", "name": "noor", "profile": {"display_name": "Noor", "real_name": "Noor Haddad"}},
    {"id": "U2", "name": "tvrtko", "profile": {"display_name": "", "real_name": "Tvrtko Marić"}},
    {"id": "B2", "name": "deploys", "is_bot": True},
]
CHANNELS = [{"id": "C1", "name": "bakery", "members": ["U1", "U2"]}, {"id": "C2", "name": "ovens"}]


def note(text: str, user: str = "U1", ts: str = "1706954100.000200", **more: object) -> dict[str, Any]:
    return {"type": "message", "user": user, "text": text, "ts": ts, **more}


def export(days: dict[str, list[dict[str, Any]]], prefix: str = "", **lists: object) -> bytes:
    target = io.BytesIO()
    with zipfile.ZipFile(target, "w") as archive:
        for name, value in {"users": USERS, "channels": CHANNELS, **lists}.items():
            archive.writestr(f"{prefix}{name}.json", json.dumps(value))
        for name, messages in days.items():
            archive.writestr(f"{prefix}{name}.json", json.dumps(messages))
    return target.getvalue()


def slack(*messages: dict[str, Any]) -> Transcript:
    transcript = read(io.BytesIO(export({"bakery/2024-02-03": list(messages)})), name="slack.zip")
    assert transcript.format == "slack"
    return transcript


def text_of(record: dict[str, Any]) -> str:
    (message,) = slack(record).messages
    return message.text


def test_a_thread_with_an_edited_reply() -> None:
    reply = note("Rye.", "U2", "1706954200.000300", thread_ts="1706954100.000200", edited={"user": "U2", "ts": "1706954300.000000"})
    common: dict[str, Any] = {"conversation_id": "bakery", "role": "user", "source": "slack.zip", "session_id": "2024-02-03"}
    assert list(slack(note("Which flour?", thread_ts="1706954100.000200", reply_count=1), reply).messages) == [
        Message(
            message_id="1706954100.000200",
            speaker="Noor",
            text="Which flour?",
            timestamp="2024-02-03T09:55:00.000200+00:00",
            locator="bakery/2024-02-03.json: [0]",
            metadata={"thread": "1706954100.000200", "channel": "C1"},
            **common,
        ),
        Message(
            message_id="1706954200.000300",
            speaker="Tvrtko Marić",
            text="Rye.",
            timestamp="2024-02-03T09:56:40.000300+00:00",
            locator="bakery/2024-02-03.json: [1]",
            metadata={"thread": "1706954100.000200", "edited": "2024-02-03T09:58:20+00:00", "channel": "C1"},
            **common,
        ),
    ]


@pytest.mark.parametrize(
    ("text", "shown"),
    [
        ("<@U2> and <@U9|old.name> and <@U8>", "@Tvrtko Marić and @old.name and @U8"),
        ("see <#C2> or <#C3|flour>", "see #ovens or #flour"),
        ("<!here> <!subteam^S1|@bakers> <!channel>", "@here @bakers @channel"),
        ("<!date^1706954100^{date}|Feb 3>", "Feb 3"),
        ("<https://example.org/rye|the recipe>", "the recipe (https://example.org/rye)"),
        ("<http://example.org|example.org> <https://example.org/b>", "http://example.org https://example.org/b"),
        ("<mailto:noor@example.org|noor@example.org>", "noor@example.org"),
        ("2 &lt; 3 &amp;&amp; &amp;lt;", "2 < 3 && &lt;"),
        ("ein *fetter* Teig\n> zitiert", "ein *fetter* Teig\n> zitiert"),
    ],
)
def test_markup_as_people_see_it(text: str, shown: str) -> None:
    assert text_of(note(text)) == shown


def test_joins_bots_files_and_deleted_messages() -> None:
    transcript = slack(
        note("<@U1> has joined the channel", subtype="channel_join"),
        {"type": "message", "subtype": "bot_message", "bot_id": "B1", "username": "timer", "text": "Bread is done.", "ts": "1706954101.0"},
        note(
            "",
            "B2",
            "1706954102.0",
            bot_id="B2",
            attachments=[{"title": "Deploy", "text": "went <https://example.org|well>", "fallback": "x"}],
        ),
        note(
            "The loaf", ts="1706954103.0", files=[{"name": "loaf.jpg", "title": "First loaf", "mimetype": "image/jpeg"}, {"name": "a.pdf"}]
        ),
        note("This message was deleted.", "USLACKBOT", "1706954104.0", subtype="tombstone"),
        {"type": "message", "subtype": "message_deleted", "ts": "1706954105.0", "deleted_ts": "1706954100.0"},
        {"type": "message", "subtype": "message_changed", "ts": "1706954106.0", "message": note("new words", ts="1706954100.5")},
    )
    assert [(m.role, m.speaker, m.text) for m in transcript.messages] == [
        ("system", "Noor", "@Noor has joined the channel"),
        ("assistant", "timer", "Bread is done."),
        ("user", "deploys", "Deploy\nwent well (https://example.org)"),
        ("user", "Noor", "The loaf\n[image: First loaf]\n[file: a.pdf]"),
        ("system", "USLACKBOT", "This message was deleted."),
        ("user", "Noor", "new words"),
    ]


def test_a_message_that_is_only_blocks() -> None:
    inner = [{"type": "text", "text": "Ask "}, {"type": "user", "user_id": "U2"}, {"type": "link", "url": "https://example.org"}]
    assert text_of(note("", blocks=[{"type": "rich_text", "elements": [{"type": "rich_text_section", "elements": inner}]}])) == (
        "Ask @Tvrtko Marićhttps://example.org"
    )
    assert text_of(note("", blocks=[{"type": "section", "text": {"type": "mrkdwn", "text": "Rye &amp; spelt"}}])) == "Rye & spelt"


def test_channels_and_days_in_order_direct_messages_by_who_is_in_them(tmp_path: Path) -> None:
    days = {
        "ovens/2024-02-04": [note("c")],
        "ovens/2024-02-03": [note("b")],
        "bakery/2024-02-05": [note("a")],
        "D7/2024-02-01": [note("psst")],
        "ovens/canvas_in_the_conversation": [{"x": 1}],
    }
    path = tmp_path / "export.zip"
    path.write_bytes(export(days, "Team export/", dms=[{"id": "D7", "members": ["U1", "U2"]}]))
    with zipfile.ZipFile(path) as archive:
        archive.extractall(tmp_path / "folder")
    for source in (path, tmp_path / "folder", tmp_path / "folder" / "Team export"):
        transcript = read(source)
        assert transcript.format == "slack"
        assert [(m.conversation_id, m.text) for m in transcript.messages] == [
            ("Noor, Tvrtko Marić", "psst"),
            ("bakery", "a"),
            ("ovens", "b"),
            ("ovens", "c"),
        ]


def test_one_days_file_alone(tmp_path: Path) -> None:
    (tmp_path / "bakery").mkdir()
    path = tmp_path / "bakery" / "2024-02-03.json"
    path.write_text(json.dumps([note("Hi <@U1>", user_profile={"display_name": "Noor", "real_name": "Noor Haddad"})]))
    (message,) = read(path).messages
    assert (message.conversation_id, message.speaker, message.text, message.unnamed) == ("bakery", "Noor", "Hi @U1", True)


def test_a_broken_day_is_named() -> None:
    data = export({"bakery/2024-02-03": [note("x")], "bakery/2024-02-04": [5]})  # type: ignore[list-item]
    with pytest.raises(InputError, match=r"^s\.zip: bakery/2024-02-04\.json: \[0\]: looks like a JSON number; slack expects"):
        list(read(io.BytesIO(data), name="s.zip").messages)
