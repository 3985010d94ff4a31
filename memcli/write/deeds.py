"""What a text says was done or is there, and what it says was never done: so that one can contradict the other."""

from __future__ import annotations

from collections.abc import Sequence

from memcli.language.lexicon import PHATIC, word_set
from memcli.write.quantities import Token
from memcli.write.words import is_content, stem

_NEVER = word_set("never nie niemals nunca jamás jamais")

_DID = word_set(
    "i've they've he's she's we've have has had been using used uses built wrote created finished completed implemented integrated"
    " deployed tested fixed solved added learned visited tried bought made took did went habe hat hatte haben he ha j'ai ai"
)
"""Words after which stands what was done or is owned."""

_OWNED = word_set("my their our mein meine mi mis mon ma mes unser unsere")
"""Words after which stands what is there."""

_DEFINITE = _OWNED | word_set("the this these his her its der die das el la los las le les")
"""Words before a thing that is there whatever was done with it: then the verb is part of what was never done."""

_WEAK = PHATIC | word_set(
    "project projects app application code problem problems question questions involving related feature work time use using any"
    " actually really ever yet before start starting trying try proyecto projekt projet problema problème"
)
"""Words too common to tell what a deed was."""

_BREAKS = word_set("but so because although though since considering while when if especially like aber pero mais which")

_RELATING = word_set("in at with for on of to from by as into about en con para de sur avec pour mit bei für von zu auf")
"""Words after which stands no more what was never done, but where or with whom."""

_AFTER_NEVER, _AFTER_DID, _AFTER_OWNED = 18, 10, 5
"""Words after a sign in which its thing is looked for: a clause, a verb's object, a noun phrase."""


def find_denied(tokens: Sequence[Token]) -> tuple[frozenset[str], ...]:
    """The things that a text says were never done: the stems after "never" and its verb, each side of an "or"; of two stems at least.

    Of "never sold honey jars" that is (honey, jar), which having honey jars contradicts; of "never sold my honey jars" it is (sell,
    honey, jar), since only selling them does.
    """
    for index, token in enumerate(tokens):
        if token.kind != "word" or token.text not in _NEVER:
            continue
        things: list[set[str]] = [set()]
        verb, placed, done = True, False, ""
        for following in tokens[index + 1 : index + 1 + _AFTER_NEVER]:
            if following.kind == "stop" or following.text in _BREAKS:
                break
            if following.text in _RELATING:
                placed = True
            elif following.text in ("or", "and", "oder", "o", "ou"):
                things.append(set())
                verb, placed = True, False
            elif following.text in _DEFINITE and not verb and not things[-1]:
                things[-1].add(done)
            elif following.kind == "word" and following.text not in _WEAK and is_content(following.text):
                if verb:
                    done = stem(following.text)
                elif not placed:
                    things[-1].add(stem(following.text))
                verb = False
        return tuple(frozenset(t) for t in things if len(t) > 1)
    return ()


def find_done(tokens: Sequence[Token]) -> tuple[frozenset[str], ...]:
    """What a text says was done or is there: for each word that says so, the stems after it; of two stems at least."""
    out = []
    for index, token in enumerate(tokens):
        if token.kind != "word":
            continue
        reach = _AFTER_DID if token.text in _DID else _AFTER_OWNED if token.text in _OWNED else 0
        if not reach:
            continue
        stems = set()
        for following in tokens[index + 1 : index + 1 + reach]:
            if following.kind == "stop" or following.text in _BREAKS or following.text in _NEVER or following.text == "not":
                break
            if following.kind == "word" and following.text not in _WEAK and is_content(following.text):
                stems.add(stem(following.text))
        if len(stems) > 1:
            out.append(frozenset(stems))
    return tuple(out)
