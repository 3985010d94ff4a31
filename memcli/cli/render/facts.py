"""Facts and answers, as a person reads them."""

from __future__ import annotations

import re
from collections.abc import Sequence

from memcli.cli.render import explain, times
from memcli.cli.render.clean import one_line
from memcli.cli.render.screen import Screen, glued
from memcli.results import Answer, Evidence, Fact, SearchResult

_SHORT = 60
"""Characters of what is told about a fact that stay on one line."""

_RELATIVE_DATE = re.compile(r"^\w+(?: \w+){0,3} (?:before|after) \d.*\d{4}$")


def print_answer(screen: Screen, answer: Answer) -> None:
    """The answer, or why there is none, and below it the facts."""
    if answer.sufficient and answer.answer is not None:
        screen.line((answer.answer, "bold"), _date(answer))
        screen.line(f"confidence {answer.confidence:.2f}", style="dim")
    else:
        reason = f": {answer.reason}" if answer.reason else ""
        screen.line(("Insufficient evidence", "bold yellow"), reason)
    if answer.explain is not None:
        screen.gap()
        explain.print_question(screen, answer.explain, answer.timings_ms)
    if answer.facts:
        screen.gap()
        if not answer.sufficient:
            screen.line("The nearest facts:", style="dim")
            screen.gap()
        print_facts(screen, answer.facts)


def _date(answer: Answer) -> str:
    """The days that a date told by its distance ("The Friday before 14 August 2024") stands for."""
    time = answer.facts[0].time if answer.facts and answer.facts[0].role == "direct" else None
    told = answer.answer or ""
    return f" ({times.interval(time)})" if time is not None and _RELATIVE_DATE.search(told) and times.interval(time) not in told else ""


def print_found(screen: Screen, found: SearchResult) -> None:
    """The facts found; nothing if there are none."""
    if found.explain is not None:
        explain.print_question(screen, found.explain, found.timings_ms)
        screen.gap()
    print_facts(screen, found.facts)


def print_facts(screen: Screen, facts: Sequence[Fact]) -> None:
    """Numbered facts, each with who said it, when, where, and the very words."""
    many = len({evidence.conversation_id for fact in facts for evidence in fact.evidence}) > 1
    digits = len(str(len(facts)))
    for number, fact in enumerate(facts):
        if number:
            screen.gap()
        lead = f"{fact.rank:>{digits}}. "
        screen.line((one_line(fact.text), "bold"), (f"  [{_about(fact)}]", "dim"), lead=lead)
        indent = " " * len(lead)
        for evidence in fact.evidence:
            screen.line(_said(evidence, many), lead=indent, style="cyan")
            screen.quote(evidence.text, indent)
        if fact.explain is not None:
            explain.print_fact(screen, fact.explain, indent)


def _about(fact: Fact) -> str:
    parts = [f"claim {fact.claim_id}"]
    if fact.role == "support":
        parts.append("support")
    if fact.time is not None and (when := times.interval(fact.time)):
        parts.append(when)
    if fact.supersedes:
        parts.append("replaces " + ", ".join(f"claim {claim}" for claim in fact.supersedes))
    if fact.conflicts_with:
        parts.append("conflicts with " + ", ".join(f"claim {claim}" for claim in fact.conflicts_with))
    about = "; ".join(map(glued, parts))
    return glued(about) if len(about) <= _SHORT else about


def _said(evidence: Evidence, many: bool) -> str:
    parts = [evidence.speaker]
    if evidence.timestamp:
        parts.append(times.moment(evidence.timestamp))
    parts.append(f"{evidence.conversation_id} {evidence.message_id}" if many else evidence.message_id)
    return " · ".join(glued(one_line(part)) for part in parts)
