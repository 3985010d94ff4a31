"""Which thing a mention names: context read, and the decision to join or to start anew."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from memcli.atoms import Handle, KnownReferent, Mention, Message, Turn
from memcli.write.compile import compile_turn
from memcli.write.referents import NEAR, NEAR_STAGE, fold, mentions_of, person_mention, resolve_mention

PEOPLE = ("Marit", "Jonas")


def turn(speaker: str, text: str, people: tuple[str, ...] = PEOPLE) -> Turn:
    return compile_turn(Message("c", "1", speaker, "user", text), people)


def mentions(speaker: str, text: str, *before: Turn, people: tuple[str, ...] = PEOPLE) -> list[Mention]:
    return [m for span in mentions_of(turn(speaker, text, people), before, people) for m in span]


def mention(key: str, kind: str = "name", qualifier: str | None = None, short: tuple[str, ...] = ()) -> Mention:
    return Mention(Handle(key.title(), 0, kind), key.title(), key, short, qualifier)


def known(number: int, *keys: str, kind: str = "name", last: int | None = 0, short: str = "", qualifiers: str = "") -> KnownReferent:
    shorter, told_by = (frozenset([word] if word else ()) for word in (short, qualifiers))
    return KnownReferent(number, kind, keys[0].title(), frozenset(keys), shorter, told_by, last)


@pytest.mark.parametrize(
    ("text", "key"),
    [
        ("Ada", "ada"),
        ("ADA’s", "ada"),
        ("the Meeting House", "meeting house"),
        ("The Friends' Meeting House", "friends meeting house"),
        ("\uff21da", "ada"),
        ("la Rambla", "rambla"),
        ("Straße", "strasse"),
        ("王府", "王府"),
        ("'", "'"),
    ],
)
def test_keys_fold_case_width_article_and_possessive(text: str, key: str) -> None:
    assert fold(text) == key


@pytest.mark.parametrize(
    ("speaker", "text", "expected"),
    [
        ("Marit", "My mom called.", [("Marit's mom", "marit's mother", None)]),
        ("Jonas", "How is your mother?", [("Marit's mother", "marit's mother", None)]),
        ("Jonas", "Meine Mutter kocht.", [("Jonas's mutter", "jonas's mother", None)]),
        ("Jonas", "Mi madre cocina.", [("Jonas's madre", "jonas's mother", None)]),
        ("Jonas", "我妈妈很好。", [("Jonas's 妈妈", "jonas's mother", None)]),
        ("Jonas", "I asked Mom.", [("Jonas's mom", "jonas's mother", None)]),
        ("Jonas", "I met Marit's cousin Ada.", [("Ada", "ada", "marit's cousin")]),
        ("Marit", "My cousin Ada Quill came.", [("Ada Quill", "ada quill", "marit's cousin")]),
        ("Marit", "We saw my brother, Otto, there.", [("Marit's brother", "marit's brother", None), ("Otto", "otto", "marit's brother")]),
        ("Marit", "We saw Otto, my brother, there.", [("Otto", "otto", "marit's brother"), ("Marit's brother", "marit's brother", None)]),
        ("Marit", "I saw Ada from the bindery.", [("Ada", "ada", "from bindery")]),
        ("Marit", "I sold my first screenplay.", [("Marit's first screenplay", "first screenplay", "marit's")]),
        ("Jonas", "Your 1st full screenplay?", [("Marit's first full screenplay", "first screenplay", "marit's")]),
        ("Marit", "The second script is done.", [("second script", "second script", None)]),
        ("user", "My mom is my first critic.", [("The user's mom", "user's mother", None)]),
        ("Marit", "The second one is done.", []),
    ],
)
def test_context_tells_whose_and_which(speaker: str, text: str, expected: list[tuple[str, str, str | None]]) -> None:
    assert [(m.name, m.key, m.qualifier) for m in mentions(speaker, text)] == expected


def test_one_takes_its_noun_from_the_turns_before() -> None:
    before = turn("Marit", "My first screenplay failed, but the second novel sold.")
    found = mentions("Jonas", "The second one was good. The first one too. And the new one?", before)
    assert [m.key for m in found] == ["second novel", "first screenplay", "new novel"]


def test_with_three_people_your_is_nobodys() -> None:
    assert mentions("Jonas", "How is your mother?", people=("Marit", "Jonas", "Wanda")) == []


@pytest.mark.parametrize(
    ("text", "short"),
    [
        ("Ada Quill", ("ada",)),
        ("Dr. Quill", ("quill",)),
        ("Friends' Meeting House", ("meeting house",)),
        ("New Quern", ()),
        ("GitLedger Pages", ()),
        ("Ada", ()),
    ],
)
def test_shorter_forms_of_a_person(text: str, short: tuple[str, ...]) -> None:
    assert person_mention(text).short == short


@pytest.mark.parametrize(
    ("text", "short"),
    [
        ("We met Ada Quill.", ("ada",)),
        ("I think Ada Quill said so.", ("ada",)),
        ("We use Frobnik Carousel.", ()),
        ("We sat in the Friends' Meeting House.", ("meeting house",)),
    ],
)
def test_only_of_a_person_the_first_word_stands_for_all(text: str, short: tuple[str, ...]) -> None:
    assert mentions("Marit", text)[0].short == short


@pytest.mark.parametrize(
    ("said", "candidates", "expected"),
    [
        (mention("ada"), [], None),
        (mention("ada"), [known(7, "ada")], 7),
        # A short form means the only name it fits, the last of several that is near, or nobody.
        (mention("ada"), [known(7, "ada quill", short="ada", last=90)], 7),
        (mention("ada"), [known(7, "ada quill", short="ada", last=90), known(8, "ada voss", short="ada", last=95)], 8),
        (mention("ada"), [known(7, "ada quill", short="ada", last=10), known(8, "ada voss", short="ada", last=70)], None),
        (mention("ada"), [known(7, "ada quill", short="ada", last=70), known(8, "ada", last=20)], 8),
        (mention("ada quill", short=("ada",)), [known(7, "ada", last=95)], 7),
        (mention("ada quill", short=("ada",)), [known(7, "ada", last=95), known(8, "ada", last=96)], None),
        (mention("ada quill", short=("ada",)), [known(7, "ada", kind="person", last=95)], None),
        (mention("ada voss", short=("ada",)), [known(7, "ada quill", short="ada", last=95)], None),
        # Namesakes are told apart by what goes with the name.
        (mention("ada", qualifier="from mill"), [known(7, "ada", qualifiers="marit's cousin")], None),
        (mention("ada", qualifier="from mill"), [known(7, "ada", qualifiers="from mill"), known(8, "ada", last=99)], 7),
        (mention("ada", qualifier="from mill"), [known(7, "ada", last=95)], 7),
        (mention("ada", qualifier="from mill"), [known(7, "ada", last=100 - NEAR - 1)], None),
        (mention("ada", qualifier="marit's cousin"), [known(7, "ada", kind="person", last=99)], None),
        (mention("ada", qualifier="other"), [known(7, "ada", last=99)], None),
        # Nicknames of those who take part, slips of the pen, plurals of things.
        (mention("mel"), [known(7, "melusine", kind="person")], 7),
        (mention("mel"), [known(7, "melusine", kind="person"), known(8, "melchior", kind="person")], None),
        (mention("mel"), [known(7, "melbury")], None),
        (mention("melusnie"), [known(7, "melusine", kind="person")], None),
        (mention("meluisne"), [known(7, "melusine", kind="person")], 7),
        (mention("tilburgh harbour"), [known(7, "tilbrugh harbour")], 7),
        (mention("moss kettles"), [known(7, "moss kettle")], 7),
        (mention("daniela"), [known(7, "daniel")], None),
        (mention("marta"), [known(7, "maria")], None),
        (mention("frob-yaml"), [known(7, "frob-saml")], None),
        (mention("gate 12"), [known(7, "gate 13")], None),
        (mention("first tide"), [known(7, "third tide")], None),
        # Stages: one that differs is another; a new one of long ago is not the new one of today.
        (mention("first screenplay", "stage"), [known(7, "second screenplay", kind="stage")], None),
        (mention("second script", "stage"), [known(7, "second script", kind="stage", qualifiers="marit's")], 7),
        (mention("first job", "stage", "jonas's"), [known(7, "first job", kind="stage", qualifiers="marit's")], None),
        (mention("new job", "stage", "jonas's"), [known(7, "new job", kind="stage", qualifiers="jonas's", last=90)], 7),
        (mention("2.1.0", "version"), [known(7, "2.1.1", kind="version")], None),
        (mention("a.py", "file"), [known(7, "a.py", kind="file")], 7),
        # An unnamed sister gets her name.
        (mention("ada", "kin", "marit's sister", ("marit's sister",)), [known(7, "marit's sister", kind="kin", last=95)], 7),
    ],
)
def test_joining(said: Mention, candidates: list[KnownReferent], expected: int | None) -> None:
    assert resolve_mention(said, candidates, 100).referent == expected


def test_the_new_job_of_long_ago_is_another() -> None:
    job = known(7, "new job", kind="stage", qualifiers="jonas's", last=5)
    said = mention("new job", "stage", "jonas's")
    assert resolve_mention(said, [job], 5 + NEAR_STAGE).referent == 7
    assert resolve_mention(said, [job], 6 + NEAR_STAGE).referent is None


KEYS = st.sampled_from(["ada", "ada quill", "adah", "melusine", "mel", "first job", "new job", "marit's mother", "v1.2", "moss kettle"])
KINDS = st.sampled_from(["name", "person", "kin", "stage", "quoted", "version"])
KNOWN = st.builds(
    lambda number, key, kind, last, short, qualifier: known(number, key, kind=kind, last=last, short=short, qualifiers=qualifier),
    st.integers(1, 9),
    KEYS,
    KINDS,
    st.none() | st.integers(0, 100),
    st.sampled_from(["", "ada"]),
    st.sampled_from(["", "from mill"]),
)


@given(st.builds(mention, KEYS, KINDS, st.none() | st.just("from mill")), st.lists(KNOWN, max_size=5, unique_by=lambda k: k.id))
def test_the_order_of_candidates_decides_nothing(said: Mention, candidates: list[KnownReferent]) -> None:
    decision = resolve_mention(said, candidates, 100)
    assert decision == resolve_mention(said, candidates[::-1], 100)
    assert decision.referent is None or decision.referent in {k.id for k in candidates}


@given(st.text(max_size=120))
def test_any_text_has_mentions_with_keys(text: str) -> None:
    said = turn("Marit", text)
    for span in mentions_of(said, [said], PEOPLE):
        for found in span:
            assert found.key
            assert found.name
            assert all(found.short)
            assert fold(fold(found.handle.text))
