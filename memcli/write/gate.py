"""The gate: what happens when a new claim is written beside the claims that are there already (MemCoRe).

    strength >= 0.7 and nothing forbids it   merge: one claim with the supports of both
    0.5 <= strength                          append, and link with (relation, strength)
    below                                    append
    conflict                                 append, and link as `conflicts`, from the claim said later to the one said earlier

Nothing is deleted. Merging is an equivalence: two claims merge if and only if `merge_key` is the same (the same words but for
fillers, and no veto), so what a memory ends up with does not depend on the order in which duplicates arrived. Equal words give a
strength of at least 0.7; whatever else reaches it only links, since a paraphrase that vectors find cannot be told from a neighbour.
"""

from __future__ import annotations

import hashlib
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from typing import Literal

import numpy as np
from numpy.typing import NDArray
from rapidfuzz import fuzz

from memcli.atoms import DraftClaim, RelationKind
from memcli.store.gate import StoredClaim
from memcli.write.conflicts import find_conflict
from memcli.write.quantities import KNOWN_UNITS
from memcli.write.signature import Signature, sign

Action = Literal["merge", "link", "append", "conflict"]

MERGE = 0.7
"""Strength from which two claims may be one (MemCoRe)."""

LINK = 0.5
"""Strength from which two claims are linked (MemCoRe)."""

SIMILARITY_FLOOR = 0.55
"""Cosine below which a candidate is neither supported nor related: one found by its vector need not even be loaded."""

MAX_LINKS = 3
"""Links a new claim gets at most, the strongest ones: what lies near it at large is the neighbour graph's business."""

_COSINE, _JACCARD, _CONTAINED, _RATIO = 0.4, 0.25, 0.2, 0.15
"""Weights of the strength: cosine (rescaled so that unrelated sentences are near 0), shared stems, and rapidfuzz's token ratio."""

_COSINE_ZERO = 0.25
"""Cosine of two unrelated sentences about the same people."""

_SURE = 0.6
"""Strength from which one shared content word is enough for a link."""

_SUPPORTING_SHARE = 0.6
"""Share of all content stems that two claims must have in common for one to support the other."""


@dataclass(frozen=True, slots=True)
class Existing:
    """A claim as the gate sees it; a new one has `id` -1."""

    id: int
    signature: Signature
    vector: NDArray[np.float32]
    """Shape (dimension,), float32, L2-normalised."""
    text: str
    said_at: float | None


@dataclass(frozen=True, slots=True)
class Link:
    """An edge to be stored between the new claim and an existing one."""

    target_id: int
    relation: RelationKind
    strength: float
    """In [0, 1]."""
    new_is_source: bool
    """Whether the edge runs from the new claim; of a conflict, the source is the one said later."""
    reason: str


@dataclass(frozen=True, slots=True)
class Verdict:
    """What to do with a new claim."""

    action: Action
    merge_id: int | None
    """The claim to merge with; None unless `action` is `merge`. A merge has no links: the claim keeps its own."""
    links: tuple[Link, ...]
    """Strongest first; conflicts before all others."""
    strength: float
    """Of the strongest relation found, in [0, 1]; 0 without any."""
    reason: str
    replaces_text: bool
    """Of a merge: whether the new claim's text is the one to keep."""


_VETOES = ("subject", "speaker", "polarity", "modality", "when", "numbers", "names", "extent")
"""Fields of a signature in which two claims that merge are equal."""


def merge_key(signature: Signature) -> bytes:
    """16 bytes that two claims have in common if and only if they may merge: a digest of what vetoes look at, and of the words."""
    fields = [getattr(signature, name) for name in _VETOES]
    plain = [sorted(f) if isinstance(f, frozenset) else f for f in fields]
    return hashlib.blake2b(repr((plain, signature.words)).encode("utf-8", "surrogatepass"), digest_size=16).digest()


def conflict_terms(signature: Signature) -> tuple[frozenset[str], ...]:
    """What to search the claims' words for, to find by them what it may conflict with: sets of stems that stand together.

    Few claims have any: those that say that something was never done, or that a value is new. The vector of a sentence that tells several
    things is near to none of them, so vectors alone miss most of what such a claim contradicts.
    """
    news = (q.head if q.unit in KNOWN_UNITS or q.unit == "#" else {q.unit} for q in signature.quantities if q.fresh)
    return tuple(dict.fromkeys([*signature.denied, *(frozenset(n) for n in news if len(n) > 0)]))


def veto(a: Signature, b: Signature) -> str | None:
    """Why two claims must not merge, however similar they are; None if nothing forbids it. Symmetric."""
    for name in _VETOES:
        if getattr(a, name) != getattr(b, name):
            return name
    return None


def strength(a: Existing, b: Existing) -> float:
    """How much two claims say the same, in [0, 1]; symmetric. 1 for equal words and equal vectors."""
    return _strength(a, b, float(np.dot(a.vector, b.vector)))


