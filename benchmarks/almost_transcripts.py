"""Hypothesis strategies for transcripts that are almost right: for the tests, and for `benchmarks.fuzz_readers`."""

from __future__ import annotations

import json
from typing import Any

from hypothesis import strategies as st

KEYS = [
    "role",
    "content",
    "text",
    "name",
    "speaker",
    "author",
    "timestamp",
    "id",
    "messages",
    "conversation",
    "session_1",
    "session_1_date_time",
    "sample_id",
    "dia_id",
    "blip_caption",
    "batch_number",
    "turns",
    "time_anchor",
    "mapping",
    "current_node",
    "message",
    "parent",
    "children",
    "create_time",
    "parts",
    "content_type",
    "metadata",
    "attachments",
    "conversation_id",
    "session_id",
    "title",
    "type",
    "chat_messages",
    "uuid",
    "sender",
    "parent_message_uuid",
    "sessionId",
    "payload",
    "item",
    "ts",
    "user",
    "subtype",
    "blocks",
    "files",
    "chats",
    "list",
    "date",
    "date_unixtime",
    "text_entities",
    "channel",
    "guild",
    "haystack_sessions",
    "haystack_dates",
    "a",
    "b",
]
LEAVES = (
    st.none()
    | st.booleans()
    | st.integers()
    | st.floats()
    | st.text(st.characters(), max_size=8)
    | st.sampled_from(["user", "assistant", "text", "a", "b", "image_asset_pointer", "tether_quote", "3 May, 2024", "\ud800"])
)
VALUES = st.recursive(
    LEAVES, lambda inner: st.lists(inner, max_size=3) | st.dictionaries(st.sampled_from(KEYS), inner, max_size=5), max_leaves=25
)


def some(**fields: st.SearchStrategy[Any]) -> st.SearchStrategy[dict[str, Any]]:
    """Records that are right, or have one field missing or of the wrong kind."""
    spoilt = st.sampled_from([None, None, None, None, *fields])
    return st.builds(spoil, st.fixed_dictionaries(fields), spoilt, st.just(...) | LEAVES)


def spoil(record: dict[str, Any], key: str | None, value: object) -> dict[str, Any]:
    if key is None:
        return record
    rest = {name: item for name, item in record.items() if name != key}
    return rest if value is ... else {**rest, key: value}


WORDS = st.text(max_size=8) | st.sampled_from(["clay", "\ud800", "\0", " ->-> 1,2"])
NAMES = st.sampled_from(["user", "assistant", "Odalys", "\udfff"])
IDS = st.integers() | WORDS | st.none()
TIMES = st.sampled_from(["3 May, 2024", "March-15-2024", "2024-05-03T10:00:00Z", 1.7e9, 1.7e12, "never", None])
BLOCKS = st.lists(WORDS | some(type=st.sampled_from(["text", "image", "file"]), text=WORDS, alt=WORDS, name=WORDS), max_size=3)
NODES = st.sampled_from(["a", "b", "c"])
PART = some(content_type=st.sampled_from(["image_asset_pointer", "audio_transcription"]), text=WORDS, metadata=VALUES)
CONTENT = some(content_type=st.sampled_from(["text", "multimodal_text", "code"]), parts=st.lists(WORDS | PART, max_size=3), text=WORDS)
RECORD = some(author=some(role=NAMES, name=IDS), content=CONTENT, create_time=TIMES, metadata=VALUES)
NODE = some(id=NODES, parent=NODES, children=st.lists(NODES, max_size=2), message=RECORD)
MESSAGE = some(role=NAMES, name=NAMES, content=WORDS | BLOCKS, timestamp=TIMES, id=IDS, conversation_id=IDS, more=VALUES)
TURN = some(speaker=NAMES, text=WORDS, dia_id=IDS, blip_caption=WORDS)
SHAPED = {
    "chat": MESSAGE | some(id=IDS, messages=st.lists(MESSAGE, max_size=2)),
    "locomo": some(sample_id=IDS, conversation=some(session_1=st.lists(TURN, max_size=3), session_1_date_time=TIMES, speaker_a=NAMES)),
    "beam": some(
        batch_number=IDS, turns=st.lists(st.lists(some(role=NAMES, content=WORDS, id=IDS, time_anchor=TIMES), max_size=2), max_size=2)
    ),
    "chatgpt": some(title=IDS, id=IDS, current_node=NODES, mapping=st.dictionaries(NODES, NODE, max_size=3)),
}


