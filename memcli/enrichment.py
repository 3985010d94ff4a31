"""Letting a language model read a memory, at the end of an ingest: what it writes is checked, and what stands is kept.

    pages not read yet -> calls (several at once where the model gains by it) -> check each proposal, no lock held
        -> lock -> changes, the pages as read, the answers and the tallies -> commit
    and then the same for topics without a description

The deterministic claims are there already, committed; whatever happens here, they stand. Each batch of pages is one transaction, so a run
that is killed asks nothing twice about a page that was finished. When the budget is spent the other pages wait for the next run.
"""

from __future__ import annotations

import hashlib
import json
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from typing import Final, TypeVar

import apsw

from memcli.annotating import Notes
from memcli.loaded import keep_answers
from memcli.models import Embedder
from memcli.proposals import note, page
from memcli.proposals.assistant import Answered, Asked, Assistant
from memcli.proposals.uses import Use
from memcli.retelling import Change, Pages, Reading
from memcli.store import completions, notes, page_claims
from memcli.store.connection import data_version, read_transaction, transaction
from memcli.writer import Writer

_Item = TypeVar("_Item")

Progress = Callable[[str, int, int | None], None]

STAGE: Final = "language model"
"""How progress calls this."""

_FORMS: Final[dict[Use, tuple[object, ...]]] = {
    "claims": (page.CLAIMS, page.LINES),
    "cues": (page.CUES, page.CUE_LINES),
    "keywords": (note.KEYWORDS, note.EACH),
    "relations": (note.RELATIONS, note.EACH),
}
"""What is read off pages, in this order, and how it is asked: pages are read again when that changes."""

TOPICS_AT_ONCE: Final = 8
"""Descriptions stored in one transaction."""

_READING = 1
"""Raised when pages are shown or taken apart in another way, so that they are read again."""


