"""`Memory`: one `.memdb` file, open. What the command line does, as calls.

Each method imports the stages that it wires when it is called: a search loads neither the readers nor the write path.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Sequence
from contextlib import contextmanager
from dataclasses import replace
from pathlib import Path
from types import TracebackType
from typing import IO, TYPE_CHECKING

from memcli.errors import MemError, StoreError
from memcli.models import Embedder, load_embedder
from memcli.results import Answer, IngestReport, Question, SearchResult, Shown, Status, Verification
from memcli.store import settings
from memcli.store.connection import connect, data_version, is_absent, read_transaction, tidy_close
from memcli.store.failures import explained, loading

if TYPE_CHECKING:
    from memcli.atoms import Message
    from memcli.ingest import Progress
    from memcli.recall import Recall


class Memory:
    """A memory file. Use it as a context manager, so that it is left tidy.

    Example:
        with Memory.open("chat.memdb") as memory:
            memory.ingest(["chat.jsonl"])
            print(memory.ask("When does the support group meet?").answer)
    """

    def __init__(
        self,
        path: Path,
        *,
        embedder: str | None = None,
        create: bool = True,
        read_only: bool = False,
        notify: Callable[[str], None] | None = None,
    ) -> None:
        """Open a memory; see `open`."""
        self.path = path
        made = is_absent(path)
        self._connection = connect(path, create=create, read_only=read_only)
        self._made = made
        self._vain = False
        self._embedder_name = embedder
        self._notify = notify
        self._embedder: Embedder | None = None
        self._recall: tuple[tuple[int, int], Recall] | None = None
        self._closed = False

    @classmethod
    def open(
        cls,
        path: Path | str,
        *,
        embedder: str | None = None,
        create: bool = True,
        read_only: bool = False,
        notify: Callable[[str], None] | None = None,
    ) -> Memory:
        """Open a memory file.

        Args:
            path: the file; made if it does not exist.
            embedder: the embedding model's name or folder. A new file is fixed to it (default: all-MiniLM-L6-v2); an existing file
                refuses any but its own, which is used when this is None.
            create: False to refuse to make a file.
            read_only: open without the right to write.
            notify: told, in a line each, of work that a person would wonder about: a model being prepared for its first use.

        Raises:
            StoreError: it is missing, locked, damaged, not a memory, or of a newer version.
        """
        return cls(Path(path), embedder=embedder, create=create, read_only=read_only, notify=notify)

    def __enter__(self) -> Memory:
        """The memory itself."""
        return self

    def __exit__(self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None) -> None:
        """Close it."""
        try:
            self.close()
        except StoreError:
            if error is None:  # or that is what is to be told
                raise

    def close(self) -> None:
        """Leave one tidy file behind; none, if it was made for an ingest that failed before its first message. Closing twice does nothing.

        Raises:
            StoreError: the file was removed or replaced while it was written to.
        """
        if not self._closed:
            self._closed = True
            tidy_close(self._connection, discard_empty=self._made and self._vain)

    def ingest(
        self, sources: Sequence[str | Path | IO[bytes]], *, format: str | None = None, progress: Progress | None = None
    ) -> IngestReport:
        """Read transcripts into the memory. What it holds already is left alone.

        Args:
            sources: files, folders or binary streams; every transcript in a folder is one, unless the folder is itself one export.
            format: one of `memcli.transcripts.formats()`; detected for each source when None.
            progress: told (stage, done, total or None).

        Raises:
            InputError: a source cannot be read, or has no message in it; sources before it, and its batches before the bad place, are
                kept.
            ModelError: the embedder is missing, failed, or is not the file's.
            StoreError: the file cannot be written.
        """
        from memcli.ingest import Ingest
        from memcli.transcripts.folder import transcripts_in
        from memcli.transcripts.notes import Warnings

        with self._writing():
            run = Ingest(self._connection, self._model, progress)
            skipped = Warnings()
            for source in sources:
                for transcript in transcripts_in(source, format, skipped):
                    run.source(transcript, format)
            report = run.report()
        return replace(report, warnings=(*skipped.lines, *report.warnings))

    def add(self, messages: Iterable[Message], *, progress: Progress | None = None) -> IngestReport:
        """Take in messages that a program made itself; otherwise as `ingest`."""
        from memcli.ingest import Ingest

        with self._writing():
            run = Ingest(self._connection, self._model, progress)
            run.messages(messages)
            return run.report()

    def search(self, question: str, *, k: int = 10, explain: bool = False, id: str | int | None = None) -> SearchResult:
        """The `k` facts that fit a question best.

        Raises:
            UsageError: the question is blank, or `k` is less than 1.
            ModelError: the embedder is missing or is not the file's.
        """
        with read_transaction(self._connection):
            return self._recaller().search(question, k=k, explain=explain, id=id)

    def ask(self, question: str, *, k: int = 6, explain: bool = False, id: str | int | None = None) -> Answer:
        """An answer with at most `k` facts behind it, or the finding that the evidence is insufficient; errors as `search`."""
        with read_transaction(self._connection):
            return self._recaller().ask(question, k=k, explain=explain, id=id)

    def ask_batch(self, questions: Iterable[Question], *, k: int = 6, explain: bool = False) -> Iterator[Answer]:
        """`ask` for each question in turn."""
        for question in questions:
            yield self.ask(question.text, k=k, explain=explain, id=question.id)

    def show(self, reference: str) -> Shown:
        """One atom with what it rests on and what rests on it; see `memcli.store.show.show` for references.

        Raises:
            NotFoundError: no such atom.
            UsageError: no such kind of atom.
        """
        from memcli.store.show import show

        with loading(self.path):
            return show(self._connection, reference)

    def status(self) -> Status:
        """What is in the file."""
        from memcli.store.status import status

        return status(self._connection, self.path)

    def verify(self, *, repair: bool = False) -> Verification:
        """Check every law, index and row; with `repair`, rebuild what can be derived.

        Raises:
            StoreError: the file is locked or cannot be read at all.
            ModelError: vectors are to be rebuilt, and the embedder is missing or is not the file's.
        """
        from memcli.store.rebuild import rebuilders
        from memcli.store.transcripts import message_digest
        from memcli.store.verify import verify

        if not repair:
            return verify(self._connection, self.path, digest_of=message_digest)
        from memcli.write import groups, topic_refresh

        structures = {"groups": groups.rebuild, "topics": topic_refresh.rebuild_topics}
        return verify(
            self._connection,
            self.path,
            digest_of=message_digest,
            repair=True,
            rebuilders=rebuilders(self._connection, self._model, structures),
        )

    @contextmanager
    def _writing(self) -> Iterator[None]:
        """Explain what SQLite says, and remember that it was in vain if the block fails; to be interrupted is not to fail."""
        try:
            with explained(self.path):
                yield
        except MemError:
            self._vain = True
            raise

    def _model(self) -> Embedder:
        """The embedder, loaded on first use and checked against the file.

        Raises:
            ModelError: it is missing, or not the one that the file's vectors were made with.
        """
        if self._embedder is None:
            known = settings.recorded_embedder(self._connection)
            name = self._embedder_name or (known.name if known else None)
            model = load_embedder(name, progress=self._notify)
            if known is not None:
                settings.check_embedder(known, model.name, model.fingerprint)
            self._embedder = model
        return self._embedder

    def _recaller(self) -> Recall:
        """The read path over the file as it is now; kept until the file changes."""
        from memcli.recall import Recall

        version = data_version(self._connection)
        if self._recall is None or self._recall[0] != version:
            with loading(self.path):
                self._recall = (version, Recall(self._connection, self._model))
        return self._recall[1]
