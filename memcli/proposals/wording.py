"""The answer in a language model's words, out of the facts, and what of it stands.

The model writes sentences, the number of a fact behind each, or the words "insufficient evidence" (MemIR's answer from the fact interface).
A sentence stands if a fact that may answer is cited, tells of what is asked, holds all of its names, numbers, dates and content words, and
says yes where it says yes. One that does not is cut; an answer of which more is cut than stands does not stand at all. What only repeats
the question is taken off, so that what is left answers it.
"""

from __future__ import annotations

import re
from collections.abc import Collection, Sequence
from dataclasses import dataclass, replace
from typing import Final

from memcli.language.lexicon import FUNCTION, FUNCTION_DE, FUNCTION_EN, FUNCTION_ES, FUNCTION_FR, WORD, language_of, word_set, words
from memcli.language.times import find_time_cues
from memcli.models.language import Prompt
from memcli.proposals.assistant import Asked, Assistant
from memcli.proposals.reading import QUOTATIONS, existing_numbers, facts_prompt, source_text
from memcli.store.facts import ClaimRecord
from memcli.store.search import tokenize

INSUFFICIENT: Final = "insufficient evidence"

ANSWER_TOKENS: Final = 96
"""A short answer takes ten, a summary of six facts some eighty."""

ANSWER: Final = f"""Answer the question from the numbered facts, and from nothing else, in as few words as answer it: a name, a date, a
number, a phrase, a list. Use the words of the facts and do not repeat the question. Write the number of the fact behind what it tells,
like this: two kayaks [3]
If the facts do not tell the answer, or tell it of somebody else, write only: {INSUFFICIENT}
{QUOTATIONS}"""

_CITED = re.compile(r"(?:\s*\[\s*\d+(?:\s*[,;]\s*\d+)*\s*\])+")
_SENTENCES = re.compile(r"(?<=[.!?。！？])\s*|\n+")
_JOINS = re.compile(r"^(?:\s*(?:[,;:.!?。，、；]|(?:and|und|y|et|sowie|as well as)\b)\s*)+", re.IGNORECASE)
_ITEMS = re.compile(r"\s*(?:[,;、，；]|\b(?:and|und|y|et)\b)\s*", re.IGNORECASE)
_FUNCTION = {"en": FUNCTION_EN, "de": FUNCTION_DE, "es": FUNCTION_ES, "fr": FUNCTION_FR}
_ORDER = re.compile(
    r"\b(?:ignore|disregard|forget|override)\b.{0,40}\b(?:above|previous|prior|earlier|instructions?|facts?|everything|question|rules?)\b"
    r"|(?:^|[,;:]|\b(?:and|then|please|must|should|only|always|instead|now)\b)\s*(?:answer|reply|respond|output|print|write|say)\s"
    r"(?:only|just|with|that|exactly|[\"'\d])"
    r"|\bthe (?:only |right |correct |true )?answer (?:to [^.]* )?is\b|\byou are (?:now )?an? (?:ai|assistant|language model|system)\b"
    r"|\b(?:ignorier\w*|missachte\w*|antwort(?:e|en sie))\b|\bdie (?:richtige )?antwort ist\b|\b(?:ignor[ae]d?|responde|contesta)\b"
    r"|\bla (?:bonne )?(?:respuesta es|réponse est)\b|\b(?:ignore[rz]|réponds|répondez)\b|忽略|无视|请?回答|答案是",
    re.IGNORECASE,
)
"""What is said to whoever reads, not about anybody: a sentence with it is no evidence for a model's words."""
_JUNK = re.compile(r"[{}<>|]|\[(?!\d)")
TYPED: Final = frozenset(("when", "how_many", "how_long", "yes_no"))
"""Slots whose values any fact may have, so that a value says nothing of the question: the fact cited must hold as many of the question's
words as the best one. For other slots it must hold one, if the best one holds any."""

ORDERED: Final = 4
"""Content words from which on an answer must keep the order of the fact that it cites: in a sentence, who did what to whom hangs on it."""

LISTED_WORDS: Final = 6
"""Parts of an answer that have no more words are items of a list, not sentences."""

_TELLING = word_set(
    "all both most many few several some any every each only more less other another same again before after until since would could might"
    " may should must will can"
)
"""Function words that change what is said."""

