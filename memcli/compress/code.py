"""What a claim holds beside prose: code, commands, tables, logs and drawings, each told by an outline.

An outline is the language of a fence, if it says one, and the names that tell what the block is about, in their order: what it defines, the
files and paths it is about, the commands it gives, the errors it reports, its keys, selectors and headings; where it has none of these, the
names it assigns, imports and calls. The block itself stays where the evidence is, letter by letter.

Nothing is parsed: each line is looked at by itself, and only its beginning, so that it costs no more than reading the text once.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from dataclasses import dataclass

from memcli.language.lexicon import WORD, count_words, word_set

FENCE = "```"

MOST_NAMES = 10
"""Names that the outline of a block has at most: what two lines of a screen hold (ours)."""

_TELLING = 0.5
_ENOUGH = 4
"""Names of a role as telling as that, of which so many do without any that tell less."""

_MOST_WORDS = 7
"""Words that a name or a command has at most."""

_MOST_LINES = 400
"""Lines of a block that names are looked for in, the first ones: what they do not tell, later ones seldom do (ours)."""

_WIDTH = 240
"""Characters of a line that are looked at."""

_BESIDE = 0.4
"""Share of a block's lines that look like something else than prose, from which on it is told by an outline."""

_SHELLS = word_set("sh bash shell zsh fish console terminal powershell ps1 cmd bat shell-session")
_STYLES = word_set("css scss sass less")
_DATA = word_set("json yaml yml toml ini cfg conf properties env dockerfile docker json5 jsonc")
_MARKUP = word_set("html xml svg jsx tsx vue jinja jinja2 xhtml")
_PLAIN = word_set("text txt plain plaintext markdown md email mail letter quote none")

_FILES = (
    "py|js|mjs|ts|tsx|jsx|html?|css|scss|json|ya?ml|toml|md|txt|sh|sql|db|sqlite3?|go|rs|java|kt|swift|c|cc|cpp|h|hpp|cs|rb|php|pl|lua|r"
    "|ipynb|csv|tsv|xlsx?|pdf|docx?|ini|cfg|conf|env|lock|log|xml|svg|png|jpe?g|gif|zip|tar|gz|pem|key|tex|vue|dart|scala|ex|erl|hs|jl"
)
_FILE = re.compile(rf"(?<![\w./@:-])(?:[\w@.~-]+/|/)*[\w@.-]*\w\.(?:{_FILES})(?![\w.(/-]|://)")
_PATH = re.compile(r"[\"'`](/[\w/<>:.{}*-]+)[\"'`]")
_BULLET = re.compile(r"(?:[-*+•·–]|\d{1,3}[.)]|#{1,6}|>)\s+")
_COMMENT = re.compile(r"#(?!\w)|//|/\*|\*\s|<!--|--\s|\"\"\"|'''")
_MODIFIERS = (
    r"(?:(?:export|default|public|private|protected|internal|static|async|final|abstract|pub(?:\([a-z]+\))?|inline|virtual|override|open"
    r"|data|sealed|unsafe|extern|declare)\s+)*"
)
_TYPE = re.compile(
    rf"{_MODIFIERS}(?P<kind>class|struct|enum|interface|trait|impl|module|namespace|package|object|protocol|record|type|@interface)"
    r"\s+(?P<name>[A-Za-z_][\w.:]*)"
)
_FUNCTION = re.compile(
    rf"{_MODIFIERS}(?:def|function\*?|func|fun|fn|sub|proc|procedure)\s+(?:\([^()]*\)\s*)?(?P<name>[A-Za-z_$][\w$.?!]*)\s*"
    r"(?:<[^<>()]*>)?\s*(?P<parameters>\([^()]*\))?"
)
_ARROW = re.compile(
    r"(?:export\s+)?(?:const|let|var|val)\s+(?P<name>[A-Za-z_$][\w$]*)\s*=\s*(?:async\s*)?(?:function\b\s*)?"
    r"(?P<parameters>\([^()]*\)(?=\s*(?:=>|\{))|(?=\w+\s*=>))"
)
_METHOD = re.compile(
    rf"{_MODIFIERS}(?:[A-Za-z_][\w<>\[\],.*&:?]*\s+){{1,4}}[*&]?(?P<name>[A-Za-z_][\w:~]*)\s*(?P<parameters>\([^()]*\))\s*(?:const\s*)?"
    r"(?:throws\s+[\w.]+\s*)?\{?\s*$"
)
_TABLE = re.compile(
    r"\s*(?P<verb>create|alter|drop)\s+(?:or\s+replace\s+)?(?P<kind>table|view|index|function|trigger)\s+(?:if\s+(?:not\s+)?exists\s+)?"
    r"[\"`\[]?(?P<name>\w+)",
    re.IGNORECASE,
)
_FROM = re.compile(r"\b(?:FROM|INTO|JOIN|UPDATE|from|into|join|update)\s+[\"`]?([a-z_]\w+)")
_ERROR = re.compile(r"\[?(?i:error|fatal|panic|warn(?:ing)?|critical)\]?[:\s]\s*\S.*|[\w.]*[a-z](?:Error|Exception|Warning|Panic)\b.*")
_LOG = re.compile(
    r"\[?\d{4}-\d\d-\d\d[T ]\d\d:\d\d|\[?\d\d:\d\d:\d\d|\[?(?:INFO|DEBUG|WARN|WARNING|ERROR|FATAL|TRACE)\b"
    r"|Traceback \(|File \"[^\"]+\", line|at [\w.$<>]+ ?\("
)
_KEY = re.compile(r"-?\s*[\"']?(?P<key>[A-Za-z_$@][\w $./@-]{0,40}?)[\"']?\s*(?::(?!:)|=(?!=))\s*")
_SECTION = re.compile(r"\[+\s*([\w.\"'-]+)\s*\]+\s*$")
_INSTRUCTION = re.compile(r"(?:FROM|ENTRYPOINT|CMD|EXPOSE|RUN|COPY|WORKDIR)\s+(.+)")
_HEADING = re.compile(r"<(?:title|h\d|label|button|legend|th|summary)\b[^<>]*>\s*([^<>{}]{2,60}?)\s*<")
_ATTRIBUTE = re.compile(r"\b(?:id|name|action|href|src|for)=[\"']([^\"'<>{}]{1,60})[\"']")
_SELECTOR = re.compile(r"([^{};]{1,80}?)\s*\{")
_ASSIGNED = re.compile(r"(?:(?:const|let|var|val|my|auto|final)\s+)?([A-Za-z_$][\w$.]*)(?:\s*:\s*[\w\[\]<>|., ]+?)?\s*:?=(?![=>])")
_IMPORTED = re.compile(r"(?:from|import|use|using|require|include|#include|library|@import)\b\s*(.*)")
_CALLED = re.compile(r"([A-Za-z_$][\w$]*(?:\.[A-Za-z_$][\w$]*)*)\s*\(")
_NAME = re.compile(r"[^\W\d_]\w*(?:['’-]\w+)*")
_MODULE = re.compile(r"@?[A-Za-z_][\w.]*(?:[/-]\w+)*")
_UNTOLD = word_set(
    "if for while switch return print catch elif else except with assert and or not in is new await this self super import from as class"
    " def function const let var true false null none undefined string int float bool void str len range require use using include main"
    " args kwargs console.log log"
)
"""Names that tell nothing."""

