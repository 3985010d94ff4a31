"""Which thing a mention names: what its context tells, and the decision to join it to a known referent or to start a new one.

Two mentions are joined when their canonical keys are the same (case, article, possessive), when one is a shorter form of the
other and nothing else near could be meant, or when they differ by one slip of the pen. They stay apart when a number, ordinal or
version differs, when the context tells the bearers of one name apart ("Ada from the mill", "my cousin Ada"), and when a single
name is said in another conversation.
"""

from __future__ import annotations

import re
import unicodedata
from collections.abc import Sequence

from rapidfuzz.distance import OSA

from memcli.atoms import Handle, Joining, KnownReferent, Mention, Span, Turn
from memcli.language.lexicon import word_set
from memcli.write.handle_words import ACQUAINTANCE, COMMON, KIN, PERSON_VERBS, ROLES, STAGED, STAGES, TITLES

NEAR = 20
"""Messages back to which a short or doubtful mention is taken to mean the last bearer of the name."""

NEAR_STAGE = 200
"""Messages after which "the new job" is another one than the last new job."""

NEAR_SHORT = 100
"""Messages back to which a first name means the only full name it fits."""

MIN_TYPO = 5
"""Letters of the shortest name in which one wrong letter is taken for a slip."""

_EXACT_KINDS = frozenset(["url", "file", "error", "version", "code"])
_LATEST = frozenset(["new", "next", "last", "latest", "previous", "current", "other"])
_EDGES = " \t'’\"“”.,;:!?*-–—"
_POSSESSIVE = re.compile(r"['’](?:s|S)?(?=\s|$)")
_ARTICLE = re.compile(r"^(?:the|a|an|el|la|los|las|le|les|der|die|das) (?=\S)")
_NUMBER = re.compile(r"\d+(?:\.\d+)*|\b[ivx]+$")
_FROM = re.compile(r"^[ ](?:from|aus|de|del|von)[ ](?:the |my |our |der |dem |la |el |le )?([^\W\d_][\w-]+(?: [A-Z][\w-]+)?)")
_APPOSITION = re.compile(r"^, (my|our|your) ([\w-]+)")
_RELATION_BEFORE = re.compile(r"(?:^|\W)(my|our|your|([A-Z][\w-]*)['’]s) ([\w-]+), $", re.IGNORECASE)
_ANOTHER = re.compile(r"\b(?:another|other|different) $", re.IGNORECASE)
# What tells that a name is a person's, so that its first word alone may stand for it ("Google" is not "Google Maps").
_MEETING = re.compile(
    r"(?:\b(?:met|meet|meeting|named|told|asked|invited|married|dating|hugged|phoned|friend|colleague|neighbou?r|boss|teacher|hey|hi|hello)"
    r"|\b(?:saw|knows?) (?:my|our)) (?:[A-Z][\w’'-]* [A-Z][\w’'-]*(?:, | and ))*$",
    re.IGNORECASE,
)
_ACTING = re.compile(rf"^(?:,? and I\b| (?:who|{'|'.join(sorted(PERSON_VERBS))})\b)")
_FIRST_PERSON = word_set("my our mi mis mein meine meinen meinem meiner unser unsere mon ma mes notre 我")
_SECOND_PERSON = word_set("your tu dein deine ton ta votre 你 您")
_PLACE_PREFIX = word_set("new san los saint st santa lake mount mt north south east west upper lower grand great port fort el la le de")


def fold(text: str) -> str:
    """A mention in canonical form: width and case folded, without article, possessive and outer punctuation; never empty."""
    folded = unicodedata.normalize("NFKC", text).casefold()
    key = _POSSESSIVE.sub("", folded).strip(_EDGES)
    key = _ARTICLE.sub("", " ".join(key.split()))
    return key or folded.strip() or text


