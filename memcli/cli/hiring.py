"""The language model that a command's options ask for."""

from __future__ import annotations

from typing import TYPE_CHECKING

from memcli import config

if TYPE_CHECKING:
    from memcli.proposals.assistant import Hiring


def hiring(llm: str | None, no_llm: bool, uses: str | None, budget: str | None) -> Hiring | None:
    """What `--llm`, `--no-llm`, `--llm-uses` and `--budget` say together with the settings; None for no language model.

    Raises:
        UsageError: one of them cannot be read.
        InputError: the config file is needed and wrong.
    """
    name = None if no_llm else config.resolve_llm(llm)
    if name is None:
        return None
    from memcli.proposals.assistant import Budget, Hiring, parse_budget
    from memcli.proposals.uses import parse_uses

    said = config.resolve_llm_uses(uses)
    return Hiring(name, parse_uses(said) if said else None, parse_budget(budget) if budget else Budget())
