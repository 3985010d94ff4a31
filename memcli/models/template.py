"""Prompts in the form that a model was trained on: its own chat template where its file has one, else plain text.

What a user's transcript says must stay text. So the template is rendered around two marks, and only what the template itself wrote may
become control tokens; `<|im_end|>` in a message is seven characters to the model and ends nothing.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from typing import Any, Final

from memcli.models.language import Prompt

_INSTRUCTIONS: Final = "\ufdd0INSTRUCTIONS\ufdd0"
_CONTENT: Final = "\ufdd0CONTENT\ufdd0"
"""Marks: noncharacters, which no template writes."""

_PLAIN: Final = f"{_INSTRUCTIONS}\n\n{_CONTENT}\n\nAnswer:"
PLAIN_STOPS: Final = ("\n\n",)
"""A base model goes on with a next example; an answer ends where its paragraph does."""


@dataclass(frozen=True, slots=True)
class Piece:
    """A part of a prompt; `markup` if the template wrote it, so that control tokens in it are meant."""

    text: str
    markup: bool
    part: int
    """0 up to the content, which is what prompts of one kind begin with; 1 from there on."""


@dataclass(frozen=True, slots=True)
class Template:
    """The text around instructions and content, marked in it."""

    rendered: str
    chat: bool
    """False if the model has no template of its own that can be used."""

    def pieces(self, prompt: Prompt) -> Iterator[Piece]:
        """The parts of a whole prompt, in order; none of them empty."""
        text = {_INSTRUCTIONS: prompt.instructions, _CONTENT: prompt.content}
        rest, part = self.rendered, 0
        while rest:
            mark = min((mark for mark in text if mark in rest), key=rest.index, default=None)
            before, _, rest = rest.partition(mark) if mark else (rest, "", "")
            if before:
                yield Piece(before, True, part)
            part = int(part or mark == _CONTENT)
            if mark and text[mark]:
                yield Piece(text[mark], False, part)


def make_template(source: str | None, begin: str, end: str) -> Template:
    """Render a chat template around the marks.

    Args:
        source: the template in Jinja; None for a base model.
        begin: the model's token for the beginning of a text, as templates write it.
        end: its token for the end.
    """
    if source is not None:
        system = [{"role": "system", "content": _INSTRUCTIONS}, {"role": "user", "content": _CONTENT}]
        # Some templates refuse a system message, others drop it.
        user = [{"role": "user", "content": f"{_INSTRUCTIONS}\n\n{_CONTENT}"}]
        for messages in (system, user):
            rendered = _render(source, messages, begin, end)
            if rendered is not None and rendered.count(_INSTRUCTIONS) == rendered.count(_CONTENT) == 1:
                return Template(rendered, chat=True)
    return Template(_PLAIN, chat=False)


def _render(source: str, messages: Sequence[dict[str, str]], begin: str, end: str) -> str | None:
    """The messages as the template writes them; None if it cannot."""
    from llama_cpp.llama_chat_format import Jinja2ChatFormatter

    try:
        formatter: Any = Jinja2ChatFormatter(source, eos_token=end, bos_token=begin)
        # Today's date in a prompt would change its answers from day to day, and what "yesterday" means in a transcript.
        formatter.strftime_now = lambda _form: ""
        # A model that thinks first is told not to, where its template knows how: the answers are short and checked.
        return str(formatter(messages=messages, enable_thinking=False).prompt)
    except Exception:  # jinja2's own errors, and whatever a template's expressions raise
        return None
