"""Plain text and Markdown: turns that begin with a name, `Name: text`, `**Name:** text`, or a heading `## Name` above the text.

A time may stand before the name (`[10:15] Name: text`, `2024-02-03 10:15 Name: text`) or behind it (`Name (10:15): text`). A line
without a name goes on with the turn before it. A heading or line that is a date dates the turns below it.
"""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Iterator
from dataclasses import dataclass

from memcli.atoms import Message, Role
from memcli.transcripts.fields import role_of
from memcli.transcripts.jsonstream import LARGEST
from memcli.transcripts.numbering import Numbering
from memcli.transcripts.reader import Reader
from memcli.transcripts.sample import BLANK, Sample
from memcli.transcripts.source import Source
from memcli.transcripts.times import normalise

_TIME = r"(?:\d{4}[-/.]\d{1,2}[-/.]\d{1,2}[T ,]{1,2})?\d{1,2}:\d{2}(?::\d{2})?(?:\.\d{1,6})?(?:\s?[AaPp]\.?[Mm]\.?)?(?:Z|[+-]\d{2}:?\d{2})?"
_NAME = r"[^\W\d_](?:[\w.'’\-]|[ ](?=[\w(&])){0,39}"
_TURN = re.compile(
    rf"(?:[-*][ ]+)?(?:\(?\[?(?P<before>{_TIME})\]?\)?[ ]*[-–—]?[ ]*)?"
    rf"(?P<bold>\*\*|__|\*)?<?(?P<name>{_NAME})>?(?(bold)(?:(?P=bold))?)(?:[ ]*[\[(](?P<after>{_TIME})[\])])?"
    r"[ ]*(?::(?(bold)(?:(?P=bold))?)(?:[ ]+|$)|：(?(bold)(?:(?P=bold))?)[ ]*)"
)
_SPOKEN = (
    "user|you|human|me|assistant|ai|bot|model|system|chatgpt|gpt(?:-[\\w.]+)?|claude|gemini|copilot|llama|prompt|response|question|answer"
)
_HEADING = re.compile(
    rf"#{{1,6}}[ ]+(?:\*\*|__)?(?P<name>{_SPOKEN})(?:\*\*|__)?(?:[ ]*[\[(](?P<after>{_TIME})[\])])?[ ]*:?[ ]*#*\s*$", re.IGNORECASE
)
_DATED = re.compile(r"(?:#{1,6}[ ]+|-{2,}[ ]*)?(?P<date>[^#].{5,40}?)[ ]*-*$")
_RULE = re.compile(r"(?:-{3,}|\*{3,}|_{3,})$")
_NO_NAMES = frozenset(
    ["error", "warning", "warn", "info", "debug", "trace", "fatal", "critical", "notice", "note", "notes", "todo", "fixme", "http",
     "https", "date", "subject", "from", "to", "cc", "bcc", "title", "author", "name", "version", "description", "license", "example",
     "usage", "see", "summary", "url", "path", "key", "value", "type", "id", "tags", "status", "default", "returns", "args", "raises",
     "figure", "table", "tip", "important", "hint", "step", "steps", "output", "input", "result", "results", "values", "layout"]
)  # fmt: skip
"""What stands before a colon in logs, mails and documents, and is nobody's name."""
_ASSISTANTS = re.compile(r"(?:chatgpt|gpt(?:-[\w.]+)?|claude|gemini|copilot|llama|response|answer)$", re.IGNORECASE)
_USERS = re.compile(r"(?:you|me|prompt|question)$", re.IGNORECASE)
_FENCE = re.compile(r"\s{0,3}(```|~~~)")


@dataclass(slots=True)
class _Turn:
    """A turn while its lines are gathered."""

    number: int
    name: str
    time: str | None
    lines: list[str]
    length: int = 0


