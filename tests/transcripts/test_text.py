"""Plain text and Markdown with names before what was said."""

import io
from typing import Any

import pytest

from memcli.atoms import Message
from memcli.errors import InputError
from memcli.transcripts import Transcript, read


def opened(text: str, format: str | None = None) -> Transcript:
    transcript = read(io.BytesIO(text.encode()), format, name="talk.txt")
    assert transcript.format == "text"
    return transcript


def told(text: str, format: str | None = None) -> list[tuple[str, str, str, str | None]]:
    return [(m.speaker, m.role, m.text, m.timestamp) for m in opened(text, format).messages]


def test_names_before_a_colon() -> None:
    transcript = opened("Zsófia: Is the loom strung?\nHaruto: Yes.\n  Twice.\n\nAnd oiled.\nZsófia: Jó.\n")
    common: dict[str, Any] = {"conversation_id": "talk", "role": "user", "source": "talk.txt", "occurrence": 1, "unnamed": True}
    assert list(transcript.messages) == [
        Message(message_id="1", speaker="Zsófia", text="Is the loom strung?", locator="line 1", **common),
        Message(message_id="2", speaker="Haruto", text="Yes.\n  Twice.\n\nAnd oiled.", locator="line 2", **common),
        Message(message_id="3", speaker="Zsófia", text="Jó.", locator="line 6", **common),
    ]


@pytest.mark.parametrize(
    "text",
    [
        "User: Hi\nAssistant: Hello\n",
        "Human: Hi\n\nAI: Hello\n",
        "**User:** Hi\n\n**Assistant:** Hello\n",
        "**You**: Hi\n\n---\n\n**ChatGPT**: Hello\n",
        "# A chat\n\n## User\n\nHi\n\n## Assistant\n\nHello\n",
        "### Prompt:\nHi\n\n### Response:\nHello\n",
        "- User: Hi\n- Assistant: Hello\n",
    ],
)
def test_people_and_models(text: str) -> None:
    assert [(role, said) for _, role, said, _ in told(text)] == [("user", "Hi"), ("assistant", "Hello")]


def test_times_before_and_behind_names() -> None:
    assert told(
        "[2024-02-03 10:15] Zsófia: a\n2024-02-03T10:16:00Z Haruto: b\nZsófia (2024-02-03 10:17): c\n[10:18] Haruto: d\n"
        "## 4 February 2024\n[7:05 PM] Zsófia: e\nHaruto: f\n",
        "text",
    ) == [
        ("Zsófia", "user", "a", "2024-02-03T10:15:00"),
        ("Haruto", "user", "b", "2024-02-03T10:16:00+00:00"),
        ("Zsófia", "user", "c", "2024-02-03T10:17:00"),
        ("Haruto", "user", "d", None),
        ("Zsófia", "user", "e", "2024-02-04T19:05:00"),
        ("Haruto", "user", "f", "2024-02-04T00:00:00"),
    ]


def test_code_keeps_its_colons_and_full_width_colons_count() -> None:
    assert told("User: Why?\n```yaml\nname: x\nUser: y\n```\nAssistant: So.\n") == [
        ("user", "user", "Why?\n```yaml\nname: x\nUser: y\n```", None),
        ("assistant", "assistant", "So.", None),
    ]
    assert told("小林：機を織った？\n蘇菲：はい。\n小林：よし。\n") == [
        ("小林", "user", "機を織った？", None),
        ("蘇菲", "user", "はい。", None),
        ("小林", "user", "よし。", None),
    ]


def test_what_stands_before_the_first_turn_is_reported() -> None:
    transcript = opened("Talk at the loom\n\nZsófia: a\nHaruto: b\nZsófia: c\n")
    assert [m.text for m in transcript.messages] == ["a", "b", "c"]
    assert transcript.warnings == ["1 line before the first turn skipped"]


@pytest.mark.parametrize(
    "text",
    [
        "Dear diary,\ntoday I bought clay.\nNote: blue.\n",
        "ERROR: disk\nERROR: disk\nINFO: ok\nINFO: ok\n",
        "name: loom\nversion: 1\ndescription: x\nlicense: MIT\n",
        "From: a@example.org\nTo: b@example.org\nSubject: loom\n\nHi\n",
        "Ingredients: flour\nMethod: mix\n",
        "# Loom\n\nHow to string it. Two things: warp and weft.\n\nWarp: the long threads.\n",
        "https://example.org\nhttps://example.org\n",
    ],
)
def test_other_texts_are_no_transcripts(text: str) -> None:
    with pytest.raises(InputError, match="expected a transcript"):
        opened(text)
