"""An export in any format: to a stream, a file, or a folder."""

from __future__ import annotations

import os
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from importlib import import_module
from pathlib import Path
from typing import Any, Final, TextIO

import apsw

from memcli.errors import UsageError
from memcli.provenance.reading import Reading
from memcli.store.closure import closure_of

FORMATS: Final[Mapping[str, str]] = {
    "jsonl": "jsonl",
    "prov-json": "prov_json",
    "graphml": "graphml",
    "dot": "dot",
    "markdown": "markdown",
    "parquet": "parquet",
}
"""Each format and the module of this package that writes it."""

FOLDERS: Final = frozenset(("parquet",))
"""Formats of several files."""


@dataclass(frozen=True, slots=True)
class Exported:
    """What was exported: `rows` by kind of atom, as many as were read; `path` is None for a stream."""

    format: str
    path: str | None
    claim: int | None
    rows: Mapping[str, int]

    def to_dict(self) -> dict[str, Any]:
        """The object `mem export --json` prints."""
        return {"format": self.format, "path": self.path, "claim": self.claim, "rows": dict(self.rows)}


def export(
    connection: apsw.Connection,
    format: str,
    output: TextIO | Path,
    *,
    claim: int | None = None,
    progress: Callable[[str, int, int | None], None] | None = None,
) -> Exported:
    """Export a memory, or where one claim comes from. Nothing but the rows at hand is held in memory.

    Args:
        connection: an open memory, in a transaction, so that all rows are of one moment.
        format: one of `FORMATS`.
        output: a text stream; or the path of a file (of a folder, for a format of `FOLDERS`). What is there is replaced once the new one
            is whole. Files are made readable by their owner only, as the memory is.
        claim: whose closure is exported, see `memcli.store.closure.closure_of`; None for the whole memory.
        progress: told ("rows", done, None).

    Raises:
        UsageError: no such format; one of several files was to go to a stream; it needs a package that is not installed; or `output` is
            the memory itself.
        NotFoundError: no such claim.
        OSError: `output` cannot be written.
    """
    if format not in FORMATS:
        raise UsageError(f"unknown format {format!r}; choose one of {', '.join(FORMATS)}")
    reading = Reading(connection, None if claim is None else closure_of(connection, claim), progress)
    writer = import_module(f"memcli.provenance.{FORMATS[format]}")
    if not isinstance(output, Path):
        if format in FOLDERS:
            raise UsageError(f"{format} is a folder of files: name one with -o")
        writer.write(reading, output)
    elif format in FOLDERS:
        if output.exists() and not output.is_dir():
            raise UsageError(f"{output} is a file; {format} is a folder of files: name a folder with -o")
        writer.write(reading, output)
    else:
        if output.is_dir():
            raise UsageError(f"{output} is a folder; name a file in it with -o")
        if output.exists() and output.samefile(connection.filename):
            raise UsageError(f"{output} is the memory itself; name another file with -o")
        _to_file(output, lambda stream: writer.write(reading, stream))
    return Exported(format, str(output) if isinstance(output, Path) else None, claim, reading.counts)


def _to_file(path: Path, write: Callable[[TextIO], None]) -> None:
    """Write a file beside `path` and put it in its place; a device or pipe is written to as it is."""
    if path.exists() and not path.is_file():
        with path.open("w", encoding="utf-8", newline="\n") as stream:
            write(stream)
        return
    target = path.resolve()
    partial = target.with_name(f".{target.name}.{os.getpid()}.part")
    try:
        descriptor = os.open(partial, os.O_WRONLY | os.O_CREAT | os.O_EXCL, 0o600)
        with os.fdopen(descriptor, "w", encoding="utf-8", newline="\n") as stream:
            write(stream)
        partial.replace(target)
    finally:
        partial.unlink(missing_ok=True)
