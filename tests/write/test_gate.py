"""The gate: duplicates merge in any order, nothing merges across a veto, and what has changed is a conflict."""

from __future__ import annotations

import itertools
import time
from dataclasses import dataclass, field, replace
from random import Random
from typing import Any

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from numpy.typing import NDArray

from memcli.write.classify import modality, polarity
from memcli.write.gate import LINK, MERGE, Existing, canonical_order, conflict_terms, judge, merge_key, merged_text, strength, veto
from memcli.write.signature import sign

DAY = 86_400.0
DIMENSION = 64


def vector_of(text: str) -> NDArray[np.float32]:
    """A bag-of-words vector: the same words are near one another, whatever the order."""
    total = np.zeros(DIMENSION, np.float32)
    for word in text.casefold().replace(".", "").replace(",", "").split():
        total += np.random.default_rng(list(word.encode())).normal(size=DIMENSION).astype(np.float32)
    return np.asarray(total / max(float(np.linalg.norm(total)), 1e-9), np.float32)


def claim(text: str, number: int = -1, day: float | None = 1.0, vector: NDArray[np.float32] | None = None, **changes: object) -> Existing:
    said_at = None if day is None else day * DAY
    fields: dict[str, Any] = {
        "subject": "Rurik",
        "speaker": "Rurik",
        "kind": "fact",
        "modality": modality(text),
        "polarity": polarity(text),
        "start": None,
        "end": None,
        "handles": (),
    } | changes
    signature = sign(text, said_at=said_at, extent=len(text), **fields)
    return Existing(number, signature, vector_of(text) if vector is None else vector, text, said_at)


ONE = np.eye(DIMENSION, dtype=np.float32)[0]
"""The vector of all claims in tests that vectors shall not decide."""


def near(cosine: float) -> NDArray[np.float32]:
    return np.asarray(cosine * ONE + (1 - cosine**2) ** 0.5 * np.eye(DIMENSION, dtype=np.float32)[1], np.float32)


def test_the_same_again_merges() -> None:
    verdict = judge(claim("Rurik keeps bees."), [claim("Rurik keeps bees.", 7), claim("Rurik sings.", 8)])
    assert (verdict.action, verdict.merge_id, verdict.links, verdict.replaces_text) == ("merge", 7, (), False)
    assert verdict.strength == 1.0


@pytest.mark.parametrize(
    ("first", "second"),
    [
        ("Rurik keeps bees.", "Rurik: Keeps bees!"),
        ("The hive needs 2 frames.", "The hive really needs two frames."),
        ("The scale answers in 250 ms.", "The scale answers in 250ms."),
        ("Rurik sold 1,900 jars.", "Rurik sold 1900 jars"),
    ],
)
def test_the_same_in_other_dress_merges(first: str, second: str) -> None:
    dressed = second if "Rurik" in first and "Rurik" in second else f"Rurik: {second}"
    a, b = claim(first.removeprefix("Rurik "), 1, vector=ONE), claim(dressed.replace("Rurik sold", "sold"), vector=ONE)
    assert judge(b, [a]).action == "merge"


@pytest.mark.parametrize(
    ("first", "second", "changes"),
    [
        ("Rurik keeps bees.", "Rurik keeps bees.", {"subject": "Tove"}),
        ("Rurik keeps bees.", "Rurik keeps bees.", {"speaker": "Tove"}),
        ("Rurik keeps bees.", "Rurik keeps bees.", {"modality": "plans"}),
        ("Rurik keeps bees.", "Rurik keeps bees.", {"polarity": "negative"}),
        ("Rurik keeps bees.", "Rurik keeps bees.", {"start": "2024-05-07", "end": "2024-05-08"}),
        ("Rurik keeps bees.", "Rurik keeps bees.", {"handles": ("Visby",)}),
        ("Rurik keeps two hives.", "Rurik keeps three hives.", {}),
        ("Rurik keeps 2 hives.", "Rurik keeps 20 hives.", {}),
        ("The first hive is full.", "The second hive is full.", {}),
        ("The route goes from Visby to Klinte.", "The route goes from Klinte to Visby.", {"handles": ()}),
        ("Rurik opened the hive before feeding.", "Rurik opened the hive after feeding.", {}),
        ("Rurik bought pears.", "Rurik bought apples.", {}),
    ],
)
def test_a_veto_is_stronger_than_any_vector(first: str, second: str, changes: dict[str, Any]) -> None:
    a, b = claim(first, 1, vector=ONE), claim(second, vector=ONE, **changes)
    assert judge(b, [a]).action != "merge"


