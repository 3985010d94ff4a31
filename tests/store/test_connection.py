"""Opening, locking, killing and closing a memory file, with real files and real processes."""

from __future__ import annotations

import os
import shutil
import signal
import sqlite3
import stat
import subprocess
import sys
import tempfile
import threading
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from pathlib import Path

import apsw
import pytest

from memcli.errors import StoreError
from memcli.store import packs
from memcli.store.connection import connect, data_version, read_transaction, tidy_close, transaction
from memcli.store.migrations import find_migrations, migrate, user_version

ADD = "INSERT INTO conversations (external_id) VALUES (?)"


def mode(path: Path) -> int:
    return stat.S_IMODE(path.stat().st_mode)


def python(code: str, *arguments: object) -> subprocess.Popen[str]:
    program = f"import sys, time, os\nfrom pathlib import Path\nfrom memcli.store.connection import *\npath = Path(sys.argv[1])\n{code}"
    command = [sys.executable, "-c", program, *map(str, arguments)]
    return subprocess.Popen(command, stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True, cwd=Path(__file__).parents[2])


def names(path: Path) -> list[str]:
    return sorted(file.name for file in path.parent.iterdir())


@contextmanager
def unprivileged() -> Iterator[Path]:
    """A folder of one's own, and no right to override permissions."""
    with tempfile.TemporaryDirectory() as name:
        folder = Path(name)
        root = os.geteuid() == 0
        if root:
            os.chown(folder, 65534, 65534)
            os.seteuid(65534)
        try:
            yield folder
        finally:
            folder.chmod(0o700)
            if root:
                os.seteuid(0)


def test_a_new_memory_is_private_and_makes_its_folders(tmp_path: Path) -> None:
    path = tmp_path / "a" / "b" / "kept words.memdb"
    connection = connect(path)
    connection.execute(ADD, ("x",))
    assert {file.name: mode(file) for file in path.parent.iterdir()} == {path.name + end: 0o600 for end in ("", "-wal", "-shm")}
    tidy_close(connection)
    assert names(path) == [path.name]
    assert mode(path) == 0o600


def test_the_connection_keeps_the_laws_and_knows_vectors(memory: apsw.Connection) -> None:
    assert memory.execute("PRAGMA foreign_keys").get == 1
    assert memory.execute("PRAGMA journal_mode").get == "wal"
    assert memory.execute("SELECT vec_distance_l2('[1, 2]', '[1, 4]')").get == 2
    assert memory.execute("SELECT text FROM message_texts WHERE id = 3").get == "Then come by on Sunday."


def test_an_empty_file_counts_as_new(path: Path) -> None:
    path.touch()
    with pytest.raises(StoreError, match="empty"):
        connect(path, create=False)
    tidy_close(connect(path))
    tidy_close(connect(path, create=False))


def test_an_empty_file_that_others_could_read_becomes_private(path: Path) -> None:
    path.touch()
    path.chmod(0o644)
    connection = connect(path)
    assert {file.name: mode(file) for file in path.parent.iterdir()} == {path.name + end: 0o600 for end in ("", "-wal", "-shm")}
    tidy_close(connection)
    assert mode(path) == 0o600


def test_a_memory_keeps_the_mode_its_owner_gave_it(path: Path) -> None:
    tidy_close(connect(path))
    path.chmod(0o640)
    tidy_close(connect(path))
    assert mode(path) == 0o640


def test_what_was_written_is_there_after_a_tidy_close(memory: apsw.Connection, path: Path) -> None:
    tidy_close(memory)
    assert names(path) == [path.name]
    assert path.read_bytes()[18:20] == b"\x01\x01"  # the journal mode any reader can open, in any folder
    plain = sqlite3.connect(path)
    assert plain.execute("SELECT count(*) FROM messages").fetchone() == (3,)
    plain.close()


def test_a_tidy_close_leaves_others_in_peace(memory: apsw.Connection, path: Path) -> None:
    other = connect(path)
    cursor = other.execute("SELECT id FROM spans")
    next(cursor)
    start = time.monotonic()
    tidy_close(memory)
    assert time.monotonic() - start < 1
    assert len(list(cursor)) == 4
    with transaction(other):
        other.execute(ADD, ("y",))
    tidy_close(other)
    assert names(path) == [path.name]


