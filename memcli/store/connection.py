"""Opening and closing the `.memdb` file, and transactions on it."""

from __future__ import annotations

import functools
import importlib.util
import os
import stat
import time
from array import array
from collections.abc import Callable, Iterator
from contextlib import contextmanager, suppress
from pathlib import Path
from typing import Any

import apsw

from memcli.errors import OUT_OF_FILES, StoreError
from memcli.store import packs
from memcli.store.failures import MORE_FILES, explained
from memcli.store.migrations import APPLICATION_ID, find_migrations, migrate, newer, user_version

_MODE = 0o600
"""A memory holds private talk: only its owner may read it. SQLite gives its -wal and -shm the same mode."""

_CACHE_KIB = 16 * 1024
_MMAP_BYTES = 128 * 1024 * 1024
"""Page cache and memory map: enough for the indexes of a large memory, small beside an embedding model."""


def connect(path: Path, *, create: bool = True, read_only: bool = False, busy_timeout_s: float = 30) -> apsw.Connection:
    """Open a memory file, sqlite-vec loaded, foreign keys enforced, schema up to date.

    A file that is missing or empty is made into a new memory (mode 0600, with its parent folders). Writers use a
    write-ahead log; close with `tidy_close` to be left with one file.

    Args:
        path: the file.
        create: whether to make it if it is missing or empty; never done with `read_only`.
        read_only: open without the right to write. Works in a folder that cannot be written to. A file of an older version is
            first brought up to date, by a connection of its own, as opening it for writing would; so is one that a process which was
            killed has left to be rolled back.
        busy_timeout_s: how long, in seconds, any statement waits for another process's lock.

    Raises:
        StoreError: it is missing, a folder, unreadable, not a memory, damaged, locked, of a newer version, or of an older one where it
            cannot be written to.
    """
    try:
        fresh = _prepare(path, create=create and not read_only)
        if read_only:
            try:
                return _open(path, _address(path), fresh=False, busy_timeout_s=busy_timeout_s)
            except _OlderVersionError:
                pass
            except StoreError as error:
                if not _left_unfinished(error, path):
                    raise
            tidy_close(_open(path, _writing_address(path), fresh=False, busy_timeout_s=busy_timeout_s))
            return _open(path, _address(path), fresh=False, busy_timeout_s=busy_timeout_s)
        return _open(path, _writing_address(path), fresh=fresh, busy_timeout_s=busy_timeout_s)
    except OSError as error:
        cause = MORE_FILES if error.errno in OUT_OF_FILES else "check the path and its permissions"
        raise StoreError(f"{path} cannot be used ({error.strerror}): {cause}") from error


def is_absent(path: Path) -> bool:
    """Whether there is nothing at `path`, as far as can be seen."""
    try:
        return not path.exists()
    except OSError:
        return False


class _OlderVersionError(Exception):
    """The file is of an older version, and can be brought up to date."""


def _left_unfinished(error: StoreError, path: Path) -> bool:
    """Whether a file could not be read because a change to it was cut off, and can be written to, so that it can be put in order."""
    cause = error.__cause__
    unfinished = (apsw.SQLITE_READONLY_ROLLBACK, apsw.SQLITE_READONLY_RECOVERY)
    return (
        isinstance(cause, apsw.Error)
        and getattr(cause, "extendedresult", None) in unfinished
        and _writable(path)
        and _writable(path.absolute().parent)
    )


def _open(path: Path, address: tuple[str, int], *, fresh: bool, busy_timeout_s: float) -> apsw.Connection:
    """Open by file name and flags; brings the file up to date if the flags allow writing."""
    name, flags = address
    writing = bool(flags & apsw.SQLITE_OPEN_READWRITE)
    with explained(path, opening=True):
        connection = apsw.Connection(name, flags)
        try:
            connection.set_busy_handler(_patience(busy_timeout_s))
            _load_vectors(connection)
            packs.register(connection)
            _register_search_text(connection)
            if writing and connection.readonly("main"):
                raise StoreError(f"{path} cannot be written to: change its permissions, or copy it to a place of your own")
            _recognise(connection, path, fresh=fresh)
            connection.execute(
                f"PRAGMA foreign_keys = ON; PRAGMA temp_store = MEMORY; PRAGMA cache_size = -{_CACHE_KIB}; PRAGMA mmap_size = {_MMAP_BYTES}"
            )
            if writing:
                connection.execute("PRAGMA synchronous = NORMAL")
                _retry(lambda: connection.execute("PRAGMA journal_mode = WAL").get, busy_timeout_s)
                migrate(connection, path)
            else:
                _check_version(connection, path)
        except BaseException:
            connection.close(force=True)
            raise
        return connection


def _register_search_text(connection: apsw.Connection) -> None:
    """Give the connection `search_text(text)`, which migrations call."""

    def search_text(text: str) -> str:
        from memcli.store.search import search_text as prepared  # late: few openings need it

        return prepared(text)

    function: Any = search_text  # SQLite's values are a union; the migrations pass texts
    connection.create_scalar_function("search_text", function, 1, deterministic=True, flags=apsw.SQLITE_INNOCUOUS)