_CODELIKE = re.compile(
    r"[{}\[\](]\s*,?$|[;{}]\s*$|^\s*[})\]]+[,;]?\s*$|^\s*(?:import|from|def|class|return|const|let|var|if|for|while|else|elif|try|except|fn|func"
    r"|public|private|static|#include|use|package|end|SELECT|INSERT|CREATE|UPDATE|DELETE|FROM|WHERE)\b.*[\w:;(){}\"'>*]$"
    r"|=>|->|:=|\w\s?[+*/-]?=\s?[\w\"'\[({$]|^\s*</?\w[^>]*>|^\s*@\w+|^\s*\$ \w|\w\(.*\)\s*[;:,]?$|^\s*[\"']?[\w-]+[\"']?\s*:\s*[\"\[{\d]"
)
_PROSE_LINE = re.compile(r"^\s*(?:[-*•]\s+|\d+[.)]\s+)?[\"“'(*]*[^\W\d_][^{}<>=;|]*$")
_ENDS = (".", ",", ";", ":", "!", "?", "…", "。", "，", "；", "：", "！", "？", "、")


@dataclass(frozen=True, slots=True)
class Name:
    """A name in a block, and how much it tells there by its role, in [0, 1]."""

    text: str
    role: float


@dataclass(frozen=True, slots=True)
class Outline:
    """A block that is not prose: the language of its fence, "" if it has none, and its telling names in their order."""

    label: str
    names: tuple[Name, ...]


def cut_blocks(text: str) -> list[str | Outline]:
    """A text as prose, on one line each, and outlines of what is not prose, in order; never empty for a text with a word in it.

    Lists become sentences; what a fence holds is prose if it reads like it: a letter, say.
    """
    if "\n" not in text and FENCE not in text:
        return [text]
    parts: list[str | Outline] = []
    for body, language in _fenced(text):
        if language is None:
            parts += _unfenced(body)
        elif _is_beside(body.split("\n")) or (language and language not in _PLAIN):
            parts.append(outline(body, language))
        else:
            parts += _unfenced(body)
    told: list[str | Outline] = []
    for part in parts:
        if isinstance(part, str) and told and isinstance(told[-1], str):
            told[-1] = f"{told[-1]} {part}".strip()
        elif part:
            told.append(part)
    if any(isinstance(part, str) or part.names or part.label for part in told):
        return told
    return [" ".join(text.replace(FENCE, " ").split())]


