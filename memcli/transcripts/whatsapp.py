"""WhatsApp's exported chats: a text file, or the zip archive with it and the media.

Whether the day or the month comes first is told by the whole file: by a number above 12, else by dates that must not go back.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from itertools import pairwise
from pathlib import PurePosixPath

from memcli.atoms import Message, Role
from memcli.transcripts.fields import file_line
from memcli.transcripts.jsonstream import LARGEST
from memcli.transcripts.numbering import Numbering
from memcli.transcripts.reader import Reader
from memcli.transcripts.sample import BLANK, Sample, describe
from memcli.transcripts.source import Source
from memcli.transcripts.times import UNREADABLE
from memcli.transcripts.whatsapp_lines import Head, head_of, moment, split, unmarked

_FILE = re.compile(r"^(?:_chat|.*whatsapp.*)\.txt$", re.IGNORECASE)
_TITLE = re.compile(
    r"(?:whatsapp[ -]chat(?: with| mit| con| avec| met| com|\s?-)?|chat de whatsapp con|conversa do whatsapp com)\s+", re.IGNORECASE
)
_SNIFFED = 8
"""Lines that are looked at: the first message may come after some lines of another kind."""
_LOOKED_BACK = 50_000
"""Messages kept while the order of day and month is open; within one file of years it is told after days."""
_ATTACHED = re.compile(
    r"<[^<>:\n]{1,30}: (?P<ios>[^<>\n]{1,200}\.\w{1,5})>|(?P<android>[^\n<>/]{1,200}\.\w{2,5}) \([^()\n]{3,40}\)(?=\n|\Z)"
)
"""`<attached: 0001-PHOTO.jpg>`, `IMG-0001.jpg (file attached)`, in any language."""
_OMITTED = re.compile(
    r"<(?:[^<>\n]{0,20}(?:medi|multim|mídia|médi|медиа|μέσ|الوسائط|媒体|媒體|メディア|미디어|मीडिया)[^<>\n]{0,30}|省略[^<>\n]{1,20})>"
    r"|(?:image|video|audio|gif|sticker|document|contact card|bild|video|audio|sticker|dokument|imagen|imagem|immagine|documento|vidéo|foto"
    r"|afbeelding|изображение|видео|аудио|стикер)\s(?:omitted|weggelassen|omitid[oa]|absente?|omess[oa]|ocultad[oa]|weggelaten|omis|пропущен[оа]?)"
    r"|(?:画像|動画|音声|图片|視訊|影像|视频|이미지|동영상)(?:は含まれていません|已略去|已省略|忽略|\s?생략됨|が省略されました)",
    re.IGNORECASE,
)
_KINDS = {
    "image": ("imag", "bild", "immag", "foto", "afbeelding", "изображ", "画像", "图片", "影像", "이미지"),
    "sticker": ("sticker", "стикер"),
    "video": ("vid", "вид", "動画", "视频", "視訊", "동영상"),
    "audio": ("aud", "ауд", "音声"),
    "GIF": ("gif",),
}
_EDITED = re.compile(
    r"\s*\u200e?<[^<>\n]{3,40}(?:edited|editad[oa]|bearbeitet|modifié|modificat[oa]|bewerkt|изменено)[^<>\n]{0,10}>\s*\Z", re.IGNORECASE
)

_Entry = tuple[int, Head, list[str]]
"""Line number, head, and the lines that go on with it."""


def _sniff(sample: Sample) -> bool:
    if sample.kind != "file":
        return sample.kind == "zip" and _chat_in(sample.members) is not None
    lines = sample.text.lstrip(BLANK).splitlines()[:_SNIFFED]
    heads = [head for line in lines if (head := head_of(line))]
    return bool(heads) and any(split(head.rest)[0] or "[" in line[:2] or len(heads) > 1 for head, line in zip(heads, lines, strict=False))


def _chat_in(names: tuple[str, ...]) -> str | None:
    return next((name for name in names if _FILE.match(PurePosixPath(name).name)), None)


def _read(source: Source) -> Iterator[Message]:
    if source.kind == "file":
        yield from _chat(source, source.stem)
        return
    name = _chat_in(tuple(source.members))
    if name is None:
        raise source.error(f"looks like {describe(source.sample())}; whatsapp expects {READER.expects}")
    with source.member(name) as member:
        yield from _chat(member, source.stem if member.stem == "_chat" else member.stem)


def _chat(source: Source, stem: str) -> Iterator[Message]:
    conversation = _TITLE.sub("", stem, count=1).strip() or stem
    numbers = Numbering()
    entries = _entries(source)
    waiting: list[_Entry] = []
    day_first: bool | None = None
    for entry in entries:
        waiting.append(entry)
        day_first = _told(entry[1])
        if day_first is not None or len(waiting) == _LOOKED_BACK:
            break
    if day_first is None:
        day_first = _likelier([head for _, head, _ in waiting])
    for entry in waiting:
        yield _message(source, entry, day_first, conversation, numbers)
    waiting.clear()
    for entry in entries:
        yield _message(source, entry, day_first, conversation, numbers)


def _entries(source: Source) -> Iterator[_Entry]:
    current: _Entry | None = None
    length = 0
    for number, raw in source.raw_lines():
        line = source.decode(raw).rstrip("\r\n")
        head = head_of(line)
        if head is not None:
            if current is not None:
                yield current
            current, length = (number, head, []), 0
        elif current is not None:
            length += len(line) + 1
            if length > LARGEST:
                raise READER.wrong(source, line, f"line {number}")
            current[2].append(line)
        elif line.strip(BLANK):
            source.warnings.count("line before the first message skipped", "lines before the first message skipped")
    if current is not None:
        yield current


def _told(head: Head) -> bool | None:
    """Whether the day comes first, if one date alone tells."""
    first, second, _ = head.date
    if head.year_first:
        return False
    return True if first > 12 else False if second > 12 else None


def _likelier(heads: list[Head]) -> bool:
    """Whether the day comes first, by the order in which dates go back less often; a clock of 12 hours behind slashes is American."""
    back = {order: _steps_back([moment(head, order) or "" for head in heads]) for order in (True, False)}
    if back[True] != back[False]:
        return back[True] < back[False]
    return not (heads and heads[0].halves and heads[0].separator == "/")


def _steps_back(moments: list[str]) -> int:
    return sum(1 for before, after in pairwise(moments) if after < before)


def _message(source: Source, entry: _Entry, day_first: bool, conversation: str, numbers: Numbering) -> Message:
    number, head, more = entry
    speaker, rest = split(head.rest)
    text = "\n".join([rest, *more]).rstrip()
    # WhatsApp's own notes carry a mark where media is not left out.
    noted = text.startswith("\u200e") and not _ATTACHED.search(text) and not _OMITTED.fullmatch(unmarked(text))
    role: Role = "system" if speaker is None or noted else "user"
    edited = _EDITED.search(text)
    text = _shown(unmarked(text[: edited.start()] if edited else text))
    timestamp = moment(head, day_first)
    if timestamp is None:
        source.warnings.count(*UNREADABLE)
    return Message(
        conversation_id=conversation,
        message_id=numbers.ordinal(conversation),
        speaker=speaker or "WhatsApp",
        role=role,
        text=text,
        timestamp=timestamp,
        locator=f"line {number}",
        metadata={"edited": True} if edited else {},
        occurrence=numbers.occurrence(conversation, None, speaker, role, timestamp, text),
        unnamed=True,
    )


def _shown(text: str) -> str:
    """The text with media as lines of their own behind it."""
    files = [file_line(match["ios"] or match["android"]) for match in _ATTACHED.finditer(text)]
    if files:
        return "\n".join([*filter(None, [unmarked(_ATTACHED.sub("", text).strip()).strip()]), *files])
    if match := _OMITTED.match(text):
        rest = text[match.end() :].strip()
        kind = next((kind for kind, words in _KINDS.items() if match[0].lower().startswith(words)), "media")
        return "\n".join(filter(None, [rest, "[image]" if kind == "image" else file_line(kind)]))
    return text


READER = Reader(
    name="whatsapp",
    expects="lines like 3/2/24, 10:15 - Name: text or [03.02.24, 10:15:22] Name: text",
    sniff=_sniff,
    read=_read,
)
