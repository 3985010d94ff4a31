"""What the library hands back: frozen dataclasses whose `to_dict` is exactly the command's `--json`.

Keys are part of the contract (docs/scripts.md): they are added to, never renamed.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field, replace
from typing import Any, Literal


@dataclass(frozen=True, slots=True)
class Interval:
    """A half-open stretch of time; ISO 8601 strings, either end may be open (None)."""

    start: str | None
    end: str | None
    granularity: str | None

    def to_dict(self) -> dict[str, Any]:
        """`{"start", "end", "granularity"}`."""
        return {"start": self.start, "end": self.end, "granularity": self.granularity}


@dataclass(frozen=True, slots=True)
class Evidence:
    """A verbatim slice of one message: `text == message.text[start:end]`."""

    message_id: str
    conversation_id: str
    session_id: str | None
    speaker: str
    timestamp: str | None
    start: int
    end: int
    text: str

    def to_dict(self) -> dict[str, Any]:
        """The evidence object of the JSON contract."""
        return {
            "message_id": self.message_id,
            "conversation_id": self.conversation_id,
            "session_id": self.session_id,
            "speaker": self.speaker,
            "timestamp": self.timestamp,
            "start": self.start,
            "end": self.end,
            "text": self.text,
        }


@dataclass(frozen=True, slots=True)
class Fact:
    """One claim as an answer may use it, best first by `rank` (from 1)."""

    rank: int
    claim_id: int
    text: str
    score: float
    subject: str | None
    kind: str
    time: Interval | None
    evidence: tuple[Evidence, ...]
    role: Literal["direct", "support"] | None = None
    """`direct` fills the slot the question asks for, `support` helps to read a direct one; None for `search`."""
    supersedes: tuple[int, ...] = ()
    conflicts_with: tuple[int, ...] = ()
    explain: Mapping[str, Any] | None = None
    """With `explain=True`: `routes` (name, rank, score, from), `projection`, `edges`, `stages`."""

    def to_dict(self) -> dict[str, Any]:
        """The fact object of the JSON contract; `role` and `explain` only where they are set."""
        out: dict[str, Any] = {"rank": self.rank, "claim_id": self.claim_id, "text": self.text}
        if self.role is not None:
            out["role"] = self.role
        out |= {
            "score": round(self.score, 4),
            "subject": self.subject,
            "kind": self.kind,
            "time": self.time.to_dict() if self.time else None,
            "evidence": [e.to_dict() for e in self.evidence],
            "supersedes": list(self.supersedes),
            "conflicts_with": list(self.conflicts_with),
        }
        if self.explain is not None:
            out["explain"] = dict(self.explain)
        return out


@dataclass(frozen=True, slots=True)
class SearchResult:
    """The facts found for a question, best first."""

    question: str
    facts: tuple[Fact, ...]
    timings_ms: Mapping[str, float]
    id: str | int | None = None
    explain: Mapping[str, Any] | None = None
    """With `explain=True`: how the question was read, and each route's whole list."""

    def to_dict(self) -> dict[str, Any]:
        """The object `mem search --json` prints."""
        out: dict[str, Any] = {"id": self.id, "question": self.question, "facts": [f.to_dict() for f in self.facts]}
        out["timings_ms"] = {k: round(v, 2) for k, v in self.timings_ms.items()}
        if self.explain is not None:
            out["explain"] = dict(self.explain)
        return out


@dataclass(frozen=True, slots=True)
class Answer:
    """An answer with the facts behind it. `answer` is None when `sufficient` is False."""

    question: str
    answer: str | None
    sufficient: bool
    confidence: float
    """Probability in [0, 1] that the facts hold what was asked."""
    facts: tuple[Fact, ...]
    timings_ms: Mapping[str, float]
    id: str | int | None = None
    reason: str | None = None
    """Why the evidence is insufficient, in a few words; None when it is sufficient."""
    explain: Mapping[str, Any] | None = None
    sentences: tuple[Mapping[str, Any], ...] = ()
    """Of an answer that a language model worded: `{"text", "claim_ids"}`, each sentence with the facts that it rests on."""
    language_model: Mapping[str, Any] | None = None
    """What a language model did for this answer and what it cost: `{"model", "stages": {stage: {...}}, "stopped"}`; None without one."""

    def to_dict(self) -> dict[str, Any]:
        """The object `mem ask --json` prints."""
        out: dict[str, Any] = {
            "id": self.id,
            "question": self.question,
            "answer": self.answer,
            "sufficient": self.sufficient,
            "confidence": round(self.confidence, 3),
        }
        if self.reason is not None:
            out["reason"] = self.reason
        if self.sentences:
            out["sentences"] = [dict(sentence) for sentence in self.sentences]
        out["facts"] = [f.to_dict() for f in self.facts]
        out["timings_ms"] = {k: round(v, 2) for k, v in self.timings_ms.items()}
        if self.language_model is not None:
            out["language_model"] = dict(self.language_model)
        if self.explain is not None:
            out["explain"] = dict(self.explain)
        return out


