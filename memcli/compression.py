"""Compressing a memory; `memcli.restoring` undoes it.

    active claims -> compress.plan -> lock -> put by what a restore needs -> merged claims, lineage, trees, edges
        -> groups without the archived, with the merged -> messages into packs, their spans' vectors out of the index -> commit -> tidy

`memcli.compress` decides, `memcli.store` writes; this module brings them together. A run is one transaction: killed at any moment, the
file is as before or as after. Tidying it comes last and changes nothing that can be read.
"""

from __future__ import annotations

import time
from collections.abc import Callable, Iterable, Mapping
from dataclasses import asdict, dataclass, field, replace

import apsw
import numpy as np
from numpy.typing import NDArray

from memcli.admission import mean_vector
from memcli.atoms import ClaimKind
from memcli.compress.candidates import Candidates, Statement
from memcli.compress.plan import MergedClaim, Plan, make_plan
from memcli.compress.settings import Settings
from memcli.errors import UsageError
from memcli.loaded import keep_within
from memcli.proposals.assistant import Assistant
from memcli.proposals.merge import merge_all
from memcli.regroup import regroup
from memcli.results import Compression, Extent
from memcli.store import archive, completions, compress, packed_vectors, packs, tidy, undo, vectors
from memcli.store.connection import read_transaction, transaction
from memcli.store.search import delete_views, insert_views

Progress = Callable[[str, int, int | None], None]
"""Told (stage, done, total or None); the stages of a compression: `language model`, `merge`, `write`."""

_DAY_S = 86_400
_SORTS = {"preference": "preference", "constraint": "constraint", "instruction": "instruction"}
"""Kinds that are merged among themselves only, since questions ask for them by kind; the others tell what is or was."""


@dataclass(frozen=True, slots=True)
class Limits:
    """What a compression leaves alone."""

    keep_messages: int | None = None
    """The last messages of each conversation."""
    keep_days: float | None = None
    """What was said in the last days before the newest message."""
    only_before: float | None = None
    """What was said from then on, seconds since 1970."""
    protect: frozenset[ClaimKind] = field(default_factory=frozenset)


def compress_memory(
    connection: apsw.Connection,
    ratio: float,
    limits: Limits,
    *,
    settings: Settings | None = None,
    dry_run: bool = False,
    progress: Progress | None = None,
    assistant: Assistant | None = None,
) -> Compression:
    """Remove a share of the active claims by merging them.

    A language model may word the merged claims; it is asked before the lock is taken, since that takes long.

    Raises:
        UsageError: the ratio is not between 0 and 1.
    """
    if not 0 < ratio < 1:
        raise UsageError(f"--ratio {ratio:g}: give the share of claims to remove, more than 0 and less than 1, such as 0.5")
    settings = settings or Settings()
    report = progress or (lambda _stage, _done, _total: None)
    clock = Clock()
    if dry_run:
        with read_transaction(connection):
            before = extent(connection)
            task = _read(connection, ratio, limits)
            plan = make_plan(task.candidates, task.target, settings, progress)
        texts = dict(zip(task.candidates.ids.tolist(), task.candidates.statements, strict=True))
        merged = tuple({"text": m.text, "claims": [{"id": claim, "text": texts[claim].text} for claim in m.claims]} for m in plan.merged)
        return _outcome(None, ratio, before, None, task, plan, merged, clock.seconds)
    proposed = assistant.outcomes("merge") if assistant is not None else None
    worded = _worded(connection, ratio, limits, settings, assistant, report) if assistant is not None and assistant.does("merge") else {}
    clock.lap("language model")
    with transaction(connection):
        before = extent(connection)
        task = _read(connection, ratio, limits)
        clock.lap("read")
        plan = make_plan(task.candidates, task.target, settings, progress)
        if worded:
            texts = _texts(task)
            plan = replace(plan, merged=tuple(replace(m, text=worded.get(_said(m, texts), m.text)) for m in plan.merged))
        clock.lap("merge")
        if not plan.merged:
            return _outcome(None, ratio, before, before, task, plan, (), clock.seconds)
        report("write", 0, len(plan.merged))
        run = _write(connection, ratio, limits, settings, task, plan, report)
        if assistant is not None and proposed is not None:
            keep_within(connection, assistant)
            completions.add_tallies(connection, "merge", assistant.outcomes("merge") - proposed)
        clock.lap("write")
    tidied = tidy.tidy(connection)
    clock.lap("tidy")
    outcome = _outcome(run, ratio, before, extent(connection), task, plan, (), clock.seconds)
    if assistant is not None:
        outcome = replace(outcome, language_model=assistant.report())
    return outcome if tidied else untidy(outcome)


