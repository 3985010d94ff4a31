"""Handles: the exact mentions of concrete things in a message, by offset.

Addresses, files, errors, versions and code names have shapes of their own. Proper names are runs of capitalised words, less the
words that are capitalised for another reason: the start of a sentence, a heading's style, shouting, German. What the rest of
the conversation shows decides the doubtful ones: a word seen as a name inside a sentence is one at the start of another, a
word seen in lower case is none. Staged things ("second script") and kin ("my sister") are mentions too.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Set

from memcli.atoms import Handle, Span
from memcli.language.lexicon import FUNCTION, PHATIC, WORD, word_set
from memcli.write.handle_words import ACQUAINTANCE, CALENDAR, COMMON, ERRNO, KIN, NUMBERED, ORDINALS, STAGED, STAGES
from memcli.write.names import CLITIC, Token, bare_end, people_in, proper_names, tokens_of

_EXTENSION = (
    "py|js|ts|tsx|jsx|mjs|go|rs|java|c|h|cpp|rb|sh|sql|json|ya?ml|toml|md|txt|csv|html|css|ipynb|pdf|docx?|xlsx?|pptx?|png|jpe?g|svg|mp[34]"
)
_URL = re.compile(r"\b(?:https?://|www\.)[^\s<>()\[\]\"'`]+[^\s<>()\[\]\"'`.,;:!?*]")
_EMAIL = re.compile(r"(?<![\w.+-])[\w.+-]+@[\w-]+(?:\.[\w-]+)+(?!\w)")
_FILE = re.compile(rf"(?<![\w/@}}$.-])(?:[\w.-]+/)*[\w-]+(?:\.[\w-]+)*\.(?:{_EXTENSION})(?![\w(]|\.\w|/)")
_ERROR = re.compile(r"\b(?:[A-Z][a-z]+)+(?:Error|Exception|Warning|Timeout)\b|\b[A-Z]{2,}_[A-Z_]{2,}\b|\bE[A-Z]{4,}\b")
_VERSION = re.compile(r"(?<![\w.^~])v?\d+\.\d+(?:\.\d+)+(?:-[a-z]+(?:\.\d+)?)?(?![\w.]*\w)|\bv\d+(?:\.\d+)?\b(?!\.\d)")
_MENTION = re.compile(r"(?<![\w.@])@\w[\w.]*\w")
_CODE = re.compile(r"`+([^`\n]+)`+")
_IDENTIFIER = re.compile(r"(?:\w+\.)*(?:[a-z]+(?:[A-Z][a-z0-9]*)+|[A-Za-z]\w*_\w+|(?:[A-Z][a-z0-9]+){2,}|\w+(?=\(\)))(?:\(\))?")
_SNAKE = re.compile(r"(?<![\w/.\\{])[a-z][a-z0-9]+(?:_[a-z0-9]+)+(?:\(\))?(?!\w|/)")
_MATH = re.compile(r"\\\(.*?\\\)|\\\[.*?\\\]|\$[^$\n]+\$")
_COMMAND = re.compile(r"\\[a-zA-Z]{2,}")
_QUOTED = re.compile(r"[\"“„«「『《]([^\"“”„»」』》\n]{2,60})[\"”“»」』》]|(?<![\w*])\*([A-Z][^*\n]{1,60})\*(?![\w*])")
_NAMING = re.compile(r"\b(?:called|titled|named|entitled|book|novel|movie|film|song|album|game|show|series|podcast)\s{1,2}$", re.IGNORECASE)
_SENTENCE_MARK = re.compile("[.!?。！？，,;]")
_DIGIT = re.compile(r"\d")
_POSSESSORS = word_set("my our your mi mis tu mein meine meinen meinem meiner dein deine unser unsere mon ma mes ton ta notre votre")
_DETERMINERS = _POSSESSORS | word_set("his her their the a an this that el la un una der die das ein eine le un une")
_HAN_KIN = sorted((word for word in KIN if "\u3400" <= word[0] <= "\u9fff"), key=lambda word: (-len(word), word))
_UNSPACED_KIN = re.compile(f"[我你您]的?(?:{'|'.join(_HAN_KIN)})")
_BARE_KIN = word_set("Mom Mum Dad Grandma Grandpa Granny Nana Mama Papa Daddy Mommy Mamá Papá Maman Oma Opa")


def find_message_handles(
    spans: tuple[Span, ...], people: tuple[str, ...], familiar: Set[str] = frozenset()
) -> tuple[tuple[Handle, ...], ...]:
    """The handles of each span of a message, the whole message being evidence for what is a name in it.

    Args:
        spans: of one message, in order.
        people: names of those who take part in the conversation; they count wherever they stand.
        familiar: words known as names from earlier in the conversation, as they are written; see `name_words`.
    """
    sentences = [span for span in spans if span.kind in ("sentence", "quote")]
    ordinary = {word for span in sentences for word in WORD.findall(span.text) if word.islower()} if len(sentences) > 1 else set()
    found = [find_handles(span, people, familiar, ordinary) for span in spans]
    met = name_words(handle for handles in found for handle in handles) - familiar
    if met:
        known = familiar | met
        for index, span in enumerate(spans):
            if span.kind in ("sentence", "quote") and any(word in met for word in _first_words(span.text)):
                found[index] = find_handles(span, people, known, ordinary)
    return tuple(tuple(handles) for handles in found)


def name_words(handles: Iterable[Handle]) -> set[str]:
    """The words that these mentions show to be names, as they are written: what `familiar` is made of."""
    return {
        word
        for handle in handles
        if handle.kind in ("name", "kin")
        for word in handle.text.split()
        if word[0].isupper() and word.isalpha() and not word.isupper() and word.casefold() not in COMMON
    }


def _first_words(text: str) -> list[str]:
    return [CLITIC.sub("", word) for word in WORD.findall(text)[:4]]


def find_handles(span: Span, people: tuple[str, ...], familiar: Set[str] = frozenset(), ordinary: Set[str] = frozenset()) -> list[Handle]:
    """The exact mentions of concrete things in a span, by offset in its message; never a pronoun, a theme or a date.

    Args:
        span: the span to look at; code gives file names, errors and addresses only.
        people: names of those who take part in the conversation; they count wherever they stand.
        familiar: words that are names wherever they stand, as they are written.
        ordinary: words, in lower case, that are no names where their capital may have another reason.

    Returns:
        Mentions that do not overlap, in order. `kind` is `person` (a participant or an @mention), `name`, `quoted` (a title),
        `kin` ("my sister Ana"), `stage` ("second script", "the second one"), `url`, `file`, `error`, `version` or `code`.
    """
    text = span.text
    finder = _Finder(text)
    finder.shapes(code=span.kind == "code")
    if span.kind != "code":
        finder.titles()
        finder.names(people, familiar, ordinary, caption=span.kind == "image")
    return sorted((Handle(text[a:b], span.start + a, kind) for a, b, kind in finder.found), key=lambda handle: handle.offset)


class _Finder:
    """The mentions of one text as they are found; what is taken once is not taken again."""

    def __init__(self, text: str) -> None:
        self.text = text
        self.found: list[tuple[int, int, str]] = []
        self._taken = bytearray(len(text))  # one byte a character, 1 where a mention or formula is
        self._formula = False

    def _free(self, start: int, end: int) -> bool:
        return self._taken.find(1, start, end) < 0

    def _take(self, start: int, end: int) -> None:
        self._taken[start:end] = b"\1" * (end - start)

    def _add(self, start: int, end: int, kind: str) -> None:
        if start < end and self._free(start, end):
            self._take(start, end)
            self.found.append((start, end, kind))

    def shapes(self, *, code: bool) -> None:
        """Addresses, files, errors, versions and code names; formulas are set aside."""
        text = self.text
        if "\\" in text or "$" in text:
            for match in _MATH.finditer(text) if not code else ():
                self._take(*match.span())
            self._formula = _COMMAND.search(text) is not None
        if "/" in text or "www." in text:
            for match in _URL.finditer(text):
                self._add(*match.span(), "url")
        if "@" in text and not code:
            for match in _EMAIL.finditer(text):
                self._add(*match.span(), "url")
            for match in _MENTION.finditer(text):
                self._add(*match.span(), "person")
        if "." in text:
            for match in _FILE.finditer(text):
                stem, _, extension = match.group().rpartition(".")
                # "Node.js" is a product, "main.js" a file.
                product = extension in ("js", "ts") and stem[0].isupper() and stem.isalpha()
                self._add(*match.span(), "name" if product else "file")
        self._errors()
        if code:
            return
        if _DIGIT.search(text):
            for match in _VERSION.finditer(text):
                self._add(self._product_start(match.start()), match.end(), "version")
        if "`" in text:
            for match in _CODE.finditer(text):
                inner = _IDENTIFIER.fullmatch(match[1])
                if inner:
                    self._add(*match.span(1), "code")
                self._take(*match.span())
        if "_" in text and not self._formula:
            for match in _SNAKE.finditer(text):
                self._add(*match.span(), "code")

    def _errors(self) -> None:
        for match in _ERROR.finditer(self.text):
            word = match.group()
            if word[1].islower() or word in ERRNO or "ERR" in word:
                self._add(*match.span(), "error")
            elif "_" in word:
                self._add(*match.span(), "code")

    def _product_start(self, start: int) -> int:
        """Where the product before a version begins, "Frobnicator 2.1.0" being one mention; else the version's own start."""
        before = re.search(r"(?<![\w.])[A-Z][\w.+#-]*(?: [A-Z][\w.+#-]*)?[ ]$", self.text[:start])
        if before is None:
            return start
        words = before.group().split()
        plain = [word.casefold() in COMMON or word.endswith("ing") for word in words]
        first = start - len(words[-1]) - 1 if len(words) > 1 and plain[0] else before.start()
        return start if plain[-1] or not self._free(first, start) else first

    def titles(self) -> None:
        """Quoted titles: capitalised like one, introduced as one, or between the marks that only titles have."""
        text = self.text
        if text.isascii() and '"' not in text and "*" not in text:
            return
        for match in _QUOTED.finditer(text):
            group = 1 if match[1] else 2
            inner = match[group]
            if inner.strip() != inner:
                continue
            before = text[max(0, match.start() - 20) : match.start()]
            introduced = _NAMING.search(before) is not None and not _SENTENCE_MARK.search(inner)
            if introduced or text[match.start()] in "《『「" or _is_title(inner):
                self._add(match.start(group), match.end(group) - (inner[-1] == "."), "quoted")

    def names(self, people: tuple[str, ...], familiar: Set[str], ordinary: Set[str], *, caption: bool) -> None:
        """People, kin, staged things and proper names."""
        text = self.text
        tokens = tokens_of(text)
        persons = people_in(text, people)
        self._kin(tokens)
        self._stages(tokens)
        runs = [] if caption or self._formula else proper_names(text, tokens, familiar, ordinary)
        for start, end in persons:
            longer = next((run for run in runs if run[0] == start and run[1] > end), None)
            self._add(start, *((longer[1], "name") if longer else (end, "person")))
        for start, end in runs:
            self._add(start, end, "name")

    def _kin(self, tokens: list[Token]) -> None:
        for index, token in enumerate(tokens):
            if token.lower in KIN or token.lower in ACQUAINTANCE:
                start = _possessor_start(self.text, tokens, index)
                if start is None:
                    if token.text in _BARE_KIN and not _owned(tokens, index):
                        self._add(token.start, token.start + len(token.text.removesuffix("'s").removesuffix("’s")), "kin")
                    continue
                end = bare_end(token)
                last = index
                while last + 1 < len(tokens) and self.text[end : tokens[last + 1].start] == " " and _namelike(tokens[last + 1]):
                    last += 1
                    end = bare_end(tokens[last])
                if last > index or token.lower in KIN:
                    self._add(start, end, "kin")
        if not self.text.isascii():
            for match in _UNSPACED_KIN.finditer(self.text):
                self._add(*match.span(), "kin")

    def _stages(self, tokens: list[Token]) -> None:
        """Stage word and noun ("second script", "new day job"), "the second one", and numbered works ("Chapter 3")."""
        for index, token in enumerate(tokens[:-1]):
            ahead = tokens[index + 1]
            if self.text[token.end : ahead.start] != " ":
                continue
            if ahead.text.isdigit() and token.capital and token.lower in NUMBERED:
                self._add(token.start, ahead.end, "stage")
            elif token.lower in STAGES and token.lower == token.text.casefold():
                determined = index > 0 and (tokens[index - 1].lower in _DETERMINERS or CLITIC.search(tokens[index - 1].text) is not None)
                if ahead.lower == "one":
                    if determined:
                        self._add(token.start, bare_end(ahead), "stage")
                elif determined or token.lower in ORDINALS:
                    noun = self._staged(tokens, index + 1)
                    if noun:
                        self._add(token.start, bare_end(noun), "stage")

    def _staged(self, tokens: list[Token], index: int) -> Token | None:
        """The staged noun at `index` or behind one plain word there; None where it only qualifies another ("new book shelves")."""
        for place in (index, index + 1):
            if place >= len(tokens) or (place > index and self.text[tokens[index].end : tokens[place].start] != " "):
                return None
            token = tokens[place]
            if token.lower in STAGED:
                following = tokens[place + 1] if place + 1 < len(tokens) else None
                if following and self.text[token.end : following.start] == " " and following.lower not in FUNCTION:
                    if following.lower in STAGED:
                        return following
                    if following.lower.endswith(("s", "ion", "ing", "club", "store")) and not following.lower.endswith("ss"):
                        return None
                return token
            if token.lower in FUNCTION or token.capital:
                return None
        return None


