"""The write path over one open memory: batches of messages to rows.

`begin` does what needs no lock (spans, cues) and has the vectors made by another thread, so that a batch is embedded while the one
before it is stored; `store`, within the caller's transaction, does the rest in the order of the messages: page, message, spans and
cues, claims. `memcli.write` decides, `memcli.store` writes; this module brings them together.
"""

from __future__ import annotations

import os
import sys
import threading
import time
from collections import Counter, defaultdict, deque
from collections.abc import Callable, Iterator, Sequence
from concurrent.futures import Future, ThreadPoolExecutor
from contextlib import contextmanager, suppress
from dataclasses import dataclass, field

import apsw
import numpy as np
from numpy.typing import NDArray

from memcli.admission import Admission, Candidate, mean_vector
from memcli.atoms import Message, Span, SpanKind, Turn
from memcli.models import Embedder
from memcli.store import claims as claim_rows
from memcli.store import referents, settings, transcripts, vectors
from memcli.store.connection import data_version
from memcli.store.search import insert_views, tokenize
from memcli.write.claims import write_claims
from memcli.write.compile import compile_turn
from memcli.write.context_refresh import refresh_contexts
from memcli.write.handles import name_words
from memcli.write.pages import PageState, continues, extend
from memcli.write.persons import display_name
from memcli.write.referents import mentions_of, person_mention, resolve_mention
from memcli.write.topic_refresh import refresh_topics

GIVE_WAY = 4
"""How much nicer the embedding threads are than the storing one: on two cores just enough for that to have one of them when it wants it."""

CONTEXT_TURNS = 3
"""Turns before a message that its claims may lean on: enough for an answer to find its question past an interjection or two."""


@dataclass(slots=True)
class Totals:
    """What has been written so far."""

    messages: int = 0
    pages: int = 0
    spans: int = 0
    claims: int = 0
    merged: int = 0
    edges: int = 0
    cues: Counter[str] = field(default_factory=Counter)
    seconds: defaultdict[str, float] = field(default_factory=lambda: defaultdict(float))


@dataclass(frozen=True, slots=True)
class Prepared:
    """A message ready to be stored. `people` are those who had spoken by then; `matrix` is (spans, dimension), float32, unit rows."""

    turn: Turn
    digest: bytes
    people: tuple[str, ...]
    matrix: NDArray[np.float32]


@dataclass(frozen=True, slots=True)
class Begun:
    """A batch that is being embedded: its messages cut, each with its digest and who had spoken by then."""

    turns: tuple[tuple[Turn, bytes, tuple[str, ...]], ...]
    embedding: Future[NDArray[np.float32]]
    generation: int


@dataclass(slots=True)
class _Conversation:
    """Where a conversation stands: what the next message of it depends on."""

    id: int
    people: list[str]
    familiar: set[str]
    """Words that it has shown to be names."""
    position: int
    page_id: int | None
    page: PageState | None
    before: deque[tuple[Turn, list[int]]]
    taken: dict[str, int]
    """The largest number given so far to each id that clashed."""