def other_database(path: Path) -> None:
    plain = sqlite3.connect(path)
    plain.execute("CREATE TABLE accounts (id)")
    plain.commit()
    plain.close()


def marked_database(path: Path) -> None:
    plain = sqlite3.connect(path)
    plain.executescript("PRAGMA application_id = 1234; VACUUM")
    plain.close()


def damaged(path: Path) -> None:
    tidy_close(connect(path))
    content = bytearray(path.read_bytes())
    content[100:4096] = bytes(range(1, 253)) * 15 + bytes(216)
    path.write_bytes(content)


@pytest.mark.parametrize(
    ("make", "says"),
    [
        (lambda path: None, "does not exist.*mem ingest"),
        (lambda path: path.mkdir(), "is a folder"),
        (lambda path: path.write_text("Ines: hello\n" * 500), "not a memory file"),
        (lambda path: path.write_text("hi"), "not a memory file"),
        (lambda path: path.write_bytes(bytes(8192)), "not a memory file"),
        (other_database, "another program's"),
        (marked_database, "another program's"),
        (damaged, "damaged"),
        (os.mkfifo, "not an ordinary file"),
    ],
)
@pytest.mark.parametrize("read_only", [False, True])
def test_what_cannot_be_opened_is_told_in_one_line(path: Path, make: object, says: str, read_only: bool) -> None:
    make(path)  # type: ignore[operator]
    before = path.read_bytes() if path.is_file() else None
    with pytest.raises(StoreError, match=says) as caught:
        connect(path, create=False, read_only=read_only)
    assert "\n" not in str(caught.value)
    assert str(path) in str(caught.value)
    if before is not None:
        assert path.read_bytes() == before
    assert [name for name in names(path) if name != path.name] == []


def test_a_file_of_another_kind_is_never_made_a_memory(path: Path) -> None:
    for make in (other_database, lambda p: p.write_text("hi")):
        make(path)
        with pytest.raises(StoreError):
            connect(path, create=True)
        path.unlink()


def test_a_parent_that_is_a_file_is_told(tmp_path: Path) -> None:
    (tmp_path / "file").touch()
    with pytest.raises(StoreError, match="cannot be used"):
        connect(tmp_path / "file" / "x.memdb")


def test_permissions_are_told_and_reading_needs_no_more_than_reading() -> None:
    with unprivileged() as folder:
        path = folder / "a.memdb"
        tidy_close(connect(path))
        path.chmod(0)
        for read_only in (False, True):
            with pytest.raises(StoreError, match="permissions"):
                connect(path, read_only=read_only)
        path.chmod(0o400)
        with pytest.raises(StoreError, match="cannot be written"):
            connect(path)
        folder.chmod(0o500)
        tidy_close(connect(path, read_only=True))
        with pytest.raises(StoreError, match="permissions"):
            connect(folder / "new.memdb")


def test_a_file_in_log_mode_in_a_folder_that_cannot_be_written_can_be_read() -> None:
    with unprivileged() as folder:
        path = folder / "what is left? 100%.memdb"
        connection = connect(path)
        connection.execute(ADD, ("x",))
        connection.close()
        assert path.read_bytes()[18:20] == b"\x02\x02"
        folder.chmod(0o500)
        reader = connect(path, read_only=True)
        assert reader.execute("SELECT external_id FROM conversations").get == "x"
        with pytest.raises(apsw.ReadOnlyError):
            reader.execute(ADD, ("y",))
        tidy_close(reader)


