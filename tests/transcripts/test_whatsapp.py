"""WhatsApp's text files, as phones of many languages and regions write them."""

import io
import zipfile
from pathlib import Path
from typing import Any

import pytest

from memcli.atoms import Message
from memcli.transcripts import Transcript, read


def whatsapp(text: str, name: str = "WhatsApp Chat with Oddný.txt") -> Transcript:
    transcript = read(io.BytesIO(text.encode()), name=name)
    assert transcript.format == "whatsapp"
    return transcript


def told(text: str) -> list[tuple[str | None, str, str, str]]:
    return [(m.timestamp, m.role, m.speaker, m.text) for m in whatsapp(text).messages]


def test_android_with_a_note_several_lines_and_media() -> None:
    transcript = whatsapp(
        "13/2/24, 09:05 - Messages and calls are end-to-end encrypted.\n"
        "13/2/24, 09:05 - Oddný: The boat is dry.\nPaint: Friday\n\nor Saturday\n"
        "14/2/24, 21:10 - Ibai: <Media omitted>\n"
        "14/2/24, 21:11 - Ibai: IMG-20240214-WA0001.jpg (file attached)\nthe hull\n"
    )
    common: dict[str, Any] = {"conversation_id": "Oddný", "source": "WhatsApp Chat with Oddný.txt", "occurrence": 1, "unnamed": True}
    assert list(transcript.messages) == [
        Message(
            message_id="1",
            speaker="WhatsApp",
            role="system",
            text="Messages and calls are end-to-end encrypted.",
            timestamp="2024-02-13T09:05:00",
            locator="line 1",
            **common,
        ),
        Message(
            message_id="2",
            speaker="Oddný",
            role="user",
            text="The boat is dry.\nPaint: Friday\n\nor Saturday",
            timestamp="2024-02-13T09:05:00",
            locator="line 2",
            **common,
        ),
        Message(
            message_id="3",
            speaker="Ibai",
            role="user",
            text="[file: media]",
            timestamp="2024-02-14T21:10:00",
            locator="line 6",
            **common,
        ),
        Message(
            message_id="4",
            speaker="Ibai",
            role="user",
            text="the hull\n[file: IMG-20240214-WA0001.jpg]",
            timestamp="2024-02-14T21:11:00",
            locator="line 7",
            **common,
        ),
    ]


def test_ios_with_marks_narrow_spaces_and_people_that_are_no_contacts() -> None:
    assert told(
        "[2/13/24, 9:05:01\u202fPM] Boat crew: \u200eMessages and calls are end-to-end encrypted.\r\n"
        "[2/13/24, 9:05:02\u202fPM] ~\u202fIbai: Hi\r\n"
        "\u200e[2/13/24, 9:05:03\u202fPM] Oddný: \u200eimage omitted\r\n"
        "\u200e[2/13/24, 12:05:04\u202fAM] \u202a+354 555 0101\u202c: \u200e<attached: 00000012-PHOTO-2024.jpg>\r\n"
        "[2/13/24, 12:06:00\u202fPM] Oddný: plans: none \u200e<This message was edited>\r\n"
    ) == [
        ("2024-02-13T21:05:01", "system", "Boat crew", "Messages and calls are end-to-end encrypted."),
        ("2024-02-13T21:05:02", "user", "Ibai", "Hi"),
        ("2024-02-13T21:05:03", "user", "Oddný", "[image]"),
        ("2024-02-13T00:05:04", "user", "+354 555 0101", "[file: 00000012-PHOTO-2024.jpg]"),
        ("2024-02-13T12:06:00", "user", "Oddný", "plans: none"),
    ]


@pytest.mark.parametrize(
    ("line", "moment"),
    [
        ("13.02.24, 21:10 - Ibai: x", "2024-02-13T21:10:00"),
        ("[13.02.24, 21:10:09] Ibai: x", "2024-02-13T21:10:09"),
        ("[13/02/2024 21:10:09] Ibai: x", "2024-02-13T21:10:09"),
        ("13/2/2024, 9:10 p. m. - Ibai: x", "2024-02-13T21:10:00"),
        ("13/2/2024 9:10\xa0p.\xa0m. - Ibai: x", "2024-02-13T21:10:00"),
        ("13-02-2024 21:10 - Ibai: x", "2024-02-13T21:10:00"),
        ("2024-02-13, 21:10 - Ibai: x", "2024-02-13T21:10:00"),
        ("2024/2/13 下午9:10 - Ibai: x", "2024-02-13T21:10:00"),
        ("[2024/2/13 21:10:09] Ibai:x", "2024-02-13T21:10:09"),
        ("2024. 2. 13. 오후 9:10 - Ibai: x", "2024-02-13T21:10:00"),
        ("[2024. 2. 13. 오전 12:10:09] Ibai: x", "2024-02-13T00:10:09"),
        ("\u200f13\u200f/2\u200f/2024، 9:10 م - Ibai: x", "2024-02-13T21:10:00"),
        ("١٣/٢/٢٠٢٤, ٩:١٠ ص - Ibai: x", "2024-02-13T09:10:00"),
        ("13.2.2024 klo 21.10 - Ibai: x", "2024-02-13T21:10:00"),
        ("13/02/2024 à 21:10 - Ibai: x", "2024-02-13T21:10:00"),
        ("13.2.2024 21.10 - Ibai: x", "2024-02-13T21:10:00"),
        ("2/13/24, 9:10 PM - Ibai: x", "2024-02-13T21:10:00"),
    ],
)
def test_dates_and_clocks_of_many_regions(line: str, moment: str) -> None:
    assert told(line) == [(moment, "user", "Ibai", "x")]