class Writer:
    """Writes batches. Whoever holds it must ask `overtaken` of each batch inside its transaction, before `store`."""

    def __init__(self, connection: apsw.Connection, embedder: Callable[[], Embedder]) -> None:
        """Prepare to write.

        Args:
            connection: an open memory, writable.
            embedder: gives the model; called only when there is something to embed.
        """
        self.totals = Totals()
        self._connection = connection
        self._embedder = embedder
        self._model: Embedder | None = None
        self._conversations: dict[str, _Conversation] = {}
        self._known: dict[str, tuple[list[str], set[str]]] = {}
        """Of each conversation, who has spoken and which words are names as of the last batch that was begun."""
        self._generation = 0
        """Grows when what is remembered of the file is dropped."""
        self._thread = ThreadPoolExecutor(1, initializer=_give_way)
        self._admission: Admission | None = None
        self._version: int | None = None

    def begin(self, batch: Sequence[tuple[Message, bytes]]) -> Begun:
        """Cut a batch and find its cues, and set the embedding of it going; reads the file, writes nothing.

        Batches may be begun before those ahead of them are stored, as long as they are stored in the order in which they were begun.

        Raises:
            ModelError: the embedder is missing, or is not the file's.
        """
        self._version = data_version(self._connection)[0] if self._version is None else self._version
        started = time.perf_counter()
        turns = []
        for message, digest in batch:
            if message.conversation_id not in self._known:
                self._known[message.conversation_id] = self._people_and_names(message.conversation_id)
            people, familiar = self._known[message.conversation_id]
            if message.speaker not in people:
                people.append(message.speaker)
            as_of_now = tuple(people)  # what a message becomes must not depend on who speaks later
            turn = compile_turn(message, as_of_now, familiar)
            familiar |= _names_in(turn)
            turns.append((turn, digest, as_of_now))
        self.totals.seconds["spans"] += time.perf_counter() - started
        texts = [span.text for turn, _, _ in turns for span in turn.spans]
        self._model = model = self._embedder()
        embedding = self._thread.submit(lambda: vectors.rounded(model.encode(texts)))
        return Begun(tuple(turns), embedding, self._generation)

    def prepared(self, begun: Begun) -> list[Prepared]:
        """Wait for a batch's vectors.

        Raises:
            ModelError: the embedder failed.
        """
        started = time.perf_counter()
        matrix = begun.embedding.result()
        self.totals.seconds["embed"] += time.perf_counter() - started
        ends = np.cumsum([len(turn.spans) for turn, _, _ in begun.turns])
        return [
            Prepared(turn, digest, as_of_now, matrix[end - len(turn.spans) : end])
            for (turn, digest, as_of_now), end in zip(begun.turns, ends, strict=True)
        ]

    def catch_up(self) -> None:
        """Drop what was remembered of the file if another process has written to it; within the caller's transaction."""
        version = data_version(self._connection)[0]
        if version != self._version:
            self._version = version
            self._forget()

    def overtaken(self, begun: Begun) -> bool:
        """Whether another process has written since a batch was begun, so that it must be begun anew; within the caller's transaction."""
        self.catch_up()
        return self.is_stale(begun)

    def is_stale(self, begun: Begun) -> bool:
        """Whether what was remembered of the file has been dropped since a batch was begun."""
        return begun.generation != self._generation

    @contextmanager
    def undone_on_failure(self) -> Iterator[None]:
        """Forget what is remembered of the file when the block fails, since its transaction is rolled back."""
        try:
            yield
        except BaseException:
            self._forget()
            raise

    def _forget(self) -> None:
        self._generation += 1
        self._conversations.clear()
        self._known.clear()
        self._admission = None

    def store(self, batch: Sequence[Prepared], ingest_id: int | None) -> None:
        """Store a batch, within the caller's transaction."""
        if not batch or self._model is None:
            return
        model = self._model
        settings.record_embedder(self._connection, model.name, model.fingerprint, model.dimension)
        vectors.create_vector_tables(self._connection, model.dimension)
        admission = self._admission = self._admission or Admission(self._connection)
        for prepared in batch:
            self._store_turn(prepared, ingest_id, admission)
        started = time.perf_counter()
        admission.flush()
        self.totals.seconds["gate"] += time.perf_counter() - started
        self.totals.messages += len(batch)

    def embed_contexts(self, progress: Callable[[int, int], None]) -> None:
        """Embed in context what is not yet, this run's messages or older ones; outside a transaction, at the end of a source.

        Args:
            progress: told how many messages are done, and of how many.
        """
        started = time.perf_counter()
        if refresh_contexts(self._connection, self._embedder, progress):
            self.totals.seconds["contexts"] += time.perf_counter() - started

    def finish(self) -> None:
        """Bring up to date what is derived from the whole, at the end of a source; within the caller's transaction."""
        started = time.perf_counter()
        refresh_topics(self._connection)
        self.totals.seconds["topics"] += time.perf_counter() - started

    def _store_turn(self, prepared: Prepared, ingest_id: int | None, admission: Admission) -> None:
        started = time.perf_counter()
        turn, message = prepared.turn, prepared.turn.message
        state = self._conversation(message.conversation_id)
        if message.speaker not in state.people:
            state.people.append(message.speaker)
            name = person_mention(display_name(message.speaker, message.role))
            referents.enter_participant(self._connection, name, conversation_id=state.id, position=state.position)
        state.familiar |= _names_in(turn)
        said_at = transcripts.said_at(message.timestamp)
        tokens = [tokenize(span.text) for span in turn.spans]
        session = transcripts.session_id(self._connection, state.id, message.session_id)
        page_id = self._page(state, prepared, session, said_at, sum(map(len, tokens)))
        message_id = transcripts.insert_message(
            self._connection,
            message,
            prepared.digest,
            external_id=self._external_id(state, message),
            conversation=state.id,
            session=session,
            page=page_id,
            position=state.position,
            ingest=ingest_id,
        )
        words = [len(found) for found in tokens]
        span_ids = transcripts.insert_spans(self._connection, message_id, list(zip(turn.spans, words, strict=True)))
        insert_views(self._connection, "span", zip(span_ids, (span.text for span in turn.spans), strict=True))
        vectors.insert_vectors(self._connection, "span", zip(span_ids, prepared.matrix, strict=True))
        self.totals.spans += len(span_ids)
        self._store_mentions(state, prepared, span_ids)
        cue_ids = self._store_cues(turn, span_ids)
        state.position += 1
        self.totals.seconds["store"] += time.perf_counter() - started
        self._admit_claims(state, prepared, span_ids, cue_ids, page_id, said_at, admission)
        state.before.append((turn, span_ids))

    def _page(self, state: _Conversation, prepared: Prepared, session: int | None, said_at: float | None, words: int) -> int:
        """The page that the message stands on, begun if it does not continue the conversation's last."""
        message, spans, vector = prepared.turn.message, len(prepared.turn.spans), _mean(prepared.matrix)
        if state.page_id is None or not (
            state.page
            and continues(
                state.page,
                session=message.session_id,
                said_at=said_at,
                text=message.text,
                spans=spans,
                words=words,
                vector=vector,
            )
        ):
            state.page_id, state.page = transcripts.insert_page(self._connection, state.id, session), None
            self.totals.pages += 1
        state.page = extend(state.page, session=message.session_id, said_at=said_at, spans=spans, vector=vector)
        return state.page_id

    def _external_id(self, state: _Conversation, message: Message) -> str:
        """The id a message is known by: its own, else its number in the conversation; `~2` and so on where that is taken."""
        wanted = message.message_id if message.occurrence is None else str(state.position + 1)
        free, number = transcripts.free_external_id(self._connection, state.id, wanted, state.taken.get(wanted, 1))
        if number > 1:
            state.taken[wanted] = number
        return free

    def _admit_claims(
        self,
        state: _Conversation,
        prepared: Prepared,
        span_ids: list[int],
        cue_ids: dict[tuple[int, str], int],
        page_id: int,
        said_at: float | None,
        admission: Admission,
    ) -> None:
        started = time.perf_counter()
        turns = [(prepared.turn, span_ids), *reversed(state.before)]
        drafts = write_claims(prepared.turn, [turn for turn, _ in state.before], prepared.people)
        self.totals.seconds["claims"] += time.perf_counter() - started
        started = time.perf_counter()
        own = dict(zip(span_ids, prepared.matrix, strict=True))
        for draft in drafts:
            supports = tuple(turns[ref.back][1][ref.index] for ref in draft.supports)
            earlier = [span for span in supports if span not in own]
            fetched = dict(zip(earlier, vectors.fetch_vectors(self._connection, "span", earlier), strict=True))
            anchor = draft.supports[0]
            span = turns[anchor.back][0].spans[anchor.index]
            admitted = admission.admit(
                Candidate(
                    draft=draft,
                    supports=supports,
                    support_vectors=np.stack([own[s] if s in own else fetched[s] for s in supports]),
                    handles=tuple(handle.text for ref in draft.supports for handle in turns[ref.back][0].handles[ref.index]),
                    extent=span.end - span.start,
                    page=page_id,
                    said_at=said_at,
                    time_cue=cue_ids.get((draft.time.offset, draft.time.expression)) if draft.time else None,
                )
            )
            self.totals.claims += not admitted.merged
            self.totals.merged += admitted.merged
            self.totals.edges += admitted.edges
            self.totals.cues["keyword"] += len(draft.keywords)
        self.totals.seconds["gate"] += time.perf_counter() - started

    def _store_mentions(self, state: _Conversation, prepared: Prepared, span_ids: list[int]) -> None:
        """Store a turn's handles, each joined to the referent it means."""
        turn = prepared.turn
        mentions = mentions_of(turn, [earlier for earlier, _ in state.before], prepared.people)
        for index, span_id in enumerate(span_ids):
            referents.learn_names(self._connection, state.id, span_id, name_words(turn.handles[index]))
            for mention in mentions[index]:
                referents.insert_mention(
                    self._connection, span_id, mention, resolve_mention, conversation_id=state.id, position=state.position
                )
                self.totals.cues["handle"] += 1

    def _store_cues(self, turn: Turn, span_ids: list[int]) -> dict[tuple[int, str], int]:
        """Store a turn's cues; returns the time cues' ids by (offset, expression)."""
        ids = {}
        for index, span_id in enumerate(span_ids):
            for cue in turn.times[index]:
                ids[cue.offset, cue.expression] = claim_rows.insert_time_cue(self._connection, span_id, cue)
            pivot = turn.pivots[index]
            if pivot is not None:
                pivot_id = claim_rows.insert_pivot(self._connection, span_id, pivot)
                insert_views(self._connection, "pivot", [(pivot_id, pivot.text)])
                self.totals.cues["pivot"] += 1
            self.totals.cues["time_cue"] += len(turn.times[index])
        insert_views(self._connection, "time_cue", ((i, expression) for (_, expression), i in ids.items()))
        return ids

    def _people_and_names(self, external_id: str) -> tuple[list[str], set[str]]:
        """Who has spoken in a conversation, in order, and the words it has shown to be names; copies, for `begin` runs ahead."""
        state = self._conversations.get(external_id)
        if state is not None:
            return list(state.people), set(state.familiar)
        if not transcripts.conversation_exists(self._connection, external_id):
            return [], set()
        conversation = transcripts.conversation_id(self._connection, external_id)
        return transcripts.speakers(self._connection, conversation), referents.known_names(self._connection, conversation)

    def _conversation(self, external_id: str) -> _Conversation:
        """A conversation's state, read from the file the first time it is met."""
        if external_id in self._conversations:
            return self._conversations[external_id]
        connection = self._connection
        conversation = transcripts.conversation_id(connection, external_id)
        people = transcripts.speakers(connection, conversation)
        state = _Conversation(
            id=conversation,
            people=people,
            familiar=referents.known_names(connection, conversation),
            position=transcripts.next_position(connection, conversation),
            page_id=None,
            page=None,
            before=deque(maxlen=CONTEXT_TURNS),
            taken={},
        )
        for stored in transcripts.last_messages(connection, conversation, CONTEXT_TURNS):
            rows = transcripts.spans_of(connection, stored.id)
            state.before.append((_turn_as_stored(stored.message, rows, tuple(people)), [row[0] for row in rows]))
        self._resume_page(state)
        self._conversations[external_id] = state
        return state

    def _resume_page(self, state: _Conversation) -> None:
        """Take up the conversation's last page where it was left."""
        last = transcripts.last_messages(self._connection, state.id, 1)
        if not last:
            return
        state.page_id = last[0].page_id
        for stored in transcripts.page_messages(self._connection, state.page_id):
            span_ids = [row[0] for row in transcripts.spans_of(self._connection, stored.id)]
            state.page = extend(
                state.page,
                session=stored.message.session_id,
                said_at=transcripts.said_at(stored.message.timestamp),
                spans=len(span_ids),
                vector=_mean(vectors.fetch_vectors(self._connection, "span", span_ids)),
            )


def _turn_as_stored(message: Message, rows: Sequence[tuple[int, int, int, SpanKind]], people: tuple[str, ...]) -> Turn:
    """A stored message as a turn. Its spans are those the file has, whatever today's rules would cut."""
    spans = tuple(Span(start, end, message.text[start:end], kind) for _, start, end, kind in rows)
    return compile_turn(message, people, spans=spans)


def _names_in(turn: Turn) -> set[str]:
    return {word for handles in turn.handles for word in name_words(handles)}


def _mean(matrix: NDArray[np.float32]) -> NDArray[np.float32] | None:
    """The mean of unit rows, itself of unit length; None of no rows."""
    return mean_vector(matrix) if len(matrix) else None


def _give_way() -> None:
    """Let this thread, and those it starts, run behind the storing one, which would otherwise wait for a core among them."""
    if sys.platform == "linux":  # where a priority is a thread's own
        with suppress(OSError):
            thread = threading.get_native_id()
            os.setpriority(os.PRIO_PROCESS, thread, os.getpriority(os.PRIO_PROCESS, thread) + GIVE_WAY)
