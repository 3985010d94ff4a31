"""What a language model may be used for. Each use is switched by its name, and without it the deterministic way stands."""

from __future__ import annotations

from collections.abc import Iterable
from typing import Final, Literal, get_args

from memcli.errors import UsageError

Use = Literal["claims", "cues", "keywords", "relations", "topics", "merge", "select", "expand", "refine", "answer"]

USES: Final[dict[Use, str]] = {
    "claims": "claims of a page, written as statements of their own",
    "cues": "things and events that a page mentions",
    "keywords": "keywords of a claim",
    "relations": "whether two claims support or contradict each other",
    "topics": "a line that says what a topic is about",
    "merge": "the text of a merged claim when compressing",
    "select": "which facts answer a question, and which help to read them",
    "expand": "more of a fact's surroundings, where they make the answer surer",
    "refine": "a second question for what the facts do not tell",
    "answer": "the answer, out of the facts",
}
"""Every use with what it writes or decides, in the order in which a memory meets them."""

SMALL: Final = 1_000_000_000
"""Parameters below which a model is small."""

SMALL_USES: Final[frozenset[Use]] = frozenset({"claims", "merge"})
"""What a small model is used for by default: what it cannot make worse, since what it gets wrong is thrown away (docs/benchmarks.md)."""


def default_uses(parameters: int | None) -> frozenset[Use]:
    """What a model of that many parameters is used for unless the user says otherwise; a model of unknown size counts as large."""
    return SMALL_USES if parameters is not None and parameters < SMALL else frozenset(USES)


def parse_uses(said: str) -> frozenset[Use]:
    """Read a list such as `claims,answer`; `all` and `none` are lists too.

    Raises:
        UsageError: a name in it is no use.
    """
    names = [name.strip() for name in said.split(",") if name.strip()]
    if names == ["all"]:
        return frozenset(USES)
    if names == ["none"]:
        return frozenset()
    return frozenset(_known(names))


def _known(names: Iterable[str]) -> Iterable[Use]:
    for name in names:
        if name not in get_args(Use):
            raise UsageError(f"{name!r} is nothing a language model is used for; there are {', '.join(USES)}, or all, or none")
        yield name  # type: ignore[misc]
