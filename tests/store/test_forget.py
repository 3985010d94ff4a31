"""What is forgotten is gone to the last byte, what stays is sound and keeps its ids, and nothing of it comes back."""

from __future__ import annotations

import itertools
import json
import random
import signal
import time
from collections.abc import Callable
from contextlib import AbstractContextManager
from pathlib import Path
from typing import TYPE_CHECKING, Any, NoReturn

import apsw
import pytest

from memcli import Memory
from memcli.atoms import Message
from memcli.compression import Limits, compress_memory
from memcli.errors import ModelError, NotFoundError, UsageError
from memcli.forgetting import Selection, forget_memory
from memcli.results import Forgotten
from memcli.store.claims import insert_keyword
from memcli.store.connection import connect
from memcli.store.page_claims import reword_claim
from memcli.store.search import tokenize
from memcli.store.transcripts import message_digest
from memcli.store.verify import verify

if TYPE_CHECKING:
    from conftest import Program, Store

OpenStore = Callable[[Path], AbstractContextManager[Any]]

_SAID = (
    "I met {W0} {W1} at the {w2} fair yesterday. {W0} sells painted boats.",
    "Where does she keep the {w0} and the {w1}?",
    "In the {w0} barn.",
    "My {w0} {w1} broke on Tuesday, the coil is gone.",
    "Ich habe gestern in {W0} ein Buch über {w1} gekauft.",
    "我上周五在{w0}遇到了{w1}。",
    "Compré tres kilos de {w0} en el mercado de {W1}.",
    "I planted {w0} trees behind the mill with my cousin {W1}. The {w2} ones died.",
    "`{w0}.py` raises {W1}Error in version 3.{n}.1, see https://{w2}.example/{w0}",
)
_SPEAKERS = ("Nils", "Rosaria", "Tove Zundelfink")
_SYLLABLES = ("zu", "vim", "qua", "lor", "bex", "hyd", "jat", "wop", "fra", "gri", "sny", "tek")


_WORDS = ["".join(parts) for parts in itertools.permutations(_SYLLABLES, 4)]
random.Random(1).shuffle(_WORDS)


def words_of(n: int) -> list[str]:
    """Three words that message `n` may hold, and no other does."""
    return _WORDS[3 * n : 3 * n + 3]


def chat() -> list[Message]:
    """Two conversations of three people in sessions of twelve messages; every message has words of its own."""
    messages = []
    for n in range(72):
        w0, w1, w2 = words_of(n)
        text = _SAID[n % len(_SAID)].format(w0=w0, w1=w1, w2=w2, W0=w0.capitalize(), W1=w1.capitalize(), n=n)
        conversation = "mill" if n < 48 else "harbour"
        messages.append(
            Message(
                conversation_id=conversation,
                message_id=f"m{n}",
                speaker=_SPEAKERS[n % 3],
                role="user",
                text=text,
                timestamp=f"2023-{1 + n // 24:02}-{1 + n % 24:02}T10:00:00",
                session_id=f"s{n // 12}",
            )
        )
    return messages


