"""What a format is: a name, a way to recognise it, and a function that reads it."""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator
from dataclasses import dataclass

from memcli.atoms import Message
from memcli.errors import InputError
from memcli.transcripts.sample import Sample, describe_value
from memcli.transcripts.source import Source


@dataclass(frozen=True, slots=True)
class Reader:
    """One transcript format. A module per format defines one; `detect.READERS` lists them.

    `read` yields messages lazily in the transcript's own order. It need not care for empty messages, lone surrogates,
    NUL characters or the `source` field: whoever calls it does that for all formats.
    """

    name: str
    expects: str
    """What such a transcript looks like, in a few words, for error messages."""
    sniff: Callable[[Sample], bool]
    """Whether the sample is of this format; it must not raise, whatever it is given."""
    read: Callable[[Source], Iterator[Message]]
    file_name: re.Pattern[str] | None = None
    """File names that tell the format where the content does not (an empty array, a first line cut off)."""

    def wrong(self, source: Source, value: object, locator: str = "") -> InputError:
        """The error for a JSON value that is not what this format has at that place."""
        return source.error(f"looks like {describe_value(value)}; {self.name} expects {self.expects}", locator)