BLOCK = some(
    type=st.sampled_from(["text", "tool_use", "tool_result", "thinking", "image"]),
    text=WORDS,
    name=WORDS,
    input=VALUES,
    id=IDS,
    content=VALUES,
)
CLAUDE = some(
    uuid=NODES,
    sender=st.sampled_from(["human", "assistant", "x"]),
    text=WORDS,
    content=st.lists(BLOCK, max_size=3),
    parent_message_uuid=NODES,
    created_at=TIMES,
    attachments=st.lists(some(file_name=WORDS, file_kind=WORDS), max_size=2),
)
STEP = some(
    type=st.sampled_from(["user", "assistant", "system", "summary"]),
    uuid=IDS,
    sessionId=IDS,
    isSidechain=st.booleans(),
    timestamp=TIMES,
    message=some(role=NAMES, content=WORDS | st.lists(BLOCK, max_size=3)),
    content=WORDS,
)
ITEM = some(
    type=st.sampled_from(["message", "function_call", "function_call_output", "local_shell_call", "web_search_call", "custom_tool_call"]),
    role=NAMES,
    content=st.lists(BLOCK, max_size=2),
    name=WORDS,
    call_id=NODES,
    arguments=WORDS | VALUES.map(json.dumps),
    output=VALUES,
    action=some(command=st.lists(WORDS, max_size=3), query=WORDS),
)
CODEX = some(
    timestamp=TIMES, type=st.sampled_from(["session_meta", "response_item", "event_msg", "compacted", "turn_context"]), payload=ITEM
)
SLACK = some(
    type=st.just("message"),
    subtype=st.sampled_from(["", "channel_join", "bot_message", "message_changed"]),
    user=IDS,
    text=WORDS | st.text("<>@#!|&;ltgamp U1", max_size=20),
    ts=st.sampled_from(["1706954100.0002", "x", None]),
    blocks=st.lists(VALUES, max_size=2),
    attachments=st.lists(VALUES, max_size=2),
    files=st.lists(VALUES, max_size=2),
    message=VALUES,
    edited=VALUES,
    bot_profile=VALUES,
)
ENTITY = WORDS | some(type=st.sampled_from(["bold", "pre", "text_link"]), text=WORDS, href=WORDS)
TELEGRAM = some(
    id=IDS,
    type=st.sampled_from(["message", "service"]),
    date=TIMES,
    date_unixtime=TIMES,
    text=WORDS | st.lists(ENTITY, max_size=3),
    poll=VALUES,
    file=WORDS,
    action=WORDS,
    members=VALUES,
    contact_information=VALUES,
    location_information=VALUES,
)
CHAT = some(name=IDS, type=WORDS, id=IDS, messages=st.lists(TELEGRAM, max_size=3))
DISCORD = some(
    id=IDS,
    type=st.sampled_from(["Default", "Reply", "GuildMemberJoin"]),
    timestamp=TIMES,
    content=WORDS,
    author=some(id=IDS, name=WORDS, nickname=WORDS, isBot=st.booleans()),
    attachments=st.lists(VALUES, max_size=2),
    embeds=st.lists(VALUES, max_size=2),
    reference=VALUES,
    forwardedMessage=VALUES,
)
SHAPED |= {
    "claude": some(uuid=IDS, name=IDS, chat_messages=st.lists(CLAUDE, max_size=4), current_leaf_message_uuid=NODES),
    "claude-code": STEP,
    "codex": CODEX | ITEM,
    "slack": SLACK,
    "telegram": CHAT | some(chats=some(about=WORDS, list=st.lists(CHAT, max_size=2)), left_chats=VALUES),
    "discord": some(guild=VALUES, channel=some(id=IDS, name=WORDS), messages=st.lists(DISCORD, max_size=3)),
    "longmemeval": some(
        question_id=IDS,
        haystack_dates=st.lists(TIMES, max_size=2),
        haystack_session_ids=st.lists(IDS, max_size=2),
        haystack_sessions=st.lists(st.lists(some(role=NAMES, content=WORDS | BLOCKS), max_size=2), max_size=2),
    ),
}
LINES = {"chat", "claude-code", "codex"}
"""Formats of JSON lines."""
DOCUMENTS = {"telegram", "discord"}
"""Formats of one JSON object."""
HEADS = st.sampled_from(
    [
        "13/2/24, 21:10 - Odalys: ",
        "[13.02.24, 21:10:09] \u200eOdalys: ",
        "٣/٢/٢٠٢٤، ٩:١٠ م - ",
        "2024. 2. 13. 오후 9:10 - Odalys: ",
        "Odalys: ",
        "**User:** ",
        "## Assistant\n",
        "```\n",
        "[10:15] Odalys (10:15): ",
        "4 February 2024\n",
        "99/99/99, 99:99 - ",
        "",
    ]
)
REST = WORDS | st.sampled_from(
    ["<Media omitted>", "a.jpg (file attached)", "\u200e<attached: a.jpg>", "x\n\ny", "<This message was edited>", ":"]
)
STARTS = st.sampled_from([b"", b"{", b"[{", b'{"role": "', b"\xff\xfe", b"\xfe\xff", b"\x1f\x8b\x08", b"PK\x03\x04", b"\xef\xbb\xbf["])


def as_text(kind: str, records: list[dict[str, Any]], lines: bool) -> str:
    """Records as a transcript of the format holds them; as JSON lines if it may be such and `lines` says so."""
    if kind in DOCUMENTS:
        return json.dumps(records[0])
    return "\n".join(map(json.dumps, records)) if kind in LINES and lines else json.dumps(records)


@st.composite
def transcripts(draw: st.DrawFn) -> tuple[str | None, int, bytes]:
    """A format to be forced or None, a number that chooses a wrapping, and bytes."""
    kind = draw(st.sampled_from([*SHAPED, "lines", "json", "bytes"]))
    own = kind if kind in SHAPED else None
    format = (
        draw(st.sampled_from([own, own, own, None, None]))
        if draw(st.integers(0, 9))
        else draw(st.sampled_from([*SHAPED, "whatsapp", "text"]))
    )
    if kind == "bytes":
        data = draw(STARTS) + draw(st.binary(max_size=200))
    elif kind == "lines":
        format = draw(st.sampled_from([None, "whatsapp", "text"]))
        lines = draw(st.lists(st.tuples(HEADS, REST), max_size=6))
        data = "\n".join(head + rest for head, rest in lines).encode("utf-8", "surrogatepass")
    elif kind == "json":
        data = json.dumps(draw(VALUES)).encode()
    else:
        data = as_text(kind, draw(st.lists(SHAPED[kind], min_size=1, max_size=3)), draw(st.booleans())).encode()
    if draw(st.integers(0, 7)) == 0:
        data = data[: draw(st.integers(0, len(data)))]
    return format, draw(st.sampled_from([0, 0, 0, 0, 0, 0, *range(8), 132])), data
