"""The rows of an export. Each family's fields are its columns, in JSON lines and Parquet alike.

Ids are the file's own numbers, except `message_id`, `conversation_id` and `session_id`, which are the transcripts'. Offsets count code
points of the message's text, half-open; times are ISO 8601, those of the program's own doings in UTC.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any


@dataclass(frozen=True, slots=True)
class IngestRow:
    """One reading of one source."""

    id: int
    source: str
    format: str
    started_at: str
    finished_at: str | None
    messages_read: int
    messages_new: int
    messages_unchanged: int


@dataclass(frozen=True, slots=True)
class ModelRow:
    """A model that the memory was made with."""

    id: int
    role: str
    name: str
    fingerprint: str
    dimension: int | None


@dataclass(frozen=True, slots=True)
class MessageRow:
    """A message: verbatim, with the place it was read from."""

    number: int
    """The row's own number; `message_id` is the transcript's."""
    message_id: str
    conversation_id: str
    session_id: str | None
    page_id: int
    position: int
    """Its place in its conversation, from 0."""
    speaker: str
    role: str
    timestamp: str | None
    text: str
    ingest_id: int | None
    source: str | None
    locator: str
    metadata: Mapping[str, Any]
    occurrence: int | None
    """None where the transcript gave an id; see `memcli.atoms.Message`."""
    digest: str
    """The content address, in hexadecimal."""
    given_id: str | None
    """The id that the transcript gave, where another message that is still in the memory had it first."""


@dataclass(frozen=True, slots=True)
class SpanRow:
    """A sentence-sized slice of a message."""

    id: int
    message_number: int
    message_id: str
    conversation_id: str
    speaker: str
    timestamp: str | None
    start: int
    end: int
    kind: str
    words: int
    text: str


@dataclass(frozen=True, slots=True)
class ReferentRow:
    """A thing or person that is talked about, or a speaker."""

    id: int
    kind: str
    name: str


@dataclass(frozen=True, slots=True)
class HandleRow:
    """An exact mention of a referent in a span."""

    id: int
    span_id: int
    referent_id: int
    referent: str
    start: int
    text: str


@dataclass(frozen=True, slots=True)
class TimeCueRow:
    """A time expression in a span, with the interval that it stands for."""

    id: int
    span_id: int
    start: int
    text: str
    start_time: str | None
    end_time: str | None
    granularity: str | None
    anchor: str | None
    duration_days: float | None


@dataclass(frozen=True, slots=True)
class PivotRow:
    """A concrete event that a span records."""

    id: int
    span_id: int
    start: int
    text: str
    kind: str


@dataclass(frozen=True, slots=True)
class ClaimRow:
    """A claim; `ingest_id` is the reading that its anchor came with."""

    id: int
    text: str
    kind: str
    modality: str
    polarity: str
    subject_id: int | None
    subject: str | None
    speaker_id: int
    speaker: str
    start_time: str | None
    end_time: str | None
    granularity: str | None
    time_cue_id: int | None
    origin: str
    model_id: int | None
    status: str
    page_id: int
    anchor_span_id: int
    ingest_id: int | None
    keywords: Sequence[str]
    handle_ids: Sequence[int]
    group_id: int | None
    said_by: str
    """The speaker of the anchor's message, as the transcript names them; `speaker` is the referent's name."""


@dataclass(frozen=True, slots=True)
class SupportRow:
    """A span under a claim."""

    claim_id: int
    span_id: int
    position: int
    added_by: str
    """`writing`: the claim was written with it; `merge`: the gate added it, since it says the same again; `compression`: a run did."""
    ingest_id: int | None


@dataclass(frozen=True, slots=True)
class KeywordRow:
    """A keyword with the claims that have it."""

    id: int
    text: str
    topic_id: int | None
    claim_ids: Sequence[int]


@dataclass(frozen=True, slots=True)
class EdgeRow:
    """An edge between two claims; of a conflict the source is the later one."""

    id: int
    source_id: int
    target_id: int
    relation: str
    strength: float


@dataclass(frozen=True, slots=True)
class GroupRow:
    """A group of claims that say like things; `neighbours` are `{"id", "similarity"}`."""

    id: int
    label: str
    claim_ids: Sequence[int]
    neighbours: Sequence[Mapping[str, Any]]


@dataclass(frozen=True, slots=True)
class TopicRow:
    """A topic: keywords that occur together."""

    id: int
    label: str
    keyword_ids: Sequence[int]


@dataclass(frozen=True, slots=True)
class RunRow:
    """A compression run."""

    id: int
    ratio: float
    settings: Mapping[str, Any]
    started_at: str
    undone_at: str | None


@dataclass(frozen=True, slots=True)
class LineageRow:
    """Which claim absorbed which, in a run that is in force."""

    run_id: int
    archived_id: int
    absorber_id: int
    absorber_origin: str
    """`merge` if the run wrote the absorbing claim anew."""


@dataclass(frozen=True, slots=True)
class EventTreeRow:
    """What a run compressed along; `branches` are `{"claim_id", "parent_id", "similarity"}`."""

    id: int
    run_id: int
    center_claim_id: int
    branches: Sequence[Mapping[str, Any]]


Atom = (
    IngestRow
    | ModelRow
    | MessageRow
    | SpanRow
    | ReferentRow
    | HandleRow
    | TimeCueRow
    | PivotRow
    | ClaimRow
    | KeywordRow
    | EdgeRow
    | GroupRow
    | TopicRow
    | RunRow
    | EventTreeRow
)
"""Every row that has an id of its own."""
