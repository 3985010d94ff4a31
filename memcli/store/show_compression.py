"""Event trees and compression runs, as `show` returns them."""

from __future__ import annotations

import apsw

from memcli.results import Shown
from memcli.store.show_rows import every, number, one


def event_tree(connection: apsw.Connection, name: str) -> Shown | None:
    """The tree of one event: what it was made of, and what a run made of that."""
    row = one(
        connection,
        "SELECT t.id, t.run_id AS run, t.center_claim_id AS center, c.text, (SELECT count(*) + 1 FROM event_tree_edges e"
        " WHERE e.event_tree_id = t.id) AS claims FROM event_trees t JOIN claims c ON c.id = t.center_claim_id WHERE t.id = ?",
        number(name),
    )
    if row is None:
        return None
    tree = row.pop("id")
    edges = every(
        connection,
        "SELECT 'claim' AS kind, c.id, e.parent_id AS parent, round(e.similarity, 3) AS similarity, c.status, c.text"
        " FROM event_tree_edges e JOIN claims c ON c.id = e.claim_id WHERE e.event_tree_id = ? ORDER BY c.id",
        tree,
    )
    merged = every(
        connection,
        "SELECT DISTINCT 'claim' AS kind, m.id, 'merged' AS relation, m.status, m.text FROM event_trees t"
        " JOIN event_tree_edges e ON e.event_tree_id = t.id"
        " JOIN lineage l ON l.run_id = t.run_id AND l.archived_id IN (e.claim_id, e.parent_id) JOIN claims m ON m.id = l.absorber_id"
        " WHERE t.id = ? ORDER BY m.id",
        tree,
    )
    return Shown("event_tree", str(tree), row, edges, merged)


def run(connection: apsw.Connection, name: str) -> Shown | None:
    """A compression: its settings, its event trees and the claims it made."""
    row = one(
        connection,
        "SELECT id, ratio, datetime(started_at, 'unixepoch') || 'Z' AS started, datetime(undone_at, 'unixepoch') || 'Z' AS undone, settings"
        " FROM runs WHERE id = ?",
        number(name),
    )
    if row is None:
        return None
    number_of_run = row.pop("id")
    trees = every(
        connection,
        "SELECT 'event_tree' AS kind, t.id, c.text FROM event_trees t JOIN claims c ON c.id = t.center_claim_id WHERE t.run_id = ?"
        " ORDER BY t.id",
        number_of_run,
    )
    merged = every(
        connection,
        "SELECT 'claim' AS kind, c.id, count(*) AS absorbed, c.status, c.text FROM lineage l JOIN claims c ON c.id = l.absorber_id"
        " WHERE l.run_id = ? GROUP BY c.id ORDER BY c.id",
        number_of_run,
    )
    return Shown("run", str(number_of_run), row, trees, merged)
