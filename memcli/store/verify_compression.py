"""Checks of what compression leaves in a file: archived claims, lineage, event trees, the vectors of packed spans."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence

import apsw

from memcli.store.packed_vectors import decode

LAWS: dict[str, str] = {
    "active claims that a standing run absorbed": "SELECT id FROM claims WHERE status = 'active'"
    " AND id IN (SELECT archived_id FROM lineage) ORDER BY id",
    "archived claims that no standing run absorbed": "SELECT id FROM claims WHERE status = 'archived'"
    " AND id NOT IN (SELECT archived_id FROM lineage) AND EXISTS (SELECT 1 FROM runs) ORDER BY id",
    "standing runs that cannot be undone exactly": "SELECT id FROM runs WHERE undone_at IS NULL"
    " AND id NOT IN (SELECT run_id FROM run_states) ORDER BY id",
    "merged claims that absorbed nothing": "SELECT id FROM claims WHERE origin = 'merge' AND id NOT IN (SELECT absorber_id FROM lineage)"
    " ORDER BY id",
    "claims whose support did not move to what absorbed them": "SELECT DISTINCT l.archived_id FROM lineage l"
    " JOIN claim_supports cs ON cs.claim_id = l.archived_id WHERE NOT EXISTS (SELECT 1 FROM claim_supports m"
    " WHERE m.claim_id = l.absorber_id AND m.span_id = cs.span_id) ORDER BY 1",
    "claims merged with one of another subject, speaker or polarity": "SELECT a.id FROM lineage l JOIN claims a ON a.id = l.archived_id"
    " JOIN claims m ON m.id = l.absorber_id WHERE a.subject_id IS NOT m.subject_id OR a.speaker_id <> m.speaker_id"
    " OR a.polarity <> m.polarity ORDER BY a.id",
    "lineage, event trees or packs of runs that were undone": "SELECT id FROM runs WHERE undone_at IS NOT NULL"
    " AND (id IN (SELECT run_id FROM lineage) OR id IN (SELECT run_id FROM event_trees) OR id IN (SELECT run_id FROM packs)) ORDER BY id",
    "event trees that are none": "SELECT n.event_tree_id FROM (SELECT event_tree_id, claim_id AS node FROM event_tree_edges"
    " UNION SELECT event_tree_id, parent_id FROM event_tree_edges) n GROUP BY n.event_tree_id HAVING count(*) <>"
    " (SELECT count(*) + 1 FROM event_tree_edges e WHERE e.event_tree_id = n.event_tree_id) ORDER BY 1",
}
"""By what would be wrong: the ids of the rows that it is wrong of."""


def compression(
    connection: apsw.Connection, named: Callable[[str, Sequence[object]], Iterator[tuple[str, int]]]
) -> Iterator[tuple[str, int]]:
    """Check the laws of merged claims; `named` makes a finding of ids."""
    for what, sql in LAWS.items():
        yield from named(what, [row[0] for row in connection.execute(sql)])


def packed(connection: apsw.Connection, named: Callable[[str, Sequence[object]], Iterator[tuple[str, int]]]) -> Iterator[tuple[str, int]]:
    """Check that the spans of packed messages have their vectors beside the packs, and that what lies there can be read."""
    damaged: list[object] = []
    held: dict[str, set[int]] = {"span": set(), "message": set()}
    for pack, family, ids, data in connection.execute("SELECT pack_id, family, ids, data FROM packed_vectors ORDER BY pack_id"):
        atoms = memoryview(ids).cast("q").tolist()
        try:
            decode(data, len(atoms))
        except ValueError:
            damaged.append(pack)
        held[family].update(atoms)
    yield from named("packs whose vectors cannot be read", damaged)
    for family, sql in _PACKED.items():
        wanted = {int(str(row[0])) for row in connection.execute(sql)}
        if family == "span":
            yield from named("packed spans without a vector", sorted(wanted - held[family]))
        yield from named(f"vectors beside packs of a {family} that is in none", sorted(held[family] - wanted))


_PACKED = {
    "span": "SELECT s.id FROM spans s JOIN messages m ON m.id = s.message_id WHERE m.pack_id IS NOT NULL",
    "message": "SELECT id FROM messages WHERE pack_id IS NOT NULL",
}
