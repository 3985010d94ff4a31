"""Opening and closing the `.memdb` file, and transactions on it."""

from __future__ import annotations

import functools
import importlib.util
import os
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager, suppress
from pathlib import Path

import apsw

from memcli.errors import StoreError
from memcli.store import packs
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
        read_only: open without the right to write. Works in a folder that cannot be written to.
        busy_timeout_s: how long, in seconds, any statement waits for another process's lock.

    Raises:
        StoreError: it is missing, a folder, unreadable, not a memory, damaged, locked, or of another version.
    """
    try:
        fresh = _prepare(path, create=create and not read_only)
        address = _address(path, read_only=read_only)
    except OSError as error:
        raise StoreError(f"{path} cannot be used ({error.strerror}): check the path and its permissions") from error
    with explained(path):
        connection = apsw.Connection(*address)
        try:
            connection.set_busy_handler(_patience(busy_timeout_s))
            _load_vectors(connection)
            packs.register(connection)
            if not read_only and connection.readonly("main"):
                raise StoreError(f"{path} cannot be written to: change its permissions, or copy it to a place of your own")
            _recognise(connection, path, fresh=fresh)
            connection.execute(
                f"PRAGMA foreign_keys = ON; PRAGMA temp_store = MEMORY; PRAGMA cache_size = -{_CACHE_KIB}; PRAGMA mmap_size = {_MMAP_BYTES}"
            )
            if read_only:
                _check_version(connection, path)
            else:
                connection.execute("PRAGMA synchronous = NORMAL")
                _retry(lambda: connection.execute("PRAGMA journal_mode = WAL").get, busy_timeout_s)
                migrate(connection, path)
        except BaseException:
            connection.close(force=True)
            raise
        return connection


@contextmanager
def transaction(connection: apsw.Connection) -> Iterator[None]:
    """Take the write lock, run the block, commit; roll back on any exception, an interrupt included.

    Raises:
        StoreError: another process kept the lock, or the disk is full or failing. What the block raises passes through.
    """
    path = Path(connection.filename)
    with explained(path):
        connection.execute("BEGIN IMMEDIATE")
        try:
            yield
            connection.execute("COMMIT")
        except BaseException:
            # SQLite has rolled back by itself after some failures, a full disk among them.
            if connection.in_transaction:
                connection.execute("ROLLBACK")
            raise


def tidy_close(connection: apsw.Connection) -> None:
    """Close, leaving one file without -wal and -shm if no other connection uses it; never fails because others do."""
    if not connection.readonly("main"):
        if connection.in_transaction:
            connection.execute("ROLLBACK")
        connection.set_busy_handler(None)
        # Each is a favour that another connection, or a full disk, may deny; the file is sound without.
        for favour in ("PRAGMA optimize", "PRAGMA wal_checkpoint(TRUNCATE)", "PRAGMA journal_mode = DELETE"):
            with suppress(apsw.Error):
                connection.execute(favour).fetchall()
    connection.close()


@contextmanager
def explained(path: Path) -> Iterator[None]:
    """Turn what SQLite says about the file into a `StoreError` that says what to do next.

    Broken constraints and wrong SQL are mistakes of the program, not of the file, and pass through.
    """
    try:
        yield
    except (apsw.BusyError, apsw.LockedError) as error:
        raise StoreError(f"{path} is locked by another process: wait for it to finish, and try again") from error
    except apsw.NotADBError as error:
        raise StoreError(f"{path} is not a memory file: name another with --db") from error
    except apsw.CorruptError as error:
        raise StoreError(f"{path} is damaged ({error}): restore it from a copy, or ingest its transcripts into a new file") from error
    except apsw.FullError as error:
        raise StoreError(f"{path}: the disk is full; nothing was half-written: make room, and try again") from error
    except (apsw.CantOpenError, apsw.PermissionsError, apsw.ReadOnlyError, apsw.IOError) as error:
        raise StoreError(f"{path} cannot be opened or written ({error}): check its permissions, its folder's, and the disk") from error


def _prepare(path: Path, *, create: bool) -> bool:
    """Check what stands at `path`, make an empty file if need be; returns whether it is empty and so to be filled."""
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
    return create


def _address(path: Path, *, read_only: bool) -> tuple[str, int]:
    """File name and flags to open with."""
    path = path.absolute()
    if not read_only:
        return str(path), apsw.SQLITE_OPEN_READWRITE
    # Reading a file in write-ahead mode needs a -shm beside it. Where none can be made nobody can be writing either,
    # unless there is a log; without one the file may be read as it stands.
    log = path.with_name(path.name + "-wal")
    if not os.access(path.parent, os.W_OK, effective_ids=os.access in os.supports_effective_ids) and not log.exists():
        with path.open("rb") as file:
            header = file.read(20)
        if header[18:20] == b"\x02\x02":
            return f"{path.as_uri()}?immutable=1", apsw.SQLITE_OPEN_READONLY | apsw.SQLITE_OPEN_URI
    return str(path), apsw.SQLITE_OPEN_READONLY


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
    version, newest = user_version(connection), find_migrations()[-1].number
    if version > newest:
        raise newer(path, version, newest)
    if version < newest:
        raise StoreError(f"{path} is of an older version ({version}, now {newest}): open it once where it can be written, with mem verify")
