"""`mem ask` on anything that can be typed: `python -m benchmarks.fuzz_ask --inputs 200000`.

The memory is made of three of the example transcripts. A question is a mixture of words of many languages, the memory's own words, FTS5's
and SQL's syntax, times in and out of range, numbers of any size, control characters, half surrogate pairs, text that runs from right to
left, heaps of combining characters, and now and then a hundred thousand characters; one in eight comes with filters made the same way.
`--how guided` lets coverage guide (`pip install atheris`). An answer must be sound: every quotation an exact slice of its message,
printable as JSON and as text. Anything raised but a usage error or
"not found" is a crash; so is a question without filters that is refused though it is not blank.

The model's own time is most of a question's, and what the vector is makes no difference to what can break. So only one question in
`--embed-every` is really embedded; for the others the vector is made of the question's hash.
"""

from __future__ import annotations

import contextlib
import hashlib
import io
import json
import random
import subprocess
import sys
from collections.abc import Iterator, Sequence
from functools import cached_property
from pathlib import Path
from typing import TYPE_CHECKING, cast

import numpy as np
from numpy.typing import NDArray

from benchmarks import fuzz
from benchmarks.data import EXAMPLES, scratch_folder
from memcli.errors import InputError, NotFoundError, UsageError

if TYPE_CHECKING:
    import apsw

    from memcli.models import Embedder
    from memcli.recall import Recall
    from memcli.results import Filters

TRANSCRIPTS = ("river-house.jsonl", "verein.jsonl", "xiaozu.jsonl")

WORDS = """
when where who what why how many much did does is are was the a of to in on with Marit Teo Biscuit Porto
museum meeting group support last next before after since until ago yesterday tomorrow week month year Friday
weekend spring not never no I you she they we old new first wann wo wer was wie viele hat ist der die das
Sommerfest Verein nächsten letzten Freitag Straße cuándo dónde quién cuántos pasado mañana ¿qué où quand
combien été aujourd'hui l'année dernière quando onde quem ontem amanhã dove chi ieri domani 什么时候 谁 哪里 期中报告 上周五
下个月 三年前 いつ どこ 誰 昨日 来週の火曜日 언제 어디 누가 어제 다음 주 เมื่อไร ที่ไหน เมื่อวาน когда где кто вчера на прошлой неделе πότε
πού χθες متى أين من أمس מתי איפה אתמול कब कहाँ कल khi nào ở đâu nerede ne zaman
""".split()  # noqa: SIM905
SYNTAX = [
    "AND",
    "OR",
    "NOT",
    "NEAR(",
    "NEAR/3",
    '"',
    "'",
    "(",
    ")",
    "*",
    "^",
    "+",
    "-",
    ":",
    "{text}:",
    "text:",
    "';--",
    "%",
    "_",
    "\\",
    "[",
    "]",
    "{",
    "}",
    "<",
    ">",
    "|",
    "&",
    ";",
    "$",
    "`",
    "~",
    "#",
    "@",
    "!",
    "?",
    "??",
    "...",
    "=",
    "==",
    "/*",
    "*/",
    "\\u0000",
    "{0}",
    "%s",
    "%n",
    "C++",
    "C#",
    ".NET",
    "a@b.c",
    "https://a.b/c?d=e#f",
    "/etc/x",
    "1.0.21",
    "#42",
    "@you",
    ":)",
    "🙂",
    "👩‍👩‍👧‍👦",
    "🇳🇴",
    "🏴\U000e0067\U000e0062\U000e007f",
]
TIMES = [
    "2024-05-03",
    "2024-02-30",
    "0000-00-00",
    "9999-12-31",
    "10000-01-01",
    "12024-05-03",
    "-2024-05-03",
    "30 February 2024",
    "31/31/2024",
    "3/4/24",
    "99:99",
    "25:61 pm",
    "12 am",
    "0 o'clock",
    "in 1",
    "in 0",
    "in 9999",
    "in 99999",
    "the year 0",
    "week 60 of 2024",
    "week 0",
    "Q9 2024",
    "13. Monat",
    "last 999999999999 days",
    "99999999999999 years ago",
    "in 1e999 years",
    "-5 days ago",
    "0 weeks ago",
    "next next next Friday",
    "the 40th of May",
    "February 29 2023",
    "1900s",
    "the 9990s",
    "9999年12月32日",
    "三千万年前",
    "民国一百年",
    "上上上上周",
    "dans 99999999 ans",
    "vor 999999999 Jahren",
    "hace 0 días",
    "il 31 giugno",
    "between 2025 and 2024",
    "from tomorrow until yesterday",
    "since 9999",
    "before 0001",
    "until the end of time",
    "every 0 days",
    "2024-W99",
    "2024-05-03T25:00:00+99:00",
    "1706954100",
    "T00:00Z",
]
CONTROLS = [
    *(chr(code) for code in (0, 1, 7, 8, 9, 10, 11, 12, 13, 27, 28, 31, 127, 128, 133, 159, 160, 173)),
    "\x1b[31m",
    "\x1b]0;x\x07",
    "\r\n",
    "\u200b",
    "\u200d",
    "\u200f",
    "\u202e",
    "\u2028",
    "\u2066",
    "\ufeff",
    "\ufdd0",
    "\uffff",
    "\ufffd",
    "\ud800",
    "\udfff",
    "\udc80",
    "\U0010ffff",
    "\u0301" * 40,
    "e\u0301",
    "\u1d2c",
    "ﬁ",
    "ß",
    "ſ",
    "İ",
    "ı",
    "Ω",
    "Å",
    "가",
    "\u1100\u1161",
    "ｗｉｄｅ",
    "㍿",
    "﷽",
    "𝔐𝔞𝔯𝔦𝔱",
]
SOURCES: tuple[Sequence[str], ...] = (WORDS, WORDS, WORDS, SYNTAX, TIMES, CONTROLS)
LONGEST = 100_000
"""Characters of the longest question."""


