"""A language model at the reader's side: it may choose among the facts found, ask for more, and word the answer.

    draft -> refine: look for what is missing, and draft anew -> select: order and roles -> expand: what surrounds the facts
        -> answer: words for it, or silence

The deterministic reading stands wherever the model gives nothing that can be checked. What it may not do: make evidence enough that
`memcli.read.sufficiency` finds too little, since a small model will answer anything; nor put a fact about one person in the place of one
about another. It can propose where to look, and then the same judgement is made of what was found; it can word an answer that there is; it
can find an answer wanting where the judgement itself is in doubt.
"""

from __future__ import annotations

import time
from collections.abc import Callable, Iterable, Iterator, Sequence
from copy import deepcopy
from dataclasses import dataclass, replace
from typing import Any

from memcli.found import Found, Handed
from memcli.proposals.assistant import Assistant, StageUse
from memcli.proposals.expansion import Page, expand
from memcli.proposals.reading import SHOWN, fact_line, message_line, propose_choice, propose_question
from memcli.proposals.wording import Wanted, Worded, word_answer
from memcli.read.answer import POOL, Drafted, answer, answers_yes_or_no
from memcli.read.sufficiency import about_asked, enough
from memcli.store.transcripts import StoredMessage

ROUNDS = 3
"""Questions asked for what is missing, at most, as in MemCoRe."""

SOUGHT = 6
"""Facts looked at of those found for such a question."""

ADDED = 3
"""Of these, how many that the model has not seen are put before it."""

BROUGHT = 2
"""Facts that a choice may bring in from below those that would be handed over: a choice at random among twelve would else cost a tenth of
the evidence."""

PAGE_CLAIMS = 6
"""Claims of a page that are added with it, at most: those nearest to the fact."""

DOUBT = 0.05
"""How far confidence may be above what is enough for the model to say that the facts do not tell. So near, three questions in ten have no
answer, and even a model that is always silent costs nothing; further on it would (docs/benchmarks.md, confidence against truth)."""


@dataclass(frozen=True, slots=True)
class Surroundings:
    """A page: the indexes of claims that rest on it, in the order in which they were said; and its messages."""

    claims: tuple[int, ...]
    messages: tuple[StoredMessage, ...]


