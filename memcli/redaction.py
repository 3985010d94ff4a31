"""Taking secrets out of messages before anything of them is stored: tokens, keys, passwords, card numbers.

Tokens are found by detect-secrets, which knows how each vendor's look; the shapes that it leaves out are here. What was found becomes
`[redacted: kind]`, always the same for the same words, so that a transcript read again is known again. Guesses by entropy are not made:
in talk they would hit hashes, ids and words of other languages.
"""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Iterable, Iterator, Mapping
from dataclasses import replace
from typing import Any, cast

from memcli.atoms import Message
from memcli.errors import UsageError

_SUSPICIOUS = re.compile(r"[\w+/=.-]{16,}|(?:\d[ -]?){13}|pass|pwd|secret|key|token|contrase|://|PRIVATE", re.IGNORECASE)
"""What a text has in it if it holds any secret that is looked for."""

_OWN = {
    "private key": re.compile(
        r"-----BEGIN [A-Z0-9 ]*PRIVATE KEY(?: BLOCK)?-----"
        r"(?:.{0,8000}?-----END [A-Z0-9 ]*PRIVATE KEY(?: BLOCK)?-----|[A-Za-z0-9+/=\s\\]*)",
        re.DOTALL,
    ),
    "json web token": re.compile(r"\beyJ[\w-]{8,}\.[\w-]{8,}(?:\.[\w-]+)?"),
    "anthropic api key": re.compile(r"\bsk-ant-[\w-]{20,}"),
    "openai api key": re.compile(r"\bsk-(?:proj-|svcacct-|admin-)?[A-Za-z0-9_-]{32,}"),
    "google api key": re.compile(r"\bAIza[\w-]{35}"),
    "github token": re.compile(r"\bgithub_pat_\w{22,}"),
    "hugging face token": re.compile(r"\bhf_[A-Za-z0-9]{30,}"),
    "bearer token": re.compile(r"\bBearer\s+(?=[\w.~+/-]*\d)([\w.~+/-]{20,}=*)", re.IGNORECASE),
}
"""Shapes that detect-secrets does not know, or not to their end; a group, where there is one, is the secret."""

_SECRET_NAME = r"(?:pass(?:word|wd|phrase|wort)?|pwd|secret|contraseñ?n?a|(?:api|access|auth|private|client)[_-]?key|token)"
_NAMED = re.compile(
    rf"{_SECRET_NAME}\w*[\"']?\s*(?:=>|:=|[:=：＝]|\bis\b)\s*(?:([\"'`])([^\"'`\n]{{4,200}})\1|([^\s\"'`,;]{{6,200}}))",
    re.IGNORECASE,
)
"""A value that is said to be a secret: in quotes whatever it is, without them if it is no word."""

_CARD = re.compile(r"(?<![\w.])(?:\d[ -]?){12,18}\d(?![\w]|\.\d)")
_ISSUER = re.compile(
    r"4(?:\d{12}|\d{15}|\d{18})|(?:5[1-5]\d\d|222[1-9]|22[3-9]\d|2[3-6]\d\d|27[01]\d|2720)\d{12}|3[47]\d{13}|3(?:0[0-5]|[68]\d)\d{11}"
    r"|(?:6011|65\d\d|64[4-9]\d|35(?:2[89]|[3-8]\d)|62\d\d)\d{12}"
)
"""Numbers that card issuers give (ISO/IEC 7812): without this one number in ten would pass for a card's by its check digit."""


_WINDOW, _OVERLAP = 2_000, 400
"""Characters that a pattern of detect-secrets is let loose on at a time: some take time that grows with the square of them."""


