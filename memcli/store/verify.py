"""Is the file sound? Every law, every index, every row is looked at; what is derived can be rebuilt.

The schema keeps the laws against this program and any other that leaves foreign keys on. These checks find what went past
it: bad disks, other programs, and indexes that fell behind.
"""

from __future__ import annotations

import functools
import re
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import replace
from pathlib import Path
from typing import Any

import apsw

from memcli.atoms import Message
from memcli.results import Problem, Verification
from memcli.store import verify_compression, verify_vectors
from memcli.store.connection import read_transaction
from memcli.store.failures import DamagedError, explained
from memcli.store.search import tokenize

DigestOf = Callable[[Message], bytes]
"""A message's content address, 16 bytes, as `memcli.store.transcripts.message_digest` makes it."""

_Findings = Iterator[tuple[str, int]]
"""What is wrong, and in how many rows."""

_CUES = {"handles": "handles", "time_cues": "time cues", "pivots": "pivots"}

_INDEXED = {
    "span": "SELECT id FROM spans",
    "claim": "SELECT id FROM claims WHERE status = 'active'",
    "referent": "SELECT id FROM referents",
    "time_cue": "SELECT id FROM time_cues",
    "pivot": "SELECT id FROM pivots",
    "keyword": "SELECT id FROM keywords",
}
"""Which atoms must be in `<atom>_views`, and no others. Archived claims leave the indexes."""

_EMBEDDED = ("span", "claim", "message")

REPAIRABLE = frozenset([*(f"{atom}_index" for atom in _INDEXED), *(f"{atom}_vectors" for atom in _EMBEDDED), "groups", "topics"])
"""The checks of what is derived from messages, cues and claims, and so can be rebuilt from them; `rebuild.rebuilders` does."""

_SHOWN_IDS = 5

_DAMAGE = (apsw.Error, ArithmeticError, AttributeError, LookupError, TypeError, ValueError)
"""What rows that are not what they should be make a check or a rebuilding raise; text that is not UTF-8 is a ValueError."""


def verify(
    connection: apsw.Connection,
    path: Path,
    *,
    digest_of: DigestOf,
    repair: bool = False,
    rebuilders: Mapping[str, Callable[[], None]] | None = None,
) -> Verification:
    """Run every check; with `repair`, rebuild what can be and check it again.

    Args:
        connection: of `connect`, outside a transaction; read-only will do without `repair`.
        path: the file's path, for the report.
        digest_of: recomputes a message's digest.
        repair: whether to call `rebuilders` for the checks that fail.
        rebuilders: by name of a check in `REPAIRABLE`: rebuilds what the check looks at, in a transaction of its own.

    Returns:
        The checks in the order they ran, the problems that are left, and the checks that a rebuilding made good.

    Raises:
        StoreError: the file is locked, or with `repair` cannot be written.
    """
    checks = _checks(digest_of)
    with explained(path):
        problems = _run_all(checks, connection)
        failed = [name for name in rebuilders or {} if problems.get(name)] if repair else []
        vain = [problem for name in failed for problem in _rebuild(name, (rebuilders or {})[name])]
        if failed:  # all of them: a rebuilding may have made good, or bad, what another check looks at
            problems = _run_all(checks, connection)
        for problem in vain:
            left = [replace(found, repairable=False) for found in problems[problem.check]]
            problems[problem.check] = [*left, problem] if left else []
    repaired = [name for name in failed if not problems[name]]
    return Verification(
        path=str(path),
        checks=tuple(checks),
        problems=tuple(problem for found in problems.values() for problem in found),
        repaired=tuple(repaired),
    )


def _checks(digest_of: DigestOf) -> dict[str, Callable[[apsw.Connection], _Findings]]:
    return {
        "integrity": _integrity,
        "foreign_keys": _foreign_keys,
        "texts": _texts,
        "packs": _packs,
        "messages": functools.partial(_messages, digest_of=digest_of),
        "pages": _pages,
        "spans": _spans,
        "grounding": _grounding,
        "verbatim": _verbatim,
        "groups": _groups,
        "topics": _topics,
        "compression": functools.partial(verify_compression.compression, named=_named),
        "packed_vectors": functools.partial(verify_compression.packed, named=_named),
        "embedder": _embedder,
        **{f"{atom}_index": functools.partial(_index, atom=atom) for atom in _INDEXED},
        "span_vectors": functools.partial(verify_vectors.vectors, atom="span", wanted=verify_vectors.UNPACKED_SPANS, named=_named),
        "claim_vectors": functools.partial(verify_vectors.vectors, atom="claim", wanted=_INDEXED["claim"], named=_named),
        "message_vectors": functools.partial(verify_vectors.message_vectors, named=_named),
    }


