"""Facts: claims with their evidence, in the order asked for."""

from __future__ import annotations

import apsw
import pytest

from memcli.store.facts import fetch_facts


def test_a_fact_carries_its_evidence_word_for_word_and_its_cues(memory: apsw.Connection) -> None:
    (fact,) = fetch_facts(memory, [1])
    assert (fact.text, fact.kind, fact.speaker, fact.subject, fact.time) == ("Ines planted two quince trees.", "event", "Ines", None, None)
    assert [(e.message_id, e.start, e.end, e.text) for e in fact.evidence] == [
        ("1", 0, 40, "Ines planted two quince trees yesterday."),
        ("1", 41, 64, "They came from Olomouc."),
    ]
    assert fact.cues == (("yesterday", "2024-03-04", "2024-03-05", "day", "2024-03-05"),)


@pytest.mark.parametrize("ids", [[2, 1], [1, 2], [1, 99, 2], [3, 2], [2, 1, 2], []])
def test_facts_come_in_the_order_asked_for_without_what_is_archived_or_missing(memory: apsw.Connection, ids: list[int]) -> None:
    assert [fact.id for fact in fetch_facts(memory, ids)] == [i for i in ids if i in (1, 2)]


def test_the_later_of_two_that_conflict_supersedes_the_earlier(memory: apsw.Connection) -> None:
    memory.execute("INSERT INTO edges (source_id, target_id, relation, strength) VALUES (2, 1, 'conflicts', 1), (1, 2, 'supports', 1)")
    first, second = fetch_facts(memory, [1, 2])
    assert (first.supersedes, first.conflicts_with) == ((), (2,))
    assert (second.supersedes, second.conflicts_with) == ((1,), (1,))


def test_many_facts_cost_no_more_statements_than_few(memory: apsw.Connection) -> None:
    memory.execute("BEGIN; WITH RECURSIVE n(i) AS (VALUES (10) UNION ALL SELECT i + 1 FROM n LIMIT 2000)"
                   " INSERT INTO claims (id, page_id, text, kind, speaker_id, anchor_span_id) SELECT i, 1, 'x', 'fact', 1, 1 FROM n;"
                   " INSERT INTO claim_supports SELECT id, 1, 0 FROM claims WHERE id >= 10; COMMIT")  # fmt: skip
    asked: list[str] = []

    def trace(cursor: apsw.Cursor, sql: str, values: object) -> bool:
        asked.append(sql)
        return True

    memory.exec_trace = trace
    facts = fetch_facts(memory, range(2009, 9, -1))
    memory.exec_trace = None
    assert [fact.id for fact in facts] == list(range(2009, 9, -1))
    assert len(asked) == 3