class Reader:
    """One question's reading with a model. `steps` tells what it did, `account` what that cost."""

    def __init__(
        self, assistant: Assistant, found: Found, *, seek: Callable[[str, int], list[int]], page: Callable[[int], Surroundings]
    ) -> None:
        """Prepare a reading.

        Args:
            assistant: asks the model.
            found: the facts found; more may be added to them.
            seek: finds the best facts for another question, adds them to `found`, and gives their indexes, best first.
            page: gives what stands around the fact of an index.
        """
        self._assistant, self._found, self._seek, self._page = assistant, found, seek, page
        self._before = deepcopy(assistant.account)
        self._sought: list[int] = []
        self.steps: list[dict[str, Any]] = []
        self.sentences: tuple[dict[str, Any], ...] = ()
        """Of an answer that the model worded: `{"text", "claim_ids"}` of each."""

    def read(self, drafted: Drafted, handed: Handed, k: int) -> tuple[Drafted, Handed]:
        """The answer, and at most `k` facts, as they are with the model's help.

        Args:
            drafted: the deterministic answer.
            handed: the facts that go with it.
            k: how many facts to hand over.
        """
        started = time.perf_counter()
        drafted = self._refine(drafted, handed.order)
        handed = self._choose(drafted, handed.order, k)
        drafted, handed = self._word(drafted, handed, k)
        self._found.timings["language_model"] = (time.perf_counter() - started) * 1000
        return drafted, handed

    def _refine(self, drafted: Drafted, order: Sequence[int]) -> Drafted:
        """Look for what the model finds missing in the facts, and judge what there is then as before."""
        shown = self._first_of(order)
        asked: list[str] = []
        for _ in range(ROUNDS):
            gap = propose_question(self._assistant, self._found.query.question, [self._found.facts[i] for i in shown], asked)
            if gap is None:
                break
            step: dict[str, Any] = {"stage": "refine", "sufficient": gap.sufficient}
            self.steps.append(step)
            if gap.question is None:
                if gap.rejected:
                    step["rejected"] = gap.rejected
                break
            asked.append(gap.question)
            new = self._others(self._seek(gap.question, SOUGHT), shown)[:ADDED]
            step |= {"asked": gap.question, "found": self._ids(new)}
            if not new:
                break
            for index in new:
                self._found.note(index, {"stage": "refine", "sought": gap.question})
            self._sought += new[:1]
            shown = [*shown[: SHOWN - len(new)], *new]
        return self._judged_anew(drafted) if self._sought else drafted

    def _judged_anew(self, drafted: Drafted) -> Drafted:
        """The deterministic answer, or silence, from the facts together with those sought; they take the last places of the pool."""
        found = self._found
        if drafted.sufficient:
            roles = (*drafted.roles, *["support"] * (len(found.facts) - len(drafted.roles)))
            return replace(drafted, roles=roles)
        first = [i for i in range(min(POOL, len(drafted.roles))) if i not in self._sought][: POOL - len(self._sought)]
        pool = sorted([*first, *self._sought], key=lambda i: -found.scores[i])
        again = answer(found.query, [found.facts[i] for i in pool], [found.scores[i] for i in pool], [found.positions[i] for i in pool])
        direct = {pool[place] for place, role in enumerate(again.roles) if role == "direct"}
        return replace(again, roles=tuple("direct" if i in direct else "support" for i in range(len(found.facts))))

    def _choose(self, drafted: Drafted, order: Sequence[int], k: int) -> Handed:
        """Order and roles of at most `k` facts: those of the draft first, then the model's choice, then the rest as found.

        A fact about somebody else is support at most. The first fact that asking besides has brought takes the last place; whether others
        are worth one is for the choice: of a model that asks at random, one costs two points of the evidence, two cost six.
        """
        direct = [i for i in order if drafted.roles[i] == "direct"]
        rest = [i for i in order if i not in direct]
        sought = self._others(self._sought, order)
        if sought and len(direct) < k:
            rest = [*rest[: k - len(direct) - 1], sought[0]]
        candidates = self._first_of([*direct, *rest, *self._others(sought, rest)])
        facts = [self._found.facts[i] for i in candidates]
        choice = propose_choice(self._assistant, self._found.query.question, facts, k) if drafted.sufficient else None
        chosen: list[int] = []
        if choice is not None:
            about = about_asked(self._found.query, facts)
            tells = [about[n] and facts[n].modality != "asks" for n in range(len(facts))]
            own = [candidates[n] for n in choice.direct if tells[n]]
            support = [candidates[n] for n in (*choice.direct, *choice.support) if candidates[n] not in own]
            below = [i for i in (*own, *support) if i not in direct and i not in rest]
            left_out = below[BROUGHT:]
            own, support = ([i for i in taken if i not in left_out] for taken in (own, support))
            chosen = [i for i in (*own, *support) if i not in direct]
            self.steps.append({"stage": "select", "direct": self._ids(own), "support": self._ids(support)})
            for index in (*own, *support):
                self._found.note(index, {"stage": "select", "by": "language model", "role": "direct" if index in own else "support"})
            direct += [i for i in own if i not in direct]
        whole = tuple(dict.fromkeys((*direct, *chosen, *rest)))[:k]
        return Handed.of(whole, direct)

    def _word(self, drafted: Drafted, handed: Handed, k: int) -> tuple[Drafted, Handed]:
        """The answer in the model's words, where they stand, with the facts that they cite first."""
        if not drafted.sufficient or not self._assistant.does("answer"):
            return drafted, handed
        found = self._found
        facts = list(handed.order)
        lines = [fact_line(found.facts[i], role) for i, role in zip(handed.order, handed.roles, strict=True)]
        added, beside = self._expand(handed, lines)
        facts += added
        lines += [fact_line(found.facts[i]) for i in added]
        records = [found.facts[i] for i in facts]
        about = about_asked(found.query, records)
        may = [n for n, fact in enumerate(records) if about[n] and fact.modality != "asks"]
        query = found.query
        slot = None if query.slot == "yes_no" and not answers_yes_or_no(query) else query.slot
        worded = word_answer(self._assistant, Wanted(query.question, slot, frozenset(query.terms)), records, lines, may, beside)
        if worded is None:
            return drafted, handed
        return self._stands(worded, facts, drafted, handed, k)

    def _stands(self, worded: Worded, facts: Sequence[int], drafted: Drafted, handed: Handed, k: int) -> tuple[Drafted, Handed]:
        step: dict[str, Any] = {"stage": "answer", "said": worded.said}
        self.steps.append(step)
        if worded.cut:
            step["rejected"] = sorted(set(worded.cut))
        if worded.insufficient:
            if drafted.confidence >= enough(self._found.facts[:POOL]) + DOUBT:
                step["rejected"] = ["the facts are surer"]
                self._assistant.count("answer", "the facts are surer")
                return drafted, handed
            self._assistant.count("answer", "accepted")
            silent = replace(drafted, text=None, sufficient=False, reason="the language model finds no answer in the facts")
            return silent, Handed.of(handed.order, ())
        if not worded.sentences:
            return drafted, handed
        self._assistant.count("answer", "accepted", len(worded.sentences))
        cited = list(dict.fromkeys(facts[n] for one in worded.sentences for n in one.facts))
        self.sentences = tuple({"text": one.text, "claim_ids": self._ids([facts[n] for n in one.facts])} for one in worded.sentences)
        step["cited"] = self._ids(cited)
        order = tuple(dict.fromkeys((*cited, *handed.order)))[: max(k, len(cited))]
        return replace(drafted, text=worded.text), Handed.of(order, cited)

    def _expand(self, handed: Handed, lines: Sequence[str]) -> tuple[list[int], tuple[str, ...]]:
        """What surrounds the direct facts and makes the model surer: indexes of claims, and lines of messages."""
        found = expand(self._assistant, self._found.query.question, lines, self._pages(handed))
        if found is None:
            return [], ()
        uncertainty = {name: round(value, 4) for name, value in found.tried}
        added = list(found.claims)
        self.steps.append({"stage": "expand", "uncertainty": uncertainty, "added": self._ids(added), "messages": len(found.messages)})
        return added, found.messages

    def _pages(self, handed: Handed) -> Iterator[Page]:
        """The pages of the direct facts, each once, fetched as they are tried."""
        met: set[int] = set()
        for fact, role in zip(handed.order, handed.roles, strict=True):
            around = self._page(fact) if role == "direct" else None
            if around is None or not around.messages or around.messages[0].page_id in met:
                continue
            met.add(around.messages[0].page_id)
            places = {message.id: place for place, message in enumerate(around.messages)}
            own = places.get(self._found.facts[fact].messages[0], 0)

            def away(index: int, places: dict[int, int] = places, own: int = own) -> int:
                return min(abs(places.get(message, len(places)) - own) for message in self._found.facts[index].messages)

            near = sorted(self._others(around.claims, handed.order), key=away)[:PAGE_CLAIMS]
            claims = tuple((i, fact_line(self._found.facts[i])) for i in around.claims if i in near)
            messages = sorted(around.messages, key=lambda message: abs(places[message.id] - own))
            yield Page(claims, tuple(message_line(one.message) for one in messages))

    def account(self) -> dict[str, Any]:
        """What the model did and cost for this question: `{"model", "stages": {stage: StageUse.to_dict()}, "stopped"}`."""
        stages = {name: _since(self._before.get(name), use).to_dict() for name, use in self._assistant.account.items()}
        used = {name: stage for name, stage in stages.items() if stage["calls"] or stage["cached"] or stage["proposed"]}
        return {"model": self._assistant.model.name, "stages": used, "stopped": self._assistant.stopped}

    def _first_of(self, order: Sequence[int]) -> list[int]:
        """The first `SHOWN` facts, those of `order` before the others, each once."""
        return [*order, *self._others(range(len(self._found.facts)), order)][:SHOWN]

    def _others(self, indexes: Iterable[int], known: Sequence[int]) -> list[int]:
        """Of these facts those that are not among the known, each once."""
        met = {self._found.facts[i].place for i in known}
        out = []
        for index in indexes:
            if (place := self._found.facts[index].place) not in met:
                met.add(place)
                out.append(index)
        return out

    def _ids(self, indexes: Sequence[int]) -> list[int]:
        return [self._found.facts[i].id for i in indexes]


def _since(before: StageUse | None, now: StageUse) -> StageUse:
    """What a stage has cost since then."""
    if before is None:
        return now
    return StageUse(
        now.calls - before.calls,
        now.cached - before.cached,
        now.failed - before.failed,
        now.prompt_tokens - before.prompt_tokens,
        now.answer_tokens - before.answer_tokens,
        now.seconds - before.seconds,
        now.outcomes - before.outcomes,
    )
