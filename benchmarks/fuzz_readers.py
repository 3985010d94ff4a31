"""Every reader on bytes that are almost a transcript: `python -m benchmarks.fuzz_readers --inputs 200000`.

Inputs are made in three ways (`--how`): by `chance`, as cut, spliced and salted variants of a small valid transcript of each format;
`shaped` by hypothesis (the strategies of benchmarks/almost_transcripts.py), as records of a format with parts missing or of the wrong
kind; `guided` by coverage, if atheris is installed (`pip install atheris`). A crash is any exception but `InputError`, an error of more
than one line, or an unsound message.
"""

from __future__ import annotations

import gzip
import io
import json
import random
import sys
import zipfile
from collections.abc import Iterator

from benchmarks import fuzz
from memcli.errors import InputError

MOMENT = "2024-02-03T10:15:00Z"
SEEDS: dict[str, str] = {
    "chat": '{"role": "user", "content": [{"type": "text", "text": "The sail is torn."}], "timestamp": 1706954100, "id": "m1"}\n' * 2,
    "chatgpt": json.dumps(
        [
            {
                "title": "Sails",
                "current_node": "b",
                "mapping": {
                    "a": {"message": None, "parent": None, "children": ["b"]},
                    "b": {
                        "parent": "a",
                        "message": {
                            "author": {"role": "user"},
                            "create_time": 1706954100.5,
                            "content": {"content_type": "multimodal_text", "parts": ["torn", {"content_type": "image_asset_pointer"}]},
                        },
                    },
                },
            }
        ]
    ),
    "claude": json.dumps(
        [
            {
                "uuid": "c",
                "chat_messages": [
                    {
                        "uuid": "m",
                        "sender": "human",
                        "created_at": MOMENT,
                        "parent_message_uuid": "0-0",
                        "text": "torn",
                        "content": [{"type": "tool_use", "name": "x", "input": {"a": 1}}],
                        "files": [{"file_name": "a.pdf"}],
                    }
                ],
            }
        ]
    ),
    "claude-code": '{"type": "assistant", "uuid": "a", "sessionId": "s", "timestamp": "' + MOMENT + '", "message": {"role": "assistant", '
    '"content": [{"type": "text", "text": "torn"}, {"type": "tool_use", "id": "t", "name": "Bash", "input": {"command": "ls"}}]}}\n',
    "codex": '{"timestamp": "' + MOMENT + '", "type": "session_meta", "payload": {"id": "s", "cwd": "/"}}\n'
    '{"timestamp": "' + MOMENT + '", "type": "response_item", "payload": {"type": "function_call", "name": "shell", "arguments": '
    '"{\\"command\\":[\\"bash\\",\\"-lc\\",\\"ls\\"]}", "call_id": "c"}}\n',
    "slack": json.dumps(
        [{"type": "message", "user": "U1", "text": "<@U1> &lt; <https://a.b|c>", "ts": "1706954100.0002", "files": [{"name": "a.png"}]}]
    ),
    "whatsapp": "13/2/24, 21:10 - Runa: torn\nmore\n[13.02.24, 21:10:09] \u200eRuna: \u200e<attached: 1-PHOTO.jpg>\n"
    "2024. 2. 13. 오후 9:10 - Otto: x\n",
    "telegram": json.dumps(
        {
            "name": "Sails",
            "type": "personal_chat",
            "id": 1,
            "messages": [
                {
                    "id": 1,
                    "type": "message",
                    "date": "2024-02-03T11:55:00",
                    "date_unixtime": "1706954100",
                    "from": "Runa",
                    "text": ["a", {"type": "link", "text": "b", "href": "c"}],
                    "poll": {"question": "q", "answers": [{"text": "y"}]},
                }
            ],
        }
    ),
    "discord": json.dumps(
        {
            "guild": {"id": "1", "name": "g"},
            "channel": {"id": "2", "name": "c"},
            "messages": [
                {
                    "id": "3",
                    "type": "Default",
                    "timestamp": MOMENT,
                    "content": "torn",
                    "author": {"name": "Runa", "isBot": False},
                    "embeds": [{"title": "t", "fields": [{"name": "n", "value": "v"}]}],
                }
            ],
        }
    ),
    "locomo": json.dumps(
        [{"sample_id": "s", "conversation": {"speaker_a": "Runa", "session_1": [{"speaker": "Runa", "dia_id": "D1:1", "text": "torn"}]}}]
    ),
    "longmemeval": json.dumps(
        [
            {
                "question_id": "q",
                "haystack_dates": ["2023/05/20 (Sat) 02:21"],
                "haystack_session_ids": ["s"],
                "haystack_sessions": [[{"role": "user", "content": "torn"}]],
            }
        ]
    ),
    "beam": json.dumps([{"batch_number": 1, "time_anchor": "March-15-2024", "turns": [[{"role": "user", "id": 1, "content": "torn"}]]}]),
    "text": "## User\n\ntorn?\n\n## Assistant\n\nYes.\n\n[10:15] **Runa**: x\nOtto (2024-02-03 10:15): y\n```\na: b\n```\n",
}
"""A small valid transcript of each format."""
SALT = [
    b'"',
    b"{",
    b"}",
    b"[",
    b"]",
    b":",
    b",",
    b"\\",
    b"\\ud800",
    b"\0",
    b"\n",
    b"null",
    b"1e999",
    b"-1",
    b"\xff",
    b"\xef\xbb\xbf",
    b"<",
    b">",
    b"|",
    b"[" * 50,
]
ARCHIVES = ("conversations.json", "_chat.txt", "bakery/2024-02-03.json", "talk.txt")
_RUN = 400
"""Inputs of one run of hypothesis."""
ROLES = frozenset({"user", "assistant", "system", "tool"})


