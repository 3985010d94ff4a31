"""Ingesting: from transcripts to rows, a batch at a time, each batch one transaction.

The data flow of a batch:

    read -> leave out what the file knows -> cut into spans and find cues -> embed every span, in one call
         -> for each message in order: page, claims -> store all of it -> commit

What a message becomes depends only on the messages before it, never on those after it, and a batch is committed whole or not at
all. So an ingest that was killed goes on where it stopped, and a transcript that grows gives the same memory as a whole one.
"""

from __future__ import annotations

import os
import queue
import stat
import threading
import time
from collections import Counter, defaultdict, deque
from collections.abc import Callable, Iterable, Iterator
from dataclasses import dataclass, field
from pathlib import Path
from typing import IO

import apsw
import numpy as np
from numpy.typing import NDArray

from memcli.atoms import Message, Turn
from memcli.models import Embedder
from memcli.results import IngestReport
from memcli.store import claims as claim_rows
from memcli.store import settings, transcripts, vectors
from memcli.store.connection import transaction
from memcli.store.search import insert_views, tokenize
from memcli.transcripts import read
from memcli.transcripts.transcript import storable
from memcli.write.claims import write_claims
from memcli.write.compile import compile_turn
from memcli.write.pages import PageState, continues, extend

Progress = Callable[[str, int, int | None], None]
"""Told (stage, done, total or None) as work goes on; stages of an ingest: `messages`."""

BATCH_MESSAGES = 256
BATCH_SPANS = 768
"""A batch ends at whichever comes first: enough spans to embed in well-filled batches, few enough to keep memory flat."""

CONTEXT_TURNS = 3
"""Turns before a message that its claims may lean on."""

IDLE_S = 0.2
"""Seconds a pipe may be silent before what has come so far is committed."""


@dataclass(slots=True)
class _Conversation:
    """Where a conversation stands: what the next message of it depends on."""

    id: int
    people: list[str]
    position: int
    page_id: int | None
    page: PageState | None
    before: deque[tuple[Turn, list[int]]]


@dataclass(slots=True)
class _Totals:
    files: int = 0
    read: int = 0
    new: int = 0
    unchanged: int = 0
    pages: int = 0
    spans: int = 0
    claims: int = 0
    cues: Counter[str] = field(default_factory=Counter)
    seconds: defaultdict[str, float] = field(default_factory=lambda: defaultdict(float))
    warnings: list[str] = field(default_factory=list)