def outline(body: str, language: str = "") -> Outline:
    """What a block tells: its most telling names, at most `MOST_NAMES`, in their order.

    Args:
        body: the block, without its fence.
        language: what its fence says, casefolded.
    """
    found: dict[str, Name] = {}
    lines = [line[:_WIDTH] for line in body.split("\n", _MOST_LINES)[:_MOST_LINES]]
    names = _table(lines) if _is_table(lines) else (name for line in lines for name in _names(line.strip(), language))
    for name in names:
        key = name.text.casefold()
        if name.text and (key not in found or found[key].role < name.role):
            found[key] = name
    if not found:
        words = (match.group() for line in lines for match in _NAME.finditer(line))
        found = {word.casefold(): Name(word, 0.1) for word in words if len(word) > 2}
    cut = body.endswith("…")  # the last word of a text that was cut short may be a part of one
    last = WORD.findall(lines[-1])[-1:] if cut and lines else []
    told = [name for name in found.values() if name.text not in last and count_words(name.text)]
    if sum(name.role >= _TELLING for name in told) >= _ENOUGH:
        told = [name for name in told if name.role >= _TELLING]
    most = sorted(range(len(told)), key=lambda place: (-told[place].role, place))[:MOST_NAMES]
    return Outline("" if language in _PLAIN else language, tuple(told[place] for place in sorted(most)))


def _fenced(text: str) -> Iterator[tuple[str, str | None]]:
    """A text in pieces: what a fence holds with the language that it says, casefolded, "" for none; and what is outside, with None."""
    outside = 0
    start = text.find(FENCE)
    while start >= 0:
        line = text.find("\n", start)
        close = text.find(FENCE, start + len(FENCE))
        if close >= 0 and (close < line or line < 0):  # on one line, as a value
            yield f"{text[outside:start].rstrip(' ')} `{text[start + len(FENCE) : close].strip()}`", None
            outside = close + len(FENCE)
        elif line < 0:
            yield text[outside:start], None
            outside = start + len(FENCE)
        else:
            said = text[start + len(FENCE) : line].split()
            language = said[0].casefold() if said and re.fullmatch(r"[\w+#.-]{1,20}", said[0]) else ""
            before = text[outside:start]
            if close < 0 and not said and not text[line:].startswith("\n```") and _is_beside(before.split("\n")) and before.count("\n") > 1:
                yield before, ""  # a block whose beginning was cut away
                outside = line
                break
            yield before, None
            end = close if close >= 0 else len(text)
            yield text[line + 1 : end], language
            outside = min(len(text), end + len(FENCE))
        start = text.find(FENCE, outside)
    yield text[outside:], None


def _unfenced(text: str) -> Iterator[str | Outline]:
    """Text outside a fence: lines that do not read like prose, two or more together, as outlines."""
    prose: list[str] = []
    block: list[str] = []
    for line in [*text.split("\n"), None]:
        if line is not None and not line.strip():
            continue
        if line is not None and _is_code(line):
            block.append(line)
            continue
        if len(block) > 1 or (block and block[0].lstrip().startswith("|")):
            yield _joined(prose)
            prose = []
            yield outline("\n".join(block))
        else:
            prose += block
        block = []
        if line is not None:
            prose.append(line)
    yield _joined(prose)


def _joined(lines: Sequence[str]) -> str:
    """Lines as one: the items of a list as clauses, what goes on in the next line as it was."""
    out = ""
    for line in lines:
        bullet = _BULLET.match(line.lstrip())
        text = " ".join((line.lstrip()[bullet.end() :] if bullet else line).split())
        if not out or not text:
            out += text
        elif out.endswith(_ENDS) or (not bullet and text[:1].islower()):
            out += f" {text}"
        else:
            out += f"; {text}"
    return out


def _is_beside(lines: Sequence[str]) -> bool:
    """Whether lines are something else than prose."""
    said = [line for line in lines if line.strip()]
    return bool(said) and sum(_is_code(line) for line in said) >= _BESIDE * len(said)


def _is_code(line: str) -> bool:
    """Whether a line is of code, a table, a log or a drawing, as far as it tells."""
    line = line[:_WIDTH]
    stripped = line.strip()
    if (stripped.startswith("|") and stripped.count("|") > 1) or line.count("\t") > 1:
        return True
    if _LOG.match(stripped) or stripped.startswith(("//", "/*", "<!--")):
        return True
    letters = sum(ch.isalpha() for ch in stripped)
    if letters * 3 < len(stripped.replace(" ", "")) or stripped.count("  ") > 2:
        return True
    return bool(_CODELIKE.search(line)) and not (_PROSE_LINE.match(line) and stripped.endswith((".", "!", "?")))