def main() -> int:
    parser = fuzz.arguments(__doc__ or "")
    parser.add_argument("--how", choices=("chance", "shaped", "guided"), default="guided" if fuzz.has_atheris() else "chance")
    parser.add_argument("--longest", type=int, default=4096, help="bytes of the longest input made by coverage")
    options = parser.parse_args()
    campaign = fuzz.Campaign(examine, options.crashes)
    if options.how == "guided":
        return fuzz.guided(campaign, ["memcli.transcripts"], seeds, options.inputs, options.seed, longest=options.longest)
    if options.how == "chance":
        return fuzz.all_of(campaign, "by chance", _mutants(random.Random(options.seed), options.inputs))
    return _shaped(campaign, options.inputs, options.seed)


def examine(data: bytes) -> str:
    """Read the input: `read`, `refused` or an exception. Its first two bytes choose the format (or none) and the wrapping."""
    from memcli.transcripts import formats, read

    names = (None, *formats())
    format, body = names[data[0] % len(names)] if data else None, wrapped(data[2:], data[1] if len(data) > 1 else 0)
    try:
        for message in read(io.BytesIO(body), format, name="fuzz").messages:
            fields = (message.text, message.speaker, message.message_id, message.conversation_id, message.locator)
            if message.role not in ROLES or not all(isinstance(field, str) and field.strip() for field in fields):
                raise AssertionError(message)
            json.dumps([fields, message.timestamp, dict(message.metadata)], allow_nan=False, ensure_ascii=False).encode()
    except InputError as error:
        if error.source != "fuzz" or "\n" in str(error):
            raise AssertionError(str(error)) from error
        return "refused"
    return "read"


def wrapped(data: bytes, choice: int) -> bytes:
    if choice % 8 == 1:
        return gzip.compress(data, 1)
    if choice % 8 in range(2, 2 + len(ARCHIVES)):
        target = io.BytesIO()
        with zipfile.ZipFile(target, "w") as archive:
            archive.writestr(ARCHIVES[choice % 8 - 2], data)
            archive.writestr("users.json", '[{"id": "U1", "profile": {"display_name": "Runa"}}]')
            archive.writestr("channels.json", data[: len(data) // 2] if choice > 127 else "[]")
        return target.getvalue()
    return data


def seeds() -> list[bytes]:
    from memcli.transcripts import formats

    names = (None, *formats())
    return [bytes([form, wrap]) + text.encode() for name, text in SEEDS.items() for form in (0, names.index(name)) for wrap in (0, 1, 2, 4)]


def _mutants(chance: random.Random, count: int) -> Iterator[bytes]:
    pool = seeds()
    for _ in range(count):
        data = bytearray(chance.choice(pool))
        for _ in range(chance.randint(1, 6)):
            start, end = sorted(chance.randrange(len(data) + 1) for _ in range(2))
            choice = chance.randrange(6)
            if choice == 0:
                data[start : start + chance.randint(1, 8)] = b""
            elif choice == 1:
                data[start:start] = chance.choice(SALT)
            elif choice == 2:
                data[start:start] = data[start : min(end, start + 64)]
            elif choice == 3:
                other = chance.choice(pool)
                data[start : start + 32] = other[chance.randrange(len(other)) :][:64]
            elif choice == 4 and start < len(data):
                data[start] = chance.randrange(256)
            elif chance.random() < 0.1:
                del data[start:]
        yield bytes(data)


def _shaped(campaign: fuzz.Campaign, inputs: int, seed: int) -> int:
    from hypothesis import HealthCheck, Phase, given, settings
    from hypothesis import seed as seeded

    from benchmarks.almost_transcripts import transcripts
    from memcli.transcripts import formats

    names = (None, *formats())

    def check(made: tuple[str | None, int, bytes]) -> None:
        format, wrap, data = made
        campaign.check(bytes([names.index(format), wrap]) + data)

    # Hypothesis remembers what it has made, at some 100 KB each, until a run ends.
    for first in range(0, inputs, _RUN):
        how = settings(
            max_examples=min(_RUN, inputs - first),
            deadline=None,
            database=None,
            phases=[Phase.generate],
            suppress_health_check=list(HealthCheck),
        )
        seeded(seed + first)(how(given(transcripts())(check)))()
    return campaign.report("shaped")


if __name__ == "__main__":
    sys.exit(main())