@dataclass(frozen=True, slots=True)
class Question:
    """One line of a batch."""

    text: str
    id: str | int | None = None


@dataclass(frozen=True, slots=True)
class Filters:
    """Which messages a question may be answered from; None looks at everything. Times are ISO dates or words such as "last June"."""

    as_of: str | None = None
    """The memory as it was by the end of this time: what was said later is not looked at, nor are facts that it made old."""
    since: str | None = None
    """What was said at or after the start of this time."""
    until: str | None = None
    """What was said before the start of this time."""
    speaker: str | None = None
    """What this person said; a first name will do if it is one person's."""
    conversation: str | None = None
    session: str | None = None

    def __bool__(self) -> bool:
        """Whether anything is left out."""
        return any(getattr(self, name) is not None for name in self.__slots__)


@dataclass(frozen=True, slots=True)
class IngestReport:
    """What one ingest did. Counts are of this run, not of the whole file."""

    files: int
    messages_read: int
    messages_new: int
    messages_unchanged: int
    pages: int
    spans: int
    cues: Mapping[str, int]
    """By kind: `handle`, `time`, `pivot`, `keyword`."""
    claims: int
    """New ones."""
    merged: int
    """Claims that said what the memory held already, and became further support of it."""
    edges: int
    seconds: Mapping[str, float]
    """Wall time by stage (`read`, `spans`, `claims`, `embed`, `store`, ...) and `total`."""
    warnings: tuple[str, ...] = ()
    redacted: Mapping[str, int] = field(default_factory=dict)
    """Secrets that were taken out of what was read, by kind."""
    language_model: Mapping[str, Any] | None = None
    """What a language model did and what it cost: `{"model", "stages": {stage: {...}}, "stopped"}`; None without one."""

    def to_dict(self) -> dict[str, Any]:
        """The object `mem ingest --json` prints; `language_model` only where there was one."""
        out = {
            "files": self.files,
            "messages": {"read": self.messages_read, "new": self.messages_new, "unchanged": self.messages_unchanged},
            "pages": self.pages,
            "spans": self.spans,
            "cues": dict(self.cues),
            "claims": self.claims,
            "merged": self.merged,
            "edges": self.edges,
            "seconds": {k: round(v, 3) for k, v in self.seconds.items()},
            "warnings": list(self.warnings),
            "redacted": dict(self.redacted),
        }
        return out if self.language_model is None else out | {"language_model": dict(self.language_model)}


@dataclass(frozen=True, slots=True)
class Extent:
    """How large a memory is: active claims, tokens of their texts, bytes of the hot indexes (views and vectors) and of the tidied file."""

    claims: int
    tokens: int
    index_bytes: int
    bytes: int

    def to_dict(self) -> dict[str, int]:
        """`{"claims", "tokens", "index_bytes", "bytes"}`."""
        return {"claims": self.claims, "tokens": self.tokens, "index_bytes": self.index_bytes, "bytes": self.bytes}


@dataclass(frozen=True, slots=True)
class Compression:
    """What a compression did, would do, or what undoing one did."""

    run: int | None
    """None for a dry run, and where nothing could be merged."""
    ratio: float
    """The share of active claims that was to go."""
    achieved: float
    """The share that went; of an undone run, the share that came back."""
    before: Extent
    after: Extent | None
    """None for a dry run."""
    merges: int
    skipped: Mapping[str, int]
    """Merges that were passed over, by reason: `conflict`, `unfaithful`."""
    left_alone: Mapping[str, int]
    """Claims that were never to be merged, by reason: `recent`, `protected`."""
    notes: tuple[str, ...] = ()
    """What could not be reached, and why."""
    merged: tuple[Mapping[str, Any], ...] = ()
    """Of a dry run, what would be merged: `{"text", "claims": [{"id", "text"}, ...]}`."""
    seconds: Mapping[str, float] = field(default_factory=dict)
    language_model: Mapping[str, Any] | None = None
    """What a language model was asked, and what became of it; None without one."""

    def to_dict(self) -> dict[str, Any]:
        """The object `mem compress --json` and `mem restore --json` print."""
        out: dict[str, Any] = {
            "run": self.run,
            "ratio": self.ratio,
            "achieved": round(self.achieved, 4),
            "before": self.before.to_dict(),
            "after": self.after.to_dict() if self.after else None,
            "merges": self.merges,
            "skipped": sum(self.skipped.values()),
            "skipped_by": dict(self.skipped),
            "left_alone": dict(self.left_alone),
            "notes": list(self.notes),
            "seconds": {k: round(v, 3) for k, v in self.seconds.items()},
        }
        if self.after is None:
            out["merged"] = [dict(m) for m in self.merged]
        if self.language_model is not None:
            out["language_model"] = dict(self.language_model)
        return out