SELECTIONS = {
    "message": (Selection(message="m7"), lambda n, m: n == 7),
    "conversation": (Selection(conversation="harbour"), lambda n, m: n >= 48),
    "session": (Selection(session="s2"), lambda n, m: n // 12 == 2),
    "speaker": (Selection(speaker="tove zundelfink"), lambda n, m: n % 3 == 2),
    "first name": (Selection(speaker="Tove", conversation="mill"), lambda n, m: n % 3 == 2 and n < 48),
    "matching": (Selection(matching=r"kilos? de \w+|Buch"), lambda n, m: n % 9 in (4, 6)),
    "before": (Selection(before="2023-02-03"), lambda n, m: n < 26),
    "several": (Selection(speaker="Rosaria", conversation="mill", before="2023-02-01"), lambda n, m: n % 3 == 1 and n < 24),
}
"""Every selector: what is asked for, and of message number n whether it is meant."""


@pytest.fixture(scope="module")
def whole(tmp_path_factory: pytest.TempPathFactory, open_store: OpenStore) -> dict[bool, bytes]:
    """The bytes of a memory of `chat()`, uncompressed and compressed."""
    made = {}
    for compressed in (False, True):
        path = tmp_path_factory.mktemp("whole") / "chat.memdb"
        with open_store(path) as store:
            store.add(chat())
            if compressed:
                compress_memory(store.connection, 0.2, Limits())
                assert compress_memory(store.connection, 0.4, Limits()).run == 2
        made[compressed] = path.read_bytes()
    return made


@pytest.fixture
def filled(whole: dict[bool, bytes], tmp_path: Path) -> Path:
    path = tmp_path / "chat.memdb"
    path.write_bytes(whole[False])
    return path


def run(store: Store, selection: Selection, *, dry_run: bool = False) -> Forgotten:
    return forget_memory(store.connection, lambda: store.embedder, selection, dry_run=dry_run)


def sound(connection: apsw.Connection) -> bool:
    assert verify(connection, Path(connection.filename), digest_of=message_digest).problems == ()
    return True


def claims_of(connection: apsw.Connection) -> dict[int, str]:
    return dict(connection.execute("SELECT id, text FROM claims WHERE status = 'active'").fetchall())


def bytes_of(path: Path) -> bytes:
    """Everything that lies in the file and beside it, letters in lower case."""
    assert path.exists()
    return b"".join(file.read_bytes() for file in sorted(path.parent.glob(path.name + "*"))).lower()


def assert_gone(path: Path, words: list[str]) -> None:
    held = bytes_of(path)
    assert [word for word in words if word.lower().encode() in held] == []


@pytest.mark.parametrize("compressed", [False, True], ids=["whole", "compressed"])
@pytest.mark.parametrize("name", SELECTIONS)
def test_no_byte_of_what_is_forgotten_is_left(
    name: str, compressed: bool, whole: dict[bool, bytes], tmp_path: Path, open_store: OpenStore
) -> None:
    selection, meant = SELECTIONS[name]
    messages = chat()
    gone = [n for n, message in enumerate(messages) if meant(n, message)]
    path = tmp_path / "chat.memdb"
    path.write_bytes(whole[compressed])
    words = [word for n in gone for word in words_of(n)]
    if not compressed:
        assert all(words_of(n)[0].encode() in bytes_of(path) for n in gone)
    with open_store(path) as store:
        kept_before = set(store.connection.execute("SELECT id FROM claims WHERE origin <> 'merge'"))
        outcome = run(store, selection)
        assert outcome.counts["messages"] == len(gone)
        assert outcome.scrubbed
        assert outcome.undone_runs == ((2, 1) if compressed else ())
        assert_gone(path, words)  # while the file is open, with its log
        assert sound(store.connection)
        assert set(store.connection.execute("SELECT id FROM claims")) <= kept_before
        assert store.add(messages).messages_new == 0
        assert store.connection.execute("SELECT count(*) FROM messages").get == len(messages) - len(gone)
        assert store.connection.execute("SELECT count(*) FROM tombstones").get == len(gone)
        for view in ("span", "claim", "referent", "time_cue", "pivot", "keyword"):
            store.connection.execute(f"CREATE VIRTUAL TABLE temp.{view}_terms USING fts5vocab(main, {view}_views, row)")
            terms = {row[0] for row in store.connection.execute(f"SELECT term FROM temp.{view}_terms")}
            assert terms.isdisjoint({token for word in words for token in tokenize(word)})
    assert_gone(path, [*words, *(["zundelfink"] if name == "speaker" else [])])


@pytest.mark.parametrize("compressed", [False, True], ids=["whole", "compressed"])
def test_a_claim_is_forgotten_with_the_messages_it_rests_on(
    compressed: bool, whole: dict[bool, bytes], tmp_path: Path, open_store: OpenStore
) -> None:
    path = tmp_path / "chat.memdb"
    path.write_bytes(whole[compressed])
    with open_store(path) as store:
        sql = "SELECT c.id FROM claims c WHERE status = 'active' ORDER BY c.origin = 'merge' DESC, c.id LIMIT 1"
        claim = store.connection.execute(sql).get
        rests = (
            "SELECT DISTINCT m.external_id FROM claim_supports cs JOIN spans s ON s.id = cs.span_id JOIN messages m ON m.id = s.message_id"
        )
        messages = [row[0] for row in store.connection.execute(f"{rests} WHERE cs.claim_id = ?", (claim,))]
        assert run(store, Selection(claim=claim)).counts["messages"] == len(messages)
        assert claim not in claims_of(store.connection)
        assert sound(store.connection)
    assert_gone(path, [word for message in messages for word in words_of(int(message[1:]))])


def said(*lines: tuple[str, str], conversation: str = "attic") -> list[Message]:
    return [
        Message(conversation, f"a{n}", speaker, "user", text, f"2024-03-{n + 1:02}T10:00:00") for n, (speaker, text) in enumerate(lines)
    ]


def test_an_answer_loses_the_words_of_its_question(store: Store) -> None:
    store.add(said(("Bram", "Where will the goat sleep, in the zeppelin hangar?"), ("Tove", "In the old boathouse.")))
    joined = next(claim for claim, text in claims_of(store.connection).items() if "boathouse" in text)
    assert "zeppelin" in claims_of(store.connection)[joined]
    outcome = run(store, Selection(message="a0"))
    assert outcome.counts["claims_weakened"] == 1
    assert list(claims_of(store.connection)) == [joined]
    text = claims_of(store.connection)[joined]
    assert "boathouse" in text
    assert "zeppelin" not in text
    assert "Bram" not in text
    assert sound(store.connection)
    found = store.recall().search("boathouse", k=3).facts
    assert [fact.claim_id for fact in found] == [joined]


def test_a_bare_answer_falls_with_its_question(store: Store) -> None:
    store.add(said(("Bram", "Did you sell the velocipede?"), ("Tove", "Yes.")))
    run(store, Selection(matching="velocipede"))
    assert claims_of(store.connection) == {}
    assert sound(store.connection)


def test_a_question_stays_when_its_answer_is_forgotten(store: Store) -> None:
    store.add(said(("Bram", "Where will the goat sleep tonight?"), ("Tove", "In the old boathouse.")))
    before = claims_of(store.connection)
    run(store, Selection(speaker="Tove"))
    assert claims_of(store.connection) == {claim: text for claim, text in before.items() if "boathouse" not in text}
    assert sound(store.connection)


def test_an_answer_is_not_joined_with_a_question_before_the_gap(store: Store) -> None:
    lines = (("Bram", "Where did you put the anchor chain?"), ("Bram", "And who won the regatta on Sunday?"), ("Tove", "My sister Odile."))
    store.add(said(*lines))
    run(store, Selection(matching="regatta"))
    assert [text for text in claims_of(store.connection).values() if "Odile" in text and "anchor" in text] == []
    assert sound(store.connection)


@pytest.mark.parametrize("gone", ["a0", "a2"])
def test_what_was_said_twice_stays_one_claim_on_what_is_left(store: Store, gone: str) -> None:
    store.add(said(("Tove", "I love plum jam."), ("Bram", "The ferry to Ghent was late."), ("Tove", "I love plum jam!")))
    before = {claim: text for claim, text in claims_of(store.connection).items() if "plum" in text}
    assert len(before) == 1
    outcome = run(store, Selection(message=gone))
    assert outcome.counts["claims"] == 0
    assert {claim for claim, text in claims_of(store.connection).items() if "plum" in text} == set(before)
    assert sound(store.connection)
    run(store, Selection(matching="plum jam"))
    assert not any("plum" in text for text in claims_of(store.connection).values())
    assert sound(store.connection)


def test_a_longer_name_is_forgotten_where_only_the_shorter_is_left(store: Store) -> None:
    lines = (
        ("Bram", "I had lunch with Adeline on Monday."),
        ("Tove", "I saw Adeline Quillfeather at the bakery, she was buying rolls."),
        ("Bram", "Adeline promised to call me."),
    )
    store.add(said(*lines))
    run(store, Selection(speaker="Tove"))
    for table, column in (("referents", "name"), ("referent_keys", "key"), ("handles", "text"), ("name_words", "word")):
        held = [row[0] for row in store.connection.execute(f"SELECT {column} FROM {table}")]
        assert not any("quillfeather" in text.casefold() or text.casefold() == "tove" for text in held), table
        assert any("adeline" in text.casefold() for text in held), table
    assert sound(store.connection)


def test_claims_do_not_name_somebody_who_said_nothing_any_more(store: Store) -> None:
    told = "Your greenhouse is amazing! You sold the ferry last week."
    store.add(said(("Wilhelmina", "The kettle is on the stove."), ("Bram", told)))
    subjects = "SELECT r.name FROM claims c JOIN referents r ON r.id = c.subject_id"
    assert any("Wilhelmina" in text for text in claims_of(store.connection).values() if "greenhouse" in text)
    assert ("Wilhelmina",) in set(store.connection.execute(subjects))
    run(store, Selection(speaker="Wilhelmina"))
    assert ("Wilhelmina",) not in set(store.connection.execute(subjects))
    assert all("Wilhelmina" not in text for text in claims_of(store.connection).values())
    assert any("greenhouse" in text for text in claims_of(store.connection).values())
    assert_gone(Path(store.connection.filename), ["wilhelmina"])
    assert sound(store.connection)


@pytest.mark.parametrize("name", ["speaker", "matching"])
def test_a_dry_run_tells_what_goes_and_writes_nothing(name: str, filled: Path, open_store: OpenStore) -> None:
    selection, _ = SELECTIONS[name]
    before = filled.read_bytes()
    fields = {field: getattr(selection, field) for field in Selection.__slots__}
    with Memory.open(filled, read_only=True) as memory:
        told = memory.forget(**fields, dry_run=True)
    assert filled.read_bytes() == before
    assert told.dry_run
    assert [set(message) for message in told.messages] == [{"message_id", "conversation_id", "speaker", "timestamp", "text"}] * 5
    assert all(claim["text"] for claim in told.claims)
    with open_store(filled) as store:
        tables = ("messages", "spans", "handles", "time_cues", "pivots", "claims", "keywords")
        count = {table: store.connection.execute(f"SELECT count(*) FROM {table}").get for table in tables}
        done = run(store, selection)
        assert done.counts == told.counts
        for table in tables:
            assert store.connection.execute(f"SELECT count(*) FROM {table}").get == count[table] - told.counts[table], table


def test_a_dry_run_of_a_compressed_memory_tells_what_is_undone(whole: dict[bool, bytes], tmp_path: Path, open_store: OpenStore) -> None:
    path = tmp_path / "chat.memdb"
    path.write_bytes(whole[True])
    with open_store(path) as store:
        told = run(store, Selection(speaker="Nils"), dry_run=True)
        assert told.undone_runs == (2, 1)
        assert "compression run 2 would be undone" in told.notes[0]
        done = run(store, Selection(speaker="Nils"))
        derived = {"groups", "topics"}  # which archived claims are not in
        assert {key: count for key, count in told.counts.items() if key not in derived} == {
            key: count for key, count in done.counts.items() if key not in derived
        }


def test_everything_can_be_forgotten_and_something_else_learnt(filled: Path, open_store: OpenStore) -> None:
    with open_store(filled) as store:
        run(store, Selection(matching=""))
        for table in ("messages", "claims", "referents", "keywords", "groups", "topics", "conversations", "ingests", "referent_keys"):
            assert store.connection.execute(f"SELECT count(*) FROM {table}").get == 0, table
        assert sound(store.connection)
        store.add(said(("Bram", "The ferry to Ghent was late."), ("Tove", "I bought a telescope in Faro.")))
        assert sound(store.connection)
        assert [fact.text for fact in store.recall().search("telescope", k=1).facts]
    assert_gone(filled, [word for n in range(72) for word in words_of(n)])


def test_cached_answers_and_samples_of_the_planner_go_too(filled: Path, open_store: OpenStore) -> None:
    word = words_of(7)[0]
    with open_store(filled) as store:
        sql = store.connection.execute
        sql("INSERT INTO models (role, name, fingerprint, added_at) VALUES ('llm', 'tiny', 'f00d', 0)")
        model = store.connection.last_insert_rowid()
        sql("INSERT INTO completions (digest, model_id, stage, response) VALUES (?, ?, 'claims', ?)", (bytes(16), model, f"About {word}."))
        sql("ANALYZE")
        run(store, Selection(message="m7"))
        assert sql("SELECT count(*) FROM completions").get == 0
    assert_gone(filled, words_of(7))


def test_words_beside_a_model_s_wording_of_a_claim_go_too(store: Store) -> None:
    """The words that the rules had written, and a keyword, that only a forgotten message has as well."""
    store.add(said(("Bram", "Adeline Quillfeather bakes rolls."), ("Tove", "I painted the fence on Sunday."), ("Tove", "I like plums.")))
    sql = store.connection.execute
    sql("INSERT INTO models (role, name, fingerprint, added_at) VALUES ('llm', 'tiny', 'f00d', 0)")
    model = store.connection.last_insert_rowid()
    painted, plums = (int(sql("SELECT id FROM claims WHERE text GLOB ?", (f"*{word}*",)).get) for word in ("fence", "plums"))
    store.connection.execute("BEGIN")
    reword_claim(store.connection, painted, "Tove painted the fence.", model)
    sql("UPDATE reworded_claims SET rule_text = 'Tove painted the fence of Quillfeather.'")
    insert_keyword(store.connection, "quillfeather", plums)
    store.connection.execute("COMMIT")
    run(store, Selection(speaker="Bram"))
    assert [painted, plums] == [row[0] for row in sql("SELECT id FROM claims ORDER BY id")]
    assert_gone(Path(store.connection.filename), ["quillfeather", "adeline"])
    assert sound(store.connection)


def test_without_a_model_it_is_forgotten_all_the_same(filled: Path, open_store: OpenStore) -> None:
    def missing() -> NoReturn:
        raise ModelError("there is no model")

    with open_store(filled) as store:
        outcome = forget_memory(store.connection, missing, Selection(message="m7"))
        assert any("next mem ingest" in note for note in outcome.notes)
        assert_gone(filled, words_of(7))
        store.add(said(("Bram", "The ferry to Ghent was late.")))
        assert sound(store.connection)


def test_a_file_that_somebody_reads_is_scrubbed_later(filled: Path, open_store: OpenStore) -> None:
    with open_store(filled) as store:
        store.connection.set_busy_handler(None)
        other = connect(filled)
        other.execute("BEGIN")
        assert other.execute("SELECT count(*) FROM messages").get == 72
        outcome = run(store, Selection(message="m7"))
        assert not outcome.scrubbed
        assert "in use" in outcome.notes[-1]
        assert other.execute("SELECT count(*) FROM messages").get == 72
        other.execute("COMMIT")
        other.close()
        outcome = run(store, Selection())
        assert outcome.scrubbed
        assert outcome.counts == {}
        assert_gone(filled, words_of(7))
        with pytest.raises(UsageError, match="nothing was said"):
            run(store, Selection())


@pytest.mark.parametrize(
    ("selection", "error", "message"),
    [
        (Selection(), UsageError, "nothing was said"),
        (Selection(message="m99"), NotFoundError, "--message m99"),
        (Selection(claim=99999), NotFoundError, "--claim 99999"),
        (Selection(conversation="attic"), NotFoundError, "--conversation attic"),
        (Selection(session="s77"), NotFoundError, "--session s77"),
        (Selection(speaker="Odile"), NotFoundError, "--speaker Odile"),
        (Selection(before="someday"), UsageError, "--before someday"),
        (Selection(before="1999-01-01"), NotFoundError, "nothing to forget"),
        (Selection(matching="no such words"), NotFoundError, "nothing to forget"),
        (Selection(matching="(unclosed"), UsageError, "not a regular expression"),
        (Selection(speaker="Nils", message="m1"), NotFoundError, "nothing to forget"),
    ],
)
def test_what_cannot_be_meant_is_told(
    selection: Selection, error: type[Exception], message: str, filled: Path, open_store: OpenStore
) -> None:
    with open_store(filled) as store, pytest.raises(error, match=message.replace("(", r"\(")):
        run(store, selection)


def test_an_id_of_two_conversations_needs_the_conversation(store: Store) -> None:
    for conversation in ("attic", "cellar"):
        store.add(said(("Bram", f"The {conversation} has a new lamp."), conversation=conversation))
    with pytest.raises(UsageError, match="add --conversation"):
        run(store, Selection(message="a0"))
    assert run(store, Selection(message="a0", conversation="attic")).counts["messages"] == 1
    assert run(store, Selection(message="cellar/a0")).counts["messages"] == 1


def test_a_pattern_that_explodes_is_given_up(store: Store) -> None:
    store.add(said(("Bram", "a" * 5000 + " b")))
    started = time.process_time()
    with pytest.raises(UsageError, match="more simply"):
        run(store, Selection(matching=r"(a|a|aa)+(a|aa)+$c"))
    assert time.process_time() - started < 10
    assert store.connection.execute("SELECT count(*) FROM messages").get == 1


def test_forgetting_killed_at_any_moment_is_done_or_not_begun(filled: Path, whole: dict[bool, bytes], program: Program) -> None:
    seed = random.SystemRandom().randrange(2**32)
    print(f"seed {seed}")  # noqa: T201 - shown when the test fails, so that the failure can be repeated
    rng = random.Random(seed)
    counts = set()
    kills = 0
    longest = 2.0
    for round_ in range(8):
        path = program.folder / f"killed{round_}.memdb"
        path.write_bytes(whole[True])
        child = program.start("forget", "--speaker", "Nils", "--yes", "--db", path.name)
        started = time.monotonic()
        if round_:
            time.sleep(rng.uniform(0.3, 1.0) * longest)
            child.send_signal(signal.SIGKILL)
        _, err = child.communicate(timeout=120)
        longest = longest if round_ else time.monotonic() - started
        assert child.returncode in (0, -signal.SIGKILL), err
        kills += child.returncode != 0
        with Memory.open(path) as memory:
            assert memory.verify().problems == ()
            held = memory.status().counts["messages"]
            counts.add(held)
            if held < 72:
                if child.returncode:
                    with_rest = memory.forget() if _unscrubbed(path) else None
                    assert with_rest is None or with_rest.scrubbed
                assert_gone(path, [word for n in range(0, 72, 3) for word in words_of(n)])
    assert kills
    assert counts <= {72, 48}


def _unscrubbed(path: Path) -> bool:
    connection = connect(path, read_only=True)
    try:
        return bool(connection.execute("SELECT count(*) FROM settings WHERE key = 'forgetting_unfinished'").get)
    finally:
        connection.close()


def test_the_object_of_the_contract(filled: Path, open_store: OpenStore) -> None:
    with open_store(filled) as store:
        told = json.loads(json.dumps(run(store, Selection(message="m7")).to_dict()))
    assert told["messages"] == 1
    assert told["scrubbed"] is True
    assert {"claims", "claims_weakened", "spans", "handles", "keywords", "groups", "topics", "undone_runs", "notes", "seconds"} <= set(told)
