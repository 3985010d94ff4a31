"""What SQLite says about a file, and what the rows of a damaged one lead to, as errors that a person can act on."""

from __future__ import annotations

import os
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from pathlib import Path

import apsw

from memcli.errors import OUT_OF_FILES, StoreError

MORE_FILES = "close some files, or raise the limit (ulimit -n)"
"""What to do when too many files are open."""

_SPARE_FILES = 8
"""More than SQLite opens for one connection. A process that cannot open so many has met its limit, whatever it was told."""


class DamagedError(StoreError):
    """What is in the file is not what a memory holds."""


@contextmanager
def explained(path: Path, *, opening: bool = False) -> Iterator[None]:
    """Turn what SQLite says about the file into a `StoreError` that says what to do next.

    Broken constraints and SQL that cannot be parsed are mistakes of the program, not of the file, and pass through. Other SQL fails
    only on a file whose tables are not what this program made: `DamagedError`, as for text that is not UTF-8.

    Args:
        path: the file's path, for the message.
        opening: whether the file is being opened, so that `mem verify` could not open it either.
    """
    try:
        yield
    except (apsw.BusyError, apsw.LockedError) as error:
        raise StoreError(f"{path} is locked by another process: wait for it to finish, and try again") from error
    except apsw.NotADBError as error:
        raise StoreError(f"{path} is not a memory file: name another with --db") from error
    except apsw.FullError as error:
        raise StoreError(f"{path}: the disk is full; nothing was half-written: make room, and try again") from error
    except apsw.CantOpenError as error:
        if _out_of_files():
            raise StoreError(f"{path} cannot be used (too many open files): {MORE_FILES}") from error
        raise StoreError(f"{path} cannot be opened ({error}): check its permissions, its folder's, and the disk") from error
    except (apsw.PermissionsError, apsw.ReadOnlyError, apsw.IOError) as error:
        raise StoreError(f"{path} cannot be opened or written ({error}): check its permissions, its folder's, and the disk") from error
    except (apsw.CorruptError, apsw.FormatError, apsw.InternalError, apsw.SQLError, UnicodeDecodeError) as error:
        if isinstance(error, apsw.SQLError) and "syntax error" in str(error):
            raise
        raise _damaged(path, error, opening=opening) from error


@contextmanager
def loading(path: Path) -> Iterator[None]:
    """`explained` for a block that only takes rows and makes objects of them: rows that do not fit together are damage too."""
    with explained(path):
        try:
            yield
        except (LookupError, TypeError, ValueError) as error:
            raise _damaged(path, error) from error


@contextmanager
def suspecting(path: Path, sound: Callable[[], bool]) -> Iterator[None]:
    """A block that writes, in which a failure that nobody foresaw is the file's if there is anything wrong with the file.

    Writing computes with what it reads, so that damage can come out as nearly anything, and anywhere.

    Args:
        path: the file's path, for the message.
        sound: checks the file, which may take long; asked after such a failure only.
    """
    try:
        yield
    except (apsw.ConstraintError, ArithmeticError, AssertionError, AttributeError, LookupError, TypeError, ValueError) as error:
        if isinstance(error, UnicodeDecodeError) or sound():
            raise
        raise _damaged(path, error) from error


def _damaged(path: Path, error: Exception, *, opening: bool = False) -> DamagedError:
    """The error for a file in which `error` was met."""
    told = isinstance(error, apsw.Error) and not isinstance(error, apsw.ConstraintError)
    reason = str(error) if told else "its rows do not fit together"
    if isinstance(error, UnicodeDecodeError):
        reason = "a text in it is not UTF-8"
    where = "" if opening else f"mem verify --db {path} tells where; "
    return DamagedError(f"{path} is damaged ({reason}): {where}restore it from a copy, or ingest its transcripts into a new file")


def _out_of_files() -> bool:
    """Whether it is the limit on open files that kept SQLite from opening one."""
    opened: list[int] = []
    try:
        for _ in range(_SPARE_FILES):
            opened.append(os.open(os.devnull, os.O_RDONLY))
    except OSError as error:
        return error.errno in OUT_OF_FILES
    finally:
        for number in opened:
            os.close(number)
    return False