def test_an_event_told_on_two_days_is_two_events() -> None:
    first = claim("Rurik went to the smithy.", 1, day=1.0, kind="event")
    assert judge(claim("Rurik went to the smithy.", day=1.3, kind="event"), [first]).action == "merge"
    assert judge(claim("Rurik went to the smithy.", day=2.0, kind="event"), [first]).action == "link"


def test_what_holds_at_any_time_merges_across_days() -> None:
    assert judge(claim("Rurik keeps bees.", day=90.0), [claim("Rurik keeps bees.", 1)]).action == "merge"


def test_words_that_point_are_of_their_moment() -> None:
    first = claim("That smells of smoke.", 1, day=1.0)
    assert judge(claim("That smells of smoke.", day=1.0), [first]).action == "merge"
    assert judge(claim("That smells of smoke.", day=1.01), [first]).action != "merge"


def test_questions_merge_only_with_the_same_question_of_that_day() -> None:
    asked = claim("Who mends hive stands?", 1, modality="asks")
    assert judge(claim("Who mends hive stands?", modality="asks"), [asked]).action == "merge"
    assert judge(claim("Who mends hive stands?", day=2.0, modality="asks"), [asked]).action == "append"
    assert judge(claim("Who mends hive stands?", modality="asks", speaker="Tove"), [asked]).action == "append"


def test_strength_grades_links() -> None:
    old = claim("Rurik paints the old boathouse in Klinte red.", 1, vector=ONE)
    strong = judge(claim("Rurik paints the boathouse in Klinte.", vector=near(0.9)), [old])
    assert (strong.action, strong.links[0].relation) == ("link", "supports")
    weak = judge(claim("Rurik paints his boathouse rarely, bees come first.", vector=near(0.8)), [old])
    assert (weak.action, weak.links[0].relation) == ("link", "related_to")
    assert weak.links[0].strength < strong.links[0].strength
    assert judge(claim("Rurik sells honey.", vector=near(0.5)), [old]).action == "append"


UPDATES = [
    ("The scale's response time is 1,900 ms.", "The scale's response time is now 250 ms.", {}),
    ("Rurik's honey stall budget is $300.", "Rurik's honey stall budget has increased to $450.", {}),
    ("Rurik has 14 members in the beekeeper club.", "Rurik now has 19 members in the beekeeper club.", {}),
    ("The hive inspection deadline is 3 June.", "The hive inspection deadline was moved to 10 June.", {}),
    ("Rurik likes smoked eel.", "Rurik doesn't like smoked eel.", {}),
    ("Rurik has never built a top-bar hive.", "Rurik has built a top-bar hive with Tove.", {}),
    ("Rurik built a top-bar hive.", "Rurik has never built any top-bar hive.", {}),
    ("Die Waage wiegt 30 kg Honig im Lager.", "Die Waage wiegt jetzt 45 kg Honig im Lager.", {}),
    ("El límite del puesto de miel es 30 kg.", "El límite del puesto de miel ahora es 45 kg.", {}),
    ("La limite du stand de miel est 30 kg.", "La limite du stand de miel est maintenant 45 kg.", {}),
]


@pytest.mark.parametrize(("earlier", "later", "changes"), UPDATES)
def test_what_has_changed_is_a_conflict_whichever_came_first(earlier: str, later: str, changes: dict[str, Any]) -> None:
    old, new = claim(earlier, 1, day=1.0, vector=ONE, **changes), claim(later, 2, day=5.0, vector=near(0.85), **changes)
    forward = judge(replace(new, id=-1), [old])
    assert forward.action == "conflict"
    assert (forward.links[0].relation, forward.links[0].target_id, forward.links[0].new_is_source) == ("conflicts", 1, True)
    backward = judge(replace(old, id=-1), [new])
    assert (backward.action, backward.links[0].target_id, backward.links[0].new_is_source) == ("conflict", 2, False)
    assert backward.links[0].strength == forward.links[0].strength