def _is_table(lines: Sequence[str]) -> bool:
    rows = [line for line in lines if line.strip()]
    return len(rows) > 1 and sum(line.count("|") > 1 or line.count("\t") > 1 for line in rows) * 2 > len(rows)


def _table(lines: Sequence[str]) -> Iterator[Name]:
    """The columns of a table, then what its rows begin with."""
    head = True
    for line in lines:
        cells = [cell.strip(" *`") for cell in re.split(r"[|\t]", line.strip().strip("|"))]
        if not WORD.search(line):
            continue
        for cell in cells if head else cells[:1]:
            yield Name(_cut(cell), 1.0 if head else 0.8)
        head = False


def _names(line: str, language: str) -> Iterator[Name]:
    """The names in a line, the more telling of a line's before the others."""
    if not line:
        return
    for match in _FILE.finditer(line):
        yield Name(match.group(), 0.9)
    if _COMMENT.match(line) and language not in _STYLES:
        return
    if language in _SHELLS or line.startswith("$ "):
        yield Name(_cut(line.removeprefix("$ ").rstrip("\\ ")), 1.0)
        return
    for match in _PATH.finditer(line):
        yield Name(match[1], 0.9)
    if (defined := _defined(line)) is not None:
        yield defined
        return
    if language in _STYLES:
        if selector := _SELECTOR.match(line):
            yield Name(_cut(selector[1]), 0.8)
        return
    if language in _MARKUP or line.startswith("<"):
        for match in _HEADING.finditer(line):
            yield Name(_cut(match[1]), 0.8)
        for match in _ATTRIBUTE.finditer(line) if not line.startswith("<meta") else ():
            yield Name(match[1], 0.5)
        if language in _MARKUP:
            return
    if language in _DATA:
        yield from _keys(line)
        return
    if error := _ERROR.match(line):
        yield Name(_cut(error.group()), 1.0)
        return
    for match in _FROM.finditer(line) if language == "sql" else ():
        yield Name(match[1], 0.7)
    if imported := _IMPORTED.match(line):
        for match in _MODULE.finditer(imported[1]):
            yield from _plain(match.group(), 0.3)
        return
    if assigned := _ASSIGNED.match(line):
        yield from _plain(assigned[1], 0.6)
    elif key := _KEY.match(line):
        yield from _plain(key["key"], 0.3)
    for match in _CALLED.finditer(line):
        yield from _plain(match[1], 0.3)


def _defined(line: str) -> Name | None:
    """What a line defines: `class Boat`, `row(crew, miles)`, `CREATE TABLE boats`."""
    if match := _TYPE.match(line):
        return Name(f"{match['kind']} {match['name'].rstrip(':.')}", 1.0)
    if match := _TABLE.match(line):
        return Name(f"{match['verb']} {match['kind']} {match['name']}", 1.0)
    match = _FUNCTION.match(line) or _ARROW.match(line) or _METHOD.match(line)
    if match is None or match["name"].casefold() in _UNTOLD or line.startswith(("return ", "else ", "await ", "new ", "throw ")):
        return None
    parameters = match["parameters"] or "()"
    signature = match["name"] + " ".join(parameters.split())
    return Name(signature if count_words(signature) <= _MOST_WORDS else f"{match['name']}(…)", 1.0)


def _keys(line: str) -> Iterator[Name]:
    """The key of a line of a configuration, or what a line of a recipe for containers does."""
    if section := _SECTION.match(line):
        yield Name(section[1].strip("\"'"), 0.9)
    elif said := _INSTRUCTION.match(line):
        yield Name(_cut(said.group()), 0.5 if line.startswith(("COPY", "WORKDIR")) else 0.7)
    elif key := _KEY.match(line):
        named = line[key.end() :].strip(" ,\"'") if key["key"] == "name" else ""
        yield Name(_cut(named) or key["key"], 0.8 if named else 0.6)


def _plain(name: str, role: float) -> Iterator[Name]:
    if name.casefold() not in _UNTOLD and len(name) > 2:
        yield Name(name, role)


def _cut(text: str) -> str:
    """The first words of a text, of at most `_MOST_WORDS`, with the sign of what is shortened if there are more."""
    if count_words(text) <= _MOST_WORDS:
        return text.strip(" ,;:")
    out: list[str] = []
    left = _MOST_WORDS
    for part in text.split():
        left -= count_words(part)
        if left < 0:
            break
        out.append(part)
    return f"{' '.join(out)}…" if out else ""