class Ingest:
    """One run over any number of transcripts. Make one, call `source` or `messages`, then `report`."""

    def __init__(self, connection: apsw.Connection, embedder: Callable[[], Embedder], progress: Progress | None = None) -> None:
        """Prepare a run.

        Args:
            connection: an open memory, writable.
            embedder: gives the model; called only when there is something new to embed.
            progress: told how many messages have been stored.
        """
        self._connection = connection
        self._embedder = embedder
        self._progress = progress or (lambda _stage, _done, _total: None)
        self._conversations: dict[str, _Conversation] = {}
        self._data_version = -1
        self._totals = _Totals()
        self._started = time.perf_counter()

    def source(self, source: str | Path | IO[bytes], transcript_format: str | None) -> None:
        """Ingest one transcript.

        Raises:
            InputError: it cannot be read; batches before the bad place are kept whole, nothing is half-written.
            ModelError: the embedder failed or is not the file's.
            StoreError: the file cannot be written.
        """
        started = time.perf_counter()
        transcript = read(source, transcript_format)
        self._totals.seconds["read"] += time.perf_counter() - started
        name = str(source) if isinstance(source, (str, Path)) else "-"
        live = not isinstance(source, (str, Path)) and not _is_regular_file(source)
        try:
            self._messages(transcript.messages, name, transcript.format, live=live)
        finally:
            self._totals.warnings += [f"{name}: {line}" for line in transcript.warnings]
        self._totals.files += 1

    def messages(self, messages: Iterable[Message]) -> None:
        """Ingest messages that a program made itself."""
        self._messages(storable(messages), "", "library", live=False)

    def report(self) -> IngestReport:
        """What the run has done so far."""
        t = self._totals
        seconds = dict(t.seconds) | {"total": time.perf_counter() - self._started}
        return IngestReport(
            files=t.files,
            messages_read=t.read,
            messages_new=t.new,
            messages_unchanged=t.unchanged,
            pages=t.pages,
            spans=t.spans,
            cues={kind: t.cues[kind] for kind in ("handle", "time", "pivot", "keyword")},
            claims=t.claims,
            edges=0,
            seconds=seconds,
            warnings=tuple(t.warnings),
        )

    def _messages(self, messages: Iterator[Message], source: str, transcript_format: str, *, live: bool) -> None:
        before = (self._totals.read, self._totals.new, self._totals.unchanged)
        ingest_id: int | None = None

        def log(finished: bool) -> None:
            if ingest_id is not None:
                now = (self._totals.read, self._totals.new, self._totals.unchanged)
                read_count, new, unchanged = (a - b for a, b in zip(now, before, strict=True))
                settings.log_ingest(self._connection, ingest_id, read=read_count, new=new, unchanged=unchanged, finished=finished)

        for batch in self._batches(messages, live=live):
            if not batch:
                continue
            with transaction(self._connection):
                if ingest_id is None:
                    ingest_id = settings.start_ingest(self._connection, source, transcript_format)
                # Another process may have stored some of them since they were read, and gone on with their conversations.
                version = int(self._connection.execute("PRAGMA data_version").get)
                if version != self._data_version:
                    self._conversations.clear()
                    self._data_version = version
                known = transcripts.known_digests(self._connection, (digest for _, digest in batch))
                fresh = [(message, digest) for message, digest in batch if digest not in known]
                self._totals.unchanged += len(known)
                self._store(fresh, ingest_id)
                log(finished=False)
            self._progress("messages", self._totals.new + self._totals.unchanged, None)
        if ingest_id is not None:
            with transaction(self._connection):
                log(finished=True)

    def _batches(self, messages: Iterator[Message], *, live: bool) -> Iterator[list[tuple[Message, bytes]]]:
        """What is new, in batches. An empty batch says that a pipe has fallen silent or that nothing of a stretch was new."""
        batch: dict[bytes, Message] = {}
        size = 0
        source: Iterator[Message | None] = _until_silent(messages) if live else messages
        while True:
            started = time.perf_counter()
            try:
                message, ended = next(source), False
            except StopIteration:
                message, ended = None, True
            self._totals.seconds["read"] += time.perf_counter() - started
            if message is None:
                yield [(m, d) for d, m in batch.items()]
                batch, size = {}, 0
                if ended:
                    return
                continue
            self._totals.read += 1
            digest = transcripts.message_digest(message)
            if digest in batch or transcripts.known_digests(self._connection, [digest]):
                self._totals.unchanged += 1
                continue
            batch[digest] = message
            size += 1 + len(message.text) // _CHARACTERS_A_SPAN
            if len(batch) >= BATCH_MESSAGES or size >= BATCH_SPANS:
                yield [(m, d) for d, m in batch.items()]
                batch, size = {}, 0

    def _store(self, batch: list[tuple[Message, bytes]], ingest_id: int) -> None:
        if not batch:
            return
        seconds = self._totals.seconds
        started = time.perf_counter()
        turns = []
        for message, digest in batch:
            state = self._conversation(message.conversation_id)
            if message.speaker not in state.people:
                state.people.append(message.speaker)
            people = tuple(state.people)  # as of this message: what it becomes must not depend on who speaks later
            turns.append((compile_turn(message, people), digest, people))
        seconds["spans"] += time.perf_counter() - started

        started = time.perf_counter()
        embedder = self._embedder()
        settings.record_embedder(self._connection, embedder.name, embedder.fingerprint, embedder.dimension)
        vectors.create_vector_tables(self._connection, embedder.dimension)
        matrix = embedder.encode([span.text for turn, _, _ in turns for span in turn.spans])
        seconds["embed"] += time.perf_counter() - started

        offset = 0
        for turn, digest, people in turns:
            own = matrix[offset : offset + len(turn.spans)]
            offset += len(turn.spans)
            self._store_turn(turn, digest, people, own, ingest_id)
        self._totals.new += len(batch)

    def _store_turn(self, turn: Turn, digest: bytes, people: tuple[str, ...], matrix: NDArray[np.float32], ingest_id: int) -> None:
        connection, totals = self._connection, self._totals
        message = turn.message
        state = self._conversations[message.conversation_id]
        started = time.perf_counter()
        session = transcripts.session_id(connection, state.id, message.session_id)
        said_at = transcripts.said_at(message.timestamp)
        tokens = [tokenize(span.text) for span in turn.spans]
        vector = _mean(matrix)
        joins = state.page is not None and continues(
            state.page,
            session=message.session_id,
            said_at=said_at,
            text=message.text,
            spans=len(turn.spans),
            words=sum(map(len, tokens)),
            vector=vector,
        )
        if not joins:
            state.page_id, state.page = transcripts.insert_page(connection, state.id, session), None
            totals.pages += 1
        state.page = extend(state.page, session=message.session_id, said_at=said_at, spans=len(turn.spans), vector=vector)
        assert state.page_id is not None
        message_id = transcripts.insert_message(
            connection,
            message,
            digest,
            conversation=state.id,
            session=session,
            page=state.page_id,
            position=state.position,
            ingest=ingest_id,
        )
        state.position += 1
        span_ids = transcripts.insert_spans(
            connection, message_id, [(span, len(found)) for span, found in zip(turn.spans, tokens, strict=True)]
        )
        insert_views(connection, "span", zip(span_ids, (span.text for span in turn.spans), strict=True))
        vectors.insert_vectors(connection, "span", zip(span_ids, matrix, strict=True))
        totals.spans += len(span_ids)
        cue_ids = self._store_cues(turn, span_ids)
        totals.seconds["store"] += time.perf_counter() - started

        started = time.perf_counter()
        drafts = write_claims(turn, [t for t, _ in state.before], people)
        totals.seconds["claims"] += time.perf_counter() - started

        started = time.perf_counter()
        rows = []
        for draft in drafts:
            supports = [span_ids[r.index] if r.back == 0 else state.before[-r.back][1][r.index] for r in draft.supports]
            claim_id = claim_rows.insert_claim(
                connection,
                draft,
                page=state.page_id,
                said_at=said_at,
                supports=supports,
                time_cue=cue_ids.get((draft.time.offset, draft.time.expression)) if draft.time else None,
            )
            by_span = dict(zip(span_ids, matrix, strict=True))
            own = [by_span[s] for s in supports if s in by_span]
            earlier = [s for s in supports if s not in by_span]
            stacked = np.stack([*own, *vectors.fetch_vectors(connection, "span", earlier)])
            mean = _mean(stacked)
            assert mean is not None
            rows.append((claim_id, mean))
            totals.cues["keyword"] += len(draft.keywords)
        vectors.insert_vectors(connection, "claim", rows)
        totals.claims += len(rows)
        totals.seconds["store"] += time.perf_counter() - started
        state.before.append((turn, span_ids))

    def _store_cues(self, turn: Turn, span_ids: list[int]) -> dict[tuple[int, str], int]:
        """Store a turn's cues; returns the time cues' ids by (offset, expression)."""
        ids = {}
        for index, span_id in enumerate(span_ids):
            for handle in turn.handles[index]:
                claim_rows.insert_handle(self._connection, span_id, handle)
            for cue in turn.times[index]:
                ids[cue.offset, cue.expression] = claim_rows.insert_time_cue(self._connection, span_id, cue)
            pivot = turn.pivots[index]
            if pivot is not None:
                pivot_id = claim_rows.insert_pivot(self._connection, span_id, pivot)
                insert_views(self._connection, "pivot", [(pivot_id, pivot.text)])
                self._totals.cues["pivot"] += 1
            self._totals.cues["handle"] += len(turn.handles[index])
            self._totals.cues["time"] += len(turn.times[index])
        insert_views(self._connection, "time_cue", ((i, expression) for (_, expression), i in ids.items()))
        return ids

    def _conversation(self, external_id: str) -> _Conversation:
        """A conversation's state, read from the file the first time it is met."""
        if external_id in self._conversations:
            return self._conversations[external_id]
        connection = self._connection
        conversation = transcripts.conversation_id(connection, external_id)
        people = transcripts.speakers(connection, conversation)
        state = _Conversation(
            id=conversation,
            people=list(people),
            position=transcripts.next_position(connection, conversation),
            page_id=None,
            page=None,
            before=deque(maxlen=CONTEXT_TURNS),
        )
        for stored in transcripts.last_messages(connection, conversation, CONTEXT_TURNS):
            span_ids = [row[0] for row in transcripts.spans_of(connection, stored.id)]
            state.before.append((compile_turn(stored.message, tuple(people)), span_ids))
        self._resume_page(state)
        self._conversations[external_id] = state
        return state

    def _resume_page(self, state: _Conversation) -> None:
        """Take up the conversation's last page where it was left."""
        last = transcripts.last_messages(self._connection, state.id, 1)
        if not last:
            return
        state.page_id = last[0].page_id
        for message in transcripts.page_messages(self._connection, state.page_id):
            span_ids = [row[0] for row in transcripts.spans_of(self._connection, message.id)]
            matrix = vectors.fetch_vectors(self._connection, "span", span_ids)
            state.page = extend(
                state.page,
                session=message.message.session_id,
                said_at=transcripts.said_at(message.message.timestamp),
                spans=len(span_ids),
                vector=_mean(matrix),
            )


