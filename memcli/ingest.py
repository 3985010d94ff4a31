"""Ingesting: from transcripts to batches of new messages, each batch one transaction.

    read -> name what the transcript left unnamed -> leave out what the file knows -> batch
         -> Writer.begin (spans, cues, and vectors in another thread; no lock held) -> lock -> Writer.store -> commit
    and at the end of a source: vectors of messages in context, topics, and what a language model adds (`memcli.enrichment`)

What a message becomes depends only on the messages before it, never on those after it, and a batch is committed whole or not at
all. So an ingest that was killed goes on where it stopped, and a transcript that grows gives the same memory as a whole one.
"""

from __future__ import annotations

import os
import queue
import stat
import threading
import time
from collections import Counter
from collections.abc import Callable, Iterable, Iterator
from dataclasses import replace
from pathlib import Path
from typing import IO

import apsw

from memcli.atoms import Message
from memcli.errors import InputError
from memcli.models import Embedder
from memcli.proposals.assistant import Assistant
from memcli.redaction import Redactor
from memcli.results import IngestReport
from memcli.store import settings, transcripts
from memcli.store.connection import transaction
from memcli.transcripts import read
from memcli.transcripts.transcript import storable
from memcli.writer import Begun, Writer

Progress = Callable[[str, int, int | None], None]
"""Told (stage, done, total or None) as work goes on; stages of an ingest: `messages`, `contexts`, `language model`."""

BATCH_MESSAGES = 256
BATCH_SPANS = 384
"""A batch ends at whichever comes first: enough spans to embed in well-filled batches, few enough to keep memory flat."""

CHARACTERS_A_SPAN = 70
"""About the length of a sentence in chat; sizes batches before spans are cut."""

IDLE_S = 0.2
"""Seconds a pipe may be silent before what has come so far is committed."""

_Batch = list[tuple[Message, bytes]]


