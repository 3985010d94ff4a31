"""What lies in packs, read a pack at a time as search needs it: the vectors, and where words occur."""

from __future__ import annotations

from bisect import bisect_right
from collections import Counter
from contextlib import suppress
from dataclasses import dataclass, field
from typing import cast

import apsw
import numpy as np
from numpy.typing import NDArray

from memcli.store.packed_vectors import Floats, PackedFamily, block_of
from memcli.store.packs import unpack
from memcli.store.search import tokenize

_WHOLE = 2
"""Letters up to which a token begins its word unchanged. The stem of a longer word does so but for its last letter, which may be another
(`tidy`, `tidi`): so it is for every word of some 20 megabytes of talk, and for every ending that the stemmer knows."""


@dataclass(frozen=True, slots=True)
class Part:
    """What a pack holds, as search needs it: what the indexes held of its messages before they were packed."""

    vectors: dict[PackedFamily, tuple[NDArray[np.int64], Floats]]
    """Of spans and of messages: ids, (n,) ascending, and unit rows, (n, d); a family that was never embedded is not there."""
    texts: dict[int, str]
    """The words of each span, by its id."""
    _plain: str
    """The words of all spans that are tokenised as they stand, case aside, a line each."""
    _starts: list[int]
    """Where each of these lines begins, ascending, and whose it is:"""
    _spans: list[int]
    _others: list[int]
    """The other spans."""
    _tokens: dict[int, dict[str, int]] = field(default_factory=dict)

    def postings(self, term: str) -> list[tuple[int, int]]:
        """Where one token (as `memcli.store.search.search_terms` gives it) occurs: (span id, term frequency).

        Only spans in which the beginning of the token is found are tokenised: a small part of them.
        """
        sought = term if len(term) <= _WHOLE else term[:-1]
        candidates = []
        place = self._plain.find(sought)
        while place >= 0:
            line = bisect_right(self._starts, place)
            candidates.append(self._spans[line - 1])
            place = self._plain.find(sought, self._starts[line]) if line < len(self._starts) else -1
        candidates += self._others
        return [(span, count) for span in candidates if (count := self._counts(span).get(term))]

    def _counts(self, span: int) -> dict[str, int]:
        counts = self._tokens.get(span)
        if counts is None:
            counts = self._tokens[span] = dict(Counter(tokenize(self.texts[span])))
        return counts


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
    return make_part(blocks, {span: unpack(data, begin, length) or "" for span, begin, length in rows})


def make_part(vectors: dict[PackedFamily, tuple[NDArray[np.int64], Floats]], texts: dict[int, str]) -> Part:
    """A part of these vectors and words; see `Part`."""
    # Letters beyond ASCII are folded by the index in its own way, and so are names like C++.
    plain = {span: text.lower() for span, text in texts.items() if text.isascii() and "+" not in text and "#" not in text}
    starts, size = [], 0
    for text in plain.values():
        starts.append(size)
        size += len(text) + 1
    others = [span for span in texts if span not in plain]
    return Part(vectors, texts, "\n".join(plain.values()), starts, list(plain), others)