def test_a_read_only_file_system_is_read_without_locks_unless_a_log_holds_more(tmp_path: Path) -> None:
    """What a crash left on a medium: an empty log hides nothing; a log with content in it must not be passed over."""
    for name in ("empty log", "full log"):
        connection = connect(tmp_path / f"{name}.memdb")
        connection.execute(ADD, ("x",))
        if name == "full log":
            log = (tmp_path / "full log.memdb-wal").read_bytes()
        connection.close()
    (tmp_path / "empty log.memdb-wal").touch()
    (tmp_path / "full log.memdb-wal").write_bytes(log)
    reading = "print(connect(path, read_only=True).execute('SELECT count(*) FROM conversations').get)"
    program = f"import sys\nfrom pathlib import Path\nfrom memcli.store.connection import *\npath = Path(sys.argv[1])\n{reading}"
    mount = 'mount --bind "$1" "$1" && mount -o remount,bind,ro "$1" || exit 77'
    script = f'{mount}; for name in empty full; do "$2" -c "$3" "$1/$name log.memdb"; done'
    command = ["unshare", "--map-root-user", "--mount", "sh", "-c", script, "sh", str(tmp_path), sys.executable, program]
    if shutil.which("unshare") is None:
        pytest.skip("no unshare here")
    done = subprocess.run(command, capture_output=True, text=True, cwd=Path(__file__).parents[2])
    if "unshare" in done.stderr or done.returncode == 77:
        pytest.skip(f"mounting is not allowed here: {done.stderr}")
    assert done.stdout == "1\n"
    assert done.stderr.rstrip().splitlines()[-1].startswith("memcli.errors.StoreError")


def test_a_folder_that_cannot_be_written_is_no_reason_to_pass_over_a_log() -> None:
    with unprivileged() as folder:
        path = folder / "a.memdb"
        writer = connect(path)
        writer.execute(ADD, ("x",))
        folder.chmod(0o500)
        reader = connect(path, read_only=True)
        writer.execute(ADD, ("y",))
        assert reader.execute("SELECT count(*) FROM conversations").get == 2
        reader.close()
        folder.chmod(0o700)
        tidy_close(writer)


def old_file(path: Path, folder: Path) -> None:
    """A memory as the first version left it."""
    folder.mkdir()
    shutil.copy(find_migrations()[0].path, folder)
    connection = apsw.Connection(str(path))
    packs.register(connection)
    migrate(connection, path, folder=folder)
    connection.execute("INSERT INTO conversations (external_id) VALUES ('orchard')")
    connection.close()


def test_reading_an_older_file_brings_it_up_to_date(path: Path, tmp_path: Path) -> None:
    old_file(path, tmp_path / "first")
    reader = connect(path, read_only=True)
    assert user_version(reader) == len(find_migrations()) > 1
    assert reader.execute("SELECT external_id FROM conversations").get == "orchard"
    with pytest.raises(apsw.ReadOnlyError):
        reader.execute("DELETE FROM conversations")
    reader.close()
    assert sorted(file.name for file in tmp_path.iterdir()) == ["first", path.name]


