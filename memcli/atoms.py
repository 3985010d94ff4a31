"""The typed atoms of a memory: frozen dataclasses, no I/O.

A transcript is read as `Message`s. The write path turns them into `Page`s and `Span`s, finds cue atoms
(`Handle`, `TimeCue`, `Pivot`, keywords) and writes `Claim`s, the only atoms that may state a truth. The read path
returns `Fact`s: claims with the verbatim evidence behind them.

Offsets are counted in Unicode code points of the message's text (Python's `str` indices), half-open: `[start, end)`.
Times are ISO 8601 strings; one without an offset is a wall-clock time whose zone the transcript did not tell.
Intervals are half-open as well: `[start, end)`.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Any, Literal

Role = Literal["user", "assistant", "system", "tool"]
"""Who a message comes from. People in a chat between people are all `user`; their names tell them apart."""

SpanKind = Literal["sentence", "code", "image", "quote"]
"""What a span is: running text, a fenced block of code or log, a rendered image caption, somebody else's words quoted."""

ClaimKind = Literal["fact", "event", "preference", "relation", "constraint", "state", "instruction"]
Modality = Literal["did", "plans", "wishes", "asks", "denies"]
Polarity = Literal["positive", "negative"]
Granularity = Literal["instant", "minute", "hour", "day", "weekend", "week", "month", "season", "quarter", "year", "decade", "range"]
RelationKind = Literal["supports", "conflicts", "related_to"]


@dataclass(frozen=True, slots=True)
class Message:
    """One utterance of a transcript, as its reader yields it.

    `text` is verbatim, except that each image or file the message carried stands after it on a line of its own,
    `[image: caption]` or `[file: name]`, so that everything citable has an offset.
    """

    conversation_id: str
    message_id: str
    """The id the transcript gave, else one made from the message's place in its conversation (`"1"`, `"2"`, ...)."""
    speaker: str
    """The name to show: a person's name, else the role."""
    role: Role
    text: str
    timestamp: str | None = None
    session_id: str | None = None
    source: str = ""
    """The file it was read from, as the user named it; `-` for standard input."""
    locator: str = ""
    """Where in that file: `line 12`, `node 7f3a`, `session_3[4]`."""
    metadata: Mapping[str, Any] = field(default_factory=dict)
    """Keys of the original record that have no field of their own, as JSON-compatible values."""
    occurrence: int | None = None
    """Where the transcript gave no id: the how-manieth of its conversation's messages with the same words, speaker and time, from 1.
    It stands for the id, which would change when lines are cut off before it. None where there is an id."""
    unnamed: bool = False
    """Whether `conversation_id` was made from the source's name because the transcript names no conversation."""


@dataclass(frozen=True, slots=True)
class Span:
    """A sentence-sized slice of a message. `text` is `message.text[start:end]`; the file stores only the offsets."""

    start: int
    end: int
    text: str
    kind: SpanKind = "sentence"


@dataclass(frozen=True, slots=True)
class TimeCue:
    """A time expression in a text, with the interval it stands for.

    `start` and `end` are ISO 8601 (wall clock unless the anchor carries an offset), half-open. Either may be None for
    an open interval ("since 2016" has no end). An expression that cannot be resolved has both None and
    `granularity` None: never guessed.
    """

    expression: str
    offset: int
    """Where the expression begins in the text it was found in, in code points."""
    start: str | None
    end: str | None
    granularity: Granularity | None
    anchor: str | None
    """The timestamp it was resolved against; None for absolute dates and for unresolved cues."""
    duration_days: float | None = None
    """For durations ("for three years"): the length in days; such a cue need not have an interval."""

    @property
    def resolved(self) -> bool:
        """Whether the cue stands for an interval on the time line."""
        return self.start is not None or self.end is not None


@dataclass(frozen=True, slots=True)
class Handle:
    """An exact mention of a concrete thing in a span.

    `kind` is `person`, `name`, `quoted`, `kin`, `stage`, `file`, `url`, `error`, `version` or `code`.
    """

    text: str
    offset: int
    kind: str


@dataclass(frozen=True, slots=True)
class Mention:
    """A handle with what its context tells about which thing it names."""

    handle: Handle
    name: str
    """What to call the referent if this is its first mention."""
    key: str
    """The mention in canonical form: case, article, possessive and width folded."""
    short: tuple[str, ...] = ()
    """Other keys by which a later, shorter mention may mean the same: a person's first name, a name without its qualifiers."""
    qualifier: str | None = None
    """What tells the bearer of a name from its namesakes: "from bindery", "mara's cousin", "mara's"."""
    shared: bool = False
    """Whether the key names the same thing in every conversation."""


@dataclass(frozen=True, slots=True)
class KnownReferent:
    """A referent that a mention may mean."""

    id: int
    kind: str
    name: str
    keys: frozenset[str]
    """Keys of its mentions, as far as they were looked up."""
    short: frozenset[str] = frozenset()
    """Shorter keys that may mean it, as far as they were looked up."""
    qualifiers: frozenset[str] = frozenset()
    last_position: int | None = None
    """Position of the message of its last mention in the conversation at hand; None if it has not been mentioned there."""
    last_mention: int = 0
    """A number that grows with every mention, for the order of those in one message."""


@dataclass(frozen=True, slots=True)
class Joining:
    """Which referent a mention means: `referent` is its id, None for a new one; `rule` says why."""

    referent: int | None
    rule: str


@dataclass(frozen=True, slots=True)
class Pivot:
    """One concrete event that a span records: `text` is an exact slice of the message at `offset`; `kind` is its verb's class."""

    text: str
    offset: int
    kind: str


@dataclass(frozen=True, slots=True)
class Turn:
    """A message cut into spans, with the cues found in each: what a claim is written from.

    `times`, `handles` and `pivots` have one entry a span; their offsets count from the message's start.
    """

    message: Message
    spans: tuple[Span, ...]
    times: tuple[tuple[TimeCue, ...], ...]
    handles: tuple[tuple[Handle, ...], ...]
    pivots: tuple[Pivot | None, ...]


@dataclass(frozen=True, slots=True)
class SpanRef:
    """A span near a claim: `back` turns before the one the claim is written at (0: that turn), and its index there."""

    back: int
    index: int


@dataclass(frozen=True, slots=True)
class DraftClaim:
    """A claim as the write path proposes it, before it is stored. `supports` names 1 to 3 spans, the anchor first."""

    text: str
    supports: tuple[SpanRef, ...]
    subject: str | None
    """Who or what it is about; None when it is about nobody in particular."""
    speaker: str
    kind: ClaimKind
    modality: Modality
    polarity: Polarity
    time: TimeCue | None
    keywords: tuple[str, ...]
