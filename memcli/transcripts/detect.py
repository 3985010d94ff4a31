"""Which format a transcript is in."""

from __future__ import annotations

from pathlib import PurePath

from memcli.errors import UsageError
from memcli.transcripts import (
    archive,
    beam,
    chat,
    chatgpt,
    claude,
    claude_code,
    codex,
    discord,
    locomo,
    longmemeval,
    slack,
    telegram,
    text,
    whatsapp,
)
from memcli.transcripts.reader import Reader
from memcli.transcripts.sample import BLANK, Sample, describe
from memcli.transcripts.source import Source

READERS: tuple[Reader, ...] = (
    claude.READER,
    chatgpt.READER,
    claude_code.READER,
    codex.READER,
    slack.READER,
    whatsapp.READER,
    telegram.READER,
    discord.READER,
    locomo.READER,
    longmemeval.READER,
    beam.READER,
    text.READER,
    chat.READER,
)
"""Asked in this order: the particular before the general, so that `chat` comes last."""


EXAMPLE = '{"role": "user", "content": "..."}'
"""The simplest message that any reader knows."""


def formats() -> tuple[str, ...]:
    """The names of all formats, in alphabetical order."""
    return tuple(sorted(reader.name for reader in READERS))


def reader_named(name: str) -> Reader:
    """The reader of a format.

    Raises:
        UsageError: there is no format of that name.
    """
    for reader in READERS:
        if reader.name == name:
            return reader
    raise UsageError(f"unknown format {name!r}; choose one of {', '.join(formats())}")


def detect(source: Source) -> Reader:
    """The reader for `source`, by its content, else by its name. An empty file is an empty `chat`.

    Raises:
        InputError: it is no transcript that any reader knows.
    """
    sample = source.sample()
    reader = recognise(sample, source.name)
    if reader is None and source.kind == "zip":
        reader = archive.first_reader(source, recognise)
    if reader is None:
        expected = f"a transcript, for example JSON lines like {EXAMPLE}; formats: {', '.join(formats())} (--format NAME takes it for one)"
        raise source.error(f"looks like {describe(sample)}; expected {expected}")
    return reader


def recognise(sample: Sample, name: str) -> Reader | None:
    """The reader for a transcript of this sample and file name; None if it is none that any reader knows."""
    for reader in READERS:
        if reader.sniff(sample):
            return reader
    if sample.kind == "file":
        if not sample.text.strip(BLANK):
            return chat.READER
        base = PurePath(name).name
        for reader in READERS:
            if sample.text.lstrip(BLANK).startswith(("{", "[")) and reader.file_name and reader.file_name.search(base):
                return reader
    return None