def _run_all(checks: Mapping[str, Callable[[apsw.Connection], _Findings]], connection: apsw.Connection) -> dict[str, list[Problem]]:
    with read_transaction(connection):
        return {name: _run(name, check, connection) for name, check in checks.items()}


def _run(name: str, check: Callable[[apsw.Connection], _Findings], connection: apsw.Connection) -> list[Problem]:
    repairable = name in REPAIRABLE
    problems = []
    try:
        for message, rows in check(connection):
            problems.append(Problem(name, message, rows, repairable))
    except (apsw.BusyError, apsw.LockedError):
        raise
    except _DAMAGE as error:
        problems.append(Problem(name, f"cannot be read: {_said(error)}", 1, repairable))
    return problems


def _rebuild(name: str, rebuild: Callable[[], None]) -> Iterator[Problem]:
    """Rebuild what a check looks at; a problem if that is not to be had from a file as damaged as this one."""
    try:
        rebuild()
    except (apsw.BusyError, apsw.LockedError):
        raise
    except (DamagedError, *_DAMAGE) as error:
        yield Problem(name, f"cannot be rebuilt: {_said(error.__cause__ or error)}", 1, repairable=False)


def _said(error: BaseException) -> str:
    text = " ".join(str(error).split())
    return text if isinstance(error, apsw.Error) else f"{type(error).__name__}: {text}"


def _ids(connection: apsw.Connection, what: str, sql: str) -> _Findings:
    """One finding for all rows that `sql` selects the ids of."""
    yield from _named(what, [row[0] for row in connection.execute(sql)])


def _named(what: str, ids: Sequence[object]) -> _Findings:
    """One finding for all of these ids, naming the first few; none if there are none."""
    if ids:
        shown = ", ".join(str(i) for i in ids[:_SHOWN_IDS])
        yield f"{what}: {shown}{', ...' if len(ids) > _SHOWN_IDS else ''}", len(ids)


def _integrity(connection: apsw.Connection) -> _Findings:
    try:
        lines = _checked(connection, "")
    except apsw.SQLError as error:
        if "fts5" not in str(error).casefold():
            raise
        # One of the indexes cannot even be opened: the tables, then, one by one.
        lines = [line for table in _tables(connection) for line in _checked(connection, f'("{table}")')]
    wrong = [line for line in lines if line != "ok" and "fts5" not in line.casefold()]  # the indexes have checks of their own
    if wrong:
        yield "; ".join(wrong[:_SHOWN_IDS]), len(wrong)


def _checked(connection: apsw.Connection, what: str) -> list[str]:
    return [str(row[0]) for row in connection.execute(f"PRAGMA integrity_check{what}")]


def _tables(connection: apsw.Connection) -> dict[str, list[str]]:
    """Every ordinary table, with its columns of text."""
    sql = """
        SELECT t.name, c.name, c.type FROM pragma_table_list t JOIN pragma_table_info(t.name) c
        WHERE t.schema = 'main' AND t.type = 'table' AND t.name NOT LIKE 'sqlite\\_%' ESCAPE '\\' ORDER BY t.name, c.cid
    """
    found: dict[str, list[str]] = {}
    for table, column, declared in connection.execute(sql):
        columns = found.setdefault(str(table), [])
        if declared == "TEXT":
            columns.append(str(column))
    return found


def _texts(connection: apsw.Connection) -> _Findings:
    for table, columns in _tables(connection).items():
        if not columns:
            continue
        rows = connection.execute(f"""SELECT {", ".join(f'CAST("{column}" AS BLOB)' for column in columns)} FROM "{table}" """)
        if wrong := sum(not all(map(_is_text, row)) for row in rows):
            yield f"rows of {table} with a text that is not UTF-8", wrong


def _is_text(data: object) -> bool:
    """Whether bytes are UTF-8; the NULL of a text that is not there is no fault."""
    return not isinstance(data, bytes) or data.decode("utf-8", "ignore").encode() == data


def _foreign_keys(connection: apsw.Connection) -> _Findings:
    sql = 'SELECT "table", parent, count(*) FROM pragma_foreign_key_check GROUP BY 1, 2 ORDER BY 1, 2'
    for table, parent, rows in connection.execute(sql):
        yield f"rows of {table} refer to rows of {parent} that do not exist", int(str(rows))


