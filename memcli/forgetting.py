"""Forgetting for good: from what is meant to a file in which no byte of it is left.

    selection -> messages -> what falls with them (memcli.recompile) -> lock -> compressions undone -> claims deleted or said anew
        -> messages with all that hangs on them -> groups, topics, vectors in context -> tombstones -> commit -> scrub

What is forgotten are always whole messages, since a claim's words are a message's, and would be compiled again. It is one transaction:
killed at any moment, the file is as before or as after. Scrubbing comes last; an unfinished one is taken up by the next forgetting.
"""

from __future__ import annotations

import json
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager, suppress
from dataclasses import dataclass

import apsw

from memcli.admission import mean_vector
from memcli.errors import ModelError, NotFoundError, UsageError
from memcli.models import Embedder
from memcli.read.names import find_speakers
from memcli.recompile import Outcome, Rewrite, outcome
from memcli.restoring import undo_standing
from memcli.results import Forgotten
from memcli.store import compress, erase, forget
from memcli.store.connection import read_transaction, transaction
from memcli.store.transcripts import said_at
from memcli.store.vectors import fetch_vectors, has_vector_tables
from memcli.write.context_refresh import refresh_within
from memcli.write.groups import Groups
from memcli.write.persons import display_name
from memcli.write.referents import fold
from memcli.write.topic_refresh import refresh_topics

Progress = Callable[[str, int, int | None], None]
"""Told (stage, done, total or None); the stages of forgetting: `messages`, `claims`, `erase`, `contexts`, `scrub`."""

SAMPLES = 5
"""Messages and claims that a report shows."""

MATCHING_S = 2.0
"""Seconds that a pattern may take over one message; sound ones take less than a thousandth of that."""


@dataclass(frozen=True, slots=True)
class Selection:
    """Which messages to forget: those of which everything that is given holds."""

    claim: int | None = None
    """A claim's id: the messages that it rests on."""
    message: str | None = None
    """The id its transcript gave it, or CONVERSATION/ID."""
    conversation: str | None = None
    session: str | None = None
    speaker: str | None = None
    """A whole name, in any case, or a first name that is one person's only."""
    matching: str | None = None
    """A regular expression, searched for in the words of each message."""
    before: str | None = None
    """A date or time, ISO 8601: what was said before; what has no time is not meant."""

    def __bool__(self) -> bool:
        """Whether anything is given."""
        return any(getattr(self, name) is not None for name in self.__slots__)


def forget_memory(
    connection: apsw.Connection,
    embedder: Callable[[], Embedder],
    selection: Selection,
    *,
    dry_run: bool = False,
    progress: Progress | None = None,
) -> Forgotten:
    """Forget messages with everything that was made of them.

    Args:
        connection: an open memory; read-only will do for a dry run.
        embedder: gives the file's model; called if messages beside forgotten ones are to be embedded anew.
        selection: which messages.
        dry_run: only say what would go.
        progress: told of the stages.

    Raises:
        UsageError: nothing was given, or something that cannot be read.
        NotFoundError: no message is meant.
        StoreError: the file cannot be written.
    """
    report = progress or (lambda _stage, _done, _total: None)
    started = time.perf_counter()
    if not selection and (dry_run or not erase.is_unscrubbed(connection)):
        raise UsageError("nothing was said to be forgotten: name a claim, message, conversation, session, speaker, pattern or date")
    if dry_run:
        with read_transaction(connection), _marked(connection, selection, report):
            standing = tuple(reversed(compress.later_runs(connection, 0)))
            told = tuple(f"compression run {run} would be undone first" for run in standing)
            fate = outcome(connection, report)
            return _report(connection, fate, standing, told, dry_run=True, seconds=time.perf_counter() - started)
    erase.overwrite_deleted(connection)
    result: Forgotten | None = None
    if selection:
        with transaction(connection), _marked(connection, selection, report):
            undone = undo_standing(connection)
            fate = outcome(connection, report)
            notes = [_undone(run, ratio) for run, ratio in reversed(undone)]
            result = _report(connection, fate, tuple(run for run, _ in undone), (), dry_run=False, seconds=0)
            notes += _forget(connection, embedder, fate, report)
    else:
        result, notes = Forgotten({}, (), (), dry_run=False), []
    report("scrub", 0, None)
    scrubbed = erase.scrub(connection)
    if not scrubbed:
        notes.append("the file is in use by another process, and its free pages still hold what was forgotten: run mem forget alone later")
    return result.with_end(scrubbed=scrubbed, notes=tuple(notes), seconds=time.perf_counter() - started)


@contextmanager
def _marked(connection: apsw.Connection, selection: Selection, report: Progress) -> Iterator[None]:
    """Have the messages that are meant marked while the block runs."""
    messages = _select(connection, selection, report)
    forget.mark(connection, messages)
    try:
        yield
    except BaseException:
        if connection.in_transaction:  # if it was rolled back by SQLite itself, the marks went with it
            with suppress(apsw.Error):  # what failed may be reading them still, and it is that which is to be told
                forget.unmark(connection)
        raise
    forget.unmark(connection)