def _sniff(sample: Sample) -> bool:
    if sample.kind != "file" or sample.value is not None or "\0" in sample.text:
        return False
    lines = [line for line in sample.text.lstrip(BLANK).splitlines() if line.strip()]
    names = [found[0] for line in lines[:400] if (found := _start(line))]
    counts = Counter(name.lower() for name in names)
    if len(names) < 2 or len(counts) > max(2, len(names) // 2 + 1) or len(counts) > 60:
        return False
    roles = sum(number for name, number in counts.items() if _role(name))
    again = sum(number for number in counts.values() if number > 1)
    first = next((index for index, line in enumerate(lines) if _start(line)), len(lines))
    return first < 20 and (roles * 2 > len(names) or (again * 2 > len(names) and len(names) * 3 >= min(len(lines), 400)))


def _start(line: str) -> tuple[str, str | None, str] | None:
    """Name, time and first words of a line that begins a turn."""
    if line.startswith("#"):
        heading = _HEADING.match(line)
        return (heading["name"], heading["after"], "") if heading else None
    match = _TURN.match(line)
    if match is None or match["name"].lower() in _NO_NAMES or match["name"].count(" ") > 3:
        return None
    return match["name"].strip(), match["before"] or match["after"], line[match.end() :]


def _role(name: str) -> Role | None:
    return role_of(name) or ("assistant" if _ASSISTANTS.match(name) else "user" if _USERS.match(name) else None)


def _read(source: Source) -> Iterator[Message]:
    numbers = Numbering()
    turn: _Turn | None = None
    day: str | None = None
    fence: str | None = None
    for number, raw in source.raw_lines():
        line = source.decode(raw).rstrip("\r\n")
        found = None if fence else _start(line)
        if match := _FENCE.match(line):
            fence = match[1] if fence is None else None if fence == match[1] else fence
        if found is not None:
            if turn is not None:
                yield _message(source, turn, day, numbers)
            name, time, words = found
            turn = _Turn(number, name, time, [words] if words else [])
        elif fence is None and (date := _date(line)):
            if turn is not None:
                yield _message(source, turn, day, numbers)
                turn = None
            day = date
        elif turn is not None:
            turn.length += len(line) + 1
            if turn.length > LARGEST:
                raise READER.wrong(source, line, f"line {number}")
            turn.lines.append(line)
        elif line.strip(BLANK):
            source.warnings.count("line before the first turn skipped", "lines before the first turn skipped")
    if turn is not None:
        yield _message(source, turn, day, numbers)


def _date(line: str) -> str | None:
    """The day that a line is, if it is nothing else."""
    match = _DATED.match(line.strip()) if len(line) < 60 and any(map(str.isdigit, line)) else None
    return normalise(match["date"]) if match and not match["date"].isdigit() else None


def _message(source: Source, turn: _Turn, day: str | None, numbers: Numbering) -> Message:
    lines = turn.lines
    while lines and (not lines[-1].strip() or _RULE.match(lines[-1])):
        lines.pop()
    while lines and not lines[0].strip():
        lines.pop(0)
    text = "\n".join(lines)
    stated = _role(turn.name)
    role = "user" if stated is None else stated
    speaker = role if turn.name.lower() == role else turn.name
    timestamp = _moment(turn.time, day)
    return Message(
        conversation_id=source.stem,
        message_id=numbers.ordinal(source.stem),
        speaker=speaker,
        role=role,
        text=text,
        timestamp=timestamp,
        locator=f"line {turn.number}",
        metadata={"time": turn.time} if turn.time and timestamp is None else {},
        occurrence=numbers.occurrence(source.stem, None, speaker, role, timestamp, text),
        unnamed=True,
    )


def _moment(time: str | None, day: str | None) -> str | None:
    """The time of a turn: its own if that has a date, else the clock on the day that was last named."""
    if time is None:
        return day
    own = normalise(time)
    return own or (normalise(f"{day[:10]} {time}") if day else None)


READER = Reader(
    name="text",
    expects='plain text or Markdown whose turns begin with a name, like "Name: text", "**Name:** text" or "## User"',
    sniff=_sniff,
    read=_read,
)
