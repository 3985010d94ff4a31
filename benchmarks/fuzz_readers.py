"""Every reader on bytes that are almost a transcript: `python -m benchmarks.fuzz_readers --inputs 200000`.

Guided by coverage if atheris is installed (`pip install atheris`), else by chance: inputs are cut, spliced and salted variants of a
small valid transcript of each format. A crash is any exception but `InputError`, an error of more than one line, or an unsound
message; a hang is an input that takes longer than ten seconds. What crashed is written to the folder given by `--crashes`.
"""

from __future__ import annotations

import argparse
import gzip
import hashlib
import importlib
import importlib.util
import io
import json
import random
import resource
import signal
import sys
import time
import traceback
import zipfile
from collections import Counter
from collections.abc import Callable, Iterator
from pathlib import Path
from types import FrameType

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
SLOW_S = 10.0
ROLES = frozenset({"user", "assistant", "system", "tool"})

Outcome = str
"""`read`, `refused` or, of a crash, what was raised."""


def main() -> int:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--inputs", type=int, default=20_000, help="how many inputs to try")
    parser.add_argument("--seed", type=int, default=1)
    parser.add_argument("--crashes", type=Path, default=Path("fuzz-crashes"))
    parser.add_argument("--random", action="store_true", help="leave atheris alone even if it is installed")
    options = parser.parse_args()
    campaign = Campaign(options.crashes)
    signal.signal(signal.SIGALRM, _too_slow)
    if options.random or importlib.util.find_spec("atheris") is None:
        for data in _mutants(random.Random(options.seed), options.inputs):
            campaign.check(data)
        return campaign.report("random")
    return _guided(campaign, options.inputs, options.seed)


class Campaign:
    """Counts what inputs do to the readers."""

    def __init__(self, folder: Path) -> None:
        self.folder = folder
        self.outcomes: Counter[str] = Counter()
        self.crashed: Counter[str] = Counter()
        self.slowest = 0.0
        self.started = time.perf_counter()

    def check(self, data: bytes) -> None:
        started = time.perf_counter()
        signal.setitimer(signal.ITIMER_REAL, SLOW_S)
        try:
            outcome = examine(data)
        except Exception as error:
            last = traceback.extract_tb(error.__traceback__)[-1]
            outcome = f"{type(error).__name__} at {Path(last.filename).name}:{last.lineno}"
            if outcome not in self.crashed:
                self.folder.mkdir(parents=True, exist_ok=True)
                (self.folder / hashlib.sha256(data).hexdigest()[:16]).write_bytes(data)
            self.crashed[outcome] += 1
            outcome = "crashed"
        finally:
            signal.setitimer(signal.ITIMER_REAL, 0)
        self.outcomes[outcome] += 1
        self.slowest = max(self.slowest, time.perf_counter() - started)

    def report(self, how: str) -> int:
        tried = sum(self.outcomes.values())
        peak = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss // (1024 * 1024 if sys.platform == "darwin" else 1024)
        seconds = time.perf_counter() - self.started
        print(
            f"{how}: {tried:,} inputs in {seconds:.0f} s: {self.outcomes['read']:,} read, {self.outcomes['refused']:,} refused, "
            f"{self.outcomes['crashed']:,} crashed; slowest {self.slowest * 1000:.0f} ms; memory at most {peak} MB"
        )
        for crash, count in self.crashed.most_common():
            print(f"  {count:,} × {crash}")
        return 1 if self.crashed else 0


def examine(data: bytes) -> Outcome:
    """Read the input. Its first two bytes choose the format (or none) and the wrapping."""
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


def _guided(campaign: Campaign, inputs: int, seed: int) -> int:
    import tempfile

    import atheris

    with atheris.instrument_imports(include=["memcli.transcripts"]):
        importlib.import_module("memcli.transcripts")
    with tempfile.TemporaryDirectory() as corpus:
        for index, data in enumerate(seeds()):
            (Path(corpus) / str(index)).write_bytes(data)
        arguments = [sys.argv[0], corpus, f"-runs={inputs}", f"-seed={seed}", "-max_len=4096", "-rss_limit_mb=1000", "-verbosity=0"]
        atheris.Setup(arguments, _reporting(campaign, inputs))
        atheris.Fuzz()
    return campaign.report("guided")


def _reporting(campaign: Campaign, inputs: int) -> Callable[[bytes], None]:
    """The target of atheris, which ends the process itself after the last input, so that the report must come before."""

    def target(data: bytes) -> None:
        campaign.check(data)
        if sum(campaign.outcomes.values()) == inputs:
            campaign.report("guided")
            sys.stdout.flush()

    return target


def _too_slow(signum: int, frame: FrameType | None) -> None:
    raise TimeoutError(f"longer than {SLOW_S:.0f} s")


if __name__ == "__main__":
    sys.exit(main())