@contextmanager
def transaction(connection: apsw.Connection) -> Iterator[None]:
    """Take the write lock, run the block, commit; roll back on any exception, an interrupt included.

    Raises:
        StoreError: another process kept the lock, the disk is full or failing, or the file is not where it was any more. What the block
            raises passes through.
    """
    path = Path(connection.filename)
    with explained(path):
        connection.execute("BEGIN IMMEDIATE")
        try:
            yield
            _stay(connection)
            connection.execute("COMMIT")
        except BaseException:
            # SQLite has rolled back by itself after some failures, a full disk among them.
            if connection.in_transaction:
                connection.execute("ROLLBACK")
            raise


@contextmanager
def read_transaction(connection: apsw.Connection) -> Iterator[None]:
    """Let the block see one state of the file, whatever others write meanwhile; takes no lock that keeps others from writing.

    Within a transaction of any kind it does nothing, since that one has its state already. The block must not write.

    Raises:
        StoreError: the file is damaged, or locked by somebody who writes without a log. What the block raises passes through.
    """
    nested = connection.in_transaction
    if nested:
        yield
        return
    with explained(Path(connection.filename)):
        connection.execute("BEGIN")
        try:
            yield
            with suppress(apsw.Error):  # a damaged index can make it fail, and nothing is lost
                connection.execute("COMMIT")
        finally:
            if connection.in_transaction:
                connection.execute("ROLLBACK")


def data_version(connection: apsw.Connection) -> tuple[int, int]:
    """Two numbers of which one changes with every change to the file: by other connections, and by this one (rolled back or not)."""
    return int(connection.execute("PRAGMA data_version").get), connection.total_changes()


def tidy_close(connection: apsw.Connection, *, discard_empty: bool = False) -> None:
    """Close, leaving one file without -wal and -shm if no other connection uses it; never fails because others do.

    Args:
        connection: of `connect`.
        discard_empty: whether to leave no file at all if it holds no message and no other connection uses it.

    Raises:
        StoreError: the file that was written to was removed or replaced meanwhile.
    """
    try:
        if not connection.readonly("main"):
            if connection.in_transaction:
                connection.execute("ROLLBACK")
            _stay(connection)
            connection.set_busy_handler(None)
            # Each is a favour that another connection, or a full disk, may deny; the file is sound without.
            for favour in ("PRAGMA optimize", "PRAGMA wal_checkpoint(TRUNCATE)", "PRAGMA journal_mode = DELETE"):
                with suppress(apsw.Error):
                    connection.execute(favour).fetchall()
            if discard_empty:
                _discard_empty(connection)
    finally:
        connection.close()


def _discard_empty(connection: apsw.Connection) -> None:
    """Remove the file if it holds no message and no other connection uses it."""
    with suppress(apsw.Error):
        connection.execute("BEGIN EXCLUSIVE")
        # Without a log, an exclusive lock is one that nobody else has any lock beside.
        alone = connection.execute("PRAGMA journal_mode").get == "delete"
        if alone and connection.execute("SELECT count(*) FROM messages").get == 0:
            _place(connection).unlink(missing_ok=True)
        connection.execute("ROLLBACK")


def _stay(connection: apsw.Connection) -> None:
    """Raise unless the file is still where it was opened: what is written to one that was removed is lost with it."""
    moved = array("i", [0])
    # SQLite compares the file it has open with the one at the path; where it cannot, as on Windows, open files cannot be moved.
    connection.file_control("main", apsw.SQLITE_FCNTL_HAS_MOVED, moved.buffer_info()[0])
    if not moved[0]:
        return
    path = _place(connection)
    if not path.exists():  # or its log would be taken for that of a file put there later
        for suffix in ("-wal", "-shm"):
            path.with_name(path.name + suffix).unlink(missing_ok=True)
    raise StoreError(f"{path} was removed or replaced while in use, and what was written since is lost: ingest the transcripts again")


def _place(connection: apsw.Connection) -> Path:
    """The file's path as the system's calls take it; SQLite's is UTF-8 whatever the locale."""
    return Path(os.fsdecode(connection.filename.encode()))


def _prepare(path: Path, *, create: bool) -> bool:
    """Check what stands at `path` and, with `create`, make it an empty file of the owner's alone if it is missing or empty.

    Returns whether a database without any content is to be made a memory: with `create` always, since the file may be one whose
    making was cut short, or is under way in another process.
    """
    _name(path)
    if path.is_dir():
        raise StoreError(f"{path} is a folder: name a file in it, such as {path / 'memory.memdb'}")
    exists = path.exists()
    if exists and not path.is_file():
        raise StoreError(f"{path} is not an ordinary file: name another with --db")
    empty = not exists or path.stat().st_size == 0
    if empty and not create:
        raise StoreError(f"{path} {'is empty' if exists else 'does not exist'}: mem ingest FILE --db {path} makes a memory there")
    if not exists:
        path.parent.mkdir(parents=True, exist_ok=True)
        os.close(os.open(path, os.O_CREAT | os.O_RDWR, _MODE))
    elif empty:
        path.chmod(stat.S_IMODE(path.stat().st_mode) & _MODE)
    return create


