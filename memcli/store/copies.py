"""A whole memory file, copied as it is at one moment."""

from __future__ import annotations

import os
from pathlib import Path

import apsw


def copy_memory(connection: apsw.Connection, target: Path) -> None:
    """Copy an open memory into a new file, one that others may be writing to as well.

    Args:
        connection: the memory.
        target: a path where no file is.
    """
    copy = apsw.Connection(os.fsencode(target.absolute()).decode())
    try:
        with copy.backup("main", connection, "main") as backup:
            backup.step(-1)
        copy.execute("PRAGMA journal_mode = DELETE")
    finally:
        copy.close()
