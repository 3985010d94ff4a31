"""Trying a model in a child process, so that a crash in native code ends that process and not the user's work.

Run as a program, `python -m memcli.models.check HOW NAME PATH`, it is that child.
"""

from __future__ import annotations

import hashlib
import importlib.util
import json
import os
import signal
import subprocess
import sys
import time
from collections.abc import Callable
from dataclasses import asdict, dataclass
from pathlib import Path
from typing import Any, Final

from memcli.errors import ModelError
from memcli.models.catalogue import ModelFile
from memcli.models.digest import read_note, write_note
from memcli.models.language import LanguageModel, Prompt
from memcli.models.llama import REBUILD, LlamaModel, installed

_INSTRUCTIONS: Final = "Read the messages. Write down who speaks first and one thing that they say."
_CONTENT: Final = """\
1. Ottilie: The ferry to Norderney leaves at nine on Saturday, and I have two tickets left for it. Do you want to come?
2. Bram: Gladly, if we are back on Sunday evening. On Monday the heating coil for the kiln arrives, and somebody has to sign for it.
3. Ottilie: The last ferry back is at six. We can rent bicycles at the harbour, they cost twelve euros a day, and ride to the lighthouse.
4. Bram: Then I bring the tent, the small stove and my grandmother's map of the island. Last time the café at the lighthouse was closed.
5. Ottilie: It has had a new owner since March. My sister ate there at Easter and praised the plum cake."""
_SCHEMA: Final = {
    "type": "object",
    "properties": {"speaker": {"type": "string", "maxLength": 40}, "says": {"type": "string", "maxLength": 160}},
    "required": ["speaker", "says"],
}
_TOKENS: Final = 64

_PATIENCE_S: Final = 1200
"""Seconds that a try may take: a model as large as memory, on a slow disk and one core, takes some minutes."""


@dataclass(frozen=True, slots=True)
class Check:
    """How a model did."""

    context: int
    parameters: int | None
    chat: bool | None
    """Whether it has a chat template of its own; None of a server's, which keeps that to itself."""
    load_seconds: float
    prompt_tokens: int
    prompt_seconds: float
    answer_tokens: int
    answer_seconds: float
    json_valid: bool
    answer: str

    def to_dict(self) -> dict[str, Any]:
        """All of it, with tokens a second of prompt and answer."""
        return asdict(self) | {
            "prompt_tokens_per_second": _speed(self.prompt_tokens, self.prompt_seconds),
            "answer_tokens_per_second": _speed(self.answer_tokens, self.answer_seconds),
        }


def try_model(model: LanguageModel) -> Check:
    """Let a model answer a prompt in JSON, in this process.

    Raises:
        ModelError: it failed.
    """
    prompt = Prompt(_INSTRUCTIONS, _CONTENT)
    started = time.perf_counter()
    model.count_tokens(_CONTENT)
    context, parameters = model.context, model.parameters
    loaded = time.perf_counter()
    # Reading takes nearly all of the time of an answer of one token, and nearly none when the prompt is known from the last call.
    read = model.complete(prompt, max_tokens=1)
    reading = time.perf_counter()
    model.complete(prompt, max_tokens=1)
    answering = time.perf_counter()
    answer = model.complete(prompt, max_tokens=_TOKENS, schema=_SCHEMA)
    answer_seconds = max(0.001, time.perf_counter() - answering - (answering - reading))
    return Check(
        context=context,
        parameters=parameters,
        chat=model.chat if isinstance(model, LlamaModel) else None,
        load_seconds=round(loaded - started, 3),
        prompt_tokens=read.prompt_tokens,
        prompt_seconds=round(reading - loaded, 3),
        answer_tokens=answer.answer_tokens,
        answer_seconds=round(answer_seconds, 3),
        json_valid=answer.finished,
        answer=answer.text,
    )


def run_check(source: ModelFile) -> Check:
    """The same in a child process, with all of a model's file.

    Raises:
        ModelError: the model crashed or failed there, with what to do.
    """
    return Check(**json.loads(_child(source, "check")))