_CHARACTERS_A_SPAN = 70
"""About the length of a sentence in chat; sizes batches before spans are cut."""


def _mean(matrix: NDArray[np.float32]) -> NDArray[np.float32] | None:
    """The L2-normalised mean of unit rows, shape (dimension,); None of no rows."""
    if not len(matrix):
        return None
    total = matrix.sum(axis=0, dtype=np.float32)
    return np.asarray(total / max(float(np.linalg.norm(total)), 1e-9), np.float32)


def _is_regular_file(stream: IO[bytes]) -> bool:
    """Whether a stream is a file on disk (or in memory), all of which is there already."""
    try:
        return stat.S_ISREG(os.fstat(stream.fileno()).st_mode)
    except (OSError, AttributeError, ValueError):
        return True


def _until_silent(messages: Iterator[Message]) -> Iterator[Message | None]:
    """The messages of a pipe as they come, and None each time it has been silent for `IDLE_S`."""
    waiting: queue.Queue[Message | BaseException | None] = queue.Queue(maxsize=4 * BATCH_MESSAGES)

    def pump() -> None:
        try:
            for message in messages:
                waiting.put(message)
            waiting.put(None)
        except BaseException as error:
            waiting.put(error)

    threading.Thread(target=pump, daemon=True).start()
    silent = True
    while True:
        try:
            item = waiting.get(timeout=None if silent else IDLE_S)
        except queue.Empty:
            silent = True
            yield None
            continue
        if item is None:
            return
        if isinstance(item, BaseException):
            raise item
        silent = False
        yield item