@dataclass(frozen=True, slots=True)
class Forgotten:
    """What was forgotten, or would be."""

    counts: Mapping[str, int]
    """`messages`, `spans`, `claims` that fall, `claims_weakened` that stay on fewer spans, `handles`, `time_cues`, `pivots`, `keywords`,
    and the `groups` and `topics` that change; empty where only an earlier forgetting was finished."""
    messages: tuple[Mapping[str, Any], ...]
    """Of a dry run, the first few messages: `{"message_id", "conversation_id", "speaker", "timestamp", "text"}`."""
    claims: tuple[Mapping[str, Any], ...]
    """Of a dry run, the first few claims that would fall: `{"claim_id", "text"}`."""
    dry_run: bool
    undone_runs: tuple[int, ...] = ()
    """Compressions that had, or have, to be undone first, the last first."""
    scrubbed: bool = False
    """Whether no byte of what was forgotten is left in the file; False while another process keeps it from being written anew."""
    notes: tuple[str, ...] = ()
    seconds: float = 0.0

    def with_end(self, *, scrubbed: bool, notes: tuple[str, ...], seconds: float) -> Forgotten:
        """The same, when all is done."""
        return replace(self, scrubbed=scrubbed, notes=notes, seconds=seconds)

    def to_dict(self) -> dict[str, Any]:
        """The object `mem forget --json` prints."""
        out: dict[str, Any] = {"dry_run": self.dry_run, **self.counts, "undone_runs": list(self.undone_runs)}
        if self.dry_run:
            out["examples"] = {"messages": [dict(m) for m in self.messages], "claims": [dict(c) for c in self.claims]}
        else:
            out["scrubbed"] = self.scrubbed
        return out | {"notes": list(self.notes), "seconds": round(self.seconds, 3)}


@dataclass(frozen=True, slots=True)
class Status:
    """What is in the file."""

    path: str
    schema_version: int
    counts: Mapping[str, int]
    """Rows by atom: conversations, messages, pages, spans, handles, ..., claims (active), claims_archived."""
    models: Sequence[Mapping[str, Any]]
    """`{"role": "embedder", "name", "fingerprint", "dimension"}` ..."""
    bytes: Mapping[str, int]
    """`file`, `wal`, and by family: `text`, `search`, `vectors`, `other`."""
    conversations: Sequence[Mapping[str, Any]] = ()
    """`{"id", "messages", "speakers", "first", "last"}` of each, in the order they came in; times as the transcript gave them."""
    proposals: Mapping[str, Mapping[str, Any]] = field(default_factory=dict)
    """What became of what a language model proposed: `{"proposed", "accepted", "rejected": {reason: n}}` by use."""

    def to_dict(self) -> dict[str, Any]:
        """The object `mem status --json` prints; `proposals` only where a language model has made any."""
        out = {
            "path": self.path,
            "schema_version": self.schema_version,
            "counts": dict(self.counts),
            "models": [dict(m) for m in self.models],
            "bytes": dict(self.bytes),
            "conversations": [dict(c) for c in self.conversations],
        }
        return out | {"proposals": {use: dict(outcome) for use, outcome in self.proposals.items()}} if self.proposals else out


@dataclass(frozen=True, slots=True)
class Problem:
    """One thing `verify` found wrong: the check's name, what is wrong, how many rows, and whether it can be rebuilt."""

    check: str
    message: str
    rows: int
    repairable: bool


@dataclass(frozen=True, slots=True)
class Verification:
    """The outcome of `verify`: every check that ran and every problem found."""

    path: str
    checks: tuple[str, ...]
    problems: tuple[Problem, ...]
    repaired: tuple[str, ...] = field(default=())

    @property
    def sound(self) -> bool:
        """Whether nothing is wrong (any more)."""
        return not self.problems

    def to_dict(self) -> dict[str, Any]:
        """The object `mem verify --json` prints."""
        return {
            "path": self.path,
            "sound": self.sound,
            "checks": list(self.checks),
            "problems": [{"check": p.check, "message": p.message, "rows": p.rows, "repairable": p.repairable} for p in self.problems],
            "repaired": list(self.repaired),
        }


@dataclass(frozen=True, slots=True)
class Shown:
    """One atom with what it rests on and what rests on it, as `show` returns it."""

    kind: str
    id: str
    fields: Mapping[str, Any]
    """The atom's own columns, ready to print, in reading order."""
    rests_on: Sequence[Mapping[str, Any]] = ()
    """What supports it: `{"kind", "id", "text", ...}`; spans carry speaker, timestamp and message_id."""
    supports: Sequence[Mapping[str, Any]] = ()
    """What it supports, in the same form."""

    def to_dict(self) -> dict[str, Any]:
        """The object `mem show --json` prints."""
        return {
            "kind": self.kind,
            "id": self.id,
            **self.fields,
            "rests_on": [dict(r) for r in self.rests_on],
            "supports": [dict(s) for s in self.supports],
        }
