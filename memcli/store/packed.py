"""What lies in packs, read a pack at a time: whole packs as search needs them, and the spans behind some claims with their words."""

from __future__ import annotations

import json
from collections import Counter
from collections.abc import Sequence
from contextlib import suppress
from dataclasses import dataclass, field
from typing import cast

import apsw
import numpy as np
from numpy.typing import NDArray

from memcli.store.packed_vectors import Floats, PackedFamily, block_of
from memcli.store.packs import unpack
from memcli.store.search import tokenize


@dataclass(frozen=True, slots=True)
class Part:
    """What a pack holds, as search needs it: what the indexes held of its messages before they were packed."""

    vectors: dict[PackedFamily, tuple[NDArray[np.int64], Floats]]
    """Of spans and of messages: ids, (n,) ascending, and unit rows, (n, d); a family that was never embedded is not there."""
    texts: dict[int, str]
    """The words of each span, by its id."""
    _tokens: dict[int, Counter[str]] = field(default_factory=dict)

    def tokens(self, span: int) -> Counter[str]:
        """The tokens of a span, each with how often it occurs; counted when they are first asked for."""
        if span not in self._tokens:
            self._tokens[span] = Counter(tokenize(self.texts[span]))
        return self._tokens[span]


def packs_of_messages(connection: apsw.Connection) -> dict[int, int]:
    """The pack of every packed message: {message id: pack}."""
    return dict(cast(list[tuple[int, int]], connection.execute("SELECT id, pack_id FROM messages WHERE pack_id IS NOT NULL").fetchall()))


def load_part(connection: apsw.Connection, pack: int) -> Part:
    """Unpack all of a pack; what is damaged of it is left out."""
    families: tuple[PackedFamily, ...] = ("span", "message")
    blocks = {}
    for family in families:
        with suppress(ValueError):
            if (block := block_of(connection, family, pack)) is not None:
                blocks[family] = block
    data = cast("bytes | None", connection.execute("SELECT data FROM packs WHERE id = ?", (pack,)).get)
    rows = cast(
        list[tuple[int, int, int]],
        connection.execute(
            "SELECT s.id, m.pack_start + s.start_offset, s.end_offset - s.start_offset"
            " FROM messages m JOIN spans s ON s.message_id = m.id WHERE m.pack_id = ? ORDER BY s.id",
            (pack,),
        ).fetchall(),
    )
    return Part(blocks, {span: unpack(data, begin, length) or "" for span, begin, length in rows})


@dataclass(frozen=True, slots=True)
class SupportSpan:
    """A span that supports a claim; `message_id` is the message's row, `position` its place in its conversation."""

    claim_id: int
    span_id: int
    message_id: int
    position: int
    start: int
    end: int
    text: str
    """The span's words."""
    message: str
    """Its whole message."""
    packed: bool
    """Whether the span is in no index, and only to be found through its claim."""


_Row = tuple[int, int, int, int, int, int, "str | None", "int | None", "int | None", int]


def fetch_supports(connection: apsw.Connection, claim_ids: Sequence[int]) -> list[SupportSpan]:
    """The supporting spans of these claims, in the order of the claims and of each claim's supports.

    Two statements however many there are, and every pack is unpacked once: made for the best few dozen claims of a question.
    """
    rows = cast(
        list[_Row],
        connection.execute(
            "SELECT cs.claim_id, s.id, m.id, m.position, s.start_offset, s.end_offset, m.text, m.pack_id, m.pack_start, m.length"
            " FROM json_each(?) w CROSS JOIN claim_supports cs ON cs.claim_id = w.value JOIN spans s ON s.id = cs.span_id"
            " JOIN messages m ON m.id = s.message_id ORDER BY w.key, cs.position",
            (json.dumps(list(dict.fromkeys(claim_ids))),),
        ).fetchall(),
    )
    wanted = sorted({row[7] for row in rows if row[7] is not None})
    packs = dict(
        cast(
            list[tuple[int, bytes]],
            connection.execute(
                "SELECT p.id, p.data FROM json_each(?) w CROSS JOIN packs p ON p.id = w.value", (json.dumps(wanted),)
            ).fetchall(),
        )
    )
    texts: dict[int, str] = {}
    # By pack, so that each is decompressed once: `unpack` keeps the last few.
    for row in sorted(rows, key=lambda row: (row[7] or 0, row[8] or 0)):
        if row[2] not in texts:
            text = row[6] if row[7] is None else unpack(packs.get(row[7]), row[8], row[9])
            texts[row[2]] = text or ""
    return [
        SupportSpan(claim, span, message, position, start, end, texts[message][start:end], texts[message], pack is not None)
        for claim, span, message, position, start, end, _, pack, _, _ in rows
    ]
