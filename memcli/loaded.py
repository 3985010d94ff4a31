"""The models that one open memory uses, each loaded when it is first needed."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from contextlib import suppress
from pathlib import Path
from typing import TYPE_CHECKING

import apsw

from memcli.errors import StoreError
from memcli.models import Embedder, load_embedder
from memcli.store import completions, settings
from memcli.store.connection import connect, tidy_close, transaction

if TYPE_CHECKING:
    from memcli.models.reranker import Reranker
    from memcli.proposals.assistant import Answered, Assistant, Hiring

PATIENCE_S = 1.0
"""Seconds that keeping a reader's completions may wait for another process's lock: they only save work."""


class LoadedModels:
    """Embedder, reranker and language model of a memory. `close` keeps what the language model answered."""

    def __init__(
        self,
        connection: apsw.Connection,
        path: Path,
        *,
        embedder: str | None,
        reranker: str | None,
        llm: Hiring | None,
        notify: Callable[[str], None] | None,
    ) -> None:
        """Remember what is asked for; nothing is loaded yet. See `memcli.memory.Memory.open`."""
        self._connection = connection
        self._path = path
        self._embedder_name = embedder
        self._reranker_name = reranker
        self._hiring = llm
        self._notify = notify
        self._embedder: Embedder | None = None
        self._reranker: Reranker | None = None
        self._assistant: Assistant | None = None

    def embedder(self) -> Embedder:
        """The embedder, loaded on first use and checked against the file.

        Raises:
            ModelError: it is missing, or not the one that the file's vectors were made with.
        """
        if self._embedder is None:
            known = settings.recorded_embedder(self._connection)
            model = load_embedder(self._embedder_name or (known.name if known else None), progress=self._notify)
            if known is not None:
                settings.check_embedder(known, model.name, model.fingerprint)
            self._embedder = model
        return self._embedder

    @property
    def reranks(self) -> bool:
        """Whether a reranker was asked for."""
        return self._reranker_name is not None

    def reranker(self) -> Reranker:
        """The reranker that was asked for, loaded on first use.

        Raises:
            ModelError: it is missing or cannot be loaded.
        """
        from memcli.models.reranker import Reranker

        if self._reranker is None:
            assert self._reranker_name is not None
            self._reranker = Reranker(self._reranker_name)
        return self._reranker

    def assistant(self) -> Assistant | None:
        """The language model that was asked for, with what it answered before; None if none was.

        Raises:
            ModelError: it is not there, is none, or what runs it is not installed.
        """
        if self._assistant is None and self._hiring is not None:
            from memcli.models.language import load_language_model
            from memcli.proposals.assistant import Assistant

            self._assistant = Assistant(
                load_language_model(self._hiring.model, notify=self._notify),
                uses=self._hiring.uses,
                budget=self._hiring.budget,
                recall=lambda digest: completions.kept_response(self._connection, digest),
                notify=self._notify or (lambda _line: None),
            )
            self._assistant.forgotten = completions.forgotten(self._connection)
        return self._assistant

    def close(self) -> None:
        """Keep what the language model answered, if the file can be written to now, and free the model."""
        if self._assistant is None:
            return
        try:
            with suppress(StoreError):
                if self._connection.readonly("main"):
                    self._keep_apart(self._assistant)
                else:
                    keep(self._connection, self._assistant)
        finally:
            self._assistant.model.close()

    def _keep_apart(self, assistant: Assistant) -> None:
        """Keep a reader's completions by a connection of its own."""
        connection = connect(self._path, create=False, busy_timeout_s=PATIENCE_S)
        try:
            keep(connection, assistant)
        finally:
            tidy_close(connection)


def keep(connection: apsw.Connection, assistant: Assistant) -> None:
    """Store what an assistant has answered since it was last asked for that, in a transaction of its own.

    Raises:
        StoreError: the file cannot be written to.
    """
    with transaction(connection):
        keep_within(connection, assistant)


def keep_within(connection: apsw.Connection, assistant: Assistant) -> int | None:
    """The same, within the caller's transaction. Returns the row of the model; None if there was nothing to keep."""
    fresh = assistant.take_fresh()
    return keep_answers(connection, assistant, fresh) if fresh else None


def keep_answers(connection: apsw.Connection, assistant: Assistant, answers: Sequence[Answered]) -> int:
    """Store answers, within the caller's transaction; none if something was forgotten since the assistant began: it may stand in them.

    Returns:
        the row of the model.
    """
    model_id = completions.record_language_model(connection, assistant.model.name, assistant.model.fingerprint)
    forgotten = completions.forgotten(connection)
    if assistant.forgotten in (None, forgotten):
        rows = ((a.digest, a.stage, a.response, a.prompt_tokens, a.answer_tokens, a.seconds) for a in answers)
        completions.keep_responses(connection, model_id, rows)
    assistant.forgotten = forgotten
    return model_id
