import io
import json

import pytest

from memcli.atoms import Message
from memcli.errors import InputError
from memcli.transcripts import Transcript, read


def chat(text: str, name: str = "talk.jsonl") -> Transcript:
    return read(io.BytesIO(text.encode()), name=name)


def lines(*records: object) -> str:
    return "".join(json.dumps(record) + "\n" for record in records)


def said(transcript: Transcript) -> list[tuple[str, str, str]]:
    return [(m.message_id, m.speaker, m.text) for m in transcript.messages]


def test_every_documented_key_of_a_line_is_read() -> None:
    record = {
        "role": "user",
        "content": "The kiln fires at 1040 degrees.",
        "timestamp": "2024-02-03T10:15:00+01:00",
        "name": "Odalys",
        "id": "m-7",
        "conversation_id": "pottery",
        "session_id": "s2",
        "mood": "glad",
    }
    transcript = chat(lines(record))
    assert transcript.format == "chat"
    assert list(transcript.messages) == [
        Message(
            conversation_id="pottery",
            message_id="m-7",
            speaker="Odalys",
            role="user",
            text="The kiln fires at 1040 degrees.",
            timestamp="2024-02-03T10:15:00+01:00",
            session_id="s2",
            source="talk.jsonl",
            locator="line 1",
            metadata={"mood": "glad"},
        )
    ]
    assert transcript.warnings == []


def test_defaults_come_from_the_file_and_the_order() -> None:
    messages = list(chat(lines({"role": "human", "text": "hi"}, {"role": "ai", "message": "hello"}), "notes/Kiln log.jsonl").messages)
    assert [(m.conversation_id, m.message_id, m.speaker, m.role, m.session_id) for m in messages] == [
        ("Kiln log", "1", "user", "user", None),
        ("Kiln log", "2", "assistant", "assistant", None),
    ]


def test_ordinals_count_within_each_conversation() -> None:
    records = [{"role": "user", "content": word, "conversation_id": where} for word, where in (("a", "x"), ("b", "y"), ("c", "x"))]
    assert [(m.conversation_id, m.message_id) for m in chat(lines(*records)).messages] == [("x", "1"), ("y", "1"), ("x", "2")]


@pytest.mark.parametrize(
    ("record", "role", "speaker"),
    [
        ({"role": "developer", "content": "x"}, "system", "system"),
        ({"role": "function", "content": "x", "name": "lookup"}, "tool", "lookup"),
        ({"role": "model", "content": "x"}, "assistant", "assistant"),
        ({"role": "Bartholo", "content": "x"}, "user", "Bartholo"),
        ({"role": "assistant", "name": "Zinnia", "content": "x"}, "assistant", "Zinnia"),
        ({"speaker": "Odalys", "content": "x"}, "user", "Odalys"),
        ({"sender": "bot", "body": "x"}, "assistant", "assistant"),
        ({"from": "human", "value": "x"}, "user", "user"),
        ({"author": {"role": "assistant", "name": "Zinnia"}, "content": "x"}, "assistant", "Zinnia"),
        ({"author": "Odalys", "text": "x"}, "user", "Odalys"),
        ({"from": "assistant", "name": "Zinnia", "text": "x"}, "assistant", "Zinnia"),
        ({"role": "user", "name": ["Zinnia"], "from": {"id": 1}, "content": "x"}, "user", "user"),
        ({"role": 7, "name": "Zinnia", "content": "x"}, "user", "Zinnia"),
    ],
)
def test_roles_and_names(record: dict[str, object], role: str, speaker: str) -> None:
    (message,) = chat(lines(record)).messages
    assert (message.role, message.speaker, message.text) == (role, speaker, "x")


def test_content_blocks_become_text_and_attachment_lines() -> None:
    content = [
        {"type": "text", "text": "  Look at this:\n"},
        {"type": "image", "alt": "a blue\nbowl", "source": {"data": "AAAA"}},
        {"type": "image_url", "image_url": {"url": "http://example.org/a.png"}},
        {"type": "tool_use", "name": "x", "input": {}},
        {"type": "file", "filename": "glazes.csv"},
        "and this",
    ]
    (message,) = chat(lines({"role": "user", "content": content})).messages
    assert message.text == "  Look at this:\n\nand this\n[image: a blue bowl]\n[file: glazes.csv]"


@pytest.mark.parametrize("indent", [None, 2])
def test_json_arrays_of_messages(indent: int | None) -> None:
    text = json.dumps([{"role": "user", "content": "a"}, {"role": "assistant", "content": "b"}], indent=indent)
    transcript = chat(text, "talk.json")
    assert transcript.format == "chat"
    assert [(m.message_id, m.text, m.locator) for m in transcript.messages] == [("1", "a", "[0]"), ("2", "b", "[1]")]