def _strength(a: Existing, b: Existing, cosine: float) -> float:
    first, second = a.signature, b.signature
    near = min(1.0, max(0.0, (cosine - _COSINE_ZERO) / (1 - _COSINE_ZERO)))
    if first.words == second.words:
        return round(max(MERGE, _COSINE * near + 1 - _COSINE), 4)
    shared = len(first.stems & second.stems)
    if not shared:
        return round(_COSINE * near, 4)
    jaccard = shared / len(first.stems | second.stems)
    contained = shared / min(len(first.stems), len(second.stems))
    ratio = fuzz.token_sort_ratio(" ".join(first.words), " ".join(second.words)) / 100
    return round(_COSINE * near + _JACCARD * jaccard + _CONTAINED * contained + _RATIO * ratio, 4)


def judge(new: Existing, candidates: Sequence[Existing]) -> Verdict:
    """What to do with `new` beside `candidates`.

    Args:
        new: the claim that is about to be stored.
        candidates: existing claims near it, in any order; the verdict does not depend on it.
    """
    same = [c for c in candidates if c.signature.words == new.signature.words and veto(c.signature, new.signature) is None]
    if same:
        target = min(same, key=lambda c: c.id)
        replaces = canonical_order(new) < canonical_order(target)
        return Verdict("merge", target.id, (), strength(new, target), f"says the same as claim {target.id}", replaces)
    conflicts: list[Link] = []
    links: list[Link] = []
    for candidate in candidates:
        cosine = float(np.dot(new.vector, candidate.vector))
        later = is_later(new, candidate)
        earlier_one, later_one = (candidate, new) if later else (new, candidate)
        reason = find_conflict(earlier_one.signature, later_one.signature, cosine)
        if reason is not None:
            conflicts.append(Link(candidate.id, "conflicts", max(_strength(new, candidate, cosine), LINK), later, reason))
        elif cosine >= SIMILARITY_FLOOR and (s := _strength(new, candidate, cosine)) >= LINK and (link := _link(new, candidate, s)):
            links.append(link)
    conflicts.sort(key=_best_first)
    links.sort(key=_best_first)
    chosen = (*conflicts, *links[: max(0, MAX_LINKS - len(conflicts))])
    if not chosen:
        return Verdict("append", None, (), 0.0, "nothing like it", False)
    action: Action = "conflict" if conflicts else "link"
    return Verdict(action, None, chosen, chosen[0].strength, chosen[0].reason, False)


def _best_first(link: Link) -> tuple[float, int]:
    return (-link.strength, link.target_id)


def _link(new: Existing, old: Existing, s: float) -> Link | None:
    """The link between two claims of that strength; None for code, formulas, questions, and what shares hardly a word."""
    a, b = new.signature, old.signature
    shared = len(a.stems & b.stems)
    if a.verbatim or b.verbatim or a.modality == "asks" or (s < _SURE and shared < 2):
        return None
    blocked = veto(a, b)
    agrees = a.subject == b.subject and a.polarity == b.polarity and a.numbers == b.numbers and a.names == b.names
    much = shared >= 3 and shared >= _SUPPORTING_SHARE * len(a.stems | b.stems)
    relation: RelationKind = "supports" if agrees and much and b.modality != "asks" else "related_to"
    why = f"shares {shared} content words" + (f", differs in {blocked}" if blocked else "")
    return Link(old.id, relation, s, True, why)


def is_later(a: Existing, b: Existing) -> bool:
    """Whether `a` was said after `b`; of two said at the same or at an unknown time, the one that is new (id -1), else the higher id."""
    if a.said_at is not None and b.said_at is not None and a.said_at != b.said_at:
        return a.said_at > b.said_at
    return a.id < 0 or (b.id >= 0 and a.id > b.id)


def canonical_order(claim: Existing) -> tuple[bool, float, str]:
    """Sort key that does not depend on arrival: the first of two duplicates gives the merged claim its words."""
    return (claim.said_at is None, claim.said_at or 0.0, claim.text)


def merged_text(a: Existing, b: Existing) -> str:
    """The text of the claim that two duplicates make: that of the one said first, the lesser text of two said together."""
    return min(a, b, key=canonical_order).text


def sign_stored(claim: StoredClaim, vector: NDArray[np.float32]) -> Existing:
    """A stored claim as the gate sees it; `vector` has shape (dimension,), float32, L2-normalised."""
    signature = sign(
        claim.text,
        subject=claim.subject,
        speaker=claim.speaker,
        kind=claim.kind,
        modality=claim.modality,
        polarity=claim.polarity,
        said_at=claim.said_at,
        start=claim.start,
        end=claim.end,
        handles=claim.handles,
        extent=claim.extent,
    )
    return Existing(claim.id, signature, vector, claim.text, claim.said_at)


def sign_draft(draft: DraftClaim, vector: NDArray[np.float32], *, said_at: float | None, handles: Iterable[str], extent: int) -> Existing:
    """A new claim as the gate sees it, the same as it will be once stored but for its id, which is -1.

    Args:
        draft: the claim.
        vector: its vector, shape (dimension,), float32, L2-normalised.
        said_at: seconds, of the message it is written at.
        handles: texts of the handles in its supporting spans.
        extent: characters of its first supporting span.
    """
    signature = sign(
        draft.text,
        subject=draft.subject,
        speaker=draft.speaker,
        kind=draft.kind,
        modality=draft.modality,
        polarity=draft.polarity,
        said_at=said_at,
        start=draft.time.start if draft.time else None,
        end=draft.time.end if draft.time else None,
        handles=handles,
        extent=extent,
    )
    return Existing(-1, signature, vector, draft.text, said_at)
