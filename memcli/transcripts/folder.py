"""A folder of transcripts: which of its files to read, each as a transcript of its own.

A folder that is itself one export (a ChatGPT export, unpacked) is one transcript and stays one.
"""

from __future__ import annotations

import os
import re
from collections.abc import Iterator
from pathlib import Path
from typing import IO

from memcli.errors import InputError
from memcli.transcripts.detect import EXAMPLE, formats, recognise
from memcli.transcripts.notes import Warnings
from memcli.transcripts.sample import Sample, describe
from memcli.transcripts.source import open_source
from memcli.transcripts.transcript import read

_MEMORY = re.compile(r"\.memdb(?:-wal|-shm|-journal)?$")
"""A memory file may lie among the transcripts that it is made of."""

TranscriptSource = str | Path | IO[bytes]


def transcripts_in(source: TranscriptSource, format: str | None, warnings: Warnings) -> Iterator[TranscriptSource]:
    """What to read for `source`: itself, or the transcripts in it if it is a folder that is no export.

    A folder's files come sorted by name, folders in it included, hidden ones not. Each is looked at just before it is yielded, up to
    its first message; a file that is no transcript is left out with a warning.

    Raises:
        InputError: it is a folder, and nothing in it is a transcript.
    """
    if not isinstance(source, str | Path) or not Path(source).is_dir() or _is_export(Path(source)):
        yield source
        return
    found = False
    for path in _parts(Path(source)):
        problem = _problem(path, format)
        if problem is None:
            found = True
            yield path
        else:
            warnings.say(f"skipped {problem}")
    if not found:
        expected = f"transcripts, for example JSON lines like {EXAMPLE}; formats: {', '.join(formats())}"
        with_files = open_source(source)
        raise with_files.error(f"looks like {describe(with_files.sample())}; expected {expected}")


def _parts(folder: Path) -> Iterator[Path]:
    """The files below a folder, and in place of a folder's files the folder, if it is an export."""
    try:
        with os.scandir(folder) as found:
            entries = sorted(found, key=lambda entry: entry.name)
    except OSError as error:
        raise InputError(f"cannot be read: {error.strerror}", source=str(folder)) from error
    for entry in entries:
        path = Path(entry.path)
        if entry.name.startswith(".") or _MEMORY.search(entry.name):
            continue
        # A link to a folder may lead back to where it is.
        if entry.is_file() or (entry.is_dir(follow_symlinks=False) and _is_export(path)):
            yield path
        elif entry.is_dir(follow_symlinks=False):
            yield from _parts(path)


def _is_export(folder: Path) -> bool:
    """Whether the folder, by the names in it, is one export; one that lies alone in a folder makes that the export."""
    members = open_source(folder).members
    top = tuple(name for name in members if "/" not in name)
    if not top and len({name.partition("/")[0] for name in members}) == 1:
        top = tuple(members)
    return recognise(Sample("folder", "", None, complete=False, members=top), str(folder)) is not None


def _problem(path: Path, format: str | None) -> str | None:
    """Why a file is no transcript, behind its name; None if it is one."""
    try:
        if format is None and not path.is_dir():
            opened = open_source(path)
            try:
                sample = opened.sample()
            finally:
                opened.close()
            if recognise(sample, str(path)) is None:
                return f"{path}: looks like {describe(sample)}"
        for _ in read(path, format).messages:
            return None
    except InputError as error:
        return str(error)
    return f"{path}: no message in it has any text"