def test_another_employer_said_to_be_new_is_a_conflict() -> None:
    old = claim("Rurik works at Klinte Mill.", 1, vector=ONE, handles=("Klinte Mill",))
    new = claim("Rurik now works at Visby Harbour.", day=9.0, vector=near(0.8), handles=("Visby Harbour",))
    assert judge(new, [old]).action == "conflict"


@pytest.mark.parametrize(
    ("earlier", "later", "changes"),
    [
        ("Rurik bought 3 apples at the market.", "Rurik bought 5 pears at the market.", {}),
        ("Rurik bought apples.", "Rurik bought pears.", {}),
        ("Rurik has never lent their honey press to Tove.", "Rurik has cleaned their honey press.", {}),
        ("Rurik's new stall opened in May, and 12 jars stand there.", "Rurik's old stall has 20 jars.", {}),
        ("Rurik ran 5 km along the beach.", "Rurik ran 8 km along the beach.", {"kind": "event"}),
        ("Tove's honey budget is $300.", "Tove's honey budget is now $450.", {"subject": "Tove"}),
        ("The scale's response time is 1,900 ms.", "The kiln's firing delay is now 250 ms.", {}),
        ("Rurik spent 3 weeks on the hive stand.", "Rurik now spends 5 hours on the honey stall.", {}),
        ("How long is the response time, 1,900 ms?", "Is the response time now 250 ms?", {"modality": "asks"}),
    ],
)
def test_what_is_merely_different_is_no_conflict(earlier: str, later: str, changes: dict[str, Any]) -> None:
    old, new = claim(earlier, 1, day=1.0, vector=ONE, **changes), claim(later, day=5.0, vector=near(0.85), **changes)
    assert judge(new, [old]).action != "conflict"


def test_a_speaker_known_by_role_only_has_no_article_in_the_name() -> None:
    user = {"subject": "The user", "speaker": "The user"}
    old = claim("The user has received a press offer.", 1, vector=ONE, **user)
    assert judge(claim("The user has never accepted the press offer.", day=5.0, vector=near(0.8), **user), [old]).action != "conflict"


def test_two_peoples_values_are_no_conflict() -> None:
    old = claim("The stall budget is $300.", 1, vector=ONE)
    new = claim("The stall budget is now $450.", day=5.0, vector=near(0.9), subject="Tove", speaker="Tove")
    assert judge(new, [old]).action != "conflict"


def test_few_claims_need_a_search_by_words() -> None:
    assert conflict_terms(claim("Rurik has never built a top-bar hive.").signature) == (frozenset({"top", "bar", "hive"}),)
    assert conflict_terms(claim("Rurik's honey stall budget is now $450.").signature) == (frozenset({"honei", "stall", "budget"}),)
    assert conflict_terms(claim("Rurik's honey stall budget is $450.").signature) == ()
    assert conflict_terms(claim("Rurik keeps bees.").signature) == ()


def test_a_conflict_far_away_by_vector_needs_more_words_in_common() -> None:
    far = near(0.2)
    old = claim("Rurik's honey stall budget is $300.", 1, vector=ONE)
    assert judge(claim("Rurik's honey stall budget is now $450.", day=5.0, vector=far), [old]).action == "conflict"
    thin = claim("Rurik's stall budget is $300.", 1, vector=ONE)
    assert judge(claim("Rurik's stall budget is now $450.", day=5.0, vector=far), [thin]).action == "append"


def test_a_verdict_says_why() -> None:
    old = claim("The scale's response time is 1,900 ms.", 1, vector=ONE)
    new = claim("The scale's response time is now 250 ms.", day=5.0, vector=near(0.85))
    assert judge(new, [old]).reason == "1900 ms has become 250 ms"


WORDS = st.sampled_from(
    ["bees", "honey", "hive", "smoke", "2", "two", "3", "250 ms", "really", "not", "the", "before", "Visby", "now", "that"]
)
TEXTS = st.lists(WORDS, min_size=1, max_size=5).map(" ".join)
CLAIMS = st.builds(
    lambda text, day, changes: claim(text, day=day, **changes),
    TEXTS,
    st.sampled_from([None, 1.0, 1.2, 2.0]),
    st.fixed_dictionaries(
        {},
        optional={
            "subject": st.sampled_from(["Rurik", "Tove", None]),
            "speaker": st.sampled_from(["Rurik", "Tove"]),
            "kind": st.sampled_from(["fact", "event"]),
            "modality": st.sampled_from(["did", "asks", "plans"]),
            "handles": st.sampled_from([(), ("Visby",)]),
            "start": st.sampled_from([None, "2024-05-07"]),
        },
    ),
)


