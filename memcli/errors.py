"""Everything that can go wrong for a user, as one tree. Each message says what happened and what to do next.

`exit_code` is the command's exit status for the error; library users catch `MemError` or one of its children.
"""

from __future__ import annotations

import errno

OUT_OF_FILES = (errno.EMFILE, errno.ENFILE)
"""What the system says when this process, or all of them, have too many files open: no fault of the file that was to be opened."""


class MemError(Exception):
    """The root of the tree. `str(error)` is one line meant for a person."""

    exit_code = 1


class UsageError(MemError):
    """The call itself is wrong: an unknown option value, a question that is missing."""

    exit_code = 2


class NotFoundError(MemError):
    """What was asked for is not in the memory."""

    exit_code = 1


class InputError(MemError):
    """A transcript (or another input) cannot be read: which file, where in it, what was expected."""

    exit_code = 3

    def __init__(self, message: str, *, source: str = "", locator: str = "") -> None:
        """Prefix `message` with `source` and `locator` (both optional), the way compilers do."""
        place = ": ".join(part for part in (source, locator) if part)
        super().__init__(f"{place}: {message}" if place else message)
        self.source = source
        self.locator = locator


class StoreError(MemError):
    """The memory file is locked, damaged, not a memory, or of a newer version."""

    exit_code = 4


class ModelError(MemError):
    """A model is missing, does not match the file, or failed."""

    exit_code = 5