class Redactor:
    """Takes secrets out of messages. `counts` tells how many of each kind so far."""

    def __init__(self) -> None:
        """Load the detectors.

        Raises:
            UsageError: detect-secrets is not installed.
        """
        self.counts: Counter[str] = Counter()
        self._patterns = tuple(_detectors())

    def message(self, message: Message) -> Message:
        """A message without the secrets in its words and its metadata; the same object if there are none."""
        text = self.text(message.text)
        metadata = cast(Mapping[str, Any], self._value(message.metadata)) if message.metadata else message.metadata
        if text == message.text and metadata == message.metadata:
            return message
        return replace(message, text=text, metadata=metadata)

    def text(self, text: str) -> str:
        """A text without its secrets."""
        if not _SUSPICIOUS.search(text):
            return text
        out, end = [], 0
        for start, stop, kind in _apart(self._found(text)):
            out += [text[end:start], f"[redacted: {kind}]"]
            end = stop
            self.counts[kind] += 1
        return "".join([*out, text[end:]])

    def _value(self, value: object) -> object:
        if isinstance(value, str):
            return self.text(value)
        if isinstance(value, Mapping):
            return {key: self._value(inner) for key, inner in value.items()}
        if isinstance(value, (list, tuple)):
            return [self._value(inner) for inner in value]
        return value

    def _found(self, text: str) -> Iterator[tuple[int, int, str]]:
        """Where secrets are, and of what kind, the surest first."""
        for kind, pattern in _OWN.items():
            for match in pattern.finditer(text):
                yield (*_extent(match, text, 0), kind)
        for begin in range(0, max(len(text) - _OVERLAP, 1), _WINDOW - _OVERLAP):
            piece = text[begin : begin + _WINDOW]
            for kind, pattern in self._patterns:
                for match in pattern.finditer(piece):
                    yield (*_extent(match, text, begin), kind)
        for match in _CARD.finditer(text):
            digits = re.sub(r"[ -]", "", match[0])
            if _ISSUER.fullmatch(digits) and _luhn(digits):
                yield match.start(), match.end(), "card number"
        found = _NAMED.search(text)
        while found is not None:
            group = 2 if found[2] else 3
            if group == 2 or _is_no_word(found[3]):
                yield found.start(group), found.end(group), "password"
            found = _NAMED.search(text, found.start(group))  # a value may hold the name of the next secret


def _detectors() -> Iterator[tuple[str, re.Pattern[str]]]:
    """(kind, pattern) of everything that detect-secrets knows by its shape."""
    try:
        from detect_secrets.core.plugins.util import get_mapping_from_secret_type_to_class
        from detect_secrets.plugins.base import RegexBasedDetector
        from detect_secrets.plugins.ip_public import IPPublicDetector
        from detect_secrets.plugins.jwt import JwtTokenDetector
    except ImportError as error:
        raise UsageError("--redact needs the package detect-secrets: pip install 'memcli[redact]'") from error
    known: Mapping[str, Any] = get_mapping_from_secret_type_to_class()
    for kind, detector in sorted(known.items()):
        if issubclass(detector, RegexBasedDetector) and detector not in (IPPublicDetector, JwtTokenDetector):
            for pattern in detector.denylist:
                yield kind.lower(), pattern


def _extent(match: re.Match[str], text: str, begin: int) -> tuple[int, int]:
    """Where the secret of a match in the piece of `text` from `begin` is.

    It is the match's group if that is one, without what delimits it, to the end of its last word.
    """
    is_login = match[0].endswith("@")  # "://name:password@"
    group = 1 if match.re.groups == 1 and match[1] and (len(match[1]) >= 16 or is_login) else 0
    start, end = (place + begin for place in match.span(group))
    while start < end and text[start] in " \t\r\n=:\"'":
        start += 1
    while start < end and text[end - 1] in " \t\r\n\"'":
        end -= 1
    if group == 0:
        while end < len(text) and (text[end].isalnum() or text[end] in "_-"):
            end += 1
    return start, end


def _apart(found: Iterable[tuple[int, int, str]]) -> list[tuple[int, int, str]]:
    """What was found, in order; of what overlaps one piece with the kind that was found first."""
    apart: list[tuple[int, int, str]] = []
    for start, end, kind in found:
        if start == end:
            continue
        for other in [one for one in apart if one[0] < end and start < one[1]]:
            apart.remove(other)
            start, end, kind = min(start, other[0]), max(end, other[1]), other[2]
        apart.append((start, end, kind))
    return sorted(apart)


def _luhn(digits: str) -> bool:
    """Whether a number's check digit is right (Luhn; ISO/IEC 7812-1, annex B)."""
    doubled = (int(digit) * (1 + place % 2) for place, digit in enumerate(reversed(digits)))
    return sum(number - 9 * (number > 9) for number in doubled) % 10 == 0


def _is_no_word(value: str) -> bool:
    mixed = any(c.isdigit() for c in value) and any(c.isalpha() for c in value)
    return mixed or any(c in "!@#$%^&*" for c in value[:-1])