def _select(connection: apsw.Connection, selection: Selection, report: Progress) -> list[int]:
    conditions: dict[str, str | int | float] = {}
    for option in ("claim", "message", "conversation", "session"):
        value = getattr(selection, option)
        if value is None:
            continue
        if option != "claim":
            value = value.removeprefix(f"{option}:")
        if not forget.exists(connection, option, value):
            raise NotFoundError(f"--{option} {value}: there is no such {option} in this memory")
        conditions[option] = value
    if selection.speaker is not None:
        conditions["speakers"] = json.dumps(_speakers(selection.speaker, forget.speakers(connection)))
    if selection.before is not None:
        before = said_at(selection.before)
        if before is None:
            raise UsageError(f"--before {selection.before}: give a date such as 2024-01-31, or a time such as 2024-01-31T12:00")
        conditions["before"] = before
    matches = _matcher(selection.matching)
    found = []
    for done, (message, text) in enumerate(forget.matching(connection, conditions), 1):
        if matches(text):
            found.append(message)
        if done % 1024 == 0:
            report("messages", done, None)
    if not found:
        raise NotFoundError("there is nothing to forget: no message of this memory is all that was asked for")
    for option in ("message", "session"):
        if option in conditions and "conversation" not in conditions and selection.claim is None:
            places = forget.conversations_of(connection, found)
            if len(places) > 1:
                raise UsageError(
                    f"--{option} {conditions[option]} is in {len(places)} conversations: add --conversation, such as {places[0]}"
                )
    return found


def _speakers(wanted: str, speakers: tuple[str, ...]) -> list[str]:
    """Who is meant by a name."""
    exact = [name for name in speakers if name.casefold() == wanted.strip().casefold()]
    named = exact or list(dict.fromkeys(found.speaker for found in find_speakers(wanted, speakers)))
    if not named:
        raise NotFoundError(f"--speaker {wanted}: nobody of that name speaks in this memory")
    if not exact and len(named) > 1:
        raise UsageError(f"--speaker {wanted} may be {' or '.join(named)}: give one whole name")
    return named


def _matcher(pattern: str | None) -> Callable[[str], bool]:
    if pattern is None:
        return lambda _text: True
    import regex  # the only one with a limit on time, which a careless pattern needs

    try:
        compiled = regex.compile(pattern)
    except regex.error as error:
        raise UsageError(f"--matching {pattern}: not a regular expression ({error})") from error

    def matches(text: str) -> bool:
        try:
            return compiled.search(text, timeout=MATCHING_S) is not None
        except TimeoutError as error:
            raise UsageError(f"--matching {pattern}: it takes more than {MATCHING_S:g} s over one message; write it more simply") from error

    return matches


def _forget(connection: apsw.Connection, embedder: Callable[[], Embedder], fate: Outcome, report: Progress) -> list[str]:
    """Carry it out, within a transaction; returns what else is to be told."""
    report("erase", 0, None)
    leavers = {display_name(*who) for who in erase.said_by(connection, marked=True)}
    referents = erase.touched_referents(connection, (*fate.falling, *fate.rewritten), leavers)
    if has_vector_tables(connection):
        groups = Groups(connection)
        for claim in fate.falling:
            groups.remove(claim)
        groups.flush()
    erase.erase_claims(connection, fate.falling)
    for claim, rewrite in fate.rewritten.items():
        _rewrite(connection, claim, rewrite)
    erase.erase_messages(connection)
    erase.erase_orphans(connection)
    people = {display_name(*who) for who in erase.said_by(connection, marked=False)}
    erase.settle_referents(connection, referents, people, fold)
    if has_vector_tables(connection):
        _regroup(connection, list(fate.rewritten))
    erase.erase_empty_topics(connection)
    refresh_topics(connection)
    notes = []
    try:
        refresh_within(connection, embedder, lambda done, total: report("contexts", done, total))
    except ModelError as error:
        notes.append(f"messages beside the forgotten ones are without a vector until the next mem ingest: {error}")
    erase.erase_traces(connection)
    return notes


def _rewrite(connection: apsw.Connection, claim: int, rewrite: Rewrite) -> None:
    erase.rewrite_claim(
        connection,
        claim,
        rewrite.draft,
        supports=rewrite.supports,
        keywords=rewrite.keywords,
        page=rewrite.page,
        said_at=rewrite.said_at,
    )


def _regroup(connection: apsw.Connection, claims: list[int]) -> None:
    """Give claims the vectors of the spans they still rest on, and put them into groups afresh."""
    groups = Groups(connection)
    for claim, spans in compress.supports_of(connection, claims).items():
        vector = mean_vector(fetch_vectors(connection, "span", spans))
        erase.replace_vector(connection, claim, vector)
        groups.replace(claim, vector)
    groups.flush()


def _report(
    connection: apsw.Connection, fate: Outcome, undone: tuple[int, ...], notes: tuple[str, ...], *, dry_run: bool, seconds: float
) -> Forgotten:
    kept = {keyword for rewrite in fate.rewritten.values() for keyword in rewrite.keywords}
    counts = forget.counts(connection, (*fate.falling, *fate.rewritten), kept)
    claims = {"claims": len(fate.falling), "claims_weakened": len(fate.weakened)}
    texts = forget.claim_texts(connection, fate.falling[:SAMPLES])
    return Forgotten(
        counts={"messages": counts.pop("messages"), "spans": counts.pop("spans"), **claims, **counts},
        messages=tuple(m.to_dict() for m in forget.samples(connection, SAMPLES)) if dry_run else (),
        claims=tuple({"claim_id": claim, "text": text} for claim, text in texts.items()) if dry_run else (),
        undone_runs=undone,
        notes=notes,
        seconds=seconds,
        dry_run=dry_run,
    )


def _undone(run: int, ratio: float) -> str:
    return f"compression run {run} was undone, since it held what was forgotten: mem compress --ratio {ratio:g} compresses again"
