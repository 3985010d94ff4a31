"""The comparable content of a claim: what the gate looks at when it asks whether two claims say the same.

A signature is computed from what the file stores for a claim (its text, its typed fields, its handles), never from anything that is
known only while a message is being read. So a claim has the same signature when it is new and when it is read back.
"""

from __future__ import annotations

import re
from collections.abc import Iterable
from dataclasses import dataclass

from memcli.atoms import ClaimKind, Modality, Polarity
from memcli.language.lexicon import word_set
from memcli.write import quantities as q
from memcli.write.deeds import find_denied, find_done
from memcli.write.words import DATED_FILLERS, FILLERS, is_content, stem

SHORTENED = "…"
"""How a claim's text ends when it is shorter than its spans: equal texts then need not mean equal words."""

_VERBATIM = re.compile(r"```|[\\=|^{}<>≈∠→√]")
"""Marks code and formulas: they are compared character by character, since one of them can change what they say."""

_DAY_S = 86_400

_OF_A_DAY: frozenset[Modality] = frozenset(("asks", "plans", "wishes"))
"""What without a date of its own is of the day it was said, as events are."""

_POINTING = word_set(
    "this that these those it its it's here there he she him her his hers one ones such thing things something same other another"
    " else too again now then today esto eso esta este das dies hier es ça cela ici"
)
"""Words that point outside the sentence: what it says depends on when and where it was said."""


@dataclass(frozen=True, slots=True)
class Signature:
    """What a claim says, in a form that can be compared."""

    subject: str | None
    """Who it is about, casefolded, as the file's referents are one whatever their case."""
    speaker: str
    """Who said it, casefolded."""
    kind: ClaimKind
    modality: Modality
    polarity: Polarity
    when: str | None
    """The interval it is about; for what only holds of its moment, the day it was said or the very second; None: at any time."""
    numbers: frozenset[str]
    """Numbers with their units, ordinals and dates: `250 ms`, `2`, `2.`, `5-07`."""
    names: frozenset[str]
    """Names, places, titles, files and versions, casefolded, without the subject's and the speaker's."""
    words: tuple[str, ...]
    """All its words and numbers in order, casefolded, fillers left out; code and formulas as one word."""
    stems: frozenset[str]
    """The stems of its content words."""
    quantities: tuple[q.Quantity, ...]
    """What it measures. This and what follows is looked for only in what somebody says about themselves: nothing else conflicts."""
    denied: tuple[frozenset[str], ...]
    """What it says was never done: the stems of each thing."""
    done: tuple[frozenset[str], ...]
    """What it says was done or is there: the stems that follow each such word."""
    updates: bool
    """Whether it says that something is no longer as it was."""
    extent: int
    """Characters of its first supporting span if the text is shortened, else 0."""
    verbatim: bool
    """Whether it holds code or a formula."""


def sign(
    text: str,
    *,
    subject: str | None,
    speaker: str,
    kind: ClaimKind,
    modality: Modality,
    polarity: Polarity,
    said_at: float | None,
    start: str | None,
    end: str | None,
    handles: Iterable[str],
    extent: int,
) -> Signature:
    """The signature of a claim.

    Args:
        text: the claim's text.
        subject: who it is about, by name.
        speaker: who said it, by name.
        kind: its kind.
        modality: its modality.
        polarity: its polarity.
        said_at: when it was said, seconds since 1970.
        start: the start of its time interval, ISO 8601.
        end: the end of it.
        handles: the mentions of things in its supporting spans.
        extent: characters of its first supporting span.
    """
    about, by = subject.casefold() if subject else None, speaker.casefold()
    prefix = f"{speaker}: "
    said = text[len(prefix) :] if text[: len(prefix)].casefold() == prefix.casefold() else text
    persons = {name for name in (about, by) if name}
    names = frozenset(h.casefold() for h in handles) - persons
    own_names = {part for name in persons for part in name.split() if is_content(part)}
    shortened = said.endswith(SHORTENED)
    timed = start is not None or end is not None
    verbatim = _VERBATIM.search(said) is not None
    tokens = [] if "```" in said else q.tokens(said)
    raw = [t.text for t in tokens if t.kind == "word"]
    stems = frozenset(stem(w) for w in raw if is_content(w) and w.removesuffix("'s") not in own_names)
    if verbatim:
        words: tuple[str, ...] = (" ".join(said.split()),)
    else:
        said_words = tuple(t.text for t in tokens if t.kind != "stop")
        left_out = DATED_FILLERS if timed else FILLERS
        kept = tuple(t.text for t in tokens if t.kind not in ("stop", "date") and t.text not in left_out)
        words = kept if len(kept) > 1 else said_words
    when: str | None = None
    if timed:
        when = f"{start}/{end}"
    elif said_at is not None:
        if shortened or not _POINTING.isdisjoint(raw):
            when = f"at {said_at:.0f}"
        elif kind == "event" or modality in _OF_A_DAY:
            when = f"on {said_at // _DAY_S:.0f}"
    own = about == by and not verbatim
    told = [t for t in tokens if t.text.removesuffix("'s") not in own_names] if own else []
    return Signature(
        subject=about,
        speaker=by,
        kind=kind,
        modality=modality,
        polarity=polarity,
        when=when,
        numbers=frozenset(t.text for t in tokens if t.kind not in ("word", "stop")),
        names=names,
        words=words,
        stems=stems,
        quantities=q.find_quantities(told),
        denied=find_denied(told) if polarity == "negative" else (),
        done=find_done(told),
        updates=own and q.UPDATE.search(said.casefold()) is not None,
        extent=extent if shortened else 0,
        verbatim=verbatim,
    )
