"""`mem status`: what is in the memory file."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from typing import Any, Final

from memcli import config
from memcli.cli import options
from memcli.cli.render import times
from memcli.cli.render.clean import one_line
from memcli.cli.render.screen import Screen, glued
from memcli.cli.render.words import counted
from memcli.results import Status

EXAMPLE = """
mem status
mem status --json --db notes.memdb
"""

_CONVERSATIONS_SHOWN: Final = 10
_SPEAKERS_SHOWN: Final = 4
_NAME_COLUMNS: Final = 40
"""A longer name of a conversation pushes its own line to the right, not everybody's."""

_NOUNS: Final = {
    "claims": ("claim: what was said, as one statement", "claims: what was said, as statements of their own"),
    "claims_archived": ("claim put away by compression", "claims put away by compression"),
    "messages": ("message", "messages"),
    "conversations": ("conversation", "conversations"),
    "sessions": ("session of a conversation", "sessions of conversations"),
    "pages": ("page: messages in a row on one subject", "pages: messages in a row on one subject"),
    "spans": ("span: a sentence or so of a message", "spans: a sentence or so of a message"),
    "referents": ("person or thing spoken of", "people and things spoken of"),
    "handles": ("mention of them", "mentions of them"),
    "time_cues": ("time mentioned", "times mentioned"),
    "pivots": ("event mentioned", "events mentioned"),
    "keywords": ("keyword", "keywords"),
    "edges": ("link between claims", "links between claims"),
    "groups": ("group of claims that are alike", "groups of claims that are alike"),
    "topics": ("topic", "topics"),
    "event_trees": ("event tree", "event trees"),
    "runs": ("compression", "compressions"),
    "tombstones": ("thing forgotten for good", "things forgotten for good"),
}
"""What a person calls one and several rows of each family, in the order in which they are shown."""

_INTERNAL: Final = frozenset({"ingests", "packs", "completions"})
"""Counts that tell a person nothing about the transcripts."""

_FAMILIES: Final = {
    "file": "the whole file",
    "wal": "not yet folded into the file",
    "text": "words",
    "search": "word indexes",
    "vectors": "vectors",
    "other": "everything else",
}
"""What the bytes of each family are for."""


def status(
    *,
    db: options.Db = None,
    json: options.Json = False,
    quiet: options.Quiet = False,
    debug: options.Debug = False,
) -> int:
    """Show what is in the memory file: its transcripts, what was made of them, its models, its sizes."""
    screen = Screen(json, quiet)
    from memcli.memory import Memory

    with Memory.open(config.resolve_db(db), create=False, read_only=True) as memory:
        found = memory.status()
    if screen.as_json:
        screen.json(found.to_dict())
    else:
        _print_status(screen, found)
    return 0


def _print_status(screen: Screen, found: Status) -> None:
    screen.line((found.path, "bold"), (f"  schema {found.schema_version}", "dim"))
    if not found.counts.get("messages"):
        screen.line("nothing in it yet; mem ingest FILE reads a transcript into it")
    _print_conversations(screen, found.conversations)
    nouns = {name: _NOUNS.get(name, (name.replace("_", " "),) * 2) for name in found.counts if name not in _INTERNAL}
    counts = [(f"{found.counts[name]:,}", nouns[name][found.counts[name] != 1]) for name in _ordered(nouns) if found.counts[name]]
    _print_table(screen, "it holds", counts, right=True)
    _print_table(screen, "models", [(str(model.get("role")), _model(model)) for model in found.models])
    _print_table(screen, "a language model proposed", [(use, _became(outcome)) for use, outcome in found.proposals.items()])
    _print_table(screen, "sizes", [(_size(count), _FAMILIES.get(name, name)) for name, count in found.bytes.items() if count], right=True)


def _model(model: Mapping[str, Any]) -> str:
    dimension = model.get("dimension")
    return f"{model.get('name')}, {dimension} dimensions" if dimension else str(model.get("name"))


def _became(outcome: Mapping[str, Any]) -> str:
    """What became of the proposals of one use: how many were taken, and why the others were not, the commonest reason first."""
    taken = f"{outcome['accepted']:,} of {outcome['proposed']:,} taken"
    reasons = sorted(outcome["rejected"].items(), key=lambda pair: (-pair[1], pair[0]))
    return ", ".join([taken, *(f"{count:,} {reason.replace('_', ' ')}" for reason, count in reasons)])


def _ordered(names: Iterable[str]) -> list[str]:
    """The counts that have words for them, in the order of the words, then the others."""
    known = list(_NOUNS)
    return sorted(names, key=lambda name: known.index(name) if name in known else len(known))


def _print_conversations(screen: Screen, conversations: Sequence[Mapping[str, Any]]) -> None:
    if not conversations:
        return
    screen.gap()
    screen.line("transcripts", style="bold")
    shown = conversations[:_CONVERSATIONS_SHOWN]
    names = [one_line(str(conversation["id"])) for conversation in shown]
    width = min(max(map(len, names)), _NAME_COLUMNS)
    counts = [counted(int(conversation["messages"]), "message") for conversation in shown]
    digits = max(map(len, counts))
    for name, count, conversation in zip(names, counts, shown, strict=True):
        speakers = [one_line(str(speaker)) for speaker in conversation["speakers"]]
        people = ", ".join(speakers[:_SPEAKERS_SHOWN])
        if (more := len(speakers) - _SPEAKERS_SHOWN) > 0:
            people += f" and {more:,} more"
        parts = [part for part in (people, _dates(conversation["first"], conversation["last"])) if part]
        screen.line(" · ".join(map(glued, parts)), lead=f"  {name:<{width}}  {count:>{digits}}  ")
    if (more := len(conversations) - len(shown)) > 0:
        screen.line(f"and {more:,} more; --json lists them", lead="  ")


def _dates(first: str | None, last: str | None) -> str:
    if first is None or last is None:
        return ""
    start, end = times.day(first), times.day(last)
    return start if start == end else f"{start} to {end}"


def _print_table(screen: Screen, title: str, rows: Sequence[tuple[str, str]], right: bool = False) -> None:
    """Two columns, the first right-aligned if it is one of numbers."""
    if not rows:
        return
    screen.gap()
    screen.line(title, style="bold")
    width = max(len(left) for left, _ in rows)
    for left, text in rows:
        screen.line(text, lead=f"  {left:{'>' if right else '<'}{width}}  ")


def _size(count: float) -> str:
    for unit in ("B", "kB", "MB"):
        if count < 1000:
            return f"{count:.0f} {unit}" if unit == "B" else f"{count:.1f} {unit}"
        count /= 1000
    return f"{count:.1f} GB"