def _worded(
    connection: apsw.Connection, ratio: float, limits: Limits, settings: Settings, assistant: Assistant, report: Progress
) -> dict[tuple[str, ...], str]:
    """The texts of a language model for claims that are to be merged, by the texts that each is made of; without those thrown away."""
    with read_transaction(connection):
        task = _read(connection, ratio, limits)
        merged = make_plan(task.candidates, task.target, settings).merged
        people = compress.people(connection)
    texts = _texts(task)
    asked = [(_said(one, texts), one.text) for one in merged]
    return merge_all(assistant, asked, people, lambda done: report("language model", done, len(merged)))


def _texts(task: _Task) -> dict[int, str]:
    return {claim: one.text for claim, one in zip(task.candidates.ids.tolist(), task.candidates.statements, strict=True)}


def _said(merged: MergedClaim, texts: Mapping[int, str]) -> tuple[str, ...]:
    return tuple(texts[claim] for claim in merged.claims)


def extent(connection: apsw.Connection) -> Extent:
    """How large the memory is now."""
    return Extent(*tidy.extent(connection))


class Clock:
    """Seconds by stage, from one lap to the next."""

    def __init__(self) -> None:
        """Begin to count."""
        self.seconds: dict[str, float] = {}
        self._last = time.perf_counter()

    def lap(self, stage: str) -> None:
        """What was done since the last lap was this stage."""
        now = time.perf_counter()
        self.seconds[stage] = now - self._last
        self._last = now


@dataclass(frozen=True, slots=True)
class _Task:
    """What there is to merge: how many claims in all, how many of them to remove, and those left alone by reason."""

    active: int
    target: int
    candidates: Candidates
    left_alone: dict[str, int]
    since: float | None
    """`keep_days` as a time, seconds since 1970."""


def _read(connection: apsw.Connection, ratio: float, limits: Limits) -> _Task:
    rows = compress.load_claims(connection)
    newest = compress.newest_time(connection)
    since = newest - limits.keep_days * _DAY_S if limits.keep_days is not None and newest is not None else None
    recent = compress.recent_claims(connection, messages=limits.keep_messages, since=since, until=limits.only_before)
    left_alone = {"recent": 0, "protected": 0}
    chosen = []
    for row in rows:
        reason = "recent" if row.id in recent else "protected" if row.kind in limits.protect else None
        if reason is None:
            chosen.append(row)
        else:
            left_alone[reason] += 1
    kinds: dict[tuple[object, ...], int] = {}
    conversations = np.array([row.conversation for row in chosen], np.int64)
    index = {row.id: place for place, row in enumerate(chosen)}
    conflicts: dict[int, set[int]] = {}
    for left, right in compress.conflicting(connection):
        if left in index and right in index:
            conflicts.setdefault(index[left], set()).add(index[right])
            conflicts.setdefault(index[right], set()).add(index[left])
    candidates = Candidates(
        ids=np.array([row.id for row in chosen], np.int64),
        vectors=_vectors(connection, [row.id for row in chosen]),
        conversations=conversations,
        positions=np.array([row.place for row in chosen], np.int64),
        kinds=np.array(
            [
                kinds.setdefault(
                    (row.subject, row.speaker_id, row.modality, row.polarity, _SORTS.get(row.kind, "told")),
                    len(kinds),
                )
                for row in chosen
            ],
            np.int64,
        ),
        statements=tuple(Statement(row.text, row.speaker, row.cue, row.names) for row in chosen),
        conflicts={claim: frozenset(others) for claim, others in conflicts.items()},
    )
    return _Task(len(rows), round(ratio * len(rows)), candidates, left_alone, since)


def _vectors(connection: apsw.Connection, claims: list[int]) -> NDArray[np.float32]:
    if not claims:
        return np.zeros((0, 1), np.float32)
    ids, matrix = vectors.load_vectors(connection, "claim")
    wanted = np.array(claims, np.int64)
    return matrix if np.array_equal(ids, wanted) else matrix[np.searchsorted(ids, wanted)]


