"""Referents in the file: mentions joined in the order of what was said, each looked up at a flat cost."""

from __future__ import annotations

import time
from collections.abc import Iterator
from dataclasses import dataclass, field
from pathlib import Path

import apsw
import pytest

from memcli.atoms import Handle, Mention, Message, Turn
from memcli.store.connection import connect
from memcli.store.referents import (
    enter_participant,
    insert_mention,
    known_names,
    known_referents,
    learn_names,
    referent_of,
)
from memcli.write.compile import compile_turn
from memcli.write.handles import name_words
from memcli.write.referents import mentions_of, person_mention, resolve_mention


@dataclass
class Chat:
    """One conversation being written into a memory, message by message."""

    connection: apsw.Connection
    name: str = "quarry"
    people: list[str] = field(default_factory=list)
    familiar: set[str] = field(default_factory=set)
    before: list[Turn] = field(default_factory=list)
    position: int = 0

    def say(self, speaker: str, text: str) -> dict[str, int]:
        """Store a message; returns the referent of each of its mentions."""
        run = self.connection.execute
        run("INSERT OR IGNORE INTO conversations (external_id) VALUES (?)", (self.name,))
        conversation = int(run("SELECT id FROM conversations WHERE external_id = ?", (self.name,)).get)
        run("INSERT OR IGNORE INTO pages (id, conversation_id) VALUES (?, ?)", (conversation, conversation))
        new = speaker not in self.people
        if new:
            self.people.append(speaker)
        number = str(self.position)
        turn = compile_turn(Message(self.name, number, speaker, "user", text), tuple(self.people), self.familiar)
        run(
            "INSERT INTO messages (conversation_id, page_id, position, external_id, speaker, role, text, length, digest)"
            " VALUES (?, ?, ?, ?, ?, 'user', ?, ?, ?)",
            (conversation, conversation, self.position, number, speaker, text, len(text), f"{self.name:8.8}{number:8}".encode()),
        )
        message = self.connection.last_insert_rowid()
        if new:
            enter_participant(self.connection, person_mention(speaker), conversation_id=conversation, position=self.position)
        found = {}
        for span, handles, mentions in zip(turn.spans, turn.handles, mentions_of(turn, self.before[-3:], self.people), strict=True):
            row = (message, span.start, span.end, span.kind)
            run("INSERT INTO spans (message_id, start_offset, end_offset, kind, words) VALUES (?, ?, ?, ?, 1)", row)
            span_id = self.connection.last_insert_rowid()
            learn_names(self.connection, conversation, span_id, name_words(handles))
            self.familiar |= name_words(handles)
            for mention in mentions:
                handle = insert_mention(
                    self.connection, span_id, mention, resolve_mention, conversation_id=conversation, position=self.position
                )
                found[mention.handle.text] = int(run("SELECT referent_id FROM handles WHERE id = ?", (handle,)).get)
        self.position += 1
        self.before.append(turn)
        return found

    def resume(self) -> Chat:
        """The same conversation as a program that has just opened the file knows it."""
        conversation = self.connection.execute("SELECT id FROM conversations WHERE external_id = ?", (self.name,)).get
        return Chat(self.connection, self.name, [*self.people], known_names(self.connection, conversation), [*self.before], self.position)


@pytest.fixture
def empty(tmp_path: Path) -> Iterator[apsw.Connection]:
    connection = connect(tmp_path / "quarry.memdb")
    yield connection
    connection.close()


def name_of(connection: apsw.Connection, referent: int) -> str:
    return str(connection.execute("SELECT name FROM referents WHERE id = ?", (referent,)).get)


def test_each_speaker_has_a_mother_of_his_own(empty: apsw.Connection) -> None:
    chat = Chat(empty)
    marits = chat.say("Marit", "My mom is well.")["My mom"]
    jonas = chat.say("Jonas", "My mom too. How is your mother now?")
    assert jonas["My mom"] != marits == jonas["your mother"]
    assert name_of(empty, marits) == "Marit's mom"
    assert name_of(empty, jonas["My mom"]) == "Jonas's mom"


