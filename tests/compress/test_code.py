"""Code, tables and logs in a merged claim are told by an outline: what they are and what they name, nothing else."""

from __future__ import annotations

from collections.abc import Callable

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from memcli.compress.candidates import Statement
from memcli.compress.clauses import content, folded, read_clause
from memcli.compress.code import MOST_NAMES, Outline, cut_blocks, outline
from memcli.compress.merge_text import is_faithful, merged_text, rarities
from memcli.language.lexicon import count_words

Merge = Callable[..., str]

PYTHON = """Here is how the tide table is read:
```python
from dataclasses import dataclass
import harbour

@dataclass
class Tide:
    height: float

def next_high_water(tides, after):
    return min(tide for tide in tides if tide.time > after)
```
"""
RUST = """```rust
pub struct Berth {
    length: f32,
}

impl Berth {
    pub fn fits(&self, boat: &Boat) -> bool {
        self.length > boat.length + 0.5
    }
}
```
Beware of multihulls, which need two berths."""
SHELL = "Start it anew:\n```sh\n# as root\nsystemctl restart lockkeeper\n```"
TABLE = "Fees of the year:\n| Berth | Length | Fee |\n|---|---|---|\n| North pier | 12 m | 340 |\n| South pier | 9 m | 210 |"
TRACEBACK = """It stopped with this:
Traceback (most recent call last):
  File "gates/lock.py", line 41, in open_gate
    self.valve.turn(90)
ValveError: valve 3 is stuck
"""
LETTER = "The letter:\n```\nDear Ylva, the mast is mended.\nIt cost 410 crowns, which is not too much.\n```"


def outlines(text: str) -> list[tuple[str, tuple[str, ...]]]:
    return [(part.label, tuple(name.text for name in part.names)) for part in cut_blocks(text) if isinstance(part, Outline)]


@pytest.mark.parametrize(
    ("text", "told"),
    [
        (PYTHON, ("python", ("class Tide", "next_high_water(tides, after)"))),
        (RUST, ("rust", ("struct Berth", "fits(&self, boat: &Boat)"))),
        (SHELL, ("sh", ("systemctl restart lockkeeper",))),
        (TABLE, ("", ("Berth", "Length", "Fee", "North pier", "South pier"))),
        ("```css\n.buoy {\n  color: red;\n}\n@keyframes bob { 0% { top: 0; } }\n```", ("css", (".buoy", "@keyframes bob"))),
        ("```yaml\nname: Nightly soundings\non:\n  schedule: daily\n```", ("yaml", ("Nightly soundings", "on", "schedule"))),
        ("```sql\nCREATE TABLE IF NOT EXISTS buoys (id INTEGER);\nSELECT * FROM lights;\n```", ("sql", ("CREATE TABLE buoys", "lights"))),
        ("```go\nfunc (l *Lock) Fill(level int) error {\n\treturn nil\n}\n```", ("go", ("Fill(level int)",))),
    ],
)
def test_an_outline_tells_what_a_block_is_and_names(text: str, told: tuple[str, tuple[str, ...]]) -> None:
    (found,) = outlines(text)
    assert found[0] == told[0]
    assert [name for name in found[1] if name in told[1]] == list(told[1])


def test_an_error_and_the_files_that_it_went_through_are_told(merge: Merge) -> None:
    ((_, names),) = outlines(TRACEBACK)
    assert "gates/lock.py" in names
    assert "ValveError: valve 3 is stuck" in merge(TRACEBACK, "Ylva sails.", speaker="Ylva", budget=12)


def test_code_is_merged_with_what_is_said_around_it(merge: Merge) -> None:
    text = merge(PYTHON, SHELL, speaker="Ylva")
    assert text.startswith("Here is how the tide table is read (python: ")
    assert "class Tide" in text
    assert "Start it anew (sh: systemctl restart lockkeeper)" in text
    assert "\n" not in text
    assert "```" not in text
    assert text.endswith("…")


