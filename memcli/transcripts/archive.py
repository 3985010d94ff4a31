"""A zip archive that is no export of its own: every transcript in it, in the order of their names."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from dataclasses import replace

from memcli.atoms import Message
from memcli.transcripts.reader import Reader
from memcli.transcripts.sample import Sample
from memcli.transcripts.source import Source

Chooser = Callable[[Sample, str], Reader | None]
"""Gives the reader for a file's sample and name."""


def first_reader(source: Source, choose: Chooser) -> Reader | None:
    """The reader for the first transcript in an archive; None if there is none."""
    for name in sorted(source.members):
        sample = source.peek_member(name)
        if sample.text.strip() and (reader := choose(sample, name)):
            return reader
    return None


def messages(source: Source, choose: Chooser) -> Iterator[Message]:
    """The messages of each file that `choose` has a reader for; the others are left out and counted."""
    for name in sorted(source.members):
        with source.member(name) as member:
            sample = member.sample()
            reader = choose(sample, name) if sample.text.strip() else None
            if reader is None:
                source.warnings.count("file that is no transcript skipped", "files that are no transcripts skipped")
                continue
            for message in reader.read(member):
                place = message.locator if message.locator.startswith(name) else member.place(message.locator)
                yield replace(message, locator=place)
