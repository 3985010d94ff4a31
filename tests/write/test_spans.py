"""Spans: where sentences, list items, code, captions and quotes begin and end."""

from __future__ import annotations

import pytest

from memcli.write.spans import MAX_CODE_LINES, MAX_SENTENCE, cut_spans


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("One. Two! Three?", ["One.", "Two!", "Three?"]),
        ("  Padded.  \n\n  Twice. ", ["Padded.", "Twice."]),
        ("Dr. Quill came at 5 p.m. with 3.5 kg of figs.", ["Dr. Quill came at 5 p.m. with 3.5 kg of figs."]),
        ("no full stop", ["no full stop"]),
        ("Das Sommerfest findet am 14. Juli statt. Es regnet nie.", ["Das Sommerfest findet am 14. Juli statt.", "Es regnet nie."]),
        ("Well... maybe. Yes.", ["Well... maybe.", "Yes."]),
        ("first line\nsecond line", ["first line", "second line"]),
        ("- oil the hinge\n* close it\n1. lock it\n2) leave", ["oil the hinge", "close it", "lock it", "leave"]),
        ("# Plan\n\nBuy twine.", ["Plan", "Buy twine."]),
        ("| a | b |\n|---|---|\n| 1 | 2 |", ["| a | b |", "| 1 | 2 |"]),
        ("Look!\n[image: a heron]", ["Look!", "[image: a heron]"]),
        ("我到了。你呢？我在车站！", ["我到了。", "你呢？", "我在车站！"]),
        ("着きました。駅にいます。", ["着きました。", "駅にいます。"]),
        ("¿Vienes? ¡Claro que sí!", ["¿Vienes?", "¡Claro que sí!"]),
        ("See https://ferns.example/a.b?c=1. It is long.", ["See https://ferns.example/a.b?c=1.", "It is long."]),
        ("---", []),
        (" \n\t ", []),
        ("", []),
        ("🫖", ["🫖"]),
        ("a\r\nb\r\n", ["a", "b"]),
    ],
)
def test_sentences(text: str, expected: list[str]) -> None:
    assert [span.text for span in cut_spans(text)] == expected


@pytest.mark.parametrize(
    ("text", "kinds"),
    [
        ("See:\n```python\nprint(1)\n\nprint(2)\n```\nDone.", ["sentence", "code", "sentence"]),
        ("~~~\nnever closed", ["code"]),
        ("```\n~~~\n```\nafter", ["code", "sentence"]),
        ("[file: notes.pdf]\n[audio: a song]\n[video]", ["image", "image", "image"]),
        ("> you said this\nand I that", ["quote", "sentence"]),
        ("an [image: inline] stays", ["sentence"]),
    ],
)
def test_kinds(text: str, kinds: list[str]) -> None:
    assert [span.kind for span in cut_spans(text)] == kinds


def test_a_long_code_block_is_cut_into_readable_pieces() -> None:
    code = "```\n" + "".join(f"line {n}\n" + ("\n" if n % 10 == 9 else "") for n in range(300)) + "```"
    spans = cut_spans(code)
    assert len(spans) > 3
    assert {span.kind for span in spans} == {"code"}
    assert max(span.text.count("\n") for span in spans) < 2 * MAX_CODE_LINES
    assert "".join(span.text for span in spans).replace("\n", "") == code.replace("\n", "")


@pytest.mark.parametrize("text", ["word " * 1000, "x" * 5000, "王" * 5000, "é" * 1300 + " " + "é" * 1300])
def test_text_without_an_end_is_cut(text: str) -> None:
    spans = cut_spans(text)
    assert len(spans) > 1
    assert all(len(span.text) <= MAX_SENTENCE for span in spans)
    assert "".join(span.text for span in spans).replace(" ", "") == text.replace(" ", "")


def test_offsets_count_code_points() -> None:
    text = "🫖 ready. Ça va? e\u0301t\u00e9."
    for span in cut_spans(text):
        assert text[span.start : span.end] == span.text


@pytest.mark.parametrize(
    "text", ["nCr = 5! / (2! 3!) = 10 ways.", r"\frac{5!}{2! \cdot 3!} = 10 is what we get.", "It is 4! = 24 and not 4 * 4."]
)
def test_a_factorial_does_not_end_a_sentence(text: str) -> None:
    assert [span.text for span in cut_spans(text)] == [text]


def test_an_exclamation_behind_a_number_ends_its_sentence() -> None:
    assert [span.text for span in cut_spans("We scored 5! The crowd went wild.")] == ["We scored 5!", "The crowd went wild."]