class Enrichment:
    """One reading of a memory by one assistant."""

    def __init__(
        self, connection: apsw.Connection, assistant: Assistant, embedder: Callable[[], Embedder], writer: Writer, progress: Progress
    ) -> None:
        """Prepare to read.

        Args:
            connection: an open memory, writable.
            assistant: the language model.
            embedder: gives the file's model.
            writer: whoever wrote the pages.
            progress: told ("language model", pages and topics done, of how many).
        """
        self._connection = connection
        self._assistant = assistant
        self._writer = writer
        self._progress = progress
        pages = Pages(connection, embedder)
        self._notes = Notes(connection, pages)
        self._read: dict[Use, Callable[[int], Reading]] = {
            "claims": pages.claims,
            "cues": pages.cues,
            "keywords": self._notes.keywords,
            "relations": self._notes.relations,
        }

    def run(self) -> None:
        """Read every page that has not been read as it is now, and describe the topics that have no description.

        Raises:
            StoreError: the file cannot be written.
            ModelError: the embedder failed.
        """
        queues = [(stage, self._form(stage)) for stage in self._read if self._assistant.does(stage)]
        waiting = [(stage, form, page_claims.unread_pages(self._connection, stage, form)) for stage, form in queues]
        total, done = sum(len(queue) for _, _, queue in waiting), 0
        for stage, form, queue in waiting:
            for batch in _batches(queue, max(1, self._assistant.model.parallel)):
                if not self._assistant.does(stage):
                    break
                self._progress(STAGE, done, total)
                if not self._read_pages(stage, form, batch):  # what was answered is kept, so asking again costs nothing
                    self._read_pages(stage, form, batch)
                done += len(batch)
        if total:
            self._progress(STAGE, done, total)
            with self._changing():
                self._writer.finish()
        if self._assistant.does("topics"):
            self._describe_topics()

    def _form(self, stage: Use) -> bytes:
        """Names the model and how it is asked at a stage."""
        whole = json.dumps([_READING, self._assistant.model.fingerprint, *_FORMS[stage]])
        return hashlib.blake2b(whole.encode("utf-8"), digest_size=16).digest()

    def _read_pages(self, stage: Use, form: bytes, batch: Sequence[tuple[int, bytes]]) -> bool:
        """Ask about some pages, and store what comes of it in one transaction.

        Returns:
            False if another process wrote meanwhile: then nothing came of it but the answers, and the pages are unread.
        """
        before = self._assistant.outcomes(stage)
        with read_transaction(self._connection):
            version = data_version(self._connection)[0]
            pages = [(number, digest) for number, digest in batch if page_claims.page_digest(self._connection, number, form) == digest]
            readings = [self._read[stage](number) for number, _ in pages]
        answers, fresh = self._ask([asked for reading in readings for asked in reading.asked])
        changes: list[tuple[tuple[int, bytes], list[Change]]] = []
        for found, reading in zip(pages, readings, strict=True):
            own = [answers.pop(0) for _ in reading.asked]
            if all(self._is_answered(asked, fresh) for asked in reading.asked):
                changes.append((found, self._checked(stage, reading, own)))
        with self._changing():
            model_id = keep_answers(self._connection, self._assistant, fresh)
            if data_version(self._connection)[0] != version:
                return False
            for (number, digest), wanted in changes:
                self._carry_out(stage, wanted, model_id)
                completions.record_page_reading(self._connection, number, stage, model_id, digest)
            completions.add_tallies(self._connection, stage, self._assistant.outcomes(stage) - before)
        return True

    def _describe_topics(self) -> None:
        """Describe the topics about which nothing was asked yet, several in one transaction; the next run goes on if another writes."""
        with read_transaction(self._connection):
            version = data_version(self._connection)[0]
            readings = [self._notes.topic(topic) for topic in notes.undescribed_topics(self._connection)]
        # Of those asked about before, the answer did not stand.
        waiting = [reading for reading in readings if not self._is_answered(reading.asked[0], ())]
        for batch in _batches(waiting, max(TOPICS_AT_ONCE, self._assistant.model.parallel)):
            if not self._assistant.does("topics"):
                return
            self._progress("topics", waiting.index(batch[0]), len(waiting))
            before = self._assistant.outcomes("topics")
            answers, fresh = self._ask([reading.asked[0] for reading in batch])
            wanted = [change for reading, said in zip(batch, answers, strict=True) for change in self._checked("topics", reading, [said])]
            with self._changing():
                if data_version(self._connection)[0] != version:
                    return
                self._carry_out("topics", wanted, keep_answers(self._connection, self._assistant, fresh))
                completions.add_tallies(self._connection, "topics", self._assistant.outcomes("topics") - before)

    def _ask(self, asked: Sequence[Asked]) -> tuple[list[object], list[Answered]]:
        return self._assistant.jsons(asked), self._assistant.take_fresh()

    def _checked(self, stage: Use, reading: Reading, answers: Sequence[object]) -> list[Change]:
        """The changes that answers lead to; proposals that do not pass are counted."""
        wanted: list[Change] = []
        for outcome in reading.outcomes(answers):
            if isinstance(outcome, str):
                self._assistant.count(stage, outcome)
            else:
                wanted.append(outcome)
        return wanted

    def _carry_out(self, stage: Use, wanted: Sequence[Change], model_id: int) -> None:
        for change in wanted:
            self._assistant.count(stage, change(model_id))

    @contextmanager
    def _changing(self) -> Iterator[None]:
        """A transaction, in which what is remembered of the file is dropped if another process has written to it."""
        with transaction(self._connection), self._writer.undone_on_failure():
            self._writer.catch_up()
            yield

    def _is_answered(self, asked: Asked, fresh: Sequence[Answered]) -> bool:
        """Whether the model has answered, now or before, be it in vain."""
        digest = self._assistant.digest(asked)
        return any(answer.digest == digest for answer in fresh) or completions.kept_response(self._connection, digest) is not None


def _batches(items: Sequence[_Item], size: int) -> Iterator[Sequence[_Item]]:
    for start in range(0, len(items), size):
        yield items[start : start + size]
