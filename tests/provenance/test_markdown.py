"""The dossier: every statement under a topic, in time, with notes that hold the exact words."""

from __future__ import annotations

import re
from collections.abc import Callable
from pathlib import Path
from typing import Any

from markdown_it import MarkdownIt

Export = Callable[..., str]
Rows = Callable[..., dict[str, list[dict[str, Any]]]]


def test_every_active_claim_is_stated_once_and_every_note_is_there(export: Export, rows: Rows, compressed: Path) -> None:
    text, found = export("markdown", path=compressed), rows(path=compressed)
    stated = [int(number) for number in re.findall(r"^- .*\*\(claim (\d+),", text, re.MULTILINE)]
    assert sorted(stated) == [claim["id"] for claim in found["claim"] if claim["status"] == "active"]
    body, notes = re.findall(r"(?<!^)\[\^(\d+\.\d+)\]", text, re.MULTILINE), re.findall(r"^\[\^(\d+\.\d+)\]:", text, re.MULTILINE)
    assert sorted(body) == sorted(notes)
    assert len(set(notes)) == len(notes) == len([s for s in found["support"] if s["claim_id"] in stated])


def test_a_note_names_speaker_time_message_and_place(export: Export) -> None:
    note = (
        r"^\[\^\d+\.1\]: “I adopted a greyhound named Pixel yesterday\.”"
        r" \(Okan, 2023-06-01 10:01, message a2, conversation kitchen, session s1, characters 7 to 51\)$"
    )
    assert re.search(note, export("markdown"), re.MULTILINE)


def test_statements_of_a_topic_stand_in_time(export: Export) -> None:
    for section in export("markdown").split("\n## ")[1:]:
        dates = re.findall(r"^- (?:\*\*)?(\d{4}(?:-\d\d){0,2})", section, re.MULTILINE)
        assert dates == sorted(dates)


def test_words_come_out_of_markdown_as_they_went_in(export: Export, rows: Rows) -> None:
    html = MarkdownIt("commonmark").render(export("markdown"))
    assert "<b>50%" not in html
    assert "&lt;b&gt;50%&lt;/b&gt; | ␛[31mred" in html
    assert "C:\\new" in html


def test_what_contradicts_is_said_on_both_sides(export: Export, rows: Rows) -> None:
    conflicts = [edge for edge in rows()["edge"] if edge["relation"] == "conflicts"]
    assert conflicts
    text = export("markdown")
    for edge in conflicts:
        assert re.search(rf"\(claim {edge['source_id']},[^\n]*contradicts claim {edge['target_id']}", text)
        assert re.search(rf"\(claim {edge['target_id']},[^\n]*contradicted by claim {edge['source_id']}", text)


def test_one_claim_shows_what_it_absorbed(export: Export, compressed: Path) -> None:
    text = export("markdown", path=compressed, claim=1)
    assert re.search(r"\(claim 1,[^\n]*absorbs claim 2", text)
    assert re.search(r"\(claim 2,[^\n]*archived[^\n]*absorbed by claim 1", text)
