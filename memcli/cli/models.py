"""`mem models`: the embedding and language models of this machine."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated, Any, Final

import typer

from memcli.cli import options
from memcli.cli.render.progress import progress
from memcli.cli.render.screen import Screen
from memcli.errors import ModelError, UsageError

EXAMPLE = """
mem models list
mem models add ~/models/qwen3-4b-q4_k_m.gguf --name qwen
mem models add Qwen/Qwen3-4B-GGUF
mem models check smollm2
"""

_ACTIONS: Final = ("list", "add", "check", "remove")

Action = Annotated[str, typer.Argument(metavar="|".join(_ACTIONS), help="What to do.")]
Model = Annotated[
    str | None,
    typer.Argument(
        metavar="[MODEL]",
        show_default=False,
        help="A name that list shows; for add a .gguf file, a package, or ORG/NAME[:FILE] on the hub; for check a server's address too.",
    ),
]
Called = Annotated[str | None, typer.Option("--name", metavar="NAME", show_default=False, help="add: what it is to be called.")]
Copy = Annotated[bool, typer.Option("--copy", help="add: copy the file into mem's data folder; else it is used where it is.")]
Sha256 = Annotated[str | None, typer.Option("--sha256", metavar="HEX", show_default=False, help="add: what its sha256 must be.")]


def models(
    action: Action = "list",
    model: Model = None,
    *,
    name: Called = None,
    copy: Copy = False,
    sha256: Sha256 = None,
    json: options.Json = False,
    quiet: options.Quiet = False,
    debug: options.Debug = False,
) -> int:
    """List the models of this machine; add a language model, try one, or take one off the list.

    Language models are GGUF files, run by llama.cpp. check runs one in a process of its own and tells how fast it is. remove deletes only
    what add has copied or fetched. A fetch that was interrupted goes on where it was when the command is given again.
    """
    screen = Screen(json, quiet)
    if action not in _ACTIONS:
        raise UsageError(f"unknown action {action!r}; choose one of {', '.join(_ACTIONS)}")
    if (model is None) != (action == "list"):
        raise UsageError("list: expected mem models list" if action == "list" else f"{action}: expected mem models {action} MODEL")
    if action != "add" and (name or copy or sha256):
        raise UsageError("--name, --copy and --sha256 belong to mem models add")
    try:
        if model is None:
            _list(screen)
        elif action == "add":
            _add(screen, model, name, copy, sha256)
        elif action == "check":
            _check(screen, model)
        else:
            _remove(screen, model)
    except OSError as error:
        raise ModelError(f"{error.filename or 'the models folder'}: {error.strerror or error}") from error
    return 0


def _list(screen: Screen) -> None:
    from memcli.models.known import known_embedders, known_models, runtime

    embedders, found, version = known_embedders(), known_models(notify=screen.note), runtime()
    if screen.as_json:
        screen.json({"embedders": embedders, "models": found, "llama_cpp_python": version})
        return
    screen.line(("embedding models", "bold"))
    for one in embedders:
        screen.line((one["name"], "cyan"), _joined(one["problem"], one["dimension"] and f"{one['dimension']} dimensions"), lead="  ")
    screen.line(("language models", "bold"))
    for one in found:
        context = one["context"] and f"context {one['context']:,}"
        tried = "runs here" if one["checked"] else "not tried yet" if version and not one["problem"] else None
        about = (one["problem"], one["parameters"] and _amount(one["parameters"]), one["size"] and _bytes(one["size"]), context, tried)
        screen.line((one["name"], "cyan"), _joined(*about), lead="  ")
        if one["path"]:
            screen.line(one["path"], lead="      ", style="dim")
    if version is None:
        from memcli.models.llama import INSTALL

        screen.note(f"nothing runs language models here yet: {INSTALL}")


def _add(screen: Screen, model: str, name: str | None, copy: bool, sha256: str | None) -> None:
    from memcli.models.catalogue import checked_name
    from memcli.models.known import add_model, describe

    if name is not None:
        checked_name(name)
    if sha256 is not None and (len(sha256) != 64 or not set(sha256.lower()) <= set("0123456789abcdef")):
        raise UsageError("--sha256: expected 64 hexadecimal digits")
    with progress(screen, "MB", lambda: None) as report:

        def told(done: int, of: int) -> None:
            if report is not None:
                report("MB", done // 1_000_000, of // 1_000_000)

        entry = add_model(model, name=name, copy=copy, sha256=sha256.lower() if sha256 else None, report=told)
    about = describe(entry, source="added")
    if screen.as_json:
        screen.json(about)
        return
    screen.line(
        "added ", (entry.name, "cyan"), _joined(_amount(about["parameters"]), _bytes(about["size"]), f"context {about['context']:,}")
    )
    screen.line(entry.path, lead="  path    ")
    screen.line(entry.sha256 or "", lead="  sha256  ")
    screen.line(f"mem models check {entry.name}", lead="  try it  ")
    screen.line(f'mem ask "..." --llm {entry.name}', lead="  use it  ")


def _check(screen: Screen, model: str) -> None:
    from memcli.models.check import note_checked, run_check, try_model
    from memcli.models.language import URL

    if URL.match(model):
        from memcli.models.server import ServerModel

        server = ServerModel(model, notify=screen.note)
        found, where, told = try_model(server), server.name, server.name
    else:
        from memcli.models.catalogue import find_model
        from memcli.models.llama import LlamaModel

        source = find_model(model)
        # What can be seen without running it is said by this process.
        sha256 = LlamaModel(source, checked=True).sha256
        screen.note(f"running {source.name} in a process of its own")
        found, where, told = run_check(source), str(source.path), source.name
        note_checked(sha256)
    result: dict[str, Any] = {"name": told, "path": where, **found.to_dict()}
    if screen.as_json:
        screen.json(result)
        return
    screen.line((told, "cyan"), " runs")
    for what, value in (
        ("parameters", _amount(found.parameters) if found.parameters else "not told"),
        ("context", f"{found.context:,} tokens"),
        ("template", {True: "its own", False: "none: a base model, given plain text", None: "the server's"}[found.chat]),
        ("prompt", f"{result['prompt_tokens_per_second']} tokens/s"),
        ("answer", f"{result['answer_tokens_per_second']} tokens/s"),
        ("JSON", "valid" if found.json_valid else "not valid: what it writes in JSON will be thrown away"),
    ):
        screen.line(value, lead=f"  {what:<12}")


def _remove(screen: Screen, model: str) -> None:
    from memcli.models.catalogue import remove

    entry = remove(model)
    deleted = entry.owned and not Path(entry.path).exists()
    if screen.as_json:
        screen.json({"name": entry.name, "path": entry.path, "deleted": deleted})
    else:
        screen.line("removed ", (entry.name, "cyan"), f"; {entry.path} {'was deleted' if deleted else 'is left where it is'}")


def _joined(*parts: object) -> str:
    """What there is to tell, behind a name."""
    return "".join(f"  {part}" for part in parts if part)


def _amount(parameters: int) -> str:
    return f"{parameters / 1e9:.1f} B" if parameters >= 1e9 else f"{parameters / 1e6:.0f} M"


def _bytes(size: int) -> str:
    return f"{size / 1e9:.1f} GB" if size >= 1e9 else f"{size / 1e6:.0f} MB"
