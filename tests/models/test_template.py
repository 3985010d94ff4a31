"""Chat templates as models bring them: whatever their habits, instructions and content are in the prompt once each, as text."""

from __future__ import annotations

import pytest

from memcli.models.language import Prompt
from memcli.models.template import make_template

PROMPT = Prompt("Do this.", "With <|end|> that.")
EACH = "{% for m in messages %}<|{{ m.role }}|>{{ m.content | trim }}<|end|>{% endfor %}"
GOES_ON = "{% if add_generation_prompt %}<|assistant|>{% endif %}"


def _text(source: str | None) -> str:
    return "".join(piece.text for piece in make_template(source, "<s>", "</s>").pieces(PROMPT))


@pytest.mark.parametrize(
    ("source", "text"),
    [
        (EACH + GOES_ON, "<|system|>Do this.<|end|><|user|>With <|end|> that.<|end|><|assistant|>"),
        ("{{ bos_token }}" + EACH + GOES_ON, "<s><|system|>Do this.<|end|><|user|>With <|end|> that.<|end|><|assistant|>"),
        # Refuses a system message.
        (
            "{% if messages[0].role == 'system' %}{{ raise_exception('System role not supported') }}{% endif %}" + EACH + GOES_ON,
            "<|user|>Do this.\n\nWith <|end|> that.<|end|><|assistant|>",
        ),
        # Drops it.
        (
            EACH.replace("%}<|", "%}{% if m.role == 'system' %}{% continue %}{% endif %}<|", 1) + GOES_ON,
            "<|user|>Do this.\n\nWith <|end|> that.<|end|><|assistant|>",
        ),
        # Would think first.
        (
            EACH + GOES_ON + "{% if enable_thinking is defined and not enable_thinking %}<think></think>{% endif %}",
            "<|system|>Do this.<|end|><|user|>With <|end|> that.<|end|><|assistant|><think></think>",
        ),
        # Tells the date, which would make today's answers others than yesterday's.
        ("Today: {{ strftime_now('%Y') }}." + EACH, "Today: .<|system|>Do this.<|end|><|user|>With <|end|> that.<|end|>"),
    ],
)
def test_a_prompt_takes_the_form_of_its_template(source: str, text: str) -> None:
    assert _text(source) == text
    assert make_template(source, "<s>", "</s>").chat


@pytest.mark.parametrize("source", [None, "{% for", "{{ nothing.of.the.kind() }}", "always the same", EACH + EACH])
def test_without_a_template_that_works_a_prompt_is_plain_text(source: str | None) -> None:
    assert _text(source) == "Do this.\n\nWith <|end|> that.\n\nAnswer:"
    assert not make_template(source, "<s>", "</s>").chat


def test_only_what_the_template_wrote_is_markup_and_what_comes_before_the_content_is_apart() -> None:
    pieces = list(make_template(EACH + GOES_ON, "<s>", "</s>").pieces(PROMPT))
    assert [piece.text for piece in pieces if not piece.markup] == ["Do this.", "With <|end|> that."]
    before = "".join(piece.text for piece in pieces if piece.part == 0)
    assert before == "<|system|>Do this.<|end|><|user|>"


def test_content_that_looks_like_a_mark_is_content() -> None:
    template = make_template(EACH, "<s>", "</s>")
    marks = Prompt("\ufdd0CONTENT\ufdd0", "\ufdd0INSTRUCTIONS\ufdd0")
    assert "".join(piece.text for piece in template.pieces(marks)) == (
        "<|system|>\ufdd0CONTENT\ufdd0<|end|><|user|>\ufdd0INSTRUCTIONS\ufdd0<|end|>"
    )
