from collections import Counter

from hypothesis import given
from hypothesis import strategies as st

from memcli.transcripts import numbering
from memcli.transcripts.numbering import Numbering


@given(st.lists(st.tuples(st.sampled_from("abc"), st.sampled_from(["x", "y", None])), max_size=40))
def test_each_message_is_counted_among_its_likes(messages: list[tuple[str, str | None]]) -> None:
    numbers = Numbering()
    seen: Counter[tuple[str, str | None]] = Counter()
    for message in messages:
        seen[message] += 1
        assert numbers.occurrence(*message) == seen[message]


def test_more_messages_than_are_kept_at_hand_are_still_told_apart() -> None:
    numbers = Numbering()
    many = numbering._RECENT * 2 + 10
    assert all(numbers.occurrence("c", str(n)) == 1 for n in range(many))
    assert [numbers.occurrence("c", str(n)) for n in (0, many // 2, many - 1, 0)] == [2, 2, 2, 3]
    assert (numbers.ordinal("c"), numbers.ordinal("d"), numbers.ordinal("c")) == ("1", "1", "2")
