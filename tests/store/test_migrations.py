"""Files of older versions move forward, each step whole or not at all, and newer ones are refused."""

from __future__ import annotations

import threading
from pathlib import Path

import apsw
import pytest

from memcli.errors import StoreError
from memcli.store.connection import connect
from memcli.store.migrations import APPLICATION_ID, find_migrations, migrate, migrations_folder, user_version


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    folder = tmp_path / "steps"
    folder.mkdir()
    step(folder, 1, "notes", "CREATE TABLE notes (id INTEGER PRIMARY KEY, text TEXT NOT NULL); INSERT INTO notes VALUES (1, 'plum');")
    return folder


def step(folder: Path, number: int, name: str, sql: str) -> None:
    (folder / f"{number:04}_{name}.sql").write_text(sql, encoding="utf-8")


def open_raw(path: Path) -> apsw.Connection:
    connection = apsw.Connection(str(path))
    connection.set_busy_timeout(10_000)
    return connection


def backups(path: Path) -> list[str]:
    return sorted(file.name for file in path.parent.glob("*.bak"))


def tables(connection: apsw.Connection) -> set[object]:
    return {name for (name,) in connection.execute("SELECT name FROM sqlite_schema WHERE type = 'table'")}


def test_the_shipped_migrations_are_numbered_without_gaps_and_leave_transactions_to_the_runner() -> None:
    found = find_migrations()
    assert [m.number for m in found] == list(range(1, len(found) + 1))
    assert {m.path for m in found} == set(migrations_folder().glob("*.sql"))
    for migration in found:
        words = migration.path.read_text(encoding="utf-8").upper()
        assert not any(word in words for word in ("COMMIT;", "ROLLBACK;", "BEGIN;", "BEGIN IMMEDIATE", "USER_VERSION"))


def test_the_schema_parses_as_one_without_leftovers(path: Path) -> None:
    connection = connect(path)
    assert user_version(connection) == len(find_migrations())
    assert connection.execute("PRAGMA application_id").get == APPLICATION_ID == 0x6D656D64
    assert connection.execute("PRAGMA foreign_keys").get == 1
    assert backups(path) == []
    connection.close()


@pytest.mark.parametrize("names", [[], ["0002_a.sql"], ["0001_a.sql", "0003_b.sql"], ["0001_a.sql", "0001_b.sql", "0002_c.sql"]])
def test_gaps_and_duplicates_are_errors(tmp_path: Path, names: list[str]) -> None:
    for name in names:
        (tmp_path / name).touch()
    with pytest.raises(StoreError, match="numbered"):
        find_migrations(tmp_path)


def test_a_missing_folder_is_an_error(tmp_path: Path) -> None:
    with pytest.raises(StoreError):
        find_migrations(tmp_path / "nowhere")


def test_only_what_is_new_runs_and_the_copy_is_removed(path: Path, folder: Path) -> None:
    connection = open_raw(path)
    assert migrate(connection, path, folder=folder) == 1
    connection.execute("UPDATE notes SET text = 'fig'")
    step(folder, 2, "more", "ALTER TABLE notes ADD COLUMN mark TEXT")
    step(folder, 3, "index", "CREATE INDEX notes_mark ON notes (mark)")
    assert migrate(connection, path, folder=folder) == 3
    assert connection.execute("SELECT * FROM notes").fetchall() == [(1, "fig", None)]
    assert user_version(connection) == 3
    assert backups(path) == []
    assert migrate(connection, path, folder=folder) == 3


def test_a_failed_step_is_rolled_back_and_the_copy_kept_and_named(path: Path, folder: Path) -> None:
    connection = open_raw(path)
    connection.execute("PRAGMA journal_mode = WAL")
    migrate(connection, path, folder=folder)
    step(folder, 2, "more", "CREATE TABLE more (id INTEGER)")
    step(folder, 3, "broken", "CREATE TABLE half (id INTEGER); INSERT INTO nowhere VALUES (1)")
    with pytest.raises(StoreError, match=r"garden\.memdb\.v1\.bak") as caught:
        migrate(connection, path, folder=folder)
    assert "\n" not in str(caught.value)
    assert user_version(connection) == 2
    assert tables(connection) == {"notes", "more"}
    copy = path.with_name("garden.memdb.v1.bak")
    assert copy.stat().st_mode & 0o777 == 0o600
    old = open_raw(copy)
    assert (user_version(old), old.execute("PRAGMA application_id").get) == (1, APPLICATION_ID)
    assert old.execute("SELECT * FROM notes").fetchall() == [(1, "plum")]
    assert old.execute("PRAGMA integrity_check").get == "ok"
    old.close()
    assert not list(path.parent.glob("*.bak-*"))

    step(folder, 3, "broken", "CREATE TABLE whole (id INTEGER)")
    assert migrate(connection, path, folder=folder) == 3


def test_a_first_step_that_fails_leaves_an_empty_file(path: Path, folder: Path) -> None:
    step(folder, 1, "notes", "CREATE TABLE notes (id INTEGER); SELECT nonsense")
    connection = open_raw(path)
    with pytest.raises(StoreError):
        migrate(connection, path, folder=folder)
    assert (user_version(connection), tables(connection), backups(path)) == (0, set(), [])


def test_a_step_may_rebuild_a_table_but_not_leave_rows_that_refer_to_nothing(path: Path, folder: Path) -> None:
    step(folder, 1, "notes", "CREATE TABLE notes (id INTEGER PRIMARY KEY); CREATE TABLE marks (note_id REFERENCES notes);"
                             " INSERT INTO notes VALUES (1); INSERT INTO marks VALUES (1)")  # fmt: skip
    connection = open_raw(path)
    migrate(connection, path, folder=folder)
    connection.execute("PRAGMA foreign_keys = ON")
    rebuild = "CREATE TABLE fresh (id INTEGER PRIMARY KEY, text TEXT); {} DROP TABLE notes; ALTER TABLE fresh RENAME TO notes;"
    step(folder, 2, "rebuild", rebuild.format(""))
    with pytest.raises(StoreError, match="refer to nothing"):
        migrate(connection, path, folder=folder)
    assert user_version(connection) == 1
    step(folder, 2, "rebuild", rebuild.format("INSERT INTO fresh SELECT id, '' FROM notes;"))
    assert migrate(connection, path, folder=folder) == 2
    assert connection.execute("PRAGMA foreign_keys").get == 1


def test_a_newer_file_is_refused_and_left_alone(path: Path) -> None:
    connection = connect(path)
    connection.execute("PRAGMA user_version = 999")
    connection.close()
    before = path.read_bytes()
    for read_only in (False, True):
        with pytest.raises(StoreError, match=r"newer.*upgrade"):
            connect(path, read_only=read_only)
    assert path.read_bytes() == before
    assert backups(path) == []


def test_two_at_once_run_each_step_once(path: Path, folder: Path) -> None:
    migrate(open_raw(path), path, folder=folder)
    for number in range(2, 8):
        step(folder, number, "grow", f"CREATE TABLE grown{number} (id INTEGER); INSERT INTO notes (text) VALUES ('{number}')")
    failures: list[BaseException] = []

    def run() -> None:
        connection = open_raw(path)
        try:
            migrate(connection, path, folder=folder)
        except BaseException as error:
            failures.append(error)
        finally:
            connection.close()

    threads = [threading.Thread(target=run) for _ in range(4)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert failures == []
    connection = open_raw(path)
    assert [text for (text,) in connection.execute("SELECT text FROM notes ORDER BY id")] == ["plum", *"234567"]
    assert backups(path) == []