def ensure_runs(source: ModelFile, sha256: str, *, notify: Callable[[str], None] | None = None) -> None:
    """See in a child process whether a model runs with this build of llama.cpp, unless that was seen before.

    Raises:
        ModelError: as `run_check`.
    """
    if not was_checked(sha256):
        if notify is not None:
            notify(f"trying {source.name} for its first use (once)")
        _child(source, "try")
        write_note("checked", _key(sha256), "{}")


def was_checked(sha256: str) -> bool:
    """Whether a model has answered a prompt with this build of llama.cpp on this machine."""
    return bool(read_note("checked", _key(sha256)))


def note_checked(sha256: str) -> None:
    """Remember that it has."""
    write_note("checked", _key(sha256), "{}")


def _child(source: ModelFile, how: str) -> str:
    package_parent = str(Path(__file__).resolve().parents[2])
    search = os.pathsep.join(filter(None, (package_parent, os.environ.get("PYTHONPATH"))))
    # -P: a llama_cpp.py in the folder the user happens to be in is not ours to import.
    command = [sys.executable, "-P", "-m", "memcli.models.check", how, source.name, str(source.path.absolute())]
    environment = {**os.environ, "PYTHONPATH": search}
    try:
        done = subprocess.run(
            command,
            env=environment,
            stdin=subprocess.DEVNULL,
            capture_output=True,
            text=True,
            errors="replace",
            check=False,
            timeout=_PATIENCE_S,
        )
    except subprocess.TimeoutExpired as error:
        raise ModelError(
            f"{source.name}: no answer within {_PATIENCE_S // 60} minutes; "
            "choose a smaller model, or set MEM_LLM_THREADS=1 if the cores are busy"
        ) from error
    if done.returncode < 0:
        died = signal.Signals(-done.returncode)
        if died in (signal.SIGSEGV, signal.SIGILL, signal.SIGBUS, signal.SIGABRT, signal.SIGFPE):
            raise ModelError(
                f"{source.name}: llama.cpp crashed at its first prompt ({died.name}); "
                f"it was built for another CPU than this, build it again: {REBUILD}"
            )
        raise ModelError(
            f"{source.name}: trying it was ended from outside ({died.name}), perhaps since memory ran out; choose a smaller model"
        )
    if done.returncode != 0:
        lines = done.stderr.strip().splitlines()
        raise ModelError(lines[-1] if lines else f"{source.name}: trying it failed with status {done.returncode}")
    return done.stdout


def _key(sha256: str) -> str:
    """Names a pair of a model and a build of llama.cpp, which is told by its libraries' sizes and times."""
    spec = importlib.util.find_spec("llama_cpp") if installed() else None
    folder = Path(spec.origin).parent if spec and spec.origin else Path()
    libraries = sorted(file for file in (folder / "lib").glob("*") if file.is_file())
    build = repr([(str(file), stat.st_size, stat.st_mtime_ns) for file, stat in ((file, file.stat()) for file in libraries)])
    return f"{sha256[:32]}-{hashlib.sha256(build.encode()).hexdigest()[:16]}"


def _speed(tokens: int, seconds: float) -> float:
    return round(tokens / seconds, 1) if seconds else 0.0


def main(how: str, name: str, path: str) -> int:
    """Try a model in this process, shortly or with all of a `Check`; the exit status."""
    try:
        model = LlamaModel(ModelFile(name, Path(path)), checked=True)
        if how == "check":
            sys.stdout.write(json.dumps(asdict(try_model(model))) + "\n")
        else:
            model.complete(Prompt("Answer with one word.", "Is a ferry a ship? It carries people and cars over the water."), max_tokens=1)
    except ModelError as error:
        sys.stderr.write(f"{error}\n")
        return ModelError.exit_code
    return 0


if __name__ == "__main__":
    sys.exit(main(*sys.argv[1:4]))
