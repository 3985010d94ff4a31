"""Claims that lose what they were made of: said anew from the messages that stay, or let fall.

A claim's words may come from several messages: an answer is joined with its question, and what is said twice is one claim. When some of
them are to be forgotten, the claim is written again as the write path would write it had they never been said.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass

import apsw

from memcli.atoms import DraftClaim, Span, Turn
from memcli.store import forget as rows
from memcli.store import transcripts
from memcli.write.claims import write_claims
from memcli.write.compile import compile_turn
from memcli.writer import CONTEXT_TURNS


@dataclass(frozen=True, slots=True)
class Rewrite:
    """A claim as it is to be: its words, and where they come from. `supports` are the spans of `draft`, its anchor first."""

    draft: DraftClaim
    supports: tuple[int, ...]
    keywords: tuple[str, ...]
    """Those of everything that the claim still rests on."""
    message: int
    page: int
    said_at: float | None


@dataclass(frozen=True, slots=True)
class Outcome:
    """What becomes of claims when marked messages are forgotten."""

    falling: tuple[int, ...]
    """Nothing of their own is left; ascending."""
    weakened: tuple[int, ...]
    """They stay, on fewer spans; ascending."""
    rewritten: dict[int, Rewrite]
    """How those that stay, and that a forgotten message had a part in, are to be from now on."""


@dataclass(frozen=True, slots=True)
class _Written:
    """One claim that a message gives by itself and what stays before it."""

    draft: DraftClaim
    supports: tuple[int, ...]
    own: frozenset[int]
    """Those of the supports that are in the message itself."""
    message: int
    page: int
    said_at: float | None


def outcome(connection: apsw.Connection, progress: Callable[[str, int, int | None], None]) -> Outcome:
    """Say what becomes of the claims when the marked messages (`memcli.store.forget.mark`) are forgotten; writes nothing.

    Args:
        connection: the memory, in a transaction of any kind.
        progress: told (`claims`, done, of how many).
    """
    resting = rows.resting_claims(connection)
    lost = rows.lost_words(connection)
    # Claims that keep all their spans may still have somebody's name from a message beside them, or words from it kept beside their own.
    anew = rows.claims_naming_leavers(connection) | rows.claims_noted_with(connection, lost)
    naming = (rows.claims_with(connection, lost) | anew) - resting.keys()
    writer = _Writer(connection)
    texts = rows.claim_texts(connection, (*resting, *naming))
    falling: list[int] = []
    rewritten: dict[int, Rewrite] = {}
    for done, claim in enumerate(sorted(resting.keys() | naming), 1):
        kept = resting[claim] if claim in resting else rows.supports_of(connection, claim)
        rewrite = writer.rewrite(claim, kept, texts[claim])
        if rewrite is None:
            falling.append(claim)
        elif claim in resting or claim in anew or rewrite.draft.text != texts[claim]:
            rewritten[claim] = rewrite
        if done % 64 == 0:
            progress("claims", done, len(texts))
    weakened = tuple(claim for claim in sorted(resting) if claim in rewritten)
    return Outcome(tuple(falling), weakened, rewritten)


class _Writer:
    """Writes the claims of messages again, from what stays."""

    def __init__(self, connection: apsw.Connection) -> None:
        self._connection = connection
        self._written: dict[int, list[_Written]] = {}
        self._speakers: dict[int, list[tuple[str, int]]] = {}

    def rewrite(self, claim: int, kept: list[int], text: str) -> Rewrite | None:
        """A claim as it follows from the spans it keeps, in the words it has if they still follow; None if nothing does."""
        own = rows.own_messages(self._connection, claim, kept)
        found = [written for span, message in own.items() for written in self._of(message) if span in written.own]
        if not found:
            return None
        best = next((written for written in found if written.draft.text == text), found[0])
        keywords = tuple(dict.fromkeys(keyword for written in found for keyword in written.draft.keywords))
        return Rewrite(best.draft, best.supports, keywords, best.message, best.page, best.said_at)

    def _of(self, message: int) -> list[_Written]:
        if message not in self._written:
            self._written[message] = self._write(message)
        return self._written[message]

    def _write(self, message: int) -> list[_Written]:
        connection = self._connection
        conversation, position = rows.place_of(connection, message)
        if conversation not in self._speakers:
            self._speakers[conversation] = rows.first_words(connection, conversation)
        people = tuple(name for name, first in self._speakers[conversation] if first <= position)
        stored = transcripts.messages_between(connection, conversation, position - CONTEXT_TURNS, position)
        turns: list[tuple[Turn, list[int]]] = []
        expected = position
        for one in reversed(stored):  # back to the first that is missing: what follows a gap answers nothing before it
            if one.position != expected or rows.is_marked(connection, one.id):
                break
            spans = transcripts.spans_of(connection, one.id)
            cut = tuple(Span(start, end, one.message.text[start:end], kind) for _, start, end, kind in spans)
            turns.append((compile_turn(one.message, people, spans=cut), [span[0] for span in spans]))
            expected -= 1
        own = frozenset(turns[0][1])
        written = []
        for draft in write_claims(turns[0][0], [turn for turn, _ in reversed(turns[1:])], people):
            supports = tuple(turns[ref.back][1][ref.index] for ref in draft.supports)
            said_at = transcripts.said_at(stored[-1].message.timestamp)
            written.append(_Written(draft, supports, own.intersection(supports), message, stored[-1].page_id, said_at))
        return written
