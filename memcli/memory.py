"""`Memory`: one `.memdb` file, open. What the command line does, as calls.

Each method imports the stages that it wires when it is called: a search loads neither the readers nor the write path.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Sequence
from contextlib import contextmanager
from dataclasses import replace
from pathlib import Path
from types import TracebackType
from typing import IO, TYPE_CHECKING, TextIO

from memcli.errors import MemError, StoreError
from memcli.loaded import LoadedModels
from memcli.results import Answer, Compression, Filters, Forgotten, IngestReport, Question, SearchResult, Shown, Status, Verification
from memcli.store import settings
from memcli.store.connection import connect, data_version, is_absent, read_transaction, tidy_close
from memcli.store.failures import explained, loading, suspecting

if TYPE_CHECKING:
    from memcli.atoms import Message
    from memcli.compression import Limits
    from memcli.evaluation import Evaluation
    from memcli.ingest import Progress
    from memcli.labelled import LabelledQuestion
    from memcli.proposals.assistant import Hiring
    from memcli.provenance.export import Exported
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
        reranker: str | None = None,
        llm: str | Hiring | None = None,
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
        self._models = LoadedModels(
            self._connection, path, embedder=embedder, reranker=reranker, llm=_hiring(llm) if llm else None, notify=notify
        )
        self._recall: tuple[tuple[int, int], Recall] | None = None
        self._closed = False

    @classmethod
    def open(
        cls,
        path: Path | str,
        *,
        embedder: str | None = None,
        reranker: str | None = None,
        llm: str | Hiring | None = None,
        create: bool = True,
        read_only: bool = False,
        notify: Callable[[str], None] | None = None,
    ) -> Memory:
        """Open a memory file.

        Args:
            path: the file; made if it does not exist.
            embedder: the embedding model's name or folder. A new file is fixed to it (default: all-MiniLM-L6-v2); an existing file
                refuses any but its own, which is used when this is None.
            reranker: the folder or name of a cross-encoder that orders the best facts of a search anew; none when None.
            llm: a language model that helps: the path of a GGUF file, a name that `mem models list` shows, or a server's address; or a
                `memcli.proposals.assistant.Hiring`, which says what it may do and cost as well. None for none.
            create: False to refuse to make a file.
            read_only: open without the right to write.
            notify: told, in a line each, of work that a person would wonder about: a model being prepared for its first use.

        Raises:
            StoreError: it is missing, locked, damaged, not a memory, or of a newer version.
        """
        return cls(Path(path), embedder=embedder, reranker=reranker, llm=llm, create=create, read_only=read_only, notify=notify)

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
            try:
                self._models.close()
            finally:
                tidy_close(self._connection, discard_empty=self._made and self._vain)

    def ingest(
        self,
        sources: Sequence[str | Path | IO[bytes]],
        *,
        format: str | None = None,
        redact: bool = False,
        progress: Progress | None = None,
    ) -> IngestReport:
        """Read transcripts into the memory. What it holds already is left alone.

        Args:
            sources: files, folders or binary streams; every transcript in a folder is one, unless the folder is itself one export.
            format: one of `memcli.transcripts.formats()`; detected for each source when None.
            redact: whether to put `[redacted: kind]` in the place of tokens, keys, passwords and card numbers, so that none is stored.
            progress: told (stage, done, total or None).

        Raises:
            InputError: a source cannot be read, or has no message in it; sources before it, and its batches before the bad place, are
                kept.
            ModelError: the embedder is missing, failed, or is not the file's.
            StoreError: the file cannot be written.
            UsageError: `redact` needs a package that is not installed.
        """
        from memcli.ingest import Ingest
        from memcli.redaction import Redactor
        from memcli.transcripts.folder import transcripts_in
        from memcli.transcripts.notes import Warnings

        with self._writing():
            run = Ingest(self._connection, self._models.embedder, progress, Redactor() if redact else None, self._models.assistant())
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
            run = Ingest(self._connection, self._models.embedder, progress, assistant=self._models.assistant())
            run.messages(messages)
            return run.report()

    def search(
        self, question: str, *, k: int = 10, explain: bool = False, id: str | int | None = None, filters: Filters | None = None
    ) -> SearchResult:
        """The `k` facts that fit a question best.

        Raises:
            UsageError: the question is blank, `k` is less than 1, or a filter cannot be read.
            NotFoundError: a filter names a conversation or session that is not there.
            ModelError: the embedder or the reranker is missing, or the embedder is not the file's.
        """
        with read_transaction(self._connection):
            return self._recaller().search(question, k=k, explain=explain, id=id, filters=filters)

    def ask(
        self, question: str, *, k: int = 6, explain: bool = False, id: str | int | None = None, filters: Filters | None = None
    ) -> Answer:
        """An answer with at most `k` facts behind it, or the finding that the evidence is insufficient; errors as `search`."""
        with read_transaction(self._connection):
            return self._recaller().ask(question, k=k, explain=explain, id=id, filters=filters)

    def ask_batch(
        self, questions: Iterable[Question], *, k: int = 6, explain: bool = False, filters: Filters | None = None
    ) -> Iterator[Answer]:
        """`ask` for each question in turn."""
        for question in questions:
            yield self.ask(question.text, k=k, explain=explain, id=question.id, filters=filters)

    def evaluate(
        self, questions: str | Path | Iterable[LabelledQuestion], *, cuts: Sequence[int] = (5, 10, 20), progress: Progress | None = None
    ) -> Evaluation:
        """Measure on labelled questions how well the memory answers; see `memcli.evaluation` for the measures.

        Args:
            questions: labelled questions, or a file of them in JSON lines as `memcli.labelled` describes it.
            cuts: the k of recall@k.
            progress: told ("questions", done, of how many).

        Raises:
            InputError: the file cannot be read, or a line of it is no labelled question.
            UsageError: there are no questions, or a cut is not positive.
            ModelError: the embedder or the reranker is missing or cannot be used.
        """
        from memcli.evaluation import Evaluation, evaluate
        from memcli.labelled import read_labelled
        from memcli.store.labelled import absent_messages

        labels = read_labelled(questions) if isinstance(questions, str | Path) else list(questions)
        with loading(self.path):
            absent = absent_messages(self._connection, ((q.conversation_id, message) for q in labels for message in q.evidence))
        outcomes = evaluate(labels, lambda text, k: self.search(text, k=k), self.ask, cuts=cuts, progress=progress)
        return Evaluation(outcomes, tuple(sorted(set(cuts))), tuple(absent))

    def show(self, reference: str) -> Shown:
        """One atom with what it rests on and what rests on it; see `memcli.store.show.show` for references.

        Raises:
            NotFoundError: no such atom.
            UsageError: no such kind of atom.
        """
        from memcli.store.show import show

        with loading(self.path):
            return show(self._connection, reference)

    def export(self, format: str, output: TextIO | Path, *, claim: int | None = None, progress: Progress | None = None) -> Exported:
        """Write the memory, or where one claim comes from, in a standard form; see `memcli.provenance.export.export`.

        Args:
            format: `jsonl`, `prov-json`, `graphml`, `dot`, `markdown` or `parquet`.
            output: a text stream, or the path of a file (`parquet`: of a folder).
            claim: whose closure to export; None for everything.
            progress: told ("rows", done, None).

        Raises:
            UsageError: no such format, or `output` does not fit it.
            NotFoundError: no such claim.
        """
        from memcli.provenance.export import export

        with read_transaction(self._connection):
            return export(self._connection, format, output, claim=claim, progress=progress)

    @property
    def embedder_name(self) -> str | None:
        """The embedding model that the file is fixed to; None while it holds no vectors."""
        with loading(self.path):
            known = settings.recorded_embedder(self._connection)
        return known.name if known else None

    def compress(
        self, ratio: float, *, limits: Limits | None = None, dry_run: bool = False, progress: Progress | None = None
    ) -> Compression:
        """Remove a share of the active claims by merging them; `restore` undoes it exactly.

        Args:
            ratio: the share to remove, more than 0 and less than 1.
            limits: what is left alone; see `memcli.compression.Limits`.
            dry_run: only say what would be merged; nothing is written.
            progress: told (stage, done, total or None).

        Raises:
            UsageError: the ratio is out of range.
            StoreError: the file cannot be written.
        """
        from memcli.compression import Limits, compress_memory

        with self._changing():
            assistant = None if dry_run else self._models.assistant()
            return compress_memory(self._connection, ratio, limits or Limits(), dry_run=dry_run, progress=progress, assistant=assistant)

    def restore(self, run: int | None = None, *, progress: Progress | None = None) -> Compression:
        """Undo a compression: the last one that stands, or that run if none after it stands.

        Raises:
            NotFoundError: no such run, or none that stands.
            UsageError: it is undone already, or a later one stands.
            StoreError: the file cannot be written.
        """
        from memcli.restoring import restore_memory

        with self._changing():
            return restore_memory(self._connection, run, progress=progress)

    def forget(
        self,
        *,
        claim: int | None = None,
        message: str | None = None,
        conversation: str | None = None,
        session: str | None = None,
        speaker: str | None = None,
        matching: str | None = None,
        before: str | None = None,
        dry_run: bool = False,
        progress: Progress | None = None,
    ) -> Forgotten:
        """Delete for good the messages of which all that is given holds, with everything that was made of them.

        Given nothing, finish an earlier forgetting whose file could not be scrubbed, because another process used it.

        Args:
            claim: a claim's id: the messages that it rests on.
            message: the id its transcript gave it, or CONVERSATION/ID.
            conversation: a conversation's id.
            session: a session's id.
            speaker: who said it, by a whole name, or by a first name that is one person's only.
            matching: a regular expression, searched for in the words of each message.
            before: a date or time, ISO 8601: what was said before.
            dry_run: only say what would go.
            progress: told (stage, done, total or None).

        Raises:
            UsageError: nothing was given, or something that cannot be read.
            NotFoundError: no message is meant.
            StoreError: the file cannot be written.
        """
        from memcli.forgetting import Selection, forget_memory

        selection = Selection(claim, message, conversation, session, speaker, matching, before)
        with self._changing():
            return forget_memory(self._connection, self._models.embedder, selection, dry_run=dry_run, progress=progress)

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
        from memcli.write import context_refresh, groups, topic_refresh

        structures = {"groups": groups.rebuild, "topics": topic_refresh.rebuild_topics}
        return verify(
            self._connection,
            self.path,
            digest_of=message_digest,
            repair=True,
            rebuilders=rebuilders(
                self._connection, self._models.embedder, structures, {"message_vectors": context_refresh.rebuild_contexts}
            ),
        )

    @contextmanager
    def _changing(self) -> Iterator[None]:
        """Explain what SQLite says of a block that writes, and what comes of damage."""
        with explained(self.path), suspecting(self.path, lambda: self.verify().sound):
            yield

    @contextmanager
    def _writing(self) -> Iterator[None]:
        """`_changing`, remembering that it was in vain if the block fails; to be interrupted is not to fail."""
        try:
            with self._changing():
                yield
        except MemError:
            self._vain = True
            raise

    def _recaller(self) -> Recall:
        """The read path over the file as it is now; kept until the file changes."""
        from memcli.recall import Recall

        version = data_version(self._connection)
        if self._recall is None or self._recall[0] != version:
            with loading(self.path):
                reranker = self._models.reranker if self._models.reranks else None
                self._recall = (version, Recall(self._connection, self._models.embedder, reranker, self._models.assistant))
        return self._recall[1]


def _hiring(llm: str | Hiring) -> Hiring:
    from memcli.proposals.assistant import Hiring

    return Hiring(llm) if isinstance(llm, str) else llm