def test_many_readers_of_an_older_file_at_once_all_get_it_up_to_date(path: Path, tmp_path: Path) -> None:
    old_file(path, tmp_path / "first")
    found: list[object] = []

    def run() -> None:
        try:
            reader = connect(path, read_only=True)
            found.append(user_version(reader))
            reader.close()
        except StoreError as error:
            found.append(error)

    threads = [threading.Thread(target=run) for _ in range(4)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert found == [len(find_migrations())] * 4
    tidy_close(connect(path))  # while others read, nobody could leave one file
    assert sorted(file.name for file in tmp_path.iterdir()) == ["first", path.name]


def test_an_older_file_that_cannot_be_written_is_refused_and_left_alone() -> None:
    with unprivileged() as folder:
        path = folder / "a.memdb"
        old_file(path, folder / "first")
        before = path.read_bytes()
        for file_mode, folder_mode in ((0o400, 0o700), (0o600, 0o500)):
            path.chmod(file_mode)
            folder.chmod(folder_mode)
            with pytest.raises(StoreError, match=r"older version \(1, now \d+\) and cannot be written to") as caught:
                connect(path, read_only=True)
            assert "\n" not in str(caught.value)
            assert path.read_bytes() == before


def test_a_lock_that_is_held_too_long_is_told(memory: apsw.Connection, path: Path) -> None:
    other = connect(path, busy_timeout_s=0.2)
    with transaction(memory):
        start = time.monotonic()
        with pytest.raises(StoreError, match=r"locked.*try again"), transaction(other):
            pass
        assert 0.15 < time.monotonic() - start < 2
        assert other.execute("SELECT count(*) FROM messages").get == 3
    with transaction(other):
        other.execute(ADD, ("y",))
    other.close()


@pytest.mark.parametrize("error", [KeyboardInterrupt, ValueError, OSError, apsw.ConstraintError])
def test_a_transaction_is_rolled_back_by_any_exception(memory: apsw.Connection, error: type[BaseException]) -> None:
    def write() -> None:
        with transaction(memory):
            memory.execute(ADD, ("y",))
            raise error("stop")

    with pytest.raises(error):
        write()
    assert memory.execute("SELECT count(*) FROM conversations").get == 1
    assert not memory.in_transaction


def test_a_commit_that_is_refused_is_rolled_back(memory: apsw.Connection) -> None:
    with pytest.raises(apsw.ConstraintError), transaction(memory):
        memory.execute("DELETE FROM claim_supports")
    assert not memory.in_transaction
    assert memory.execute("SELECT count(*) FROM claim_supports").get == 4


def count(connection: apsw.Connection) -> int:
    return int(connection.execute("SELECT count(*) FROM conversations").get)


def test_a_read_transaction_sees_one_state_and_keeps_nobody_from_writing(memory: apsw.Connection, path: Path) -> None:
    reader = connect(path, read_only=True)
    with read_transaction(reader):
        assert count(reader) == 1
        with transaction(memory):
            memory.execute(ADD, ("y",))
        with read_transaction(reader):
            assert count(reader) == 1
        assert count(reader) == 1  # the inner one did not end the outer one
    assert count(reader) == 2
    reader.close()


def test_a_read_transaction_within_one_that_writes_leaves_it_alone(memory: apsw.Connection) -> None:
    with transaction(memory):
        memory.execute(ADD, ("y",))
        with read_transaction(memory):
            assert count(memory) == 2
        assert memory.in_transaction
    assert count(memory) == 2


@pytest.mark.parametrize("error", [KeyboardInterrupt, ValueError])
def test_a_read_transaction_ends_with_any_exception(memory: apsw.Connection, error: type[BaseException]) -> None:
    def read() -> None:
        with read_transaction(memory):
            count(memory)
            raise error("stop")

    with pytest.raises(error):
        read()
    assert not memory.in_transaction


def test_the_data_version_changes_with_everybodys_changes_and_nothing_else(memory: apsw.Connection, path: Path) -> None:
    other = connect(path)
    seen = [data_version(memory)]
    assert count(memory) == 1
    assert data_version(memory) == seen[0]
    for writer in (memory, other, memory, other):
        with transaction(writer):
            writer.execute(ADD, (f"{len(seen)}",))
        seen.append(data_version(memory))
    assert len(set(seen)) == len(seen)
    other.close()


def removed(path: Path) -> None:
    path.unlink()


def replaced(path: Path) -> None:
    other = path.with_name("other.memdb")
    tidy_close(connect(other))
    other.replace(path)


@pytest.mark.parametrize("change", [removed, replaced])
def test_what_is_written_to_a_file_that_is_not_there_any_more_is_not_called_written(path: Path, change: Callable[[Path], None]) -> None:
    connection = connect(path)
    change(path)
    with pytest.raises(StoreError, match="was removed or replaced while in use"), transaction(connection):
        connection.execute(ADD, ("x",))
    assert not connection.in_transaction
    with pytest.raises(StoreError, match="was removed or replaced while in use"):
        tidy_close(connection)
    if change is replaced:
        tidy_close(connect(path, create=False))
    else:
        assert names(path) == []  # a log left behind would be taken for that of a file put there later


def test_a_file_moved_after_the_last_transaction_is_told_at_the_close(path: Path) -> None:
    connection = connect(path)
    with transaction(connection):
        connection.execute(ADD, ("x",))
    path.rename(path.with_name("elsewhere.memdb"))
    with pytest.raises(StoreError, match="was removed or replaced"):
        tidy_close(connection)


def test_an_empty_memory_is_discarded_only_if_nobody_else_has_it_open(path: Path) -> None:
    connection = connect(path)
    other = connect(path)
    tidy_close(connection, discard_empty=True)
    assert path.exists()
    tidy_close(other, discard_empty=True)
    assert names(path) == []


def test_a_memory_with_a_message_is_never_discarded(memory: apsw.Connection, path: Path) -> None:
    tidy_close(memory, discard_empty=True)
    assert names(path) == [path.name]


def test_a_path_that_sqlite_cannot_take_is_told_and_nothing_made(tmp_path: Path) -> None:
    for name, said in ((os.fsdecode(b"caf\xe9.memdb"), "UTF-8"), ("a\0b.memdb", "NUL"), ("a" * 300, "too long")):
        with pytest.raises(StoreError, match=said):
            connect(tmp_path / name)
    assert list(tmp_path.iterdir()) == []


def test_a_full_disk_is_told(memory: apsw.Connection) -> None:
    memory.execute(f"PRAGMA max_page_count = {memory.execute('PRAGMA page_count').get}")
    with pytest.raises(StoreError, match="full"), transaction(memory):
        memory.execute("INSERT INTO packs (codec, data) VALUES ('zstd', zeroblob(1000000))")
    assert not memory.in_transaction


def test_many_processes_opening_a_new_file_at_once_all_find_a_good_one(path: Path) -> None:
    code = f"""
while time.time() < float(sys.argv[2]): pass
connection = connect(path)
with transaction(connection): connection.execute({ADD!r}, (str(os.getpid()),))
tidy_close(connection)
"""
    start = time.time() + 0.8
    processes = [python(code, path, start) for _ in range(6)]
    assert [(p.communicate()[1], p.returncode) for p in processes] == [("", 0)] * 6
    connection = connect(path, create=False)
    assert connection.execute("SELECT count(*) FROM conversations").get == 6
    assert connection.execute("PRAGMA integrity_check").get == "ok"
    tidy_close(connection)
    assert names(path) == [path.name]


@pytest.mark.parametrize("delay", [0.0, 0.02, 0.11])
def test_a_writer_killed_at_any_moment_leaves_whole_transactions(path: Path, delay: float) -> None:
    code = f"""
connection = connect(path)
print("open", flush=True)
for n in range(100000):
    with transaction(connection):
        connection.execute({ADD!r}, (f"{{n}}a",))
        connection.execute({ADD!r}, (f"{{n}}b",))
"""
    process = python(code, path)
    assert process.stdout is not None
    process.stdout.readline()
    time.sleep(delay)
    process.send_signal(signal.SIGKILL)
    process.communicate()
    reader = connect(path, read_only=True)
    count = reader.execute("SELECT count(*) FROM conversations").get
    reader.close()
    assert count % 2 == 0
    connection = connect(path)
    assert connection.execute("SELECT count(*) FROM conversations").get == count
    assert connection.execute("PRAGMA integrity_check").get == "ok"
    tidy_close(connection)
    assert names(path) == [path.name]


def test_interrupting_a_writer_that_waits_for_a_lock_ends_it_at_once(memory: apsw.Connection, path: Path) -> None:
    with transaction(memory):
        # A parent that runs in the background hands down an interrupt that is ignored.
        listens = "import signal\nsignal.signal(signal.SIGINT, signal.default_int_handler)\n"
        process = python(listens + "connection = connect(path)\nprint('open', flush=True)\nwith transaction(connection): pass", path)
        assert process.stdout is not None
        process.stdout.readline()
        time.sleep(0.1)
        start = time.monotonic()
        process.send_signal(signal.SIGINT)
        _, errors = process.communicate(timeout=60)
        assert time.monotonic() - start < 20  # the lock would be waited for 30 s
    assert errors.rstrip().endswith("KeyboardInterrupt")


def test_opening_imports_nothing_heavy(path: Path) -> None:
    code = "connect(path).close(); print(sorted({'numpy', 'sqlite3', 'sqlite_vec', 'zstandard', 'torch'} & set(sys.modules)))"
    out, errors = python(code, path).communicate()
    assert (out.strip(), errors) == ("[]", "")


def test_opening_is_quick(memory: apsw.Connection, path: Path) -> None:
    tidy_close(memory)
    times = []
    for _ in range(5):
        start = time.perf_counter()
        reader = connect(path, read_only=True)
        times.append(time.perf_counter() - start)
        reader.close()
    assert min(times) < 0.01