def _write(connection: apsw.Connection, ratio: float, limits: Limits, settings: Settings, task: _Task, plan: Plan, report: Progress) -> int:
    """Carry a plan out, within a transaction; returns the run's number."""
    told = {**asdict(limits), "protect": sorted(limits.protect), **asdict(settings)}
    run = compress.start_run(connection, ratio, told)
    archived = [claim for merged in plan.merged for claim in merged.claims]
    before = archive.save_state(connection, _unlikemeans(connection, archived))
    compress.save_trees(connection, run, ((tree.centre, tree.edges) for tree in plan.trees))
    made: list[int] = []
    for done, merged in enumerate(plan.merged, 1):
        made.append(compress.merge_claims(connection, run, merged.claims, merged.representative, merged.text))
        if done % 256 == 0:
            report("write", done, len(plan.merged))
    compress.move_edges(connection, run)
    fresh = means(connection, made)
    ids, matrix = vectors.load_vectors(connection, "claim")
    kept = ~np.isin(ids, archived)
    ids, matrix = np.concatenate([ids[kept], made]), np.concatenate([matrix[kept], fresh])
    vectors.replace_vectors(connection, "claim", ids, matrix)
    delete_views(connection, "claim", archived)
    insert_views(connection, "claim", compress.views(connection, made))
    absorbers = {claim: absorber for merged, absorber in zip(plan.merged, made, strict=True) for claim in merged.claims}
    homes = {absorber: merged.representative for merged, absorber in zip(plan.merged, made, strict=True)}
    regroup(connection, absorbers, homes, ids, matrix)
    _pack(connection, run, limits, task.since, every=settings.pack == "all")
    undo.save_before(connection, run, before)
    return run


def means(connection: apsw.Connection, claims: Iterable[int]) -> NDArray[np.float32]:
    """The vectors of claims, each the mean of its supports', shape (claims, dimension)."""
    supports = compress.supports_of(connection, list(claims))
    ids, matrix = vectors.load_vectors(connection, "span")
    packed = packed_vectors.fetch_packed(connection, "span", [span for spans in supports.values() for span in spans])
    rows = []
    for spans in supports.values():
        hot = np.array([span for span in spans if span not in packed], np.int64)
        found = dict(zip(hot.tolist(), matrix[np.searchsorted(ids, hot)] if len(hot) else (), strict=True)) | packed
        rows.append(mean_vector(np.stack([found[span] for span in spans])))
    return np.stack(rows)


def _unlikemeans(connection: apsw.Connection, claims: Iterable[int]) -> dict[int, NDArray[np.float32]]:
    """The vectors of those of these claims that have others than the mean of their supports': what is said again may leave it as it was."""
    several = [claim for claim, spans in compress.supports_of(connection, list(claims)).items() if len(spans) > 1]
    if not several:
        return {}
    now = _vectors(connection, sorted(several))
    unlike = (now != means(connection, sorted(several))).any(axis=1)
    return {claim: row for claim, row, other in zip(sorted(several), now, unlike, strict=True) if other}


def _pack(connection: apsw.Connection, run: int, limits: Limits, since: float | None, *, every: bool) -> None:
    """Pack messages, with `every` all that are not left alone, and take the vectors of their spans out of the index."""
    messages = packs.packable_messages(connection, every=every, messages=limits.keep_messages, since=since, until=limits.only_before)
    made = packs.pack_messages(connection, run, messages)
    if vectors.holds(connection, "span"):
        ids, matrix = vectors.load_vectors(connection, "span")
        kept = ~np.isin(ids, packed_vectors.save_blocks(connection, made, ids, matrix))
        vectors.replace_vectors(connection, "span", ids[kept], matrix[kept])


def _outcome(
    run: int | None,
    ratio: float,
    before: Extent,
    after: Extent | None,
    task: _Task,
    plan: Plan,
    merged: tuple[Mapping[str, object], ...],
    seconds: dict[str, float],
) -> Compression:
    achieved = plan.removed / task.active if task.active else 0.0
    return Compression(
        run,
        ratio,
        achieved,
        before,
        after,
        plan.removed,
        plan.skipped,
        task.left_alone,
        _notes(task, plan),
        merged,
        seconds,
    )


def _notes(task: _Task, plan: Plan) -> tuple[str, ...]:
    """What could not be reached, and why."""
    if plan.removed >= task.target:
        return ()
    missing = task.target - plan.removed
    reasons = []
    if alone := {reason: count for reason, count in task.left_alone.items() if count}:
        reasons.append("left alone: " + ", ".join(f"{count} {reason}" for reason, count in alone.items()))
    if len(task.candidates):
        reasons.append(
            f"{len(np.unique(task.candidates.kinds))} sorts of claims (subject, speaker, kind) are never merged with one another"
        )
    if plan.skipped:
        reasons.append("merges passed over: " + ", ".join(f"{count} {reason}" for reason, count in sorted(plan.skipped.items())))
    return (f"{missing} of {task.target} claims could not be merged away ({'; '.join(reasons)})",)


def untidy(outcome: Compression) -> Compression:
    """The outcome of a run whose file could not be made smaller."""
    note = "the file is in use by another process and keeps its size for now: the next mem compress or mem restore tidies it"
    return replace(outcome, notes=(*outcome.notes, note))
