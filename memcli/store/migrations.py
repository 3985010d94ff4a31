"""Bringing a file's schema up to date, one numbered SQL file at a time.

Each file `NNNN_name.sql` runs in one transaction together with the `user_version` it leads to, so a file is always at
exactly one version, whenever the process dies.
"""

from __future__ import annotations

import os
import re
from dataclasses import dataclass
from pathlib import Path

import apsw

from memcli.errors import OUT_OF_FILES, StoreError

APPLICATION_ID = int.from_bytes(b"memd", "big")
"""SQLite's `application_id` of every memory file: the letters `memd`, so that `file` and others can tell it apart."""

_NAME = re.compile(r"(\d{4})_\w+\.sql")


@dataclass(frozen=True, slots=True)
class Migration:
    """One step forward: `script` leads from version `number - 1` to `number`."""

    number: int
    path: Path


def migrations_folder() -> Path:
    """Where the SQL files are: inside an installed package, else at the top of the source checkout."""
    package = Path(__file__).parents[1]
    installed = package / "_migrations"
    return installed if installed.is_dir() else package.parent / "migrations"


def find_migrations(folder: Path | None = None) -> tuple[Migration, ...]:
    """The migrations of a folder in order; `folder` is `migrations_folder()` unless given.

    Raises:
        StoreError: there are none, or their numbers are not 1, 2, 3, ... once each; a broken installation.
    """
    folder = migrations_folder() if folder is None else folder
    names = sorted(os.listdir(folder)) if folder.is_dir() else []  # noqa: PTH208 - half the time of iterdir, at every start
    found = [Migration(int(match[1]), folder / name) for name in names if (match := _NAME.fullmatch(name))]
    numbers = [migration.number for migration in found]
    if not numbers or numbers != list(range(1, len(numbers) + 1)):
        raise StoreError(f"{folder}: migrations are numbered {numbers}, not 1, 2, 3, ... once each: install memcli again")
    return tuple(found)


def user_version(connection: apsw.Connection) -> int:
    """The file's schema version; 0 for a file without a schema."""
    return int(connection.execute("PRAGMA user_version").get)


def migrate(connection: apsw.Connection, path: Path, *, folder: Path | None = None) -> int:
    """Bring the file to the newest version; returns that version.

    Before a file that holds something is changed, a copy `NAME.vN.bak` (N the old version) is put beside it; it is removed
    once every migration has succeeded.

    Args:
        connection: open for writing, outside a transaction. Another process may be migrating the same file: each step
            waits for the write lock and then looks again at what is left to do.
        path: the file's path, for the copy and for messages.
        folder: where to look for the SQL files.

    Raises:
        StoreError: the file is newer than this program, or a migration failed; the failed step is rolled back.
        apsw.BusyError: another process kept the write lock for longer than the connection's busy timeout.
    """
    migrations = find_migrations(folder)
    newest = migrations[-1].number
    backups: list[Path] = []
    version = user_version(connection)
    if version != newest:
        # Rebuilding a table needs foreign keys off, and the pragma does nothing inside a transaction.
        connection.execute("PRAGMA foreign_keys = OFF")
        try:
            while _step(connection, path, migrations, backups, keep=version > 0):
                pass
        finally:
            connection.execute("PRAGMA foreign_keys = ON")
    for backup in backups:
        backup.unlink(missing_ok=True)
    return newest


def _step(connection: apsw.Connection, path: Path, migrations: tuple[Migration, ...], backups: list[Path], *, keep: bool) -> bool:
    """Run the next migration, if one is left; with `keep`, adds the copy made before the first one to `backups`."""
    connection.execute("BEGIN IMMEDIATE")
    try:
        version = user_version(connection)
        if version > len(migrations):
            raise newer(path, version, len(migrations))
        left = migrations[version:]
        if left:
            if keep and not backups:
                backups.append(_back_up(connection, path, version))
            _run(connection, left[0])
        connection.execute("COMMIT")
    except BaseException as error:
        if connection.in_transaction:
            connection.execute("ROLLBACK")
        short = isinstance(error, apsw.CantOpenError) or (isinstance(error, OSError) and error.errno in OUT_OF_FILES)
        if isinstance(error, (apsw.Error, OSError)) and not short:  # of files to open, most likely: not the disk, and not this program
            raise _failed(connection, path, error, backups) from error
        raise
    return bool(left)


def _run(connection: apsw.Connection, migration: Migration) -> None:
    connection.execute(migration.path.read_text(encoding="utf-8"))
    broken = connection.execute("PRAGMA foreign_key_check").fetchone()
    if broken:
        raise apsw.ConstraintError(f"{migration.path.name} leaves rows of {broken[0]} that refer to nothing")
    connection.execute(f"PRAGMA application_id = {APPLICATION_ID}")
    connection.execute(f"PRAGMA user_version = {migration.number}")


def _back_up(connection: apsw.Connection, path: Path, version: int) -> Path:
    """Copy the file as it is committed. Called under the write lock, so nobody changes it meanwhile."""
    target = path.with_name(f"{path.name}.v{version}.bak")
    target.unlink(missing_ok=True)
    os.close(os.open(target, os.O_CREAT | os.O_EXCL | os.O_WRONLY, 0o600))
    # The backup needs a source of its own: a connection that is writing cannot be copied from.
    source = apsw.Connection(connection.filename, flags=apsw.SQLITE_OPEN_READONLY)
    copy = apsw.Connection(os.fsencode(target.absolute()).decode(), flags=apsw.SQLITE_OPEN_READWRITE)
    try:
        with copy.backup("main", source, "main") as backup:
            backup.step(-1)
        copy.execute("PRAGMA journal_mode = DELETE")
    finally:
        copy.close()
        source.close()
    return target


def newer(path: Path, version: int, newest: int) -> StoreError:
    """The error for a file of a later version than this program knows."""
    return StoreError(
        f"{path} was written by a newer mem (file version {version}, this one knows {newest}): upgrade with pip install --upgrade memcli"
    )


def _failed(connection: apsw.Connection, path: Path, error: Exception, backups: list[Path]) -> StoreError:
    kept = f"; a copy from before is kept as {backups[0]}" if backups else ""
    return StoreError(
        f"{path}: migrating it from version {user_version(connection)} failed and was rolled back ({error}){kept}: "
        "make room on the disk or install another version of memcli, and try again"
    )
