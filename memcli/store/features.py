"""What the SQLite that this program runs on can do."""

from __future__ import annotations

import importlib.util
from collections.abc import Mapping
from pathlib import Path

import apsw


def sqlite_features() -> tuple[str, Mapping[str, str | None]]:
    """The SQLite's version, and of each thing a memory file needs of it what was found: None where it is missing."""
    connection = apsw.Connection(":memory:")
    try:
        connection.enable_load_extension(True)
        found = {
            "full-text search": _tried(connection, "CREATE VIRTUAL TABLE f USING fts5(t, content = '', contentless_delete = 1)", "FTS5"),
            "strict tables": _tried(connection, "CREATE TABLE s (i INTEGER) STRICT", "STRICT"),
            "JSON": _tried(connection, "SELECT json_group_array(value) FROM json_each('[1]')", "JSON1"),
        }
        # Importing the package itself would import numpy, and sqlite3, which not every Python has.
        package = importlib.util.find_spec("sqlite_vec")
        try:
            connection.load_extension(str(Path((package and package.origin) or "missing").with_name("vec0")))
            found["vectors"] = f"sqlite-vec {connection.execute('SELECT vec_version()').get}"
        except apsw.Error:
            found["vectors"] = None
        return apsw.sqlite_lib_version(), found
    finally:
        connection.close()


def _tried(connection: apsw.Connection, sql: str, says: str) -> str | None:
    try:
        connection.execute(sql)
    except apsw.Error:
        return None
    return says
