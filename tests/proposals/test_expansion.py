"""What surrounds a fact is added only where it makes the model surer of its answer."""

from __future__ import annotations

from collections.abc import Callable, Iterator

from memcli.errors import ModelError
from memcli.models.language import Prompt
from memcli.proposals.assistant import Assistant, Budget
from memcli.proposals.expansion import MESSAGES, PAGES, Expansion, Page, expand
from memcli.proposals.uses import USES
from tests.proposals.scripted import Scripted

FACTS = ["Ines adopted a heron.", "Pim sleeps in the boathouse."]
QUESTION = "Where does the heron sleep?"


def page(name: str) -> Page:
    number = ord(name) * 10
    claims = ((number, f"claim {name}1"), (number + 1, f"claim {name}2"))
    return Page(claims, tuple(f"message {name}{place}" for place in range(1, MESSAGES + 3)))


def surer_with(*texts: str) -> Callable[[Prompt], float]:
    """Every one of these texts in a prompt makes the model surer; anything else that is added, less sure."""

    def unsure(prompt: Prompt) -> float:
        added = len([line for line in prompt.content.splitlines() if "claim" in line or "message" in line])
        helping = sum(text in prompt.content for text in texts)
        return 2.0 + 0.01 * added - 0.5 * helping

    return unsure


def expanded(model: Scripted, *names: str, budget: Budget | None = None) -> Expansion | None:
    return expand(Assistant(model, uses=frozenset(USES), budget=budget), QUESTION, FACTS, [page(name) for name in names])


def test_a_page_that_makes_surer_is_added_and_then_those_of_its_messages_that_do() -> None:
    found = expanded(Scripted(unsure=surer_with("claim B1", "message B2")), "A", "B")
    assert found is not None
    assert found.claims == (660, 661)
    assert found.messages == ("message B2",)
    assert [name for name, _ in found.tried] == ["facts", "page 1", "page 2", *(f"message {n} of page 2" for n in range(1, MESSAGES + 1))]


def test_what_makes_less_sure_is_left_out_with_all_its_messages() -> None:
    model = Scripted(unsure=surer_with("message A1"))
    found = expanded(model, "A", "B")
    assert found is not None
    assert (found.claims, found.messages) == ((), ())
    assert not any("message" in prompt.content for prompt in model.asked)


def test_as_sure_as_before_is_not_surer() -> None:
    found = expanded(Scripted(), "A")
    assert found is not None
    assert (found.claims, found.messages) == ((), ())


def test_the_uncertainty_that_is_left_never_rises() -> None:
    found = expanded(Scripted(unsure=surer_with("claim A1", "message A1", "message A3", "claim B1")), "A", "B")
    assert found is not None
    least = [found.tried[0][1]]
    for _, value in found.tried[1:]:
        least.append(min(least[-1], value))
    assert found.messages == ("message A1", "message A3")
    assert least[-1] == min(value for _, value in found.tried)


def test_every_prompt_begins_with_the_question_and_the_facts() -> None:
    model = Scripted(unsure=surer_with("claim A1", "message A1"))
    expanded(model, "A")
    start = f"Question: {QUESTION}\n\nFacts:\n[1] {FACTS[0]}\n[2] {FACTS[1]}\n"
    assert len(model.asked) > 3
    assert all(prompt.content.startswith(start) for prompt in model.asked)
    assert len({prompt.instructions for prompt in model.asked}) == 1


def test_claims_that_are_added_are_numbered_on_and_messages_are_not() -> None:
    model = Scripted(unsure=surer_with("claim A1", "message A1"))
    expanded(model, "A")
    lines = model.asked[2].content.splitlines()
    assert [line for line in lines if line.startswith(("[3]", "[4]", "message"))] == ["[3] claim A1", "[4] claim A2", "message A1"]


def test_pages_are_fetched_one_by_one_and_not_more_than_are_tried() -> None:
    fetched = []

    def pages() -> Iterator[Page]:
        for name in "ABCD":
            fetched.append(name)
            yield page(name)

    expand(Assistant(Scripted(), uses=frozenset(USES)), QUESTION, FACTS, pages())
    assert len(fetched) == PAGES


def test_a_model_that_does_not_tell_how_sure_it_is_adds_nothing() -> None:
    def silent(_prompt: Prompt) -> float:
        raise ModelError("the server gives no likelihoods")

    assert expanded(Scripted(unsure=silent), "A") is None


def test_a_budget_that_is_spent_ends_the_trying_not_the_work() -> None:
    found = expanded(Scripted(unsure=surer_with("claim A1", "claim B1")), "A", "B", budget=Budget(tokens=30))
    assert found is not None
    assert found.claims == (650, 651)
    assert len(found.tried) == 2


def test_without_the_use_nothing_is_asked() -> None:
    model = Scripted()
    assert expand(Assistant(model, uses=frozenset({"answer"})), QUESTION, FACTS, [page("A")]) is None
    assert model.asked == []
