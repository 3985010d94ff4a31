"""How a question was read and how a fact was found, as a person reads it; `--json` holds the same in full."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

from memcli.cli.render.clean import one_line
from memcli.cli.render.screen import Screen


def print_question(screen: Screen, trace: Mapping[str, Any], timings_ms: Mapping[str, float]) -> None:
    """How the question was read, what each route came back with, and how long each stage took."""
    screen.line("How the question was read", style="dim")
    for name, value in trace.items():
        if name == "routes" and isinstance(value, Mapping):
            continue
        for key, inner in value.items() if isinstance(value, Mapping) else ((name, value),):
            if inner not in (None, "", (), []) and inner != {}:
                screen.line(say(inner), lead=f"  {key}  ")
    routes = trace.get("routes")
    if isinstance(routes, Mapping):
        found = ", ".join(f"{name} {len(hits) if isinstance(hits, Sequence) else say(hits)}" for name, hits in routes.items())
        screen.line(found, lead="  routes  ")
    screen.line(", ".join(f"{stage} {took:.1f} ms" for stage, took in timings_ms.items()), lead="  took  ")


def print_fact(screen: Screen, trace: Mapping[str, Any], indent: str) -> None:
    """A table of the routes that found the fact, and a line each for its projection, edges and stages."""
    routes = [route for route in trace.get("routes", ()) if isinstance(route, Mapping)]
    if routes:
        rows = [("route", "rank", "score", "from"), *(_row(route) for route in routes)]
        widths = [max(len(row[column]) for row in rows) for column in range(3)]
        for name, rank, score, source in rows:
            screen.line(f"{name:<{widths[0]}}  {rank:>{widths[1]}}  {score:>{widths[2]}}  {source}".rstrip(), lead=indent, style="dim")
    for key, value in trace.items():
        if key != "routes" and value:
            steps = [step.values() if isinstance(step, Mapping) else (step,) for step in (value if isinstance(value, list) else [value])]
            screen.line(", ".join(" ".join(map(say, step)) for step in steps), lead=f"{indent}{key}  ", style="dim")


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
