"""Parquet, as DuckDB and Arrow read it."""

from __future__ import annotations

import io
import subprocess
import sys
from collections.abc import Callable
from pathlib import Path
from typing import Any

import duckdb
import pyarrow.parquet as pq
import pytest

from memcli.errors import UsageError
from memcli.memory import Memory

Rows = Callable[..., dict[str, list[dict[str, Any]]]]


def tables(memory_path: Path, folder: Path, claim: int | None = None) -> Path:
    with Memory.open(memory_path, create=False, read_only=True) as memory:
        memory.export("parquet", folder, claim=claim)
    return folder


def test_the_tables_join_to_claims_with_their_words(compressed: Path, tmp_path: Path, rows: Rows) -> None:
    folder = tables(compressed, tmp_path / "t")
    found = duckdb.sql(f"""
        SELECT c.id, c.text, s.text, m.speaker, m.timestamp, substring(m.text, s.start + 1, s."end" - s.start) = s.text
        FROM '{folder}/claims.parquet' c JOIN '{folder}/support.parquet' u ON u.claim_id = c.id
        JOIN '{folder}/spans.parquet' s ON s.id = u.span_id JOIN '{folder}/messages.parquet' m ON m.number = s.message_number
    """).fetchall()
    assert len(found) == len(rows(path=compressed)["support"])
    assert all(row[5] for row in found if "🫖" not in row[2])


@pytest.mark.parametrize("claim", [None, 1])
def test_the_tables_hold_what_the_lines_hold(compressed: Path, tmp_path: Path, rows: Rows, claim: int | None) -> None:
    folder, found = tables(compressed, tmp_path / "t", claim), rows(path=compressed, claim=claim)
    kinds = {"spans": "span", "claims": "claim", "support": "support", "edges": "edge", "handles": "handle", "lineage": "lineage"}
    for name, kind in kinds.items():
        table = pq.read_table(folder / f"{name}.parquet").to_pylist()
        assert len(table) == len(found.get(kind, [])), name
        for ours, theirs in zip(table, found.get(kind, []), strict=True):
            assert {key: ours[key] for key in theirs if key != "time"} == {key: theirs[key] for key in theirs if key != "time"}


def test_a_kind_that_there_is_none_of_is_an_empty_table_of_the_same_columns(filled: Path, tmp_path: Path) -> None:
    table = pq.read_table(tables(filled, tmp_path / "t") / "lineage.parquet")
    assert (table.num_rows, table.column_names) == (0, ["run_id", "archived_id", "absorber_id", "absorber_origin"])


def test_the_folder_is_its_owners_and_nothing_else_stays_in_it(filled: Path, tmp_path: Path) -> None:
    folder = tables(filled, tables(filled, tmp_path / "t"))  # twice: what is there is replaced
    assert folder.stat().st_mode & 0o777 == 0o700
    assert {path.suffix for path in folder.iterdir()} == {".parquet"}
    assert {path.stat().st_mode & 0o777 for path in folder.iterdir()} == {0o600}


def test_a_stream_or_a_file_is_no_folder(filled: Path, tmp_path: Path) -> None:
    (tmp_path / "f").touch()
    with Memory.open(filled, create=False, read_only=True) as memory:
        for output in (io.StringIO(), tmp_path / "f"):
            with pytest.raises(UsageError, match="folder"):
                memory.export("parquet", output)


def test_without_pyarrow_it_says_what_to_install(filled: Path, tmp_path: Path) -> None:
    script = (
        "import sys; sys.modules['pyarrow'] = None\nfrom memcli.cli import main\n"
        f"sys.exit(main(['export', '--to', 'parquet', '-o', {str(tmp_path / 't')!r}, '--db', {str(filled)!r}]))"
    )
    done = subprocess.run([sys.executable, "-c", script], capture_output=True, text=True, timeout=60)
    assert (done.returncode, done.stdout) == (2, "")
    assert "pip install 'memcli[parquet]'" in done.stderr
    assert not (tmp_path / "t").exists()