def test_what_comes_after_a_block_is_a_sentence_of_its_own(merge: Merge) -> None:
    assert merge(RUST, "Beware of the weir.", speaker="Ylva").startswith("(rust: struct Berth, ")
    assert "). Beware of multihulls, which need two berths; beware of the weir" in merge(
        RUST, "Beware of the weir.", speaker="Ylva"
    ).replace("; B", "; b")


def test_a_letter_in_a_fence_is_prose_and_keeps_its_values(merge: Merge) -> None:
    text = merge(LETTER, "Ylva sails.", speaker="Ylva", budget=4)
    assert not outlines(LETTER)
    assert {"ylva", "410", "not"} <= set(folded(text))


def test_a_list_becomes_clauses() -> None:
    assert cut_blocks("To do:\n- Mend the sail\n- Paint the hull\n\n1. Buy tar") == ["To do: Mend the sail; Paint the hull; Buy tar"]
    assert cut_blocks("We sailed home\nbefore the storm came.") == ["We sailed home before the storm came."]


def test_a_value_in_a_fence_on_one_line_stays_as_it_is() -> None:
    assert cut_blocks("Run ```make tide``` first.") == ["Run `make tide` first."]


def test_a_block_that_was_cut_short_ends_in_no_half_name() -> None:
    ((_, names),) = outlines("Look:\n```python\ndef haul(anchor):\n    winch = Winch()\n    capst…")
    assert "haul(anchor)" in names
    assert not any("capst" in name for name in names)


def test_the_numbers_of_code_may_go_and_those_of_prose_stay(merge: Merge) -> None:
    text = merge("It takes 12 minutes.\n```python\nFILL = 720\nDRAIN = 655\n```", "Ylva waited 3 times.", speaker="Ylva", budget=5)
    assert {"12", "3"} <= set(folded(text))
    assert not {"720", "655"} & set(folded(text))


LINES = (
    "def moor(boat, rope):",
    "class Quay:",
    "    return 4",
    "```",
    "```js",
    "const tide = (hour) => hour * 2;",
    "| a | b |",
    "The ferry is not late.",
    "- two ropes",
    "ERROR: gate 7 is stuck",
    "},",
    "潮水很高。",
    "$ make all",
    "",
    "…",
)


@settings(deadline=None, max_examples=50)
@given(st.lists(st.lists(st.sampled_from(LINES), min_size=1, max_size=8).map("\n".join), min_size=2, max_size=4), st.integers(1, 30))
def test_whatever_is_merged_says_nothing_new_and_is_no_longer(texts: list[str], budget: int) -> None:
    statements = [Statement(text, "Ylva") for text in texts]
    clauses = [read_clause(statement, rarities(statements)) for statement in statements]
    text = merged_text(clauses, budget)
    assert text == merged_text([read_clause(statement, rarities(statements)) for statement in statements], budget)
    assert "\n" not in text
    assert content(text) <= frozenset().union(*(content(said) for said in texts))
    if is_faithful(text, clauses):
        assert len(text) <= sum(map(len, texts)) + len(texts) - 1
        assert count_words(text) <= sum(map(count_words, texts))


@settings(deadline=None)
@given(st.lists(st.sampled_from(LINES), max_size=40).map("\n".join), st.sampled_from(("", "python", "sh", "css", "json", "html", "sql")))
def test_an_outline_is_short_and_of_the_block_s_own_words(body: str, language: str) -> None:
    found = outline(body, language)
    assert len(found.names) <= MOST_NAMES
    assert all(content(name.text) <= content(body) for name in found.names)
    assert len({name.text.casefold() for name in found.names}) == len(found.names)
    assert found == outline(body, language)


@pytest.mark.parametrize(
    "text",
    ["```python\n" + "row = row + 1\n" * 8_000 + "```", "```\n" + "a(" * 50_000 + "\n```", "oar " * 25_000, "x = 1, " * 10_000 + "\n" * 9],
)
def test_a_long_claim_is_read_in_time(text: str) -> None:
    clause = read_clause(Statement(text, "Ylva"), {})
    assert merged_text([clause, read_clause(Statement("Ylva rows.", "Ylva"), {})], 20)