def mentions_of(turn: Turn, before: Sequence[Turn], people: Sequence[str]) -> tuple[tuple[Mention, ...], ...]:
    """What the context of each handle of a turn tells.

    Args:
        turn: the turn.
        before: the turns before it in its conversation, in order; "the second one" takes its noun from them.
        people: everybody who takes part in the conversation.

    Returns:
        For each span its mentions, in order. A handle that names nothing by itself ("the second one" of what was never said) has none.
    """
    speaker = turn.message.speaker
    others = [person for person in people if person != speaker]
    addressee = others[0] if len(others) == 1 else None
    staged = [stage for earlier in before for handles in earlier.handles for handle in handles if (stage := _staged(handle))]
    found = []
    for span, handles in zip(turn.spans, turn.handles, strict=True):
        mentions = []
        for handle in handles:
            mention = _mention(span, handle, speaker, addressee, staged)
            if mention is not None:
                mentions.append(mention)
            if stage := _staged(handle):
                staged.append(stage)
        found.append(tuple(mentions))
    return tuple(found)


def resolve_mention(mention: Mention, known: Sequence[KnownReferent], position: int) -> Joining:
    """Decide which referent a mention means.

    Args:
        mention: what was said, and what its context tells.
        known: every referent that has one of the mention's keys, or a key like it, in this conversation (or in all, if shared).
        position: of the mention's message in the conversation.

    Returns:
        The decision. It depends on nothing else, so that the same mention in the same place is always joined the same way.
    """
    ordered = sorted(known, key=lambda k: (-(k.last_position if k.last_position is not None else -1), -k.last_mention, k.id))
    kind = mention.handle.kind
    if kind == "stage" and _LATEST & set(mention.key.split()[:1]):
        ordered = [k for k in ordered if _within(k, position, NEAR_STAGE)]
    full = [k for k in ordered if mention.key in k.keys]
    if kind in _EXACT_KINDS:
        return Joining(full[0].id, "exact") if full else Joining(None, "new")
    if mention.qualifier is not None:
        return _qualified(mention, ordered, full, position)
    bearers = [k for k in ordered if mention.key in k.keys or (mention.key in k.short and _within(k, position, NEAR_SHORT))]
    if len(bearers) == 1:
        return Joining(bearers[0].id, "exact" if full else "short form")
    if bearers:
        return _nearest(mention, bearers, position)
    shorter = [k for k in ordered if k.keys & set(mention.short) and k.kind != "person" and not k.qualifiers and _within(k, position, NEAR)]
    if len(shorter) == 1 and mention.name != shorter[0].name:
        return Joining(shorter[0].id, "longer form")
    nicknames = [k for k in ordered if _is_nickname(mention, k)]
    if len(nicknames) == 1:
        return Joining(nicknames[0].id, "nickname")
    slips = [k for k in ordered if any(_is_slip(mention.key, key, k.kind) for key in k.keys)]
    if len(slips) == 1 and kind in ("name", "quoted"):
        return Joining(slips[0].id, "spelling")
    return Joining(None, "new")


def _qualified(mention: Mention, ordered: list[KnownReferent], full: list[KnownReferent], position: int) -> Joining:
    """A mention that says which bearer of the name it means."""
    assert mention.qualifier is not None
    named = full or [k for k in ordered if mention.key in k.short]
    same = [k for k in named if mention.qualifier in k.qualifiers]
    if same:
        return Joining(same[0].id, "qualifier")
    unnamed = [k for k in ordered if mention.qualifier in k.keys]
    if len(unnamed) == 1 and mention.key != mention.qualifier and _within(unnamed[0], position, NEAR):
        return Joining(unnamed[0].id, "longer form")
    free = [k for k in named if not k.qualifiers and k.kind != "person"]
    if len(named) == 1 and free and _within(free[0], position, NEAR) and mention.qualifier != "other":
        return Joining(free[0].id, "context")
    return Joining(None, "new")