def _packs(connection: apsw.Connection) -> _Findings:
    sql = "SELECT m.id FROM messages m JOIN message_texts t ON t.id = m.id WHERE t.text IS NULL ORDER BY m.id"
    yield from _ids(connection, "messages whose words cannot be unpacked", sql)


def _messages(connection: apsw.Connection, *, digest_of: DigestOf) -> _Findings:
    changed = [number for number, digest, candidates in _stored_messages(connection) if digest not in map(digest_of, candidates)]
    yield from _named("messages that are not what they were when they came in", changed)


def _stored_messages(connection: apsw.Connection) -> Iterator[tuple[int, bytes, list[Message]]]:
    """Id, stored digest and what the message may have been when it came in.

    That is two things if it came with an id which was taken: its metadata then keeps the one it was given.
    """
    sql = """
        SELECT m.id, m.digest, c.external_id, m.external_id, m.speaker, m.role, t.text, m.timestamp, s.external_id,
            json_extract(m.metadata, '$.given_id'), m.occurrence
        FROM messages m JOIN message_texts t ON t.id = m.id JOIN conversations c ON c.id = m.conversation_id
        LEFT JOIN sessions s ON s.id = m.session_id WHERE t.text IS NOT NULL ORDER BY m.id
    """
    for row in connection.execute(sql):
        values: tuple[Any, ...] = row
        number, digest, conversation, external_id, speaker, role, text, timestamp, session, given, occurrence = values
        names = [external_id]
        if isinstance(given, str):
            names.append(given)
        yield (
            number,
            digest,
            [Message(conversation, name, speaker, role, text, timestamp, session, occurrence=occurrence) for name in names],
        )


def _pages(connection: apsw.Connection) -> _Findings:
    """Gaps in the positions are what forgetting leaves; another page in between is not."""
    yield from _ids(
        connection,
        "pages whose messages are not one run of their conversation",
        """
        SELECT page_id FROM (
            SELECT page_id, lag(page_id) OVER (PARTITION BY conversation_id ORDER BY position) AS previous FROM messages)
        WHERE previous IS NOT page_id GROUP BY page_id HAVING count(*) > 1
        UNION
        SELECT p.id FROM pages p JOIN messages m ON m.page_id = p.id WHERE m.conversation_id <> p.conversation_id
        """,
    )
    yield from _ids(
        connection,
        "claims of another page than their first span's",
        "SELECT c.id FROM claims c JOIN spans s ON s.id = c.anchor_span_id JOIN messages m ON m.id = s.message_id"
        " WHERE c.page_id <> m.page_id ORDER BY c.id",
    )


def _spans(connection: apsw.Connection) -> _Findings:
    yield from _ids(
        connection,
        "spans that reach past their message",
        "SELECT s.id FROM spans s JOIN messages m ON m.id = s.message_id WHERE s.start_offset < 0 OR s.end_offset > m.length ORDER BY s.id",
    )
    yield from _ids(
        connection,
        "spans that overlap one before them",
        """
        SELECT id FROM (
            SELECT id, start_offset, max(end_offset) OVER (
                PARTITION BY message_id ORDER BY start_offset ROWS BETWEEN UNBOUNDED PRECEDING AND 1 PRECEDING) AS reached
            FROM spans)
        WHERE start_offset < reached ORDER BY id
        """,
    )
    sql = "SELECT s.id, s.words, substr(t.text, s.start_offset + 1, s.end_offset - s.start_offset)"
    texts = connection.execute(f"{sql} FROM spans s JOIN message_texts t ON t.id = s.message_id WHERE t.text IS NOT NULL ORDER BY s.id")
    miscounted = [number for number, words, text in texts if words != len(tokenize(str(text)))]
    yield from _named("spans whose words are miscounted", miscounted)


def _grounding(connection: apsw.Connection) -> _Findings:
    grounded = "FROM claim_supports cs JOIN spans s ON s.id = cs.span_id JOIN messages m ON m.id = s.message_id WHERE cs.claim_id = c.id"
    yield from _ids(
        connection, "claims without a supporting span", f"SELECT id FROM claims c WHERE NOT EXISTS (SELECT 1 {grounded}) ORDER BY id"
    )
    yield from _ids(
        connection,
        "claims whose first span does not support them",
        f"SELECT id FROM claims c WHERE EXISTS (SELECT 1 {grounded}) AND anchor_span_id NOT IN (SELECT cs.span_id {grounded}) ORDER BY id",
    )
    for table, name in _CUES.items():
        sql = f"SELECT id FROM {table} WHERE NOT EXISTS (SELECT 1 FROM spans WHERE spans.id = span_id) ORDER BY id"
        yield from _ids(connection, f"{name} without a span", sql)
    yield from _ids(
        connection,
        "keywords of no claim",
        "SELECT id FROM keywords k WHERE NOT EXISTS"
        " (SELECT 1 FROM claim_keywords ck JOIN claims c ON c.id = ck.claim_id WHERE ck.keyword_id = k.id) ORDER BY id",
    )