def test_two_of_one_first_name_stay_two(empty: apsw.Connection) -> None:
    chat = Chat(empty)
    bindery = chat.say("Marit", "I saw Anna from the bindery.")["Anna"]
    cousin = chat.say("Jonas", "My cousin Anna is here as well.")["My cousin Anna"]
    assert bindery != cousin
    assert chat.say("Marit", "So Anna from the bindery knows her?")["Anna"] == bindery
    assert chat.say("Jonas", "I think Anna does.")["Anna"] == bindery
    both = chat.say("Marit", "We met Anna Petrova and Anna Klein. Later we lost Anna again.")
    assert len({bindery, cousin, both["Anna Petrova"], both["Anna Klein"]}) == 4
    assert both["Anna"] == both["Anna Klein"]


def test_stages_of_a_work_stay_apart(empty: apsw.Connection) -> None:
    chat = Chat(empty)
    first = chat.say("Jonas", "I sold my first screenplay.")["first screenplay"]
    second = chat.say("Marit", "And your second screenplay?")["second screenplay"]
    later = chat.say("Jonas", "The second one is a mess. The first one was easy. My new screenplay is better.")
    assert (later["first one"], later["second one"]) == (first, second)
    assert len({first, second, later["new screenplay"]}) == 3
    assert name_of(empty, second) == "Jonas's second screenplay"


def test_aliases_of_a_referent_are_its_handles(empty: apsw.Connection) -> None:
    chat = Chat(empty)
    chat.say("Melusine", "Hello.")
    here = chat.say("Jonas", "Hi Mel! We met at the Friends' Meeting House, near the Meeting House garden, Melusine.")
    assert here["Mel"] == here["Melusine"]
    assert here["Friends' Meeting House"] == here["Meeting House"]
    aliases = empty.execute("SELECT DISTINCT text FROM handles WHERE referent_id = ? ORDER BY text", (here["Mel"],)).fetchall()
    assert aliases == [("Mel",), ("Melusine",)]


def test_a_sister_gets_her_name(empty: apsw.Connection) -> None:
    chat = Chat(empty)
    chat.say("Jonas", "Hello.")
    sister = chat.say("Marit", "My sister was there.")["My sister"]
    named = chat.say("Marit", "My sister Ulla Lund sang. Ulla is good.")
    assert set(named.values()) == {sister}
    assert name_of(empty, sister) == "Ulla Lund"
    assert empty.execute("SELECT count(*) FROM referent_views WHERE referent_views MATCH 'lund'").get == 1


def test_single_names_belong_to_their_conversation_and_full_names_to_all(empty: apsw.Connection) -> None:
    quarry, harbour = Chat(empty, "quarry"), Chat(empty, "harbour")
    one = quarry.say("Marit", "We met Anna and Bo Fennick. See app/tide.py and Frobnik 2.1.0.")
    two = harbour.say("Wanda", "We met Anna and Bo Fennick. See app/tide.py and Frobnik 2.1.1.")
    assert one["Anna"] != two["Anna"]
    assert one["Bo Fennick"] == two["Bo Fennick"]
    assert one["app/tide.py"] == two["app/tide.py"]
    assert one["Frobnik 2.1.0"] != two["Frobnik 2.1.1"]


def test_who_speaks_is_who_was_mentioned_and_is_one_in_all_conversations(empty: apsw.Connection) -> None:
    quarry, harbour = Chat(empty, "quarry"), Chat(empty, "harbour")
    greeted = quarry.say("Marit", "Hello Jonas!")["Jonas"]
    quarry.say("Jonas", "Hello Marit!")
    assert empty.execute("SELECT id, kind FROM referents WHERE name = 'Jonas'").fetchall() == [(greeted, "person")]
    elsewhere = harbour.say("Wanda", "I like Jonas.")["Jonas"]
    assert elsewhere != greeted
    assert harbour.say("Jonas", "And Jonas likes you.")["Jonas"] == greeted
    assert empty.execute("SELECT count(*) FROM handles WHERE referent_id = ?", (elsewhere,)).get == 0
    assert empty.execute("SELECT count(*) FROM referents WHERE name = 'Jonas'").get == 1