def main() -> int:
    parser = fuzz.arguments(__doc__ or "")
    parser.add_argument("--how", choices=("chance", "guided"), default="chance")
    parser.add_argument("--embed-every", type=int, default=20, help="embed one question in so many; the others get a vector by their hash")
    options = parser.parse_args()
    with scratch_folder() as folder:
        examine = Asking(Path(folder) / "memory.memdb", options.embed_every)
        campaign = fuzz.Campaign(examine, options.crashes)
        if options.how == "guided":
            seeds = [
                question.encode("utf-8", "surrogatepass")
                for question in _questions(random.Random(options.seed), 300)
                if len(question) < 2000
            ]
            packages = ["memcli.read", "memcli.language", "memcli.store.search"]
            return fuzz.guided(campaign, packages, lambda: seeds, options.inputs, options.seed, longest=1024)
        questions = _questions(random.Random(options.seed), options.inputs)
        return fuzz.all_of(campaign, "by chance", (question.encode("utf-8", "surrogatepass") for question in questions))


class Asking:
    """Asks a small memory, and looks at the answers."""

    def __init__(self, path: Path, embed_every: int) -> None:
        # In a process of its own, for what an ingest takes is not what a question takes.
        command = [sys.executable, "-m", "memcli", "ingest", *(str(EXAMPLES / name) for name in TRANSCRIPTS), "--db", str(path)]
        subprocess.run(command, check=True, stdout=subprocess.DEVNULL)
        self._path = path
        self._every = embed_every
        self._asked = 0

    @cached_property
    def _model(self) -> Embedder:
        from memcli.models import load_embedder

        return load_embedder()

    @cached_property
    def _connection(self) -> apsw.Connection:
        from memcli.store.connection import connect

        return connect(self._path, create=False, read_only=True)

    @cached_property
    def _recall(self) -> Recall:
        from memcli.recall import Recall

        return Recall(self._connection, lambda: cast("Embedder", self))

    @cached_property
    def _said(self) -> dict[tuple[object, object], str]:
        """Every message's words."""
        sql = "SELECT c.external_id, m.external_id, m.text FROM messages m JOIN conversations c ON c.id = m.conversation_id"
        return {(conversation, message): str(text) for conversation, message, text in self._connection.execute(sql)}

    def encode(self, texts: Sequence[str]) -> NDArray[np.float32]:
        """(n, d) vectors of length 1: the model's, or of most questions one that a hash makes."""
        if self._asked % self._every == 0:
            return self._model.encode(texts)
        digests = (hashlib.sha256(text.encode("utf-8", "surrogatepass")).digest() for text in texts)
        vectors = np.array([np.random.default_rng(list(digest)).standard_normal(self._model.dimension) for digest in digests], np.float32)
        unit: NDArray[np.float32] = vectors / np.linalg.norm(vectors, axis=1, keepdims=True)
        return unit

    def __call__(self, data: bytes) -> str:
        """Ask: `answered`, `insufficient`, `refused` or an exception."""
        from memcli.cli.questions import read_batch
        from memcli.cli.render.facts import print_answer
        from memcli.cli.render.screen import Screen

        self._asked += 1
        question = _text(data)
        chance = random.Random(data)
        filters = _filters(chance) if chance.random() < 1 / 8 else None
        for read in read_batch("fuzz", io.BufferedReader(io.BytesIO(data))):
            if isinstance(read, InputError) and "\n" in str(read):
                raise AssertionError(str(read))
        try:
            answer = self._recall.ask(
                question, k=300 if chance.random() < 0.005 else chance.choice((1, 6)), explain=chance.random() < 0.05, filters=filters
            )
        except (UsageError, NotFoundError) as error:
            if filters is None and question.strip():
                raise AssertionError(str(error)) from error
            return "refused"
        if answer.sufficient != (answer.answer is not None) or not 0 <= answer.confidence <= 1:
            raise AssertionError(answer)
        for fact in answer.facts:
            for evidence in fact.evidence:
                if self._said[evidence.conversation_id, evidence.message_id][evidence.start : evidence.end] != evidence.text:
                    raise AssertionError(evidence)
        json.dumps(answer.to_dict(), ensure_ascii=False, allow_nan=False).encode("utf-8", "backslashreplace")
        with contextlib.redirect_stdout(io.StringIO()) as printed:
            print_answer(Screen(), answer)
        if "\x1b" in printed.getvalue():
            raise AssertionError(printed.getvalue())
        return "answered" if answer.sufficient else "insufficient"