def _verbatim(connection: apsw.Connection) -> _Findings:
    for table, name in _CUES.items():
        yield from _ids(
            connection,
            f"{name} that are not a slice of their span",
            f"""
            SELECT q.id FROM {table} q JOIN spans s ON s.id = q.span_id JOIN message_texts t ON t.id = s.message_id
            WHERE q.start_offset < s.start_offset OR q.start_offset + length(q.text) > s.end_offset
                OR substr(t.text, q.start_offset + 1, length(q.text)) IS NOT q.text ORDER BY q.id
            """,
        )


def _groups(connection: apsw.Connection) -> _Findings:
    sql = "SELECT group_id FROM group_members GROUP BY group_id HAVING count(*) > 12 ORDER BY group_id"
    yield from _ids(connection, "groups of more than 12 claims", sql)
    if connection.execute("SELECT 1 FROM groups").fetchone():
        sql = (
            "SELECT c.id FROM claims c LEFT JOIN group_members gm ON gm.claim_id = c.id"
            " WHERE (c.status = 'active') <> (gm.claim_id IS NOT NULL) ORDER BY c.id"
        )
        yield from _ids(connection, "claims in no group, or in one though they are archived", sql)
        sql = "SELECT id FROM groups WHERE id NOT IN (SELECT group_id FROM group_members) ORDER BY id"
        yield from _ids(connection, "groups without a claim", sql)
    yield from _centroids(connection, "groups", "4 * m.dimension")
    # Cells hold projections where there is a basis to project on, whose rows are as long as a vector.
    axes = "(SELECT length(basis) / (4 * m.dimension) FROM group_index WHERE basis IS NOT NULL)"
    yield from _centroids(connection, "group_cells", f"4 * coalesce({axes}, m.dimension)")


def _centroids(connection: apsw.Connection, table: str, size: str) -> _Findings:
    sql = (
        f"SELECT t.id FROM {table} t JOIN models m ON m.role = 'embedder' JOIN settings s ON s.key = 'embedder' AND s.value = m.fingerprint"
        f" WHERE length(t.centroid) <> {size} ORDER BY t.id"
    )
    yield from _ids(connection, f"{table} whose centroid is no vector of the model", sql)


def _topics(connection: apsw.Connection) -> _Findings:
    sql = "SELECT topic_id FROM topic_keywords GROUP BY topic_id HAVING count(*) NOT BETWEEN 3 AND 15 ORDER BY topic_id"
    yield from _ids(connection, "topics of fewer than 3 or more than 15 keywords", sql)
    yield from _centroids(connection, "topics", "4 * m.dimension")


def _embedder(connection: apsw.Connection) -> _Findings:
    recorded = connection.execute(
        "SELECT m.dimension FROM models m JOIN settings s ON s.key = 'embedder' AND s.value = m.fingerprint WHERE m.role = 'embedder'"
    ).fetchone()
    for atom in _EMBEDDED:
        table = connection.execute("SELECT sql FROM sqlite_schema WHERE name = ?", (f"{atom}_vectors",)).fetchone()
        if table is None:
            continue
        declared = re.search(r"float\[(\d+)\]", str(table[0]))
        if recorded is None:
            yield f"{atom}_vectors holds vectors, but the file does not say of which embedder", 1
        elif declared is None or int(declared[1]) != recorded[0]:
            yield f"{atom}_vectors does not hold vectors of the embedder's {recorded[0]} dimensions", 1


def _index(connection: apsw.Connection, *, atom: str) -> _Findings:
    views = f"{atom}_views"
    lines = [str(row[0]) for row in connection.execute(f"PRAGMA integrity_check({views})")]
    if lines != ["ok"]:
        yield "; ".join(lines[:_SHOWN_IDS]), len(lines)
    yield from _both_ways(connection, views, _INDEXED[atom], f"SELECT id FROM {views}_docsize")


def _both_ways(connection: apsw.Connection, index: str, wanted: str, held: str) -> _Findings:
    yield from _ids(connection, f"atoms missing from {index}", f"{wanted} EXCEPT {held} ORDER BY 1")
    yield from _ids(connection, f"entries of {index} for atoms that are gone or archived", f"{held} EXCEPT {wanted} ORDER BY 1")