_COUNTED = ("one", "two", "three", "four", "five", "six", "seven", "eight", "nine", "ten", "eleven", "twelve")
_COUNTS = tuple((tokenize(word)[0], str(number)) for number, word in enumerate(_COUNTED, 1))
_YES = word_set("yes yeah ja sí si oui 是 是的 有 会")
_NO = word_set("no nein non nope 不 没有 不是 否")
_LIKELY = word_set("likely probably maybe wahrscheinlich probablement probablemente")
_NEGATION = re.compile(
    r"\b(?:no|not|never|none|nobody|nothing|neither|nor|cannot|without|\w+n['’]t|nicht|nichts|kein\w*|nie|niemals|niemand|ohne|nunca|jamás"
    r"|nada|nadie|sin|pas|jamais|rien|sans)\b|[不没無无]",
    re.IGNORECASE,
)
_NUMBER = re.compile(
    r"\d|\b(?:one|once|two|twice|three|thrice|four|five|six|seven|eight|nine|ten|eleven|twelve|dozen|hundred|thousand|several|few|every|daily"
    r"|weekly|monthly|yearly|half|an?)\b|[一二两三四五六七八九十百千半几]",
    re.IGNORECASE,
)
_DIGITS = re.compile(r"\d+(?:[.,:]\d+)*")
_ARTICLE = word_set("a an the ein eine einen einem einer der die das den dem el la los las un una unos unas le les l du des de")
_END = " \t.,;:!?。！？，；："


@dataclass(frozen=True, slots=True)
class Wanted:
    """What is asked."""

    question: str
    slot: str | None
    """What it asks for, as `Query.slot`; None where that says nothing of the answer's form."""
    terms: frozenset[str] = frozenset()
    """Its words as the index knows them, but for the names of people who speak."""


@dataclass(frozen=True, slots=True)
class Sentence:
    """One sentence of an answer as it stands, and the indexes of the facts behind it."""

    text: str
    facts: tuple[int, ...]


@dataclass(frozen=True, slots=True)
class Worded:
    """What the model answered. Without sentences and not insufficient, nothing of it stands."""

    sentences: tuple[Sentence, ...]
    insufficient: bool
    said: str
    """Its words as they came."""
    cut: tuple[str, ...] = ()
    """Why sentences were cut."""

    @property
    def text(self) -> str:
        """The answer."""
        texts = [sentence.text for sentence in self.sentences]
        listed = len(texts) == 1 or all(len(words(text)) <= LISTED_WORDS for text in texts)
        return ", ".join(texts) if listed else " ".join(text if text[-1] in _END else f"{text}." for text in texts)


def answer_prompt(assistant: Assistant, question: str, lines: Sequence[str], beside: Sequence[str]) -> Prompt | None:
    """The prompt of an answer; None if no fact has room in it."""
    return facts_prompt(assistant.model, ANSWER, question, lines, ANSWER_TOKENS, beside=beside)


def word_answer(
    assistant: Assistant,
    wanted: Wanted,
    facts: Sequence[ClaimRecord],
    lines: Sequence[str],
    may_answer: Collection[int],
    beside: Sequence[str] = (),
) -> Worded | None:
    """Ask for the answer, and cut what does not stand.

    Args:
        assistant: asks the model, and keeps account.
        wanted: what is asked.
        facts: the facts; the first is the best there is without the model.
        lines: how each is shown.
        may_answer: indexes of the facts that tell of whom the question asks; others are only there to read these.
        beside: lines to read the facts with.

    Returns:
        None if the model was not asked or failed.
    """
    if not facts or not assistant.does("answer"):
        return None
    prompt = answer_prompt(assistant, wanted.question, lines, beside)
    if prompt is None:
        return None
    said = assistant.text(Asked("answer", prompt, ANSWER_TOKENS, stop=("\n\n",)))
    if said is None:
        return None
    if INSUFFICIENT in said.casefold():
        return Worded((), True, said)
    proposed = cited_parts(said, len(facts))
    one = wanted if len(proposed) == 1 else replace(wanted, slot=None)
    least = _held(wanted, facts[0]) if one.slot in TYPED else min(1, _held(wanted, facts[0]))
    kept: list[Sentence] = []
    cut: list[str] = []
    for text, cited in proposed:
        short = without_question(text, wanted.question) if one is wanted else text
        own = [i for i in cited if i in may_answer]
        answering = tuple(i for i in own if _held(wanted, facts[i]) >= least)
        reason = "tells of something else" if own and not answering else None
        reason = reason or why_not_believe(short, one.question, one.slot, [facts[i] for i in answering], cited=bool(cited))
        if reason is None and any(short == sentence.text for sentence in kept):
            reason = "said before"
        if reason is None:
            kept.append(Sentence(short, answering))
        else:
            cut.append(reason)
            assistant.count("answer", reason)
    if not proposed:
        assistant.count("answer", "empty")
    if kept and len(cut) > len(kept):
        assistant.count("answer", "mostly cut", len(kept))
        return Worded((), False, said, (*cut, "mostly cut"))
    return Worded(tuple(kept), False, said, tuple(cut) if proposed else ("empty",))


