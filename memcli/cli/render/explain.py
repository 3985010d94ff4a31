"""How a question was read and how a fact was found, as a person reads it; `--json` holds the same in full."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from typing import Any

from memcli.cli.render.clean import one_line
from memcli.cli.render.screen import Screen, glued


def print_question(screen: Screen, trace: Mapping[str, Any], timings_ms: Mapping[str, float]) -> None:
    """How the question was read, what each route came back with, and how long each stage took."""
    screen.line("How the question was read", style="dim")
    rows: list[tuple[str, Sequence[str]]] = []
    for name, value in trace.items():
        if name == "routes" and isinstance(value, Mapping):
            continue
        if name == "language_model" and _many(value):
            rows += [(f"model: {say(step.get('stage'))}", _step(step)) for step in value if isinstance(step, Mapping)]
            continue
        for key, inner in value.items() if isinstance(value, Mapping) else ((name, value),):
            if inner not in (None, "", (), []) and inner != {}:
                rows.append((key, say(inner).split(" ")))
    routes = trace.get("routes")
    if isinstance(routes, Mapping):
        rows.append(("found by", _listed(f"{name} {len(hits) if _many(hits) else say(hits)}" for name, hits in routes.items())))
    rows.append(("took", _listed(f"{stage} {took:.1f} ms" for stage, took in timings_ms.items())))
    _print_rows(screen, rows, "  ", style="")


def print_fact(screen: Screen, trace: Mapping[str, Any], indent: str) -> None:
    """A table of the routes that found the fact, and a row each for its projection, edges and stages."""
    routes = [route for route in trace.get("routes", ()) if isinstance(route, Mapping)]
    if routes:
        table = [("route", "rank", "score", "from"), *(_row(route) for route in routes)]
        widths = [max(len(row[column]) for row in table) for column in range(3)]
        for name, rank, score, source in table:
            screen.line(f"{name:<{widths[0]}}  {rank:>{widths[1]}}  {score:>{widths[2]}}  {source}".rstrip(), lead=indent, style="dim")
    rows: list[tuple[str, Sequence[str]]] = []
    for key, value in trace.items():
        if key == "routes" or not value:
            continue
        if key == "stages" and _many(value):
            rows += _stages(value)
            continue
        steps = [step.values() if isinstance(step, Mapping) else (step,) for step in (value if isinstance(value, list) else [value])]
        rows.append((key, _listed(" ".join(map(say, step)) for step in steps)))
    _print_rows(screen, rows, indent, style="dim")


def _step(step: Mapping[str, Any]) -> list[str]:
    """What a language model did at a stage, what is empty left out."""
    return _listed(f"{key}={say(value)}" for key, value in step.items() if key != "stage" and value not in ("", [], {}))


def _stages(steps: Sequence[Any]) -> list[tuple[str, Sequence[str]]]:
    """A row for each stage: what each of its parts added to the score, those that added nothing left out."""
    parts: dict[str, list[str]] = {}
    for step in steps:
        if not isinstance(step, Mapping):
            parts.setdefault("stages", []).append(say(step))
            continue
        rest = {key: value for key, value in step.items() if key not in ("stage", "part", "score")}
        score = step.get("score")
        words = [say(step["part"])] if "part" in step else []
        if isinstance(score, int | float):
            if "part" in step and not round(score, 2) and not rest:
                continue
            words.append(f"{score:+.2f}")
        words += [f"{key}={say(value)}" for key, value in rest.items()]
        parts.setdefault(say(step.get("stage", "stages")), []).append(" ".join(words))
    return [(stage, _listed(found)) for stage, found in parts.items() if found]


def _listed(items: Iterable[str]) -> list[str]:
    """The items of a list, each with the comma behind it: what belongs together when the list is broken into lines."""
    found = list(items)
    return [*(f"{item}," for item in found[:-1]), *found[-1:]]


def _print_rows(screen: Screen, rows: Sequence[tuple[str, Sequence[str]]], indent: str, style: str) -> None:
    """Names in one column and beside them their pieces, each whole on its line."""
    width = max((len(name) for name, _ in rows), default=0)
    for name, pieces in rows:
        screen.line(" ".join(map(glued, pieces)), lead=f"{indent}{name:<{width}}  ", style=style)


def _many(value: object) -> bool:
    return isinstance(value, Sequence) and not isinstance(value, str)


def say(value: object) -> str:
    """A JSON value in a few words: numbers to four digits, lists with commas, objects as `key=value`."""
    if value is None:
        return "-"
    if isinstance(value, bool):
        return "yes" if value else "no"
    if isinstance(value, float):
        return f"{value + 0.0:.4g}"  # The addition makes -0.0 plain 0.
    if isinstance(value, Mapping):
        return " ".join(f"{key}={say(inner)}" for key, inner in value.items())
    if isinstance(value, Sequence) and not isinstance(value, str):
        nested = any(isinstance(inner, Mapping) for inner in value)
        return ("; " if nested else ", ").join(say(inner) for inner in value)
    return one_line(str(value))


def _row(route: Mapping[str, Any]) -> tuple[str, str, str, str]:
    return say(route.get("name")), say(route.get("rank")), say(route.get("score")), say(route.get("from", ""))