@given(CLAIMS, CLAIMS)
def test_strength_is_symmetric_and_bounded(a: Existing, b: Existing) -> None:
    assert strength(a, b) == strength(b, a)
    assert 0 <= strength(a, b) <= 1


@given(CLAIMS, CLAIMS)
def test_merging_is_exactly_equality_of_keys_and_never_crosses_a_veto(a: Existing, b: Existing) -> None:
    merges = judge(b, [replace(a, id=1)]).action == "merge"
    assert merges == (merge_key(a.signature) == merge_key(b.signature))
    if merges:
        assert veto(a.signature, b.signature) is None
        assert strength(a, b) >= MERGE


@given(CLAIMS, CLAIMS)
def test_merged_text_is_commutative_idempotent_and_one_of_the_two(a: Existing, b: Existing) -> None:
    assert merged_text(a, b) == merged_text(b, a)
    assert merged_text(a, a) == a.text
    assert merged_text(a, b) in (a.text, b.text)


@given(CLAIMS, st.lists(CLAIMS, max_size=6), st.randoms(use_true_random=False))
def test_a_verdict_does_not_depend_on_the_order_of_candidates(new: Existing, others: list[Existing], random: Random) -> None:
    candidates = [replace(other, id=number) for number, other in enumerate(others, 1)]
    shuffled = candidates[:]
    random.shuffle(shuffled)
    verdict = judge(new, candidates)
    assert judge(new, shuffled) == verdict
    assert all(LINK <= link.strength <= 1 for link in verdict.links)
    assert (verdict.action == "merge") == (verdict.merge_id is not None)


@dataclass
class Memory:
    """A memory in small: claims with the numbers of the messages that support them."""

    claims: list[Existing] = field(default_factory=list)
    supports: dict[int, set[int]] = field(default_factory=dict)

    def add(self, new: Existing, message: int) -> None:
        verdict = judge(new, self.claims)
        if verdict.merge_id is None:
            stored = replace(new, id=len(self.claims) + 1)
            self.claims.append(stored)
            self.supports[stored.id] = {message}
            return
        old = self.claims[verdict.merge_id - 1]
        self.supports[old.id].add(message)
        if verdict.replaces_text:
            self.claims[old.id - 1] = replace(new, id=old.id)

    def state(self) -> set[tuple[str, frozenset[int]]]:
        return {(c.text, frozenset(self.supports[c.id])) for c in self.claims}


@given(st.lists(CLAIMS, min_size=1, max_size=4))
def test_duplicates_end_the_same_whichever_came_first(said: list[Existing]) -> None:
    states = []
    for order in itertools.permutations(enumerate(said)):
        memory = Memory()
        for message, one in order:
            memory.add(one, message)
        states.append(memory.state())
    assert all(state == states[0] for state in states)


@given(CLAIMS)
def test_the_same_claim_twice_adds_nothing_but_support(one: Existing) -> None:
    memory = Memory()
    memory.add(one, 1)
    memory.add(one, 2)
    assert memory.state() == {(one.text, frozenset({1, 2}))}


def test_the_first_said_gives_the_words() -> None:
    late, early = claim("Rurik really keeps bees.", 1, day=9.0), claim("Rurik keeps bees.", day=2.0)
    verdict = judge(early, [late])
    assert verdict.action == "merge"
    assert verdict.replaces_text
    assert canonical_order(early) < canonical_order(late)


def test_ten_candidates_are_judged_in_a_blink() -> None:
    text = "Rurik's honey stall budget for the harvest market in Visby is {} dollars, which Tove and the club agreed to pay."
    candidates = [claim(text.format(100 + n), n + 1, vector=near(0.9)) for n in range(10)]
    new = claim(text.format(500), day=3.0, vector=ONE)
    best = min(_timed(new, candidates) for _ in range(20))
    assert best < 0.001


def _timed(new: Existing, candidates: list[Existing]) -> float:
    started = time.perf_counter()
    judge(new, candidates)
    return time.perf_counter() - started