def _name(path: Path) -> str:
    """The absolute path as SQLite takes it: UTF-8, whatever the locale takes its bytes for.

    Raises:
        StoreError: it cannot be written so.
    """
    try:
        name = os.fsencode(path.absolute()).decode("utf-8")
    except UnicodeError as error:
        raise StoreError(f"{path} is not a path in UTF-8, as SQLite needs it: name another with --db") from error
    if "\0" in name:
        raise StoreError(f"{path} has a NUL in it, which no path can have: name another with --db")
    return name


def _writing_address(path: Path) -> tuple[str, int]:
    return _name(path), apsw.SQLITE_OPEN_READWRITE


def _address(path: Path) -> tuple[str, int]:
    """File name and flags to open for reading with."""
    path = path.absolute()
    if _frozen(path):
        return f"{path.as_uri()}?immutable=1", apsw.SQLITE_OPEN_READONLY | apsw.SQLITE_OPEN_URI
    return _name(path), apsw.SQLITE_OPEN_READONLY


def _frozen(path: Path) -> bool:
    """Whether the file is to be read as it stands (`immutable`), without a lock.

    Reading a file in write-ahead mode needs a -shm beside it. Where none can be made, locks cannot be had, and doing without is right
    only as long as nobody writes: on a file system that is mounted read-only, and in a folder that we may not write to, if there is
    no log, as there would be while somebody else writes. What a log holds is never passed over.
    """
    with path.open("rb") as file:
        header = file.read(20)
    if header[18:20] != b"\x02\x02":
        return False
    log = path.with_name(path.name + "-wal")
    if log.exists():
        return _on_read_only_system(path) and log.stat().st_size == 0
    return _on_read_only_system(path) or not _writable(path.parent)


def _on_read_only_system(path: Path) -> bool:
    return hasattr(os, "statvfs") and bool(os.statvfs(path).f_flag & os.ST_RDONLY)


def _writable(path: Path) -> bool:
    """Whether this process may write to a file, or make files in a folder."""
    return os.access(path, os.W_OK, effective_ids=os.access in os.supports_effective_ids)


def _patience(seconds: float) -> Callable[[int], bool]:
    """A busy handler that waits up to `seconds` in short naps; in Python, so that Ctrl-C ends the wait."""
    deadline = 0.0

    def wait(earlier_calls: int) -> bool:
        nonlocal deadline
        now = time.monotonic()
        if earlier_calls == 0:
            deadline = now + seconds
        if now >= deadline:
            return False
        time.sleep(min(0.001 * 2 ** min(earlier_calls, 6), deadline - now))
        return True

    return wait


def _retry(action: Callable[[], object], seconds: float) -> None:
    """Repeat `action` while it is busy: SQLite does not call the busy handler where waiting could be a deadlock."""
    wait = _patience(seconds)
    calls = 0
    while True:
        try:
            action()
            return
        except (apsw.BusyError, apsw.LockedError):
            if not wait(calls):
                raise
            calls += 1


@functools.cache
def _vector_extension() -> str:
    """Path of sqlite-vec's loadable library, without its suffix. Importing the package would import numpy and sqlite3."""
    spec = importlib.util.find_spec("sqlite_vec")
    if spec is None or spec.origin is None:
        raise StoreError("the package sqlite-vec is not installed: install memcli again")
    return str(Path(spec.origin).with_name("vec0"))


def _load_vectors(connection: apsw.Connection) -> None:
    connection.enable_load_extension(True)
    try:
        connection.load_extension(_vector_extension())
    except apsw.ExtensionLoadingError as error:
        raise StoreError(f"sqlite-vec cannot be loaded ({error}): pip install --force-reinstall sqlite-vec") from error
    finally:
        connection.enable_load_extension(False)


def _recognise(connection: apsw.Connection, path: Path, *, fresh: bool) -> None:
    """Raise unless the file is a memory, or (with `fresh`) holds nothing at all."""
    application, version, tables = connection.execute(
        "SELECT application_id, user_version, (SELECT count(*) FROM sqlite_schema) FROM pragma_application_id, pragma_user_version"
    ).get
    if application == APPLICATION_ID and version > 0:
        return
    if application or version or tables:
        raise StoreError(f"{path} is another program's SQLite database, not a memory file: name another with --db")
    if not fresh:
        raise StoreError(f"{path} holds no memory yet: mem ingest FILE --db {path} makes one there")


def _check_version(connection: apsw.Connection, path: Path) -> None:
    """Raise unless the file is of this program's version: `_OlderVersionError` if that can be helped, else `StoreError`."""
    version, newest = user_version(connection), find_migrations()[-1].number
    if version > newest:
        raise newer(path, version, newest)
    if version < newest:
        if _writable(path) and _writable(path.absolute().parent):
            raise _OlderVersionError
        raise StoreError(
            f"{path} is of an older version ({version}, now {newest}) and cannot be written to: "
            "copy it to a place of your own, and open the copy"
        )