def _is_title(text: str) -> bool:
    """Whether quoted words are capitalised as a title is: the first and every content word."""
    found = WORD.findall(text)
    if not found or not found[0][0].isupper() or text[-1] in ",;:" or text.isupper():
        return False
    content = [word for word in found if word.casefold() not in FUNCTION]
    if len(found) == 1:
        return bool(content) and found[0].casefold() not in PHATIC and text[-1] not in ".!?"
    return bool(content) and len(found) <= 9 and all(word[0].isupper() or word[0].isdigit() for word in content)


def _possessor_start(text: str, tokens: list[Token], index: int) -> int | None:
    """Where "my" or "Mara's" before a word of relation begins, one plain word between them allowed; None if nobody has it."""
    for back in (1, 2):
        if index < back:
            return None
        token = tokens[index - back]
        if text[token.end : tokens[index].start].strip() and back == 1:
            return None
        if token.lower in _POSSESSORS:
            return token.start
        if token.capital and token.text.endswith(("'s", "’s")) and token.lower not in COMMON:
            return token.start
        if token.capital or token.lower in FUNCTION or token.lower in KIN or token.lower in ACQUAINTANCE or CLITIC.search(token.text):
            return None
    return None


def _owned(tokens: list[Token], index: int) -> bool:
    return index > 0 and (tokens[index - 1].lower in _DETERMINERS or CLITIC.search(tokens[index - 1].text) is not None)


def _namelike(token: Token) -> bool:
    return token.capital and token.lower not in COMMON and token.lower not in CALENDAR and not token.text.isupper()