def cited_parts(said: str, facts: int) -> list[tuple[str, tuple[int, ...]]]:
    """The parts of an answer, each with the indexes of the facts that are cited behind it.

    A part is a sentence, or an item of a list whose items are cited one by one. A citation is of the sentence that it ends, or, in an
    answer that begins with one and does not end with one, of the sentence that it begins.
    """
    from sentencex import segment

    said = said.strip()
    marks = list(_CITED.finditer(said))
    leading = bool(marks) and marks[0].start() == 0 and marks[-1].end() < len(said.rstrip(_END))
    edges = [0, *(edge for mark in marks for edge in mark.span()), len(said)]
    texts = [said[low:high] for low, high in zip(edges[::2], edges[1::2], strict=True)]
    cited = [existing_numbers([int(number) for number in _DIGITS.findall(mark.group())], facts) for mark in marks]
    parts: list[tuple[str, tuple[int, ...]]] = []
    for text, numbers in zip(texts, [(), *cited] if leading else [*cited, ()], strict=True):
        sentences = [one for sentence in segment("en", text) if WORD.search(one := _JOINS.sub("", sentence).strip())]
        own = 0 if leading else len(sentences) - 1
        parts += [(sentence, numbers if place == own else ()) for place, sentence in enumerate(sentences)]
    return parts


def why_not_believe(text: str, question: str, slot: str | None, facts: Sequence[ClaimRecord], *, cited: bool) -> str | None:
    """What speaks against a sentence of an answer; None if it stands.

    Args:
        text: the sentence, without what repeats the question.
        question: the question.
        slot: what it asks for; None where that says nothing of the answer's form.
        facts: the facts it cites that may answer.
        cited: whether it cites any fact that exists.
    """
    if not cited:
        return "cites no fact"
    if not facts:
        return "tells of somebody else"
    heads = {word for fact in facts for word in words(f"{fact.speaker} {fact.subject or ''}")}
    if _JUNK.search(text) or text.count("(") != text.count(")") or (slot not in (None, "who") and heads.issuperset(words(text))):
        return "form"
    said = words(text)
    if not said:
        return "empty"
    if slot == "yes_no":
        return _why_not_yes_or_no(said, text, question, facts)
    if slot == "when" and not (_DIGITS.search(text) or find_time_cues(text, None)):
        return "form"
    if slot in ("how_many", "how_long") and not _NUMBER.search(text):
        return "form"
    facts = [_without_orders(fact) for fact in facts]
    reasons = [_why_not_in(fact, text, question) for fact in facts]
    items = [item for item in _ITEMS.split(text) if WORD.search(item)]
    if None in reasons or (len(items) > 1 and all(None in [_why_not_in(fact, item, question) for fact in facts] for item in items)):
        return None
    return reasons[0]