def test_the_whole_file_tells_whether_the_day_comes_first() -> None:
    assert [time for time, *_ in told("3/4/24, 10:00 - A: x\n5/4/24, 10:00 - B: y\n13/4/24, 10:00 - A: z\n")] == [
        "2024-04-03T10:00:00",
        "2024-04-05T10:00:00",
        "2024-04-13T10:00:00",
    ]
    assert [time for time, *_ in told("3/4/24, 10:00 - A: x\n4/3/24, 10:00 - B: y\n4/13/24, 10:00 - A: z\n")] == [
        "2024-03-04T10:00:00",
        "2024-04-03T10:00:00",
        "2024-04-13T10:00:00",
    ]
    # No number above 12: the order in which time does not run backwards.
    assert [time for time, *_ in told("3/4/24, 10:00 - A: x\n4/1/24, 10:00 - B: y\n")] == ["2024-03-04T10:00:00", "2024-04-01T10:00:00"]
    assert [time for time, *_ in told("4/3/24, 10:00 - A: x\n1/4/24, 10:00 - B: y\n")] == ["2024-03-04T10:00:00", "2024-04-01T10:00:00"]
    # Both orders possible: a clock of 12 hours behind slashes is American, all else is not.
    assert [time for time, *_ in told("3/4/24, 10:00 AM - A: x\n")] == ["2024-03-04T10:00:00"]
    assert [time for time, *_ in told("3/4/24, 10:00 - A: x\n")] == ["2024-04-03T10:00:00"]


@pytest.mark.parametrize(
    "text",
    [
        "<Medien ausgeschlossen>",
        "<Multimedia omitido>",
        "<Médias omis>",
        "<Media omessi>",
        "<Mídia oculta>",
        "<Без медиафайлов>",
        "<媒體已略去>",
    ],
)
def test_media_that_were_left_out_in_many_languages(text: str) -> None:
    assert told(f"13/2/24, 21:10 - Ibai: {text}\n") == [("2024-02-13T21:10:00", "user", "Ibai", "[file: media]")]


@pytest.mark.parametrize(
    ("text", "shown"),
    [
        ("imagen omitida", "[image]"),
        ("Bild weggelassen", "[image]"),
        ("video omitted", "[file: video]"),
        ("audio omesso", "[file: audio]"),
        ("sticker weggelaten", "[file: sticker]"),
        ("GIF omitted", "[file: GIF]"),
        ("hull.pdf • 2 pages \u200e<attached: 00000004-hull.pdf>", "hull.pdf • 2 pages\n[file: 00000004-hull.pdf]"),
        ("<3", "<3"),
        ("I omitted the video", "I omitted the video"),
    ],
)
def test_media_on_ios(text: str, shown: str) -> None:
    assert told(f"[13.02.24, 21:10:00] Ibai: \u200e{text}\n")[0][3] == shown


def test_notes_of_groups_are_nobodys_words() -> None:
    lines = "13/2/24, 21:10 - Ibai changed the subject to “Boat: blue”\n13/2/24, 21:11 - +354 555 0101 left\n13/2/24, 21:12 - Ibai: ok\n"
    assert [(role, speaker) for _, role, speaker, _ in told(lines)] == [("system", "WhatsApp"), ("system", "WhatsApp"), ("user", "Ibai")]


def test_the_zip_of_an_iphone(tmp_path: Path) -> None:
    with zipfile.ZipFile(tmp_path / "WhatsApp Chat - Oddný.zip", "w") as archive:
        archive.writestr("00000001-PHOTO.jpg", b"\xff\xd8")
        archive.writestr("_chat.txt", "[13.02.24, 21:10:09] Oddný: x\n")
    transcript = read(tmp_path / "WhatsApp Chat - Oddný.zip")
    assert (transcript.format, [(m.conversation_id, m.text) for m in transcript.messages]) == ("whatsapp", [("Oddný", "x")])


def test_an_impossible_day_is_reported() -> None:
    transcript = whatsapp("31/2/24, 21:10 - Ibai: x\n")
    assert [m.timestamp for m in transcript.messages] == [None]
    assert transcript.warnings == ["1 timestamp could not be read; that message has no time"]