class Ingest:
    """One run over any number of transcripts. Make one, call `source` or `messages`, then `report`."""

    def __init__(
        self,
        connection: apsw.Connection,
        embedder: Callable[[], Embedder],
        progress: Progress | None = None,
        redactor: Redactor | None = None,
        assistant: Assistant | None = None,
    ) -> None:
        """Prepare a run.

        Args:
            connection: an open memory, writable.
            embedder: gives the model; called only when there is something new to embed.
            progress: told how many messages have been stored.
            redactor: takes the secrets out of every message before anything else is done with it.
            assistant: a language model that reads every page once it is stored; None for none.
        """
        self._connection = connection
        self._redactor = redactor
        self._assistant = assistant
        self._embedder = embedder
        self._writer = Writer(connection, embedder)
        self._progress = progress or (lambda _stage, _done, _total: None)
        self._files = self._read = self._unchanged = 0
        self._reading_s = self._reading_pages_s = 0.0
        self._warnings: list[str] = []
        self._started = time.perf_counter()

    def source(self, source: str | Path | IO[bytes], transcript_format: str | None) -> None:
        """Ingest one transcript.

        Raises:
            InputError: it cannot be read; the messages before the bad place are kept, nothing is half-written.
            ModelError: the embedder failed or is not the file's.
            StoreError: the file cannot be written.
        """
        started = time.perf_counter()
        transcript = read(source, transcript_format)
        self._reading_s += time.perf_counter() - started
        name = str(source) if isinstance(source, (str, Path)) else "-"
        live = _is_pipe(source)
        clean = self._redacted(transcript.messages)
        messages = clean if live else self._named(clean)
        before = self._redactor.counts.copy() if self._redactor else Counter[str]()
        try:
            self._messages(messages, name, transcript.format, live=live)
        finally:
            self._warnings += [f"{name}: {line}" for line in transcript.warnings]
            if self._redactor and (found := self._redactor.counts - before):
                self._warnings.append(f"{name}: redacted: {', '.join(f'{count} {kind}' for kind, count in sorted(found.items()))}")
        self._files += 1

    def messages(self, messages: Iterable[Message]) -> None:
        """Ingest messages that a program made itself.

        Raises:
            InputError: a message has a role that there is not.
        """
        self._messages(self._redacted(storable(messages)), "", "library", live=False)

    def report(self) -> IngestReport:
        """What the run has done so far."""
        written = self._writer.totals
        seconds = {"read": self._reading_s, **written.seconds}
        if self._assistant is not None:
            seconds["language_model"] = self._reading_pages_s
        seconds["total"] = time.perf_counter() - self._started
        return IngestReport(
            files=self._files,
            messages_read=self._read,
            messages_new=written.messages,
            messages_unchanged=self._unchanged,
            pages=written.pages,
            spans=written.spans,
            cues={kind: written.cues[kind] for kind in ("handle", "time_cue", "pivot", "keyword")},
            claims=written.claims,
            merged=written.merged,
            edges=written.edges,
            seconds=seconds,
            warnings=tuple(self._warnings),
            redacted=dict(sorted(self._redactor.counts.items())) if self._redactor else {},
            language_model=self._assistant.report() if self._assistant is not None else None,
        )

    def _redacted(self, messages: Iterator[Message]) -> Iterator[Message]:
        return messages if self._redactor is None else map(self._redactor.message, messages)

    def _named(self, messages: Iterator[Message]) -> Iterator[Message]:
        """The messages, those of a conversation that only the file's name names told apart from another file's of that name.

        A file is the conversation `chat`, or else `chat~2`, `chat~3`..., whichever holds the file's first message already or is new.
        """
        chosen: dict[str, str] = {}
        for message in messages:
            if not message.unnamed:
                yield message
                continue
            name = message.conversation_id
            if name not in chosen:
                number, candidate = 1, name
                while not self._is_free_or_known(replace(message, conversation_id=candidate)):
                    number += 1
                    candidate = f"{name}~{number}"
                chosen[name] = candidate
            yield replace(message, conversation_id=chosen[name])

    def _is_free_or_known(self, first: Message) -> bool:
        known = transcripts.known_digests(self._connection, [transcripts.message_digest(first)])
        return bool(known) or not transcripts.conversation_exists(self._connection, first.conversation_id)

    def _messages(self, messages: Iterator[Message], source: str, transcript_format: str, *, live: bool) -> None:
        before = (self._read, self._writer.totals.messages, self._unchanged)
        ingest_id: int | None = None

        def log(finished: bool) -> None:
            if ingest_id is not None:
                now = (self._read, self._writer.totals.messages, self._unchanged)
                read_count, new, unchanged = (a - b for a, b in zip(now, before, strict=True))
                settings.log_ingest(self._connection, ingest_id, read=read_count, new=new, unchanged=unchanged, finished=finished)

        def store(batch: _Batch, begun: Begun) -> None:
            nonlocal ingest_id
            prepared = self._writer.prepared(begun)
            with transaction(self._connection), self._writer.undone_on_failure():
                if ingest_id is None:
                    ingest_id = settings.start_ingest(self._connection, source, transcript_format)
                # Another process may have stored some of them since they were read, and gone on with their conversations.
                if self._writer.overtaken(begun):
                    batch = self._still_new(batch)
                    prepared = self._writer.prepared(self._writer.begin(batch)) if batch else []
                self._writer.store(prepared, ingest_id)
                log(finished=False)
            self._progress("messages", self._writer.totals.messages + self._unchanged, None)

        waiting: tuple[_Batch, Begun] | None = None
        try:
            for batch in self._batches(messages, live=live):
                begun = (batch, self._writer.begin(batch)) if batch else None
                if waiting is not None:  # stored while the next batch is embedded
                    done, waiting = waiting, None
                    store(*done)
                    if begun is not None and self._writer.is_stale(begun[1]):  # begun before what another process wrote was known
                        batch = self._still_new(begun[0])
                        begun = (batch, self._writer.begin(batch)) if batch else None
                if begun is not None and live:
                    store(*begun)
                else:
                    waiting = begun
        except InputError:
            if waiting is not None:
                store(*waiting)
            raise
        if waiting is not None:
            store(*waiting)
        self._writer.embed_contexts(lambda done, total: self._progress("contexts", done, total))
        if ingest_id is not None:
            with transaction(self._connection), self._writer.undone_on_failure():
                self._writer.finish()
                log(finished=True)
        if self._assistant is not None:
            self._enrich(self._assistant)

    def _still_new(self, batch: _Batch) -> _Batch:
        """What of a batch the file does not hold by now."""
        known = transcripts.known_digests(self._connection, (digest for _, digest in batch))
        self._unchanged += len(known)
        return [(message, digest) for message, digest in batch if digest not in known]

    def _enrich(self, assistant: Assistant) -> None:
        """Have the pages read that have not been yet, those of this source and those that an earlier run left."""
        from memcli.enrichment import Enrichment

        started = time.perf_counter()
        Enrichment(self._connection, assistant, self._embedder, self._writer, self._progress).run()
        self._reading_pages_s += time.perf_counter() - started

    def _batches(self, messages: Iterator[Message], *, live: bool) -> Iterator[_Batch]:
        """What is new, in batches. An empty batch says that a pipe has fallen silent or that nothing of a stretch was new."""
        batch: dict[bytes, Message] = {}
        ahead: set[bytes] = set()
        """Digests of the batch before, which may not be stored yet."""
        size = 0
        source: Iterator[Message | None] = _until_silent(messages) if live else messages
        while True:
            started = time.perf_counter()
            problem: InputError | None = None
            try:
                message, ended = next(source), False
            except StopIteration:
                message, ended = None, True
            except InputError as error:
                message, ended, problem = None, True, error
            self._reading_s += time.perf_counter() - started
            if message is None:
                # What was read before a bad place is kept: a pipe will not bring it again.
                yield [(m, d) for d, m in batch.items()]
                batch, size = {}, 0
                if problem is not None:
                    raise problem
                if ended:
                    return
                continue
            self._read += 1
            digest = transcripts.message_digest(message)
            if digest in batch or digest in ahead or transcripts.known_digests(self._connection, [digest]):
                self._unchanged += 1
                continue
            batch[digest] = message
            size += 1 + len(message.text) // CHARACTERS_A_SPAN
            if len(batch) >= BATCH_MESSAGES or size >= BATCH_SPANS:
                yield [(m, d) for d, m in batch.items()]
                batch, ahead, size = {}, set(batch), 0


def _is_pipe(source: str | Path | IO[bytes]) -> bool:
    """Whether a source gives its lines as they come, rather than having all of them already."""
    try:
        mode = Path(source).stat().st_mode if isinstance(source, (str, Path)) else os.fstat(source.fileno()).st_mode
    except (OSError, AttributeError, ValueError):
        return False
    return not (stat.S_ISREG(mode) or stat.S_ISDIR(mode))


def _until_silent(messages: Iterator[Message]) -> Iterator[Message | None]:
    """The messages of a pipe as they come, and None each time it has been silent for `IDLE_S`."""
    waiting: queue.Queue[Message | BaseException | None] = queue.Queue(maxsize=4 * BATCH_MESSAGES)

    def pump() -> None:
        try:
            for message in messages:
                waiting.put(message)
            waiting.put(None)
        except BaseException as error:  # handed to the reading thread, which raises it
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