@pytest.mark.parametrize("indent", [None, 2])
@pytest.mark.parametrize("end", ["", "\n"])
def test_an_object_with_messages(indent: int | None, end: str) -> None:
    document = {"id": "c9", "session_id": 3, "messages": [{"role": "user", "content": "a"}, {"speaker": "Bartholo", "content": "b"}]}
    transcript = chat(json.dumps(document, indent=indent) + end, "talk.json")
    assert transcript.format == "chat"
    assert [(m.conversation_id, m.session_id, m.message_id, m.speaker) for m in transcript.messages] == [
        ("c9", "3", "1", "user"),
        ("c9", "3", "2", "Bartholo"),
    ]


def test_lines_that_hold_whole_conversations() -> None:
    one, two = ({"messages": [{"role": "user", "content": word}]} for word in "ab")
    found = [(m.conversation_id, m.message_id, m.text, m.locator) for m in chat(lines(one, two)).messages]
    assert found == [("talk", "1", "a", "line 1: messages[0]"), ("talk-2", "1", "b", "line 2: messages[0]")]


def test_an_unreadable_timestamp_is_not_guessed_and_not_lost() -> None:
    unclear, clear = chat(
        lines({"role": "user", "content": "a", "timestamp": "03/04/2024"}, {"role": "user", "content": "b", "created_at": 1706954100123})
    ).messages
    assert (unclear.timestamp, unclear.metadata) == (None, {"timestamp": "03/04/2024"})
    assert (clear.timestamp, clear.metadata) == ("2024-02-03T09:55:00.123000+00:00", {})


def test_empty_messages_are_skipped_and_counted_once() -> None:
    texts = ["one", "", "  \n", None, "five"]
    transcript = chat(lines(*({"role": "user", "content": text} for text in texts)))
    assert said(transcript) == [("1", "user", "one"), ("5", "user", "five")]
    assert transcript.warnings == ["3 empty messages skipped"]


def test_text_is_verbatim() -> None:
    text = "  two  spaces\tand a tab\r\n\n  and an end  \n"
    (message,) = chat(lines({"role": "user", "content": text})).messages
    assert message.text == text


@pytest.mark.parametrize("half", ['{"role": "user", "content": "I nev', '{"role": "user"', "{", '{"role": "user", "content": "é'])
@pytest.mark.parametrize("end", ["", "\n"])
def test_a_half_written_last_line_is_left_for_the_next_time(half: str, end: str) -> None:
    transcript = chat(lines({"role": "user", "content": "whole"}) + half + end)
    assert said(transcript) == [("1", "user", "whole")]
    assert len(transcript.warnings) == 1
    assert transcript.warnings[0].startswith("line 2: half-written last line skipped")


def test_a_stream_that_is_only_half_a_line_has_no_messages() -> None:
    transcript = chat('{"role": "us', "-")
    with pytest.raises(InputError, match=r"^-: no messages in it \(line 1: half-written last line skipped; .*\): expected objects like"):
        list(transcript.messages)


def test_a_broken_line_in_the_middle_is_an_error_when_it_is_reached() -> None:
    good = lines({"role": "user", "content": "good"})
    transcript = chat(good + '\n{"role": "user", "cont\n' + good)
    messages = iter(transcript.messages)
    assert next(messages).text == "good"
    with pytest.raises(InputError, match=r"^talk\.jsonl: line 3: not JSON: ") as caught:
        next(messages)
    assert caught.value.locator == "line 3"


@pytest.mark.parametrize(
    ("record", "missing"),
    [({"content": "x"}, "no role"), ({"role": "user"}, "no content"), ({"kind": "summary"}, "no role"), (7, "number")],
)
def test_a_line_that_is_no_message_is_an_error_that_says_what_was_expected(record: object, missing: str) -> None:
    with pytest.raises(InputError, match=rf'^talk\.jsonl: line 2: .*{missing}.*expect.*"role": "user"'):
        list(chat(lines({"role": "user", "content": "x"}, record)).messages)


def test_an_array_cut_off_is_an_error_with_its_line() -> None:
    with pytest.raises(InputError, match=r"^talk\.json: line 3: not JSON"):
        list(chat('[{"role": "user", "content": "x"},\n{"role": "user",\n"content": "y', "talk.json").messages)


def test_a_first_line_cut_off_before_others_is_named_itself() -> None:
    with pytest.raises(InputError, match=r"^talk\.jsonl: line 1: not JSON"):
        list(chat('{"role": "user", "cont\n' + lines({"role": "user", "content": "x"})).messages)


def test_timestamps_that_cannot_be_read_are_counted_and_no_time_is_not_one() -> None:
    times = ["03/04/2024", "whenever", "2024-04-03T10:00:00", None, 0, "", " ", True, "2024-13-01"]
    transcript = chat(lines(*({"role": "user", "content": "x", "timestamp": time} for time in times)))
    assert [message.timestamp for message in transcript.messages].count(None) == len(times) - 1
    assert transcript.warnings == ["4 timestamps could not be read; those messages have no time"]


def test_a_time_under_another_key_makes_up_for_one_that_cannot_be_read() -> None:
    transcript = chat(lines({"role": "user", "content": "x", "timestamp": "noon", "created_at": "2024-04-03"}))
    assert [message.timestamp for message in transcript.messages] == ["2024-04-03T00:00:00"]
    assert transcript.warnings == []