def _nearest(mention: Mention, bearers: list[KnownReferent], position: int) -> Joining:
    """The bearer of a name that was mentioned last, if that was near; else whoever is known by the bare name alone."""
    if _within(bearers[0], position, NEAR):
        return Joining(bearers[0].id, "recent")
    bare = [k for k in bearers if mention.key in k.keys and (k.kind == "person" or not k.qualifiers)]
    people = [k for k in bare if k.kind == "person"]
    chosen = (people or bare)[:1]
    return Joining(chosen[0].id, "bare") if chosen else Joining(None, "new")


def _within(known: KnownReferent, position: int, distance: int) -> bool:
    return known.last_position is not None and known.last_position >= 0 and position - known.last_position <= distance


def _is_nickname(mention: Mention, known: KnownReferent) -> bool:
    """Whether a mention is the beginning of a first name: "Mel" of "Melinda", who takes part."""
    key = mention.key
    if not key.isalpha() or len(key) < 3:
        return False
    for other in known.keys:
        first = other.split()[0]
        if known.kind == "person" and len(first) >= len(key) + 2 and first.startswith(key) and mention.handle.kind == "name":
            return True
    return False


def _is_slip(a: str, b: str, kind: str) -> bool:
    """Whether two keys are one name, once misspelt: a letter in the middle of a word of five or more, or a plural of a thing."""
    if min(len(a), len(b)) < MIN_TYPO or abs(len(a) - len(b)) > 1 or _NUMBER.findall(a) != _NUMBER.findall(b):
        return False
    if {word for word in a.split() if word in STAGES} != {word for word in b.split() if word in STAGES}:
        return False
    if kind != "person" and " " in a and (a + "s" == b or b + "s" == a):
        return True
    differing = [(x, y) for x, y in zip(re.split(r"[\W_]+", a), re.split(r"[\W_]+", b), strict=False) if x != y]
    if len(differing) != 1 or not all(word.isalpha() and len(word) >= MIN_TYPO for word in differing[0]):
        return False
    # The first three and the last two letters must agree: "Daniel" and "Daniela", "Marta" and "Maria" are two.
    x, y = differing[0]
    return x[:3] == y[:3] and x[-2:] == y[-2:] and OSA.distance(a, b, score_cutoff=1) == 1


def _mention(span: Span, handle: Handle, speaker: str, addressee: str | None, staged: list[tuple[str, str]]) -> Mention | None:
    start = handle.offset - span.start
    before, after = span.text[:start], span.text[start + len(handle.text) :]
    if handle.kind == "kin":
        return _kin(handle, speaker, addressee)
    if handle.kind == "stage":
        return _stage(handle, before, speaker, addressee, staged)
    if handle.kind in _EXACT_KINDS:
        return Mention(handle, handle.text, unicodedata.normalize("NFKC", handle.text) or handle.text, shared=True)
    key = fold(handle.text)
    if handle.kind == "quoted":
        return Mention(handle, handle.text, key, shared=True)
    if handle.kind == "person":
        return Mention(handle, handle.text, key, _short_forms(handle.text, key, human=True), shared=" " in key)
    qualifier = _qualifier(before, after, speaker, addressee)
    human = qualifier is not None or _MEETING.search(before) is not None or _ACTING.match(after) is not None
    return Mention(handle, handle.text, key, _short_forms(handle.text, key, human=human), qualifier, " " in key and qualifier is None)


def _short_forms(text: str, key: str, *, human: bool) -> tuple[str, ...]:
    """The shorter mentions that may mean a name: what follows a title or possessive, a person's first name, a place's last words."""
    words = key.split()
    if len(words) < 2 or not all(word[0].isalpha() for word in words):
        return ()
    if words[0].rstrip(".") in TITLES:
        return (" ".join(words[1:]),)
    forms = [" ".join(words[i:]) for i in range(1, len(words) - 1) if not words[i - 1].endswith(".")]
    plain = words[0] not in COMMON and words[0] not in _PLACE_PREFIX and not re.search(r"[a-z][A-Z]", text)
    last = words[-1]
    shouted = any(word.isupper() and len(word) > 2 for word in text.split())
    if human and plain and len(words) <= 3 and last not in COMMON and last.removesuffix("s") not in COMMON and not shouted:
        forms.append(words[0])
    return tuple(forms)


