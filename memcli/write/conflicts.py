"""Conflicts: when a later claim makes an earlier one outdated or untrue. Precision first: what is not sure is no conflict."""

from __future__ import annotations

from memcli.write.quantities import KNOWN_UNITS, Quantity
from memcli.write.signature import Signature
from memcli.write.words import stem

_NEAR, _VERY_NEAR = 0.5, 0.7
"""Cosine that two sentences about the same thing have at least, with and without other signs. Long sentences that tell several
things may have less, and are taken if they share more words."""

_SHARED_FAR = 3
"""Words that two values' frames have in common where the sentences are not near one another."""

_SHARED_FRAME, _SHARED_FRAME_UNSAID = 0.5, 0.75
"""Share of the smaller frame that two values of one attribute have in common: with a word like "now", and without one."""

_SHARED_DEED = 0.75
"""Share of what was never done that a deed must name."""

_LONG_QUESTION = 8
"""Content words from which a question tells something before it asks ("I have raised the limit to 40, can you ...")."""


def find_conflict(earlier: Signature, later: Signature, cosine: float) -> str | None:
    """Why `later` conflicts with `earlier`; None if it does not.

    Args:
        earlier: the claim said first.
        later: the claim said after it.
        cosine: of their vectors.
    """
    if not earlier.speaker == earlier.subject == later.speaker == later.subject:
        return None
    if earlier.verbatim or later.verbatim or not (_tells(earlier) and _tells(later)):
        return None
    return (
        _other_value(earlier, later, cosine)
        or _denied(earlier, later)
        or _opposite(earlier, later, cosine)
        or _other_name(earlier, later, cosine)
    )


def _tells(signature: Signature) -> bool:
    return signature.modality != "asks" or len(signature.stems) >= _LONG_QUESTION


def _other_value(earlier: Signature, later: Signature, cosine: float) -> str | None:
    """A value of the same attribute that has changed: "the limit is 30" ... "the limit is now 40"."""
    known = {(q.unit, q.value) for q in later.quantities}
    for new in later.quantities:
        for old in earlier.quantities:
            if new.value == old.value or not _same_measure(old, new) or (old.unit, old.value) in known:
                continue
            shared = len(old.frame & new.frame)
            smaller = min(len(old.frame), len(new.frame))
            if shared < (2 if cosine >= _NEAR else _SHARED_FAR) or not (new.head & old.head or _counts(new, old)):
                continue
            if new.fresh and shared / smaller >= _SHARED_FRAME:
                return f"{old.value} {old.unit} has become {new.value} {new.unit}"
            exact = new.unit == old.unit and new.unit not in ("#", "date")
            if exact and new.stated and old.stated and shared / smaller >= _SHARED_FRAME_UNSAID and cosine >= _VERY_NEAR:
                return f"{old.value} {old.unit} against {new.value} {new.unit}"
    return None


def _same_measure(a: Quantity, b: Quantity) -> bool:
    return a.unit == b.unit or (a.unit == "#" and b.unit in a.frame) or (b.unit == "#" and a.unit in b.frame)


def _counts(a: Quantity, b: Quantity) -> bool:
    """Whether both count the same thing, which then names the quantity; one may leave it to the words around."""
    return _same_measure(a, b) and not {a.unit, b.unit} & KNOWN_UNITS and not a.unit == b.unit == "#"


def _denied(earlier: Signature, later: Signature) -> str | None:
    """Something that one says was never done and the other says was."""
    for denying, other in ((earlier, later), (later, earlier)):
        for thing in denying.denied:
            if not other.denied and any(len(thing & deed) >= max(2, _SHARED_DEED * len(thing)) for deed in other.done):
                return f"never against done: {' '.join(sorted(thing))}"
    return None


def _opposite(earlier: Signature, later: Signature, cosine: float) -> str | None:
    """The same said with the other polarity."""
    if earlier.polarity == later.polarity or cosine < _VERY_NEAR or "asks" in (earlier.modality, later.modality):
        return None
    if earlier.when is not None and later.when is not None and earlier.when != later.when and not later.updates:
        return None
    named = {part for name in (*earlier.names, *later.names) for part in name.split()}
    if len(earlier.stems - named) >= 2 and earlier.stems == later.stems:
        return "says the opposite"
    return None


def _other_name(earlier: Signature, later: Signature, cosine: float) -> str | None:
    """Another name in the same place, said to be new: "works at the mill" ... "now works at the harbour"."""
    if not later.updates or cosine < _VERY_NEAR or not earlier.names or not later.names or earlier.names & later.names:
        return None
    if earlier.polarity != later.polarity or earlier.kind != later.kind:
        return None
    first, second = (s.stems - {stem(part) for name in s.names for part in name.split()} for s in (earlier, later))
    if first and len(first & second) >= _SHARED_FRAME_UNSAID * len(first | second):
        return f"{', '.join(sorted(earlier.names))} has become {', '.join(sorted(later.names))}"
    return None
