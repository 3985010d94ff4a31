"""The assistant: a language model with a memory of what it answered, a limit to what it may cost, and an account of what became of it.

Every call goes through here. A call that fails, that the budget does not allow, or whose use is off gives None, and whoever asked goes the
deterministic way. Nothing a model does ends an ingest or a question.
"""

from __future__ import annotations

import hashlib
import json
import re
import time
from collections import Counter
from collections.abc import Callable, Mapping, Sequence
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass, field
from typing import Any, Literal

from memcli.errors import ModelError, UsageError
from memcli.models.language import Completion, LanguageModel, Prompt, Uncertainty
from memcli.proposals.uses import Use, default_uses

FAILURES = 3
"""Calls in a row that may fail before the model is left alone: it will not come back, and each may take minutes to fail."""

_BUDGET = re.compile(r"(?P<number>\d+(?:\.\d+)?)\s*(?P<unit>tokens?|k|m(?:in)?|s(?:ec)?|h)?", re.IGNORECASE)
_SECONDS = {"s": 1, "m": 60, "h": 3600}


@dataclass(frozen=True, slots=True)
class Budget:
    """What a run may spend on the model; None is without limit. When it is spent the model is used no more, and the work goes on."""

    tokens: int | None = None
    """Of prompts and answers together, those answered from the file left out."""
    seconds: float | None = None
    """Spent waiting for the model."""


@dataclass(frozen=True, slots=True)
class Hiring:
    """Which language model a memory is to use, for what, and for how much."""

    model: str
    """As `memcli.models.language.load_language_model` takes it."""
    uses: frozenset[Use] | None = None
    """None for what suits the model's size."""
    budget: Budget = Budget()


@dataclass(frozen=True, slots=True)
class Answered:
    """A completion as the file keeps it, by the digest of all that it depends on."""

    digest: bytes
    stage: str
    response: str
    prompt_tokens: int
    answer_tokens: int
    seconds: float


@dataclass(slots=True)
class StageUse:
    """What a stage has cost in this run, and what became of what the model proposed."""

    calls: int = 0
    cached: int = 0
    failed: int = 0
    prompt_tokens: int = 0
    answer_tokens: int = 0
    seconds: float = 0.0
    outcomes: Counter[str] = field(default_factory=Counter)
    """`accepted`, and the rejected by reason."""

    def to_dict(self) -> dict[str, Any]:
        """`{"calls", "cached", "failed", "prompt_tokens", "answer_tokens", "seconds", "proposed", "accepted", "rejected": {reason: n}}`."""
        rejected = {reason: count for reason, count in sorted(self.outcomes.items()) if reason != "accepted"}
        return {
            "calls": self.calls,
            "cached": self.cached,
            "failed": self.failed,
            "prompt_tokens": self.prompt_tokens,
            "answer_tokens": self.answer_tokens,
            "seconds": round(self.seconds, 3),
            "proposed": self.outcomes.total(),
            "accepted": self.outcomes["accepted"],
            "rejected": rejected,
        }


@dataclass(frozen=True, slots=True)
class Asked:
    """One call that is to be made."""

    stage: Use
    prompt: Prompt
    max_tokens: int
    schema: Mapping[str, Any] | None = None
    stop: tuple[str, ...] = ()