def _owner(possessor: str, speaker: str, addressee: str | None) -> str | None:
    """Who "my", "your" or "Mara's" is; None if that cannot be told."""
    word = possessor.casefold()
    if word in _FIRST_PERSON:
        return speaker
    if word in _SECOND_PERSON:
        return addressee
    bare = re.sub(r"['’]s?$", "", possessor)
    return bare if bare != possessor and bare[:1].isupper() else None


def _called(owner: str) -> str:
    """A possessor's name, with an article if it is but a role: "The user"."""
    return f"The {owner.lower()}" if owner.casefold() in ROLES else owner


def _kin(handle: Handle, speaker: str, addressee: str | None) -> Mention | None:
    """Whose, what, and who: of "my sister", "Mara's cousin Ada", "Mom"."""
    text = handle.text
    if not text.isascii() and text[0] in "我你您":
        owner, relation, name = _owner(text[0], speaker, addressee), text[1:].removeprefix("的"), ""
    else:
        words = text.split()
        place = next((i for i, word in enumerate(words) if fold(word) in KIN or fold(word) in ACQUAINTANCE), 0)
        owner = _owner(words[0], speaker, addressee) if place else speaker
        relation, name = words[place], " ".join(words[place + 1 :])
    if owner is None:
        return None
    said = fold(relation)
    qualifier = f"{owner.casefold()}'s {KIN.get(said, said)}"
    if name:
        key = fold(name)
        forms = _short_forms(name, key, human=True)
        return Mention(handle, name, key, (*forms, qualifier) if said in KIN else forms, qualifier)
    return Mention(handle, f"{_called(owner)}'s {said}", qualifier)


def _stage(handle: Handle, before: str, speaker: str, addressee: str | None, staged: list[tuple[str, str]]) -> Mention | None:
    """Which of them, and whose: of "first screenplay", "second one", "Chapter 3"."""
    words = fold(handle.text).split()
    words[0] = STAGES.get(words[0], words[0])
    if words[-1] == "one":
        if not staged:
            return None
        words[-1] = next((noun for stage, noun in reversed(staged) if stage == words[0]), staged[-1][1])
    key = f"{words[0]} {words[-1]}" if words[0] in STAGES.values() else " ".join(words)
    tail = before.split()
    owner = _owner(tail[-1], speaker, addressee) if tail else None
    said = " ".join(words)
    if owner is None:
        return Mention(handle, said, key)
    return Mention(handle, f"{_called(owner)}'s {said}", key, qualifier=f"{owner.casefold()}'s")


def _staged(handle: Handle) -> tuple[str, str] | None:
    """The stage word and the noun of "second horror script"; None of "the second one" and of what is no stage."""
    words = fold(handle.text).split() if handle.kind == "stage" else []
    return (STAGES.get(words[0], words[0]), words[-1]) if words and words[-1] in STAGED else None


def _qualifier(before: str, after: str, speaker: str, addressee: str | None) -> str | None:
    """What the words around a name tell of which bearer it is."""
    if found := _FROM.match(after):
        return f"from {found[1].casefold()}"
    if (found := _APPOSITION.match(after)) and (relation := found[2].casefold()) in KIN.keys() | ACQUAINTANCE:
        owner = _owner(found[1], speaker, addressee)
        return f"{owner.casefold()}'s {KIN.get(relation, relation)}" if owner else None
    if (found := _RELATION_BEFORE.search(before)) and (relation := found[3].casefold()) in KIN.keys() | ACQUAINTANCE:
        owner = _owner(found[1], speaker, addressee)
        return f"{owner.casefold()}'s {KIN.get(relation, relation)}" if owner else None
    return "other" if _ANOTHER.search(before) else None


def person_mention(name: str) -> Mention:
    """A participant, as if mentioned by the name shown."""
    key = fold(name)
    return Mention(Handle(name, 0, "person"), name, key, _short_forms(name, key, human=True))