def _why_not_in(fact: ClaimRecord, text: str, question: str) -> str | None:
    """What of an answer a fact does not hold; None if it holds all of it."""
    idle = _FUNCTION.get(language_of(question) or "", FUNCTION) - _TELLING
    content = [bare for word in words(text) if (bare := word.removesuffix("'s")) not in idle]
    if not content or _TELLING.issuperset(content):
        return "empty"
    known = set(tokenize(source_text(fact)))
    known |= {other for word, digit in _COUNTS for one, other in ((word, digit), (digit, word)) if one in known}
    if not all(known.issuperset(tokenize(number)) for number in _DIGITS.findall(text)):
        return "number"
    if not all(known.issuperset(tokenize(word)) for word in content):
        return "word"
    told = [(fact.time.start, fact.time.end)] if fact.time else []
    told += [(cue[1], cue[2]) for cue in fact.cues]
    if day := fact.evidence[0].timestamp:
        told.append((f"{day[:10]}T00:00:00", f"{day[:10]}T23:59:59"))
    times = find_time_cues(text, None)
    if any(cue.resolved and not any(_within(start, end, cue.start, cue.end) for start, end in told) for cue in times):
        return "date"
    if not _NEGATION.search(question) and (fact.polarity == "negative") != (_NEGATION.search(text) is not None):
        return "negation"
    timeless = text
    for cue in reversed(times):
        timeless = f"{timeless[: cue.offset]} {timeless[cue.offset + len(cue.expression) :]}"
    order = [token for word in words(timeless) if (bare := word.removesuffix("'s")) in content for token in tokenize(bare)]
    sources = [fact.text, " ".join(evidence.text for evidence in fact.evidence)]
    return None if len(order) < ORDERED or any(_in_order(order, tokenize(source)) for source in sources) else "swapped"


def _held(wanted: Wanted, fact: ClaimRecord) -> int:
    """How many of the question's words a fact holds."""
    return len(wanted.terms.intersection(tokenize(source_text(fact))))


def _without_orders(fact: ClaimRecord) -> ClaimRecord:
    """A fact without the sentences that tell its reader what to answer."""

    def kept(text: str) -> str:
        return " ".join(sentence for sentence in _SENTENCES.split(text) if not _ORDER.search(sentence))

    return replace(fact, text=kept(fact.text), evidence=tuple(replace(one, text=kept(one.text)) for one in fact.evidence))


def _in_order(wanted: Sequence[str], held: Sequence[str]) -> bool:
    place = iter(held)
    return all(token in place for token in wanted)


def _why_not_yes_or_no(said: Sequence[str], text: str, question: str, facts: Sequence[ClaimRecord]) -> str | None:
    """A yes or no stands if a fact cited says so; what follows it must be in that fact."""
    yes = next((word in _YES for word in said if word in _YES | _NO), None)
    if said[0] not in _YES | _NO | _LIKELY or yes is None:
        return "form"
    agreeing = [fact for fact in facts if (fact.polarity == "positive" and fact.modality != "denies") == yes]
    if not agreeing:
        return "negation"
    rest = [word for word in said if word not in _YES | _NO | _LIKELY | FUNCTION]
    return (
        None if any(set(tokenize(f"{question} {source_text(fact)}")).issuperset(tokenize(" ".join(rest))) for fact in agreeing) else "word"
    )


def without_question(text: str, question: str) -> str:
    """An answer without what repeats the question: "Ines adopted a heron" for "What did Ines adopt?" becomes "a heron".

    Only what stands before the answer goes, and what stands behind it; a yes or no is all that is kept of a sentence that begins with one.
    """
    text = text.strip().strip("\"'“”„").strip()
    found = list(WORD.finditer(text))
    if not found:
        return ""
    if found[0].group().casefold() in (_YES | _NO) and text[found[0].end() :].lstrip().startswith((",", ".", ";", "，", "。")):
        return found[0].group()
    asked = set(tokenize(question))

    def repeats(word: str) -> bool:
        return word.casefold() in FUNCTION or asked.issuperset(tokenize(word))

    named = any(not repeats(match.group()) for match in found)
    if not named or asked.isdisjoint(tokenize(text)):
        return text.rstrip(_END)
    first = next(i for i, match in enumerate(found) if not repeats(match.group()))
    last = max(i for i, match in enumerate(found) if not repeats(match.group()))
    content_before = any(m.group().casefold() not in FUNCTION for m in found[:first])
    if not content_before:
        first = 0
    while first > 0 and found[first - 1].group().casefold() in _ARTICLE:
        first -= 1
    if not any(m.group().casefold() not in FUNCTION for m in found[last + 1 :]):
        last = len(found) - 1
    return text[found[first].start() : found[last].end()]


def _within(start: str | None, end: str | None, from_: str | None, to: str | None) -> bool:
    """Whether one interval lies within another; ISO 8601, None is open."""
    low, high = start or "", end or "9999"
    return (from_ is None or low >= from_) and (to is None or high <= to) and bool(start or end)