class Assistant:
    """A model for one run. Not for several threads at once; it uses several itself where the model gains by it."""

    def __init__(
        self,
        model: LanguageModel,
        *,
        uses: frozenset[Use] | None = None,
        budget: Budget | None = None,
        recall: Callable[[bytes], str | None] = lambda _digest: None,
        notify: Callable[[str], None] = lambda _line: None,
    ) -> None:
        """Prepare a run.

        Args:
            model: who answers.
            uses: what it is used for; what suits its size when None.
            budget: what the run may cost.
            recall: gives the response kept under a digest, if one is.
            notify: told, in a line each, when the model is used no more before the work is done.
        """
        self.model = model
        self.uses = default_uses(model.parameters) if uses is None else uses
        self.account: dict[str, StageUse] = {}
        self.forgotten: tuple[int, float] | None = None
        """What the file had forgotten when this began (`memcli.store.completions.forgotten`); None where that is not known."""
        self._budget = budget or Budget()
        self._recall = recall
        self._notify = notify
        self._fresh: dict[bytes, Answered] = {}
        self._failures = 0
        self._stopped: str | None = None

    @property
    def stopped(self) -> str | None:
        """Why the model is used no more, in a few words; None while it is."""
        return self._stopped

    def does(self, use: Use) -> bool:
        """Whether the model may be asked for this now."""
        return use in self.uses and self._stopped is None

    def text(self, asked: Asked) -> str | None:
        """The model's answer as text; None if there is none."""
        return self.texts([asked])[0]

    def texts(self, asked: Sequence[Asked]) -> list[str | None]:
        """The answers to several calls, in their order, made at once where the model gains by it."""
        found = self._completions(asked)
        return [None if text is None else text.strip() for text in found]

    def json(self, asked: Asked) -> object | None:
        """The model's answer as what its schema describes; None if there is none."""
        return self.jsons([asked])[0]

    def jsons(self, asked: Sequence[Asked]) -> list[object | None]:
        """As `texts`, read as JSON. An answer that was cut off is one that failed: it is counted as `invalid`, and gives None."""
        out: list[object | None] = []
        for one, text in zip(asked, self._completions(asked), strict=True):
            try:
                out.append(None if text is None else json.loads(text))
            except ValueError:
                self.count(one.stage, "invalid")
                out.append(None)
        return out

    def uncertainty(self, stage: Use, prompt: Prompt, *, tokens: int = 5) -> float | None:
        """Mean negative log-likelihood of the model's first greedy answer tokens, in nats; None if it cannot be had."""
        if not self.does(stage):
            return None
        digest = self._digest("uncertainty", prompt, tokens)
        kept = self._kept(stage, digest)
        if kept is not None:
            return float(kept)
        found = self._call(stage, lambda: self.model.uncertainty(prompt, tokens=tokens))
        if found is None:
            return None
        result, seconds = found
        self._keep(Answered(digest, stage, repr(result.mean_nll), result.prompt_tokens, result.answer_tokens, seconds))
        return result.mean_nll

    def count(self, stage: Use, outcome: str, number: int = 1) -> None:
        """Account for a proposal: `accepted`, or rejected for this reason."""
        self._stage(stage).outcomes[outcome] += number

    def report(self) -> dict[str, Any]:
        """What the model did and cost in this run: `{"model", "stages": {stage: StageUse.to_dict()}, "stopped"}`."""
        stages = {name: used.to_dict() for name, used in self.account.items()}
        return {"model": self.model.name, "stages": stages, "stopped": self._stopped}

    def outcomes(self, stage: Use) -> Counter[str]:
        """What has become of a stage's proposals in this run so far, by outcome."""
        return self._stage(stage).outcomes.copy() if stage in self.account else Counter()

    def take_fresh(self) -> list[Answered]:
        """What was answered since the last call, to be kept in the file."""
        fresh, self._fresh = list(self._fresh.values()), {}
        return fresh

    def digest(self, asked: Asked) -> bytes:
        """Names a call by all that its answer depends on: 16 bytes."""
        return self._digest("complete", asked.prompt, asked.max_tokens, asked.schema, asked.stop)

    def _completions(self, asked: Sequence[Asked]) -> list[str | None]:
        out: list[str | None] = [None] * len(asked)
        waiting: list[int] = []
        for index, one in enumerate(asked):
            if self.does(one.stage):
                out[index] = self._kept(one.stage, self.digest(one))
                if out[index] is None:
                    waiting.append(index)
        for batch in _batches(waiting, max(1, self.model.parallel)):
            if self._spent():
                break
            for index, text in zip(batch, self._complete([asked[i] for i in batch]), strict=True):
                out[index] = text
        return out

    def _complete(self, asked: Sequence[Asked]) -> list[str | None]:
        def one(call: Asked) -> tuple[Completion | ModelError, float]:
            started = time.perf_counter()
            try:
                answer = self.model.complete(call.prompt, max_tokens=call.max_tokens, schema=call.schema, stop=call.stop)
            except ModelError as error:
                return error, time.perf_counter() - started
            return answer, time.perf_counter() - started

        if len(asked) == 1:
            found = [one(asked[0])]
        else:
            with ThreadPoolExecutor(len(asked)) as threads:
                found = list(threads.map(one, asked))
        out: list[str | None] = []
        for call, (answer, seconds) in zip(asked, found, strict=True):
            out.append(None)
            if isinstance(answer, ModelError):
                self._failed(call.stage, answer, seconds)
                continue
            self._failures = 0
            out[-1] = answer.text
            self._keep(Answered(self.digest(call), call.stage, answer.text, answer.prompt_tokens, answer.answer_tokens, seconds))
        return out

    def _call(self, stage: Use, call: Callable[[], Uncertainty]) -> tuple[Uncertainty, float] | None:
        if self._spent():
            return None
        started = time.perf_counter()
        try:
            found = call()
        except ModelError as error:
            self._failed(stage, error, time.perf_counter() - started)
            return None
        self._failures = 0
        return found, time.perf_counter() - started

    def _kept(self, stage: Use, digest: bytes) -> str | None:
        fresh = self._fresh.get(digest)
        kept = fresh.response if fresh else self._recall(digest)
        if kept is not None:
            self._stage(stage).cached += 1
        return kept

    def _keep(self, answered: Answered) -> None:
        self._fresh[answered.digest] = answered
        stage = self._stage(answered.stage)
        stage.calls += 1
        stage.prompt_tokens += answered.prompt_tokens
        stage.answer_tokens += answered.answer_tokens
        stage.seconds += answered.seconds

    def _failed(self, stage: Use, error: ModelError, seconds: float) -> None:
        account = self._stage(stage)
        account.calls += 1
        account.failed += 1
        account.seconds += seconds
        self._failures += 1
        if self._failures >= FAILURES and self._stopped is None:
            self._stop(f"it failed {FAILURES} times in a row: {error}")

    def _spent(self) -> bool:
        """Whether the model is to be left alone, for the budget is spent or it has stopped."""
        if self._stopped is not None:
            return True
        stages = self.account.values()
        if self._budget.tokens is not None and sum(s.prompt_tokens + s.answer_tokens for s in stages) >= self._budget.tokens:
            self._stop(f"its budget of {self._budget.tokens} tokens is spent")
        elif self._budget.seconds is not None and sum(s.seconds for s in stages) >= self._budget.seconds:
            self._stop(f"its budget of {self._budget.seconds:g} seconds is spent")
        return self._stopped is not None

    def _stop(self, why: str) -> None:
        self._stopped = why
        self._notify(f"{self.model.name} is used no more, {why}; the work goes on without it")

    def _stage(self, stage: str) -> StageUse:
        return self.account.setdefault(stage, StageUse())

    def _digest(self, kind: Literal["complete", "uncertainty"], prompt: Prompt, *settings: object) -> bytes:
        whole = json.dumps([kind, self.model.fingerprint, prompt.instructions, prompt.content, *settings], sort_keys=True)
        return hashlib.blake2b(whole.encode("utf-8", "surrogatepass"), digest_size=16).digest()


def parse_budget(said: str) -> Budget:
    """Read `20000` or `20k` as tokens, and `90s`, `10m` or `2h` as time.

    Raises:
        UsageError: it is neither.
    """
    match = _BUDGET.fullmatch(said.strip())
    unit = (match["unit"] or "t")[0].lower() if match else ""
    if match is None or not float(match["number"]):
        raise UsageError(f"--budget {said}: give tokens (20000, 20k) or time (90s, 10m, 2h)")
    number = float(match["number"])
    if unit in _SECONDS:
        return Budget(seconds=number * _SECONDS[unit])
    return Budget(tokens=int(number * (1000 if unit == "k" else 1)))


def _batches(items: Sequence[int], size: int) -> list[Sequence[int]]:
    return [items[start : start + size] for start in range(0, len(items), size)]