TALK = [
    ("Marit", "Hey Jonas! Did Anna from the bindery call about Tilly?"),
    ("Jonas", "Tilly sleeps. My cousin Anna did. My first screenplay sold at the Meeting House."),
    ("Marit", "Anna Petrova and Anna read the second one. Your mom read The Friends' Meeting House paper."),
    ("Jonas", "Mom liked it. Anna too, and my sister Ulla. Tilly snores at the Meeting House."),
    ("Marit", "Ulla is kind. The first one is better, Anna says."),
]


def rows(connection: apsw.Connection) -> list[list[tuple[object, ...]]]:
    tables = ("referents", "handles", "referent_keys", "referent_qualifiers", "name_words")
    return [connection.execute(f"SELECT * FROM {table} ORDER BY 1, 2").fetchall() for table in tables]


def test_a_program_started_anew_goes_on_as_if_it_had_never_stopped(tmp_path: Path) -> None:
    whole, broken = connect(tmp_path / "whole.memdb"), connect(tmp_path / "broken.memdb")
    one, two = Chat(whole), Chat(broken)
    for speaker, text in TALK:
        one.say(speaker, text)
        two = two.resume() if two.position else two
        two.say(speaker, text)
    assert rows(whole) == rows(broken)
    whole.close()
    broken.close()


def test_saying_it_again_makes_no_new_referent(empty: apsw.Connection) -> None:
    chat = Chat(empty)
    for speaker, text in TALK:
        chat.say(speaker, text)
    count = empty.execute("SELECT count(*) FROM referents").get
    first = chat.say("Marit", "We saw Tilly, Ulla, Anna Petrova and the Meeting House.")
    again = chat.say("Marit", "We saw Tilly, Ulla, Anna Petrova and the Meeting House.")
    assert first == again
    assert empty.execute("SELECT count(*) FROM referents").get == count


def test_a_look_up_reads_no_more_of_a_large_file(empty: apsw.Connection) -> None:
    Chat(empty).say("Marit", "Hello there.")
    empty.execute("BEGIN")
    empty.execute(
        "WITH RECURSIVE n(i) AS (SELECT 10 UNION ALL SELECT i + 1 FROM n WHERE i < 50009)"
        " INSERT INTO referents (id, kind, name)"
        " SELECT i, 'name', char(97 + i % 26, 97 + i / 26 % 26, 97 + i / 676 % 26) || i || 'q' FROM n"
    )
    empty.execute("INSERT INTO referent_keys SELECT 1, name, id, 0, 0, 0 FROM referents WHERE id >= 10")
    names = [f"{a}{b}{c}ling" for a in "abkmz" for b in "aeo" for c in "dgr"]
    started = time.process_time()
    for position, name in enumerate(names):
        mention = Mention(Handle(name, 0, "name"), name, name)
        referent_of(empty, mention, resolve_mention, conversation_id=1, position=position)
    seconds = (time.process_time() - started) / len(names)
    assert seconds < 1e-3, "0.2 ms on an idle machine"
    empty.execute("ROLLBACK")


def test_candidates_come_by_key_first_and_by_likeness_else(empty: apsw.Connection) -> None:
    chat = Chat(empty)
    chat.say("Marit", "We went to Tilbury, then to Quern.")
    like = Mention(Handle("Tilbruy", 0, "name"), "Tilbruy", "tilbruy")
    assert [known.name for known in known_referents(empty, like, 1)] == ["Tilbury"]
    assert known_referents(empty, Mention(Handle("Zork", 0, "name"), "Zork", "zork"), 1) == []