def _text(data: bytes) -> str:
    try:
        return data.decode("utf-8", "surrogatepass")
    except UnicodeDecodeError:  # as the command line decodes an argument
        return data.decode("utf-8", "surrogateescape")


def _filters(chance: random.Random) -> Filters:
    from memcli.results import Filters

    def some(*usual: str) -> str | None:
        if chance.random() < 0.6:
            return None
        return chance.choice(usual) if chance.random() < 0.5 else _question(chance)

    times = ("2024-06-30", "last June", *TIMES)
    return Filters(some(*times), some(*times), some(*times), some("Marit", "Teo", "teo"), some("river-house"), some("s01"))


def _question(chance: random.Random) -> str:
    pieces = [chance.choice(chance.choice(SOURCES)) for _ in range(chance.choice((1, 2, 3, 5, 8, 13, 30)))]
    for _ in range(chance.choice((0, 0, 1, 3))):
        place = chance.randrange(len(pieces) + 1)
        pieces.insert(place, _odd(chance))
    text = chance.choice((" ", " ", " ", " ", "", "\n", "-")).join(pieces)
    if chance.random() < 0.002:
        text = (text * (LONGEST // len(text) + 1))[: chance.choice((3_000, 20_000, LONGEST))]
    if chance.random() < 0.05:
        text = chance.choice((str.upper, str.lower, str.title, str.swapcase, lambda t: t[::-1]))(text)
    return text


def _odd(chance: random.Random) -> str:
    choice = chance.randrange(4)
    if choice == 0:
        most = chance.choice((0x250, 0x3000, 0x1_0000, 0x11_0000))
        return "".join(chr(chance.randrange(most)) for _ in range(6))
    if choice == 1:
        return str(chance.choice((0, -1, 1)) * chance.randrange(10 ** chance.choice((1, 4, 18, 400))))
    if choice == 2:
        return chance.choice(CONTROLS) * chance.randint(1, 60)
    return chance.choice("aé王กا🙂 ") * chance.randint(1, 600)


def _questions(chance: random.Random, count: int) -> Iterator[str]:
    return (_question(chance) for _ in range(count))


if __name__ == "__main__":
    sys.exit(main())
